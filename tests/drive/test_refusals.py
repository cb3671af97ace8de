"""Questions that only a person could answer are refused at once; no promise hangs."""

from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from pytest_iwr.drive import Browser
from tests.drive.kit import Drive, as_task, failure, went_well

GO = {"click": {"role": "button", "name": "Go"}}
PAGE = """<button>Go</button><p>idle</p><script>
const tell = (text) => { document.querySelector("p").textContent = text };
document.querySelector("button").onclick = async () => { tell("asked");
  try { tell("given " + await CALL) } catch (error) { tell("refused " + error.name) } };
</script>"""
PLACE = "new Promise((y, n) => navigator.geolocation.WAY(y, () => n({name: 'place'})))"
KEY = "{publicKey: {challenge: new Uint8Array(16)}}"
MADE = """{publicKey: {challenge: new Uint8Array(16), rp: {name: "x"}, pubKeyCredParams:
  [{type: "public-key", alg: -7}], user: {id: new Uint8Array(8), name: "a",
  displayName: "a"}}}"""
FILE = """new Promise((y, n) => { const field = document.createElement("input");
  field.type = "file"; field.oncancel = () => n({name: "cancelled"}); field.onchange = y;
  field.click() })"""

QUESTIONS = {
    "place": (PLACE.replace("WAY", "getCurrentPosition"), "refused place"),
    "way": (PLACE.replace("WAY", "watchPosition"), "refused place"),
    "camera": ("navigator.mediaDevices.getUserMedia({video: true})", "refused"),
    "microphone": ("navigator.mediaDevices.getUserMedia({audio: true})", "refused"),
    "screen": ("navigator.mediaDevices.getDisplayMedia()", "refused NotAllowedError"),
    "notes": ("Notification.requestPermission()", "given denied"),
    "clipboard": ("navigator.clipboard.readText()", "refused NotAllowedError"),
    "clipboard for pictures": ("navigator.clipboard.read()", "refused NotAllowedError"),
    "files": ("showOpenFilePicker()", "refused AbortError"),
    "file to write": ("showSaveFilePicker()", "refused AbortError"),
    "folder": ("showDirectoryPicker()", "refused AbortError"),
    "file field": (FILE, "refused cancelled"),
    "printer": ("print()", "given undefined"),
    "usb": ("navigator.usb.requestDevice({filters: []})", "refused NotFoundError"),
    "serial": ("navigator.serial.requestPort()", "refused NotFoundError"),
    "game pad": ("navigator.hid.requestDevice({filters: []})", "given"),
    "pass key": (f"navigator.credentials.get({KEY})", "refused NotAllowedError"),
    "new pass key": (
        f"navigator.credentials.create({MADE})",
        "refused NotAllowedError",
    ),
    "colour": ("new EyeDropper().open()", "refused AbortError"),
    "music": ("navigator.requestMIDIAccess({sysex: true})", "refused NotAllowedError"),
    "windows": ("getScreenDetails()", "refused NotAllowedError"),
    "idle": ("IdleDetector.requestPermission()", "given denied"),
}


@pytest.mark.parametrize("what", QUESTIONS)
def test_question_is_answered_at_once(drive: Drive, what: str) -> None:
    """As by a person who says no, and the page goes on."""
    call, answer = QUESTIONS[what]
    step = {**GO, "expect": [{"text": answer}], "timeout_s": 8}
    went_well(drive(PAGE.replace("CALL", call), step, GO), 2)


def test_password_and_conditional_key_are_asked_as_ever(drive: Drive) -> None:
    """Only what opens a box is refused: a key for autofill waits in silence."""
    passive = KEY.replace("{publicKey", "{mediation: 'conditional', publicKey")
    step = {**GO, "expect": [{"text": "asked"}]}
    went_well(
        drive(PAGE.replace("CALL", f"navigator.credentials.get({passive})"), step), 1
    )
    saved = PAGE.replace("CALL", "navigator.credentials.get({password: true})")
    went_well(drive(saved, {**GO, "expect": [{"text": "given null"}]}), 1)


@pytest.mark.needs_shared
def test_page_that_asks_for_three_things_hears_three_times_no(
    drive: Drive, shared: Path
) -> None:
    """Camera, place and notifications of the case."""
    page = (shared / "cases" / "67-permission-prompts" / "page.html").read_text("utf-8")
    told = "cam=no,geo=no,note=denied"
    seen = {"visible": {"css": f'html[data-result="{told}"]'}}
    went_well(drive(page, {"wait": seen, "timeout_s": 8}), 1)


def test_leaving_by_a_link_asks_and_is_recorded(drive: Drive) -> None:
    """A page that would keep its visitor does, unless the step says `accept`."""
    files = {
        "index.html": """<a href="b.html">Away</a><input aria-label="Draft"><script>
        onbeforeunload = (event) => event.preventDefault()</script>""",
        "b.html": "<h1>Other</h1>",
    }
    write = {"type": {"into": {"name": "Draft"}, "text": "x"}}
    stay = {"click": "Away", "expect": [{"no_text": "Other"}]}
    leave = {"click": "Away", "dialogs": ["accept"], "expect": [{"text": "Other"}]}
    trace = drive(files, write, stay, leave)
    went_well(trace, 3)
    asked = [(d.kind, d.answer) for step in trace.steps for d in step.dialogs]
    assert asked == [("beforeunload", "dismissed"), ("beforeunload", "accepted")]


class _Guarded(BaseHTTPRequestHandler):
    """Wants a name and a password for some paths."""

    page = b"<h1>Start</h1><a href='/secret'>Staff</a><img src='/secret.png'>"

    def do_GET(self) -> None:
        told = self.headers.get("Authorization")
        is_guarded = self.path.startswith("/secret")
        is_known = told == "Basic " + b64encode(b"a:b").decode()
        self.send_response(401 if is_guarded and not is_known else 200)
        if is_guarded:
            self.send_header("WWW-Authenticate", 'Basic realm="staff"')
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(self.page)))
        self.end_headers()
        self.wfile.write(self.page)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def guarded() -> Iterator[str]:
    """Give the address of a server that asks for a password."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Guarded)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_password_for_a_page_is_not_waited_for(
    driver: Browser, guarded: str, tmp_path: Path
) -> None:
    """No box opens: the page that comes with the refusal is shown, and recorded."""
    shots = tmp_path / "shots"
    shots.mkdir()
    step = {"click": "Staff", "expect": [{"url": "/secret"}]}
    task = as_task((step, {"goto": "/secret"}), tmp_path / "task.iwr.yaml")
    trace = driver.drive(task, guarded + "/", shots)
    assert failure(trace)[:2] == (2, "navigation_failed")
    assert "status 401" in failure(trace)[2]
    lost = [(q.url, q.status) for step in trace.steps for q in step.requests]
    assert ("/secret.png", 401) in lost
    assert failure(driver.drive(task, guarded + "/secret", shots))[:2] == (
        0,
        "load_failed",
    )
