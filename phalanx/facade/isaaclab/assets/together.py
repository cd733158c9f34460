"""Values of an asset's data that kernels read together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from phalanx.facade.readers import UserReader
from phalanx.world.engine.readers import Reading, Results
from phalanx.world.world import World

Part = tuple[str, tuple[int, int] | None]
"""A result of a reading, and which columns of it are a value; ``None``: all of it."""


@dataclass(eq=False)
class Group:
    """Values by name that are read together.

    Args:
        parts: of each value where it is among the results.
        make: makes what reads them by a kernel, when it is used first.
        function: what reads the one value instead.
        whole: values that hold others', and so are of no use if one of these is known already.
        follows_from: values of which these are made: if some of those are known from an earlier step, these are made of
            them instead of the simulation's state.
        is_around: whether what reads them looks at arrays of users.
    """

    parts: Mapping[str, Part]
    make: Callable[[], Reading] | None = None
    function: Callable[[], Any] | None = None
    whole: tuple[str, ...] = ()
    follows_from: tuple[str, ...] = ()
    is_around: bool = False


class Together:
    """Reads groups of values, those that scripts ask for after each update in one program.

    What was asked for between two updates is expected to be asked for after the second: when the first of that is, all
    of it is read. What is read ahead counts only if nothing has happened to the simulation until it is asked for.

    Args:
        world: whose state is read.
        groups: what can be.
    """

    def __init__(self, world: World, groups: Sequence[Group]) -> None:
        self._world = world
        self.of = {name: group for group in groups for name in group.parts}
        self._order = {group: number for number, group in enumerate(groups)}
        self._asked: set[Group] = set()
        self._expected: frozenset[Group] = frozenset()
        self._ahead: dict[Group, Results] = {}
        self._moment: tuple[int, ...] = ()
        self._readings: dict[Group, Reading] = {}
        self._readers: dict[frozenset[Group], tuple[list[Group], UserReader]] = {}

    def update(self) -> None:
        """Time has passed."""
        self._ahead.clear()
        if self._asked and self._asked != self._expected:
            self._expected = frozenset(self._asked)
        self._asked.clear()

    def forget(self) -> None:
        """Something was written: what was read ahead does not count."""
        self._ahead.clear()

    def renew(self, group: Group) -> None:
        """Make anew what reads a group."""
        self._ahead.pop(group, None)
        self._readings.pop(group, None)
        self._readers = {groups: reader for groups, reader in self._readers.items() if group not in groups}

    def read(self, group: Group) -> Results:
        """What the values of a group are now that kernels read."""
        world = self._world
        moment = world.engine.moment
        if moment != self._moment:
            self._ahead.clear()
            self._moment = moment
        self._asked.add(group)
        if group not in self._ahead:
            groups, reader = self._reader(self._expected if group in self._expected else frozenset((group,)))
            self._ahead.update(zip(groups, reader.read(), strict=True))
        return self._ahead.pop(group)

    def _reader(self, wanted: frozenset[Group]) -> tuple[list[Group], UserReader]:
        if wanted not in self._readers:
            groups = sorted(wanted, key=self._order.__getitem__)
            for one in groups:
                if one not in self._readings:
                    self._readings[one] = one.make()  # pyright: ignore[reportOptionalCall]
            self._readers[wanted] = groups, UserReader(self._world, *(self._readings[one] for one in groups))
        return self._readers[wanted]
