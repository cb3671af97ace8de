"""The windows of one evaluation: the newest counts, and what they say is written down.

Dialogs are answered by the step's plan, further ones dismissed. Requests off the
page's own origin are stopped at once. New windows of the same origin are followed
until they close; their number is capped.
"""

import json
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright import sync_api as pw

from pytest_iwr import records as r
from pytest_iwr.drive.views import Views
from pytest_iwr.drive.watch import Watch
from pytest_iwr.drive.written import bearable

MOST_WINDOWS = 5
MOST_DIALOGS = 20
MOST_LINES = 200
"""Console lines, and requests, kept for one step."""
_PATIENCE_S = 2.0
"""A picture that is on its way for longer is not waited for."""
_PICTURES = {"image", "stylesheet", "font"}
_FRAME = re.compile(r"^\s+at .*?((?:https?|blob):\S+?):(\d+):\d+\)?$", re.MULTILINE)
"""The innermost line of a stack that has an address."""
_LONGEST_STACK = 4000
"""Characters in which it is looked for; a page may write any stack."""


@dataclass
class Log:
    """What happened since the last step."""

    console: list[r.Message] = field(default_factory=list)
    requests: list[r.Request] = field(default_factory=list)
    dialogs: list[r.Dialog] = field(default_factory=list)
    input: list[dict[str, str]] = field(default_factory=list)
    """What the page got of real input, as `touch.js` says it."""
    has_crashed: bool = False


class Windows:
    """All windows of one browser context."""

    def __init__(
        self, context: pw.BrowserContext, origin: str, script: str, watch: Watch
    ) -> None:
        """Listen to the context before its first page opens."""
        self._context = context
        self._origin = origin
        self._script = script
        self._watch = watch
        self._pages: list[pw.Page] = []
        self._views: dict[pw.Page, Views] = {}
        self._plan: list[r.DialogPlan] = []
        self._is_leaving = False
        self._arriving: dict[pw.Request, float] = {}
        self.log = Log()
        self.external: dict[str, r.Request] = {}
        elsewhere = re.compile(rf"^(?!{re.escape(origin)}/|data:|blob:|about:)")
        context.route(elsewhere, self._block)
        context.route_web_socket(elsewhere, self._refuse_socket)
        context.on("page", self._opened)
        context.on("console", self._hear_console)
        context.on("weberror", self._hear_error)
        context.on("request", self._hear_request)
        context.on("requestfinished", self._hear_end)
        context.on("requestfailed", self._hear_end)
        context.on("requestfailed", self._hear_failure)
        context.on("response", self._hear_response)

    # --- windows

    @property
    def page(self) -> pw.Page:
        """The newest window of the page's origin that is open."""
        own = [p for p in self._pages if not p.is_closed()]
        if not own:
            raise pw.Error("Target page, context or browser has been closed")
        followed = [p for p in own[1:] if self._is_own(p)]
        return followed[-1] if followed else own[0]

    def _is_own(self, page: pw.Page) -> bool:
        """Tell whether a window shows the page's own documents.

        Those that a script writes into an empty window, or makes of a blob, do.
        """
        own = (self._origin + "/", f"blob:{self._origin}/", "about:blank")
        return page.url.startswith(own)

    @property
    def views(self) -> Views:
        """The documents of the current window."""
        page = self.page
        if page not in self._views:
            self._views[page] = Views(page, self._script, self._hear_input)
        return self._views[page]

    @property
    def count(self) -> int:
        """How many windows are open."""
        return sum(not page.is_closed() for page in self._pages)

    def wait(self, milliseconds: float) -> None:
        """Let events come in; the window may close meanwhile."""
        page = self.page
        try:
            page.wait_for_timeout(milliseconds)
        except pw.Error:
            if not page.is_closed() or not self.count:
                raise

    @property
    def is_awaiting_pictures(self) -> bool:
        """Tell whether a picture, a font or a style sheet is still on its way."""
        oldest = time.monotonic() - _PATIENCE_S
        return any(begun > oldest for begun in self._arriving.values())

    def take_longer(self, seconds: float) -> None:
        """Let the step take longer before the browser is ended for it."""
        self._watch.extend(seconds)

    def _opened(self, page: pw.Page) -> None:
        if self.count >= MOST_WINDOWS:
            page.close()
            return
        self._pages.append(page)
        page.on("dialog", self._answer)
        page.on("crash", self._crashed)

    def _crashed(self, page: pw.Page) -> None:
        self.log.has_crashed = True
        message = "the page brought its process down"
        self._watch.give_up(r.Failure(kind="page_crashed", message=message))
        del page

    # --- dialogs

    def plan_dialogs(self, plan: Sequence[r.DialogPlan]) -> None:
        """Set the answers for the next step."""
        self._plan = list(plan)
        self.log.dialogs = []

    @contextmanager
    def leaving(self) -> Iterator[None]:
        """Accept that the page is left: inside this, it is we who go."""
        self._is_leaving = True
        try:
            yield
        finally:
            self._is_leaving = False

    def _answer(self, dialog: pw.Dialog) -> None:
        kind, text = dialog.type, dialog.message
        if len(self.log.dialogs) >= MOST_DIALOGS:
            message = f"the page opened more than {MOST_DIALOGS} dialogs in one step"
            self._watch.give_up(r.Failure(kind="too_many_dialogs", message=message))
            return
        plan: r.DialogPlan = "dismiss"
        if kind == "beforeunload" and self._is_leaving:
            plan = "accept"
        elif self._plan:
            plan = self._plan.pop(0)
        said = {"accept": "accepted", "dismiss": "dismissed"}
        answer = plan.answer if isinstance(plan, r.Answer) else said[plan]
        line = r.Dialog(kind=kind, text=bearable(text), answer=answer)
        self.log.dialogs.append(line)
        if isinstance(plan, r.Answer):
            dialog.accept(plan.answer)
        elif plan == "accept":
            dialog.accept()
        else:
            dialog.dismiss()

    # --- what the page asks for

    def _block(self, route: pw.Route) -> None:
        request = route.request
        url = bearable(request.url)
        self._note_external(request.method, url, request.resource_type)
        route.abort("blockedbyclient")

    def _refuse_socket(self, route: pw.WebSocketRoute) -> None:
        self._note_external("GET", bearable(route.url), "websocket")
        route.close()

    def _note_external(self, method: str, url: str, resource: str) -> None:
        line = r.Request(method=method, url=url, resource=resource, outcome="blocked")
        if len(self.external) < MOST_LINES:
            self.external.setdefault(url, line)
        self._keep(self.log.requests, line)

    def _hear_request(self, request: pw.Request) -> None:
        if request.resource_type in _PICTURES:
            self._arriving[request] = time.monotonic()

    def _hear_end(self, request: pw.Request) -> None:
        self._arriving.pop(request, None)

    def _hear_failure(self, request: pw.Request) -> None:
        if not request.url.startswith(self._origin):
            return
        url = bearable(self.short(request.url))
        if any(known.url == url for known in self.log.requests):
            return  # an answer that the browser then refused
        line = r.Request(
            method=request.method,
            url=url,
            resource=request.resource_type,
            outcome="failed",
        )
        self._keep(self.log.requests, line)

    def _hear_response(self, response: pw.Response) -> None:
        if response.status < 400:  # noqa: PLR2004 (HTTP: errors start there)
            return
        request = response.request
        line = r.Request(
            method=request.method,
            url=bearable(self.short(request.url)),
            resource=request.resource_type,
            outcome="failed",
            status=response.status,
        )
        self._keep(self.log.requests, line)

    # --- what the page says

    def _hear_console(self, message: pw.ConsoleMessage) -> None:
        place = message.location
        where = self._place(place.get("url", ""), place.get("lineNumber", 0) + 1)
        line = r.Message(level=message.type, text=bearable(message.text), where=where)
        self._keep(self.log.console, line)

    def _hear_error(self, error: pw.WebError) -> None:
        if len(self.log.console) >= MOST_LINES:
            return
        text = f"{error.error.name}: {error.error.message}"
        where = self._place_of(error)
        line = r.Message(level="uncaught", text=bearable(text), where=where)
        self._keep(self.log.console, line)

    def _place_of(self, error: pw.WebError) -> str:
        """Give address and line of an uncaught error, "" where nobody knows."""
        stack = error.error.stack or ""
        begun = max(0, stack.find("\n    at "))
        place = _FRAME.search(stack, begun, begun + _LONGEST_STACK)
        if place:
            return self._place(place[1], place[2])
        known = getattr(error, "location", None)  # not in every version of Playwright
        if known is None or not known["url"]:
            return ""
        return self._place(known["url"], known["line"])

    def _place(self, url: str, line: object) -> str:
        return f"{bearable(self.short(url))}:{line}"

    def _hear_input(self, payload: str) -> None:
        self._keep(self.log.input, json.loads(payload), most=20_000)

    @staticmethod
    def _keep(lines: list[Any], line: object, most: int = MOST_LINES) -> None:
        if len(lines) < most:
            lines.append(line)

    def short(self, url: str) -> str:
        """Give an address without the origin, which is another in every run."""
        if url.startswith(f"blob:{self._origin}/"):
            return "blob:"
        rest = url.removeprefix(self._origin)
        if rest == url or rest[:1] not in {"", "/", "?", "#"}:
            return url
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        fragment = f"#{parts.fragment}" if parts.fragment else ""
        return f"{parts.path}{query}{fragment}"

    def fresh_log(self) -> Log:
        """Hand over what happened, and start the next step's log."""
        done, self.log = self.log, Log()
        return done
