"""Signals of a recording as curves along its bar, with a line at what is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.io.recordings import episodes
from phalanx.viewer.energies import RecordedEnergy
from phalanx.viewer.plot_panel import COLORS, EACH, MOST, NOTHING, InTab, bridged

if TYPE_CHECKING:
    from phalanx.io.recordings.replay import Recording
    from phalanx.viewer.steered import Steered

POINTS = 600
"""Samples of a curve that are drawn as they are; of more the least and the greatest of each of so many parts."""

SLOW_POINTS = 300
"""Samples that are looked at of what has to be computed."""

PIECE = 1 << 14
"""Samples that are read at a time."""

NOW_COLOR = "#e03131"


@dataclass(frozen=True)
class RecordedSignal:
    """What can be drawn.

    Attributes:
        names: of the curves.
        read: of an environment and samples, (samples, curves).
        slow: whether it has to be computed, so that some samples must do.
    """

    names: tuple[str, ...]
    read: Callable[[int, range], np.ndarray]
    slow: bool = False


def recorded_signals(recording: Recording) -> dict[str, RecordedSignal]:
    """Everything that was recorded of robots, objects and collections, energy, and contacts, by name with units."""
    found: dict[str, RecordedSignal] = {}
    if RecordedEnergy.is_in(recording):
        kept: list[RecordedEnergy] = []  # it costs a world

        def energies(env: int, numbers: range) -> np.ndarray:
            if not kept:
                kept.append(RecordedEnergy(recording))
            return kept[0].read(env, numbers)

        found["energy (J)"] = RecordedSignal(("kinetic", "potential", "sum"), energies, slow=True)
    contacts = recording.contacts
    if contacts is not None and "contact_count" in contacts:
        count = contacts["contact_count"]
        found["contacts"] = RecordedSignal(
            ("contacts",), lambda env, numbers: count[env, slice(numbers.start, numbers.stop, numbers.step)][:, None]
        )
    for name, signal in episodes.signals(recording).items():
        if "node" in signal.series.dims:
            continue
        units = f" ({signal.series.units})" if signal.series.units else ""

        def read(env: int, numbers: range, signal: episodes.Signal = signal) -> np.ndarray:
            values = signal.series[env, slice(numbers.start, numbers.stop, numbers.step)]
            return values.reshape(len(values), -1)

        found[name + units] = RecordedSignal(signal.columns, read)
    return found


def curves(
    signal: RecordedSignal, time: np.ndarray, part: tuple[float, float], envs: Sequence[int], column: int | None = None
) -> np.ndarray:
    """(1 + curves, points): times, s, then values.

    Args:
        signal: what is drawn.
        time: (samples,), s, ascending.
        part: s, from and to.
        envs: of the first all columns are drawn, or of each one column.
        column: that one.
    """
    start = int(np.searchsorted(time, part[0] - 1e-9))
    stop = max(int(np.searchsorted(time, part[1] + 1e-9)), start + 1)
    start = min(start, stop - 1)
    if signal.slow:
        rows = range(start, stop, max(1, -(-(stop - start) // SLOW_POINTS)))
        values = _columns(signal, rows, envs, column)
        return np.concatenate([time[None, list(rows)], values.T])
    if stop - start <= POINTS:
        return np.concatenate([time[None, start:stop], _columns(signal, range(start, stop), envs, column).T])
    edges = np.unique(np.linspace(start, stop, POINTS // 2 + 1).astype(int))
    low, high = [], []
    for first in range(0, len(edges) - 1, per := max(1, PIECE * (POINTS // 2) // (stop - start))):
        own = edges[first : first + per + 1]
        values = _columns(signal, range(int(own[0]), int(own[-1])), envs, column)
        low.append(np.fmin.reduceat(values, own[:-1] - own[0], axis=0))
        high.append(np.fmax.reduceat(values, own[:-1] - own[0], axis=0))
    both = np.stack([np.concatenate(low), np.concatenate(high)], axis=1).reshape(2 * (len(edges) - 1), -1)
    ends = np.stack([time[edges[:-1]], time[edges[1:] - 1]], axis=1).reshape(-1)
    return np.concatenate([ends[None], both.T])


def _columns(signal: RecordedSignal, numbers: range, envs: Sequence[int], column: int | None) -> np.ndarray:
    """(samples, curves)."""
    if column is None:
        return np.asarray(signal.read(envs[0], numbers), float)[:, :MOST]
    return np.stack([np.asarray(signal.read(env, numbers), float)[:, column] for env in envs[:MOST]], axis=1)


def marked(data: np.ndarray, now: float) -> np.ndarray:
    """(2 + curves, points + 3): the same with three points at a time, and a last row that is the least of all values,
    but goes up to the greatest and back there. No value is missing: browsers would draw nothing at all.
    """
    data = np.concatenate([data[:1], bridged(data[0], data[1:])])
    place = int(np.searchsorted(data[0], now))
    at = np.array([now, *(np.interp(now, data[0], row) for row in data[1:])])
    wide = np.insert(data, [place] * 3, at[:, None], axis=1)
    low, high = float(data[1:].min()), float(data[1:].max())
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    line = np.full(wide.shape[1], low)
    line[place + 1] = high
    return np.concatenate([wide, line[None]])


class RecordedPlotPanel:
    """A tab with a signal of the recording that is chosen, over the part that is played.

    Args:
        viewer: that it is part of.
        tabs: of its panel.
        recording: whose.
        time: (samples,), s, ascending.
    """

    def __init__(self, viewer: Steered, tabs: Any, recording: Recording, time: np.ndarray) -> None:
        self._viewer, self._time = viewer, time
        self.signals = recorded_signals(recording)
        self._key: tuple[Any, ...] | None = None
        self._data: np.ndarray | None = None
        self._now = 0.0
        self._shown: tuple[Any, ...] | None = None
        self.handle: Any = None
        self._drawn: tuple[Any, float] | None = None
        gui = viewer.server.gui
        self._tab = tabs.add_tab("Plots")
        with self._tab:
            self.signal = gui.add_dropdown("Signal", (NOTHING, *self.signals), initial_value=NOTHING)
            self.curve = gui.add_dropdown("Curves", (EACH,), initial_value=EACH, visible=False)
        self.signal.on_update(lambda event: event.client and self._choose())

    @property
    def data(self) -> np.ndarray | None:
        """(1 + curves, points): times, s, then values, or ``None`` where nothing is chosen."""
        return self._data

    def take(self, envs: Sequence[int], part: tuple[float, float], now: float) -> None:
        """Read what is chosen, if that or the part that is played has changed."""
        self._now = now
        signal = self.signals.get(self.signal.value)
        if signal is None:
            self._key = self._data = None
            return
        name = self.curve.value
        column = signal.names.index(name) if name in signal.names else None
        seen = tuple(map(int, envs[:MOST])) if column is not None else (int(envs[0]),)
        key = (self.signal.value, column, seen, part)
        if key != self._key:
            self._key = key  # not again, should it fail
            try:
                self._data = curves(signal, self._time, part, seen, column)
            except Exception:
                self._data = None
                raise

    def show(self) -> None:
        """Draw what was read."""
        data, key = self._data, self._key
        if data is None or key is None:
            self._remove()
            return
        if self._drawn is not None and self._drawn[0] is data and self._drawn[1] == self._now:
            return
        self._drawn = data, self._now
        rows = tuple(np.ascontiguousarray(row) for row in marked(data, self._now))
        name, column, seen, _ = key
        if self._shown != (name, column, seen):
            self._remove()
        if self.handle is not None:
            self.handle.data = rows
            return
        self._shown = (name, column, seen)
        columns = self.signals[name].names
        labels = columns[: len(rows) - 2] if column is None else [f"{columns[column]} of {env}" for env in seen]
        series = [{"label": label, "stroke": COLORS[i % len(COLORS)], "width": 1.5} for i, label in enumerate(labels)]
        self.handle = InTab(self._viewer.server.gui, self._tab).add_uplot(
            rows,
            ({"label": "s"}, *series, {"label": "shown", "stroke": NOW_COLOR, "width": 1.0}),
            title=name,
            scales={"x": {"time": False}},
            aspect=1.8,
            legend={"show": len(series) <= 4},
        )

    def _choose(self) -> None:
        signal = self.signals.get(self.signal.value)
        if signal is not None:
            self.curve.value = EACH  # before the names are offered: whoever chooses one at once keeps it
            self.curve.options = (EACH, *signal.names)
        self.curve.visible = signal is not None and (self._viewer.num_envs > 1 or len(signal.names) > 1)

    def _remove(self) -> None:
        if self.handle is not None:
            self.handle.remove()
        self.handle = self._shown = self._drawn = None
