"""What is lowered here instead of by Numba means the same: compared with Python, number by number."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core import types

from phalanx.ecs import Component, Field, Table, local, read, system, update
from phalanx.ecs.cpu import kernels as cpu
from phalanx.ecs.cpu.numba_compilers import EntryCompiler
from phalanx.ecs.device import Device
from phalanx.ecs.store import Store

MOST = 64
int64, float64 = np.int64, np.float64


def run(function: Any, *tables: np.ndarray) -> None:
    """Call an entry on arrays, whose addresses it gets."""
    table = np.array([t.ctypes.data for t in tables], np.int64)
    function.ctypes(0, 0, table.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)))


def entry(function: Callable[..., None]) -> Any:
    """An entry, not cached."""
    kind = types.void(types.int64, types.int64, types.CPointer(types.int64))
    return numba.cfunc(kind, error_model="numpy", pipeline_class=EntryCompiler)(function)


# -- elements


def move(x: Any, flags: Any, k: int, out: Any) -> None:
    """Reads and writes in all ways that are lowered here, and some that are not."""
    out[0], out[1], out[2] = x[0, 0], x[-1, 2], x[k, -1]
    out[3] = x[k, k]
    at = (1, k)
    out[4] = x[at]
    out[5] = x[1][k]
    x[k, 1] += 10.0
    x[-2, -1] = x[k, 0] + 1
    x[0, k] = k
    flags[k] = not flags[k]
    out[6] = 1.0 if flags[0] else 0.0
    out[k - 4] = 5.0
    out[7] += at[1]


def test_elements() -> None:
    compiled = cpu.routine(move)

    def call(_low: int, _high: int, table: Any) -> None:
        k = cpu.array(table[2], (1,), int64)
        shaped = cpu.array(table[0], (3, 3), float64), cpu.array(table[1], (3,), np.bool_)
        compiled(shaped[0], shaped[1], k[0], cpu.array(table[3], (16,), float64))

    made = entry(call)
    for k in range(-3, 3):
        expected = np.arange(9.0).reshape(3, 3), np.array([True, False, True]), np.zeros(16)
        found = tuple(a.copy() for a in expected)
        move(expected[0], expected[1], k, expected[2])
        run(made, found[0], found[1], np.array([k]), found[2])
        for a, b in zip(expected, found, strict=True):
            np.testing.assert_array_equal(a, b, err_msg=f"index {k}")


def choose(x: Any, flags: Any, k: int, out: Any) -> None:
    """Indices that are set on some ways only, and changed between uses."""
    if k > 0:
        at = (1, k)
    out[0] = 1.0
    if k > 0:
        out[1] = x[at]
    where = (0, 1)
    for i in range(3):
        out[2 + i] = x[where]
        if flags[i]:
            where = (i, 2 - i)
    x[0, 1] += x[where] if k > 0 else -x[where]


def test_indices_that_change() -> None:
    compiled = cpu.routine(choose)

    def call(_low: int, _high: int, table: Any) -> None:
        shaped = cpu.array(table[0], (3, 3), float64), cpu.array(table[1], (3,), np.bool_)
        k = cpu.array(table[2], (1,), int64)
        compiled(shaped[0], shaped[1], k[0], cpu.array(table[3], (16,), float64))

    made = entry(call)
    for k in range(3):
        expected = np.arange(9.0).reshape(3, 3), np.array([True, False, True]), np.zeros(16)
        found = tuple(a.copy() for a in expected)
        choose(expected[0], expected[1], k, expected[2])
        run(made, found[0], found[1], np.array([k]), found[2])
        np.testing.assert_array_equal(expected[0], found[0])
        np.testing.assert_array_equal(expected[2], found[2])


# -- ranges


def count(low: int, high: int, step: int, out: Any) -> None:
    """Numbers of ranges, one in the other, with ways out."""
    n = 0
    for i in range(low, high, step):
        out[n] = i
        n += 1
    for i in range(low, high):
        if i % 3 == 0:
            continue
        out[n] = 100 + i
        n += 1
        if n > 40:
            break
        for j in range(min(i, 2)):
            out[n] = 200 + j
            n += 1
    last = -1
    for i in range(high):
        last = i
    out[n], out[n + 1] = last, len(range(low, high))


_count = cpu.routine(count)


@entry
def count_entry(_low: int, _high: int, table: Any) -> None:
    ends = cpu.array(table[0], (3,), int64)
    _count(ends[0], ends[1], ends[2], cpu.array(table[1], (MOST,), int64))


@entry
def count_unsigned(_low: int, _high: int, table: Any) -> None:
    ends = cpu.array(table[0], (3,), int64)
    out = cpu.array(table[1], (MOST,), int64)
    for i in range(np.uint64(ends[0]), np.uint64(ends[1])):
        out[np.int64(i) - ends[0]] = np.int64(i)


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(-4, 4))
def test_ranges(low: int, high: int, step: int) -> None:
    expected, found = np.zeros(MOST, np.int64), np.zeros(MOST, np.int64)
    count(low, high, step, expected) if step else count(low, high, 100 if low > high else -100, expected)
    run(count_entry, np.array([low, high, step]), found)
    np.testing.assert_array_equal(expected, found)


@given(st.integers(0, 2**63), st.integers(-3, 9))
def test_unsigned_ranges(low: int, more: int) -> None:
    high = max(0, low + more)
    expected, found = np.zeros(MOST, np.uint64), np.zeros(MOST, np.uint64)
    numbers = list(range(low, high))
    expected[: len(numbers)] = numbers
    run(count_unsigned, np.array([low, high, 0], np.uint64), found)
    np.testing.assert_array_equal(expected, found)


# -- extrema


def extrema(a: float, b: float, i: int, j: int, out: Any) -> None:
    """Of two and of three, of numbers of one and of two kinds."""
    out[0], out[1] = max(a, b), min(a, b)
    out[2], out[3] = max(i, j), min(i, j)
    out[4], out[5] = max(a, i), min(j, b)
    out[6], out[7] = max(a, b, 1.0), min(i, j, 0)
    out[8], out[9] = max(i, 0), min(0.5, a)


_extrema = cpu.helper(extrema)


@entry
def extrema_entry(_low: int, _high: int, table: Any) -> None:
    reals, numbers = cpu.array(table[0], (2,), float64), cpu.array(table[1], (2,), int64)
    _extrema(reals[0], reals[1], numbers[0], numbers[1], cpu.array(table[2], (10,), float64))


@given(*[st.floats(width=32)] * 2, *[st.integers(-(2**40), 2**40)] * 2)
def test_extrema(a: float, b: float, i: int, j: int) -> None:
    expected, found = np.zeros(10), np.zeros(10)
    extrema(a, b, i, j, expected)
    run(extrema_entry, np.array([a, b]), np.array([i, j]), found)
    np.testing.assert_array_equal(expected, found)
    same_sign = np.copysign(1.0, expected) == np.copysign(1.0, found)
    assert np.all(same_sign | np.isnan(expected)), "of zeros the first"


def test_extrema_of_what_is_no_number() -> None:
    """Python's order: the second only if it is greater, so NaN stays where it is first."""
    for a, b in ((math.nan, 1.0), (1.0, math.nan), (0.0, -0.0), (-0.0, 0.0)):
        found, expected = np.zeros(10), np.zeros(10)
        extrema(a, b, 1, 2, expected)
        run(extrema_entry, np.array([a, b]), np.array([1, 2]), found)
        assert found.tobytes() == expected.tobytes()


# -- what kernels are


def test_no_references_are_counted() -> None:
    assert "NRT_" not in count_entry._library.get_llvm_str()


Jar = Table("jar", "jars")


class Lid(Component, table=Jar):
    """How far it is open."""

    turn = Field(doc="rad", unit="rad")
    teeth = Field(3, doc="heights")


@system(over=Jar, phase="sense")
def adds_arrays(i, e, turn=update(Lid.turn)):
    """Nobody would free the sum."""
    kept = local(3)
    kept[0] = turn[i, e]
    more = kept + kept
    turn[i, e] = more[0]


@system(over=Jar, phase="sense")
def reads_from_the_end(i, e, teeth=read(Lid.teeth), turn=update(Lid.turn)):
    """As in Python."""
    k = -1 if turn[i, e] > 1.0 else -3
    turn[i, e] = teeth[i, -1, e] + 10.0 * teeth[i, k, e]


def jars() -> Store:
    """Three in each of two environments."""
    store = Store(2, Device("cpu"), "float64")
    store.set_rows(Jar, 3)
    return store


def test_kernels_own_no_memory() -> None:
    store = jars()
    with pytest.raises(
        Exception, match=r"whole arrays: kernels own no memory; use a field of a component, or local\(\)"
    ):
        store.program([adds_arrays]).run()


def test_items_are_counted_from_the_end() -> None:
    store = jars()
    store.set(Lid.teeth, np.arange(9.0).reshape(3, 3, 1) * np.ones(2))
    store.set(Lid.turn, np.array([2.0, 0.0]) * np.ones((3, 1)))
    store.program([reads_from_the_end]).run()
    teeth = np.arange(9.0).reshape(3, 3)
    expected = np.stack([teeth[:, 2] + 10 * teeth[:, 2], teeth[:, 2] + 10 * teeth[:, 0]], axis=1)
    np.testing.assert_array_equal(np.asarray(store[Lid].turn)[:, :2], expected)
