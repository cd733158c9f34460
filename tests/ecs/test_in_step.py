"""Lanes go through loops together, portions of rows are run by themselves: the same is computed."""

from __future__ import annotations

import numpy as np
import pytest

from phalanx.ecs import Component, DeclarationError, Field, Table, read, start, system, update, write
from phalanx.ecs.device import Device
from phalanx.ecs.store import Store
from phalanx.ecs.text.codegen import generate

Leaf = Table("leaf", "leaves of a tree")
Vein = Table("vein", "veins, leaf by leaf")


class LeafVeins(Component, table=Leaf):
    """Which veins a leaf has."""

    first = Field(dtype="int32", doc="first", constant=True)
    end = Field(dtype="int32", doc="one past the last", constant=True)
    kind = Field(dtype="int32", doc="0 or 1", constant=True)


class LeafState(Component, table=Leaf):
    """What flows."""

    pressure = Field(2, doc="at its ends", role="state")
    flow = Field(doc="sum over veins")
    most = Field(doc="largest of a vein")


class VeinShape(Component, table=Vein):
    """How wide veins are."""

    leaf = Field(dtype="int32", doc="the leaf at its other end", constant=True)
    width = Field(doc="width", role="parameter", shared=True)


def _flow(
    k,
    e,
    begin=start(),
    first=read(LeafVeins.first),
    end=read(LeafVeins.end),
    kind=read(LeafVeins.kind),
    leaf=read(VeinShape.leaf),
    width=read(VeinShape.width),
    pressure=read(LeafState.pressure),
    flow=write(LeafState.flow),
    most=update(LeafState.most),
):
    """A sum and a maximum over veins, with a loop that ends elsewhere in each lane, and a branch of all lanes."""
    i = begin + k
    x, y = pressure[i, 0, e], pressure[i, 1, e]
    total = 0.0
    greatest = 0.0
    for v in range(first[i, e], end[i, e]):
        j = leaf[v, e]
        w = width[v, e]
        for n in range(2):
            part = w * (pressure[j, n, e] - x) if n == 0 else w * (pressure[j, n, e] - y)
            total += part
            greatest = max(greatest, part)
    if kind[i, e] == 1:
        for v in range(first[i, e], end[i, e]):
            total += width[v, e] * x
    turns = 0
    while total > 1.0 and turns < 8:
        total = 0.5 * total
        turns += 1
    flow[i, e] = total
    most[i, e] = max(most[i, e], greatest)


flow_together = system(over=Leaf, phase="sense", in_step=True)(_flow)
flow_alone = system(over=Leaf, phase="sense")(_flow)


def tree(num_envs: int, leaves: int = 7) -> Store:
    """A store with a tree of random veins."""
    random = np.random.default_rng(5)
    counts = random.integers(0, 5, leaves)
    ends = np.cumsum(counts)
    store = Store(num_envs, Device("cpu"), "float64")
    store.set_rows(Leaf, leaves)
    store.set_rows(Vein, int(ends[-1]))
    store.set(LeafVeins.first, (ends - counts)[:, None])
    store.set(LeafVeins.end, ends[:, None])
    store.set(LeafVeins.kind, random.integers(0, 2, leaves)[:, None])
    store.set(VeinShape.leaf, random.integers(0, leaves, ends[-1])[:, None])
    store.set(VeinShape.width, random.uniform(0.1, 2.0, ends[-1])[:, None])
    store.set(LeafState.pressure, random.normal(size=(leaves, 2, 100))[..., :num_envs])
    return store


def flows(store: Store) -> tuple[np.ndarray, np.ndarray]:
    """The same in Python, number by number."""
    first, end, kind = (store[LeafVeins].__getattr__(n)[:, 0] for n in ("first", "end", "kind"))
    leaf, width = store[VeinShape].leaf[:, 0], store.view(VeinShape.width)
    pressure = store[LeafState].pressure
    total = np.zeros((len(first), store.num_envs))
    greatest = np.zeros_like(total)
    for i, e in np.ndindex(total.shape):
        w = width[:, min(e, width.shape[-1] - 1)]
        for v in range(first[i], end[i]):
            parts = w[v] * (pressure[leaf[v], :, e] - pressure[i, :, e])
            for part in parts:
                total[i, e] += part
            greatest[i, e] = max(greatest[i, e], *parts)
        if kind[i] == 1:
            for v in range(first[i], end[i]):
                total[i, e] += w[v] * pressure[i, 0, e]
        turns = 0
        while total[i, e] > 1 and turns < 8:
            total[i, e], turns = 0.5 * total[i, e], turns + 1
    return total, greatest


@pytest.mark.parametrize("wide", [False, True])
def test_the_same_is_computed(wide: bool) -> None:
    store = tree(21)
    if wide:
        store.set(VeinShape.width, np.random.default_rng(1).uniform(0.1, 2.0, (store.rows(Vein), 21)))
    store.program([flow_together]).run()
    total, greatest = flows(store)
    np.testing.assert_allclose(store[LeafState].flow, total, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(store[LeafState].most, greatest, rtol=1e-13)


def test_it_is_the_same_whoever_is_beside() -> None:
    one, many = tree(1), tree(100)
    for store in (one, many):
        store.program([flow_together]).run()
    np.testing.assert_array_equal(one[LeafState].flow[:, 0], many[LeafState].flow[:, 0])


def test_lanes_go_in_step() -> None:
    text = generate(flow_together, frozenset({"width", "first", "end", "kind", "leaf"}), "float64", "cpu").source
    loop = text.index("for v in range(first[i, 0], end[i, 0]):")
    assert text.index("for _e in range(_low, _high):", loop) > loop
    assert "_lanes_total" in text and "_lanes_part" not in text


def test_portions() -> None:
    store, whole = tree(9), tree(9)
    whole.program([flow_together]).run()
    store.program([flow_together.portion(2, 3)]).run()
    flow = store[LeafState].flow
    np.testing.assert_array_equal(flow[2:5], whole[LeafState].flow[2:5])
    assert not flow[:2].any() and not flow[5:].any()
    store.program([flow_together.portion(first, 1) for first in (0, 1, 5, 6)]).run()
    np.testing.assert_array_equal(store[LeafState].flow, whole[LeafState].flow)


def test_portions_are_compiled_once() -> None:
    parts = [flow_together.portion(0, 2), flow_together.portion(2, 5)]
    made = {generate(s, frozenset({"width"}), "float64", "cpu").path for s in (*parts, flow_together)}
    assert len(made) == 1


def test_what_cannot_be() -> None:
    def early(i, e, flow=write(LeafState.flow)):
        if i == 1:
            return
        flow[i, e] = 1.0

    declared = system(over=Leaf, phase="sense", in_step=True)(early)
    with pytest.raises(DeclarationError, match="return early"):
        generate(declared, frozenset(), "float64", "cpu")
    with pytest.raises(DeclarationError, match="rows may run in parallel"):
        system(over=Leaf, phase="sense", order="forward", in_step=True)(early)
    with pytest.raises(DeclarationError, match=r"start\(\)"):
        declared.portion(0, 1)
