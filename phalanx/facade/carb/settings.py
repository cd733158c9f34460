"""Settings of the application: values by names such as ``"/persistent/physics/updateToUsd"``, kept in memory only.

They are what scripts set; nothing in the simulation reads them unless docs/isaaclab.md says so.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

_PLAIN = (bool, int, float, str)


class Settings:
    """A tree of settings, each of which is a bool, an int, a float, a text or a list of them; thread-safe."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._lock = threading.RLock()

    def get(self, path: str) -> Any:
        """The value of a setting; of what has others below it, a dictionary; ``None`` if it was never set."""
        path = _checked(path)
        with self._lock:
            if path in self._values:
                value = self._values[path]
                return list(value) if isinstance(value, list) else value
            below = {key[len(path) :]: value for key, value in self._values.items() if key.startswith(f"{path}/")}
        tree: dict[str, Any] = {}
        for key, value in below.items():
            *parents, name = key.strip("/").split("/")
            node = tree
            for parent in parents:
                node = node.setdefault(parent, {})
            node[name] = value
        return tree or None

    def set(self, path: str, value: Any) -> None:
        """Set a setting, or with a dictionary all below it.

        Raises:
            TypeError: settings cannot be of that type.
            ValueError: the name is empty.
        """
        path = _checked(path)
        if isinstance(value, Mapping):
            for key, each in value.items():
                self.set(f"{path}/{key}", each)
            return
        many = isinstance(value, list | tuple)
        if not all(isinstance(each, _PLAIN) for each in (value if many else [value])):
            raise TypeError(
                f"setting {path!r} = {value!r}: must be a bool, an int, a float, a text or a list of them, "
                f"not {type(value).__name__}"
            )
        with self._lock:
            self._remove_around(path)
            self._values[path] = list(value) if many else value

    def _remove_around(self, path: str) -> None:
        """A value takes the place of what is below it, and of values above it."""
        for key in [key for key in self._values if key.startswith(f"{path}/") or path.startswith(f"{key}/")]:
            del self._values[key]

    def destroy_item(self, path: str) -> None:
        """Forget a setting and all below it."""
        path = _checked(path)
        with self._lock:
            for key in [key for key in self._values if key == path or key.startswith(f"{path}/")]:
                del self._values[key]

    def set_default(self, path: str, value: Any) -> None:
        """Set a setting if it has never been set."""
        with self._lock:
            if self.get(path) is None:
                self.set(path, value)

    def get_as_bool(self, path: str) -> bool:
        """A setting as a bool, ``False`` if it was never set."""
        value = self.get(path)
        return value.lower() in ("true", "1") if isinstance(value, str) else bool(value)

    def get_as_int(self, path: str) -> int:
        """A setting as an int, 0 if it was never set or is no number."""
        return int(self.get_as_float(path))

    def get_as_float(self, path: str) -> float:
        """A setting as a float, 0 if it was never set or is no number."""
        value = self.get(path)
        try:
            return float(value)
        except (TypeError, ValueError):
            return 0.0

    def get_as_string(self, path: str) -> str:
        """A setting as text, empty if it was never set."""
        value = self.get(path)
        return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)

    def set_bool(self, path: str, value: bool) -> None:
        """Set a setting to a bool."""
        self.set(path, bool(value))

    def set_int(self, path: str, value: int) -> None:
        """Set a setting to an int."""
        self.set(path, int(value))

    def set_float(self, path: str, value: float) -> None:
        """Set a setting to a float."""
        self.set(path, float(value))

    def set_string(self, path: str, value: str) -> None:
        """Set a setting to text."""
        self.set(path, str(value))

    set_default_bool = set_default_int = set_default_float = set_default_string = set_default
    set_string_array = set_int_array = set_float_array = set_bool_array = set


ISettings = Settings

_settings = Settings()


def get_settings() -> Settings:
    """The settings of the process."""
    return _settings


def acquire_settings_interface() -> Settings:
    """See :func:`get_settings`."""
    return _settings


def _checked(path: str) -> str:
    cleaned = "/" + str(path).strip("/")
    if cleaned == "/":
        raise ValueError(f'setting {path!r} has no name; give one such as "/app/name"')
    return cleaned


__all__ = ["ISettings", "Settings", "acquire_settings_interface", "get_settings"]
