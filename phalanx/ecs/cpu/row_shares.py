"""Rows of one block of environments, shared out to threads.

Where a world has one block of environments, threads have no other block to run. Then the rows of large portions of
systems (:meth:`~phalanx.ecs.declare.System.portion`), such as the nodes of one colour, are shared out. Such rows may
run in parallel, and what a row computes does not depend on which other rows its function is called for: results are
the same to the bit whatever the number of threads.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

from phalanx.ecs.declare import Bound

LEAST = 512
"""Rows that a thread must get, or it is not worth waking: 0.1 to 1 ms of work, against some 0.05 ms."""


def shares(bound: Bound, threads: int) -> list[Bound]:
    """The same for parts of its rows, in order; itself alone where they are not shared out.

    Args:
        bound: a system with its arguments.
        threads: how many there are; a half, a quarter and so on of them are used where there are fewer rows.
    """
    system = bound.system
    places = [i for i, a in enumerate(system.arguments.values()) if a.mode == "rows" and isinstance(a.target, int)]
    if len(places) != 1 or system.over is None or system.order != "parallel" or system.is_native:
        return [bound]
    parts = threads
    while parts > 1 and bound.rows < parts * LEAST:
        parts //= 2
    bounds = [bound.rows * i // parts for i in range(parts + 1)]
    found = []
    for first, end in itertools.pairwise(bounds):
        arguments = list(bound.arguments)
        arguments[places[0]] = int(arguments[places[0]]) + first
        found.append(replace(bound, rows=end - first, arguments=arguments))
    return found
