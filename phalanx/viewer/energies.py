"""Energy of bodies that move: of worlds now, and of recordings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx import components as c
from phalanx.io.recordings.playback import Playback
from phalanx.maths.arrays import matrix

if TYPE_CHECKING:
    from phalanx.io.recordings.replay import Recording
    from phalanx.world.world import World

MASSES = ("BodyInertia", "BodyFrame", "LinkInertia")
"""Components that masses of bodies are made of."""


def energy(world: World) -> np.ndarray:
    """(num_envs, 3), J: kinetic and potential energy of all bodies that move, and their sum.

    Potential energy is that of gravity, m g h about z = 0 with h along gravity; springs of drives are left out, and so
    are armatures.
    """
    gravity = _gravity(world)
    found = np.zeros((world.num_envs, 3))
    for actor in world.actors.values():
        if actor.fixed_base and actor.num_bodies == 1:
            continue
        masses = [_host(each) for each in (actor.body_mass, actor.body_com, actor.body_inertia)]
        found += _energy((_host(actor.body_pose), _host(actor.body_vel)), masses, gravity)
    return found


class RecordedEnergy:
    """Energy of a recording, with the masses, inertias and gravity that held at each sample.

    Args:
        recording: from :func:`phalanx.open_recording`.
    """

    def __init__(self, recording: Recording) -> None:
        self._playback = Playback(recording, [0])
        world = self._playback.world
        self._known = {
            key
            for key in {**world.inputs(), **world.state()}
            if key == c.Settings.gravity.key or key.partition(".")[0] in MASSES
        }
        self._changes = [(event.sample, event.values) for event in recording.events()]

    @staticmethod
    def is_in(recording: Recording) -> bool:
        """Whether velocities were recorded of all that moves."""
        if recording.unrecorded:
            return False
        fixed = {placed["name"] for placed in recording.description.get("robots", []) if placed.get("fixed_base")}
        for robot in recording.robots.values():
            if robot.joint_names and "joint_vel" not in robot:
                return False
            if "root_vel" not in robot and robot.name not in fixed:
                return False
        return all("root_vel" in each for each in recording.objects.values())

    def read(self, env: int, numbers: range) -> np.ndarray:
        """(samples, 3), J: as :func:`energy` has them, of an environment at some samples.

        Raises:
            LoadError: velocities of something that moves were not recorded.
        """
        playback, world = self._playback, self._playback.world
        playback.envs = np.array([env])
        poses, velocities = playback.motion(numbers.start, numbers.stop, numbers.step)
        found = np.zeros((len(numbers), 3))
        ends = [*(sample for sample, _ in self._changes[1:]), playback.recording.num_samples]
        for (start, values), end in zip(self._changes, ends, strict=True):
            own = {key: each for key, each in values.items() if key in self._known}
            # of the environment, for all of the world's
            world.set_inputs({key: each[..., [env if each.shape[-1] > 1 else 0]] for key, each in own.items()})
            chosen = [k for k, sample in enumerate(numbers) if start <= sample < end]
            if chosen:
                found[chosen] = self._of(poses[chosen, 0], velocities[chosen, 0])
        return found

    def _of(self, poses: np.ndarray, velocities: np.ndarray) -> np.ndarray:
        """(n, 3) of poses (n, bodies, 7) and velocities (n, bodies, 6), with masses and gravity of the world."""
        world, first = self._playback.world, 0
        gravity = _gravity(world)[0]
        found = np.zeros((len(poses), 3))
        for actor in world.actors.values():
            rows = slice(first, first + actor.num_bodies)
            first += actor.num_bodies
            if not (actor.fixed_base and actor.num_bodies == 1):
                masses = [_host(each)[0] for each in (actor.body_mass, actor.body_com, actor.body_inertia)]
                found += _energy((poses[:, rows], velocities[:, rows]), masses, gravity)
        return found


def _gravity(world: World) -> np.ndarray:
    """(num_envs or 1, 3), m/s^2."""
    return np.moveaxis(_host(world[c.Settings].gravity), -1, 0)[:, 0].astype(float)


def _energy(motion: Sequence[np.ndarray], masses: Sequence[np.ndarray], gravity: np.ndarray) -> np.ndarray:
    """(n, 3) of poses (n, bodies, 7) and velocities (n, bodies, 6); masses, centres, inertias and gravity are those of
    all or of each.
    """
    pose, velocity = (each.astype(float) for each in motion)
    mass, com, inertia = (each.astype(float) for each in masses)
    turn = matrix(pose[..., 3:])
    arm = (turn @ com[..., None])[..., 0]
    speed = velocity[..., :3] + np.cross(velocity[..., 3:], arm)
    spin = (np.swapaxes(turn, -1, -2) @ velocity[..., 3:, None])[..., 0]
    turning = (spin * (inertia @ spin[..., None])[..., 0]).sum(axis=-1)
    kinetic = 0.5 * (mass * (speed**2).sum(axis=-1) + turning).sum(axis=-1)
    down = np.atleast_2d(gravity)[:, None]
    potential = -(mass * ((pose[..., :3] + arm) * down).sum(axis=-1)).sum(axis=-1)
    return np.stack([kinetic, potential, kinetic + potential], axis=-1)


def _host(value: Any) -> np.ndarray:
    return np.asarray(value.get() if hasattr(value, "get") else value)
