"""A run on two ports: its report, and Playwright's viewer for its traces.

They are two origins, so that what a trace shows of a page reaches nothing but traces.
"""

from contextlib import ExitStack
from pathlib import Path
from typing import Self

import playwright
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from pytest_iwr.artifacts import RunFolder
from pytest_iwr.errors import UsageError
from pytest_iwr.loopback import Loopback
from pytest_iwr.report.show.files import Files
from pytest_iwr.serve.files import Asked

TRACE = "trace.zip"
_OURS = {("index.html",), ("report.html",), ("report-single.html",)}
_ITEM_DEPTH = 4
"""`items/<model>/<task>/index.html` has so many names."""
_DOCUMENTS = (".html", ".htm", ".xhtml", ".xml", ".svg", ".mht", ".mhtml")
_AT_HOME = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:"
_FOREIGN = f"sandbox allow-scripts; {_AT_HOME}"
"""For documents that are not the report's own: no origin, no network."""
_VIEWER = f"{_AT_HOME}; frame-ancestors 'self'"
_VIEWER_AT = Path("driver", "package", "lib", "vite", "traceViewer")
_RUN = "run"
"""Where the viewer's origin has the traces."""


class Show:
    """Serves a run while its context is open."""

    def __init__(self, run: Path, *, port: int = 0) -> None:
        """Find the run and the viewer; `port` 0 takes a free one.

        Raises UsageError for a folder that is no run.
        """
        self.run = RunFolder(find_run(run))
        self.traces = sorted((self.run.path / "items").glob(f"*/*/{TRACE}"))
        self.viewer = find_viewer() if self.traces else None
        report = Files(self.run.path, _report_rules, self._lead_to_viewer)
        self._report = Loopback(report, name="iwr show-report", port=port)
        self._viewer = Loopback(self._view, name="iwr trace viewer")
        self._opened = ExitStack()

    @property
    def address(self) -> str:
        """Where the report is."""
        return f"http://127.0.0.1:{self._report.port}/"

    def __enter__(self) -> Self:
        """Start; raises IwrError where the port is taken."""
        with ExitStack() as opening:
            opening.enter_context(self._report)
            if self.viewer is not None:
                self._assets = Files(self.viewer, _viewer_rules, _as_it_is)
                self._kept = Files(self.run.path, _viewer_rules, _only_traces)
                opening.enter_context(self._viewer)
            self._opened = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        self._opened.close()

    def _lead_to_viewer(
        self, request: Request, asked: Asked, _: Path
    ) -> Response | None:
        """Open a trace that a person follows a link to; give it to all others."""
        is_followed = request.headers.get("sec-fetch-mode") == "navigate"
        if asked.segments[-1:] != (TRACE,) or not is_followed or self.viewer is None:
            return None
        viewer = f"http://127.0.0.1:{self._viewer.port}"
        address = f"{viewer}/index.html?trace={viewer}/{_RUN}{asked.encoded}"
        return RedirectResponse(address, 307)

    async def _view(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer for the viewer: its own files, and traces."""
        inside = f"/{_RUN}/".encode()
        raw: bytes = scope["raw_path"]
        if raw.startswith(inside):
            rest = raw[len(inside) - 1 :]
            await self._kept({**scope, "raw_path": rest}, receive, send)
        else:
            await self._assets(scope, receive, send)


def find_run(folder: Path) -> Path:
    """Give the folder of a run, links resolved; of several runs the last one's.

    Raises UsageError where there is none.
    """
    for candidate in (folder, folder / "latest"):
        if RunFolder(candidate).index.is_file():
            return candidate.resolve()
    text = f"{str(folder)!r} is no run: it has no index.html."
    raise UsageError(f"{text} Name a folder that pytest has left, e.g. reports/latest.")


def find_viewer() -> Path | None:
    """Give the folder of the trace viewer that is installed with Playwright."""
    folder = Path(playwright.__file__).parent / _VIEWER_AT
    return folder if (folder / "index.html").is_file() else None


def _report_rules(asked: Asked) -> dict[str, str]:
    is_index = asked.is_folder or not asked.segments
    names = (*asked.segments, "index.html") if is_index else asked.segments
    is_item = (names[0], names[-1], len(names)) == ("items", "index.html", _ITEM_DEPTH)
    if names in _OURS or is_item or not names[-1].lower().endswith(_DOCUMENTS):
        return {}
    return {"content-security-policy": _FOREIGN}


def _viewer_rules(_: Asked) -> dict[str, str]:
    return {"content-security-policy": _VIEWER}


def _as_it_is(_request: Request, _asked: Asked, _found: Path) -> None:
    """Give every file."""


def _only_traces(_request: Request, asked: Asked, _: Path) -> Response | None:
    """Give traces only."""
    return None if asked.segments[-1:] == (TRACE,) else Response(None, 404)
