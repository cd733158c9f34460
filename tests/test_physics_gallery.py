"""The scripts of ``examples/physics`` compare what they see with what is expected, and exit with 1 if they differ."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "examples" / "physics"
LONG = {"arch", "catenary", "dominoes", "newtons_cradle", "slider_crank", "table", "tiles"}
"""The last two have quicker tests in tests/contact."""
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "gallery")


def test_there_are_ten():
    assert len(SCRIPTS) == 10


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in SCRIPTS])
def test_it_sees_what_is_expected(name, tmp_path):
    done = subprocess.run(
        [sys.executable, str(FOLDER / f"{name}.py"), "--picture", str(tmp_path / "seen.png")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "as expected"
    assert (tmp_path / "seen.png").read_bytes().startswith(b"\x89PNG")
