"""What a protocol's scores are made with: told by options, kept with a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pytest_iwr.records import Record

if TYPE_CHECKING:
    from pytest_iwr import ports
    from pytest_iwr.check.dino import Dino
    from pytest_iwr.check.judge.ask import ModelJudge

ProtocolId = Literal["offline", "iwr-bench"]
DEFAULT_JUDGE = "gemini-2.5-pro"
"""The paper's."""


class Recipe(Record):
    """A protocol, and what the user has chosen for it."""

    protocol: ProtocolId = "offline"
    judge: str = DEFAULT_JUDGE
    """The alias of the judge model."""
    repeats: int = 1
    """How often the judge is asked each question."""
    dino_weights: str | None = None
    """The file, absolute; `None`: from the hub."""
    dino_preprocessing: Literal["paper", "full"] = "paper"
    min_similarity: float | None = None
    """For checkpoints without a minimum of their own, 0..1; `None`: as measured."""

    @property
    def has_judge(self) -> bool:
        """Tell whether a judge is a part of the protocol."""
        return self.protocol == "iwr-bench"

    @property
    def minimum(self) -> float:
        """The similarity for checkpoints without a minimum of their own."""
        from pytest_iwr.check.offline import MIN_SIMILARITY  # noqa: PLC0415 - heavy

        return MIN_SIMILARITY if self.min_similarity is None else self.min_similarity

    def scorer(
        self, judge: ModelJudge | None, cache: Path | None, threads: int
    ) -> ports.Scorer:
        """Give the scorer; without a judge that of `offline`.

        What was read or embedded is kept below `cache`; so many threads read and embed.
        """
        if judge is None:
            from pytest_iwr.check.offline import OfflineScorer  # noqa: PLC0415 - heavy

            return OfflineScorer(cache, threads)
        from pytest_iwr.check.paper import PaperScorer  # noqa: PLC0415 - heavy

        return PaperScorer(
            judge,
            self.dino(cache, threads),
            judged_by=judge.description,
            cache=cache,
            threads=threads,
        )

    def dino(self, cache: Path | None, threads: int) -> Dino:
        """Give the metric DINO; nothing is loaded yet."""
        from pytest_iwr.check.dino import Dino  # noqa: PLC0415 - heavy

        return Dino(
            None if self.dino_weights is None else Path(self.dino_weights),
            preprocessing=self.dino_preprocessing,
            threads=threads,
            cache=cache,
        )

    def changed(self, told: Mapping[str, object]) -> Recipe:
        """Give one in which some fields are others; `None` leaves a field as it is."""
        new = {name: value for name, value in told.items() if value is not None}
        return Recipe.model_validate({**self.model_dump(), **new})
