"""The DINO metric: the same numbers as transformers' on real pictures, kept by content.

The weights come from a seed: the arithmetic is what is compared.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks import seeded_dino
from benchmarks.similarity.studio import Studio
from pytest_iwr import images
from pytest_iwr.check.dino import Dino
from pytest_iwr.check.dino_input import prepare
from pytest_iwr.errors import UsageError
from pytest_iwr.images import Picture
from tests.check.dino_kit import transformers_names

pytestmark = pytest.mark.paper

TASKS = Path(__file__).parents[2] / "tasks"
TOLERANCE = 1e-3
PAIRS = 20


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a file of weights (346 MB)."""
    path = tmp_path_factory.mktemp("dino") / "seeded.safetensors"
    seeded_dino.write(path)
    yield path
    path.unlink()


@pytest.fixture(scope="module")
def dino(weights: Path) -> Dino:
    """Give the metric as published, with one thread and without a folder."""
    return Dino(weights)


class Theirs(NamedTuple):
    """What transformers gives for a picture."""

    token: Callable[[Picture], NDArray[np.float32]]
    pixels: Callable[[Picture, str], NDArray[np.float32]]


@pytest.fixture(scope="module")
def theirs(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theirs]:
    """Give transformers' model with the same weights, and its image processors."""
    import torch  # noqa: PLC0415 - of the extra
    from PIL import Image  # noqa: PLC0415 - as above
    from safetensors.torch import load_file, save_file  # noqa: PLC0415 - as above
    from transformers import (  # noqa: PLC0415 - as above
        BitImageProcessor,
        BitImageProcessorPil,
        Dinov2Config,
        Dinov2Model,
    )

    folder = tmp_path_factory.mktemp("transformers")
    file = folder / "model.safetensors"
    save_file(transformers_names(load_file(weights)), file, metadata={"format": "pt"})
    Dinov2Config(image_size=518, patch_size=14).save_pretrained(folder)  # base, else
    model = Dinov2Model.from_pretrained(folder).eval()
    published = {
        "size": {"shortest_edge": 256},
        "crop_size": {"height": 224, "width": 224},
        "resample": 3,
        "image_mean": [0.485, 0.456, 0.406],
        "image_std": [0.229, 0.224, 0.225],
    }
    processors = {
        "torchvision": BitImageProcessor(**published),
        "pillow": BitImageProcessorPil(**published),
    }

    def pixels(picture: Picture, kind: str) -> NDArray[np.float32]:
        image = Image.fromarray(np.ascontiguousarray(picture[..., ::-1]))
        given = processors[kind](image, return_tensors="np")["pixel_values"][0]
        return np.asarray(given, np.float32)

    def token(picture: Picture) -> NDArray[np.float32]:
        with torch.inference_mode():
            batch = torch.from_numpy(pixels(picture, "torchvision")[np.newaxis])
            tokens = model(pixel_values=batch).last_hidden_state[:, 0]
        return cast("NDArray[np.float32]", tokens[0].numpy())

    yield Theirs(token, pixels)
    file.unlink()


@pytest.fixture(scope="module")
def pictures() -> list[Picture]:
    """Give real screens of four sites: desktop, phone, cropped, moved, scaled."""
    screens = [
        images.read(TASKS / name)
        for name in (
            "shop/checkpoints/00.png",
            "shop/checkpoints/07.png",
            "sb-admin-2/checkpoints/00.png",
            "sb-admin-2/checkpoints/10.png",
            "2048/checkpoints/00.png",
            "2048/checkpoints/14.png",
            "todomvc/checkpoints/03.png",
            "shop/assets/asset_001.png",
        )
    ]
    shop, _, board, later, game, *_ = screens
    return [
        *screens,
        np.roll(shop, 9, axis=0),
        shop[:, :1001],
        board[100:533, 50:801],
        np.roll(later, 31, axis=1),
        game[:333],
        images.reduce(game, 2),
        255 - board,
    ]


def pairs(count: int) -> list[tuple[int, int]]:
    """Give pairs of different pictures, neighbours and far ones."""
    near = [(n, (n + 1) % count) for n in range(count)]
    far = [(n, (n + 7) % count) for n in range(PAIRS - count)]
    return near + far


def cosine(one: NDArray[np.float32], two: NDArray[np.float32]) -> float:
    """Give the cosine of two tokens, 0..1."""
    a, b = one.astype(np.float64), two.astype(np.float64)
    return max(0.0, float(a @ b / np.sqrt((a @ a) * (b @ b))))


def test_cosines_are_those_of_transformers(
    dino: Dino, theirs: Theirs, pictures: list[Picture]
) -> None:
    """Twenty pairs of real screens agree to 1e-3, and differ among themselves.

    Measured: at most 5e-5 apart. Everything that was tried wrongly was further off:
    places smoothed as timm does 0.04, a crop one pixel aside 0.03, pictures resized
    bilinearly 0.005 or by Lanczos 0.004, blue for red 0.1, no last norm 0.01.
    """
    tokens = [theirs.token(picture) for picture in pictures]
    chosen = pairs(len(pictures))
    assert len(set(chosen)) == PAIRS
    expected = [cosine(tokens[i], tokens[j]) for i, j in chosen]
    ours = [dino.similarity(pictures[i], pictures[j]) for i, j in chosen]
    assert ours == pytest.approx(expected, abs=TOLERANCE)
    assert max(expected) - min(expected) > 0.3


def test_inputs_are_those_of_the_published_processor(
    theirs: Theirs, pictures: list[Picture]
) -> None:
    """To the pixel, where transformers resizes with Pillow, as it did then."""
    for picture in pictures:
        ours = prepare(picture, "paper")
        assert np.abs(ours - theirs.pixels(picture, "pillow")).max() < 1e-5


@pytest.mark.parametrize("kind", ("meta", "transformers"))
def test_other_names_and_formats_give_the_same_tokens(
    dino: Dino, weights: Path, tmp_path: Path, shop: Picture, kind: str
) -> None:
    """Meta's .pth and transformers' names hold the same numbers."""
    import torch  # noqa: PLC0415 - of the extra
    from safetensors.torch import load_file, save_file  # noqa: PLC0415 - as above

    timms = load_file(weights)
    if kind == "meta":
        file = tmp_path / "dinov2_vitb14_pretrain.pth"
        torch.save(timms | {"mask_token": torch.zeros(1, 768)}, file)
    else:
        file = tmp_path / "model.safetensors"
        save_file(transformers_names(timms), file)
    other = Dino(file)
    assert np.array_equal(other.embed([shop]), dino.embed([shop]))
    assert other.version != dino.version  # another file, another checksum
    file.unlink()


def test_equal_pictures_have_similarity_one(dino: Dino, shop: Picture) -> None:
    """A picture is wholly like itself, and less like itself inverted."""
    assert dino.similarity(shop, shop.copy()) == pytest.approx(1.0, abs=1e-12)
    assert dino.similarity(shop, 255 - shop) < 0.95


@pytest.mark.needs_shared
def test_full_sees_the_sides_that_paper_cuts_off(
    shared: Path, studio: Studio, dino: Dino, weights: Path
) -> None:
    """Two pages with the same middle and other sidebars."""
    folder = shared / "cases" / "54-dino-crop"
    one, two = (
        images.read(studio.shoot_file(folder / f"page-{name}.html")) for name in "ab"
    )
    assert dino.similarity(one, two) == pytest.approx(1.0, abs=1e-12)
    assert Dino(weights, preprocessing="full").similarity(one, two) < 0.9999


def test_batches_change_nothing(dino: Dino, weights: Path, shop: Picture) -> None:
    """Many pictures at once have the tokens that each has alone."""
    some = [shop, 255 - shop, shop[:500], shop[:, :700]]
    together = Dino(weights).embed(some)
    assert np.array_equal(together, [dino.embed([picture])[0] for picture in some])


def test_threads_are_bounded(weights: Path, shop: Picture) -> None:
    """PyTorch takes no more than the worker's share of the cores."""
    import torch  # noqa: PLC0415 - of the extra

    Dino(weights, threads=1).embed([shop])
    assert torch.get_num_threads() == 1


def test_version_names_model_weights_and_way(dino: Dino, weights: Path) -> None:
    """Scores say what they rest on."""
    name, way, checksum, *package = dino.version.split()
    assert (name, way, package[0]) == ("vit_base_patch14_dinov2", "paper", "timm")
    assert checksum.startswith("sha256:")
    assert len(checksum) == len("sha256:") + 16
    full = Dino(weights, preprocessing="full").version
    assert full == dino.version.replace(" paper ", " full ")


ASK = """
import sys
from pathlib import Path
from pytest_iwr import images
from pytest_iwr.check.dino import Dino
weights, cache, one, two = map(Path, sys.argv[1:])
dino = Dino(weights, cache=cache)
value = dino.similarity(images.read(one), images.read(two))
print(repr(value), dino.version, "torch" in sys.modules, sep="|")
"""


def test_picture_is_embedded_once_for_all_runs(weights: Path, tmp_path: Path) -> None:
    """The next process has equal numbers and does not even load PyTorch."""
    shots = [TASKS / "shop" / "checkpoints" / name for name in ("00.png", "07.png")]
    named = [weights, tmp_path / "cache", *shots]
    command = [sys.executable, "-c", ASK, *map(str, named)]
    first, again = (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    assert first.strip().endswith("|True")
    assert again == first.replace("|True", "|False")


def test_embeddings_of_other_ways_are_not_mixed(
    weights: Path, tmp_path: Path, shop: Picture
) -> None:
    """What one preprocessing kept is not taken for the other's."""
    paper = Dino(weights, cache=tmp_path).embed([shop])
    full = Dino(weights, preprocessing="full", cache=tmp_path).embed([shop])
    assert not np.array_equal(paper, full)
    assert len([file for file in tmp_path.rglob("*") if file.is_file()]) == 2


def test_weights_that_give_no_numbers_are_told(tmp_path: Path, shop: Picture) -> None:
    """A file full of NaN has all the right shapes, and is refused when it is asked."""
    import torch  # noqa: PLC0415 - of the extra

    nowhere = torch.tensor(float("nan"))
    broken = {
        name: nowhere.expand(weight.shape)  # one number in the file
        for name, weight in seeded_dino.shapes().items()
    }
    file = tmp_path / "broken.pth"
    torch.save(broken, file)
    dino = Dino(file)
    dino.load()
    with pytest.raises(UsageError, match=r"broken\.pth: gives no numbers"):
        dino.embed([shop])
