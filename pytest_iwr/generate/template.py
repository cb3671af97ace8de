"""The instructions for a model, as a Jinja template in a sandbox."""

import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from pytest_iwr.errors import UsageError

BUNDLED = "prompt.jinja"
PLACEHOLDER = "__PLACEHOLDER_ASSETS_BASE_DIR__"
"""What a page writes for the folder of the assets. Source: IWR-Bench's data layout."""

_FAULTS = (
    jinja2.TemplateError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What an expression of a template can run into."""


@dataclass(frozen=True)
class Variables:
    """What a template may use."""

    placeholder: str = PLACEHOLDER
    """What a page writes for the folder of the assets."""
    assets: tuple[str, ...] = ()
    """The names of all asset files, sorted."""
    sheets: int = 0
    """How many contact sheets are sent, before everything else."""
    frames: tuple[float, ...] = ()
    """When the frames that are sent are shown, in seconds; rounded to tenths."""
    has_video: bool = False
    """The video itself is sent in place of frames."""
    width: int = 1280
    """Of the window, in CSS pixels."""
    height: int = 720
    scale: float = 1.0
    """Device pixels for one CSS pixel."""
    is_mobile: bool = False
    """The page's `meta viewport` counts, as on a phone."""
    has_touch: bool = False
    device: str = ""
    """The device's name, where the task names one in place of a window; else empty."""
    title: str = ""
    """What the task is called; may be empty."""


class Template:
    """The instructions, to be filled in for each task."""

    def __init__(self, path: Path | None = None) -> None:
        """Read a file, by default the bundled one.

        Raises UsageError, with the line, for one that cannot be read or filled in.
        """
        bundled = resources.files("pytest_iwr.generate") / "templates" / BUNDLED
        self._name = BUNDLED if path is None else str(path)
        self.source = _read(path) if path else bundled.read_text(encoding="utf-8")
        environment = ImmutableSandboxedEnvironment(
            undefined=jinja2.StrictUndefined,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
            loader=jinja2.FunctionLoader(self._load),
        )
        try:
            self._compiled = environment.get_template(self._name)
        except jinja2.TemplateSyntaxError as error:
            raise self._fault(
                error.lineno, error.message or "is no template"
            ) from error
        except jinja2.TemplateError as error:
            raise self._fault(1, str(error)) from error
        self.fill(Variables(assets=("asset_001.png",), sheets=1, frames=(0.0,)))

    def fill(self, variables: Variables) -> str:
        """Give the instructions; raises UsageError, with the line of the fault."""
        values: Mapping[str, object] = vars(variables)
        try:
            return self._compiled.render(values).strip() + "\n"
        except _FAULTS as error:
            lines = [
                frame.lineno
                for frame in traceback.extract_tb(error.__traceback__)
                if frame.filename == self._name
            ]
            line = lines[-1] if lines and lines[-1] is not None else 1
            is_other = isinstance(error, jinja2.TemplateNotFound)
            what = f"there is no other template {error}" if is_other else str(error)
            raise self._fault(line, what) from error

    def _load(self, name: str) -> tuple[str, str, None] | None:
        """Give this one template; it cannot take in other files."""
        return (self.source, self._name, None) if name == self._name else None

    def _fault(self, line: int, what: str) -> UsageError:
        names = ", ".join(vars(Variables()))
        return UsageError(
            f"{self._name}:{line}: {what.rstrip('.')}. Correct the template; it "
            f"may use {names}."
        )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        what = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(
            f"{path}: the template cannot be read: {what}. Correct --iwr-prompt."
        ) from error
