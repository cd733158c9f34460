"""Files that ask for too much are refused before the work is done; whatever a parser throws has a file and a place."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import hostile_files
import hostile_runs
import pytest

import phalanx as px
from phalanx.io.reading.errors import LoadError
from phalanx.io.reading.limits import LIMITS
from phalanx.io.recordings.repair import repair

SECONDS = 1.0
"""Of CPU time, since others use the machine, too."""

KINDS = set(["urdf", "mjcf", "usd", "stl", "obj", "ply", "dae", "glb", "msh", "vtk", "recording", "world"])
"""How names of cases begin."""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """All cases, in a process of their own, whose memory is only theirs."""
    folder = tmp_path_factory.mktemp("hostile")
    code = [sys.executable, str(hostile_runs.__file__), str(folder)]
    root = str(Path(px.__file__).resolve().parents[1])
    done = subprocess.run(
        code, capture_output=True, text=True, timeout=300, check=True, env={**os.environ, "PYTHONPATH": root}
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {one["name"]: one for one in found}


@pytest.mark.parametrize("name", hostile_files.CASES)
def test_hostile_files_are_refused(name: str, measured: dict[str, dict[str, Any]]) -> None:
    """One error, with the file, within a second of CPU time and the memory allowed."""
    found = measured[name]
    assert found["raised"] == "LoadError", found
    assert name in found["text"], "the folder of the file"
    assert re.search(hostile_files.CASES[name][0], found["text"]), found["text"]
    assert found["mib"] < 500, found
    assert found["seconds"] < SECONDS, found


def test_there_are_more_than_a_hundred_kinds() -> None:
    assert len(hostile_files.CASES) >= 110
    assert {name.partition("_")[0] for name in hostile_files.CASES} >= KINDS


@pytest.mark.parametrize("name", ["recording_that_unpacks_to_gigabytes", "recording_of_another_format"])
def test_what_cannot_be_opened_is_not_whole(name: str, tmp_path: Path) -> None:
    """Repairing goes by the same checks as reading."""
    path = hostile_files.CASES[name][1](tmp_path)
    with pytest.raises(LoadError, match=r"it says that it holds more|has format 1000000000"):
        repair(path)


def test_limits_can_be_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = hostile_files.urdf(tmp_path)
    monkeypatch.setattr(LIMITS, "elements", 5)
    with pytest.raises(LoadError, match=r"asks for 6 elements, and at most 5 .*set .*LIMITS.elements"):
        hostile_files.load(path)
    monkeypatch.setattr(LIMITS, "elements", 8)
    hostile_files.load(path)


def test_numbers_too_large_for_the_dtype(tmp_path: Path) -> None:
    """A mass of 1e39 kg is a number of float64, and none of float32; nor is what a setter is given."""
    for dtype in ("float32", "float64"):
        world = px.World(dtype=dtype)
        thing = world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", mass=1e39)
        if dtype == "float32":
            with pytest.raises(ValueError, match=r"1e\+39, and the greatest number of float32 is 3\.403e\+38"):
                world.build()
        else:
            world.build()
            assert thing.mass[0] == 1e39
    world = px.World()
    thing = world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box")
    with pytest.raises(ValueError, match=r"1e\+40, and the greatest number of float32"):
        thing.set_mass(1e40)


@pytest.mark.parametrize("side", [8500, 60_000])
def test_textures_that_unpack_to_gigabytes_are_not_seen(side: int, tmp_path: Path) -> None:
    pytest.importorskip("pxr")
    from phalanx.facade.visible import materials

    good, bomb = tmp_path / "good.png", tmp_path / "bomb.png"
    good.write_bytes(hostile_files.png(8, 8))
    bomb.write_bytes(hostile_files.png(side, side))
    assert materials._opened(str(good)) is not None
    assert materials._opened(str(bomb)) is None
