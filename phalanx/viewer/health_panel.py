"""A tab with how the simulation fares: environments in trouble, and where a step's time goes."""

from __future__ import annotations

import html
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from phalanx.ecs import trace
from phalanx.viewer.selection import ONE

if TYPE_CHECKING:
    from phalanx.viewer.steered import Steered
    from phalanx.world.world import World

EVERY = 1.0
"""s of real time between two looks."""

LISTED = 8
"""Environments with a button each."""

NAMED = 12
"""Systems that are named."""

COLORS = ("#1c7ed6", "#e8590c", "#2f9e44", "#9c36b5", "#c2255c", "#0c8599", "#e67700", "#5f3dc4")

FINE = "No environment is in trouble."


class HealthPanel:
    """Environments that diverged, or had no room for all contacts, with buttons that show them; and ms per system.

    Args:
        viewer: that it is part of.
        tabs: of its panel.
    """

    def __init__(self, viewer: Steered, tabs: Any) -> None:
        self._viewer, gui = viewer, viewer.server.gui
        self._due = 0.0
        self._tracing: int | None = None
        self._listed: tuple[int, ...] = ()
        self._shown: tuple[int, ...] = ()
        self._table, self._bars = FINE, ""
        self._go: Any = None
        self._tab = tabs.add_tab("Health")
        with self._tab:
            self.table = gui.add_markdown(FINE)
            self.systems = gui.add_checkbox("Time systems", False)
            self.bars = gui.add_html("", visible=False)

    def take(self, world: World, obey: Callable[[Callable[[World], object]], object]) -> None:
        """Look, now and then; called where the world may be read. ``obey`` tells of what fails."""
        if self._tracing is not None:
            steps = world.step_count - self._tracing
            if steps > 0 or not self.systems.value:
                events, self._tracing = trace.stop(), None
                self._bars = flame(events, steps) if steps > 0 else self._bars
        now = time.perf_counter()
        if now < self._due:
            return
        self._due = now + EVERY
        obey(self._look)
        if self.systems.value and not trace.active():
            trace.start()
            self._tracing = world.step_count

    def show(self) -> None:
        """Send what was seen."""
        if self.table.content != self._table:
            self.table.content = self._table
        self.bars.visible = bool(self.systems.value)
        if self.bars.content != self._bars:
            self.bars.content = self._bars
        listed = self._listed
        if (self._go is None and not listed) or (self._go is not None and self._shown == listed):
            return
        if self._go is not None:
            self._go.remove()
            self._go = None
        if listed:
            with self._tab:
                self._go = self._viewer.server.gui.add_button_group("Go to", tuple(map(str, listed)))
            self._go.on_click(lambda event: self._show_env(int(event.target.value)))
        self._shown = listed

    def close(self) -> None:
        """Measure no longer."""
        if self._tracing is not None:
            trace.stop()
            self._tracing = None

    def _look(self, world: World) -> None:
        rows = [(int(env), "diverged, frozen until it is reset") for env in world.diverged]
        frozen = {env for env, _ in rows}
        rows += [(int(env), "no room for all contacts") for env in world.overfull if int(env) not in frozen]
        self._listed = tuple(env for env, _ in rows[:LISTED])
        lines = ["| Environment | |", "|---|---|", *(f"| {env} | {why} |" for env, why in rows[:LISTED])]
        if len(rows) > LISTED:
            lines.append(f"| ... | {len(rows) - LISTED} more |")
        self._table = "\n".join(lines) if rows else FINE

    def _show_env(self, env: int) -> None:
        chosen = self._viewer.selection
        chosen.mode, chosen.env = ONE, env
        self._viewer.shows_others()


def flame(events: list[dict[str, Any]], steps: int) -> str:
    """A bar of what systems take of a step, as HTML, and a list of the longest ones.

    Args:
        events: of :func:`phalanx.ecs.trace.stop`.
        steps: that were made meanwhile.
    """
    spent: dict[str, float] = {}
    for event in events:
        if event["cat"] == "system":
            spent[event["name"]] = spent.get(event["name"], 0.0) + event["dur"] / 1000.0 / steps
    total = sum(spent.values())
    if not total:
        return ""
    parts, names = [], []
    longest = sorted(spent, key=spent.__getitem__, reverse=True)[:NAMED]
    for name, ms in spent.items():  # as they ran
        number = longest.index(name) if name in longest else -1
        color = COLORS[number % len(COLORS)] if number >= 0 else "#adb5bd"
        title = html.escape(f"{name}: {ms:.3f} ms")
        parts.append(f'<div title="{title}" style="width:{100 * ms / total:.2f}%;background:{color}"></div>')
    for number, name in enumerate(longest):
        color = COLORS[number % len(COLORS)]
        names.append(
            f'<tr><td style="color:{color}">&#9632;</td><td>{html.escape(name)}</td>'
            f'<td style="text-align:right">{spent[name]:.3f}</td><td style="text-align:right">'
            f"{100 * spent[name] / total:.0f} %</td></tr>"
        )
    return (
        f'<div style="padding:0.5em;font-size:0.8em"><div>{total:.3f} ms a step, system by system</div>'
        f'<div style="display:flex;height:1.6em;width:100%">{"".join(parts)}</div>'
        f'<table style="width:100%">{"".join(names)}</table></div>'
    )
