"""A task → the messages that ask a model for its page."""

import base64
import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from pytest_iwr.generate.fit import Encoded, Kind, Plan, Shown, encode, plan
from pytest_iwr.generate.frames import Survey, survey
from pytest_iwr.generate.inputs import Inputs, find_inputs, read_sheet
from pytest_iwr.generate.sheets import draw_sheets
from pytest_iwr.generate.template import Template, Variables
from pytest_iwr.images import Picture
from pytest_iwr.records import ModelConfig, Task, Viewport

_CHARACTERS_PER_TOKEN = 4
_VIDEO_TOKENS_PER_S = 300
"""As Gemini counts at its default resolution; others differ."""
_ROOM = 0.95
"""Of a context; estimates err."""
_ALL = 1 << 30
_MIMES = {".webm": "video/webm", ".mov": "video/quicktime"}


@dataclass(frozen=True)
class Prompt:
    """What a model is asked, ready to be sent."""

    messages: tuple[Mapping[str, JsonValue], ...]
    """Of a chat completion: pictures first, then the instructions."""
    text: str
    """The instructions."""
    sha256: str
    """Of the messages, in hex."""
    images: int
    """How many pictures are sent."""
    input_tokens_estimate: int
    """Pictures by their area, text by its length; nobody has counted."""
    dropped: tuple[str, ...]
    """What was left out or made smaller, in words."""


class _Media(NamedTuple):
    """What goes before the instructions."""

    parts: list[dict[str, JsonValue]]
    images: int
    tokens: int
    dropped: tuple[str, ...]
    sheets: int = 0
    frames: tuple[float, ...] = ()
    has_video: bool = False


def build_prompt(
    task: Task,
    config: ModelConfig,
    template: Template | Path | None = None,
    *,
    native_video: bool = False,
) -> Prompt:
    """Give what a model is asked for a task: the same messages each time.

    Contact sheets, then a frame a second or, with `native_video`, the video itself,
    then the instructions; a model without vision gets these alone. Raises TaskError or
    VideoError where the task has nothing to show, UsageError for a template's fault.
    """
    if not isinstance(template, Template):
        template = Template(template)
    inputs = find_inputs(task)
    base = variables(task, inputs)
    room = None
    if config.context_tokens is not None:
        text = template.fill(base)
        free = config.context_tokens * _ROOM - (config.max_tokens or 0)
        room = max(0, int(free) - _text_tokens(text))
    media = _media(inputs, config, room, native_video=native_video)
    text = template.fill(
        replace(
            base,
            sheets=media.sheets,
            frames=media.frames,
            has_video=media.has_video,
        )
    )
    content: JsonValue = text
    if media.parts:
        content = [*media.parts, {"type": "text", "text": text}]
    messages: tuple[Mapping[str, JsonValue], ...] = (
        {"role": "user", "content": content},
    )
    return Prompt(
        messages=messages,
        text=text,
        sha256=hashlib.sha256(json.dumps(messages).encode()).hexdigest(),
        images=media.images,
        input_tokens_estimate=media.tokens + _text_tokens(text),
        dropped=media.dropped,
    )


def variables(
    task: Task, inputs: Inputs, *, sheets: int = 0, has_video: bool = False
) -> Variables:
    """Give what a template is told about a task; frames are not chosen yet."""
    viewport = task.viewport or Viewport()
    return Variables(
        assets=inputs.asset_names,
        sheets=sheets,
        has_video=has_video,
        width=viewport.width,
        height=viewport.height,
        scale=viewport.scale,
        is_mobile=viewport.mobile,
        has_touch=viewport.touch,
        device=task.device or "",
        title=task.title or "",
    )


def _media(
    inputs: Inputs, config: ModelConfig, room: int | None, *, native_video: bool
) -> _Media:
    if config.vision == "none":
        held = bool(inputs.sheets or inputs.asset_names or inputs.video)
        said = "all pictures left out (the model takes none)"
        return _Media([], 0, 0, (said,) if held else ())
    if inputs.video is None and not inputs.sheets and not inputs.asset_names:
        message = (
            "there is nothing to show to a model, neither a video nor assets. "
            "Make them with `iwr capture`."
        )
        raise inputs.fault("video", message)
    is_native = native_video and config.vision == "video" and inputs.video is not None
    told: list[str] = []
    if inputs.video is None:
        told.append("the task has no video")
    if native_video and config.vision != "video":
        told.append("frames sent in place of the video (the model takes none)")
    seen = survey(inputs.video) if inputs.video is not None else None
    if seen is not None and seen.complaint is not None:
        told.append(seen.complaint)
    media = _pictures(inputs, config, None if is_native else seen, room)
    if is_native and seen is not None:
        media = _with_video(media, seen)
    return media._replace(dropped=(*told, *media.dropped))


def _pictures(
    inputs: Inputs, config: ModelConfig, seen: Survey | None, room: int | None
) -> _Media:
    """Encode sheets and frames, one at a time, as the model takes them."""
    sheets, told = _sheets(inputs)
    shown = [Shown("sheet", sheet.shape[1], sheet.shape[0]) for sheet in sheets]
    if seen is not None:
        frame = Shown("frame", seen.width, seen.height)
        shown += [frame] * len(seen.when(most=_ALL))
    chosen = plan(shown, config.limits, room)
    fitted = encode(_stream(sheets, seen, chosen), chosen, config.limits)
    times = seen.when(most=chosen.frames) if seen and chosen.frames else ()
    return _Media(
        parts=[_image(picture) for picture in fitted.pictures],
        images=len(fitted.pictures),
        tokens=sum(picture.tokens for picture in fitted.pictures),
        dropped=told + fitted.dropped,
        sheets=chosen.sheets,
        frames=tuple(round(time, 1) for time in times),
    )


def _sheets(inputs: Inputs) -> tuple[list[Picture], tuple[str, ...]]:
    """Give the task's contact sheets, or drawn ones, and what these do not show."""
    if inputs.sheets or inputs.assets is None:
        return [read_sheet(path, inputs) for path in inputs.sheets], ()
    drawn = draw_sheets(inputs.assets, inputs.asset_names)
    all_, unseen = len(inputs.asset_names), drawn.unseen
    told = f"{unseen} of {all_} assets shown by name only (the task has no sheets)"
    return list(drawn.sheets), (told,) if unseen else ()


def _stream(
    sheets: list[Picture], seen: Survey | None, chosen: Plan
) -> Iterator[tuple[Kind, Picture]]:
    for sheet in sheets[: chosen.sheets]:
        yield "sheet", sheet
    if seen is not None and chosen.frames:
        for frame in seen.pick(most=chosen.frames):
            yield "frame", frame.picture


def _with_video(media: _Media, seen: Survey) -> _Media:
    """Add the video itself, as OpenRouter, vLLM and DashScope take it."""
    mime = _MIMES.get(seen.path.suffix.lower(), "video/mp4")
    url = _data_url(mime, seen.path.read_bytes())
    part: dict[str, JsonValue] = {"type": "video_url", "video_url": {"url": url}}
    tokens = math.ceil(seen.times_s[-1] + 1) * _VIDEO_TOKENS_PER_S
    return media._replace(
        parts=[*media.parts, part],
        has_video=True,
        tokens=media.tokens + tokens,
    )


def _image(picture: Encoded) -> dict[str, JsonValue]:
    url = _data_url(picture.mime, picture.data)
    return {"type": "image_url", "image_url": {"url": url}}


def _data_url(mime: str, data: bytes) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"


def _text_tokens(text: str) -> int:
    return math.ceil(len(text) / _CHARACTERS_PER_TOKEN)
