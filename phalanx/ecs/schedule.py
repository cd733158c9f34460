"""The order of systems in a step: as listed; of those that are not, from what each reads and writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import combinations

from phalanx.ecs.declare import System
from phalanx.ecs.errors import ScheduleError


class Schedule:
    """Named phases, each with systems in a valid order.

    Systems that are listed in ``order`` go in that order. Any other that writes a field runs before those that only
    read it; if both write it, or each reads what the other writes, ``after=``/``before=`` must say which is first.

    Args:
        phases: names, in order; a name that is there twice counts once.
        systems: to begin with; more can be added.
        order: of some phases, systems in the order in which they run, whichever of them are added.
    """

    def __init__(
        self, phases: Sequence[str], systems: Iterable[System] = (), order: Mapping[str, Sequence[System]] | None = None
    ) -> None:
        self.phases = tuple(dict.fromkeys(phases))
        self._places = {
            (phase, system.function): n for phase, listed in (order or {}).items() for n, system in enumerate(listed)
        }
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
            own = [s for s in self._systems if s.phase == name]
            places = {s.name: self._places[name, s.function] for s in own if (name, s.function) in self._places}
            self._order[name] = _sort(own, places)
        return self._order[name]

    def systems(self, phases: Iterable[str] | None = None) -> list[System]:
        """The systems of the given phases (all by default) in order."""
        names = self.phases if phases is None else dict.fromkeys(phases)
        return [system for name in names for system in self.phase(name)]

    def __repr__(self) -> str:
        used = sum(bool(self.phase(name)) for name in self.phases)
        return f"<Schedule of {len(self._systems)} systems in {used} phases; print it to see them>"

    def __str__(self) -> str:
        lines = []
        for name in self.phases:
            lines.append(f"{name}:")
            for system in self.phase(name):
                reads = ", ".join(sorted(f.key for f in system.reads - system.writes))
                writes = ", ".join(sorted(f.key for f in system.writes))
                lines.append(f"  {system.name}({reads}) -> {writes}")
        return "\n".join(lines)


def _sort(systems: list[System], places: Mapping[str, int]) -> list[System]:
    """Systems of a phase in order; ``places`` are those of the listed ones, by name."""
    systems = sorted(systems, key=lambda s: places.get(s.name, len(places) + max(places.values(), default=0)))
    names = {system.name: system for system in systems}
    before: dict[str, set[str]] = {system.name: set() for system in systems}
    for a, b in combinations([system for system in systems if system.name in places], 2):
        if a.writes & (b.reads | b.writes) or b.writes & a.reads:
            before[b.name].add(a.name)
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
            listed = a.name in places and b.name in places
            if listed or b.name in told[a.name] or a.name in told[b.name]:
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
    sorter = TopologicalSorter(before)
    try:
        sorter.prepare()
    except CycleError as error:
        raise ScheduleError(
            f"systems wait for each other: {' -> '.join(error.args[1])}; change after= or before="
        ) from None
    turn = {system.name: float(n) for n, system in enumerate(systems)}
    for name, earlier in _closure(before).items():
        for other in earlier - places.keys() if name in places else ():
            turn[other] = min(turn[other], turn[name] - 0.5)  # as late as it can
    ready, found = list(sorter.get_ready()), []
    while ready:
        chosen = min(ready, key=turn.__getitem__)
        ready.remove(chosen)
        found.append(names[chosen])
        sorter.done(chosen)
        ready += sorter.get_ready()
    return found


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
