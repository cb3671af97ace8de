"""The JSON schema agrees with the loader, and is the one that is committed."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from pytest_iwr.load import schema
from pytest_iwr.load.parse import parse
from pytest_iwr.records import Plain, Task

COMMITTED = Path(__file__).parents[2] / "iwr-task.schema.json"

EVERYTHING = """\
iwr: 1
id: 2048
title: Put a keyboard into the cart
source: {site: "a 5.0", domain: b, sub_domain: x, interaction: L3, visual: V2}
tags: [smoke]
viewport: {width: 1280, height: 720, scale: 2, mobile: true, touch: false}
clock: 2026-01-15T10:00:00Z
seed: 1
start: {image: 00.png, mask: [the clock, {role: timer}], min_similarity: 0.85}
steps:
  - click: {role: button, name: Add to cart, near: Wireless keyboard}
    say: Click "Add to cart" below the wireless keyboard
    expect:
      - {text: "1", in: {role: status, name: Cart}}
      - {count: {role: listitem}, equals: 3}
      - {count: Item, at_least: 1, at_most: 5}
      - {text_is: "3", in: Cart}
      - {checked: A, equals: false}
      - {scroll: top}
      - {scroll: 0.5, in: List}
      - {changed: true}
      - {unchanged: {role: img}}
      - {value: null}
      - {url: /cart}
      - {count: A, equals: 0}
      - The cart badge shows 1
    checkpoint: 00.png
    timeout_s: 5
    dialogs: [accept, dismiss, {answer: Bo}]
  - type: {into: {label: Search}, text: 1.50, clear: true, submit: true}
  - type: keyboard
  - press: Enter
  - press: {key: Control+A, in: {focused: true}}
  - scroll: {by: 0.5}
  - scroll: {to: {text: Imprint}, in: {role: dialog}}
  - scroll: down by half a screen
  - drag: {from: Card, to: {text: Done, position: top right}}
  - drag: {from: {box: [0, 0, 0.5, 1]}, by: {x: 10}}
  - drag: {describe: drag the card to the bin}
  - select: {in: Country, option: NO}
  - {upload: {into: Photo, file: 00.png}}
  - {swipe: {direction: left, by: 0.8}}
  - {wait: {text: Ready}}
  - {wait: {role: dialog, name: Welcome}}
  - {wait: the dialog}
  - {goto: /about}
  - {back: }
  - {reload: {}}
  - {tap: the heart on the second card}
  - {hover: {css: .a, nth: 2}}
thresholds: {ifs: 1.0, vfs: 0.8}
"""

BROKEN = (
    "{press: a, click: b}",
    "{say: a}",
    "{dragg: a}",
    "{click: {}}",
    "{click: {nth: 2}}",
    "{click: {rol: a}}",
    '{click: {name: a, nth: "2"}}',
    "{click: {name: a, nth: 0}}",
    "{click: [a]}",
    "{click: {box: [0, 0]}}",
    "{type: {into: a}}",
    "{type: {kind: type, text: a}}",
    "{drag: {from: a}}",
    "{drag: {from: a, to: b, by: {x: 1}}}",
    "{drag: a}",
    "{scroll: {by: 1, to: a}}",
    "{scroll: {}}",
    "{back: 1}",
    "{reload: [a]}",
    "{wait: {}}",
    "{press: a, expect: [{}]}",
    "{press: a, expect: [{text: a, title: b}]}",
    "{press: a, expect: [{text_is: a}]}",
    "{press: a, expect: [{count: a}]}",
    "{press: a, expect: [{count: a, equals: true}]}",
    "{press: a, expect: [{visible: a, equals: 1}]}",
    "{press: a, expect: [{text: a, at_least: 1}]}",
    "{press: a, expect: [{hidden: a, at_most: 1}]}",
    "{press: a, expect: [{text: a, equals: true}]}",
    "{press: a, expect: [{scroll: middle}]}",
    '{press: a, expect: [{scroll: "0.5"}]}',
    "{press: a, expect: a}",
    "{press: a, dialogs: [maybe]}",
    "{press: a, timeout_s: 0}",
    "{press: a, timeout_s: 601}",
    "{press: a, checkpoint: {mask: []}}",
    "{press: a, checkpoint: {image: 00.png, min_similarity: 2}}",
)


def _as_editors_see_it(value: object) -> object:
    """Give the data by the YAML 1.2 core schema, as language servers read it."""
    match value:
        case dict():
            return {key: _as_editors_see_it(entry) for key, entry in value.items()}
        case list():
            return [_as_editors_see_it(entry) for entry in value]
        case Plain():
            return value.core
        case _:
            return value


def _errors(text: str) -> list[str]:
    root, findings = parse(text.encode())
    assert not findings
    validator = Draft202012Validator(json.loads(schema()))
    seen = _as_editors_see_it(root.value)
    return [error.message for error in validator.iter_errors(seen)]


def test_schema_is_a_schema() -> None:
    """It is valid by its own dialect, and says so."""
    made = json.loads(schema())
    Draft202012Validator.check_schema(made)
    assert made["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert made["$id"]
    assert "ge" not in json.dumps(made["$defs"]).replace("page", "").split('"')


def test_committed_schema_is_current() -> None:
    """Editors get what the loader does; renew it by `iwr schema -o` (see below)."""
    current = COMMITTED.read_text(encoding="utf-8")
    assert current == schema(), "run: iwr schema -o iwr-task.schema.json"


@pytest.mark.parametrize("seed", ("0", "1", "2"))
def test_schema_has_the_same_bytes_always(seed: str) -> None:
    """No hash seed changes its order."""
    made = subprocess.run(
        [sys.executable, "-m", "pytest_iwr", "schema"],
        env={"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
        check=True,
        capture_output=True,
    )
    assert made.stdout.decode() == schema()


def test_whole_format_is_accepted(
    loaded: Callable[[str], Task], task_file: Path
) -> None:
    """What the loader takes, an editor takes."""
    task_file.with_name("00.png").touch()
    assert len(loaded(EVERYTHING).steps) == 22
    assert _errors(EVERYTHING) == []


@pytest.mark.parametrize("step", BROKEN)
def test_broken_step_is_refused_by_both(
    problems: Callable[[str], list[str]], task_file: Path, step: str
) -> None:
    """What the loader refuses by the form, an editor underlines."""
    task_file.with_name("00.png").touch()
    text = f"iwr: 1\nsteps:\n- {step}\n"
    assert problems(text)
    assert _errors(text)


@pytest.mark.parametrize(
    "head",
    (
        "iwr: 2",
        "",
        "iwr: 1\ncolour: red",
        'iwr: 1\nseed: "1"',
        "iwr: 1\nviewport: {width: 5}",
        "iwr: 1\nviewport: {width: 900}\ndevice: iPhone 14",
        "iwr: 1\nviewport: null",
        "iwr: 1\nsource: {interaction: L5}",
        "iwr: 1\ntags: smoke",
        "iwr: 1\nclock: 5",
    ),
)
def test_broken_task_is_refused_by_both(
    problems: Callable[[str], list[str]], head: str
) -> None:
    """The fields of the task itself agree, too."""
    text = f"{head}\nsteps: [press: a]\n"
    assert problems(text)
    assert _errors(text)
