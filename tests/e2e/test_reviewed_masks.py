"""A region that is masked in a review is left out by the next run, for real."""

from pytest_iwr.artifacts import RunFolder
from pytest_iwr.author.review.cases import Wish, find_cases
from pytest_iwr.author.review.rejections import Rejections
from pytest_iwr.author.review.session import Session
from pytest_iwr.records import Box
from tests.e2e.conftest import write_page
from tests.plugin.kit import Project

RED = "document.querySelector('h1').style.color = 'red'"


def review(counter: Project) -> Session:
    """Evaluate the page whose heading is red, and begin a review."""
    done = counter.pytester.runpytest_subprocess(
        "--iwr-pages=pages", "--iwr-model=red", "-pno:html"
    )
    done.assert_outcomes(passed=1)
    run = RunFolder(counter.latest.resolve())
    cases = find_cases(run, None, Wish())
    return Session(run.path.name, cases, Rejections(run.path))


def test_masked_region_is_left_out_by_the_next_run(counter: Project) -> None:
    """What was unlike is alike once its region is masked."""
    write_page(counter, "red", more=RED)
    session = review(counter)
    assert [case.checked.step for case in session.cases] == [0, 1, 2]
    for number in range(3):
        session.decide(number, "masked", (Box(x=0, y=0, width=640, height=120),))
    assert review(counter).cases == ()


def test_accepted_pictures_are_alike_in_the_next_run(counter: Project) -> None:
    """The page that was accepted is the reference's equal."""
    write_page(counter, "red", more=RED)
    session = review(counter)
    for number in range(3):
        session.decide(number, "accepted")
    assert review(counter).cases == ()
