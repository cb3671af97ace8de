"""Actions arrive as real input, at the right element and nowhere else."""

from tests.drive.kit import Drive, failure, result, went_well

BUTTON = "<button onclick=\"R('clicked')\">Go</button>"


def test_click_reaches_a_row_that_is_redrawn_all_the_time(drive: Drive) -> None:
    """The element is looked up at the moment of acting, never a neighbour's place."""
    page = """<ul id="list"></ul><script>
    let rows = ["Alpha", "Beta", "Gamma"], n = 0;
    function draw() {
      list.replaceChildren(...rows.map(name => {
        const li = document.createElement("li"), b = document.createElement("button");
        b.textContent = "Delete"; b.onclick = () => R(name); li.append(name + " ", b);
        return li;
      }));
    }
    draw();
    setInterval(() => { if (n < 8) { rows.unshift("Fresh" + ++n); draw(); } }, 60);
    </script>"""
    steps = [
        {"wait": {"text": "Fresh1"}},
        {"click": {"role": "button", "name": "Delete", "near": "Beta"}},
        {"wait": result("Beta")},
    ]
    went_well(drive(page, *steps), 3)


def test_element_that_flees_from_the_pointer_is_not_clicked(drive: Drive) -> None:
    """What slips under the pointer meanwhile does not get the click."""
    page = """<style>button{position:absolute;left:20px;width:90px;height:40px}</style>
    <button id="a" style="top:20px">Wanted</button>
    <button id="b" style="top:120px" onclick="R('wrong')">Other</button>
    <script>a.onmouseover = () => { a.style.top = "120px"; b.style.top = "20px"; };
    a.onclick = () => R("wanted");</script>"""
    trace = drive(page, {"click": {"role": "button", "name": "Wanted"}})
    if trace.failed:
        assert failure(trace)[1] == "covered"
    seen = drive(page, {"hover": {"name": "Other"}, "expect": [result("wrong")]})
    assert failure(seen)[1] == "expectation"


def test_form_in_a_frame_of_another_origin(drive: Drive) -> None:
    """Targets are found, and input goes, inside sandboxed frames."""
    page = """<h1>Checkout</h1><iframe title="Card" sandbox="allow-scripts" srcdoc="
    <input aria-label='Card number'><button onclick=&quot;parent.postMessage(
    'paid:' + document.querySelector('input').value, '*')&quot;>Pay now</button>">
    </iframe><script>addEventListener("message", e => R(e.data));</script>"""
    steps = [
        {"type": {"into": "the card number field", "text": "4242"}},
        {
            "click": {"role": "button", "name": "Pay now"},
            "expect": [result("paid:4242")],
        },
    ]
    went_well(drive(page, *steps), 2)


def test_click_in_nested_frames_lands(drive: Drive) -> None:
    """Places of frames inside frames add up, borders and scrolling included."""
    inner = "<div style='height:900px'></div>" + BUTTON
    middle = "<p>middle</p><iframe src='inner.html' style='border:7px solid'></iframe>"
    page = "<p>top</p><iframe src='middle.html' width=500 height=400></iframe>"
    files = {"index.html": page, "middle.html": middle, "inner.html": inner}
    step = {"click": {"role": "button", "name": "Go"}, "expect": [result("clicked")]}
    went_well(drive(files, step), 1)


def test_elements_in_shadow_roots_are_found(drive: Drive) -> None:
    """Open shadow roots and their slots belong to what a person sees."""
    page = """<x-card><span>Name it</span></x-card><script>
    customElements.define("x-card", class extends HTMLElement {
      constructor() {
        super();
        const root = this.attachShadow({ mode: "open" });
        root.innerHTML = "<label>Title <input></label><button><slot></slot></button>";
        root.querySelector("button").onclick =
          () => R("named " + root.querySelector("input").value);
      }
    });</script>"""
    steps = [
        {"type": {"into": {"label": "Title"}, "text": "Bo"}},
        {
            "click": {"role": "button", "name": "Name it"},
            "expect": [result("named Bo")],
        },
    ]
    went_well(drive(page, *steps), 2)


def test_covered_button_fails_and_names_the_cover(drive: Drive) -> None:
    """Nobody could click it: the page stays untouched, the cover is named."""
    page = (
        BUTTON
        + """<div id="c" style="position:fixed;inset:0;background:#0008">
    We use cookies <button onclick="c.remove()">Accept</button></div>"""
    )
    trace = drive(page, {"click": {"role": "button", "name": "Go"}})
    number, kind, message = failure(trace)
    assert (number, kind) == (1, "covered")
    assert "We use cookies" in message
    steps = [
        {"click": "Accept in the cookie banner"},
        {"click": "the Go button", "expect": [result("clicked")]},
    ]
    went_well(drive(page, *steps), 2)


def test_label_stands_for_its_hidden_box(drive: Drive) -> None:
    """A box that its label draws is ticked through the label."""
    page = """<style>input{position:absolute;opacity:0;width:1px;height:1px}
    label::before{content:"";display:inline-block;width:20px;height:20px;
    border:1px solid}</style><input type="checkbox" id="n">
    <label for="n">Newsletter</label>
    <script>n.onchange = () => R(n.checked);</script>"""
    steps = [
        {
            "check": {"role": "checkbox", "name": "Newsletter"},
            "expect": [result("true")],
        },
        {"uncheck": {"name": "Newsletter"}, "expect": [result("false")]},
    ]
    went_well(drive(page, *steps), 2)


def test_typing_sends_every_key_to_the_field(drive: Drive) -> None:
    """Keys arrive one by one; the value is recorded; Enter submits."""
    page = """<form onsubmit="R('sent ' + q.value); return false">
    <input id="q" placeholder="Search"></form><p id="keys"></p>
    <script>q.onkeydown = () => keys.textContent += "x";</script>"""
    field = {"placeholder": "Search"}
    steps = [
        {"type": {"into": field, "text": "grün 图"}, "expect": [{"value": "grün 图"}]},
        {"type": {"text": "Bo", "clear": True, "submit": True}},
        {"wait": result("sent Bo")},
    ]
    trace = drive(page, *steps)
    went_well(trace, 3)
    assert trace.steps[1].received["value"] == "grün 图"


def test_typing_into_what_is_no_field_fails(drive: Drive) -> None:
    """A picture of a field takes no text, and that is the page's fault."""
    page = "<div>Search</div>"
    trace = drive(page, {"type": {"into": {"text": "Search"}, "text": "x"}})
    assert failure(trace)[1] == "not_interactive"


def test_keys_that_the_page_swallows_are_still_received(drive: Drive) -> None:
    """The post-condition is that the key arrived, not that it changed something."""
    page = (
        "<input aria-label='Code'><script>onkeydown = e => e.preventDefault()</script>"
    )
    step = {"type": {"into": {"name": "Code"}, "text": "12"}, "expect": [{"value": ""}]}
    went_well(drive(page, step), 1)


def test_press_takes_common_names_and_chords(drive: Drive) -> None:
    """`Esc`, `Ctrl+b` and arrows mean what people mean by them."""
    page = """<script>let got = [];
    onkeydown = e => { got.push((e.ctrlKey ? "^" : "") + e.key); R(got.join(" ")); };
    </script>"""
    steps = [{"press": "Esc"}, {"press": "Ctrl+b"}, {"press": "ArrowDown"}]
    trace = drive(page, *steps, {"wait": result("Escape ^Control ^b ArrowDown")})
    went_well(trace, 4)


def test_named_container_scrolls_and_the_page_does_not(drive: Drive) -> None:
    """The wheel turns over the dialog that is named."""
    page = """<body style="height:3000px;margin:0"><div id="panel" role="dialog"
    aria-label="Filters" style="position:fixed;top:60px;left:300px;width:420px;
    height:300px;overflow-y:auto"></div><script>
    panel.innerHTML = Array.from({length: 60}, (_, i) => `<p>Filter ${i}</p>`).join("");
    panel.onscroll = onscroll =
      () => R((panel.scrollTop > 0 ? "panel" : "") + (scrollY > 0 ? "page" : ""));
    </script>"""
    dialog = {"role": "dialog", "name": "Filters"}
    went_well(
        drive(
            page,
            {"scroll": {"in": dialog, "by": 0.8}, "expect": [result("panel")]},
            {"scroll": {"by": 0.5}, "expect": [result("panelpage"), {"scroll": 0.5}]},
            {"scroll": {"in": dialog, "to": "Filter 59"}},
        ),
        3,
    )


def test_scroll_that_moves_nothing_fails(drive: Drive) -> None:
    """A page that fits the window cannot be scrolled."""
    trace = drive("<p>short</p>", {"scroll": {"by": 0.5}})
    assert failure(trace)[1] == "nothing_scrolled"


def test_drag_moves_cards_and_sliders(drive: Drive) -> None:
    """HTML5 drops and pointer sliders both get the moves that they need."""
    page = """<div id="card" draggable="true" style="width:90px">Card</div>
    <div id="zone" style="width:200px;height:80px;background:#ccc">Drop here</div>
    <div id="knob" role="slider" aria-label="Volume" tabindex="0"
      style="position:absolute;left:20px;top:200px;width:30px;height:30px;background:red">
    </div><script>
    let over = false, start = null, moves = 0;
    zone.ondragover = e => { e.preventDefault(); over = true; };
    zone.ondrop = e => { e.preventDefault(); R("dropped:over=" + over); };
    knob.onpointerdown = e => { start = e.clientX; knob.setPointerCapture(e.pointerId); };
    knob.onpointermove = e => {
      if (start === null || ++moves < 3) return;
      knob.style.left = 20 + e.clientX - start + "px";
    };
    knob.onpointerup = () => { start = null; R("at " + parseInt(knob.style.left)); };
    </script>"""
    steps = [
        {"drag": {"from": "Card", "to": "Drop here"}},
        {"wait": result("dropped:over=true")},
        {
            "drag": {"from": {"role": "slider"}, "by": {"x": 100}},
            "expect": [result("at 120")],
        },
    ]
    went_well(drive(page, *steps), 3)


def test_select_chooses_by_the_text_that_is_seen(drive: Drive) -> None:
    """Native lists by the keyboard, home-made ones by opening them."""
    page = """<label>Country <select id="s"><option>DE</option><option disabled>FR
    </option><option>NO</option></select></label>
    <div role="combobox" tabindex="0" onclick="menu.hidden=false">Colour</div>
    <ul id="menu" role="listbox" hidden><li role="option" onclick="R('red')">Red</li>
    </ul><script>s.onchange = e => R(s.value + e.isTrusted);</script>"""
    steps = [
        {
            "select": {"in": {"label": "Country"}, "option": "NO"},
            "expect": [result("NOtrue")],
        },
        {
            "select": {"in": {"text": "Colour"}, "option": "Red"},
            "expect": [result("red")],
        },
    ]
    went_well(drive(page, *steps), 2)
    missing = drive(page, {"select": {"in": {"label": "Country"}, "option": "SE"}})
    assert failure(missing)[1] == "target_missing"


def test_hover_opens_what_only_the_pointer_shows(drive: Drive) -> None:
    """The mouse really moves there, also when it lies there already."""
    page = """<style>nav div{display:none} nav:hover div{display:block}</style>
    <nav>Shop<div><a href="#all">All products</a></div></nav>"""
    step = {"hover": {"text": "Shop"}, "expect": [{"visible": "All products"}]}
    went_well(drive(page, step, step), 2)


def test_double_and_right_click(drive: Drive) -> None:
    """They cause the events of their own, once."""
    page = """<p id="p">Edit me</p><script>let got = [];
    for (const t of ["dblclick", "contextmenu"]) p.addEventListener(t, () => {
      got.push(t); R(got.join(" ")); });</script>"""
    steps = [{"double_click": "Edit me"}, {"right_click": "Edit me"}]
    went_well(drive(page, *steps, {"wait": result("dblclick contextmenu")}), 3)


def test_touch_taps_and_swipes(drive: Drive) -> None:
    """On a touch device fingers cause touch events, and a swipe scrolls."""
    page = """<body style="height:4000px"><button style="margin-top:40px">Tap me</button>
    <script>document.querySelector("button").ontouchstart = () => R("touched");
    </script>"""
    phone = {"width": 390, "height": 664, "mobile": True, "touch": True, "scale": 2}
    steps = [
        {"tap": {"name": "Tap me"}, "expect": [result("touched")]},
        {"swipe": {"direction": "up"}},
        {"wait": {"hidden": {"name": "Tap me"}, "equals": False}},
    ]
    trace = drive(page, *steps, viewport=phone)
    went_well(trace, 3)
    assert trace.scale == 2


def test_history_and_reload(drive: Drive) -> None:
    """Pages are left and come back, state in storage survives a reload."""
    files = {
        "index.html": "<a href='two.html'>Next</a><script>"
        "R(localStorage.n = 1 + +(localStorage.n || 0))</script>",
        "two.html": "<h1>Two</h1>",
    }
    steps = [
        {"click": {"role": "link", "name": "Next"}, "expect": [{"url": "/two.html"}]},
        {"back": {}, "expect": [{"visible": "Next"}]},
        {"reload": {}, "expect": [{"visible": "Next"}]},
        {"goto": "/two.html", "expect": [{"text": "Two"}]},
    ]
    went_well(drive(files, *steps), 4)
    missing = drive(files, {"goto": "/three.html"})
    assert failure(missing)[1] == "navigation_failed"
    assert failure(drive(files, {"back": {}}))[1] == "navigation_failed"


def test_upload_gives_a_file_of_the_task(drive: Drive, tmp_path: object) -> None:
    """The box that the page opens gets the file."""
    page = """<label>Photo <input type="file" id="f"></label>
    <script>f.onchange = () => R(f.files[0].name);</script>"""
    step = {"upload": {"into": {"label": "Photo"}, "file": "task.iwr.yaml"}}
    went_well(drive(page, step, {"wait": result("task.iwr.yaml")}), 2)
    del tmp_path


def test_key_for_a_button_does_not_click_it(drive: Drive) -> None:
    """The element gets the focus and then the key, once."""
    page = """<script>let n = 0;</script><button onclick="R(++n)">Go</button>
    <label><input type="checkbox"> Yes</label>"""
    steps = [
        {"press": {"key": "enter", "in": {"name": "Go"}}, "expect": [result("1")]},
        {
            "press": {"key": "Space", "in": {"role": "checkbox", "name": "Yes"}},
            "expect": [{"checked": {"name": "Yes"}}],
        },
    ]
    went_well(drive(page, *steps), 2)


def test_key_names_in_any_case(drive: Drive) -> None:
    """`enter`, `TAB`, `ctrl+shift+k` and letters of other keyboards are keys."""
    page = "<input autofocus onkeydown='document.title = event.key'>"
    keys = {"backspace": "Backspace", "ARROWDOWN": "ArrowDown", "ctrl+b": "b", "é": "é"}
    steps = [{"press": key, "expect": [{"title": seen}]} for key, seen in keys.items()]
    went_well(drive(page, *steps), len(steps))
