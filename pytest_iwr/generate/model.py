"""Pages that models make: prompt → answer → page, through whoever asks for us."""

import json
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Protocol

from pydantic import JsonValue

from pytest_iwr import records as r
from pytest_iwr.addresses import shown_url
from pytest_iwr.chat import Answer, GatewayChat
from pytest_iwr.errors import UsageError
from pytest_iwr.generate.prompt import Prompt, build_prompt
from pytest_iwr.generate.reply import read_reply
from pytest_iwr.generate.shelf import Shelf, key_of
from pytest_iwr.generate.site import store_page, write_beside, write_generation
from pytest_iwr.generate.template import Template

_THOUGHTS = ("reasoning_content", "reasoning", "thinking")


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


def ask_through(chat: GatewayChat) -> Ask:
    """Give what asks through the gateway."""

    def ask(
        messages: Sequence[Mapping[str, JsonValue]],
        *,
        model: str,
        epoch: int,
        label: str,
    ) -> Answer:
        return chat.complete(
            messages, model=model, purpose="generate", epoch=epoch, label=label
        )

    return ask


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
