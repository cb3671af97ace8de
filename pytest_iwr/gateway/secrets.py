"""Keys that stand where they must not: in a file, or as a name of a variable."""

import re
from collections.abc import Iterator

from pytest_iwr.load.parse import Finding, Part

SECRET_NAMES = frozenset(
    {
        *("api_key", "apikey", "x_api_key", "key", "secret", "token", "password"),
        *("authorization", "auth_token", "access_token", "bearer"),
    }
)
"""Fields that hold keys, as `fold` writes them."""
_SHAPES = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|ghp|glpat|nvapi|pplx|csk|r8)[-_][\w-]{12,}"
    r"|\bAIza[\w-]{20,}"
    r"|\bAKIA[A-Z0-9]{12,}"
    r"|\bBearer\s+\S{8,}"
)
"""How keys of providers begin, as these publish it for scanners of secrets."""
_LONG = 20
"""Characters; a word as long, of letters of both cases and digits, is hardly a name."""
_DEPTH = 3
"""Names from the top to a field: `models`, the alias, the field."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ADVICE = (
    "Keep keys out of files: write the name of an environment variable,"
    " `key_env: NAME_OF_VARIABLE`, and export it"
)


def fold(name: str) -> str:
    """Write a field's name in the one way that names are compared in."""
    return name.lower().replace("-", "_")


def looks_like_key(text: str) -> bool:
    """Tell whether a text is, or holds, what looks like a secret key."""
    if _SHAPES.search(text):
        return True
    kinds = (str.islower, str.isupper, str.isdigit)
    is_word = re.fullmatch(r"[A-Za-z0-9_-]+", text) is not None
    is_named = re.search("key|token|secret", text, re.IGNORECASE) is not None
    return (
        is_word
        and not is_named
        and len(text) >= _LONG
        and all(any(is_kind(char) for char in text) for is_kind in kinds)
    )


def find_secrets(root: Part) -> Iterator[Finding]:
    """Find values that are keys, by their shape or name; never shows one."""
    for where, part in root.walk():
        text = part.value
        if not isinstance(text, str):
            continue
        is_field = len(where) >= _DEPTH
        if (is_field and fold(str(where[-1])) in SECRET_NAMES) or _SHAPES.search(text):
            yield Finding(where, part.line, f"holds a key. {_ADVICE}", part)


def variable_fault(name: str) -> str | None:
    """Say why a text cannot be the name of a key's variable, without showing it."""
    if name.startswith("$"):
        return "begins with '$'. Write the name of the variable alone"
    if not _VARIABLE.fullmatch(name) or looks_like_key(name):
        return f"is no name of an environment variable. {_ADVICE}"
    return None
