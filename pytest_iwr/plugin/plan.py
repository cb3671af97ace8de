"""What a run evaluates: where pages come from, which models, into which folder."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from pytest_iwr.artifacts import RunFolder, slug
from pytest_iwr.plugin.gate import Gate, GateAddress
from pytest_iwr.plugin.options import Options, read_options

if TYPE_CHECKING:
    from pytest_iwr.chat import GatewayChat
    from pytest_iwr.drive.launch import FoundBrowser
    from pytest_iwr.plugin.workshop import Workshop
    from pytest_iwr.ports import Generator

PLAN: pytest.StashKey[Plan] = pytest.StashKey()
_GATE: pytest.StashKey[Gate] = pytest.StashKey()
WORKER_INPUT = "iwr_plan"
_TAKE_AS_GIVEN = {"pytest_iwr.plugin", "pytest_playwright.pytest_playwright"}
_BROUGHT = ("iwr_tools", "connect_options", "browser_type_launch_args")


@dataclass(frozen=True)
class Plan:
    """What is to be evaluated; the same in all processes of a run."""

    config: pytest.Config
    options: Options
    pages: Generator | None
    """`None`: nothing was given, or a fixture `iwr_pages` brings them."""
    models: tuple[str, ...]
    files: RunFolder
    started: datetime
    told_browser: tuple[str | None, str] | None = None
    """In a worker: the browser that the controller has found, if it has."""
    gate: Gate | None = None
    """How models are asked; `None` in workers."""
    told_gate: GateAddress | None = None
    """In a worker: where models are asked while pages are tested, if any is."""
    has_grounder: bool = False
    """A model finds what rules cannot read."""

    @property
    def is_active(self) -> bool:
        """Tell whether there is anything to evaluate."""
        return bool(self.models)

    @property
    def is_dry(self) -> bool:
        """Tell whether tests are only listed."""
        option = self.config.option
        is_listed = option.collectonly or getattr(option, "setupplan", False)
        return bool(is_listed or self.options.making.is_dry)

    @property
    def workshop(self) -> Workshop | None:
        """Where pages are made; `None` in workers, and where they are stored."""
        from pytest_iwr.plugin.workshop import Workshop  # noqa: PLC0415 - late

        return self.pages if isinstance(self.pages, Workshop) else None

    @property
    def has_judge(self) -> bool:
        """Tell whether a judge is asked."""
        return self.is_active and self.options.judging.is_needed

    @property
    def asking(self) -> Gate | None:
        """The gate, where models or a product are asked, and by this process."""
        is_used = self.gate is not None and (self.gate.is_wanted or self.workshop)
        return self.gate if is_used else None

    @cached_property
    def chat(self) -> GatewayChat:
        """What asks models while pages are tested, in any process of the run."""
        from pytest_iwr.chat import GatewayChat  # noqa: PLC0415 - late

        if self.gate is not None:
            return self.gate.open()
        assert self.told_gate is not None  # noqa: S101 - else no model is named
        return GatewayChat(*self.told_gate)

    def close_chat(self) -> None:
        """Close what asks models, if it was opened; it opens itself again."""
        chat = vars(self).get("chat")
        if chat is not None:
            chat.close()

    @property
    def why_skipped(self) -> str:
        """The reason why no task is evaluated: which option to give."""
        if self.pages is None:
            return (
                "no pages to evaluate. Give --iwr-pages=DIR "
                "with DIR/<model>/<task id>/index.html, or --iwr-model=NAME to have "
                "a model make them"
            )
        return "no model is named. Give --iwr-model=NAME"

    @property
    def searches_browser(self) -> bool:
        """Tell whether the browser is ours to find.

        It is not when a channel is asked for, or when a `conftest.py` brings one.
        """
        channel = self.config.getoption("--browser-channel", default=None)
        return not channel and not any(is_overridden(self.config, n) for n in _BROUGHT)

    @cached_property
    def browser(self) -> FoundBrowser:
        """The browser that is taken; raises NoBrowserError."""
        import os  # noqa: PLC0415 - all of this is needed late or never

        from pytest_iwr.drive.launch import (  # noqa: PLC0415
            FoundBrowser,
            find_browser,
        )

        if self.told_browser is not None:
            path, source = self.told_browser
            return FoundBrowser(Path(path) if path else None, source)
        return find_browser(self.options.browser_executable, os.environ)

    @property
    def found_browser(self) -> FoundBrowser | None:
        """The browser, if it was searched for and found."""
        return vars(self).get("browser")

    def for_worker(self) -> str:
        """Give what a worker must know, as text."""
        found = self.found_browser
        path = str(found.path) if found and found.path else None
        gate = self.gate
        is_open = gate is not None and gate.is_open_to_tests and not self.is_dry
        return json.dumps(
            {
                "run": str(self.files.path),
                "models": self.models,
                "started": self.started.isoformat(),
                "browser": [path, found.source] if found else None,
                "has_html": bool(getattr(self.config.option, "htmlpath", None)),
                "desk": asdict(self.workshop.listen()) if self.workshop else None,
                "gate": gate.listen() if gate and is_open else None,
                "grounder": self.has_grounder,
            }
        )


def make_plan(config: pytest.Config) -> Plan:
    """Read the options and find the pages and models; raises `pytest.UsageError`."""
    options = read_options(config)
    worker_input = getattr(config, "workerinput", None)
    config.stash[_GATE] = gate = Gate(config, options.making)
    pages = config.hook.pytest_iwr_pages(config=config)
    if worker_input is not None:
        told = json.loads(worker_input[WORKER_INPUT])
        return Plan(
            config=config,
            options=options,
            pages=pages,
            models=tuple(told["models"]),
            files=RunFolder(Path(told["run"])),
            started=datetime.fromisoformat(told["started"]),
            told_browser=told["browser"],
            told_gate=GateAddress(*told["gate"]) if told["gate"] else None,
            has_grounder=told["grounder"],
        )
    started = datetime.now(UTC)
    name = f"{started:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    models = _models(options, pages)
    plan = Plan(
        config=config,
        options=options,
        pages=pages,
        models=models,
        files=RunFolder(options.output / name),
        started=started,
        gate=gate,
        has_grounder=bool(models) and _wants_grounder(options, gate),
    )
    gate.files = lambda: plan.files
    if plan.has_judge:
        _find_tools(plan, gate)
    return plan


def _wants_grounder(options: Options, gate: Gate) -> bool:
    from pytest_iwr.errors import UsageError  # noqa: PLC0415
    from pytest_iwr.plugin.grounding import want_grounder  # noqa: PLC0415

    try:
        return want_grounder(options, gate)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from error


def _find_tools(plan: Plan, gate: Gate) -> None:
    from pytest_iwr.errors import UsageError  # noqa: PLC0415
    from pytest_iwr.plugin.judging import find_tools  # noqa: PLC0415

    try:
        find_tools(plan.options, gate, is_dry=plan.is_dry)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from error


def bundled_pages(config: pytest.Config) -> Generator | None:
    """Give the pages that the options name, stored ones first.

    Raises `pytest.UsageError` where they name none that can be had.
    """
    options = read_options(config)
    if options.pages is None and not _has_maker(config, options):
        return None
    from pytest_iwr.errors import UsageError  # noqa: PLC0415

    try:
        if options.pages is None:
            return _made_pages(config, options)
        from pytest_iwr.generate.stored import StoredPages  # noqa: PLC0415

        return StoredPages(options.pages, shown(options.pages, config))
    except UsageError as error:
        raise pytest.UsageError(str(error)) from error


def _has_maker(config: pytest.Config, options: Options) -> bool:
    """Tell whether somebody is named who makes pages, and no fixture brings them."""
    if options.making.generator or config.hook.pytest_iwr_generate.get_hookimpls():
        return True
    return bool(options.models) and not is_overridden(config, "iwr_pages")


def _made_pages(config: pytest.Config, options: Options) -> Generator:
    worker_input = getattr(config, "workerinput", None)
    if worker_input is None:
        from pytest_iwr.errors import UsageError  # noqa: PLC0415
        from pytest_iwr.plugin.workshop import Workshop  # noqa: PLC0415

        try:
            gate = config.stash[_GATE]
            return Workshop(config, options.making, options.models, gate)
        except UsageError as error:
            message = f"{error}\n  or evaluate stored pages: --iwr-pages=DIR"
            raise UsageError(message) from error
    from pytest_iwr.plugin.desk import Address, RemoteDesk  # noqa: PLC0415

    return RemoteDesk(Address(**json.loads(worker_input[WORKER_INPUT])["desk"]))


def shown(path: Path, config: pytest.Config) -> str:
    """Give a path as a person at the terminal would type it."""
    here = config.invocation_params.dir
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


def is_overridden(config: pytest.Config, fixture: str) -> bool:
    """Tell whether a loaded `conftest.py` or plugin has a fixture of this name."""
    return any(
        fixture in vars(plugin)
        for plugin in config.pluginmanager.get_plugins()
        if isinstance(plugin, ModuleType) and plugin.__name__ not in _TAKE_AS_GIVEN
    )


def _models(options: Options, pages: Generator | None) -> tuple[str, ...]:
    if pages is None:
        return _without_clashes(options.models)
    known = _known_models(pages)
    if known is not None:
        if options.pages is not None and not known:
            message = f"--iwr-pages={options.pages}: it holds no folder of a model."
            raise pytest.UsageError(message)
        for name in options.models:
            is_there = name in known or slug(name) in known
            is_deeper = options.pages is not None and (options.pages / name).is_dir()
            if not is_there and not is_deeper:
                raise pytest.UsageError(_unknown(name, known))
    return _without_clashes(options.models or known or ())


def _known_models(pages: Generator) -> tuple[str, ...] | None:
    listing = getattr(pages, "models", None)
    if listing is None:
        return None
    from pytest_iwr.errors import UsageError  # noqa: PLC0415

    try:
        return tuple(listing())
    except UsageError as error:
        raise pytest.UsageError(str(error)) from error


def _unknown(name: str, known: tuple[str, ...]) -> str:
    close = get_close_matches(name, known, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"There are: {', '.join(known)}."
    return f"--iwr-model={name}: there is no folder of this model. {hint}"


def _without_clashes(names: Iterable[str]) -> tuple[str, ...]:
    taken: dict[str, str] = {}
    for name in names:
        other = taken.setdefault(slug(name), name)
        if other != name:
            message = (
                f"the models {other!r} and {name!r} would both be written as "
                f"{slug(name)!r}. Rename one of them."
            )
            raise pytest.UsageError(message)
    return tuple(taken.values())
