"""This repository's own tasks in the official layout of IWR-Bench: prose and files."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import cv2
import imageio_ffmpeg

from pytest_iwr import images
from pytest_iwr import records as r
from pytest_iwr.load import load

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "examples" / "pages"
TASKS = {1: "2048", 2: "sb-admin-2", 3: "shop", 4: "todomvc"}
"""The official data numbers its tasks."""
STEPS = {1: 7, 2: 7, 3: 10, 4: 11}
"""Of each task the steps up to the first that the layout has no words for: it knows
neither a reload, nor a button that has no name."""
AS_WEBM = 1
"""The task whose video is a WebM, and its sheet a JPEG."""


def build(folder: Path) -> Path:
    """Write `data.jsonl` with the files of all tasks; gives its path."""
    rows = []
    for number, name in TASKS.items():
        source = ROOT / "tasks" / name
        task = load(source / "task.iwr.yaml")
        home = folder / "data" / str(number)
        home.mkdir(parents=True)
        rows.append(_row(number, task, home))
        shutil.copytree(source / "assets", home / "assets")
        (home / "stitched_assets").mkdir()
        (sheet,) = (source / "sheets").iterdir()
        if number == AS_WEBM:
            picture = images.read(sheet)
            cv2.imwrite(str(home / "stitched_assets" / "step_1.jpg"), picture)
            _encode(source / "video.mp4", home / "video.webm")
        else:
            shutil.copy(sheet, home / "stitched_assets" / "stitched_image_1.png")
            shutil.copy(source / "video.mp4", home)
    file = folder / "data.jsonl"
    text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    file.write_text(text, encoding="utf-8")
    return file


def _row(number: int, task: r.Task, home: Path) -> dict[str, Any]:
    (home / "checkpoints").mkdir()
    assert task.start is not None
    assert task.viewport is not None
    _shrink(task, task.start, home, 0)
    actions = []
    for nth, step in enumerate(task.steps[: STEPS[number]], start=1):
        kind, parameters = _action(step)
        actions.append(
            {
                "type": kind,
                "parameters": parameters,
                "visual_evaluation_flag": step.checkpoint is not None,
                "checkpoint_screenshot": f"{number}/checkpoints/step_{nth}.png",
                "logical_assertion": next(filter(None, map(_claim, step.expect)), None),
            }
        )
        if step.checkpoint is not None:
            _shrink(task, step.checkpoint, home, nth)
    source = task.source
    return {
        "id": number,
        "classification": {
            "interaction_complexity": source.interaction,
            "visual_complexity": source.visual,
            "domain": source.domain,
            "sub_domain": source.sub_domain,
        },
        "recording_details": {
            "resolution": f"{task.viewport.width}x{task.viewport.height}",
            "environment": task.shown_on,
        },
        "source_website": source.site,
        "action_sequence": actions,
    }


def _shrink(task: r.Task, checkpoint: r.Checkpoint, home: Path, number: int) -> None:
    """Write a picture with a pixel for each CSS pixel: the layout knows no scale."""
    assert task.viewport is not None
    picture = images.read(Path(task.path).parent / checkpoint.image)
    size = (task.viewport.width, task.viewport.height)
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(home / "checkpoints" / f"step_{number}.png"), small)


def _encode(source: Path, target: Path) -> None:
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-loglevel", "error", "-i", source]
    subprocess.run(
        [*command, "-c:v", "libvpx", "-deadline", "realtime", "-b:v", "1M", target],
        check=True,
    )


def _action(step: r.Step) -> tuple[str, dict[str, Any]]:
    """Say a step in the layout's four kinds of action."""
    match step.action:
        case r.Pointing(kind="double_click", target=target):
            return "Click", {"description": f"Double-click {_words(target)}"}
        case r.Pointing(kind="hover", target=target):
            return "Click", {"description": f"Hover over {_words(target)}"}
        case r.Pointing(target=target):
            return "Click", {"description": f"Click {_words(target)}"}
        case r.Type(text=str(text)) as typed:
            what = f'Clear the text, type "{text}"' if typed.clear else f'Type "{text}"'
            place = f" into {_words(typed.into)}" if typed.into is not None else ""
            end = " and press Enter" if typed.submit else ""
            return "Type", {"description": what + place + end}
        case r.Press(key=str(key)):
            return "Press", {"description": f"Press the {key} key"}
        case r.Scroll(by=float(by)):
            return "Scroll", _scroll("down" if by > 0 else "up", abs(by))
        case r.Swipe(direction="up") as swipe if "by" not in swipe.model_fields_set:
            return "Scroll", _scroll("down", 1.0)
        case r.Swipe(direction=str(way)):
            return "Press", {"key": f"Arrow{way.capitalize()}"}
        case action:
            raise AssertionError(action)


def _scroll(direction: str, pages: float) -> dict[str, Any]:
    return {
        "description": f"Scroll {direction}",
        "direction": direction,
        "scroll_page": pages,
    }


def _words(target: r.Target) -> str:
    """Say a target as annotators do."""
    match target:
        case r.Target(describe=str(name)):
            return f'"{name}"'
        case r.Target(placeholder=str(hint)):
            return f'the field with placeholder "{hint}"'
        case r.Target(text=str(text)):
            return f'the text "{text}"'
        case r.Target(role=str(role), near=near):
            name = f' "{target.name}"' if target.name else ""
            place = f' next to "{near.text}"' if near is not None else ""
            return f"the {role}{name}{place}"
        case _:
            raise AssertionError(target)


def _claim(wanted: r.Expectation) -> str | None:
    """Say an expectation as an assertion for a judge; `None`: the layout has none."""
    match wanted:
        case (
            r.Expectation(text=str(text))
            | r.Expectation(visible=r.Target(text=str(text)))
        ):
            return f'The page shows "{text}"'
        case r.Expectation(no_text=str(text)):
            return f'The page does not show "{text}"'
        case _:
            return None
