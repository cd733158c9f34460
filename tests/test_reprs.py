"""What is seen of a handle at a prompt: its name, and what is in it, in a line or two."""

from __future__ import annotations

from pathlib import Path

import phalanx as px
from phalanx.components import DofState


def test_reprs_say_what_is_in_them(tmp_path: Path) -> None:
    world = px.World(num_envs=2)
    assert repr(world) == "<World of 2 environments on cpu, float32, steps of 0.005 s, t = 0 s: nothing in it>"
    arm = world.add_robot("double_pendulum", name="arm")
    box = world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", mass=1.0)
    ball = px.Shape("sphere", (0.1,))
    places = {name: {"source": ball, "position": (x, 0, 0)} for name, x in (("a", 2), ("b", 3))}
    balls = world.add_rigid_objects(places, "balls", mass=1.0)
    assert repr(world).endswith("t = 0 s: robots arm; objects box; collections balls>")
    assert repr(arm).startswith("<Robot 'arm' (double_pendulum) in 2 environments: 2 dofs (")
    assert all(name in repr(arm) for name in (*arm.joint_names, "kg", "fixed base"))
    assert repr(box) == "<RigidObject 'box' in 2 environments: dynamic, box>"
    assert repr(balls) == "<RigidObjectCollection 'balls': 2 objects (a, b)>"
    assert repr(arm.model).startswith("<RobotModel 'double_pendulum': ") and len(repr(arm.model)) < 100
    assert repr(world[DofState]) == "<live arrays of DofState: velocity, acceleration>"
    with px.Recorder(world, tmp_path / "a.zarr") as recorder:
        assert repr(recorder).endswith("a.zarr', recording: 1 samples>") and "arm, box, balls" in repr(recorder)
    recording = px.open_recording(tmp_path / "a.zarr")
    assert repr(recording.robots["arm"]).startswith("<RobotRecording 'arm': joint_pos, ")
    assert repr(world.queries) == "<SceneQueries of arm, box, a, b>"
    assert repr(world.schedule).startswith("<Schedule of ")
    for handle in (world, arm, box, balls, world[DofState], recorder, recording, arm.live):
        assert " object at 0x" not in repr(handle)
    for handle in (world, arm, box, balls, world.queries):
        values = {name: getattr(handle, name) for name in dir(handle) if not name.startswith("_")}
        for name, value in values.items():
            if not callable(value):
                assert " object at 0x" not in repr(value), f"{type(handle).__name__}.{name}"
                assert hasattr(value, "shape") or len(repr(value)) < 2000, f"{type(handle).__name__}.{name}"
