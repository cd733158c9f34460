"""Several rigid objects read and written together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.maths.arrays import rotate
from phalanx.world.checking import shorten
from phalanx.world.engine.engine import Engine
from phalanx.world.handle import Handle, on_device
from phalanx.world.handles.body_masses import FULL
from phalanx.world.handles.declared import Owners, assign
from phalanx.world.handles.rigid_object import RigidObject


class RigidObjectCollection(Handle):
    """Rigid objects of all environments as arrays (num_envs, num_objects, ...).

    Made by :meth:`phalanx.World.add_rigid_objects`. Objects are in the order of :attr:`object_names`; each is also a
    :class:`phalanx.RigidObject` of its own: ``collection["cube"]``. Arrays are yours: they do not change when the world
    steps.
    """

    KIND = "collection"

    def __init__(self, engine: Engine, name: str, members: Sequence[RigidObject]) -> None:
        super().__init__(engine, name)
        self.objects = list(members)
        self.object_names = [member.name for member in members]
        self.num_objects = len(self.objects)

    def __repr__(self) -> str:
        return f"<RigidObjectCollection {self.name!r}: {self.num_objects} objects ({shorten(self.object_names)})>"

    def __len__(self) -> int:
        return self.num_objects

    def __iter__(self) -> Iterator[RigidObject]:
        return iter(self.objects)

    def __getitem__(self, key: int | str) -> RigidObject:
        return self.objects[key if isinstance(key, int) else self.object_index(key)]

    def object_index(self, name: str) -> int:
        """Position of an object in :attr:`object_names`.

        Raises:
            KeyError: there is no object of that name; the message lists those that there are.
        """
        if name not in self.object_names:
            raise KeyError(f"{self} has no object {name!r}; it has {', '.join(self.object_names)}")
        return self.object_names.index(name)

    def bind(self) -> None:
        """Called by the world once its tables are filled."""
        bound = [member._bound for member in self.objects]
        self._links = np.array([rows.links.start for rows in bound])
        self._coords = np.array([rows.coords.start for rows in bound])
        self._dofs = np.array([-1 if m.fixed_base else m._bound.dofs.start for m in self.objects])

    def _chosen(self, object_ids: Any) -> np.ndarray:
        """Validated positions of objects, from positions, names, or ``None`` for all."""
        if object_ids is None:
            return np.arange(self.num_objects)
        if isinstance(object_ids, str | int):
            object_ids = [object_ids]
        ids = [self.object_index(i) if isinstance(i, str) else int(i) for i in object_ids]
        if not all(0 <= i < self.num_objects for i in ids):
            raise IndexError(f"{self}: object_ids must lie in 0..{self.num_objects - 1}; got {ids}")
        if len(set(ids)) != len(ids):
            raise ValueError(f"{self}: object_ids must differ; got {ids}")
        return np.array(ids, np.int64)

    # -- reading ---------------------------------------------------------------------------------------------

    @property
    @on_device
    def root_pose(self) -> Any:
        """(n, num_objects, 7): [x y z qw qx qy qz] of each body's frame, world."""
        return self._runs(c.Coordinate.value, self._coords, 7)

    @property
    @on_device
    def root_vel(self) -> Any:
        """(n, num_objects, 6): [linear, angular] velocity of each body's frame, world; zero where static."""
        vel = self._runs(c.DofState.velocity, np.maximum(self._dofs, 0), 6)
        vel[:, self._dofs < 0] = 0.0
        return vel

    @property
    @on_device
    def com_vel(self) -> Any:
        """(n, num_objects, 6): [linear, angular] velocity of each centre of mass, world."""
        vel = self.root_vel
        vel[..., :3] += self._xp.cross(vel[..., 3:], rotate(self.root_pose[..., 3:], self.com, self._xp))
        return vel

    _of_objects = Owners("num_objects", lambda collection: collection._links)

    com = _of_objects(c.LinkInertia.com)
    """(n, num_objects, 3), m: centres of mass in the bodies' frames."""

    mass = _of_objects(c.LinkInertia.mass)
    """(n, num_objects), kg: 0 for static objects that were given none."""

    _force = _of_objects(c.ExternalWrench.force, what="force")
    _torque = _of_objects(c.ExternalWrench.torque, what="torque")

    @property
    @on_device
    def inertia(self) -> Any:
        """(n, num_objects, 3, 3): inertia about the centres of mass in the bodies' axes, kg·m^2."""
        found = self._read(c.LinkInertia.inertia, self._links)[..., FULL]
        return found.reshape(*found.shape[:2], 3, 3)

    @property
    @on_device
    def net_contact_force(self) -> Any:
        """(n, num_objects, 3): sum of contact forces on each object over the last substep, N, world."""
        self.engine.compute("query_contacts")
        bodies = [member._bound.bodies for member in self.objects]
        found = self._read(c.BodyContact.force, np.concatenate([np.arange(b.start, b.stop) for b in bodies]))
        if found.shape[1] == self.num_objects:
            return found
        ends = np.cumsum([b.stop - b.start for b in bodies])
        parts = zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)
        # One after another, on every device: a recording adds them up the same way.
        return self._xp.stack([reduce(add, [found[:, i] for i in range(*part)]) for part in parts], axis=1)

    @property
    @on_device
    def is_sleeping(self) -> Any:
        """(n, num_objects) of booleans: see :attr:`phalanx.RigidObject.is_sleeping`."""
        return self._xp.stack([member.is_sleeping for member in self.objects], axis=1)

    def _runs(self, field: Any, starts: np.ndarray, count: int) -> Any:
        """(n, objects, count): runs of rows of a field without item axes."""
        rows = (starts[:, None] + np.arange(count)).ravel()
        return self._read(field, rows).reshape(self.engine.num_envs, len(starts), count)

    # -- writing ---------------------------------------------------------------------------------------------

    @on_device
    def set_root_state(self, pose: Any = None, vel: Any = None, env_ids: Any = None, object_ids: Any = None) -> None:
        """Set poses [x y z qw qx qy qz] and velocities [lin, ang] of the bodies' frames, (n, k, 7) and (n, k, 6).


        Quaternions are normalised. Static objects take a pose, but no velocity; kinematic ones forget their targets.

        Raises:
            ValueError: shapes are wrong, numbers are not finite, or a static object is given a velocity.
        """
        chosen = self._chosen(object_ids)
        still = [self.object_names[i] for i in chosen if self._dofs[i] < 0]
        if vel is not None and still:
            raise ValueError(f"{self}: {still[0]!r} is static: it cannot be given a velocity; choose object_ids")
        velocities = None if vel is None else self._input("root velocity", vel, (len(chosen), 6), env_ids)
        if pose is not None:
            values, envs = self._pose(pose, len(chosen), env_ids)
            self._write_runs(c.Coordinate.value, self._coords[chosen], values, envs)
        if velocities is not None:
            self._write_runs(c.DofState.velocity, self._dofs[chosen], *velocities)
        envs = None if env_ids is None else self.engine.env_indices(env_ids)
        for i in chosen:
            if self.objects[i]._kinematic is not None:
                self.objects[i]._forget_target(envs)
        self.engine.touch_state()

    def set_external_wrench(
        self, force: Any = None, torque: Any = None, env_ids: Any = None, object_ids: Any = None
    ) -> None:
        """Push objects until told otherwise, (n, k, 3) each, world: forces (N) at centres of mass, torques (N·m)."""
        self.engine.build()
        assign(self, {"_force": force, "_torque": torque}, env_ids, self._chosen(object_ids))

    def wake_up(self, env_ids: Any = None, object_ids: Any = None) -> None:
        """Wake objects, see :meth:`phalanx.RigidObject.wake_up`."""
        for i in self._chosen(object_ids):
            self.objects[i].wake_up(env_ids)

    def put_to_sleep(self, env_ids: Any = None, object_ids: Any = None) -> None:
        """Let objects sleep, see :meth:`phalanx.RigidObject.put_to_sleep`."""
        for i in self._chosen(object_ids):
            self.objects[i].put_to_sleep(env_ids)

    @on_device
    def set_mass(self, mass: Any, env_ids: Any = None, object_ids: Any = None, *, scale_inertia: bool = False) -> None:
        """Set masses, (n, k), kg; see :meth:`phalanx.RigidObject.set_mass`."""
        chosen = self._chosen(object_ids)
        values, _ = self._input("mass", mass, len(chosen), env_ids)
        self._above_zero("mass", mass)
        for column, i in enumerate(chosen):
            self.objects[i].set_mass(values[:, column], env_ids, scale_inertia=scale_inertia)

    @on_device
    def set_material(
        self,
        static_friction: Any = None,
        dynamic_friction: Any = None,
        restitution: Any = None,
        env_ids: Any = None,
        object_ids: Any = None,
        *,
        friction_combine: Any = None,
        restitution_combine: Any = None,
        torsional_patch_radius: Any = None,
        min_torsional_patch_radius: Any = None,
        contact_stiffness: Any = None,
        contact_damping: Any = None,
    ) -> None:
        """Set coefficients of all shapes of objects, (n, k), dimensionless.

        They are as in :meth:`phalanx.RigidObject.set_material`.
        """
        chosen = self._chosen(object_ids)
        values = {
            what.replace(" ", "_"): self._input(what, value, len(chosen), env_ids, negative=False)[0]
            for what, value in (
                ("static friction", static_friction),
                ("dynamic friction", dynamic_friction),
                ("restitution", restitution),
                ("torsional patch radius", torsional_patch_radius),
                ("min torsional patch radius", min_torsional_patch_radius),
                ("contact stiffness", contact_stiffness),
                ("contact damping", contact_damping),
            )
            if value is not None
        }
        for column, i in enumerate(chosen):
            self.objects[i].set_material(
                **{what: array[:, column, None] for what, array in values.items()},
                env_ids=env_ids,
                friction_combine=friction_combine,
                restitution_combine=restitution_combine,
            )

    def _pose(self, pose: Any, count: int, env_ids: Any) -> tuple[Any, np.ndarray | None]:
        values, envs = self._input("root pose", pose, (count, 7), env_ids, poses=True)
        return self._unit(values), envs

    def _write_runs(self, field: Any, starts: np.ndarray, values: Any, envs: np.ndarray | None) -> None:
        count = values.shape[-1]
        rows = (starts[:, None] + np.arange(count)).ravel()
        self._write(field, rows, values.reshape(values.shape[0], len(starts) * count), envs)
