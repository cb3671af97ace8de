"""Pages that models make: prompt → answer → page, through whoever asks for us."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote

from pydantic import JsonValue, ValidationError

from pytest_iwr import records as r
from pytest_iwr.errors import BudgetError, EndpointError, UsageError
from pytest_iwr.generate.addresses import shown_url
from pytest_iwr.generate.prompt import Prompt, build_prompt
from pytest_iwr.generate.reply import read_reply
from pytest_iwr.generate.shelf import Shelf, key_of
from pytest_iwr.generate.site import store_page, write_beside, write_generation
from pytest_iwr.generate.template import Template

if TYPE_CHECKING:
    import openai

_THOUGHTS = ("reasoning_content", "reasoning", "thinking")


@dataclass(frozen=True)
class Answer:
    """What came back for a prompt."""

    body: Mapping[str, JsonValue]
    """Of the chat completion, as the endpoint gave it."""
    asked: r.Asked | None
    """What it has cost, where the gateway says so."""


class Ask(Protocol):
    """Asks a model."""

    def __call__(
        self,
        messages: Sequence[Mapping[str, JsonValue]],
        *,
        model: str,
        epoch: int,
        label: str,
    ) -> Answer:
        """Give the answer of the model with that alias; `label`: what it is for.

        Raises EndpointError or BudgetError.
        """
        ...


class ModelGenerator:
    """A generator that asks a model for each page, from many threads at once."""

    def __init__(  # noqa: PLR0913 - settings of a run, each by its name
        self,
        configs: Mapping[str, r.ModelConfig],
        ask: Ask,
        folder: Callable[[r.Task, str, int], Path],
        template: Path | None = None,
        *,
        native_video: bool = False,
        prompts: Path | None = None,
    ) -> None:
        """Know the models by alias, and where the page of a task goes.

        `prompts` is a folder for prompts that were prepared, which later runs use as
        well; without it they last as long as this object. Raises UsageError for a
        template with a fault.
        """
        self._configs = configs
        self._ask = ask
        self._folder = folder
        self._template = Template(template)
        self._native_video = native_video
        self._shelf = Shelf(prompts)

    def models(self) -> tuple[str, ...]:
        """Give the aliases of all models."""
        return tuple(self._configs)

    def prepare(self, task: r.Task, model: str) -> Prompt:
        """Give what the model will be asked, made once for a task and its limits.

        Raises TaskError or VideoError where the task has nothing to show, UsageError
        for an unknown model.
        """
        config = self._config(model)
        native = self._native_video
        key = key_of(task, config, self._template.source, native=native)
        return self._shelf.get(
            key,
            lambda: build_prompt(task, config, self._template, native_video=native),
        )

    def page(self, task: r.Task, model: str, epoch: int) -> r.Page:
        """Ask for a page and store it, with the raw answer beside its folder.

        Raises EndpointError or BudgetError where there is no answer, and as `prepare`.
        """
        config = self._config(model)
        prompt = self.prepare(task, model)
        answer = self._ask(prompt.messages, model=model, epoch=epoch, label=task.id)
        folder = self._folder(task, model, epoch)
        raw = _keep(folder, answer.body)
        reply = read_reply(answer.body)
        generation = r.Generation(
            model=config.model,
            endpoint=shown_url(config.base_url),
            prompt_sha256=prompt.sha256,
            images=prompt.images,
            dropped=prompt.dropped,
            asked=answer.asked,
            reply=f"../{raw.name}",
        )
        if reply.outcome == "page" and reply.html is not None:
            origin = f"made by {model}"
            return store_page(folder, reply.html.encode(), origin, generation)
        write_generation(folder, generation)
        kind = "no_page" if reply.outcome == "page" else reply.outcome
        return r.NoPage(kind=kind, reason=reply.reason, generation=generation)

    def close(self) -> None:
        """Forget all prompts that no later run is to use."""
        self._shelf.close()

    def _config(self, model: str) -> r.ModelConfig:
        config = self._configs.get(model)
        if config is not None:
            return config
        near = get_close_matches(model, self._configs, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        listed = ", ".join(self._configs) or "none"
        raise UsageError(
            f"--iwr-model={model}: no such model.{hint} Models that are there: "
            f"{listed}."
        )


def ask_through(client: openai.OpenAI) -> Ask:
    """Give what asks through a client of the gateway."""
    import openai  # noqa: PLC0415 - heavy

    patient = client.with_options(timeout=None, max_retries=0)

    def ask(
        messages: Sequence[Mapping[str, JsonValue]],
        *,
        model: str,
        epoch: int,
        label: str,
    ) -> Answer:
        headers = {
            r.HEADER_PURPOSE: "generate",
            r.HEADER_EPOCH: str(epoch),
            r.HEADER_SAMPLE: "0",
            r.HEADER_LABEL: quote(label),
        }
        try:
            response = patient.chat.completions.with_raw_response.create(
                model=model,
                messages=messages,  # type: ignore[arg-type]  # checked by the gateway
                extra_headers=headers,
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

    return ask


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


def _keep(folder: Path, body: Mapping[str, JsonValue]) -> Path:
    """Write the raw answer beside the page's folder; what was thought apart."""
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    held = message if isinstance(message, dict) else {}
    thought = next(
        (t for n in _THOUGHTS if isinstance(t := held.get(n), str) and t), ""
    )
    if thought:
        write_beside(folder, "thinking.txt", thought.encode("utf-8", "replace"))
    text = held.get("content")
    if not isinstance(text, str) or not text:
        text = json.dumps(dict(body), indent=1, ensure_ascii=False)
    return write_beside(folder, "reply.txt", text.encode("utf-8", "replace"))
