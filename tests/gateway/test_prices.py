"""What an answer costs, and who says so."""

import socket

import pytest
from pydantic import JsonValue

from pytest_iwr.gateway.prices import estimate, price
from pytest_iwr.records import ModelConfig, Price, Usage

OPENAI = "https://api.openai.com/v1"
OPENROUTER = "https://openrouter.ai/api/v1"
USAGE = Usage(input=1_000_000, output=1_000_000)
OWN = Price(input=2, output=3, cached_input=0.5)


def config(model: str, base_url: str, own: Price | None = None) -> ModelConfig:
    """Give a model at an endpoint."""
    return ModelConfig(alias="a", model=model, base_url=base_url, price=own)


@pytest.mark.parametrize(
    ("usage", "cost"),
    (
        ({"cost": 0.25}, 0.25),
        ({"cost": 0}, 0.0),
        (
            {
                "cost": 0.25,
                "is_byok": False,
                "cost_details": {"upstream_inference_cost": 0.25},
            },
            0.25,
        ),
        (
            {
                "cost": 0.25,
                "is_byok": True,
                "cost_details": {"upstream_inference_cost": 5},
            },
            5.25,
        ),
        ({"cost_in_usd_ticks": 37_756_000}, 0.0037756),
    ),
)
def test_endpoints_own_cost_comes_first(
    usage: dict[str, JsonValue], cost: float
) -> None:
    """What the endpoint says is billed holds against every list of prices."""
    asked = config("gpt-5", OPENAI, OWN)
    found, source = price(asked, USAGE, {"usage": usage})
    assert found == pytest.approx(cost)
    assert source == "provider"


@pytest.mark.parametrize("cost", (-1, True, "0.2", None, float("nan"), {"total": 1}))
def test_cost_that_is_no_amount_is_passed_over(cost: JsonValue) -> None:
    """Only a finite number that is not negative is a cost."""
    asked = config("m", "http://127.0.0.1:1/v1", OWN)
    assert price(asked, USAGE, {"usage": {"cost": cost}}) == (5.0, "config")


def test_own_key_without_the_other_bill_is_no_whole_cost() -> None:
    """A fee alone is not what an answer costs."""
    asked = config("m", OPENROUTER)
    body: dict[str, JsonValue] = {
        "usage": {"cost": 0.1, "is_byok": True, "cost_details": {}}
    }
    assert price(asked, USAGE, body) == (None, None)


def test_list_of_prices_comes_before_the_own_price() -> None:
    """The package's price of GPT-5 is OpenAI's: $1.25 and $10 for a million."""
    asked = config("gpt-5", OPENAI, OWN)
    found, source = price(asked, USAGE, {})
    assert found == pytest.approx(11.25)
    assert source == "genai-prices"


def test_cached_tokens_cost_their_own_price() -> None:
    """Half of the input at $1.25, half at $0.125 for a million."""
    usage = Usage(input=1_000_000, cached_input=500_000, output=0, reasoning=0)
    assert price(config("gpt-5", OPENAI), usage, {})[0] == pytest.approx(0.6875)


def test_reasoning_tokens_are_part_of_the_output() -> None:
    """They are paid once, with the output that holds them."""
    with_, without = (
        Usage(input=0, output=1000, reasoning=reasoning) for reasoning in (900, None)
    )
    asked = config("gpt-5", OPENAI)
    assert price(asked, with_, {}) == price(asked, without, {})


@pytest.mark.parametrize(
    ("model", "base_url"),
    (
        ("claude-sonnet-4-20250514", "https://api.anthropic.com/v1/"),
        ("gemini-2.5-pro", "https://generativelanguage.googleapis.com/v1beta/openai/"),
        (
            "models/gemini-2.5-pro",
            "https://generativelanguage.googleapis.com/v1beta/openai/",
        ),
        ("anthropic/claude-sonnet-4", OPENROUTER),
        ("grok-4", "https://api.x.ai/v1"),
        ("deepseek-chat", "https://api.deepseek.com/v1"),
    ),
)
def test_common_models_have_a_listed_price(model: str, base_url: str) -> None:
    """The address tells the provider, whoever else sells the model."""
    found, source = price(config(model, base_url), USAGE, {})
    assert source == "genai-prices"
    assert found is not None
    assert found > 0


def test_reported_model_helps_where_the_name_is_unknown() -> None:
    """An alias of the endpoint's own is looked up by what it answered with."""
    asked = config("our-deployment", OPENAI)
    assert price(asked, USAGE, {"model": "gpt-5-2025-08-07"})[0] is not None
    assert price(asked, USAGE, {"model": "our-deployment"}) == (None, None)


def test_same_model_elsewhere_is_unknown() -> None:
    """A model of one's own machine does not cost what another provider takes."""
    assert price(config("gpt-5", "http://127.0.0.1:8000/v1"), USAGE, {}) == (None, None)


def test_listed_without_a_price_is_unknown() -> None:
    """The list names models without a price; these are not for nothing."""
    copilot = config("gpt-4o", "https://api.githubcopilot.com")
    assert price(copilot, USAGE, {}) == (None, None)


def test_free_models_cost_nothing() -> None:
    """The list has OpenRouter's free models without a price, and names them so."""
    asked = config("openai/gpt-oss-20b:free", OPENROUTER)
    assert price(asked, USAGE, {}) == (0.0, "genai-prices")


def test_own_price_comes_last() -> None:
    """A million in at $2, of which half cached at $0.5, and a million out at $3."""
    asked = config("m", "http://127.0.0.1:1/v1", OWN)
    half = Usage(input=1_000_000, cached_input=500_000, output=1_000_000)
    found, source = price(asked, half, {})
    assert found == pytest.approx(4.25)
    assert source == "config"


def test_own_price_without_one_for_cached_tokens_takes_that_of_input() -> None:
    """Without a price of their own they cost what all input costs."""
    asked = config("m", "http://127.0.0.1:1/v1", Price(input=2, output=3))
    usage = Usage(input=1_000_000, cached_input=400_000, output=0)
    assert price(asked, usage, {})[0] == pytest.approx(2.0)


@pytest.mark.parametrize(
    "usage", (Usage(), Usage(input=5), Usage(output=5), Usage(cached_input=5))
)
def test_unknown_tokens_have_no_cost(usage: Usage) -> None:
    """Where an endpoint counts nothing, the cost is unknown and not zero."""
    for asked in (
        config("gpt-5", OPENAI, OWN),
        config("m", "http://127.0.0.1/v1", OWN),
    ):
        assert price(asked, usage, {}) == (None, None)


def test_more_cached_tokens_than_input_are_no_crash() -> None:
    """An endpoint that counts them apart gets the price of cached input."""
    usage = Usage(input=100, cached_input=1_000_000, output=0)
    assert price(config("gpt-5", OPENAI), usage, {})[0] == pytest.approx(1.25e-5)


def test_estimate_is_the_price_of_so_many_tokens() -> None:
    """The plan of a run asks before there is an answer."""
    assert estimate(config("gpt-5", OPENAI), 1_000_000, 100_000) == pytest.approx(2.25)
    assert estimate(config("m", "http://127.0.0.1:1/v1"), 5, 5) is None


def test_nothing_is_loaded_from_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """All prices are there without a connection."""

    def refuse(*_: object) -> None:
        pytest.fail("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert estimate(config("gpt-5-mini", OPENAI), 1000, 1000)
