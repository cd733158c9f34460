"""The contact solver for the GPU, island by island: what stands in for which systems, and where.

:mod:`~.island_lists` finds the islands, :mod:`~.island_rows` lays out their rows, :mod:`~.island_sweeps` sweeps them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from phalanx.components import Dof, IslandContact, IslandDof, IslandRest, Sweep
from phalanx.components.island import FEW_DOFS, MOST_DOFS
from phalanx.ecs import System, Table
from phalanx.ecs.declare import Access
from phalanx.ecs.fusion import Rest
from phalanx.ecs.substitutes import Substitute
from phalanx.systems.island_lists import list_island_rows, list_islands
from phalanx.systems.island_rows import (
    inverse_factor,
    lay_out_contacts,
    lay_out_contacts_wide,
    lay_out_dofs,
    lay_out_dofs_wide,
    lay_out_inverse,
    lay_out_inverse_wide,
    lay_out_large_islands,
)
from phalanx.systems.island_sweeps import sweep_island, sweep_island_wide, sweep_large_island

Rows = Callable[[Table], int]


def has_large(rows: Rows) -> bool:
    """Whether islands may be too large for eight threads, and none too large for a warp.

    One tree of few dofs has few contacts most of the time. Worlds of many bodies have room for hundreds of contacts,
    whose wide rows would take more memory than all else.
    """
    return FEW_DOFS < rows(Dof) <= MOST_DOFS


def prepare(rows: Rows) -> list[System]:
    """What finds the islands and lays out their rows."""
    large = has_large(rows)
    found = (lay_out_inverse, lay_out_dofs, lay_out_contacts)
    if large:
        found = (lay_out_inverse_wide, lay_out_dofs_wide, lay_out_contacts_wide, lay_out_large_islands)
    lists = (_made(list_islands, False, large=int(large)), list_island_rows)
    return [*lists, *(_made(system, large) for system in found)]


def instead(rows: Rows, times: int, bounces_at: int, warm: bool) -> list[System]:
    """What sweeps them, so many times; before which of them bounces are found (-1: not there); with a warm start."""
    large = has_large(rows)
    found = (sweep_island_wide, sweep_large_island) if large else (sweep_island,)
    return [_made(system, large, times=times, bounces_at=bounces_at, warm=int(warm)) for system in found]


@cache
def _made(one: System, wide: bool, **numbers: int) -> System:
    """A system with numbers for some of its arguments, and with the wide rows of worlds that have large islands."""
    instead = {IslandDof.dense: IslandDof.wide} if wide else {}
    if one in (lay_out_large_islands, sweep_large_island):
        instead[IslandContact.dense] = IslandContact.wide
    arguments = dict(one.arguments)
    for name, access in one.field_arguments.items():
        arguments[name] = replace(access, target=instead.get(access.target, access.target))
    arguments |= {name: Access("rows", number) for name, number in numbers.items()}
    # an island is small or large, so neither kernel meets what is the other's
    return replace(one, arguments=arguments, apart=f"{one.phase} of islands" if wide else "")


SUBSTITUTE = Substitute(
    group=("sweep_dofs", "sweep_normals", "sweep_friction", "advance"),
    between=("find_bounces", "bounce"),
    absorbed="warm_start_contacts",
    prepared=("contact_jacobians", "decouple_contacts", "contact_blocks"),
    replaced={"dof_jacobians": inverse_factor},
    prepare=prepare,
    instead=instead,
    rest=Rest(IslandRest.left, Sweep.index),
)
