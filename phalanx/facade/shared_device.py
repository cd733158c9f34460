"""Work on a world's device beside that of users: in order with their streams, on memory that both can see."""

from __future__ import annotations

import sys
import warnings
from functools import cache
from typing import Any

from phalanx.facade.arrays import array_api
from phalanx.world.world import World


def shares_memory(world: World) -> bool:
    """Whether arrays that users have can be arrays of the engine's device, in the engine's type."""
    return world.dtype == "float32" and (not world.engine.device.is_cuda or array_api(world.device) != "numpy")


def in_order(world: World) -> Any:
    """A context for work on the world's device, in order with torch's current stream as well as with CuPy's."""
    device = world.engine.device
    if not device.is_cuda:
        return device.active()
    torch, xp = sys.modules.get("torch"), device.xp
    if torch is not None and array_api(device.name) == "torch":
        pointer = torch.cuda.current_stream(int(device.name[5:])).cuda_stream
        if pointer != xp.cuda.get_current_stream().ptr:
            return device.in_order_with(_stream(xp, pointer))
    return device.active()


@cache
def _stream(xp: Any, pointer: int) -> Any:
    """CuPy's object for a stream of torch's, which keeps its streams for good."""
    with warnings.catch_warnings():
        # CuPy 14 would have Stream.from_external, whose streams are destroyed with CuPy's object for them.
        warnings.simplefilter("ignore", DeprecationWarning)
        return xp.cuda.ExternalStream(pointer)
