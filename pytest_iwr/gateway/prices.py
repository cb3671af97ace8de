"""What an answer costs: as its endpoint says, as lists of prices say, or unknown."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from genai_prices import Usage as Counts
from genai_prices import calc_price
from genai_prices.types import PriceCalculation
from pydantic import JsonValue

from pytest_iwr.records import ModelConfig, Price, Usage

CostSource = Literal["provider", "genai-prices", "config"]
"""Who says what it costs; `config` is the price in the user's own file."""

_TICKS = 10_000_000_000
"""Of a US dollar. Source: docs.x.ai, "Cost Tracking"."""
_MILLION = 1_000_000
_FREE = ":free"
"""How OpenRouter's models that cost nothing end."""


def price(
    config: ModelConfig, usage: Usage, body: Mapping[str, JsonValue]
) -> tuple[float | None, CostSource | None]:
    """Give what an answer costs in US dollars, and who says so.

    The first that knows is asked: the endpoint itself (`usage.cost` of OpenRouter,
    `usage.cost_in_usd_ticks` of xAI), the prices in the package `genai-prices` for the
    endpoint's address and the model, the price in the configuration. `body` is the
    answer's JSON. Both are None where nobody knows, also where the tokens are unknown:
    that is not nothing. Nothing is loaded from the network.
    """
    said = _said(body.get("usage"))
    if said is not None:
        return said, "provider"
    reported = body.get("model")
    names = [config.model, *([reported] if isinstance(reported, str) else [])]
    listed = _listed(config.base_url, names, usage)
    if listed is not None:
        return listed, "genai-prices"
    own = _own(config.price, usage)
    return own, None if own is None else "config"


def estimate(
    config: ModelConfig, input_tokens: int, output_tokens: int
) -> float | None:
    """Give what so many tokens would cost in US dollars; `None`: unknown."""
    usage = Usage(input=input_tokens, output=output_tokens)
    return price(config, usage, {})[0]


def _said(usage: JsonValue) -> float | None:
    """Give the cost that the endpoint names.

    Of a key of one's own at OpenRouter (`is_byok`), `cost` is its fee only, and the
    rest is billed by the provider behind it.
    """
    if not isinstance(usage, dict):
        return None
    cost = _amount(usage.get("cost"))
    if cost is not None:
        details = usage.get("cost_details")
        if usage.get("is_byok") is not True or not isinstance(details, dict):
            return cost
        behind = _amount(details.get("upstream_inference_cost"))
        return None if behind is None else cost + behind
    ticks = _amount(usage.get("cost_in_usd_ticks"))
    return None if ticks is None else ticks / _TICKS


def _amount(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None


def _listed(base_url: str, names: Sequence[str], usage: Usage) -> float | None:
    if usage.input is None or usage.output is None:
        return None
    counts = Counts(input_tokens=usage.input, output_tokens=usage.output)
    if usage.cached_input:
        counts.cache_read_tokens = _cached(usage, usage.input)
    for name in names:
        found = _look_up(base_url, name.removeprefix("models/"), counts)
        if found is None:
            continue
        if any(part is not None for part in vars(found.model_price).values()):
            return float(found.total_price)
        if found.model.id.endswith(_FREE):
            return 0.0
    return None


def _look_up(base_url: str, name: str, counts: Counts) -> PriceCalculation | None:
    """Give an entry of the list for this endpoint; it may have no prices at all."""
    try:
        return calc_price(counts, name, provider_api_url=base_url)
    except LookupError:
        return None


def _cached(usage: Usage, asked: int) -> int:
    """Give the cached tokens, which some endpoints count beside the others."""
    return min(usage.cached_input or 0, asked)


def _own(own: Price | None, usage: Usage) -> float | None:
    if own is None or usage.input is None or usage.output is None:
        return None
    cached = _cached(usage, usage.input)
    per_cached = own.input if own.cached_input is None else own.cached_input
    asked_usd = (usage.input - cached) * own.input + cached * per_cached
    return (asked_usd + usage.output * own.output) / _MILLION
