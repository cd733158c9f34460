"""The last few values of many environments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.namespaces import cast, common, namespace, rows, zeros


class CircularBuffer:
    """The last ``max_len`` values of each of ``batch_size`` environments, which can be forgotten one by one.

    The first value of an environment fills all of its places: so there is always a history, if one at rest.
    """

    def __init__(self, max_len: int, batch_size: int, device: str) -> None:
        """Make an empty buffer.

        Args:
            max_len: number of values that are kept, at least 1.
            batch_size: number of environments.
            device: where values live.

        Raises:
            ValueError: ``max_len`` is below 1.
        """
        if max_len < 1:
            raise ValueError(f"max_len={max_len}: a buffer keeps at least one value")
        self._max_len, self._batch_size, self._device = int(max_len), batch_size, device
        self._pushes = zeros(batch_size, device, "int64")
        self._envs = namespace(self._pushes).cumsum(self._pushes + 1, 0) - 1
        # Isaac Lab's managers ask for this by its name
        self._buffer: Any = None
        self._newest = -1
        # Known on the host, so that nothing has to wait for a GPU.
        self._some_empty = True

    @property
    def batch_size(self) -> int:
        """Number of environments."""
        return self._batch_size

    @property
    def device(self) -> str:
        """Where values live."""
        return self._device

    @property
    def max_length(self) -> int:
        """Number of values that are kept."""
        return self._max_len

    @property
    def current_length(self) -> Any:
        """Number of values since the last reset, at most :attr:`max_length`: (batch_size,), int64."""
        return namespace(self._pushes).clip(self._pushes, 0, self._max_len)

    @property
    def buffer(self) -> Any:
        """A copy of all values, oldest first, (batch_size, max_length, ...); zeros where there are none after a reset.

        Raises:
            RuntimeError: nothing has been appended yet.
        """
        values = self._filled()
        xp = namespace(values)
        order = [(self._newest + 1 + i) % self._max_len for i in range(self._max_len)]
        return xp.moveaxis(values[order], 0, 1)

    def reset(self, batch_ids: Sequence[int] | None = None) -> None:
        """Forget the values of some environments; ``None``: of all."""
        which = rows(batch_ids)
        self._pushes[which] = 0
        self._some_empty = True
        if self._buffer is not None:
            self._buffer[:, which] = 0.0

    def reserve(self, shape: Sequence[int]) -> None:
        """Make room for values, (batch_size, ...), float32, unless there are some already."""
        if self._buffer is None:
            self._buffer = zeros((self._max_len, *shape), self._device)

    def append(self, data: Any) -> None:
        """Add the newest values, (batch_size, ...); they take the place of the oldest.

        Raises:
            ValueError: there are not as many values as environments.
        """
        xp, _, data = common(self._pushes, data)
        if data.ndim == 0 or data.shape[0] != self._batch_size:
            raise ValueError(f"expected values of {self._batch_size} environments, got shape {tuple(data.shape)}")
        if self._buffer is None:
            self._buffer = xp.stack([xp.zeros_like(data)] * self._max_len)
        self._newest = (self._newest + 1) % self._max_len
        self._buffer[self._newest] = data
        if self._some_empty:
            first = (self._pushes == 0).reshape(-1, *[1] * (data.ndim - 1))
            self._buffer = xp.where(first, data, self._buffer)
            self._some_empty = False
        self._pushes += 1

    def __getitem__(self, key: Any) -> Any:
        """Values from some appends ago, (batch_size, ...); a copy.

        Args:
            key: how long ago for each environment, (batch_size,): 0 is the newest. Longer ago than there are values is
                as long ago as there are.

        Raises:
            ValueError: the length of ``key`` is not the number of environments.
            RuntimeError: an environment has no values since its last reset.
        """
        xp, _, key = common(self._pushes, key)
        if tuple(key.shape) != (self._batch_size,):
            raise ValueError(f"expected one index for each of {self._batch_size} environments, got {tuple(key.shape)}")
        values = self._filled()
        if self._some_empty:
            raise RuntimeError("the circular buffer of an environment is empty after its reset: append values first")
        ago = xp.minimum(cast(key, "int64"), self.current_length - 1)
        return values[(self._newest - ago) % self._max_len, self._envs]

    def _filled(self) -> Any:
        if self._buffer is None:
            raise RuntimeError("the circular buffer is empty: append values before reading them")
        return self._buffer
