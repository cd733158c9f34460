"""Recorder: what a world does, written to a Zarr v3 folder while it happens.

Layout of a recording (format 2)::

    /                      attributes: phalanx_recording (format, counts, ...), world (World.describe())
    /robots/<name>/        time (time,) s; step (time,); env (env,); joint, body: names
                           joint_pos (time, env, joint), ... one array a field, see phalanx.io.fields
    /objects/<name>/       the same of each rigid object, root_pose (time, env, pose), ...
    /collections/<name>/   the same of the objects of a collection together: root_pose (time, env, object, pose), ...
    /events/               step, sample, kind (event,): when the host changed something
    /events/<key>/         entry (entry,): number of the event; value (entry, ...): what it changed <key> to
    /meshes/<i>/           vertices, faces or heights of meshes and height fields, which the attributes refer to

Event 0 is the start: everything that :meth:`World.state` needs to continue. Later events are either new inputs
(targets and gains; only what changed) or a new state (after a reset, say). Events and the engine's determinism make
the run repeatable to the bit, see :func:`phalanx.io.replay.verify`.
"""

from __future__ import annotations

import datetime
import os
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from phalanx.io.fields import DEFAULT_FIELDS, FIELDS
from phalanx.io.growing_store import GrowingStore, move_meshes_out
from phalanx.io.recording_folder import FreshFolder, RecordingError
from phalanx.io.subjects import FOLDERS, subjects

if TYPE_CHECKING:
    from phalanx.world import World

FORMAT = 2
START, INPUTS, STATE = 0, 1, 2  # kinds of events

_BLOCK_BYTES = 16 << 20  # the default for what is written at once
_BLOCK_STEPS = 256
_EVENT_BYTES = 64 << 20  # events that wait for this much are written before the block is full
_QUEUED_BLOCKS = 2


@dataclass
class Event:
    """A change that the host made before step ``step + 1``, after sample ``sample - 1`` was recorded."""

    number: int
    kind: int
    step: int
    sample: int
    values: dict[str, np.ndarray]


@dataclass
class _Block:
    """Samples ``start`` to ``start + count`` of every series, and the events among them."""

    start: int
    count: int = 0
    columns: dict[str, Any] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    event_bytes: int = 0


class Recorder:
    """Record every ``every``-th step of a world to the folder ``path``; use it as a context manager.

    ::

        with px.Recorder(world, "out.zarr", every=2, fields=("joint_pos", "root_pose")):
            world.step(1000)

    The first sample is the state when the recorder starts. ``fields`` are names from ``phalanx.io.fields.FIELDS``; each
    robot, rigid object and collection records those that it has.
    Samples are written ``chunk_steps`` at a time (by default as many as fit in 16 MB, at most 256) by a thread of
    its own; a process that is killed loses what was not yet written, at most three such chunks, and nothing else.
    ``overwrite=True`` replaces an earlier recording, and only a recording.

    Raises :class:`RecordingError` when the recording cannot start (then nothing is left behind) and, from
    ``world.step`` or :meth:`close`, when it cannot go on (then what was complete stays readable).
    """

    def __init__(
        self,
        world: World,
        path: str | os.PathLike[str],
        every: int = 1,
        fields: Sequence[str] = DEFAULT_FIELDS,
        chunk_steps: int | None = None,
        overwrite: bool = False,
    ):
        _check_options(every, fields, chunk_steps)
        self.path = Path(path)
        self.every = int(every)
        self.fields = tuple(dict.fromkeys(fields))
        self.samples = 0
        self._world = world
        self._closed = False
        self._events = 0
        self._events_written = 0  # by the thread
        self._error: BaseException | None = None
        self._error_raised = False
        self._queue: queue.Queue[_Block | None] = queue.Queue(maxsize=_QUEUED_BLOCKS)
        self._unregister: list[Callable[[], None]] = []
        self._subjects = subjects(world, self.fields)
        self._times = [f"{subject.group}/time" for subject in self._subjects]
        self._steps = [f"{subject.group}/step" for subject in self._subjects]
        world.build()
        with FreshFolder(self.path, overwrite):
            first = self._read_sample()
            sample_bytes = max(1, sum(value.nbytes for value in first.values()))
            self._chunk = chunk_steps or max(1, min(_BLOCK_STEPS, _BLOCK_BYTES // sample_bytes))
            self._store = self._create_store(first)
            self._known_inputs: dict[str, np.ndarray] = {}
            self._block = _Block(0)
            self._add_event(START)
            self._write_block(self._block)  # now: it makes most of the store's arrays, which takes a while
            self._block = _Block(0)
            self._add_sample(world)
        self._thread = threading.Thread(target=self._write_blocks, name="phalanx-recorder", daemon=True)
        self._thread.start()
        self._unregister = [
            world.before_step(self._before_step),
            world.after_step(self._add_sample, every=self.every),
        ]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except RecordingError:
            if error is None:
                raise
            # The exception that ends the block is the one to report; the recording keeps what was complete.

    def close(self) -> None:
        """Write what is left and finish the recording. May be called twice."""
        if self._closed:
            return
        self._closed = True
        self._stop_listening()
        self._send(self._block)
        self._queue.put(None)
        self._thread.join()
        self._raise_error()

    # What the world calls.

    def _before_step(self, world: World) -> None:
        self._raise_error()
        if world.state_revision != self._state_revision:
            self._add_event(STATE)
        elif world.input_revision != self._input_revision:
            self._add_event(INPUTS)

    def _add_sample(self, world: World) -> None:
        self._raise_error()
        if self._block.count == self._chunk:  # an interrupt (Ctrl-C) came before it could be sent
            self._next_block()
        block, sample = self._block, self._read_sample()
        if not block.columns:
            block.columns = {name: _empty_like(value, self._chunk) for name, value in sample.items()}
        for name, value in sample.items():
            block.columns[name][block.count] = value
        block.count += 1
        self.samples = block.start + block.count
        if block.count == self._chunk:
            self._next_block()

    # Gathering.

    def _read_sample(self) -> dict[str, Any]:
        """Array name -> this sample's value, without the time axis."""
        time, step = np.float64(self._world.time), np.int64(self._world.step_count)
        sample: dict[str, Any] = dict.fromkeys(self._times, time) | dict.fromkeys(self._steps, step)
        for subject in self._subjects:
            for key in subject.fields:
                sample[f"{subject.group}/{key}"] = getattr(subject.handle, key)
        return sample

    def _add_event(self, kind: int) -> None:
        world = self._world
        inputs = world.inputs()
        if kind == INPUTS:
            values = {k: v for k, v in inputs.items() if not _same(v, self._known_inputs.get(k))}
        else:
            values = {**inputs, **world.state()}
        self._known_inputs = {key: np.array(value) for key, value in inputs.items()}
        self._state_revision, self._input_revision = world.state_revision, world.input_revision
        if kind == INPUTS and not values:
            return
        values = {key: np.array(value) for key, value in values.items()}
        self._block.events.append(Event(self._events, kind, int(world.step_count), self.samples, values))
        self._events += 1
        self._block.event_bytes += sum(value.nbytes for value in values.values())
        if self._block.event_bytes > _EVENT_BYTES and kind != START:
            self._next_block()

    def _next_block(self) -> None:
        # Sent first and left behind afterwards: an interrupt in between sends it twice, which does no harm.
        block = self._block
        if block.count < self._chunk:  # early, because of its events; its samples stay in the block that goes on
            self._queue.put(_Block(block.start, 0, {}, block.events))
            self._block = _Block(block.start, block.count, block.columns)
        else:
            self._send(block)
            self._block = _Block(block.start + block.count)

    def _send(self, block: _Block) -> None:
        columns = {name: _to_host(column[: block.count]) for name, column in block.columns.items()}
        self._queue.put(_Block(block.start, block.count, columns, block.events))

    # The writing thread.

    def _write_blocks(self) -> None:
        while (block := self._queue.get()) is not None:
            if self._error is None:
                self._guard(self._write_block, block)
        if self._error is None:
            self._store.attributes["phalanx_recording"]["closed"] = True
            self._guard(self._store.commit)

    def _guard(self, call: Callable[..., None], *arguments: Any) -> None:
        try:
            call(*arguments)
        except BaseException as error:  # kept for the main thread, which raises it
            self._error = error

    def _write_block(self, block: _Block) -> None:
        for name, column in block.columns.items():
            self._store.write(name, block.start, column)
        for event in block.events:
            if event.number == self._events_written:
                self._write_event(event)
                self._events_written += 1
        counts = self._store.attributes["phalanx_recording"]
        counts["complete_samples"] = max(counts["complete_samples"], block.start + block.count)
        counts["complete_events"] = self._events_written
        self._store.attributes["world"]["features"] = sorted(self._world._features)  # may begin at any time
        self._store.commit()

    def _write_event(self, event: Event) -> None:
        for name, number in (("step", event.step), ("sample", event.sample), ("kind", event.kind)):
            self._store.write(f"events/{name}", event.number, np.array([number]))
        for key, value in event.values.items():
            log = self._log_for(key, value)
            row = self._store.rows(f"{log}/entry")
            self._store.write(f"{log}/value", row, value[None])
            self._store.write(f"{log}/entry", row, np.array([event.number]))

    def _log_for(self, key: str, value: np.ndarray) -> str:
        """Group of the log that takes values of this key and shape (a field may widen while it is recorded)."""
        shape = "x".join(str(n) for n in value.shape) or "scalar"
        group = f"events/{key.replace('/', '|')} {value.dtype} {shape}"
        if group not in self._store:
            self._store.add_group(group, {"key": key})
            self._store.add_series(f"{group}/entry", (), np.int64, ("entry",), {"long_name": "number of the event"})
            dims = ("entry", *(f"axis_{i}" for i in range(value.ndim)))
            self._store.add_series(f"{group}/value", value.shape, value.dtype, dims, {"long_name": key})
        return group

    # Starting and ending.

    def _create_store(self, sample: dict[str, Any]) -> GrowingStore:
        store = GrowingStore(self.path, {})
        world = self._world
        store.attributes["title"] = f"Phalanx recording of {', '.join(s.name for s in self._subjects)}"
        store.attributes["phalanx_recording"] = {
            "format": FORMAT,
            "phalanx": package_version(),
            "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "every": self.every,
            "fields": list(self.fields),
            **{folder: {s.name: s.group for s in self._subjects if s.kind == k} for k, folder in FOLDERS.items()},
            "num_envs": world.num_envs,
            "dt": world.dt,
            "complete_samples": 0,
            "complete_events": 0,
            "closed": False,
        }
        store.attributes["world"] = move_meshes_out(world.describe(), store)
        for subject in self._subjects:
            subject.declare(store, world.num_envs, sample, self._chunk)
        store.add_group("events")
        for key, text in (
            ("step", "steps made when the host changed something"),
            ("sample", "samples recorded when the host changed something"),
            ("kind", "0: start, 1: inputs, 2: state"),
        ):
            store.add_series(f"events/{key}", (), np.int64, ("event",), {"long_name": text})
        store.commit()
        return store

    def _stop_listening(self) -> None:
        while self._unregister:
            self._unregister.pop()()

    def _raise_error(self) -> None:
        if self._error is None or self._error_raised:
            return
        self._error_raised = True
        self._stop_listening()
        complete = self._store.attributes["phalanx_recording"]["complete_samples"]
        raise RecordingError(
            f"Recording to {self.path} stopped: {self._error}. Its first {complete} samples are complete and readable."
        ) from self._error


def package_version() -> str:
    """Version of this package."""
    from phalanx import __version__

    return __version__


def _check_options(every: int, fields: Sequence[str], chunk_steps: int | None) -> None:
    for name, number in (("every", every), ("chunk_steps", chunk_steps)):
        if number is not None and (isinstance(number, bool) or int(number) != number or number < 1):
            raise RecordingError(f"Recorder: {name} must be a whole number of at least 1, not {number!r}.")
    if isinstance(fields, str) or not fields:
        raise RecordingError(f"Recorder: fields must be a list of names, not {fields!r}.")
    unknown = [name for name in fields if name not in FIELDS]
    if unknown:
        raise RecordingError(f"Recorder: unknown field {unknown[0]!r}. There are: {', '.join(FIELDS)}.")


def _same(value: np.ndarray, known: np.ndarray | None) -> bool:
    """Equal to the last bit, NaN and signed zeros included."""
    if known is None:
        return False
    value = np.asarray(value)
    return value.shape == known.shape and value.dtype == known.dtype and value.tobytes() == known.tobytes()


def _empty_like(value: Any, rows: int) -> Any:
    """Uninitialised (rows, *value.shape) where the value lives."""
    if isinstance(value, np.ndarray | np.generic):
        return np.empty((rows, *value.shape), value.dtype)
    import cupy

    return cupy.empty((rows, *value.shape), value.dtype)


def _to_host(column: Any) -> np.ndarray:
    return column if isinstance(column, np.ndarray) else column.get()
