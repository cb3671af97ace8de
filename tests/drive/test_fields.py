"""Fields of all kinds take what a person gives them, once and at the right place."""

from pathlib import Path

import pytest

from tests.drive.kit import Drive, failure, result, went_well


def test_choosing_an_option_is_one_change(drive: Drive) -> None:
    """The page hears of the option that is meant, not of those on the way to it."""
    page = """<script>let n = 0;</script><select aria-label="S"
    onchange="R(++n + value)"><option>A<option hidden>H<option>B<option>C</select>"""
    step = {"select": {"in": {"label": "S"}, "option": "C"}, "expect": [result("1C")]}
    went_well(drive(page, step), 1)


def test_date_begins_with_its_first_part(drive: Drive) -> None:
    """Wherever a field's middle is, the digits begin at its start."""
    page = '<label>F <input type="date" style="width:400px"></label>'
    step = {
        "type": {"into": {"label": "F"}, "text": "01152026"},
        "expect": [{"value": "2026-01-15", "in": {"label": "F"}}],
    }
    went_well(drive(page, step), 1)


def test_slider_is_taken_by_its_knob(drive: Drive) -> None:
    """A drag moves the knob by the way that is meant, from where it stands."""
    page = """<input type="range" value="0" aria-label="V" style="width:216px"
    oninput="R(value)">"""
    move = {"from": {"role": "slider", "name": "V"}, "by": {"x": 100}}
    went_well(drive(page, {"drag": move, "expect": [result("50")]}), 1)


def test_list_makes_room_beyond_the_middle(drive: Drive) -> None:
    """A thing that is dragged onto another passes its middle."""
    page = """<style>li{height:40px}</style><ul id="u"><li>A<li>B<li>C</ul><script>
    let held = null; u.onpointerdown = e => { held = e.target; };
    onpointermove = e => {
      const over = held && document.elementsFromPoint(e.clientX, e.clientY)
        .find(el => el.tagName === "LI" && el !== held);
      if (!over) return;
      const box = over.getBoundingClientRect();
      if (e.clientY > box.top + box.height / 2) over.after(held);
      else over.before(held);
    };
    onpointerup = () => { held = null; R(u.innerText.replace(/\\s/g, "")); };</script>"""
    step = {"drag": {"from": "A", "to": "C"}, "expect": [result("BCA")]}
    went_well(drive(page, step), 1)


def test_row_is_named_by_one_of_its_cells(drive: Drive) -> None:
    """What contains has the role that is meant, and shows the words among others."""
    page = """<table><tr><td>Bob Smith<td><button onclick="R(1)">Edit</button></tr>
    <tr><td>Bob<td><button onclick="R(2)">Edit</button></tr></table>"""
    target = {"role": "button", "name": "Edit", "in": {"role": "row", "name": "Bob"}}
    went_well(drive(page, {"click": target, "expect": [result("2")]}), 1)


def test_file_goes_to_the_only_file_field(drive: Drive, tmp_path: Path) -> None:
    """Without a target other buttons do not matter."""
    (tmp_path / "photo.png").write_bytes(b"x")
    page = """<button>Other</button><input type="file" id="f"
    onchange="R(f.files[0].name)">"""
    step = {"upload": {"file": "photo.png"}, "expect": [result("photo.png")]}
    went_well(drive(page, step), 1)


SWALLOWS = """<script>addEventListener("keydown", (event) => {
  event.preventDefault(); event.stopImmediatePropagation() }, true)</script>"""
OPTIONS = "<option>A<option disabled>H<option>B<option>C</select>"


@pytest.mark.parametrize("size", ("", "size=3", "multiple"))
def test_list_whose_page_swallows_keys_is_chosen_from_by_mouse(
    drive: Drive, size: str
) -> None:
    """A person who cannot use the keys takes the mouse; the page hears of one change."""
    page = f"""{SWALLOWS}<script>let n = 0;</script><select aria-label="S" {size}
    onchange="R(++n + value)">{OPTIONS}"""
    step = {"select": {"in": {"label": "S"}, "option": "C"}, "expect": [result("1C")]}
    trace = drive(page, step)
    went_well(trace, 1)
    assert trace.steps[1].received["by"] == "mouse"
    # The press is waited for; the click may be on its way still.
    assert "pointerdown" in trace.steps[1].received["events"]


def test_list_that_takes_neither_keys_nor_mouse_loses_the_input(drive: Drive) -> None:
    """Nobody could choose there."""
    page = f"""{SWALLOWS}<select aria-label="S" onmousedown="event.preventDefault()">
    {OPTIONS}"""
    trace = drive(page, {"select": {"in": {"label": "S"}, "option": "C"}})
    assert failure(trace)[1] == "input_lost"
