"""The official data → task files of this project, each in a folder with its files."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import yaml

from pytest_iwr.artifacts import slug
from pytest_iwr.errors import Problem, TaskError, UsageError
from pytest_iwr.load import SUFFIX, Line, load_official
from pytest_iwr.load.parse import INVISIBLE
from pytest_iwr.records import Pointing, Step, Task

_DATA = ("data.jsonl", "data/data.jsonl")
_COLUMNS = 100_000
"""No text is broken."""


@dataclass
class Imported:
    """What an import has written, and what it could not."""

    written: list[Path] = field(default_factory=list)
    """The task files, in the order of the data."""
    problems: list[Problem] = field(default_factory=list)


def import_official(source: Path, target: Path, only: tuple[str, ...]) -> Imported:
    """Write `<target>/<id>/task.iwr.yaml` with its files for each task of the data.

    `source` is a `data.jsonl`, or a folder with one. `only` names the ids to take, by
    default all. A folder that is there already stays as it is, and is a problem, as is
    each line that cannot be loaded. Raises UsageError where there is no such file or
    id, TaskError where the file cannot be read.
    """
    file = _data_file(source)
    done = Imported()
    for line in _lines(file, only):
        if isinstance(line.loaded, TaskError):
            done.problems += line.loaded.problems
            continue
        folder = target / slug(line.loaded.id)
        if folder.exists():
            message = (
                f"{str(folder)!r} is there already. Remove it or import elsewhere."
            )
            done.problems.append(Problem(file, line.number, "id", message))
            continue
        try:
            _write(line.loaded, folder, f"{file.name}, line {line.number}")
        except OSError as error:
            what = f"{error.filename}: {error.strerror}"
            raise UsageError(f"{what}. Make room for {str(folder)!r}.") from error
        done.written.append(folder / f"task{SUFFIX}")
    return done


def _lines(file: Path, only: tuple[str, ...]) -> Iterator[Line]:
    if not only:
        yield from load_official(file)
    for name in dict.fromkeys(only):
        lines = load_official(file, name)
        if not lines:
            raise UsageError(f"{file}: no line has the id {name!r}. Correct --only.")
        yield from lines


def _data_file(source: Path) -> Path:
    if source.is_file():
        return source
    for name in _DATA:
        if (source / name).is_file():
            return source / name
    message = "is no data.jsonl, nor a folder with one. Name it."
    raise UsageError(f"{source}: {message}")


def _write(task: Task, folder: Path, origin: str) -> None:
    """Write beside the place and move: a task is there as a whole or not at all."""
    base = Path(task.path).parent
    unfinished = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    names = dict(_names(task))
    for old, new in names.items():
        copy = unfinished / new
        copy.parent.mkdir(parents=True, exist_ok=True)
        if (base / old).is_dir():
            shutil.copytree(base / old, copy, ignore=_outside)
        else:
            shutil.copyfile(base / old, copy)
    text = _text(task, names, origin)
    (unfinished / f"task{SUFFIX}").write_text(text, encoding="utf-8", newline="\n")
    unfinished.rename(folder)


def _names(task: Task) -> Iterator[tuple[str, str]]:
    """Give the files and folders of a task, each with its name in the new folder."""
    if task.video is not None:
        yield task.video, PurePosixPath(task.video).name
    if task.assets is not None:
        yield task.assets, "assets"
    if task.sheets is not None:
        yield task.sheets, "sheets"
    pictures = [task.start, *(step.checkpoint for step in task.steps)]
    for number, picture in enumerate(pictures):
        if picture is not None:
            yield picture.image, f"checkpoints/{number:02d}.png"


def _outside(folder: str, names: list[str]) -> set[str]:
    """Give what is not copied: hidden files, and links that lead elsewhere."""
    top = Path(folder).resolve()
    return {
        name
        for name in names
        if name.startswith(".") or not (top / name).resolve().is_relative_to(top)
    }


def _text(task: Task, names: dict[str, str], origin: str) -> str:
    head: dict[str, object] = {
        "iwr": 1,
        "id": task.id,
        "source": task.source.model_dump(exclude_none=True),
        "tags": list(task.tags),
        "viewport": task.viewport.model_dump(exclude_unset=True)
        if task.viewport is not None
        else None,
    }
    for key in ("video", "assets", "sheets"):
        head[key] = names.get(getattr(task, key))
    if task.start is not None:
        head["start"] = names[task.start.image]
    shown = {key: value for key, value in head.items() if value not in (None, {}, [])}
    steps = [_yaml([_step(step, names)]) for step in task.steps]
    return (
        f"# Taken from IWR-Bench: {origin}.\n"
        "# Its actions are prose, and its assertions are for a judge. More holds of a\n"
        "# step that names its target and has expectations of its own.\n"
        f"{_yaml(shown)}steps:\n{''.join(steps)}"
    )


def _step(step: Step, names: dict[str, str]) -> dict[str, object]:
    said = step.model_dump(mode="json", by_alias=True, exclude_unset=True)
    action = said[step.verb]
    if isinstance(step.action, Pointing):
        said[step.verb] = action["describe"]
    elif step.verb == "press" and set(action) == {"key"}:
        said["press"] = action["key"]
    if step.expect:
        said["expect"] = [wanted.prose for wanted in step.expect]
    if step.checkpoint is not None:
        said["checkpoint"] = names[step.checkpoint.image]
    return said


def _yaml(value: object) -> str:
    text: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_COLUMNS
    )
    return text


class _Dumper(yaml.SafeDumper):
    """Writes no sign as it is that `load` refuses: in double quotes it is escaped."""

    def represent_data(self, data: object) -> yaml.Node:
        if isinstance(data, str) and INVISIBLE.search(data):
            return self.represent_scalar("tag:yaml.org,2002:str", data, style='"')
        return super().represent_data(data)
