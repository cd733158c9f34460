"""Recorded motion again, without simulating: where the bodies of a recording were, and how they moved."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.io.reading.errors import LoadError
from phalanx.io.recordings.recorder import STATE
from phalanx.io.recordings.replay import Recording
from phalanx.world.env_ids import env_indices
from phalanx.world.snapshots import deformables_of

_BATCH = 128  # environments of the world that samples are put into


class Playback:
    """Poses and velocities of all bodies of a recording's world, from what was recorded of joints and roots.

    A world is made of as many environments as several samples of the chosen ones need; nothing is stepped.

    Args:
        recording: from :func:`~.replay.open_recording`.
        env_ids: environments, all by default.

    Attributes:
        world: where samples are put; environment ``sample * len(envs) + i`` is a sample of ``envs[i]``.
        envs: numbers of the environments in the recording.

    Raises:
        LoadError: joint positions or root poses of something were not recorded.
    """

    def __init__(self, recording: Recording, env_ids: Any = None) -> None:
        from phalanx.world.world import World

        self.recording = recording
        self.envs = env_indices(env_ids, recording.num_envs)
        if not len(self.envs):
            raise ValueError("env_ids names no environment")
        missing = [(name, "root_pose") for name in sorted(recording.unrecorded)]
        for name, actor in (*recording.robots.items(), *recording.objects.items()):
            keys = ("joint_pos", "root_pose") if actor.kind == "robot" else ("root_pose",)
            missing += [(name, key) for key in keys if key not in actor]
        if missing:
            raise LoadError(
                f"{recording.path}: where things were needs {missing[0][1]} of {missing[0][0]!r}, which was not "
                "recorded."
            )
        self.batch = max(1, min(_BATCH // len(self.envs), recording.num_samples))
        count = self.batch * len(self.envs)
        self.world = World.from_description(recording.description, num_envs=count, device="cpu")
        self.world.build()
        turns = np.abs(np.diff(recording.time))  # where a state was set, time may go back
        self.time = np.concatenate([recording.time[:1], recording.time[0] + np.cumsum(turns)])
        """(samples,) s: recorded time, but counting on where a state of before was set."""
        self.jumps = sorted({e.sample for e in recording.events(values=False) if e.kind == STATE})
        """Samples before which the host set a state: from the one before, nothing moved there."""

    def limit(self, samples: int) -> None:
        """Take no more than so many samples at a time; the world becomes smaller, and is another one."""
        if samples < self.batch:
            from phalanx.world.world import World

            self.batch = samples
            count = samples * len(self.envs)
            self.world = World.from_description(self.recording.description, num_envs=count, device="cpu")
            self.world.build()

    def bodies(self, start: int, stop: int) -> np.ndarray:
        """(samples, envs, bodies, 7): poses [x y z qw qx qy qz] at samples ``start`` to ``stop``, exclusive.

        Bodies are all of the world's, actor after actor.
        """
        return np.concatenate([self._batch(part, False)[0] for part in self._parts(range(start, stop))])

    def _parts(self, numbers: range) -> list[range]:
        """Numbers of samples, as many at a time as there is room for."""
        return [numbers[first : first + self.batch] for first in range(0, len(numbers), self.batch)]

    def motion(self, start: int, stop: int, step: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Poses as :meth:`bodies` has them, and velocities (samples, envs, bodies, 6) [linear, angular], world.

        Of every ``step``-th sample.

        Raises:
            LoadError: velocities of something that can move were not recorded.
        """
        poses, velocities = zip(
            *(self._batch(part, True) for part in self._parts(range(start, stop, step))), strict=True
        )
        return np.concatenate(poses), np.concatenate(velocities)

    def nodes_at(self, times: np.ndarray) -> list[tuple[np.ndarray, ...]] | None:
        """Of each time the nodes of all deformable bodies, (envs, nodes, 3) float32 each, m; ``None`` without any.

        Bodies are in the order of :func:`phalanx.world.snapshots.deformables_of`. Between samples as poses are.

        Raises:
            LoadError: where nodes of one of them were was not recorded.
        """
        names = list(deformables_of(self.world))
        if not names:
            return None
        before, after, share = self._between(times)
        of_bodies = []
        for name in names:
            body = self.recording.deformables.get(name)
            if body is None or "origin" not in body or "node_offset" not in body:
                raise LoadError(f"{self.recording.path}: where the nodes of {name!r} were was not recorded.")
            frames = []
            for a, b, part in zip(before.tolist(), after.tolist(), share.tolist(), strict=True):
                ends = [body["origin"][self.envs, n][:, None] + body["node_offset"][self.envs, n] for n in (a, b)]
                frames.append(np.asarray(ends[0] + part * (ends[1] - ends[0]), np.float32))
            of_bodies.append(frames)
        return list(zip(*of_bodies, strict=True))

    def _between(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Numbers of the samples before and after times, and the share of the second."""
        last = len(self.time) - 1
        after = np.clip(np.searchsorted(self.time, times), min(1, last), last)
        before = np.maximum(after - 1, 0)
        share = (times - self.time[before]) / np.maximum(self.time[after] - self.time[before], 1e-12)
        share = np.clip(share, 0.0, 1.0)
        return before, after, np.where(np.isin(after, self.jumps), np.round(share), share).astype(np.float32)

    def _place_nodes(self, body: Any, part: range) -> None:
        """Put the nodes of a deformable body where they were, if that was recorded: for what looks at the world."""
        if "origin" in body and "node_offset" in body:
            pos = self._values(body, "origin", part)[:, None] + self._values(body, "node_offset", part)
            self.world.all_deformables[body.name].set_node_state(pos=pos)

    def poses_at(self, times: np.ndarray) -> np.ndarray:
        """Poses (times, envs, bodies, 7) at any times of :attr:`time`: between two samples interpolated, but where a
        state was set between them, those of the nearer one.
        """
        if len(self.time) == 1:
            return np.repeat(self.bodies(0, 1), len(times), axis=0)
        before, after, share = self._between(times)
        needed = np.unique([before, after])
        poses = np.concatenate([self.bodies(a, b) for a, b in _runs(needed)])
        return blend(
            poses[np.searchsorted(needed, before)], poses[np.searchsorted(needed, after)], share[:, None, None, None]
        )

    def _batch(self, part: range, velocities: bool) -> list[np.ndarray]:
        world, count, envs = self.world, len(part), len(self.envs)
        recording = self.recording
        for robot in recording.robots.values():
            vel = self._values(robot, "joint_vel", part) if velocities and robot.joint_names else None
            world.robots[robot.name].set_joint_state(self._values(robot, "joint_pos", part), vel)
        for kind, actor in recording.recorded:
            if kind == "deformable":  # which has nodes instead of poses
                self._place_nodes(actor, part)
                continue
            pose = self._values(actor, "root_pose", part)
            names = actor.names["object"] if kind == "collection" else [actor.name]
            moving = [name for name in names if not world.actors[name].fixed_base]
            vel = self._values(actor, "root_vel", part) if velocities and moving else None
            for i, name in enumerate(names):
                at = (slice(None), i) if kind == "collection" else slice(None)
                own = vel[at] if vel is not None and name in moving else None
                world.actors[name].set_root_state(pose[at], own)
        world.compute("query_bodies")
        state = world[c.BodyState]
        found = []
        for values in (state.pose, state.velocity) if velocities else (state.pose,):
            host = values[..., : count * envs].transpose(2, 0, 1)
            found.append(np.ascontiguousarray(host).reshape(count, envs, *host.shape[1:]))
        return found

    def _values(self, actor: Any, key: str, part: range) -> np.ndarray:
        """Samples of a field, one for each environment of the world; the last stands in for those beyond the end."""
        if key not in actor:
            raise LoadError(f"{self.recording.path}: this needs {key} of {actor.name!r}, which was not recorded.")
        values = actor[key][self.envs, part.start : part.stop : part.step].swapaxes(0, 1)
        values = values[np.minimum(np.arange(self.batch), len(part) - 1)]
        return values.reshape(-1, *values.shape[2:])


def blend(a: np.ndarray, b: np.ndarray, share: Any) -> np.ndarray:
    """Poses (..., 7) between two: ``share`` 0 is the first, 1 the second. Orientations go the shorter way."""
    same = np.sign((a[..., 3:] * b[..., 3:]).sum(axis=-1, keepdims=True) + np.float32(1e-30))
    position = a[..., :3] + share * (b[..., :3] - a[..., :3])
    turn = (1.0 - share) * a[..., 3:] + share * same * b[..., 3:]
    turn = turn / np.maximum(np.linalg.norm(turn, axis=-1, keepdims=True), 1e-12)
    return np.concatenate([position, turn], axis=-1)


def _runs(numbers: np.ndarray) -> list[tuple[int, int]]:
    """Sorted whole numbers as ranges without gaps."""
    ends = np.flatnonzero(np.diff(numbers) > 1)
    starts = [0, *(ends + 1)]
    return [(int(numbers[a]), int(numbers[b]) + 1) for a, b in zip(starts, [*ends, len(numbers) - 1], strict=True)]
