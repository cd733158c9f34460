"""Sliders for the joints of a robot: where they are, where their drives aim, or where to put them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from phalanx.viewer.steered import Steered
    from phalanx.world.handles.robot import Robot
    from phalanx.world.world import World

SHOW, TARGETS, POSITIONS = "Show positions", "Set targets", "Set positions"
MODES = (SHOW, TARGETS, POSITIONS)
REFRESH = 0.2
"""s between changes of sliders."""

FREE = 2.0 * np.pi
"""rad or m: how far sliders go where a joint has no limit."""


class JointPanel:
    """Joints of a robot in the environments that are seen.

    Args:
        viewer: that it is part of.
        tabs: of its panel.
        recorded: of a robot's name and an environment, the positions (num_dof,) that are shown; nothing can be set
            then. By default they are those of the world.
    """

    def __init__(self, viewer: Steered, tabs: Any, recorded: Callable[[str, int], np.ndarray] | None = None) -> None:
        self._viewer, self._recorded = viewer, recorded
        self._robots: dict[str, Robot] = {name: r for name, r in viewer.world.robots.items() if r.num_dof}
        self._values: np.ndarray | None = None
        self._read = 0.0
        self.sliders: list[Any] = []
        if not self._robots:
            return
        gui = viewer.server.gui
        with tabs.add_tab("Joints") as tab:
            self._tab = tab
            self.robot = gui.add_dropdown("Robot", tuple(self._robots), visible=len(self._robots) > 1)
            self.mode = gui.add_dropdown("Sliders", MODES, initial_value=SHOW, visible=recorded is None)
        self.robot.on_update(lambda event: event.client and self._make())
        self.mode.on_update(lambda event: event.client and self._make())
        self._make()

    @property
    def _chosen(self) -> Robot:
        return self._robots[self.robot.value]

    def _make(self) -> None:
        """New sliders, for the robot and the mode that are chosen."""
        for slider in self.sliders:
            slider.remove()
        robot, gui = self._chosen, self._viewer.server.gui
        made = []
        lower, upper = (np.asarray(each, float) for each in robot.joint_limits)
        start = np.asarray(robot.default_joint_pos, float)
        with self._tab:
            for joint, name in enumerate(robot.joint_names):
                low = float(lower[joint]) if np.isfinite(lower[joint]) else -FREE
                high = float(upper[joint]) if np.isfinite(upper[joint]) else FREE
                high = high if high > low else low + 1e-3
                step = float(f"{(high - low) / 500:.1g}")
                value = float(np.clip(start[joint], low, high))
                slider = gui.add_slider(name, low, high, step, value, disabled=self.mode.value == SHOW)
                slider.on_update(lambda event, joint=joint: event.client and self._moved(joint))
                made.append(slider)
        self.sliders, self._values = made, None

    def _moved(self, joint: int) -> None:
        slider = self.sliders[joint]
        self._viewer.do(lambda world: self._write(world, joint, slider))

    def _write(self, world: World, joint: int, slider: Any) -> None:
        robot, envs = self._chosen, self._viewer.selection.envs()
        if self.mode.value == TARGETS:
            targets = _host(robot.joint_pos_target)[envs]
            targets[:, joint] = slider.value
            robot.set_targets(pos=targets, env_ids=envs)
        elif self.mode.value == POSITIONS:
            positions, velocities = _host(robot.joint_pos)[envs], _host(robot.joint_vel)[envs]
            positions[:, joint], velocities[:, joint] = slider.value, 0.0
            robot.set_joint_state(positions, velocities, env_ids=envs)

    def read(self) -> None:
        """Copy what sliders show; called where the world may be read."""
        now = time.perf_counter()
        if not self.sliders or self.mode.value != SHOW or now - self._read < REFRESH:
            return
        self._read = now
        env = int(self._viewer.selection.envs()[0])
        if self._recorded is not None:
            self._values = self._recorded(self._chosen.name, env).astype(float)
        else:
            self._values = _host(self._chosen.joint_pos)[env].astype(float)

    def show(self) -> None:
        """Move sliders to what was read."""
        values, self._values = self._values, None
        if values is None or len(values) != len(self.sliders):
            return
        for slider, value in zip(self.sliders, values, strict=True):
            if np.isfinite(value):
                value = float(np.clip(value, slider.min, slider.max))
                if abs(value - slider.value) > 0.5 * slider.step:
                    slider.value = value


def _host(value: Any) -> Any:
    return value.get() if hasattr(value, "get") else value
