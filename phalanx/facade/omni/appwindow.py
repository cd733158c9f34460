"""What scripts import as ``omni.appwindow``: the window that there is not, for the sake of its keyboard and gamepad."""

from __future__ import annotations

from phalanx.facade.carb.input import GAMEPAD, KEYBOARD, Device


class AppWindow:
    """No window."""

    def get_keyboard(self) -> Device:
        """Its keyboard, which nobody touches; see :class:`phalanx.facade.carb.input.Input`."""
        return KEYBOARD

    def get_gamepad(self, index: int = 0) -> Device:
        """Its gamepad, likewise."""
        return Device(GAMEPAD.kind, index)


_window = AppWindow()


def get_default_app_window() -> AppWindow:
    """The one of the process."""
    return _window


__all__ = ["AppWindow", "get_default_app_window"]
