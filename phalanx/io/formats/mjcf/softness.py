"""What ``solref`` and ``solimp`` of contacts and limits mean in the engine's springs and dampers.

MuJoCo (documentation, "Solver parameters") has a constraint with the effective mass m accelerate by
``a = (1 - d) a0 - d (b v + k r)`` where r is how far it is violated, a0 the acceleration without the constraint and
d the impedance, between 0 and 1, which grows with r. With ``solref = (timeconst, dampratio)``
``b = 2 / (dmax timeconst)`` and ``k = d / (dmax timeconst dampratio)^2``, with ``(-stiffness, -damping)``
``b = damping / dmax`` and ``k = stiffness d / dmax^2``. The engine's law is ``m a = m a0 - K r - D v``. It cannot hold
off the share d of what loads a constraint and yield by its time constant to what hits it, so:

* What is damped at least critically has the stiffness with which a load makes it sink as far as there,
  ``K = m d k / (1 - d)``, and the damping with which it comes back at the same rate. It stops blows sooner.
* What is damped less has ``K = m d k`` and ``D = m d b``: it bounces as there and touches as long, but sinks under a
  load by 1 / (1 - d) times as far.

Springs of two bodies that move act one behind the other: those for masses m1 and m2 are together one for the reduced
mass m1 m2 / (m1 + m2), as there. Impedances are those under a body's own weight: one that bears more than that, less
deep than the width of ``solimp``, sinks deeper than there (by up to 1.7 times with the format's defaults).

Only what has a ``solref`` in the file gives way; the format's own default is as rigid as the engine is without.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from phalanx.io.formats.mjcf.values import Values
from phalanx.io.formats.scene_file import SPRINGS

REFERENCE = (0.02, 1.0)
IMPEDANCE = (0.9, 0.95, 0.001, 0.5, 2.0)
LEAST, MOST = 1e-4, 0.9999
"""Impedances stay between these, as there."""


DAMPED = (
    f"{SPRINGS}, for its own mass, or the reduced mass of two that move: how deep it rests and how fast it comes back "
    "are as in MuJoCo, blows stop it sooner."
)
LIVELY = (
    f"{SPRINGS}, for its own mass, or the reduced mass of two that move: how it bounces is as in MuJoCo, under a load "
    "it sinks deeper, by 1 / (1 - impedance)."
)


@dataclass(frozen=True)
class Softness:
    """A constraint's ``solref`` and ``solimp``; whether the file gives the first; priority and weight in mixtures."""

    reference: tuple[float, ...] = REFERENCE
    impedance: tuple[float, ...] = IMPEDANCE
    given: bool = False
    priority: int = 0
    weight: float = 1.0

    @property
    def direct(self) -> bool:
        """Whether ``reference`` is less stiffness and damping."""
        return min(self.reference) <= 0.0


def read_softness(values: Values, reference: str, impedance: str, least_time: float) -> Softness:
    """What an element says by attributes of these names; time constants are at least ``least_time``, s.

    Of numbers of which one is positive and one is not the format takes the default.
    """
    first, second = values.vector(reference, 2, REFERENCE, least=1).tolist()
    if (first > 0.0) != (second > 0.0):
        first, second = REFERENCE
    if first > 0.0:
        first = max(first, least_time)
    curve = values.vector(impedance, 5, IMPEDANCE, least=1).tolist()
    return Softness((first, second), tuple(curve), values.has(reference))


def mixed(one: Softness, other: Softness) -> Softness:
    """What a contact of two geoms has: of the one of higher priority, else a mixture; of direct ones the stiffer."""
    given = one.given or other.given
    if one.priority != other.priority:
        chosen = one if one.priority > other.priority else other
        return Softness(chosen.reference, chosen.impedance, given)
    total = one.weight + other.weight
    share = one.weight / total if total > 1e-15 else 0.5
    blend = [share * np.array(x) + (1.0 - share) * np.array(y) for x, y in (
        (one.reference, other.reference), (one.impedance, other.impedance)
    )]  # fmt: skip
    direct = one.direct or other.direct
    reference = np.minimum(one.reference, other.reference) if direct else blend[0]
    return Softness(tuple(reference.tolist()), tuple(blend[1].tolist()), given)


def impedance(curve: Iterable[float], violation: float) -> float:
    """d at a violation, m or rad."""
    first, last, width, middle, power = curve
    first, last = (min(max(x, LEAST), MOST) for x in (first, last))
    middle, power = min(max(middle, LEAST), MOST), max(power, 1.0)
    x = min(abs(violation) / width, 1.0) if width > 1e-10 else 1.0
    if x <= middle:
        y = x**power / middle ** (power - 1.0)
    else:
        y = 1.0 - (1.0 - x) ** power / (1.0 - middle) ** (power - 1.0)
    return first + y * (last - first)


def constants(soft: Softness, d: float) -> tuple[float, float]:
    """b (1/s) and k (1/s^2) at the impedance d."""
    most = min(max(soft.impedance[1], LEAST), MOST)
    first, second = soft.reference
    if soft.direct:
        return -second / most, -first * d / (most * most)
    return 2.0 / (most * first), d / (most * first * second) ** 2


def damped(soft: Softness) -> bool:
    """Whether it is damped at least critically, at full impedance."""
    d = impedance(soft.impedance, math.inf)
    b, k = constants(soft, d)
    return d * b * b >= 4.0 * k * (1.0 - 1e-9)


def _rest(soft: Softness, load: float) -> float:
    """How far a load violates it: where (1 - d) load = d k r; the deeper, the less of the load is left."""
    low, high = 0.0, 1.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        d = impedance(soft.impedance, middle)
        holds = d * constants(soft, d)[1] * middle > (1.0 - d) * load
        low, high = (low, middle) if holds else (middle, high)
    return high


def spring(soft: Softness, mass: float, load: float) -> tuple[float, float]:
    """Stiffness and damping for an effective mass (kg, kg m^2) that a load accelerates by so much (m/s^2, rad/s^2)."""
    d = impedance(soft.impedance, _rest(soft, load))
    b, k = constants(soft, d)
    bend = (d * b) ** 2 - 4.0 * d * k
    if not damped(soft) or k <= 0.0:
        d = impedance(soft.impedance, math.inf)
        b, k = constants(soft, d)
        return mass * d * k, mass * d * b
    rate = 0.5 * (d * b - math.sqrt(max(bend, 0.0)))
    stiffness = mass * d * k / (1.0 - d)
    return stiffness, stiffness / rate
