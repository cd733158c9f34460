"""What kernels for rays are made of besides arithmetic: each back end has its own (:mod:`phalanx.rays.cpu`,
:mod:`phalanx.rays.cuda`), with the same results.

Arrays are flat. ``bits`` are numbers of 32 bits, without a sign.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from phalanx.ecs.declare import primitive

F = TypeVar("F", bound=Callable[..., Any])

Reals = Words = Ints = Bytes = Any
"""What arguments of kernels are annotated with: flat arrays of float32, uint32, int32, uint8."""

Real = Int = Any
"""And numbers: float32, int64."""

NEVER = 0x7FFFFFFF
"""The key of a child that is not entered: no number."""


def versions(cpu: Callable[..., Any], cuda: Callable[..., Any]) -> Callable[[F], F]:
    """Mark a function that has one version in the kernel language for each back end."""

    def declare(declared: F) -> F:
        declared.__phalanx_versions__ = {"cpu": cpu, "cuda": cuda}  # type: ignore[attr-defined]
        return primitive(declared)

    return declare


@primitive
def fma(a, b, c) -> Any:
    """a * b + c, rounded once: what is the same in two places has the same result."""


@primitive
def inverse(d) -> Any:
    """1 / d, in the last place or nearly so: a GPU's instruction rather than ten."""


@primitive
def load_floats(array, index) -> Any:
    """Four numbers of a float32 array from ``index`` on, a multiple of 4."""


@primitive
def load_corners(triangles, t, axes) -> Any:
    """Corners of triangle t, 12 numbers from 12 t on, each as its coordinates of three axes.

    Args:
        axes: four times the axes' numbers, four bits each.
    """


@primitive
def load_node(nodes, node) -> Any:
    """Of a wide node (:mod:`~.wide_nodes`): middle x, y, z, float32; kinds, first child, first triangle, uint32."""


@primitive
def load_sides(nodes, node, octant, axis) -> Any:
    """Four words of near and four of far sides of a wide node (:mod:`~.wide_nodes`), along a constant axis, for rays
    that go up where bits of ``octant`` are set.
    """


@primitive
def as_float(bits) -> Any:
    """The float32 with these bits."""


@primitive
def as_int(number) -> Any:
    """The bits of a float32, as a number with a sign."""


@primitive
def way_inside(ax, ay, az, bx, by, bz, limit) -> Any:
    """The least of b and ``limit`` minus the greatest of 0 and a: below zero where a ray misses a box.

    None may be NaN, and ``limit`` not below zero; b of -0.0 count as below zero.
    """


@primitive
def missed(a, b, c, d, e, f, g, h) -> Any:
    """A word with bits 4 k to 4 k + 3 set if the k-th of eight float32 is below zero."""


@primitive
def entered_of(kinds, misses, mask) -> Any:
    """Bits of a word ``kinds`` that are not set in ``misses``, and are in ``mask``, a constant."""


@primitive
def exchanged_bytes(bits, places) -> Any:
    """A word whose byte k is that of ``bits`` whose number, 0 to 3, is in ``places``, four bits each."""


@primitive
def chosen(mask, a, b) -> Any:
    """Bits of a where those of ``mask``, a constant, are set, else of b."""


@primitive
def members() -> Any:
    """Bits of the threads of a warp that are here with this one, which then do everything together; on the CPU 1."""


@primitive
def everyone() -> Any:
    """Bits of all threads of a warp; on the CPU 1."""


@primitive
def in_step(flag) -> Any:
    """True on a GPU, so that threads stay together; on the CPU ``flag``."""


@primitive
def votes(warp, flag) -> Any:
    """Bits of those of the threads ``warp``, all of which must ask, whose flag is true."""


@primitive
def marked(warp, bits) -> Any:
    """Bits of those of the threads ``warp``, all of which must ask, whose ``bits``, a word, are not all 0."""


@primitive
def lane_number() -> Any:
    """Number of the thread in its warp."""


@primitive
def warp_cells() -> Any:
    """Fast memory of a warp, for :func:`put_pair`: rows with a cell of two words for each thread."""


@primitive
def put_pair(cells, deep, rows, row, lane, one, two) -> None:
    """Write two words, numbers of 32 bits, to a thread's cell.

    Args:
        cells: see :func:`warp_cells`.
        deep: an int32 array of two words for each of ``rows`` rows, for what there is no room for, on the CPU all.
    """


@primitive
def pair_at(cells, deep, rows, row, lane) -> Any:
    """Two words that :func:`put_pair` wrote."""


@primitive
def put_aside(cells, row, lane, a, b) -> None:
    """Have two float32 kept in a cell rather than in registers; on the CPU nothing."""


@primitive
def taken_back(cells, row, lane, a, b) -> Any:
    """Two float32 that were put aside; they must be given, since on the CPU nothing was."""


@primitive
def narrow(number) -> Any:
    """The same whole number, 0 to 2**32 - 1; GPUs then take one register for it, not two."""


@primitive
def narrow_signed(number) -> Any:
    """Likewise, of -2**31 to 2**31 - 1."""


@primitive
def word(number) -> Any:
    """The same whole number, 0 to 2**32 - 1, of a type of 32 bits."""


@primitive
def count_bits(bits) -> Any:
    """How many are set."""


@primitive
def highest_bit(bits) -> Any:
    """Place of the highest that is set, 0 to 31; one must be."""


@primitive
def fetch(array, index, count) -> None:
    """Have ``count`` numbers of 4 bytes from ``index`` on brought into the cache; CPU only. Past the end is no error.

    Args:
        count: a constant.
    """


@primitive
def split(number, size) -> Any:
    """Quotient and rest of a whole number, not negative, by one that is positive; of 32 bits on the GPU."""


@primitive
def entered_children(nodes, node, px, py, pz, ix, iy, iz, limit, keys, place) -> Any:
    """Find the children of a wide node (:mod:`~.wide_nodes`) that a ray enters; the least of their keys.

    Args:
        nodes, node: uint32 words of the nodes, number of the node.
        px, py, pz, ix, iy, iz: the ray's origin and the inverses of its direction.
        limit: what is entered later does not matter.
        keys: int32 array, of which eight are written from ``8 * place`` on: for each child the bits of where it is
            entered, as a float32 not below zero, with the slot for its last three; NEVER if it is not.
    """


@primitive
def least_key(keys, place, slots) -> Any:
    """The least of eight keys from ``8 * place`` on, of those slots that are set in a word; NEVER if there is none."""
