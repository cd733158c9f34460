"""Checks of the settings of a whole world."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.world import checking

SOLVERS = ("tgs", "pgs")
WHEN_FULL = ("error", "nearest")


def gravity(value: Sequence[float], dtype: str) -> tuple[float, float, float]:
    """Three numbers that the dtype has."""
    try:
        found = np.asarray(value, float)
    except (TypeError, ValueError, OverflowError):
        found = np.zeros(0)
    if found.shape != (3,) or not np.isfinite(found).all():
        raise ValueError(f"gravity={value!r:.200}: must be three finite numbers, m/s^2")
    if (large := checking.too_large(found, dtype)) is not None:
        raise ValueError(f"gravity={value!r}: has {large}")
    x, y, z = found.tolist()
    return x, y, z


def timestep(dt: Any, substeps: int, dtype: str) -> float:
    """A positive number of seconds, also of a substep and in the dtype."""
    wrong = ValueError(f"dt={dt!r:.40}: the step must be a positive number of seconds")
    try:
        found = math.nan if isinstance(dt, str | bytes) else float(dt)
    except (TypeError, ValueError, OverflowError):
        raise wrong from None
    if isinstance(dt, bool) or not (math.isfinite(found) and found > 0):
        raise wrong
    with np.errstate(over="ignore"):
        kept = float(np.dtype(dtype).type(found / substeps))
    least, most = float(np.finfo(dtype).tiny), float(np.finfo(dtype).max)
    if not least <= kept <= most:
        raise ValueError(
            f"dt={dt!r}: a substep of {found / substeps:g} s is no number of {dtype}, which has {least:.3g} to "
            f"{most:.3g}"
        )
    return found


def length(dtype: str, name: str, value: Any) -> float:
    """A length or a speed: a number of the dtype, at least 0."""
    found = checking.number(name, value)
    if (large := checking.too_large(np.array([found]), dtype)) is not None:
        raise ValueError(f"{name} is {large}")
    return found


def solver(
    dtype: str,
    *,
    position_iterations: int,
    velocity_iterations: int,
    max_contacts: int | None,
    max_memory: int | None,
    when_full: str,
    contact_offset: float,
    max_depenetration_velocity: float,
    bounce_threshold: float,
    speculative: bool,
    solver: str,
    deformable_steps: int | None,
    deformable_sweeps: int,
) -> dict[str, Any]:
    """The settings of contacts and their solver, as they are kept."""
    iterations = {
        name: checking.whole(name, count, least, checking.MOST_ITERATIONS)
        for name, count, least in (
            ("position_iterations", position_iterations, 1),
            ("velocity_iterations", velocity_iterations, 0),
            ("deformable_sweeps", deformable_sweeps, 1),
        )
    }
    if deformable_steps is not None:
        deformable_steps = checking.whole("deformable_steps", deformable_steps, 1, checking.MOST_ITERATIONS)
    if max_contacts is not None:
        max_contacts = checking.whole("max_contacts", max_contacts, 0)
    if max_memory is not None:
        max_memory = checking.whole("max_memory", max_memory, 1)
    if when_full not in WHEN_FULL:
        raise ValueError(f"when_full={when_full!r}: must be {' or '.join(map(repr, WHEN_FULL))}")
    if when_full == "nearest" and max_memory is None and max_contacts is None:
        raise ValueError(
            'when_full="nearest" needs max_memory= or max_contacts=: which contacts are kept must not depend on what '
            "memory happens to be free"
        )
    if solver not in SOLVERS:
        raise ValueError(f"solver {solver!r}: must be {' or '.join(map(repr, SOLVERS))}")
    found = {
        "contact_offset": length(dtype, "contact_offset", contact_offset),
        "max_depenetration_velocity": length(dtype, "max_depenetration_velocity", max_depenetration_velocity),
        "bounce_threshold": length(dtype, "bounce_threshold", bounce_threshold),
    }
    if not isinstance(speculative, bool | np.bool_):
        raise ValueError(f"speculative={speculative!r}: must be True or False")
    return {
        **iterations,
        "deformable_steps": deformable_steps,
        "max_contacts": max_contacts,
        "max_memory": max_memory,
        "when_full": when_full,
        **found,
        "speculative": bool(speculative),
        "solver": solver,
    }
