"""Read a recording: its arrays env-first, its world, and a check that the engine still does the same to the bit."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import zarr

from phalanx._version import __version__
from phalanx.ecs.errors import CapacityError, DeviceError
from phalanx.io.reading.digests import digest_of_arrays
from phalanx.io.reading.errors import LoadError
from phalanx.io.recordings.contacts_again import ContactsAgain
from phalanx.io.recordings.fields import COMPONENTS, dimensions
from phalanx.io.recordings.header import check_header, digest_of, header_of
from phalanx.io.recordings.packed import check_chunk
from phalanx.io.recordings.recorder import INPUTS, START, STATE, Event
from phalanx.io.recordings.series import ActorRecording, RobotRecording, open_actors, open_contacts
from phalanx.io.recordings.store import move_meshes_in
from phalanx.io.recordings.subjects import FOLDERS, handles
from phalanx.io.recordings.tree import open_tree
from phalanx.io.recordings.windows import torch_windows
from phalanx.io.recordings.zarr_metadata import check_metadata, read_document, separator, value_bytes
from phalanx.models.robot_model import RobotModel

if TYPE_CHECKING:
    from phalanx.world.world import World


class Recording:
    """A recording that was opened with :func:`open_recording`, trimmed to its complete samples.

    ``robots`` maps names to :class:`RobotRecording`, ``objects`` to :class:`ObjectRecording`, ``collections`` to
    :class:`CollectionRecording`, ``deformables`` to :class:`DeformableRecording`; ``contacts`` is a
    :class:`ContactRecording`, or ``None`` where contacts were not recorded; ``time`` (s) and ``step`` have one
    entry a sample, sample 0 being the start; ``closed`` says whether the recorder came to its end.
    """

    def __init__(
        self, path: Path, root: zarr.Group, header: dict[str, Any], description: dict[str, Any], edited: bool = False
    ):
        self.path = path
        self.edited: bool = edited
        """Whether its header, or the description of its world, is not what the recorder wrote."""
        self.num_samples: int = header["complete_samples"]
        self.num_envs: int = header["num_envs"]
        self.dt: float = header["dt"]
        self.every: int = header["every"]
        self.closed: bool = header["closed"]
        self.phalanx_version: str = header["phalanx"]
        self.created: str = header["created"]
        self.description = description
        self.header = header
        """What the recorder wrote of the recording itself."""
        self._root = root
        self._complete_events: int = header["complete_events"]
        self.robots, self.objects, self.collections, self.deformables = open_actors(root, header, description)
        self.contacts = open_contacts(root, header)
        first = next(header[folder] for folder in FOLDERS.values() if header.get(folder))
        first = next(iter(first.values()))
        self.time: np.ndarray = np.asarray(cast(Any, root[f"{first}/time"])[: self.num_samples])
        self.step: np.ndarray = np.asarray(cast(Any, root[f"{first}/step"])[: self.num_samples])
        if not (self.step >= 0).all() or self.time.tobytes() != (self.step * self.dt).astype(self.time.dtype).tobytes():
            raise LoadError(f"{path}: is damaged: its times are not those of its steps of {self.dt:g} s.")

    def __getitem__(self, name: str) -> RobotRecording:
        """A robot or a rigid object, which never have the same name."""
        return self.robots[name] if name in self.robots else self.objects[name]

    def __repr__(self) -> str:
        state = "" if self.closed else ", stopped before its end"
        lines = [
            f"<Recording {str(self.path)!r}: {self.num_samples} samples of {self.num_envs} environments, "
            f"{self.time[0]:.6g} to {self.time[-1]:.6g} s, every {self.every * self.dt:.6g} s{state}"
        ]
        lines += [f"  {kind} {each.name!r}: {', '.join(each)}" for kind, each in self.recorded]
        lines += [] if self.contacts is None else [f"  contacts: {', '.join(self.contacts)}"]
        return "\n".join(lines) + ">"

    @property
    def tree(self) -> Any:
        """It as an ``xarray.DataTree``: ``/`` has positions, ``/robots/NAME``, ``/objects/NAME`` and ``/sensors/...``
        the rest, with named dimensions, coordinates and units; read from disk when it is looked at.

        Raises:
            ImportError: xarray is missing.
        """
        return open_tree(self.path, self.header, self.num_samples)

    def to_xarray(self) -> Any:
        """:attr:`tree`."""
        return open_tree(self.path, self.header, self.num_samples)

    @property
    def recorded(self) -> list[tuple[str, ActorRecording]]:
        """All that has groups of its own, with its kind: robots, objects outside collections, collections, and soft
        bodies.
        """
        members = {name for collection in self.collections.values() for name in collection.object_names}
        alone = [each for name, each in self.objects.items() if name not in members]
        return [
            (each.kind, each)
            for each in (*self.robots.values(), *alone, *self.collections.values(), *self.deformables.values())
        ]

    @property
    def unrecorded(self) -> set[str]:
        """Robots and rigid objects of the world of which nothing was recorded."""
        names = {placed["name"] for key in ("robots", "objects") for placed in self.description.get(key, [])}
        return names - self.robots.keys() - self.objects.keys()

    @property
    def model(self) -> RobotModel:
        """The model of the only robot."""
        if not self.robots:
            raise ValueError(f"{self.path} has no robot; models of rigid objects are objects[name].model.")
        if len(self.robots) != 1:
            raise ValueError(f"{self.path} has several robots ({', '.join(self.robots)}): use robots[name].model.")
        return next(iter(self.robots.values())).model

    def world(self, device: str | None = None, prepare: Callable[[World], None] | None = None) -> World:
        """A new world as it was recorded, in the state in which the recording starts.

        ``prepare`` is called with the world before it is built. A recorded world that had systems of its own needs it,
        to add them again.
        """
        from phalanx.world.world import World

        own = self.description.get("systems") or []
        if own and prepare is None:
            raise LoadError(
                f"{self.path}: the world had systems of its own ({', '.join(own)}), which a recording cannot hold. "
                "Pass prepare=, a function that adds them to the world."
            )
        start = self.start_state()
        with described(self.path):
            world = World.from_description(self.description, device=device)
        if prepare is not None:
            prepare(world)
        with described(self.path):
            world.build()
            world.set_state(start)
        return world

    def start_state(self) -> dict[str, np.ndarray]:
        """What ``World.set_state`` needs to continue from the first sample."""
        return self.events()[0].values

    def to_torch_dataset(
        self,
        window: int = 1,
        stride: int = 1,
        *,
        observations: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        env_ids: Any = None,
    ) -> Any:
        """A ``torch.utils.data.Dataset`` of all windows of consecutive steps; none reaches over a reset.

        Items are dicts of tensors: ``"observation"`` and ``"next_observation"`` (window, width), ``"action"`` (window,
        width) where there are actions, and the numbers ``"episode"``, ``"env"`` and ``"start"``. Action k is what
        drives were told after observation k. ``observation_names`` and ``action_names`` say what columns are.

        Args:
            window: steps of an item.
            stride: steps between the starts of two items of an episode.
            observations, actions: names of signals, ``"actor/field"``, see :class:`~.episodes.Episodes`.
            env_ids: environments, all by default.

        Raises:
            ImportError: torch is missing.
            ValueError: there is no such signal, or a number cannot be.
        """
        return torch_windows(self, window, stride, observations=observations, actions=actions, env_ids=env_ids)

    def events(self, values: bool = True) -> list[Event]:
        """The start and everything that the host changed while it was recorded, in order; or only what and when."""
        try:
            return self._events(values)
        except LoadError:
            raise
        except Exception as error:  # of Zarr and its codecs, or of what they read
            raise LoadError(
                f"{self.path}: its events cannot be read ({type(error).__name__}: {error}). A file of the recording is "
                "damaged; `phalanx replay --repair` cuts it to what is whole."
            ) from error

    def _events(self, values: bool) -> list[Event]:
        group = cast(zarr.Group, self._root["events"])
        count = self._complete_events
        kind, step, sample = (np.asarray(cast(Any, group[key])[:count]) for key in ("kind", "step", "sample"))
        known = (kind[0] == START, (kind[1:] > START).all(), (kind <= STATE).all(), (step >= 0).all())
        ordered = (sample >= 0).all() and (np.diff(sample) >= 0).all()
        if not (all(known) and ordered):
            raise LoadError(f"{self.path}: is damaged: its list of events makes no sense.")
        changed: list[dict[str, np.ndarray]] = [{} for _ in range(count)]
        for _, log in group.groups() if values else ():
            key = str(log.attrs["key"])
            entries = np.asarray(cast(Any, log["entry"])[...])
            rows = np.asarray(cast(Any, log["value"])[...])
            for entry, row in zip(entries, rows, strict=True):
                if entry < 0:
                    raise LoadError(f"{self.path}: is damaged: {key} changed at event {entry}.")
                if entry < count:
                    changed[entry][key] = row
        return [Event(i, int(kind[i]), int(step[i]), int(sample[i]), changed[i]) for i in range(count)]


@contextlib.contextmanager
def described(path: Path) -> Iterator[None]:
    """Turn what a world makes of a wrong description or state into an error about the file that it is from."""
    try:
        yield
    except (CapacityError, DeviceError, ImportError):
        raise
    except Exception as error:
        if isinstance(error, LoadError) and str(error).startswith(f"{path}: "):
            raise
        raise LoadError(
            f"{path}: is damaged: no world can be made of it ({type(error).__name__}: {str(error)[:300]})."
        ) from error


def open_recording(path: str | os.PathLike[str]) -> Recording:
    """Open a recording; raises :class:`LoadError` when there is none, a newer one, or files of it are missing."""
    path = Path(path)
    if not path.exists():
        raise LoadError(f"{path}: there is no such folder.")
    document = read_document(path)
    header = header_of(path, document)
    arrays = check_metadata(path, document)
    check_header(path, header, arrays)
    if min(header["complete_samples"], header["complete_events"]) < 1:
        raise LoadError(f"{path}: has no complete sample; the recorder was stopped before it wrote its first.")
    _check_files(path, arrays)
    try:
        root = zarr.open_group(str(path), mode="r", use_consolidated=True, zarr_format=3)
        attributes = document["attributes"]
        world, meshes = move_meshes_in(attributes["world"], root)
        signed = header.get("digest")
        edited = signed is not None and signed != digest_of(header, attributes["world"], digest_of_arrays(meshes))
        return Recording(path, root, header, world, edited)
    except LoadError:
        raise
    except Exception as error:
        raise LoadError(f"{path}: is damaged ({type(error).__name__}: {error}).") from error


def _check_files(path: Path, arrays: dict[str, Any]) -> None:
    """Every file that the metadata promises is there: Zarr reads a missing one as blank values."""
    for name, array in arrays.items():
        if array["node_type"] != "array":
            continue
        chunk = array["chunk_grid"]["configuration"]["chunk_shape"]
        counts = [-(-size // piece) for size, piece in zip(array["shape"], chunk, strict=True)]
        between = separator(path / "zarr.json", name, array)
        size = value_bytes(array["data_type"])
        for index in np.ndindex(*counts):
            file = path / name / between.join(("c", *map(str, index)))
            if not file.is_file():
                raise LoadError(f"{path}: is truncated: {file.relative_to(path)} is missing.")
            if file.is_symlink():
                raise LoadError(f"{path}: {file.relative_to(path)} is a link; the files of a recording are its own.")
            check_chunk(file, name, array, size)


@dataclass(frozen=True)
class Difference:
    """The first value that came out otherwise. ``item`` names object, joint, body or component, outermost first;
    ``kind`` says whether ``robot`` names a robot, an object or a collection.
    """

    step: int
    time: float
    robot: str
    field: str
    env: int
    item: tuple[str, ...]
    recorded: float
    computed: float
    kind: str = "robot"

    def __str__(self) -> str:
        item = " ".join(self.item)
        return (
            f"step {self.step} (t = {self.time:.6g} s), {self.kind} {self.robot!r}, {self.field}"
            f"{f' of {item}' if item else ''} in environment {self.env}: recorded {self.recorded!r}, "
            f"now {self.computed!r} (off by {self.computed - self.recorded:.3g})"
        )


@dataclass(frozen=True)
class VerifyResult:
    """What :func:`verify` found: ``difference`` is None when every sample was the same to the last bit.

    ``edited`` says that the header, or the description of the world, is not what the recorder wrote.
    """

    samples: int
    steps: int
    values: int
    difference: Difference | None
    notes: tuple[str, ...] = ()
    edited: bool = False

    @property
    def ok(self) -> bool:
        """Whether everything was the same, and what the recording says of itself is what the recorder wrote."""
        return self.difference is None and not self.edited

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        if self.difference is None:
            text = f"The same to the last bit: {self.samples} samples over {self.steps} steps, {self.values} values."
        else:
            text = f"Differs first at {self.difference}."
        if self.edited:
            text += " The description of the recording or of its world was edited after it was written."
        return " ".join([text, *self.notes])


def verify(
    recording: Recording,
    device: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    prepare: Callable[[World], None] | None = None,
) -> VerifyResult:
    """Simulate again from the recorded start, with the recorded inputs and states, and compare every sample.

    ``progress(steps, of)`` is called after every sample with the steps made since the last call. ``device`` and
    ``prepare`` are those of :meth:`Recording.world`; only on the kind of device that recorded are bits the same.
    """
    world = recording.world(device, prepare)
    notes = _notes(recording, world)
    values, made = 0, 0
    recorded = recording.recorded
    contacts = recording.contacts
    again = None if contacts is None else ContactsAgain(world, contacts.room, list(contacts))
    blocks: dict[tuple[str, str], tuple[int, dict[str, np.ndarray]]] = {}
    for sample, steps in simulate_again(recording, world, progress):
        made += steps
        there = [(kind, actor, handles(world, kind)[actor.name]) for kind, actor in recorded]
        if again is not None and contacts is not None and sample:  # the first has none
            again.look()
            there.append(("contact", contacts, again))
        for kind, actor, handle in there:
            for key, value in _sample(kind, actor, sample, blocks).items():
                computed = _to_host(getattr(handle, key))
                if computed.tobytes() != value.tobytes():
                    difference = _first_difference(recording, kind, actor, key, sample, value, computed)
                    return VerifyResult(sample + 1, made, values, difference, notes, recording.edited)
                values += value.size
    return VerifyResult(recording.num_samples, made, values, None, notes, recording.edited)


def simulate_again(
    recording: Recording, world: World, progress: Callable[[int, int], None] | None = None
) -> Iterator[tuple[int, int]]:
    """Step a world that :meth:`Recording.world` made, with the recorded inputs and states.

    Yields the number of each sample when the world is there, and the steps made since the one before. ``progress`` is
    that of :func:`verify`.
    """
    pending, inputs = recording.events()[1:], world.inputs()
    total = int(np.abs(np.diff(recording.step)).sum())
    for sample in range(recording.num_samples):
        made = 0
        while pending and pending[0].sample <= sample:
            event = pending.pop(0)
            if event.kind == INPUTS:
                made += _step_to(world, event.step, progress, total)
                inputs = {**inputs, **event.values}
                with described(recording.path):
                    world.set_inputs(inputs)
            else:
                with described(recording.path):
                    world.set_state(event.values)
                inputs = world.inputs()
        made += _step_to(world, int(recording.step[sample]), progress, total)
        yield sample, made


def _step_to(world: World, step: int, progress: Callable[[int, int], None] | None, total: int) -> int:
    steps = step - world.step_count
    if steps < 0:
        raise LoadError(f"The recording goes from step {world.step_count} to step {step} without saying how.")
    if steps:
        world.step(steps)
        if progress is not None:
            progress(steps, total)
    return steps


def _sample(
    kind: str,
    actor: ActorRecording,
    sample: int,
    blocks: dict[tuple[str, str], tuple[int, dict[str, np.ndarray]]],
    ahead: int = 64,
) -> dict[str, np.ndarray]:
    """Fields of one sample, (env, ...) each; reads some samples ahead."""
    start, block = blocks.get((kind, actor.name), (-ahead, {}))
    if not start <= sample < start + ahead:
        start, block = sample, {key: series[:, sample : sample + ahead] for key, series in actor.items()}
        blocks[kind, actor.name] = (start, block)
    return {key: values[:, sample - start] for key, values in block.items()}


def _first_difference(
    recording: Recording,
    kind: str,
    actor: ActorRecording,
    key: str,
    sample: int,
    recorded: np.ndarray,
    computed: np.ndarray,
) -> Difference:
    if recorded.shape != computed.shape or recorded.dtype != computed.dtype:
        raise LoadError(
            f"{recording.path}: {key} of {actor.name!r} is {recorded.dtype}{recorded.shape} in the recording, but "
            f"{computed.dtype}{computed.shape} in this Phalanx; they cannot be compared."
        )
    bits = np.dtype(f"u{recorded.dtype.itemsize}")
    apart = np.ascontiguousarray(recorded).view(bits) != np.ascontiguousarray(computed).view(bits)
    env, *place = (int(i) for i in np.argwhere(apart)[0])
    labels = {**actor.names, **COMPONENTS}
    places = zip(dimensions(kind, key), place, strict=True)
    item = tuple(labels[dim][i] if dim in labels else f"{dim} {i}" for dim, i in places)  # nodes have no names
    index = (env, *place)
    return Difference(
        int(recording.step[sample]),
        float(recording.time[sample]),
        actor.name,
        key,
        env,
        item,
        float(recorded[index]),
        float(computed[index]),
        kind,
    )


def _notes(recording: Recording, world: World) -> tuple[str, ...]:
    notes = []
    if recording.phalanx_version != __version__:
        notes.append(f"(Recorded with Phalanx {recording.phalanx_version}, this is {__version__}.)")
    recorded_on = recording.description["device"]
    if recorded_on.partition(":")[0] != world.device.partition(":")[0]:
        notes.append(f"(Recorded on {recorded_on}, simulated on {world.device}: they round differently.)")
    return tuple(notes)


def _to_host(value: Any) -> np.ndarray:
    return value if isinstance(value, np.ndarray) else value.get()
