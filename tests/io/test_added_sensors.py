"""Recordings played back, and sensors that are added to them: against the world that was recorded, and by formula."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
import zarr

import phalanx as px
from phalanx.io.reading.errors import LoadError
from phalanx.io.recordings.added_sensors import Reading, contact_forces, height_scan, inertial
from phalanx.io.recordings.fields import DEFAULT_FIELDS
from phalanx.io.recordings.playback import Playback, blend
from phalanx.io.recordings.replay import open_recording
from phalanx.io.recordings.sensor_files import write_readings
from phalanx.models.robot_model import Body, Joint, RobotModel

STEPS, EVERY, DT = 40, 2, 0.005


def swing() -> RobotModel:
    """A rod that hangs from a fixed base and turns about y."""
    rod = Body("rod", 1.0, (0.0, 0.0, -0.5), np.diag([0.09, 0.09, 0.001]), visuals=[px.Shape("sphere", (0.05,))])
    base = Body("base", 1.0, inertia=np.eye(3))
    return RobotModel("swing", [base, rod], [Joint("hinge", "revolute", "base", "rod", axis=(0.0, 1.0, 0.0))])


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[np.ndarray], list[np.ndarray]]:
    """A world of three environments with a pendulum, a ball and two blocks; poses and velocities at its samples.

    Halfway the ball is put elsewhere. Steps are 0.2 m high on one side of the origin.
    """
    path = tmp_path_factory.mktemp("recording") / "run.zarr"
    world = px.World(3, dt=DT)
    world.add_ground()
    world.add_rigid_object(px.Shape("box", (1.0, 2.0, 0.1)), "step", kind="static", position=(1.0, 0.0, 0.1))
    robot = world.add_robot(swing(), "swing", fixed_base=True, position=(0.0, 5.0, 2.0))
    ball = world.add_rigid_object(px.Shape("sphere", (0.1,)), "ball", position=(-0.5, 0.0, 1.5))
    blocks = {
        name: {"source": px.Shape("box", (0.1, 0.1, 0.1)), "position": (x, 3, 0.1)}
        for name, x in (("a", -1), ("b", -2))
    }
    world.add_rigid_objects(blocks, "blocks")
    robot.set_joint_state(pos=[[0.3], [0.6], [1.2]])
    ball.set_root_state(vel=[0.0, 0.0, 0.0, 0.0, 0.0, 3.0])
    poses, velocities = [], []

    def look() -> None:
        poses.append(np.concatenate([actor.body_pose for actor in world.actors.values()], axis=1))
        velocities.append(np.concatenate([actor.body_vel for actor in world.actors.values()], axis=1))

    with px.Recorder(world, path, every=EVERY):
        look()
        for n in range(STEPS // EVERY):
            if n == 10:
                ball.set_root_state(pose=[-0.5, 0.0, 1.9, 1.0, 0.0, 0.0, 0.0])
            world.step(EVERY)
            look()
    return path, poses, velocities


def test_playback_has_the_poses_that_were(recorded):
    path, poses, velocities = recorded
    playback = Playback(open_recording(path), [2, 0])
    pose, velocity = playback.motion(0, len(poses))
    np.testing.assert_allclose(pose, np.array(poses)[:, [2, 0]], atol=1e-6)
    np.testing.assert_allclose(velocity, np.array(velocities)[:, [2, 0]], atol=1e-5)
    np.testing.assert_array_equal(playback.bodies(5, 8), pose[5:8])
    assert playback.jumps == [11]
    assert Playback(open_recording(path), slice(None, None, -2)).envs.tolist() == [2, 0]
    with pytest.raises(IndexError, match=r"env_ids must lie in 0..2, or in -3..-1 from the end; got 3 to 3"):
        Playback(open_recording(path), [3])
    with pytest.raises(ValueError, match="env_ids names no environment"):
        Playback(open_recording(path), [])


def test_between_samples_poses_are_interpolated_but_not_across_a_jump(recorded):
    path, poses, _ = recorded
    playback = Playback(open_recording(path))
    interval = DT * EVERY
    made = playback.poses_at(np.array([2.25, 2.75, 10.4, 10.6, 20.0, 99.0]) * interval)
    exact = np.array(poses)
    ball, rod = 3, 2
    np.testing.assert_allclose(made[0, :, :, :3], 0.75 * exact[2, ..., :3] + 0.25 * exact[3, ..., :3], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(made[..., 3:], axis=-1), 1.0, atol=1e-6)
    angles = [2 * np.arctan2(pose[:, rod, 5], pose[:, rod, 3]) for pose in (exact[2], made[1], exact[3])]
    np.testing.assert_allclose(angles[1], 0.25 * angles[0] + 0.75 * angles[2], atol=1e-5)
    np.testing.assert_allclose(made[2:4, :, ball], exact[10:12, :, ball], atol=1e-6)
    np.testing.assert_allclose(made[4:], exact[[20, 20]], atol=1e-6)


def test_blending_goes_the_shorter_way():
    half = np.array([0, 0, 0, np.cos(0.1), 0, 0, np.sin(0.1)])
    other = np.concatenate([np.ones(3), -half[3:] * [1, 1, 1, -1]])
    np.testing.assert_allclose(blend(half, other, 0.5), [0.5, 0.5, 0.5, 1, 0, 0, 0], atol=1e-9)


def test_inertial_units_read_what_holds_things_up(recorded):
    """What falls reads nothing, what lies 9.81 m/s^2 up; on a pendulum the origin of its rod stands still, too."""
    path, _, velocities = recorded
    playback = Playback(open_recording(path))
    falling = {reading.name: reading.values for reading in inertial(playback, "ball/ball")}
    assert np.isnan(falling["lin_acc"][[0, 11]]).all(), "nothing is known of before"
    known = np.delete(falling["lin_acc"], [0, 11], axis=0)
    assert np.abs(known).max() < 2e-3
    np.testing.assert_allclose(falling["ang_vel"][:, :, 2], 3.0, atol=1e-5)
    lying = {reading.name: reading.values for reading in inertial(playback, "a/a")}
    np.testing.assert_allclose(lying["lin_acc"][-1], np.tile([0, 0, 9.81], (3, 1)), atol=0.02)
    np.testing.assert_allclose(lying["projected_gravity"][-1], np.tile([0, 0, -1], (3, 1)), atol=1e-4)
    swinging = {reading.name: reading.values for reading in inertial(playback, "rod")}
    angle = 2 * np.arctan2(swinging["orientation"][:, :, 2], swinging["orientation"][:, :, 0])
    held = 9.81 * np.stack([-np.sin(angle), 0 * angle, np.cos(angle)], axis=-1)
    known = ~np.isnan(swinging["lin_acc"])
    assert np.count_nonzero(~known.all(axis=(1, 2))) == 2
    np.testing.assert_allclose(swinging["lin_acc"][known], held[known], atol=1e-3)
    rate = np.diff(np.array(velocities)[:, :, 2, 4], axis=0) / (DT * EVERY)
    np.testing.assert_allclose(
        np.delete(swinging["ang_acc"][1:, :, 1], 10, axis=0), np.delete(rate, 10, axis=0), atol=1e-2
    )
    # A physical pendulum: I a = -m g l sin(angle), about the hinge.
    expected = -9.81 * 0.5 * np.sin(angle[1:-1]) / (0.09 + 0.25)
    mean = 0.5 * (swinging["ang_acc"][1:-1, :, 1] + swinging["ang_acc"][2:, :, 1])
    keep = ~np.isnan(mean)
    np.testing.assert_allclose(mean[keep], expected[keep], rtol=0.01, atol=0.02)


def test_height_scans_see_what_is_below(recorded):
    path, _, _ = recorded
    playback = Playback(open_recording(path))
    (scan,) = height_scan(playback, "ball")
    assert scan.values.shape == (21, 3, 17, 11) and scan.dims == ("x", "y")
    turn = 3.0 * DT * EVERY * 5  # after five samples
    x, y = (np.array(scan.coords[dim]) for dim in ("x", "y"))
    across = -0.5 + np.cos(turn) * x[:, None] - np.sin(turn) * y
    beside = np.abs(across) > 1e-3
    expected = np.where(across > 0.0, 0.2, 0.0)
    np.testing.assert_allclose(scan.values[5, 1][beside], expected[beside], atol=1e-4)
    with pytest.raises(
        LoadError, match="scan:foot: there is no body 'foot'; there are step/step, swing/base, swing/rod"
    ):
        height_scan(playback, "foot")


@pytest.mark.parametrize("fields", [DEFAULT_FIELDS, ["joint_pos", "joint_vel", "root_pose", "root_vel"]])
def test_contact_forces_as_recorded_or_simulated_again(tmp_path, fields):
    world = px.World(2, dt=DT)
    world.add_ground()
    world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", position=(0.0, 0.0, 0.1), mass=2.0)
    forces = []
    with px.Recorder(world, tmp_path / "run.zarr", fields=fields, every=5):
        for _ in range(6):
            world.step(5)
            forces.append(world.objects["box"].net_contact_force)
    playback = Playback(open_recording(tmp_path / "run.zarr"), [1])
    (reading,) = contact_forces(playback)
    assert reading.sensor == "contact:box" and reading.units == "N"
    np.testing.assert_array_equal(reading.values[1:], np.array(forces)[:, [1]])
    assert reading.values[-1, 0, 0, 2] == pytest.approx(2.0 * 9.81, rel=1e-3)


def test_what_was_not_recorded(tmp_path):
    world = px.World(1)
    world.add_rigid_object(px.Shape("sphere", (0.1,)), "ball")
    with px.Recorder(world, tmp_path / "run.zarr", fields=["root_vel"]):
        world.step()
    with pytest.raises(LoadError, match="where things were needs root_pose of 'ball', which was not recorded"):
        Playback(open_recording(tmp_path / "run.zarr"))


def readings() -> list[Reading]:
    values = np.arange(12, dtype=np.float32).reshape(3, 2, 2)
    return [
        Reading("imu:robot/trunk", "rate", values, ("axis",), "rad/s", "how fast", {"axis": ["x", "y"]}),
        Reading("scan:trunk", "height", values[..., 0], (), "m", "how high"),
    ]


def test_readings_as_zarr(tmp_path):
    path, time, envs = tmp_path / "a.zarr", np.array([0.0, 0.1, 0.2]), np.array([4, 7])
    for _ in range(2):  # the second replaces the first
        write_readings(path, readings(), time, envs, "run.zarr")
    data = xr.open_zarr(path, group="imu/robot|trunk")
    assert data.rate.dims == ("time", "env", "axis") and data.rate.attrs["units"] == "rad/s"
    assert data.rate.sel(axis="y", env=7).values.tolist() == [3.0, 7.0, 11.0]
    assert xr.open_zarr(path, group="scan/trunk").height.sel(time=0.2, env=4) == 8.0
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(LoadError, match=r"must end in \.zarr or \.csv"):
        write_readings(tmp_path / "a.txt", readings(), time, envs, "run.zarr")
    zarr.create_group(store=str(tmp_path / "b.zarr"))
    with pytest.raises(LoadError, match="it exists and holds something else than readings of sensors"):
        write_readings(tmp_path / "b.zarr", readings(), time, envs, "run.zarr")


def test_readings_as_a_table(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    write_readings(path, readings(), np.array([0.0, 0.1, 0.2]), np.array([4, 7]), "run.zarr")
    with open(path, newline="") as file:
        title, *rows = csv.reader(file)
    names = ["imu:robot/trunk.rate.x [rad/s]", "imu:robot/trunk.rate.y [rad/s]", "scan:trunk.height [m]"]
    assert title == ["time [s]", "env", *names]
    assert len(rows) == 6 and rows[3] == ["0.1", "7", "6", "7", "6"]
    before = path.read_bytes()

    def stop(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("phalanx.io.recordings.sensor_files.csv.writer", stop)
    with pytest.raises(KeyboardInterrupt):
        write_readings(path, readings(), np.zeros(3), np.array([4, 7]), "run.zarr")
    assert [(file, file.read_bytes()) for file in tmp_path.iterdir()] == [(path, before)]
