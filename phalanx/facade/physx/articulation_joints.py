"""Degrees of freedom of articulations: their state, drives and properties, by rows of a view."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.facade.physx.common import UNBOUNDED, DofDriveType, DofMotion, compute, reads, writes
from phalanx.facade.physx.forces import PushedBodies
from phalanx.facade.physx.metatype import ArticulationMetatype
from phalanx.world.handles.robot import Robot


class ArticulationJoints(PushedBodies):
    """The part of an articulation view that knows dofs.

    Everything is (count, max_dofs) unless it says otherwise, in the order of ``shared_metatype.dof_names``, in rad and
    N·m, or m and N. Dofs of ball joints have the engine's coordinates, a rotation vector, and no limits or drives.
    """

    shared_metatype: ArticulationMetatype
    _robots: list[Robot]

    @property
    def max_dofs(self) -> int:
        """Degrees of freedom of a row, those of a free root left out."""
        return self.shared_metatype.dof_count

    @property
    def dof_rows(self) -> np.ndarray:
        """(columns, max_dofs): rows of dofs in the engine's tables; a column is a robot of all environments."""
        return self._joint_dofs

    @property
    def dof_coordinates(self) -> np.ndarray | None:
        """(columns, max_dofs): rows of their coordinates; none if some joints have several dofs."""
        return self._joint_coords

    @cached_property
    def _joint_dofs(self) -> np.ndarray:
        """(columns, max_dofs): rows of dofs."""
        return np.array([np.arange(r.joint_rows.start, r.joint_rows.stop) for r in self._robots], np.int64)

    @cached_property
    def _joint_coords(self) -> np.ndarray | None:
        """(columns, max_dofs): rows of coordinates; none if some joints have several dofs."""
        self.world.build()  # tells robots their rows
        if any(robot._scalar_coords is None for robot in self._robots):
            return None
        return np.array([np.arange(r._bound.coords.start + 7, r._bound.coords.stop) for r in self._robots], np.int64)

    @cached_property
    def _single(self) -> np.ndarray:
        """Columns of dofs that are alone in their joint."""
        return np.flatnonzero(self._robots[0]._scalar)

    def _dofs(self, field: Any) -> Any:
        if not self.max_dofs:
            return self._xp.zeros((self.count, 0), self.world.dtype)
        return self._read(field, self._joint_dofs)

    def _set_dofs(self, what: str, field: Any, data: Any, indices: Any, **checks: Any) -> None:
        indices = self._indices(indices)
        self._write(field, self._joint_dofs, self._take(what, data, (self.max_dofs,), indices, **checks), indices)

    def _set_model(self, field: Any, values: Any, indices: Any, only: np.ndarray | None = None) -> None:
        """Write a property of joints and wake who sleeps."""
        rows = self._joint_dofs
        if only is not None and len(only) < self.max_dofs:
            rows, values = rows[:, only], values[:, self._brought(only)]
        self._write(field, rows, values, indices)
        self._wake(self._robots, indices)

    # -- state -----------------------------------------------------------------------------------------------

    @reads
    def get_dof_positions(self) -> Any:
        """(count, max_dofs)."""
        if self._joint_coords is not None:
            return self._read(c.Coordinate.value, self._joint_coords) if self.max_dofs else self._dofs(None)
        block = self._xp.stack([robot.joint_pos for robot in self._robots], axis=1)
        return self._xp.ascontiguousarray(self._rows.gather(block, self._xp))

    @writes
    def live_dofs(self, field: Any) -> Any:
        """(count, max_dofs) of positions or velocities, in the engine's memory, where they change; to be read only.

        ``None`` where rows are not one robot's environments in their order, or joints have several dofs.
        """
        rows = self._joint_coords if field is c.Coordinate.value else self._joint_dofs
        if rows is None or len(rows) != 1 or self._rows.order == "listed" or not self.max_dofs:
            return None
        self.world.build()
        return self._block(field, rows)[:, 0]

    @reads
    def get_dof_velocities(self) -> Any:
        """(count, max_dofs)."""
        return self._dofs(c.DofState.velocity)

    @reads
    def get_dof_accelerations(self) -> Any:
        """(count, max_dofs): changes of velocity over the last substep."""
        return self._dofs(c.DofState.acceleration)

    @reads
    def get_dof_position_targets(self) -> Any:
        """(count, max_dofs)."""
        return self._dofs(c.DriveTarget.position)

    @reads
    def get_dof_velocity_targets(self) -> Any:
        """(count, max_dofs)."""
        return self._dofs(c.DriveTarget.velocity)

    @reads
    def get_dof_actuation_forces(self) -> Any:
        """(count, max_dofs): efforts that were set, besides those of drives."""
        return self._dofs(c.DriveTarget.effort)

    @writes
    def set_dof_positions(self, data: Any, indices: Any = None) -> None:
        """Set positions."""
        indices = self._indices(indices)
        values = self._take("dof positions", data, (self.max_dofs,), indices)
        if self._joint_coords is not None:
            self._write(c.Coordinate.value, self._joint_coords, values, indices)
            return
        rows = self._host_rows(indices)
        for column, robot in enumerate(self._robots):
            mine = rows[self._rows.column[rows] == column]
            if len(mine):
                robot.set_joint_state(pos=values[self._xp.asarray(mine)], env_ids=self._rows.env[mine])

    @writes
    def set_dof_velocities(self, data: Any, indices: Any = None) -> None:
        """Set velocities."""
        self._set_dofs("dof velocities", c.DofState.velocity, data, indices)

    @writes
    def set_dof_position_targets(self, data: Any, indices: Any = None) -> None:
        """Set position targets of drives."""
        self._set_dofs("dof position targets", c.DriveTarget.position, data, indices)

    @writes
    def set_dof_velocity_targets(self, data: Any, indices: Any = None) -> None:
        """Set velocity targets of drives."""
        self._set_dofs("dof velocity targets", c.DriveTarget.velocity, data, indices)

    @writes
    def set_dof_actuation_forces(self, data: Any, indices: Any = None) -> None:
        """Set efforts, which add to those of drives within their limits, until set again."""
        self._set_dofs("dof actuation forces", c.DriveTarget.effort, data, indices)

    _clear_efforts: Any = None

    def clear_efforts_after_step(self) -> None:
        """Let efforts that were set act for the next step only."""
        if self._clear_efforts is None:
            self._clear_efforts = self.world.after_step(self._no_more_efforts)

    def _no_more_efforts(self, world: Any) -> None:
        unregister, self._clear_efforts = self._clear_efforts, None
        unregister()
        self.set_dof_actuation_forces(self._xp.zeros((self.count, self.max_dofs), "float32"))

    @reads
    def get_dof_projected_joint_forces(self) -> Any:
        """(count, max_dofs): what joints transmit along and about their axes, drives, friction and limits included."""
        compute(self.world, "query_joints")
        xp = self._xp
        if not self.max_dofs:
            return self._dofs(None)
        bodies, dofs, links, turns = self._projection
        total = self._read(c.BodyReaction.total, bodies)
        offset = self._read(c.LinkPose.offset, links[..., 0]) - self._read(c.LinkPose.offset, links[..., 1])
        axis = self._read(c.DofMotion.axis, dofs)
        torque = total[..., :3] + xp.cross(offset, total[..., 3:])
        return xp.where(self._brought(turns), (axis * torque).sum(axis=-1), (axis * total[..., 3:]).sum(axis=-1))

    @cached_property
    def _projection(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Of each dof the body that its joint carries, its row, the links of both, and whether it turns."""
        world = self.world
        host = world.engine.device.to_host
        turns = host(world[c.DofTopology].angular)[:, 0] == 1
        bodies, links = [], []
        for robot in self._robots:
            articulation, first = robot.part.articulation, robot._bound
            carriers = {frame.link: b for b, frame in reversed(list(enumerate(articulation.frames)))}
            for own in articulation.dof_links:
                below = own
                while below not in carriers:  # a link between joints in a row; what hangs on it is what it carries
                    below = next(i for i, each in enumerate(articulation.links) if each.parent == below)
                bodies.append(first.bodies.start + carriers[below])
                links.append((first.links.start + below, first.links.start + own))
        shape = self._joint_dofs.shape
        return (
            np.array(bodies).reshape(shape),
            self._joint_dofs,
            np.array(links).reshape(*shape, 2),
            turns[self._joint_dofs[0]],
        )

    # -- properties ------------------------------------------------------------------------------------------

    def _constant(self, values: Any) -> Any:
        return self._xp.asarray(np.broadcast_to(np.array(values, np.uint8), (self.count, self.max_dofs)))

    @reads
    def get_dof_types(self) -> Any:
        """(count, max_dofs), uint8: :class:`DofType`."""
        return self._constant(self.shared_metatype.dof_types)

    @reads
    def get_dof_motions(self) -> Any:
        """(count, max_dofs), uint8: :class:`DofMotion`."""
        xp, lower, upper = self._xp, self._dofs(c.DofLimit.lower), self._dofs(c.DofLimit.upper)
        free = xp.isinf(lower) & xp.isinf(upper)
        motion = xp.where(lower == upper, int(DofMotion.Locked), int(DofMotion.Limited))
        return xp.where(free, int(DofMotion.Free), motion).astype("uint8")

    @reads
    def get_drive_types(self) -> Any:
        """(count, max_dofs), uint8: :class:`DofDriveType`; drives give forces, and ball joints have none."""
        kinds = np.full(self.max_dofs, int(DofDriveType.None_))
        kinds[self._single] = int(DofDriveType.Force)
        return self._constant(kinds)

    def _bounded(self, values: Any) -> Any:
        return self._xp.clip(values, -UNBOUNDED, UNBOUNDED)

    def _unbounded(self, values: Any) -> Any:
        xp = self._xp
        return xp.where(xp.abs(values) >= UNBOUNDED, xp.copysign(xp.inf, values), values).astype(values.dtype)

    @reads
    def get_dof_limits(self) -> Any:
        """(count, max_dofs, 2): lower and upper position limits; the greatest float32 where there are none."""
        limits = [self._dofs(field) for field in (c.DofLimit.lower, c.DofLimit.upper)]
        return self._bounded(self._xp.stack(limits, axis=-1))

    @reads
    def get_dof_stiffnesses(self) -> Any:
        """(count, max_dofs): position gains of drives."""
        return self._dofs(c.Drive.stiffness)

    @reads
    def get_dof_dampings(self) -> Any:
        """(count, max_dofs): velocity gains of drives."""
        return self._dofs(c.Drive.damping)

    @reads
    def get_dof_max_forces(self) -> Any:
        """(count, max_dofs): effort limits of drives; the greatest float32 where there are none."""
        return self._bounded(self._dofs(c.Drive.effort_limit))

    @reads
    def get_dof_max_velocities(self) -> Any:
        """(count, max_dofs): speed limits; the greatest float32 where there are none."""
        return self._bounded(self._dofs(c.DofLimit.velocity))

    @reads
    def get_dof_armatures(self) -> Any:
        """(count, max_dofs)."""
        return self._dofs(c.DofModel.armature)

    @reads
    def get_dof_friction_coefficients(self) -> Any:
        """(count, max_dofs): efforts of Coulomb friction at rest; see :meth:`set_dof_friction_coefficients`."""
        return self._xp.maximum(self._dofs(c.DofModel.static_friction), self._dofs(c.DofModel.friction))

    @reads
    def get_dof_friction_properties(self) -> Any:
        """(count, max_dofs, 3): efforts of static and of dynamic friction, N·m (N), and viscous, N·m·s/rad (N·s/m)."""
        fields = (c.DofModel.static_friction, c.DofModel.friction, c.DofModel.damping)
        return self._xp.stack([self._dofs(field) for field in fields], axis=-1)

    @writes
    def set_dof_limits(self, data: Any, indices: Any = None) -> None:
        """Set lower and upper position limits, (count, max_dofs, 2); the greatest float32, or infinity, for none."""
        indices = self._indices(indices)
        values = self._take("dof limits", data, (self.max_dofs, 2), indices, finite=False)
        used = values if indices is None else values[indices]
        if isinstance(used, np.ndarray) and (wrong := used[..., 0] > used[..., 1]).any():
            name = self.shared_metatype.dof_names[int(np.argwhere(wrong)[0][1])]
            raise ValueError(f"dof limits: the lower one is above the upper at {name}")
        values = self._unbounded(values)
        self._set_model(c.DofLimit.lower, values[..., 0], indices, self._single)
        self._set_model(c.DofLimit.upper, values[..., 1], indices, self._single)

    @writes
    def set_dof_stiffnesses(self, data: Any, indices: Any = None) -> None:
        """Set position gains of drives."""
        self._set_dofs("dof stiffnesses", c.Drive.stiffness, data, indices, least=0.0)

    @writes
    def set_dof_dampings(self, data: Any, indices: Any = None) -> None:
        """Set velocity gains of drives."""
        self._set_dofs("dof dampings", c.Drive.damping, data, indices, least=0.0)

    @writes
    def set_dof_max_forces(self, data: Any, indices: Any = None) -> None:
        """Set effort limits of drives, within which efforts of :meth:`set_dof_actuation_forces` are, too."""
        indices = self._indices(indices)
        values = self._take("dof max forces", data, (self.max_dofs,), indices, finite=False, least=0.0)
        self._write(c.Drive.effort_limit, self._joint_dofs, self._unbounded(values), indices)

    @writes
    def set_dof_max_velocities(self, data: Any, indices: Any = None) -> None:
        """Set speed limits, above 0."""
        indices = self._indices(indices)
        values = self._take("dof max velocities", data, (self.max_dofs,), indices, finite=False, least=1e-30)
        self._set_model(c.DofLimit.velocity, self._unbounded(values), indices, self._single)

    @writes
    def set_dof_armatures(self, data: Any, indices: Any = None) -> None:
        """Set inertias of rotors."""
        indices = self._indices(indices)
        values = self._take("dof armatures", data, (self.max_dofs,), indices, least=0.0)
        self._set_model(c.DofModel.armature, values, indices)

    @writes
    def set_dof_friction_coefficients(self, data: Any, indices: Any = None) -> None:
        """Set efforts of Coulomb friction, N·m (N), the same at rest and in motion.

        Friction of the engine's joints does not grow with the load on them, as coefficients without unit would have it.
        """
        indices = self._indices(indices)
        values = self._take("dof friction coefficients", data, (self.max_dofs,), indices, least=0.0)
        for field in (c.DofModel.static_friction, c.DofModel.friction):
            self._set_model(field, values, indices)

    @writes
    def set_dof_friction_properties(self, data: Any, indices: Any = None) -> None:
        """Set static, dynamic and viscous friction, (count, max_dofs, 3)."""
        indices = self._indices(indices)
        values = self._take("dof friction properties", data, (self.max_dofs, 3), indices, least=0.0)
        for k, field in enumerate((c.DofModel.static_friction, c.DofModel.friction, c.DofModel.damping)):
            self._set_model(field, values[..., k], indices)

    def get_dof_drive_model_properties(self) -> Any:
        """Not built: the engine's drives have no envelope of effort over speed."""
        raise NotImplementedError(
            "ArticulationView.get_dof_drive_model_properties: drives have no envelope of effort over "
            "speed; use an explicit actuator model, such as isaaclab.actuators.DCMotor"
        )

    def set_dof_drive_model_properties(self, data: Any, indices: Any = None) -> None:
        """Not built: the engine's drives have no envelope of effort over speed."""
        raise NotImplementedError(
            "ArticulationView.set_dof_drive_model_properties: drives have no envelope of effort over "
            "speed; use an explicit actuator model, such as isaaclab.actuators.DCMotor"
        )
