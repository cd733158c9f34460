"""Scripts written for Isaac Lab run as they stand by ``phalanx exec``, with small arguments here."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples" / "isaaclab"


@pytest.fixture
def run(device: str, tmp_path: Path) -> Callable[..., str]:
    def execute(name: str, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "phalanx", "exec", str(EXAMPLES / name), "--device", device, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return execute


def last_numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.\d+", text.splitlines()[-1])]


def test_rigid_objects(run: Callable[..., str]) -> None:
    """Cones 0.2 m high that are dropped upright stand after a second."""
    text = run("rigid_objects.py", "--steps", "120", "--reset_every", "60")
    assert text.count("Resetting object state") == 2
    heights = last_numbers(text)
    assert heights == pytest.approx([0.1] * 4, abs=2e-3)


def test_articulation(run: Callable[..., str]) -> None:
    """Carts move apart, and not away."""
    text = run("articulation.py", "--num_envs", "3", "--steps", "60")
    assert text.count("Resetting robot state") == 1 and "['slider', 'hinge']" in text
    carts = last_numbers(text)
    assert len(set(carts)) == 3 and max(map(abs, carts)) < 2.0
