"""A grounder that asks a model: it sees the numbered tree and the numbered picture."""

from collections.abc import Callable

from pydantic import JsonValue

from pytest_iwr import ports
from pytest_iwr import records as r
from pytest_iwr.errors import UngroundedError
from pytest_iwr.ground.form import UnreadableError, read, schema
from pytest_iwr.ground.messages import messages, once_more


class ModelGrounder:
    """Asks one model; a reply that cannot be read is asked for once more."""

    needs_devtools = False

    def __init__(self, open_chat: Callable[[], ports.Chat], model: str) -> None:
        """Know the model by its alias; `open_chat` is called at the first question."""
        self._open_chat = open_chat
        self._model = model

    @property
    def name(self) -> str:
        """The model's alias."""
        return self._model

    def close(self) -> None:
        """There is nothing to free: the chat is another's."""

    def ground(self, question: r.GroundingQuestion) -> r.GroundingChoice:
        """Say which element is meant, or what the action is; see `ports.Grounder`."""
        chat = self._open_chat()
        form: dict[str, JsonValue] = {
            "name": "answer",
            "strict": True,
            "schema": schema(question),
        }
        said = messages(question)
        replies: list[r.ChatReply] = []
        for _ in range(2):
            reply = chat.ask(
                said,
                model=self._model,
                purpose="ground",
                label=question.label,
                parameters={
                    "response_format": {"type": "json_schema", "json_schema": form}
                },
            )
            replies.append(reply)
            try:
                choice = read(reply.text, question)
            except UnreadableError as error:
                why = str(error)
                said += once_more(reply.text, why)
                continue
            return choice.model_copy(
                update={
                    "model": reply.model or self._model,
                    "replies": tuple(one.text for one in replies),
                    "asked": tuple(one.asked for one in replies if one.asked),
                }
            )
        raise UngroundedError(
            f"{self._model} was asked twice for {question.sentence!r}, and its answer "
            f"cannot be read: {why}. It said {replies[-1].text[:200]!r}. Run again, or "
            "take another model: --iwr-grounder-model"
        )
