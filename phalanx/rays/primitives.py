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
    raise NotImplementedError


@primitive
def load_floats(array, index) -> Any:
    """Four numbers of a float32 array from ``index`` on, a multiple of 4."""
    raise NotImplementedError


@primitive
def load_words(array, index) -> Any:
    """Four numbers of a uint32 array from ``index`` on, a multiple of 4."""
    raise NotImplementedError


@primitive
def as_float(bits) -> Any:
    """The float32 with these bits."""
    raise NotImplementedError


@primitive
def as_int(number) -> Any:
    """The bits of a float32, as a number with a sign."""
    raise NotImplementedError


@primitive
def bits_of_one() -> Any:
    """The bits of 1.0, for :func:`byte_above_one`; a compiler does not know that, and keeps them in a register."""
    raise NotImplementedError


@primitive
def byte_above_one(bits, k, one) -> Any:
    """1 + byte k of ``bits`` / 2**15: a byte put into a float32's bits, which costs less than converting it."""
    raise NotImplementedError


@primitive
def add_entered(children, k, ax, ay, az, bx, by, bz, limit) -> Any:
    """``children``, a word, with bit k set if the greatest of 0 and a is not above the least of b and ``limit``.

    None may be NaN, and ``limit`` not below zero; b of -0.0 count as below zero.
    """
    raise NotImplementedError


@primitive
def narrow(number) -> Any:
    """The same whole number, 0 to 2**32 - 1; GPUs then take one register for it, not two."""
    raise NotImplementedError


@primitive
def count_bits(bits) -> Any:
    """How many are set."""
    raise NotImplementedError


@primitive
def highest_bit(bits) -> Any:
    """Place of the highest that is set, 0 to 31; one must be."""
    raise NotImplementedError


@primitive
def fetch(array, index, count) -> None:
    """Have ``count`` numbers of 4 bytes from ``index`` on brought into the cache; CPU only. Past the end is no error.

    Args:
        count: a constant.
    """
    raise NotImplementedError


@primitive
def split(number, size) -> Any:
    """Quotient and rest of a whole number, not negative, by one that is positive; of 32 bits on the GPU."""
    raise NotImplementedError


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
    raise NotImplementedError


@primitive
def least_key(keys, place, slots) -> Any:
    """The least of eight keys from ``8 * place`` on, of those slots that are set in a word; NEVER if there is none."""
    raise NotImplementedError
