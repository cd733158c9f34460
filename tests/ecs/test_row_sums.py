"""Sums that threads of a GPU share, run from the kernel's text with a thread of Python for each of a block."""

from __future__ import annotations

import math
import threading
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx.components import NodeSection
from phalanx.ecs import Component, Field, System, Table, read, system, write
from phalanx.ecs.errors import DeclarationError
from phalanx.ecs.store import Store
from phalanx.ecs.text.codegen import generate
from phalanx.ecs.text.row_sums import LANES, SHARES
from phalanx.systems.deformable.modes import solve_modes, solve_six, solve_six_in_registers, sum_groups
from phalanx.systems.deformable.momentum import body_momenta, sum_momenta
from phalanx.systems.deformable.sections import sum_momenta_of_sections, sum_sections

Basket = Table("basket of row sums")
Apple = Table("apple of row sums")


class BasketOfSums(Component, table=Basket):
    first = Field(dtype="int32", constant=True)
    end = Field(dtype="int32", constant=True)
    found = Field(2)


class AppleOfSums(Component, table=Apple):
    mass = Field()


@system(over=Basket, phase="sense", sums=True)
def weigh(
    i: Any,
    e: Any,
    first: Any = read(BasketOfSums.first),
    end: Any = read(BasketOfSums.end),
    mass: Any = read(AppleOfSums.mass),
    found: Any = write(BasketOfSums.found),
) -> None:
    whole, count = 0.0, 0.0
    for k in range(first[i, e], end[i, e]):
        m = mass[k, e]
        whole += m
        count += 1.0
    found[i, 0, e] = whole
    found[i, 1, e] = whole / count if count > 0.0 else 0.0


class Block:
    """What a kernel's text means by ``cuda``, for the threads of one block."""

    def __init__(self, column: int, shape: tuple[int, int], grid: tuple[int, int]) -> None:
        self._own, self._memory = threading.local(), {}
        self._barrier, self._lock = threading.Barrier(shape[0] * shape[1], timeout=60), threading.Lock()
        self._start = column * shape[0]
        self.gridDim = SimpleNamespace(y=grid[1])
        self.blockIdx = SimpleNamespace(y=0)
        self.shared = SimpleNamespace(array=self._array)

    def begin(self, x: int, y: int) -> None:
        self._own.thread = SimpleNamespace(x=x, y=y)

    @property
    def threadIdx(self) -> Any:
        return self._own.thread

    def grid(self, _: int) -> int:
        return self._start + self._own.thread.x

    def syncthreads(self) -> None:
        self._barrier.wait()

    def _array(self, size: int, dtype: Any, alignment: int) -> np.ndarray:
        with self._lock:
            return self._memory.setdefault(size, np.full(size, np.nan, dtype))


def run_on_blocks(made: System, store: Store) -> None:
    """Run the CUDA text of a system that shares out sums, on a store of the CPU."""
    shared = frozenset(name for name, a in made.field_arguments.items() if store.is_shared(a.target))
    text = generate(made, shared, store.real, "cuda").source
    lines = [line for line in text.splitlines() if not line.startswith(("from phalanx", "import"))]
    assert made.over is not None
    rows = store.rows(made.over)
    arrays = [store.array(a.target).reshape(-1) for a in made.field_arguments.values()]
    size = LANES, SHARES[store.real]
    for column in range(-(-store.num_envs // LANES)):
        block = Block(column, size, (1, 1))
        names: dict[str, Any] = {
            "np": np, "math": math, "cuda": block, "_fixed": lambda *_: None, "unsigned": int,
            "signed": int, "_place": lambda row, stride, index: int(row) * int(stride) + int(index),
        }  # fmt: skip
        names |= {name: lambda f: f for name in ("helper", "routine", "kernel", "scalar_kernel")}
        body = "\n".join(lines).replace("unsigned = np.uint64", "").replace("signed = np.int64", "")
        exec(body, names)
        kernel = next(v for k, v in names.items() if k.startswith(f"{made.name}_"))
        failed: list[BaseException] = []

        def one(x: int, y: int, block: Block = block, kernel: Any = kernel, failed: list = failed) -> None:
            block.begin(x, y)
            try:
                with np.errstate(all="ignore"):
                    kernel(store.num_envs, rows, store.stride, *arrays)
            except BaseException as error:
                failed.append(error)
                block._barrier.abort()

        threads = [threading.Thread(target=one, args=(x, y)) for y in range(size[1]) for x in range(size[0])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failed:
            raise next((e for e in failed if not isinstance(e, threading.BrokenBarrierError)), failed[0])


@pytest.mark.parametrize("envs", [3, 35], ids=["part of a block", "two blocks"])
def test_threads_find_what_one_finds(envs: int) -> None:
    """Of no items, fewer than threads, and more; the same whatever environments there are besides."""
    store = px.World(envs, "cpu", dtype="float32").engine.store
    store = Store(envs, store.device, "float32")
    ends = np.array([0, 3, 3, 23, 40], np.int32)
    store.set_rows(Basket, 4)
    store.set_rows(Apple, 40)
    store.set(BasketOfSums.first, ends[:-1, None])
    store.set(BasketOfSums.end, ends[1:, None])
    mass = np.random.default_rng(1).uniform(0.5, 2.0, (40, 35)).astype(np.float32)[:, :envs]
    store.set(AppleOfSums.mass, mass)
    store.set(BasketOfSums.found, -1.0)
    run_on_blocks(weigh, store)
    found = host(store.view(BasketOfSums.found))
    wanted = np.array([mass[a:b].sum(axis=0) for a, b in pairwise(ends)])
    np.testing.assert_allclose(found[:, 0], wanted, rtol=1e-6)
    np.testing.assert_allclose(found[:, 1], wanted / np.maximum(np.diff(ends), 1)[:, None], rtol=1e-6)
    assert (host(store.array(BasketOfSums.found))[..., envs:] <= 0).all(), "other environments' places are left alone"


def test_deformable_bodies_are_summed_up_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Momentum and rigid motion of a cube and a cloth, by sections of a group, to rounding in float64."""
    monkeypatch.setattr("phalanx.world.layout.deformable.SECTION", 1)
    made = px.World(2, "cpu", dt=0.01, dtype="float64")
    made.add_ground()
    cube = px.Shape("box", (0.05, 0.05, 0.05))
    made.add_soft_body(cube, "cube", resolution=3, youngs_modulus=1e5, position=(0.0, 0.0, 0.051))
    made.add_cloth(px.ClothMesh.grid(0.2, 0.2, 5, 5), "cloth", position=(0.05, 0.0, 0.11))
    made.build()
    for _ in range(5):
        made.step()
    store = made.engine.store
    assert store.rows(NodeSection) == 4
    for each in (sum_groups, sum_sections, solve_modes, sum_momenta, sum_momenta_of_sections, body_momenta):
        before = {a.target: host(store.array(a.target)).copy() for a in each.field_arguments.values() if a.writes}
        store.program([each]).run()
        wanted = {field: host(store.view(field)).copy() for field in before}
        for field, values in before.items():
            store.array(field)[...] = values
        run_on_blocks(each, store)
        for field, values in wanted.items():
            size = max(float(np.abs(values).max()), 1e-30)
            got = host(store.view(field))
            np.testing.assert_allclose(got, values, rtol=0, atol=1e-9 * size, err_msg=f"{each.name} {field.key}")


def test_six_equations_in_registers() -> None:
    """To the bit what is found in an array."""
    rng = np.random.default_rng(3)
    a = rng.normal(size=(6, 9))
    matrix = a @ a.T
    x = rng.normal(size=6)
    found = solve_six_in_registers(*matrix[np.triu_indices(6)].tolist(), *x.tolist())
    lower, solved = matrix.ravel().tolist(), x.tolist()
    solve_six(lower, solved)
    assert list(found) == solved
    np.testing.assert_allclose(matrix @ solved, x, atol=1e-9)


def _leaves(i: Any, e: Any, first: Any = read(BasketOfSums.first), found: Any = write(BasketOfSums.found)) -> None:
    whole = 0.0
    for _ in range(first[i, e]):
        whole += 1.0
        if whole > 3.0:
            break
    found[i, 0, e] = whole


def _sums_nothing(i: Any, e: Any, found: Any = write(BasketOfSums.found)) -> None:
    for k in range(2):
        found[i, k, e] = 0.0


@pytest.mark.parametrize(("body", "reason"), [(_leaves, "nothing may leave"), (_sums_nothing, "sum up 1 to 48")])
def test_what_cannot_be_shared_out_is_refused(body: Any, reason: str) -> None:
    with pytest.raises(DeclarationError, match=reason):
        generate(system(over=Basket, phase="sense", sums=True)(body), frozenset(), "float32", "cuda")
