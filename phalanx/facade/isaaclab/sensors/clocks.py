"""When sensors have measured, and where a measurement is due."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.arrays import accept
from phalanx.facade.namespaces import array


class Clocks:
    """Clocks of a sensor in n environments, on the host: what is due is known without waiting for a GPU.

    Attributes:
        time: (n,) s since the last reset.
        measured: (n,) s: what ``time`` was at the last measurement.
        due: (n,) bool: whether data are outdated.
    """

    def __init__(self, n: int, device: str) -> None:
        self.time, self.measured, self.due = np.zeros(n), np.zeros(n), np.ones(n, bool)
        self._device = device
        self._handed: dict[str, Any] = {}  # what scripts hold, and what it held when it was written last
        self._held: dict[str, np.ndarray] = {}

    def hand_out(self, name: str) -> Any:
        """An attribute as an array of the user's on the sensor's device, float32 or bool, which scripts may write to.

        From then on it is read before clocks count, which waits for a GPU, and written after.
        """
        self.heed_scripts()
        if name not in self._handed:
            self._held[name] = self._plain(name)
            self._handed[name] = array(self._held[name].copy(), self._device)
        self.tell_scripts()
        return self._handed[name]

    def set(self, name: str, value: Any) -> None:
        """Let an attribute have other values, (n,) or one for all."""
        self.heed_scripts()
        getattr(self, name)[:] = accept(value, "cpu")
        self.tell_scripts()

    def heed_scripts(self) -> None:
        """Take over what scripts have written to what they hold."""
        for name, handed in self._handed.items():
            now, own = accept(handed, "cpu"), getattr(self, name)
            changed = now != self._held[name]
            own[changed] = now[changed]

    def tell_scripts(self) -> None:
        """Write to what scripts hold."""
        for name, handed in self._handed.items():
            self._held[name] = self._plain(name)
            handed[...] = array(self._held[name].copy(), self._device)

    def _plain(self, name: str) -> np.ndarray:
        own = getattr(self, name)
        return own.copy() if own.dtype == bool else own.astype(np.float32)
