"""Arms: kinematics against the simulation, grippers, and a Franka that takes a cube from one place to another."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from facade.isaacsim.core_scenes import host
from facade.test_surface_gripper import crane
from scipy.spatial.transform import Rotation

from phalanx.assets import descriptions
from phalanx.assets.building import build
from phalanx.assets.catalogue import chosen
from phalanx.facade import stage
from phalanx.facade.isaacsim.core.api.controllers import BaseController
from phalanx.facade.isaacsim.core.api.objects import DynamicCuboid
from phalanx.facade.isaacsim.core.prims import SingleRigidPrim
from phalanx.facade.isaacsim.core.simulation_manager import SimulationManager
from phalanx.facade.isaacsim.core.utils.stage import add_reference_to_stage
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction
from phalanx.facade.isaacsim.robot.manipulators import SingleManipulator
from phalanx.facade.isaacsim.robot.manipulators.controllers import PickPlaceController, StackingController
from phalanx.facade.isaacsim.robot.manipulators.examples import jacobian_steps
from phalanx.facade.isaacsim.robot.manipulators.examples.franka import Franka, FrankaPickPlace, KinematicsSolver
from phalanx.facade.isaacsim.robot.manipulators.examples.franka import controllers as of_franka
from phalanx.facade.isaacsim.robot.manipulators.examples.franka.pick_place import READY
from phalanx.facade.isaacsim.robot.manipulators.examples.franka.tasks import PickPlace
from phalanx.facade.isaacsim.robot.manipulators.examples.universal_robots import UR10, UR10FollowTarget
from phalanx.facade.isaacsim.robot.manipulators.examples.universal_robots import KinematicsSolver as UR10Kinematics
from phalanx.facade.isaacsim.robot.manipulators.examples.universal_robots import controllers as of_ur10
from phalanx.facade.isaacsim.robot.manipulators.examples.universal_robots import tasks as tasks_of_ur10
from phalanx.facade.isaacsim.robot.manipulators.grippers import Gripper, SurfaceGripper
from phalanx.facade.isaacsim.robot.policy.examples.controllers import PolicyController, get_robot_joint_properties
from phalanx.facade.isaacsim.robot.surface_gripper import GripperView
from phalanx.facade.isaacsim.robot.surface_gripper._surface_gripper import GripperStatus
from phalanx.facade.isaacsim.robot_motion.motion_generation import InverseKinematicsPolicy
from phalanx.facade.omni.kit.app import get_app
from phalanx.facade.omni.kit.commands import execute
from phalanx.facade.omni.timeline import get_timeline_interface
from phalanx.facade.usd.schema.isaac import robot_schema
from phalanx.io.formats.usd.bindings import Sdf

DOWN = np.array([0.0, 0.0, 1.0, 0.0])


@pytest.fixture(scope="module")
def assets(tmp_path_factory):
    """A folder with a Franka and a UR10."""
    folder = tmp_path_factory.mktemp("assets")
    try:
        for robot in chosen(["franka-sim", "ur10-sim"]):
            build(robot, folder)
    except descriptions.MissingPackageError as error:
        pytest.skip(str(error))
    return folder


@pytest.fixture
def root(assets, monkeypatch):
    monkeypatch.setenv("PHALANX_ASSET_ROOT", str(assets))


def end() -> tuple[np.ndarray, Rotation]:
    """Where the frame between the fingers is, by the simulated hand."""
    place, turn = (host(each) for each in SingleRigidPrim("/World/Franka/panda_hand").get_world_pose())
    hand = Rotation.from_quat(turn, scalar_first=True)
    return place + hand.apply([0.0, 0.0, 0.1]), hand * Rotation.from_rotvec([0.0, 0.0, np.pi])


def test_kinematics_are_those_of_the_simulation(world, backend, root):
    turn = Rotation.from_euler("z", 40.0, degrees=True).as_quat(scalar_first=True)
    robot = world.scene.add(Franka("/World/Franka", position=np.array([0.2, -0.3, 0.1]), orientation=turn))
    world.reset()
    solver = KinematicsSolver(robot)
    place, matrix = solver.compute_end_effector_pose()
    found = end()
    np.testing.assert_allclose(place, found[0], atol=1e-5)
    np.testing.assert_allclose(matrix, found[1].as_matrix(), atol=1e-5)
    # downwards, half a metre in front
    target = np.array([0.2, -0.3, 0.4]) + 0.5 * np.array([np.cos(0.7), np.sin(0.7), 0.0])
    action, reached = solver.compute_inverse_kinematics(target, DOWN)
    assert reached and list(action.joint_indices) == list(range(7))
    robot.set_joint_positions(action.joint_positions, action.joint_indices)
    found = end()
    np.testing.assert_allclose(found[0], target, atol=1.1e-3)
    assert (found[1].inv() * Rotation.from_quat(DOWN, scalar_first=True)).magnitude() < 0.011
    _, reached = solver.compute_inverse_kinematics(target + [0.0, 0.0, 5.0], DOWN)
    assert not reached
    with pytest.raises(ValueError, match="there is no frame 'tool'"):
        solver.set_end_effector_frame("tool")


def test_motions_are_smooth_and_arrive(world, root):
    """Joints follow a target that jumps without jumps, and no quicker than they may."""
    robot = world.scene.add(Franka("/World/Franka"))
    world.reset()
    control = of_franka.RMPFlowController("c", robot)
    policy = control.get_motion_policy()
    assert isinstance(policy, InverseKinematicsPolicy)
    target = np.array([0.45, 0.25, 0.3])
    before, speeds = host(robot.get_joint_positions())[:7], []
    for _ in range(180):
        action = control.forward(target, DOWN)
        speeds.append(np.abs(action.joint_positions - before).max() * 60.0)
        before = action.joint_positions
        robot.apply_action(action)
        world.step(render=False)
    assert max(speeds) <= 2.0 + 1e-9 and speeds[0] < 2.0 and speeds[-1] < 1e-3
    assert np.linalg.norm(end()[0] - target) < 2e-3
    with pytest.raises(NotImplementedError, match="does not avoid obstacles"):
        control.add_obstacle(robot)


def test_fingers(world, backend, root):
    robot = world.scene.add(Franka("/World/Franka"))
    world.reset()
    gripper = robot.gripper
    assert list(gripper.joint_dof_indicies) == [7, 8] and robot.end_effector.prim_path.endswith("panda_rightfinger")
    action = gripper.forward("open")  # by so much further than they are
    np.testing.assert_allclose(np.array(action.joint_positions[7:]), host(gripper.get_joint_positions()) + 0.05)
    assert action.joint_positions[:7] == [None] * 7
    gripper.set_action_deltas(None)
    assert gripper.forward("close").joint_positions[7:] == [0.0, 0.0]
    gripper.close()
    for _ in range(60):
        world.step(render=False)
    np.testing.assert_allclose(host(gripper.get_joint_positions()), [0, 0], atol=1e-3)
    gripper.set_joint_positions(np.array([0.03, 0.02]))
    np.testing.assert_allclose(host(gripper.get_joint_positions()), [0.03, 0.02], atol=1e-6)
    gripper.apply_action(ArticulationAction(joint_positions=np.array([0.01, 0.015])))
    np.testing.assert_allclose(host(robot.get_applied_action().joint_positions)[7:], [0.01, 0.015])
    world.reset()
    np.testing.assert_allclose(host(gripper.get_joint_positions()), [0.04, 0.04], atol=1e-5)
    with pytest.raises(ValueError, match="action 'squeeze' is not defined"):
        gripper.forward("squeeze")


def test_a_franka_takes_a_cube_somewhere_else(world, root):
    world.add_task(PickPlace("task", target_position=np.array([0.3, -0.3, 0.0515 / 2])))
    world.reset()
    names = world.get_task("task").get_params()
    robot, cube = (world.scene.get_object(names[f"{each}_name"]["value"]) for each in ("robot", "cube"))
    steps = [0.016, 0.01, 1.0, 0.1, 0.05, 0.05, 0.01, 1.0, 0.05, 0.2]
    control = of_franka.PickPlaceController("c", robot.gripper, robot, events_dt=steps)
    highest = 0.0
    for _ in range(600):
        world.step(render=False)
        seen = world.get_observations()
        control_action = control.forward(
            seen[cube.name]["position"], seen[cube.name]["target_position"], seen[robot.name]["joint_positions"]
        )
        if control.get_current_event() > 3:
            highest = max(highest, float(seen[cube.name]["position"][2]))
        if control.is_done():
            break
        robot.apply_action(control_action)
    assert control.is_done() and highest > 0.2
    np.testing.assert_allclose(cube.get_world_pose()[0], [0.3, -0.3, 0.0515 / 2], atol=0.025)


def test_kinematics_of_a_ur10_are_those_of_the_simulation(world, backend, root):
    """The suction cup's end is 0.161709 m from the frame of the arm's end, along its x axis."""
    turn = Rotation.from_euler("z", 30.0, degrees=True).as_quat(scalar_first=True)
    robot = world.scene.add(
        UR10("/World/UR10", position=np.array([0.1, 0.2, 0.3]), orientation=turn, attach_gripper=True)
    )
    world.reset()
    assert robot.attach_gripper and robot.gripper.is_open() and robot.end_effector.prim_path == "/World/UR10/ee_link"
    assert robot.dof_names[0] == "shoulder_pan_joint" and robot.num_dof == 6

    def cup() -> tuple[np.ndarray, Rotation]:
        place, turn = (host(each) for each in robot.end_effector.get_world_pose())
        turned = Rotation.from_quat(turn, scalar_first=True)
        return place + turned.apply([0.161709, 0.0, 0.0]), turned

    solver = UR10Kinematics(robot, attach_gripper=True)
    robot.set_joint_positions(np.array([0.3, -1.2, 1.1, -0.4, 0.7, 0.2]))
    place, matrix = solver.compute_end_effector_pose()
    np.testing.assert_allclose(place, cup()[0], atol=1e-5)
    np.testing.assert_allclose(matrix, cup()[1].as_matrix(), atol=1e-5)
    target, down = np.array([0.7, 0.5, 0.4]), np.array([np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0])
    action, reached = solver.compute_inverse_kinematics(target, down)
    assert reached
    robot.set_joint_positions(action.joint_positions, action.joint_indices)
    np.testing.assert_allclose(cup()[0], target, atol=1.1e-3)
    np.testing.assert_allclose(cup()[1].apply([1.0, 0.0, 0.0]), [0, 0, -1], atol=0.011)
    world.reset()
    before = host(robot.get_joint_positions()).copy()
    for _ in range(30):
        world.step(render=False)
    np.testing.assert_allclose(host(robot.get_joint_positions()), before, atol=1e-4)  # no gravity


def test_a_ur10_takes_a_cube_somewhere_else(world, root):
    world.add_task(tasks_of_ur10.PickPlace("task", cube_initial_position=np.array([0.5, 0.4, 0.03])))
    world.reset()
    names = world.get_task("task").get_params()
    robot, cube = (world.scene.get_object(names[f"{each}_name"]["value"]) for each in ("robot", "cube"))
    np.testing.assert_allclose(host(robot.get_joint_positions()), tasks_of_ur10.READY, atol=1e-5)
    steps = [0.02, 0.01, 0.03, 1.0, 0.015, 0.01, 0.01, 1.0, 0.05, 0.2]
    control = of_ur10.PickPlaceController("c", robot.gripper, robot, steps)
    highest = 0.0
    for _ in range(600):
        world.step(render=False)
        seen = world.get_observations()
        action = control.forward(
            seen[cube.name]["position"],
            seen[cube.name]["target_position"],
            seen[robot.name]["joint_positions"],
            end_effector_offset=np.array([0.0, 0.0, 0.02]),
        )
        if control.get_current_event() == 5:
            assert robot.gripper.is_closed()
            highest = max(highest, float(seen[cube.name]["position"][2]))
        if control.is_done():
            break
        robot.apply_action(action)
    assert control.is_done() and highest > 0.2 and robot.gripper.is_open()
    np.testing.assert_allclose(cube.get_world_pose()[0], [0.7, 0.7, 0.0515 / 2], atol=5e-3)


@pytest.mark.slow
def test_a_ur10_stacks_cubes(world, root):
    world.add_task(tasks_of_ur10.Stacking("task"))
    world.reset()
    task = world.get_task("task")
    robot = world.scene.get_object(task.get_params()["robot_name"]["value"])
    names = task.get_cube_names()
    control = of_ur10.StackingController("s", robot.gripper, robot, names, robot.name)
    for _ in range(2500):
        world.step(render=False)
        seen = world.get_observations()
        if control.is_done():
            break
        robot.apply_action(control.forward(seen, end_effector_offset=np.array([0.0, 0.0, 0.02])))
    assert control.is_done()
    for _ in range(30):
        world.step(render=False)
    for level, name in enumerate(names):
        place = host(world.scene.get_object(name).get_world_pose()[0])
        np.testing.assert_allclose(place, [0.7, 0.7, 0.0515 * (level + 0.5)], atol=3e-3)


def test_a_ur10_follows_a_target(world, root):
    world.add_task(tasks_of_ur10.FollowTarget("task", target_position=np.array([0.5, 0.3, 0.6])))
    world.reset()
    params = world.get_task("task").get_params()
    robot = world.scene.get_object(params["robot_name"]["value"])
    assert robot.gripper is None and not robot.attach_gripper
    control = of_ur10.RMPFlowController("c", robot)
    for _ in range(150):
        world.step(render=False)
        target = world.get_observations()[params["target_name"]["value"]]
        robot.apply_action(control.forward(target["position"], target["orientation"]))
    place, turn = (host(each) for each in robot.end_effector.get_world_pose())
    np.testing.assert_allclose(place, [0.5, 0.3, 0.6], atol=3e-3)
    np.testing.assert_allclose(Rotation.from_quat(turn, scalar_first=True).apply([1, 0, 0]), [0, 0, -1], atol=0.02)
    with pytest.raises(NotImplementedError, match="gripper_usd"):
        UR10("/World/another", attach_gripper=True, gripper_usd="cup.usd")


class Cartesian(BaseController):
    """Keeps where it is sent."""

    def forward(self, target_end_effector_position, target_end_effector_orientation):
        self.sent = target_end_effector_position, target_end_effector_orientation
        return ArticulationAction(joint_positions=[0.0])


class Hand(Gripper):
    """Keeps what it is told, and is no prim."""

    def __init__(self):
        pass

    def forward(self, action):
        self.told = action
        return ArticulationAction(joint_positions=[1.0])


def test_phases():
    """Heights and places at the ends of phases of eight calls each."""
    cartesian, hand = Cartesian("a"), Hand()
    control = PickPlaceController("c", cartesian, hand, 0.5, [0.125] * 10)
    start, goal, ways = np.array([1.0, 2.0, 0.1]), np.array([3.0, -1.0, 0.2]), {}
    while not control.is_done():
        event = control.get_current_event()
        action = control.forward(start, goal, np.zeros(1), np.array([0.0, 0.0, 0.01]))
        if event not in (2, 3, 7):
            ways.setdefault(event, []).append(cartesian.sent[0])
        if event in (3, 7):
            assert hand.told == {3: "close", 7: "open"}[event] and action.joint_positions == [1.0]
    ends = {0: (1, 2, 0.51), 1: (1, 2, 0.11), 4: (1, 2, 0.51), 5: (3, -1, 0.51), 6: (3, -1, 0.21), 8: (3, -1, 0.51)}
    for event, place in ends.items():
        part = 0.5 * (1 - np.cos(7 / 8 * np.pi))  # the last call of a phase is an eighth before its end
        begin = np.array(ends.get({4: 1, 5: 4, 6: 5, 8: 6, 1: 0}.get(event, event)), float)
        expected = begin + (np.array(place) - begin) * part
        np.testing.assert_allclose(ways[event][-1], expected, atol=1e-12)
        assert len(ways[event]) == 8
    np.testing.assert_allclose(cartesian.sent[1], DOWN)
    assert control.forward(start, goal, np.zeros(2)).joint_positions == [None, None] and control.is_paused()
    control.reset(events_dt=np.full(10, 1.0))
    assert control.get_current_event() == 0 and not control.is_paused()
    with pytest.raises(ValueError, match="11 values"):
        control.reset(events_dt=[0.1] * 11)
    with pytest.raises(TypeError, match="must be a list"):
        PickPlaceController("c", cartesian, hand, events_dt=(0.1,))


def test_things_one_after_the_other():
    cartesian = Cartesian("a")
    control = PickPlaceController("c", cartesian, Hand(), events_dt=[1.0] * 10)
    stacking = StackingController("s", control, ["red", "blue"], "robot")
    seen = {
        "robot": {"joint_positions": np.zeros(1)},
        "red": {"position": np.array([1.0, 0, 0]), "target_position": np.array([2.0, 0, 0])},
        "blue": {"position": np.array([5.0, 0, 0]), "target_position": np.array([6.0, 0, 0])},
    }
    places = []
    while not stacking.is_done():
        stacking.forward(seen)
        places.append(float(cartesian.sent[0][0]))
    assert len(places) == 20 and places[0] == 1.0 and places[10] == 5.0 and places[-1] == 6.0
    assert stacking.forward(seen).joint_positions == [None]
    stacking.reset(["blue"])
    stacking.forward(seen)
    assert cartesian.sent[0][0] == 5.0


def test_without_a_file(world, monkeypatch, tmp_path):
    monkeypatch.setenv("PHALANX_ASSET_ROOT", str(tmp_path / "none"))
    with pytest.raises(FileNotFoundError, match="phalanx assets build franka-sim"):
        Franka("/World/Franka")
    assert not stage.get_stage().GetPrimAtPath("/World/Franka")
    with pytest.raises(FileNotFoundError, match="phalanx assets build ur10-sim"):
        UR10("/World/UR10")


def test_a_suction_cup_lifts_a_box(world, backend, tmp_path):
    """The crane of the tests of surface grippers, seen as a manipulator."""
    crane(tmp_path / "crane.usd")
    add_reference_to_stage(str(tmp_path / "crane.usd"), "/World/Crane")
    cup = SurfaceGripper("/World/Crane/head", "/World/Crane/gripper")
    robot = world.scene.add(SingleManipulator("/World/Crane", "/World/Crane/head", "crane", gripper=cup))
    box = world.scene.add(
        DynamicCuboid("/World/box", position=np.array([0.0, 0.0, 0.05]), size=0.1, mass=0.5, color=np.ones(3))
    )
    world.scene.add_ground_plane()
    world.get_physics_context().set_physics_dt(0.005)
    stage.get_stage().GetPrimAtPath("/World/Crane/gripper").CreateAttribute(
        "isaac:maxGripDistance", Sdf.ValueTypeNames.Float
    ).Set(0.005)
    view = GripperView("/World/Crane/grip.*", shear_force_limit=[5.0])
    assert not view.surface_gripper_interface.close_gripper("/World/Crane/gripper"), "nothing is simulated yet"
    world.reset()
    robot.get_articulation_controller().set_gains(np.array([1e4]), np.array([400.0]))
    assert cup.is_open() and not cup.is_closed() and cup.get_default_state() == {"opened": True}

    def lift(height: float) -> float:
        for _ in range(200):
            robot.apply_action(ArticulationAction(joint_positions=np.array([height])))
            world.step(render=False)
        return float(host(box.get_world_pose()[0])[2]) - 0.05

    assert cup.forward("close").joint_positions == [None]
    assert lift(0.0) == pytest.approx(0.0, abs=2e-3) and cup.is_closed()
    assert lift(0.2) == pytest.approx(0.2, abs=0.01)
    assert GripperStatus(view.get_surface_gripper_status()[0]) == GripperStatus.Closed
    assert view.get_gripped_objects() == [["/World/box"]]
    cup.open()
    assert lift(0.2) == pytest.approx(0.0, abs=2e-3) and cup.is_open()
    _is_used_by_a_view(view, lift)
    if backend == "torch":
        _is_controlled_by_a_network(tmp_path)
    with pytest.raises(ValueError, match="action 'suck' is not defined"):
        cup.forward("suck")
    with pytest.raises(ValueError, match="no surface gripper at /World/Crane/none"):
        SurfaceGripper("/World/Crane/head", "/World/Crane/none").is_open()


def _is_used_by_a_view(view: GripperView, lift: Callable[[float], float]) -> None:
    """The box of 0.5 kg is taken, and lost when 4.9 N become too much."""
    by_path, path = view.surface_gripper_interface, "/World/Crane/gripper"
    lift(0.0)
    view.apply_gripper_action([0.3], indices=[0])
    lift(0.0)
    assert by_path.get_gripper_status(path) == GripperStatus.Open, "0.3 is not above it"
    view.apply_gripper_action([0.31])
    assert by_path.get_gripper_status(path) == GripperStatus.Closing
    assert lift(0.2) == pytest.approx(0.2, abs=0.01) and by_path.get_gripped_objects(path) == ["/World/box"]
    with pytest.raises(ValueError, match="shear_force_limit has -1; it must not be negative"):
        view.set_surface_gripper_properties(coaxial_force_limit=[1.0], shear_force_limit=[-1.0])
    with pytest.raises(ValueError, match="values has 2 numbers; there must be one for each, 1"):
        view.apply_gripper_action([1.0, 1.0])
    assert lift(0.2) == pytest.approx(0.2, abs=0.01), "what is refused changes nothing"
    view.set_surface_gripper_properties(coaxial_force_limit=[3.0])
    assert lift(0.2) == pytest.approx(0.0, abs=2e-3) and view.get_surface_gripper_status() == [0]
    distance, coaxial, shear, retry = view.get_surface_gripper_properties()
    assert coaxial == [3.0] and shear == [5.0] and [*distance, *retry] == pytest.approx([0.005, 0.05])
    assert by_path.open_gripper(path) and not by_path.open_gripper("/World/box")
    assert by_path.set_gripper_action_batch([path, "/World/box"], [-1.0, 1.0]) == [True, False]
    assert by_path.get_gripper_status_batch([path, "/World/box"]) == [0, 0]
    assert by_path.get_gripped_objects_batch([path, "/World/box"]) == [[], []]
    result, made = execute("CreateSurfaceGripper", prim_path="/World/Crane")
    assert result and str(made.GetPath()) == "/World/Crane/SurfaceGripper"
    robot_schema.ApplyAttachmentPointAPI(made)
    assert made.GetTypeName() == "IsaacSurfaceGripper"
    assert made.GetAttribute("isaac:forwardAxis").GetTypeName() == "token"
    assert robot_schema.Relations.ATTACHMENT_POINTS.name == "isaac:attachmentPoints"
    assert made.HasRelationship("isaac:attachmentPoints") and not made.HasRelationship("isaac:physics:robotLinks")


ENVIRONMENT = """
decimation: 4
sim: {dt: 0.005, render_interval: 4, physx: {solver_type: 1}}
observations: {policy: {concatenate_terms: true}}
actions: {joint_pos: {scale: 0.5, asset_name: robot}}
scene:
  robot:
    spawn:
      func: !!python/name:some.module.function ''
      articulation_props: {solver_position_iteration_count: 6, sleep_threshold: null}
    init_state: {pos: !!python/tuple [0.0, 0.0, 1.0], joint_pos: {lif.: 0.25}, joint_vel: {.*: 0.0}}
    actuators:
      legs: {joint_names_expr: [.*lift], effort_limit: null, effort_limit_sim: 50.0, velocity_limit: .inf,
             stiffness: {lift: 321.0}, damping: 7.0}
"""


def _is_controlled_by_a_network(folder: Path) -> None:
    """One that doubles what it sees."""
    torch = pytest.importorskip("torch")
    (folder / "env.yaml").write_text(ENVIRONMENT)
    network = torch.nn.Linear(2, 2, bias=False)
    network.weight.data = 2.0 * torch.eye(2)
    torch.jit.save(torch.jit.trace(network, torch.zeros(1, 2)), str(folder / "policy.pt"))
    control = PolicyController("net", "/World/Crane")
    with pytest.raises(FileNotFoundError, match="Policy not found at path"):
        control.load_policy(str(folder / "none.pt"), str(folder / "env.yaml"))
    control.load_policy(str(folder / "policy.pt"), str(folder / "env.yaml"))
    assert control._decimation == 4 and control.policy_env_params["scene"]["robot"]["init_state"]["pos"] == (0, 0, 1)
    assert control.policy_env_params["scene"]["robot"]["spawn"]["func"] is None, "nothing of Python's is made"
    control.initialize()
    gains = [host(each).tolist() for each in control.robot._articulation_view.get_gains()]
    assert gains == [[[321.0]], [[7.0]]] and control.default_pos.tolist() == [0.25]
    assert host(control.robot._articulation_view.get_max_efforts()).tolist() == [[50.0]]
    assert control.robot.get_solver_position_iteration_count() == 6
    assert control._compute_action([0.5, -1.0]).tolist() == [1.0, -2.0]
    with pytest.raises(NotImplementedError, match=r"PolicyController\.forward"):
        control.forward()
    properties = get_robot_joint_properties(control.policy_env_params, ["lift", "other"])
    assert properties[1] == [float(sys.maxsize), 0.0] and properties[4] == [0.25, 0.0]
    with pytest.raises(ValueError, match="no robot at /World/nothing"):
        PolicyController("net", "/World/nothing")


def test_a_cube_is_carried_by_steps_along_the_jacobian(root, device):
    """No world is made by the script: the timeline plays, and frames let time pass."""
    SimulationManager.set_physics_sim_device(device)
    task = FrankaPickPlace()
    with pytest.raises(RuntimeError, match="call setup_scene"):
        task.reset()
    task.setup_scene()
    with pytest.raises(RuntimeError, match="play the timeline"):
        task.forward()
    get_timeline_interface().play()
    task.reset()
    assert task.robot is not None and task.cube is not None
    with pytest.raises(ValueError, match="ik_method='newton'"):
        task.forward("newton")
    heights = []
    while task.forward():
        get_app().update()
        heights.append(float(host(task.cube.get_world_pose()[0])[2]))
    assert task.is_done() and len(heights) == sum(task.events_dt)
    assert max(heights) > 0.4
    end = host(task.cube.get_world_pose()[0])
    np.testing.assert_allclose(end, [-0.3, -0.3, 0.0258], atol=0.015)
    task.reset(cube_position=np.array([0.4, 0.1, 0.0258]))
    assert not task.is_done()
    np.testing.assert_allclose(host(task.robot.get_joint_positions()), READY, atol=1e-6)
    np.testing.assert_allclose(host(task.cube.get_world_pose()[0]), [0.4, 0.1, 0.0258], atol=1e-6)


def test_a_ur10_follows_a_cube(root, device):
    """Its end comes to the cube's middle, and points down; the cube is moved, and it comes again."""
    SimulationManager.set_physics_sim_device(device)
    task = UR10FollowTarget()
    with pytest.raises(RuntimeError, match="call setup_scene"):
        task.move_to_target()
    task.setup_scene()
    with pytest.raises(RuntimeError, match="play the timeline"):
        task.reset_robot()
    get_timeline_interface().play()
    task.reset_robot()
    assert task.robot is not None and task.target_cube is not None and not task.target_reached()
    for place in ([0.5, 0.0, 0.3], [0.3, 0.5, 0.5]):
        task.target_cube.set_world_pose(np.array(place))
        for _ in range(150):
            task.move_to_target()
            get_app().update()
        np.testing.assert_allclose(task.get_robot_end_effector_position(), place, atol=2e-3)
        assert task.target_reached(0.005)
    turn = Rotation.from_quat(host(SingleRigidPrim("/World/ur10_robot/ee_link").get_world_pose()[1]), scalar_first=True)
    assert (turn.inv() * Rotation.from_quat([0.0, 1.0, 0.0, 0.0], scalar_first=True)).magnitude() < 0.02
    with pytest.raises(ValueError, match="ik_method='newton'"):
        task.move_to_target("newton")


@pytest.mark.parametrize("seed", range(3))
def test_steps_of_joints_do_what_is_asked(seed):
    """All but the transpose move the hand by what it is off; singular directions are left out."""
    rng = np.random.default_rng(seed)
    jacobian, error = rng.normal(size=(6, 7)), 0.1 * rng.normal(size=6)
    exact = np.linalg.lstsq(jacobian, error, rcond=None)[0]
    for method in ("pseudoinverse", "singular-value-decomposition"):
        np.testing.assert_allclose(jacobian_steps.joint_step(jacobian, error, method), exact, atol=1e-9)
    damped = jacobian_steps.joint_step(jacobian, error, "damped-least-squares")
    stacked = np.vstack([jacobian, jacobian_steps.DAMPING * np.eye(7)])  # the least squares that it solves
    np.testing.assert_allclose(
        damped, np.linalg.lstsq(stacked, np.append(error, np.zeros(7)), rcond=None)[0], atol=1e-9
    )
    jacobian[5] = jacobian[4]
    assert np.abs(jacobian_steps.joint_step(jacobian, error, "singular-value-decomposition")).max() < 10.0
