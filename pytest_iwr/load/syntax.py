"""PyYAML's syntax errors → a line, what is wrong, and what to do."""

from yaml import MarkedYAMLError

_ADVICE = (
    ("'\\t'", "Indent with spaces instead of tabs"),
    ("cannot start any token", "Put the text in quotes"),
    ("mapping values are not allowed", "Put a text that contains ': ' in quotes"),
    ("found undefined alias", "Put a text that starts with '*' in quotes"),
    ("found duplicate anchor", "Give it another name"),
    ("while scanning an anchor", "Put a text that starts with '&' in quotes"),
    ("while scanning an alias", "Put a text that starts with '*' in quotes"),
    ("unexpected end of stream", "Close the quote"),
    ("unknown escape character", "Double the backslash, or use single quotes"),
    ("found incompatible YAML document", "Remove the line that starts with %YAML"),
)
_ELSE = "Check the indentation, the quotes and the brackets here"


def explain(error: MarkedYAMLError) -> tuple[int, str]:
    """Give the line of a syntax error, counted from 1, and the message."""
    problem = error.problem or "not YAML"
    context = error.context or ""
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    start = error.context_mark
    since = f" that starts in line {start.line + 1}" if start and start != mark else ""
    said = f"{problem} {context}{since}".strip() if context else problem
    known = f"{problem} {context}"
    advice = next((say for seen, say in _ADVICE if seen in known), _ELSE)
    return line, f"{said}. {advice}"
