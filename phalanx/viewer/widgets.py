"""Widgets of the user's own in the viewer's panel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Change = Callable[[Any], object]
"""Called with a widget's new value, between two steps."""


class Widgets:
    """The part of a viewer to which users add buttons, sliders and the like.

    Each method returns viser's handle, whose ``value`` can be read and set at any time. Callbacks run between two
    steps, on the thread that steps, and may change the world.
    """

    _tabs: Any

    def __init__(self, server: Any, do: Callable[[Callable[[Any], object]], None]) -> None:
        self._gui, self._do = server.gui, do
        self._own_tab: Any = None

    def add_button(self, label: str, on_click: Callable[[], object]) -> Any:
        """A button."""
        with self._tab():
            handle = self._gui.add_button(label)
        handle.on_click(lambda _: self._do(lambda _: on_click()))
        return handle

    def add_slider(
        self,
        label: str,
        low: float,
        high: float,
        value: float | None = None,
        on_change: Change | None = None,
        *,
        step: float | None = None,
    ) -> Any:
        """A slider from ``low`` to ``high``, at ``value`` or in the middle; by default with a thousand steps.

        Raises:
            ValueError: ``low`` is not below ``high``.
        """
        if not low < high:
            raise ValueError(f"slider {label!r}: low={low} must be below high={high}")
        step = (high - low) / 1000 if step is None else step
        start = (low + high) / 2 if value is None else value
        with self._tab():
            handle = self._gui.add_slider(label, low, high, step, start)
        return self._changing(handle, on_change)

    def add_checkbox(self, label: str, value: bool = False, on_change: Change | None = None) -> Any:
        """A box to tick."""
        with self._tab():
            handle = self._gui.add_checkbox(label, value)
        return self._changing(handle, on_change)

    def add_number(self, label: str, value: float, on_change: Change | None = None) -> Any:
        """A number to type."""
        with self._tab():
            handle = self._gui.add_number(label, value)
        return self._changing(handle, on_change)

    def add_dropdown(
        self, label: str, options: Sequence[str], value: str | None = None, on_change: Change | None = None
    ) -> Any:
        """One of several texts."""
        with self._tab():
            handle = self._gui.add_dropdown(label, tuple(options), initial_value=value)
        return self._changing(handle, on_change)

    def add_text(self, label: str, value: str = "", on_change: Change | None = None) -> Any:
        """A text to type, or to show what ``value`` is set to."""
        with self._tab():
            handle = self._gui.add_text(label, value)
        return self._changing(handle, on_change)

    def _tab(self) -> Any:
        if self._own_tab is None:
            self._own_tab = self._tabs.add_tab("Own")
        return self._own_tab

    def _changing(self, handle: Any, on_change: Change | None) -> Any:
        if on_change is not None:
            handle.on_update(lambda event: event.client and self._do(lambda _: on_change(handle.value)))
        return handle
