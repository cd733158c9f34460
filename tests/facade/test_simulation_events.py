"""What Isaac Lab's managers and environments hear of a simulation: timeline, application, steps, SimulationManager."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from phalanx.facade import physics_steps, stage
from phalanx.facade.arrays import accept
from phalanx.facade.event_streams import EventStream
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.assets import RigidObject, RigidObjectCfg
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.facade.isaacsim.core.simulation_manager import IsaacEvents, SimulationManager
from phalanx.facade.isaacsim.core.version import get_version, parse_version
from phalanx.facade.omni.kit.app import get_app
from phalanx.facade.omni.physics.tensors import create_simulation_view
from phalanx.facade.omni.physx import get_physx_interface, get_physx_simulation_interface
from phalanx.facade.omni.timeline import TimelineEventType, get_timeline_interface


@pytest.fixture(autouse=True)
def empty():
    SimulationContext.clear_instance()
    stage.new_stage()
    yield
    SimulationContext.clear_instance()


def ball(path: str = "/World/Ball") -> RigidObject:
    shape = sim_utils.SphereCfg(
        radius=0.1,
        rigid_props=sim_utils.RigidBodyPropertiesCfg(),
        mass_props=sim_utils.MassPropertiesCfg(mass=1.0),
        collision_props=sim_utils.CollisionPropertiesCfg(),
    )
    return RigidObject(RigidObjectCfg(prim_path=path, spawn=shape))


def test_streams_tell_in_order_as_long_as_a_subscription_is_held():
    stream, log = EventStream(), []
    late = stream.create_subscription_to_pop(lambda event: log.append(("late", event.type, event.payload)), order=5)
    early = stream.create_subscription_to_pop_by_type(2, lambda event: log.append(("early", event.type)), order=-1)
    stream.push(2, payload={"dt": 0.5})
    stream.push(3)
    assert log == [("early", 2), ("late", 2, {"dt": 0.5}), ("late", 3, {})]
    early.unsubscribe()
    early.unsubscribe()
    del late
    gc.collect()
    stream.push(2)
    assert len(log) == 3
    with pytest.raises(TypeError, match="not callable"):
        stream.create_subscription_to_pop(None)  # pyright: ignore[reportArgumentType]


def test_the_timeline_tells_after_assets_know_their_bodies(device):
    sim = SimulationContext(SimulationCfg(device=device))
    thing, log = ball(), []
    stream = get_timeline_interface().get_timeline_event_stream()
    held = stream.create_subscription_to_pop(
        lambda e: log.append((TimelineEventType(e.type).name, thing.is_initialized))
    )
    assert get_timeline_interface().is_stopped()
    sim.reset()
    get_timeline_interface().pause()
    get_timeline_interface().play()
    sim.stop()
    assert log == [("PLAY", True), ("PAUSE", True), ("PLAY", True), ("STOP", False)]
    del held


def test_steps_and_updates_are_told(device):
    sim = SimulationContext(SimulationCfg(device=device, dt=0.01, render_interval=2))
    ball()
    sim.reset()
    log: list[tuple[str, float]] = []
    after = get_physx_interface().subscribe_physics_step_events(lambda dt: log.append(("after", sim.current_time)))
    before = physics_steps.BEFORE.create_subscription_to_pop(lambda e: log.append(("before", e.payload["dt"])))
    update = (
        get_app()
        .get_post_update_event_stream()
        .create_subscription_to_pop(lambda e: log.append(("update", e.payload["dt"])))
    )
    sim.step(render=False)
    sim.step()
    assert log == [("before", 0.01), ("after", 0.01), ("before", 0.01), ("after", 0.02), ("update", 0.02)]
    get_physx_simulation_interface().simulate(0.01, 0.0)
    assert sim.current_time_step_index == 3
    with pytest.raises(ValueError, match=r"steps are 0\.01 s long"):
        get_physx_simulation_interface().simulate(0.02, 0.0)
    for one in (after, before, update):
        one.unsubscribe()


def test_the_simulation_manager(device):
    assert SimulationManager.get_physics_sim_view() is None and not SimulationManager.is_simulating()
    sim = SimulationContext(SimulationCfg(device=device, dt=0.02))
    thing, log = ball(), []

    class Owner:
        def hear(self, event) -> None:
            log.append("ready")

    owner = Owner()
    numbers = [
        SimulationManager.register_callback(owner.hear, IsaacEvents.PHYSICS_READY),
        SimulationManager.register_callback(lambda dt: log.append(dt), IsaacEvents.POST_PHYSICS_STEP),
        SimulationManager.register_callback(lambda event: log.append("stop"), IsaacEvents.TIMELINE_STOP),
    ]
    sim.reset()
    sim.step(render=False)
    assert log == ["ready", 0.02] and SimulationManager.get_num_physics_steps() == 1
    assert (SimulationManager.get_physics_dt(), SimulationManager.get_physics_sim_device()) == (0.02, sim.device)
    view = SimulationManager.get_physics_sim_view()
    assert view is sim.physics_sim_view is create_simulation_view("torch")
    assert view is not None
    body = view.create_rigid_body_view("/World/B*l")
    assert body.prim_paths == ["/World/Ball"] and body.max_shapes == 1
    np.testing.assert_array_equal(accept(body.get_transforms()), accept(thing.root_physx_view.get_transforms()))
    with pytest.raises(ValueError, match="nothing matches '/World/Nothing'"):
        view.create_rigid_body_view("/World/Nothing")
    view.set_gravity((0.0, 0.0, 0.0))
    before = accept(body.get_velocities())
    sim.step(render=False)
    np.testing.assert_allclose(accept(body.get_velocities()), before, atol=1e-6)
    del owner
    gc.collect()
    sim.reset()
    assert log == ["ready", 0.02, 0.02, "stop"]  # the owner of the method is gone
    for number in numbers:
        SimulationManager.deregister_callback(number)
    with pytest.raises(ValueError, match="no callback"):
        SimulationManager.deregister_callback(numbers[0])
    with pytest.raises(ValueError, match="IsaacEvents"):
        SimulationManager.register_callback(print, "play")  # pyright: ignore[reportArgumentType]


def test_clearing_leaves_the_physics_scene(device):
    sim = SimulationContext(SimulationCfg(device=device, physics_prim_path="/World/physicsScene"))
    ball("/World/Things/Ball")
    sim.clear()
    left = [str(prim.GetPath()) for prim in sim.stage.Traverse()]
    assert left == ["/World", "/World/physicsScene", "/World/physicsScene/defaultMaterial"]


def test_a_later_simulation_does_not_know_what_was_made_for_an_earlier_one(device):
    SimulationContext(SimulationCfg(device=device))
    old = ball("/World/Old")
    SimulationContext.clear_instance()
    stage.new_stage()
    sim = SimulationContext(SimulationCfg(device=device))
    new = ball("/World/New")
    sim.reset()  # the old one's prim is not on this stage
    assert new.is_initialized and not old.is_initialized


def test_a_stage_of_its_own(device):
    sim = SimulationContext(SimulationCfg(device=device, create_stage_in_memory=True))
    assert sim.stage is not stage.get_stage() and sim.get_initial_stage() is sim.stage
    with sim_utils.use_stage(sim.stage):
        ball()
        sim.reset()
    assert not stage.get_stage().GetPrimAtPath("/World/Ball") and sim.stage.GetPrimAtPath("/World/Ball")
    sim.step()


def test_versions():
    assert get_version()[0] == "5.1.0" and get_version()[2:5] == ("5", "1", "0")
    found = parse_version("5.1.0-rc.19+release.2")
    assert (found.core, found.pretag, found.prebuild, found.buildtag) == ("5.1.0", "rc", "19", "release.2")
    with pytest.raises(ValueError, match="three numbers"):
        parse_version("5.1")
