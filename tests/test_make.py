"""The set-up behind `make`, as far as it can go wrong on a fresh machine."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]


def make_venv(venv: Path, python: str) -> subprocess.CompletedProcess[str]:
    """Run the script that makes the virtual environment."""
    return subprocess.run(  # our own script
        [ROOT / "scripts" / "make_venv.sh", venv],
        env={"PYTHON": python, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def program(path: Path, script: str) -> str:
    """Make an executable file."""
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_old_python_is_refused_with_advice(tmp_path: Path) -> None:
    """Without a Python that is new enough the set-up says how to name one."""
    old = program(tmp_path / "python3", "exit 1")
    done = make_venv(tmp_path / "venv", old)
    assert done.returncode == 1
    assert "no Python 3.11 or newer" in done.stderr
    assert "make PYTHON=" in done.stderr
    assert not (tmp_path / "venv").exists()


def test_environment_that_works_is_kept(tmp_path: Path) -> None:
    """An environment whose Python is new enough is not made anew."""
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    program(tmp_path / "venv" / "bin" / "python", "exit 0")
    done = make_venv(tmp_path / "venv", "none")
    assert (done.returncode, done.stdout) == (0, "")


def test_help_lists_the_targets() -> None:
    """`make` alone says what there is to make."""
    done = subprocess.run(  # our own Makefile
        ["make", "-C", ROOT, "--no-print-directory"],  # from PATH
        capture_output=True,
        text=True,
        check=True,
    )
    for target in ("demo", "test", "lint", "validity", "bench", "clean"):
        assert f"\n  {target} " in done.stdout
