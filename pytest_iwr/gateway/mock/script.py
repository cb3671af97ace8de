"""What a mock endpoint answers: rules, each with when it holds and what it says."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from pytest_iwr.records.scalars import Flag, Json, Real, Record, Text, Whole

CONTENTS = ("page", "text", "refusal", "error", "json", "body")
"""What a rule answers with, one of these."""


def _several(value: object) -> object:
    return value if isinstance(value, tuple | list) else (value,)


Counts = Annotated[tuple[Annotated[Whole, Field(ge=1)], ...], BeforeValidator(_several)]
Names = Annotated[tuple[Text, ...], BeforeValidator(_several)]


class When(Record):
    """When a rule holds: all that is given must be so."""

    model: Text | None = None
    """Of the request, as a pattern: `gpt-*`."""
    text: Text | None = None
    """Stands somewhere in the text of the messages."""
    has: Names = ()
    """A field that the request's body holds; of several one is enough."""
    unless: dict[str, Json] = Field(default_factory=dict)
    """Fields with values: a request that holds one of them is passed over."""
    more_images_than: Annotated[Whole, Field(ge=0)] | None = None
    nth: Counts = ()
    """The n-th of the requests for which all of the above is so, from 1, whichever rule
    answered the others."""
    attempt: Counts = ()
    """The n-th time that the very same messages come, from 1."""
    chance: Annotated[Real, Field(ge=0, le=1)] = 1.0
    """Decided by the script's seed, the messages and the attempt: not by the order in
    which requests come."""


class ErrorBody(Record):
    """The `error` of an answer, as OpenAI's endpoints write it."""

    message: Text = "The mock endpoint was told to fail."
    type: Text | None = None
    code: Text | None = None
    param: Text | None = None


class TokenUsage(Record):
    """The `usage` of an answer."""

    prompt: Annotated[Whole, Field(ge=0)] = 0
    completion: Annotated[Whole, Field(ge=0)] = 0
    """With the reasoning tokens."""
    cached: Annotated[Whole, Field(ge=0)] | None = None
    reasoning: Annotated[Whole, Field(ge=0)] | None = None
    cost: Real | None = None
    """US dollars, as OpenRouter reports them."""


class Answer(Record):
    """What is answered; by default a small page in a fence."""

    page: Path | None = None
    """A file that is put into a fence; in a script relative to the script's folder."""
    text: Text | None = None
    """The message's text as it is."""
    refusal: Text | None = None
    error: ErrorBody | None = None
    """An error as JSON; the status is 500, unless it is given."""
    json_: Annotated[Json, Field(alias="json")] = None
    """The whole body as data."""
    body: Text | None = None
    """The whole body as text, in UTF-8."""
    content_type: Text = "text/html; charset=utf-8"
    """Of `body`."""
    status: Annotated[Whole, Field(ge=200, le=599)] | None = None
    """`None`: 200, or 500 for an error. 400 and more without content is an error."""
    headers: dict[str, Text] = Field(default_factory=dict)
    retry_after_s: Annotated[Real, Field(ge=0)] | None = None
    retry_after_as: Literal["seconds", "date", "ms"] = "seconds"
    """`seconds`: rounded up; `date`: of HTTP, rounded up; `ms`: `retry-after-ms`."""
    finish_reason: Text = "stop"
    reasoning: Text | None = None
    """The message's `reasoning_content`."""
    usage: TokenUsage | None = None
    """`None`: counted roughly, a token for four characters."""
    latency_s: Annotated[Real, Field(ge=0)] | None = None
    """Before the first byte; `None`: the script's."""
    bytes_per_s: Annotated[Real, Field(gt=0)] | None = None
    """How fast the body comes; `None`: at once."""
    cut_at: Annotated[Real, Field(ge=0, lt=1)] | None = None
    """After this share of the body the connection is closed; its length was given."""
    drops: Flag = False
    """Closes the connection instead of answering."""
    hangs: Flag = False
    """Never answers; the client has to give up."""

    @model_validator(mode="after")
    def _one_content(self) -> Self:
        given = [name for name in CONTENTS if self.is_given(name)]
        if len(given) > 1:
            raise ValueError(f"has {' and '.join(given)}. Keep one of them")
        return self

    def is_given(self, content: str) -> bool:
        """Tell whether it has this one of CONTENTS."""
        return getattr(self, "json_" if content == "json" else content) is not None


class Rule(Answer):
    """An answer, and when it is given."""

    when: When = When()


class Script(Record):
    """All that a mock endpoint does: the first rule that holds answers."""

    seed: Whole = 0
    latency_s: Annotated[Real, Field(ge=0)] = 0.0
    """Before the first byte of every answer that has none of its own."""
    rules: tuple[Rule, ...] = ()
    """Where none holds, the answer is a small page."""
