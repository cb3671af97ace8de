"""`--iwr-dry-run`: what would be asked, and what it may cost, without asking."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from pytest_iwr.plugin.collect import content_of
from pytest_iwr.plugin.grounding import grounder_line
from pytest_iwr.plugin.transport import DUES, will_run

if TYPE_CHECKING:
    from pydantic import JsonValue

    from pytest_iwr.plugin.judge_options import Judging
    from pytest_iwr.plugin.plan import Plan
    from pytest_iwr.plugin.workshop import Workshop
    from pytest_iwr.records import Task

_NOTE = "tokens are estimates; cost: the input alone – with the longest answers"


@dataclass(frozen=True)
class Planned:
    """What one page would take."""

    model: str
    is_cached: bool
    images: int = 0
    tokens: int = 0
    """Of the request, estimated."""
    least_usd: float | None = None
    """The request alone; `None`: nobody knows the price."""
    most_usd: float | None = None
    """With an answer as long as the model may give."""
    problem: str | None = None
    """Why it cannot be asked for at all."""


class DryRun:
    """Shows the plan in place of running the tests."""

    def __init__(self, plan: Plan) -> None:
        """Know the run; no worker is started for it."""
        self._plan = plan
        option = plan.config.option
        if hasattr(option, "dist"):
            option.dist, option.tx = "no", []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Show what the selected tests would ask."""
        if self._plan.config.option.collectonly or session.testsfailed:
            return None
        writer = self._plan.config.get_terminal_writer()
        workshop = self._plan.workshop
        wanted = _wanted(session.items)
        if self._plan.has_judge:
            writer.line(judge_line(wanted, self._plan.options.judging))
        if self._plan.has_grounder:
            tasks = [task for task, _, _ in wanted]
            told = grounder_line(tasks, self._plan.options.finding)
            if told is not None:
                writer.line(told)
        if workshop is None:
            asks = self._plan.has_judge or self._plan.has_grounder
            what = "no page" if asks else "nothing"
            writer.line(f"iwr: {what} would be asked for: all pages are stored.")
            return True

        def tell(known: int) -> None:
            if writer.hasmarkup:
                text = f"\riwr: {known} of {len(wanted)} prompts prepared\r"
                writer.write(text, flush=True)

        for line in table(planned(workshop, wanted, tell)):
            writer.line(line)
        own = sum(
            "iwr_evaluate" in getattr(i, "fixturenames", ()) for i in session.items
        )
        if own:
            writer.line(f"tests that name their tasks themselves, not counted: {own}")
        return True


def judge_line(wanted: Sequence[tuple[Task, str, int]], judging: Judging) -> str:
    """Say how much a judge would be asked at most, where every step is done."""
    from pytest_iwr.check.judge.tripwire import pairs  # noqa: PLC0415 - late

    tasks = [task for task, _, _ in wanted]
    claims = sum(
        wish.prose is not None
        for task in tasks
        for step in task.steps
        for wish in step.expect
    )
    pictures = sum(
        (task.start is not None) + sum(s.checkpoint is not None for s in task.steps)
        for task in tasks
    )
    tried = len(pairs()) if tasks else 0
    most = (claims + pictures) * judging.repeats + tried
    times = f", each {judging.repeats} times" if judging.repeats > 1 else ""
    return (
        f"iwr: {judging.model} would judge with up to {most:,} requests of two "
        f"pictures: {claims:,} assertions and {pictures:,} checkpoints{times}, and "
        f"{tried} pairs to try it on; fewer where steps fail or answers are cached, "
        "more where replies cannot be read or pictures do not hold still"
    )


def planned(
    workshop: Workshop,
    wanted: Sequence[tuple[Task, str, int]],
    tell: Callable[[int], None],
) -> list[Planned]:
    """Give what each page would take; `tell` hears how many are known."""
    one = _product(workshop) if workshop.is_product else _models(workshop)

    def known(page: tuple[Task, str, int]) -> Planned:
        from pytest_iwr.errors import IwrError  # noqa: PLC0415 - it is loaded

        try:
            return one(*page)
        except IwrError as error:
            return Planned(page[1], is_cached=False, problem=str(error))

    done = []
    with ThreadPoolExecutor() as pool:
        for page in pool.map(known, wanted):
            done.append(page)
            tell(len(done))
    return done


def table(pages: Sequence[Planned]) -> list[str]:
    """Give the plan as lines: a row a model, the sum, and what cannot be asked."""
    if not pages:
        return ["iwr: nothing would be asked: no test wants a page."]
    head = ("model", "pages", "cached", "to ask", "images", "tokens", "cost")
    models = dict.fromkeys(page.model for page in pages)
    rows = [(m, *_cells([p for p in pages if p.model == m])) for m in models]
    if len(rows) > 1:
        rows.append(("all", *_cells(pages)))
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = ["iwr: what would be asked (nothing was)"]
    for row in (head, *rows):
        first, *others = zip(row, widths, strict=True)
        cells = [first[0].ljust(first[1]), *(c.rjust(w) for c, w in others)]
        lines.append("  ".join(cells))
    lines.append(_NOTE)
    problems = dict.fromkeys(p.problem for p in pages if p.problem)
    return [*lines, *(f"cannot be asked: {problem}" for problem in problems)]


def _cells(pages: Sequence[Planned]) -> list[str]:
    due = [page for page in pages if not page.is_cached and page.problem is None]
    return [
        str(len(pages)),
        str(sum(page.is_cached for page in pages)),
        str(len(due)),
        f"{sum(page.images for page in due):,}",
        f"{sum(page.tokens for page in due):,}",
        _cost(due),
    ]


def _cost(due: Sequence[Planned]) -> str:
    if not due:
        return "$0.00"
    priced = [p for p in due if p.least_usd is not None and p.most_usd is not None]
    unknown = len(due) - len(priced)
    if not priced:
        return "unknown"
    least = sum(page.least_usd or 0 for page in priced)
    most = sum(page.most_usd or 0 for page in priced)
    return f"${least:.2f} – ${most:.2f}" + (f" + {unknown} unknown" if unknown else "")


def _models(workshop: Workshop) -> Callable[[Task, str, int], Planned]:
    from pytest_iwr.chat import GatewayChat  # noqa: PLC0415 - late
    from pytest_iwr.gateway.prices import estimate  # noqa: PLC0415 - late

    gateway = workshop.gate.gateway  # not started: nothing is asked
    generator = workshop.open_models(GatewayChat(gateway.url, gateway.token))

    def one(task: Task, model: str, epoch: int) -> Planned:
        prompt = generator.prepare(task, model)
        messages: list[JsonValue] = [dict(m) for m in prompt.messages]
        body: dict[str, JsonValue] = {"model": model, "messages": messages}
        if gateway.is_cached(model, body, "generate", epoch):
            return Planned(model, is_cached=True)
        tokens, config = prompt.input_tokens_estimate, workshop.gate.configs[model]
        return Planned(
            model,
            is_cached=False,
            images=prompt.images,
            tokens=tokens,
            least_usd=estimate(config, tokens, 0),
            most_usd=estimate(config, tokens, config.max_tokens or 0),
        )

    return one


def _product(workshop: Workshop) -> Callable[[Task, str, int], Planned]:
    product = workshop.open_product()

    def one(task: Task, model: str, epoch: int) -> Planned:
        key = product.key(product.request(task, model, epoch))
        return Planned(model, is_cached=product.cache.read(key) is not None)

    return one


def _wanted(items: Sequence[pytest.Item]) -> list[tuple[Task, str, int]]:
    from pytest_iwr.records import Task  # noqa: PLC0415 - it is loaded

    found: Mapping[tuple[str, str, str, int], Task] = {
        (content.path, content.id, due.model, due.epoch): content
        for item in items
        if isinstance(content := content_of(item), Task) and will_run(item)
        for due in item.stash.get(DUES, ())
    }
    return [(task, model, epoch) for (_, _, model, epoch), task in found.items()]
