"""Targets that are elements already: those that a model chose."""

from pytest_iwr import records as r


class Chosen(r.Target):
    """An element that the page's isolated world keeps; found again at each look.

    `mark.js` finds the same thing once more where the page has drawn it anew.
    """

    mark: str
    """Its key there."""
    by: str
    """Who chose it, e.g. a model's name and version."""
    said: str
    """The sentence that means it."""

    def phrase(self) -> str:
        """Give the target in words, for messages."""
        return repr(self.said)
