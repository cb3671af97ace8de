"""A grounder that lets browser-use point: the agent that the paper used.

browser-use lives in a process of its own (`agent.py`), which looks at the window
through the browser's DevTools and asks the model through the gateway.
"""

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import IO, NamedTuple
from urllib.parse import quote

from pydantic import JsonValue

from pytest_iwr import records as r
from pytest_iwr.errors import EndpointError, IwrError, UngroundedError, UsageError
from pytest_iwr.ground.form import UnreadableError, read
from pytest_iwr.ground.messages import does, tells_form

_UNREADABLE = (
    "validation error",
    "chose nothing",
    "Failed to parse",
    "truncated",
    "no element with index",
)
"""Parts of errors that are the model's own, not its endpoint's."""
_LONGEST = 300
_CLOSE_S = 10.0


def check_installed() -> None:
    """Raise UsageError where browser-use is not installed."""
    if find_spec("browser_use") is None:
        raise UsageError(
            "--iwr-grounder=browser-use: browser-use is not installed. "
            "Run: pip install 'pytest-iwr[browser-use]'"
        )


class Reached(NamedTuple):
    """Where models are asked."""

    url: str
    token: str


class BrowserUseGrounder:
    """Asks browser-use, in a process that starts with the first question."""

    needs_devtools = True

    def __init__(
        self,
        reach: Callable[[], Reached],
        model: str,
        environ: Mapping[str, str],
    ) -> None:
        """Know the model by its alias; `environ` is all that the process gets of ours.

        Raises UsageError where browser-use is not installed.
        """
        check_installed()
        self._reach = reach
        self._model = model
        self._environ = dict(environ)
        self._process: subprocess.Popen[str] | None = None
        self._said: IO[str] | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Agent and model."""
        return f"browser-use/{self._model}"

    def ground(self, question: r.GroundingQuestion) -> r.GroundingChoice:
        """Say which element is meant, or what the action is; see `ports.Grounder`."""
        if not question.devtools:
            raise IwrError(
                "browser-use cannot look into a browser that runs elsewhere. "
                "Use one on this machine, or --iwr-grounder=model."
            )
        with self._lock:
            answer = self._ask(self._message(question))
        error = answer.get("error")
        if isinstance(error, str):
            text = f"{self.name} gave no answer: {error[:_LONGEST]}"
            if any(sign in error for sign in _UNREADABLE):
                raise UngroundedError(f"{text}. Run again, or take another model")
            raise EndpointError(text)
        return self._choice(question, answer).model_copy(
            update={"model": self.name, "replies": (json.dumps(answer),)}
        )

    def close(self) -> None:
        """End the process; may be called again."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()  # it ends when there is nothing more to answer
        try:
            process.wait(_CLOSE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for stream in (process.stdout, self._said):
            if stream is not None:
                stream.close()

    def _message(self, question: r.GroundingQuestion) -> Mapping[str, JsonValue]:
        reached = self._reach()
        task = f"Find the element that these words of a test mean: {question.sentence}"
        if question.part:
            task += f"\nWhat is done with it then: {does(question)}."
        else:
            task = f"Say this sentence of a test as one action: {question.sentence}"
            task += f"\nThe form: {tells_form(question)}"
            task += f"\nWhat the test says already: {json.dumps(question.given)}"
        headers: dict[str, JsonValue] = {
            r.HEADER_PURPOSE: "ground",
            r.HEADER_LABEL: quote(question.label),
        }
        return {
            "task": task,
            "action": "" if question.part else question.action,
            "devtools": question.devtools,
            "window": question.window,
            "model": self._model,
            "gateway": reached.url,
            "token": reached.token,
            "headers": headers,
        }

    def _ask(self, message: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        process = self._running()
        assert process.stdin is not None  # noqa: S101 - pipes were asked for
        assert process.stdout is not None  # noqa: S101
        line = ""
        try:
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            pass  # told below
        if not line:
            words = self._last_words()
            self.close()
            raise IwrError(f"browser-use has ended: {words}. Run again.")
        answer: dict[str, JsonValue] = json.loads(line)
        return answer

    def _running(self) -> "subprocess.Popen[str]":
        if self._process is None:
            said = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - kept
            self._said = said
            self._process = subprocess.Popen(
                [sys.executable, "-m", "pytest_iwr.ground.agent"],
                env=self._environ | {"NO_PROXY": "127.0.0.1,localhost"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                encoding="utf-8",
            )
        return self._process

    def _last_words(self) -> str:
        if self._said is None:
            raise AssertionError
        self._said.seek(0)
        lines = self._said.read().strip().splitlines()
        return lines[-1][:_LONGEST] if lines else "it said nothing"

    def _choice(
        self, question: r.GroundingQuestion, answer: Mapping[str, JsonValue]
    ) -> r.GroundingChoice:
        """Read an answer; elements come as nodes of the browser, not as numbers."""
        reason = str(answer.get("reason", ""))
        if answer["outcome"] == "none":
            return r.GroundingChoice(outcome="none", reason=reason)
        if answer["outcome"] == "unclear":
            return r.GroundingChoice(outcome="unclear", reason=reason)
        found = answer["nodes"]
        assert isinstance(found, dict)  # noqa: S101 - our own program's answer
        nodes = {
            "number" if name == "index" else name: r.BrowserNode.model_validate(node)
            for name, node in found.items()
        }
        # The form is checked as any other; what stands for an element is any of them.
        numbers: dict[str, JsonValue] = dict.fromkeys(nodes, min(question.numbers))
        fields = answer["fields"]
        assert isinstance(fields, dict)  # noqa: S101
        form: dict[str, JsonValue] = {"outcome": "found", **fields, **numbers}
        try:
            choice = read(json.dumps(form), question)
        except UnreadableError as error:
            raise UngroundedError(
                f"{self.name} gave no whole answer: {error}"
            ) from error
        return choice.model_copy(update={"nodes": nodes})
