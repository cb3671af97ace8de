"""Animations that scripts draw, frame by frame."""

from collections.abc import Callable

from pytest_iwr import records as r

Drive = Callable[..., r.Trace]

CHART = """<!doctype html><canvas width="300" height="100"></canvas><script>
  const pen = document.querySelector("canvas").getContext("2d");
  const draw = (start, now) => {
    const part = Math.min((now - start) / 1000, 1);
    pen.fillRect(0, 0, 300 * part, 100);
    if (part < 1) requestAnimationFrame((next) => draw(start, next));
  };
  requestAnimationFrame((now) => draw(now, now));
</script>"""
LOOP = """<!doctype html><p>0</p><script>
  const turn = () => { document.querySelector("p").textContent++;
                       requestAnimationFrame(turn); };
  turn();
</script>"""
CLOCKED = """<!doctype html><p>0</p><script>
  const show = () => { document.querySelector("p").textContent++; };
  setInterval(() => requestAnimationFrame(show), 20);
</script>"""


def test_shot_waits_for_a_chart_that_is_drawn(drive: Drive) -> None:
    """A chart that grows on a canvas for a second is shot when it is whole."""
    trace = drive(CHART, {"press": "a", "expect": [{"unchanged": True}]})
    assert trace.failed is None
    assert trace.steps[0].unsettled == ""


def test_endless_loop_costs_its_patience_once(drive: Drive) -> None:
    """A loop without end is waited for at the start, and let be from then on."""
    trace = drive(LOOP, {"press": "a"}, {"press": "b"})
    assert trace.failed is None
    assert [step.unsettled for step in trace.steps] == ["the page keeps changing"] * 3
    assert all(step.duration_s < 1.4 for step in trace.steps[1:])


def test_frames_of_a_clock_are_no_animation(drive: Drive) -> None:
    """What a regular timer draws is not waited for."""
    trace = drive(CLOCKED, {"press": "a"})
    assert trace.failed is None
    assert trace.steps[1].duration_s < 1.4
