"""The order of systems in a step, worked out from phases and from what each system reads and writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter

from phalanx.ecs.declare import System
from phalanx.ecs.errors import ScheduleError


class Schedule:
    """Named phases, each with systems in a valid order.

    Within a phase a system that writes a field runs before those that only read it. Two systems that both write a field
    must be put in order by ``after=``/``before=``; so must two that each read what the other writes.
    """

    def __init__(self, phases: Sequence[str], systems: Iterable[System] = ()) -> None:
        self.phases = tuple(dict.fromkeys(phases))
        self._systems: list[System] = []
        self._order: dict[str, list[System]] = {}
        for system in systems:
            self.add(system)

    def add(self, system: System) -> None:
        """Add a system; its order is checked when the schedule is next asked for."""
        if system.phase not in self.phases:
            raise ScheduleError(f"system {system.name}: no phase {system.phase!r}; phases are {', '.join(self.phases)}")
        if any(known.name == system.name for known in self._systems):
            raise ScheduleError(f"system {system.name} is already in the schedule; give one of them another name")
        self._systems.append(system)
        self._order.clear()

    def phase(self, name: str) -> list[System]:
        """The systems of one phase in order."""
        if name not in self._order:
            self._order[name] = _sort([s for s in self._systems if s.phase == name])
        return self._order[name]

    def systems(self, phases: Iterable[str] | None = None) -> list[System]:
        """The systems of the given phases (all by default) in order."""
        names = self.phases if phases is None else dict.fromkeys(phases)
        return [system for name in names for system in self.phase(name)]

    def __str__(self) -> str:
        lines = []
        for name in self.phases:
            lines.append(f"{name}:")
            for system in self.phase(name):
                reads = ", ".join(sorted(f.key for f in system.reads - system.writes))
                writes = ", ".join(sorted(f.key for f in system.writes))
                lines.append(f"  {system.name}({reads}) -> {writes}")
        return "\n".join(lines)


def _sort(systems: list[System]) -> list[System]:
    names = {system.name: system for system in systems}
    before: dict[str, set[str]] = {system.name: set() for system in systems}
    for system in systems:
        for other in system.after:
            _known(system, other, names)
            before[system.name].add(other)
        for other in system.before:
            _known(system, other, names)
            before[other].add(system.name)
    told = _closure(before)
    for i, a in enumerate(systems):
        for b in systems[i + 1 :]:
            if b.name in told[a.name] or a.name in told[b.name]:
                continue
            both = a.writes & b.writes
            a_first, b_first = a.writes & b.reads, b.writes & a.reads
            if both or (a_first and b_first):
                fields = ", ".join(sorted(f.key for f in both or a_first | b_first))
                raise ScheduleError(
                    f"systems {a.name} and {b.name} clash in phase {a.phase!r} over {fields}: say which is first, e.g. "
                    f'@system(..., after="{a.name}") on {b.name}'
                )
            if a_first:
                before[b.name].add(a.name)
            elif b_first:
                before[a.name].add(b.name)
    try:
        return [names[name] for name in TopologicalSorter(before).static_order()]
    except CycleError as error:
        raise ScheduleError(
            f"systems wait for each other: {' -> '.join(error.args[1])}; change after= or before="
        ) from None


def _known(system: System, other: str, names: dict[str, System]) -> None:
    if other not in names:
        raise ScheduleError(f"system {system.name}: after/before names {other}, which is not in phase {system.phase!r}")


def _closure(before: dict[str, set[str]]) -> dict[str, set[str]]:
    """All systems that must precede each one, directly or not."""
    closed: dict[str, set[str]] = {}

    def visit(name: str, path: tuple[str, ...]) -> set[str]:
        if name in closed:
            return closed[name]
        if name in path:
            raise ScheduleError(f"systems wait for each other: {' -> '.join((*path, name))}; change after= or before=")
        found = set(before[name])
        for other in before[name]:
            found |= visit(other, (*path, name))
        closed[name] = found
        return found

    for name in before:
        visit(name, ())
    return closed
