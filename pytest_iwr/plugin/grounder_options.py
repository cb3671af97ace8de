"""The command line's options for the grounder, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

import pytest

GrounderMode = Literal["auto", "strict", "model", "browser-use"]
DEFAULT_GROUNDER = "gemini-2.5-pro"
GROUNDER_OPTION = "--iwr-grounder-model"
_MODES = ("auto", "strict", "model", "browser-use")


@dataclass(frozen=True)
class Finding:
    """What the user asked for about sentences that name things on a page."""

    mode: GrounderMode
    model: str
    """The alias of the model that is asked."""
    is_named: bool
    """The user has named it."""


def add_grounder_options(group: pytest.OptionGroup) -> None:
    """Name the options in pytest's help."""
    group.addoption(
        "--iwr-grounder",
        choices=_MODES,
        default="auto",
        help="who finds what a sentence means, e.g. `the heart on the second card`. "
        "auto: rules, then a model that sees the page, if an endpoint is configured "
        "(default). strict: rules alone; a sentence that they cannot read is an error. "
        "model: the model, for every sentence that names a thing on the page. "
        "browser-use: as model, by way of the agent of that name (extra browser-use).",
    )
    group.addoption(
        GROUNDER_OPTION,
        metavar="NAME",
        help="that model, at the endpoint that --iwr-model-config or OPENAI_BASE_URL "
        f"and OPENAI_API_KEY name (default: {DEFAULT_GROUNDER}).",
    )


def read_finding(config: pytest.Config) -> Finding:
    """Read the options; raises `pytest.UsageError` where one would do nothing."""
    mode = cast("GrounderMode", config.getoption("--iwr-grounder"))
    named = config.getoption(GROUNDER_OPTION)
    if named and mode == "strict":
        message = (
            f"{GROUNDER_OPTION}={named} and --iwr-grounder=strict: no model is asked. "
            "Give one of them."
        )
        raise pytest.UsageError(message)
    return Finding(mode, named or DEFAULT_GROUNDER, is_named=bool(named))
