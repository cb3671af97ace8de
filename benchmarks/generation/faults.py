"""What becomes of a run when requests fail: some of them, or all."""

import json
from collections import Counter
from collections.abc import Sequence

from benchmarks.generation.project import Project, Ran
from pytest_iwr.gateway.mock import MockEndpoint, Rule, Script, Seen, When

LATENCY_S = 0.5
SEED = 7


def script(share: float) -> Script:
    """Give a script by which this share of all requests fails, a third each way.

    A status 500, a status 429 that asks for a second, and no answer at all; decided
    by the prompt and the attempt, whatever the order.
    """
    third = share / 3
    chances = (third, third / (1 - third), third / (1 - 2 * third))
    first, second, last = (When(chance=min(1.0, chance)) for chance in chances)
    rules = (
        Rule(when=first, status=500),
        Rule(when=second, status=429, retry_after_s=1),
        Rule(when=last, drops=True),
    )
    return Script(seed=SEED, latency_s=LATENCY_S, rules=rules)


ALL_500 = Script(rules=(Rule(status=500),))


def measure(project: Project) -> None:
    """Print what runs end as under failures of 30 % and of all requests."""
    print(f"asking for {project.tasks} pages of an endpoint that fails, -n 2")
    cases = (
        ("30 % fail: 500, 429 or dropped, a third each", script(0.3)),
        ("all fail: 500", ALL_500),
        ("all fail: 500, 429 or dropped, a third each", script(1.0)),
    )
    for what, told in cases:
        project.forget()
        with MockEndpoint(told, keeps_images=False) as mock:
            project.ask(mock)
            ran = project.run("-n2")
            _tell(what, project, ran, mock.requests)


def _tell(what: str, project: Project, ran: Ran, requests: Sequence[Seen]) -> None:
    summary = json.loads((project.latest / "summary.json").read_text("utf-8"))
    rows = summary["tasks"]
    states = ", ".join(
        f"{n} {s}" for s, n in Counter(r["status"] for r in rows).items()
    )
    zeros = sum(row["ifs"] == 0 for row in rows)
    lines = project.ledger()
    known = [line.cost_usd for line in lines if line.cost_usd is not None]
    failed = sum(not 200 <= (seen.status or 0) < 300 for seen in requests)
    retries = sum(max(0, line.attempts - 1) for line in lines)
    print(f"  {what}")
    print(
        f"    {len(requests)} requests, {failed} of them failed; rows: {states}; "
        f"{zeros} zeros; exit status {ran.status}; {ran.took_s:.0f} s"
    )
    print(
        f"    ledger: {len(lines)} lines, {retries} retries, ${sum(known):.4f} and "
        f"{len(lines) - len(known)} at unknown cost"
    )
    told = [text for text in ran.output.splitlines() if text.startswith("models: ")]
    print(f"    the run says: {' '.join(told)}")
