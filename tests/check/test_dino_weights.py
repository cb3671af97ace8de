"""Weights of DINOv2-base: what is not theirs is refused, and none are made up."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks import seeded_dino
from pytest_iwr.check import dino_weights
from pytest_iwr.check.dino import Dino
from pytest_iwr.check.dino_shapes import SHAPES
from pytest_iwr.errors import UsageError
from tests.check.dino_kit import hollow, transformers_names

if TYPE_CHECKING:
    from torch import Tensor

ADVICE = "Give --iwr-dino-weights=FILE"


def likely() -> "dict[str, Tensor]":
    """Give weights of the right names and shapes that take no room in a file."""
    import torch  # noqa: PLC0415 - of the extra

    one = torch.tensor(0.5)
    return {name: one.expand(w.shape) for name, w in seeded_dino.shapes().items()}


def refused(file: Path) -> str:
    """Give the message with which a file is refused before it is loaded."""
    with pytest.raises(UsageError) as caught:
        _ = Dino(file).version
    with pytest.raises(UsageError) as again:
        dino_weights.read(file)
    if file.exists():
        assert str(again.value) == str(caught.value)
    return str(caught.value)


def test_missing_extra_is_a_usage_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without PyTorch or timm the message says what to install."""
    monkeypatch.setitem(sys.modules, "timm", None)
    with pytest.raises(UsageError, match=r"timm.*pip install 'pytest-iwr\[paper\]'"):
        Dino(tmp_path / "any.pth").load()


def test_importing_the_metric_loads_nothing_heavy() -> None:
    """PyTorch is loaded with the first picture that was never embedded."""
    code = (
        "import sys, pytest_iwr.check.dino; "
        "print({'torch', 'timm', 'torchvision'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


@pytest.mark.paper
def test_absent_file(tmp_path: Path) -> None:
    """A path without a file is told at once, with what to do."""
    message = refused(tmp_path / "none.safetensors")
    assert "none.safetensors: there is no such file" in message
    assert ADVICE in message


@pytest.mark.paper
@pytest.mark.parametrize("name", ("w.safetensors", "w.pth", "w.bin"))
@pytest.mark.parametrize("content", (b"", b"<html>Not found</html>", b"\x80\x04]."))
def test_damaged_file(tmp_path: Path, name: str, content: bytes) -> None:
    """What is no file of weights is refused, whatever it is called."""
    file = tmp_path / name
    file.write_bytes(content)
    message = refused(file)
    assert message.startswith(f"{file}: ")
    assert "no weights of DINOv2-base" in message
    assert ADVICE in message


class Trap:
    """Runs a program when it is unpickled."""

    def __init__(self, sign: Path) -> None:
        """Touch `sign`."""
        self.sign = sign

    def __reduce__(self) -> tuple[object, tuple[str]]:
        """Tell pickle to run it."""
        return os.mkdir, (str(self.sign),)


@pytest.mark.paper
def test_code_in_a_file_is_not_run(tmp_path: Path) -> None:
    """A .pth may hold any program; it is refused unrun."""
    import torch  # noqa: PLC0415 - of the extra

    file = tmp_path / "trap.pth"
    torch.save({"cls_token": Trap(tmp_path / "sprung")}, file)
    assert "no weights of DINOv2-base" in refused(file)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.paper
def test_missing_weights_are_named(tmp_path: Path) -> None:
    """Half a file is not filled up with random numbers."""
    import torch  # noqa: PLC0415 - of the extra

    weights = likely()
    for name in ("norm.weight", "blocks.11.ls2.gamma"):
        del weights[name]
    file = tmp_path / "half.pth"
    torch.save(weights, file)
    assert "has no 'blocks.11.ls2.gamma', 'norm.weight': " in refused(file)


@pytest.mark.paper
def test_another_models_weights_are_named(tmp_path: Path) -> None:
    """Registers belong to another DINOv2, which gives other tokens."""
    import torch  # noqa: PLC0415 - of the extra

    file = tmp_path / "registers.pth"
    torch.save(likely() | {"reg_token": torch.zeros(1, 4, 768)}, file)
    assert "also has 'reg_token': " in refused(file)


@pytest.mark.paper
def test_wrong_shape_is_named(tmp_path: Path) -> None:
    """Places for another size of pictures are no DINOv2's."""
    import torch  # noqa: PLC0415 - of the extra

    file = tmp_path / "small.pth"
    torch.save(likely() | {"pos_embed": torch.zeros(1, 257, 768)}, file)
    message = refused(file)
    assert "has 'pos_embed' of shape (1, 257, 768) and not (1, 1370, 768)" in message


@pytest.mark.paper
def test_heads_and_halves_are_taken(tmp_path: Path) -> None:
    """What training needs is left out, and 16-bit numbers become 32-bit ones."""
    import torch  # noqa: PLC0415 - of the extra

    file = tmp_path / "trained.pth"
    weights = {name: weight.half() for name, weight in likely().items()}
    weights["head.weight"] = torch.zeros(1000, 768)
    weights["mask_token"] = torch.zeros(1, 768)
    torch.save(weights, file)
    read = dino_weights.read(file)
    assert read.keys() == SHAPES.keys()
    assert {weight.dtype for weight in read.values()} == {torch.float32}


@pytest.mark.paper
def test_shapes_are_timms() -> None:
    """A file is measured by what the model is made of."""
    shapes = {n: tuple(w.shape) for n, w in seeded_dino.shapes().items()}
    assert shapes == SHAPES


@pytest.mark.paper
@pytest.mark.parametrize("kind", (".safetensors", ".pth"))
@pytest.mark.parametrize(("part", "is_told"), ((768, False), (767, True)))
def test_attention_in_parts_is_measured(
    tmp_path: Path, kind: str, part: int, *, is_told: bool
) -> None:
    """Transformers' names have three parts, which are equal."""
    import torch  # noqa: PLC0415 - of the extra
    from safetensors.torch import save_file  # noqa: PLC0415 - as above

    named = transformers_names(likely())
    key = "encoder.layer.3.attention.attention.key.bias"
    named[key] = torch.zeros(part)
    file = tmp_path / f"parts{kind}"
    if kind == ".pth":
        torch.save(named, file)
    else:
        save_file({n: w.half().contiguous() for n, w in named.items()}, file)
    if is_told:
        assert "has 'blocks.3.attn.qkv.bias' of shape ()" in refused(file)
    else:
        assert "sha256:" in Dino(file).version
    file.unlink()


@pytest.mark.paper
def test_header_alone_is_read_without_pytorch(tmp_path: Path) -> None:
    """A run's controller takes no memory for a model that it never asks."""
    file = hollow(tmp_path / "hollow.safetensors")
    code = (
        "import sys, pathlib; from pytest_iwr.check.dino import Dino; "
        "Dino(pathlib.Path(sys.argv[1])).version; print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"


class Hub(BaseHTTPRequestHandler):
    """The part of a model hub that serves one file at one revision."""

    content = b"the weights"
    asked: list[str]
    length = len(content)
    """What is promised."""

    def do_HEAD(self) -> None:
        """Say what there is."""
        self.asked.append(self.path)
        wanted = f"/resolve/{dino_weights.REVISION}/{dino_weights.FILE}"
        if self.path != f"/{dino_weights.REPOSITORY}{wanted}":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(self.length))
        self.send_header("ETag", '"0123456789"')
        self.send_header("X-Repo-Commit", dino_weights.REVISION)
        self.end_headers()

    def do_GET(self) -> None:
        """Give it."""
        self.do_HEAD()
        self.wfile.write(self.content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def hub(length: int = Hub.length) -> Iterator[tuple[str, list[str]]]:
    """Give the address of a hub on this machine, and what it is asked for."""
    asked: list[str] = []
    handler = type("OneHub", (Hub,), {"asked": asked, "length": length})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


FIND = """
import json
from pytest_iwr.check import dino_weights
from pytest_iwr.errors import UsageError
try:
    path = dino_weights.find(None)
    print(json.dumps([path.read_text(), dino_weights.fingerprint(path)]))
except UsageError as error:
    print(json.dumps(str(error)))
"""


def find(home: Path, **environment: str) -> object:
    """Look for the hub's weights in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FIND],
        env={**os.environ, "HF_HOME": str(home), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.paper
def test_hub_is_asked_once(tmp_path: Path) -> None:
    """The stated revision is downloaded, and is there for the next run, offline too."""
    with hub() as (address, asked):
        first = find(tmp_path, HF_ENDPOINT=address)
        assert asked
    assert first == ["the weights", hashlib.sha256(Hub.content).hexdigest()]
    assert find(tmp_path, HF_ENDPOINT=address, HF_HUB_OFFLINE="1") == first


@pytest.mark.paper
@pytest.mark.parametrize(
    "environment", ({"HF_HUB_OFFLINE": "1"}, {"HF_ENDPOINT": "{address}/elsewhere"})
)
def test_hub_without_the_weights_is_a_usage_error(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """Without a network, or where they are gone, the message says to give a file."""
    with hub() as (address, _):
        told = {name: v.format(address=address) for name, v in environment.items()}
        message = find(tmp_path, **told)
    assert isinstance(message, str)
    assert message.startswith("the weights of DINO cannot be had from the hub")
    assert ADVICE in message


@pytest.mark.paper
def test_download_that_breaks_off_is_a_usage_error(tmp_path: Path) -> None:
    """Half a file is never taken for the weights."""
    with hub(length=Hub.length + 1) as (address, _):
        message = find(tmp_path, HF_ENDPOINT=address)
    assert isinstance(message, str)
    assert message.startswith("the weights of DINO cannot be had from the hub")
