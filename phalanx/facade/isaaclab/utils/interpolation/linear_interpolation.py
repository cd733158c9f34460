"""A function given by points, straight in between."""

from __future__ import annotations

from typing import Any

from phalanx.facade.namespaces import array, common, copy


class LinearInterpolation:
    """Piecewise linear through points (x, y), and constant beyond the first and the last."""

    def __init__(self, x: Any, y: Any, device: str) -> None:
        """Make the function.

        Args:
            x: where points are, (num_points,), increasing.
            y: values there, (num_points,).
            device: where the function is computed.

        Raises:
            ValueError: shapes differ, there are no points, or ``x`` does not increase.
        """
        self._x, self._y = copy(array(x, device, "float32")), copy(array(y, device, "float32"))
        if self._x.ndim != 1 or self._y.ndim != 1:
            raise ValueError(f"x and y must have one dimension, not {self._x.ndim} and {self._y.ndim}")
        if self._x.shape != self._y.shape or self._x.shape[0] == 0:
            raise ValueError(
                f"x and y must have as many points, not {self._x.shape[0]} and {self._y.shape[0]}, nor none"
            )
        if not bool((self._x[1:] > self._x[:-1]).all()):
            raise ValueError("x must increase from point to point")
        self._slope = (self._y[1:] - self._y[:-1]) / (self._x[1:] - self._x[:-1])

    def compute(self, q: Any) -> Any:
        """Values at ``q``, in its shape."""
        xp, _, q = common(self._x, q)
        if self._slope.shape[0] == 0:
            return xp.zeros_like(q) + self._y[0]
        inside = xp.maximum(xp.minimum(q, self._x[-1]), self._x[0])
        after = xp.searchsorted(self._x, inside.reshape(-1)).reshape(q.shape)
        left = xp.clip(after - 1, 0, self._slope.shape[0] - 1)
        return self._y[left] + self._slope[left] * (inside - self._x[left])
