"""Scripts written for Isaac Sim run as they stand by ``phalanx exec``, and what they print is right."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from phalanx.assets import descriptions
from phalanx.assets.building import build
from phalanx.assets.catalogue import chosen

pytest.importorskip("pxr", reason="usd-core is not installed (pip install 'phalanx[isaac]')")

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples" / "isaacsim"


@pytest.fixture(scope="module")
def assets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the robots of the examples, as far as they can be made here."""
    folder = tmp_path_factory.mktemp("assets")
    build(chosen(["jetbot"])[0], folder)
    return folder


@pytest.fixture
def run(assets: Path, tmp_path: Path) -> Callable[..., str]:
    def execute(name: str, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "phalanx", "exec", str(EXAMPLES / name), *arguments],
            cwd=tmp_path,
            env={**os.environ, "PHALANX_ASSET_ROOT": str(assets)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return execute


@pytest.fixture
def franka(assets: Path) -> None:
    try:
        build(chosen(["franka-sim"])[0], assets)
    except descriptions.MissingPackageError as error:
        pytest.skip(str(error))


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.\d+", text)]


def test_hello_world(run: Callable[..., str]) -> None:
    text = run("hello_world.py")
    assert text.count(" s: ") == 4
    assert numbers(text.splitlines()[-1]) == pytest.approx([0.25], abs=2e-3)


@pytest.mark.slow
def test_falling_cubes(run: Callable[..., str]) -> None:
    """They stand on each other, also after the lowest is gone."""
    six, five = run("falling_cubes.py").splitlines()[-2:]
    assert numbers(six) == pytest.approx([0.1 + 0.2 * i for i in range(6)], abs=4e-3)
    assert numbers(five) == pytest.approx([0.1 + 0.2 * i for i in range(5)], abs=4e-3) and "5 are left" in five


def test_jetbot(run: Callable[..., str]) -> None:
    """0.1 m/s for 2 s, less what it needs to start; a quarter of a turn; an arc of one radian."""
    straight, spot, circle = (numbers(line) for line in run("jetbot_drive.py").splitlines()[-3:])
    assert straight[0] == pytest.approx(0.2, abs=0.015) and straight[1:] == pytest.approx([0.0, 0.0], abs=1.0)
    assert math.dist(spot[:2], straight[:2]) < 5e-3 and spot[2] - straight[2] == pytest.approx(90.0, abs=3.0)
    assert circle[2] - spot[2] == pytest.approx(math.degrees(1.0), abs=2.0)
    assert math.dist(circle[:2], spot[:2]) == pytest.approx(2 * 0.2 * math.sin(0.5), abs=0.01)


@pytest.mark.slow
def test_many_jetbots(run: Callable[..., str]) -> None:
    """The way is the speed of the wheels times their radius, but at the start."""
    text = run("many_jetbots.py", "--count", "64", "--steps", "120")
    assert "64 Jetbots are ready" in text
    assert numbers(text.splitlines()[-1]) == pytest.approx([0.03 * 0.5 * 2, 0.03 * 5.0 * 2], rel=0.05)


@pytest.mark.slow
def test_franka_pick_place(run: Callable[..., str], franka: None) -> None:
    text = run("franka_pick_place.py")
    heights = [numbers(line)[-1] for line in text.splitlines() if "phase" in line]
    assert max(heights) > 0.2 and numbers(text.splitlines()[-1])[0] < 25.0


@pytest.mark.slow
def test_franka_stacking(run: Callable[..., str], franka: None) -> None:
    text = run("franka_stacking.py")
    assert "True" in text
    assert numbers(text.splitlines()[-1]) == pytest.approx([0.0515 * 0.5, 0.0515 * 1.5], abs=2e-3)


@pytest.mark.slow
def test_data_logging(run: Callable[..., str]) -> None:
    text = run("data_logging.py")
    assert "60 frames; the last at 1.000 s" in text and numbers(text.splitlines()[-1])[0] < 1.0


@pytest.mark.slow
def test_contact_view(run: Callable[..., str]) -> None:
    """The box bears its own weight and those of the others."""
    weighs, pushed, ground, above = numbers("".join(run("contact_view.py").splitlines()[-2:]))
    assert weighs == pytest.approx(3 * 9.81, abs=0.01) and pushed == pytest.approx(weighs, rel=5e-3)
    assert ground == pytest.approx(6 * 9.81, rel=5e-3) and above == pytest.approx(-3 * 9.81, rel=5e-3)


@pytest.mark.slow
def test_camera(run: Callable[..., str], tmp_path: Path) -> None:
    """The surface before the middle of a cube of 0.4 m is at most half its diagonal from it, and above the ground."""
    text = run("camera.py", "--save", "cubes")
    assert [f"/World/cube_{i}: columns" in text for i in range(3)] == [True] * 3
    x, y, z = numbers(text.splitlines()[-1])[-3:]
    assert abs(x) < 0.35 and abs(y) < 0.35 and 0.0 < z < 0.42
    assert sorted(path.name for path in tmp_path.glob("cubes_*.png")) == [
        f"cubes_{name}.png" for name in ("depth", "labels", "rgb")
    ]


@pytest.mark.slow
def test_articulation_controller(run: Callable[..., str]) -> None:
    """One holds still upright; one sags by the weight over the stiffness; one is where its effort bears its weight."""
    text = run("articulation_controller.py")
    first, second, third = numbers(text.splitlines()[-2])
    assert first == pytest.approx(0.0, abs=1e-3) and third == pytest.approx(0.3, abs=5e-3)
    assert 400.0 * (0.5 - second) == pytest.approx(9.81 * 0.5 * math.sin(second), abs=0.4)
    assert text.splitlines()[-1] == "Gains: [400.0, 400.0, 0.0] [40.0, 40.0, 0.0]"


@pytest.mark.slow
def test_warp_backend(run: Callable[..., str]) -> None:
    text = run("warp_backend.py")
    assert "numpy: arrays are numpy's" in text and "The same to the bit: True" in text


@pytest.mark.slow
def test_particles(run: Callable[..., str]) -> None:
    text = run("particles.py")
    assert numbers(text.splitlines()[-2]) == [0.02, 0.001] and numbers(text.splitlines()[-1])[0] == pytest.approx(0.1)
