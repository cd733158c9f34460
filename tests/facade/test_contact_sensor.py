"""Contact sensors: weights, pairs, points, friction, histories, times in the air and in contact, resets, wrong use."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from facade.sensor_scenes import G, box, environments, ground
from oracles import host

from phalanx.facade import physics_events, stage
from phalanx.facade.carb.settings import get_settings
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.sensors import ContactSensor, ContactSensorCfg, prims
from phalanx.facade.isaaclab.sensors.contact_sensor.contact_sensor import PROCESSING_OFF
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.facade.shared_device import shares_memory

DT = 1 / 200
LOWER, UPPER, SIZE = 2.0, 1.0, 0.2
PUSH = 3.0
ALL = {"track_pose": True, "track_contact_points": True, "track_air_time": True, "track_friction_forces": True}
ENV = "/World/envs/env_.*"
TIMES = ("last_air_time", "current_air_time", "last_contact_time", "current_contact_time")
SHAPES = json.loads((Path(__file__).parent / "documented_shapes.json").read_text())["ContactSensorData"]


@pytest.fixture
def sim(device: str, api: str) -> Iterator[SimulationContext]:
    stage.new_stage()
    yield SimulationContext(SimulationCfg(device=device, dt=DT))
    SimulationContext.clear_instance()
    physics_events.clear()


def sensor(path: str, *filters: str, **more: Any) -> ContactSensor:
    return ContactSensor(ContactSensorCfg(prim_path=f"{ENV}/{path}", filter_prim_paths_expr=list(filters), **more))


def stack() -> list[Any]:
    """A cube on another one on the ground."""
    return [box("lower", (1.0, 0.0, SIZE / 2), SIZE, LOWER), box("upper", (1.0, 0.0, 1.5 * SIZE), SIZE, UPPER)]


def one_more() -> None:
    """A body that only the third environment has."""
    more = sim_utils.CuboidCfg(size=(0.1, 0.1, 0.1), rigid_props=sim_utils.RigidBodyPropertiesCfg())
    more.func("/World/envs/env_2/more", more, translation=(0.0, 3.0, 2.0))


def stepper(sim: SimulationContext, *things: Any) -> Callable[..., None]:
    def steps(count: int, force: bool = True) -> None:
        for _ in range(count):
            for one in things:
                if hasattr(one, "write_data_to_sim"):
                    one.write_data_to_sim()
            sim.step()
            for one in things:
                one.update(DT, force) if isinstance(one, ContactSensor) else one.update(DT)

    return steps


@pytest.mark.parametrize("count", [1, 7])
def test_shapes_are_the_documented_ones(sim: SimulationContext, count: int) -> None:
    environments(count)
    ground()
    cubes = stack()
    one = sensor("upper", f"{ENV}/lower", "/World/ground", history_length=3, **ALL)
    two = sensor(".*er", f"{ENV}/.*er", "/World/ground", history_length=2, **ALL)
    plain = sensor("lower")
    sim.reset()
    stepper(sim, *cubes, one, two, plain)(2)
    assert (one.num_bodies, two.num_bodies, one.body_names, two.body_names) == (1, 2, ["upper"], ["lower", "upper"])
    assert (one.num_instances, two.num_instances, two.contact_physx_view.filter_count) == (count, 2 * count, 3)
    assert two.find_bodies("up.*") == ([1], ["upper"]) and two.body_physx_view.count == 2 * count
    for each, sizes in ((one, {"N": count, "T": 3, "B": 1, "M": 2}), (two, {"N": count, "T": 2, "B": 2, "M": 3})):
        for name, shape in SHAPES.items():
            wanted = [sizes.get(axis, axis) for axis in shape]
            if name in ("pos_w", "quat_w") and each is two:  # the poses of all bodies
                wanted.insert(1, 2)
            assert list(getattr(each.data, name).shape) == wanted, name
    known = {name for name in SHAPES if getattr(plain.data, name) is not None}
    assert known == {"net_forces_w", "net_forces_w_history"}
    assert tuple(plain.data.net_forces_w_history.shape) == (count, 1, 1, 3)


def test_bodies_are_looked_up_once_for_all_copies(sim: SimulationContext, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    look_up = prims.place_of
    monkeypatch.setattr(prims, "place_of", lambda who, world, path: asked.append(path) or look_up(who, world, path))
    environments(7)
    ground()
    cubes = stack()
    one = sensor(".*er", track_pose=True)
    sim.reset()
    assert len(cubes) == 2 and asked == ["/World/envs/env_0/lower", "/World/envs/env_0/upper"]
    assert one.body_physx_view.prim_paths[3] == "/World/envs/env_1/upper"
    pose = host(one.data.pos_w)
    wanted = [[[5.0 * i + 1.0, -1.0, SIZE / 2], [5.0 * i + 1.0, -1.0, 1.5 * SIZE]] for i in range(7)]
    np.testing.assert_allclose(pose, wanted, atol=1e-5)


@pytest.mark.parametrize("alike", [True, False])
def test_pairs_points_and_friction(sim: SimulationContext, alike: bool) -> None:
    """What pairs exert on each other is equal and opposite, and sums up to the net force.

    On a stage whose environments are alike, and on one that becomes a single environment, since one has a body more.
    """
    environments(3)
    if not alike:
        one_more()
    ground()
    cubes = stack()
    pushed = box("pushed", (-1.0, 0.0, SIZE / 2), SIZE, LOWER)
    plate = sim_utils.CuboidCfg(size=(40.0, 9.0, 0.2), collision_props=sim_utils.CollisionPropertiesCfg())
    plate.func("/World/shelf/plate", plate, translation=(5.0, 0.0, 5.0))
    high = box("high", (0.0, 0.0, 5.1 + SIZE / 2), SIZE, LOWER)
    above = sensor("high", "/World/shelf/plate", "/World/ground", **ALL)
    both = sensor(".*er", f"{ENV}/.*er", "/World/ground", **ALL)
    rubbed = sensor("pushed", "/World/ground", **ALL)
    sim.reset()
    assert (len(sim.stage_world.env_paths) == 3) == alike
    force = np.zeros((3, 1, 3), np.float32)
    force[:, 0, 0] = PUSH
    pushed.set_external_force_and_torque(force, np.zeros_like(force))
    stepper(sim, *cubes, pushed, high, both, rubbed, above)(120)
    shelf = host(above.data.force_matrix_w)[:, 0]
    np.testing.assert_allclose(shelf, [[[0, 0, LOWER * G], [0, 0, 0]]] * 3, atol=0.01 * LOWER * G)
    data = both.data
    matrix, net = host(data.force_matrix_w), host(data.net_forces_w)
    expected = np.zeros((2, 3, 3))  # body, filter: lower, upper, ground
    expected[0, 1, 2], expected[0, 2, 2], expected[1, 0, 2] = -UPPER * G, (UPPER + LOWER) * G, UPPER * G
    np.testing.assert_allclose(matrix, [expected] * 3, atol=0.01 * LOWER * G)
    np.testing.assert_allclose(matrix.sum(2), net, atol=1e-4)
    np.testing.assert_allclose(matrix[:, 0, 1], -matrix[:, 1, 0], atol=1e-5)
    origins = host(sim.stage_world.origins) if alike else np.array([[5.0 * i, -1, 0] for i in range(3)])
    points = host(data.contact_pos_w)
    where = origins + [1.0, 0.0, 0.0]
    np.testing.assert_allclose(points[:, 0, 2], where, atol=2e-3)
    np.testing.assert_allclose(points[:, 0, 1], where + [0, 0, SIZE], atol=2e-3)
    np.testing.assert_allclose(points[:, 1, 0], where + [0, 0, SIZE], atol=2e-3)
    assert np.isnan(points[:, [0, 1, 1], [0, 1, 2]]).all()
    np.testing.assert_allclose(host(data.pos_w)[:, 1], where + [0, 0, 1.5 * SIZE], atol=2e-3)
    np.testing.assert_allclose(np.abs(host(data.quat_w)[..., 0]), 1.0, atol=1e-5)
    np.testing.assert_allclose(host(rubbed.data.friction_forces_w)[:, 0, 0], [[-PUSH, 0, 0]] * 3, atol=0.02 * PUSH)
    np.testing.assert_allclose(host(rubbed.data.force_matrix_w)[:, 0, 0], [[0, 0, LOWER * G]] * 3, atol=0.2)
    assert not host(data.friction_forces_w)[:, 0, 0].any()


def test_times_to_one_step(sim: SimulationContext) -> None:
    """Cubes are dropped from other heights, and thrown up again: times in the air are those of Galileo."""
    environments(5)
    ground()
    cube = box("cube", (0.0, 0.0, 1.0), SIZE, LOWER)
    touch = sensor("cube", track_air_time=True)
    sim.reset()
    pose = host(cube.data.root_pose_w).copy()
    height = np.array([0.05, 0.1, 0.2, 0.35, 0.5])
    pose[:, 2] = height + SIZE / 2
    cube.write_root_pose_to_sim(pose)
    steps = stepper(sim, cube, touch)
    first = np.zeros((120, 5), bool)
    for step in range(120):
        steps(1)
        first[step] = host(touch.compute_first_contact(DT))[:, 0]
        assert touch.compute_first_contact(DT).shape == (5, 1)
    fall = np.sqrt(2 * height / G)
    assert (first.sum(0) == 1).all(), "each lands once, and stays"
    landed = (first.argmax(0) + 1) * DT
    np.testing.assert_allclose(landed, fall, atol=1.01 * DT)
    data = touch.data
    np.testing.assert_allclose(host(data.last_air_time)[:, 0], landed, atol=1e-5)
    np.testing.assert_allclose(host(data.current_contact_time)[:, 0], 121 * DT - landed, atol=1e-5)
    assert not host(data.current_air_time).any() and not host(data.last_contact_time).any()
    speed = np.array([0.5, 1.0, 1.5, 2.0, 2.5])
    velocity = np.zeros((5, 6))
    velocity[:, 2] = speed
    cube.write_root_velocity_to_sim(velocity)
    steps(1)
    assert host(touch.compute_first_air(DT)).all() and not host(touch.compute_first_contact(DT)).any()
    np.testing.assert_allclose(host(touch.data.last_contact_time)[:, 0], 121 * DT - landed, atol=1.01 * DT)
    steps(3)
    assert not host(touch.compute_first_air(DT)).any() and host(touch.compute_first_air(4 * DT)).all()
    steps(116)
    np.testing.assert_allclose(host(touch.data.last_air_time)[:, 0], 2 * speed / G, atol=2.01 * DT)
    deaf = sensor("cube", track_air_time=True, force_threshold=LOWER * G * 500)
    sim.reset()
    steps = stepper(sim, cube, deaf)
    steps(100)
    assert host(deaf.data.net_forces_w)[:, 0, 2].any() and not host(deaf.data.current_contact_time).any()
    np.testing.assert_allclose(host(deaf.data.current_air_time), 100 * DT, rtol=1e-5)


def test_histories_and_resets(sim: SimulationContext) -> None:
    """Newest first; a reset environment starts anew, the others go on bit by bit."""
    environments(3)
    ground()
    cube = box("cube", (0.0, 0.0, SIZE / 2 + 0.02), SIZE, LOWER)
    touch = sensor("cube", "/World/ground", history_length=4, **ALL)
    newest = sensor("cube")
    sim.reset()
    assert not host(touch.data.net_forces_w_history).any()
    steps = stepper(sim, cube, touch, newest)
    seen = []
    for _ in range(15):  # it lands in the 13th
        steps(1, False)
        seen.append(host(newest.data.net_forces_w).copy())
        np.testing.assert_array_equal(host(newest.data.net_forces_w_history)[:, 0], seen[-1])
    assert len({one[0, 0, 2] for one in seen[-4:]}) > 1, "forces differ from step to step"
    np.testing.assert_array_equal(host(touch.data.net_forces_w_history), np.stack(seen[:-5:-1], axis=1))
    np.testing.assert_allclose(
        host(touch.data.force_matrix_w_history)[:, :, :, 0], host(touch.data.net_forces_w_history), atol=1e-5
    )
    held = touch.data.net_forces_w
    kept = host(held).copy()
    before = {name: host(getattr(touch.data, name)).copy() for name in SHAPES}
    touch.reset([1])
    after = {name: host(getattr(touch.data, name)) for name in SHAPES}
    for name in SHAPES:
        np.testing.assert_array_equal(after[name][[0, 2]], before[name][[0, 2]], err_msg=name)
        if name not in ("pos_w", "quat_w", "contact_pos_w"):
            assert not after[name][1].any(), name
    assert np.isnan(after["contact_pos_w"][1]).all()
    steps(2)
    history = host(touch.data.net_forces_w_history)
    assert history[1, :2].any() and not history[1, 2:].any()
    np.testing.assert_array_equal(history[[0, 2], 2:], before["net_forces_w_history"][[0, 2], :2])
    np.testing.assert_allclose(host(touch.data.current_contact_time)[1], 2 * DT, rtol=1e-5)
    np.testing.assert_array_equal(host(held), kept)


@pytest.mark.parametrize("alike", [True, False])
def test_the_kernel_measures_what_array_operations_do(sim: SimulationContext, alike: bool) -> None:
    """To the bit, for sensors that measure seldom, and with environments that are reset at other times."""
    environments(3)
    if not alike:
        one_more()
    ground()
    cubes = stack()
    cfgs: list[dict[str, Any]] = [
        {"history_length": 3, "track_air_time": True},
        {"update_period": 3 * DT, "track_air_time": True},
        {"history_length": 2, "update_period": 2 * DT},
    ]
    pairs = [(sensor(".*er", **cfg), sensor(".*er", **cfg)) for cfg in cfgs]
    sim.reset()
    assert (len(sim.stage_world.env_paths) == 3) == alike
    if not shares_memory(sim.stage_world.world):
        pytest.skip("arrays of NumPy are copies of a GPU's: operations of arrays measure there")
    for kernel, plain in pairs:
        assert kernel._net is not None
        plain._net = None
    steps = stepper(sim, *cubes, *(one for pair in pairs for one in pair))
    velocity = np.zeros((3, 6), np.float32)
    names = ("net_forces_w", "net_forces_w_history", *TIMES)
    moved = 0.0
    for k in range(24):
        if k % 5 == 1:
            velocity[:, 2] = [0.1, 0.25, 0.6]
            cubes[1].write_root_velocity_to_sim(velocity)
        if k % 7 == 6:
            for pair in pairs:
                for one in pair:
                    one.reset([k % 3])
        if k % 4 != 3:
            steps(1, k % 2 == 0)
        for pair, cfg in zip(pairs, cfgs, strict=True):
            for name in names if cfg.get("track_air_time") else names[:2]:
                one, other = (host(getattr(each.data, name)) for each in pair)
                np.testing.assert_array_equal(one, other, err_msg=f"{cfg} {name} {k}")
                moved = max(moved, float(np.abs(one).max()))
    assert moved > LOWER * G


def test_an_update_of_net_forces_needs_no_operation_of_arrays(sim: SimulationContext, api: str) -> None:
    """One kernel measures; each operation of torch would be a launch on a GPU, four times a control step."""
    torch_dispatch = pytest.importorskip("torch.utils._python_dispatch")
    if api != "torch":
        pytest.skip("counts operations of torch")
    environments(2)
    ground()
    cubes = stack()
    touch = sensor(".*er", history_length=3, track_air_time=True)
    sim.reset()
    steps = stepper(sim, *cubes, touch)
    steps(2)
    seen = []

    class Count(torch_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.overloadpacket.__name__)
            return func(*args, **(kwargs or {}))

    sim.step()
    with Count():
        touch.update(DT, True)
        found = touch.data.net_forces_w
    assert host(found).shape == (2, 2, 3)
    assert set(seen) <= {"as_strided", "detach"}, "views of what a kernel wrote"


def test_wrong_use(sim: SimulationContext) -> None:
    environments(2)
    ground()
    for i in range(2):
        sim_utils.create_prim(f"/World/envs/env_{i}/mark", "Xform")
    silent, cube = box("silent", (0.0, 0.0, 2.0), reports=False), box("cube", (1.0, 0.0, 2.0))

    def fails(kind: type[Exception], match: str, path: str, *filters: str, **more: Any) -> None:
        one = sensor(path, *filters, **more)
        with pytest.raises(kind, match=match):
            sim.reset()
        assert not one.is_initialized and sim.is_stopped()

    fails(RuntimeError, "set activate_contact_sensors=True", "silent")
    fails(RuntimeError, "there is no such prim", "nothing")
    fails(RuntimeError, "there is no such prim", "cube", f"{ENV}/nothing")
    fails(RuntimeError, "nor above one", "cube", "/World/envs/env_.*/mark")
    fails(RuntimeError, "in another environment", "cube", "/World/envs/env_1/silent")
    fails(ValueError, "track_contact_points needs filter_prim_paths_expr", "cube", track_contact_points=True)
    fails(
        ValueError, "at least 1", "cube", f"{ENV}/silent", track_contact_points=True, max_contact_data_count_per_prim=0
    )
    good = sensor("cube", f"{ENV}/silent")
    sim.reset()
    assert silent.is_initialized and cube.is_initialized
    for call in (good.compute_first_contact, good.compute_first_air):
        with pytest.raises(RuntimeError, match="set track_air_time=True"):
            call(0.1)
    with pytest.raises(ValueError):
        good.find_bodies("ball")


def test_no_contact_is_measured_where_processing_is_off(sim: SimulationContext) -> None:
    """A sensor that is made switches processing on; who switches it off before the start gets none, as in Isaac Lab."""
    get_settings().set_bool(PROCESSING_OFF, True)
    environments(2)
    ground()
    cubes = stack()
    touch = sensor("upper", f"{ENV}/lower", **ALL)
    assert get_settings().get(PROCESSING_OFF) is False
    steps = stepper(sim, *cubes, touch)
    for off in (True, False):
        get_settings().set_bool(PROCESSING_OFF, off)
        sim.reset()
        steps(3)
        sizes = [float(np.abs(host(getattr(touch.data, name))).max()) for name in ("net_forces_w", "force_matrix_w")]
        assert (sizes == [0.0, 0.0]) is off, sizes
        assert np.isnan(host(touch.data.contact_pos_w)).all() == off
        np.testing.assert_allclose(host(touch.data.current_air_time), 3 * DT if off else 0.0, atol=1e-6)
        np.testing.assert_allclose(host(touch.data.pos_w)[:, 2], 1.5 * SIZE, atol=1e-2)
