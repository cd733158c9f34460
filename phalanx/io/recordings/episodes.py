"""What was recorded as episodes of observations and actions, cut where environments were reset: data to learn from.

With T steps an episode has T actions and T + 1 observations: action k is what drives were told after observation k, in
recordings the target that stands in sample k + 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from phalanx.io.reading.errors import LoadError
from phalanx.io.recordings.fields import COMPONENTS, KINDS, dimensions
from phalanx.io.recordings.recorder import STATE
from phalanx.io.recordings.subjects import handles
from phalanx.world.env_ids import env_indices

OBSERVED = ("joint_pos", "joint_vel", "root_pose", "root_vel")
"""Fields that are observations unless told otherwise."""

ACTED = ("joint_pos_target",)
"""Fields that are actions unless told otherwise."""


class Recorded(Protocol):
    """What of a :class:`~.replay.Recording` is needed."""

    path: Any
    num_samples: int
    num_envs: int
    dt: float
    every: int
    time: np.ndarray
    step: np.ndarray

    @property
    def recorded(self) -> list[tuple[str, Any]]:
        """All that has groups of its own, with its kind."""
        ...

    def events(self, values: bool = True) -> list[Any]:
        """What the host changed."""
        ...

    def world(self, device: str | None = None, prepare: Any = None) -> Any:
        """A world in the state in which the recording starts."""
        ...


@dataclass(frozen=True)
class Signal:
    """A recorded field of a robot, object or collection, flat: ``"robot/joint_pos"``.

    Attributes:
        name: ``actor/field``.
        columns: what its numbers are, such as joints.
        series: (env, time, ...), from which it is read.
    """

    name: str
    columns: tuple[str, ...]
    series: Any

    def read(self, env: int, start: int, stop: int) -> np.ndarray:
        """(stop - start, width)."""
        values = np.asarray(self.series[env, start:stop])
        return values.reshape(len(values), -1)


@dataclass(frozen=True)
class Span:
    """Samples ``start`` to ``stop``, exclusive, of an environment, between two resets."""

    env: int
    start: int
    stop: int

    @property
    def steps(self) -> int:
        """Actions that it has: one less than samples."""
        return self.stop - self.start - 1


@dataclass(frozen=True)
class Episode:
    """An episode of T steps.

    Attributes:
        span: where it is in the recording.
        time: (T + 1,) s.
        observations: by name (T + 1, width).
        actions: by name (T, width).
    """

    span: Span
    time: np.ndarray
    observations: Mapping[str, np.ndarray]
    actions: Mapping[str, np.ndarray]

    @property
    def steps(self) -> int:
        """T."""
        return self.span.steps


class Episodes(Sequence[Episode]):
    """The episodes of a recording, read when they are asked for, environment after environment.

    Args:
        recording: from :func:`phalanx.open_recording`.
        observations, actions: names of signals, ``"actor/field"``; by default :data:`OBSERVED` and :data:`ACTED` of all
            that has them.
        env_ids: environments, all by default.

    Attributes:
        observations, actions: the :class:`Signal` s by name.
        spans: where episodes are; those of a single sample are left out.

    Raises:
        ValueError: there is no such signal, or nothing to observe.
    """

    def __init__(
        self,
        recording: Recorded,
        observations: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        env_ids: Any = None,
    ) -> None:
        self.recording = recording
        known = signals(recording)
        self.observations = _chosen(known, observations, OBSERVED, "observation")
        self.actions = _chosen(known, actions, ACTED, "action")
        if not self.observations:
            raise ValueError(f"{recording.path}: nothing to observe was recorded; there are {', '.join(known)}")
        envs = env_indices(env_ids, recording.num_envs)
        if not len(envs):
            raise ValueError("env_ids names no environment")
        cuts = resets(recording)
        self.spans: list[Span] = []
        for env in envs.tolist():
            ends = [0, *(cut for cut, which in cuts if which[env]), recording.num_samples]
            pairs = itertools.pairwise(ends)
            self.spans += [Span(env, start, stop) for start, stop in pairs if stop - start > 1]

    def __len__(self) -> int:
        return len(self.spans)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        span = self.spans[number]
        return Episode(
            span,
            self.recording.time[span.start : span.stop],
            {name: signal.read(span.env, span.start, span.stop) for name, signal in self.observations.items()},
            {name: signal.read(span.env, span.start + 1, span.stop) for name, signal in self.actions.items()},
        )

    @property
    def steps(self) -> int:
        """Of all episodes."""
        return sum(span.steps for span in self.spans)

    @property
    def rate(self) -> float:
        """Samples a second."""
        return 1.0 / (self.recording.dt * self.recording.every)


def signals(recording: Recorded) -> dict[str, Signal]:
    """Everything that was recorded, by name."""
    found = {}
    for kind, actor in recording.recorded:
        labels = {**actor.names, **COMPONENTS}
        for key in actor:
            columns = [""]
            for dim in dimensions(kind, key):
                own = labels.get(dim) or range(actor[key].shape[actor[key].dims.index(dim)])  # nodes have no names
                columns = [f"{column}.{label}".lstrip(".") for column in columns for label in own]
            if columns:
                found[f"{actor.name}/{key}"] = Signal(f"{actor.name}/{key}", tuple(columns), actor[key])
    return found


def resets(recording: Recorded) -> list[tuple[int, np.ndarray]]:
    """(sample, (envs,) bool): samples before which states of environments were set, and of which.

    The state that was set is compared with the sample before. Where steps were made since (``every`` above 1), nobody
    can say what changed, and all environments count.
    """
    events = [event for event in recording.events(values=False) if event.kind == STATE and event.sample > 0]
    if not events:
        return []
    states = {event.number: event.values for event in recording.events() if event.kind == STATE}
    world: Any = None
    found: dict[int, np.ndarray] = {}
    for event in events:
        if event.sample >= recording.num_samples:
            continue
        which = np.ones(recording.num_envs, bool)
        if event.step == int(recording.step[event.sample - 1]):
            world = recording.world("cpu") if world is None else world
            world.set_state(states[event.number])
            which = _changed(recording, world, event.sample - 1)
        found[event.sample] = found.get(event.sample, np.zeros(recording.num_envs, bool)) | which
    return sorted(found.items())


def _changed(recording: Recorded, world: Any, sample: int) -> np.ndarray:
    """(envs,): where a world is not in the state of a sample, by what was recorded of positions and velocities."""
    changed = np.zeros(recording.num_envs, bool)
    for kind, actor in recording.recorded:
        handle = handles(world, kind)[actor.name]
        for key in ("joint_pos", "joint_vel", "root_pose", "root_vel"):
            if key in actor and key in KINDS[kind]:
                now, then = np.asarray(getattr(handle, key)), actor[key][:, sample]
                changed |= (now != then).reshape(len(now), -1).any(axis=1)
    return changed


def _chosen(
    known: Mapping[str, Signal], names: Sequence[str] | None, fields: Sequence[str], what: str
) -> dict[str, Signal]:
    if names is None:
        return {name: signal for name, signal in known.items() if name.rpartition("/")[2] in fields}
    missing = [name for name in names if name not in known]
    if missing:
        raise ValueError(f"there is no signal {missing[0]!r} for an {what}; there are {', '.join(known)}")
    return {name: known[name] for name in names}


def flat(values: Mapping[str, np.ndarray]) -> np.ndarray:
    """(T, width): signals side by side."""
    if not values:
        raise LoadError("nothing was chosen: there are no numbers to put side by side")
    return np.concatenate([np.asarray(each) for each in values.values()], axis=1)
