"""Weights from a seed, in the shapes of DINOv2-base's: for arithmetic and memory."""

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_iwr.check.dino_model import NAME

if TYPE_CHECKING:
    from torch import Tensor

SEED = 54


def shapes() -> "dict[str, Tensor]":
    """Give what every weight looks like, by timm's names, without numbers."""
    import timm  # noqa: PLC0415 - of the extra
    import torch  # noqa: PLC0415 - as above

    with torch.device("meta"):
        model = timm.create_model(NAME, num_classes=0)
    return dict(model.state_dict())


def weights() -> "dict[str, Tensor]":
    """Give weights by timm's names.

    A fresh model's layers hardly act, and then all pictures are alike. These act about
    as strongly as trained ones, and attend sharply, so that the class token depends on
    what is where.
    """
    import torch  # noqa: PLC0415 - of the extra

    random = torch.Generator().manual_seed(SEED)
    made = {}
    for name, like in shapes().items():
        noise = torch.randn(like.shape, generator=random)
        if name in {"cls_token", "pos_embed"}:
            made[name] = noise
        elif like.ndim > 1:
            made[name] = noise / like[0].numel() ** 0.5
        else:
            is_factor = name.endswith(".gamma") or ".norm" in f".{name}"
            made[name] = 0.1 * noise + (is_factor and not name.endswith("bias"))
        if name.endswith("qkv.weight"):
            queries_and_keys = 2 * like.shape[0] // 3
            made[name][:queries_and_keys] *= 2
    return made


def write(path: Path) -> None:
    """Write them as safetensors."""
    from safetensors.torch import save_file  # noqa: PLC0415 - of the extra

    save_file(weights(), path)
