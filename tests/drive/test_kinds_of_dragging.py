"""Dragging, as pages wait for it: moves, a press that lasts, a drop among siblings."""

from pathlib import Path

import pytest

from tests.drive.kit import Drive, result, went_well

KNOB = """<body style="margin:0"><div role="slider" id="knob" style="position:absolute;
left:40px;top:40px;width:24px;height:24px;background:red;touch-action:none"></div>
<script>let start = null, turn = null;
const place = (x) => { knob.style.left = 40 + x - start + "px" };
const end = () => R(knob.style.left);</script>"""
BY = {
    "drag": {"from": {"role": "slider"}, "by": {"x": 100}},
    "expect": [result("140px")],
}
SLIDERS = {
    "mouse": """knob.onmousedown = (e) => { start = e.clientX; e.preventDefault() };
    onmousemove = (e) => { if (start !== null) place(e.clientX) }; onmouseup = end""",
    "captured": """knob.onpointerdown = (e) => { start = e.clientX;
    knob.setPointerCapture(e.pointerId) };
    knob.onpointermove = (e) => { if (start !== null) place(e.clientX) };
    knob.onpointerup = end""",
    "once a frame": """knob.onpointerdown = (e) => { start = e.clientX };
    onpointermove = (e) => { if (start !== null && !turn) turn =
      requestAnimationFrame(() => { turn = null; place(e.clientX) }) };
    onpointerup = () => requestAnimationFrame(() => requestAnimationFrame(end))""",
}


@pytest.mark.parametrize("how", SLIDERS)
def test_slider_follows_the_pointer(drive: Drive, how: str) -> None:
    """To the pixel, whichever events it listens to."""
    went_well(drive(f"{KNOB}<script>{SLIDERS[how]}</script>", BY), 1)


def test_card_that_wants_a_long_press_is_dragged(drive: Drive) -> None:
    """A quarter of a second before the first move, or it is a scroll."""
    page = """<b id="card" style="display:inline-block;width:80px">Card</b>
    <div id="zone" style="margin-top:150px;height:99px;border:1px solid">Zone</div>
    <script>let timer, isHeld = false;
    card.onpointerdown = () => { timer = setTimeout(() => { isHeld = true }, 250) };
    onpointermove = () => { if (!isHeld) clearTimeout(timer) };
    onpointerup = (e) => R(isHeld && e.target === zone ? "dropped" : "scrolled");
    </script>"""
    step = {"drag": {"from": "Card", "to": "Zone"}, "expect": [result("dropped")]}
    went_well(drive(page, step), 1)


@pytest.mark.parametrize(
    ("source", "end", "order"),
    (("A", "C", "BCAD"), ("D", "B", "ADBC"), ("B", "A", "BACD")),
)
def test_list_is_sorted_as_it_makes_room(
    drive: Drive, source: str, end: str, order: str
) -> None:
    """Downwards and upwards, past the middle of the row that is aimed at."""
    rows = "".join(
        f"<li draggable=true style='height:40px'>Item {n}</li>" for n in "ABCD"
    )
    page = f"""<ul id="list" style="margin:0;padding:0">{rows}</ul><script>let moved;
    list.ondragstart = (e) => {{ moved = e.target }};
    list.ondragover = (e) => {{ e.preventDefault(); const row = e.target.closest("li");
      if (!row || row === moved) return; const box = row.getBoundingClientRect();
      row[e.clientY > box.top + box.height / 2 ? "after" : "before"](moved) }};
    list.ondragend = () => R([...list.children].map((x) => x.textContent.slice(-1)).join(""))
    </script>"""
    step = {"drag": {"from": f"Item {source}", "to": f"Item {end}"}}
    went_well(drive(page, {**step, "expect": [result(order)]}), 1)


def test_line_is_drawn_with_many_points(drive: Drive) -> None:
    """A canvas sees a way, not its ends."""
    page = """<canvas width="300" height="200"></canvas><script>let count = 0;
    const sheet = document.querySelector("canvas");
    sheet.onpointermove = (e) => { if (e.buttons) count += 1 };
    sheet.onpointerup = () => R(count > 8 ? "line" : "dots")</script>"""
    by = {"from": {"role": "canvas"}, "by": {"x": 80, "y": 40}}
    went_well(drive(page, {"drag": by, "expect": [result("line")]}), 1)


@pytest.mark.needs_shared
@pytest.mark.parametrize(
    ("drag", "told"),
    (
        ({"from": "Card 7", "to": {"text": "Done"}}, "dropped:over=true"),
        ({"from": {"role": "slider", "name": "Volume"}, "by": {"x": 100}}, "slid:100"),
    ),
)
def test_board_gets_the_moves_that_it_wants(
    drive: Drive, shared: Path, drag: object, told: str
) -> None:
    """A card of HTML's own dragging and a slider that wants three moves."""
    page = (shared / "cases" / "09-drag" / "page.html").read_text("utf-8")
    own = "const R=v=>document.documentElement.dataset.result=v;"
    assert own in page
    page = page.replace(own, "")
    went_well(drive(page, {"drag": drag, "expect": [result(told)]}), 1)
