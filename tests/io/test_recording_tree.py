"""Recordings in xarray: the root by itself, and the tree of robots, objects and sensors."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import phalanx as px
from phalanx.commands.cli import main
from phalanx.io.recordings.repair import repair

SAMPLES, ENVS = 9, 3


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tree") / "run.zarr"
    world = px.World(num_envs=ENVS, dt=0.01)
    world.add_robot("double_pendulum", name="arm")
    world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "boxes/red", mass=1.0, position=(2, 0, 1))
    ball = {"source": px.Shape("sphere", (0.1,)), "mass": 1.0}
    world.add_rigid_objects({"a": {**ball, "position": (3, 0, 1)}, "b": {**ball, "position": (4, 0, 1)}}, "balls")
    with px.Recorder(world, path, every=2, chunk_steps=4):
        world.step(8)
        world.robots["arm"].set_joint_state(vel=1.0)
        world.step(8)
    return path


def test_the_root_shows_where_everything_was(recorded: Path):
    with xr.open_zarr(recorded) as root:
        assert set(root.data_vars) == {"arm_position", "boxes|red_position", "balls_position"}
        assert dict(root.sizes) == {"time": SAMPLES, "env": ENVS, "axis": 3, "balls_object": 2}
        np.testing.assert_allclose(root.time, 0.02 * np.arange(SAMPLES))
        assert root.step.values.tolist() == [*range(0, 17, 2)]
        recording = px.open_recording(recorded)
        box = recording.objects["boxes/red"].root_pose[...]
        np.testing.assert_array_equal(root["boxes|red_position"].transpose("env", "time", "axis"), box[..., :3])
        b = root.balls_position.sel(balls_object="b", axis="z", env=1)
        np.testing.assert_array_equal(b, recording.objects["b"].root_pose[1, :, 2])
        fallen = 1.0 - 0.5 * 9.81 * float(b.time[-1]) * (float(b.time[-1]) + 0.01)  # steps take the new velocity
        assert float(b[-1]) == pytest.approx(fallen, abs=1e-4)


def test_the_tree_has_robots_objects_and_sensors(recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = shutil.copytree(recorded, tmp_path / "run.zarr")
    assert main(["replay", str(path), "--sensor", "imu:a", "--env", "0", "2"]) == 0
    capsys.readouterr()
    tree = px.open_recording(path).tree
    assert isinstance(tree, xr.DataTree) and set(tree.children) == {"robots", "objects", "sensors"}
    assert set(tree["objects"].children) == {"boxes|red", "balls"}
    arm = tree["robots/arm"]
    recording = px.open_recording(path)
    last = recording["arm"].joint_names[-1]
    np.testing.assert_array_equal(arm.joint_vel.sel(joint=last, env=2), recording["arm"].joint_vel[2, :, -1])
    assert arm.joint_pos.attrs["units"] == "rad" and arm.joint_pos.dims == ("time", "env", "joint")
    assert tree["objects/balls"].root_pose.sel(object="a", pose="qw").shape == (SAMPLES, ENVS)
    (imu,) = tree["sensors/imu"].children.values()
    assert imu.sizes["env"] == ENVS and imu.sizes["time"] == SAMPLES
    down = imu.projected_gravity
    assert np.isfinite(down.sel(env=[0, 2])).all() and np.isnan(down.sel(env=1)).all()
    assert len(tree.groups) < 12, "events and meshes stand apart"
    assert repr(recording).startswith("<Recording ") and "robot 'arm': joint_pos" in repr(recording)


def test_older_recordings_and_cut_ones_make_trees_too(recorded: Path, tmp_path: Path):
    """Those of earlier versions have no arrays at the root."""
    path = shutil.copytree(recorded, tmp_path / "old.zarr")
    document = json.loads((path / "zarr.json").read_text())
    metadata = document["consolidated_metadata"]["metadata"]
    for name in [name for name in metadata if "/" not in name and metadata[name]["node_type"] == "array"]:
        del metadata[name]
        shutil.rmtree(path / name)
    del document["attributes"]["coordinates"]
    (path / "zarr.json").write_text(json.dumps(document))
    recording = px.open_recording(path)
    assert not recording.edited and recording.num_samples == SAMPLES
    tree = recording.tree
    assert tree.sizes["time"] == SAMPLES and "step" in tree.coords and "joint_pos" in tree["robots/arm"]
    assert main(["replay", str(path), "--verify"]) == 0

    path = shutil.copytree(recorded, tmp_path / "cut.zarr")
    (path / "balls_position" / "c.1.0.0.0").unlink()
    with pytest.raises(px.LoadError, match="balls_position"):
        px.open_recording(path)
    repair(path)
    tree = px.open_recording(path).tree
    assert tree.sizes["time"] == tree["robots/arm"].sizes["time"] == 4


def test_without_xarray_the_error_says_what_to_install(recorded: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ImportError, match=r"needs xarray, .*pip install 'phalanx\[xarray\]'"):
        px.open_recording(recorded).tree  # noqa: B018
