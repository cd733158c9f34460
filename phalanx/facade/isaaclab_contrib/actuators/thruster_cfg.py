"""Configuration of thrusters."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Literal

from phalanx.facade.isaaclab.utils.configclass import configclass
from phalanx.facade.isaaclab_contrib.actuators.thruster import Thruster

Range = tuple[float, float]
HOVER = 2.5 / 110.0**2
"""N/(rev/s)²: a rotor of a quadrotor of 1 kg, 2.5 N at 110 rev/s."""


@configclass
class ThrusterCfg:
    """Thrusters with the same properties.

    Of a range, each thruster of each environment gets a number of its own, drawn uniformly at each reset. Time
    constants are ranges (``tau_inc_range``, ``tau_dec_range``) or numbers (``rise_time_constant``,
    ``fall_time_constant``): one of both for rise, and one for fall.
    """

    class_type: type[Thruster] = Thruster
    """The model."""

    thruster_names_expr: list[str] = MISSING  # pyright: ignore[reportAssignmentType]
    """Names of the thrusters' bodies, or regular expressions of them."""

    thrust_range: Range = MISSING  # pyright: ignore[reportAssignmentType]
    """Least and greatest thrust, N."""

    dt: float | None = None
    """Time between two calls, s; ``None``: the simulation's step."""

    rise_time_constant: float | None = None
    """Time constant while thrust grows, s."""

    fall_time_constant: float | None = None
    """Time constant while thrust shrinks, s."""

    tau_inc_range: Range | None = None
    """Range of time constants while thrust grows, s."""

    tau_dec_range: Range | None = None
    """Range of time constants while thrust shrinks, s."""

    max_thrust_rate: float = 100000.0
    """Fastest change of thrust, N/s."""

    thrust_const_range: Range = (HOVER, HOVER)
    """Range of thrust constants k, N/(rev/s)²: at n rev/s the thrust is k n abs(n)."""

    torque_to_thrust_ratio: float | None = None
    """Torque about a rotor's axis for its thrust, m, for controllers that ask for it. What acts on the vehicle is in
    the multirotor's allocation matrix."""

    use_discrete_approximation: bool = True
    """Whether the lag's rate is 1/(tau + dt), stable for any tau, instead of 1/tau."""

    use_rps: bool = True
    """Whether the rotors' speed lags behind, instead of their thrust."""

    integration_scheme: Literal["rk4", "euler"] = "rk4"
    """How the lag is integrated."""

    target_unit: Literal["N", "rps"] = "N"
    """What targets are: thrusts in N, or speeds in rev/s."""
