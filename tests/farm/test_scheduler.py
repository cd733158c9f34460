"""The scheduler, through which a farm of a thousand workers that fail is run, with fake workers and a fake clock."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
import pytest

from phalanx.farm.errors import FarmError
from phalanx.farm.fleet import Event, drive
from phalanx.farm.scheduler import PATIENCE, Scheduler


class FakeFleet:
    """Workers that take exponentially distributed times to fail, and a while to come back."""

    def __init__(self, count: int, shard_seconds: float, mtbf: float, restart: float, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._shard_seconds, self._mtbf, self._restart = shard_seconds, mtbf, restart
        self._time, self._order = 0.0, 0
        self._queue: list[tuple[float, int, Event]] = []
        self._alive: set[int] = set()
        self._next = 0
        self.given_up: list[Any] = []
        for _ in range(count):
            self._start(0.0)

    def _at(self, seconds: float, event: Event) -> None:
        self._order += 1
        heapq.heappush(self._queue, (self._time + seconds, self._order, event))

    def _start(self, after: float) -> None:
        worker, self._next = self._next, self._next + 1
        self._alive.add(worker)
        self._at(after, Event("joined", worker))
        self._at(after + self._random.exponential(self._mtbf), Event("lost", worker, message="power"))

    def submit(self, worker: Any, shard: int) -> None:
        assert worker in self._alive
        self._at(self._shard_seconds, Event("finished", worker, shard, result=f"{shard} by {worker}"))

    def events(self) -> list[Event]:
        self._time, _, event = heapq.heappop(self._queue)
        if event.worker not in self._alive:
            return []
        if event.kind == "lost":
            assert isinstance(event.worker, int)
            self._alive.discard(event.worker)
            self._start(self._restart)
        return [event]

    def give_up(self, worker: Any) -> None:
        self.given_up.append(worker)

    def now(self) -> float:
        return self._time

    def stop(self) -> None:
        return None


def test_a_thousand_workers_with_a_failure_an_hour_each() -> None:
    """Every shard is committed once, and throughput is what the theory of restarts says.

    A shard of T seconds on a worker that fails at rate 1/M and comes back after R takes (M + R) (exp(T / M) - 1) on
    average, restarts included (Daly, 2006, "A higher order estimate of the optimum checkpoint interval").
    """
    workers, shards, seconds, mtbf, restart = 1000, 30_000, 300.0, 3600.0, 120.0
    scheduler, fleet = Scheduler(range(shards), attempts=20), FakeFleet(workers, seconds, mtbf, restart, seed=1)
    committed: list[int] = []
    times: list[float] = []

    def commit(shard: int, result: str) -> None:
        assert result.startswith(f"{shard} by ")
        committed.append(shard)
        times.append(fleet.now())

    drive(scheduler, fleet, commit)
    assert sorted(committed) == list(range(shards))
    middle = slice(shards // 10, shards * 9 // 10)  # without the begin and the last ones
    each = (times[middle][-1] - times[middle][0]) / (len(times[middle]) - 1) * workers
    assert each == pytest.approx((mtbf + restart) * np.expm1(seconds / mtbf), rel=0.02)
    wasted = scheduler.counts.wasted_seconds / (scheduler.counts.wasted_seconds + scheduler.counts.seconds)
    assert wasted == pytest.approx(1.0 - seconds / mtbf / np.expm1(seconds / mtbf), rel=0.1)
    assert fleet.given_up == []


def test_what_was_committed_is_not_handed_out_again() -> None:
    scheduler = Scheduler(range(5), done={0, 3})
    scheduler.joined("a")
    seen = []
    while not scheduler.complete:
        ((worker, shard),) = scheduler.assign(0.0)
        seen.append(shard)
        assert scheduler.finished(worker, shard, 1.0)
    assert seen == [1, 2, 4]


def test_a_worker_that_comes_back_late_is_not_committed() -> None:
    scheduler = Scheduler(range(1))
    scheduler.joined("a")
    scheduler.joined("b")
    assert scheduler.assign(0.0) == [("a", 0)]
    scheduler.lost("a", 5.0)
    assert scheduler.assign(5.0) == [("b", 0)]
    assert not scheduler.finished("a", 0, 6.0)
    assert scheduler.finished("b", 0, 7.0)
    assert not scheduler.finished("b", 0, 8.0)
    assert (scheduler.counts.done, scheduler.counts.late) == (1, 2)


def test_a_lost_shard_is_next() -> None:
    scheduler = Scheduler(range(3))
    scheduler.joined("a")
    scheduler.assign(0.0)
    scheduler.lost("a", 1.0)
    scheduler.joined("b")
    assert scheduler.assign(1.0) == [("b", 0)]


def test_a_shard_that_ends_its_workers_ends_the_farm() -> None:
    scheduler = Scheduler(range(3), attempts=3)
    for n in range(2):
        scheduler.joined(n)
        scheduler.assign(0.0)
        scheduler.lost(n, 1.0, "it was killed")
    scheduler.joined(2)
    scheduler.assign(0.0)
    with pytest.raises(FarmError, match="Shard 0 was tried 3 times; the last time: it was killed"):
        scheduler.lost(2, 1.0, "it was killed")


def test_workers_that_hang_are_given_up() -> None:
    scheduler = Scheduler(range(9))
    scheduler.joined("a")
    scheduler.joined("b")
    assert scheduler.assign(0.0) == [("a", 0), ("b", 1)]
    assert scheduler.overdue(10 * PATIENCE) == []  # nobody knows yet how long one takes
    scheduler.finished("a", 0, 1.0)
    assert scheduler.overdue(PATIENCE - 1.0) == []
    assert scheduler.overdue(PATIENCE + 1.0) == ["b"]
