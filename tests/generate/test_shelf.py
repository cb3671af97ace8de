"""Prompts that were prepared: kept between runs, within bounds, and never mixed up."""

import os
from pathlib import Path

import cv2
import pytest

from pytest_iwr import records as r
from pytest_iwr.generate.prompt import Prompt, build_prompt
from pytest_iwr.generate.shelf import Shelf, key_of
from tests.generate.kit import config, make_task, picture

PROMPT = Prompt(
    messages=({"role": "user", "content": "Make a page."},),
    text="Make a page.",
    sha256="0" * 64,
    images=0,
    input_tokens_estimate=3,
    dropped=("all",),
)


class Maker:
    """Makes prompts, and counts them."""

    def __init__(self, prompt: Prompt = PROMPT) -> None:
        """Know the prompt."""
        self.prompt = prompt
        self.made = 0

    def __call__(self) -> Prompt:
        """Make it."""
        self.made += 1
        return self.prompt


def test_shelf_makes_a_prompt_once(tmp_path: Path) -> None:
    """Kept on disk, and equal to what was made."""
    task = make_task(tmp_path / "shop", sheets=[picture(99, 99)])
    make = Maker(build_prompt(task, config()))
    shelf = Shelf()
    assert shelf.get("a", make) == shelf.get("a", make) == make.prompt
    assert make.made == 1
    shelf.close()


def test_prompts_in_a_folder_are_there_for_the_next_run(tmp_path: Path) -> None:
    """Another shelf on the same folder makes nothing; git ignores the folder."""
    make = Maker()
    for _ in range(2):
        shelf = Shelf(tmp_path / "prompts")
        assert shelf.get("a", make) == PROMPT
        shelf.close()
    assert make.made == 1
    assert (tmp_path / "prompts" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("cut", (0, 3, 70, -1))
def test_damaged_prompt_is_made_again(tmp_path: Path, cut: int) -> None:
    """A file that breaks off anywhere is as good as none."""
    make, shelf = Maker(), Shelf(tmp_path)
    shelf.get("a", make)
    file = tmp_path / "a.json"
    file.write_bytes(file.read_bytes()[:cut])
    assert shelf.get("a", make) == shelf.get("a", make) == PROMPT
    assert make.made == 2


def test_prompts_not_used_for_long_go_first(tmp_path: Path) -> None:
    """The folder stays within its bound; what a killed run has half written goes."""
    make, shelf = Maker(), Shelf(tmp_path)
    for key in ("a", "b", "c"):
        shelf.get(key, make)
    size = (tmp_path / "a.json").stat().st_size
    (tmp_path / "d.1234.part").write_bytes(b"x" * size)
    for age, name in enumerate(("c.json", "a.json", "b.json", "d.1234.part")):
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    bounded = Shelf(tmp_path, most_bytes=2 * size)
    bounded.get("b", make)  # used: the youngest now
    bounded.get("e", make)
    left = sorted(file.name for file in tmp_path.glob("[!.]*"))
    assert left == ["b.json", "e.json"]
    assert make.made == 4


def test_folder_that_cannot_be_made_is_done_without(tmp_path: Path) -> None:
    """Prompts are prepared for this run alone."""
    (tmp_path / "file").write_bytes(b"")
    make, shelf = Maker(), Shelf(tmp_path / "file" / "prompts")
    assert shelf.get("a", make) == shelf.get("a", make) == PROMPT
    assert make.made == 1
    shelf.close()


def test_key_of_a_prompt_knows_what_it_is_made_of(tmp_path: Path) -> None:
    """Another limit, template, window or file is another prompt; a name is not."""
    task = make_task(tmp_path / "shop", sheets=[picture(99, 99)])

    def key(
        task: r.Task = task, model: r.ModelConfig | None = None, text: str = "a"
    ) -> str:
        return key_of(task, model or config(), text, native=False)

    first = key()
    assert key(model=config(alias="other", temperature=1.0)) == first
    assert key(model=config(limits={"max_images": 3})) != first
    assert key(text="b") != first
    phone = task.model_copy(update={"viewport": r.Viewport(width=390)})
    assert key(task=phone) != first
    cv2.imwrite(str(tmp_path / "shop" / "sheets" / "sheet_1.png"), picture(80, 80))
    assert key() != first


def test_key_knows_a_file_by_its_bytes(tmp_path: Path) -> None:
    """A change that leaves size and time as they were is another prompt; a copy none."""
    task = make_task(tmp_path / "shop", seconds=0, assets={"a.bin": b"ab"})
    file = tmp_path / "shop" / "assets" / "a.bin"
    first, stat = key_of(task, config(), "", native=False), file.stat()
    os.utime(file, ns=(0, 0))
    assert key_of(task, config(), "", native=False) == first
    file.write_bytes(b"cd")
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert key_of(task, config(), "", native=False) != first
