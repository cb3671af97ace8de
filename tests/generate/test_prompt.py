"""Prompts: what a model is shown of a task, in which order, and what it never is."""

import base64
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from pytest_iwr.errors import TaskError, VideoError
from pytest_iwr.generate.frames import pick
from pytest_iwr.generate.prompt import Prompt, build_prompt
from pytest_iwr.generate.template import PLACEHOLDER
from pytest_iwr.images import Picture
from pytest_iwr.serve import answer
from tests.generate.kit import HIDDEN, config, make_task, picture

ASSETS = {"logo_2.png": b"x", "logo_10.png": b"x", "fonts/a.woff2": b"x"}


def _parts(prompt: Prompt) -> list[dict[str, Any]]:
    (message,) = prompt.messages
    parts: list[dict[str, Any]] = json.loads(json.dumps(message["content"]))
    return parts


def _data(url: str) -> bytes:
    return base64.b64decode(url.partition(";base64,")[2], validate=True)


def _pictures(prompt: Prompt) -> list[Picture]:
    shown = []
    for part in _parts(prompt)[:-1]:
        data = np.frombuffer(_data(part["image_url"]["url"]), np.uint8)
        found = cv2.imdecode(data, cv2.IMREAD_COLOR)
        assert found is not None
        shown.append(found.astype(np.uint8, copy=False))
    return shown


def test_sheets_then_frames_then_instructions(tmp_path: Path) -> None:
    """Two sheets, a frame a second with the last one, and the text at the end."""
    sheets = [picture(200, 100, 30), picture(200, 100, 60)]
    task = make_task(tmp_path / "shop", seconds=2.5, sheets=sheets, assets=ASSETS)
    prompt = build_prompt(task, config())
    kinds = [part["type"] for part in _parts(prompt)]
    assert kinds == ["image_url"] * 6 + ["text"]
    shown = _pictures(prompt)
    for sheet, one in zip(sheets, shown[:2], strict=True):
        assert np.array_equal(sheet, one)
    frames = pick(tmp_path / "shop" / "video.mp4")
    for frame, one in zip(frames, shown[2:], strict=True):
        assert cv2.absdiff(frame.picture, one).mean() < 3
    assert "2 contact sheets" in prompt.text
    assert "0.0, 1.0, 2.0, 2.4" in prompt.text
    assert (prompt.images, prompt.dropped) == (6, ())
    assert _parts(prompt)[-1] == {"type": "text", "text": prompt.text}


def test_model_is_told_names_of_assets_and_the_window(tmp_path: Path) -> None:
    """Names in the order of people, the placeholder, the size, and no library."""
    task = make_task(
        tmp_path / "shop",
        assets=ASSETS,
        lines="viewport: {width: 390, height: 664, mobile: true, touch: true}",
    )
    (tmp_path / "shop" / "assets" / ".hidden").write_bytes(b"x")
    text = build_prompt(task, config()).text
    assert "  - fonts/a.woff2\n  - logo_2.png\n  - logo_10.png\n" in text
    assert f"{PLACEHOLDER}/fonts/a.woff2" in text
    assert "390×664 CSS pixels, as on a phone, and used with fingers" in text
    assert "no libraries" in text
    assert ".hidden" not in text


def test_placeholder_is_the_one_that_is_served() -> None:
    """What the model is told to write is what the server replaces."""
    assert PLACEHOLDER == answer.PLACEHOLDER


@pytest.mark.parametrize("vision", ("none", "images", "video"))
def test_steps_and_expectations_are_never_shown(tmp_path: Path, vision: str) -> None:
    """Whatever a model takes, the answer is not in its question."""
    task = make_task(tmp_path / "shop", sheets=[picture(99, 99)])
    prompt = build_prompt(task, config(vision=vision), native_video=True)
    assert HIDDEN.encode() not in json.dumps(prompt.messages).encode()
    assert HIDDEN.split(maxsplit=1)[0] not in prompt.text


def test_model_without_vision_gets_text_alone(tmp_path: Path) -> None:
    """A plain text, the task's title in it, and what was left out is said."""
    task = make_task(tmp_path / "shop", assets=ASSETS)
    prompt = build_prompt(task, config(vision="none"))
    assert prompt.messages == ({"role": "user", "content": prompt.text},)
    assert "Try a form" in prompt.text
    assert prompt.images == 0
    assert prompt.dropped == ("all pictures left out (the model takes none)",)


def test_video_itself_goes_to_models_that_take_it(tmp_path: Path) -> None:
    """The file byte for byte, after the sheets; for others its frames, with a word."""
    task = make_task(tmp_path / "shop", sheets=[picture(99, 99)])
    prompt = build_prompt(task, config(vision="video"), native_video=True)
    first, second, _ = _parts(prompt)
    assert first["type"] == "image_url"
    url = second["video_url"]["url"]
    assert url.startswith("data:video/mp4;base64,")
    assert _data(url) == (tmp_path / "shop" / "video.mp4").read_bytes()
    assert "and a video in which" in prompt.text
    without = build_prompt(task, config(), native_video=True)
    assert without.images == 5
    assert without.dropped == (
        "frames sent in place of the video (the model takes none)",
    )


def test_prompt_is_the_same_each_time(tmp_path: Path) -> None:
    """So that the cache finds the answer."""
    task = make_task(tmp_path / "shop", sheets=[picture(99, 99)], assets=ASSETS)
    assert build_prompt(task, config()) == build_prompt(task, config())
    other = build_prompt(task, config(limits={"max_images": 3}))
    assert other.sha256 != build_prompt(task, config()).sha256


def test_limits_are_kept_and_what_they_cost_is_said(tmp_path: Path) -> None:
    """Three pictures at most: a sheet, the first frame and the last."""
    task = make_task(tmp_path / "shop", seconds=4, sheets=[picture(99, 99)])
    limits = {"max_images": 3, "max_side_px": 160}
    prompt = build_prompt(task, config(limits=limits))
    assert [shown.shape[:2] for shown in _pictures(prompt)] == [
        (99, 99),
        (90, 160),
        (90, 160),
    ]
    assert "0.0, 3.9" in prompt.text
    assert prompt.dropped == (
        "3 of 5 frames left out (at most 3 pictures)",
        "frames made smaller: 320×180 → 160×90 (2 pictures)",
    )


def test_long_video_is_thinned_to_64_frames(tmp_path: Path) -> None:
    """70 seconds, a frame a second: seven are too many."""
    task = make_task(tmp_path / "shop", seconds=70, size=(64, 36))
    prompt = build_prompt(task, config())
    assert prompt.images == 64
    assert prompt.dropped == ("7 of 71 frames left out (at most 64)",)


def test_short_context_gets_fewer_tokens(tmp_path: Path) -> None:
    """Room is left for the reply and the text."""
    task = make_task(tmp_path / "shop", seconds=8, size=(1280, 720))
    free = build_prompt(task, config())
    assert free.input_tokens_estimate > 9_000
    tight = build_prompt(task, config(context_tokens=8_000, max_tokens=4_000))
    assert tight.input_tokens_estimate < 4_000
    assert tight.dropped


def test_task_without_a_video_shows_its_sheets(tmp_path: Path) -> None:
    """Better than nothing, and said."""
    task = make_task(tmp_path / "shop", seconds=0, sheets=[picture(99, 99)])
    prompt = build_prompt(task, config())
    assert prompt.images == 1
    assert prompt.dropped == ("the task has no video",)


def test_task_with_nothing_to_show_is_the_tasks_error(tmp_path: Path) -> None:
    """The model is not to blame, and is not asked; the video's place is above steps."""
    task = make_task(tmp_path / "shop", seconds=0)
    with pytest.raises(TaskError) as caught:
        build_prompt(task, config())
    assert str(caught.value) == (
        f"{task.path}:5: video: there is nothing to show to a model, neither a video "
        "nor assets. Make them with `iwr capture`."
    )
    assert Path(task.path).read_text("utf-8").splitlines()[4] == "steps:"
    assert build_prompt(task, config(vision="none")).text


def test_broken_inputs_are_the_tasks_error(tmp_path: Path) -> None:
    """A sheet that is no picture, and a video that is none."""
    task = make_task(tmp_path / "shop", sheets=[picture(99, 99)])
    (tmp_path / "shop" / "sheets" / "sheet_1.png").write_bytes(b"no")
    with pytest.raises(TaskError, match=r":6: sheets: a contact sheet cannot be read"):
        build_prompt(task, config())
    (tmp_path / "shop" / "sheets" / "sheet_1.png").unlink()
    (tmp_path / "shop" / "video.mp4").write_bytes(b"no video")
    with pytest.raises(VideoError, match="is no video"):
        build_prompt(task, config())


def test_sheets_are_drawn_where_a_task_has_none(tmp_path: Path) -> None:
    """31 assets, 30 on a sheet; a font is there by its name."""
    png = cv2.imencode(".png", np.full((40, 40, 4), 90, np.uint8))[1].tobytes()
    assets = {f"asset_{n:03}.png": png for n in range(30)} | {"z.woff2": b"font"}
    task = make_task(tmp_path / "shop", seconds=0, assets=assets)
    prompt = build_prompt(task, config())
    first, second = _pictures(prompt)
    assert (first.shape, second.shape) == ((1176, 1250, 3), (196, 250, 3))
    assert (first.min(), second.min()) == (20, 20)
    assert "2 contact sheets" in prompt.text
    assert prompt.dropped == (
        "the task has no video",
        "1 of 31 assets shown by name only (the task has no sheets)",
    )
    assert prompt == build_prompt(task, config())


def test_sheets_of_other_kinds_are_shown_in_order(tmp_path: Path) -> None:
    """JPEG and WebP too, the second before the tenth."""
    task = make_task(tmp_path / "shop", seconds=0, sheets=[picture(50, 50)])
    folder = tmp_path / "shop" / "sheets"
    cv2.imwrite(str(folder / "sheet_10.webp"), picture(30, 30))
    cv2.imwrite(str(folder / "sheet_2.jpg"), picture(40, 40))
    shown = _pictures(build_prompt(task, config()))
    assert [one.shape[0] for one in shown] == [50, 40, 30]
