"""Readers of the engine whose results are arrays of the user's API, in the memory that kernels write."""

from __future__ import annotations

import weakref
from typing import Any

from phalanx.facade.arrays import array_api, hand_out
from phalanx.facade.shared_device import in_order
from phalanx.world.engine.launches import Kernels
from phalanx.world.engine.readers import Reader, Reading, Results
from phalanx.world.world import World

LENT = 5
"""Arrays that a reader lends before it copies: of now, of the last two steps, and two that users keep."""


class UserReader(Reader):
    """Readings in one program; see :class:`phalanx.world.engine.readers.Reader`. Their kernels write all numbers of
    their results.

    What is read is lent: kernels write into an array that users get, and into another one as long as they have it.
    """

    def __init__(self, world: World, *readings: Reading) -> None:
        super().__init__(world.engine, *readings)
        self._world = world
        self._lent: list[_Lent] = []

    def read(self) -> list[Results]:
        """What there is now, of each reading, as arrays of the user's API."""
        with in_order(self._world):
            free = next((one for one in self._lent if one.is_free), None)
            if free is None and len(self._lent) < LENT:
                free = _Lent(*self._bound())
                self._lent.append(free)
            if free is not None:
                whole = free.read(self._world)
            else:
                self._run()
                whole = hand_out(self._whole.copy())
        return [Results(whole, place) for place in self._places]


class _Lent:
    """An array, the kernels that write it, and whether users have it."""

    def __init__(self, whole: Any, kernels: Kernels) -> None:
        self._whole, self._kernels = whole, kernels
        self._user: weakref.ref[_User] | None = None

    @property
    def is_free(self) -> bool:
        """Whether nobody has any part of what was read last."""
        return self._user is None or self._user() is None

    def read(self, world: World) -> Any:
        """What there is now, as an array of the user's API."""
        self._kernels.run()
        user = _User(self._whole)
        self._user = weakref.ref(user)
        array = world.engine.device.xp.asarray(user)
        if world.engine.device.is_cuda and array_api(world.device) == "torch":
            import torch  # pyright: ignore[reportMissingImports]

            # without events: torch's stream waits for ours anyway
            return torch.from_dlpack(array.__dlpack__(stream=-1))
        return hand_out(array)


class _User:
    """What all arrays of users that share an array's memory hold on to, and nothing else."""

    def __init__(self, whole: Any) -> None:
        self._whole = whole
        for name in ("__array_interface__", "__cuda_array_interface__"):
            if hasattr(whole, name):
                # without a stream, for which CuPy would wait
                setattr(self, name, {key: value for key, value in getattr(whole, name).items() if key != "stream"})
