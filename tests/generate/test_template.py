"""Templates of instructions: filled in within a sandbox, their faults located."""

from pathlib import Path

import pytest

from pytest_iwr.errors import UsageError
from pytest_iwr.generate.prompt import build_prompt
from pytest_iwr.generate.template import Template, Variables
from tests.generate.kit import config, make_task


def _template(folder: Path, text: str) -> Path:
    path = folder / "mine.jinja"
    path.write_text(text, encoding="utf-8")
    return path


def test_template_of_the_user_replaces_the_bundled_one(tmp_path: Path) -> None:
    """Its words are what the model reads."""
    text = (
        "{% for name in assets %}<{{ name }}>\n{% endfor %}\n"
        "{{ width }} {{ frames|length }} {{ placeholder }}\n"
    )
    task = make_task(tmp_path / "shop", assets={"a.png": b"x", "b.png": b"x"})
    prompt = build_prompt(task, config(), _template(tmp_path, text))
    assert prompt.text == "<a.png>\n<b.png>\n1280 4 __PLACEHOLDER_ASSETS_BASE_DIR__\n"


@pytest.mark.parametrize(
    ("text", "said"),
    (
        ("a\n{{ steps }}", "2: 'steps' is undefined"),
        ("a\n\n{% if %}", "3: Expected an expression"),
        ("{% for x in assets %}", "1: Unexpected end of template"),
        ("\n{{ assets.append('x') }}", "2: 'tuple object' has no attribute 'append'"),
        ("\n\n{{ ''.__class__ }}", "3: access to attribute '__class__'"),
        ("{% for i in range(999999) %}{% endfor %}", "1: Range too big"),
        ("{% include '/etc/hostname' %}", "1: there is no other template /etc/host"),
        ("\n{{ 1 / 0 }}", "2: division by zero"),
        ("{{ frames|largest }}", "1: No filter named 'largest'"),
    ),
)
def test_fault_of_a_template_is_located(tmp_path: Path, text: str, said: str) -> None:
    """Before any model is asked, with its line and what it may use."""
    path = _template(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        Template(path)
    assert str(caught.value).startswith(f"{path}:{said}")
    assert "may use placeholder, assets, sheets" in str(caught.value)


def test_template_that_is_not_there_is_named(tmp_path: Path) -> None:
    """And one that is no text."""
    with pytest.raises(
        UsageError, match=r"no.jinja: the template cannot be read: No su"
    ):
        Template(tmp_path / "no.jinja")
    (tmp_path / "odd.jinja").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="it is not UTF-8"):
        Template(tmp_path / "odd.jinja")


def test_bundled_template_says_what_is_given() -> None:
    """Each mixture of sheets, frames and video has its own words, without gaps."""
    bundled = Template()
    both = bundled.fill(Variables(sheets=2, frames=(0.0, 1.5), assets=("a",)))
    assert "2 contact sheets of the site's assets and then 2 pictures" in both
    assert "0.0, 1.5. A contact sheet shows" in both
    assert "You are given 1 picture from" in bundled.fill(Variables(frames=(0.0,)))
    assert "You are given a video in" in bundled.fill(Variables(has_video=True))
    sheets = bundled.fill(Variables(sheets=1, title="Try it"))
    assert "given 1 contact sheet of the site's assets. The site is for" in sheets
    none = bundled.fill(Variables(device="iPhone 14"))
    assert "shown no picture of the site.\n\nWhat matters" in none
    assert "a window of the device iPhone 14" in none
    assert "no assets: draw" in none
    for text in (both, sheets, none):
        assert "\n\n\n" not in text
        assert text.endswith(".\n")
