"""Properties of a robot's joints that may differ from environment to environment and change between steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.ecs import Field
from phalanx.world.handle import on_device
from phalanx.world.handles.by_name import by_joint
from phalanx.world.handles.robot_actuators import RobotActuators


class RobotJoints(RobotActuators):
    """Friction, limits and armature of joints, (n, num_dof) each: what they are, and to be set.

    Setters take anything that broadcasts, or dicts of names and patterns as :meth:`phalanx.Robot.set_drive` does; what
    is not given stays. Once environments differ in a property, the world
    keeps a value for each, and kernels are compiled once more. A robot that sleeps is woken.
    """

    num_dof: int
    _joints: slice
    _scalar: np.ndarray

    @property
    @on_device
    def joint_dynamic_friction(self) -> Any:
        """(n, num_dof), N·m or N: Coulomb friction of a joint that moves."""
        return self._read(c.DofModel.friction, self._joint_rows)

    @property
    @on_device
    def joint_static_friction(self) -> Any:
        """(n, num_dof), N·m or N: what holds a joint at rest, where it is more than its dynamic friction."""
        return self._read(c.DofModel.static_friction, self._joint_rows)

    @property
    @on_device
    def joint_viscous_friction(self) -> Any:
        """(n, num_dof), N·m·s/rad or N·s/m: friction that grows with the speed; the damping of the robot's file."""
        return self._read(c.DofModel.damping, self._joint_rows)

    @property
    @on_device
    def joint_armature(self) -> Any:
        """(n, num_dof), kg·m^2 or kg: inertia of rotors, added to the joint's own."""
        return self._read(c.DofModel.armature, self._joint_rows)

    @property
    @on_device
    def joint_position_limits(self) -> Any:
        """(n, num_dof, 2), rad or m: lower and upper limits, infinite where there are none; of single-dof joints."""
        found = [self._read(field, self._joint_rows) for field in (c.DofLimit.lower, c.DofLimit.upper)]
        return self._xp.stack(found, axis=-1)

    @property
    @on_device
    def joint_velocity_limit(self) -> Any:
        """(n, num_dof), rad/s or m/s: speed limits, infinite where there are none; of single-dof joints."""
        return self._read(c.DofLimit.velocity, self._joint_rows)

    @on_device
    def set_joint_friction(
        self, dynamic: Any = None, static: Any = None, viscous: Any = None, env_ids: Any = None
    ) -> None:
        """Set friction, (n, num_dof): of moving joints and of those at rest, N·m (N), and viscous, N·m·s/rad (N·s/m).

        A joint at rest is held by the greater of the first two.
        """
        model = c.DofModel
        values = {model.friction: dynamic, model.static_friction: static, model.damping: viscous}
        self._set_joints({field: self._number(field, value, env_ids) for field, value in _given(values)}, env_ids)

    @on_device
    def set_joint_armature(self, armature: Any, env_ids: Any = None) -> None:
        """Set the inertia of rotors, (n, num_dof), kg·m^2 or kg."""
        field = c.DofModel.armature
        self._set_joints({field: self._number(field, armature, env_ids)}, env_ids)

    @on_device
    def set_joint_limits(
        self,
        lower: Any = None,
        upper: Any = None,
        velocity: Any = None,
        restitution: Any = None,
        stiffness: Any = None,
        damping: Any = None,
        env_ids: Any = None,
    ) -> None:
        """Set limits, (n, num_dof): of positions, rad (m), of speed, rad/s (m/s), and how those of positions act.

        They throw back with ``restitution`` of the speed, or are springs of ``stiffness``, N·m/rad (N/m), and
        ``damping``, N·m·s/rad (N·s/m); hard where both are 0. Joints of several dofs are left as they are.

        Raises:
            ValueError: lower limits are above upper ones, restitution is above 1, or a number is not in its range.
        """
        limit = c.DofLimit
        values = {limit.restitution: restitution, limit.stiffness: stiffness, limit.damping: damping}
        checked = {field: self._number(field, value, env_ids) for field, value in _given(values)}
        for field, value in _given({limit.lower: lower, limit.upper: upper, limit.velocity: velocity}):
            signed = field is not limit.velocity
            checked[field] = self._number(field, value, env_ids, finite=False, negative=signed)
        envs = slice(None) if env_ids is None else self._xp.asarray(self.engine.env_indices(env_ids))
        bounds = [checked.get(field, self._read(field, self._joint_rows)[envs]) for field in (limit.lower, limit.upper)]
        numbers = self._xp.ones_like(bounds[0])
        for wrong, verdict in (
            (bounds[0] > bounds[1], "lower limits are above upper ones"),
            (checked.get(limit.restitution, 0.0 * numbers) > 1, "limit restitution is above 1"),
            (checked.get(limit.velocity, numbers) == 0, "velocity limits are 0"),
        ):
            if wrong.any():
                found = self.engine.device.to_host(wrong).any(axis=0)
                names = [self.joint_names[i] for i in np.flatnonzero(found)]
                raise ValueError(f"{self}: {verdict} at {', '.join(names)}")
        self._set_joints(checked, env_ids, np.flatnonzero(self._scalar))

    @property
    def joint_rows(self) -> slice:
        """Rows of its joints in the table :data:`phalanx.components.Dof`, in joint order."""
        return self._joint_rows

    @property
    def _joint_rows(self) -> slice:
        assert self._bound is not None  # builds the world
        return self._joints

    def _number(self, field: Field, value: Any, env_ids: Any, *, finite: bool = True, negative: bool = False) -> Any:
        what = f"joint {field.name.replace('_', ' ')}"
        return self._joint_input(what, value, env_ids, field, finite=finite, negative=negative)[0]

    def _joint_input(
        self, what: str, value: Any, env_ids: Any, now: Field | Callable[[], Any], **checks: bool
    ) -> tuple[Any, np.ndarray | None]:
        """:meth:`_input` of values (n, num_dof) or by joint; ``now`` is where what the others have is read."""
        read = (lambda: self._read(now, self._joint_rows)) if isinstance(now, Field) else now
        given = by_joint(self, what, value, env_ids, read, finite=checks.get("finite", True))
        return self._input(what, given, self.num_dof, env_ids, **checks)

    def _set_joints(self, checked: dict[Field, Any], env_ids: Any, columns: Any = None) -> None:
        envs = None if env_ids is None else self.engine.env_indices(env_ids)
        columns = np.arange(self.num_dof) if columns is None else columns
        rows = self._joint_rows.start + columns
        for field, values in checked.items():
            self._write_parameter(field, rows, values[:, self._xp.asarray(columns)], envs)
        if self.num_velocities:
            self.wake_up(env_ids)
        self.engine.touch_state()


def _given(values: dict[Field, Any]) -> list[tuple[Field, Any]]:
    return [(field, value) for field, value in values.items() if value is not None]
