"""Robots of real URDF and MJCF files are the same once they are written as USD and read back."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from real_robots import robot_path
from usd_models import check_same

from phalanx.io.formats.mjcf import load_scene
from phalanx.io.formats.urdf import load_urdf
from phalanx.io.formats.usd import read_stage, write_robot
from phalanx.io.formats.usd.bindings import Usd


@pytest.mark.parametrize("name", ["allegro", "icub", "panda", "tiago"])
def test_robots_of_urdf_files_are_the_same(name: str) -> None:
    model = load_urdf(robot_path(name), visuals=False)
    stage = Usd.Stage.CreateInMemory()
    written = write_robot(model, stage)
    (actor,) = read_stage(stage).actors.values()
    check_same(model, actor.model, written)
    assert all("have others" in note for note in written.notes)


@pytest.mark.parametrize("name", ["humanoid", "humanoid_CMU", "manipulator", "quadruped"])
def test_robots_of_mjcf_files_are_the_same(name: str) -> None:
    found = importlib.util.find_spec("dm_control")
    if found is None or not found.submodule_search_locations:
        pytest.skip("dm_control is not installed (the extra `test` has it where it has wheels for this Python)")
    file = Path(found.submodule_search_locations[0]) / "suite" / f"{name}.xml"
    models = [tree.model for tree in load_scene(file, visuals=False).trees.values() if tree.kind == "robot"]
    for model in models:
        stage = Usd.Stage.CreateInMemory()
        written = write_robot(model, stage)
        scene = read_stage(stage)
        (actor,) = scene.actors.values()
        assert scene.warnings == []
        check_same(model, actor.model, written)
    assert models
