"""The weights of DINOv2-base: from a file or the hub, never made up."""

import hashlib
import pickle
import re
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_iwr.errors import UsageError

if TYPE_CHECKING:
    from torch import Tensor

REPOSITORY = "timm/vit_base_patch14_dinov2.lvd142m"
REVISION = "1926dc569694559b394898d7ba5d88a775301036"
FILE = "model.safetensors"

_RENAMED = (
    ("embeddings.patch_embeddings.projection", "patch_embed.proj"),
    ("embeddings.position_embeddings", "pos_embed"),
    ("embeddings.", ""),
    ("encoder.layer.", "blocks."),
    ("attention.output.dense", "attn.proj"),
    ("attention.attention.", "attn."),
    ("attention.o_proj", "attn.proj"),
    ("attention.q_proj", "attn.query"),
    ("attention.k_proj", "attn.key"),
    ("attention.v_proj", "attn.value"),
    ("layer_scale", "ls"),
    ("lambda1", "gamma"),
    ("layernorm.", "norm."),
)
"""Parts of names as transformers has them → as timm has them."""
_UNUSED = re.compile(r"mask_token|(head|classifier)\..*")
"""What training and classification need."""
_SHOWN = 3
"""So many names are told."""


def find(file: Path | None) -> Path:
    """Give the file, `None`: the hub's, downloaded once. Raises UsageError."""
    if file is not None:
        if not file.is_file():
            raise UsageError(f"{file}: there is no such file. {ADVICE}")
        return file
    import httpx2  # noqa: PLC0415 - what the hub asks with
    from huggingface_hub import hf_hub_download  # noqa: PLC0415 - of the extra

    try:
        return Path(hf_hub_download(REPOSITORY, FILE, revision=REVISION))
    except (OSError, httpx2.HTTPError) as error:
        first, *_ = str(error).splitlines()
        raise UsageError(
            f"the weights of DINO cannot be had from the hub, {REPOSITORY}: {first} "
            f"{ADVICE}"
        ) from error


def fingerprint(file: Path) -> str:
    """Give the SHA-256 of a file, in hexadecimal. Raises UsageError."""
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}.") from error


def read(file: Path, shapes: Mapping[str, tuple[int, ...]]) -> "dict[str, Tensor]":
    """Give the weights by timm's names, as 32-bit numbers; all of `shapes`, only those.

    Names may be timm's, Meta's (which are the same) or transformers'. Where the file
    has 32-bit numbers they stay in it, and are shared with other processes. Raises
    UsageError.
    """
    weights = _by_timms_names(_tensors(file))
    kept = {name: w for name, w in weights.items() if not _UNUSED.fullmatch(name)}
    for problem, names in (
        ("has no", shapes.keys() - kept.keys()),
        ("also has", kept.keys() - shapes.keys()),
    ):
        if names:
            raise _unlike(file, f"{problem} {_some(names)}")
    for name, wanted in shapes.items():
        if (is_shape := tuple(kept[name].shape)) != wanted:
            raise _unlike(file, f"has {name!r} of shape {is_shape} and not {wanted}")
    return {name: weight.float() for name, weight in kept.items()}


ADVICE = (
    "Give --iwr-dino-weights=FILE with the weights of DINOv2-base, e.g. the "
    f"{FILE} of facebook/dinov2-base or of {REPOSITORY}."
)


def _tensors(file: Path) -> "dict[str, Tensor]":
    """Read a file without running anything that it holds."""
    from safetensors import SafetensorError  # noqa: PLC0415 - of the extra
    from safetensors.torch import load_file  # noqa: PLC0415 - as above

    try:
        if file.suffix == ".safetensors":
            return dict(load_file(file))
        return _pickled(file)
    except (
        OSError,
        SafetensorError,
        RuntimeError,  # PyTorch's, for damaged archives
        EOFError,
        pickle.UnpicklingError,
        ValueError,
        KeyError,
    ) as error:
        first, *_ = str(error).splitlines() or [type(error).__name__]
        raise _unlike(file, f"cannot be read: {first}") from error


def _pickled(file: Path) -> "dict[str, Tensor]":
    import torch  # noqa: PLC0415 - of the extra

    is_archive = zipfile.is_zipfile(file)  # only these can stay in the file
    with warnings.catch_warnings():  # what is odd about a file is an error or nothing
        warnings.simplefilter("ignore")
        found = torch.load(file, map_location="cpu", weights_only=True, mmap=is_archive)
    if not isinstance(found, dict):
        raise ValueError(f"holds a {type(found).__name__} and no weights by name")  # noqa: TRY004 - the file's
    return {name: weight for name, weight in found.items() if torch.is_tensor(weight)}


def _by_timms_names(weights: "dict[str, Tensor]") -> "dict[str, Tensor]":
    import torch  # noqa: PLC0415 - of the extra

    renamed = {}
    for name, weight in weights.items():
        plain = name.removeprefix("dinov2.")
        for theirs, ours in _RENAMED:
            plain = plain.replace(theirs, ours)
        renamed[plain] = weight
    for name in [n for n in renamed if ".attn.query." in n]:
        parts = [name.replace("query", part) for part in ("query", "key", "value")]
        if all(part in renamed for part in parts):
            joined = torch.cat([renamed.pop(part) for part in parts])
            renamed[name.replace("query", "qkv")] = joined
    return renamed


def _some(names: "set[str]") -> str:
    shown = ", ".join(repr(name) for name in sorted(names)[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown


def _unlike(file: Path, what: str) -> UsageError:
    return UsageError(f"{file}: {what}: these are no weights of DINOv2-base. {ADVICE}")
