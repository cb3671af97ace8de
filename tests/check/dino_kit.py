"""Weights of DINOv2-base in other projects' names, for tests."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_iwr.check.dino_shapes import SHAPES

if TYPE_CHECKING:
    from torch import Tensor


def hollow(file: Path) -> Path:
    """Write safetensors of the right names and shapes, which take no room on a disk."""
    header, end = {}, 0
    for name, shape in SHAPES.items():
        start, end = end, end + math.prod(shape)
        place = [start, end]
        header[name] = {"dtype": "F8_E5M2", "shape": shape, "data_offsets": place}
    told = json.dumps(header).encode()
    told += b" " * (-len(told) % 8)
    with file.open("wb") as opened:
        opened.write(len(told).to_bytes(8, "little") + told)
        opened.truncate(8 + len(told) + end)
    return file


def transformers_names(weights: "dict[str, Tensor]") -> "dict[str, Tensor]":
    """Name weights as facebook/dinov2-base does; timm joins what attention asks."""
    import torch  # noqa: PLC0415 - of the extra

    named = {"embeddings.mask_token": torch.zeros(1, 768)}
    for name, weight in weights.items():
        part, _, rest = name.partition(".")
        match part:
            case "cls_token":
                named["embeddings.cls_token"] = weight
            case "pos_embed":
                named["embeddings.position_embeddings"] = weight
            case "patch_embed":
                kind = rest.removeprefix("proj.")
                named[f"embeddings.patch_embeddings.projection.{kind}"] = weight
            case "norm":
                named[f"layernorm.{rest}"] = weight
            case _:
                named |= _block(rest, weight)
    return named


def _block(name: str, weight: "Tensor") -> "dict[str, Tensor]":
    number, _, rest = name.partition(".")
    layer = f"encoder.layer.{number}"
    kind = rest.rpartition(".")[2]
    if rest.startswith("attn.qkv."):
        query, key, value = weight.clone().chunk(3)
        return {
            f"{layer}.attention.attention.{part}.{kind}": tensor.contiguous()
            for part, tensor in (("query", query), ("key", key), ("value", value))
        }
    if rest.startswith("attn.proj."):
        return {f"{layer}.attention.output.dense.{kind}": weight}
    if rest.startswith("ls"):
        return {f"{layer}.layer_scale{rest[2]}.lambda1": weight}
    return {f"{layer}.{rest}": weight}
