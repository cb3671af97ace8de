"""What records call a model."""

from typing import Any

import pytest

from pytest_iwr import records as r
from pytest_iwr.gateway.naming import full_name

GOOGLE = "https://generativelanguage.googleapis.com/v1beta/openai/"
ROUTER = "https://openrouter.ai/api/v1"


@pytest.mark.parametrize(
    ("fields", "name"),
    (
        ({}, "gemini-2.5-pro"),
        ({"alias": "mine"}, "gemini-2.5-pro"),
        ({"model": "google/gemini-2.5-pro", "base_url": ROUTER}, None),
        ({"base_url": ROUTER}, "gemini-2.5-pro, at openrouter.ai"),
        (
            {"model": "tiny-vlm", "base_url": "http://localhost:8001/v1"},
            "tiny-vlm, at localhost",
        ),
        (
            {"model": "tiny-vlm", "base_url": "http://127.0.0.1:8000/v1"},
            "tiny-vlm, at 127.0.0.1",
        ),
        ({"temperature": 1.0}, "gemini-2.5-pro, temperature 1"),
        ({"temperature": None}, "gemini-2.5-pro, temperature not sent"),
        ({"reasoning_effort": "low"}, "gemini-2.5-pro, effort low"),
        ({"extra_body": {"top_k": 1}}, "gemini-2.5-pro, extra_body d22e66c0"),
    ),
)
def test_model_is_named_by_what_its_answers_depend_on(
    fields: dict[str, Any], name: str | None
) -> None:
    """Short at its maker's own address, asked as usual; the alias says nothing."""
    asked = {"alias": "judge", "model": "gemini-2.5-pro", "base_url": GOOGLE, **fields}
    config = r.ModelConfig.model_validate(asked)
    assert full_name(config) == (name or config.model)
