"""Actuators and keyframes that a robot's file brings along: control signals to drives, named states."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.handle import on_device
from phalanx.io.actuators import Actuator, Keyframe
from phalanx.io.checks import nearest
from phalanx.robot_tendons import RobotTendons


@dataclass
class _Terms:
    """Sums over actuators, target by target: ``total[:, rows] += coefficients * u[:, columns]``, layer after layer.

    In a layer no target comes twice, and sums are in the order of the actuators, whatever the number of environments.
    """

    layers: list[tuple[list[int], list[int], list[float]]] = field(default_factory=list)

    def add(self, row: int, column: int, coefficient: float) -> None:
        layer = next((one for one in self.layers if row not in one[0]), None)
        if layer is None:
            self.layers.append(layer := ([], [], []))
        for values, value in zip(layer, (row, column, coefficient), strict=True):
            values.append(value)  # type: ignore[arg-type]

    def sum(self, start: np.ndarray, controls: Any, xp: Any) -> Any:
        """``start`` (k,) plus what the controls (n, num_actuators) give, (n, k)."""
        found = xp.zeros((controls.shape[0], len(start)), controls.dtype) + xp.asarray(start, controls.dtype)
        for rows, columns, coefficients in self.layers:
            found[:, xp.asarray(rows)] += controls[:, xp.asarray(columns)] * xp.asarray(coefficients, controls.dtype)
        return found


class _Plan:
    """What actuators make of drives and tendons.

    A drive's effort is c - stiffness * q - damping * v, with c a sum over its actuators. It goes into the position
    target where there is a stiffness, else into that of velocity or effort.
    """

    def __init__(self, robot: RobotActuators) -> None:
        joints, tendons = robot.joint_names, robot.model.fixed_tendons
        self.stiffness, self.damping, self.constant = (np.zeros(len(joints)) for _ in range(3))
        self.limit = np.zeros(len(joints))
        self.terms, self.dampers = _Terms(), _Terms()
        self.tendon_stiffness, self.tendon_damping, self.tendon_constant = (np.zeros(len(tendons)) for _ in range(3))
        self.tendon_terms = _Terms()
        driven: dict[int, None] = {}
        pulled: dict[int, None] = {}
        ranges = []
        for column, actuator in enumerate(robot.model.actuators):
            ranges.append(_controls(actuator))
            b0, b1, b2 = actuator.bias
            if actuator.tendon:
                row, gear = [tendon.name for tendon in tendons].index(actuator.tendon), actuator.gear
                self.tendon_stiffness[row] -= b1 * gear * gear
                self.tendon_damping[row] -= b2 * gear * gear
                self.tendon_constant[row] += b0 * gear
                self.tendon_terms.add(row, column, actuator.gain * gear)
                pulled[row] = None
            for name, gear in actuator.joints.items():
                row = robot.joint_index(name)
                self.stiffness[row] -= b1 * gear * gear
                self.damping[row] -= b2 * gear * gear
                self.constant[row] += b0 * gear
                self.limit[row] += abs(gear) * _most(actuator, ranges[-1])
                self.terms.add(row, column, actuator.gain * gear)
                if actuator.velocity_gain:
                    self.dampers.add(row, column, -actuator.velocity_gain * gear * gear)
                driven[row] = None
        self.ranges = np.array(ranges).reshape(-1, 2)
        self.driven, self.pulled = np.array(list(driven), np.int64), np.array(list(pulled), np.int64)


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
    """A robot's actuators, see :class:`phalanx.io.actuators.Actuator`, and keyframes.

    Actuators become drives: servos for positions and velocities the gains that they have, limited as their forces are;
    :meth:`set_controls` sets the targets that belong to control signals. ``set_drive`` and ``set_targets`` can replace
    what they set. Arrays of controls are in the order of :attr:`actuator_names`.
    """

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
        self.world.input_revision += 1

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

    def set_joint_state(self, pos: Any = None, vel: Any = None, env_ids: Any = None) -> None:
        """See :meth:`phalanx.Robot.set_joint_state`."""
        raise NotImplementedError

    def _keyframe(self, name: str) -> Keyframe:
        for keyframe in self.model.keyframes:
            if keyframe.name == name:
                return keyframe
        known = ", ".join(self.keyframe_names) or "none"
        raise KeyError(f"{self} has no keyframe {name!r}{nearest(name, self.keyframe_names)} It has {known}")

    def joint_index(self, name: str) -> int:
        """Position of a joint in ``joint_names``."""
        raise NotImplementedError

    # -- drives ------------------------------------------------------------------------------------------------

    @cached_property
    def _plan(self) -> _Plan:
        return _Plan(self)

    def _set_gains(self, first: int) -> None:
        """Gains and limits of the drives; ``first`` is the row of the first joint's dof. Called once, when built."""
        plan, n = self._plan, self.world.num_envs
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
        values = xp.asarray(values)
        low, high = (xp.asarray(plan.ranges[:, k], values.dtype) for k in (0, 1))
        controls = xp.minimum(xp.maximum(values, low), high)
        if len(plan.driven):
            self._aim(plan, controls, envs)
        if len(plan.pulled):
            total = plan.tendon_terms.sum(plan.tendon_constant, controls, xp)
            stiffness = self._tendon_gains()
            passive = np.array([tendon.rest_length or 0.0 for tendon in self.model.fixed_tendons])
            passive = passive * (stiffness - plan.tendon_stiffness)
            rest = (total + xp.asarray(passive, values.dtype)) / xp.asarray(np.maximum(stiffness, 1e-300), values.dtype)
            rows = self._first_tendon + plan.pulled
            self._write(c.TendonModel.rest_length, rows, rest[:, xp.asarray(plan.pulled)], envs)

    def _tendon_gains(self) -> np.ndarray:
        """Stiffness of the fixed tendons' springs, those of actuators included."""
        return np.array([tendon.stiffness for tendon in self.model.fixed_tendons])

    def _aim(self, plan: _Plan, controls: Any, envs: np.ndarray | None) -> None:
        """Targets of the drives."""
        xp = self._xp
        total = plan.terms.sum(plan.constant, controls, xp)
        springs, dampers = plan.stiffness > 0.0, plan.damping > 0.0
        first = self._bound.dofs.stop - len(self.joint_names)
        for component, chosen, gain in (
            (c.DriveTarget.position, springs, plan.stiffness),
            (c.DriveTarget.velocity, dampers & ~springs, plan.damping),
            (c.DriveTarget.effort, ~springs & ~dampers, np.ones(len(springs))),
        ):
            mine = plan.driven[chosen[plan.driven]]
            if len(mine):
                aim = total[:, xp.asarray(mine)] / xp.asarray(gain[mine], total.dtype)
                self._write(component, first + mine, aim, envs)
        if plan.dampers.layers:
            damping = plan.dampers.sum(plan.damping, controls, xp)
            self._write(c.Drive.damping, first + plan.driven, damping[:, xp.asarray(plan.driven)], envs)
