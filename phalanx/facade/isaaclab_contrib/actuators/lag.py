"""First-order lag with a time constant each for rise and fall, on arrays of any shape."""

from __future__ import annotations

from typing import Any, Literal

from phalanx.facade.namespaces import common

Scheme = Literal["rk4", "euler"]


def share(tau: Any, dt: float, discrete: bool, scheme: Scheme) -> Any:
    """How much of the way to its target a quantity goes in a step.

    It follows x' = λ (x* - x), with λ = 1/τ, or 1/(τ + dt), which is as if dt were part of the lag and is stable for
    any τ. For this equation Euler's step goes z = λ dt of the way, and the classical Runge-Kutta step of fourth
    order z - z²/2 + z³/6 - z⁴/24.

    Args:
        tau: time constants, s.
        dt: the step, s.
        discrete: λ = 1/(τ + dt).
        scheme: how it is integrated.
    """
    z = dt / (tau + dt) if discrete else dt / tau
    return z if scheme == "euler" else z * (1.0 - z / 2.0 * (1.0 - z / 3.0 * (1.0 - z / 4.0)))


def follow(value: Any, target: Any, rise: Any, fall: Any) -> Any:
    """A quantity a step later: towards its target by ``fall`` of the way if its size shrinks, else by ``rise``."""
    xp, value, target = common(value, target)
    return value + xp.where(value * (target - value) < 0.0, fall, rise) * (target - value)


def signed_root(value: Any) -> Any:
    """sign(x) sqrt(abs(x)): a rotor's speed, but for a factor, from its thrust."""
    xp, value = common(value)
    return xp.sign(value) * xp.sqrt(xp.abs(value))
