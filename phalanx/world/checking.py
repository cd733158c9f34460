"""Checks of what users pass in, and words for what is wrong with it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from phalanx.maths.arrays import unit

MOST_ITERATIONS = 10_000
"""Of a solver; a step's kernels are listed once for each."""


def positive_int(name: str, value: Any) -> None:
    """Refuse what is not a whole number of at least 1."""
    whole(name, value, 1)


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number, at least and at most so great."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name}={value!r}: must be a whole number, at least {least}")
    if most is not None and value > most:
        raise ValueError(f"{name}={value!r}: must be at most {most}")
    return int(value)


def boolean(name: str, value: Any) -> bool:
    """True or False, and nothing that stands for one of them."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}={value!r}: must be True or False")
    return bool(value)


def number(what: str, value: Any, *, least: float = 0.0, above: float | None = None, infinite: bool = False) -> float:
    """A number that is at least ``least``, or above ``above``; finite unless ``infinite``."""
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        found = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{what}={value!r}: must be a number") from None
    except OverflowError:
        raise ValueError(f"{what}={value!r:.20}...: must be a number that fits into 64 bits") from None
    low = found >= least if above is None else found > above
    if isinstance(value, bool) or not low or (math.isinf(found) and not infinite):
        bound = f"at least {least:g}" if above is None else f"above {above:g}"
        raise ValueError(f"{what}={value!r}: must be {'' if infinite else 'finite and '}{bound}")
    return found


def gravity_scale(who: str, disabled: bool, scale: float) -> float:
    """How many times gravity acts: not at all where it is disabled, else a finite number."""
    return 0.0 if disabled else number(f"{who}: gravity_scale", scale, least=-math.inf)


def too_large(values: np.ndarray, dtype: str) -> str | None:
    """What to say of finite numbers that a dtype has only as infinities, with both figures; ``None`` if there are
    none.
    """
    greatest = float(np.finfo(dtype).max)
    if values.dtype.kind != "f" or values.dtype.itemsize <= np.dtype(dtype).itemsize or not values.size:
        return None
    beyond = values[np.isfinite(values) & (np.abs(values) > greatest)]
    if not len(beyond):
        return None
    remedy = "correct it, or pass another dtype= to World"
    return f"{beyond[0]:g}, and the greatest number of {dtype} is {greatest:.4g}; {remedy}"


def pose(who: str, position: Sequence[float] | np.ndarray, orientation: Sequence[float] | np.ndarray) -> np.ndarray:
    """(7,) [x y z qw qx qy qz] with a quaternion of unit length; errors start with ``who``."""
    sizes = (np.shape(position), np.shape(orientation))
    found = np.array([*position, *orientation], float) if sizes == ((3,), (4,)) else np.zeros(7)
    if not np.all(np.isfinite(found)) or not np.any(found[3:]):
        raise ValueError(
            f"{who}: position must be 3 finite numbers, orientation 4, not all zero; got {position!r} "
            f"and {orientation!r}"
        )
    found[3:] = unit(found[3:])
    return found


def options(who: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse options of names that there are not."""
    names = list(known)
    unknown = sorted(set(given).difference(names))
    if unknown:
        raise TypeError(f"{who} has no option {unknown[0]!r}; it has {', '.join(names)}")


def shorten(items: Sequence[object], most: int = 10) -> str:
    """The first few items, and how many there are if that is not all."""
    shown = ", ".join(map(str, items[:most]))
    return f"{shown}, ... ({len(items)} in all)" if len(items) > most else shown
