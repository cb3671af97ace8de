"""The README's first run is run."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_first_run_works_in_an_empty_folder(tmp_path: Path) -> None:
    """A newcomer's lines, but for the installation, end with a green test and a row."""
    block = re.search(
        r"```sh\n(pip install.*?)```", (ROOT / "README.md").read_text(), re.DOTALL
    )
    assert block is not None
    lines = block.group(1).splitlines()
    script = "\n".join(
        line for line in lines if not line.startswith(("pip ", "playwright "))
    )
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-eu", "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"hello +my-model +1/1 +1\.0000", done.stdout), done.stdout
    assert (tmp_path / "reports" / "latest" / "report.html").is_file()
