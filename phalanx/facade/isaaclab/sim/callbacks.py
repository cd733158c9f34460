"""Functions of users that a simulation calls, by name: before steps, when rendering, and when it plays or stops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from phalanx.facade.event_streams import Event


class Callbacks:
    """The part of a simulation that keeps and calls functions of users. It holds them until they are removed."""

    def __init__(self) -> None:
        self._known_callbacks: dict[str, dict[str, Callable[..., Any]]] = {}

    def add_physics_callback(self, callback_name: str, callback_fn: Callable[[float], None]) -> None:
        """Call a function with the length of the step before each step of physics.

        Raises:
            ValueError: the name is taken.
        """
        self._add("physics", callback_name, callback_fn)

    def physics_callback_exists(self, callback_name: str) -> bool:
        """Whether there is one of the name."""
        return callback_name in self._known_callbacks.get("physics", {})

    def remove_physics_callback(self, callback_name: str) -> None:
        """Call it no more.

        Raises:
            KeyError: there is none of the name.
        """
        self._remove("physics", callback_name)

    def clear_physics_callbacks(self) -> None:
        """Call none before steps."""
        self._known_callbacks.pop("physics", None)

    def add_render_callback(self, callback_name: str, callback_fn: Callable[[Event], None]) -> None:
        """Call a function at each render with an event, whose ``payload["dt"]`` is the time between rendered steps, s.

        Raises:
            ValueError: the name is taken.
        """
        self._add("render", callback_name, callback_fn)

    def render_callback_exists(self, callback_name: str) -> bool:
        """Whether there is one of the name."""
        return callback_name in self._known_callbacks.get("render", {})

    def remove_render_callback(self, callback_name: str) -> None:
        """Call it no more; KeyError if there is none of the name."""
        self._remove("render", callback_name)

    def clear_render_callbacks(self) -> None:
        """Call none when rendering."""
        self._known_callbacks.pop("render", None)

    def add_timeline_callback(self, callback_name: str, callback_fn: Callable[[Event], None]) -> None:
        """Call a function when it plays, pauses or stops, with an event, whose ``type`` is that of ``omni.timeline``.

        Raises:
            ValueError: the name is taken.
        """
        self._add("timeline", callback_name, callback_fn)

    def timeline_callback_exists(self, callback_name: str) -> bool:
        """Whether there is one of the name."""
        return callback_name in self._known_callbacks.get("timeline", {})

    def remove_timeline_callback(self, callback_name: str) -> None:
        """Call it no more; KeyError if there is none of the name."""
        self._remove("timeline", callback_name)

    def clear_timeline_callbacks(self) -> None:
        """Call none when it plays, pauses or stops."""
        self._known_callbacks.pop("timeline", None)

    def clear_all_callbacks(self) -> None:
        """Call none any more; assets are still told."""
        self._known_callbacks.clear()

    def _add(self, kind: str, name: str, function: Callable[..., Any]) -> None:
        known = self._known_callbacks.setdefault(kind, {})
        if name in known:
            raise ValueError(f"there is already a {kind} callback named {name!r}; remove it first or take another name")
        if not callable(function):
            raise TypeError(f"the {kind} callback {name!r} must be callable, not {function!r}")
        known[name] = function

    def _remove(self, kind: str, name: str) -> None:
        known = self._known_callbacks.get(kind, {})
        if name not in known:
            raise KeyError(f"there is no {kind} callback named {name!r}; there are {', '.join(known) or 'none'}")
        del known[name]

    def _call(self, kind: str, *arguments: Any) -> None:
        for function in list(self._known_callbacks.get(kind, {}).values()):
            function(*arguments)
