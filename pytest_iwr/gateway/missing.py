"""What to say to a user who wants a model that has no endpoint or no key."""

import json
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

_BARE = re.compile(r"[A-Za-z][\w./@+-]*(:[\w./@+-]+)*")
"""Names that need no quotes as a key of YAML."""


class _Known(NamedTuple):
    """An endpoint that many have a key for."""

    names: str
    """A pattern of the models' names."""
    base_url: str
    key_env: str | None


_ENDPOINTS = (
    _Known(r".+/", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    _Known(r"claude", "https://api.anthropic.com/v1/", "ANTHROPIC_API_KEY"),
    _Known(
        r"gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai/",
        "GEMINI_API_KEY",
    ),
    _Known(r"gpt-|o\d|chatgpt", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    _Known(
        r"qwen",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        "DASHSCOPE_API_KEY",
    ),
    _Known(r"grok", "https://api.x.ai/v1", "XAI_API_KEY"),
    _Known(r"deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
)
_LOCAL = _Known("", "http://127.0.0.1:8000/v1", None)


def no_endpoint(aliases: Sequence[str], address: str, option: str) -> str:
    """Say that models have no endpoint, without a file of models.

    `option` has named them; `address` is that of `OPENAI_BASE_URL`, which lacks its
    key; empty: none is set.
    """
    first = _guess(aliases[0])
    named = ", ".join(map(repr, aliases))
    what = f"there is no key for {address}" if address else "no endpoint is known"
    exports = [f"export OPENAI_BASE_URL={address or first.base_url}"]
    if address or first.key_env:
        exports.append("export OPENAI_API_KEY=<your key>")
    return "\n".join(
        [
            f"{option}: {what} for {named}. Either export, for one endpoint:",
            *(f"    {line}" for line in exports),
            "  or write a file, for any number of them,",
            *_entries(aliases),
            "  and name it: --iwr-model-config=models.yaml",
        ]
    )


def no_model(file: Path, alias: str, known: Sequence[str], option: str) -> str:
    """Say that a file has no such model, which `option` has named."""
    near = get_close_matches(alias, known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else "Add these lines:"
    there = ", ".join(known) or "none"
    head = (
        f"{file}: models: there is no model {alias!r} ({option}). It has: {there}. "
        f"{hint}"
    )
    return head if near else "\n".join([head, *_entries([alias])])


def no_variable(at: str, variable: str, environ: Mapping[str, str]) -> str:
    """Say that the variable of a key is not set; `at` is where its name stands."""
    names = [name for name in environ if re.search("KEY|TOKEN", name)]
    near = get_close_matches(variable, names, n=1, cutoff=0.8)
    is_empty = variable in environ
    what = "is empty" if is_empty else "is not set"
    hint = f" Did you mean {near[0]!r}?" if near and not is_empty else ""
    return (
        f"{at}: the environment variable {variable} {what}.{hint} Set it:"
        f"\n    export {variable}=<your key>"
    )


def usual_url(model: str) -> str | None:
    """Give the address at which a model's maker offers it; `None`: nobody knows."""
    known = _guess(model)
    return None if known is _LOCAL else known.base_url


def _guess(alias: str) -> _Known:
    named = (known for known in _ENDPOINTS if re.match(known.names, alias.lower()))
    return next(named, _LOCAL)


def _entries(aliases: Sequence[str]) -> list[str]:
    """Give the lines of a file with these models, and of their keys."""
    lines = ["    models:"]
    variables: dict[str, None] = {}
    for alias in aliases:
        known = _guess(alias)
        lines += [
            f"      {_quoted(alias)}:",
            f"        model: {_quoted(alias)}",
            f"        base_url: {known.base_url}",
        ]
        if known.key_env:
            lines.append(f"        key_env: {known.key_env}")
            variables[known.key_env] = None
    if variables:
        lines.append("  with" if len(variables) == 1 else "  with all of")
    return lines + [f"    export {variable}=<your key>" for variable in variables]


def _quoted(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)
