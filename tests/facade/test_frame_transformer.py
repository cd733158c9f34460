"""Frame transformers against kinematics by NumPy: robots, other assets, offsets, expressions, duplicates, wrong use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from facade.sensor_scenes import box, environments
from oracles import host

from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.assets import Articulation, ArticulationCfg
from phalanx.facade.isaaclab.sensors import FrameTransformer, FrameTransformerCfg, OffsetCfg
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.io.formats import library
from phalanx.io.formats.usd import write_robot
from phalanx.maths.arrays import matrix, unit
from phalanx.models.robot_model import RobotModel

DT = 1 / 200
ENV = "/World/envs/env_.*"
FrameCfg = FrameTransformerCfg.FrameCfg
AT, TURN = (0.1, -0.2, 0.3), (0.5, 0.5, -0.5, 0.5)
SHAPES = json.loads((Path(__file__).parent / "documented_shapes.json").read_text())["FrameTransformerData"]


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return library.load_robot("quadruped", visuals=False, warn=False)


@pytest.fixture(scope="module")
def file(model: RobotModel, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("usd") / "quadruped.usd"
    write_robot(model, path)
    return str(path)


@pytest.fixture
def sim(device: str, api: str) -> Iterator[SimulationContext]:
    stage.new_stage()
    yield SimulationContext(SimulationCfg(device=device, dt=DT))
    SimulationContext.clear_instance()
    physics_events.clear()


def robot(file: str) -> Articulation:
    start = ArticulationCfg.InitialStateCfg(pos=(0.0, 0.0, 5.0), joint_pos={".*thigh.*": 0.7, ".*calf.*": -1.4})
    spawn = sim_utils.UsdFileCfg(usd_path=file)
    return Articulation(ArticulationCfg(prim_path=f"{ENV}/Robot", spawn=spawn, init_state=start, actuators={}))


def sensor(source: str, *targets: FrameCfg, **more: Any) -> FrameTransformer:
    return FrameTransformer(FrameTransformerCfg(prim_path=f"{ENV}/{source}", target_frames=list(targets), **more))


def placed(position: Any, quaternion: Any) -> np.ndarray:
    """(4, 4): a frame."""
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = matrix(unit(np.asarray(quaternion, float))), position
    return frame


def kinematics(model: RobotModel, root: np.ndarray, joints: dict[str, float]) -> dict[str, np.ndarray]:
    """Frames of all bodies in the world."""
    found = {model.bodies[0].name: root}
    for joint in model.joints:
        assert joint.child not in found
        x, y, z = joint.axis
        half = joints.get(joint.name, 0.0) / 2
        turn = placed(np.zeros(3), [np.cos(half), x * np.sin(half), y * np.sin(half), z * np.sin(half)])
        own = placed(joint.child_position, joint.child_orientation)
        found[joint.child] = found[joint.parent] @ placed(joint.position, joint.orientation) @ turn @ np.linalg.inv(own)
    return found


def check(frames: FrameTransformer, source: list[np.ndarray], targets: list[list[np.ndarray]]) -> None:
    """What is measured are these frames, of each environment."""
    data = frames.data
    for i, (base, own) in enumerate(zip(source, targets, strict=True)):
        np.testing.assert_allclose(host(data.source_pos_w)[i], base[:3, 3], atol=1e-5)
        np.testing.assert_allclose(matrix(host(data.source_quat_w)[i]), base[:3, :3], atol=1e-5)
        assert len(own) == len(data.target_frame_names)
        for j, frame in enumerate(own):
            seen = np.linalg.inv(base) @ frame
            np.testing.assert_allclose(host(data.target_pos_w)[i, j], frame[:3, 3], atol=1e-5)
            np.testing.assert_allclose(matrix(host(data.target_quat_w)[i, j]), frame[:3, :3], atol=1e-5)
            np.testing.assert_allclose(host(data.target_pos_source)[i, j], seen[:3, 3], atol=1e-5)
            np.testing.assert_allclose(matrix(host(data.target_quat_source)[i, j]), seen[:3, :3], atol=1e-5)


@pytest.mark.parametrize("count", [1, 7])
def test_frames_of_a_robot_and_of_another_asset(
    sim: SimulationContext, file: str, model: RobotModel, count: int
) -> None:
    environments(count)
    dog, cube = robot(file), box("cube", (2.0, 0.0, 9.0))
    offset = OffsetCfg(pos=AT, rot=TURN)
    feet = sensor(
        "Robot/base",
        FrameCfg(prim_path=f"{ENV}/Robot/.*_foot"),
        FrameCfg(prim_path=f"{ENV}/cube", name="thing", offset=offset),
        FrameCfg(prim_path=f"{ENV}/Robot/FL_foot", name="toe", offset=offset),
        source_frame_offset=offset,
    )
    every = sensor("Robot/base", FrameCfg(prim_path=f"{ENV}/Robot/.*"))
    sim.reset()
    rng = np.random.default_rng(count)
    root = np.concatenate([rng.uniform(-2, 2, (count, 3)) + [0, 0, 5], rng.normal(size=(count, 4))], axis=1)
    root[:, 3:] = unit(root[:, 3:])
    angles = rng.uniform(-1.0, 1.0, (count, dog.num_joints))
    dog.write_root_pose_to_sim(root)
    dog.write_joint_state_to_sim(angles, np.zeros_like(angles))
    for steps in (0, 3):
        for _ in range(steps):
            sim.step()
            for one in (dog, cube, feet, every):
                one.update(DT)
        pose, at = host(dog.data.root_link_pose_w).astype(float), host(dog.data.joint_pos).astype(float)
        bodies = [
            kinematics(model, placed(pose[i, :3], pose[i, 3:]), dict(zip(dog.joint_names, at[i], strict=True)))
            for i in range(count)
        ]
        shift, things = placed(AT, TURN), host(cube.data.root_link_pose_w).astype(float)
        names = [name for name in (body.name for body in model.bodies) if name.endswith("_foot")]
        assert feet.data.target_frame_names == [*names, "thing", "toe"]
        check(
            feet,
            [own["base"] @ shift for own in bodies],
            [
                [*(own[n] for n in names), placed(thing[:3], thing[3:]) @ shift, own["FL_foot"] @ shift]
                for own, thing in zip(bodies, things, strict=True)
            ],
        )
        check(every, [own["base"] for own in bodies], [[own[body.name] for body in model.bodies] for own in bodies])
    sizes = {"N": count, "M": 6}
    for name, shape in SHAPES.items():
        assert list(getattr(feet.data, name).shape) == [sizes.get(axis, axis) for axis in shape], name
    assert feet.body_names == [*names, "cube"] and feet.num_bodies == 5 and feet.num_instances == count
    assert feet.find_bodies("t.*") == ([4, 5], ["thing", "toe"])
    assert every.data.target_frame_names[0] == "base"
    np.testing.assert_allclose(host(every.data.target_pos_source)[:, 0], 0.0, atol=1e-6)
    np.testing.assert_allclose(host(every.data.target_quat_source)[:, 0], [[1.0, 0, 0, 0]] * count, atol=1e-6)


def test_some_environments_and_bodies_that_all_share(sim: SimulationContext, file: str) -> None:
    """Environments that are reset are measured anew, the others stay bit by bit.

    The stage is one environment, since a table outside of them can move, which all of them have as a target.
    """
    environments(3)
    cube = box("cube", (1.0, 0.0, 9.0))
    spawner = sim_utils.CuboidCfg(size=(0.5, 0.5, 0.1), rigid_props=sim_utils.RigidBodyPropertiesCfg())
    spawner.func("/World/table", spawner, translation=(0.0, 3.0, 2.0))
    seen = sensor("cube", FrameCfg(prim_path="/World/table"), FrameCfg(prim_path=f"{ENV}/cube"), update_period=1.0)
    sim.reset()
    assert not sim.stage_world.env_paths
    start = np.array([[5.0 * i + 1.0, -1.0, 9.0] for i in range(3)])
    np.testing.assert_allclose(host(seen.data.source_pos_w), start, atol=1e-6)
    np.testing.assert_allclose(host(seen.data.target_pos_source)[:, 0], [0.0, 3.0, 2.0] - start, atol=1e-6)
    cube.write_root_velocity_to_sim(np.array([[1.0, 0, 0, 0, 0, 0]] * 3))
    for _ in range(4):
        sim.step()
        seen.update(DT)
    np.testing.assert_allclose(host(seen.data.source_pos_w), start, atol=1e-6)
    before = {name: host(getattr(seen.data, name)).copy() for name in SHAPES}
    seen.reset([2])
    after = {name: host(getattr(seen.data, name)) for name in SHAPES}
    for name in SHAPES:
        np.testing.assert_array_equal(after[name][:2], before[name][:2])
    np.testing.assert_allclose(after["source_pos_w"][2, 0], start[2, 0] + 4 * DT, atol=1e-5)


def test_wrong_use(sim: SimulationContext, file: str) -> None:
    environments(2)
    cube = box("cube", (1.0, 0.0, 9.0))
    sim_utils.create_prim("/World/envs/env_0/mark", "Xform")

    def fails(kind: type[Exception], match: str, source: str, target: str, **more: Any) -> None:
        one = sensor(source, FrameCfg(prim_path=target), **more)
        with pytest.raises(kind, match=match):
            sim.reset()
        assert not one.is_initialized and sim.is_stopped()

    fails(RuntimeError, "there is no such prim", "nothing", f"{ENV}/cube")
    fails(ValueError, "and there is no such prim", "cube", f"{ENV}/nothing")
    fails(ValueError, "must stand for as many prims in each environment", "cube", f"{ENV}/mark")
    sim_utils.create_prim("/World/envs/env_1/mark", "Xform")
    fails(ValueError, "/World/envs/env_0/mark> is no rigid body", "mark", f"{ENV}/cube")
    fails(ValueError, "/World/envs/env_0/mark> is no rigid body", "cube", f"{ENV}/mark")
    fails(ValueError, "is no rigid body", "cube", f"{ENV}/cube/.*")
    fails(ValueError, "one prim in each environment; it stands for 2", "(mark|cube)", f"{ENV}/cube")
    zero = OffsetCfg(rot=(0.0, 0.0, 0.0, 0.0))
    fails(ValueError, "no quaternion", "cube", f"{ENV}/cube", source_frame_offset=zero)
    with pytest.raises(TypeError, match="target_frames"):
        FrameTransformer(FrameTransformerCfg(prim_path=f"{ENV}/cube"))
    sim.reset()
    assert cube.is_initialized


def test_offsets_may_be_rows_of_one() -> None:
    """Isaac Lab's tutorial gives a position of shape (1, 3)."""
    from phalanx.facade.isaaclab.sensors.frame_transformer.frame_transformer import _pose

    found = _pose("here", OffsetCfg(pos=([1.0, 2.0, 3.0],), rot=(2.0, 0.0, 0.0, 0.0)))  # type: ignore[arg-type]
    assert found == [1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0]
    with pytest.raises(ValueError, match="they must be 3 and 4 numbers"):
        _pose("here", OffsetCfg(pos=(1.0, 2.0)))  # type: ignore[arg-type]
