"""A grounder that asks a model: it sees the numbered tree and the numbered picture."""

from collections.abc import Callable, Mapping, Sequence

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
        """Say which element is meant, or what the action is; see `ports.Grounder`.

        Where both replies are kept from an earlier run, the second is asked for anew:
        what could not be read must not stay so for ever.
        """
        chat = self._open_chat()
        said = messages(question)
        replies: list[r.ChatReply] = []
        why = ""
        for is_fresh in (False, False, True):
            if is_fresh and not _is_kept(replies[-1]):
                break
            reply = self._say(chat, said, question, is_fresh=is_fresh)
            replies.append(reply)
            try:
                choice = read(reply.text, question)
            except UnreadableError as error:
                why = str(error)
                if len(replies) == 1:
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

    def _say(
        self,
        chat: ports.Chat,
        said: Sequence[Mapping[str, JsonValue]],
        question: r.GroundingQuestion,
        *,
        is_fresh: bool,
    ) -> r.ChatReply:
        form: dict[str, JsonValue] = {
            "name": "answer",
            "strict": True,
            "schema": schema(question),
        }
        return chat.ask(
            said,
            model=self._model,
            purpose="ground",
            label=question.label,
            parameters={
                "response_format": {"type": "json_schema", "json_schema": form}
            },
            is_fresh=is_fresh,
        )


def _is_kept(reply: r.ChatReply) -> bool:
    return reply.asked is not None and reply.asked.is_hit
