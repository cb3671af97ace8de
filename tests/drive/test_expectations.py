"""Expectations: what must hold, as a person would say it."""

import pytest

from tests.drive.kit import Drive, failure, went_well


def holds(drive: Drive, page: str, expectation: object) -> bool:
    """Tell whether an expectation holds on a page."""
    trace = drive(page, {"wait": expectation, "timeout_s": 0.3})
    if trace.failed is None:
        return True
    assert failure(trace)[1] == "expectation"
    return False


SHOWN = [
    ("10 items", "0", False),
    ("0.05", "0", False),
    ("0.05", "05", False),
    ("1,000", "1", False),
    ("Total 0.", "0", True),
    ("0, 1", "0", True),
    ("<b>1</b> item left", "1 item left", True),
    ("<b>1</b><span style='margin-left:6px'>item left</span>", "1 item left", True),
    ("11 items left", "1 items left", False),
    ("Add to  cart", "Add to cart", True),
    ("add to cart", "Add to cart", False),
    ("<span style='text-transform:uppercase'>Sale</span>", "SALE", True),
    ("<p style='opacity:0'>Ghost</p>", "Ghost", False),
    ("<p style='text-indent:-9999px'>Ghost</p>", "Ghost", False),
    ("<p style='font-size:0'>Ghost</p>", "Ghost", False),
    (
        "<p style='position:absolute;width:1px;height:1px;overflow:hidden'>Ghost</p>",
        "Ghost",
        False,
    ),
    ("<input value='Typed'>", "Typed", False),
    ("<input type='submit' value='Send'>", "Send", True),
    ("<p class='q'>x</p><style>.q::after{content:' New'}</style>", "New", True),
    ("共有3件商品", "3", True),
    ("€40.00", "€40.00", True),
    ("don't", "don", False),
]


def test_text_is_what_is_seen_in_whole_words(drive: Drive) -> None:
    """White space folds, case stays, numbers and words are whole."""
    page = "".join(
        f"<section aria-label='part {n}'>{shown}</section>"
        for n, (shown, _, _) in enumerate(SHOWN)
    )
    steps = [
        {
            "wait": {
                "text" if is_there else "no_text": text,
                "in": {"role": "region", "name": f"part {n}"},
            }
        }
        for n, (_, text, is_there) in enumerate(SHOWN)
    ]
    went_well(drive(page, *steps), len(SHOWN))


def test_text_and_its_absence_exclude_each_other(drive: Drive) -> None:
    """What is there is not absent, and the other way round."""
    assert holds(drive, "10 items", {"no_text": "10 items"}) is False
    assert holds(drive, "10 items", {"text": "0"}) is False


LIST = """<title>My  list</title><h2>Cart</h2><ul><li>A</li><li>B</li>
<li style="display:none">C</li></ul><p role="status" aria-label="Total">2 things</p>
<input type="checkbox" aria-label="Gift" checked><button disabled>Pay</button>
<button aria-pressed="true">Grid</button><input aria-label="Name" value="Bo" autofocus>"""


STATES: list[tuple[dict[str, object], bool]] = [
    ({"count": {"role": "listitem"}, "equals": 2}, True),
    ({"count": {"role": "listitem"}, "at_least": 3}, False),
    ({"count": {"role": "listitem"}, "at_most": 2}, True),
    ({"text": "2", "in": {"role": "status", "name": "Total"}}, True),
    ({"text_is": "2 things", "in": {"role": "status"}}, True),
    ({"text_is": "2", "in": {"role": "status"}}, False),
    ({"visible": {"role": "button", "name": "Pay"}}, True),
    ({"hidden": "C"}, True),
    ({"hidden": "A"}, False),
    ({"checked": {"name": "Gift"}}, True),
    ({"checked": {"name": "Gift"}, "equals": False}, False),
    ({"disabled": {"name": "Pay"}}, True),
    ({"disabled": {"name": "Grid"}}, False),
    ({"selected": {"name": "Grid"}}, True),
    ({"focused": {"name": "Name"}}, True),
    ({"value": "Bo"}, True),
    ({"value": "Al", "in": {"name": "Name"}}, False),
    ({"title": "My list"}, True),
    ({"url": "/"}, True),
    ({"url": "/other"}, False),
    ({"scroll": "top"}, True),
    ({"scroll": "bottom"}, False),
]


def test_what_is_so_holds(drive: Drive) -> None:
    """Each kind of expectation holds where it is true."""
    steps = [{"wait": expectation} for expectation, is_true in STATES if is_true]
    went_well(drive(LIST, *steps), len(steps))


@pytest.mark.parametrize("expectation", [e for e, is_true in STATES if not is_true])
def test_what_is_not_so_fails(drive: Drive, expectation: dict[str, object]) -> None:
    """Each kind of expectation fails where it is not true."""
    assert holds(drive, LIST, expectation) is False


def test_part_of_other_words_is_no_proof_of_presence(drive: Drive) -> None:
    """`Buy milk` is gone although `Buy milk and eggs` is there."""
    page = "<ul><li>Buy milk and eggs</li></ul><button>Save copy</button>"
    steps = [
        {"wait": {"hidden": {"text": "Buy milk"}}},
        {"wait": {"hidden": {"role": "button", "name": "Save"}}},
    ]
    went_well(drive(page, *steps), 2)
    assert holds(drive, page, {"hidden": {"text": "buy milk and eggs"}}) is False


def test_expectations_wait_for_what_comes_late(drive: Drive) -> None:
    """They retry until the step's deadline."""
    page = """<button onclick="setTimeout(() => p.textContent = 'Saved', 1200)">Go</button>
    <p id="p"></p>"""
    step = {"click": {"name": "Go"}, "expect": [{"text": "Saved"}], "timeout_s": 4.0}
    went_well(drive(page, step), 1)


def test_changed_compares_with_the_shot_before(drive: Drive) -> None:
    """A region changed or not since the step before."""
    page = """<div id="a" style="width:80px;height:80px;background:red">Box</div>
    <button onclick="a.style.background='blue'">Paint</button><button>Idle</button>"""
    steps = [
        {"click": {"name": "Idle"}, "expect": [{"unchanged": "Box"}]},
        {"click": {"name": "Paint"}, "expect": [{"changed": "Box"}]},
    ]
    went_well(drive(page, *steps), 2)
    trace = drive(page, {"click": {"name": "Idle"}, "expect": [{"changed": "Box"}]})
    assert failure(trace)[1] == "expectation"
    assert "looks the same" in failure(trace)[2]


def test_prose_is_left_unjudged(drive: Drive) -> None:
    """A sentence never stops the drive; it is judged afterwards, from files."""
    step = {"click": {"name": "Go"}, "expect": ["The badge shows 1"]}
    trace = drive("<button>Go</button>", step)
    went_well(trace, 1)
    assert [o.holds for o in trace.steps[1].outcomes] == [None]


@pytest.mark.parametrize(
    "style", ("visibility:hidden", "opacity:0", "width:0;height:0;border:0")
)
def test_text_of_a_frame_that_nobody_sees_is_not_there(
    drive: Drive, style: str
) -> None:
    """What hides a frame hides what is in it."""
    page = f'<iframe style="{style}" srcdoc="<p>Secret</p>"></iframe>'
    assert holds(drive, page, {"text": "Secret"}) is False
    assert holds(drive, page, {"visible": {"text": "Secret"}}) is False


@pytest.mark.parametrize(
    ("page", "role"),
    (
        ("<button>Settings</button>", "dialog"),
        ("<a href='#'>Settings</a>", "heading"),
        ("<h1>Settings</h1>", "button"),
    ),
)
def test_control_is_no_part_of_that_name(drive: Drive, page: str, role: str) -> None:
    """A button "Settings" is not the dialog that it opens, nor the other way round."""
    target = {"role": role, "name": "Settings"}
    assert holds(drive, page, {"visible": target}) is False
    assert holds(drive, page, {"hidden": target}) is True


def test_label_is_asked_for_its_field(drive: Drive) -> None:
    """A place named by its label's text has the value and the state of the field."""
    page = """<label for="e">Email</label><input id="e" value="a@b" autofocus>
    <label><input type="checkbox" checked disabled> Terms</label>"""
    steps = [
        {"wait": {"value": "a@b", "in": "Email"}},
        {"wait": {"focused": {"text": "Email"}}},
        {"wait": {"checked": {"text": "Terms"}}},
        {"wait": {"disabled": {"text": "Terms"}}},
    ]
    went_well(drive(page, *steps), 4)
