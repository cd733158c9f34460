"""Contacts of a recording, some samples read ahead."""

from __future__ import annotations

import numpy as np

from phalanx.io.recordings.replay import Recording
from phalanx.world.snapshots import Contacts

KEPT = 1 << 25
"""Bytes that are kept, about."""

NEEDED = ("contact_count", "contact_point", "contact_normal", "contact_force", "contact_separation")


class RecordedContacts:
    """Contact points as they were.

    Args:
        recording: from :func:`phalanx.open_recording`.
    """

    def __init__(self, recording: Recording) -> None:
        self._series = recording.contacts
        self._samples = recording.num_samples
        self._block: tuple[tuple[int, ...], int, dict[str, np.ndarray]] | None = None

    @property
    def there(self) -> bool:
        """Whether points were recorded; what else was not is 0."""
        return self._series is not None and "contact_point" in self._series

    def at(self, number: int, envs: np.ndarray) -> Contacts | None:
        """Those of a sample, or ``None`` where they were not recorded."""
        if self._series is None or not self.there:
            return None
        values = self._read(number, tuple(int(env) for env in envs))
        room = values["contact_point"].shape[1]
        used = np.arange(room) < values["contact_count"][:, None]
        which, slot = np.nonzero(used)

        def of(key: str, *item: int) -> np.ndarray:
            if key not in values:
                return np.zeros((len(which), *item))
            return values[key][which, slot].astype(float)

        return Contacts(
            which,
            of("contact_point", 3),
            of("contact_normal", 3),
            of("contact_force", 3),
            of("contact_separation"),
        )

    def _read(self, number: int, chosen: tuple[int, ...]) -> dict[str, np.ndarray]:
        """By field (envs, ...)."""
        assert self._series is not None
        block = self._block
        if (
            block is None
            or block[0] != chosen
            or not block[1] <= number < block[1] + block[2]["contact_count"].shape[1]
        ):
            length = max(2, min(256, KEPT // max(1, 40 * self._series.room * len(chosen))))
            start = max(0, number - length // 4)
            part = slice(start, min(start + length, self._samples))
            read = {key: self._series[key][list(chosen), part] for key in NEEDED if key in self._series}
            self._block = block = (chosen, start, read)
        return {key: values[:, number - block[1]] for key, values in block[2].items()}
