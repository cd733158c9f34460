"""A robot in a world: the user's handle on its rows in the engine's tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.components.link import FREE, SPHERICAL
from phalanx.maths.arrays import from_rotation_vector, rotation_vector
from phalanx.models.actor_spec import Part
from phalanx.models.actuators import Keyframe
from phalanx.models.articulation import NUM_COORDS, NUM_DOFS
from phalanx.models.checks import nearest
from phalanx.models.robot_model import RobotModel
from phalanx.models.tendon_checks import check_tendons
from phalanx.world.checking import shorten
from phalanx.world.engine.engine import Engine
from phalanx.world.engine.readers import Reader
from phalanx.world.handle import on_device
from phalanx.world.handles.actuator_plan import ActuatorPlan
from phalanx.world.handles.by_name import by_joint
from phalanx.world.handles.declared import check, commit
from phalanx.world.handles.jacobians import jacobian_reader
from phalanx.world.handles.robot_properties import RobotProperties
from phalanx.world.layout.fill import Rows


class Robot(RobotProperties):
    """One robot in every environment; made by :meth:`phalanx.World.add_robot`.

    Arrays are environment-first, on the world's device (NumPy or CuPy), and yours: they do not change when the world
    steps. Joint quantities are in the order of :attr:`joint_names`, body quantities in that of :attr:`body_names`, both
    breadth-first from the root. Generalised velocities are [root linear, root angular, joints], world axes, of the root
    link's frame; a fixed base has the joints only.

    Actuators of the robot's file, see :class:`phalanx.models.actuators.Actuator`, become drives: servos for positions
    and velocities the gains that they have, limited as their forces are. :meth:`set_controls` sets the targets that
    belong to control signals; :meth:`set_drive` and :meth:`set_targets` can replace what they set. Arrays of controls
    are in the order of :attr:`actuator_names`.
    """

    KIND = "robot"

    _control_bounds: tuple[Any, ...] | None = None

    def __init__(
        self,
        engine: Engine,
        name: str,
        model: RobotModel,
        part: Part,
        pose: np.ndarray,
        joint_pos: dict[str, float] | Sequence[float] | None,
    ) -> None:
        super().__init__(engine, name, model, part, pose)
        articulation = part.articulation
        self.joint_names = list(articulation.dof_names)
        self.num_dof = len(self.joint_names)
        self.mass = float(sum(link.mass for link in articulation.links))
        self._scalar = np.array([NUM_DOFS[articulation.links[i].joint_type] == 1 for i in articulation.dof_links], bool)
        self.default_joint_pos = self._initial_positions(joint_pos)
        check_tendons(str(self), model, articulation)

    def __repr__(self) -> str:
        base = "fixed" if self.fixed_base else "free"
        joints = f" ({shorten(self.joint_names, 4)})" if self.joint_names else ""
        return (
            f"<Robot {self.name!r} ({self.model.name}) in {self.engine.num_envs} environments: "
            f"{self.num_dof} dofs{joints}, {self.num_bodies} bodies, {self.mass:.4g} kg, {base} base>"
        )

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
                raise ValueError(f"{self}: joint_pos needs {self.num_dof} numbers, got shape {given.shape}")
            values = given.copy()
        if not np.all(np.isfinite(values)):
            raise ValueError(f"{self}: joint_pos must be finite")
        return values

    def joint_index(self, name: str) -> int:
        """Position of a joint in :attr:`joint_names`.

        Raises:
            KeyError: there is no joint of that name; the message lists those that there are.
        """
        if name not in self.joint_names:
            raise KeyError(f"{self} has no joint {name!r}; it has {', '.join(self.joint_names)}")
        return self.joint_names.index(name)

    @property
    def joint_limits(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper position limits of the file, (num_dof,) each, rad or m, infinite where there are none."""
        links = [self.part.articulation.links[i] for i in self.part.articulation.dof_links]
        joints = [link.joint if NUM_DOFS[link.joint_type] == 1 else None for link in links]
        return (
            np.array([j.lower if j else -np.inf for j in joints]),
            np.array([j.upper if j else np.inf for j in joints]),
        )

    def bind(self, rows: Rows) -> None:
        """Called by the world once its tables are filled."""
        super().bind(rows)
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
        limits = np.broadcast_to(self._effort_limits(), (self.engine.num_envs, self.num_dof))
        self._write(c.Drive.effort_limit, self._joints, limits, None)
        self._set_file_drives()
        self._set_gains(self._joints.start)

    def _set_file_drives(self) -> None:
        """Gains and limits of drives that the model brings along."""
        drives = self.model.drives
        if not drives:
            return
        rows = self._joints.start + np.array([self.joint_index(name) for name in drives])
        own = self._effort_limits()[[self.joint_index(name) for name in drives]]
        limits = np.minimum(own, [drive.effort_limit for drive in drives.values()])
        for component, values in (
            (c.Drive.stiffness, [drive.stiffness for drive in drives.values()]),
            (c.Drive.damping, [drive.damping for drive in drives.values()]),
            (c.Drive.effort_limit, limits),
        ):
            self._write(component, rows, np.broadcast_to(values, (self.engine.num_envs, len(rows))), None)

    def _effort_limits(self) -> np.ndarray:
        """(num_dof,): of the file, infinite where there are none."""
        found = [self.part.articulation.links[i].joint for i in self.part.articulation.dof_links]
        return np.array([joint.effort_limit if joint else np.inf for joint in found], float)

    def write_defaults(self, envs: np.ndarray | None) -> None:
        """Default pose and joint positions, which are also the position targets where the model's drives have no other.

        Called by the world's reset, for environments (n,) by their indices.
        """
        super().write_defaults(envs)
        count = self.engine.num_envs if envs is None else len(envs)
        positions = np.broadcast_to(self.default_joint_pos, (count, self.num_dof))
        self._write_positions(positions, envs)
        targets = self.default_joint_pos.copy()
        if self.model.drives:
            velocities = np.zeros(self.num_dof)
            for name, drive in self.model.drives.items():
                targets[self.joint_index(name)] = drive.position
                velocities[self.joint_index(name)] = drive.velocity
            self._write(c.DriveTarget.velocity, self._joints, np.broadcast_to(velocities, positions.shape), envs)
        self._write(c.DriveTarget.position, self._joints, np.broadcast_to(targets, positions.shape), envs)
        if self.num_actuators:
            self._set_controls(np.zeros((count, self.num_actuators)), envs)

    # -- state -------------------------------------------------------------------------------------------------

    @property
    @on_device
    def joint_pos(self) -> Any:
        """(n, num_dof), rad or m; a spherical joint's three are its rotation vector."""
        if self._scalar_coords is not None:
            return self._read(c.Coordinate.value, self._scalar_coords)
        xp = self.engine.device.xp
        parts = []
        for coord, _, kind in self._coords:
            mine = self._read(c.Coordinate.value, slice(coord, coord + NUM_COORDS[kind]))
            if kind in (SPHERICAL, FREE):
                mine = xp.concatenate((mine[:, :-4], rotation_vector(mine[:, -4:], xp)), axis=1)
            parts.append(mine)
        return xp.concatenate(parts, axis=1) if parts else xp.zeros((self.engine.num_envs, 0), self.engine.dtype)

    @on_device
    def set_joint_state(self, pos: Any = None, vel: Any = None, env_ids: Any = None) -> None:
        """Set joint positions and velocities, (n, num_dof), rad and rad/s or m and m/s.

        Anything that broadcasts to that will do, or a dict by joint. Dicts are as in :meth:`set_drive`.
        """
        velocities = check(self, {"joint_vel": vel}, env_ids)
        if pos is not None:
            pos = by_joint(self, "joint position", pos, env_ids, lambda: self.joint_pos)
            self._write_positions(*self._input("joint position", pos, self.num_dof, env_ids))
        commit(self, velocities, env_ids)
        self.engine.touch(c.Coordinate.value)

    def _write_positions(self, values: Any, envs: np.ndarray | None) -> None:
        if self._scalar_coords is not None:
            self._write(c.Coordinate.value, self._scalar_coords, values, envs)
            return
        xp = self.engine.device.xp
        values = xp.asarray(values)
        for coord, dof, kind in self._coords:
            column = dof - self._joints.start
            mine = values[:, column : column + NUM_DOFS[kind]]
            if kind in (SPHERICAL, FREE):
                mine = xp.concatenate((mine[:, :-3], from_rotation_vector(mine[:, -3:], xp)), axis=1)
            self._write(c.Coordinate.value, slice(coord, coord + NUM_COORDS[kind]), mine, envs)

    # -- actuators and keyframes -------------------------------------------------------------------------------

    @property
    def actuator_names(self) -> list[str]:
        """Names of the actuators."""
        return [actuator.name for actuator in self.model.actuators]

    @property
    def num_actuators(self) -> int:
        """Number of actuators."""
        return len(self.model.actuators)

    @property
    def control_limits(self) -> np.ndarray:
        """(num_actuators, 2): least and greatest control signal, infinite where there is none."""
        return np.array([actuator.control_range for actuator in self.model.actuators], float).reshape(-1, 2)

    @property
    def keyframe_names(self) -> list[str]:
        """Names of the keyframes."""
        return [keyframe.name for keyframe in self.model.keyframes]

    @on_device
    def set_controls(self, controls: Any, env_ids: Any = None) -> None:
        """Set the actuators' control signals, (n, num_actuators); they are clamped to their ranges.

        They hold until set again; after a reset they are 0.
        """
        values, envs = self._input("controls", controls, self.num_actuators, env_ids)
        self._set_controls(values, envs)
        self.engine.touch_inputs()

    def set_keyframe(self, name: str, env_ids: Any = None) -> None:
        """Put the robot into a keyframe's state: root, joints and controls; what it does not say is as by default."""
        frame = self._keyframe(name)
        positions = np.array([*self.default_joint_pos], float)
        velocities = np.zeros(len(positions))
        for values, given in ((positions, frame.joint_pos), (velocities, frame.joint_vel)):
            for joint, value in given.items():
                values[self.joint_names.index(joint)] = value
        pose = np.array(frame.root_pose or self.default_root_pose, float)
        rest = np.zeros(6) if not frame.root_vel else np.array(frame.root_vel, float)
        self.set_root_state(pose, None if self.fixed_base else rest, env_ids)
        if len(positions):
            self.set_joint_state(positions, velocities, env_ids)
        if self.num_actuators:
            self.set_controls(np.array([frame.controls.get(name, 0.0) for name in self.actuator_names]), env_ids)

    def _keyframe(self, name: str) -> Keyframe:
        for keyframe in self.model.keyframes:
            if keyframe.name == name:
                return keyframe
        known = ", ".join(self.keyframe_names) or "none"
        raise KeyError(f"{self} has no keyframe {name!r}{nearest(name, self.keyframe_names)} It has {known}")

    @cached_property
    def _plan(self) -> ActuatorPlan:
        return ActuatorPlan(self.model, self.joint_names, self.joint_index)

    def _set_gains(self, first: int) -> None:
        """Gains and limits of the drives; ``first`` is the row of the first joint's dof. Called once, when built."""
        plan, n = self._plan, self.engine.num_envs
        if len(plan.driven):
            rows, most = first + plan.driven, plan.limit[plan.driven]
            joint_limits = self._effort_limits()[plan.driven]
            for component, values in (
                (c.Drive.stiffness, plan.stiffness[plan.driven]),
                (c.Drive.damping, plan.damping[plan.driven]),
                (c.Drive.effort_limit, np.minimum(most, joint_limits)),
            ):
                self._write(component, rows, np.broadcast_to(values, (n, len(rows))), None)

    def _set_controls(self, values: Any, envs: np.ndarray | None) -> None:
        plan, xp = self._plan, self._xp
        values = xp.asarray(values, self.engine.dtype)
        if self._control_bounds is None:  # on the device, once
            self._control_bounds = tuple(xp.asarray(plan.ranges[:, k], values.dtype) for k in (0, 1))
        low, high = self._control_bounds
        controls = xp.minimum(xp.maximum(values, low), high)
        first = self.joint_rows.start
        for component, start, sums in (
            (c.DriveTarget.position, first, plan.positions),
            (c.DriveTarget.velocity, first, plan.velocities),
            (c.DriveTarget.effort, first, plan.efforts),
            (c.Drive.damping, first, plan.dampings),
            (c.TendonModel.rest_length, self._first_tendon, plan.lengths),
        ):
            if len(sums.rows):
                self._write(component, sums.rows_from(start), sums.of(controls, xp), envs)

    # -- dynamics ----------------------------------------------------------------------------------------------

    @on_device
    def mass_matrix(self) -> Any:
        """(n, nv, nv): joint-space inertia with armature, nv = 6 + num_dof, or num_dof for a fixed base."""
        self.engine.compute("dynamics")
        engine, xp = self.engine, self._xp
        mine, rows, columns = self._mass_entries
        with engine.store.active():
            values = engine.store[c.MassMatrix].value[mine].T
            found = xp.zeros((engine.num_envs, self.num_velocities, self.num_velocities), engine.dtype)
            found[:, rows, columns] = values
            found[:, columns, rows] = values
        return found

    @on_device
    def bias_force(self) -> Any:
        """(n, nv): Coriolis, centrifugal and gravity efforts b in M a + b = tau; external wrenches are left out."""
        self.engine.compute("dynamics", "query_gravity")
        return self._read(c.DofForce.bias, self._bound.dofs) + self._read(c.DofForce.gravity, self._bound.dofs)

    @on_device
    def gravity_force(self) -> Any:
        """(n, nv): the efforts that hold the robot still against gravity."""
        self.engine.compute("query_gravity")
        return self._read(c.DofForce.gravity, self._bound.dofs)

    @property
    @on_device
    def incoming_joint_wrench(self) -> Any:
        """(n, num_bodies, 6): [force, torque] that each body's joint transmits to it from its parent, N and N·m.

        In the body's own frame, the torque about that frame's origin, where the joint is in most files. It holds
        drives, friction and limits of the joint as well as what its bearings take, over the last substep. That of the
        root is what holds a fixed base to the world, and zero for a free one. A body fixed to another is told apart
        from it, too; external wrenches act on the body that carries its link.
        """
        self.engine.compute("query_joints")
        return self._read(c.BodyReaction.wrench, self._bound.bodies)

    @on_device
    def jacobian(self) -> Any:
        """(n, num_bodies, 6, nv): [linear, angular] velocity of each body's frame per generalised velocity, world."""
        self.engine.compute("query_bodies")
        if not self.num_velocities:
            return self._xp.zeros((self.engine.num_envs, self.num_bodies, 6, 0), self.engine.dtype)
        return self._jacobians.read()[0].get("jacobian")

    # -- what does not change: on the device, once -----------------------------------------------------------

    @cached_property
    def _mass_entries(self) -> tuple[Any, Any, Any]:
        """The robot's entries of the mass matrix, and their rows and columns."""
        engine, dofs, xp = self.engine, self._bound.dofs, self._xp
        row = engine.device.to_host(engine.store[c.MassTopology].row)[:, 0]
        column = engine.device.to_host(engine.store[c.MassTopology].column)[:, 0]
        mine = np.flatnonzero((row >= dofs.start) & (row < dofs.stop))
        return xp.asarray(mine), xp.asarray(row[mine] - dofs.start), xp.asarray(column[mine] - dofs.start)

    @cached_property
    def _jacobians(self) -> Reader:
        return jacobian_reader(self)
