"""The names and shapes of DINOv2-base's weights, by which a file is known as theirs."""

from collections.abc import Iterator, Mapping

Shape = tuple[int, ...]

WIDTH = 768
"""Numbers of a token."""
PATCH_PX = 14
GRID = 37
"""Patches a side of the pictures that it was trained with."""
_DEPTH = 12
_HIDDEN = 4 * WIDTH


def _layer(name: str, out: int, *fed: int) -> Iterator[tuple[str, Shape]]:
    yield f"{name}.weight", (out, *fed)
    yield f"{name}.bias", (out,)


def _block(name: str) -> Iterator[tuple[str, Shape]]:
    yield from _layer(f"{name}.norm1", WIDTH)
    yield from _layer(f"{name}.attn.qkv", 3 * WIDTH, WIDTH)
    yield from _layer(f"{name}.attn.proj", WIDTH, WIDTH)
    yield f"{name}.ls1.gamma", (WIDTH,)
    yield from _layer(f"{name}.norm2", WIDTH)
    yield from _layer(f"{name}.mlp.fc1", _HIDDEN, WIDTH)
    yield from _layer(f"{name}.mlp.fc2", WIDTH, _HIDDEN)
    yield f"{name}.ls2.gamma", (WIDTH,)


def _all() -> Iterator[tuple[str, Shape]]:
    yield "cls_token", (1, 1, WIDTH)
    yield "pos_embed", (1, 1 + GRID * GRID, WIDTH)
    yield from _layer("patch_embed.proj", WIDTH, 3, PATCH_PX, PATCH_PX)
    for number in range(_DEPTH):
        yield from _block(f"blocks.{number}")
    yield from _layer("norm", WIDTH)


SHAPES: Mapping[str, Shape] = dict(_all())
"""By timm's names. Source: ViT-B/14, Oquab et al. 2023."""
