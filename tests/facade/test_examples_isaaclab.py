"""Scripts written for Isaac Lab run as they stand by ``phalanx exec``, with small arguments here."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from phalanx.io import library

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


def test_multirotor(run: Callable[..., str]) -> None:
    """Quadrotors that were thrown hover at heights of their own, and each rotor carries a quarter of the weight."""
    text = run("multirotor.py", "--num_envs", "3", "--steps", "600", "--reset_every", "600")
    assert text.count("Resetting robot state") == 1 and "['rotor1', 'rotor2', 'rotor3', 'rotor4']" in text
    assert max(map(abs, last_numbers(text))) < 5.0
    thrusts = [float(number) for number in re.findall(r"0\.\d+", text.partition("in N:")[2].partition("From")[0])]
    assert thrusts == pytest.approx([0.027 * 9.81 / 4] * 12, rel=0.02)


def test_sensors(run: Callable[..., str]) -> None:
    """Quadrupeds land on four feet each, which carry their weight, and their IMUs feel what holds them up."""
    text = run("quadruped_sensors.py", "--num_envs", "2", "--steps", "200")
    assert "['FL_foot', 'FR_foot', 'RL_foot', 'RR_foot'] have landed" in text
    *weights, first, second = last_numbers(text)
    mass = sum(body.mass for body in library.load_robot("quadruped", visuals=False, warn=False).bodies)
    assert weights == pytest.approx([mass * 9.81] * 2, rel=0.02)
    assert [first, second] == pytest.approx([9.81] * 2, rel=0.02)
