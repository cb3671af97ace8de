"""What a product is given to make a page from: a task's inputs, never its steps."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from pytest_iwr.errors import IwrError
from pytest_iwr.generate.inputs import find_inputs
from pytest_iwr.generate.prompt import variables
from pytest_iwr.generate.template import PLACEHOLDER, Template
from pytest_iwr.records import Task, Viewport


@dataclass(frozen=True)
class PageRequest:
    """One page to be made."""

    task: str
    """The task's id."""
    model: str
    """What the user calls the product, or the model that it shall use."""
    epoch: int
    """Which repetition, from 1."""
    prompt: str
    """The instructions, as a model would get them."""
    viewport: Viewport
    """The window that the page is shown in."""
    device: str | None
    """The name of the device in place of a window."""
    video: Path | None
    """A person uses the site in it."""
    assets: Path | None
    """The folder of the site's assets; not to be written to."""
    asset_names: tuple[str, ...]
    """Their names, relative to that folder."""
    sheets: tuple[Path, ...]
    """Pictures that show the assets with their names."""
    placeholder: str = PLACEHOLDER
    """What the page writes for the folder of the assets."""

    def digest(self) -> str:
        """Give the SHA-256 of what the page depends on: texts and contents of files.

        Raises IwrError where a file cannot be read.
        """
        files = [self.video, *self.sheets]
        if self.assets is not None:
            files += [self.assets / name for name in self.asset_names]
        made_of = {
            "prompt": self.prompt,
            "viewport": self.viewport.model_dump(mode="json"),
            "device": self.device,
            "assets": self.asset_names,
            "files": [_sha256(path) for path in files if path is not None],
        }
        return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()


def page_request(task: Task, model: str, epoch: int, template: Template) -> PageRequest:
    """Give the request for a page; raises TaskError where a file is missing.

    And UsageError for a fault of the template.
    """
    inputs = find_inputs(task)
    if inputs.video is not None and not inputs.video.is_file():
        message = "there is no such video. Correct the path."
        raise inputs.fault("video", message)
    told = variables(
        task,
        inputs,
        sheets=len(inputs.sheets),
        has_video=inputs.video is not None,
    )
    return PageRequest(
        task=task.id,
        model=model,
        epoch=epoch,
        prompt=template.fill(told),
        viewport=task.viewport or Viewport(),
        device=task.device,
        video=inputs.video,
        assets=inputs.assets,
        asset_names=inputs.asset_names,
        sheets=inputs.sheets,
    )


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise IwrError(
            f"{path}: cannot be read ({error.strerror}). Let this user read the task's "
            "files."
        ) from error
