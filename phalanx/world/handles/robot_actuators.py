"""Actuators and keyframes that a robot's file brings along: control signals to drives, named states."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.models.actuators import Actuator, Keyframe
from phalanx.models.checks import nearest
from phalanx.world.handle import on_device
from phalanx.world.handles.robot_tendons import RobotTendons


class _Sums:
    """Sums over actuators: for each of some rows a constant plus coefficients times control signals.

    They are made in the order of the actuators, whatever the number of environments.
    """

    def __init__(self, rows: np.ndarray, constants: np.ndarray, terms: dict[int, list[tuple[int, float]]]) -> None:
        self.rows = rows
        layers = max((len(terms.get(row, ())) for row in rows.tolist()), default=0)
        self._columns = np.zeros((layers, len(rows)), np.int64)
        self._coefficients = np.zeros((layers, len(rows)))
        self._constants = constants[rows]
        for k, row in enumerate(rows.tolist()):
            for layer, (column, coefficient) in enumerate(terms.get(row, ())):
                self._columns[layer, k], self._coefficients[layer, k] = column, coefficient
        self._placed: tuple[Any, ...] = ()

    def over(self, gains: np.ndarray) -> _Sums:
        """The same divided by gains of all rows that there are."""
        self._constants = self._constants / gains[self.rows]
        self._coefficients = self._coefficients / gains[self.rows]
        return self

    def rows_from(self, first: int) -> slice | np.ndarray:
        """The rows counted from the first one of the robot; a slice where they follow each other, which is faster."""
        rows = first + self.rows
        return slice(int(rows[0]), int(rows[-1]) + 1) if (np.diff(rows) == 1).all() else rows

    def of(self, controls: Any, xp: Any) -> Any:
        """The sums (n, rows) for controls (n, num_actuators)."""
        if not self._placed:  # on the device, once
            arrays = (self._constants, self._coefficients)
            self._placed = (*(xp.asarray(a, controls.dtype) for a in arrays), xp.asarray(self._columns))
        constants, coefficients, columns = self._placed
        found = xp.zeros((controls.shape[0], len(self.rows)), controls.dtype) + constants
        for layer in range(len(self._columns)):
            found += controls[:, columns[layer]] * coefficients[layer]
        return found


class _Plan:
    """What actuators make of drives and tendons.

    A drive's effort is c - stiffness * q - damping * v, with c a sum over its actuators. It goes into the position
    target where there is a stiffness, else into that of velocity or effort.
    """

    def __init__(self, robot: RobotActuators) -> None:
        joints, tendons = robot.joint_names, [tendon.name for tendon in robot.model.fixed_tendons]
        self.stiffness, self.damping, self.limit, constant = (np.zeros(len(joints)) for _ in range(4))
        terms: dict[int, list[tuple[int, float]]] = {}
        dampers: dict[int, list[tuple[int, float]]] = {}
        pulls: dict[int, list[tuple[int, float]]] = {}
        stretch, held = np.zeros(len(tendons)), np.zeros(len(tendons))
        ranges = []
        for column, actuator in enumerate(robot.model.actuators):
            ranges.append(_controls(actuator))
            b0, b1, b2 = actuator.bias
            if actuator.tendon:
                row, gear = tendons.index(actuator.tendon), actuator.gear
                held[row] -= b1 * gear * gear
                stretch[row] += b0 * gear
                pulls.setdefault(row, []).append((column, actuator.gain * gear))
            for name, gear in actuator.joints.items():
                row = robot.joint_index(name)
                self.stiffness[row] -= b1 * gear * gear
                self.damping[row] -= b2 * gear * gear
                constant[row] += b0 * gear
                self.limit[row] += abs(gear) * _most(actuator, ranges[-1])
                terms.setdefault(row, []).append((column, actuator.gain * gear))
                if actuator.velocity_gain:
                    dampers.setdefault(row, []).append((column, -actuator.velocity_gain * gear * gear))
        self.ranges = np.array(ranges).reshape(-1, 2)
        self.driven = np.array(sorted(terms), np.int64)
        springs, dashpots = self.stiffness[self.driven] > 0.0, self.damping[self.driven] > 0.0
        self.positions = _Sums(self.driven[springs], constant, terms).over(self.stiffness)
        self.velocities = _Sums(self.driven[~springs & dashpots], constant, terms).over(self.damping)
        self.efforts = _Sums(self.driven[~springs & ~dashpots], constant, terms)
        self.dampings = _Sums(np.array(sorted(dampers), np.int64), self.damping, dampers)
        # The spring of a tendon is that of the actuators and one of its own: forces add up, so lengths are weighted.
        total = np.array([tendon.stiffness for tendon in robot.model.fixed_tendons])
        rest = np.array([tendon.rest_length or 0.0 for tendon in robot.model.fixed_tendons])
        self.lengths = _Sums(np.array(sorted(pulls), np.int64), stretch + (total - held) * rest, pulls).over(total)


def _controls(actuator: Actuator) -> tuple[float, float]:
    """Bounds of the control signal: its own, and for a motor those in which its force stays in its range."""
    low, high = actuator.control_range
    if not _is_motor(actuator) or actuator.gain == 0.0:
        return low, high
    ends = sorted((force - actuator.bias[0]) / actuator.gain for force in actuator.force_range)
    return float(np.clip(ends[0], low, high)), float(np.clip(ends[1], low, high))


def _is_motor(actuator: Actuator) -> bool:
    return not (actuator.bias[1] or actuator.bias[2] or actuator.velocity_gain)


def _most(actuator: Actuator, bounds: tuple[float, float]) -> float:
    """Greatest force that an actuator can give, infinite if nothing bounds it."""
    if not _is_motor(actuator):
        return float(np.abs(actuator.force_range).max())
    if not actuator.gain:
        return abs(actuator.bias[0])
    return float(max(abs(actuator.gain * u + actuator.bias[0]) for u in bounds))


class RobotActuators(RobotTendons):
    """A robot's actuators, see :class:`phalanx.models.actuators.Actuator`, and keyframes.

    Actuators become drives: servos for positions and velocities the gains that they have, limited as their forces are;
    :meth:`set_controls` sets the targets that belong to control signals. ``set_drive`` and ``set_targets`` can replace
    what they set. Arrays of controls are in the order of :attr:`actuator_names`.
    """

    _control_bounds: tuple[Any, ...] | None = None

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

    @abstractmethod
    def set_joint_state(self, pos: Any = None, vel: Any = None, env_ids: Any = None) -> None:
        """See :meth:`phalanx.Robot.set_joint_state`."""

    def _keyframe(self, name: str) -> Keyframe:
        for keyframe in self.model.keyframes:
            if keyframe.name == name:
                return keyframe
        known = ", ".join(self.keyframe_names) or "none"
        raise KeyError(f"{self} has no keyframe {name!r}{nearest(name, self.keyframe_names)} It has {known}")

    @abstractmethod
    def joint_index(self, name: str) -> int:
        """Position of a joint in ``joint_names``."""

    # -- drives ------------------------------------------------------------------------------------------------

    @cached_property
    def _plan(self) -> _Plan:
        return _Plan(self)

    def _set_gains(self, first: int) -> None:
        """Gains and limits of the drives; ``first`` is the row of the first joint's dof. Called once, when built."""
        plan, n = self._plan, self.engine.num_envs
        if len(plan.driven):
            rows, most = first + plan.driven, plan.limit[plan.driven]
            joint_limits = np.array([self._effort_limit(k) for k in plan.driven])
            for component, values in (
                (c.Drive.stiffness, plan.stiffness[plan.driven]),
                (c.Drive.damping, plan.damping[plan.driven]),
                (c.Drive.effort_limit, np.minimum(most, joint_limits)),
            ):
                self._write(component, rows, np.broadcast_to(values, (n, len(rows))), None)

    def _effort_limit(self, dof: int) -> float:
        joint = self.part.articulation.links[self.part.articulation.dof_links[dof]].joint
        return joint.effort_limit if joint is not None else np.inf

    def _set_controls(self, values: Any, envs: np.ndarray | None) -> None:
        plan, xp = self._plan, self._xp
        values = xp.asarray(values, self.engine.dtype)
        if self._control_bounds is None:  # on the device, once
            self._control_bounds = tuple(xp.asarray(plan.ranges[:, k], values.dtype) for k in (0, 1))
        low, high = self._control_bounds
        controls = xp.minimum(xp.maximum(values, low), high)
        first = self._bound.dofs.stop - len(self.joint_names)
        for component, start, sums in (
            (c.DriveTarget.position, first, plan.positions),
            (c.DriveTarget.velocity, first, plan.velocities),
            (c.DriveTarget.effort, first, plan.efforts),
            (c.Drive.damping, first, plan.dampings),
            (c.TendonModel.rest_length, self._first_tendon, plan.lengths),
        ):
            if len(sums.rows):
                self._write(component, sums.rows_from(start), sums.of(controls, xp), envs)
