"""Pictures of small pages, each as it is and with one known change."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from playwright.sync_api import ViewportSize, sync_playwright

from pytest_iwr.drive.launch import default_args, find_browser

PAGES = {path.stem: path for path in sorted(Path(__file__).parent.glob("pages/*.html"))}
SIZE = ViewportSize(width=1280, height=720)
CHANGES = {
    "equal": "",
    "moved 1 px": "html { transform: translateY(1px) }",
    "moved 4 px": "html { transform: translateY(4px) }",
    "moved 16 px": "html { transform: translateY(16px) }",
    "accent colour": ":root { --accent: #a8741d !important }",
    "ground colour": ":root { --ground: #cfe3d4 !important }",
    "block elsewhere": "[data-block] { transform: translate(-180px, 160px) }",
    "other font": '* { font-family: "DejaVu Serif", serif !important }',
    "paragraph lost": "[data-gone] { display: none !important }",
}
"""What is added to a page's style."""


class Studio:
    """A browser that shoots pages with changes; each picture is taken once.

    It lives in a thread of its own: what Playwright leaves running in a thread keeps
    other programs with an event loop out of it.
    """

    def __init__(self, folder: Path) -> None:
        """Keep the pictures in `folder`."""
        self._folder = folder
        self._stack = ExitStack()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="studio")

    def __enter__(self) -> Self:
        """Start the browser as a run starts it."""
        self._thread.submit(self._open).result()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the browser."""
        self._thread.submit(self._stack.close).result()
        self._thread.shutdown()

    def shoot(self, page: str, change: str = "equal") -> Path:
        """Give the picture of a page with a change of `CHANGES`."""
        return self._shoot(f"{page}-{change}", PAGES[page].as_uri(), CHANGES[change])

    def shoot_half(self, page: str) -> Path:
        """Give the upper half of a page as a picture of its own size."""
        half = ViewportSize(width=1280, height=360)
        return self._shoot(f"{page}-half", PAGES[page].as_uri(), size=half)

    def shoot_file(self, page: Path) -> Path:
        """Give the picture of a page of another folder."""
        return self._shoot(f"{page.parent.name}-{page.stem}", page.as_uri())

    def shoot_blank(self) -> Path:
        """Give a white picture."""
        return self._shoot("blank", "about:blank")

    def _shoot(
        self, name: str, address: str, style: str = "", size: ViewportSize = SIZE
    ) -> Path:
        path = self._folder / f"{name.replace(' ', '-')}.png"
        if not path.exists():
            self._thread.submit(self._take, path, address, style, size).result()
        return path

    # --- in the browser's thread

    def _open(self) -> None:
        found = find_browser(None, os.environ)
        args = default_args(is_root=os.geteuid() == 0)
        playwright = self._stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=found.path, args=args)
        self._stack.callback(browser.close)
        self._page = browser.new_page()

    def _take(self, path: Path, address: str, style: str, size: ViewportSize) -> None:
        self._page.set_viewport_size(size)
        self._page.goto(address)
        self._page.add_style_tag(content=style or "/* as it is */")
        self._page.screenshot(path=path)
