"""Tensor view of rigid bodies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from phalanx.facade.physx.common import Rows, find_actor, reads, reads_host, writes
from phalanx.facade.physx.forces import PushedBodies
from phalanx.models.actor_spec import DYNAMIC, KINEMATIC
from phalanx.world.handles.actor import Actor
from phalanx.world.handles.rigid_collection import RigidObjectCollection
from phalanx.world.handles.rigid_object import RigidObject
from phalanx.world.world import World

BodyName = Actor | str | tuple[Actor | str, str]
"""A body: an actor for its root, ``"actor"``, ``"actor/body"``, or a pair of both."""


def find_body(world: World, given: BodyName) -> tuple[Actor, int]:
    """An actor and the position of a body in it."""
    first, body = given if isinstance(given, tuple) else (given, None)
    if isinstance(first, str) and body is None and first not in world.actors:
        first, _, body = first.partition("/")
    actor = find_actor(world, first)
    return actor, 0 if body is None else actor.body_index(body)


def with_bodies(world: World, members: Iterable[tuple[BodyName, Any]]) -> list[tuple[tuple[Actor, int], Any]]:
    """Bodies found by :func:`find_body`, each different one once, with the environments that they came with."""
    known: dict[Any, tuple[Actor, int]] = {}
    found: list[tuple[tuple[Actor, int], Any]] = []
    for given, envs in members:
        body = known.get(given)
        if body is None:
            body = known[given] = find_body(world, given)
        found.append((body, envs))
    return found


class RigidBodyView(PushedBodies):
    """Rigid bodies: objects, or links of robots; a body each row.

    Transforms are [x y z qx qy qz qw] of the bodies' frames, velocities and accelerations [linear, angular] of their
    centres of mass, all in the world.

    Args:
        world: the engine's world.
        bodies: a body in every environment: rows are environments; or (body, environments) in the order of rows, where
            environments are a number, a list, or ``None`` for all; or a collection: object by object.
        prim_paths: of each row; made up from names by default.
        origins: (num_envs, 3), m: where the environments' origins are in the world; zero by default.
    """

    def __init__(
        self,
        world: World,
        bodies: BodyName | RigidObjectCollection | Iterable[tuple[BodyName, Any]],
        prim_paths: Sequence[str] | None = None,
        origins: Any = None,
    ) -> None:
        if isinstance(bodies, RigidObjectCollection):
            bodies = [(member, None) for member in bodies]
        elif isinstance(bodies, Actor | str) or (isinstance(bodies, tuple) and isinstance(bodies[1], str)):
            bodies = [(bodies, None)]  # pyright: ignore[reportAssignmentType]
        listed: list[tuple[Any, Any]] = list(bodies)  # pyright: ignore[reportArgumentType]
        rows = Rows(with_bodies(world, listed), world.num_envs)
        super().__init__(world, rows, origins)
        self._columns = [[key] for key in rows.keys]
        if prim_paths is not None and len(prim_paths) != self.count:
            raise ValueError(f"there are {len(prim_paths)} prim_paths for {self.count} rows")
        self._paths = None if prim_paths is None else list(prim_paths)
        self._roots = all(body == 0 for _, body in rows.keys)

    def __repr__(self) -> str:
        return f"<RigidBodyView of {self.count} bodies>"

    @property
    def prim_paths(self) -> list[str]:
        """Path of each row's prim."""
        if self._paths is None:
            names = [a.name if b == 0 else f"{a.name}/{a.body_names[b]}" for a, b in self._rows.keys]
            pairs = zip(self._rows.env.tolist(), self._rows.column.tolist(), strict=True)
            self._paths = [f"/World/envs/env_{env}/{names[column]}" for env, column in pairs]
        return list(self._paths)

    # -- state -----------------------------------------------------------------------------------------------

    @reads
    def get_transforms(self) -> Any:
        """(count, 7): poses of the bodies' frames."""
        return self._root_transforms() if self._roots else self._transforms()[:, 0]

    @reads
    def get_velocities(self) -> Any:
        """(count, 6): velocities of the centres of mass."""
        return self._root_com_velocities() if self._roots else self._com_velocities()[:, 0]

    @reads
    def get_accelerations(self) -> Any:
        """(count, 6): accelerations of the centres of mass over the last substep."""
        return self._com_accelerations()[:, 0]

    @writes
    def set_transforms(self, data: Any, indices: Any = None) -> None:
        """Set poses of the bodies' frames, (count, 7); kinematic bodies forget their targets.

        Raises:
            ValueError: a body is a robot's link, which its joints carry.
        """
        self._only_roots("set_transforms")
        self._set_root_poses("transforms", data, indices)
        kinematic = [a for a, _ in self._rows.keys if isinstance(a, RigidObject) and a.kind == KINEMATIC]
        if kinematic:
            rows = self._host_rows(self._indices(indices))
            for actor in kinematic:
                actor._forget_target(self._envs_of(actor, rows))

    @writes
    def set_velocities(self, data: Any, indices: Any = None) -> None:
        """Set velocities of the centres of mass, (count, 6), in the bodies' present poses; static bodies stand still.

        Raises:
            ValueError: a body is a robot's link, which its joints carry.
        """
        self._only_roots("set_velocities")
        self._set_root_com_velocities("velocities", data, indices)

    @writes
    def set_kinematic_targets(self, data: Any, indices: Any = None) -> None:
        """Let kinematic bodies move to poses, (count, 7), during the next step.

        Raises:
            ValueError: a chosen body is not kinematic.
        """
        indices = self._indices(indices)
        poses, rows = self._pose("kinematic targets", data, indices)[:, 0], self._host_rows(indices)
        for column, (actor, _) in enumerate(self._rows.keys):
            mine = rows[self._rows.column[rows] == column]
            if len(mine):
                if not isinstance(actor, RigidObject):
                    raise ValueError(f"{actor} is not kinematic: set_kinematic_targets() needs kinematic objects")
                actor.set_kinematic_target(poses[self._xp.asarray(mine)], self._rows.env[mine])

    def _only_roots(self, what: str) -> None:
        if not self._roots:
            name = next(f"{a.name}/{a.body_names[b]}" for a, b in self._rows.keys if b)
            raise ValueError(f"{what}(): {name} is a link of a robot; set the robot's root and joints instead")

    def _envs_of(self, actor: Actor, rows: np.ndarray) -> np.ndarray:
        columns = [i for i, (each, _) in enumerate(self._rows.keys) if each is actor]
        return self._rows.env[rows[np.isin(self._rows.column[rows], columns)]]

    @writes
    def wake_up(self, indices: Any = None) -> None:
        """Wake bodies that sleep."""
        self._each("wake_up", indices)

    @writes
    def put_to_sleep(self, indices: Any = None) -> None:
        """Let bodies sleep until something wakes them."""
        self._each("put_to_sleep", indices)

    def _each(self, what: str, indices: Any) -> None:
        rows = self._host_rows(self._indices(indices))
        for actor in dict.fromkeys(actor for actor, _ in self._rows.keys):
            envs = self._envs_of(actor, rows)
            if len(envs):
                getattr(actor, what)(envs)

    # -- mass ------------------------------------------------------------------------------------------------

    @reads_host
    def get_masses(self) -> Any:
        """(count, 1), kg: of each body without what is fixed to it."""
        return self._masses()

    @reads_host
    def get_inv_masses(self) -> Any:
        """(count, 1), 1/kg; 0 for bodies without mass."""
        masses = self._masses()
        return self._xp.where(masses > 0, 1.0 / self._xp.where(masses > 0, masses, 1.0), 0.0)

    @reads
    def com_poses(self) -> Any:
        """What :meth:`get_coms` returns, on the world's device."""
        return self._coms(principal=True)[:, 0]

    @reads_host
    def get_coms(self) -> Any:
        """(count, 7): centres of mass in the bodies' frames, with the principal axes of inertia, x y z w.

        Axes are as near to the body's own as they come; those of a body with no products of inertia are its own.
        """
        return self._coms(principal=True)[:, 0]

    @reads
    def get_com_positions(self) -> Any:
        """(count, 3): centres of mass in the bodies' frames, without axes, for which a GPU would have to wait."""
        return self._coms(principal=False)[:, 0, :3]

    @reads_host
    def get_inertias(self) -> Any:
        """(count, 9), kg·m^2: about the centres of mass, in the bodies' own axes, row by row."""
        return self._inertias()[:, 0]

    @reads_host
    def get_inv_inertias(self) -> Any:
        """(count, 9): inverses of the inertias; zero for bodies without."""
        return self._inverse_inertias()[:, 0]

    @writes
    def set_masses(self, data: Any, indices: Any = None) -> None:
        """Set masses, (count, 1), kg; inertias stay."""
        self._set_masses(data, indices)

    @writes
    def set_coms(self, data: Any, indices: Any = None) -> None:
        """Set centres of mass and principal axes, (count, 7); principal moments stay. Frames keep their velocity."""
        self._set_coms(data, indices, principal=True)

    @writes
    def set_inertias(self, data: Any, indices: Any = None) -> None:
        """Set inertias about the centres of mass in the bodies' own axes, (count, 9), kg·m^2."""
        self._set_inertias(data, indices)

    @writes
    def set_disable_gravities(self, data: Any, indices: Any = None) -> None:
        """Switch gravity off (1) or on (0), (count, 1); for a body with others fixed to it, for all of them."""
        self._set_gravity(data, indices)

    @reads_host
    def get_disable_simulations(self) -> Any:
        """(count, 1) uint8: 1 of bodies that are out of the simulation."""
        xp, found = self._xp, self._xp.zeros(self.count, np.uint8)
        for column, (actor, _) in enumerate(self._rows.keys):
            if isinstance(actor, RigidObject):
                rows = xp.asarray(np.flatnonzero(self._rows.column == column))
                found[rows] = actor.disabled[xp.asarray(self._rows.env[self._rows.column == column])]
        return found[:, None]

    @writes
    def set_disable_simulations(self, data: Any, indices: Any = None) -> None:
        """Take bodies out of the simulation (1) or back into it (0), (count, 1), at once.

        Out of it they lose their velocity and stay where they are; nothing rigid touches them.

        Raises:
            ValueError: a chosen body is a robot's link, or static or kinematic.
        """
        indices = self._indices(indices)
        values, rows = self._take("flags", data, (1,), indices)[:, 0] != 0, self._host_rows(indices)
        for column, (actor, _) in enumerate(self._rows.keys):
            mine = rows[self._rows.column[rows] == column]
            if len(mine):
                if not self.can_be_disabled(int(mine[0])):
                    raise ValueError(f"{actor}: set_disable_simulations() needs dynamic objects, not links of robots")
                actor.set_disabled(values[self._xp.asarray(mine)], self._rows.env[mine])

    def can_be_disabled(self, row: int) -> bool:
        """Whether the body of a row can be taken out of the simulation: a dynamic object."""
        actor, _ = self._rows.keys[self._rows.column[row]]
        return isinstance(actor, RigidObject) and actor.kind == DYNAMIC
