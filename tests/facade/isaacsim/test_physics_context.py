"""The physics scene of the stage, by which gravity, steps and the solver are set."""

from __future__ import annotations

import numpy as np
import pytest
from facade.isaacsim.core_scenes import boxes

from phalanx import components as c
from phalanx.facade import simulation
from phalanx.facade.isaaclab.sim.schemas.authoring import applied_schemas
from phalanx.facade.isaacsim.core.api import PhysicsContext, World
from phalanx.facade.isaacsim.core.prims import SingleRigidPrim
from phalanx.facade.isaacsim.core.simulation_manager import SimulationManager


def test_gravity_acts_on_what_runs(world):
    boxes(1)
    body = SingleRigidPrim("/World/Box_0")
    context = world.get_physics_context()
    direction, size = context.get_gravity()
    assert list(direction) == [0, 0, -1] and size == pytest.approx(9.81)
    world.reset()
    context.set_gravity(-3.0)
    world.step(render=False)
    assert body.get_linear_velocity()[2] == pytest.approx(-3.0 / 60, rel=1e-5)
    context._set_gravity_vector(np.array([0.0, 2.0, 0.0]))
    world.step(render=False)
    np.testing.assert_allclose(body.get_linear_velocity(), [0, 2.0 / 60, -3.0 / 60], rtol=1e-4, atol=1e-7)
    world.reset()
    world.step(render=False)
    np.testing.assert_allclose(body.get_linear_velocity(), [0, 2.0 / 60, 0], rtol=1e-4, atol=1e-7)


def test_steps_of_what_runs(world):
    boxes(1)
    world.reset()
    world.get_physics_context().set_physics_dt(1 / 200, substeps=1)
    assert world.get_physics_dt() == pytest.approx(1 / 200)
    for _ in range(20):
        world.step(render=False)
    assert world.current_time == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("bounce_threshold", 0.7),
        ("friction_offset_threshold", 0.03),
        ("friction_correlation_distance", 0.015),
        ("solver_type", "PGS"),
        ("broadphase_type", "MBP"),
        ("gpu_max_rigid_contact_count", 1000),
        ("gpu_max_rigid_patch_count", 2000),
        ("gpu_found_lost_pairs_capacity", 3000),
        ("gpu_found_lost_aggregate_pairs_capacity", 4000),
        ("gpu_total_aggregate_pairs_capacity", 5000),
        ("gpu_max_soft_body_contacts", 6000),
        ("gpu_max_particle_contacts", 7000),
        ("gpu_heap_capacity", 8000),
        ("gpu_temp_buffer_capacity", 9000),
        ("gpu_max_num_partitions", 4),
        ("gpu_collision_stack_size", 10000),
        ("enable_scene_query_support", True),
        ("invert_collision_group_filter", True),
    ],
)
def test_settings_are_kept(world, name, value):
    context = world.get_physics_context()
    getattr(context, f"set_{name}")(value)
    found = getattr(context, f"get_{name}")()
    assert found == (pytest.approx(value) if isinstance(value, float) else value)


def test_flags_are_kept(world, device):
    context, on_gpu = world.get_physics_context(), device != "cpu"
    for name in ("ccd", "stablization", "gpu_dynamics"):
        getattr(context, f"enable_{name}")(True)
        assert getattr(context, f"is_{name}_enabled")() is not (on_gpu and name == "ccd")  # PhysX has none on GPUs
        getattr(context, f"enable_{name}")(False)
        assert getattr(context, f"is_{name}_enabled")() is False
    context.enable_fabric(True)
    assert context.use_fabric is True
    context.enable_fabric(False)
    context.set_physx_update_transformations_settings(True, False, True, False)
    assert context.get_physx_update_transformations_settings() == (True, False, True, False)
    assert context.device == device and context.use_gpu_sim is context.use_gpu_pipeline is on_gpu
    with pytest.raises(ValueError, match="solver type 'XPBD'"):
        context.set_solver_type("XPBD")
    assert "PhysxSceneAPI" in applied_schemas(context._physx_scene_api.GetPrim())


def test_the_solver_and_the_bounce_threshold_reach_the_engine(world):
    boxes(1)
    context = world.get_physics_context()
    context.set_solver_type("PGS")
    context.set_bounce_threshold(0.25)
    world.reset()
    found = simulation.get().world
    assert found is not None
    settings = found.world[c.Settings]
    to_host = found.world.engine.device.to_host
    assert float(to_host(settings.bounce_threshold)[0, 0]) == pytest.approx(0.25)
    assert int(to_host(settings.projected)[0, 0]) == 1


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e39])
def test_settings_that_no_engine_can_have(world, value):
    context = world.get_physics_context()
    before = context.get_gravity(), context.get_bounce_threshold(), context.get_physics_dt()
    for wrong in (value, -value):
        with pytest.raises(ValueError, match="gravity"):
            context.set_gravity(wrong)
        with pytest.raises(ValueError, match="bounce_threshold"):
            context.set_bounce_threshold(wrong)
        with pytest.raises(ValueError, match="physics dt must be"):
            context.set_physics_dt(wrong)
    assert (context.get_gravity(), context.get_bounce_threshold(), context.get_physics_dt()) == before


def test_sim_params():
    world = World(sim_params={"gravity": [0.0, 0.0, -5.0], "dt": 0.01, "solver_type": 0, "unknown": 3})
    assert world.get_physics_context().get_gravity()[1] == pytest.approx(5.0)
    assert world.get_physics_context().get_solver_type() == "PGS"


def test_a_scene_that_is_there_already_counts(world):
    World.clear_instance()
    context = PhysicsContext(prim_path="/other", set_defaults=False)
    assert context.prim_path == "/physicsScene"
    assert SimulationManager.get_default_physics_scene() == "/physicsScene"
    with pytest.raises(ValueError, match="no physics scene at '/nowhere'"):
        SimulationManager.set_default_physics_scene("/nowhere")
    with pytest.raises(ValueError, match=r"<= 1\.0"):
        context.set_physics_dt(2.0)
