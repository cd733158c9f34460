"""The simulation of a process: there is one, it plays and stops, and tells those who listen."""

from __future__ import annotations

import gc
import logging
import math
import weakref
from collections.abc import Iterator

import numpy as np
import pytest
from oracles import host

from phalanx.ecs.device import cuda_available
from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.sim import PhysxCfg, SimulationCfg, SimulationContext, build_simulation_context
from phalanx.facade.omni.timeline import TimelineEventType
from phalanx.facade.physics_events import Event, Subscription
from phalanx.io.formats.usd.bindings import UsdGeom, UsdPhysics
from phalanx.io.formats.usd.writer.shapes import write_triangles
from phalanx.models.meshes import triangle_mesh


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    stage.new_stage()
    yield
    SimulationContext.clear_instance()
    physics_events.clear()


class Listener:
    """Somebody who wants to know."""

    def __init__(self, order: int = 10, log: list[str] | None = None, name: str = "") -> None:
        self.log = [] if log is None else log
        self.name = name
        self.subscriptions = [
            Subscription(event, self.play if event is Event.PLAY else self.stop, order) for event in Event
        ]

    def play(self) -> None:
        self.log.append(f"{self.name}play")

    def stop(self) -> None:
        self.log.append(f"{self.name}stop")


def test_there_is_one(device: str, caplog: pytest.LogCaptureFixture) -> None:
    assert SimulationContext.instance() is None
    sim = SimulationContext(SimulationCfg(device=device, dt=0.01))
    assert SimulationContext() is sim and SimulationContext.instance() is sim
    with caplog.at_level(logging.WARNING, "phalanx.facade"):
        assert SimulationContext(SimulationCfg(dt=0.02)) is sim
    assert sim.get_physics_dt() == 0.01 and "keeps its settings" in caplog.text
    SimulationContext.clear_instance()
    assert SimulationContext.instance() is None
    freed = weakref.ref(sim)
    other = SimulationContext(SimulationCfg(device=device, dt=0.02, render_interval=4))
    assert other is not sim and other.get_rendering_dt() == 0.08
    del sim
    gc.collect()
    assert freed() is None


def test_another_stage_ends_it(caplog) -> None:
    sim = SimulationContext(SimulationCfg(device="cpu"))
    stage.set_stage(sim.stage)  # the one that it has
    assert SimulationContext.instance() is sim
    sim.play()
    sim._timeline.stop()
    assert sim.is_stopped()
    stage.new_stage()
    assert SimulationContext.instance() is None and sim.is_stopped() and "a new stage was opened" in caplog.text
    apart = SimulationContext(SimulationCfg(device="cpu", create_stage_in_memory=True))
    stage.set_stage(apart.stage)  # as it is attached to the context of USD
    assert SimulationContext.instance() is apart
    stage.new_stage()
    assert SimulationContext.instance() is None


def test_playing(device: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ball falls as it should while it plays, not while it is paused, and from where it was after a reset."""
    with build_simulation_context(device=device, dt=0.01, add_ground_plane=True, add_lighting=True) as sim:
        ball = sim_utils.SphereCfg(
            radius=0.1,
            rigid_props=sim_utils.RigidBodyPropertiesCfg(),
            mass_props=sim_utils.MassPropertiesCfg(mass=1.0),
            collision_props=sim_utils.CollisionPropertiesCfg(),
        )
        ball.func("/World/ball", ball, translation=(0.0, 0.0, 2.0))
        assert sim.stage.GetPrimAtPath("/World/defaultGroundPlane") and sim.stage.GetPrimAtPath(
            "/World/defaultDomeLight"
        )
        assert sim.is_stopped() and not sim.is_playing() and sim.device == device
        monkeypatch.setattr("phalanx.facade.once._told", set())
        rendered: list[object] = []
        sim.add_render_callback("count", rendered.append)
        with caplog.at_level(logging.WARNING, "phalanx.facade"):
            sim.step()  # draws, as scripts do before they reset, and simulates nothing
            sim.step(render=False)
        assert len(rendered) == 1 and sim.is_stopped() and sim.current_time == 0.0
        assert "call sim.reset() first" in caplog.text
        with pytest.raises(RuntimeError, match=r"call sim.reset\(\) first"):
            sim.stage_world  # noqa: B018
        for _ in range(2):
            sim.reset()
            assert sim.is_playing() and sim.current_time == 0.0
            height = lambda: float(host(sim.stage_world.world.objects["ball"].root_pose)[0, 2])  # noqa: E731
            for _ in range(20):
                sim.step()
            fallen = 9.81 * 0.01**2 * 20 * 21 / 2  # semi-implicit Euler, summed
            assert height() == pytest.approx(2.0 - fallen, abs=1e-5)
            sim.pause()
            sim.step()
            assert sim.current_time_step_index == 20 and not sim.is_playing() and not sim.is_stopped()
            sim.play()
            sim.step(render=False)
            assert sim.current_time == pytest.approx(0.21)
        sim.reset(soft=True)
        assert height() == 2.0 and sim.current_time == 0.0
        sim.stop()
        assert sim.is_stopped()
    assert SimulationContext.instance() is None


def test_listeners_are_told_in_order_and_not_kept_alive(device: str) -> None:
    log: list[str] = []
    late, early = Listener(20, log, "late "), Listener(5, log, "early ")
    sim = SimulationContext(SimulationCfg(device=device))
    sim.reset()
    sim.reset()
    told = ["early play", "late play"]
    assert log == [*told, "early stop", "late stop", *told]
    freed = weakref.ref(late)
    del late
    gc.collect()
    assert freed() is None
    early.subscriptions[1].cancel()
    early.subscriptions[1].cancel()
    SimulationContext.clear_instance()
    assert log[6:] == [] and not physics_events._alive()  # a later simulation tells none of them


def test_what_a_listener_raises_leaves_the_simulation_stopped(device: str) -> None:
    class Fails(Listener):
        def play(self) -> None:
            raise RuntimeError("no such body")

    kept = Fails()
    sim = SimulationContext(SimulationCfg(device=device))
    with pytest.raises(RuntimeError, match="no such body"):
        sim.reset()
    assert sim.is_stopped() and kept.log == ["stop"]


def test_callbacks(device: str) -> None:
    sim = SimulationContext(SimulationCfg(device=device, dt=0.01, render_interval=2))
    calls: list[object] = []
    sim.add_physics_callback("one", calls.append)
    sim.add_render_callback("two", lambda event: calls.append(event.payload["dt"]))
    sim.add_timeline_callback("three", lambda event: calls.append(TimelineEventType(event.type)))
    sim.reset()
    sim.step()
    sim.step(render=False)
    sim.pause()
    sim.play()
    sim.stop()
    play, pause, stop = TimelineEventType.PLAY, TimelineEventType.PAUSE, TimelineEventType.STOP
    assert calls == [play, 0.01, 0.02, 0.01, pause, play, stop]
    with pytest.raises(ValueError, match="already a physics callback named 'one'"):
        sim.add_physics_callback("one", calls.append)
    with pytest.raises(TypeError, match="'four' must be callable"):
        sim.add_physics_callback("four", 4)  # pyright: ignore[reportArgumentType]
    sim.remove_physics_callback("one")
    assert not sim.physics_callback_exists("one") and sim.render_callback_exists("two")
    with pytest.raises(KeyError, match="no physics callback named 'one'; there are none"):
        sim.remove_physics_callback("one")
    sim.clear_all_callbacks()
    assert not sim.timeline_callback_exists("three")


def test_tasks_of_drones_reach_for_gravity(device: str) -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'phalanx[torch]')")
    sim = SimulationContext(SimulationCfg(device=device, gravity=(0.0, 3.0, -4.0)))
    assert sim._gravity_tensor.tolist() == [0.0, 3.0, -4.0]
    assert str(sim._gravity_tensor.device) == device and float(sim._gravity_tensor.norm()) == 5.0


def test_scripts_reach_for_settings_of_the_application(device: str) -> None:
    sim = SimulationContext(SimulationCfg(device=device))
    sim.set_setting("/physics/mine", 3)
    assert sim.carb_settings.get("/physics/mine") == 3


def test_settings_reach_the_engine(device: str) -> None:
    physx = PhysxCfg(solver_type=0, min_position_iteration_count=8, max_velocity_iteration_count=0)
    physx.bounce_threshold_velocity = 0.3
    sim = SimulationContext(SimulationCfg(device=device, dt=0.004, gravity=(0.0, 3.0, -4.0), physx=physx))
    box = sim_utils.CuboidCfg(
        size=(0.1, 0.1, 0.1),
        rigid_props=sim_utils.RigidBodyPropertiesCfg(),
        collision_props=sim_utils.CollisionPropertiesCfg(),
    )
    box.func("/World/box", box)
    sim.reset()
    world = sim.stage_world.world
    assert (world.dt, world.gravity, world.solver_iterations) == (0.004, (0.0, 3.0, -4.0), (8, 0))
    material = world.objects["box"].material
    np.testing.assert_allclose(host(material)[0, 0], [0.5, 0.5, 0.0])
    scene = sim.stage.GetPrimAtPath("/physicsScene")
    assert scene.GetAttribute("physics:gravityMagnitude").Get() == pytest.approx(5.0)
    sim.step()
    np.testing.assert_allclose(host(world.objects["box"].root_vel)[0, :3], [0, 0.012, -0.016], atol=1e-6)
    context = sim.get_physics_context()
    direction, size = context.get_gravity()
    np.testing.assert_allclose(np.multiply(direction, size), [0.0, 3.0, -4.0], atol=1e-6)
    assert (context.get_physics_dt(), context.get_solver_type(), context.prim_path) == (0.004, "PGS", "/physicsScene")
    assert context.get_bounce_threshold() == 0.3
    context.set_gravity(-2.0)
    sim.step()
    np.testing.assert_allclose(host(world.objects["box"].root_vel)[0, :3], [0, 0.012, -0.024], atol=1e-6)
    sim.reset()
    assert sim.stage_world.world.gravity == (0.0, 0.0, -2.0) and context.get_gravity() == ([0.0, 0.0, -1.0], 2.0)


def test_a_reset_prepares_only_meshes_that_are_new(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[int] = []
    real = triangle_mesh._prepared
    monkeypatch.setattr(triangle_mesh, "_prepared", lambda *given: prepared.append(len(given[1])) or real(*given))
    corners = np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0.1]])
    made = UsdGeom.Mesh.Define(stage.get_stage(), "/World/ground")
    write_triangles(made, corners, np.array([[0, 1, 2], [0, 2, 3]]))
    UsdPhysics.CollisionAPI.Apply(made.GetPrim())
    UsdPhysics.MeshCollisionAPI.Apply(made.GetPrim()).CreateApproximationAttr("none")
    sim = SimulationContext(SimulationCfg(device=device, dt=0.01))
    sim.reset()
    first = sim.stage_world
    sim.reset()
    assert prepared == [2] and sim.stage_world is not first
    [geometry] = sim.stage_world.geometries()
    assert first.geometries() == [geometry]
    made.GetPointsAttr().Set((corners + [0.0, 0.0, 0.5]).tolist())
    sim.reset()
    assert prepared == [2, 2]
    [other] = sim.stage_world.geometries()
    np.testing.assert_allclose(other.vertices[:, 2] - geometry.vertices[:, 2], 0.5)
    old = weakref.ref(geometry)
    del first, geometry
    gc.collect()
    assert old() is None


@pytest.mark.parametrize(
    ("cfg", "text"),
    [
        (SimulationCfg(dt=0.0), "dt=0.0"),
        (SimulationCfg(device="gpu"), "device='gpu'"),
        (SimulationCfg(render_interval=0), "render_interval=0"),
        (SimulationCfg(physx=PhysxCfg(min_position_iteration_count=0)), "min_position_iteration_count=0"),
        (SimulationCfg(physx=PhysxCfg(solver_type=2)), "solver_type=2"),  # pyright: ignore[reportArgumentType]
        (SimulationCfg(dt=math.nan), r"SimulationCfg\.dt=nan"),
        (SimulationCfg(dt=math.inf), r"SimulationCfg\.dt=inf"),
        (SimulationCfg(dt=1e39), r"SimulationCfg\.dt=1e\+39"),
        (SimulationCfg(gravity=(0.0, 0.0, math.nan)), r"SimulationCfg\.gravity=\(0\.0, 0\.0, nan\)"),
        (SimulationCfg(gravity=(0.0, 0.0, 1e39)), r"SimulationCfg\.gravity=.*greatest number of float32"),
        (SimulationCfg(gravity=(0.0, 0.0)), r"gravity=\(0\.0, 0\.0\): must be three"),  # pyright: ignore[reportArgumentType]
        (SimulationCfg(render_interval=1.5), "render_interval=1.5"),  # pyright: ignore[reportArgumentType]
        (SimulationCfg(physx=PhysxCfg(bounce_threshold_velocity=-1.0)), "bounce_threshold_velocity=-1.0"),
        (SimulationCfg(physx=PhysxCfg(bounce_threshold_velocity=math.nan)), "bounce_threshold_velocity=nan"),
        (SimulationCfg(physx=PhysxCfg(bounce_threshold_velocity=1e39)), r"bounce_threshold_velocity is 1e\+39"),
        (SimulationCfg(physx=PhysxCfg(friction_correlation_distance=-1.0)), "friction_correlation_distance=-1.0"),
        (SimulationCfg(physx=PhysxCfg(min_velocity_iteration_count=9, max_velocity_iteration_count=8)), "not be above"),
        (SimulationCfg(physx=PhysxCfg(max_velocity_iteration_count=1.5)), "=1.5"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_wrong_settings(cfg: SimulationCfg, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        SimulationContext(cfg)
    assert SimulationContext.instance() is None


def test_without_a_gpu_it_runs_on_the_cpu() -> None:
    """Isaac Lab's ManagerBasedRLEnv makes tensors on the configuration's device before there is a simulation."""
    wanted = "cuda:0" if cuda_available() else "cpu"
    assert SimulationCfg().device == wanted
    assert SimulationContext(SimulationCfg(device="cuda:0")).device == wanted


def test_a_context_whose_stage_is_gone_has_nothing_to_clear(device: str) -> None:
    """As in a ``with build_simulation_context()`` within another one, which opens a stage of its own."""
    with build_simulation_context(device=device) as outer:
        with build_simulation_context(device=device) as inner:
            assert inner is not outer
        gc.collect()
        outer.stop()
        outer.clear()
        outer.clear_all_callbacks()
