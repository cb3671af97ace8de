"""What one question took: attempts, tokens, money and time."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from pytest_iwr.gateway.prices import CostSource, price
from pytest_iwr.gateway.question import Question
from pytest_iwr.gateway.scrub import Scrub
from pytest_iwr.gateway.usage import add_usage, read_usage
from pytest_iwr.records import Asked, Usage


@dataclass
class Tally:
    """Counts while a question is asked."""

    began_s: float
    """By the loop's clock."""
    attempts: int = 0
    retries: int = 0
    took_s: float = 0.0
    """Of the last attempt."""
    all_took_s: float = 0.0
    adapted: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    known_usd: float = 0.0
    source: CostSource | None = None
    unpriced: int = 0
    """Answers whose price is unknown."""
    lost: int = 0
    """Attempts without a whole answer, which may have been billed all the same."""

    def bill(self, question: Question, data: Mapping[str, JsonValue]) -> None:
        """Count an answer that is paid for."""
        usage = read_usage(data)
        usd, source = price(question.config, usage, data)
        self.usage = add_usage(self.usage, usage)
        self.unpriced += usd is None
        self.known_usd += usd or 0.0
        self.source = source or self.source

    @property
    def cost_usd(self) -> float | None:
        """What it has cost; `None`: unknown.

        Of an answer whose earlier attempts were lost, it is what the answer has cost.
        """
        is_known = not self.unpriced and not (self.lost and self.source is None)
        return self.known_usd if is_known else None

    def most_usd(self, each_usd: float) -> float:
        """What it may have cost at most, where one attempt costs at most so much."""
        return self.known_usd + each_usd * (self.unpriced + self.lost)

    def asked(
        self,
        question: Question,
        status: Literal["ok", "cut_off", "failed"],
        *,
        now_s: float,
        scrub: Scrub,
        reason: str | None = None,
    ) -> Asked:
        """Give the record, without any key in its words."""
        config = question.config
        return Asked(
            key=question.key,
            alias=config.alias,
            model=config.model,
            purpose=question.purpose,
            epoch=question.epoch,
            sample=question.sample,
            label=question.label,
            is_hit=False,
            status=status,
            attempts=self.attempts,
            usage=self.usage,
            cost_usd=self.cost_usd,
            cost_source=None if self.cost_usd is None else self.source,
            waited_s=round(max(0.0, now_s - self.began_s - self.all_took_s), 6),
            took_s=round(self.took_s, 6),
            adapted=tuple(scrub.words(words) for words in self.adapted),
            reason=None if reason is None else scrub.words(reason),
        )
