"""Systems that are repeated become one kernel on a GPU, which computes the same to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import host
from small_robots import arm

import phalanx as px
from phalanx import components as c
from phalanx.ecs import Component, Field, System, Table, read, rows, spread, system, update
from phalanx.ecs.sequences.fusion import TIMES, fused

Tank = Table("tank", "water tanks")
GAIN = 0.5


class Basin(Component, table=Tank):
    """What is in a tank."""

    level = Field(unit="m", doc="height of the water")
    inflow = Field(unit="m/s", doc="how fast it rises", role="parameter", shared=True)


@system(phase="sense")
def fill(lanes, count=rows(Tank), inflow=read(Basin.inflow), level=update(Basin.level)):
    for i in spread(count):
        for e in lanes:
            level[i, e] += inflow[i, e]


@system(phase="sense", after="fill")
def drain(lanes, count=rows(Tank), water=update(Basin.level)):
    for i in spread(count):
        for e in lanes:
            water[i, e] -= GAIN * water[i, e]


@system(phase="sense", over=Tank)
def by_item(i, e, level=update(Basin.level)):
    level[i, e] += 1.0


@system(phase="sense")
def sum_up(lanes, count=rows(Tank), level=update(Basin.level)):
    """Threads may not agree on what such a loop leaves in a name; here it decides about a spread loop."""
    full = 0
    for i in range(count - 1):
        for e in lanes:
            full = i if level[i, e] > 1.0 else full
            level[i + 1, e] = level[i, e]
    for i in spread(full):
        for e in lanes:
            level[i, e] = 0.0


def named(*systems: System) -> list[tuple[System, frozenset[str]]]:
    return [(s, frozenset({"inflow"} & set(s.arguments))) for s in systems]


def test_what_is_repeated_becomes_one_and_so_does_its_single_turn() -> None:
    found = fused(named(by_item, fill, drain, fill, drain, fill, drain, by_item, fill, drain, drain))
    assert [s.name for s, _ in found] == ["by_item", "fill_and_1_more", "by_item", "fill_and_1_more", "drain"]
    assert [s.arguments[TIMES].target for s, _ in found if TIMES in s.arguments] == [3, 1]
    joined, shared = found[1]
    assert {name: (a.mode, a.target) for name, a in joined.field_arguments.items()} == {
        "Basin_inflow": ("read", Basin.inflow),
        "Basin_level": ("update", Basin.level),
    }
    assert shared == {"Basin_inflow"}


@pytest.mark.parametrize("other", [by_item, sum_up], ids=lambda s: s.name)
def test_what_no_team_can_run_stays_apart(other: System) -> None:
    kernels = named(fill, other, fill, other)
    assert fused(kernels) == kernels


def test_other_constants_of_the_same_name_keep_systems_apart() -> None:
    names = {**drain.function.__globals__, "GAIN": 0.25}
    text = "def leak(lanes, count, level):\n for i in spread(count):\n  for e in lanes:\n   level[i, e] *= GAIN\n"
    exec(text, names)
    names["leak"].__phalanx_source__ = text
    arguments = {"count": rows(Tank), "level": update(Basin.level)}
    leak = System(names["leak"], None, "parallel", "sense", arguments=arguments, leading=("lanes",))
    kernels = named(drain, leak, drain, leak)
    assert fused(kernels) == kernels


def test_the_same_to_the_bit(gpu: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tower, boxes that slide and bounce, and a driven robot, with and without joined sweeps.

    So results do not depend on whether there are so many environments that sweeps run apart.
    """
    monkeypatch.setattr("phalanx.world.engine.engine.SUBSTITUTES", ())
    found = []
    for joined in (True, False):
        if not joined:
            monkeypatch.setattr("phalanx.ecs.store.fused", lambda kernels: kernels)
        world = px.World(num_envs=5, dt=1 / 120, device=gpu)
        world.add_ground(restitution=0.5)
        boxes = [
            world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), f"box{k}", mass=1.0 + k, position=(0.01 * k, 0, z))
            for k, z in enumerate((0.1, 0.31, 0.6, 1.0))
        ]
        world.add_robot(arm(), "arm", position=(2.0, 0.0, 2.0))
        world.build()
        boxes[-1].set_root_state(vel=[0.5, 0.1, -1.0, 0.0, 3.0, 1.0])
        names = {s.name for s, _ in world.engine.store.kernels(world.engine.sequence(("sweep",)))}
        assert any("_more" in name for name in names) == joined
        world.step(150)
        found.append(host(world[c.Coordinate].value))
    np.testing.assert_array_equal(found[0], found[1])
