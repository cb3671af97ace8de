"""Asking models through the gateway, with its client, in any process of a run."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self
from urllib.parse import quote

from pydantic import JsonValue, ValidationError

from pytest_iwr import records as r
from pytest_iwr.errors import BudgetError, EndpointError
from pytest_iwr.letters import whole

if TYPE_CHECKING:
    import openai


@dataclass(frozen=True)
class Answer:
    """What came back for some messages."""

    body: Mapping[str, JsonValue]
    """Of the chat completion, as the endpoint gave it."""
    asked: r.Asked | None
    """What it has cost, where the gateway says so."""


class GatewayChat:
    """Asks the models of a gateway, from many threads at once.

    It has the gateway's address and this run's token, never a key. A `ports.Chat`.
    """

    def __init__(self, url: str, token: str) -> None:
        """Know the gateway; the client is made when something is asked."""
        self._url = url
        self._token = token
        self._client: openai.OpenAI | None = None
        self._lock = threading.Lock()

    def ask(  # noqa: PLR0913 - what tells one question from another
        self,
        messages: Sequence[Mapping[str, JsonValue]],
        *,
        model: str,
        purpose: r.Purpose,
        label: str,
        epoch: int = 1,
        sample: int = 0,
        parameters: Mapping[str, JsonValue] | None = None,
        is_fresh: bool = False,
    ) -> r.ChatReply:
        """Give what the model with that alias says; see `ports.Chat`.

        Raises EndpointError or BudgetError.
        """
        answer = self.complete(
            messages,
            model=model,
            purpose=purpose,
            label=label,
            epoch=epoch,
            sample=sample,
            parameters=parameters,
            is_fresh=is_fresh,
        )
        return r.ChatReply(
            text=text_of(answer.body),
            model=_word(answer.body.get("model")),
            fingerprint=_word(answer.body.get("system_fingerprint")),
            asked=answer.asked,
        )

    def complete(  # noqa: PLR0913 - as `ask`
        self,
        messages: Sequence[Mapping[str, JsonValue]],
        *,
        model: str,
        purpose: r.Purpose,
        label: str,
        epoch: int = 1,
        sample: int = 0,
        parameters: Mapping[str, JsonValue] | None = None,
        is_fresh: bool = False,
    ) -> Answer:
        """Give the whole answer, as the endpoint gave it; else as `ask`."""
        import openai  # noqa: PLC0415 - heavy

        headers = {
            r.HEADER_PURPOSE: purpose,
            r.HEADER_EPOCH: str(epoch),
            r.HEADER_SAMPLE: str(sample),
            r.HEADER_LABEL: quote(label),
            r.HEADER_FRESH: str(int(is_fresh)),
        }
        try:
            response = self._opened().chat.completions.with_raw_response.create(
                model=model,
                messages=messages,  # type: ignore[arg-type]  # checked by the gateway
                extra_headers=headers,
                extra_body=dict(parameters or {}),
            )
        except openai.APIStatusError as error:
            raise _failure(model, error.body, str(error)) from error
        except openai.OpenAIError as error:
            raise EndpointError(
                f"{model}: the gateway does not answer: {error}. Run again."
            ) from error
        raw = response.http_response
        return Answer(
            _json(model, raw.content), _asked(raw.headers.get(r.HEADER_ASKED))
        )

    def close(self) -> None:
        """Close the connections; the next question opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def __enter__(self) -> Self:
        """Give it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def _opened(self) -> openai.OpenAI:
        import openai  # noqa: PLC0415 - heavy

        with self._lock:
            if self._client is None:
                self._client = openai.OpenAI(
                    base_url=self._url,
                    api_key=self._token,
                    timeout=None,  # the gateway keeps those of the endpoints
                    max_retries=0,  # as it does all retries
                    # It is on this machine: a user's proxy must not see it.
                    http_client=openai.DefaultHttpx2Client(trust_env=False),
                )
            return self._client


def text_of(body: Mapping[str, JsonValue]) -> str:
    """Give what a chat completion says, without what was thought; "" is nothing."""
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):  # some endpoints give it in parts
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return whole("".join(part for part in parts if isinstance(part, str)))
    return whole(content) if isinstance(content, str) else ""


def _word(value: JsonValue) -> str | None:
    return whole(value) if isinstance(value, str) and value else None


def _failure(model: str, body: object, said: str) -> EndpointError | BudgetError:
    """Give the error that the gateway's own JSON stands for."""
    error = body if isinstance(body, dict) else {}
    message = error.get("message")
    text = message if isinstance(message, str) and message else said
    if error.get("code") == "iwr_budget":
        return BudgetError(text)
    return EndpointError(text if text.startswith(f"{model}: ") else f"{model}: {text}")


def _json(model: str, body: bytes) -> Mapping[str, JsonValue]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        data = error
    if isinstance(data, dict):
        return data
    raise EndpointError(
        f"{model}: the answer is no JSON object: {body[:80]!r}. Run again; see whether "
        "the endpoint is up."
    )


def _asked(header: str | None) -> r.Asked | None:
    """Read what the gateway says about an answer; other endpoints say nothing."""
    try:
        return None if header is None else r.Asked.model_validate_json(header)
    except ValidationError:
        return None
