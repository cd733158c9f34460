"""Sliders for what a task asks of its policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from phalanx.learn.commands import Command
    from phalanx.viewer.viewer import Viewer


class Steering:
    """A box, and a slider for each command; while the box is ticked, sliders say what all environments are asked for.

    Args:
        viewer: gets the widgets.
        commands: of the task; without any there are no widgets.
    """

    def __init__(self, viewer: Viewer, commands: list[Command]) -> None:
        self._commands = commands
        if not commands:
            return
        self.own = viewer.add_checkbox("Command", False)
        self.sliders = [
            viewer.add_slider(one.label, one.low, one.high, min(max(0.0, one.low), one.high)) for one in commands
        ]

    def after_step(self) -> None:
        """Ask for what sliders say; called after each step."""
        if not self._commands or not self.own.value:
            return
        for command, slider in zip(self._commands, self.sliders, strict=True):
            command.set(float(slider.value))


def steer(viewer: Viewer, env: Any) -> Steering:
    """Sliders for an environment's commands."""
    from phalanx.learn.commands import commands_of

    return Steering(viewer, commands_of(env))
