"""Workers that are actors of Ray, on this machine or on a cluster."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Iterator
from typing import Any

from phalanx.farm.errors import FarmError
from phalanx.farm.fleet import Event
from phalanx.farm.scheduler import Worker

START = 600.0
"""s that a cluster has to start the first actor."""


def connect(processors: int, address: str | None) -> tuple[Any, bool, str]:
    """Ray, whether it was connected to here, and the address of its dashboard, if it has one.

    Args:
        processors: that Ray is told to have at least, where it is started here.
        address: of a cluster; ``None``: Ray is started on this machine, unless it is there.

    Raises:
        FarmError: Ray is not installed, or the cluster cannot be reached.
    """
    try:
        import ray
    except ImportError:
        raise FarmError("Farms on Ray need it: pip install 'phalanx[farm]'; or --engine processes") from None
    if ray.is_initialized():
        return ray, False, ""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    here: dict[str, Any] = {"num_cpus": max(processors, os.cpu_count() or 1)} if address is None else {}
    try:
        found = ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **here)
    except ConnectionError as error:
        raise FarmError(f"the Ray cluster {address} cannot be reached: {error}") from None
    return ray, True, getattr(found, "dashboard_url", None) or ""


@contextlib.contextmanager
def started(processors: int, address: str | None) -> Iterator[str]:
    """Have Ray for as long as this lasts, see :func:`connect`; gives the address of its dashboard."""
    ray, own, dashboard = connect(processors, address)
    try:
        yield dashboard
    finally:
        if own:
            ray.shutdown()


class RayFleet:
    """Actors that each do a shard at a time.

    Args:
        job: what they are told first, see :mod:`phalanx.farm.worker`.
        count: how many.
        cores: processors of each.
        gpus: GPUs of each, also a part of one.
        address: of a cluster; ``None``: Ray is started here, and ends with this fleet.

    Raises:
        FarmError: Ray is not installed, or has too little for one actor.
    """

    def __init__(self, job: dict[str, Any], count: int, cores: int, gpus: float, address: str | None = None) -> None:
        ray, self._own, self.dashboard = connect(count * cores, address)
        self._ray, self._job = ray, job
        there = ray.cluster_resources()
        if there.get("CPU", 0) < cores or there.get("GPU", 0) < gpus:
            self.stop()
            raise FarmError(
                f"a worker needs {cores} processors and {gpus:g} GPUs; Ray has {there.get('CPU', 0):g} and "
                f"{there.get('GPU', 0):g}"
            )
        threads = {name: str(cores) for name in ("PHALANX_NUM_THREADS", "OMP_NUM_THREADS")}
        self._actor = ray.remote(_Actor).options(num_cpus=cores, num_gpus=gpus, runtime_env={"env_vars": threads})
        self._actors: dict[int, Any] = {}
        self._waiting: dict[Any, tuple[int, int]] = {}
        self._next = 0
        for _ in range(count):
            self._start()

    def _start(self) -> None:
        worker, self._next = self._next, self._next + 1
        self._actors[worker] = self._actor.remote(self._job)
        self._waiting[self._actors[worker].pid.remote()] = worker, -1

    @property
    def pids(self) -> list[int]:
        """Process ids of the actors that have started."""
        return self._ray.get([actor.pid.remote() for actor in self._actors.values()])

    def submit(self, worker: Worker, shard: int) -> None:
        """Have a worker do a shard."""
        assert isinstance(worker, int)
        if worker in self._actors:
            self._waiting[self._actors[worker].do.remote(shard)] = worker, shard

    def events(self) -> list[Event]:
        """Wait until something has happened, or for a second."""
        done, _ = self._ray.wait(list(self._waiting), timeout=1.0)
        found = []
        for one in done:
            worker, shard = self._waiting.pop(one)
            try:
                said = self._ray.get(one)
            except self._ray.exceptions.RayError as error:
                if worker in self._actors:
                    del self._actors[worker]
                    found.append(Event("lost", worker, message=" ".join(str(error).split())[:300]))
                    self._start()
                continue
            found.append(Event("joined", worker) if shard < 0 else Event(said.pop("kind"), worker, **said))
        return found

    def give_up(self, worker: Worker) -> None:
        """End a worker; it is told as lost."""
        assert isinstance(worker, int)
        if worker in self._actors:
            self._ray.kill(self._actors[worker])

    def now(self) -> float:
        """s."""
        return time.monotonic()

    def stop(self) -> None:
        """End all workers."""
        if self._own:
            self._ray.shutdown()
            return
        for actor in getattr(self, "_actors", {}).values():
            with contextlib.suppress(self._ray.exceptions.RayError):
                self._ray.kill(actor)


class _Actor:
    """In a process of its own."""

    def __init__(self, job: dict[str, Any]) -> None:
        from phalanx.farm.worker import prepared

        self._work = prepared(job)

    def pid(self) -> int:
        return os.getpid()

    def do(self, shard: int) -> dict[str, Any]:
        from phalanx.farm.worker import answer

        return answer(self._work, shard)
