"""Eight numbers at once, for eight rays: what the CPU's kernels have for them besides arithmetic (:mod:`~.cpu_lanes`).

Eight float32 add, subtract, multiply, divide and compare as one does, lane by lane; so do eight int32, which only
compare. Comparisons are eight flags, which have ``&`` and ``|``. :func:`~.primitives.fma` takes eights, too.
"""

from __future__ import annotations

from typing import Any

from phalanx.ecs.declare import primitive


@primitive
def eight(number) -> Any:
    """A float32, or an int32, in all lanes."""


@primitive
def lanes_at(array, row) -> Any:
    """Eight numbers of a float32 or int32 array, from 8 * row on."""


@primitive
def put_lanes(array, row, numbers) -> None:
    """Write eight numbers from 8 * row on."""


@primitive
def side_lanes(nodes, index) -> Any:
    """Both sides that are in a word of a wide node (:mod:`~.wide_nodes`), each in all lanes."""


@primitive
def lesser(a, b) -> Any:
    """The less of each two lanes."""


@primitive
def greater(a, b) -> Any:
    """The greater of each two lanes."""


@primitive
def where(flags, a, b) -> Any:
    """Of lanes whose flag is set those of a, else those of b."""


@primitive
def flag_bits(flags) -> Any:
    """Flags as bits of a whole number, that of lane 0 the lowest."""


@primitive
def flags_of(bits) -> Any:
    """The flags of which these are the :func:`flag_bits`."""


@primitive
def greatest_lane(numbers) -> Any:
    """The greatest of eight float32."""


@primitive
def packet_keys(lows, keys, place) -> Any:
    """Make keys of where eight rays enter eight children; the least of them.

    Args:
        lows: float32 array, of which eight of each slot are read from ``64 * place`` on, none below zero.
        keys: int32 array, of which eight are written, see :func:`~.primitives.entered_children`: of the nearest rays.
    """
