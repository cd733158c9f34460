"""Sums over a row's items that several GPU threads share: systems declared with ``sums``.

The first loop of such a system adds to numbers that are 0 before it. A thread that goes through a hundred items by
itself waits for memory a hundred times. Here eight threads of a block take every eighth item each (:data:`SHARES`), and
add up what they have found in the block's memory, in their order. Neighbouring threads are neighbouring environments,
as in other kernels, so memory is read in whole sectors; and the order of a sum does not depend on how many environments
there are.
"""

from __future__ import annotations

import ast

from phalanx.ecs.declare import System
from phalanx.ecs.errors import DeclarationError
from phalanx.ecs.source.walk import walk
from phalanx.ecs.text.addresses import called
from phalanx.ecs.text.statements import names_in, statements_of

SHARES = {"float32": 8, "float64": 4}
"""Threads that share out a sum, by the world's type. Part of what a world computes: sums depend on it in their last
digits."""

LANES = 32
"""Most environments of a block."""

MOST = 48
"""Numbers that the memory of a block has room for, of each thread."""


def share_out(system: System, statements: list[ast.stmt], real: str) -> list[ast.stmt]:
    """The statements for one of the threads; ``_rank``, ``_lane`` and ``_own`` are those of :func:`head`."""
    shares = SHARES[real]
    at = next((i for i, s in enumerate(statements) if isinstance(s, ast.For)), -1)
    loop = statements[at]
    if at < 0 or not isinstance(loop, ast.For) or called(loop.iter) != "range":
        raise _error(system, "its first loop must be one over a range that sums up")
    assert isinstance(loop.iter, ast.Call)
    before, after = statements[:at], statements[at + 1 :]
    known = set().union(*(names_in(s, ast.Store) for s in before))
    changed = set().union(*(names_in(s, ast.Store) for s in loop.body))
    sums = sorted(known & changed)
    for node in (n for s in (*before, loop) for n in walk(s)):
        if isinstance(node, ast.Return | ast.Break | ast.Continue):
            raise _error(system, "threads wait for each other after the loop that sums up, so nothing may leave before")
    if not sums or len(sums) > MOST or len(loop.iter.args) > 2:
        raise _error(system, f"its first loop must have steps of 1 and sum up 1 to {MOST} numbers, not {len(sums)}")
    low, high = (["0"] * (2 - len(loop.iter.args)) + [ast.unparse(bound) for bound in loop.iter.args])[:2]
    loop.iter = ast.parse(f"range(({low}) + _rank, {high}, {shares})", mode="eval").body

    def item(number: int | str, rank: int | str) -> str:
        return f"_sums[unsigned(({number} * {shares} + {rank}) * {LANES} + _lane)]"

    text = [f"_sums = cuda.shared.array({len(sums) * shares * LANES}, real, alignment=16)"]
    text += [f"{item(k, '_rank')} = {name}" for k, name in enumerate(sums)]
    text += ["cuda.syncthreads()", f"for _sum in range(_rank, {len(sums)}, {shares}):"]
    text += [f"    {item('_sum', 0)} = {' + '.join(item('_sum', r) for r in range(shares))}", "cuda.syncthreads()"]
    text += [f"{name} = {item(k, 0)}" for k, name in enumerate(sums)]
    ends = ast.If(ast.parse("_own and _rank == 0", mode="eval").body, after or [ast.Pass()], [])
    return [*before, loop, *statements_of("\n".join(text)), ends, *statements_of("cuda.syncthreads()")]


def head(env: str) -> str:
    """What comes before the loop over rows: threads that are for no environment go along with the last one."""
    return (
        f"    _{env} = unsigned(min(cuda.grid(1), _count - 1))\n    _own = cuda.grid(1) < _count\n"
        "    _rank, _lane = signed(cuda.threadIdx.y), signed(cuda.threadIdx.x)\n"
    )


def _error(system: System, text: str) -> DeclarationError:
    return DeclarationError(f"system {system.name} has sums=True, so {text}")
