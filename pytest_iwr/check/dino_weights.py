"""The weights of DINOv2-base: from a file or the hub, never made up."""

import hashlib
import pickle
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pytest_iwr.check.dino_shapes import SHAPES, Shape
from pytest_iwr.errors import UsageError

if TYPE_CHECKING:
    from torch import Tensor

T = TypeVar("T")

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
_SAFE = ".safetensors"
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


def check(file: Path) -> None:
    """See that a file has DINOv2-base's weights, by names and shapes alone.

    Of safetensors only the header is read, without PyTorch. Raises UsageError.
    """
    _compare(file, _shapes(file))


def read(file: Path) -> "dict[str, Tensor]":
    """Give the weights by timm's names, as 32-bit numbers; all of them, only those.

    Names may be timm's, Meta's (which are the same) or transformers'. Where the file
    has 32-bit numbers they stay in it, and are shared with other processes. Raises
    UsageError.
    """
    import torch  # noqa: PLC0415 - of the extra

    tensors = _tensors(file)
    _compare(file, {name: tuple(w.shape) for name, w in tensors.items()})
    weights = _by_timms_names(tensors, torch.cat)
    return {name: weights[name].float() for name in SHAPES}


ADVICE = (
    "Give --iwr-dino-weights=FILE with the weights of DINOv2-base, e.g. the "
    f"{FILE} of facebook/dinov2-base or of {REPOSITORY}."
)


def _compare(file: Path, held: Mapping[str, Shape]) -> None:
    """Raise UsageError unless these are the names and shapes, whoever's names."""
    named = _by_timms_names(held, _joined)
    shapes = {name: s for name, s in named.items() if not _UNUSED.fullmatch(name)}
    for problem, names in (
        ("has no", SHAPES.keys() - shapes.keys()),
        ("also has", shapes.keys() - SHAPES.keys()),
    ):
        if names:
            raise _unlike(file, f"{problem} {_some(names)}")
    for name, wanted in SHAPES.items():
        if shapes[name] != wanted:
            what = f"has {name!r} of shape {shapes[name]} and not {wanted}"
            raise _unlike(file, what)


@contextmanager
def _reading(file: Path) -> Iterator[None]:
    """Tell what is wrong with a file that is damaged or something else."""
    from safetensors import SafetensorError  # noqa: PLC0415 - of the extra

    try:
        yield
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


def _shapes(file: Path) -> dict[str, Shape]:
    """Give the names and shapes of what a file holds."""
    from safetensors import safe_open  # noqa: PLC0415 - of the extra

    if file.suffix != _SAFE:
        return {name: tuple(w.shape) for name, w in _tensors(file).items()}
    with _reading(file), safe_open(file, framework="numpy") as opened:
        names = opened.keys()
        return {name: tuple(opened.get_slice(name).get_shape()) for name in names}


def _tensors(file: Path) -> "dict[str, Tensor]":
    """Read a file without running anything that it holds."""
    from safetensors.torch import load_file  # noqa: PLC0415 - of the extra

    with _reading(file):
        return dict(load_file(file)) if file.suffix == _SAFE else _pickled(file)


def _pickled(file: Path) -> "dict[str, Tensor]":
    import torch  # noqa: PLC0415 - of the extra

    is_archive = zipfile.is_zipfile(file)  # only these can stay in the file
    with warnings.catch_warnings():  # what is odd about a file is an error or nothing
        warnings.simplefilter("ignore")
        found = torch.load(file, map_location="cpu", weights_only=True, mmap=is_archive)
    if not isinstance(found, dict):
        raise ValueError(f"holds a {type(found).__name__} and no weights by name")  # noqa: TRY004 - the file's
    return {name: weight for name, weight in found.items() if torch.is_tensor(weight)}


def _by_timms_names(
    held: Mapping[str, T], join: Callable[[list[T]], T]
) -> dict[str, T]:
    """Name weights, or what is known of each, as timm does, which joins some."""
    renamed = {}
    for name, one in held.items():
        plain = name.removeprefix("dinov2.")
        for theirs, ours in _RENAMED:
            plain = plain.replace(theirs, ours)
        renamed[plain] = one
    for name in [n for n in renamed if ".attn.query." in n]:
        parts = [name.replace("query", part) for part in ("query", "key", "value")]
        if all(part in renamed for part in parts):
            joined = join([renamed.pop(part) for part in parts])
            renamed[name.replace("query", "qkv")] = joined
    return renamed


def _joined(shapes: list[Shape]) -> Shape:
    """Give the shape of weights one after the other; equal ones alone can be so."""
    first = shapes[0]
    is_whole = len(first) > 0 and all(shape == first for shape in shapes)
    return (len(shapes) * first[0], *first[1:]) if is_whole else ()


def _some(names: "set[str]") -> str:
    shown = ", ".join(repr(name) for name in sorted(names)[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown


def _unlike(file: Path, what: str) -> UsageError:
    return UsageError(f"{file}: {what}: these are no weights of DINOv2-base. {ADVICE}")
