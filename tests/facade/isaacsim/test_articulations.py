"""Views of articulations, and single ones: joints, drives, links, dynamics, default states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from facade.isaacsim.core_scenes import add_robots, host, kind, like

from phalanx.facade.isaacsim.core.api.articulations import ArticulationGripper, ArticulationSubset
from phalanx.facade.isaacsim.core.api.robots import Robot, RobotView
from phalanx.facade.isaacsim.core.prims import Articulation, SingleArticulation
from phalanx.facade.isaacsim.core.utils.stage import get_stage_units
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction, ArticulationActions
from phalanx.io.formats.usd.bindings import UsdPhysics

DT = 1 / 60
ARM = 9  # dofs of the arm: seven that turn, two fingers that slide


@pytest.fixture
def arms(world):
    """Two arms that stand fixed, and a view of them."""
    add_robots("arm", 2)
    view = Articulation("/World/Robot_.*", "arms")
    world.reset()
    return view


def test_what_they_are(world, backend):
    add_robots("arm", 2)
    view: Any = Articulation("/World/Robot_.*")
    assert not view.initialized and view.num_dof is None and view.dof_names is None and view.get_gains() is None
    assert view._num_dof is view._num_bodies is view._num_shapes is view._dof_paths is None
    assert not view._is_initialized and view.get_armatures() is None
    world.reset()
    assert (view.num_dof, view.num_bodies, view.num_joints, view.count) == (ARM, 10, 9, 2)
    names: Any = view.dof_names
    assert names[:2] == ["joint1", "joint2"] and view.body_names[0] == "base"
    assert (view.get_dof_index("joint3"), view.get_body_index("link2"), view.get_joint_index("joint1")) == (2, 2, 0)
    assert view.get_link_index("link1") == 1 and view.get_articulation_body_count() == 10
    with pytest.raises(KeyError):
        view.get_dof_index("nothing")
    assert (view._num_dof, view._num_bodies, view._num_joints, view._is_initialized) == (ARM, 10, 9, True)
    assert (view._num_shapes, view._num_fixed_tendons) == (view.num_shapes, view.num_fixed_tendons)
    assert view._dof_names == names and view._body_names == view.body_names and view._joint_names == view.joint_names
    assert (view._dof_indices["joint3"], view._body_indices["link2"], view._joint_indices["joint1"]) == (2, 2, 0)
    assert view._link_indices == view._body_indices and view._dof_types == view.get_dof_types()
    assert len(view._joint_types) == 9 and view._dof_paths[1][2].startswith("/World/Robot_1/")
    assert world.stage.GetPrimAtPath(view._dof_paths[1][2]).GetName() == "joint3"
    limits = view.get_dof_limits()
    assert kind(limits) == backend and limits.shape == (2, ARM, 2)
    np.testing.assert_allclose(host(limits)[0, 7], [0.0, 0.04], atol=1e-6)
    assert [int(each) for each in view.get_dof_types()] == [0] * 7 + [1] * 2
    assert view.get_dof_types(["left_finger_joint"])[0].name == "Translation"
    assert host(view.get_drive_types())[0, :7].tolist() == [1] * 7


def test_positions_and_velocities(world, backend, request):
    arms = request.getfixturevalue("arms")
    some = like(backend, [1], "int64")
    arms.set_joint_positions(like(backend, [[0.1, 0.2]]), indices=some, joint_indices=like(backend, [2, 0], "int64"))
    found = arms.get_joint_positions()
    assert kind(found) == backend and found.shape == (2, ARM)
    np.testing.assert_allclose(host(found)[:, :3], [[0, 0, 0], [0.2, 0, 0.1]])
    np.testing.assert_allclose(host(arms.get_applied_actions().joint_positions)[1, :3], [0.2, 0, 0.1])
    np.testing.assert_allclose(host(arms.get_joint_positions(joint_names=["joint3"])), [[0], [0.1]])
    arms.set_joint_velocities(like(backend, [[0.5] * ARM]), indices=[0])
    np.testing.assert_allclose(host(arms.get_joint_velocities(indices=[0])), [[0.5] * ARM])
    np.testing.assert_allclose(host(arms.get_joints_state().positions), host(arms.get_joint_positions()))
    arms.set_velocities(like(backend, np.ones((2, 6))))
    assert not host(arms.get_velocities()).any()  # bases that are fixed stand still
    with pytest.raises(ValueError, match="can not be given both"):
        arms.get_joint_positions(joint_indices=[0], joint_names=["joint1"])
    with pytest.raises(KeyError, match="no joint 'elbow'"):
        arms.get_joint_positions(joint_names=["elbow"])
    with pytest.raises(ValueError, match=r"set_joint_positions has shape \(2, 3\); it must be \(2, 9\)"):
        arms.set_joint_positions(like(backend, np.zeros((2, 3))))


def test_targets_are_reached(world, backend, request):
    arms = request.getfixturevalue("arms")
    goal = np.array([[0.4, 0.0, 0.3, -0.5, 0.0, 0.2, 0.1, 0.02, 0.02]])
    world.get_physics_context().set_gravity(0.0)
    arms.set_joint_position_targets(like(backend, goal), indices=[1])
    for _ in range(240):
        world.step(render=False)
    found = host(arms.get_joint_positions())
    np.testing.assert_allclose(found[1], goal[0], atol=2e-3)
    np.testing.assert_allclose(found[0, :3], 0.0, atol=2e-3)


def test_actions_leave_what_is_no_number(arms):
    arms.apply_action(ArticulationActions(joint_positions=np.full((2, ARM), 0.01)))
    nothing = [0.02] + [None] * (ARM - 1)
    arms.apply_action(ArticulationActions(joint_positions=[nothing, nothing], joint_efforts=[nothing, nothing]))
    found = arms.get_applied_actions()
    np.testing.assert_allclose(found.joint_positions[:, :2], [[0.02, 0.01]] * 2)
    np.testing.assert_allclose(found.joint_efforts[:, :2], [[0.02, 0.0]] * 2)
    arms.apply_action(
        ArticulationActions(joint_velocities=np.full((1, 2), 0.3), joint_indices=np.array([3, 4])), indices=[1]
    )
    np.testing.assert_allclose(arms.get_applied_actions().joint_velocities[:, 2:5], [[0, 0, 0], [0, 0.3, 0.3]])


def test_efforts_act_for_a_step(world):
    add_robots("arm", 1, stiffness=0.0, damping=0.0)
    arm = SingleArticulation("/World/Robot_0")
    world.get_physics_context().set_gravity(0.0)
    world.reset()
    arm.initialize()
    inverse = np.linalg.inv(arm._articulation_view.get_mass_matrices()[0].astype(float))
    arm.set_joint_efforts(np.array([0.5]), joint_indices=np.array([0]))
    np.testing.assert_allclose(arm.get_applied_joint_efforts()[:2], [0.5, 0.0])
    world.step(render=False)
    velocity = arm.get_joint_velocities()[0]
    assert velocity == pytest.approx(inverse[0, 0] * 0.5 * DT, rel=0.1)
    np.testing.assert_allclose(arm.get_applied_joint_efforts(), 0.0)
    world.step(render=False)
    assert abs(arm.get_joint_velocities()[0] - velocity) < 0.2 * velocity  # pushed no more


def test_gains_and_modes(world, backend, request):
    arms = request.getfixturevalue("arms")
    kps, kds = (host(each) for each in arms.get_gains())
    np.testing.assert_allclose(kps[:, :7], 400.0, rtol=1e-5)
    np.testing.assert_allclose(kds[:, :7], 40.0, rtol=1e-5)
    arms.switch_control_mode("velocity", indices=[1], joint_indices=[0, 1])
    kps, kds = (host(each) for each in arms.get_gains())
    np.testing.assert_allclose(kps[:, :3], [[400] * 3, [0, 0, 400]], rtol=1e-5)
    arms.switch_control_mode("effort")
    assert not host(arms.get_gains()[0]).any() and not host(arms.get_gains()[1]).any()
    arms.switch_dof_control_mode("position", 0)
    np.testing.assert_allclose(host(arms.get_gains()[0])[:, :2], [[400, 0]] * 2, rtol=1e-5)
    arms.set_gains(like(backend, [[7.0]]), like(backend, [[3.0]]), indices=[1], joint_indices=[2])
    assert host(arms.get_gains(indices=[1], joint_indices=[2])[0]).tolist() == [[7.0]]
    with pytest.raises(ValueError, match="control mode 'torque'"):
        arms.switch_control_mode("torque")


def test_gains_are_kept_on_the_stage_per_degree(world):
    add_robots("arm", 1)
    view = Articulation("/World/Robot_0")
    world.reset()
    view.set_gains(np.full((1, 1), 90.0), joint_indices=[0], save_to_usd=True)
    assert view.get_gains()[0][0, 0] == pytest.approx(400.0)  # the simulation keeps its own
    world.reset()
    assert view.get_gains()[0][0, 0] == pytest.approx(90.0, rel=1e-5)
    joint = next(prim for prim in world.stage.Traverse() if prim.GetName() == "joint1")
    assert joint.GetAttribute("drive:angular:physics:stiffness").Get() == pytest.approx(90.0 * np.pi / 180.0, rel=1e-5)
    world.stop()
    view.set_max_efforts(np.full((1, 1), 11.0), joint_indices=[0])
    assert view.get_max_efforts(joint_indices=[0]).tolist() == [[11.0]]
    assert view.get_armatures().shape == view.get_friction_coefficients().shape == (1, ARM)
    view.set_armatures([[0.25, 0.5]], joint_names=["joint2", "joint1"])
    np.testing.assert_allclose(view.get_armatures(joint_indices=[0, 1, 2])[0, :2], [0.5, 0.25])
    assert joint.GetAttribute("physxJoint:armature").Get() == 0.5
    world.play()
    assert view.get_max_efforts()[0, 0] == 11.0
    np.testing.assert_allclose(view.get_armatures()[0, :2], [0.5, 0.25])
    world.stop()
    view.set_friction_coefficients([[0.125]], joint_indices=[1])
    np.testing.assert_allclose(view.get_friction_coefficients(joint_indices=[0, 1]), [[0.0, 0.125]])
    joint.RemoveAPI(UsdPhysics.DriveAPI, "angular")
    assert view.get_max_efforts(joint_indices=[0]).tolist() == [[np.inf]]
    assert not joint.HasAPI(UsdPhysics.DriveAPI)  # reading makes none


def test_numbers_of_joints(world, backend, request):
    arms = request.getfixturevalue("arms")
    for name in ("max_efforts", "friction_coefficients", "armatures"):
        value = like(backend, [[1.5, 2.5]])
        getattr(arms, f"set_{name}")(value, indices=[1], joint_indices=[0, 3])
        found = getattr(arms, f"get_{name}")()
        assert kind(found) == backend and found.shape == (2, ARM)
        np.testing.assert_allclose(host(found)[1, [0, 3]], [1.5, 2.5])
        assert not np.allclose(host(found)[0, [0, 3]], [1.5, 2.5])
    arms.set_max_joint_velocities(like(backend, [[0.25]]), joint_indices=[0], indices=[0])
    np.testing.assert_allclose(host(arms.get_joint_max_velocities())[:, 0], [0.25, 2.175], rtol=1e-4)
    assert arms.get_effort_modes()[0][:2] == ["force", "force"]
    arms.set_effort_modes("acceleration", joint_indices=[0])
    assert arms.get_effort_modes()[0][:2] == ["acceleration", "force"]
    joint = next(prim for prim in world.stage.Traverse() if prim.GetName() == "joint1")
    assert joint.GetAttribute("drive:angular:physics:type").Get() == "acceleration"


def test_links(world, backend, request):
    arms = request.getfixturevalue("arms")
    masses = arms.get_body_masses()
    assert kind(masses) == backend and masses.shape == (2, 10)
    arms.set_body_masses(like(backend, [[9.0]]), indices=[1], body_indices=[3])
    np.testing.assert_allclose(host(arms.get_body_masses(body_indices=[3])), [[2.6], [9.0]], rtol=1e-6)
    np.testing.assert_allclose(host(arms.get_body_inv_masses())[1, 3], 1 / 9, rtol=1e-6)
    places, turns = arms.get_body_coms(indices=[0])
    assert places.shape == (1, 10, 3) and turns.shape == (1, 10, 4)
    arms.set_body_coms(like(backend, np.full((2, 1, 3), 0.05)), body_indices=[2])
    np.testing.assert_allclose(host(arms.get_body_coms(body_indices=[2])[0]), 0.05, rtol=1e-6)
    assert arms.get_body_inertias().shape == arms.get_body_inv_inertias().shape == (2, 10, 9)
    arms.set_body_inertias(
        like(backend, np.tile(np.diag([0.1, 0.1, 0.1]).reshape(1, 1, 9), (2, 1, 1))), body_indices=[4]
    )
    np.testing.assert_allclose(host(arms.get_body_inertias(body_indices=[4]))[0, 0, 0], 0.1, rtol=1e-5)
    arms.set_body_disable_gravity(like(backend, np.ones((1, 10)), "uint8"), indices=[1])
    assert host(arms.get_body_disable_gravity()).sum(axis=1).tolist() == [0, 10]


def test_dynamics_agree_with_each_other(world, arms):
    rng = np.random.default_rng(0)
    places = rng.uniform(-0.3, 0.3, (2, ARM)).astype("float32")
    places[:, 3], places[:, 5], places[:, 7:] = -0.8, 0.5, 0.02  # within limits
    arms.set_joint_positions(places)
    arms.set_joint_velocities(rng.uniform(-0.5, 0.5, (2, ARM)).astype("float32") * ([1] * 7 + [0] * 2))
    jacobians, shape = host(arms.get_jacobians()), arms.get_jacobian_shape()
    assert jacobians.shape == (2, *shape) and shape == (9, 6, ARM)
    tip = host(arms._physics_view.get_link_velocities())[:, -1]
    np.testing.assert_allclose(
        (jacobians[:, -1] @ host(arms.get_joint_velocities())[..., None])[..., 0], tip, atol=1e-4
    )
    masses = host(arms.get_mass_matrices())
    assert arms.get_mass_matrix_shape() == masses.shape[1:] == (ARM, ARM)
    np.testing.assert_allclose(masses, masses.swapaxes(1, 2), atol=1e-5)
    assert (np.linalg.eigvalsh(masses) > 0).all()
    assert arms.get_coriolis_and_centrifugal_forces(joint_indices=[0, 1]).shape == (2, 2)
    gravity = host(arms.get_generalized_gravity_forces())
    np.testing.assert_allclose(gravity, host(arms.get_gravity_compensation_forces()))
    # what holds still: efforts against gravity, and no velocity
    arms.switch_control_mode("effort")
    arms.set_joint_velocities(np.zeros((2, ARM)))
    before = host(arms.get_joint_positions())
    for _ in range(10):
        arms.set_joint_efforts(arms.get_generalized_gravity_forces())
        world.step(render=False)
    np.testing.assert_allclose(host(arms.get_joint_positions()), before, atol=2e-3)


def test_measured_forces_hold_the_weight(world, arms):
    for _ in range(120):
        world.step(render=False)
    forces = arms.get_measured_joint_forces()
    assert forces.shape == (2, 10, 6)
    weight = arms.get_body_masses()[0].sum() * 9.81
    np.testing.assert_allclose(np.linalg.norm(forces[0, 0, :3]), weight, rtol=0.01)
    np.testing.assert_allclose(forces[:, 2], arms.get_measured_joint_forces(joint_indices=[2])[:, 0])
    named = arms.get_measured_joint_forces(joint_names=["joint2"])[:, 0]
    np.testing.assert_allclose(named, forces[:, 1 + arms.get_joint_index("joint2")])
    efforts = arms.get_measured_joint_efforts()
    np.testing.assert_allclose(efforts, arms.get_generalized_gravity_forces(), atol=0.1)


def test_floating_bases(world, backend):
    add_robots("quadruped", 2, fixed=False)
    view: Any = Articulation("/World/Robot_.*", positions=like(backend, [[0, 0, 2], [0, 3, 2]]))
    world.get_physics_context().set_gravity(0.0)
    world.reset()
    np.testing.assert_allclose(host(view.get_world_poses()[0]), [[0, 0, 2], [0, 3, 2]], atol=1e-6)
    view.set_velocities(like(backend, [[1, 0, 0, 0, 0, 0]]), indices=[1])
    np.testing.assert_allclose(host(view.get_linear_velocities()), [[0, 0, 0], [1, 0, 0]], atol=1e-6)
    view.set_angular_velocities(like(backend, [[0, 0, 0.5]]), indices=[0])
    np.testing.assert_allclose(host(view.get_angular_velocities()), [[0, 0, 0.5], [0, 0, 0]], atol=1e-5)
    view.set_world_poses(like(backend, [[5, 5, 5]]), indices=[0])
    np.testing.assert_allclose(host(view.get_world_poses()[0])[0], [5, 5, 5], atol=1e-6)
    assert view.get_jacobian_shape()[0] == view.num_bodies and view.get_jacobian_shape()[2] == view.num_dof + 6
    assert view.get_generalized_gravity_forces().shape == (2, view.num_dof)
    assert view.get_gravity_compensation_forces().shape == (2, view.num_dof + 6)


def test_default_states(world, backend):
    add_robots("arm", 2)
    view: Any = RobotView("/World/Robot_.*", "robots")
    goal = np.zeros((2, ARM), np.float32)
    goal[:, 0] = 0.4
    view.set_joints_default_state(positions=like(backend, goal))
    view.set_default_state(positions=like(backend, [[0, 0, 0], [0, 2, 0]]))
    world.scene.add(view)
    world.reset()
    np.testing.assert_allclose(host(view.get_joint_positions()), goal)
    np.testing.assert_allclose(host(view.get_world_poses()[0]), [[0, 0, 0], [0, 2, 0]], atol=1e-6)
    view.set_gains(like(backend, np.full((2, ARM), 1.0)))
    for _ in range(10):
        world.step(render=False)
    world.reset(soft=True)
    np.testing.assert_allclose(host(view.get_joint_positions()), goal)
    np.testing.assert_allclose(host(view.get_joint_velocities()), 0.0, atol=1e-7)
    np.testing.assert_allclose(host(view.get_gains()[0]), 1.0)
    assert view.get_joints_default_state().efforts.shape == (2, ARM)


def test_holding_still(world, arms):
    arms.set_joint_velocities(np.full((2, ARM), 0.2))
    arms.set_joint_position_targets(np.full((2, ARM), 0.5))
    arms.pause_motion()
    place = arms.get_joint_positions()
    world.step(render=False)
    np.testing.assert_allclose(arms.get_joint_positions()[:, 0], place[:, 0], atol=1e-3)
    arms.resume_motion()
    np.testing.assert_allclose(arms.get_joint_velocities(), 0.2)
    np.testing.assert_allclose(arms.get_applied_actions().joint_positions, 0.5)


def test_settings_are_the_stages(world, arms):
    for name, value in (
        ("solver_position_iteration_counts", 8),
        ("solver_velocity_iteration_counts", 2),
        ("stabilization_thresholds", 0.25),
        ("sleep_thresholds", 0.5),
        ("enabled_self_collisions", True),
    ):
        getattr(arms, f"set_{name}")([value], indices=[1])
        found = getattr(arms, f"get_{name}")()
        assert found[1] == value and found.shape == (2,)


def test_one_robot(world, backend):
    add_robots("arm", 1)
    robot = world.scene.add(Robot("/World/Robot_0", "arm", position=like(backend, [0, 1, 0])))
    assert not robot.handles_initialized
    world.reset()
    assert robot.handles_initialized and robot.num_dof == ARM and robot.num_bodies == 10
    np.testing.assert_allclose(host(robot.get_world_pose()[0]), [0, 1, 0], atol=1e-6)
    properties = robot.dof_properties
    assert properties["hasLimits"].all() and properties["upper"][7] == pytest.approx(0.04)
    assert properties["type"].tolist() == [0] * 7 + [1] * 2 and properties["driveMode"][0] == 1
    controller = robot.get_articulation_controller()
    robot.apply_action(ArticulationAction(joint_positions=[0.1, None], joint_indices=[0, 1]))
    controller.apply_action(ArticulationAction(joint_positions=[None, -0.1], joint_indices=[0, 1]))
    applied = robot.get_applied_action()
    np.testing.assert_allclose(host(applied.joint_positions)[:2], [0.1, -0.1], rtol=1e-6)
    controller.set_gains(kps=like(backend, [5.0] * ARM), kds=like(backend, [1.0] * ARM))
    assert host(controller.get_gains()[0]).tolist() == [5.0] * ARM
    controller.set_max_efforts(like(backend, [3.0]), joint_indices=[1])
    assert host(controller.get_max_efforts())[1] == 3.0 and controller.get_joint_limits().shape == (ARM, 2)
    controller.switch_control_mode("velocity")
    controller.switch_dof_control_mode(0, "effort")
    assert host(controller.get_gains()[1])[:2].tolist() == [0.0, 1.0]
    assert controller.get_effort_modes()[0] == "force"
    robot.set_joint_positions(like(backend, [0.3]), joint_indices=like(backend, [2], "int64"))
    assert host(robot.get_joint_positions(joint_indices=[2])).tolist() == pytest.approx([0.3])
    assert kind(robot.get_joint_velocities()) == backend
    robot.set_enabled_self_collisions(True)
    robot.set_solver_position_iteration_count(12)
    assert robot.get_enabled_self_collisions() is True and robot.get_solver_position_iteration_count() == 12
    robot.disable_gravity()
    assert host(robot._articulation_view.get_body_disable_gravity()).all()
    robot.enable_gravity()
    assert not host(robot._articulation_view.get_body_disable_gravity()).any()
    assert robot.get_dof_index("joint2") == 1 and get_stage_units() == 1.0


def test_subsets_and_grippers(world):
    add_robots("arm", 1)
    robot = world.scene.add(Robot("/World/Robot_0", "arm"))
    subset: Any = ArticulationSubset(robot, ["joint3", "joint1"])
    assert subset.get_joint_positions() is None and subset.joint_indices is None
    world.reset()
    found: Any = subset.joint_indices
    assert subset.num_joints == 2 and found.tolist() == [2, 0]
    subset.set_joint_positions(np.array([0.3, 0.1]))
    np.testing.assert_allclose(robot.get_joint_positions()[:3], [0.1, 0, 0.3], rtol=1e-6)
    np.testing.assert_allclose(subset.get_joint_positions(), [0.3, 0.1], rtol=1e-6)
    subset.apply_action(joint_velocities=np.array([1.0, 2.0]))
    np.testing.assert_allclose(subset.get_applied_action().joint_velocities, [1, 2])
    assert subset.map_to_articulation_order(np.array([7, 8]))[:4].tolist() == [8, None, 7, None]
    gripper: Any = ArticulationGripper(["left_finger_joint", "right_finger_joint"], [0.04, 0.04], [0.0, 0.0])
    gripper.initialize("/World/Robot_0", robot.get_articulation_controller())
    assert gripper.dof_indices.tolist() == [7, 8]
    gripper.set_positions(np.array([0.03, 0.03]))
    np.testing.assert_allclose(gripper.get_positions(), 0.03, rtol=1e-5)
    with pytest.raises(ValueError, match="has no joints thumb"):
        ArticulationGripper(["thumb"]).initialize("/World/Robot_0", robot.get_articulation_controller())


def test_what_goes_wrong(world, caplog):
    add_robots("arm", 1)
    view = Articulation("/World/Robot_0")
    assert view.get_joint_positions() is None and "needs to be initialized" in caplog.text
    world.reset()
    world.stop()
    caplog.clear()
    assert view.get_joint_positions() is None and "stopped" in caplog.text and view.num_dof == ARM
    with pytest.raises(RuntimeError, match="enable_residual_reports"):
        view.get_position_residuals()
    world.play()
    from facade.isaacsim.core_scenes import xforms

    xforms("/World/empty")
    with pytest.raises(ValueError, match="no articulation at or below </World/empty>"):
        Articulation("/World/empty")
