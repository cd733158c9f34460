"""Recorder: what a world does, written to a Zarr v3 folder while it happens.

Layout of a recording (format 2)::

    /                      attributes: phalanx_recording (format, counts, ...), world (World.describe())
    /robots/<name>/        time (time,) s; step (time,); env (env,); joint, body: names
                           joint_pos (time, env, joint), ... one array a field, see phalanx.io.recordings.fields
    /objects/<name>/       the same of each rigid object, root_pose (time, env, pose), ...
    /collections/<name>/   the same of the objects of a collection together: root_pose (time, env, object, pose), ...
    /deformables/<name>/   the same of each soft body: node_offset (time, env, node, axis), ...
    /contacts/world/       contacts, if they are recorded: contact_count (time, env), contact_point
                           (time, env, contact, axis), ...
    /events/               step, sample, kind (event,): when the host changed something
    /events/<key>/         entry (entry,): number of the event; value (entry, ...): what it changed <key> to
    /meshes/<i>/           vertices, faces, heights, nodes or tets of meshes, which the attributes refer to

Event 0 is the start: everything that :meth:`World.state` needs to continue. Later events are either new inputs
(targets and gains; only what changed) or a new state (after a reset, say). Events and the engine's determinism make
the run repeatable to the bit, see :func:`phalanx.io.recordings.replay.verify`.
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

from phalanx import components as c
from phalanx._version import __version__
from phalanx.io.reading.digests import digest_of_arrays
from phalanx.io.recordings import overview
from phalanx.io.recordings.fields import CONTACT_FIELDS, DEFAULT_FIELDS, FIELDS
from phalanx.io.recordings.folder import FreshFolder, RecordingError
from phalanx.io.recordings.header import FORMAT, digest_of
from phalanx.io.recordings.samples import Source, source
from phalanx.io.recordings.store import GrowingStore, move_meshes_out, yield_to_others
from phalanx.io.recordings.subjects import FOLDERS, subjects
from phalanx.io.recordings.tape import PARTS, Columns, Tape

if TYPE_CHECKING:
    from phalanx.world.world import World

START, INPUTS, STATE = 0, 1, 2  # kinds of events

_CHUNK_BYTES = 16 << 20  # the default for what is written at once
_CHUNK_STEPS = 256
_EVENT_BYTES = 64 << 20  # events that wait for this much are written before the chunk is full
_THREADS = 8  # that encode and write at most


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
    """What is written at once: samples of every series from ``start`` on, those of whole steps first, and events."""

    start: int
    steps: list[int] = field(default_factory=list)
    columns: Columns | None = None
    events: list[Event] = field(default_factory=list)
    event_bytes: int = 0


class Recorder:
    """Record every ``every``-th step of a world to the folder ``path``; use it as a context manager.

    ::

        with px.Recorder(world, "out.zarr", every=2, fields=("joint_pos", "root_pose")):
            world.step(1000)

    The first sample is the state when the recorder starts. ``fields`` are names from
    ``phalanx.io.recordings.fields.FIELDS``; each robot, rigid object and collection records those that it has.
    They are taken as the last part of a step, before anything is called after it. Samples are written ``chunk_steps``
    at a time (by default as many as fit in 16 MB, at most 256) by threads of its own; a process that is killed loses
    what was not yet written, at most three such chunks, and nothing else. Memory for three chunks is taken at the
    start, and no more later. ``overwrite=True`` replaces an earlier recording, and only a recording.

    ``contacts`` keeps contact points, normals, forces and distances of the last substep, too: of each environment so
    many at most, or, if it is ``True``, as many as the world has room for now. The count that is kept is that of all.
    The first sample has none: its contacts are of a step before the recording.

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
        contacts: bool | int = False,
    ):
        _check_options(every, fields, chunk_steps)
        try:
            self.path = Path(path)
        except TypeError:
            raise RecordingError(f"Recorder: path must be the name of a folder, not {path!r}.") from None
        self.every = int(every)
        self.fields = tuple(dict.fromkeys(fields))
        self.samples = 0
        self._world = world
        self._closed = False
        self._events = 0
        self._written = 0  # samples that are on the disk, or lost to an error; by the thread
        self._events_written = 0  # likewise
        self._progress = threading.Condition()
        self._error: BaseException | None = None
        self._error_raised = False
        self._queue: queue.SimpleQueue[_Block | None] = queue.SimpleQueue()
        self._unregister: list[Callable[[], None]] = []
        room = self._contact_room(world, contacts)
        self._subjects = subjects(world, self.fields, room)
        world.build()
        sources = {f"{s.group}/{key}": source(s.kind, s.handle, key) for s in self._subjects for key in s.fields}
        sample_bytes = (
            sum(_numbers(each) * world.num_envs for each in sources.values()) * np.dtype(world.dtype).itemsize
        )
        self._chunk = chunk_steps or max(1, min(_CHUNK_STEPS, _CHUNK_BYTES // max(1, sample_bytes)))
        self._folder = FreshFolder(self.path, overwrite, sample_bytes * self._chunk)
        with self._folder:
            self._tape = Tape(world, sources, self.every, self._chunk, self._room, self._taken)
            self._store = self._create_store(sources)
            self._known_inputs: dict[str, np.ndarray] = {}
            self._block = _Block(0)
            self._add_event(START)
            self._write_block(self._block)  # now: it makes most of the store's arrays, which takes a while
            self._block = _Block(0)
            world.sample(self._tape)
        self._thread = threading.Thread(target=self._write_blocks, name="phalanx-recorder", daemon=True)
        self._thread.start()
        self._unregister = [world.before_step(self._before_step), world.add_probe(self._tape)]

    def __repr__(self) -> str:
        state = "closed" if self._closed else "recording"
        names = ", ".join(subject.name for subject in self._subjects if subject.kind != "contact")
        return f"<Recorder of {names} to {str(self.path)!r}, {state}: {self.samples} samples>"

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
        self._send()
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

    def _room(self) -> int:
        if len(self._block.steps) == self._chunk:
            self._next_chunk()
        if not self._block.steps:
            self._tape.start(self._block.start // self._chunk)
        return self._chunk - len(self._block.steps)

    def _taken(self, count: int) -> None:
        last = self._world.step_count
        self._block.steps += range(last - (count - 1) * self.every, last + 1, self.every)
        self.samples = self._block.start + len(self._block.steps)
        if len(self._block.steps) == self._chunk:
            self._send()

    # Gathering.

    def _contact_room(self, world: World, contacts: bool | int) -> int:
        """How many contacts of an environment are kept; takes their fields in."""
        if isinstance(contacts, bool):
            most = None
        elif not isinstance(contacts, int | np.integer) or contacts < 1:
            raise RecordingError(f"Recorder: contacts must be True, False, or a number from 1 on, not {contacts!r}.")
        else:
            most = int(contacts)
        own = [key for key in self.fields if key in CONTACT_FIELDS]
        if not own and contacts is False:
            return 0
        self.fields = tuple(dict.fromkeys((*self.fields, CONTACT_FIELDS[0], *(own or CONTACT_FIELDS))))
        world.build()
        slots = world.engine.store.rows(c.Contact)
        if not slots:
            raise RecordingError("Recorder: contacts cannot be recorded: nothing in this world can touch anything.")
        return slots if most is None else min(most, slots)

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
        if self._block.columns is not None:  # it is the thread's now
            self._next_chunk()
        self._block.events.append(Event(self._events, kind, int(world.step_count), self.samples, values))
        self._events += 1
        self._block.event_bytes += sum(value.nbytes for value in values.values())
        if self._block.event_bytes > _EVENT_BYTES and kind != START:
            self._queue.put(_Block(self._block.start, events=self._block.events))
            self._block.events, self._block.event_bytes = [], 0

    def _send(self) -> None:
        """Hand the block to the thread, once."""
        block = self._block
        if block.columns is None:
            count = len(block.steps)
            block.columns = self._tape.take(block.start // self._chunk, count) if count else dict
            self._queue.put(block)

    def _next_chunk(self) -> None:
        """Begin the next chunk once its place on the tape is free."""
        self._send()
        start = self._block.start + self._chunk
        with self._progress:
            self._progress.wait_for(lambda: self._written >= start - (PARTS - 1) * self._chunk)
        self._block = _Block(start)
        self._raise_error()

    # The writing thread.

    def _write_blocks(self) -> None:
        yield_to_others()
        while (block := self._queue.get()) is not None:
            if self._error is None:
                self._guard(self._write_block, block)
            with self._progress:
                self._written = max(self._written, block.start + len(block.steps))
                self._progress.notify()
        if self._error is None:
            self._count(closed=True)
            self._guard(self._store.commit)
        self._store.close()
        self._folder.release()

    def _guard(self, call: Callable[..., None], *arguments: Any) -> None:
        try:
            call(*arguments)
        except BaseException as error:  # kept for the main thread, which raises it
            self._error = error

    def _write_block(self, block: _Block) -> None:
        if block.steps:
            assert block.columns is not None
            steps = np.array(block.steps, np.int64)
            columns = block.columns()
            if not block.start:  # contacts of a step before the recording, which no replay has
                for key in [f"{s.group}/{key}" for s in self._subjects if s.kind == "contact" for key in s.fields]:
                    columns[key] = np.concatenate([np.zeros_like(columns[key][:1]), columns[key][1:]])
            for subject in self._subjects:
                columns[f"{subject.group}/step"] = steps
                columns[f"{subject.group}/time"] = steps * self._world.dt
            columns |= {"step": steps, "time": steps * self._world.dt, **overview.rows(self._subjects, columns)}
            self._store.write_all(block.start, columns)
        for event in block.events:
            if event.number == self._events_written:
                self._write_event(event)
                self._events_written += 1
        samples = max(self._store.committed["phalanx_recording"]["complete_samples"], block.start + len(block.steps))
        self._count(complete_samples=samples, complete_events=self._events_written)
        world, features = self._store.attributes["world"], sorted(self._world.engine.features)  # may begin at any time
        if world["features"] != features:
            self._store.attributes["world"] = {**world, "features": features}
            self._sign(self._store)
        self._store.commit()

    def _sign(self, store: GrowingStore) -> None:
        """Keep a digest of what the recording says of itself, which tells edits."""
        header, world = store.attributes["phalanx_recording"], store.attributes["world"]
        store.attributes["phalanx_recording"] = {**header, "digest": digest_of(header, world, self._meshes)}

    def _count(self, **changes: Any) -> None:
        """Change what the recording says of itself."""
        self._store.attributes["phalanx_recording"] = self._store.attributes["phalanx_recording"] | changes

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

    def _create_store(self, sources: dict[str, Source]) -> GrowingStore:
        store = GrowingStore(self.path, {}, threads=min(_THREADS, os.cpu_count() or 1))
        world = self._world
        names = ", ".join(s.name for s in self._subjects if s.kind != "contact")
        store.attributes["title"] = f"Phalanx recording of {names}"
        store.attributes["phalanx_recording"] = {
            "format": FORMAT,
            "phalanx": __version__,
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
        store.attributes["world"], meshes = move_meshes_out(world.describe(), store)
        self._meshes = digest_of_arrays(meshes)
        overview.declare(store, self._subjects, world.num_envs, world.dtype, self._chunk)
        for subject in self._subjects:
            subject.declare(store, world.num_envs, world.dtype, sources, self._chunk)
        store.add_group("events")
        for key, text in (
            ("step", "steps made when the host changed something"),
            ("sample", "samples recorded when the host changed something"),
            ("kind", "0: start, 1: inputs, 2: state"),
        ):
            store.add_series(f"events/{key}", (), np.int64, ("event",), {"long_name": text})
        self._sign(store)
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
        complete = self._store.committed["phalanx_recording"]["complete_samples"]
        raise RecordingError(
            f"Recording to {self.path} stopped: {self._error}. Its first {complete} samples are complete and readable."
        ) from self._error


def _check_options(every: int, fields: Sequence[str], chunk_steps: int | None) -> None:
    for name, number in (("every", every), ("chunk_steps", chunk_steps)):
        whole = isinstance(number, int | np.integer) or (isinstance(number, float) and number.is_integer())
        if number is not None and (isinstance(number, bool) or not whole or number < 1):
            raise RecordingError(f"Recorder: {name} must be a whole number of at least 1, not {number!r}.")
    if isinstance(fields, str) or not isinstance(fields, Sequence) or not fields:
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


def _numbers(source: Source) -> int:
    return int(np.prod(source.item, dtype=np.int64))
