"""Spread loops: what GPU threads that share an environment compute, and what is refused."""

from __future__ import annotations

import ast
import threading
from typing import Any

import numpy as np
import pytest
from oracles import host

from phalanx.ecs import (
    Component,
    DeclarationError,
    Device,
    Field,
    Store,
    System,
    Table,
    codegen,
    read,
    rows,
    spread,
    system,
    teams,
    update,
    write,
)

Wire = Table("wire", "wires between poles")
ROWS, ENVS = 21, 19  # neither a multiple of a team


class Load(Component, table=Wire):
    """What a wire carries."""

    weight = Field(unit="N", doc="its own weight", role="parameter")
    carried = Field(unit="N", doc="with all before it")
    share = Field(2, doc="part of the whole, and of what is left")
    first = Field(dtype="int32", doc="where its section starts", constant=True)


@system(phase="sense")
def carry(
    lanes,
    count=rows(Wire),
    first=read(Load.first),
    weight=read(Load.weight),
    carried=update(Load.carried),
    share=write(Load.share),
):
    """Sums over sections of growing length, one after the other, each of which needs the one before."""
    for e in lanes:
        carried[0, e] = weight[0, e]
    for i in range(1, count):
        for e in lanes:
            carried[i, e] = carried[i - 1, e]
        for k in spread(first[i, 0], i + 1):
            for e in lanes:
                carried[i, e] += 0.5 * weight[k, e]
                if weight[k, e] < 0.0:
                    carried[i, e] -= weight[k, e]
    for i in spread(count):
        least = count - 1 - i
        for e in lanes:
            share[i, 0, e] = carried[i, e] / carried[count - 1, e]
        for e in lanes:
            share[i, 1, e] = weight[least, e]


def expected(weight: np.ndarray, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    carried = weight.copy()
    for i in range(1, len(weight)):
        part = weight[first[i] : i + 1]
        carried[i] = carried[i - 1] + (0.5 * part - np.minimum(part, 0.0)).sum(axis=0)
    return carried, np.stack([carried / carried[-1], weight[::-1]], axis=1)


def inputs() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(2.0, 1.0, (ROWS, ENVS)), np.arange(ROWS) // 2


def test_one_source(device: str) -> None:
    """The same numbers from every back end."""
    weight, first = inputs()
    store = Store(ENVS, Device(device), "float64")
    store.set_rows(Wire, ROWS)
    store[Load].weight = weight
    store[Load].first = first[:, None]
    store.program([carry]).run()
    carried, share = expected(weight, first)
    np.testing.assert_allclose(host(store[Load].carried), carried, rtol=1e-13)
    np.testing.assert_allclose(host(store[Load].share), share, rtol=1e-13)


def test_a_team_of_threads() -> None:
    """The text made for the GPU, run by as many threads in Python, which come in any order."""
    weight, first = inputs()
    generated = codegen.generate(carry, frozenset({"first"}), "float64", "cuda")
    tree = ast.parse(generated.source)
    kernel = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == generated.entry)
    kernel.decorator_list = []
    carried, share = np.full((ROWS, ENVS), np.nan), np.full((ROWS, 2, ENVS), np.nan)
    for env in range(ENVS):
        barrier = threading.Barrier(teams.TEAM)
        given = np.zeros(teams.TEAM)

        def run(rank: int, env: int = env, barrier: Any = barrier, given: np.ndarray = given) -> None:
            def joined(mask: int, x: float) -> float:
                given[rank] = x
                barrier.wait()
                total = given.sum()
                barrier.wait()
                return total

            class cuda:
                class threadIdx:
                    x = (env * teams.TEAM + rank) % 128

                @staticmethod
                def grid(_: int) -> int:
                    return env * teams.TEAM + rank

            names = {"cuda": cuda, "unsigned": int, "signed": int, "real": float, "range": range, "_joined": joined}
            names |= {"_wait": lambda mask: barrier.wait(), "np": np, "_place": lambda row, size, i: row * size + i}
            names["_fixed"] = lambda *words: None
            literals = (n for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]).startswith("_"))
            exec(ast.unparse(ast.Module([*literals, kernel], [])), names)
            fields = [field.reshape(-1) for field in (first, weight, carried, share)]
            names[generated.entry](ENVS, ROWS, ENVS, ROWS, *fields)

        threads = [threading.Thread(target=run, args=(rank,)) for rank in range(teams.TEAM)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30.0)
            assert not thread.is_alive(), "a thread waits for others that never come"
    wanted = expected(weight, first)
    np.testing.assert_allclose(carried, wanted[0], rtol=1e-13)
    np.testing.assert_allclose(share, wanted[1], rtol=1e-13)


@system(phase="sense")
def decided_by_what_it_stores(lanes, count=rows(Wire), carried=update(Load.carried)):
    far = 0
    for e in lanes:
        far = 1 if carried[0, e] > 0.0 else far
    if far == 1:
        for i in spread(count):
            for e in lanes:
                carried[i, e] = 0.0


@system(phase="sense")
def out_of_date(lanes, count=rows(Wire), carried=update(Load.carried), share=write(Load.share)):
    for e in lanes:
        head = carried[0, e]
    for i in spread(count):
        for e in lanes:
            share[i, 0, e] = head


@system(phase="sense")
def all_to_one(lanes, count=rows(Wire), weight=read(Load.weight), carried=write(Load.carried)):
    for i in spread(count):
        for e in lanes:
            carried[0, e] = weight[i, e]


@system(phase="sense")
def largest(lanes, count=rows(Wire), weight=read(Load.weight), carried=update(Load.carried)):
    for i in spread(count):
        for e in lanes:
            carried[0, e] *= weight[i, e]


@system(phase="sense")
def which_sum(lanes, count=rows(Wire), weight=read(Load.weight), share=update(Load.share)):
    for i in spread(count):
        for r in range(2):
            for e in lanes:
                share[0, r, e] += weight[i, e]


@system(phase="sense")
def escapes(lanes, count=rows(Wire), first=read(Load.first), carried=update(Load.carried)):
    for i in spread(count):
        last = first[i, 0]
    for e in lanes:
        carried[last, e] = 0.0


@system(phase="sense")
def within(lanes, count=rows(Wire), carried=update(Load.carried)):
    for i in spread(count):
        for k in spread(count):
            for e in lanes:
                carried[i, e] += 0.0 * carried[k, e]


@system(phase="sense")
def inside_out(lanes, count=rows(Wire), carried=update(Load.carried)):
    for e in lanes:
        for i in spread(count):
            carried[i, e] = 0.0


@system(phase="sense")
def stops(lanes, count=rows(Wire), weight=read(Load.weight), carried=write(Load.carried)):
    for i in spread(count):
        if i > 3:
            break
        for e in lanes:
            carried[i, e] = weight[i, e]


@system(phase="sense", over=Wire)
def by_item(i, e, count=rows(Wire), carried=write(Load.carried)):
    for k in spread(count):
        carried[i, e] += 0.0 * k


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (decided_by_what_it_stores, "comes from a field that the system stores, and decides about a spread loop"),
        (out_of_date, "head may be out of date in the spread loop"),
        (all_to_one, r"all iterations of a spread loop store to carried\[0, _?e\]"),
        (largest, "can join sums only"),
        (which_sum, "which item it is must be known before the loop"),
        (escapes, "last is assigned in a spread loop, and means nothing after it"),
        (within, "spread loops within spread loops"),
        (inside_out, "go around the loop over lanes"),
        (stops, "there is no break"),
        (by_item, "spread loops are for systems over lanes"),
    ],
    ids=lambda value: value.name if isinstance(value, System) else "",
)
def test_what_a_team_could_not_do_is_refused(made: System, message: str) -> None:
    with pytest.raises(DeclarationError, match=message):
        codegen.generate(made, frozenset({"first"}) & set(made.arguments), "float64", "cuda")
