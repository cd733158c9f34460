"""A robot in a world: the user's handle on its rows in the engine's tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.components.link import FREE, SPHERICAL
from phalanx.maths.arrays import from_rotation_vector, rotation_vector
from phalanx.models.actor_spec import Part
from phalanx.models.articulation import NUM_COORDS, NUM_DOFS
from phalanx.models.robot_model import RobotModel
from phalanx.models.tendon_checks import check_tendons
from phalanx.world.checking import shorten
from phalanx.world.engine.engine import Engine
from phalanx.world.handle import on_device
from phalanx.world.handles.robot_joints import RobotJoints
from phalanx.world.layout.fill import Rows


class Robot(RobotJoints):
    """One robot in every environment; made by :meth:`phalanx.World.add_robot`.

    Arrays are environment-first, on the world's device (NumPy or CuPy), and yours: they do not change when the world
    steps. Joint quantities are in the order of :attr:`joint_names`, body quantities in that of :attr:`body_names`, both
    breadth-first from the root. Generalised velocities are [root linear, root angular, joints], world axes, of the root
    link's frame; a fixed base has the joints only.
    """

    KIND = "robot"

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
        """Position of a joint in :attr:`joint_names`."""
        if name not in self.joint_names:
            raise KeyError(f"{self} has no joint {name!r}; it has {', '.join(self.joint_names)}")
        return self.joint_names.index(name)

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
        limits = np.array([j.effort_limit if j else np.inf for j in self._dof_joints()])
        self._write(
            c.Drive.effort_limit, self._joints, np.broadcast_to(limits, (self.engine.num_envs, self.num_dof)), None
        )
        self._set_file_drives()
        self._set_gains(self._joints.start)

    def _set_file_drives(self) -> None:
        """Gains and limits of drives that the model brings along."""
        drives = self.model.drives
        if not drives:
            return
        rows = self._joints.start + np.array([self.joint_index(name) for name in drives])
        own = np.array([self._dof_joints()[self.joint_index(name)].effort_limit for name in drives])
        limits = np.minimum(own, [drive.effort_limit for drive in drives.values()])
        for component, values in (
            (c.Drive.stiffness, [drive.stiffness for drive in drives.values()]),
            (c.Drive.damping, [drive.damping for drive in drives.values()]),
            (c.Drive.effort_limit, limits),
        ):
            self._write(component, rows, np.broadcast_to(values, (self.engine.num_envs, len(rows))), None)

    def _dof_joints(self) -> list[Any]:
        return [self.part.articulation.links[i].joint for i in self.part.articulation.dof_links]

    def write_defaults(self, envs: np.ndarray | None) -> None:
        """Default pose and joint positions, which are also the position targets where the model's drives have no other.

        Called by the world's reset.
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

    # -- writing ---------------------------------------------------------------------------------------------

    @on_device
    def set_joint_state(self, pos: Any = None, vel: Any = None, env_ids: Any = None) -> None:
        """Set joint positions and velocities, (n, num_dof): anything that broadcasts to that, or a dict by joint.

        Dicts are as in :meth:`set_drive`.
        """
        positions = None if pos is None else self._joint_input("joint position", pos, env_ids, lambda: self.joint_pos)
        velocities = None if vel is None else self._joint_input("joint velocity", vel, env_ids, lambda: self.joint_vel)
        if positions is not None:
            self._write_positions(*positions)
        if velocities is not None:
            self._write(c.DofState.velocity, self._joints, *velocities)
        self.engine.touch_state()

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

        Each may be a dict of names or patterns (regular expressions that match whole names), such as ``{".*_hip_joint":
        40.0, ".*_knee_joint": 60.0}``; joints that are not named keep what they have.

        Raises:
            ValueError: shapes do not fit, numbers are negative, or a pattern matches no joint, or one that another
                matches.
        """
        checked = [
            (field, self._joint_input(what, value, env_ids, field, finite=what != "effort limit", negative=False))
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
        self.engine.touch_inputs()

    @on_device
    def set_targets(self, pos: Any = None, vel: Any = None, effort: Any = None, env_ids: Any = None) -> None:
        """Set position, velocity and feed-forward effort targets of the joint drives, (n, num_dof) or dicts by joint.

        Dicts are as in :meth:`set_drive`.
        """
        checked = [
            (field, self._joint_input(what, value, env_ids, field))
            for what, field, value in (
                ("position target", c.DriveTarget.position, pos),
                ("velocity target", c.DriveTarget.velocity, vel),
                ("effort target", c.DriveTarget.effort, effort),
            )
            if value is not None
        ]
        for field, values in checked:
            self._write(field, self._joints, *values)
        self.engine.touch_inputs()

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

    # -- reading ---------------------------------------------------------------------------------------------

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

    @property
    @on_device
    def joint_vel(self) -> Any:
        """(n, num_dof), rad/s or m/s."""
        return self._read(c.DofState.velocity, self._joints)

    @property
    @on_device
    def joint_acc(self) -> Any:
        """(n, num_dof): change of velocity over the last substep, rad/s^2 or m/s^2."""
        return self._read(c.DofState.acceleration, self._joints)

    @property
    @on_device
    def applied_effort(self) -> Any:
        """(n, num_dof): what the drives gave in the last substep, limits applied, N·m or N."""
        return self._read(c.DriveEffort.applied, self._joints)

    @property
    @on_device
    def joint_pos_target(self) -> Any:
        """(n, num_dof): position targets."""
        return self._read(c.DriveTarget.position, self._joints)

    @property
    @on_device
    def joint_vel_target(self) -> Any:
        """(n, num_dof): velocity targets."""
        return self._read(c.DriveTarget.velocity, self._joints)

    @property
    @on_device
    def joint_effort_target(self) -> Any:
        """(n, num_dof): feed-forward efforts."""
        return self._read(c.DriveTarget.effort, self._joints)
