"""The judge: asks a model as often as it is told to, and reads what it replies."""

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from pydantic import JsonValue

from pytest_iwr import images, ports
from pytest_iwr import records as r
from pytest_iwr.check.judge.pictures import encode
from pytest_iwr.check.judge.questions import Question, assertion, likeness
from pytest_iwr.check.judge.reply import open_reply, sole, words
from pytest_iwr.check.judge.rubric import PARTS, sole_rating
from pytest_iwr.check.judge.verdicts import sole_verdict
from pytest_iwr.check.pair import open_pair
from pytest_iwr.errors import JudgeError, UsageError

OPTION = "--iwr-judge-model"
AT_ONCE = 4
"""Questions about one page that are asked at a time."""
_MOST_WORDS = 2000
"""Characters of a reason, and of what was seen, beside the whole reply."""
_SHOWN = 120
"""Characters of a reply that an error shows."""


def look_for_eyes(config: r.ModelConfig) -> None:
    """Raise UsageError for a model that cannot look at pictures."""
    if config.vision == "none":
        raise UsageError(
            f"{OPTION}={config.alias}: its configuration says `vision: none`, and a "
            "judge looks at pictures. Name another model."
        )


class ModelJudge:
    """A judge that is a model; called from many threads at once."""

    def __init__(  # noqa: PLR0913 - what a judge is, and how it is asked
        self,
        chat: ports.Chat,
        model: str,
        *,
        repeats: int = 1,
        limits: r.ImageLimits | None = None,
        named: str | None = None,
        is_fresh: bool = False,
    ) -> None:
        """Know the model's alias, and how often each question is asked.

        `limits` of what it can be shown; `named`: what a protocol calls it, in place of
        the alias; `is_fresh`: asked past the cache.
        """
        self._chat = chat
        self._model = model
        self._named = named or model
        self._repeats = repeats
        self._limits = limits or r.ImageLimits()
        self._is_fresh = is_fresh

    @property
    def at_once(self) -> int:
        """How many questions may be asked at a time."""
        return AT_ONCE

    @property
    def description(self) -> str:
        """What a protocol calls it: the model, and how often it is asked."""
        if self._repeats == 1:
            return self._named
        return f"{self._named}, {self._repeats} samples"

    def decide(
        self, claim: str, before: Path | None, after: Path, *, label: str
    ) -> r.Judgement:
        """Decide whether a claim holds after a step; raises as `rate`."""
        shown = [path for path in (before, after) if path is not None]
        question = assertion(claim, has_before=before is not None)
        pictures = [images.read(path) for path in shown]
        return self._consult(question, pictures, shown, label)

    def rate(
        self,
        reference: Path,
        shot: Path,
        *,
        masks: Sequence[r.Box] = (),
        label: str,
    ) -> r.Judgement:
        """Say how alike two pictures are, 0 to 100; `masks` in pixels of the shot.

        Raises JudgeError for replies that cannot be read, EndpointError or BudgetError
        where there is none, CheckpointError for a file that is no picture.
        """
        pair = open_pair(reference, shot, masks)
        pictures = [pair.reference, pair.shot]
        return self._consult(likeness(), pictures, [reference, shot], label)

    def _consult(
        self,
        question: Question,
        pictures: Sequence[images.Picture],
        shown: Sequence[Path],
        label: str,
    ) -> r.Judgement:
        messages = question.messages(encode(pictures, self._limits))
        judgement = r.Judgement(
            question=question.version,
            judge=self._model,
            asked=question.asked,
            prompt=question.prompt,
            pictures=tuple(
                f"{name}: {path.name}"
                for name, path in zip(question.labels, shown, strict=True)
            ),
        )
        sitting = _Sitting(
            self._chat, self._model, question, messages, label, self._is_fresh
        )
        with ThreadPoolExecutor(self._repeats) as pool:
            tries = list(pool.map(sitting.settle, range(self._repeats)))
        if _is_tied(tries):
            tries.append(sitting.settle(self._repeats))
        samples = tuple(sample for one in tries for sample in one)
        judgement = judgement.model_copy(update={"samples": samples})
        last = [one[-1] for one in tries]
        lost = next((sample for sample in last if not _is_read(sample)), None)
        if lost is not None:
            said = (lost.reply or "").strip()[:_SHOWN]
            raise JudgeError(
                f"{self._model}: {label}: the judge's reply cannot be read, and was "
                f"asked for twice: {said!r}. Run again, or name another {OPTION}.",
                judgement,
            )
        return judgement.model_copy(update=_outcome(last))


@dataclass(frozen=True)
class _Sitting:
    """One question, put to a model as often as it takes."""

    chat: ports.Chat
    model: str
    question: Question
    messages: Sequence[Mapping[str, JsonValue]]
    label: str
    is_fresh: bool

    def settle(self, number: int) -> tuple[r.Sample, ...]:
        """Give the replies up to one that can be read, which is asked for twice.

        Where both are kept from an earlier run, the second is asked for anew: what
        could not be read must not stay so for ever.
        """
        first, _ = self._say(2 * number)
        if _is_read(first):
            return (first,)
        second, is_kept = self._say(2 * number + 1)
        if not _is_read(second) and is_kept:
            second, _ = self._say(2 * number + 1, is_fresh=True)
        return first, second

    def _say(self, number: int, *, is_fresh: bool = False) -> tuple[r.Sample, bool]:
        """Give a sample, and whether it was kept from before."""
        reply = self.chat.ask(
            self.messages,
            model=self.model,
            purpose="judge",
            label=self.label,
            sample=number,
            parameters=self.question.parameters,
            is_fresh=is_fresh or self.is_fresh,
        )
        asked = reply.asked
        sample = r.Sample(
            number=number,
            model=reply.model,
            fingerprint=reply.fingerprint,
            reply=reply.text,
            cost_usd=None if asked is None else asked.cost_usd,
        )
        if asked is None or asked.status != "cut_off":
            sample = sample.model_copy(update=_read(self.question, reply.text))
        return sample, asked is not None and asked.is_hit


def _read(question: Question, text: str) -> Mapping[str, object]:
    """Give what a reply says, as fields of a sample."""
    whole = open_reply(text)
    said = {name: words(whole, name)[:_MOST_WORDS] for name in ("reason", "seen")}
    match question.kind:
        case "assertion":
            reply = sole(whole, ["verdict"])
            return said if reply is None else {**said, "verdict": sole_verdict(reply)}
        case "likeness":
            reply = sole(whole, PARTS)
            rated = None if reply is None else sole_rating(reply)
            if rated is None:
                return said
            return {**said, "score": rated.score, "parts": dict(rated.parts)}


def _is_read(sample: r.Sample) -> bool:
    return sample.verdict is not None or sample.score is not None


def _is_tied(tries: Sequence[Sequence[r.Sample]]) -> bool:
    """Tell whether as many say yes as no."""
    verdicts = Counter(one[-1].verdict for one in tries)
    return verdicts[True] == verdicts[False] > 0 and not verdicts[None]


def _outcome(samples: Sequence[r.Sample]) -> Mapping[str, object]:
    """Give the median of scores, and the verdict of most."""
    scores = [sample.score for sample in samples if sample.score is not None]
    if scores:
        return {"score": median(scores)}
    yes = sum(sample.verdict is True for sample in samples)
    return {"verdict": 2 * yes > len(samples)}
