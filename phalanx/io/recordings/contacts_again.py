"""Contacts of a world now, as recorders sample them: what replays are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from phalanx.io.recordings.samples import source
from phalanx.io.recordings.subjects import ContactRoom
from phalanx.io.recordings.tape import Tape

if TYPE_CHECKING:
    from phalanx.world.world import World


class ContactsAgain:
    """Has each of its fields as an attribute, (num_envs, ...), on the host.

    Args:
        world: built.
        room: contacts of an environment that there is room for.
        fields: of :data:`~.fields.CONTACT_FIELDS`.
    """

    def __init__(self, world: World, room: int, fields: Sequence[str]) -> None:
        self._world = world
        sources = {key: source("contact", ContactRoom(room), key) for key in fields}
        self._tape = Tape(world, sources, 1, 1, lambda: 1, lambda count: None)
        self._values: dict[str, np.ndarray] = {}

    def look(self) -> None:
        """Take what is now."""
        self._tape.start(0)
        self._world.sample(self._tape)
        self._values = {key: np.ascontiguousarray(each[0]) for key, each in self._tape.take(0, 1)().items()}

    def __getattr__(self, key: str) -> np.ndarray:
        values = self.__dict__.get("_values", {})
        if key not in values:
            raise AttributeError(key)
        return values[key]
