"""Who simulates which shard next. It knows neither processes nor clocks: fleets tell it what happens, and when.

A shard is waiting, running on one worker, or done. When a worker is lost, its shard goes to the front again. What comes
of a shard is taken once: a worker that was given up and comes back late is told that nobody waits for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from statistics import median

from phalanx.farm.errors import FarmError

Worker = Hashable

SLOW = 20.0
"""A worker is given up when its shard takes so many times the median's time ..."""
PATIENCE = 300.0
"""... and no less than this, s: the first shard compiles."""


@dataclass
class Counts:
    """What has happened so far."""

    done: int = 0
    lost: int = 0
    failed: int = 0
    late: int = 0
    seconds: float = 0.0
    wasted_seconds: float = 0.0


class Scheduler:
    """Hands out shards.

    Args:
        shards: their numbers.
        done: those that are committed already.
        attempts: how often a shard may end its worker, or fail, before the farm gives up.
    """

    def __init__(self, shards: Iterable[int], done: Collection[int] = (), attempts: int = 5) -> None:
        known = set(done)
        self._waiting = deque(shard for shard in shards if shard not in known)
        self._left = set(self._waiting)
        self._idle: deque[Worker] = deque()
        self._running: dict[Worker, tuple[int, float]] = {}
        self._tries: dict[int, int] = {}
        self._attempts = attempts
        self._took: deque[float] = deque(maxlen=101)
        self.counts = Counts()

    @property
    def complete(self) -> bool:
        """Whether every shard is done."""
        return not self._left

    @property
    def left(self) -> int:
        """Shards that are not done."""
        return len(self._left)

    @property
    def running(self) -> dict[Worker, int]:
        """By worker the shard that it is at."""
        return {worker: shard for worker, (shard, _) in self._running.items()}

    def joined(self, worker: Worker) -> None:
        """A worker is there, and has nothing to do."""
        if worker not in self._running and worker not in self._idle:
            self._idle.append(worker)

    def assign(self, now: float) -> list[tuple[Worker, int]]:
        """Give shards to workers that have none."""
        found = []
        while self._idle and self._waiting:
            worker, shard = self._idle.popleft(), self._waiting.popleft()
            self._running[worker] = shard, now
            found.append((worker, shard))
        return found

    def finished(self, worker: Worker, shard: int, now: float) -> bool:
        """A worker has written a shard; whether it is to be committed."""
        current = self._running.get(worker)
        if current is None or current[0] != shard or shard not in self._left:
            self.counts.late += 1
            return False
        del self._running[worker]
        self._idle.append(worker)
        self._left.discard(shard)
        self._took.append(now - current[1])
        self.counts.done += 1
        self.counts.seconds += now - current[1]
        return True

    def failed(self, worker: Worker, shard: int, message: str, now: float) -> None:
        """A worker says that a shard cannot be done; it is tried again.

        Raises:
            FarmError: it was tried often enough.
        """
        if self.running.get(worker) != shard:
            self.counts.late += 1
            return
        self.counts.failed += 1
        self._again(worker, now, message)
        self._idle.append(worker)

    def lost(self, worker: Worker, now: float, message: str = "its process ended") -> None:
        """A worker is gone.

        Raises:
            FarmError: the shard that it was at has ended too many workers.
        """
        if worker in self._idle:
            self._idle.remove(worker)
        self.counts.lost += 1
        if worker in self._running:
            self._again(worker, now, message)

    def overdue(self, now: float) -> list[Worker]:
        """Workers that are at their shards for so long that they are to be given up."""
        if not self._took:
            return []
        most = max(PATIENCE, SLOW * median(self._took))
        return [worker for worker, (_, since) in self._running.items() if now - since > most]

    def _again(self, worker: Worker, now: float, message: str) -> None:
        shard, since = self._running.pop(worker)
        self.counts.wasted_seconds += now - since
        tries = self._tries[shard] = self._tries.get(shard, 0) + 1
        if tries >= self._attempts:
            raise FarmError(f"Shard {shard} was tried {tries} times; the last time: {message}")
        self._waiting.appendleft(shard)
