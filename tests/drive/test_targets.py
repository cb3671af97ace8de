"""Targets: the element that a person would take for the one meant."""

import pytest

from tests.drive.kit import Drive, failure, result, went_well


def buttons(*names: str) -> str:
    """Give buttons that say their own name when clicked."""
    return "".join(
        f"<button onclick='R(this.textContent)'>{n}</button> " for n in names
    )


@pytest.mark.parametrize("wanted", ("1 Dec 2022", "11 Dec 2022", "31 Dec 2022"))
def test_full_name_goes_before_a_part(drive: Drive, wanted: str) -> None:
    """`1 Dec 2022` is not `11 Dec 2022`."""
    page = buttons("11 Dec 2022", "21 Dec 2022", "1 Dec 2022", "31 Dec 2022")
    went_well(drive(page, {"click": wanted, "expect": [result(wanted)]}), 1)


def test_part_of_a_name_counts_when_it_is_the_only_one(drive: Drive) -> None:
    """Whole words of one name suffice; of two they are ambiguous, and both named."""
    page = buttons("Save draft", "Save copy", "Open file")
    target = {"role": "button", "name": "Open"}
    went_well(drive(page, {"click": target, "expect": [result("Open file")]}), 1)
    trace = drive(page, {"click": {"role": "button", "name": "Save"}})
    number, kind, message = failure(trace)
    assert (number, kind) == (1, "ambiguous")
    assert "Save draft" in message
    assert "Save copy" in message


def test_role_is_evidence_not_a_law(drive: Drive) -> None:
    """A rebuilt page may make a link or a box of what was a button."""
    page = """<h2>Buy</h2><a href="#x" class="btn" onclick="R('link')">Add to cart</a>
    <div onclick="R('box')" style="cursor:pointer">Remove</div>"""
    steps = [
        {
            "click": {"role": "button", "name": "Add to cart"},
            "expect": [result("link")],
        },
        {"click": {"role": "button", "name": "Remove"}, "expect": [result("box")]},
    ]
    went_well(drive(page, *steps), 2)


def test_near_means_the_same_row_or_card(drive: Drive) -> None:
    """The smallest common part of the page decides, then the shortest way."""
    page = "".join(
        f"<section><h3>{name}</h3><p>{n} €</p>"
        f"<button onclick=\"R('{name}')\">Add</button></section>"
        for n, name in enumerate(["Mouse", "Keyboard", "Cable"])
    )
    step = {"click": {"role": "button", "name": "Add", "near": "Keyboard"}}
    went_well(drive(page, {**step, "expect": [result("Keyboard")]}), 1)


def test_near_works_where_rows_are_only_drawn(drive: Drive) -> None:
    """Absolutely placed parts without containers are near by distance."""
    page = "".join(
        f"<b style='position:absolute;left:10px;top:{40 + 50 * n}px'>{name}</b>"
        f"<button style='position:absolute;left:300px;top:{36 + 50 * n}px'"
        f" onclick=\"R('{name}')\">Add</button>"
        for n, name in enumerate(["Mouse", "Keyboard", "Cable"])
    )
    step = {"click": {"role": "button", "name": "Add", "near": "Keyboard"}}
    went_well(drive(page, {**step, "expect": [result("Keyboard")]}), 1)


def test_hidden_twins_do_not_count(drive: Drive) -> None:
    """Menus for other screens, off-canvas parts and closed parts are not seen."""
    hidden = [
        "display:none",
        "visibility:hidden",
        "opacity:0",
        "position:absolute;left:-999px",
        "position:fixed;transform:translateX(-100vw)",
    ]
    page = "".join(f"<div style='{s}'>{buttons('Menu')}</div>" for s in hidden)
    page += f"<div style='height:0;overflow:hidden'>{buttons('Menu')}</div>"
    page += f"<details><summary>More</summary>{buttons('Menu')}</details>"
    trace = drive(page, {"click": {"role": "button", "name": "Menu"}})
    assert failure(trace)[1] == "hidden"
    page += "<p><button onclick=\"R('seen')\">Menu</button>"
    step = {"click": {"role": "button", "name": "Menu"}, "expect": [result("seen")]}
    went_well(drive(page, step), 1)


def test_below_the_fold_is_brought_into_view(drive: Drive) -> None:
    """Far away is not hidden: a person would scroll there."""
    page = (
        f"<div style='height:5000px'></div>{buttons('Deep')}<div style='height:900px'>"
    )
    went_well(drive(page, {"click": "Deep", "expect": [result("Deep")]}), 1)


def test_sticky_header_does_not_take_the_click(drive: Drive) -> None:
    """A point that a person can reach is chosen."""
    page = f"""<div style="position:sticky;top:0;height:90px;background:#eee">Head</div>
    {buttons("Up")}<div style="height:3000px"></div>"""
    steps = [{"scroll": {"by": 1}}, {"click": "Up", "expect": [result("Up")]}]
    went_well(drive(page, *steps), 2)


def test_nth_counts_in_reading_order(drive: Drive) -> None:
    """Left to right, then down, as drawn and not as written."""
    page = """<div style="display:flex;flex-direction:row-reverse;width:300px">
    <button onclick="R('right')">Pick</button><button onclick="R('left')">Pick</button>
    </div>"""
    step = {"click": {"role": "button", "name": "Pick", "nth": 1}}
    went_well(drive(page, {**step, "expect": [result("left")]}), 1)
    trace = drive(page, {"click": {"name": "Pick", "nth": 3}})
    assert failure(trace)[1] == "target_missing"


@pytest.mark.parametrize(
    "target",
    (
        {"label": "Email"},
        {"placeholder": "you@example.org"},
        {"role": "textbox", "name": "Email"},
        {"role": "textbox", "near": "Email"},
        "the Email field",
        'the field labelled "Email"',
    ),
)
def test_fields_are_found_by_all_that_names_them(drive: Drive, target: object) -> None:
    """Label, placeholder, name and neighbourhood all lead to the field."""
    page = """<p><label for="n">Name</label> <input id="n"></p>
    <p><label for="e">Email</label> <input id="e" placeholder="you@example.org"></p>
    <script>e.oninput = () => R(e.value);</script>"""
    step = {"type": {"into": target, "text": "a"}, "expect": [result("a")]}
    went_well(drive(page, step), 1)


def test_position_and_focus_and_picture_names(drive: Drive) -> None:
    """Corners, the focused element, alternative texts and tool tips point too."""
    page = """<button style="position:fixed;right:5px;top:5px" onclick="R('corner')">X
    </button><button onclick="R('plain')">X</button>
    <img alt="Red shoe" onclick="R('shoe')" width=50 height=50
    src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">
    <button title="Delete it" onclick="R('bin')">🗑</button>
    <input autofocus onkeydown="R('key')">"""
    steps = [
        {"press": {"key": "a", "in": {"focused": True}}, "expect": [result("key")]},
        {
            "click": {"role": "button", "position": "top right"},
            "expect": [result("corner")],
        },
        {"click": {"alt": "Red shoe"}, "expect": [result("shoe")]},
        {"click": {"title": "Delete it"}, "expect": [result("bin")]},
        {"click": {"role": "button", "name": "Delete it"}, "expect": [result("bin")]},
    ]
    went_well(drive(page, *steps), 5)


def test_disabled_button_cannot_be_clicked(drive: Drive) -> None:
    """A person sees that it does nothing: the step fails and says so."""
    trace = drive("<button disabled>Go</button>", {"click": {"name": "Go"}})
    assert failure(trace)[1] == "not_interactive"


def test_vague_sentence_is_no_fault_of_the_page(drive: Drive) -> None:
    """What only a model could read is an error of ours, never a failed page."""
    with pytest.raises(Exception, match="without a model"):
        drive(buttons("Go"), {"click": "the thing that makes it all work"})
    with pytest.raises(Exception, match="without a model"):
        drive(buttons("Go"), {"click": "the heart on the second card"})
