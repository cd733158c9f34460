"""Components and systems from outside the package, compared with plain NumPy: every order, shape and sort of field."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles import host

import phalanx as px
from phalanx.components import DofState, Link, Settings
from phalanx.ecs import (
    Component,
    DeclarationError,
    Device,
    Field,
    Store,
    System,
    Table,
    function,
    read,
    rows,
    system,
    update,
    write,
)

Tank = Table("tank", "water tanks, one above the other")
ROWS, ENVS = 7, 37  # more than a block of lanes, and not a multiple of one


class Water(Component, table=Tank):
    """What a tank holds."""

    level = Field(unit="m", doc="height of the water", role="state")
    valve = Field(doc="share that a step lets out", role="parameter", shared=True)
    total = Field(unit="m", doc="sum of levels up to and with this tank")
    wave = Field((2, 3), unit="m", doc="ripples")
    steps = Field(dtype="int32", doc="times it was visited", role="state")


@function
def let_out(level, valve):
    return level * valve, level - level * valve


@system(over=Tank, phase="sense")
def drain(i, e, valve=read(Water.valve), level=update(Water.level), steps=update(Water.steps)):
    """Let a share out of every tank that holds any."""
    steps[i, e] += 1
    if level[i, e] <= 0.0:
        return
    _, level[i, e] = let_out(level[i, e], valve[i, e])


@system(over=Tank, order="forward", phase="sense", after="drain")
def sum_down(i, e, level=read(Water.level), total=update(Water.total)):
    total[i, e] = level[i, e] + (total[i - 1, e] if i > 0 else 0.0)


@system(over=Tank, order="reverse", phase="sense", after="sum_down")
def sum_up(i, e, n=rows(Tank), level=read(Water.level), total=update(Water.total)):
    total[i, e] = level[i, e] + (total[i + 1, e] if i < n - 1 else 0.0)


@system(over=Tank, phase="sense", after="drain")
def ripple(i, e, level=read(Water.level), wave=write(Water.wave)):
    for a in range(2):
        for b in range(3):
            wave[i, a, b, e] = level[i, e] + 10.0 * a + b


@system(phase="sense", after="drain")
def sum_lanes(lanes, n=rows(Tank), valve=read(Water.valve), level=read(Water.level), total=write(Water.total)):
    """As sum_down, over all rows at once, environments in step, weighted by the valves."""
    for e in lanes:
        total[0, e] = valve[0, e] * level[0, e]
    for i in range(1, n):
        for e in lanes:
            total[i, e] = total[i - 1, e] + valve[i, e] * level[i, e]


@system(phase="sense", after="drain")
def sum_wet(lanes, n=rows(Tank), level=read(Water.level), listed=write(Water.steps), total=write(Water.total)):
    """Over the tanks that hold water in any lane: a list that lanes have in common."""
    count = 0
    for i in range(n):
        wet = False
        for e in lanes:
            wet = wet or level[i, e] > 0.0
        if wet:
            for e in lanes:
                listed[count, e] = i
            count += 1
    for e in lanes:
        total[0, e] = 0.0
    for k in range(count):
        i = listed[k, lanes[0]]
        for e in lanes:
            total[0, e] += level[i, e]


@system(phase="sense")
def look_aside(lanes, level=read(Water.level), total=write(Water.total)):
    for e in lanes:
        total[0, e] = level[0, lanes[1]]


FLOATS = {  # no parts of them are subnormal, either: those are rounded, and a fused product once less
    "float32": st.floats(-100, 100, width=32).map(lambda x: x if abs(x) > 1e-30 else 0.0),
    "float64": st.floats(-100, 100).map(lambda x: x if abs(x) > 1e-30 else 0.0),
}


class Bench:
    """A store with tanks, and programs that were compiled once for all examples."""

    def __init__(self, device: str, real: str, wide: bool) -> None:
        self.store = Store(ENVS, Device(device), real)
        self.store.set_rows(Tank, ROWS)
        self.real = real
        if wide:
            self.store.widen(Water.valve)
        self.programs: dict[tuple[str, ...], Any] = {}

    def run(self, *systems: System, steps: int = 1) -> None:
        names = tuple(s.name for s in systems)
        if names not in self.programs:
            self.programs[names] = self.store.program(systems)
        self.programs[names].run(steps)

    def fill(self, level: np.ndarray, valve: np.ndarray) -> None:
        self.store[Water].level = level
        self.store[Water].valve = valve
        self.store[Water].steps = 0

    def __getitem__(self, name: str) -> np.ndarray:
        return host(getattr(self.store[Water], name))


@pytest.fixture(scope="module", params=["float32", "float64"])
def real(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module", params=[False, True], ids=["shared", "own"])
def bench(request: pytest.FixtureRequest, device: str, real: str) -> Bench:
    return Bench(device, real, request.param)


@given(data=st.data())
@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_orders_agree_with_numpy(bench: Bench, data: st.DataObject) -> None:
    own = not bench.store.is_shared(Water.valve)
    level = data.draw(arrays(bench.real, (ROWS, ENVS), elements=FLOATS[bench.real]), label="level")
    valve = data.draw(arrays(bench.real, (ROWS, ENVS if own else 1), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0])))
    bench.fill(level, valve)
    left = level
    for _ in range(3):
        left = np.where(left > 0, left - left * valve, left)
    bench.run(drain, steps=3)
    assert np.array_equal(bench["level"], left) and np.all(bench["steps"] == 3)
    rtol, atol = (1e-12, 1e-10) if bench.real == "float64" else (1e-5, 1e-3)
    bench.run(sum_down)
    np.testing.assert_allclose(bench["total"], np.cumsum(left, axis=0, dtype=bench.real), rtol=rtol, atol=atol)
    bench.run(sum_up)
    np.testing.assert_allclose(
        bench["total"], np.cumsum(left[::-1], axis=0, dtype=bench.real)[::-1], rtol=rtol, atol=atol
    )
    bench.run(sum_lanes)
    np.testing.assert_allclose(bench["total"], np.cumsum(valve * left, axis=0, dtype=bench.real), rtol=rtol, atol=atol)
    bench.run(ripple)
    offsets = np.add.outer(10.0 * np.arange(2), np.arange(3.0)).astype(bench.real)
    expected = (left[:, None, None, :] + offsets[None, :, :, None]).astype(bench.real)
    np.testing.assert_allclose(bench["wave"], expected, rtol=rtol, atol=atol)


def test_results_do_not_depend_on_the_number_of_threads_or_neighbours(device: str) -> None:
    def totals(num_envs: int, threads: int) -> np.ndarray:
        store = Store(num_envs, Device(device), "float32")
        store.set_rows(Tank, ROWS)
        store[Water].level = np.random.default_rng(5).normal(size=(500, ROWS)).astype("float32")[:num_envs].T
        store[Water].valve = 0.3
        px.set_num_threads(threads)
        try:
            store.program([drain, sum_down]).run(20)
        finally:
            px.set_num_threads(None)
        return host(store[Water].total)

    alone = totals(5, 1)
    assert np.array_equal(alone, totals(5, 2))
    for threads in (1, 2):
        assert np.array_equal(alone, totals(500, threads)[:, :5])


def test_a_system_must_not_write_a_shared_field(device: str) -> None:
    @system(over=Tank, phase="sense")
    def turn(i, e, valve=write(Water.valve)):
        valve[i, e] = 1.0

    store = Store(3, Device(device), "float32")
    store.set_rows(Tank, ROWS)
    with pytest.raises(ValueError, match=r"system turn writes Water.valve, which all environments share"):
        store.program([turn])
    store.widen(Water.valve)
    store.program([turn]).run(1)
    with store.active():
        assert np.all(host(store[Water].valve) == 1)


@function
def level_of(levels, i, e):
    return levels[i, e]


def test_whole_arrays_cannot_be_passed_on(device: str) -> None:
    """A helper would index a shared field by environment, beyond its end."""

    @system(over=Tank, phase="sense")
    def passes_on(i, e, valve=read(Water.valve), total=write(Water.total)):
        total[i, e] = level_of(valve, i, e)

    store = Store(3, Device(device), "float32")
    store.set_rows(Tank, ROWS)
    with pytest.raises(DeclarationError, match=r"system passes_on, line \d+: valve is used without"):
        store.program([passes_on])


# In a world.


@system(over=Tank, phase="sense")
def flow(i, e, h=read(Settings.timestep), valve=read(Water.valve), level=update(Water.level)):
    level[i, e] -= h[0, e] * valve[i, e] * level[i, e]


def test_a_world_without_robots(device: str) -> None:
    """The core is of use for something that is not robots."""
    world = px.World(num_envs=3, device=device, dt=0.1)
    world.add_rows(Tank, ROWS)
    world.add_system(flow)
    world[Water].level = np.arange(1.0, 22.0).reshape(ROWS, 3)
    world[Water].valve = 0.5
    world.step(10)
    expected = np.arange(1.0, 22.0).reshape(ROWS, 3) * (1 - 0.1 * 0.5) ** 10
    np.testing.assert_allclose(host(world[Water].level), expected, rtol=1e-5)
    assert world.time == pytest.approx(1.0)


def test_own_state_is_saved_and_described(device: str) -> None:
    world = px.World(num_envs=2, device=device)
    world.add_rows(Tank, ROWS)
    world.add_system(flow)
    world[Water].level = 3.0
    assert {"Water.level", "Water.steps"} & set(world.state()) == {"Water.level"}, (
        "only what some system uses is stored"
    )
    assert world.describe()["systems"] == ["flow"]
    state = world.state()
    world.step(5)
    later = host(world[Water].level)
    world.set_state(state)
    world.step(5)
    assert np.array_equal(host(world[Water].level), later)


def test_forgotten_rows(device: str) -> None:
    world = px.World(device=device)
    world.add_system(flow)
    with pytest.raises(KeyError, match=r"call world.add_rows\(tank, count\) before build\(\)"):
        world.build()


class Odometer(Component, table=Link):
    """On one of the engine's own tables."""

    turned = Field(unit="rad", doc="how far the first joint has turned", role="state")


@system(over=Link, phase="sense")
def count_turns(i, e, h=read(Settings.timestep), qd=read(DofState.velocity), turned=update(Odometer.turned)):
    turned[i, e] += math_abs(qd[0, e]) * h[0, e]


@function
def math_abs(x):
    return x if x > 0.0 else -x


def test_own_system_reads_the_engines_data(device: str) -> None:
    world = px.World(num_envs=2, device=device, dt=0.01)
    robot = world.add_robot("double_pendulum")
    world.add_system(count_turns)
    robot.set_joint_state(vel=[[1.0, 0.0], [2.0, 0.5]])
    expected = np.zeros(2)
    for _ in range(20):
        world.step()
        expected += np.abs(host(robot.joint_vel))[:, 0] * 0.01
    assert expected.min() > 0.05
    np.testing.assert_allclose(host(world[Odometer].turned)[1], expected, rtol=1e-5)


def test_clash_with_the_engine_is_refused_by_name(device: str) -> None:
    @system(over=Link, phase="integrate")
    def meddle(i, e, qd=update(DofState.velocity)):
        qd[0, e] = 0.0

    world = px.World(device=device)
    world.add_robot("double_pendulum")
    world.add_system(meddle)
    with pytest.raises(
        ValueError, match=r"systems (meddle and \w+|\w+ and meddle) clash in phase 'integrate' over .*DofState.velocity"
    ):
        world.build()


def test_unknown_phase_is_refused_when_added(device: str) -> None:
    @system(over=Link, phase="lunch")
    def rest(i, e, qd=update(DofState.velocity)):
        qd[0, e] = 0.0

    with pytest.raises(ValueError, match="system rest: no phase 'lunch'; phases are actuate, "):
        px.World(device=device).add_system(rest)


def test_nothing_is_allocated_after_build(device: str) -> None:
    world = px.World(num_envs=4, device=device)
    world.add_ground()
    robot = world.add_robot("double_pendulum", position=(0, 0, 0.5))
    world.build()
    arrays_ = dict(world.engine.store._arrays)
    addresses = {field: array.ctypes.data if device == "cpu" else array.data.ptr for field, array in arrays_.items()}
    world.step(10)
    robot.set_targets(pos=0.1)
    _ = robot.body_pose, robot.mass_matrix(), robot.bias_force(), robot.gravity_force(), robot.jacobian()
    world.reset()
    world.step(10)
    assert world.engine.store._arrays.keys() == arrays_.keys()
    assert all(world.engine.store._arrays[field] is array for field, array in arrays_.items())
    assert addresses == {
        f: a.ctypes.data if device == "cpu" else a.data.ptr for f, a in world.engine.store._arrays.items()
    }
    assert world.engine.store.version == 0


Leak = Table("leak", "holes in tanks")


@system(phase="sense", needs=Leak)
def lose_water(lanes, n=rows(Tank), level=update(Water.level)):
    for i in range(n):
        for e in lanes:
            level[i, e] -= 1.0


@pytest.mark.parametrize("leaks", [0, 2])
def test_a_system_runs_where_there_is_what_it_needs(leaks: int, device: str) -> None:
    store = Store(3, Device(device), "float32")
    store.set_rows(Tank, ROWS)
    store.set_rows(Leak, leaks)
    store[Water].level = 5.0
    program = store.program([lose_water])
    program.run()
    assert (host(store[Water].level) == (4.0 if leaks else 5.0)).all()
    assert [name.removesuffix("_straight") for name in program.names] == ["lose_water"] * (leaks > 0)


def test_what_lanes_have_in_common(bench: Bench) -> None:
    """Rows that only other lanes need add nothing; no other lane can be named."""
    level = np.random.default_rng(4).uniform(0.0, 1.0, (ROWS, ENVS)) * (np.arange(ROWS) % 3 > 0)[:, None]
    level[4, 5:] = 0.0
    bench.fill(level, np.zeros((ROWS, ENVS)))
    bench.run(sum_wet)
    np.testing.assert_allclose(bench["total"][0], level.sum(axis=0), rtol=1e-6)
    with pytest.raises(DeclarationError, match=r"the last index of level must be the environment"):
        bench.store.program([look_aside])


Once = Table("once", "one row")


class Filled(Component, table=Once):
    """How many tanks there is something to do with."""

    count = Field(dtype="int32", doc="tanks in use")


@system(over=Tank, phase="sense", used="count")
def visit(i, e, count=read(Filled.count), level=update(Water.level), steps=update(Water.steps)):
    """Count calls, and add water to what is in use."""
    steps[i, e] += 1
    if i >= count[0, e]:
        return
    level[i, e] += 1.0


@pytest.mark.parametrize("least", [0, 2])
def test_rows_that_are_not_in_use_are_not_visited(least: int, device: str) -> None:
    """Each row in use once; none that no environment uses, and on a GPU none that its own does not."""
    store = Store(ENVS, Device(device), "float32")
    store.set_rows(Tank, ROWS)
    store.set_rows(Once, 1)
    count = np.random.default_rng(least).integers(0, ROWS - 1, ENVS) if least else np.zeros(ENVS, int)
    store.set(Filled.count, count[None])
    store.program([visit]).run()
    used = np.arange(ROWS)[:, None] < count
    with store.active():  # what runs on the world's stream is waited for
        level, steps = host(store.view(Water.level)), host(store.view(Water.steps))
    np.testing.assert_array_equal(level, used)
    assert (steps[used] == 1).all()
    assert (steps[count.max() :] == 0).all() and count.max() < ROWS
    if device != "cpu":
        np.testing.assert_array_equal(steps, used)


def test_more_in_use_than_there_are_rows_is_all_of_them(device: str) -> None:
    store = Store(ENVS, Device(device), "float32")
    store.set_rows(Tank, ROWS)
    store.set_rows(Once, 1)
    store.set(Filled.count, ROWS + 1000)
    store.program([visit]).run()
    with store.active():
        assert (host(store.view(Water.steps)) == 1).all() and (host(store.view(Water.level)) == 1.0).all()


@pytest.mark.parametrize("options", [{"over": Tank, "used": "level"}, {"over": Tank, "order": "forward"}, {}])
def test_what_says_how_many_rows_are_in_use_is_read_by_rows_that_run_in_parallel(options: dict[str, Any]) -> None:
    def over_rows(i, e, count=read(Filled.count), level=update(Water.level)):
        level[i, e] = 0.0

    def over_lanes(lanes, count=read(Filled.count)):
        pass

    with pytest.raises(DeclarationError, match=r"used= names an argument declared by read\(\)"):
        system(phase="sense", **{"used": "count", **options})(over_rows if "over" in options else over_lanes)
