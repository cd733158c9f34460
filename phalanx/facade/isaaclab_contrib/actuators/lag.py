"""First-order lag with a rate each for rise and fall, on arrays of any shape."""

from __future__ import annotations

from typing import Any

from phalanx.facade.namespaces import common


def euler(z: Any) -> Any:
    """How much of the way to its target a quantity that follows x' = λ (x* - x) goes in a step: z = λ dt of it."""
    return z


def runge_kutta(z: Any) -> Any:
    """The same by the classical Runge-Kutta step of fourth order: z - z²/2 + z³/6 - z⁴/24, with z = λ dt."""
    return z * (1.0 - z / 2.0 * (1.0 - z / 3.0 * (1.0 - z / 4.0)))


def rates(value: Any, target: Any, rise: Any, fall: Any) -> Any:
    """λ of each quantity: ``fall`` where its size shrinks towards its target, else ``rise``."""
    xp, value, target = common(value, target)
    return xp.where(value * (target - value) < 0.0, fall, rise)


def signed_root(value: Any) -> Any:
    """sign(x) sqrt(abs(x)): a rotor's speed, but for a factor, from its thrust."""
    xp, value = common(value)
    return xp.sign(value) * xp.sqrt(xp.abs(value))
