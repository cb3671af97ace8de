"""Replies of models: which hold a page, and why the others do not."""

import hashlib
import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from pytest_iwr.errors import EndpointError
from pytest_iwr.generate.reply import extract, read_reply

PAGE = "<!DOCTYPE html>\n<html><head><title>A</title></head><body>a</body></html>\n"
OTHER = PAGE.replace(">a<", ">b<")
FENCED = f"```html\n{PAGE}```\n"
ESCAPED = json.dumps({"html": PAGE}).replace("/", "\\/")
"""As some libraries write it."""

STORED = {
    "Llama-3.1-8B-Instruct__AdditiveCipher": ("page", 7090, "f79ec150c938"),
    "Llama-3.1-8B-Instruct__ThomsonProblemSolutions": ("cut_off", 0, ""),
    "Qwen3-8B-Base__DwarfPlanets": ("cut_off", 0, ""),
    "Qwen3-8B-Base__PineCone": ("no_page", 0, ""),
    "claude-sonnet-4-20250514__AdditiveCipher": ("page", 7053, "c600d0441974"),
    "claude-sonnet-4-20250514__TernaryPhaseDiagramWithPhaseEnvelope": (
        "cut_off",
        0,
        "",
    ),
    "deepseek-v3-0324__AdditiveCipher": ("page", 7921, "ec020485a048"),
    "gemini-2.5-pro__AdditiveCipher": ("page", 8942, "6af7a0c8797e"),
    "glm-4.5__AdditiveCipher": ("page", 8598, "e7ee93caa84b"),
    "glm-4.5__MulticomponentDistillationColumn": ("cut_off", 0, ""),
    "gpt-5__AdditiveCipher": ("page", 7631, "ad66e2b9baf2"),
    "gpt-oss-20b__ConvolutionMethodInHydrologicComputations": (
        "page",
        11351,
        "09bcfa639320",
    ),
}
"""What each stored reply is, and its page's length and start of its SHA-256, in bytes.

Read one by one: the pages are whole; four replies stop within a script (an array of
zeros without an end, a call's arguments, a comment, an object); one says "Assistant".
"""


@pytest.mark.needs_shared
def test_stored_replies_are_what_they_are(shared: Path) -> None:
    """Twelve raw replies of eight models: seven pages, four cut off, one without."""
    found = {}
    for path in (shared / "data" / "model-replies").glob("*.txt"):
        reply = extract(path.read_bytes().decode())
        page = (reply.html or "").encode()
        digest = hashlib.sha256(page).hexdigest()[:12] if page else ""
        found[path.stem] = (reply.outcome, len(page), digest)
        assert page in path.read_bytes()
    assert found == STORED


@pytest.mark.needs_shared
@pytest.mark.parametrize(
    "name", ("api-response", "api-response-bare", "api-response-inner-fence")
)
def test_last_of_many_fences_is_taken_whole(shared: Path, name: str) -> None:
    """Fences of both kinds, none, and one within the page's own script."""
    folder = shared / "cases" / "39-many-fences"
    reply = read_reply(json.loads((folder / f"{name}.json").read_text("utf-8")))
    expected = (folder / "expected-index.html").read_bytes()
    assert (reply.html or "").encode() == expected


@pytest.mark.needs_shared
def test_thinking_is_no_page(shared: Path) -> None:
    """The page after the thinking counts; a page may show the word."""
    folder = shared / "cases" / "41-thinking"
    names = {
        "api-response": "page",
        "api-response-close-only": "page",
        "api-response-never-closed": "no_page",
        "api-response-reasoning-field": "no_page",
        "api-response-page-says-think": "page",
    }
    for name, outcome in names.items():
        reply = read_reply(json.loads((folder / f"{name}.json").read_text("utf-8")))
        assert (name, reply.outcome) == (name, outcome)
        assert ("Final" in (reply.html or "")) == (outcome == "page")
        assert "DRAFT" not in (reply.html or "")


@pytest.mark.needs_shared
def test_answers_without_a_page_have_names(shared: Path) -> None:
    """A refusal, a filter and an apology are the model's; the rest is parts."""
    folder = shared / "cases" / "42-no-page"
    names = {
        "refusal": "refused",
        "filtered": "filtered",
        "apology": "refused",
        "parts": "page",
    }
    for name, outcome in names.items():
        reply = read_reply(json.loads((folder / f"{name}.json").read_text("utf-8")))
        assert (name, reply.outcome) == (name, outcome)
    for name in ("error-200", "no-choices", "null-message"):
        body = json.loads((folder / f"{name}.json").read_text("utf-8"))
        with pytest.raises(
            EndpointError, match=r"the endpoint's answer: .* instead of"
        ):
            read_reply(body)


@pytest.mark.parametrize(
    ("text", "expected"),
    (
        pytest.param(PAGE, PAGE, id="bare"),
        pytest.param(FENCED, PAGE, id="fenced"),
        pytest.param(f"Draft:\n{FENCED}Final:\n```html\n{OTHER}```", OTHER, id="last"),
        pytest.param(f"~~~~html\n{PAGE}~~~~", PAGE, id="tildes"),
        pytest.param(f"```html\n{PAGE}", PAGE, id="fence never closed"),
        pytest.param(f"  ```html\n{PAGE}  ```", PAGE, id="indented fence"),
        pytest.param(f"```html{PAGE}```", PAGE, id="fence on the same line"),
        pytest.param(
            f"{FENCED}Put it into an `<html>` file; `</html>` ends it.",
            PAGE,
            id="prose",
        ),
        pytest.param(
            f"I use `<html lang='en'>`:\n{FENCED}", PAGE, id="prose before it"
        ),
        pytest.param(f"Like `<html><p>x</p></html>`:\n{FENCED}", PAGE, id="inline"),
        pytest.param(f"{FENCED}Or `<html><p>x</p></html>`.", PAGE, id="inline after"),
        pytest.param(f"\ufeff{PAGE}", f"\ufeff{PAGE}", id="byte order mark"),
        pytest.param(PAGE.replace("\n", "\r\n"), PAGE.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(PAGE.replace("a<", "\0<"), PAGE.replace("a<", "\0<"), id="NUL"),
        pytest.param(PAGE.upper(), PAGE.upper(), id="upper case"),
        pytest.param(
            f"<!-- index.html -->\n{PAGE}", f"<!-- index.html -->\n{PAGE}", id="comment"
        ),
        pytest.param(
            f"{PAGE.strip()}<!-- end -->\nBye.",
            f"{PAGE.strip()}<!-- end -->\n",
            id="end",
        ),
        pytest.param(
            f"{PAGE}<script>run()</script>\nBye.",
            f"{PAGE}<script>run()</script>\n",
            id="script after it",
        ),
        pytest.param(
            f'<?xml version="1.0"?>\n{PAGE}',
            f'<?xml version="1.0"?>\n{PAGE}',
            id="XHTML",
        ),
        pytest.param(
            f"```css\na{{}}\n```\n{FENCED}```svg\n<svg><title>x</title></svg>\n```",
            PAGE,
            id="svg after it",
        ),
        pytest.param(json.dumps({"files": {"index.html": PAGE}}), PAGE, id="JSON"),
        pytest.param(
            f"```json\n{json.dumps({'html': PAGE})}\n```", PAGE, id="JSON in a fence"
        ),
        pytest.param(
            f"Here:\n```json\n{ESCAPED}\n```\nBye.",
            PAGE,
            id="JSON among prose",
        ),
        pytest.param(
            f"{FENCED}```js\nconst page = `{OTHER}`;\n```",
            PAGE,
            id="text of a script after it",
        ),
        pytest.param(
            f"**index.html**\n{FENCED}**index.html** in place of old.html:\n"
            f"```html\n{OTHER}```",
            OTHER,
            id="named twice",
        ),
        pytest.param(
            f"I drop `<think>` parts.\n{FENCED}", PAGE, id="thinking spoken of"
        ),
        pytest.param(
            f"Without <think> parts:\n{FENCED}", PAGE, id="thinking in a sentence"
        ),
        pytest.param(
            f"<think>No `</think>` {OTHER}</think>\n{FENCED}", PAGE, id="end spoken of"
        ),
        pytest.param(
            FENCED.replace("\n", "\r\n"), PAGE.replace("\n", "\r\n"), id="CRLF fence"
        ),
        pytest.param(
            f"**index.html**\n{FENCED}**about.html**\n```html\n{OTHER}```",
            PAGE,
            id="named files",
        ),
        pytest.param(
            f"```html index.html\n{PAGE}```\n```html about.html\n{OTHER}```",
            PAGE,
            id="names behind fences",
        ),
        pytest.param(
            f"<!-- index.html -->{PAGE}\n<!-- b.html -->{OTHER}",
            f"<!-- index.html -->{PAGE}",
            id="names in comments",
        ),
    ),
)
def test_page_is_found_byte_for_byte(text: str, expected: str) -> None:
    """Whatever stands around a page, it comes out as the model wrote it."""
    reply = extract(text, "stop")
    assert (reply.outcome, reply.html) == ("page", expected)


@pytest.mark.parametrize(
    "inside",
    (
        pytest.param("<script>f('</html>')</script>", id="script"),
        pytest.param(
            "<script>f(`<!DOCTYPE html><html><p></html>`)</script>", id="page"
        ),
        pytest.param("<!-- </html> -->", id="comment"),
        pytest.param('<iframe srcdoc="<html><p>x</p></html>"></iframe>', id="srcdoc"),
        pytest.param(
            "<textarea>\n```html\n<html><p></html>\n```\n</textarea>", id="md"
        ),
        pytest.param("<script>x = `\n```\nend\n```\n`</script>", id="fences"),
        pytest.param("<pre>\n```\ncode\n```\n</pre>", id="fences in text"),
        pytest.param("<script>x = '<think>'</script>", id="think"),
        pytest.param("<script>x = '</think>'</script>", id="end of think"),
        pytest.param("<p>it's 1 < 2 &amp; <b title=it's>b</b></p>", id="apostrophes"),
        pytest.param("<style>a::after{content:'</html>'}</style>", id="style"),
    ),
)
def test_what_is_in_a_page_does_not_end_it(inside: str) -> None:
    """Scripts, comments, attributes and fields may hold anything."""
    page = PAGE.replace(">a<", f">{inside}<")
    for text in (page, f"```html\n{page}```", f"<think>{OTHER}</think>\n{page}Bye."):
        assert extract(text, "stop").html == page


def test_draft_that_breaks_off_is_left_behind() -> None:
    """A script without an end does not swallow the page that follows it."""
    draft = "<!DOCTYPE html>\n<html><body><script>\n// as before\n"
    scripted = PAGE.replace(">a<", "><script>run()</script><")
    text = f"```html\n{draft}```\nAll of it:\n```html\n{scripted}```"
    assert extract(text).html == scripted
    assert extract(f"{draft}no.</think>\n\n{scripted}").html == scripted
    assert extract(f"<html><body>\nno.</think>Here:\n\n{PAGE}").html == PAGE


@pytest.mark.parametrize(
    "text",
    (
        f"<think>{OTHER}</think>{PAGE}",
        f"\n<thinking>hm {OTHER}</thinking>\n{PAGE}",
        f"{OTHER} hm</think>{PAGE}",
        f"{PAGE}<think>Is {OTHER} better? No.</think>",
        f"<think>a <think> b</think> {OTHER}</think>{PAGE}",
        f"◁think▷{OTHER}◁/think▷{PAGE}",
        f"[THINK]{OTHER}[/THINK]{PAGE}",
        f"Sure.<think>{OTHER}</think>{PAGE}<think>fine",
    ),
)
def test_drafts_in_thinking_are_dropped(text: str) -> None:
    """Only what is said outside of thinking parts can be the page."""
    assert (extract(text).html or "").strip() == PAGE.strip()


@pytest.mark.parametrize(
    ("text", "end", "outcome"),
    (
        ("", "stop", "empty"),
        (" \n", None, "empty"),
        ("", "length", "cut_off"),
        ("Use <html> and <script>, and close with\n</html>", "stop", "no_page"),
        ("", "content_filter", "filtered"),
        ("", "SAFETY", "filtered"),
        ("", "refusal", "refused"),
        ("<think>hm", "length", "no_page"),
        ("<think>hm</think>", "stop", "no_page"),
        ("I'm sorry, but I cannot help with that.", "stop", "refused"),
        ("I can’t view videos.", "stop", "refused"),
        ("Unfortunately I am unable to watch it.", None, "refused"),
        ("抱歉 我无法查看视频。", "stop", "refused"),
        ("Here is how I would do it: …", "stop", "no_page"),
        ("Here is how I", "length", "cut_off"),
        ("```html\n<div>only a part</div>\n```", "stop", "no_page"),
        ("```xml\n<svg><title>x</title></svg>\n```", "stop", "no_page"),
        ("Begin with `<html>` and end with `</html>`.", "stop", "no_page"),
        (PAGE[:60], None, "cut_off"),
        (PAGE[:60], "stop", "cut_off"),
        (f"```html\n{PAGE[:50]}", None, "cut_off"),
        ("<!DOCTYPE html><script>w('</html>')", "stop", "cut_off"),
        (f"```html\n{PAGE[:-20]}<!-- \n```", "stop", "cut_off"),
        (f"{FENCED}Better:\n```html\n{OTHER[:60]}", "length", "cut_off"),
    ),
)
def test_reply_without_a_page_is_named(
    text: str, end: str | None, outcome: str
) -> None:
    """The kind says whose doing it is, and the reason says more."""
    reply = extract(text, end)
    assert (reply.outcome, reply.html) == (outcome, None)
    assert reply.reason


@pytest.mark.parametrize(
    ("text", "expected"),
    (
        ("```html\n<!DOCTYPE html><title>x</title><p>y\n```", None),
        ("```html\n<html><body>y</body>\n```\nBye.", None),
        ("```html\n<head><title>x</title></head><p>y\n```\nBye.", None),
        ("<!DOCTYPE html><title>x</title><p>y</p>", None),
        ("<html><body>y</body>\n", "<html><body>y</body>"),
        (f"{PAGE}More on that:\n```html\n{OTHER[:60]}", PAGE),
        ("```html\n<html><body><script>x()</body></html>\n```", None),
    ),
)
def test_page_need_not_spell_out_its_end(text: str, expected: str | None) -> None:
    """HTML lets many tags be left out; the fence or the endpoint says it is whole."""
    fenced = text.removeprefix("```html\n").partition("```")[0]
    assert extract(text, "stop").html == (fenced if expected is None else expected)


def test_whole_page_before_the_limit_counts() -> None:
    """Only prose was cut off."""
    assert extract(f"{FENCED}It wor", "length").html == PAGE
    assert extract(f"{FENCED}The <html> and <body> ta", "length").html == PAGE


def test_half_a_character_is_replaced() -> None:
    """An answer that was cut within a pair of surrogates still can be written."""
    reply = extract(PAGE.replace(">a<", ">\ud83d<"))
    assert (reply.html or "").encode().decode() == PAGE.replace(">a<", ">\ufffd<")


def test_content_parts_are_joined_without_thinking() -> None:
    """Text parts follow each other; parts of other types are not said."""
    body = _answer(
        [
            {"type": "thinking", "thinking": OTHER},
            {"type": "text", "text": PAGE[:30]},
            {"type": "text", "text": PAGE[30:]},
        ]
    )
    assert read_reply(body).html == PAGE
    assert read_reply(_answer([{"type": "reasoning", "text": PAGE}])).html is None
    refusal = read_reply(_answer([{"type": "refusal", "refusal": "No."}]))
    assert refusal.outcome == "refused"


@pytest.mark.parametrize(
    "body",
    (
        {},
        {"error": "overloaded"},
        {"choices": None},
        {"choices": [None]},
        {"choices": [{"message": None}]},
        {"choices": [{"finish_reason": "error", "message": {"content": PAGE}}]},
        {"choices": [{"error": {"message": "x"}, "message": {"content": PAGE}}]},
    ),
)
def test_what_is_no_answer_of_a_model_is_an_error(body: dict[str, JsonValue]) -> None:
    """The endpoint failed, and the model is not blamed."""
    with pytest.raises(EndpointError):
        read_reply(body)


def test_filter_may_take_the_message_away() -> None:
    """Some endpoints leave a null message where their filter struck."""
    choice: JsonValue = {"finish_reason": "content_filter", "message": None}
    body: dict[str, JsonValue] = {"choices": [choice]}
    assert read_reply(body).outcome == "filtered"


def test_tool_call_is_no_page() -> None:
    """A model that calls a tool instead of answering has made no page."""
    message: JsonValue = {"content": None, "tool_calls": [{}]}
    body: dict[str, JsonValue] = {"choices": [{"message": message}]}
    reply = read_reply(body)
    assert (reply.outcome, "tool" in reply.reason) == ("no_page", True)


def _answer(content: JsonValue) -> dict[str, JsonValue]:
    message: dict[str, JsonValue] = {"role": "assistant", "content": content}
    return {"choices": [{"message": message, "finish_reason": "stop"}]}


@pytest.mark.parametrize(
    "around",
    (
        "{}",
        "```html\n{}```\n",
        "Here, with its `<html>`:\n\n```html\n{}```\nIts `</html>` ends it.",
        "~~~\n{}~~~",
        "<think>I would say ```html\n<html><body>no</body></html>\n```</think>\n{}",
        "As a draft <html><script>x\n</think>Here:\n\n```html\n{}```",
    ),
)
def test_real_pages_come_out_whole(around: str) -> None:
    """The repository's example pages, whatever a model puts around them."""
    pages = Path(__file__).parents[2] / "examples" / "pages"
    found = sorted(pages.rglob("index.html"))
    assert found
    for path in found:
        page = path.read_bytes().decode().rstrip("\n") + "\n"
        assert extract(around.replace("{}", page), "stop").html == page
