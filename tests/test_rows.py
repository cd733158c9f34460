"""Rows of tables in and out, environment-first, against the same on plain NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import host

import phalanx as px
from phalanx.components import DofState, ExternalWrench, LinkInertia
from phalanx.world.engine.rows import read_rows, write_listed, write_rows

ENVS, BOXES = 5, 4
FIELDS = {DofState.velocity: 6 * BOXES, ExternalWrench.force: BOXES, LinkInertia.com: BOXES, LinkInertia.mass: BOXES}
"""Numbers and vectors, of each environment by itself and shared, and how many rows there are."""


@pytest.fixture(scope="module")
def world(device: str) -> px.World:
    made = px.World(num_envs=ENVS, device=device, dtype="float64")
    cube = px.Shape("box", (0.1, 0.1, 0.1))
    made.add_rigid_objects({f"box{i}": {"source": cube, "position": (i, 0, 1)} for i in range(BOXES)}, mass=1.0)
    made.build()
    return made


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_writes_are_those_of_plain_arrays(world: px.World, data: st.DataObject) -> None:
    field = data.draw(st.sampled_from(list(FIELDS)))
    count, engine = FIELDS[field], world.engine
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    chosen: Any = data.draw(st.lists(st.integers(0, count - 1), unique=True, min_size=1))
    if data.draw(st.booleans()):
        chosen = slice(min(chosen), max(chosen) + 1)
    rows = chosen if isinstance(chosen, slice) else np.array(chosen)
    size = rows.stop - rows.start if isinstance(rows, slice) else len(rows)
    envs = data.draw(st.none() | st.lists(st.integers(0, ENVS - 1), unique=True).map(lambda e: np.array(e, np.int64)))
    k = ENVS if envs is None else len(envs)
    values = rng.standard_normal((data.draw(st.sampled_from([1, k])) if k else 0, size, *field.shape))
    wanted = host(read_rows(engine, field, slice(0, count)))
    if k:
        part = wanted[np.arange(ENVS) if envs is None else envs]
        part[:, rows] = values
        wanted[np.arange(ENVS) if envs is None else envs] = part
    write_rows(engine, field, rows, engine.device.xp.asarray(values), envs)
    assert np.array_equal(host(read_rows(engine, field, slice(0, count))), wanted)
    assert np.array_equal(host(read_rows(engine, field, rows)), wanted[:, rows])


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.key)
def test_rows_may_differ_by_environment(world: px.World, field: Any) -> None:
    engine, xp = world.engine, world.engine.device.xp
    wanted = host(read_rows(engine, field, slice(0, FIELDS[field])))
    rows, envs = np.array([[0, 2], [3, 1], [1, 0]]), np.array([4, 0, 2])
    values = np.random.default_rng(1).standard_normal((3, 2, *field.shape))
    with engine.store.active():
        write_listed(engine, field, xp.asarray(rows), xp.asarray(envs), xp.asarray(values))
    wanted[envs[:, None], rows] = values
    assert np.array_equal(host(read_rows(engine, field, slice(0, FIELDS[field]))), wanted)


def test_what_is_shared_stays_shared_while_all_get_the_same(device: str) -> None:
    made = px.World(num_envs=ENVS, device=device)
    box = made.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", mass=1.0)
    made.build()
    shared = made.engine.store.is_shared
    box.set_mass(2.0)
    box.set_mass(3.0, env_ids=range(ENVS))
    assert shared(LinkInertia.mass) and (host(box.mass) == 3.0).all()
    box.set_com((0.0, 0.0, 0.01), env_ids=[])
    assert shared(LinkInertia.com) and (host(box.com) == 0.0).all()
    box.set_mass(4.0, env_ids=[1])
    assert not shared(LinkInertia.mass) and host(box.mass).tolist() == [3.0, 4.0, 3.0, 3.0, 3.0]
