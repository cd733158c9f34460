"""Values that come later than they were given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.arrays import api_of
from phalanx.facade.isaaclab.utils.buffers.circular_buffer import CircularBuffer
from phalanx.facade.namespaces import common, rows, zeros


class DelayBuffer:
    """Hands values on after a number of steps that each environment has for itself.

    After a reset, as long as no value is old enough, an environment gets its oldest.
    """

    def __init__(self, history_length: int, batch_size: int, device: str) -> None:
        """Make a buffer without delays; :meth:`set_time_lag` sets them.

        Args:
            history_length: the longest delay, in steps.
            batch_size: number of environments.
            device: where values live.
        """
        self._history_length = max(0, int(history_length))
        self._circular_buffer = CircularBuffer(self._history_length + 1, batch_size, device)
        self._time_lags = zeros(batch_size, device, "int64")

    @property
    def batch_size(self) -> int:
        """Number of environments."""
        return self._circular_buffer.batch_size

    @property
    def device(self) -> str:
        """Where values live."""
        return self._circular_buffer.device

    @property
    def history_length(self) -> int:
        """The longest delay that there can be, in steps."""
        return self._history_length

    @property
    def min_time_lag(self) -> int:
        """The shortest delay that any environment has, in steps."""
        return int(self._time_lags.min())

    @property
    def max_time_lag(self) -> int:
        """The longest delay that any environment has, in steps."""
        return int(self._time_lags.max())

    @property
    def time_lags(self) -> Any:
        """The delays of environments, in steps: (batch_size,), int64."""
        return self._time_lags

    def set_time_lag(self, time_lag: int | Any, batch_ids: Sequence[int] | None = None) -> None:
        """Set the delays of some environments.

        Args:
            time_lag: steps, a whole number or an array of them, (len(batch_ids),).
            batch_ids: environments; ``None``: all.

        Raises:
            TypeError: ``time_lag`` is neither a whole number nor an array of them.
            ValueError: a delay is negative or longer than :attr:`history_length`; then no delay has changed.
        """
        if isinstance(time_lag, bool) or not (isinstance(time_lag, int) or api_of(time_lag) is not None):
            raise TypeError(f"time_lag must be an integer or an array of integers, not {type(time_lag).__name__}")
        _, _, lags = common(self._time_lags, time_lag)
        if "int" not in str(lags.dtype):
            raise TypeError(f"time_lag must be an integer or an array of integers, not of {lags.dtype}")
        shortest, longest = int(lags.min()), int(lags.max())
        if shortest < 0:
            raise ValueError(f"the time lag cannot be negative: {shortest}")
        if longest > self._history_length:
            raise ValueError(f"the time lag {longest} is longer than the history of {self._history_length} steps")
        self._time_lags[rows(batch_ids)] = lags

    def reset(self, batch_ids: Sequence[int] | None = None) -> None:
        """Forget the values of some environments; ``None``: of all. Delays stay."""
        self._circular_buffer.reset(batch_ids)

    def compute(self, data: Any) -> Any:
        """Take the newest values, (batch_size, ...), and hand out those of each environment's delay ago, a copy."""
        self._circular_buffer.append(data)
        return self._circular_buffer[self._time_lags]
