"""Modifiers of data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from phalanx.facade.isaaclab.utils.modifiers.modifier_base import ModifierBase
from phalanx.facade.namespaces import common, copy, rows, zeros

if TYPE_CHECKING:
    from phalanx.facade.isaaclab.utils.modifiers.modifier_cfg import DigitalFilterCfg, IntegratorCfg


def scale(data: Any, multiplier: float) -> Any:
    """Data times a number."""
    return data * multiplier


def bias(data: Any, value: float) -> Any:
    """Data plus a number."""
    return data + value


def clip(data: Any, bounds: tuple[float | None, float | None]) -> Any:
    """Data cut to [bounds[0], bounds[1]]; ``None`` is no bound."""
    xp, data = common(data)
    low, high = bounds
    return data if low is None and high is None else xp.clip(data, low, high)


class DigitalFilter(ModifierBase):
    """A linear filter, y[i] = Σ B[j] x[i-j] - Σ A[j] y[i-1-j], which begins with zeros."""

    def __init__(self, cfg: DigitalFilterCfg, data_dim: tuple[int, ...], device: str) -> None:
        """Make a filter for data of shape ``data_dim`` on a device.

        Raises:
            ValueError: there are no coefficients of inputs.
        """
        if len(cfg.B) == 0:
            raise ValueError("a filter without coefficients B of inputs gives nothing")
        super().__init__(cfg, data_dim, device)
        self._a, self._b = [float(a) for a in cfg.A], [float(b) for b in cfg.B]
        self._inputs = zeros((len(self._b), *data_dim), device)
        self._outputs = zeros((len(self._a), *data_dim), device)

    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Forget inputs and outputs of some environments; ``None``: of all."""
        self._inputs[:, rows(env_ids)] = 0.0
        self._outputs[:, rows(env_ids)] = 0.0

    def __call__(self, data: Any) -> Any:
        """Filtered data, in the shape of ``data``."""
        xp, self._inputs, data = common(self._inputs, data)
        self._inputs = xp.concatenate([data[None], self._inputs[:-1]])
        found = sum(b * x for b, x in zip(self._b, self._inputs, strict=True))
        for a, y in zip(self._a, self._outputs, strict=True):
            found = found - a * y
        if self._a:
            self._outputs = xp.concatenate([found[None], self._outputs[:-1]])  # pyright: ignore[reportIndexIssue]
        return found


class Integrator(ModifierBase):
    """The integral over time, by trapezoids: y[i] = y[i-1] + dt (x[i] + x[i-1]) / 2; all begins with zeros."""

    def __init__(self, cfg: IntegratorCfg, data_dim: tuple[int, ...], device: str) -> None:
        """Make an integrator for data of shape ``data_dim`` on a device."""
        super().__init__(cfg, data_dim, device)
        self._dt = cfg.dt
        self.integral, self.y_prev = zeros(data_dim, device), zeros(data_dim, device)

    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Begin with zeros in some environments; ``None``: in all."""
        self.integral[rows(env_ids)] = 0.0
        self.y_prev[rows(env_ids)] = 0.0

    def __call__(self, data: Any) -> Any:
        """The integral so far, in the shape of ``data`` and its units times s."""
        _, self.integral, self.y_prev, data = common(self.integral, self.y_prev, data)
        self.integral = self.integral + 0.5 * self._dt * (data + self.y_prev)
        self.y_prev = 1.0 * data
        return copy(self.integral)  # resets must not reach it
