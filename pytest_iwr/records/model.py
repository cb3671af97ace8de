"""Models: how each is asked, and what came of asking."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from pytest_iwr.records.scalars import Record

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


class ImageLimits(Record):
    """What an endpoint takes of pictures in one request; `None`: no known limit."""

    max_images: Annotated[int, Field(ge=0)] | None = None
    max_side_px: Annotated[int, Field(ge=16)] | None = None
    many: Annotated[int, Field(ge=1)] = 20
    """More pictures than this are many."""
    max_side_px_when_many: Annotated[int, Field(ge=16)] | None = None
    max_image_bytes: Annotated[int, Field(ge=1024)] | None = None
    """Of one picture, encoded, before base64."""
    max_total_bytes: Annotated[int, Field(ge=1024)] | None = None
    """Of all pictures together, encoded, before base64."""


class Price(Record):
    """US dollars for a million tokens."""

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)]
    cached_input: Annotated[float, Field(ge=0)] | None = None
    """`None`: as `input`."""


class ModelConfig(Record):
    """How a model is asked."""

    alias: str
    """What the user calls it: `--iwr-model=ALIAS`."""
    model: str
    """What its endpoint calls it."""
    base_url: str
    """Of an OpenAI-compatible endpoint, e.g. `https://api.openai.com/v1`."""
    key_env: str | None = None
    """The environment variable with its key; `None`: it takes none."""
    max_tokens: Annotated[int, Field(ge=1)] | None = 16384
    """Of the reply. Source of the default: IWR-Bench, arXiv 2509.24709."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    """`None`: it is not sent."""
    reasoning_effort: str | None = None
    extra_body: dict[str, JsonValue] = Field(default_factory=dict)
    """Further fields of each request, as they are."""
    vision: Vision = "images"
    limits: ImageLimits = ImageLimits()
    context_tokens: Annotated[int, Field(ge=1)] | None = None
    """Of request and reply together; `None`: unknown."""
    price: Price | None = None
    timeout_s: Annotated[float, Field(gt=0)] = 600.0
    """Of one request, from its start to the last byte of its answer."""


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
