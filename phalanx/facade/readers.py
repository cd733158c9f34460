"""Readers of the engine whose results are arrays of the user's API."""

from __future__ import annotations

from typing import Any

from phalanx.facade.arrays import array_api, hand_out
from phalanx.facade.namespaces import copy
from phalanx.facade.shared_device import in_order
from phalanx.readers import LARGE, Reader, Reading, Results
from phalanx.world import World


class UserReader(Reader):
    """Readings in one program; see :class:`phalanx.readers.Reader`."""

    def __init__(self, world: World, *readings: Reading) -> None:
        super().__init__(world, *readings)
        self._handed: Any = None  # the kernels' array as the user's API has it, on the CPU
        self._api = ""

    def read(self) -> list[Results]:
        """What there is now, of each reading, as arrays of the user's API."""
        world = self._world
        api, given = array_api(world.device), None
        on_gpu = world._device.is_cuda
        if on_gpu and api == "torch":
            # In torch's own memory, for which it is in order with its stream; before the device waits for that.
            given = _empty(self._size, world)
        with in_order(world):
            self._run()
            if given is not None:
                _copy_on_gpu(given, self._whole, world)
                whole = given
            elif on_gpu:
                whole = hand_out(self._whole.copy())
            elif self._size < LARGE:
                if self._handed is None or self._api != api:
                    self._handed, self._api = hand_out(self._whole), api
                whole = copy(self._handed)
            else:
                whole = hand_out(self._give_away())
        return [Results(whole, place) for place in self._places]


def _empty(size: int, world: World) -> Any:
    """A tensor of the world's type on its GPU."""
    import torch  # pyright: ignore[reportMissingImports]

    return torch.empty(size, dtype=getattr(torch, world.dtype), device=world.device)


def _copy_on_gpu(tensor: Any, array: Any, world: World) -> None:
    """Queue a copy on the device's stream; tensors need no CuPy array of their own for that."""
    runtime, stream = world._device.xp.cuda.runtime, world._device.stream
    assert stream is not None
    runtime.memcpyAsync(tensor.data_ptr(), array.data.ptr, array.nbytes, runtime.memcpyDeviceToDevice, stream.ptr)
