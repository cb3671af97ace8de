"""Makes `docs/report.png` anew: a real run's report, as a browser shows it.

python docs/shoot.py
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import ViewportSize, sync_playwright

from pytest_iwr.drive.launch import default_args, find_browser

ROOT = Path(__file__).resolve().parents[1]
SIZE = ViewportSize(width=1200, height=860)


def main() -> None:
    """Run the flawed pages, open the report, take its picture."""
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", "tasks"),
                *("--iwr-pages=examples/pages", f"--iwr-output={scratch}"),
            ],
            cwd=ROOT,
            check=False,
        )
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=find_browser(None, os.environ).path,
                args=default_args(is_root=os.geteuid() == 0),
            )
            page = browser.new_page(viewport=SIZE)
            page.goto((Path(scratch) / "latest" / "report.html").as_uri())
            page.locator("#results-table").scroll_into_view_if_needed()
            page.evaluate(
                "document.querySelector('.summary').scrollIntoView({block: 'start'})"
            )
            page.screenshot(path=ROOT / "docs" / "report.png")
            browser.close()


if __name__ == "__main__":
    main()
