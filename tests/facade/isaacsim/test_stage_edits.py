"""What is created on the stage, deleted, or written there while it plays: it counts from the next step on."""

from __future__ import annotations

import numpy as np
import pytest
from facade.isaacsim.core_scenes import add_robots, boxes, host
from facade.isaacsim.test_soft_prims import block
from facade.test_surface_gripper import crane

from phalanx.facade import simulation, stage
from phalanx.facade.isaacsim.core.api.materials import PhysicsMaterial
from phalanx.facade.isaacsim.core.api.objects import DynamicCuboid, FixedCuboid, VisualCuboid
from phalanx.facade.isaacsim.core.cloner import GridCloner
from phalanx.facade.isaacsim.core.prims import (
    Articulation,
    RigidPrim,
    SingleArticulation,
    SingleDeformablePrim,
    SingleRigidPrim,
)
from phalanx.facade.isaacsim.core.utils.prims import delete_prim
from phalanx.facade.isaacsim.core.utils.stage import add_reference_to_stage
from phalanx.facade.isaacsim.robot.manipulators.grippers import SurfaceGripper
from phalanx.facade.stage_world import StageWorld
from phalanx.io.formats.usd.bindings import Gf, Sdf, Usd, UsdPhysics

G = 9.81


def steps(world, count: int) -> float:
    """Step, and say how long that was, s."""
    for _ in range(count):
        world.step(render=False)
    return count * world.get_physics_dt()


def simulated() -> StageWorld:
    """The world of the stage."""
    world = simulation.get().world
    assert world is not None
    return world


def cube(world, name: str, *place: float, size: float = 0.5, **more) -> DynamicCuboid:
    """A cube of a scene."""
    return world.scene.add(DynamicCuboid(f"/World/{name}", name, position=np.array(place), size=size, **more))


def test_what_stood_on_something_that_is_deleted_falls(world, backend):
    world.scene.add_ground_plane(restitution=0.0)
    cube(world, "low", 0, 0, 0.25)
    high = cube(world, "high", 0, 0, 0.75)
    world.reset()
    steps(world, 30)
    assert host(high.get_world_pose()[0])[2] == pytest.approx(0.75, abs=2e-3)
    world.scene.remove_object("low")
    time = steps(world, 12)
    assert host(high.get_world_pose()[0])[2] == pytest.approx(0.75 - G * time**2 / 2, abs=0.02)
    steps(world, 60)
    assert host(high.get_world_pose()[0])[2] == pytest.approx(0.25, abs=2e-3)


def test_a_body_that_is_added_is_simulated_at_once(world, backend):
    world.scene.add_ground_plane(restitution=0.0)
    low = cube(world, "low", 0, 0, 0.25, mass=1.0)
    world.reset()
    steps(world, 10)
    high = cube(world, "high", 0, 0, 0.8, mass=1.0)
    assert high.get_mass() == pytest.approx(1.0) and host(high.get_world_pose()[0])[2] == pytest.approx(0.8)
    high.set_linear_velocity(np.array([0.0, 0.0, -1.0], "float32"))
    assert host(high.get_linear_velocity())[2] == pytest.approx(-1.0)
    steps(world, 60)
    assert host(high.get_world_pose()[0])[2] == pytest.approx(0.75, abs=3e-3)
    assert host(low.get_world_pose()[0])[2] == pytest.approx(0.25, abs=3e-3)
    world.reset()
    assert host(high.get_world_pose()[0])[2] == pytest.approx(0.8), "it begins where it was made"


def test_others_go_on_as_they_would(world):
    """A cube that spins in flight does not see that another one is added far away, to the bit."""
    thrown = cube(world, "thrown", 0, 0, 100.0, mass=2.0)
    view = RigidPrim("/World/thrown")
    found = []
    for added in (False, True):
        world.reset()
        thrown.set_linear_velocity(np.array([1.0, 2.0, 3.0], "float32"))
        thrown.set_angular_velocity(np.array([3.0, -2.0, 1.0], "float32"))
        view.set_masses(np.array([5.0], "float32"))
        steps(world, 20)
        if added:
            cube(world, "other", 50, 0, 1.0)
        steps(world, 20)
        assert view.get_masses()[0] == pytest.approx(5.0), "what was set of it stays"
        assert world.current_time_step_index >= 40
        found.append(
            np.concatenate([*thrown.get_world_pose(), thrown.get_linear_velocity(), thrown.get_angular_velocity()])
        )
    np.testing.assert_array_equal(*found)


def test_robots_keep_joints_gains_and_targets(world, backend):
    add_robots("arm", 1)
    arm = world.scene.add(SingleArticulation("/World/Robot_0", "arm"))
    world.reset()
    view = Articulation("/World/Robot_0")
    gains = np.full((1, arm.num_dof), 123.0, "float32")
    view.set_gains(kps=gains, kds=gains / 10)
    view.set_joint_position_targets(np.full((1, arm.num_dof), 0.2, "float32"))
    steps(world, 20)
    before = host(arm.get_joint_positions()).copy(), host(arm.get_joint_velocities()).copy()
    cube(world, "far", 0, 20, 1)  # looks its body up
    np.testing.assert_array_equal(host(arm.get_joint_positions()), before[0])
    np.testing.assert_array_equal(host(arm.get_joint_velocities()), before[1])
    np.testing.assert_allclose(host(view.get_gains()[0]), 123.0)
    actions = view.get_applied_actions()
    assert actions is not None
    np.testing.assert_allclose(host(actions.joint_positions), 0.2)
    add_robots("arm", 1, pattern="/World/New_{}")
    new = world.scene.add(SingleArticulation("/World/New_0", "new"))
    assert new.num_dof == arm.num_dof
    np.testing.assert_allclose(host(new.get_joint_positions()), 0.0, atol=0.07)  # within its limits
    steps(world, 1)
    assert not np.array_equal(host(arm.get_joint_positions()), before[0])
    world.scene.remove_object("arm")
    steps(world, 1)
    assert len(simulated().world.robots) == 1


def test_a_fixed_joint_holds_until_it_is_deleted(world, backend):
    body = cube(world, "held", 0, 0, 2.0, size=0.1)
    world.reset()
    joint = UsdPhysics.FixedJoint.Define(stage.get_stage(), "/World/joint")
    joint.CreateBody0Rel().SetTargets(["/World/held"])
    joint.CreateLocalPos1Attr().Set(Gf.Vec3f(0.0, 0.0, 2.0))
    steps(world, 30)
    assert host(body.get_world_pose()[0])[2] == pytest.approx(2.0, abs=1e-3)
    delete_prim("/World/joint")
    time = steps(world, 20)
    assert host(body.get_world_pose()[0])[2] == pytest.approx(2.0 - G * time**2 / 2, abs=0.03)


def test_a_joint_goes_with_its_body(world):
    """PhysX lets joints go whose bodies are deleted; the stage still has them, at the next reset, too."""
    cube(world, "held", 0, 0, 2.0, size=0.1)
    other = cube(world, "other", 5, 0, 2.0, size=0.1)
    joint = UsdPhysics.FixedJoint.Define(stage.get_stage(), "/World/joint")
    joint.CreateBody0Rel().SetTargets(["/World/held"])
    joint.CreateBody1Rel().SetTargets(["/World/other"])
    world.reset()
    steps(world, 5)
    world.scene.remove_object("held")
    steps(world, 5)
    said = simulated().scene.warnings
    assert any("</World/held>, which does not exist; the joint is left out" in each for each in said)
    world.reset()
    time = steps(world, 10)
    assert other.get_world_pose()[0][2] == pytest.approx(2.0 - G * time**2 / 2, abs=0.03)


def test_static_bodies_come_and_go(world):
    body = cube(world, "body", 0, 0, 1.0, size=0.1)
    world.reset()
    world.scene.add(FixedCuboid("/World/table", "table", position=np.array([0, 0, 0.85]), size=0.1))
    steps(world, 60)
    assert body.get_world_pose()[0][2] == pytest.approx(0.95, abs=2e-3)
    world.scene.remove_object("table")
    steps(world, 20)
    assert body.get_world_pose()[0][2] < 0.6


def test_kinematic_bodies_stay_where_they_were_put(world):
    body = cube(world, "body", 0, 0, 1.0, size=0.1)
    UsdPhysics.RigidBodyAPI(body.prim).CreateKinematicEnabledAttr(True)
    world.reset()
    body.set_world_pose(np.array([0.0, 0.0, 3.0]))
    steps(world, 5)
    cube(world, "other", 5, 0, 1.0)
    steps(world, 5)
    np.testing.assert_allclose(body.get_world_pose()[0], [0, 0, 3], atol=1e-6)


def test_soft_bodies_keep_their_shape(world, backend):
    block("/World/soft", 0.3)
    soft = SingleDeformablePrim("/World/soft", simulation_hexahedral_resolution=2)
    world.scene.add_ground_plane()
    world.reset()
    steps(world, 30)
    before = host(soft._prim_view.get_simulation_mesh_nodal_positions()).copy()
    cube(world, "other", 5, 0, 1.0)
    np.testing.assert_array_equal(host(soft._prim_view.get_simulation_mesh_nodal_positions()), before)
    steps(world, 5)
    assert np.abs(host(soft._prim_view.get_simulation_mesh_nodal_positions()) - before).max() < 0.1


def test_soft_bodies_that_are_added_fall(world):
    world.scene.add_ground_plane()
    cube(world, "other", 5, 0, 1.0)
    world.reset()
    steps(world, 2)
    block("/World/soft", 1.0)
    soft = SingleDeformablePrim("/World/soft", simulation_hexahedral_resolution=2, vertex_velocity_damping=0.0)
    time = steps(world, 10)
    nodes = soft._prim_view.get_simulation_mesh_nodal_positions()
    assert nodes[0, :, 2].mean() == pytest.approx(1.0 - G * time**2 / 2, abs=0.03)


def test_suction_cups_hold_on(world, tmp_path):
    crane(tmp_path / "crane.usd")
    add_reference_to_stage(str(tmp_path / "crane.usd"), "/World/Crane")
    cup = SurfaceGripper("/World/Crane/head", "/World/Crane/gripper")
    robot = world.scene.add(SingleArticulation("/World/Crane", "crane"))
    box = cube(world, "box", 0, 0, 0.05, size=0.1, mass=0.5)
    stage.get_stage().GetPrimAtPath("/World/Crane/gripper").CreateAttribute(
        "isaac:maxGripDistance", Sdf.ValueTypeNames.Float
    ).Set(0.005)
    world.scene.add_ground_plane()
    world.reset()
    Articulation("/World/Crane").set_gains(kps=np.array([[1e4]]), kds=np.array([[400.0]]))
    cup.close()
    steps(world, 5)
    assert cup.is_closed()
    cube(world, "other", 5, 0, 1.0)
    Articulation("/World/Crane").set_joint_position_targets(np.array([[0.2]]))
    steps(world, 90)
    assert cup.is_closed() and box.get_world_pose()[0][2] == pytest.approx(0.25, abs=0.02)
    assert robot.get_joint_positions()[0] == pytest.approx(0.2, abs=0.02)
    world.scene.remove_object("box")
    steps(world, 3)
    assert not cup.is_closed()


def test_places_velocities_and_masses_that_are_written_on_the_stage(world, backend):
    body = cube(world, "body", 0, 0, 10.0, mass=2.0)
    world.reset()
    inertia = host(RigidPrim("/World/body").get_inertias()).copy()
    steps(world, 3)
    body.prim.GetAttribute("xformOp:translate").Set(Gf.Vec3d(1.0, 2.0, 50.0))
    UsdPhysics.RigidBodyAPI(body.prim).CreateVelocityAttr().Set(Gf.Vec3f(3.0, 0.0, 0.0))
    UsdPhysics.RigidBodyAPI(body.prim).CreateAngularVelocityAttr().Set(Gf.Vec3f(0.0, 0.0, 90.0))
    UsdPhysics.MassAPI(body.prim).GetMassAttr().Set(6.0)
    time = steps(world, 1)
    place = host(body.get_world_pose()[0])
    np.testing.assert_allclose(place[:2], [1 + 3 * time, 2], atol=1e-4)
    assert place[2] == pytest.approx(50.0, abs=0.05)
    np.testing.assert_allclose(host(body.get_linear_velocity())[:2], [3, 0], atol=1e-5)
    assert host(body.get_angular_velocity())[2] == pytest.approx(np.pi / 2, rel=2e-3)
    assert body.get_mass() == pytest.approx(6.0)
    np.testing.assert_allclose(host(RigidPrim("/World/body").get_inertias()), 3.0 * inertia, rtol=1e-5)


def test_a_kinematic_body_goes_where_the_stage_has_it(world):
    """It pushes what is in its way."""
    world.scene.add_ground_plane(static_friction=0.0, dynamic_friction=0.0, restitution=0.0)
    hand = cube(world, "hand", 0, 0, 0.3)
    UsdPhysics.RigidBodyAPI(hand.prim).CreateKinematicEnabledAttr(True)
    body = cube(world, "body", 0.6, 0, 0.25, mass=0.5)
    world.reset()
    for k in range(30):
        hand.prim.GetAttribute("xformOp:translate").Set(Gf.Vec3d(0.02 * k, 0.0, 0.3))
        steps(world, 1)
    np.testing.assert_allclose(hand.get_world_pose()[0], [0.58, 0, 0.3], atol=1e-5)
    assert body.get_world_pose()[0][0] > 1.07


def test_drives_that_are_written_on_the_stage(world, backend):
    """Degrees there, radians in views."""
    add_robots("arm", 1)
    arm = world.scene.add(SingleArticulation("/World/Robot_0", "arm"))
    world.reset()
    view = Articulation("/World/Robot_0")
    prims = Usd.PrimRange(stage.get_stage().GetPrimAtPath("/World/Robot_0"))
    joint = next(prim for prim in prims if prim.IsA(UsdPhysics.Joint) and prim.GetName() == arm.dof_names[1])
    drive = UsdPhysics.DriveAPI(joint, "angular")
    before = host(view.get_gains()[0]).copy()
    drive.GetTargetPositionAttr().Set(20.0)
    drive.GetStiffnessAttr().Set(100.0)
    drive.GetDampingAttr().Set(10.0)
    steps(world, 1)
    stiffness, damping = (host(each)[0] for each in view.get_gains())
    assert stiffness[1] == pytest.approx(np.degrees(100.0), rel=1e-5)
    assert damping[1] == pytest.approx(np.degrees(10.0), rel=1e-5)
    np.testing.assert_array_equal(np.delete(stiffness, 1), np.delete(before[0], 1))
    actions = view.get_applied_actions()
    assert actions is not None
    assert host(actions.joint_positions)[0, 1] == pytest.approx(np.radians(20.0), rel=1e-5)
    steps(world, 120)
    assert host(arm.get_joint_positions())[1] == pytest.approx(np.radians(20.0), abs=0.02)


def test_materials_that_are_written_on_the_stage(world):
    """A cube that slides is stopped by friction from then on, at mu g / 2, as the ground has none."""
    world.scene.add_ground_plane(static_friction=0.0, dynamic_friction=0.0, restitution=0.0)
    ice = PhysicsMaterial("/World/ice", static_friction=0.0, dynamic_friction=0.0, restitution=0.0)
    body = cube(world, "body", 0, 0, 0.25, physics_material=ice)
    world.reset()
    body.set_linear_velocity(np.array([1.0, 0.0, 0.0], "float32"))
    steps(world, 30)
    assert body.get_linear_velocity()[0] == pytest.approx(1.0, abs=1e-4)
    ice.set_static_friction(1.0)
    ice.set_dynamic_friction(1.0)
    time = steps(world, 6)
    assert body.get_linear_velocity()[0] == pytest.approx(1.0 - G / 2 * time, abs=2e-3)


def test_collisions_and_kinematics_are_switched(world):
    world.scene.add_ground_plane()
    body = cube(world, "body", 0, 0, 0.25)
    api = UsdPhysics.RigidBodyAPI(body.prim)
    world.reset()
    steps(world, 5)
    UsdPhysics.CollisionAPI(body.prim).GetCollisionEnabledAttr().Set(False)
    time = steps(world, 10)
    fallen = body.get_world_pose()[0][2]
    assert fallen == pytest.approx(0.25 - G * time**2 / 2, abs=0.03)
    api.CreateKinematicEnabledAttr(True)
    steps(world, 10)
    assert body.get_world_pose()[0][2] == pytest.approx(fallen, abs=1e-5)
    api.GetKinematicEnabledAttr().Set(False)
    UsdPhysics.Scene(world.get_physics_context().get_current_physics_scene_prim()).GetGravityMagnitudeAttr().Set(1.0)
    time = steps(world, 30)
    assert body.get_world_pose()[0][2] == pytest.approx(fallen - time**2 / 2, abs=0.03)


def test_what_is_only_seen_changes_nothing(world):
    body = cube(world, "body", 0, 0, 1.0)
    world.reset()
    made = simulated()
    world.scene.add(VisualCuboid("/World/seen", "seen", position=np.array([0, 0, 2.0]), size=0.1))
    UsdPhysics.MassAPI.Apply(body.prim)
    steps(world, 2)
    assert simulated() is made


def test_tensor_views_of_before_have_ended(world):
    boxes(1)
    world.reset()
    view = world.physics_sim_view
    assert view.is_valid and view.check()
    boxes(1, "/World/New_{}", spread=0.0)
    steps(world, 1)
    assert not view.is_valid and not view.check() and world.physics_sim_view.is_valid


def test_environments_wait_for_a_reset(world, caplog):
    boxes(1, "/World/envs/env_{}", spread=0.0)
    GridCloner(3.0).clone("/World/envs/env_0", [f"/World/envs/env_{i}" for i in range(3)])
    world.reset()
    made = simulated()
    assert made.world.num_envs == 3
    boxes(1, "/World/New_{}", spread=0.0)
    SingleRigidPrim("/World/New_0")
    boxes(1, "/World/Newer_{}", spread=0.0)
    steps(world, 2)
    assert simulated() is made
    assert sum("the stage has environments" in record.message for record in caplog.records) == 1
