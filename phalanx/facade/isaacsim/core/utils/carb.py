"""Settings by their names; see :mod:`phalanx.facade.carb.settings`."""

from __future__ import annotations

from typing import Any

from phalanx.facade.carb.settings import Settings


def get_carb_setting(carb_settings: Settings, setting: str) -> Any:
    """The value of a setting such as ``"/physics/updateToUsd"``, ``None`` if it was never set."""
    return carb_settings.get(setting)


def set_carb_setting(carb_settings: Settings, setting: str, value: Any) -> None:
    """Set a setting.

    Raises:
        TypeError: settings cannot be of that type.
    """
    carb_settings.set(setting, value)


__all__ = ["get_carb_setting", "set_carb_setting"]
