"""Tokens, in the shapes in which endpoints name them."""

from typing import Any

import pytest

from pytest_iwr.gateway.usage import add_usage, read_usage
from pytest_iwr.records import Usage


@pytest.mark.parametrize(
    ("body", "usage"),
    (
        (
            {
                "usage": {
                    "prompt_tokens": 100,
                    "completion_tokens": 50,
                    "total_tokens": 150,
                    "prompt_tokens_details": {"cached_tokens": 80},
                    "completion_tokens_details": {"reasoning_tokens": 30},
                }
            },
            Usage(input=100, cached_input=80, output=50, reasoning=30),
        ),
        (
            {
                "usage": {
                    "input_tokens": 5,
                    "cache_read_input_tokens": 90,
                    "cache_creation_input_tokens": 10,
                    "output_tokens": 7,
                }
            },
            Usage(input=105, cached_input=90, output=7),
        ),
        (
            {
                "usage": {
                    "input_tokens": 100,
                    "input_tokens_details": {"cached_tokens": 60},
                    "output_tokens": 9,
                    "output_tokens_details": {"reasoning_tokens": 4},
                }
            },
            Usage(input=100, cached_input=60, output=9, reasoning=4),
        ),
        (
            {
                "usage": {
                    "prompt_tokens": 10,
                    "completion_tokens": 20,
                    "total_tokens": 75,
                }
            },
            Usage(input=10, output=65, reasoning=45),
        ),
        (
            {
                "usage": {
                    "prompt_tokens": 10,
                    "completion_tokens": 20,
                    "total_tokens": 75,
                    "completion_tokens_details": {"reasoning_tokens": 45},
                }
            },
            Usage(input=10, output=65, reasoning=45),
        ),
        (
            {
                "usageMetadata": {
                    "promptTokenCount": 10,
                    "candidatesTokenCount": 20,
                    "thoughtsTokenCount": 5,
                    "cachedContentTokenCount": 4,
                    "totalTokenCount": 35,
                }
            },
            Usage(input=10, cached_input=4, output=25, reasoning=5),
        ),
        (
            {
                "usage": {
                    "prompt_tokens": 10,
                    "prompt_cache_hit_tokens": 3,
                    "completion_tokens": 2,
                }
            },
            Usage(input=10, cached_input=3, output=2),
        ),
        ({}, Usage()),
        ({"usage": None}, Usage()),
        ({"usage": []}, Usage()),
        (
            {"usage": {"prompt_tokens": "10", "completion_tokens": True}},
            Usage(),
        ),
        ({"usage": {"prompt_tokens": -1, "completion_tokens": 2.0}}, Usage(output=2)),
        (
            {"usage": {"prompt_tokens": 0, "completion_tokens": 0}},
            Usage(input=0, output=0),
        ),
        (
            {"usage": {"prompt_tokens": 3, "prompt_tokens_details": None}},
            Usage(input=3),
        ),
    ),
    ids=(
        "openai",
        "anthropic",
        "responses",
        "gemini",
        "xai",
        "google",
        "deepseek",
        "none",
        "null",
        "list",
        "words",
        "negative",
        "zero",
        "null details",
    ),
)
def test_tokens_are_read(body: dict[str, Any], usage: Usage) -> None:
    """Cached and reasoning tokens are parts of input and output; unknown is None."""
    assert read_usage(body) == usage


def test_sum_of_unknown_stays_unknown() -> None:
    """What one attempt knows is kept, what none knows is not made up."""
    total = add_usage(Usage(input=1, output=2), Usage(input=3, reasoning=0))
    assert total == Usage(input=4, output=2, reasoning=0)
