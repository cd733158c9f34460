"""Scripts written for Isaac Lab run as they stand by ``phalanx exec``, with small arguments here.

Each is a process that takes 4 s to begin, so those are marked as slow whose classes have quicker tests of their own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from phalanx.io.formats import library

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples" / "isaaclab"


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


@pytest.mark.slow
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


@pytest.mark.slow
def test_arm(run: Callable[..., str]) -> None:
    """Joints are where they were told to go after two seconds."""
    text = run("arm_reach.py", "--num_envs", "3", "--steps", "200")
    assert text.count("New targets") == 1
    off = last_numbers(text)
    assert len(off) == 3 and max(off) < 5.0  # mrad


@pytest.mark.slow
def test_collection(run: Callable[..., str]) -> None:
    """Four cubes stand on each other, the last one's middle 1.3 m up, also after they were piled up anew."""
    text = run("object_collection.py", "--num_envs", "3", "--steps", "150", "--reset_every", "75")
    assert text.count("Piling up") == 2 and "['plinth', 'block', 'brick', 'cap']" in text
    assert last_numbers(text) == pytest.approx([1.3] * 3, abs=2e-3)


@pytest.mark.slow
def test_rough_terrain(run: Callable[..., str]) -> None:
    """64 quadrupeds on three levels of rough terrain stay up, and go up a level."""
    text = run("rough_terrain.py", "--steps", "160", "--episode", "80", "--rows", "5", "--columns", "10")
    first, second = re.findall(r"Robots by level: ([\d, ]+); of 64 stand (\d+)", text)
    counts = [[int(number) for number in levels.split(",")] for levels, _ in (first, second)]
    assert sum(counts[0]) == 64 and counts[0][3:] == [0, 0] and min(counts[0][:3]) > 5
    assert int(first[1]) >= 60 and int(second[1]) >= 55 and sum(counts[1][1:4]) >= 60
    low, high = last_numbers(text)
    assert -0.3 < low < high < 0.45


def test_quadruped_cameras(run: Callable[..., str], tmp_path: Path) -> None:
    """Cameras beside quadrupeds see them, those that they carry see the ground ahead; pictures are written."""
    text = run(
        "quadruped_cameras.py",
        "--num_envs",
        "4",
        "--steps",
        "20",
        "--rows",
        "2",
        "--columns",
        "4",
        "--save",
        "pictures",
    )
    assert "rgb, depth, normals, instance_id_segmentation_fast, semantic_segmentation have the shapes" in text
    low, high, ahead = last_numbers(text)
    assert 0.05 < low <= high < 0.15 and 0.1 < ahead < 1.0
    kinds = ("rgb", "depth", "normals", "instance_id_segmentation_fast", "front_rgb", "front_depth")
    files = {f"{name}{ending}.png" for name in kinds for ending in ("", "_tiles")}
    assert {path.name for path in (tmp_path / "pictures").iterdir()} == files


@pytest.mark.slow
def test_arm_cameras(run: Callable[..., str]) -> None:
    """Points that a camera sees are as high as the objects whose labels its pixels have."""
    text = run("arm_cameras.py", "--num_envs", "3", "--steps", "20")
    assert last_numbers(text) == pytest.approx([0.06, 0.07, 0.12], abs=4e-3)


@pytest.mark.slow
def test_mixed_actuators(run: Callable[..., str]) -> None:
    """Knee bends take the bodies up and down; each kind of actuator works, within its limits."""
    text = run("mixed_actuators.py", "--num_envs", "2", "--steps", "420")
    kinds = re.findall(r"(\w+): (\w+) at .*, at most ([\d.]+) N m", text)
    names = [("hips", "DCMotor"), ("thighs", "DelayedPDActuator"), ("calves", "ImplicitActuator")]
    assert [kind[:2] for kind in kinds] == names
    for (_, _, effort), most in zip(kinds, (20.0, 24.0, 35.0), strict=True):
        assert 0.1 < float(effort) < most
    low, high = last_numbers(text)
    assert 0.15 < low < 0.22 and 0.28 < high < 0.33


def test_randomised_materials_without_exec(device: str, tmp_path: Path) -> None:
    """A script that imports the facade's own modules is a program like any other.

    Bricks slide as far as Coulomb's law says, whatever they weigh.
    """
    script = tmp_path / "bricks.py"
    text = (EXAMPLES / "randomised_materials.py").read_text()
    script.write_text(re.sub(r"^(from|import) isaaclab", r"\1 phalanx.facade.isaaclab", text, flags=re.MULTILINE))
    done = subprocess.run(
        [sys.executable, str(script), "--device", device, "--num_envs", "5", "--steps", "240"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    masses = [float(one) for one in re.findall(r"([\d.]+) kg, friction", done.stdout)]
    assert len(masses) == 5
    assert max(masses) > 1.05 * min(masses)  # drawn at random: all so near each other happen once in a million
    assert last_numbers(done.stdout)[0] < 2.0  # mm
