"""A world as a recording has it at some time, for what looks at worlds: cameras and sliders of joints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.io.recordings.playback import Playback
from phalanx.viewer.cameras import CameraPose, OwnFeed

if TYPE_CHECKING:
    from phalanx.io.recordings.replay import Recording


class RecordedWorld:
    """The first environment of a world that is put where an environment of a recording was.

    Args:
        recording: from :func:`phalanx.open_recording`.
    """

    def __init__(self, recording: Recording) -> None:
        self._playback = Playback(recording, [0])
        self._now: tuple[int, int] | None = None
        self.world = self._playback.world

    def put(self, sample: int, env: int) -> None:
        """Put everything where it was at a sample."""
        if self._now != (sample, env):
            self._playback.envs = np.array([env])
            self._playback.bodies(sample, sample + 1)
            self._now = sample, env


class RecordedFeed:
    """A camera of the viewer's own that sees a recording, see :class:`~.cameras.Feed`.

    Args:
        seen: what it looks at.
        sample: tells which sample is shown.
        height, width, options: of :class:`~.cameras.OwnFeed`.
    """

    def __init__(self, seen: RecordedWorld, sample: Callable[[], int], height: int, width: int, **options: Any) -> None:
        self._seen, self._sample = seen, sample
        seen.put(sample(), 0)
        self._feed = OwnFeed(seen.world, height, width, **options)
        self.put = self._feed.put

    @property
    def kinds(self) -> Sequence[str]:
        """See :class:`~.cameras.Feed`."""
        return self._feed.kinds

    def picture(self, kind: str, env: int) -> np.ndarray:
        """See :class:`~.cameras.Feed`."""
        self._seen.put(self._sample(), env)
        return self._feed.picture(kind, 0)

    def pose(self, env: int) -> CameraPose | None:
        """See :class:`~.cameras.Feed`."""
        self._seen.put(self._sample(), env)
        return self._feed.pose(0)
