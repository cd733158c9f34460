"""A robot in a world: the user's handle on its rows in the engine's tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from phalanx import components as c
from phalanx.components.link import FREE, SPHERICAL
from phalanx.ecs import Field
from phalanx.io.articulation import NUM_COORDS, NUM_DOFS
from phalanx.io.model import RobotModel
from phalanx.layout import Rows
from phalanx.part import Part

if TYPE_CHECKING:
    from phalanx.world import World


F = TypeVar("F", bound=Callable[..., Any])


def on_device(method: F) -> F:
    """Run a method of a robot with array operations on the world's device, in order with the caller's stream."""

    @wraps(method)
    def run(self: Robot, *args: Any, **kwargs: Any) -> Any:
        with self.world._store.active():
            return method(self, *args, **kwargs)

    return run  # type: ignore[return-value]


class Robot:
    """One robot in every environment; made by :meth:`phalanx.World.add_robot`.

    Arrays are environment-first, on the world's device (NumPy or CuPy), and yours: they do not change when the world
    steps. Joint quantities are in the order of :attr:`joint_names`, body quantities in that of :attr:`body_names`, both
    breadth-first from the root. Generalised velocities are [root linear, root angular, joints], world axes, of the root
    link's frame; a fixed base has the joints only.
    """

    def __init__(
        self,
        world: World,
        name: str,
        model: RobotModel,
        part: Part,
        pose: np.ndarray,
        joint_pos: dict[str, float] | Sequence[float] | None,
    ) -> None:
        self.world, self.name, self.model, self.part = world, name, model, part
        articulation = part.articulation
        self.joint_names = list(articulation.dof_names)
        self.body_names = [frame.name for frame in articulation.frames]
        self.fixed_base = articulation.fixed_base
        self.num_dof = len(self.joint_names)
        self.num_bodies = len(self.body_names)
        self.num_velocities = articulation.num_velocities
        self.mass = float(sum(link.mass for link in articulation.links))
        self.default_root_pose = pose
        self._scalar = np.array([NUM_DOFS[articulation.links[i].joint_type] == 1 for i in articulation.dof_links], bool)
        self.default_joint_pos = self._initial_positions(joint_pos)
        self._rows: Rows | None = None

    def __repr__(self) -> str:
        base = "fixed" if self.fixed_base else "free"
        return f"<Robot {self.name!r} ({self.model.name}): {self.num_dof} dofs, {self.num_bodies} bodies, {base} base>"

    # -- set-up ----------------------------------------------------------------------------------------------

    def _initial_positions(self, joint_pos: dict[str, float] | Sequence[float] | None) -> np.ndarray:
        lower, upper = self.joint_limits
        values = np.clip(np.zeros(self.num_dof), lower, upper) if self.num_dof else np.zeros(0)
        if isinstance(joint_pos, dict):
            for name, value in joint_pos.items():
                values[self.joint_index(name)] = value
        elif joint_pos is not None:
            given = np.asarray(joint_pos, float)
            if given.shape != (self.num_dof,):
                raise ValueError(
                    f"robot {self.name!r}: joint_pos needs {self.num_dof} numbers, got shape {given.shape}"
                )
            values = given.copy()
        if not np.all(np.isfinite(values)):
            raise ValueError(f"robot {self.name!r}: joint_pos must be finite")
        return values

    def joint_index(self, name: str) -> int:
        """Position of a joint in :attr:`joint_names`."""
        if name not in self.joint_names:
            raise KeyError(f"robot {self.name!r} has no joint {name!r}; it has {', '.join(self.joint_names)}")
        return self.joint_names.index(name)

    def body_index(self, name: str) -> int:
        """Position of a body in :attr:`body_names`."""
        if name not in self.body_names:
            raise KeyError(f"robot {self.name!r} has no body {name!r}; it has {', '.join(self.body_names)}")
        return self.body_names.index(name)

    @property
    def joint_limits(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper position limits of the file, (num_dof,) each, infinite where there are none."""
        links = [self.part.articulation.links[i] for i in self.part.articulation.dof_links]
        joints = [link.joint if NUM_DOFS[link.joint_type] == 1 else None for link in links]
        return (
            np.array([j.lower if j else -np.inf for j in joints]),
            np.array([j.upper if j else np.inf for j in joints]),
        )

    def bind(self, rows: Rows) -> None:
        """Called by the world once its tables are filled."""
        self._rows = rows
        roots = self.num_velocities - self.num_dof
        self._joints = slice(rows.dofs.start + roots, rows.dofs.stop)
        coords = rows.coords.start
        self._coords: list[tuple[int, int, int]] = []  # (first coord, first dof, joint type), root left out
        dof = rows.dofs.start
        for link in self.part.articulation.links:
            if link.parent >= 0:
                self._coords.append((coords, dof, link.joint_type))
            coords += NUM_COORDS[link.joint_type]
            dof += NUM_DOFS[link.joint_type]
        self._scalar_coords = slice(rows.coords.start + 7, rows.coords.stop) if self._scalar.all() else None
        shapes = self.world._device.to_host(self.world._store.view(c.PlanePairTopology.body))
        self._shape_bodies = [(row, int(shapes[row, 0]) - rows.bodies.start) for row in rows.shapes]
        limits = np.array([j.effort_limit if j else np.inf for j in self._dof_joints()])
        self._write(
            c.Drive.effort_limit, self._joints, np.broadcast_to(limits, (self.world.num_envs, self.num_dof)), None
        )

    def _dof_joints(self) -> list[Any]:
        return [self.part.articulation.links[i].joint for i in self.part.articulation.dof_links]

    def write_defaults(self, envs: np.ndarray | None) -> None:
        """Default pose and joint positions, which are also the position targets; called by the world's reset."""
        count = self.world.num_envs if envs is None else len(envs)
        self._write(c.Coordinate.value, self._root_coords, np.broadcast_to(self.default_root_pose, (count, 7)), envs)
        positions = np.broadcast_to(self.default_joint_pos, (count, self.num_dof))
        self._write_positions(positions, envs)
        self._write(c.DriveTarget.position, self._joints, positions, envs)

    # -- arrays ----------------------------------------------------------------------------------------------

    @property
    def _bound(self) -> Rows:
        if self._rows is None:
            self.world.build()
            assert self._rows is not None
        return self._rows

    @property
    def _root_coords(self) -> slice:
        return slice(self._bound.coords.start, self._bound.coords.start + 7)

    def _read(self, field: Field, rows: slice) -> Any:
        """An environment-first copy of some rows."""
        store = self.world._store
        with store.active():
            view = store.view(field)[rows]
            axes = (view.ndim - 1, *range(view.ndim - 1))
            found = self.world._device.xp.ascontiguousarray(view.transpose(axes))
            if found.base is not None or self.world._device.xp.shares_memory(found, view):
                found = found.copy()
        return found

    def _write(self, field: Field, rows: slice, value: Any, envs: np.ndarray | None) -> None:
        """Write environment-first values of shape (n, rows, *item) into rows of some environments."""
        store, xp = self.world._store, self.world._device.xp
        with store.active():
            view = store.view(field)[rows]
            columns = xp.moveaxis(xp.asarray(value, view.dtype), 0, -1)
            if envs is None:
                view[...] = columns
            else:
                view[..., xp.asarray(envs)] = columns

    def _input(
        self, what: str, value: Any, width: int, env_ids: Any, *, finite: bool = True, negative: bool = True
    ) -> tuple[Any, np.ndarray | None]:
        """Broadcast a user's value to (n, width) and check it; numbers that are on a GPU already are not waited for."""
        world = self.world
        envs = None if env_ids is None else world.env_indices(env_ids)
        count = world.num_envs if envs is None else len(envs)
        array = world._device.accept(value)
        if array.dtype.kind not in "fiub":
            raise TypeError(f"robot {self.name!r}: {what} must be numbers, not {array.dtype}")
        shape = (count, width)
        if array.ndim > 2 or any(
            have not in (1, need) for have, need in zip(array.shape[::-1], shape[::-1], strict=False)
        ):
            raise ValueError(
                f"robot {self.name!r}: {what} has shape {tuple(array.shape)}; it must broadcast to {shape}"
            )
        if isinstance(array, np.ndarray):
            for wrong, verdict in (
                (np.isnan(array), "is not a number (NaN)"),
                (np.isinf(array) & finite, "is infinite"),
                ((array < 0) & (not negative), "is negative"),
            ):
                if wrong.any() and count:
                    row, column = np.argwhere(np.broadcast_to(wrong, shape))[0]
                    env = int(row if envs is None else envs[row])
                    place = f"environment {env}, column {int(column)}"
                    raise ValueError(f"robot {self.name!r}: {what} {verdict} in {place}")
        return world._device.xp.broadcast_to(world._device.xp.asarray(array), shape), envs

    # -- writing ---------------------------------------------------------------------------------------------

    @on_device
    def set_joint_state(self, pos: Any = None, vel: Any = None, env_ids: Any = None) -> None:
        """Set joint positions and velocities, (n, num_dof); anything that broadcasts to that."""
        self.world.build()
        positions = None if pos is None else self._input("joint position", pos, self.num_dof, env_ids)
        velocities = None if vel is None else self._input("joint velocity", vel, self.num_dof, env_ids)
        if positions is not None:
            self._write_positions(*positions)
        if velocities is not None:
            self._write(c.DofState.velocity, self._joints, *velocities)
        self.world.touch_state()

    @on_device
    def set_root_state(self, pose: Any = None, vel: Any = None, env_ids: Any = None) -> None:
        """Set the root link's pose [x y z qw qx qy qz] and velocity [lin, ang], (n, 7) and (n, 6), world frame.

        Quaternions are normalised. A fixed base takes a pose, but no velocity.
        """
        self.world.build()
        xp = self.world._device.xp
        if vel is not None and self.fixed_base:
            raise ValueError(f"robot {self.name!r} has a fixed base: its root cannot be given a velocity")
        velocities = None if vel is None else self._input("root velocity", vel, 6, env_ids)
        if pose is not None:
            values, envs = self._input("root pose", pose, 7, env_ids)
            given = self.world._device.accept(pose)
            if isinstance(given, np.ndarray) and not np.broadcast_to(given, values.shape)[:, 3:].any(axis=1).all():
                raise ValueError(f"robot {self.name!r}: root pose has a quaternion of zero length")
            with self.world._store.active():
                values = xp.array(values, dtype="float64")
                values[:, 3:] /= xp.sqrt((values[:, 3:] ** 2).sum(axis=1, keepdims=True))
            self._write(c.Coordinate.value, self._root_coords, values, envs)
        if velocities is not None:
            start = self._bound.dofs.start
            self._write(c.DofState.velocity, slice(start, start + 6), *velocities)
        self.world.touch_state()

    @on_device
    def set_drive(
        self,
        stiffness: Any = None,
        damping: Any = None,
        effort_limit: Any = None,
        env_ids: Any = None,
        *,
        explicit: Any = None,
    ) -> None:
        """Set gains (N·m/rad, N·m·s/rad) and effort limits (N·m) of the joint drives, (n, num_dof).

        Drives are implicit: stable for any gains. With ``explicit=True`` a joint gets the PD effort of the state at the
        start of each substep instead, as a real controller would give it.
        """
        self.world.build()
        checked = [
            (field, self._input(what, value, self.num_dof, env_ids, finite=what != "effort limit", negative=False))
            for what, field, value in (
                ("stiffness", c.Drive.stiffness, stiffness),
                ("damping", c.Drive.damping, damping),
                ("effort limit", c.Drive.effort_limit, effort_limit),
                ("explicit", c.Drive.explicit, explicit),
            )
            if value is not None
        ]
        for field, values in checked:
            self._write(field, self._joints, *values)
        self.world.input_revision += 1

    @on_device
    def set_targets(self, pos: Any = None, vel: Any = None, effort: Any = None, env_ids: Any = None) -> None:
        """Set position, velocity and feed-forward effort targets of the joint drives, (n, num_dof)."""
        self.world.build()
        checked = [
            (field, self._input(what, value, self.num_dof, env_ids))
            for what, field, value in (
                ("position target", c.DriveTarget.position, pos),
                ("velocity target", c.DriveTarget.velocity, vel),
                ("effort target", c.DriveTarget.effort, effort),
            )
            if value is not None
        ]
        for field, values in checked:
            self._write(field, self._joints, *values)
        self.world.input_revision += 1

    @on_device
    def set_external_wrench(
        self, force: Any = None, torque: Any = None, body: str | None = None, env_ids: Any = None
    ) -> None:
        """Push a body until told otherwise, (n, 3) each, world frame.

        ``force`` (N) acts at the centre of mass of the body's link, ``torque`` (N·m) on the link. A body that is
        fixed to another shares its link; the root's by default.
        """
        self.world.build()
        link = 0 if body is None else self.part.articulation.frames[self.body_index(body)].link
        row = self._bound.links.start + link
        checked = [
            (field, self._input(what, value, 3, env_ids))
            for what, field, value in (
                ("force", c.ExternalWrench.force, force),
                ("torque", c.ExternalWrench.torque, torque),
            )
            if value is not None
        ]
        for field, (values, envs) in checked:
            self._write(field, slice(row, row + 1), values[:, None, :], envs)
        self.world.input_revision += 1

    def _write_positions(self, values: Any, envs: np.ndarray | None) -> None:
        if self._scalar_coords is not None:
            self._write(c.Coordinate.value, self._scalar_coords, values, envs)
            return
        xp = self.world._device.xp
        values = xp.asarray(values)
        for coord, dof, kind in self._coords:
            column = dof - self._joints.start
            mine = values[:, column : column + NUM_DOFS[kind]]
            if kind in (SPHERICAL, FREE):
                mine = xp.concatenate((mine[:, :-3], _quaternion(mine[:, -3:], xp)), axis=1)
            self._write(c.Coordinate.value, slice(coord, coord + NUM_COORDS[kind]), mine, envs)

    # -- reading ---------------------------------------------------------------------------------------------

    @property
    @on_device
    def joint_pos(self) -> Any:
        """(n, num_dof), rad or m; a spherical joint's three are its rotation vector."""
        self.world.build()
        if self._scalar_coords is not None:
            return self._read(c.Coordinate.value, self._scalar_coords)
        xp = self.world._device.xp
        parts = []
        for coord, _, kind in self._coords:
            mine = self._read(c.Coordinate.value, slice(coord, coord + NUM_COORDS[kind]))
            if kind in (SPHERICAL, FREE):
                mine = xp.concatenate((mine[:, :-4], _rotation_vector(mine[:, -4:], xp)), axis=1)
            parts.append(mine)
        return xp.concatenate(parts, axis=1) if parts else xp.zeros((self.world.num_envs, 0), self.world.dtype)

    @property
    @on_device
    def joint_vel(self) -> Any:
        """(n, num_dof), rad/s or m/s."""
        self.world.build()
        return self._read(c.DofState.velocity, self._joints)

    @property
    @on_device
    def joint_acc(self) -> Any:
        """(n, num_dof): change of velocity over the last substep, rad/s^2 or m/s^2."""
        self.world.build()
        return self._read(c.DofState.acceleration, self._joints)

    @property
    @on_device
    def applied_effort(self) -> Any:
        """(n, num_dof): what the drives gave in the last substep, limits applied, N·m or N."""
        self.world.build()
        return self._read(c.DriveEffort.applied, self._joints)

    @property
    @on_device
    def joint_pos_target(self) -> Any:
        """(n, num_dof): position targets."""
        self.world.build()
        return self._read(c.DriveTarget.position, self._joints)

    @property
    @on_device
    def joint_vel_target(self) -> Any:
        """(n, num_dof): velocity targets."""
        self.world.build()
        return self._read(c.DriveTarget.velocity, self._joints)

    @property
    @on_device
    def joint_effort_target(self) -> Any:
        """(n, num_dof): feed-forward efforts."""
        self.world.build()
        return self._read(c.DriveTarget.effort, self._joints)

    @property
    @on_device
    def root_pose(self) -> Any:
        """(n, 7): [x y z qw qx qy qz] of the root link's frame, world."""
        self.world.build()
        return self._read(c.Coordinate.value, self._root_coords)

    @property
    @on_device
    def root_vel(self) -> Any:
        """(n, 6): [linear, angular] velocity of the root link's frame, world; zero for a fixed base."""
        self.world.build()
        if self.fixed_base:
            return self.world._device.xp.zeros((self.world.num_envs, 6), self.world.dtype)
        start = self._bound.dofs.start
        return self._read(c.DofState.velocity, slice(start, start + 6))

    @property
    @on_device
    def body_pose(self) -> Any:
        """(n, num_bodies, 7): [x y z qw qx qy qz] of each body's frame, world."""
        self.world.compute("query_bodies")
        return self._read(c.BodyState.pose, self._bound.bodies)

    @property
    @on_device
    def body_vel(self) -> Any:
        """(n, num_bodies, 6): [linear, angular] velocity of each body's frame, world."""
        self.world.compute("query_bodies")
        return self._read(c.BodyState.velocity, self._bound.bodies)

    @property
    @on_device
    def net_contact_force(self) -> Any:
        """(n, num_bodies, 3): sum of contact forces on each body over the last substep, N, world."""
        self.world.build()
        total = self.world._device.xp.zeros((self.world.num_envs, self.num_bodies, 3), self.world.dtype)
        if self._shape_bodies:
            forces = self.world._store.view(c.ContactForce.force)
            for row, body in self._shape_bodies:
                total[:, body] += forces[row].T
        return total

    # -- dynamics --------------------------------------------------------------------------------------------

    @on_device
    def mass_matrix(self) -> Any:
        """(n, nv, nv): joint-space inertia with armature, nv = 6 + num_dof, or num_dof for a fixed base."""
        self.world.compute("dynamics")
        world, dofs = self.world, self._bound.dofs
        xp = world._device.xp
        row = world._device.to_host(world[c.MassTopology].row)[:, 0]
        column = world._device.to_host(world[c.MassTopology].column)[:, 0]
        mine = np.flatnonzero((row >= dofs.start) & (row < dofs.stop))
        rows, columns = xp.asarray(row[mine] - dofs.start), xp.asarray(column[mine] - dofs.start)
        with world._store.active():
            values = world[c.MassMatrix].value[xp.asarray(mine)].T
            found = xp.zeros((world.num_envs, self.num_velocities, self.num_velocities), world.dtype)
            found[:, rows, columns] = values
            found[:, columns, rows] = values
        return found

    @on_device
    def bias_force(self) -> Any:
        """(n, nv): Coriolis, centrifugal and gravity efforts b in M a + b = tau; external wrenches are left out."""
        self.world.compute("dynamics")
        return self._read(c.DofForce.bias, self._bound.dofs)

    @on_device
    def gravity_force(self) -> Any:
        """(n, nv): the efforts that hold the robot still against gravity."""
        self.world.compute("dynamics", "query_gravity")
        return self._read(c.DofForce.gravity, self._bound.dofs)

    @on_device
    def jacobian(self) -> Any:
        """(n, num_bodies, 6, nv): [linear, angular] velocity of each body's frame per generalised velocity, world."""
        world, dofs = self.world, self._bound.dofs
        world.compute("query_bodies")
        xp = world._device.xp
        frames = self.part.articulation.frames
        first = self._bound.links.start
        last_dof = world._device.to_host(world[c.LinkTopology].last_dof)[:, 0]
        nv_world = world._store.rows(c.Dof)
        moves = world._device.to_host(world[c.DofRelation].moves)[: nv_world**2, 0].reshape(nv_world, nv_world)
        mask = np.zeros((len(frames), self.num_velocities))
        for b, frame in enumerate(frames):
            d = last_dof[first + frame.link]
            if d >= 0:
                mask[b] = moves[d, dofs]
        turns = world._device.to_host(world[c.DofTopology].angular)[dofs, 0] == 1
        link = world._device.to_host(world[c.DofTopology].link)[dofs, 0]
        with world._store.active():
            axis = xp.moveaxis(world[c.DofMotion].axis[dofs], -1, 0)[:, None]  # (n, 1, nv, 3)
            offset = xp.moveaxis(world[c.LinkPose].offset, -1, 0)
            body = xp.moveaxis(world[c.BodyState].pose[self._bound.bodies, :3], -1, 0)
            root = world[c.Coordinate].value[self._root_coords][:3].T
            arm = (body - root[:, None])[:, :, None] - offset[:, None, xp.asarray(link)]  # (n, bodies, nv, 3)
            turning = xp.asarray(turns)[:, None]
            linear = xp.where(turning, xp.cross(xp.broadcast_to(axis, arm.shape), arm), axis)
            angular = xp.broadcast_to(xp.where(turning, axis, xp.zeros_like(axis)), arm.shape)
            both = xp.concatenate((linear, angular), axis=3) * xp.asarray(mask, world.dtype)[None, :, :, None]
            found = xp.ascontiguousarray(xp.moveaxis(both, 3, 2))
        return found


def _quaternion(vector: Any, xp: Any) -> Any:
    """(n, 3) rotation vectors to (n, 4) quaternions."""
    angle = xp.sqrt((vector * vector).sum(axis=1, keepdims=True))
    scale = 0.5 * xp.sinc(angle / (2 * np.pi))
    return xp.concatenate((xp.cos(0.5 * angle), scale * vector), axis=1)


def _rotation_vector(quaternion: Any, xp: Any) -> Any:
    """(n, 4) quaternions to (n, 3) rotation vectors of at most pi."""
    w, v = quaternion[:, :1], quaternion[:, 1:]
    sign = xp.where(w < 0, -1.0, 1.0)
    length = xp.sqrt((v * v).sum(axis=1, keepdims=True))
    angle = 2 * xp.arctan2(length, xp.abs(w))
    scale = xp.where(length > 1e-12, angle / xp.where(length > 1e-12, length, 1.0), 2.0)
    return (sign * scale * v).astype(quaternion.dtype)
