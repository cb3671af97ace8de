"""The command line's options for the paper's protocol, checked."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import pytest


@dataclass(frozen=True)
class Paper:
    """What the user asked for about the paper's metrics."""

    dino_weights: Path | None
    """Absolute, a file that is there; `None`: from the hub."""
    dino_preprocessing: Literal["paper", "full"]


def add_paper_options(parser: pytest.Parser, group: pytest.OptionGroup) -> None:
    """Name the options in pytest's help."""
    group.addoption(
        "--iwr-dino-weights",
        metavar="FILE",
        help="the weights of DINOv2-base, as .safetensors or .pth, named as by timm, "
        "Meta or transformers (also the ini value iwr_dino_weights; default: from the "
        "hub, once). Their checksum becomes part of the scores' protocol.",
    )
    group.addoption(
        "--iwr-dino-preprocessing",
        choices=("paper", "full"),
        default="paper",
        help="what DINO sees of a picture. paper: the middle square, as in the "
        "published numbers (default). full: all of it.",
    )
    parser.addini(
        "iwr_dino_weights",
        help="the file of --iwr-dino-weights, relative to this file's folder",
        default="",
    )


def read_paper(config: pytest.Config) -> Paper:
    """Read and check the options; raises `pytest.UsageError`."""
    told, ini = config.getoption("--iwr-dino-weights"), config.getini
    weights = None
    if told:
        weights = config.invocation_params.dir / Path(told).expanduser()
    elif ini("iwr_dino_weights"):
        weights = config.rootpath / Path(ini("iwr_dino_weights")).expanduser()
    if weights is not None and not weights.is_file():
        name = f"--iwr-dino-weights={told}" if told else f"iwr_dino_weights = {weights}"
        message = (
            f"{name}: there is no such file. Name the weights of DINOv2-base, or leave "
            "it out to get them from the hub."
        )
        raise pytest.UsageError(message)
    return Paper(
        dino_weights=weights,
        dino_preprocessing=cast(
            "Literal['paper', 'full']", config.getoption("--iwr-dino-preprocessing")
        ),
    )
