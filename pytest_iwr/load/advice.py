"""What a loaded task could do better."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from pytest_iwr.load.masks import NAME
from pytest_iwr.load.parse import Finding, Part, Where
from pytest_iwr.records import Step, Task


def advise(task: Task, root: Part) -> Iterator[Finding]:
    """Give advice on targets and expectations, in the order of the file."""
    for where, part in root.walk():
        match where:
            case ("steps", int(index)):
                said = _step_advice(task.steps[index])
                if said is not None:
                    yield Finding(where, part.line, said, part)
            case (*_, "mask") if part.parts and (said := _mask_advice(task, where)):
                yield Finding(where, part.line, said, part)
            case (*_, "css"):
                message = (
                    "a CSS selector names how the page is built."
                    " Name what a person sees: a role, a name, a text"
                )
                yield Finding(where, part.line, message, part)


def _mask_advice(task: Task, where: Where) -> str | None:
    match where:
        case ("start", "mask"):
            checkpoint = task.start
        case ("steps", int(index), "checkpoint", "mask"):
            checkpoint = task.steps[index].checkpoint
        case _:
            return None
    if checkpoint is None or checkpoint.image in task.masks:
        return None
    file = PurePosixPath(checkpoint.image).with_name(NAME)
    return (
        f"'{file}' does not say where the reference has these masks, so a page may hide"
        " faults below masks of its own size."
        " Capture again: iwr capture TASK --site DIR_OR_URL"
    )


def _step_advice(step: Step) -> str | None:
    if step.expect and all(wanted.prose is not None for wanted in step.expect):
        return (
            "all expectations are prose, which only a judge model can decide."
            " Add a deterministic one"
        )
    if not step.expect and step.checkpoint is None and step.verb != "wait":
        return "nothing is checked after this step. Add `expect` or `checkpoint`"
    return None
