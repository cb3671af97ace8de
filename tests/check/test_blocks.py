"""Blocks of text: which belong together, and what that is worth."""

import pytest

from pytest_iwr.check.blocks import blocks, match_blocks, similarity
from pytest_iwr.check.ocr import Colour, Line
from pytest_iwr.check.readings import Rect
from pytest_iwr.check.text import similarity as text_similarity

BLACK, WHITE, RED = (0.0, 0.0, 0.0), (100.0, 0.0, 0.0), (53.0, 80.0, 67.0)
WIDTH = 1000


def line(
    word: str, left: int = 0, top: int = 0, height: int = 25, ink: Colour = BLACK
) -> Line:
    """Give a line that is four times as wide as high."""
    rect = Rect(left, top, left + 4 * height, top + height)
    return Line(word, rect, 1.0, ink, WHITE)


def test_equal_blocks_are_one() -> None:
    """Text, place, size and colours agree."""
    lines = [line("Cart"), line("Search", left=400), line("Cart", top=300)]
    assert similarity(lines, lines, WIDTH) == pytest.approx(1.0)


def test_no_text_on_either_side_says_nothing() -> None:
    """There is no number for what is not there."""
    assert similarity([], [], WIDTH) is None


def test_text_on_one_side_only_is_zero() -> None:
    """All of it is missing, or all of it is too much."""
    assert similarity([line("Cart")], [], WIDTH) == 0.0
    assert similarity([], [line("Cart")], WIDTH) == 0.0


def test_worked_example() -> None:
    """Two blocks, one moved by 50 px and red, one missing: worked out by hand.

    Place: 1 − 50 / (0.25 · 1000) = 0.8; size: 1; colour: ink e^(−(116.9/25)²) ≈ 0,
    ground 1, so 0.5. Value: (0.8 + 1 + 0.5) / 3 = 0.7667. Each block weighs
    √(100·25) = 50, so HFS = 2·50·0.7667 / 150 = 0.5111.
    """
    reference = [line("Cart"), line("Search", top=400)]
    shot = [line("Cart", left=50, ink=RED)]
    value = similarity(reference, shot, WIDTH)
    assert value == pytest.approx(0.5111, abs=1e-4)


def test_too_much_text_counts_like_missing_text() -> None:
    """A page cannot gain by showing more."""
    one, two = [line("Cart")], [line("Cart"), line("Buy now", top=300)]
    assert similarity(one, two, WIDTH) == similarity(two, one, WIDTH)
    assert similarity(one, two, WIDTH) == pytest.approx(2 / 3)


def test_equal_texts_pair_with_what_is_in_their_place() -> None:
    """Eight buttons of one name are told apart by where they are."""
    reference = [line("Add", top=100 * i) for i in range(8)]
    shot = [line("Add", top=100 * i + 9) for i in (3, 1, 7, 0, 2, 6, 5, 4)]
    pairs = match_blocks(reference, shot, WIDTH)
    assert len(pairs) == 8
    assert {p.shot.rect.top - p.reference.rect.top for p in pairs} == {9}


def test_ties_are_broken_by_reading_order() -> None:
    """Of two blocks that fit alike the first one is taken, always."""
    shot = [line("Add", left=100), line("Add", left=300)]
    (pair,) = match_blocks([line("Add", left=200)], shot, WIDTH)
    assert pair.shot.rect.left == 100


def test_other_words_are_another_block() -> None:
    """Texts that are less than half alike never pair, however near they are."""
    assert match_blocks([line("Checkout")], [line("Log in")], WIDTH) == ()


def test_block_far_off_is_worth_less_but_found() -> None:
    """Text, size and colour still agree."""
    (pair,) = match_blocks([line("Cart")], [line("Cart", left=900)], WIDTH)
    assert pair.value == pytest.approx(2 / 3)


def test_lines_close_in_a_row_are_one_block() -> None:
    """Whether recognition parts `$20.00 $18.00` makes no difference."""
    parted = [line("$20.00", left=0), line("$18.00", left=110), line("Buy", left=400)]
    joined = blocks(parted)
    assert [block.text for block in joined] == ["$20.00 $18.00", "Buy"]
    assert joined[0].rect == Rect(0, 0, 210, 25)


def test_lines_below_each_other_stay_apart() -> None:
    """A paragraph is matched line by line."""
    assert len(blocks([line("One"), line("Two", top=27)])) == 2


def test_text_similarity_is_of_lower_case_letters() -> None:
    """1 − Levenshtein distance / longer length: `cart 1` and `card` differ by 3 of 6."""
    assert text_similarity([line("Cart"), line("1")], [line("CARD")]) == 0.5


def test_texts_that_are_both_absent_are_alike() -> None:
    """A recognition that works saw no text on both."""
    assert text_similarity([], []) == 1.0
    assert text_similarity([line("Cart")], []) == 0.0
