"""Models: how each is asked, and what came of asking."""

from typing import Annotated, Literal

from pydantic import Field

from pytest_iwr.records.scalars import OR_NULL, Json, Real, Record, Text, Whole

Purpose = Literal["generate", "ground", "judge"]
"""What a model is asked for; part of the cache's key."""

Vision = Literal["none", "images", "video"]
"""What a model can be shown; `video` takes images as well."""


HEADER_PURPOSE = "X-Iwr-Purpose"
"""Of a request to the gateway: a `Purpose`; by default `generate`."""
HEADER_EPOCH = "X-Iwr-Epoch"
"""Of a request: a whole number from 1; by default 1."""
HEADER_SAMPLE = "X-Iwr-Sample"
"""Of a request: a whole number from 0; by default 0."""
HEADER_LABEL = "X-Iwr-Label"
"""Of a request: what it is for, in percent-encoded words."""
HEADER_FRESH = "X-Iwr-Fresh"
"""Of a request: `1` has it asked anew, whatever the cache holds; by default `0`."""
HEADER_CACHE = "X-Iwr-Cache"
"""Of an answer: `hit` or `miss`."""
HEADER_ASKED = "X-Iwr-Asked"
"""Of an answer: JSON of `Asked`, in ASCII."""

GatewayCode = Literal[
    "iwr_endpoint",
    "iwr_budget",
    "iwr_cache_miss",
    "iwr_unknown_model",
    "iwr_token",
    "iwr_request",
]
"""Why the gateway has no answer: `error.code` of its own JSON.

The endpoint failed (status 502), the run may spend no more (402), the cache alone is
allowed and has no answer (424), no model has that alias (404), the caller has not this
run's token (401), the request makes no sense (400, 413).
"""


_Count = Annotated[Whole, Field(ge=1)]
_Bytes = Annotated[Whole, Field(ge=1024)]
_Side = Annotated[Whole, Field(ge=16)]
_Usd = Annotated[Real, Field(ge=0)]


class ImageLimits(Record):
    """What an endpoint takes of pictures in one request; `None`: no known limit."""

    max_images: Annotated[Annotated[Whole, Field(ge=0)] | None, OR_NULL] = None
    max_side_px: Annotated[_Side | None, OR_NULL] = None
    many: _Count = 20
    """More pictures than this are many."""
    max_side_px_when_many: Annotated[_Side | None, OR_NULL] = None
    max_image_bytes: Annotated[_Bytes | None, OR_NULL] = None
    """Of one picture, encoded, before base64."""
    max_total_bytes: Annotated[_Bytes | None, OR_NULL] = None
    """Of all pictures together, encoded, before base64."""


class Price(Record):
    """US dollars for a million tokens."""

    input: _Usd
    output: _Usd
    cached_input: Annotated[_Usd | None, OR_NULL] = None
    """`None`: as `input`."""


class AskOptions(Record):
    """How a model is asked, wherever it is."""

    max_tokens: Annotated[_Count | None, OR_NULL] = 16384
    """Of the reply; `None`: it is not sent. Source of the default: IWR-Bench, arXiv
    2509.24709."""
    temperature: Annotated[Annotated[Real, Field(ge=0, le=2)] | None, OR_NULL] = 0.0
    """`None`: it is not sent."""
    reasoning_effort: Annotated[Text | None, OR_NULL] = None
    """As the endpoint names it, e.g. `low`; `None`: it is not sent."""
    extra_body: dict[str, Json] = Field(default_factory=dict)
    """Further fields of each request, as they are."""
    vision: Vision = "images"
    limits: ImageLimits = ImageLimits()
    context_tokens: Annotated[_Count | None, OR_NULL] = None
    """Of request and reply together; `None`: unknown."""
    price: Annotated[Price | None, OR_NULL] = None
    timeout_s: Annotated[Real, Field(gt=0)] = 600.0
    """Of one request, from its start to the last byte of its answer."""


class ModelConfig(AskOptions):
    """A model, where it is and how it is asked."""

    alias: str
    """What the user calls it: `--iwr-model=ALIAS`."""
    model: str
    """What its endpoint calls it."""
    base_url: str
    """Of an OpenAI-compatible endpoint, e.g. `https://api.openai.com/v1`."""
    key_env: str | None = None
    """The environment variable with its key; `None`: it takes none."""


class Usage(Record):
    """Tokens of one answer, as its endpoint counts them; `None`: it did not say."""

    input: int | None = None
    cached_input: int | None = None
    """The part of `input` that the endpoint had in its own cache."""
    output: int | None = None
    """With the reasoning tokens."""
    reasoning: int | None = None


class Asked(Record):
    """What one request has cost; a line of the ledger."""

    key: str
    """Of the cache: SHA-256 in hex."""
    alias: str
    model: str
    purpose: Purpose
    epoch: int = 1
    sample: int = 0
    label: str = ""
    """What it was asked for, in words, e.g. the task's id."""
    is_hit: bool
    """The answer came from the cache, and cost nothing now."""
    status: Literal["ok", "cut_off", "failed"]
    """`failed`: no usable answer, after all retries."""
    attempts: int
    """Requests to the endpoint; 0 for a hit."""
    usage: Usage = Usage()
    cost_usd: float | None = None
    """`None`: unknown, which is not nothing."""
    cost_source: Literal["provider", "genai-prices", "config", "cache"] | None = None
    waited_s: float = 0.0
    """In the queue and between retries."""
    took_s: float = 0.0
    """Of the last attempt."""
    adapted: tuple[str, ...] = ()
    """Parameters that the endpoint refused, and what was sent instead."""
    reason: str | None = None
    """Why it failed."""


class ChatReply(Record):
    """What a model said, and who it says it is."""

    text: str
    """Empty where it said nothing."""
    model: str | None = None
    """Name and version of the model, as its endpoint reports it."""
    fingerprint: str | None = None
    """`system_fingerprint`, where the endpoint gives one."""
    asked: Asked | None = None
    """What it has cost, where the gateway says so."""


class Reply(Record):
    """What a model's answer holds: a page, or why there is none."""

    outcome: Literal["page", "refused", "filtered", "empty", "no_page", "cut_off"]
    """What is not `page` is the kind of the model's failure."""
    html: str | None = None
    """The page, byte for byte as the model wrote it."""
    reason: str = ""
    """In words; empty for a page."""


class Generation(Record):
    """How a page was made: stored beside it."""

    model: str
    endpoint: str = ""
    prompt_sha256: str = ""
    images: int = 0
    dropped: tuple[str, ...] = ()
    """What was shrunk or left out before sending, in words."""
    asked: Asked | None = None
    reply: str | None = None
    """The file with the raw answer, relative to the page's folder."""
