"""What is lost, repeated or miscounted when a run is killed at a random moment.

A page is *finished* once its answer is published in the cache, or its line is in the
ledger. It must never be asked for again. What an endpoint has answered, but the run
had not written down when it was killed, is not finished: nobody can know of it.
"""

import json
import random
import re
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

import psutil
import pytest

from benchmarks.generation.project import Project
from pytest_iwr.gateway.mock import MockEndpoint, Script, Seen

Victim = Literal["controller", "worker"]
KILLS = 20
SEED = 4
LATENCY_S = 0.3
_STARTING_S = 3.0
"""In this time a run has started, and may have asked already."""
_DEADLINE_S = 300.0
_ENDING_S = 30.0
"""For what a killed process leaves."""
_TAIL = 4000
"""Characters of output that are shown of a run that went wrong."""
_POLL_S = 0.005
_OPTIONS = ("-n2", "--iwr-max-connections=1-4")


@dataclass(frozen=True)
class Killed:
    """One run that was killed, and the one after it that ran to its end."""

    victim: Victim
    asked: int
    """Pages that had been asked for at the kill."""
    finished: int
    """Pages that were finished at the kill."""
    unread: int
    """Pages whose answer the endpoint had sent, but which were not finished."""
    requests: int
    """Of both runs."""
    repeats: int
    """Requests for a page that had been asked for before."""
    wrong_repeats: int
    """Those for a page that was finished at the kill; goal 0."""
    left_over: int
    """Processes that did not end by themselves; goal 0."""
    wrong_lines: int
    """Pages without exactly one good line in all ledgers; goal 0."""
    statuses: tuple[int | None, int]
    """Exit statuses of both runs; `None`: killed. Goal of the second: 0."""
    output: str = field(repr=False)
    """What the run that was killed has printed."""

    @property
    def is_right(self) -> bool:
        """Nothing finished was asked for again, and the books are in order.

        A run that has lost a worker goes on, and repeats nothing at all; unless xdist
        writes to the worker in the very moment of its death ("cannot send (already
        closed?)"): then the run ends, and breaks off what is under way.
        """
        may_repeat = self.statuses[0] in (None, pytest.ExitCode.INTERNAL_ERROR)
        wrong = (self.wrong_repeats, self.left_over, self.wrong_lines, self.statuses[1])
        return not any(wrong) and (may_repeat or not self.repeats)


def measure(project: Project) -> None:
    """Kill runs at twenty moments and print what came of it."""
    draw = random.Random(SEED)  # noqa: S311 - moments, no secrets
    with MockEndpoint() as mock:
        project.ask(mock)
        project.run("--iwr-dry-run")
    print(
        f"killing {KILLS} runs of {project.tasks} pages, -n 2, up to 4 requests at a "
        f"time of {LATENCY_S:g} s; seed {SEED}; each is run again to its end"
    )
    done = []
    for _ in range(KILLS):
        victim: Victim = draw.choice(("controller", "worker"))
        done.append(kill(project, draw, victim))
        print(f"  {_line(done[-1])}", flush=True)
    by_victim = Counter(one.victim for one in done)
    print(
        f"  in all: {by_victim['controller']} controllers and {by_victim['worker']} "
        f"workers killed, {sum(one.requests for one in done)} requests, "
        f"{sum(one.repeats for one in done)} repeats of what was under way, "
        f"{sum(one.wrong_repeats for one in done)} of what was finished (goal 0); "
        f"{sum(one.wrong_lines for one in done)} pages miscounted in ledgers (goal 0); "
        f"{sum(not one.is_right for one in done)} of {KILLS} wrong (goal 0)"
    )


def kill(project: Project, draw: random.Random, victim: Victim) -> Killed:
    """Kill a run and run again to the end; answers of earlier runs are forgotten."""
    project.forget()
    with MockEndpoint(Script(latency_s=LATENCY_S), keeps_images=False) as mock:
        project.ask(mock)
        with project.start(*_OPTIONS) as process:
            try:
                _wait_for_the_moment(process, mock, draw, victim, project.tasks)
                left_over, finished, seen = _strike(
                    process, project, mock, victim, draw
                )
            finally:
                process.kill()
        output = project.output
        again = project.run(*_OPTIONS)
        requests = mock.requests
    asked = {_page(one) for one in seen}
    answered = {_page(one) for one in seen if one.ended_s is not None}
    times = Counter(_page(one) for one in requests)
    return Killed(
        victim=victim,
        asked=len(asked),
        finished=len(finished),
        unread=len(answered - finished),
        requests=len(requests),
        repeats=sum(count - 1 for count in times.values()),
        wrong_repeats=sum(_page(one) in finished for one in requests[len(seen) :]),
        left_over=left_over,
        wrong_lines=_wrong_lines(project),
        statuses=(None if victim == "controller" else process.returncode, again.status),
        output=output,
    )


def _wait_for_the_moment(
    process: "subprocess.Popen[str]",
    mock: MockEndpoint,
    draw: random.Random,
    victim: Victim,
    tasks: int,
) -> None:
    """Wait for some request and a little longer; or, without one, for the start."""
    wanted = draw.randrange(1 if victim == "worker" else 0, tasks + 1)
    deadline = time.monotonic() + _DEADLINE_S
    while len(mock.requests) < wanted:
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"{len(mock.requests)} of {wanted} requests came.")
        threading.Event().wait(_POLL_S)
    threading.Event().wait(draw.uniform(0, 1.5 * LATENCY_S if wanted else _STARTING_S))


def _strike(
    process: "subprocess.Popen[str]",
    project: Project,
    mock: MockEndpoint,
    victim: Victim,
    draw: random.Random,
) -> tuple[int, frozenset[str], Sequence[Seen]]:
    """Kill; gives how many processes stayed, what was finished, and what was asked.

    A killed controller leaves workers, which end once they notice. A worker is replaced
    by another, and its run goes on to its end.
    """
    children = psutil.Process(process.pid).children()
    if victim == "worker":
        with suppress(psutil.NoSuchProcess, IndexError):  # it has ended by itself
            draw.choice(children).send_signal(signal.SIGKILL)
        finished, seen = _finished(project), mock.requests
        process.wait(_DEADLINE_S)
    else:
        process.send_signal(signal.SIGKILL)
        process.wait(_DEADLINE_S)
    _, stayed = psutil.wait_procs(children, timeout=_ENDING_S)
    for one in stayed:
        one.kill()
    if victim == "controller":
        finished, seen = _finished(project), mock.requests
    return len(stayed), finished, seen


def _finished(project: Project) -> frozenset[str]:
    """Give the pages whose answers are published, or have a line in a ledger."""
    paths = project.cache.glob("??/*.json")
    published = (json.loads(path.read_bytes())["asked"]["label"] for path in paths)
    in_ledgers = (line.label for line in project.ledger() if line.status == "ok")
    return frozenset((*published, *in_ledgers))


def _wrong_lines(project: Project) -> int:
    """Count pages that were not answered, and paid for, exactly once."""
    lines = [line for line in project.ledger() if not line.is_hit]
    times = Counter(line.label for line in lines if line.status == "ok")
    return project.tasks - sum(count == 1 for count in times.values())


def _page(seen: Seen) -> str:
    """Give the id of the task that a prompt is about, as its title tells."""
    found = re.search(r"Synthetic (\d+)", seen.text)
    return f"task-{found[1]}" if found else ""


def _line(one: Killed) -> str:
    return (
        f"{one.victim:10} killed with {one.asked:2} asked, {one.finished:2} finished, "
        f"{one.unread} answered but unread, exit {_said(one.statuses[0])}; then "
        f"{one.requests} requests in all, "
        f"{one.repeats} repeats, {one.wrong_repeats} of finished pages"
        + ("" if one.is_right else f"   WRONG: {one}\n{one.output[-_TAIL:]}")
    )


def _said(status: int | None) -> str:
    return "-" if status is None else str(status)
