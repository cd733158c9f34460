"""What Isaac Sim's documentation shows of single prims and worlds: each member is called, and what is set is read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from facade.isaacsim.core_scenes import add_robots, boxes, host, kind, kind_of_pose, like, xforms

from phalanx.facade import stage
from phalanx.facade.isaacsim.core.api import SimulationContext, World, objects
from phalanx.facade.isaacsim.core.api.controllers import ArticulationController
from phalanx.facade.isaacsim.core.api.materials import OmniGlass, PhysicsMaterial
from phalanx.facade.isaacsim.core.api.robots import Robot
from phalanx.facade.isaacsim.core.api.sensors import BaseSensor, RigidContactView
from phalanx.facade.isaacsim.core.api.tasks import BaseTask
from phalanx.facade.isaacsim.core.prims import SingleArticulation, SingleGeometryPrim, SingleRigidPrim, SingleXFormPrim
from phalanx.facade.isaacsim.core.utils.physics import simulate_async
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction
from phalanx.facade.omni.kit.app import get_app
from phalanx.facade.omni.kit.async_engine import run_coroutine

AHEAD = np.array([1.0, 0.0, 0.0, 0.0])
TURNED = np.array([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])
JOINTS = 9
FINGERS = np.array([7, 8])


def near(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(host(found), wanted, atol=1e-5)


def check_place(prim: Any, backend: str) -> None:
    """What all prims have: names, a pose, a scale, whether they are seen, a default state, a material that is seen."""
    assert prim.is_valid() and prim.prim_path == str(prim.prim.GetPath()) and prim.name
    assert prim.non_root_articulation_link is False
    prim.set_world_pose(like(backend, [1.0, 2.0, 3.0]), like(backend, TURNED))
    place, turn = prim.get_world_pose()
    assert kind(place) == kind(turn) == kind_of_pose(backend)
    near(place, [1.0, 2.0, 3.0])
    near(turn, TURNED)
    prim.set_local_pose(like(backend, [0.5, 0.0, 0.2]), like(backend, AHEAD))
    place, turn = prim.get_local_pose()
    near(place, [0.5, 0.0, 0.2])
    near(turn, AHEAD)
    prim.set_local_scale(like(backend, [1.0, 0.5, 2.0]))
    near(prim.get_local_scale(), [1.0, 0.5, 2.0])
    near(prim.get_world_scale(), [1.0, 0.5, 2.0])
    prim.set_local_scale(like(backend, np.ones(3)))
    prim.set_visibility(False)
    assert not prim.get_visibility()
    prim.set_visibility(True)
    assert prim.get_visibility()
    glass = OmniGlass(f"/World/Looks/glass_{prim.name}", depth=0.002, color=np.array([0.3, 0.1, 0.1]))
    prim.apply_visual_material(glass)
    assert prim.is_visual_material_applied() and prim.get_applied_visual_material() is glass
    prim.set_default_state(like(backend, [0.0, 0.0, 4.0]), like(backend, AHEAD))
    near(prim.get_default_state().position, [0.0, 0.0, 4.0])
    near(prim.get_default_state().orientation, AHEAD)
    prim.post_reset()
    near(prim.get_world_pose()[0], [0.0, 0.0, 4.0])


def check_collider(prim: Any) -> None:
    """Numbers of a prim that collides, and the material that is felt."""
    for name, value in (
        ("contact_offset", 0.03),
        ("rest_offset", 0.002),
        ("torsional_patch_radius", 0.04),
        ("min_torsional_patch_radius", 0.01),
        ("collision_approximation", "convexHull"),
    ):
        getattr(prim, f"set_{name}")(value)
        found = getattr(prim, f"get_{name}")()
        assert found == (value if isinstance(value, str) else pytest.approx(value)), name
    felt = PhysicsMaterial(f"/World/Physics/{prim.name}", static_friction=0.9, dynamic_friction=0.7, restitution=0.1)
    prim.apply_physics_material(felt)
    assert prim.get_applied_physics_material() is felt
    prim.set_collision_enabled(False)
    assert not prim.get_collision_enabled()
    prim.set_collision_enabled(True)
    assert prim.get_collision_enabled()


def check_body(prim: Any, backend: str) -> None:
    """Numbers of a body, on the stage or in a simulation."""
    for name, value in (
        ("linear_velocity", [0.1, 0.2, 0.3]),
        ("angular_velocity", [0.3, 0.0, 0.1]),
        ("mass", 1.5),
        ("density", 300.0),
        ("sleep_threshold", 1e-3),
    ):
        getattr(prim, f"set_{name}")(like(backend, value) if isinstance(value, list) else value)
        near(getattr(prim, f"get_{name}")(), value)
    state = prim.get_current_dynamic_state()
    near(state.linear_velocity, [0.1, 0.2, 0.3])
    near(state.angular_velocity, [0.3, 0.0, 0.1])
    near(state.position, host(prim.get_world_pose()[0]))
    assert state.orientation.shape == (4,)


SIZES = {"Cuboid": ["size"], "Sphere": ["radius"]}
SIZES |= {shape: ["radius", "height"] for shape in ("Capsule", "Cone", "Cylinder")}


@pytest.mark.parametrize("shape", SIZES)
def test_objects(world, backend, shape):
    made = [getattr(objects, f"{way}{shape}")(f"/World/{way}", way.lower()) for way in ("Visual", "Fixed", "Dynamic")]
    for prim in made:
        prim.initialize()
        check_place(prim, backend)
        for name in SIZES[shape]:
            getattr(prim, f"set_{name}")(0.4)
            assert getattr(prim, f"get_{name}")() == pytest.approx(0.4)
        check_collider(prim)
    moving: Any = made[2]
    check_body(moving, backend)
    moving.disable_rigid_body_physics()
    assert moving.prim.GetAttribute("physics:rigidBodyEnabled").Get() is False
    moving.enable_rigid_body_physics()
    assert moving.prim.GetAttribute("physics:rigidBodyEnabled").Get() is True


def test_prims_with_a_place_a_shape_or_a_mass(world, backend):
    xforms("/World/a", "/World/b", "/World/c")
    boxes(1, "/World/b/box_{}")
    check_place(SingleXFormPrim("/World/a", "a"), backend)
    check_place(BaseSensor("/World/c", "c"), backend)
    geometry = SingleGeometryPrim("/World/b/box_0", "b", collision=True)
    check_place(geometry, backend)
    check_collider(geometry)
    assert geometry.geom.GetPath() == "/World/b/box_0"
    body = SingleRigidPrim("/World/b/box_0", "body")
    check_body(body, backend)
    world.reset()
    body.initialize()
    check_place(body, backend)
    check_body(body, backend)
    world.step(render=False)
    assert float(host(body.get_world_pose()[0])[2]) > 3.9


def test_a_ground(world, backend):
    ground = objects.GroundPlane("/World/ground", "ground", z_position=-0.5)
    ground.initialize()
    assert ground.is_valid() and (ground.name, ground.prim_path) == ("ground", "/World/ground")
    assert ground.prim == stage.get_stage().GetPrimAtPath("/World/ground")
    assert isinstance(ground.collision_geometry_prim, SingleGeometryPrim)
    assert isinstance(ground.xform_prim, SingleXFormPrim)
    felt = PhysicsMaterial("/World/Physics/ice", static_friction=0.05, dynamic_friction=0.04)
    ground.apply_physics_material(felt)
    assert ground.get_applied_physics_material() is felt
    near(ground.get_world_pose()[0], [0.0, 0.0, -0.5])
    ground.set_default_state(like(backend, [0.0, 0.0, -1.0]), like(backend, AHEAD))
    near(ground.get_default_state().position, [0.0, 0.0, -1.0])
    near(ground.get_default_state().orientation, AHEAD)
    ground.set_world_pose(like(backend, [0.0, 0.0, 0.25]), like(backend, AHEAD))
    near(ground.get_world_pose()[0], [0.0, 0.0, 0.25])
    ground.post_reset()
    near(ground.get_world_pose()[0], [0.0, 0.0, -1.0])


@pytest.mark.parametrize("type_", [SingleArticulation, Robot])
def test_one_articulation(world, backend, type_):
    add_robots("arm", 1)
    prim: Any = type_("/World/Robot_0", "arm")
    world.get_physics_context().set_gravity(0.0)
    world.reset()
    prim.initialize()
    assert prim.handles_initialized and isinstance(prim.articulation_handle, int)
    assert (prim.num_dof, prim.get_articulation_body_count(), len(prim.dof_names)) == (JOINTS, 10, JOINTS)
    assert prim.get_dof_index(prim.dof_names[3]) == 3
    kinds = ["type", "hasLimits", "lower", "upper", "driveMode", "maxVelocity", "maxEffort", "stiffness", "damping"]
    assert list(prim.dof_properties.dtype.names) == kinds and len(prim.dof_properties) == JOINTS
    assert prim.dof_properties["upper"][8] == pytest.approx(0.04)
    assert isinstance(prim.get_articulation_controller(), ArticulationController)
    check_place(prim, backend)
    pose = np.linspace(0.05, 0.25, JOINTS)
    pose[FINGERS] = 0.01
    for name in ("positions", "velocities", "efforts"):
        getattr(prim, f"set_joint_{name}")(like(backend, pose))
        getattr(prim, f"set_joint_{name}")(like(backend, [0.02, 0.03]), joint_indices=like(backend, FINGERS, "int64"))
        read = getattr(prim, f"get_{'applied_joint_efforts' if name == 'efforts' else f'joint_{name}'}")
        assert kind(read()) == backend
        near(read(), [*(np.zeros(7) if name == "efforts" else pose[:7]), 0.02, 0.03])  # other efforts end
        near(read(joint_indices=like(backend, FINGERS, "int64")), [0.02, 0.03])
    state = prim.get_joints_state()
    near(state.positions, [*pose[:7], 0.02, 0.03])
    assert state.velocities.shape == (JOINTS,)
    prim.apply_action(ArticulationAction(joint_positions=like(backend, pose)))
    prim.apply_action(
        ArticulationAction(joint_positions=like(backend, [0.03, 0.02]), joint_indices=like(backend, FINGERS, "int64"))
    )
    action = prim.get_applied_action()
    near(action.joint_positions, [*pose[:7], 0.03, 0.02])
    told = str(ArticulationAction(joint_positions=[0.5, None], joint_indices=[1, 2]))
    assert told == "{'joint_positions': [0.5, None], 'joint_velocities': None, 'joint_efforts': None}"
    for name, value in (
        ("enabled_self_collisions", True),
        ("sleep_threshold", 1e-3),
        ("stabilization_threshold", 2e-3),
        ("solver_position_iteration_count", 8),
        ("solver_velocity_iteration_count", 2),
    ):
        getattr(prim, f"set_{name}")(value)
        assert getattr(prim, f"get_{name}")() == pytest.approx(value), name
    for name in ("linear_velocity", "angular_velocity"):  # of a base that stands still
        getattr(prim, f"set_{name}")(like(backend, np.ones(3)))
        near(getattr(prim, f"get_{name}")(), np.zeros(3))
    prim.enable_gravity()
    prim.disable_gravity()
    world.step(render=False)
    assert prim.get_measured_joint_efforts().shape == (JOINTS,)
    assert prim.get_measured_joint_efforts(joint_indices=like(backend, FINGERS, "int64")).shape == (2,)
    places = prim._articulation_view._metadata.joint_indices
    joints = like(backend, [1 + places[name] for name in prim.dof_names[7:]], "int64")
    assert prim.get_measured_joint_forces().shape == (10, 6)
    near(prim.get_measured_joint_forces(joints), host(prim.get_measured_joint_forces())[host(joints)])
    zero = like(backend, np.zeros(JOINTS))
    prim.set_joints_default_state(positions=like(backend, pose), velocities=zero, efforts=zero)
    near(prim.get_joints_default_state().positions, pose)
    prim.post_reset()
    near(prim.get_joint_positions(), pose)


def test_a_stack_that_is_felt(world, backend):
    """Five cubes on each other: what the middle one feels of its neighbours, and all of them in sum."""
    objects.GroundPlane("/World/ground")
    for i in range(5):
        at = np.array([0.0, 0.0, 0.1 + 0.2 * i])
        box = objects.DynamicCuboid(f"/World/env_{i}/box", f"box_{i}", position=at, size=0.2, mass=1.0)
        box.set_contact_offset(0.02)  # else they feel each other 0.2 m apart, through the one between them
    view: Any = RigidContactView(
        "/World/env_.*/box", filter_paths_expr=["/World/env_2/box"], name="felt", max_contact_count=20
    )
    world.reset()
    view.initialize()
    assert view.is_physics_handle_valid() and (view.num_filters, view.num_shapes) == (1, 5)
    for _ in range(90):
        world.step(render=False)
    dt, weight = world.get_physics_dt(), 9.81
    assert host(view.get_net_contact_forces(dt=dt))[:, 2] / weight == pytest.approx(1.0, abs=0.05)
    upward = host(view.get_contact_force_matrix(dt=dt))[:, 0, 2] / weight
    assert upward == pytest.approx([0.0, -3.0, 0.0, 2.0, 0.0], abs=0.05)
    forces, points, normals, _, counts, starts = (host(each) for each in view.get_contact_force_data(dt=dt))
    assert counts[:, 0].tolist() == [0, 4, 0, 4, 0]
    for box, at in ((1, 0.4), (3, 0.6)):
        rows = slice(starts[box, 0], starts[box, 0] + 4)
        assert points[rows, 2] == pytest.approx(at, abs=5e-3)
        assert (forces * normals)[rows, 2].sum() / weight == pytest.approx(upward[box], abs=1e-3)
    assert host(view.get_net_contact_forces(indices=[4, 0])).shape == (2, 3)


def turns(count: int) -> None:
    """Let coroutines come to their ends."""
    for _ in range(count):
        get_app().update()


@pytest.mark.parametrize("type_", [SimulationContext, World])
def test_contexts(world, type_):
    """Settings, four kinds of callbacks by name, and coroutines."""
    World.clear_instance()
    context: Any = type_(stage_units_in_meters=1.0)
    assert type_.instance() is context and context.app is get_app() and context.stage == stage.get_stage()
    assert context.backend == "numpy" and context.backend_utils.__name__.endswith("core.utils.numpy")
    boxes(1)
    context.set_block_on_render(True)
    assert context.get_block_on_render() is True
    context.set_block_on_render(False)
    assert context.get_block_on_render() is False
    context.initialize_physics()
    assert context.physics_sim_view is not None
    context.reset()
    assert context.is_playing() and context.is_simulating() and not context.is_stopped()
    assert context.get_physics_context().get_physics_dt() == context.get_physics_dt() == pytest.approx(1 / 60)
    heard: list[str] = []
    for name in ("physics", "render", "stage", "timeline"):
        exists = getattr(context, f"{name}_callback_exists")
        for key in ("one", "two"):
            getattr(context, f"add_{name}_callback")(key, lambda *_, name=name, key=key: heard.append(name + key))
            assert exists(key)
        getattr(context, f"remove_{name}_callback")("two")
        assert not exists("two") and exists("one")
    context.step(render=True)
    context.pause()
    context.play()
    turns(1)
    assert {"physicsone", "renderone", "timelineone"} <= set(heard) and not {one for one in heard if "two" in one}
    for name in ("physics", "render", "stage", "timeline"):
        getattr(context, f"clear_{name}_callbacks")()
        assert not getattr(context, f"{name}_callback_exists")("one")
    context.set_simulation_dt(physics_dt=1 / 120, rendering_dt=1 / 60)
    assert (context.get_physics_dt(), context.get_rendering_dt()) == pytest.approx((1 / 120, 1 / 60))

    async def stop_and_play() -> None:
        await context.stop_async()
        assert context.is_stopped()
        await context.play_async()
        await context.render_async()
        await context.pause_async()
        assert not context.is_playing()
        await context.reset_async()

    task = run_coroutine(stop_and_play())
    turns(12)
    assert task.done() and task.exception() is None
    assert context.is_playing()
    steps, calls = context.current_time_step_index, []
    task = run_coroutine(simulate_async(0.1, 60, lambda: calls.append(context.current_time_step_index)))
    turns(12)
    assert task.done() and calls == [steps + 2 * n for n in range(2, 8)]
    context.stop()
    task = run_coroutine(simulate_async(0.1, 60, lambda: calls.append(0)))
    turns(12)
    assert task.done() and task.exception() is None and calls[6:] == [0] * 6  # frames pass, time does not
    context.clear()
    type_.clear_instance()
    assert type_.instance() is None


class Counting(BaseTask):
    """Says how often the world was asked to do something."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name)
        self.before = 0

    def get_observations(self) -> dict[str, Any]:
        return {"seen": self.before}

    def calculate_metrics(self) -> dict[str, Any]:
        return {"reward": 2.0 * self.before}

    def is_done(self) -> bool:
        return self.before > 2

    def pre_step(self, time_step_index: int, simulation_time: float) -> None:
        self.before += 1


def test_tasks_of_a_world(world):
    first, second = Counting("first"), Counting("second")
    world.add_task(first)
    world.add_task(second)
    boxes(1)
    assert not world.is_tasks_scene_built()
    world.reset()
    assert world.is_tasks_scene_built() and world.get_current_tasks() == {"first": first, "second": second}
    assert world.get_task("second") is second and world.scene.stage == world.stage
    world.step(render=False)
    world.step_async()
    assert world.get_observations("first") == {"seen": 2} and world.calculate_metrics("second") == {"reward": 4.0}
    assert not world.is_done("first")
    world.step(render=False)
    assert world.is_done("first") and world.get_data_logger() is not None

    async def again() -> None:
        await world.reset_async_set_up_scene()
        await world.reset_async_no_set_up_scene()

    task = run_coroutine(again())
    turns(12)
    assert task.done() and task.exception() is None and world.is_playing()
    with pytest.raises(NotImplementedError, match="dynamic control is gone"):
        _ = world.dc_interface
