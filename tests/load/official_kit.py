"""Small data in the official layout of IWR-Bench, made on the spot."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np

PICTURE = cv2.imencode(".png", np.zeros((9, 16, 3), np.uint8))[1].tobytes()
"""A small black PNG."""


def action(kind: str = "Click", **more: Any) -> dict[str, Any]:
    """Give an action that is not compared; `parameters` holds what is left."""
    flags = {
        "visual_evaluation_flag": more.pop("flag", False),
        "checkpoint_screenshot": more.pop("picture", None),
        "logical_assertion": more.pop("claim", None),
    }
    parameters = more or {"description": 'Click the button "Save"'}
    return {"type": kind, "parameters": parameters, **flags}


def row(name: object = 7, *actions: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Give a row with these actions, by default one click."""
    return {
        "id": name,
        "classification": {
            "interaction_complexity": "L3",
            "visual_complexity": "V1",
            "domain": "shopping",
            "sub_domain": "catalogue",
        },
        "recording_details": {"resolution": "1920x1080", "environment": "desktop"},
        "source_website": "shop.example",
        "action_sequence": list(actions or [action()]),
        **more,
    }


class Data:
    """A folder with a `data.jsonl` and the files of its tasks."""

    def __init__(self, folder: Path, home: str = "data") -> None:
        """Know the folder; `home` is where the tasks' own folders lie in it."""
        self.file = folder / "data.jsonl"
        self.home = folder / home

    def write(self, *rows: dict[str, Any] | str | bytes) -> Path:
        """Write lines, and for each row its first picture and the flagged ones."""
        lines = [_line(one) for one in rows]
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_bytes(b"\n".join(lines) + b"\n")
        for one in rows:
            if not isinstance(one, dict) or not isinstance(one.get("id"), int | str):
                continue
            numbers = [0]
            for number, done in enumerate(one.get("action_sequence", []), start=1):
                if isinstance(done, dict) and done.get("visual_evaluation_flag"):
                    numbers.append(number)
            for number in numbers:
                self.add(str(one["id"]), f"checkpoints/step_{number}.png", PICTURE)
        return self.file

    def add(self, task: str, name: str, content: bytes = b"x") -> Path:
        """Write a file of a task."""
        file = self.home / task / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        return file


def _line(one: dict[str, Any] | str | bytes) -> bytes:
    if isinstance(one, bytes):
        return one
    return (one if isinstance(one, str) else json.dumps(one)).encode()
