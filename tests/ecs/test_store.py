"""Where data live: padded arrays, views of them, shared fields that widen, snapshots that restore exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import host

from phalanx.ecs import Component, Device, Field, Store, Table
from phalanx.ecs.cpu.program import block_size
from phalanx.ecs.cpu.threads import set_num_threads
from phalanx.ecs.errors import DeviceError
from phalanx.ecs.store import ALIGN

Cell = Table("cell", "cells of a battery")
Pack = Table("pack", "packs of cells; none in these tests")


class Charge(Component, table=Cell):
    """What a cell holds."""

    energy = Field(unit="J", doc="energy left", role="state", initial=7.5)
    taps = Field((2, 3), unit="V", doc="voltages", role="input")
    capacity = Field(unit="J", doc="energy when full", role="parameter", shared=True, initial=10)
    kind = Field(dtype="int32", doc="chemistry", constant=True)
    flow = Field(unit="W", doc="power drawn")


class Empty(Component, table=Pack):
    """On a table without rows."""

    value = Field(doc="nothing")


def make(num_envs: int = 5, device: str = "cpu", real: str = "float32", rows: int = 4) -> Store:
    store = Store(num_envs, Device(device), real)
    store.set_rows(Cell, rows)
    return store


@given(st.integers(1, 20000), st.sampled_from([1, 2, 3, 16]))
@settings(deadline=None)
def test_stride_is_padded_and_never_a_power_of_two(num_envs: int, threads: int) -> None:
    store = make(num_envs)
    try:
        set_num_threads(threads)
        lanes = block_size(num_envs)
    finally:
        set_num_threads(None)
    assert store.stride >= -(-num_envs // lanes) * lanes, "whole blocks of lanes fit"
    assert store.stride % ALIGN == 0 and store.stride // ALIGN % 2 == 1, "odd multiple of 16"
    assert store.stride.bit_count() > 1 or store.stride <= ALIGN
    assert store.stride <= num_envs + store.device.most_lanes(num_envs) + ALIGN


def test_small_worlds_are_padded_little() -> None:
    assert [make(count).stride for count in (1, 16, 17, 32, 33, 64)] == [16, 16, 48, 48, 80, 80]


def test_arrays_have_the_environment_last_and_contiguous(device: str) -> None:
    store = make(5, device)
    array = store.array(Charge.taps)
    assert array.shape == (4, 2, 3, store.stride)
    assert array.flags.c_contiguous and str(array.dtype) == "float32"
    assert store.view(Charge.taps).shape == (4, 2, 3, 5)
    assert store.array(Charge.capacity).shape == (4, 1)
    assert str(store.array(Charge.kind).dtype) == "int32"
    assert str(make(5, device, "float64").array(Charge.energy).dtype) == "float64"


def test_initial_values_and_component_views(device: str) -> None:
    store = make(3, device)
    view = store[Charge]
    assert np.array_equal(host(view.energy), np.full((4, 3), 7.5))
    assert np.array_equal(host(view.capacity), np.full((4, 1), 10))
    assert sorted(dir(view)) == ["capacity", "energy", "flow", "kind", "taps"]
    view.energy[2] = 1.0
    assert host(store.array(Charge.energy))[2, :3].tolist() == [1, 1, 1], "a view is the data, not a copy"
    with pytest.raises(AttributeError, match="component Charge has no field 'enrgy'; it has energy, taps, capacity"):
        _ = view.enrgy
    with pytest.raises(AttributeError, match="component Charge has no field 'enrgy'"):
        view.enrgy = 1.0


def test_assignment_fills_the_padding_with_the_last_environment(device: str) -> None:
    """So that padding lanes compute the same as a real one, and nothing special."""
    store = make(3, device)
    store[Charge].energy = np.arange(12).reshape(4, 3)
    padded = host(store.array(Charge.energy))
    assert np.array_equal(padded[:, :3], np.arange(12).reshape(4, 3))
    assert np.array_equal(padded[:, 3:], np.broadcast_to(padded[:, 2:3], padded[:, 3:].shape))


def test_assignment_broadcasts(device: str) -> None:
    store = make(3, device)
    store[Charge].taps = 2.0
    store[Charge].taps = np.arange(3.0)[None, None, :, None]
    assert np.array_equal(host(store[Charge].taps), np.broadcast_to(np.arange(3.0)[:, None], (4, 2, 3, 3)))


@pytest.mark.parametrize("value", [np.zeros((4, 4)), np.zeros((3, 3)), np.zeros((4, 3, 1, 1)), np.zeros(2)])
def test_wrong_shapes_are_refused(value: np.ndarray, device: str) -> None:
    store = make(3, device)
    before = host(store[Charge].energy)
    with pytest.raises(ValueError, match="broadcast"):
        store[Charge].energy = value
    assert np.array_equal(host(store[Charge].energy), before)


def test_shared_fields_widen_when_environments_differ(device: str) -> None:
    store = make(3, device)
    store[Charge].capacity = np.full((4, 1), 8.0)
    assert store.is_shared(Charge.capacity) and store.version == 0
    own = np.arange(12.0).reshape(4, 3)
    store[Charge].capacity = own
    assert not store.is_shared(Charge.capacity) and store.version == 1
    assert np.array_equal(host(store[Charge].capacity), own)
    store[Charge].capacity = 3.0
    assert not store.is_shared(Charge.capacity) and np.array_equal(host(store[Charge].capacity), np.full((4, 3), 3.0))


def test_widening_keeps_the_values_in_every_lane(device: str) -> None:
    store = make(3, device)
    store[Charge].capacity = np.array([[1.0], [2.0], [3.0], [4.0]])
    store.widen(Charge.capacity)
    store.widen(Charge.capacity)
    assert store.version == 1
    wide = host(store.array(Charge.capacity))
    assert np.array_equal(wide, np.broadcast_to(np.arange(1.0, 5.0)[:, None], (4, store.stride)))


def test_topology_cannot_differ(device: str) -> None:
    store = make(3, device)
    with pytest.raises(ValueError, match=r"Charge.kind is the same in all environments by construction"):
        store.widen(Charge.kind)
    with pytest.raises(ValueError, match=r"Charge.kind is the same in all environments by construction"):
        store[Charge].kind = np.zeros((4, 3), np.int32)


def test_tables_need_rows() -> None:
    store = make()
    with pytest.raises(KeyError, match=r"table 'pack' has no rows in this world; call world.add_rows\(pack, count\)"):
        store.array(Empty.value)
    store.set_rows(Pack, 0)
    assert store.view(Empty.value).shape[-1] == 5
    store.array(Charge.energy)
    store.set_rows(Cell, 4)
    with pytest.raises(ValueError, match="table cell already holds data for 4 rows"):
        store.set_rows(Cell, 5)


def random_store(device: str, real: str, seed: int) -> Store:
    rng = np.random.default_rng(seed)
    store = make(6, device, real)
    store[Charge].energy = rng.normal(size=(4, 6))
    store[Charge].taps = rng.normal(size=(4, 2, 3, 6))
    store[Charge].flow = rng.normal(size=(4, 6))
    store[Charge].capacity = rng.normal(size=(4, 1))
    return store


@pytest.mark.parametrize("real", ["float32", "float64"])
def test_snapshots_restore_to_the_bit(real: str, device: str) -> None:
    store = random_store(device, real, 1)
    snapshot = store.snapshot(("state", "input", "parameter"))
    assert set(snapshot) == {"Charge.energy", "Charge.taps", "Charge.capacity"}, "derived data are left out"
    assert all(isinstance(value, np.ndarray) and value.dtype == real for value in snapshot.values())
    other = random_store(device, real, 2)
    kept = host(other[Charge].flow)
    other.restore(snapshot)
    again = other.snapshot(("state", "input", "parameter"))
    assert {key: value.tobytes() for key, value in again.items()} == {key: v.tobytes() for key, v in snapshot.items()}
    assert np.array_equal(host(other[Charge].flow), kept)


def test_snapshots_are_copies(device: str) -> None:
    store = random_store(device, "float32", 1)
    snapshot = store.snapshot(("state",))
    kept = snapshot["Charge.energy"].copy()
    store[Charge].energy = 0.0
    assert np.array_equal(snapshot["Charge.energy"], kept)


def test_restoring_widens_what_was_wide(device: str) -> None:
    wide = random_store(device, "float32", 1)
    wide[Charge].capacity = np.arange(24.0).reshape(4, 6)
    other = random_store(device, "float32", 2)
    other.restore(wide.snapshot(("parameter",)))
    assert np.array_equal(host(other[Charge].capacity), np.arange(24.0).reshape(4, 6))


def test_restoring_what_does_not_fit_changes_nothing(device: str) -> None:
    store = random_store(device, "float32", 1)
    before = store.snapshot(("state", "input"))
    wrong: list[tuple[dict[str, Any], str]] = [
        (
            {"Charge.energy": np.zeros((4, 6)), "Charge.gone": np.zeros(3)},
            "state has Charge.gone, which this world does not",
        ),
        ({"Charge.energy": np.zeros((4, 5))}, r"state has Charge.energy of shape \(4, 5\); this world needs \(4, 6\)"),
        ({"Charge.energy": np.zeros((4, 6)), "Charge.taps": np.zeros((4, 6))}, "state has Charge.taps of shape"),
    ]
    for snapshot, message in wrong:
        with pytest.raises(ValueError, match=message):
            store.restore(snapshot)
    after = store.snapshot(("state", "input"))
    assert all(np.array_equal(before[key], after[key]) for key in before)


def test_bytes_are_counted(device: str) -> None:
    store = make(3, device)
    assert store.nbytes() == 0
    store.array(Charge.energy)
    assert store.nbytes() == 4 * store.stride * 4


@pytest.mark.parametrize("name", ["tpu", "cuda:", "cuda:x", "cuda:-1", "CPU", ""])
def test_devices_that_do_not_exist(name: str) -> None:
    with pytest.raises(DeviceError, match=r'device .*: must be "cpu", "cuda", "cuda:N" or "gpu"'):
        Device(name)
