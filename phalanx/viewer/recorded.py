"""Recordings in the browser: a bar to scrub, speed, loops, and pages that open without a program."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.ecs.whole_files import replacing
from phalanx.io.recordings.playback import Playback, blend
from phalanx.io.recordings.replay import Recording
from phalanx.viewer.camera_panel import CameraPanel
from phalanx.viewer.display import Display, checked_fps
from phalanx.viewer.gate import LOCAL
from phalanx.viewer.joint_panel import JointPanel
from phalanx.viewer.pace import Pace
from phalanx.viewer.panels import REFRESH, EnvironmentWidgets, PaceWidgets
from phalanx.viewer.recorded_contacts import RecordedContacts
from phalanx.viewer.recorded_nodes import RecordedNodes
from phalanx.viewer.recorded_plots import RecordedPlotPanel
from phalanx.viewer.recorded_world import RecordedFeed, RecordedWorld
from phalanx.viewer.scene import CONTACTS
from phalanx.viewer.server import PORT, Server
from phalanx.viewer.shots import FPS
from phalanx.world.env_ids import env_indices
from phalanx.world.snapshots import Snapshot, deformables_of

if TYPE_CHECKING:
    from phalanx.world.world import World

KEPT = 1 << 26
"""Bytes of poses that are kept, about."""

LONGEST = 256
"""Samples that are read at a time, at most."""


class RecordedPoses:
    """Poses of a recording at any time, some samples read ahead."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._playbacks: dict[int, Playback] = {}
        self._block: tuple[tuple[int, ...], int, np.ndarray] | None = None
        one = self._playback(np.array([0]))
        self.world: World = one.world
        self.time = one.time
        self._jumps = frozenset(one.jumps)
        self._nodes = RecordedNodes(recording, deformables_of(self.world))

    def at(self, when: float, envs: np.ndarray) -> Snapshot:
        """Where everything was: between two samples interpolated, unless a state was set between them."""
        last = len(self.time) - 1
        after = int(np.clip(np.searchsorted(self.time, when), min(1, last), last))
        before = max(after - 1, 0)
        span = self.time[after] - self.time[before]
        share = float(np.clip((when - self.time[before]) / span, 0.0, 1.0)) if span > 0.0 else 1.0
        if after in self._jumps:
            share = round(share)
        poses = blend(self._sample(before, envs), self._sample(after, envs), np.float32(share))
        nearest = after if share >= 0.5 else before
        nodes = self._nodes.between(before, after, share, envs)
        return Snapshot(int(self.recording.step[nearest]), float(when), envs, poses.astype(np.float32), nodes=nodes)

    def world_of(self, envs: np.ndarray) -> World:
        """A world of as many environments, which only holds poses."""
        return self._playback(envs).world

    def nearest(self, when: float) -> int:
        """Number of the sample that is nearest to a time, s."""
        return int(np.abs(self.time - when).argmin())

    def _sample(self, number: int, envs: np.ndarray) -> np.ndarray:
        chosen = tuple(int(env) for env in envs)
        block = self._block
        if block is None or block[0] != chosen or not block[1] <= number < block[1] + len(block[2]):
            playback = self._playback(envs)
            per_sample = 28 * len(chosen) * sum(actor.num_bodies for actor in self.world.actors.values())
            length = max(2, min(LONGEST, KEPT // max(per_sample, 1)))
            start = max(0, number - length // 4)
            self._block = block = (chosen, start, playback.bodies(start, min(start + length, len(self.time))))
        return block[2][number - block[1]]

    def _playback(self, envs: np.ndarray) -> Playback:
        """One for so many environments; it costs a world."""
        count = len(envs)
        if count not in self._playbacks:
            self._playbacks[count] = Playback(self.recording, [int(env) for env in envs])
        self._playbacks[count].envs = np.asarray(envs, np.int64)
        return self._playbacks[count]


class RecordingViewer(Display):
    """Shows a recording in browsers.

    Args:
        recording: from :func:`phalanx.open_recording`.
        host, port, token, fps, label: as of :class:`~.viewer.Viewer`.
        playing: whether it plays at once.
        speed: recorded seconds a second.
        loop: whether it begins again at the end.

    Raises:
        ViewerError: the port is taken, or the package viser is missing.
        LoadError: what was recorded does not say where things were.
    """

    def __init__(
        self,
        recording: Recording,
        host: str = LOCAL,
        port: int = PORT,
        *,
        token: str | None = None,
        fps: float = 30.0,
        playing: bool = True,
        speed: float = 1.0,
        loop: bool = True,
        label: str = "Phalanx",
    ) -> None:
        fps, self.loop = checked_fps(fps), loop
        self.recording, self.poses = recording, RecordedPoses(recording)
        self.start, self.end = float(self.poses.time[0]), float(self.poses.time[-1])
        self.between = (self.start, self.end)
        """s: the part that is played."""
        self._now, self._ticked = self.start, time.perf_counter()
        self._moving = threading.RLock()
        self._seen: RecordedWorld | None = None
        self._contacts = RecordedContacts(recording)
        first = self.poses.at(self.start, np.array([0]))
        pace, server = Pace(playing, speed), Server(host, port, token, label)
        super().__init__(self.poses.world, recording.num_envs, first, pace, server, fps, contacts=self._contacts.there)
        self._add_details(lambda envs: np.zeros(len(envs), int))  # masses are those that the world began with
        self._start()

    @property
    def now(self) -> float:
        """s: what is shown."""
        return self._now

    def seek(self, when: float) -> None:
        """Show another time, s."""
        with self._moving:
            self._now = float(np.clip(when, self.start, self.end))

    def snapshot(self, when: float, envs: np.ndarray) -> Snapshot:
        """Where everything was at a time, s, with contacts of the nearest sample if they are shown."""
        found = self.poses.at(when, envs)
        if self.scene.shown & CONTACTS:
            found = replace(found, contacts=self._contacts.at(self.poses.nearest(when), envs))
        return found

    @property
    def has_contacts(self) -> bool:
        """Whether contact points were recorded."""
        return self._contacts.there

    def skip(self, samples: int = 1) -> None:
        """Pause, and show the sample so many after the one that is shown."""
        self.pace.pause()
        with self._moving:
            self._now = float(self.poses.time[int(np.clip(self.sample + samples, 0, len(self.poses.time) - 1))])

    @property
    def sample(self) -> int:
        """Number of the sample that is nearest to what is shown."""
        return self.poses.nearest(self._now)

    def add_camera(
        self,
        label: str,
        *,
        body: str | None = None,
        eye: Any = (2.0, 2.0, 1.5),
        target: Any = (0.0, 0.0, 0.0),
        angle: float = 60.0,
        height: int = 240,
        width: int = 320,
    ) -> None:
        """Show pictures of a camera that sees the first environment that is seen, at the nearest sample.

        Args:
            label, body, eye, target, angle, height, width: as of :meth:`~.viewer.Viewer.add_camera`.

        Raises:
            ValueError: no such body, or a number is out of its range.
        """
        with self._moving:
            feed = self.new_camera(height, width, body=body, eye=eye, target=target, angle=angle)
        self.camera_panel.add(label, feed)

    def new_camera(self, height: int, width: int, **options: Any) -> RecordedFeed:
        """See :class:`~.steered.Steered`."""
        if self._seen is None:
            self._seen = RecordedWorld(self.recording)
        return RecordedFeed(self._seen, lambda: self.sample, height, width, **options)

    def seen(self) -> Snapshot:
        """See :class:`~.steered.Steered`."""
        return self.poses.at(self._now, self.selection.envs())

    def painted(self) -> tuple[World, Any]:
        """See :class:`~.display.Display`."""
        envs = self.selection.envs()
        return self.poses.world_of(envs), np.arange(len(envs))

    def do(self, command: Callable[[World], object]) -> None:
        """Call ``command(world)`` at once; the world is one that only holds poses."""
        with self._moving:
            command(self.world)

    def close(self) -> None:
        """See :class:`~.display.Display`."""
        super().close()
        self.camera_panel.shots.cancel()

    def _add_panels(self, tabs: Any) -> None:
        gui, length = self.server.gui, max(self.end - self.start, 1e-3)
        tick = float(f"{length / 1000:.1g}")
        with tabs.add_tab("Play"):
            self.status = gui.add_markdown("")
            self.pace_widgets = PaceWidgets(self, self.skip)
            self.back = gui.add_button("Step back")
            self.bar = gui.add_slider("Time (s)", self.start, self.start + length, tick, self.start)
            self.part = gui.add_multi_slider(
                "From, to (s)", self.start, self.start + length, tick, (self.start, self.start + length)
            )
            self.again = gui.add_checkbox("Loop", self.loop)
            self.envs = EnvironmentWidgets(self)
        self.joint_panel = JointPanel(self, tabs, self._joints)
        self.plot_panel = RecordedPlotPanel(self, tabs, self.recording, self.poses.time)
        self.camera_panel = CameraPanel(self, tabs)
        self._texts = 0.0
        self.back.on_click(lambda _: self.skip(-1))
        self.bar.on_update(lambda event: event.client and self.seek(self.bar.value))
        self.part.on_update(lambda event: event.client and self._set_part())
        self.again.on_update(lambda event: event.client and self._set_loop())

    def _joints(self, robot: str, env: int) -> np.ndarray:
        return np.asarray(self.recording.robots[robot]["joint_pos"][env, self.sample])

    def _set_part(self) -> None:
        low, high = self.part.value
        self.between = (float(low), float(max(high, low)))

    def _set_loop(self) -> None:
        self.loop = bool(self.again.value)

    def _idle(self) -> None:
        self._ticked = time.perf_counter()

    def _frame(self) -> None:
        tick = time.perf_counter()
        with self._moving:
            if self.pace.playing:
                passed = 1.0 / FPS if self.camera_panel.shots.filming else tick - self._ticked
                self._now = self.after(self._now, passed * (self.pace.speed or 64.0))
            self._ticked = tick
            envs = self.selection.envs()
            snapshot = self.snapshot(self._now, envs)
            self.details.snapshot = snapshot
            self.joint_panel.read()
            self.drawings.take(envs, self.selection.offsets(), self._obey)
            self._obey(lambda _: self.plot_panel.take(envs.tolist(), self.between, self._now))
            self.camera_panel.take(int(envs[0]), self._obey)
            if self.pace.playing:
                self._obey(lambda _: self.camera_panel.shots.take(snapshot))
        with self.server.atomic():
            self._show(snapshot)
            self.joint_panel.show()
            self.camera_panel.show(self.selection.offsets()[0])
            self.drawings.show()
            if tick - self._texts > REFRESH:
                self._texts = tick
                self.plot_panel.show()
                self._show_texts(snapshot)

    def after(self, now: float, seconds: float) -> float:
        """What time is shown so many seconds later, as the part that is played and the loop have it."""
        start, end = self.between
        if now < start or (now >= end and self.loop):
            now = start
        later = now + seconds
        if later <= end:
            return later
        if not self.loop or end <= start:
            return max(end, now)
        return start + (later - start) % (end - start)

    def _show_texts(self, snapshot: Snapshot) -> None:
        playing = "Playing" if self.pace.playing else "Paused"
        recording = self.recording
        text = (
            f"**{playing}** · {self._now:.3f} s of {self.end:.3f} s · step {snapshot.step:,}<br>"
            f"{recording.path.name}: {recording.num_envs:,} environment{'s' if recording.num_envs > 1 else ''}, "
            f"{recording.num_samples:,} samples"
        )
        if text != self.status.content:
            self.status.content = text
        self.bar.value = float(np.clip(round(self._now / self.bar.step) * self.bar.step, self.bar.min, self.bar.max))
        self.pace_widgets.show()
        self.envs.renew()

    def __repr__(self) -> str:
        return f"<RecordingViewer of {self.recording.path} at {self.url}>"


def export_html(
    recording: Recording,
    path: str | os.PathLike[str],
    env_ids: Any = None,
    *,
    fps: float = 30.0,
    progress: Callable[[int], object] | None = None,
) -> int:
    """Write a recording as a page that opens without a program or a network, with a camera to move and a bar to scrub.

    Contact points and forces are shown where contacts were recorded; the tree of the page's scene hides and shows
    them, and shows normals. There are no plots in it.

    Args:
        recording: from :func:`phalanx.open_recording`.
        path: of the file, which ends in ``.html``, or in ``.viser`` for viser's own format.
        env_ids: environments, which stand beside each other; the first by default.
        fps: frames a second of recorded time.
        progress: called with the number of frames made since the last call.

    Returns:
        How many frames it has.

    Raises:
        ValueError: an ending that is none of these, or an environment that there is not.
        ViewerError: the package viser is missing.
        LoadError: what was recorded does not say where things were.
    """
    path = Path(path)
    if path.suffix.lower() not in (".html", ".viser"):
        raise ValueError(f"{path}: the name must end in .html or .viser")
    checked_fps(fps)
    envs = env_indices([0] if env_ids is None else env_ids, recording.num_envs)
    if not len(envs):
        raise ValueError("env_ids names no environment")
    with RecordingViewer(recording, port=0, playing=False) as viewer:
        chosen = viewer.selection
        chosen.mode, chosen.some = "Some", tuple(int(env) for env in envs)
        viewer.place_camera()
        offsets = chosen.offsets()
        times = np.arange(viewer.start, viewer.end + 0.5 / fps, 1.0 / fps)
        if viewer.has_contacts:
            viewer.scene.shown |= CONTACTS
            for name in sorted(CONTACTS):
                viewer.scene.group(name).visible = name != "normals"
        viewer.scene.again()
        viewer.scene.show(viewer.snapshot(float(times[0]), envs), offsets)
        serializer = viewer.server.get_scene_serializer()
        for when in times:
            viewer.scene.show(viewer.snapshot(float(when), envs), offsets)
            serializer.insert_sleep(1.0 / fps)
            if progress is not None:
                progress(1)
        with replacing(path) as made:
            if path.suffix.lower() == ".html":
                Path(made).write_text(serializer.as_html(), encoding="utf-8")
            else:
                Path(made).write_bytes(serializer.serialize())
    return len(times)
