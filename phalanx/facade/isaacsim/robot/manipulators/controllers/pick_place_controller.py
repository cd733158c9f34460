"""From one place to another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.controllers.base_controller import BaseController
from phalanx.facade.isaacsim.core.utils.stage import get_stage_units
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction
from phalanx.facade.isaacsim.robot.manipulators.grippers.gripper import Gripper

ABOVE, LOWER, WAIT, CLOSE, LIFT, CARRY, PUT, OPEN, RISE, LEAVE = range(10)
"""The phases."""

STEPS = (0.008, 0.005, 0.1, 0.1, 0.0025, 0.001, 0.0025, 1.0, 0.008, 0.08)
"""What part of each phase passes with a call."""

HEIGHT = 0.3
"""m: of the end effector while it carries."""

DOWN = np.array([0.0, 0.0, 1.0, 0.0])
"""(w, x, y, z): half a turn about y."""


class PickPlaceController(BaseController):
    """Takes a thing from one place to another, in ten phases.

    The end effector goes above the thing, down to it, waits, closes the gripper, lifts the thing, carries it at one
    height, puts it down, opens the gripper, rises, and leaves.

    Args:
        name: what it is called.
        cspace_controller: brings the end effector to a pose: its ``forward`` takes ``target_end_effector_position``
            and ``target_end_effector_orientation``.
        gripper: what takes hold.
        end_effector_initial_height: height of the end effector while it carries; 0.3 m by default.
        events_dt: what part of each phase passes with a call, at most ten.

    Raises:
        TypeError: ``events_dt`` is neither a list nor an array.
        ValueError: there are more than ten.
    """

    def __init__(
        self,
        name: str,
        cspace_controller: BaseController,
        gripper: Gripper,
        end_effector_initial_height: float | None = None,
        events_dt: Any = None,
    ) -> None:
        super().__init__(name)
        self._cspace_controller, self._gripper = cspace_controller, gripper
        self._h1 = HEIGHT / get_stage_units() if end_effector_initial_height is None else end_effector_initial_height
        self._events_dt = list(STEPS) if events_dt is None else _steps(events_dt)
        self._event, self._t, self._pause = 0, 0.0, False
        self._start = np.zeros(3)

    def is_paused(self) -> bool:
        """Whether it does nothing for now."""
        return self._pause

    def get_current_event(self) -> int:
        """The phase that it is in, 0 to 10."""
        return self._event

    def is_done(self) -> bool:
        """Whether all phases are over."""
        return self._event >= len(self._events_dt)

    def pause(self) -> None:
        """Do nothing until :meth:`resume`."""
        self._pause = True

    def resume(self) -> None:
        """Go on."""
        self._pause = False

    def forward(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        picking_position: Any,
        placing_position: Any,
        current_joint_positions: Any,
        end_effector_offset: Any = None,
        end_effector_orientation: Any = None,
    ) -> ArticulationAction:
        """The action now; one of which nothing is set once it is done, or is paused.

        Args:
            picking_position: where the thing is, (3,).
            placing_position: where it shall be, (3,).
            current_joint_positions: of the robot, (joints,).
            end_effector_offset: of the end effector from the thing, (3,).
            end_effector_orientation: (w, x, y, z); half a turn about y by default.
        """
        nothing = ArticulationAction(joint_positions=[None] * len(current_joint_positions))
        if self._pause or self.is_done():
            self._pause = True
            return nothing
        if self._event == WAIT:
            action = nothing
        elif self._event in (CLOSE, OPEN):
            action = self._gripper.forward(action="close" if self._event == CLOSE else "open")
        else:
            if self._event in (ABOVE, LOWER):
                self._start = on_host(picking_position, float)
            target = self._target(on_host(placing_position, float))
            if end_effector_offset is not None:
                target = target + on_host(end_effector_offset, float)
            action = self._cspace_controller.forward(
                target_end_effector_position=target,
                target_end_effector_orientation=DOWN if end_effector_orientation is None else end_effector_orientation,
            )
        self._t += self._events_dt[self._event]
        if self._t >= 1.0:
            self._event, self._t = self._event + 1, 0.0
        return action

    def _target(self, goal: np.ndarray) -> np.ndarray:
        """Where the end effector shall be, without its offset."""
        part = 0.5 * (1.0 - math.cos(math.pi * self._t))
        across = 0.0 if self._event < CARRY else part if self._event == CARRY else 1.0
        down = {LOWER: part, LIFT: 1.0 - part}.get(self._event, 0.0)
        ground = self._start[2]
        if self._event in (PUT, RISE):
            down, ground = (part if self._event == PUT else 1.0 - part), goal[2]
        x, y = (1.0 - across) * self._start[:2] + across * goal[:2]
        return np.array([x, y, (1.0 - down) * self._h1 + down * ground])

    def reset(self, end_effector_initial_height: float | None = None, events_dt: Any = None) -> None:
        """Begin anew, with another height and other phases if they are given."""
        self._cspace_controller.reset()
        self._event, self._t, self._pause = 0, 0.0, False
        if end_effector_initial_height is not None:
            self._h1 = end_effector_initial_height
        if events_dt is not None:
            self._events_dt = _steps(events_dt)


def _steps(events_dt: Any) -> list[float]:
    if not isinstance(events_dt, list | np.ndarray):
        raise TypeError(f"events_dt must be a list or an array of NumPy, not {type(events_dt).__name__}")
    if len(events_dt) > len(STEPS):
        raise ValueError(f"events_dt has {len(events_dt)} values; it must have at most {len(STEPS)}")
    return [float(each) for each in events_dt]


__all__ = ["PickPlaceController"]
