"""The world of a script: one at a time, that plays, pauses, stops and steps, and whom it tells."""

from __future__ import annotations

import asyncio
import gc

import numpy as np
import pytest
from facade.isaacsim.core_scenes import kind, kind_of_pose

from phalanx.facade import stage
from phalanx.facade.carb.settings import get_settings
from phalanx.facade.isaacsim.core.api import SimulationContext, World
from phalanx.facade.isaacsim.core.api.objects import DynamicCuboid
from phalanx.facade.isaacsim.core.simulation_manager import IsaacEvents, SimulationManager
from phalanx.facade.isaacsim.core.utils.stage import update_stage, update_stage_async
from phalanx.facade.omni.kit.app import get_app
from phalanx.facade.omni.timeline import TimelineEventType, get_timeline_interface
from phalanx.facade.simulation import WARM_UP


def cube(world: World, height: float = 1.0) -> DynamicCuboid:
    return world.scene.add(DynamicCuboid("/World/cube", "cube", position=np.array([0.0, 0.0, height]), size=0.2))


def test_there_is_one(world):
    assert World.instance() is world is SimulationContext.instance()
    assert World(physics_dt=0.5) is world and world.get_physics_dt() == pytest.approx(1 / 60)
    World.clear_instance()
    assert World.instance() is None
    World.clear_instance()
    other = World(physics_dt=0.01)
    assert other is not world and other.get_physics_dt() == pytest.approx(0.01)


def test_another_stage_ends_it(world):
    stage.new_stage()
    assert World.instance() is None


def test_wrong_arguments():
    with pytest.raises(ValueError, match="backend 'jax'"):
        World(backend="jax")
    assert World.instance() is None  # nothing is half made
    with pytest.raises(ValueError, match=r"device .gpu."):
        World(device="gpu")
    with pytest.raises(ValueError, match="physics dt must be >= 0"):
        World(physics_dt=-1.0)
    with pytest.raises(ValueError, match="rendering_dt cannot be <0"):
        World(rendering_dt=-1.0)
    World()


def test_it_falls_as_the_engine_integrates(world):
    body = cube(world)
    world.reset()
    assert world.current_time == 0.0 and world.current_time_step_index == 0
    for _ in range(30):
        world.step(render=False)
    dt, n = world.get_physics_dt(), 30
    assert world.current_time == pytest.approx(0.5) and world.current_time_step_index == n
    # semi-implicit Euler: v_k = -g k dt, z = z0 - g dt^2 n (n + 1) / 2
    assert body.get_linear_velocity()[2] == pytest.approx(-9.81 * n * dt, rel=1e-4)
    assert body.get_world_pose()[0][2] == pytest.approx(1.0 - 9.81 * dt**2 * n * (n + 1) / 2, rel=1e-4)


def test_play_pause_stop(world):
    body = cube(world)
    assert world.is_stopped() and not world.is_playing() and not world.is_simulating()
    world.step(render=False)
    assert world.current_time_step_index == 0
    world.play()
    assert world.is_playing() and world.is_simulating()
    world.step(render=False)
    world.pause()
    assert not world.is_playing() and not world.is_stopped() and world.is_simulating()
    before = body.get_world_pose()[0]
    world.step(render=False)
    world.step(render=True)
    np.testing.assert_array_equal(body.get_world_pose()[0], before)
    world.play()
    world.step(render=False)
    assert world.current_time_step_index == 2 and body.get_world_pose()[0][2] < before[2]
    world.stop()
    assert world.is_stopped() and world.current_time == 0.0
    assert body.get_world_pose()[0][2] == 1.0  # the stage has what it had


def test_reset_goes_back_and_a_soft_one_keeps_the_world(world):
    body = cube(world)
    world.reset()
    for _ in range(10):
        world.step(render=False)
    view = world.physics_sim_view
    world.reset(soft=True)
    assert world.physics_sim_view is view and world.current_time_step_index == 10
    np.testing.assert_allclose(body.get_world_pose()[0], [0, 0, 1])
    np.testing.assert_allclose(body.get_linear_velocity(), 0, atol=1e-7)
    body.set_default_state(position=np.array([1.0, 2.0, 3.0]))
    world.reset()
    assert world.physics_sim_view is not view and world.current_time_step_index == 0
    np.testing.assert_allclose(body.get_world_pose()[0], [1, 2, 3])


@pytest.mark.parametrize(
    ("physics_dt", "rendering_dt", "steps"),
    [(1 / 60, 1 / 60, 10), (1 / 240, 1 / 60, 40), (1 / 120, 1 / 60, 20), (1 / 60, 1 / 120, 5), (0.0, 1 / 60, 0)],
)
def test_frames_have_the_steps_that_fit(world, physics_dt, rendering_dt, steps):
    world.set_simulation_dt(physics_dt, rendering_dt)
    assert world.get_rendering_dt() == pytest.approx(rendering_dt)
    cube(world)
    world.reset()
    for _ in range(10):
        world.step(render=True)
    assert world.current_time_step_index == steps
    assert world.current_time == pytest.approx(steps * physics_dt)


def test_rendering_lets_no_time_pass(world):
    cube(world)
    world.reset()
    before = get_app().get_update_number()
    for _ in range(3):
        world.render()
    assert world.current_time_step_index == 0 and get_app().get_update_number() == before + 3


def test_callbacks_are_called_by_name_and_in_order(world, caplog):
    cube(world)
    log: list[object] = []
    world.add_physics_callback("physics", lambda dt: log.append(("physics", dt)))
    world.add_render_callback("render", lambda event: log.append(("render", event.payload["dt"])))
    world.add_timeline_callback("timeline", lambda event: log.append(TimelineEventType(event.type).name))
    world.add_physics_callback("physics", lambda dt: log.append("never"))
    assert "already exists" in caplog.text
    world.reset()
    assert "PLAY" in log and not any(entry[0] == "physics" for entry in log if isinstance(entry, tuple))
    log.clear()
    world.step(render=True)
    dt = world.get_physics_dt()
    assert [e for e in log if isinstance(e, tuple)] == [
        ("physics", pytest.approx(dt)),
        ("render", pytest.approx(world.get_rendering_dt())),
    ]
    world.reset()  # callbacks outlive it
    log.clear()
    world.step(render=False)
    assert log == [("physics", pytest.approx(dt))]
    assert world.physics_callback_exists("physics") and not world.physics_callback_exists("other")
    world.remove_physics_callback("physics")
    world.remove_render_callback("render")
    world.remove_timeline_callback("timeline")
    log.clear()
    world.step()
    assert log == []
    world.remove_physics_callback("physics")
    assert "doesn't exist" in caplog.text


def test_a_callback_sees_the_state_before_its_step(world):
    body, seen = cube(world), []
    world.add_physics_callback("look", lambda dt: seen.append(float(body.get_world_pose()[0][2])))
    world.reset()
    world.step(render=False)
    assert seen == [1.0] and body.get_world_pose()[0][2] < 1.0


def test_who_registers_with_the_manager_is_told(world):
    cube(world)
    log: list[object] = []

    class Owner:
        def hear(self, event) -> None:
            log.append("ready")

    owner = Owner()
    numbers = [
        SimulationManager.register_callback(owner.hear, IsaacEvents.PHYSICS_READY),
        SimulationManager.register_callback(lambda e: log.append("warmup"), IsaacEvents.PHYSICS_WARMUP),
        SimulationManager.register_callback(lambda dt: log.append("before"), IsaacEvents.PRE_PHYSICS_STEP),
        SimulationManager.register_callback(lambda dt: log.append("after"), IsaacEvents.POST_PHYSICS_STEP),
        SimulationManager.register_callback(lambda e: log.append("stop"), IsaacEvents.TIMELINE_STOP),
        SimulationManager.register_callback(lambda path: log.append(path), IsaacEvents.PRIM_DELETION),
    ]
    world.reset()
    world.step(render=False)
    assert log == ["warmup", "ready", "before", "after"]
    del owner
    gc.collect()
    world.stop()
    world.scene.remove_object("cube")
    assert log[4:] == ["stop", "/World/cube"]
    world.play()
    assert log[6:] == ["warmup"]  # who owned the method is gone
    for number in numbers:
        SimulationManager.deregister_callback(number)


def test_the_timeline_is_the_same_simulation(world):
    body, timeline = cube(world), get_timeline_interface()
    timeline.play()
    assert world.is_playing() and body.is_valid()
    for _ in range(6):
        get_app().update()
    assert world.current_time_step_index == 6 and timeline.get_current_time() == pytest.approx(0.1)
    timeline.stop()
    assert world.is_stopped() and timeline.get_current_time() == 0.0


def test_coroutines_let_frames_pass(world):
    cube(world)

    async def run() -> int:
        await world.initialize_simulation_context_async()
        await world.reset_async()
        for _ in range(4):
            await get_app().next_update_async()
        await world.pause_async()
        await get_app().next_update_async()
        return world.current_time_step_index

    assert asyncio.run(run()) == 4


@pytest.fixture
def warm_up():
    get_settings().set(WARM_UP, True)
    yield
    get_settings().set(WARM_UP, False)


def test_two_steps_before_views_if_they_are_wanted(world, warm_up):
    """As in Isaac Sim 5.1: callbacks of the manager are called from the third step on."""
    seen, dt = [], world.get_physics_dt()
    kept = SimulationManager.register_callback(seen.append, IsaacEvents.POST_PHYSICS_STEP)
    body = DynamicCuboid("/World/cube", position=np.array([0.0, 0.0, 1.0]), size=0.2)
    timeline = get_timeline_interface()
    timeline.play()
    assert SimulationManager.get_num_physics_steps() == 2 and seen == []
    update_stage()
    assert SimulationManager.get_num_physics_steps() == 3 and len(seen) == 1
    body.initialize()
    assert body.get_world_pose()[0][2] == pytest.approx(1.0 - 9.81 * dt**2 * 6, rel=1e-5)
    timeline.pause()
    update_stage()
    assert SimulationManager.get_num_physics_steps() == 3
    assert SimulationManager.is_simulating() and SimulationManager.is_paused()
    timeline.stop()
    assert not SimulationManager.is_simulating() and not SimulationManager.is_paused()
    SimulationManager.deregister_callback(kept)


def test_times_of_frames(world):
    clock, dt = SimulationManager._simulation_manager_interface, 1.0 / 60.0
    cube(world)
    assert clock.get_sample_range() is None and clock.get_simulation_time_at_time((0, 0)) == 0.0
    in_all = clock.get_simulation_time_monotonic()
    world.reset()
    asyncio.run(update_stage_async())
    world.step(render=False)  # of the next frame, as the one that follows
    for _ in range(clock.get_buffer_capacity() + 3):
        update_stage()
    samples = clock.get_all_samples()
    steps = SimulationManager.get_num_physics_steps()
    assert len(samples) == clock.get_sample_count() == clock.get_buffer_capacity()
    assert samples[-1].data.sim_time == pytest.approx(steps * dt) == clock.get_simulation_time()
    assert clock.get_simulation_time_monotonic() == pytest.approx(in_all + steps * dt)
    between = clock.get_sample_range()
    assert between is not None
    first, last = between
    assert last.to_float() - first.to_float() == pytest.approx((len(samples) - 1) * dt)
    between = (2 * samples[4].time.numerator + 1, 2 * samples[4].time.denominator)
    assert clock.get_simulation_time_at_time(between) == pytest.approx(samples[4].data.sim_time + 0.5 * dt)
    assert clock.get_simulation_time_at_time(samples[7].time) == samples[7].data.sim_time
    assert clock.get_simulation_time_at_time((0, 1)) == clock.get_simulation_time(), "it is forgotten"
    clock.log_statistics()
    world.stop()
    assert clock.get_sample_count() == 0 and clock.get_simulation_time() == 0.0


def test_backend_and_units(world, backend):
    body = cube(world)
    world.reset()
    assert world.backend == backend and kind(body.get_world_pose()[0]) == kind_of_pose(backend)
    assert kind(body.get_linear_velocity()) == backend
    assert world.backend_utils.__name__.endswith(backend)


@pytest.mark.gpu
@pytest.mark.usefixtures("handed_out_as_ever")
def test_numpy_becomes_torch_where_a_gpu_simulates(gpu, caplog):
    pytest.importorskip("torch", reason="torch is not installed")
    world = World(stage_units_in_meters=1.0, backend="numpy", device=gpu)
    body = cube(world)
    assert world.backend == "numpy" and isinstance(body.get_world_pose()[0], np.ndarray)
    world.reset()
    assert world.backend == "torch" and body.get_world_pose()[0].is_cuda
    assert "the backend is torch from now on" in caplog.text


def test_clear_leaves_the_scene_of_physics(world):
    cube(world)
    world.reset()
    world.stop()
    world.clear()
    assert not world.scene.object_exists("cube")
    left = {str(prim.GetPath()) for prim in world.stage.Traverse()}
    assert "/physicsScene" in left and "/World/cube" not in left
