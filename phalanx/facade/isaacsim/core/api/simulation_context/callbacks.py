"""Functions of users that a simulation context calls, by name."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from phalanx.facade import physics_steps
from phalanx.facade.omni.kit.app import get_app
from phalanx.facade.omni.timeline import get_timeline_interface
from phalanx.facade.omni.usd import get_context

log = logging.getLogger("phalanx.facade")


class Callbacks:
    """The part of a simulation context that keeps functions of users.

    A name that is taken, or that is not there, is an error in the log, and nothing happens.
    """

    def __init__(self) -> None:
        self._physics_functions: dict[str, Callable[[float], None]] = {}
        self._physics_callback_functions: dict[str, Any] = {}
        self._stage_callback_functions: dict[str, Any] = {}
        self._timeline_callback_functions: dict[str, Any] = {}
        self._render_callback_functions: dict[str, Any] = {}

    # -- before steps ----------------------------------------------------------------------------------------

    def add_physics_callback(self, callback_name: str, callback_fn: Callable[[float], None]) -> None:
        """Call a function with the length of the step, s, before each step of physics.

        It outlives stops and resets: while it is stopped there is none, and when it plays again, there it is.
        """
        if _is_free("Physics", callback_name, self._physics_callback_functions):
            self._physics_functions[callback_name] = callback_fn
            self._subscribe(callback_name)

    def _subscribe(self, name: str) -> None:
        function = self._physics_functions[name]
        listener = physics_steps.BEFORE.create_subscription_to_pop(lambda event: function(event.payload["dt"]))
        self._physics_callback_functions[name] = listener

    def remove_physics_callback(self, callback_name: str) -> None:
        """Call it no more."""
        if _is_there("Physics", callback_name, self._physics_callback_functions):
            del self._physics_callback_functions[callback_name]
            del self._physics_functions[callback_name]

    def physics_callback_exists(self, callback_name: str) -> bool:
        """Whether there is one of the name."""
        return callback_name in self._physics_callback_functions

    def clear_physics_callbacks(self) -> None:
        """Call none before steps."""
        self._physics_callback_functions, self._physics_functions = {}, {}

    # -- about the stage -------------------------------------------------------------------------------------

    def add_stage_callback(self, callback_name: str, callback_fn: Callable[[Any], None]) -> None:
        """Call a function with each event of the stage, see ``omni.usd.StageEventType``."""
        if _is_free("Stage", callback_name, self._stage_callback_functions):
            stream = get_context().get_stage_event_stream()
            self._stage_callback_functions[callback_name] = stream.create_subscription_to_pop(callback_fn)

    def remove_stage_callback(self, callback_name: str) -> None:
        """Call it no more."""
        if _is_there("Stage", callback_name, self._stage_callback_functions):
            del self._stage_callback_functions[callback_name]

    def stage_callback_exists(self, callback_name: str) -> bool:
        """Whether there is one of the name."""
        return callback_name in self._stage_callback_functions

    def clear_stage_callbacks(self) -> None:
        """Call none about the stage."""
        self._stage_callback_functions = {}

    # -- about the timeline ----------------------------------------------------------------------------------

    def add_timeline_callback(self, callback_name: str, callback_fn: Callable[[Any], None]) -> None:
        """Call a function with each event of the timeline, see ``omni.timeline.TimelineEventType``."""
        if _is_free("Timeline", callback_name, self._timeline_callback_functions):
            stream = get_timeline_interface().get_timeline_event_stream()
            self._timeline_callback_functions[callback_name] = stream.create_subscription_to_pop(callback_fn)

    def remove_timeline_callback(self, callback_name: str) -> None:
        """Call it no more."""
        if _is_there("Timeline", callback_name, self._timeline_callback_functions):
            del self._timeline_callback_functions[callback_name]

    def timeline_callback_exists(self, callback_name: str) -> bool:
        """Whether there is one of the name."""
        return callback_name in self._timeline_callback_functions

    def clear_timeline_callbacks(self) -> None:
        """Call none about the timeline."""
        self._timeline_callback_functions = {}

    # -- at frames -------------------------------------------------------------------------------------------

    def add_render_callback(self, callback_name: str, callback_fn: Callable[[Any], None]) -> None:
        """Call a function at each frame, with an event whose ``payload["dt"]`` is the time between frames, s."""
        if _is_free("Render", callback_name, self._render_callback_functions):
            stream = get_app().get_update_event_stream()
            self._render_callback_functions[callback_name] = stream.create_subscription_to_pop(callback_fn)

    def remove_render_callback(self, callback_name: str) -> None:
        """Call it no more."""
        if _is_there("Render", callback_name, self._render_callback_functions):
            del self._render_callback_functions[callback_name]

    def render_callback_exists(self, callback_name: str) -> bool:
        """Whether there is one of the name."""
        return callback_name in self._render_callback_functions

    def clear_render_callbacks(self) -> None:
        """Call none at frames."""
        self._render_callback_functions = {}

    def clear_all_callbacks(self) -> None:
        """Call none any more."""
        self.clear_physics_callbacks()
        self.clear_stage_callbacks()
        self.clear_timeline_callbacks()
        self.clear_render_callbacks()

    # -- when it stops and plays -----------------------------------------------------------------------------

    def _stop_physics_callbacks(self) -> None:
        self._physics_callback_functions = {}

    def _start_physics_callbacks(self) -> None:
        for name in self._physics_functions:
            if name not in self._physics_callback_functions:
                self._subscribe(name)


def _is_free(kind: str, name: str, known: dict[str, Any]) -> bool:
    if name in known:
        log.error("%s callback `%s` already exists", kind, name)
    return name not in known


def _is_there(kind: str, name: str, known: dict[str, Any]) -> bool:
    if name not in known:
        log.error("%s callback `%s` doesn't exist", kind, name)
    return name in known
