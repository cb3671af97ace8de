"""Judgements: what a judge model was asked, what it replied, and how that was read."""

from pydantic import Field

from pytest_iwr.records.scalars import Record


class Sample(Record):
    """One reply of a judge, and what it says."""

    number: int
    """Of the sample, as the gateway counts them from 0."""
    model: str | None = None
    """Name and version of the model, as its endpoint reports it."""
    fingerprint: str | None = None
    """`system_fingerprint`, where the endpoint gives one."""
    verdict: bool | None = None
    """Of an assertion; `None` also where the reply cannot be read."""
    score: float | None = None
    """Of two pictures, 0..100; `None` also where the reply cannot be read."""
    parts: dict[str, float] = Field(default_factory=dict)
    """Points by the parts of the rubric, where the judge gives them."""
    reason: str = ""
    seen: str = ""
    """What the judge says that it sees."""
    reply: str | None = None
    """All that it said; `None` in results, which name the file with it."""
    cost_usd: float | None = None
    """`None`: unknown, or in results, which are equal whether it was paid or kept."""


class Judgement(Record):
    """What came of one question to a judge."""

    question: str
    """Kind and version of what was asked, e.g. `assertion 2`."""
    judge: str
    """The alias of the judge model."""
    asked: str = ""
    """The assertion; "" where two pictures were compared."""
    verdict: bool | None = None
    """Of most samples."""
    score: float | None = None
    """The median of the samples, 0..100."""
    samples: tuple[Sample, ...] = ()
    """All replies, those that could not be read as well."""
    prompt: tuple[str, ...] = ()
    """What the judge was told, without the pictures; empty in results."""
    pictures: tuple[str, ...] = ()
    """What it was shown, in order."""
    evidence: str | None = None
    """The file with the whole of it, relative to the item's folder."""

    def brief(self) -> "Judgement":
        """Give what results hold of it."""
        without = {"reply": None, "cost_usd": None}
        samples = tuple(sample.model_copy(update=without) for sample in self.samples)
        return self.model_copy(update={"prompt": (), "samples": samples})
