"""Bodies that are dragged: a damped spring between a point of a body and the pointer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx import components as c
from phalanx.maths.arrays import inverse, product, rotate

if TYPE_CHECKING:
    from phalanx.world.handles.actor import Actor
    from phalanx.world.world import World

FREQUENCY = 1.5
"""Hz of the body on the spring, of the mass of all that hangs together."""

MOST = 20.0
"""Weights of that (at 9.81 m/s^2): the greatest force."""


@dataclass
class Pull:
    """A spring on a body in an environment; its force acts until :meth:`release`.

    Args:
        actor: whose body it is.
        body: its number there.
        env: the environment.
        local: (3,), m: the point that was taken, in the frame of the body.
        target: (3,), m: where it is pulled to.
    """

    actor: Actor
    body: int
    env: int
    local: np.ndarray
    target: np.ndarray

    def __post_init__(self) -> None:
        self.mass = max(sum(body.mass for body in self.actor.model.bodies), 1e-6)
        row = self._row
        external = self.actor.world[c.ExternalWrench]
        self._before = [_numbers(field, row, self.env) for field in (external.force, external.torque)]

    @property
    def _row(self) -> int:
        first = 0
        for other in self.actor.world.actors.values():
            if other is self.actor:
                break
            first += len(other.part.articulation.links)
        return first + self.actor.part.articulation.frames[self.body].link

    def update(self) -> np.ndarray:
        """Set the force for where the body is now; returns it, N."""
        world = self.actor.world
        pose = np.asarray(_host(self.actor.body_pose)[self.env, self.body], float)
        twist = np.asarray(_host(self.actor.body_vel)[self.env, self.body], float)
        if not np.isfinite(pose).all() or not np.isfinite(twist).all():
            return np.zeros(3)
        arm = rotate(pose[3:], self.local)
        point, speed = pose[:3] + arm, twist[:3] + np.cross(twist[3:], arm)
        rate = 2.0 * np.pi * FREQUENCY
        force = self.mass * (rate**2 * (self.target - point) - 2.0 * rate * speed)
        size = float(np.linalg.norm(force))
        force *= min(1.0, MOST * 9.81 * self.mass / max(size, 1e-12))
        self._set(force, np.cross(point - self._com(world, pose), force))
        return force

    def release(self) -> None:
        """Put back the force and torque that acted before."""
        self._set(*self._before)

    def _com(self, world: World, pose: np.ndarray) -> np.ndarray:
        """(3,), m: centre of mass of the link that carries the body, world."""
        frame = self.actor.part.articulation.frames[self.body]
        turn = product(pose[3:], inverse(np.asarray(frame.orientation, float)))
        origin = pose[:3] - rotate(turn, np.asarray(frame.position, float))
        return origin + rotate(turn, _numbers(world[c.LinkInertia].com, self._row, self.env))

    def _set(self, force: np.ndarray, torque: np.ndarray) -> None:
        name = self.actor.body_names[self.body]
        self.actor.set_external_wrench(force=force, torque=torque, body=name, env_ids=[self.env])


def taken(world: World, body: int, env: int, pose: np.ndarray, point: np.ndarray) -> Pull:
    """A spring on a body, numbered in all of the world, at a point of the environment, m, where its pose is known."""
    for actor in world.actors.values():
        if body < actor.num_bodies:
            local = rotate(inverse(pose[3:]), point - pose[:3])
            return Pull(actor, body, env, np.asarray(local, float), np.asarray(point, float))
        body -= actor.num_bodies
    raise IndexError(f"there is no body {body}")


def _numbers(field: Any, row: int, env: int) -> np.ndarray:
    values = _host(field[row])
    return np.asarray(values[..., env if values.shape[-1] > 1 else 0], float)


def _host(value: Any) -> Any:
    return value.get() if hasattr(value, "get") else value
