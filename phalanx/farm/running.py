"""Runs a farm: checks, estimates, has a fleet do the shards, and commits them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from phalanx.farm.errors import FarmError, StoreError
from phalanx.farm.fleet import Fleet, Processes, drive
from phalanx.farm.scheduler import Counts, Scheduler
from phalanx.farm.spec import Spec
from phalanx.farm.store import Claim, FarmStore
from phalanx.farm.work import check, simulation_of

WORK = "phalanx.farm.work:shards"
TRIAL = 16
"""Episodes that are simulated to estimate what all take."""

Engine = Literal["ray", "processes"]
Fleets = Callable[[dict[str, Any], int], Fleet]


@dataclass(frozen=True)
class Estimate:
    """What a farm will take, before it starts.

    Attributes:
        bytes: of the dataset's numbers, before they are compressed.
        seconds: of one worker's time for all episodes; with fewer episodes at a time than a shard has, so rather more.
        shards: how many.
        workers: that share them.
    """

    bytes: int
    seconds: float
    shards: int
    workers: int

    def __str__(self) -> str:
        at_once = max(1, min(self.workers, self.shards))
        wall = self.seconds * -(-self.shards // at_once) / self.shards
        return (
            f"{self.shards} shards, some {_bytes(self.bytes)}, {_time(self.seconds)} of one worker, "
            f"{_time(wall)} with {self.workers} if they do not slow each other, besides starting and compiling"
        )


@dataclass(frozen=True)
class Report:
    """What a farm did.

    Attributes:
        digest: of the dataset; the same however often workers were lost.
        shards: that were done now.
        kept: that had been committed before.
        counts: of workers lost and so on.
        seconds: it took.
    """

    digest: str
    shards: int
    kept: int
    counts: Counts
    seconds: float


def _bytes(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


def _time(seconds: float) -> str:
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def bytes_of(spec: Spec, shapes: Mapping[str, tuple[tuple[int, ...], Any]]) -> int:
    """Bytes of all episodes, by what one writes."""
    total = 0
    for shape, dtype in shapes.values():
        size = dtype.itemsize
        for n in shape:
            size *= n
        total += size
    return total * spec.episodes


def estimate(spec: Spec, workers: int = 1, device: str = "auto") -> Estimate:
    """Simulate a few episodes here, and say what all will take.

    Raises:
        FarmError: the spec cannot be simulated.
    """
    shapes = check(spec, device)
    simulation = simulation_of(spec, device)
    count = min(TRIAL, spec.episodes)
    steps = min(spec.steps, 10 * spec.every)
    simulation.simulate(range(count), steps)  # compiles
    start = time.perf_counter()
    simulation.simulate(range(count), steps)
    each = (time.perf_counter() - start) / count * spec.steps / steps
    return Estimate(bytes_of(spec, shapes), each * spec.episodes, spec.shards, workers)


def run(
    spec: Spec,
    url: str | os.PathLike[str],
    *,
    workers: int = 1,
    gpus: int = 0,
    cores: int = 1,
    engine: Engine | Fleets = "ray",
    address: str | None = None,
    resume: bool = False,
    options: Mapping[str, Any] | None = None,
    progress: Callable[[int, int, Counts], object] = lambda done, total, counts: None,
    tell: Callable[[str], object] = lambda text: None,
) -> Report:
    """Simulate all episodes of a spec, and write them as one dataset.

    Args:
        spec: what to simulate.
        url: folder of the dataset: local, or any URL that fsspec knows.
        workers: how many processes; with GPUs, one for each by default.
        gpus: GPUs in all; each worker has ``gpus / workers`` of one. 0: on CPUs.
        cores: processors of each worker.
        engine: ``"ray"``, or ``"processes"`` of this machine; or what makes a :class:`phalanx.farm.fleet.Fleet` of a
            job and a number of workers.
        address: of a Ray cluster; ``None``: one is started on this machine.
        resume: go on with what was committed.
        options: for fsspec.
        progress: called with shards done, shards in all, and counts.
        tell: called with the address of Ray's dashboard, if it has one.

    Raises:
        FarmError: it cannot start, or not go on. What was committed stays.
    """
    for name, value, least in (("workers", workers, 1), ("gpus", gpus, 0), ("cores", cores, 1)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise FarmError(f"{name}: {value!r} must be a whole number, at least {least}")
    device = "cuda:0" if gpus else "cpu"  # each worker sees its own GPU alone
    store = FarmStore(url, options)
    if store.local:
        try:
            os.makedirs(store.place(""), exist_ok=True)
        except OSError as error:
            raise StoreError(f"{url}: the folder cannot be made: {error.strerror}") from None
    room = bytes_of(spec, check(spec, "cpu"))
    held = Claim(store)
    fleet: Fleet | None = None
    try:
        commits = store.begin(spec, resume, room)
        scheduler = Scheduler(range(spec.shards), commits)
        kept, start = len(commits), time.monotonic()

        def commit(shard: int, result: Any) -> None:
            store.commit(spec, shard, result)
            commits[shard] = {"shard": shard, **result}
            progress(len(commits), spec.shards, scheduler.counts)

        progress(kept, spec.shards, scheduler.counts)
        if not scheduler.complete:
            where = os.path.abspath(store.place("")) if store.local else store.url
            arguments = {"spec": spec.describe(), "url": where, "options": store.options, "device": device}
            job = {"work": WORK, "arguments": arguments}
            fleet = _fleet(engine, job, min(workers, scheduler.left), gpus, cores, address)
            if dashboard := getattr(fleet, "dashboard", ""):
                tell(f"Ray's dashboard: {dashboard}")
            drive(scheduler, fleet, commit)
            fleet.stop()
            fleet = None
        digest = store.end(spec, store.commits(spec))
        return Report(digest, scheduler.counts.done, kept, scheduler.counts, time.monotonic() - start)
    finally:
        if fleet is not None:
            fleet.stop()
        held.release()


def _fleet(engine: Any, job: dict[str, Any], workers: int, gpus: int, cores: int, address: str | None) -> Fleet:
    if callable(engine):
        found: Any = engine(job, workers)
        return found
    if engine == "ray":
        from phalanx.farm.ray_fleet import RayFleet

        return RayFleet(job, workers, cores, gpus / workers, address)
    if engine != "processes":
        raise FarmError(f"engine: {engine!r} must be ray or processes")

    def environment(place: int) -> dict[str, str]:
        found = {"PHALANX_NUM_THREADS": str(cores), "OMP_NUM_THREADS": str(cores)}
        return found | ({"CUDA_VISIBLE_DEVICES": str(place % gpus)} if gpus else {})

    return Processes(job, workers, environment)
