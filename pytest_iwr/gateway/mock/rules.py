"""Which rule of a script holds for a request."""

import fnmatch
import hashlib
from collections import Counter

from pytest_iwr.gateway.mock.script import Answer, Script, When
from pytest_iwr.gateway.mock.seen import Seen

_BYTES = 6
_END = float(2 ** (8 * _BYTES))


class Rules:
    """Gives each request its answer, and counts for how many a rule was meant."""

    def __init__(self, script: Script) -> None:
        self._seed = script.seed
        self._rules = tuple(enumerate(script.rules, start=1))
        self._meant: Counter[int] = Counter()

    def choose(self, seen: Seen) -> tuple[int | None, Answer]:
        """Give the answer, and the number of its rule from 1; None for the default."""
        meant = [(n, rule) for n, rule in self._rules if _is_meant(rule.when, seen)]
        self._meant.update(number for number, _ in meant)
        for number, rule in meant:
            if self._is_turn(rule.when, seen, number):
                return number, rule
        return None, Answer()

    def _is_turn(self, when: When, seen: Seen, number: int) -> bool:
        return (
            (not when.nth or self._meant[number] in when.nth)
            and (not when.attempt or seen.attempt in when.attempt)
            and self._draw(seen, number) < when.chance
        )

    def _draw(self, seen: Seen, number: int) -> float:
        """Give a number from 0 to below 1, the same for the same attempt."""
        source = f"{self._seed}/{number}/{seen.digest}/{seen.attempt}"
        drawn = hashlib.sha256(source.encode()).digest()[:_BYTES]
        return int.from_bytes(drawn) / _END


def _is_meant(when: When, seen: Seen) -> bool:
    """Tell whether all holds that does not depend on other requests."""
    body = seen.body or {}
    return (
        (when.model is None or fnmatch.fnmatchcase(seen.model, when.model))
        and (when.text is None or when.text in seen.text)
        and (not when.has or any(name in body for name in when.has))
        and not any(k in body and body[k] == v for k, v in when.unless.items())
        and (when.more_images_than is None or seen.images > when.more_images_than)
    )
