"""The examples run as they stand, with small arguments here, and say what they promise."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import phalanx as px

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"


def run(name: str, folder: Path, *arguments: str) -> str:
    """Output of an example that runs in ``folder``."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-W", "error::FutureWarning", str(EXAMPLES / name), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers(text: str, pattern: str) -> list[float]:
    """All matches of a pattern with one group, as numbers."""
    found = [float(match) for match in re.findall(pattern, text, flags=re.MULTILINE)]
    assert found, f"nothing like {pattern} in:\n{text}"
    return found


def test_demo(tmp_path: Path) -> None:
    output = run("demo.py", tmp_path, "--num-envs", "4", "--seconds", "1")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["demo.png", "demo.zarr"]
    assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")
    assert numbers(output, r"(\d+) of 4 are on their feet")[0] >= 3
    assert numbers(output.replace(",", ""), r"(\d+) env-steps/s")[0] > 0
    assert numbers(output, r"environment +\d+: +(-?[\d.]+) m")[0] > 0.1, "somebody gets on"
    assert list(px.open_recording(tmp_path / "demo.zarr").robots) == ["robot"]
    run("demo.py", tmp_path, "--num-envs", "4", "--seconds", "0.1")  # and again, over what it left


@pytest.mark.slow
def test_behaviour_cloning(tmp_path: Path) -> None:
    for package in ("torch", "h5py"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    output = run("behaviour_cloning.py", tmp_path, "--seconds", "30")
    first, last = (
        numbers(output, r"^new balls +(\d+) mm")[0],
        numbers(output, r"first, ([\d.]+) mm at last \(median\)")[0],
    )
    assert last < 0.4 * first, "arms come near balls that were in no demonstration"
    assert numbers(output, r"^reached +(\d+)%")[0] > 40.0 > numbers(output, r"mm; (\d+)% were")[0]


def test_drape_cloth(tmp_path: Path) -> None:
    output = run("drape_cloth.py", tmp_path, "--steps", "100", "--squares", "10")
    lines = [line.split() for line in output.splitlines()[1:]]
    held, slipped = lines[0], lines[-1]
    assert float(held[1].rstrip("%")) > 10 and 2.5 < float(held[2]) < 3.5, "friction turns it with the ball"
    assert float(slipped[2]) < float(held[2])
    assert min(float(line[4]) for line in lines) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lift_soft_cube", "fold_cloth", "pour_grains", "fill_cloth"])
def test_grippers_and_what_deforms(name: str, tmp_path: Path) -> None:
    """Each compares what is seen with what is expected, and fails where it differs."""
    assert run(f"deformable/{name}.py", tmp_path).endswith("as expected\n")


@pytest.mark.slow
def test_hang_on_a_rope(tmp_path: Path) -> None:
    output = run("hang_on_a_rope.py", tmp_path, "--steps", "80")
    for line in output.splitlines()[1:]:
        sunk = numbers(line, r"sunk by +(-?[\d.]+) mm")[0]
        assert sunk > 50 if line.endswith("slides in theory") else abs(sunk) < 5


def test_own_system(tmp_path: Path) -> None:
    output = run("own_system.py", tmp_path, "--num-envs", "2", "--seconds", "2")
    assert "actuate: cut_power > " in output and " > draw_power" in output
    first, last = (line for line in output.splitlines() if line.endswith(("lies", "stands")))
    assert first.endswith("lies") and "never" in last and last.endswith("stands")


def test_pendulum_energy(tmp_path: Path) -> None:
    ratios = numbers(run("pendulum_energy.py", tmp_path, "--seconds", "1"), r"J +(\d\.\d+)$")
    assert len(ratios) == 3 and all(1.8 < ratio < 2.2 for ratio in ratios)


def test_gravity_compensation(tmp_path: Path) -> None:
    output = run("gravity_compensation.py", tmp_path, "--seconds", "1")
    floating, limp = (numbers(output, pattern) for pattern in (r"s +([\d.]+) mm", r"([\d.]+) mm(?:   pushed.*)?$"))
    assert max(floating[:2]) < 1 < 10 < floating[-1], "still before the push, and it yields to it"
    assert max(limp) > 5 * max(floating)


@pytest.mark.slow
def test_drop_and_settle(tmp_path: Path) -> None:
    output = run("drop_and_settle.py", tmp_path, "--num-envs", "2", "--seconds", "4", "--picture", "heap.png")
    assert numbers(output, r"rad/s +([\d.]+)$")[-1] == pytest.approx(1, abs=0.03), "it lies, and the ground carries it"
    assert sum(numbers(output, r" ([\d.]+) N ")) == pytest.approx(70 * 9.81, rel=0.1)
    assert (tmp_path / "heap.png").read_bytes().startswith(b"\x89PNG")


def test_randomised_masses(tmp_path: Path) -> None:
    output = run("randomised_masses.py", tmp_path, "--num-envs", "4", "--seconds", "1.5")
    heights = numbers(output, r"([\d.]+) mm")
    assert heights == sorted(heights, reverse=True) and heights[0] - heights[-1] > 1
    assert numbers(output, r"mm +([\d.]+)") == pytest.approx([1.0] * 4, abs=0.02)


def test_quadrotor_hover(tmp_path: Path) -> None:
    away = numbers(run("quadrotor_hover.py", tmp_path, "--num-envs", "4", "--seconds", "3"), r"s +([\d.]+) cm")
    assert away[0] > 20 and away[-1] < 3


@pytest.mark.slow
def test_lidar(tmp_path: Path) -> None:
    output = run("lidar.py", tmp_path, "--num-envs", "2", "--seconds", "4")
    assert numbers(output, r"drove ([\d.]+) m each")[0] > 3
    assert numbers(output, r"wall: ([\d.]+) mm")[0] == 0
    picture = output.split("has seen:\n")[1].splitlines()
    assert len(picture) == 14 and sum(row.count("#") > 20 for row in picture) == 2, "two long walls"
    assert any("#" in row[5:-3] for row in picture[3:11]), "and pillars between them"


def test_depth_camera(tmp_path: Path) -> None:
    output = run("depth_camera.py", tmp_path, "--num-envs", "2", "--seconds", "2")
    assert numbers(output, r"drove ([\d.]+) m each")[0] > 1
    assert numbers(output, r"to a pillar: ([\d.]+) m")[0] > 0.2
    assert len(re.findall(r"cart \d sees nothing, ground, pillar", output)) == 2
    assert (tmp_path / "depth_camera.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_grip_by_friction(tmp_path: Path) -> None:
    output = run("grip_by_friction.py", tmp_path, "--num-envs", "6", "--seconds", "0.5", "--picture", "grip.png")
    verdicts = re.findall(r"(held|slipped) +(held|slipped)$", output, flags=re.MULTILINE)
    assert len(verdicts) == 6 and len(set(verdicts)) == 2 and all(is_ == law for is_, law in verdicts)
    carried = numbers(output, r"([\d.]+) N   held")
    assert carried == pytest.approx([0.2 * 9.81] * len(carried), rel=0.01)
    assert (tmp_path / "grip.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_mixed_pile(tmp_path: Path) -> None:
    output = run("mixed_pile.py", tmp_path, "--num-envs", "3", "--objects", "6", "--seconds", "3.5")
    rows = re.findall(r"^ +\d+ +([\d.]+) N +(-?[\d.]+) N +(-?[\d.]+) N", output, flags=re.MULTILINE)
    assert len(rows) == 3
    for weight, tray, ground in rows:
        assert float(tray) + float(ground) == pytest.approx(float(weight), rel=0.05)
    assert (tmp_path / "pile.png").read_bytes().startswith(b"\x89PNG")
    assert len(px.open_recording(tmp_path / "pile.zarr").collections["pile"].object_names) == 6


def test_analyse_recording(tmp_path: Path) -> None:
    output = run("analyse_recording.py", tmp_path, "--seconds", "0.5")
    assert "joint_pos" in output and "busiest joint: " in output
    assert numbers(output, r"fastest of all: ([\d.]+) rad/s")[0] > 0.1
    assert "As xarray.DataTree: /, /robots, /robots/robot" in output


def test_analyse_recording_needs_nothing_but_what_setup_installs() -> None:
    """xarray is an extra: the example says so, and does the rest."""
    code = f"""
import importlib.util, runpy, sys
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "xarray" else found(name, *more)
sys.modules["xarray"] = None
sys.argv = ["analyse_recording.py", "--seconds", "0.05"]
runpy.run_path({str(EXAMPLES / "analyse_recording.py")!r}, run_name="__main__")
"""
    paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "busiest joint: " in done.stdout and "With xarray installed" in done.stdout


def test_every_example_is_tested_and_says_what_it_shows() -> None:
    tested = Path(__file__).read_text()
    for example in EXAMPLES.glob("*.py"):
        assert f'"{example.name}"' in tested, f"tests/test_examples.py does not run {example.name}"
        assert example.read_text().startswith('"""')
