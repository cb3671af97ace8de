"""The example of a file of models, as it ships."""

import re
from pathlib import Path

import pytest

from pytest_iwr.artifacts import slug
from pytest_iwr.gateway.config import find_keys, load_models
from pytest_iwr.gateway.prices import estimate
from pytest_iwr.records import ModelConfig

FILE = Path(__file__).parents[2] / "examples" / "models.yaml"
TEXT = FILE.read_text(encoding="utf-8")
ALIASES = re.findall(
    r"^  ([\w./:-]+):$", TEXT.partition("\nmodels:\n")[2], re.MULTILINE
)
ENVIRON = {name: f"key-of-{name}" for name in re.findall(r"key_env: (\w+)", TEXT)}
LOCAL = {"qwen2.5-vl-local", "smollm2", "gemma3"}


@pytest.fixture(scope="module")
def models() -> dict[str, ModelConfig]:
    """Give all models of the file."""
    return load_models(FILE, ENVIRON, ALIASES)


def test_every_alias_is_a_model(models: dict[str, ModelConfig]) -> None:
    """The file can be loaded, and holds those that are named in the documentation."""
    assert list(models) == ALIASES
    assert {"gpt-5", "claude-sonnet-4", "claude-sonnet-4-thinking"} <= models.keys()
    assert find_keys(models, ENVIRON) == {
        config.key_env: ENVIRON[config.key_env]
        for config in models.values()
        if config.key_env
    }


@pytest.mark.parametrize("alias", ALIASES)
def test_every_model_has_limits_that_fit_together(
    models: dict[str, ModelConfig], alias: str
) -> None:
    """A reply fits into the context, a picture into a request, thinking into a reply."""
    config = models[alias]
    context = config.context_tokens or 0
    assert (config.max_tokens or 0) < context
    limits = config.limits
    if limits.max_total_bytes is not None:
        assert (limits.max_image_bytes or 0) < limits.max_total_bytes
    thinking = config.extra_body.get("thinking")
    if isinstance(thinking, dict):
        budget = thinking["budget_tokens"]
        assert isinstance(budget, int)
        assert budget < (config.max_tokens or 0)
        assert config.temperature is None


@pytest.mark.parametrize("alias", ALIASES)
def test_every_model_has_a_price(models: dict[str, ModelConfig], alias: str) -> None:
    """A maximum cost can be kept: from the list of prices, or from the file."""
    cost = estimate(models[alias], 100_000, 10_000)
    is_free = alias in LOCAL or alias.endswith(":free")
    assert cost is not None
    assert (cost == 0) is is_free


@pytest.mark.parametrize("alias", sorted(set(ALIASES) - LOCAL))
def test_models_elsewhere_are_asked_with_a_key_and_encrypted(
    models: dict[str, ModelConfig], alias: str
) -> None:
    """No key crosses a network in the clear."""
    assert models[alias].base_url.startswith("https://")
    assert models[alias].key_env


def test_local_models_need_no_key() -> None:
    """A server on this machine is asked without one."""
    found = load_models(FILE, {}, sorted(LOCAL))
    assert {config.key_env for config in found.values()} == {None}


def test_names_are_safe_and_apart_in_paths() -> None:
    """Each alias gives a folder of its own."""
    slugs = {slug(alias) for alias in ALIASES}
    assert len(slugs) == len(ALIASES)
    assert not any(re.search(r"[/:\\]", name) for name in slugs)


def test_thinking_is_what_its_name_says(models: dict[str, ModelConfig]) -> None:
    """The alias with thinking is the other one, but for how it is asked."""
    plain, thinking = models["claude-sonnet-4"], models["claude-sonnet-4-thinking"]
    assert plain.model == thinking.model == "claude-sonnet-4-20250514"
    assert plain.limits == thinking.limits
    assert plain.limits.max_side_px_when_many == 2000
