"""Tokens as endpoints count them, in whatever shape they say it."""

from collections.abc import Mapping

from pydantic import JsonValue

from pytest_iwr.records import Usage

_INPUT = ("prompt_tokens", "input_tokens", "promptTokenCount")
_OUTPUT = ("completion_tokens", "output_tokens", "candidatesTokenCount")
_CACHED = (
    "prompt_tokens_details.cached_tokens",
    "input_tokens_details.cached_tokens",
    "prompt_cache_hit_tokens",
    "cache_read_input_tokens",
    "cachedContentTokenCount",
    "cached_tokens",
)
_REASONING = (
    "completion_tokens_details.reasoning_tokens",
    "output_tokens_details.reasoning_tokens",
    "thoughtsTokenCount",
    "reasoning_tokens",
)
_TOTAL = ("total_tokens", "totalTokenCount")


def read_usage(body: Mapping[str, JsonValue]) -> Usage:
    """Give the tokens that an answer's JSON names.

    Reads the shapes of OpenAI, Anthropic, Gemini, DeepSeek, xAI and OpenRouter. Where
    the total is more than input and output, the rest is reasoning that the endpoint
    left out of its output, and is counted as output.
    """
    said = body.get("usage") or body.get("usageMetadata")
    if not isinstance(said, dict):
        return Usage()
    asked, output = _first(said, _INPUT), _first(said, _OUTPUT)
    cached, reasoning = _first(said, _CACHED), _first(said, _REASONING)
    if asked is not None and "prompt_tokens" not in said:
        # Anthropic's own shape: three kinds of input, side by side.
        for name in ("cache_read_input_tokens", "cache_creation_input_tokens"):
            asked += _count(said.get(name)) or 0
    total = _first(said, _TOTAL)
    if None not in (asked, output, total):
        left_out = (total or 0) - (asked or 0) - (output or 0)
        if left_out > 0:
            output = (output or 0) + left_out
            reasoning = reasoning or left_out
    return Usage(input=asked, cached_input=cached, output=output, reasoning=reasoning)


def add_usage(one: Usage, other: Usage) -> Usage:
    """Give the sum of two; what neither knows stays unknown."""
    first, second = one.model_dump(), other.model_dump()
    return Usage(
        **{
            name: None
            if first[name] is None and second[name] is None
            else (first[name] or 0) + (second[name] or 0)
            for name in first
        }
    )


def _first(said: Mapping[str, JsonValue], names: tuple[str, ...]) -> int | None:
    for name in names:
        value: JsonValue = dict(said)
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        count = _count(value)
        if count is not None:
            return count
    return None


def _count(value: JsonValue) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        return None
    return int(value)
