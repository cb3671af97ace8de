"""A judge before a real gateway and a real endpoint that answers as a test says."""

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from pytest_iwr import images
from pytest_iwr import records as r
from pytest_iwr.chat import GatewayChat
from pytest_iwr.check.judge.ask import ModelJudge
from pytest_iwr.check.judge.rubric import PARTS
from pytest_iwr.gateway import Gateway, Patience
from pytest_iwr.gateway.mock import Answer, MockEndpoint, Seen

Say = Callable[[Seen], Answer | None]
HELD = {"seen": "a cart", "reason": "it is so", "verdict": True}
DENIED = HELD | {"verdict": False, "reason": "it is not so"}
RED, BLUE, GREEN = (40, 40, 200), (200, 40, 40), (40, 160, 40)


@contextmanager
def judging(
    home: Path, say: Say, *, mode: Any = "auto", **how: Any
) -> Iterator[tuple[ModelJudge, MockEndpoint]]:
    """Give a judge and the endpoint that it asks; `home` keeps cache and ledger."""
    with ExitStack() as stack:
        mock = stack.enter_context(MockEndpoint(answer=say))
        config = r.ModelConfig(
            alias="judge",
            model="maker/judge",
            # Another port would be another endpoint to the cache.
            base_url=mock.url,
        )
        gateway = stack.enter_context(
            Gateway(
                {"judge": config},
                keys={},
                cache_dir=home / "cache",
                ledger=home / "ledger.jsonl",
                mode=mode,
                patience=Patience(first_s=0.001, most_s=0.002),
            )
        )
        chat = stack.enter_context(GatewayChat(gateway.url, gateway.token))
        yield ModelJudge(chat, "judge", **how), mock


def says(*replies: dict[str, Any] | str) -> Say:
    """Answer with these replies, one after the other, the last one for ever."""
    left = list(replies)

    def say(_: Seen) -> Answer:
        reply = left.pop(0) if len(left) > 1 else left[0]
        return Answer(text=reply if isinstance(reply, str) else json.dumps(reply))

    return say


def points(**parts: float) -> dict[str, Any]:
    """Give a rating, full but for what is named."""
    return {"seen": "", "reason": "", **PARTS, **parts}


def shown(seen: Seen) -> list[tuple[str, images.Picture]]:
    """Give what a request shows: each label, and its picture decoded."""
    found: list[tuple[str, images.Picture]] = []
    label = ""
    for part in parts_of(seen):
        if part["type"] == "text":
            label = part["text"]
        else:
            data = part["image_url"]["url"].partition(",")[2]
            found.append((label, images.decode(base64.b64decode(data))))
    return found


def parts_of(seen: Seen) -> Sequence[dict[str, Any]]:
    """Give the parts of the user's message."""
    body: Any = seen.body
    parts: Sequence[dict[str, Any]] = body["messages"][1]["content"]
    return parts


def plain(path: Path, colour: Sequence[int], size: tuple[int, int] = (64, 48)) -> Path:
    """Write a picture of one colour; width and height in pixels."""
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = np.full((size[1], size[0], 3), colour, np.uint8)
    cv2.imwrite(str(path), picture)
    return path
