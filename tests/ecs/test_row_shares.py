"""Rows of one block of environments that threads share out: the same bits, also where flags stop a program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from deformable.scenes import cube, spread, world

import phalanx as px
from phalanx.ecs import Component, Device, Field, Store, Table, read, start, system, update, write
from phalanx.ecs.cpu import program, row_shares
from phalanx.ecs.cpu.threads import set_num_threads
from phalanx.ecs.declare import Bound

Bead = Table("bead", "beads on a string")
Room = Table("room", "what there is room for")


class Slide(Component, table=Bead):
    """How beads slide."""

    place = Field(unit="m", doc="along the string", role="state")
    seen = Field(unit="m", doc="where the bead before it was")
    turn = Field(dtype="int32", doc="how often it was moved")


class Full(Component, table=Room):
    """Whether there is room."""

    flag = Field(dtype="int32", doc="1: there is none")


@system(over=Bead, phase="sense")
def look(i, e, first=start(), place=read(Slide.place), seen=write(Slide.seen)):
    """Where the one before is."""
    seen[first + i, e] = place[max(first + i - 1, 0), e]


@system(over=Bead, phase="act")
def slide(i, e, first=start(), seen=read(Slide.seen), place=update(Slide.place), turn=update(Slide.turn)):
    """Go a third of the way to where the one before was."""
    place[first + i, e] += (seen[first + i, e] - place[first + i, e]) / 3.0
    turn[first + i, e] += 1


@system(over=Room, phase="check")
def ask(i, e, turn=read(Slide.turn), flag=update(Full.flag)):
    """Full after five turns, once."""
    flag[i, e] = 1 if turn[0, e] == 5 and flag[i, e] == 0 else flag[i, e]


SYSTEMS = (look, slide, ask)


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Few rows are many."""
    monkeypatch.setattr(row_shares, "LEAST", 4)
    yield
    set_num_threads(None)


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many shares there were, each time that rows were shared out."""
    found: list[int] = []
    real = program.at_once

    def noted(work: Any, given: Any) -> None:
        found.append(len(given))
        real(work, given)

    monkeypatch.setattr(program, "at_once", noted)
    return found


def beads(rows: int = 37, envs: int = 3) -> Store:
    store = Store(envs, Device("cpu"), "float64")
    store.set_rows(Bead, rows)
    store.set_rows(Room, 1)
    store.set(Slide.place, np.random.default_rng(0).normal(size=(rows, envs)))
    return store


def test_rows_are_shared_out_in_order() -> None:
    whole = Bound(look, None, 37, [5, "a", "b"], frozenset())
    assert row_shares.shares(whole, 1) == [whole]
    for threads, parts in ((2, 2), (3, 3), (9, 9), (10, 5), (64, 8)):
        found = row_shares.shares(whole, threads)
        assert len(found) == parts and all(one.rows >= 4 for one in found)
        firsts = [one.arguments[0] for one in found]
        assert firsts == [5, *np.cumsum([one.rows for one in found])[:-1] + 5] and sum(one.rows for one in found) == 37
        assert all(one.arguments[1:] == ["a", "b"] for one in found) and whole.arguments[0] == 5
    assert len(row_shares.shares(Bound(look, None, 7, [0, "a", "b"], frozenset()), 8)) == 1
    assert len(row_shares.shares(Bound(ask, None, 37, ["a", "b"], frozenset()), 8)) == 1  # has no start()


def test_the_same_bits_by_any_number_of_threads(shared: list[int]) -> None:
    found = []
    for threads in (1, 2, 3, 8):
        set_num_threads(threads)
        shared.clear()
        store = beads()
        store.program(SYSTEMS).run(7)
        assert shared == ([] if threads == 1 else [threads] * 14)
        found.append(store[Slide].place.copy())
    assert spread(found[0]) > 0.0
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def test_portions_and_many_blocks(shared: list[int]) -> None:
    """Portions begin where they begin; worlds of several blocks share out blocks instead."""
    set_num_threads(2)
    store, whole = beads(), beads()
    store.program([look.portion(10, 20)]).run()
    assert shared == [2]
    set_num_threads(1)
    whole.program([look]).run()
    np.testing.assert_array_equal(store[Slide].seen[10:30], whole[Slide].seen[10:30])
    assert not store[Slide].seen[:10].any() and not store[Slide].seen[30:].any()
    set_num_threads(2)
    shared.clear()
    beads(envs=128).program(SYSTEMS).run(3)
    assert shared == [2]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_flags_stop_it_where_they_did(threads: int, shared: list[int]) -> None:
    """It stops after the system that sets the flag, goes on from the first of that phase, and ends as the others do."""
    set_num_threads(threads)
    store = beads(envs=1)
    one = store.program(SYSTEMS, stop_at=(Full.flag,))
    one.run(7)
    assert one.stopped.tolist() == [0] and store[Slide].turn[:, 0].tolist() == [5] * 37
    again = store.program(SYSTEMS, stop_at=(Full.flag,))
    again.resume(one, heed_flags=False)
    assert not len(again.stopped) and store[Slide].turn[:, 0].tolist() == [7] * 37
    set_num_threads(1)
    plain = beads(envs=1)
    plain.program(SYSTEMS).run(7)
    np.testing.assert_array_equal(store[Slide].place, plain[Slide].place)
    assert len(shared) == (14 if threads > 1 else 0)


def test_soft_bodies_are_the_same_by_any_number_of_threads(shared: list[int]) -> None:
    """A damped cube that falls on the ground and under a ball, its nodes shared out colour by colour."""
    found = []
    for threads in (1, 2, 3):
        set_num_threads(threads)
        shared.clear()
        made = world(num_envs=1, dtype="float32")
        made.add_ground()
        body = cube(made, half=0.04, height=0.01, resolution=4, youngs_modulus=3e4, elasticity_damping=0.005)
        made.add_rigid_object(px.Shape("sphere", (0.03,)), "ball", mass=0.3, position=(0.01, 0, 0.14))
        made.step(40)
        assert bool(shared) == (threads > 1)
        found.append((body.node_pos.copy(), made.objects["ball"].root_pose.copy()))
    assert spread(found[0][0]) > 0.0
    for other in found[1:]:
        for mine, first in zip(other, found[0], strict=True):
            np.testing.assert_array_equal(mine, first)
