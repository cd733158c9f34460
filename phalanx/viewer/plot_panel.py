"""Signals over time, as curves in the panel."""

from __future__ import annotations

import time as clock
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx import components as c
from phalanx.viewer.energies import energy

if TYPE_CHECKING:
    from phalanx.viewer.steered import Steered
    from phalanx.world.world import World

KEPT = 400
"""Points of a curve."""

EVERY = 0.1
"""s of real time between two points."""

MOST = 16
"""Curves of a plot."""

COLORS = ("#1c7ed6", "#e8590c", "#2f9e44", "#9c36b5", "#c2255c", "#0c8599", "#e67700", "#5f3dc4")


class Plot:
    """A plot in the panel.

    Args:
        gui: viser's.
        label: title of the plot.
        read: returns numbers (num_envs,) or (num_envs, curves), or one for all environments.
        names: of the curves.
    """

    def __init__(self, gui: Any, label: str, read: Callable[[], Any], names: tuple[str, ...] = ()) -> None:
        self.label = label
        self._gui, self._read, self._names = gui, read, names
        self._points: deque[np.ndarray] = deque(maxlen=KEPT)
        self._handle: Any = None
        self._of: tuple[Any, ...] = ()
        self._renamed = False

    def take(self, time: float, envs: Sequence[int], curve: str | None = None) -> None:
        """Add a point; called where the world may be read. Other environments, or time that goes back, begin anew.

        Args:
            time: s, simulated.
            envs: that are seen: curves are those of the first one.
            curve: the name of one, which is drawn of each of the environments instead.
        """
        value = self._read()
        value = np.asarray(value.get() if hasattr(value, "get") else value, float)
        key: tuple[Any, ...] = (int(envs[0]),)
        if curve is not None and curve in self._names and value.ndim:
            key = (curve, *map(int, envs[:MOST]))
            numbers = value.reshape(len(value), -1)[list(key[1:]), self._names.index(curve)]
        else:
            numbers = (value[key[0]] if value.ndim else value).reshape(-1)[:MOST]
        if key != self._of or (
            self._points and (time < self._points[-1][0] or len(numbers) + 1 != len(self._points[-1]))
        ):
            self._points.clear()
            self._renamed |= key != self._of and max(len(key), len(self._of)) > 1
        self._of = key
        if not self._points or time > self._points[-1][0]:
            self._points.append(np.concatenate([[time], np.where(np.isfinite(numbers), numbers, np.nan)]))

    @property
    def data(self) -> np.ndarray:
        """(1 + curves, points): times, then values."""
        points = list(self._points)  # another thread adds some
        return np.stack(points, axis=1) if points else np.zeros((1, 0))

    def remove(self) -> None:
        """Take it out of the panel."""
        if self._handle is not None:
            self._handle.remove()
            self._handle = None

    def show(self) -> None:
        """Draw what was taken."""
        data = self.data
        if data.shape[1] < 2:
            return
        if self._renamed:
            self._renamed = False
            self.remove()
        rows = tuple(np.ascontiguousarray(row) for row in (data[0], *bridged(data[0], data[1:])))
        if self._handle is None:
            names = self._names or tuple(str(i) for i in range(len(rows) - 1))
            if len(self._of) > 1:
                names = tuple(f"{self._of[0]} of {env}" for env in self._of[1:])
            curves = [
                {"label": name, "stroke": COLORS[i % len(COLORS)], "width": 1.5}
                for i, name in zip(range(len(rows) - 1), names, strict=False)
            ]
            self._handle = self._gui.add_uplot(
                rows,
                ({"label": "s"}, *curves),
                title=self.label,
                scales={"x": {"time": False}},
                aspect=1.8,
                legend={"show": 1 < len(curves) <= 4},
            )
        else:
            self._handle.data = rows


def bridged(places: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Rows without gaps: straight lines over what is not finite, 0 where nothing is. Browsers draw nothing of a plot in
    which a number is missing.
    """
    made = rows.copy()
    for row in made:
        finite = np.isfinite(row)
        if not finite.all():
            row[~finite] = np.interp(places[~finite], places[finite], row[finite]) if finite.any() else 0.0
    return made


NOTHING = "Nothing"
EACH = "All of one environment"
JOINTS = {"joint_pos": "rad, m", "joint_vel": "rad/s, m/s", "applied_effort": "N m, N"}
ROOTS = {"root_pose": ("x", "y", "z", "qw", "qx", "qy", "qz"), "root_vel": ("vx", "vy", "vz", "wx", "wy", "wz")}


class PlotPanel:
    """A tab with a signal that is chosen, and plots of the user's own."""

    def __init__(self, viewer: Steered, tabs: Any) -> None:
        self._viewer = viewer
        self._own: list[Plot] = []
        self._chosen: Plot | None = None
        self._taken = 0.0
        self._signals = signals(viewer.world)
        self._tab = tabs.add_tab("Plots")
        with self._tab:
            self.signal = viewer.server.gui.add_dropdown("Signal", (NOTHING, *self._signals), initial_value=NOTHING)
            self.curve = viewer.server.gui.add_dropdown("Curves", (EACH,), initial_value=EACH, visible=False)
        self.signal.on_update(lambda event: event.client and viewer.do(lambda _: self._choose()))

    def add(self, label: str, read: Callable[[], Any], names: tuple[str, ...]) -> Plot:
        """Add a plot of the user's own."""
        self._own.append(Plot(InTab(self._viewer.server.gui, self._tab), label, read, names))
        return self._own[-1]

    def take(self, envs: Sequence[int], obey: Callable[[Callable[[World], object]], object]) -> None:
        """Add points, now and then; called where the world may be read. ``obey`` tells of what fails."""
        now = clock.perf_counter()
        if now - self._taken >= EVERY:
            self._taken = now
            for plot in self._plots():
                obey(lambda world, plot=plot: plot.take(world.time, envs, self._curve(plot)))

    def show(self) -> None:
        """Draw what was taken."""
        for plot in self._plots():
            plot.show()

    def _curve(self, plot: Plot) -> str | None:
        return self.curve.value if plot is self._chosen and self.curve.value != EACH else None

    def _plots(self) -> list[Plot]:
        return [*self._own, *filter(None, [self._chosen])]

    def _choose(self) -> None:
        before, name = self._chosen, self.signal.value
        self._chosen = None
        if before is not None:
            before.remove()
        if name != NOTHING:
            read, names = self._signals[name]
            self._chosen = Plot(InTab(self._viewer.server.gui, self._tab), name, read, names)
            self.curve.value = EACH  # before the names are offered: whoever chooses one at once keeps it
            self.curve.options = (EACH, *names)
        self.curve.visible = name != NOTHING and self._viewer.num_envs > 1


class InTab:
    """viser's plots, made in a tab."""

    def __init__(self, gui: Any, tab: AbstractContextManager[Any]) -> None:
        self._gui, self._tab = gui, tab

    def add_uplot(self, *values: Any, **named: Any) -> Any:
        """See viser."""
        with self._tab:
            return self._gui.add_uplot(*values, **named)


def _host(value: Any) -> Any:
    return value.get() if hasattr(value, "get") else value


def signals(world: World) -> dict[str, tuple[Callable[[], Any], tuple[str, ...]]]:
    """What of a world can be plotted: by name what reads it, and names of its curves."""
    found: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {}
    found["energy (J)"] = (lambda: energy(world)), ("kinetic", "potential", "sum")
    if world.engine.store.rows(c.Contact):
        found["contacts"] = (lambda: np.asarray(_host(world[c.ContactCount].current))[0]), ("contacts",)
    for name, actor in world.actors.items():
        robot = world.robots.get(name)
        for field, unit in JOINTS.items() if robot is not None and robot.num_dof else ():
            read = lambda robot=robot, field=field: getattr(robot, field)  # noqa: E731
            found[f"{name}/{field} ({unit})"] = (read, tuple(robot.joint_names) if robot is not None else ())
        for field, names in ROOTS.items() if not actor.fixed_base else ():
            found[f"{name}/{field}"] = ((lambda actor=actor, field=field: getattr(actor, field)), names)
    return found
