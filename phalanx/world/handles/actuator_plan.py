"""What a robot's actuators make of its drives and tendons: gains, limits, and targets from control signals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from phalanx.models.actuators import Actuator
from phalanx.models.robot_model import RobotModel


class Sums:
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

    def over(self, gains: np.ndarray) -> Sums:
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


class ActuatorPlan:
    """What actuators make of drives and tendons.

    A drive's effort is c - stiffness * q - damping * v, with c a sum over its actuators. It goes into the position
    target where there is a stiffness, else into that of velocity or effort.
    """

    def __init__(self, model: RobotModel, joints: Sequence[str], joint_index: Callable[[str], int]) -> None:
        tendons = [tendon.name for tendon in model.fixed_tendons]
        self.stiffness, self.damping, self.limit, constant = (np.zeros(len(joints)) for _ in range(4))
        terms: dict[int, list[tuple[int, float]]] = {}
        dampers: dict[int, list[tuple[int, float]]] = {}
        pulls: dict[int, list[tuple[int, float]]] = {}
        stretch, held = np.zeros(len(tendons)), np.zeros(len(tendons))
        ranges = []
        for column, actuator in enumerate(model.actuators):
            ranges.append(_controls(actuator))
            b0, b1, b2 = actuator.bias
            if actuator.tendon:
                row, gear = tendons.index(actuator.tendon), actuator.gear
                held[row] -= b1 * gear * gear
                stretch[row] += b0 * gear
                pulls.setdefault(row, []).append((column, actuator.gain * gear))
            for name, gear in actuator.joints.items():
                row = joint_index(name)
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
        self.positions = Sums(self.driven[springs], constant, terms).over(self.stiffness)
        self.velocities = Sums(self.driven[~springs & dashpots], constant, terms).over(self.damping)
        self.efforts = Sums(self.driven[~springs & ~dashpots], constant, terms)
        self.dampings = Sums(np.array(sorted(dampers), np.int64), self.damping, dampers)
        # The spring of a tendon is that of the actuators and one of its own: forces add up, so lengths are weighted.
        total = np.array([tendon.stiffness for tendon in model.fixed_tendons])
        rest = np.array([tendon.rest_length or 0.0 for tendon in model.fixed_tendons])
        self.lengths = Sums(np.array(sorted(pulls), np.int64), stretch + (total - held) * rest, pulls).over(total)


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
