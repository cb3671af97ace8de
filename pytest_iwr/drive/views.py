"""Views: every document of a window, asked from an isolated world of its own.

The page's scripts cannot see that world, nor change what it finds. Frames of another
process have a session of their own; in-process ones share their parent's.
"""

import json
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from playwright.sync_api import CDPSession, Error, Frame, Page

from pytest_iwr.drive.place import Place, place_of

WORLD = "iwr"
_EYES = (
    "see.js",
    "name.js",
    "find.js",
    "trail.js",
    "touch.js",
    "mark.js",
    "still.js",
    "answer.js",
)
_LOST = (
    "Cannot find context",
    "Execution context was destroyed",
    "Inspected target navigated or closed",
    "uniqueContextId not found",
    "No frame for given id found",
    "Frame was detached",
    "No frame with given id",
)


class ViewLostError(Exception):
    """The document went away while it was asked; ask the next one."""


class SelectorError(Exception):
    """A CSS selector of the task that no browser understands."""


@cache
def _script(name: str) -> str:
    return (resources.files("pytest_iwr.drive") / "js" / name).read_text("utf-8")


def eyes(secret: str) -> str:
    """Give the script of the isolated world; `secret` names its way to the clock."""
    parts = "\n".join(_script(name) for name in _EYES)
    return (
        "(() => { if (globalThis.iwrDocument === document) return;"
        f"globalThis.iwrDocument = document; const SECRET = {json.dumps(secret)};\n"
        f"{parts}\n}})();"
    )


def page_world(secret: str, clock_ms: float, seed: int) -> str:
    """Give the script of the page's world: Date, random numbers, timers, refusals."""
    settings = {"secret": secret, "clock": clock_ms, "seed": seed}
    clock = _script("clock.js").replace("SETTINGS", json.dumps(settings))
    return f"{clock}\n{_script('refuse.js')}"


@dataclass
class View:
    """One document: where it is, and how to ask it."""

    session: CDPSession
    frame_id: str
    script: str
    url: str = ""
    parent: "View | None" = None
    context: int | None = field(default=None, init=False)
    """The isolated world's number, once there is one."""

    def ask(self, question: str, argument: object = None) -> Any:
        """Call a function of `answer.js`; promises are awaited.

        Raises ViewLostError when the document goes away meanwhile.
        """
        call = f"iwr.{question}({json.dumps(argument)})"
        for _ in range(3):
            try:
                answer = self._evaluate(
                    f"globalThis.iwrDocument === document ? {call} : '\\0blank'"
                )
            except Error as error:
                if not any(sign in error.message for sign in _LOST):
                    raise
                if self.context is None:
                    raise ViewLostError(error.message) from error
                self.context = None
                if question == "settle":
                    raise ViewLostError(error.message) from error
                continue
            if answer != "\0blank":
                return answer
            self._evaluate(self.script)
        raise ViewLostError(self.url)

    def _evaluate(self, expression: str) -> Any:
        if self.context is None:
            world = {
                "frameId": self.frame_id,
                "worldName": WORLD,
                "grantUniveralAccess": True,  # the protocol's own spelling
            }
            made = self.session.send("Page.createIsolatedWorld", world)
            self.context = made["executionContextId"]
        answer = self.session.send(
            "Runtime.evaluate",
            {
                "expression": expression,
                "contextId": self.context,
                "returnByValue": True,
                "awaitPromise": True,
            },
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            thrown = details.get("exception", {}).get("description", details["text"])
            if "is not a valid selector" in thrown:
                said = thrown.splitlines()[0].partition(": ")[2]
                raise SelectorError(f"{said} Correct it.")
            raise RuntimeError(thrown)
        return answer["result"].get("value")

    def is_shown(self) -> bool:
        """Tell whether a person sees the frame of the document at all."""
        if self.parent is None:
            return True
        shown = self._ask_of_frame(self.parent, "isShown")
        return bool(shown) and self.parent.is_shown()

    def shown_part(self) -> tuple[float, float, float, float]:
        """Give what the window shows of the document: left, top, right, bottom.

        CSS pixels of the window. Raises ViewLostError.
        """
        if self.parent is None:
            place = self.ask("pagePlace")
            return 0.0, 0.0, place["viewWidth"], place["viewHeight"]
        part: dict[str, float] = self._ask_of_frame(self.parent, "partOfFrame")
        box = self.parent.place().box(part)
        left, top, right, bottom = self.parent.shown_part()
        return (
            max(left, box["x"]),
            max(top, box["y"]),
            min(right, box["x"] + box["width"]),
            min(bottom, box["y"] + box["height"]),
        )

    def _ask_of_frame(self, parent: "View", question: str) -> Any:
        """Ask the outer document about the element that this one is shown in."""
        try:
            frame = {"frameId": self.frame_id}
            owner = parent.session.send("DOM.getFrameOwner", frame)
        except Error as error:
            raise ViewLostError(error.message) from error
        return parent.ask_of_node(owner["backendNodeId"], question)

    def ask_of_node(self, node: int, question: str) -> Any:
        """Ask about a node, by its number in the browser.

        Raises ViewLostError, also for a node that the document cannot have.
        """
        try:
            self.ask("title")
            place = {"backendNodeId": node, "executionContextId": self.context}
            found = self.session.send("DOM.resolveNode", place)["object"]["objectId"]
            call = {
                "functionDeclaration": f"function () {{ return iwr.{question}(this) }}",
                "objectId": found,
                "returnByValue": True,
            }
            answer = self.session.send("Runtime.callFunctionOn", call)
        except Error as error:
            raise ViewLostError(error.message) from error
        return answer["result"].get("value")

    @property
    def target(self) -> str:
        """The target of DevTools that the document is in, by its outermost frame."""
        root = self
        while root.parent is not None and root.parent.session is root.session:
            root = root.parent
        return root.frame_id

    def place(self) -> Place:
        """Give the place of the document in the window.

        Raises ViewLostError when its frame is not shown.
        """
        if self.parent is None:
            return Place()
        session = self.parent.session
        try:
            owner = session.send("DOM.getFrameOwner", {"frameId": self.frame_id})
            node = {"backendNodeId": owner["backendNodeId"]}
            model = session.send("DOM.getBoxModel", node)["model"]
        except Error as error:
            raise ViewLostError(error.message) from error
        root = self.parent
        while root.parent is not None and root.parent.session is root.session:
            root = root.parent
        size = self.ask("size")
        # In a zoomed document, the browser takes its own points apart by its zoom.
        zoom = 1.0
        if root is not self.parent:
            zoom = self.parent.ask("size")["scale"] / root.ask("size")["scale"]
        quad = [zoom * value for value in model["content"]]
        place = place_of(quad, (size["width"], size["height"])).inside(root.place())
        if not place.area:
            raise ViewLostError(f"{self.url}: nothing of it is shown")
        return place


class Views:
    """The views of one window, renewed as its frames come and go."""

    def __init__(self, page: Page, script: str, hear: Any) -> None:
        """Open the window's sessions; `hear(message)` gets what input arrived."""
        self._page = page
        self._script = script
        self._hear = hear
        self._sessions: dict[Frame, CDPSession | None] = {}
        self.loading: set[str] = set()
        """Frames on their way to another document."""
        self.session = self._prepare(page.context.new_cdp_session(page))
        self._known: dict[str, View] = {}

    @property
    def main(self) -> View:
        """The window's own document."""
        return self.all()[0]

    def all(self) -> list[View]:
        """Give all documents, the window's own first."""
        frames = self._page.frames
        if len(frames) == 1 and self._known:
            return [next(iter(self._known.values()))]
        known: dict[str, View] = {}
        tree = self.session.send("Page.getFrameTree")["frameTree"]
        self._add(known, tree, self.session, None)
        for frame in frames[1:]:
            session = self._session_of(frame)
            if session is None:
                continue
            try:
                tree = session.send("Page.getFrameTree")["frameTree"]
            except Error:
                continue
            parent = known.get(tree["frame"].get("parentId", ""))
            self._add(known, tree, session, parent or next(iter(known.values())))
        self._known = known
        return list(known.values())

    def _add(
        self,
        known: dict[str, View],
        tree: dict[str, Any],
        session: CDPSession,
        parent: View | None,
    ) -> None:
        frame_id = tree["frame"]["id"]
        view = self._known.get(frame_id)
        if view is None or view.session is not session:
            view = View(session, frame_id, self._script)
        view.url = tree["frame"]["url"]
        view.parent = parent
        known[frame_id] = view
        for child in tree.get("childFrames", ()):
            self._add(known, child, session, view)

    def _session_of(self, frame: Frame) -> CDPSession | None:
        if frame not in self._sessions:
            try:
                session = self._page.context.new_cdp_session(frame)
            except Error:  # it lives in its parent's process and session
                self._sessions[frame] = None
            else:
                self._sessions[frame] = self._prepare(session)
        return self._sessions[frame]

    def _prepare(self, session: CDPSession) -> CDPSession:
        session.send("Page.enable")
        session.send("DOM.enable")
        session.send("Runtime.enable")
        session.on("Runtime.bindingCalled", lambda e: self._hear(e["payload"]))
        for begin in ("frameRequestedNavigation", "frameStartedLoading"):
            session.on(f"Page.{begin}", lambda e: self.loading.add(e["frameId"]))
        for end in ("frameStoppedLoading", "frameDetached"):
            session.on(f"Page.{end}", lambda e: self.loading.discard(e["frameId"]))
        binding = {"name": "iwrSay", "executionContextName": WORLD}
        session.send("Runtime.addBinding", binding)
        source = {
            "source": self._script,
            "worldName": WORLD,
            "runImmediately": True,
        }
        session.send("Page.addScriptToEvaluateOnNewDocument", source)
        return session
