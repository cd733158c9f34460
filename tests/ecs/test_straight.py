"""Straight-line programs: what has been recorded does what the systems do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from ecs.plants import (
    Garden,
    GardenWeather,
    Twig,
    TwigLoad,
    TwigShape,
    carry,
    climb,
    garden,
    grow,
    look,
    straightener,
    stretch,
)
from ecs.ptx import float64_instructions
from ecs.straight_reference import run as run_program
from hypothesis import given, settings
from hypothesis import strategies as st

import phalanx as px
from phalanx.components import MassFactor
from phalanx.ecs import (
    System,
    local,
    read,
    real,
    rows,
    system,
    update,
    write,
)
from phalanx.ecs.cache.modules import load
from phalanx.ecs.device import Device
from phalanx.ecs.recorded.grouping import LONGEST, MANY
from phalanx.ecs.recorded.recorder import Dynamic, Recorder
from phalanx.ecs.sequences.fusion import repeated
from phalanx.ecs.store import Store
from phalanx.systems import REFRESH, STEP


def check(store: Store, systems: Sequence[System], but: set[System] | frozenset[System] = frozenset()) -> list[System]:
    """Run a sequence on the CPU, system by system; before them each program, and compare. Returns the programs."""
    programs = []
    groups = straightener(store).groups(systems, but)
    assert sorted((s.name for group, _ in groups for s in group)) == sorted(s.name for s in systems)
    for group, found in groups:
        if found is None:
            store.program(group).run()
            continue
        fields = list(found.program.fields.values())
        mine = [store.array(field).copy() for field in fields]
        text = found.program.text(found, store._shared(found), store.real)
        run_program(text, dict(enumerate(mine)))
        store.program(group).run()
        tolerance = 2e-5 if store.real == "float32" else 1e-12
        for field, array in zip(fields, mine, strict=True):
            there, got = (a[..., : store.num_envs].astype(float) for a in (store.array(field), array))
            size = np.max(np.abs(there[np.isfinite(there)]), initial=0.0)
            # what is left of a momentum once it is taken out is rounding
            size = max(size, 1.0) if field.component.__name__ == "TreeMomentum" else size
            np.testing.assert_allclose(got, there, rtol=0, atol=tolerance * size + 1e-12, err_msg=field.key)
        programs.append(found)
    return programs


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_recorded_systems_do_what_systems_do(dtype: str) -> None:
    store = garden([-1, 0, 1, 1, 0, -1, 5, -1], dtype=dtype)
    programs = check(store, [grow, carry, look])
    assert [p.name for p in programs] == ["grow_and_1_more", "look_straight"]
    assert store[GardenWeather].broken.any()
    assert not store[GardenWeather].broken.all()


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_any_forest(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 14))
    below = [data.draw(st.integers(-1, i - 1)) for i in range(count)]
    store = garden(below, seed=data.draw(st.integers(0, 99)))
    before = [store.array(f).copy() for f in (TwigLoad.all, TwigLoad.height)]
    store.program([grow, carry]).run()
    there = [store.view(f).copy() for f in (TwigLoad.all, TwigLoad.height)]
    for field, array in zip((TwigLoad.all, TwigLoad.height), before, strict=True):
        store.array(field)[...] = array
    (found,) = straightener(store).each([grow, carry])
    fields = dict(enumerate(map(store.array, found.program.fields.values())))
    run_program(found.program.text(found, store._shared(found), store.real), fields)
    for field, array in zip((TwigLoad.all, TwigLoad.height), there, strict=True):
        np.testing.assert_allclose(store.view(field), array, rtol=1e-5, atol=1e-5)
    with_more = len({root(below, i) for i, b in enumerate(below) if b >= 0})
    assert found.program.parts == with_more + (with_more < below.count(-1)), "twigs alone share a thread"


def root(below: Sequence[int], twig: int) -> int:
    return twig if below[twig] < 0 else root(below, below[twig])


def test_small_parts_share_a_thread() -> None:
    store = garden([-1] * 150 + [150, 151, 152])
    before = store.array(TwigLoad.height).copy()
    (found,) = straightener(store).each([grow])
    stores = [[line for line in c.lines if line.startswith("store")] for c in found.program.classes]
    assert sorted(map(len, stores)) == [25, 128], "256 operations, and the rest with the chain of four twigs"
    heights = before.copy()
    fields = [heights if f is TwigLoad.height else store.array(f) for f in found.program.fields.values()]
    run_program(found.program.text(found, store._shared(found), store.real), dict(enumerate(fields)))
    store.program([grow]).run()
    np.testing.assert_array_equal(heights[..., : store.num_envs], store.view(TwigLoad.height))


def test_trees_that_are_alike_are_one_text() -> None:
    store = garden([-1, 0, 1, 1, -1, 4, 5, 5, -1, 8, -1, 10, 11, 11])
    (found,) = straightener(store).each([grow, carry])
    alike, other = found.program.classes
    assert alike.bases == ((0,), (4,), (10,))
    assert other.bases == ((8,),)
    text = found.program.text(found, store._shared(found), store.real)
    assert f"base {list(found.program.fields.values()).index(TwigLoad.all)} 0 8 20" in text


def test_what_all_trees_store_to_does_not_tie_them() -> None:
    store = garden([-1, 0, -1, 2])
    for order in ([carry, look], [look, carry]):
        assert [s.name for s in straightener(store).each(order)] == [f"{s.name}_straight" for s in order]
    one = garden([-1, 0])
    assert [s.name for s in straightener(one).each([grow, look, carry])] == ["grow_and_2_more"]


def test_where_a_number_decides_about_a_loop_nothing_is_recorded() -> None:
    store = garden([-1, 0])
    found = straightener(store).each([grow, climb, carry])
    assert [s.name for s in found] == ["grow_straight", "climb", "carry_straight"]
    with pytest.raises(Dynamic, match="loop"):
        Recorder("float32", store.array, store.rows).system(climb)


@system(over=Twig, phase="sense")
def age(i, e, wind=read(GardenWeather.wind), old=update(TwigLoad.old)):
    """Time goes by."""
    old[i, e] = 1 if wind[0, e] > 0.5 else old[i, e]


def test_what_has_nothing_to_do_with_the_others_waits_for_nothing() -> None:
    """One kernel would begin when all that any of its systems reads is there."""
    store = garden([-1, 0])

    @system(phase="sense")
    def storm(lanes, wind=read(GardenWeather.wind), broken=write(GardenWeather.broken)):
        for e in lanes:
            broken[0, e] = 1 if wind[0, e] > 0.9 else 0

    groups = straightener(store).groups([grow, age, storm, climb, grow, storm])
    assert [[s.name for s in group] for group, _ in groups] == [
        ["grow"], ["age"], ["storm"], ["climb"], ["grow"], ["storm"]
    ]  # fmt: skip
    assert [made is not None for _, made in groups] == [True, False, True, False, True, True]
    tied = straightener(store).groups([grow, age, carry])
    assert [[s.name for s in group] for group, _ in tied] == [["grow", "age", "carry"]]
    assert check(store, [grow, age, storm])


def test_some_may_be_left_out() -> None:
    store = garden([-1, 0])
    assert [s.name for s in straightener(store).each([grow, carry], {carry})] == ["grow_straight", "carry"]


def test_company_decides_once() -> None:
    made = straightener(garden([-1, 0]))
    assert [s.name for s in made.each([grow, stretch])] == ["grow_and_1_more"]
    assert [s.name for s in made.each([stretch])] == ["stretch"], "each twig has a thread as it is"
    made = straightener(garden([-1, 0]))
    made.decide([grow, stretch])
    assert [s.name for s in made.each([stretch])] == ["stretch_straight"]
    made.decide([climb, stretch])
    assert [s.name for s in made.each([grow, stretch])] == ["grow_straight", "stretch"]
    made.decide([grow, stretch, climb, stretch])
    assert [s.name for s in made.each([grow, stretch])] == ["grow_straight", "stretch"], "not worth it each time"


@pytest.mark.parametrize("robot", ["quadruped", "arm"])
def test_what_is_recorded_of_a_step_is_recorded_wherever_it_runs(robot: str) -> None:
    world = px.World(num_envs=2, device="cpu", substeps=3)
    world.add_ground()
    world.add_robot(robot)
    world.build()
    store = world.engine.store
    made = straightener(store)
    step = store._wanted(world.engine.sequence(STEP))
    made.decide(step)
    recorded = {s: program is not None for group, program in made.groups(step) for s in group if stores(s, store)}
    assert set(recorded.values()) == {False, True}
    for systems in (world.engine.run_by(STEP), world.engine.sequence(REFRESH), *([s] for s in step)):
        for group, program in made.groups(store._wanted(systems)):
            for s in group:
                assert recorded.get(s, program is not None) == (program is not None), s.name


def stores(system: System, store: Store) -> bool:
    """Whether a system does anything at all; systems for roots that move do not where they are fixed."""
    recorder = Recorder(store.real, store.array, store.rows)
    try:
        recorder.system(system)
    except (Dynamic, TypeError):
        return True
    return any(op.name == "store" for op in recorder.ops)


def test_rows_and_topology_are_looked_at_again_once_they_change() -> None:
    store = garden([-1, 0, 0])
    made = straightener(store)
    (first,) = made.each([grow])
    assert made.each([grow])[0] is first
    made.forget(Garden)
    assert made.each([grow])[0] is first, "the garden's rows have no say in it"
    store[TwigShape].below = np.array([[-1], [0], [1]])
    made.forget()
    (second,) = made.each([grow])
    assert first.program.text(first, frozenset(), "float32") != second.program.text(second, frozenset(), "float32")


def record(function_: object, **given: object) -> Recorder:
    """Record a system of two twigs."""
    store = garden([-1, 0])
    recorder = Recorder("float32", store.array, store.rows)
    recorder.system(function_)  # type: ignore[arg-type]
    return recorder


def test_a_number_that_is_stored_and_read_again_is_not_loaded() -> None:
    @system(over=Twig, phase="sense")
    def there_and_back(i, e, height=write(TwigLoad.height)):
        height[i, e] = 3.0
        height[i, e] = height[i, e] * 2.0

    names = [op.name for op in record(there_and_back).ops]
    assert "load" not in names
    assert names.count("kept") == 1, "3 is not doubled beforehand: that would round otherwise than apart"


def test_a_product_that_was_stored_is_no_part_of_a_sum() -> None:
    @system(over=Twig, phase="sense")
    def square(i, e, own=read(TwigLoad.own), height=write(TwigLoad.height), all=write(TwigLoad.all)):
        height[i, e] = own[i, 0, e] * own[i, 0, e]
        all[i, 0, e] = own[i, 0, e] * own[i, 1, e] + own[i, 1, e]
        all[i, 1, e] = height[i, e] + own[i, 1, e]

    ops = record(square).ops
    sums = [ops[ops[at].operands[0]].name for at in range(len(ops)) if ops[at].name == "add"]
    assert sums == ["mul", "kept"] * 2, "rounded once, and twice as if it had been loaded"


def test_a_name_that_one_way_assigns_cannot_be_used_after_both() -> None:
    @system(over=Twig, phase="sense")
    def one_way(i, e, old=read(TwigLoad.old), height=write(TwigLoad.height)):
        if old[i, e] == 1:
            x = 1.0
        height[i, e] = x * 2.0  # pyright: ignore[reportPossiblyUnboundVariable]

    with pytest.raises(Dynamic, match="only one of two ways"):
        record(one_way)


def test_integers_and_reals_do_not_mix_unseen() -> None:
    @system(over=Twig, phase="sense")
    def mixed(i, e, old=read(TwigLoad.old), height=update(TwigLoad.height)):
        height[i, e] = height[i, e] * old[i, e]

    with pytest.raises(Dynamic):
        record(mixed)

    @system(over=Twig, phase="sense")
    def told(i, e, old=read(TwigLoad.old), height=update(TwigLoad.height)):
        height[i, e] = height[i, e] * real(old[i, e] + 1)

    assert "real" in [op.name for op in record(told).ops]


def test_what_numbers_of_32_bits_or_one_cannot_do_is_refused() -> None:
    @system(over=Twig, phase="sense")
    def large(i, e, old=read(TwigLoad.old), height=write(TwigLoad.height)):
        height[i, e] = 1.0 if (old[i, e] + 1) * 2000000000 > 0 else 0.0

    @system(over=Twig, phase="sense")
    def counted(i, e, own=read(TwigLoad.own), height=write(TwigLoad.height)):
        height[i, e] = 1.0 if (own[i, 0, e] > 0.0) + (own[i, 1, e] > 0.0) > 1 else 0.0

    @system(over=Twig, phase="sense")
    def scratch(i, e, old=read(TwigLoad.old), height=write(TwigLoad.height)):
        x = local(1)
        x[0] = 1.0
        if old[i, e] == 1:
            x[0] = 2.0
        height[i, e] = x[0]

    for refused in (large, counted, scratch):
        with pytest.raises(Dynamic):
            record(refused)


def test_or_is_the_number_itself() -> None:
    @system(over=Twig, phase="sense")
    def several(i, e, below=read(TwigShape.below), height=update(TwigLoad.height)):
        for _ in range((below[i, e] + 1) or 3):
            height[i, e] += 1.0

    assert [op.name for op in record(several).ops].count("add") == 3 + 1


def test_what_stores_nothing_is_no_program() -> None:
    @system(phase="sense")
    def idle(lanes, count=rows(Twig), below=read(TwigShape.below), height=update(TwigLoad.height)):
        for i in range(count):
            if below[i, 0] > 9:
                for e in lanes:
                    height[i, e] = 0.0

    store = garden([-1, 0])
    assert [s.name for s in straightener(store).each([grow, idle])] == ["grow_and_1_more"]
    assert [s.name for s in straightener(store).each([idle])] == ["idle"]


def test_errors_on_ways_that_are_not_gone_are_no_errors() -> None:
    @system(over=Twig, phase="sense")
    def shifted(i, e, below=read(TwigShape.below), old=read(TwigLoad.old), height=write(TwigLoad.height)):
        height[i, e] = 0.0
        if old[i, e] == 7:
            height[i, e] = real(abs(1 << below[i, e]))

    store = garden([-1, 0])
    assert [s.name for s in straightener(store).each([shifted, look])] == ["shifted", "look_straight"]


def test_topology_that_is_set_makes_programs_anew() -> None:
    store = garden([-1, 0])
    version = store.version
    store[TwigShape].below = np.array([[-1], [0]])
    assert store.version == version, "nothing has been recorded yet"
    store._straight.each([grow])
    store[TwigShape].below = np.array([[-1], [-1]])
    assert store.version > version


def test_zeros_have_signs() -> None:
    @system(over=Twig, phase="sense")
    def signed(i, e, height=write(TwigLoad.height), all=write(TwigLoad.all)):
        height[i, e] = 0.0
        all[i, 0, e] = -0.0
        all[i, 1, e] = 0.0 * 0.0

    values = [op.value for op in record(signed).ops if op.name == "const" and op.value == 0]
    assert sorted(np.signbit(v) for v in values) == [False, True]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_programs_of_a_robot_do_what_its_systems_do(dtype: str) -> None:
    world = px.World(num_envs=3, device="cpu", dtype=dtype)
    world.add_ground()
    world.add_robot("quadruped", "a", position=(0.0, 0.0, 0.45))
    world.add_robot("quadruped", "b", position=(2.0, 0.0, 0.45))
    world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", mass=1.0, position=(0.0, 3.0, 0.3))
    world.build()
    robot = world.actors["a"]
    assert isinstance(robot, px.Robot)
    robot.set_joint_state(vel=np.random.default_rng(3).normal(0.0, 0.5, (3, 12)))
    world.step(40)
    store = world.engine.store
    steps = ((s, (s.over, s.needs, s.teams_of)) for s in world.engine.sequence(STEP))
    wanted = [s for s, tables in steps if all(t is None or store.rows(t) > 0 for t in tables)]
    programs = check(store, wanted, repeated([(s, frozenset()) for s in wanted]))
    (solve,) = (p for p in programs if MassFactor.value in p.writes)
    large = [len(c.bases) for c in solve.program.classes if len(c.lines) > 100]
    assert sorted(large) == [1, 2], "two robots alike, and a box"
    lengths = [sum(not line.startswith("store") for line in c.lines) for p in programs for c in p.program.classes]
    assert max(lengths) <= LONGEST


@system(over=Twig, phase="sense", order="forward")
def rooted(i, e, own=read(TwigLoad.own), height=write(TwigLoad.height)):
    """Square roots."""
    height[i, e] = math.sqrt(own[i, 0, e])


def test_square_roots_take_no_branch(ptx: ModuleType) -> None:
    store = garden([-1, 0])
    (found,) = straightener(store).each([rooted])
    text = compile_program(found, store)
    assert "rsqrt.approx.ftz.f32" in text
    assert "sqrt.rn" not in text


def test_square_roots_are_rounded_to_nearest(gpu: str) -> None:
    bits = np.arange(0, 0x7F80_0000, 65_521, dtype=np.int32)
    numbers = np.concatenate([bits.view(np.float32), np.array([0.0, -0.0, 1e-45, np.inf, np.nan, -1.0], np.float32)])
    store = Store(len(numbers), Device(gpu), "float32")
    store.set_rows(Twig, 1)
    own = np.zeros((1, 2, len(numbers)), np.float32)
    own[0, 0] = numbers
    store[TwigLoad].own = own
    store.program([rooted]).run()
    with np.errstate(invalid="ignore"), store.active():
        np.testing.assert_array_equal(store.device.to_host(store.view(TwigLoad.height))[0], np.sqrt(numbers))


def test_of_many_environments_places_are_known(ptx: ModuleType) -> None:
    compiled = {}
    for num_envs in (6, MANY):
        store = garden([-1, 0, 1, 1, -1, 4, 5, 5], num_envs=num_envs)
        (found,) = straightener(store).each([grow, carry])
        assert (found.program.stride != 0) == (num_envs == MANY)
        compiled[num_envs] = compile_program(found, store)
    assert compiled[MANY].count("mad.wide") < compiled[6].count("mad.wide")
    for text in compiled.values():
        assert not float64_instructions(text)
        assert "ld.global.nc" in text
        assert ".minnctapersm 8" in text


def compile_program(found: System, store: Store) -> str:
    """PTX of a program's kernel."""
    from numba import cuda

    from phalanx.ecs.cuda.kernels import signature

    generated = found.program.module(found, store._shared(found), store.real)
    kernel = getattr(load(generated), generated.entry)
    compile_ptx: Any = cuda.compile_ptx  # pyright: ignore[reportPrivateImportUsage]
    bounds = kernel.targetoptions["launch_bounds"]
    text, _ = compile_ptx(kernel.py_func, signature(generated.source), cc=(9, 0), launch_bounds=bounds)
    return text
