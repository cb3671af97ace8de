"""Who finds what a sentence means: rules alone, or a model behind the gate as well.

With `auto` a model is asked where one is at hand: named by the user, known to the file
of models, or at the endpoint that OPENAI_BASE_URL names.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_iwr.plugin.gate import Gate, GateAddress
from pytest_iwr.plugin.grounder_options import GROUNDER_OPTION, Finding
from pytest_iwr.plugin.options import Options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_iwr.plugin.plan import Plan
    from pytest_iwr.ports import Grounder
    from pytest_iwr.records import Task


def want_grounder(options: Options, gate: Gate) -> bool:
    """Be ready to ask the grounder's model, if one is; tell whether it is.

    Raises UsageError where the user has asked for one that has no endpoint.
    """
    finding = options.finding
    if finding.mode == "strict":
        return False
    from pytest_iwr.errors import UsageError  # noqa: PLC0415 - late

    if finding.mode == "browser-use":
        from pytest_iwr.ground.browser_use import check_installed  # noqa: PLC0415

        check_installed()
    if finding.mode in {"model", "browser-use"} or finding.is_named:
        _want(finding, gate)
        return True
    if options.making.model_config is None and not _has_endpoint():
        return False
    try:
        _want(finding, gate)
    except UsageError:
        return False  # none is at hand; what else is asked for says what is wrong
    return True


def _has_endpoint() -> bool:
    """Tell whether there is an endpoint that may have the default model.

    OpenAI's own, which a key alone leads to, has it not.
    """
    from pytest_iwr.gateway.config import (  # noqa: PLC0415 - late
        OPENAI_URL,
        URL_VARIABLE,
    )

    address = os.environ.get(URL_VARIABLE, "").strip().rstrip("/")
    return bool(address) and address != OPENAI_URL


def _want(finding: Finding, gate: Gate) -> None:
    from pytest_iwr.errors import UsageError  # noqa: PLC0415 - late

    option = GROUNDER_OPTION if finding.is_named else "--iwr-grounder"
    known = set(gate.configs)
    gate.want([finding.model], option, in_tests=True)
    if gate.configs[finding.model].vision == "none":
        if finding.model not in known:
            del gate.configs[finding.model]
        raise UsageError(
            f"{option}: the model {finding.model!r} takes no pictures "
            f"(`vision: none`). Give one that does: {GROUNDER_OPTION}=NAME"
        )


def grounder_line(tasks: Iterable[Task], finding: Finding) -> str | None:
    """Say how often the grounder would be asked, where every step is done.

    `None`: never, no step of the tasks names anything in a sentence.
    """
    from pytest_iwr.drive.grounding import sentences, unread  # noqa: PLC0415 - late

    steps = [(task, step.action) for task in tasks for step in task.steps]
    named = sum(len(sentences(action)) for _, action in steps)
    if not named:
        return None
    if finding.mode != "auto":
        return (
            f"iwr: {finding.model} would be asked for what {named:,} sentences name, "
            "with a picture each; fewer where steps fail or answers are cached"
        )
    sure = sum(len(unread(action, task)) for task, action in steps)
    return (
        f"iwr: {finding.model} would be asked for what {sure:,} sentences name, with a "
        f"picture each, and for up to {named - sure:,} more where pages do not show "
        "what rules have read"
    )


def make_grounder(plan: Plan) -> Grounder | None:
    """Give who is asked; nothing is opened before the first question."""
    if not plan.has_grounder:
        return None
    from pytest_iwr.ground.model import ModelGrounder  # noqa: PLC0415 - late

    finding = plan.options.finding
    if finding.mode != "browser-use":
        return ModelGrounder(lambda: plan.chat, finding.model)
    from pytest_iwr.ground.browser_use import (  # noqa: PLC0415 - late
        BrowserUseGrounder,
        Reached,
    )

    secret = plan.gate.secret_names if plan.gate is not None else frozenset[str]()
    environ = {k: v for k, v in os.environ.items() if k not in secret}
    return BrowserUseGrounder(lambda: Reached(*_reach(plan)), finding.model, environ)


def _reach(plan: Plan) -> GateAddress:
    if plan.told_gate is not None:
        return plan.told_gate
    assert plan.gate is not None  # noqa: S101 - else no model is named
    return plan.gate.listen()
