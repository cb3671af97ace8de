"""Writes the overview and the page of every evaluation into a run's folder."""

from collections import defaultdict
from pathlib import Path

from pytest_iwr import records as r
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.report.site import item as items
from pytest_iwr.report.site import overview, paper
from pytest_iwr.report.site.evidence import Evidence, gather
from pytest_iwr.report.site.item import Sibling, provenance
from pytest_iwr.report.words import notes


def write_site(run: RunFolder, *, has_report: bool = False) -> Path:
    """Write `index.html` and a page for each evaluation; gives the overview's path.

    `has_report`: pytest-html will leave its own beside it. Everything is read from the
    run's folder, one evaluation at a time.
    """
    evidence = gather(run)
    siblings = _siblings(evidence)
    table = []
    for row in evidence.rows():
        item = evidence.item(row) if isinstance(row, r.Result) else None
        table.append(overview.table_row(row, item))
        if item is not None:
            family = siblings[row.task]
            same = (_as_seen_from(one, item.result.folder) for one in family)
            text = items.render(evidence, item, same)
            item.folder.path.mkdir(parents=True, exist_ok=True)
            item.folder.index.write_text(text, encoding="utf-8")
    has_report = has_report or run.report.exists()
    shown = values(evidence, table) | {"single": False, "has_report": has_report}
    text = paper.write("overview.html.jinja", ("overview.js",), shown)
    run.index.write_text(text, encoding="utf-8")
    return run.index


def values(
    evidence: Evidence,
    table: list[dict[str, object]],
    pictured: list[dict[str, object]] | None = None,
) -> dict[str, object]:
    """Give what the template of the overview shows.

    `pictured`: the rows with other pictures than those of the table.
    """
    summary = evidence.summary
    return {
        "run": evidence.run.path.name,
        "title": f"Run {evidence.run.path.name}",
        "verdict": overview.verdict(summary),
        "cards": overview.model_cards(evidence),
        "breaks": overview.first_breaks(summary),
        "examples": overview.examples(table if pictured is None else pictured),
        "totals": overview.totals(summary.tasks),
        "table": table,
        "protocol": summary.protocol,
        "tripwire": summary.tripwire,
        "costs": overview.costs(evidence.ledger),
        "provenance": provenance(evidence),
        "facts": evidence.facts,
        "has_report": False,
        "notes": list(notes(summary)),
    }


def _siblings(evidence: Evidence) -> dict[str, list[Sibling]]:
    family: dict[str, list[Sibling]] = defaultdict(list)
    for row in evidence.rows():
        if isinstance(row, r.Result):
            epoch = f" #{row.epoch}" if row.epoch > 1 else ""
            family[row.task].append(
                Sibling(row.model + epoch, row.folder, row.status, row.final)
            )
    return family


def _as_seen_from(one: Sibling, folder: str) -> Sibling:
    up = "/".join(".." for _ in Path(folder).parts)
    return one._replace(href=f"{up}/{one.href}/index.html", is_this=one.href == folder)
