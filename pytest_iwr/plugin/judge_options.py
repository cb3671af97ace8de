"""The command line's options for the protocol and its judge, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

import pytest

ProtocolId = Literal["offline", "iwr-bench"]
DEFAULT_JUDGE = "gemini-2.5-pro"
"""The paper's."""
JUDGE_OPTION = "--iwr-judge-model"
_PROTOCOLS = ("offline", "iwr-bench")
_MOST_REPEATS = 99


@dataclass(frozen=True)
class Judging:
    """What the user asked for about the protocol and its judge."""

    protocol: ProtocolId
    model: str
    """The alias of the judge model."""
    repeats: int
    """How often each question is asked."""

    @property
    def is_needed(self) -> bool:
        """Tell whether a judge is a part of the protocol."""
        return self.protocol == "iwr-bench"


def add_judge_options(parser: pytest.Parser, group: pytest.OptionGroup) -> None:
    """Name the options in pytest's help."""
    group.addoption(
        "--iwr-protocol",
        choices=_PROTOCOLS,
        help="how pages are scored. offline: by what can be computed here (default). "
        "iwr-bench: as in the paper, with DINO (the extra `paper`) and a judge model "
        "that also decides assertions in prose (also the ini value iwr_protocol).",
    )
    group.addoption(
        JUDGE_OPTION,
        metavar="NAME",
        help="the model that judges under --iwr-protocol=iwr-bench, at the endpoint "
        "that --iwr-model-config or OPENAI_BASE_URL and OPENAI_API_KEY name "
        f"(default: {DEFAULT_JUDGE}, the paper's).",
    )
    group.addoption(
        "--iwr-judge-repeats",
        metavar="N",
        type=int,
        help="ask the judge N times: the median of scores and the verdict of most "
        "count; where as many say yes as no, one more decides (default: 1).",
    )
    parser.addini(
        "iwr_protocol",
        help="the protocol of --iwr-protocol (default: offline)",
        default="offline",
    )


def read_judging(config: pytest.Config) -> Judging:
    """Read and check the options; raises `pytest.UsageError`."""
    told, ini = config.getoption("--iwr-protocol"), config.getini("iwr_protocol")
    protocol = told or ini
    if protocol not in _PROTOCOLS:
        known = " or ".join(_PROTOCOLS)
        message = f"iwr_protocol = {ini!r}: there is no such protocol. Give {known}."
        raise pytest.UsageError(message)
    model = config.getoption(JUDGE_OPTION)
    repeats = config.getoption("--iwr-judge-repeats")
    if protocol == "offline":
        for option, value in ((JUDGE_OPTION, model), ("--iwr-judge-repeats", repeats)):
            if value is not None:
                message = (
                    f"{option}={value}: the protocol offline asks no judge. Add "
                    "--iwr-protocol=iwr-bench, or leave it out."
                )
                raise pytest.UsageError(message)
    if repeats is not None and not 1 <= repeats <= _MOST_REPEATS:
        message = (
            f"--iwr-judge-repeats={repeats}: not a number of times to ask. Give 1 to "
            f"{_MOST_REPEATS}."
        )
        raise pytest.UsageError(message)
    return Judging(
        protocol=cast("ProtocolId", protocol),
        model=model or DEFAULT_JUDGE,
        repeats=repeats or 1,
    )
