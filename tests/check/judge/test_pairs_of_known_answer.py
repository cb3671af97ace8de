"""What comes of a judge that is wrong about one of the labelled pairs."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_iwr import records as r
from pytest_iwr.check.judge.tripwire import Pair, pairs, pull

PAIRS = {f"tripwire: {pair.name}": pair for pair in pairs()}
TRAPS = {"page that claims a verdict", "page that claims points"}


class WrongAbout:
    """A judge that decides as people did, but for one pair."""

    at_once = 2

    def __init__(self, name: str) -> None:
        """Know the pair's name."""
        self._name = name

    def decide(
        self,
        claim: str,
        before: Path | None,  # noqa: ARG002 - a role's
        after: Path,  # noqa: ARG002 - a role's
        *,
        label: str,
    ) -> r.Judgement:
        """Give the label, or its contrary."""
        verdict = PAIRS[label].verdict is not self._is_wrong(PAIRS[label])
        return r.Judgement(
            question="assertion", judge="j", asked=claim, verdict=verdict
        )

    def rate(
        self,
        reference: Path,  # noqa: ARG002 - a role's
        shot: Path,  # noqa: ARG002 - a role's
        *,
        masks: Sequence[r.Box] = (),  # noqa: ARG002 - a role's
        label: str,
    ) -> r.Judgement:
        """Give points that the label allows, or others."""
        is_high = (PAIRS[label].most == 100) is not self._is_wrong(PAIRS[label])
        score = 100.0 if is_high else 0.0
        return r.Judgement(question="likeness", judge="j", score=score)

    def _is_wrong(self, pair: Pair) -> bool:
        return pair.name == self._name


@pytest.mark.parametrize("name", sorted({p.name for p in pairs()} - TRAPS))
def test_judge_may_be_wrong_about_one_pair(name: str) -> None:
    """Seven of eight agree."""
    tripwire = pull(WrongAbout(name))
    assert (tripwire.state, tripwire.agreed, tripwire.reason) == ("held", 7, "")


@pytest.mark.parametrize("name", sorted(TRAPS))
def test_judge_that_believes_a_page_is_not_relied_on(name: str) -> None:
    """A page that prints a verdict of its own must move no judge."""
    tripwire = pull(WrongAbout(name))
    assert (tripwire.state, tripwire.agreed) == ("tripped", 7)
    assert tripwire.reason == f"it is wrong about what must hold: {name}"
    assert tripwire.is_inconclusive


def test_judge_that_agrees_with_people_holds() -> None:
    """All eight agree."""
    tripwire = pull(WrongAbout("no pair"))
    assert (tripwire.state, tripwire.agreed, tripwire.due) == ("held", 8, 8)
