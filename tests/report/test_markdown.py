"""The summary in Markdown: right numbers, and nothing of a page but its text."""

from collections.abc import Sequence
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from pytest_iwr import records as r
from pytest_iwr.report.markdown import render
from pytest_iwr.score import summarize

PROTOCOL = r.Protocol(id="offline", metrics={})
ATTACKS = (
    "a | b",
    "`code` ``more``",
    "<img src=x onerror=alert(1)>",
    "</code><script>1</script>",
    "</details>",
    "[link](https://example.com) ![i](//x/y.png)",
    "https://example.com www.example.com me@example.com",
    "@octocat fixes #12 :tada: $x^2$ octo/cat#1",
    "*a* **b** _c_ ~~d~~ \\| \\",
    "&lt;b&gt; &#64;x &amp;",
    "line\nbreak\r\n| new | row |\n\n# head",
    "<!-- x",
    "::error::x",
)


class Seen(HTMLParser):
    """The elements of rendered Markdown, and the texts of its cells."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.cells: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.tags.add(tag)
        self.addresses += [value or "" for name, value in attrs if name == "href"]
        if tag in {"td", "th"}:
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        """Note text of a cell."""
        if self.cells:
            self.cells[-1] += data.rstrip("\n")


def row(task: str, *, status: r.Status = "failed", reason: str | None = None) -> r.Row:
    """Give a row whose every name is the same text."""
    return r.Row(
        task=task,
        model=task,
        status=status,
        kind="expectation" if status == "failed" else None,
        reason=reason if status == "failed" else None,
        steps_total=3,
        steps_done=1 if status == "failed" else 3,
        failed_step=2 if status == "failed" else None,
        ifs=0.3333 if status == "failed" else 1.0,
    )


def write(rows: Sequence[r.Row], most_bytes: int | None = None) -> str:
    """Give the Markdown of rows."""
    summary = summarize(rows, PROTOCOL)
    return render(summary, rows, "Run", lambda _: None, most_bytes=most_bytes)


def see(markdown: str) -> Seen:
    """Render Markdown as GitHub does, HTML let through, and look at it."""
    seen = Seen()
    reader = MarkdownIt("commonmark", {"html": True})
    seen.feed(reader.enable(["table", "strikethrough"]).render(markdown))
    return seen


@pytest.mark.parametrize("attack", ATTACKS)
def test_text_of_pages_and_models_stays_text(attack: str) -> None:
    """Cells show the very letters, and no element comes from them."""
    seen = see(write([row(attack, reason=attack)]))
    plain = " ".join(attack.split())
    assert seen.tags == {"h1", "h2", "p", "strong", "code"} | {
        "table", "thead", "tbody", "tr", "th", "td",
    }  # fmt: skip
    shown = [" ".join(cell.split()) for cell in seen.cells]
    assert shown.count(plain) == 4  # the model twice, the task, the reason


@pytest.mark.parametrize("sign", ("@", "#", ":", "$", "|", "`", "<", "[", "&"))
def test_signs_that_github_reads_do_not_stand_in_texts(sign: str) -> None:
    """Mentions, issues, emojis, formulas and links are found in the raw text."""
    markdown = write([row("x", reason="x"), row("y", reason=f"x{sign}y{sign}z")])
    last = next(line for line in markdown.splitlines() if "&#" in line)
    assert f"x&#{ord(sign)};y&#{ord(sign)};z" in last


def test_numbers_and_first_breaks_are_told() -> None:
    """The sentence counts, the tables have scores, what broke comes first."""
    rows = [
        row("a", status="passed"),
        row("b", reason="expected 'Total 2'"),
        r.Row(task="c", model="m", status="error", kind="lost", reason="gone",
              steps_total=3, steps_done=None),
        r.Row(task="d", model="m", status="not_run", steps_total=3, steps_done=None),
    ]  # fmt: skip
    markdown = write(rows)
    assert "**1 of 4 passed**, 1 failed, 1 could not be scored, 1 not run." in markdown
    cells = see(markdown).cells
    assert "step 2, expectation" in cells
    assert "expected 'Total 2'" in cells
    assert cells.index("b") < len(cells) - cells[::-1].index("a") - 1
    assert "<details><summary>1 passed</summary>" in markdown


def test_rows_link_to_their_evidence() -> None:
    """A task's name leads where the caller says."""
    rows = [row("shop", reason="x")]
    markdown = render(
        summarize(rows, PROTOCOL), rows, "Run", lambda row: f"items/{row.model}/x_y/"
    )
    assert see(markdown).addresses == ["items/shop/x_y/"]


def test_long_summary_is_cut_between_rows_and_says_so() -> None:
    """It stays below the limit in bytes, tables whole, the number of rows told."""
    rows = [row(f"task-{n:04d}", reason="é|" * 80) for n in range(500)]
    rows += [row(f"right-{n:04d}", status="passed") for n in range(10)]
    most = 100_000
    markdown = write(rows, most)
    assert most - 3000 < len(markdown.encode()) <= most
    seen = see(markdown)
    shown = sum(cell.startswith(("task-", "right-")) for cell in seen.cells)
    told = int(markdown.split(" more rows stand in ")[0].rpartition(" ")[2])
    # A model's row names it once, a task's row twice: as the task and as the model.
    assert (shown - 510) / 2 + told == 510
    assert "This summary is cut" in markdown


def test_whole_summary_is_not_cut() -> None:
    """Without a limit every row is there."""
    rows = [row(f"task-{n:04d}", reason="x" * 400) for n in range(500)]
    markdown = write(rows)
    assert markdown.count("| step 2, expectation |") == 500
    assert "cut" not in markdown
