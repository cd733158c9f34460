"""The contact solver for the GPU, island by island: what stands in for which systems, and where.

:mod:`~.island_lists` finds the islands, :mod:`~.island_rows` lays out their rows, :mod:`~.island_sweeps` sweeps them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from phalanx.components import Contact, Dof, IslandDofFour, IslandRest, IslandRowFour, Sweep
from phalanx.components.island import FEW_DOFS, MOST_DOFS
from phalanx.ecs import System
from phalanx.ecs.declare import Access
from phalanx.ecs.sequences.fusion import Rest
from phalanx.ecs.sequences.stand_ins import Rows, Substitute, apart_by
from phalanx.systems.solver.islands.lists import list_island_rows, list_islands
from phalanx.systems.solver.islands.rows import inverse_factor, lay_out_dofs, lay_out_inverse
from phalanx.systems.solver.islands.sweeps import sweep_island, sweep_large_island

ISLANDS = "islands, or the rest"


def has_large(rows: Rows) -> bool:
    """Whether islands may be too large for eight threads, and none too large for a warp."""
    return FEW_DOFS < rows(Dof) <= MOST_DOFS


def prepare(rows: Rows) -> list[System]:
    """What finds the islands and lays out their rows."""
    large = has_large(rows)
    lists = (_made(list_islands, large=int(large)), list_island_rows)
    each = _numbers(rows)["each"]
    dofs = [_made(apart_by(system, "rows of dofs"), each=each) for system in (lay_out_inverse, lay_out_dofs)]
    return [*lists, *dofs]


def instead(rows: Rows, times: int, bounces_at: int, warm: bool) -> list[System]:
    """What sweeps them, so many times; before which of them bounces are found (-1: not there); with a warm start."""
    # neither meets what is the other's; the few large ones take longer, and begin first
    sizes = (sweep_large_island, sweep_island) if has_large(rows) else (sweep_island,)
    found = [apart_by(system, ISLANDS) for system in sizes]
    numbers = {"times": times, "bounces_at": bounces_at, "warm": int(warm), **_numbers(rows)}
    return [_made(system, **numbers) for system in found]


def _numbers(rows: Rows) -> dict[str, int]:
    """How many numbers there are of each dof, and of a contact's rows."""
    return {
        "each": 4 * rows(IslandDofFour) // max(rows(Dof), 1),
        "stride": 4 * rows(IslandRowFour) // max(rows(Contact), 1),
    }


@cache
def _made(one: System, **numbers: int) -> System:
    """A system with numbers for some of its arguments."""
    return replace(one, arguments=one.arguments | {name: Access("rows", number) for name, number in numbers.items()})


SUBSTITUTE = Substitute(
    group=("sweep_dofs", "sweep_normals", "sweep_friction", "advance"),
    between=("find_bounces", "bounce"),
    absorbed="warm_start_contacts",
    prepared=("contact_jacobians", "decouple_contacts", "ease_contacts", "contact_blocks"),
    beside=("ease_contacts", "contact_blocks"),
    apart=ISLANDS,
    replaced={"dof_jacobians": inverse_factor},
    prepare=prepare,
    instead=instead,
    rest=Rest(IslandRest.left, Sweep.index),
)
