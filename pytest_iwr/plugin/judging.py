"""What the protocol of the paper needs: found before the run, tried, lent to all."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from pytest_iwr.plugin.judge_options import JUDGE_OPTION

if TYPE_CHECKING:
    from pytest_iwr.check.judge.ask import ModelJudge
    from pytest_iwr.check.recipe import Recipe
    from pytest_iwr.plugin.gate import Gate
    from pytest_iwr.plugin.options import Options
    from pytest_iwr.plugin.plan import Plan
    from pytest_iwr.records import Tripwire


def recipe_of(options: Options) -> Recipe:
    """Give what the run's scores are made with."""
    from pytest_iwr.check.recipe import Recipe  # noqa: PLC0415 - late

    weights = options.paper.dino_weights
    return Recipe(
        protocol=options.judging.protocol,
        judge=options.judging.model,
        repeats=options.judging.repeats,
        dino_weights=None if weights is None else str(weights),
        dino_preprocessing=options.paper.dino_preprocessing,
        min_similarity=options.min_similarity,
    )


def find_tools(options: Options, gate: Gate, *, is_dry: bool) -> None:
    """Be ready to judge; raises UsageError for what is missing.

    That is the judge's endpoint or eyes or, unless nothing will run, DINO's weights.
    """
    from pytest_iwr.check.judge.ask import look_for_eyes  # noqa: PLC0415 - late

    name = options.judging.model
    gate.want([name], JUDGE_OPTION, in_tests=True)
    look_for_eyes(gate.configs[name])
    if not is_dry:
        _ = recipe_of(options).dino(None, 1).version  # looks for packages and weights


def make_judge(plan: Plan, *, is_trial: bool = False) -> ModelJudge:
    """Give the judge of a run, in any process.

    For a trial it is asked once, past the cache.
    """
    from pytest_iwr.check.judge.ask import ModelJudge  # noqa: PLC0415 - heavy
    from pytest_iwr.gateway.config import load_models  # noqa: PLC0415 - late
    from pytest_iwr.gateway.naming import full_name  # noqa: PLC0415 - late

    judging = plan.options.judging
    configs = load_models(
        plan.options.making.model_config,
        os.environ,
        [judging.model],
        needs_keys=False,
        option=JUDGE_OPTION,
    )
    config = configs[judging.model]
    return ModelJudge(
        plan.chat,
        judging.model,
        repeats=1 if is_trial else judging.repeats,
        limits=config.limits,
        named=full_name(config),
        is_fresh=is_trial,
    )


class Trial:
    """Tries the judge beside the tests, once a run."""

    def __init__(self, plan: Plan) -> None:
        """Know the run; nothing is asked yet."""
        self._plan = plan
        self._thread: threading.Thread | None = None
        self._tripwire: Tripwire | None = None

    def begin(self) -> None:
        """Start, unless it has been."""
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._run, name="iwr-tripwire", daemon=True
            )
            self._thread.start()

    def end(self, *, waits: bool) -> Tripwire:
        """Give what has come of it; a run that is broken off does not wait for more."""
        from pytest_iwr.check.judge import tripwire  # noqa: PLC0415 - heavy

        if self._thread is None:
            return tripwire.skipped("no page was to be driven")
        if waits:
            self._thread.join()
        return self._tripwire or tripwire.lost("the run was broken off")

    def _run(self) -> None:
        from pytest_iwr.check.judge import tripwire  # noqa: PLC0415 - heavy

        if self._plan.options.making.cache == "only":
            self._tripwire = tripwire.skipped()
            return
        files = self._plan.files
        try:
            files.path.mkdir(parents=True, exist_ok=True)
            judge = make_judge(self._plan, is_trial=True)
            self._tripwire = tripwire.pull(judge, files.tripwire)
        except Exception as error:  # noqa: BLE001 - the run has to end in any case
            self._tripwire = tripwire.lost(f"{type(error).__name__}: {error}")
