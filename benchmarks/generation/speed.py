"""How soon all pages are asked for, and that the same command again asks nobody."""

from collections.abc import Sequence

from benchmarks.generation.project import Project, Ran
from pytest_iwr.gateway.mock import MockEndpoint, Script, Seen

GOAL_S = 10
LATENCY_S = 2.0


def measure(project: Project) -> None:
    """Print the times of requests without and with prompts that were prepared."""
    with MockEndpoint(Script(latency_s=LATENCY_S), keeps_images=False) as mock:
        project.ask(mock)
        print(
            f"asking for {project.tasks} pages, an endpoint that takes {LATENCY_S:g} s,"
            " up to 50 requests at a time, -n 2"
        )
        cold = project.run("-n2")
        _tell("nothing prepared", cold, mock.requests, project.tasks)
        project.forget()
        _forget_prompts(project)
        prepared = project.run("--iwr-dry-run")
        again = project.run("--iwr-dry-run")
        print(
            f"  --iwr-dry-run, which prepares them: {prepared.took_s:.1f} s; once they "
            f"are: {again.took_s:.1f} s; so preparing takes "
            f"{prepared.took_s - again.took_s:.1f} s"
        )
        before = len(mock.requests)
        warm = project.run("-n2")
        _tell("prompts prepared", warm, mock.requests[before:], project.tasks)
        print(f"    most at once: {mock.peak}   goal ≤ {GOAL_S} s from first to last")
        before = len(mock.requests)
        second = project.run("-n2")
        print(
            f"  the same command again: {len(mock.requests) - before} requests, "
            f"exit status {second.status}, {second.took_s:.1f} s   goal 0"
        )


def _tell(what: str, ran: Ran, requests: Sequence[Seen], tasks: int) -> None:
    spread_s = requests[-1].at_s - requests[0].at_s if requests else 0.0
    print(
        f"  {what}: {len(requests)} requests ({tasks} pages) in {spread_s:.1f} s from "
        f"first to last; exit status {ran.status}, {ran.took_s:.1f} s in all"
    )


def _forget_prompts(project: Project) -> None:
    for path in (project.cache / "prompts").glob("*"):
        path.unlink()
