"""A YAML parser's syntax errors → a line, what is wrong, and what to do."""

from yaml import MarkedYAMLError

_ADVICE = (
    ("maximum nesting depth", "Flatten the values"),
    ("second occurrence", "Give one of the two anchors another name"),
    ("cannot start any token", "Put the text in quotes"),
    ("mapping values are not allowed", "Put a text that contains ': ' in quotes"),
    ("found unexpected ':'", "Put a text that contains ':' in quotes"),
    ("alias", "Put a text that starts with '*' in quotes"),
    ("anchor", "Put a text that starts with '&' in quotes"),
    ("tag", "Put a text that starts with '!' in quotes"),
    ("unexpected end of stream", "Close the quote"),
    ("Unicode character escape", "Write the character itself"),
    ("escape character", "Double the backslash, or use single quotes"),
    ("incompatible YAML document", "Remove the line that starts with %YAML"),
)
_ELSE = "Check the indentation, the quotes and the brackets here"


def explain(error: MarkedYAMLError, text: str) -> tuple[int, str]:
    """Give the line of a syntax error, counted from 1, and the message."""
    problem = error.problem or "not YAML"
    context = error.context or ""
    mark, start = error.problem_mark, error.context_mark
    line = mark.line + 1 if mark else 1
    is_elsewhere = start is not None and start.line + 1 != line
    since = f" that starts in line {start.line + 1}" if start and is_elsewhere else ""
    said = f"{problem} {context}{since}" if context else problem
    if mark and text[mark.index : mark.index + 1] == "\t":
        return line, f"{said}. Indent with spaces instead of tabs"
    advice = next((say for seen, say in _ADVICE if seen in said), _ELSE)
    return line, f"{said}. {advice}"
