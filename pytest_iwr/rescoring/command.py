"""`iwr rescore RUN`: its options, and what it takes to keep them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from pydantic import ValidationError

from pytest_iwr import records as r
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.errors import UsageError

if TYPE_CHECKING:
    from pytest_iwr.check.judge.ask import ModelJudge
    from pytest_iwr.check.recipe import Recipe
    from pytest_iwr.evaluate import Tools

EXIT_UNSCORED = 20
_JUDGE = "--iwr-judge-model"


def add_rescore(commands: Any) -> None:
    """Add `iwr rescore`."""
    parser = commands.add_parser(
        "rescore",
        help="score a stored run again, without a browser",
        description="Score the traces of a stored run again, with another protocol,"
        " judge or version of the metrics, and write a new run beside it. What is not"
        " told stays as it was. No page is opened, and no model is asked for one.",
        epilog="Examples:\n"
        "  iwr rescore reports/latest --iwr-protocol=iwr-bench"
        " --iwr-model-config=models.yaml\n"
        "  iwr rescore reports/latest --iwr-judge-model=gpt-5 --iwr-judge-repeats=3\n"
        "  iwr rescore reports/latest      # after an update of pytest-iwr\n\n"
        "Exit status: 0 all is scored, 4 bad usage, 20 something could not be scored,"
        " now or\nbefore, or the judge failed on pairs of known answer.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run", type=Path, metavar="RUN", help="the folder of a run")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="DIR",
        help="the folder of the new run (default: RUN's name and -rescored, beside it)",
    )
    parser.add_argument(
        "--tasks",
        type=Path,
        metavar="DIR",
        help="where the tasks are now, if not where they were; official data too",
    )
    parser.add_argument(
        "--iwr-protocol", choices=("offline", "iwr-bench"), dest="protocol"
    )
    parser.add_argument(_JUDGE, metavar="NAME", dest="judge")
    parser.add_argument(
        "--iwr-judge-repeats",
        type=int,
        metavar="N",
        dest="repeats",
        choices=range(1, 100),
    )
    parser.add_argument(
        "--iwr-dino-weights", type=Path, metavar="FILE", dest="dino_weights"
    )
    parser.add_argument(
        "--iwr-dino-preprocessing",
        choices=("paper", "full"),
        dest="dino_preprocessing",
    )
    parser.add_argument(
        "--iwr-model-config", type=Path, metavar="FILE", dest="model_config"
    )
    parser.add_argument(
        "--iwr-cache",
        choices=("auto", "only", "refresh", "off"),
        default="auto",
        dest="cache",
    )
    parser.add_argument(
        "--iwr-cache-dir",
        type=Path,
        metavar="DIR",
        default=Path(".iwr_cache"),
        dest="cache_dir",
        help="where answers of models are kept (default: .iwr_cache)",
    )
    parser.add_argument(
        "--iwr-max-cost", type=float, metavar="USD", dest="max_cost_usd"
    )
    parser.set_defaults(command=_rescore)


def _rescore(options: argparse.Namespace) -> int:
    from pytest_iwr.report import terminal  # noqa: PLC0415 - in use only
    from pytest_iwr.rescoring.aside import aside  # noqa: PLC0415 - in use only
    from pytest_iwr.rescoring.run import read_facts, read_rows  # noqa: PLC0415 - heavy

    source = RunFolder(options.run.resolve())
    stored = _Stored(source, read_rows(source), read_facts(source))
    recipe = _recipe(options, stored)
    target = _target(options.output, source)
    with aside(target.path) as unfinished:
        summary = _write(options, recipe, stored, RunFolder(unfinished))
    for line in terminal.tables(summary, terminal.screen_width()):
        print(line.text)
    print(f"files: {target.path}/")
    is_open = summary.tripwire is not None and summary.tripwire.is_inconclusive
    is_lost = any(row.status == "error" for row in summary.tasks)
    return EXIT_UNSCORED if is_open or is_lost else 0


@dataclass(frozen=True)
class _Stored:
    """The run that is scored again."""

    folder: RunFolder
    rows: Sequence[r.Row]
    facts: Mapping[str, object]


def _write(
    options: argparse.Namespace, recipe: Recipe, stored: _Stored, target: RunFolder
) -> r.Summary:
    """Score the run, and write all files of the new one."""
    from pytest_iwr.report import files  # noqa: PLC0415 - in use only
    from pytest_iwr.report.site import write_site  # noqa: PLC0415 - in use only
    from pytest_iwr.rescoring.find import Finder  # noqa: PLC0415 - in use only
    from pytest_iwr.rescoring.run import Again, copy_shared  # noqa: PLC0415 - heavy
    from pytest_iwr.score import summarize  # noqa: PLC0415 - in use only

    source, finder = stored.folder, Finder(options.tasks)
    with ExitStack() as stack:
        judges = _judges(options, recipe, target, stack) if recipe.has_judge else None
        tools = _tools(options, recipe, judges)
        copy_shared(source, target)
        scored = Again(source, target, tools, finder.find).score(stored.rows)
        tripwire = judges.trial() if judges is not None else None
    plain = [row.row() if isinstance(row, r.Result) else row for row in scored]
    summary = summarize(plain, tools.scorer.protocol, tripwire)
    files.write_summary(summary, target.summary)
    files.write_markdown(summary, scored, target.markdown)
    files.write_results(scored, target.results)
    scoring = recipe.model_dump(mode="json")
    told = {**stored.facts, "scoring": scoring, "rescored_from": source.path.name}
    files.write_run(told, target.run)
    write_site(target)
    return summary


def _recipe(options: argparse.Namespace, stored: _Stored) -> Recipe:
    """Give what is told, else what `run.json` says of the run.

    Raises UsageError where nothing says it.
    """
    from pytest_iwr.check.recipe import Recipe  # noqa: PLC0415 - in use only

    weights: Path | None = options.dino_weights
    file, told = stored.folder.run, stored.facts.get("scoring")
    if told is None and options.protocol is None:
        raise UsageError(
            f"{file}: does not say how the run was scored (`scoring`). Name a "
            "folder of a run, and its protocol: --iwr-protocol=..."
        )
    try:
        before = Recipe.model_validate({} if told is None else told)
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(map(str, ("scoring", *fault["loc"])))
        raise UsageError(
            f"{file}: {where}: {fault['msg']}, is {fault['input']!r}. Correct "
            "it, or remove `scoring` and name the protocol: --iwr-protocol=..."
        ) from error
    recipe = before.changed(
        {
            "protocol": options.protocol,
            "judge": options.judge,
            "repeats": options.repeats,
            "dino_weights": None if weights is None else str(weights.absolute()),
            "dino_preprocessing": options.dino_preprocessing,
        }
    )
    if not recipe.has_judge and (options.judge or options.repeats):
        raise UsageError(
            f"{_JUDGE}, --iwr-judge-repeats: the protocol offline asks no judge. Add "
            "--iwr-protocol=iwr-bench, or leave them out."
        )
    return recipe


def _target(told: Path | None, source: RunFolder) -> RunFolder:
    """Give the new run's folder, which is not there yet."""
    if told is not None:
        if told.exists():
            raise UsageError(f"{told}: is there already. Name another folder.")
        return RunFolder(told.absolute())
    beside = source.path.with_name(f"{source.path.name}-rescored")
    names = (beside.with_name(f"{beside.name}-{n}") for n in count(2))
    return RunFolder(next(p for p in chain([beside], names) if not p.exists()))


@dataclass(frozen=True)
class _Judges:
    """The judge of all items, and one to be tried by the tripwire."""

    judge: ModelJudge
    tried: ModelJudge | None
    target: RunFolder

    def trial(self) -> r.Tripwire:
        """Try it, if anything may be asked."""
        from pytest_iwr.check.judge import tripwire  # noqa: PLC0415 - in use only

        if self.tried is None:
            return tripwire.skipped()
        return tripwire.pull(self.tried, self.target.tripwire)


def _judges(
    options: argparse.Namespace, recipe: Recipe, target: RunFolder, stack: ExitStack
) -> _Judges:
    """Open a gateway for the judge; raises UsageError where it has no endpoint."""
    from pytest_iwr.chat import GatewayChat  # noqa: PLC0415 - in use only
    from pytest_iwr.check.judge.ask import (  # noqa: PLC0415 - in use only
        ModelJudge,
        look_for_eyes,
    )
    from pytest_iwr.gateway import Gateway  # noqa: PLC0415 - in use only
    from pytest_iwr.gateway.config import (  # noqa: PLC0415 - in use only
        find_keys,
        load_models,
    )
    from pytest_iwr.gateway.naming import full_name  # noqa: PLC0415 - in use only

    is_asked = options.cache != "only"
    configs = load_models(
        options.model_config,
        os.environ,
        [recipe.judge],
        needs_keys=is_asked,
        option=_JUDGE,
    )
    config = configs[recipe.judge]
    look_for_eyes(config)
    gateway = stack.enter_context(
        Gateway(
            configs,
            keys=find_keys(configs, os.environ),
            cache_dir=options.cache_dir,
            ledger=target.ledger,
            mode=options.cache,
            max_cost_usd=options.max_cost_usd,
        )
    )
    chat = stack.enter_context(GatewayChat(gateway.url, gateway.token))
    judge = ModelJudge(
        chat,
        recipe.judge,
        repeats=recipe.repeats,
        limits=config.limits,
        named=full_name(config),
    )
    tried = ModelJudge(chat, recipe.judge, limits=config.limits, is_fresh=True)
    return _Judges(judge, tried if is_asked else None, target)


def _tools(
    options: argparse.Namespace, recipe: Recipe, judges: _Judges | None
) -> Tools:
    from pytest_iwr.evaluate import Tools  # noqa: PLC0415 - heavy

    judge = None if judges is None else judges.judge
    cache = None if options.cache == "off" else options.cache_dir / "readings"
    scorer = recipe.scorer(judge, cache, os.cpu_count() or 1)
    _ = scorer.protocol  # what is missing is the user's, before anything is written
    nobody = _Nobody()
    return Tools(
        host=nobody,
        driver=nobody,
        scorer=scorer,
        min_similarity=recipe.minimum,
        judge=judge,
    )


class _Nobody:
    """Serves and drives nothing: no page is opened."""

    def serve(self, site: r.Site, assets: Path | None) -> NoReturn:
        """Refuse."""
        raise AssertionError(site, assets)

    def drive(self, task: r.Task, url: str, folder: Path) -> NoReturn:
        """Refuse."""
        raise AssertionError(task, url, folder)
