"""What ``phalanx run`` aims the drives at, and how stiff they are when nobody says."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from phalanx.world.handles.robot import Robot

CONTROL_PERIOD = 0.02  # s between new targets of the sine
RANDOM_PERIOD = 0.5  # s between new targets of the random controller
SINE_FREQUENCY = 0.5  # Hz
SWING = 0.15, 0.03  # rad, m: how far the sine goes from the start pose
RANDOM_SWING = 0.5, 0.05  # rad, m
FULL_EFFORT_ERROR = 0.25, 0.025  # rad, m: position error at which a drive gives all that the file allows
FREE_FREQUENCY = 3.0  # Hz of a joint on its drive, where the file gives no effort limit

Controller = tuple[Callable[[float], Any] | None, float]  # targets (n, num_dof) for a time, seconds between calls


def gains(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and damping (num_dof,) for a robot that nobody tuned, from its model.

    A drive gives the joint's full effort at an error of 0.25 rad (0.025 m). Where the file has no effort limit, the
    joint alone would swing at 3 Hz. Damping is critical for the inertia that the joint moves in the start pose.
    """
    inertia = np.asarray(_host(robot.mass_matrix()))[0].diagonal()[-robot.num_dof :].astype(float)
    limits = _per_joint(robot, "effort_limit", np.inf)
    error = np.where(_sliding(robot), FULL_EFFORT_ERROR[1], FULL_EFFORT_ERROR[0])
    limited = np.isfinite(limits) & (limits > 0.0)
    swinging = inertia * (2.0 * np.pi * FREE_FREQUENCY) ** 2
    stiffness = np.where(limited, np.where(limited, limits, 0.0) / error, swinging)
    stiffness = np.where(limits == 0.0, 0.0, stiffness)  # a passive joint
    return stiffness, 2.0 * np.sqrt(stiffness * inertia)


def controller(name: str, robot: Robot, envs: range, all_envs: int, seed: int) -> Controller:
    """What the drives of a robot aim at; ``hold`` and ``none`` have no targets of their own.

    Args:
        name: of the controller.
        robot: whose drives they are.
        envs: numbers of the robot's environments among those of all processes.
        all_envs: how many these are.
        seed: of the random controller.
    """
    start = robot.default_joint_pos
    lower, upper = robot.joint_limits
    sliding = _sliding(robot)
    if name == "sine":
        swing = np.minimum(np.where(sliding, SWING[1], SWING[0]), 0.45 * (upper - lower))
        middle = np.clip(start, lower + swing, upper - swing)
        phase = 2.0 * np.pi * np.array(envs)[:, None] / all_envs

        def sine(time: float) -> np.ndarray:
            return middle + swing * np.sin(2.0 * np.pi * SINE_FREQUENCY * time + phase)

        return sine, CONTROL_PERIOD
    if name == "random":
        swing = np.where(sliding, RANDOM_SWING[1], RANDOM_SWING[0])
        low, high = np.maximum(lower, start - swing), np.minimum(upper, start + swing)

        def random(time: float) -> np.ndarray:
            # Filled environment by environment: one gets the same numbers however many there are.
            generator = np.random.default_rng([seed, round(time / RANDOM_PERIOD)])
            return low + (high - low) * generator.random((envs.stop, robot.num_dof))[envs.start :]

        return random, RANDOM_PERIOD
    return None, np.inf


def _per_joint(robot: Robot, attribute: str, otherwise: Any) -> np.ndarray:
    joints = {joint.name: joint for joint in robot.model.joints}
    return np.array([getattr(joints.get(name), attribute, otherwise) for name in robot.joint_names])


def _sliding(robot: Robot) -> np.ndarray:
    return _per_joint(robot, "type", "") == "prismatic"


def _host(value: Any) -> Any:
    return value.get() if hasattr(value, "get") else value
