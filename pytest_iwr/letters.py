"""Text from outside → text that a file can hold."""


def whole(text: str) -> str:
    """Give a text with U+FFFD for each half of a character.

    JSON and scripts can name halves; two that belong together become their character.
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
