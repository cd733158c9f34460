"""Workers as the coordinator sees them, and those that are processes of this machine."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from phalanx.farm.errors import FarmError
from phalanx.farm.scheduler import Scheduler, Worker

RESTARTS = 10
"""Losses without any shard having been done between, after which a farm ends: so many, and three times its workers."""


@dataclass(frozen=True)
class Event:
    """What a fleet tells.

    Attributes:
        kind: ``"joined"``, ``"finished"``, ``"failed"`` or ``"lost"`` of a worker.
        worker: which.
        shard: that was finished or has failed.
        result: what the worker said of a finished shard.
        message: why it failed or was lost.
        final: whether trying again is of no use.
    """

    kind: Literal["joined", "finished", "failed", "lost"]
    worker: Worker
    shard: int = -1
    result: Any = None
    message: str = ""
    final: bool = False


class Fleet(Protocol):
    """Workers, started when a fleet is made. One that is lost is replaced."""

    def submit(self, worker: Worker, shard: int) -> None:
        """Have a worker do a shard."""
        ...

    def events(self) -> list[Event]:
        """Wait until something has happened, or for a second."""
        ...

    def give_up(self, worker: Worker) -> None:
        """End a worker that takes too long; it is told as lost."""
        ...

    def now(self) -> float:
        """s, of a clock that only goes forward."""
        ...

    def stop(self) -> None:
        """End all workers."""
        ...


def drive(scheduler: Scheduler, fleet: Fleet, commit: Callable[[int, Any], object]) -> None:
    """Run a fleet until every shard is done.

    Args:
        scheduler: says who does what.
        fleet: does it.
        commit: called with each shard and what its worker said of it, once.

    Raises:
        FarmError: a shard or all workers fail again and again, or something that cannot be helped has happened.
    """
    in_a_row, there, most = 0, set[Worker](), 0
    while not scheduler.complete:
        for event in fleet.events():
            now = fleet.now()
            if event.kind == "joined":
                scheduler.joined(event.worker)
                there.add(event.worker)
                most = max(most, len(there))
            elif event.kind == "finished":
                in_a_row = 0
                if scheduler.finished(event.worker, event.shard, now):
                    commit(event.shard, event.result)
            elif event.kind == "failed":
                if event.final:
                    raise FarmError(event.message)
                scheduler.failed(event.worker, event.shard, event.message, now)
            else:
                scheduler.lost(event.worker, now, event.message)
                there.discard(event.worker)
                in_a_row += 1
                if in_a_row >= RESTARTS + 3 * most:
                    raise FarmError(
                        f"{in_a_row} workers were lost, and no shard was done. The last one: {event.message}"
                    )
        for worker, shard in scheduler.assign(fleet.now()):
            fleet.submit(worker, shard)
        for worker in scheduler.overdue(fleet.now()):
            fleet.give_up(worker)


class Processes:
    """Workers that are processes of this machine: ``python -m phalanx.farm.worker``, a line of JSON for each message.

    Args:
        job: what they are told first, see :mod:`phalanx.farm.worker`.
        count: how many.
        environment: of each, by its number, besides this process's own.
    """

    def __init__(self, job: dict[str, Any], count: int, environment: Callable[[int], dict[str, str]]) -> None:
        self._job, self._environment = json.dumps(job), environment
        self._selector = selectors.DefaultSelector()
        self._found: dict[int, tuple[subprocess.Popen[bytes], Any]] = {}
        self._places: dict[int, int] = {}
        self._shards: dict[int, int] = {}
        self._told: list[Event] = []
        for place in range(count):
            self._start(place)

    def _start(self, place: int) -> None:
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
        process = subprocess.Popen(
            [sys.executable, "-m", "phalanx.farm.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, **self._environment(place)},
            start_new_session=True,  # Ctrl-C is for the coordinator
        )
        assert process.stdout is not None
        worker = process.pid
        self._found[worker], self._places[worker] = (process, errors), place
        self._selector.register(process.stdout, selectors.EVENT_READ, worker)
        self._send(worker, self._job)
        self._told.append(Event("joined", worker))

    @property
    def pids(self) -> list[int]:
        """Process ids of the workers."""
        return list(self._found)

    def _send(self, worker: int, text: str) -> None:
        pipe = self._found[worker][0].stdin
        assert pipe is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended, which is read from its other pipe
            pipe.write(text.encode() + b"\n")
            pipe.flush()

    def submit(self, worker: Worker, shard: int) -> None:
        """Have a worker do a shard."""
        assert isinstance(worker, int)
        if worker in self._found:
            self._shards[worker] = shard
            self._send(worker, str(shard))

    def events(self) -> list[Event]:
        """Wait until something has happened, or for a second."""
        found, self._told = self._told, []
        for key, _ in self._selector.select(0.0 if found else 1.0):
            worker: int = key.data
            line = key.fileobj.readline()  # pyright: ignore[reportAttributeAccessIssue]
            if not line.endswith(b"\n"):  # it ended, maybe within a line
                found.append(Event("lost", worker, message=self._ended(worker)))
                self._start(self._places.pop(worker))
                continue
            said = json.loads(line)
            found.append(Event(said.pop("kind"), worker, **said))
        return found

    def _ended(self, worker: int) -> str:
        process, errors = self._found.pop(worker)
        assert process.stdout is not None
        assert process.stdin is not None
        self._selector.unregister(process.stdout)
        process.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        code = process.wait()
        errors.seek(0)
        lines = [line for line in errors.read().decode(errors="replace").splitlines() if line.strip()]
        errors.close()
        if code < 0:
            return f"it was ended by signal {-code} ({signal.Signals(-code).name})"
        return f"it ended with code {code}" + (f": {lines[-1].strip()}" if lines else "")

    def give_up(self, worker: Worker) -> None:
        """End a worker; it is told as lost."""
        assert isinstance(worker, int)
        if worker in self._found:
            self._found[worker][0].kill()

    def now(self) -> float:
        """s."""
        return time.monotonic()

    def stop(self) -> None:
        """End all workers."""
        for process, _ in self._found.values():
            process.kill()
        for worker in list(self._found):
            self._ended(worker)
        self._selector.close()
