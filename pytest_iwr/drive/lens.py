"""What an observer sees of a drive: moving pictures, the input, what is loaded.

It has sessions and an isolated world of its own beside those that drive; the page
can see neither.
"""

import base64
import json
import time
from contextlib import suppress
from importlib import resources
from typing import Any

from playwright import sync_api as pw

from pytest_iwr import ports

WORLD = "iwr-lens"
_QUALITY = 92
"""Of the moving pictures, as JPEG (0..100)."""


class Lens:
    """Watches all windows of one browser context for an observer."""

    def __init__(self, context: pw.BrowserContext, observer: ports.Observer) -> None:
        """Follow the windows that will be opened; see `open` for the first."""
        self._context = context
        self._observer = observer
        self._sessions: dict[pw.Page, pw.CDPSession] = {}
        context.on("page", self.open)

    def open(self, page: pw.Page) -> None:
        """Watch a window until it closes."""
        if page in self._sessions:
            return
        try:
            session = self._context.new_cdp_session(page)
            self._sessions[page] = session
            self._listen(page, session)
        except pw.Error:
            if not page.is_closed():
                raise

    def _listen(self, page: pw.Page, session: pw.CDPSession) -> None:
        def requested(event: dict[str, Any]) -> None:
            self._observer.loaded(event["request"]["url"], event.get("type", ""), "")

        def answered(event: dict[str, Any]) -> None:
            answer = event["response"]
            self._observer.loaded(answer["url"], event["type"], answer["mimeType"])

        def felt(event: dict[str, Any]) -> None:
            said = json.loads(event["payload"])
            self._observer.felt(said.pop("at") / 1000, said)

        def framed(event: dict[str, Any]) -> None:
            at_s = event["metadata"].get("timestamp", time.time())
            if page is self._newest():
                self._observer.frame(at_s, base64.b64decode(event["data"]))
            with suppress(pw.Error):  # the window may close meanwhile
                number = {"sessionId": event["sessionId"]}
                session.send("Page.screencastFrameAck", number)

        for name, hear in (
            ("Network.requestWillBeSent", requested),
            ("Network.responseReceived", answered),
            ("Runtime.bindingCalled", felt),
            ("Page.screencastFrame", framed),
        ):
            session.on(name, hear)
        page.on("close", self._closed)
        for domain in ("Page", "Runtime", "Network"):
            session.send(f"{domain}.enable")
        binding = {"name": "iwrFelt", "executionContextName": WORLD}
        session.send("Runtime.addBinding", binding)
        code = (resources.files("pytest_iwr.drive") / "js" / "lens.js").read_text(
            "utf-8"
        )
        source = {"source": code, "worldName": WORLD, "runImmediately": True}
        session.send("Page.addScriptToEvaluateOnNewDocument", source)
        self._cast(page, session)

    def _cast(self, page: pw.Page, session: pw.CDPSession) -> None:
        size = page.viewport_size or {"width": 0, "height": 0}
        cast: dict[str, Any] = {"format": "jpeg", "quality": _QUALITY}
        if size["width"]:
            cast |= {"maxWidth": size["width"], "maxHeight": size["height"]}
        session.send("Page.startScreencast", cast)

    def _newest(self) -> pw.Page | None:
        is_open = [page for page in self._sessions if not page.is_closed()]
        return is_open[-1] if is_open else None

    def _closed(self, page: pw.Page) -> None:
        """Show the window again that lies below the closed one."""
        self._sessions.pop(page, None)
        below = self._newest()
        if below is None:
            return
        session = self._sessions[below]
        with suppress(pw.Error):  # that one may close, too
            session.send("Page.stopScreencast")
            self._cast(below, session)
