"""Every contact of one body, whatever it is with."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.sensors.contact_columns import bodies_of
from phalanx.facade.physx.contact_view import RigidContactView
from phalanx.facade.stage_world import StageWorld


class Contact(NamedTuple):
    """A point at which the body is touched."""

    other: str
    """Path of the prim that touches the body."""
    position: np.ndarray
    """(3,), m, in the world."""
    normal: np.ndarray
    """(3,): a unit vector from the other to the body, in the world's axes."""
    impulse: np.ndarray
    """(3,), N s: on the body, along the normal, in the world's axes."""
    separation: float
    """m: how far apart the shapes are, negative if they overlap."""


class BodyContacts:
    """Contacts of one body with all others of its environment, with grounds and with nodes of deformable bodies.

    Args:
        world: of the stage.
        path: of the body's prim.
    """

    def __init__(self, world: StageWorld, path: str) -> None:
        self.world = world
        mine, env = bodies_of(world, path)[0]
        bodies = [
            (i, n, (actor.name, body))
            for i, actor in enumerate(world.world.actors.values())
            for n, body in enumerate(actor.body_names)
        ]
        others: list[Any] = [name for _, _, name in bodies if name != mine]
        paths = [world.path_of(i, n, env) for i, n, name in bodies if name != mine]
        count = len(world.world.actors)
        for k in range(len(world.world.grounds)):
            others.append(f"ground/{k}")
            paths.append(world.path_of(count + k, 0, env))
        self._paths = [each or "" for each in paths]
        self._env = env
        self._view = RigidContactView(world.world, [(mine, env)], others, 0, [path], None, world.origins)
        self._view.raw = True

    def read(self, dt: float) -> list[Contact]:
        """The contacts that push the body, of the last step, whose length is ``dt``, s."""
        found = self._of_deformables()
        if not self._paths:
            return found
        forces, points, normals, gaps, counts, starts = (on_host(each) for each in self._view.get_contact_data(dt))
        for path, count, start in zip(self._paths, counts[0], starts[0], strict=True):
            for row in range(start, start + count):
                impulse = float(forces[row, 0]) * dt
                if impulse > 0.0:
                    found.append(Contact(path, points[row], normals[row], impulse * normals[row], float(gaps[row, 0])))
        return found

    def _of_deformables(self) -> list[Contact]:
        """Those with nodes of deformable bodies: of the last substep, as often as a step has substeps."""
        nodes, found = self._view.node_contacts(0), []
        for number, point, normal, impulse in zip(*nodes[1:], strict=True):
            push = float(impulse @ normal) * self.world.world.substeps
            if push > 0.0:
                path = self.world.path_of_deformable(int(number), self._env) or ""
                found.append(Contact(path, point, normal, push * normal, 0.0))
        return found


__all__ = ["BodyContacts", "Contact"]
