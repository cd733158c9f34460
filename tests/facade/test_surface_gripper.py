"""Surface grippers: what they find, hold and lose, by forces that are known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import host
from oracles.base import rotation

from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.actuators import ImplicitActuatorCfg
from phalanx.facade.isaaclab.assets import ArticulationCfg, RigidObjectCfg, SurfaceGripper, SurfaceGripperCfg
from phalanx.facade.isaaclab.scene import InteractiveScene, InteractiveSceneCfg
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.facade.isaaclab.utils import configclass
from phalanx.io.formats.usd import write_robot
from phalanx.io.formats.usd.bindings import Gf, Sdf, Usd, UsdPhysics
from phalanx.models.robot_model import Body, Joint, RobotModel, Shape

G, DT, MASS = 9.81, 0.005, 0.5
COUNT = 4
TOP = 0.1
"""m: height of a box."""


def crane(path: Path) -> None:
    """A head that moves up and down, with a gripper that looks down from its lower face, 1 mm above the box."""
    inertia = 0.01 * np.eye(3)
    bodies = [
        Body("base", 1.0, (0, 0, 0), inertia),
        Body("head", 1.0, (0, 0, 0), inertia, collisions=[Shape("box", (0.05, 0.05, 0.02))]),
    ]
    lift = Joint("lift", "prismatic", "base", "head", (0, 0, TOP + 0.021), axis=(0.0, 0.0, 1.0), lower=-1.0, upper=2.0)
    write_robot(RobotModel("crane", bodies, [lift]), path, fixed_base=True)
    made = Usd.Stage.Open(str(path))
    root = made.GetDefaultPrim().GetPath()
    head = next(prim for prim in made.Traverse() if prim.GetName() == "head")
    joint = UsdPhysics.Joint.Define(made, head.GetPath().AppendChild("cup"))
    joint.CreateBody0Rel().SetTargets([head.GetPath()])
    joint.CreateLocalPos0Attr().Set(Gf.Vec3f(0.0, 0.0, -0.02))
    joint.CreateLocalRot0Attr().Set(Gf.Quatf(0.0, 1.0, 0.0, 0.0))  # its z looks down
    prim = joint.GetPrim()
    prim.AddAppliedSchema("IsaacAttachmentPointAPI")
    prim.CreateAttribute("isaac:forwardAxis", Sdf.ValueTypeNames.Token).Set("Z")
    prim.CreateAttribute("isaac:clearanceOffset", Sdf.ValueTypeNames.Float).Set(0.0005)
    gripper = made.DefinePrim(root.AppendChild("gripper"), "IsaacSurfaceGripper")
    gripper.CreateRelationship("isaac:attachmentPoints").SetTargets([prim.GetPath()])
    gripper.CreateAttribute("isaac:retryInterval", Sdf.ValueTypeNames.Float).Set(0.05)
    made.Save()


@pytest.fixture
def scene(tmp_path: Path, device: str, api: str) -> Iterator[InteractiveScene]:
    """Cranes above boxes that stand on a ground."""
    path = tmp_path / "crane.usd"
    crane(path)
    stage.new_stage()
    sim = SimulationContext(SimulationCfg(device=device, dt=DT))
    box = sim_utils.CuboidCfg(
        size=(TOP, TOP, TOP),
        rigid_props=sim_utils.RigidBodyPropertiesCfg(),
        mass_props=sim_utils.MassPropertiesCfg(mass=MASS),
        collision_props=sim_utils.CollisionPropertiesCfg(),
    )

    @configclass
    class SceneCfg(InteractiveSceneCfg):
        ground: Any = sim_ground()
        robot: ArticulationCfg = ArticulationCfg(
            prim_path="{ENV_REGEX_NS}/crane",
            spawn=sim_utils.UsdFileCfg(usd_path=str(path)),
            actuators={"lift": ImplicitActuatorCfg(joint_names_expr=["lift"], stiffness=1e4, damping=400.0)},
        )
        box_: RigidObjectCfg = RigidObjectCfg(
            prim_path="{ENV_REGEX_NS}/box",
            spawn=box,
            init_state=RigidObjectCfg.InitialStateCfg(pos=(0.0, 0.0, 0.5 * TOP)),
        )
        cup: SurfaceGripperCfg = SurfaceGripperCfg(prim_path="{ENV_REGEX_NS}/crane/gripper", max_grip_distance=0.005)

    made = InteractiveScene(SceneCfg(num_envs=COUNT, env_spacing=2.0))  # pyright: ignore[reportCallIssue]
    sim.reset()
    yield made
    SimulationContext.clear_instance()
    physics_events.clear()


def sim_ground() -> Any:
    from phalanx.facade.isaaclab.assets import AssetBaseCfg

    return AssetBaseCfg(prim_path="/World/ground", spawn=sim_utils.GroundPlaneCfg())


def run(scene: InteractiveScene, steps: int) -> None:
    for _ in range(steps):
        scene.write_data_to_sim()
        scene.sim.step(render=False)
        scene.update(DT)


def heights(scene: InteractiveScene) -> np.ndarray:
    return host(scene["box_"].data.root_pos_w)[:, 2] - 0.5 * TOP


def test_boxes_are_lifted_and_let_go(scene: InteractiveScene) -> None:
    cup, crane_, box = scene["cup"], scene["robot"], scene["box_"]
    assert isinstance(cup, SurfaceGripper) and scene.surface_grippers == {"cup": cup} and cup.num_instances == COUNT
    assert host(cup.state).tolist() == [-1.0] * COUNT and host(cup.command).tolist() == [0.0] * COUNT
    away = host(box.data.root_pose_w)[[3]]
    away[:, 0] += 0.5
    box.write_root_pose_to_sim(away.astype("float32"), env_ids=[3])
    cup.set_grippers_command([1.0, 1.0, 0.2, 1.0])
    run(scene, 2)
    assert host(cup.state).tolist() == [1.0, 1.0, -1.0, 0.0], "0.2 is nothing, and one box is elsewhere"
    assert cup.gripper_view.get_surface_gripper_status() == ["Closed", "Closed", "Open", "Closing"]
    assert cup.gripper_view.get_gripped_objects([1, 2]) == [["/World/envs/env_1/box"], []]
    run(scene, 12)
    assert host(cup.state).tolist() == [1.0, 1.0, -1.0, -1.0], "it has tried for 0.05 s"

    before = host(box.data.root_pose_w) - host(scene.env_origins) @ np.eye(3, 7)
    crane_.set_joint_position_target(np.full((COUNT, 1), 0.3, "float32"))
    run(scene, 300)
    lifted = host(crane_.data.joint_pos)[:, 0]
    np.testing.assert_allclose(lifted, 0.3 - 1.5 * G / 1e4 * np.array([1, 1, 2 / 3, 2 / 3]), atol=2e-4)
    np.testing.assert_allclose(heights(scene)[:2], before[:2, 2] - 0.5 * TOP + lifted[:2], atol=5e-4)
    after = host(box.data.root_quat_w)
    np.testing.assert_allclose([rotation(q) for q in after[:2]], [rotation(q[3:]) for q in before[:2]], atol=1e-3)
    np.testing.assert_allclose(heights(scene)[2:], 0.0, atol=1e-3)

    cup.set_grippers_command([-1.0], indices=[0])
    run(scene, 60)
    assert host(cup.state)[:2].tolist() == [-1.0, 1.0]
    falls = 0.3 - 0.5 * G * (60 * DT) ** 2
    assert falls < 0.0 and heights(scene)[0] == pytest.approx(0.0, abs=2e-3) and heights(scene)[1] > 0.29


def test_pulls_beyond_limits_end_it(scene: InteractiveScene) -> None:
    """Boxes of 0.5 kg hang by 4.9 N. A push of 3 N down, or across, is too much for some."""
    cup, crane_, box = scene["cup"], scene["robot"], scene["box_"]
    cup.update_gripper_properties(coaxial_force_limit=[0.0, 7.0, 0.0, 3.0], shear_force_limit=[0.0, 0.0, 2.0, 0.0])
    found = cup.gripper_view.get_surface_gripper_properties()
    assert (
        found[1] == [0.0, 7.0, 0.0, 3.0] and found[2] == [0.0, 0.0, 2.0, 0.0] and found[0] == pytest.approx([0.005] * 4)
    )
    assert [one[:2] for one in cup.gripper_view.get_surface_gripper_properties([3, 1])[1:3]] == [[3.0, 7.0], [0.0, 0.0]]
    cup.set_grippers_command(np.ones(COUNT, "float32"))
    run(scene, 1)
    assert host(cup.state).tolist() == [1.0] * COUNT
    for height in 0.1 - 0.1 * np.cos(np.linspace(0.0, np.pi, 200)):  # gently: inertia pulls by 0.5 N at most
        crane_.set_joint_position_target(np.full((COUNT, 1), height, "float32"))
        run(scene, 1)
    run(scene, 100)
    assert host(cup.state).tolist() == [1.0, 1.0, 1.0, -1.0], "more than 3 N is too much for the last one"
    force = np.zeros((COUNT, 1, 3), "float32")
    force[:, 0, 2] = -3.0
    box.set_external_force_and_torque(force, np.zeros_like(force), is_global=True)
    run(scene, 20)
    assert host(cup.state).tolist() == [1.0, -1.0, 1.0, -1.0], "7.9 N are more than 7"
    force[:, 0] = [3.0, 0.0, 0.0]
    box.set_external_force_and_torque(force, np.zeros_like(force), is_global=True)
    run(scene, 20)
    assert host(cup.state).tolist() == [1.0, -1.0, -1.0, -1.0], "3 N across are more than 2"
    assert heights(scene)[0] > 0.19


def test_resets_open_it(scene: InteractiveScene) -> None:
    cup, crane_ = scene["cup"], scene["robot"]
    cup.set_grippers_command([1.0])
    run(scene, 1)
    assert host(cup.state).tolist() == [1.0] * COUNT
    cup.reset([1, 2])
    assert host(cup.state).tolist() == [1.0, -1.0, -1.0, 1.0] and host(cup.command).tolist() == [1.0, 0.0, 0.0, 1.0]
    scene.sim.reset(soft=True)
    cup.update(0.0)
    assert host(cup.state).tolist() == [-1.0] * COUNT
    crane_.set_joint_position_target(np.full((COUNT, 1), 0.2, "float32"))
    run(scene, 100)
    np.testing.assert_allclose(heights(scene), 0.0, atol=1e-3)


def test_wrong_use_changes_nothing(scene: InteractiveScene, api: str) -> None:
    cup = scene["cup"]
    with pytest.raises(ValueError, match=r"states has shape \(3, 1\)"):
        cup.set_grippers_command([1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="must not be negative"):
        cup.update_gripper_properties(max_grip_distance=0.5, shear_force_limit=-1.0)
    with pytest.raises(ValueError, match=r"retry_interval has shape \(2,\); it must be \(4,\)"):
        cup.update_gripper_properties(max_grip_distance=0.5, retry_interval=[1.0, 2.0])
    assert cup.gripper_view.get_surface_gripper_properties()[0] == pytest.approx([0.005] * 4)
    for outside in (-1, 4):
        with pytest.raises(IndexError, match=f"there is no row {outside} of 4"):
            cup.reset([0, outside])
        with pytest.raises(IndexError, match=f"there is no row {outside} of 4"):
            cup.update_gripper_properties(max_grip_distance=0.5, indices=[outside])
    with pytest.raises(NotImplementedError, match="no data but its state"):
        _ = cup.data
    run(scene, 1)
    assert host(cup.state).tolist() == [-1.0] * COUNT
    other = SurfaceGripper(SurfaceGripperCfg(prim_path="/World/envs/env_.*/box"))
    with pytest.raises(RuntimeError, match="/World/envs/env_0/box> is no surface gripper"):
        scene.sim.reset()
    del other
