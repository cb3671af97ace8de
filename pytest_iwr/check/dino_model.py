"""DINOv2-base as timm has it: batches of inputs → class tokens."""

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytest_iwr.check import dino_weights
from pytest_iwr.check.dino_shapes import GRID, PATCH_PX
from pytest_iwr.check.embeddings import Embedding
from pytest_iwr.errors import UsageError

if TYPE_CHECKING:
    from torch import Tensor

NAME = "vit_base_patch14_dinov2"
BATCH = 16
"""The most inputs at a time."""
_PACKAGES = ("torch", "torchvision", "timm", "safetensors", "huggingface_hub")
_ADVICE = "Run: pip install 'pytest-iwr[paper]'"

Model = Callable[[NDArray[np.float32]], list[Embedding]]
"""Batch × 3 × side × side → the class token of each."""


def require_packages() -> None:
    """Raise UsageError when the extra `paper` is not installed."""
    absent = [name for name in _PACKAGES if find_spec(name) is None]
    if absent:
        raise UsageError(f"DINO needs {', '.join(absent)}, not installed. {_ADVICE}")


def load(file: Path, side: int, threads: int) -> Model:
    """Give the model for inputs of a size, on a GPU when there is one.

    With the weights of a file, as 32-bit numbers. `threads` is the process's limit
    for PyTorch. Raises UsageError.
    """
    require_packages()
    with warnings.catch_warnings():  # what these packages say of each other
        warnings.simplefilter("ignore")
        try:
            import timm  # noqa: PLC0415 - heavy
            import torch  # noqa: PLC0415 - heavy
        except (ImportError, OSError, RuntimeError) as error:
            raise UsageError(f"timm does not load: {error}. {_ADVICE}") from error
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        with torch.device("meta"):  # no numbers but the file's
            vit = timm.create_model(NAME, img_size=side, num_classes=0)
    weights = dino_weights.read(file)
    weights["pos_embed"] = _places(weights["pos_embed"], side // PATCH_PX)
    vit.load_state_dict(weights, assign=True)
    vit.eval().to(device)
    torch.set_num_threads(threads)

    def embed(inputs: NDArray[np.float32]) -> list[Embedding]:
        # Convolutions on a GPU have fewer digits unless they are told.
        with torch.inference_mode(), torch.backends.cudnn.flags(allow_tf32=False):
            batch = torch.from_numpy(inputs).to(device)
            tokens = vit.forward_features(batch)[:, 0].cpu().numpy()
        if not np.isfinite(tokens).all():
            raise UsageError(f"{file}: gives no numbers. {dino_weights.ADVICE}")
        return list(tokens)

    return embed


def _places(embedding: "Tensor", cells: int) -> "Tensor":
    """Bring the embedding of places to a grid of so many cells a side.

    As the published code and transformers do: bicubic, not smoothed. timm's own way
    is smoothed, and gives other tokens.
    """
    import torch  # noqa: PLC0415 - heavy

    head, grid = embedding[:, :1], embedding[:, 1:]
    if cells == GRID:
        return embedding
    square = grid.reshape(1, GRID, GRID, -1).permute(0, 3, 1, 2)
    sized = torch.nn.functional.interpolate(
        square, size=(cells, cells), mode="bicubic", align_corners=False
    )
    return torch.cat((head, sized.permute(0, 2, 3, 1).flatten(1, 2)), dim=1)
