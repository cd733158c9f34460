"""Rotors whose thrust follows what is asked with a lag."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from phalanx.facade.isaaclab.utils.dict import is_missing
from phalanx.facade.isaaclab_contrib.actuators.lag import euler, rates, runge_kutta, signed_root
from phalanx.facade.isaaclab_contrib.utils.types import MultiRotorActions
from phalanx.facade.namespaces import array, as_like, copy, full, namespace, rows, uniform, zeros

if TYPE_CHECKING:
    from phalanx.facade.isaaclab_contrib.actuators.thruster_cfg import ThrusterCfg

LEAST_CONST = 1e-6
"""The least thrust constant, N/(rev/s)²: lower ones that are drawn are raised to it, as in Isaac Lab 2.3.2."""


class Thruster:
    """A group of thrusters with the same properties.

    At each call a thruster's speed, or its thrust (``cfg.use_rps``), goes towards its target as a first-order lag, with
    one time constant while its size grows and another while it shrinks. Thrust changes by no more than
    ``max_thrust_rate`` allows. Targets are cut to ``thrust_range`` first, as a motor's command is, so that a target out
    of reach makes it no faster. All arrays are the user's API's, (num_envs, num_thrusters), float32.
    """

    cfg: ThrusterCfg
    """The configuration."""

    computed_thrust: Any
    """Where the lag alone would lead, with targets that are not cut to the range, N: it differs from
    :attr:`applied_thrust` while a limit holds the thruster back."""

    applied_thrust: Any
    """Thrusts, N."""

    thrust_const: Any
    """Thrust constants, N/(rev/s)²."""

    tau_inc: Any
    """Time constants while thrust grows, s."""

    tau_dec: Any
    """Time constants while thrust shrinks, s."""

    def __init__(
        self,
        cfg: ThrusterCfg,
        thruster_names: list[str],
        thruster_ids: slice | Sequence[int] | Any,
        num_envs: int,
        device: str,
        init_thruster_rps: Any,
    ) -> None:
        """Draw the parameters of a group, and let it turn.

        Args:
            cfg: the configuration.
            thruster_names: names of the thrusters of the group.
            thruster_ids: their indices in the multirotor.
            num_envs: number of environments.
            device: where arrays live.
            init_thruster_rps: speeds at first and after resets, rev/s, (num_envs, num_thrusters).

        Raises:
            ValueError: a number of the configuration makes no sense, or speeds have another shape.
        """
        self.cfg = cfg
        self._names, self._indices, self._device = list(thruster_names), thruster_ids, device
        shape = self._shape = (num_envs, len(self._names))
        self._dt = _step(self._who(), cfg.dt)
        self._thrust_range = _range(self._who(), "thrust_range", cfg.thrust_range, -math.inf)
        self._ranges = {
            "thrust_const": _range(self._who(), "thrust_const_range", cfg.thrust_const_range, 0.0),
            "tau_inc": self._tau("rise_time_constant", "tau_inc_range"),
            "tau_dec": self._tau("fall_time_constant", "tau_dec_range"),
        }
        self._check_scheme()
        self.mixing_factor_function = (
            self.discrete_mixing_factor if cfg.use_discrete_approximation else self.continuous_mixing_factor
        )
        self._step_thrust = (
            self.compute_thrust_with_rpm_time_constant
            if cfg.integration_scheme == "euler"
            else self.compute_thrust_with_rpm_time_constant_rk4
        )
        self._low, self._high = (full((1, 1), bound, device) for bound in self._thrust_range)
        self._most = full((1, 1), cfg.max_thrust_rate * self._dt, device)
        self.thrust_const, self.tau_inc, self.tau_dec = (zeros(shape, device) for _ in range(3))
        self._rise, self._fall = zeros(shape, device), zeros(shape, device)
        self.computed_thrust, self.applied_thrust = zeros(shape, device), zeros(shape, device)
        self._init_rps = copy(array(init_thruster_rps, device, "float32"))
        if tuple(self._init_rps.shape) != shape:
            raise ValueError(f"{self._who()}: init_thruster_rps has shape {tuple(self._init_rps.shape)}, not {shape}")
        self.reset_idx()

    def __str__(self) -> str:
        return f"<class {type(self).__name__}> of {self.num_thrusters} thrusters: {', '.join(self._names)}"

    @property
    def num_thrusters(self) -> int:
        """Number of thrusters of the group."""
        return len(self._names)

    num_motors = num_thrusters

    @property
    def curr_thrust(self) -> Any:
        """(num_envs, num_thrusters) thrusts as they are now, N: the same as ``applied_thrust``."""
        return self.applied_thrust

    @property
    def tau_inc_s(self) -> Any:
        """(num_envs, num_thrusters) time constants of more thrust, s: the same as ``tau_inc``."""
        return self.tau_inc

    @property
    def tau_dec_s(self) -> Any:
        """(num_envs, num_thrusters) time constants of less thrust, s: the same as ``tau_dec``."""
        return self.tau_dec

    @property
    def thruster_names(self) -> list[str]:
        """Names of the thrusters of the group."""
        return self._names

    @property
    def thruster_indices(self) -> Any:
        """Indices of the group's thrusters in the multirotor; ``slice(None)``: it has all, in their order."""
        return self._indices

    def compute(self, control_action: MultiRotorActions) -> MultiRotorActions:
        """Go on by a step towards targets.

        Args:
            control_action: targets, N or rev/s (``cfg.target_unit``).

        Returns:
            ``control_action`` with the thrusts, N.

        Raises:
            ValueError: there are no targets, or they have another shape.
        """
        if control_action.thrusts is None:
            raise ValueError(f"{self._who()}: thrusts are None; give targets, {self._shape}")
        target = as_like(self.applied_thrust, control_action.thrusts)
        if tuple(target.shape) != self._shape:
            raise ValueError(f"{self._who()}: thrusts have shape {tuple(target.shape)}; they must have {self._shape}")
        xp = namespace(target)
        if getattr(self.cfg, "target_unit", "N") == "rps":
            target = self.thrust_const * target * xp.abs(target)
        computed, reached = self._after(target), self._after(self._cut(target))
        self.computed_thrust[:] = computed
        before = self.applied_thrust
        reached = xp.maximum(xp.minimum(reached, before + self._most), before - self._most)
        self.applied_thrust[:] = self._cut(reached)
        control_action.thrusts = copy(self.applied_thrust)
        return control_action

    def reset_idx(self, env_ids: Any = None) -> None:
        """Draw parameters anew in some environments, or all, and let thrusters there turn as at first."""
        chosen = rows(env_ids)
        for name, (low, high) in self._ranges.items():
            buffer = getattr(self, name)
            drawn = low + (high - low) * uniform(tuple(buffer[chosen].shape), self._device)
            buffer[chosen] = drawn if name != "thrust_const" else namespace(drawn).clip(drawn, LEAST_CONST, None)
        for buffer, tau in ((self._rise, self.tau_inc), (self._fall, self.tau_dec)):
            buffer[chosen] = self.mixing_factor_function(tau[chosen])
        thrust = self.default_thrust[chosen]
        self.computed_thrust[chosen], self.applied_thrust[chosen] = thrust, thrust

    def reset(self, env_ids: Any = None) -> None:
        """The same as :meth:`reset_idx`."""
        self.reset_idx(env_ids)

    @property
    def default_thrust(self) -> Any:
        """(num_envs, num_thrusters) thrusts at the speeds that they have at first, N."""
        xp = namespace(self._init_rps)
        return self._cut(self.thrust_const * self._init_rps * xp.abs(self._init_rps))

    # -- the lag: what subclasses may replace ----------------------------------------------------------------

    mixing_factor_function: Any
    """What gives λ from time constants: one of the two methods that follow, as the configuration says."""

    def discrete_mixing_factor(self, time_constant: Any) -> Any:
        """λ = 1/(τ + dt), 1/s: as if the step were part of the lag, which is stable for any τ."""
        return 1.0 / (time_constant + self._dt)

    def continuous_mixing_factor(self, time_constant: Any) -> Any:
        """λ = 1/τ, 1/s."""
        return 1.0 / time_constant

    def compute_thrust_with_rpm_time_constant(self, des_thrust: Any, curr_thrust: Any, mixing_factor: Any) -> Any:
        """Thrusts a step later by Euler's method; all (num_envs, num_thrusters), N, and λ in 1/s."""
        return self._towards(des_thrust, curr_thrust, euler(mixing_factor * self._dt))

    def compute_thrust_with_rpm_time_constant_rk4(self, des_thrust: Any, curr_thrust: Any, mixing_factor: Any) -> Any:
        """Thrusts a step later by the classical Runge-Kutta method; as the method for Euler's."""
        return self._towards(des_thrust, curr_thrust, runge_kutta(mixing_factor * self._dt))

    # -- inside ----------------------------------------------------------------------------------------------

    def _after(self, target: Any) -> Any:
        """Thrusts a step later, by the lag alone."""
        thrust = self.applied_thrust
        return self._step_thrust(target, thrust, rates(thrust, target, self._rise, self._fall))

    def _towards(self, target: Any, thrust: Any, part: Any) -> Any:
        """Thrusts that have gone a part of the way, in speeds with ``cfg.use_rps``."""
        if not self.cfg.use_rps:
            return thrust + part * (target - thrust)
        speed = signed_root(thrust)
        speed = speed + part * (signed_root(target) - speed)
        return speed * namespace(speed).abs(speed)

    def _cut(self, thrust: Any) -> Any:
        xp = namespace(thrust)
        return xp.maximum(xp.minimum(thrust, self._high), self._low)

    def _who(self) -> str:
        return f"{type(self).__name__} of {', '.join(self._names) or '(none)'}"

    def _tau(self, single: str, span: str) -> tuple[float, float]:
        one, many = getattr(self.cfg, single, None), getattr(self.cfg, span)
        if (one is None) == (many is None):
            raise ValueError(f"{self._who()}: set one of {single} and {span}, not {'none' if one is None else 'both'}")
        return _range(self._who(), single if many is None else span, (one, one) if many is None else many, 0.0)

    def _check_scheme(self) -> None:
        cfg, who = self.cfg, self._who()
        for name, known in (("integration_scheme", ("rk4", "euler")), ("target_unit", ("N", "rps"))):
            if (given := getattr(cfg, name, known[0])) not in known:
                raise ValueError(f"{who}: {name}={given!r}; must be {known[0]!r} or {known[1]!r}")
        if not cfg.max_thrust_rate > 0.0:
            raise ValueError(f"{who}: max_thrust_rate={cfg.max_thrust_rate}; must be above 0 N/s")
        shortest = min(self._ranges["tau_inc"][0], self._ranges["tau_dec"][0])
        if not cfg.use_discrete_approximation and shortest < self._dt:
            raise ValueError(
                f"{who}: a time constant of {shortest:g} s is shorter than the step of {self._dt:g} s, and thrust "
                "would overshoot; leave use_discrete_approximation on, or take shorter steps"
            )


def _step(who: str, dt: float | None) -> float:
    if dt is None or is_missing(dt) or not (math.isfinite(dt) and dt > 0.0):
        raise ValueError(f"{who}: dt={dt}; must be the time between two calls, in s, above 0")
    return float(dt)


def _range(who: str, name: str, given: Any, least: float) -> tuple[float, float]:
    """A range as two numbers; ValueError unless they are in order and from ``least``."""
    try:
        low, high = (float(bound) for bound in given)
    except (TypeError, ValueError):
        raise ValueError(f"{who}: {name}={given!r}; must be two numbers") from None
    if not least <= low <= high or not math.isfinite(high):
        raise ValueError(f"{who}: {name}={given!r}; must be two numbers in order, from {least:g}")
    return low, high
