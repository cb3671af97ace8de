"""How long an endpoint asks to wait, in all the forms in which it is said."""

import pytest

from pytest_iwr.gateway import Patience
from pytest_iwr.gateway.complaint import Complaint
from pytest_iwr.gateway.retry import Wish, read_wish

NOW_S = 1_700_000_000.0
DATE = "Tue, 14 Nov 2023 22:13:20 GMT"  # NOW_S
LATER = "Tue, 14 Nov 2023 22:13:50 GMT"


def _wish(headers: dict[str, str], complaint: Complaint | None = None) -> Wish | None:
    return read_wish(headers, complaint, now=lambda: NOW_S)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    (
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 7.5 "}, 7.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": LATER}, 30.0),
        ({"retry-after": LATER, "date": "Tue, 14 Nov 2023 22:13:45 GMT"}, 5.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:00:00 GMT"}, 0.0),
        ({"retry-after": "1700000012"}, 12.0),
        ({"retry-after": "1m30s"}, 90.0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"x-ratelimit-reset": "1700000020000", "x-ratelimit-remaining": "0"}, 20.0),
        ({"ratelimit-reset": "9", "ratelimit-remaining": "0"}, 9.0),
        (
            {
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2023-11-14T22:13:40Z",
            },
            20.0,
        ),
        (
            {
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "6m0s",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "250ms",
            },
            360.0,
        ),
    ),
    ids=str,
)
def test_wish_of_headers(headers: dict[str, str], seconds: float) -> None:
    """Numbers, spans, dates and times since 1970 are seconds from now."""
    assert _wish(headers) == Wish(seconds)


@pytest.mark.parametrize(
    ("message", "seconds"),
    (
        ("Please try again in 1.2s. Visit https://x.", 1.2),
        ("Please try again in 6m0s.", 360.0),
        ("Please try again in 320ms.", 0.32),
        ("Rate limited, retry after 20 seconds", 20.0),
        ("Please retry in 41.5s.", 41.5),
        ("Try again in 1 minute 20 seconds", 80.0),
        ("try again in 2 hours", 7200.0),
    ),
)
def test_wish_in_words(message: str, seconds: float) -> None:
    """A sentence of the error says it, where no header does."""
    wish = _wish({}, Complaint(message))
    assert wish is not None
    assert wish.seconds == pytest.approx(seconds)


def test_wish_in_details() -> None:
    """Google puts the delay into the details of its error."""
    details: dict[str, str] = {"retryDelay": "12.5s"}
    assert _wish({}, Complaint("Full", details=({**details},))) == Wish(12.5)


@pytest.mark.parametrize(
    ("headers", "message"),
    (
        ({}, ""),
        ({"retry-after": "soon"}, ""),
        ({"retry-after": ""}, ""),
        ({"retry-after": "1e3"}, ""),
        ({"date": DATE}, "try again in a while"),
        ({"retry-after": "Tue, 99 Nov 2023"}, ""),
        ({"x-ratelimit-remaining-requests": "0"}, ""),
    ),
    ids=str,
)
def test_no_wish(headers: dict[str, str], message: str) -> None:
    """What cannot be read is no wish."""
    assert _wish(headers, Complaint(message)) is None


def test_limit_that_is_not_used_up_is_no_firm_wish() -> None:
    """A limit that says when it will be full again refuses nothing until then."""
    headers = {
        "x-ratelimit-remaining-tokens": "5000",
        "x-ratelimit-reset-tokens": "1m30s",
        "x-ratelimit-reset-requests": "2m0s",
    }
    wish = _wish(headers)
    assert wish == Wish(90.0, is_firm=False)
    assert Patience(draw=lambda: 0.0).delay_s(0, wish) == 60.0


def test_wait_without_a_wish_grows_and_is_drawn() -> None:
    """The n-th wait lies between nothing and the first doubled n times."""
    longest = Patience(draw=lambda: 1.0)
    assert [longest.delay_s(nth, None) for nth in range(6)] == [0.5, 1, 2, 4, 8, 8]
    assert Patience(draw=lambda: 0.0).delay_s(5, None) == 0.0


def test_wish_is_never_undercut() -> None:
    """Those who wait for the same moment come back a little apart."""
    assert Patience(draw=lambda: 0.0).delay_s(0, Wish(20.0)) == 20.0
    assert Patience(draw=lambda: 1.0).delay_s(0, Wish(20.0)) == 21.0
    assert Patience(draw=lambda: 1.0).delay_s(0, Wish(1.0)) == pytest.approx(1.1)
