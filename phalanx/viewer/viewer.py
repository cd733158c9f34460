"""A world in the browser while it steps."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.viewer.camera_panel import CameraPanel
from phalanx.viewer.cameras import Feed, OwnFeed, SharedFeed
from phalanx.viewer.display import Display, checked_fps
from phalanx.viewer.gate import LOCAL
from phalanx.viewer.health_panel import HealthPanel
from phalanx.viewer.joint_panel import JointPanel
from phalanx.viewer.pace import Pace
from phalanx.viewer.panels import RunPanel
from phalanx.viewer.plot_panel import Plot, PlotPanel
from phalanx.viewer.pull import Pull, taken
from phalanx.viewer.scene import CONTACTS
from phalanx.viewer.server import PORT, Server
from phalanx.viewer.shots import FPS
from phalanx.viewer.tune_panel import TunePanel
from phalanx.world.snapshots import Snapshot, take_snapshot

if TYPE_CHECKING:
    from phalanx.images.world_camera import WorldCamera
    from phalanx.world.world import World

ANSWER = 0.1
"""s that the loop has to take a snapshot; then the worker takes it, if nothing is being computed."""

LOOKS = 100.0
"""Times a second that a loop looks at the viewer, at most."""


class Viewer(Display):
    """Shows a world in browsers, and steers it from there.

    >>> viewer = px.Viewer(world)  # doctest: +SKIP
    >>> while True:  # doctest: +SKIP
    ...     world.step()

    While nobody looks, nothing is done. While someone does, the loop that steps copies poses of what is seen when it is
    asked to, ``fps`` times a second at most; a thread of its own sends them. Buttons that change the world take effect
    between two steps; without a step under way, at once. Pausing holds :meth:`phalanx.World.step` back, but only
    while someone looks.

    Args:
        world: is built if it is not yet.
        host: address to listen on. By default only browsers of this machine can connect; on any other address they
            need the token in :attr:`url`.
        port: 0 is any that is free.
        token: made at random by default.
        fps: frames a second, at most.
        playing: ``False``: pause after the first step that someone sees.
        speed: simulated seconds a second of real time, 1/64 to 64; by default as fast as possible.
        label: what the panel is called.

    Attributes:
        pace: play, pause, speed.
        selection: the environments that are seen.
        scene: what browsers show.

    Raises:
        ViewerError: the port is taken, or the package viser is missing; the message says what to do.
    """

    def __init__(
        self,
        world: World,
        host: str = LOCAL,
        port: int = PORT,
        *,
        token: str | None = None,
        fps: float = 30.0,
        playing: bool = True,
        speed: float | None = None,
        label: str = "Phalanx",
    ) -> None:
        world.build()
        fps, pace = checked_fps(fps), Pace(playing, speed)
        self.steps_per_second = 0.0
        self._commands: queue.SimpleQueue[Callable[[World], object]] = queue.SimpleQueue()
        self._own = False
        self._asked = threading.Event()
        self._answered = threading.Event()
        self._snapshot: Snapshot | None = None
        self._last: tuple[float, int] | None = None
        self._every = 0
        self._forget: Callable[[], None] | None = None
        self._listening = threading.Lock()
        self._pull: Pull | None = None
        first = take_snapshot(world, [0])
        super().__init__(world, world.num_envs, first, pace, Server(host, port, token, label), fps, contacts=True)
        self._add_details(lambda envs: envs)
        self._start()

    def _add_panels(self, tabs: Any) -> None:
        self.run_panel = RunPanel(self, tabs)
        self.joint_panel = JointPanel(self, tabs)
        self.tune_panel = TunePanel(self, tabs)
        self.plot_panel = PlotPanel(self, tabs)
        self.camera_panel = CameraPanel(self, tabs)
        self.health_panel = HealthPanel(self, tabs)

    # -- for programs ----------------------------------------------------------------------------------------

    def do(self, command: Callable[[World], object]) -> None:
        """Call ``command(world)`` between two steps, on the thread that steps; without a step under way, soon."""
        self._commands.put(command)
        self.pace.wake()

    def add_plot(self, label: str, read: Callable[[], Any], names: Sequence[str] = ()) -> Plot:
        """Draw numbers over simulated time, of the first environment that is seen.

        Args:
            label: of the plot.
            read: returns them, (num_envs,) or (num_envs, curves), or one number for all environments. It is called
                between two steps, ten times a second at most, and not while nobody looks.
            names: of the curves.
        """
        return self.plot_panel.add(label, read, tuple(names))

    def add_camera(
        self,
        label: str,
        camera: WorldCamera | Feed | None = None,
        *,
        body: str | None = None,
        eye: Any = (2.0, 2.0, 1.5),
        target: Any = (0.0, 0.0, 0.0),
        angle: float = 60.0,
        height: int = 240,
        width: int = 320,
    ) -> None:
        """Show pictures of a camera (colours, depth, segmentation and normals) and its frustum.

        Args:
            label: what it is called.
            camera: one that the program draws with, of which the last pictures are shown; by default one of the
                viewer's own, which draws the first environment that is seen, ten times a second at most, and only
                while someone looks.
            body, eye, target, angle, height, width: of the viewer's own, see
                :class:`~phalanx.images.world_camera.WorldCamera`.

        Raises:
            ValueError: no such body, or a number is out of its range.
        """
        from phalanx.images.world_camera import WorldCamera

        if isinstance(camera, WorldCamera):
            self.camera_panel.add(label, SharedFeed(self.world, camera))
        elif camera is not None:
            self.camera_panel.add(label, camera)
        else:
            self.camera_panel.add(label, self.new_camera(height, width, body=body, eye=eye, target=target, angle=angle))

    def new_camera(self, height: int, width: int, **options: Any) -> OwnFeed:
        """See :class:`~.steered.Steered`."""
        with self.world.lock:
            return OwnFeed(self.world, height, width, **options)

    def seen(self) -> Snapshot:
        """See :class:`~.steered.Steered`."""
        return take_snapshot(self.world, self.selection.envs())

    def run(self, steps: int | None = None, control: Callable[[World], object] | None = None) -> int:
        """Step the world as buttons say, until :meth:`close`, Ctrl-C, or so many steps; returns how many were made.

        Here pausing lasts when nobody looks, too.

        Args:
            steps: at most; by default without end.
            control: called with the world before each step.
        """
        self._own = True
        self._listen(0)
        made = 0
        try:
            while not self._closed and (steps is None or made < steps):
                wait = self.pace.due(self.world.time)
                if wait > 0.0:
                    self._serve()
                    self.pace.wait(min(wait, 0.05))
                    continue
                count = 1 if control is not None or not self.pace.playing else self._between()
                count = count if steps is None else min(count, steps - made)
                if control is not None:
                    control(self.world)
                self.world.step(count)
                made += count
                self._serve()
        finally:
            self._own = False
        return made

    def shows_others(self) -> None:
        """See :class:`~.display.Display`."""
        self.run_panel.envs.show()

    def close(self) -> None:
        """Let the world go on without a viewer. May be called twice."""
        self._answered.set()
        super().close()
        self.camera_panel.shots.cancel()
        self.health_panel.close()
        self._listen(0)

    def __repr__(self) -> str:
        return f"<Viewer of {self.world!r} at {self.url}>"

    def show(self, height: int = 500) -> Any:
        """The viewer in a notebook, for browsers of this machine."""
        from IPython.display import IFrame  # pyright: ignore[reportMissingImports]

        return IFrame(self.url, width="100%", height=height)

    # -- dragging --------------------------------------------------------------------------------------------

    def _dragged(self, phase: str, body: int, place: int, start: Any, end: Any) -> None:
        """Pull a body at a point of the scene towards another, m; phase is "start", "update" or "end".

        Browsers report drags of nothing, too, as of some body at a point that is not a number.
        """
        if not np.isfinite((start, end)).all():
            return
        envs, origin = self.selection.envs(), np.asarray(self.scene.origin, float)
        if place >= len(envs):
            return
        shift = origin + self.selection.offsets()[place]
        point, target = (np.asarray(each, float) - shift for each in (start, end))
        self.do(lambda world: self._drag(world, phase, body, int(envs[place]), point, target))

    def _drag(self, world: World, phase: str, body: int, env: int, point: np.ndarray, target: np.ndarray) -> None:
        if self._pull is not None and phase in ("start", "end"):
            self._pull.release()
            self._pull = None
        if phase == "start":
            pose = np.asarray(take_snapshot(world, [env]).poses[0, body], float)
            self._pull = taken(world, body, env, pose, point)
        if self._pull is not None:
            self._pull.target = target
            self._pull.update()

    # -- on the thread that steps ----------------------------------------------------------------------------

    def _after_step(self, world: World) -> None:
        changed = self._serve()
        while self.watched and not self._closed and (wait := self.pace.due(world.time)) > 0.0:
            self.pace.wait(min(wait, 0.05))
            changed = self._serve() or changed
        if changed:
            world.notice_changes()

    def _serve(self) -> bool:
        """Do what was asked for, and take a snapshot if one is; says whether there were commands."""
        films = self.camera_panel.shots.due(self.world.time)
        if not films and not self._asked.is_set() and self._commands.empty() and self._pull is None:
            return False
        with self.world.lock:
            changed = self._pull is not None
            if self._pull is not None:
                self._obey(lambda _: self._pull and self._pull.update())
            if films:
                self._obey(lambda _: self.camera_panel.shots.take(self.seen()))
            while not self._commands.empty():
                self._obey(self._commands.get())
                changed = True
            if self._asked.is_set():
                start = time.perf_counter()
                self._snapshot = take_snapshot(self.world, self.selection.envs(), bool(self._contacts_wanted()))
                self.joint_panel.read()
                envs = self.selection.envs()
                self.tune_panel.take(int(envs[0]))
                self.plot_panel.take(envs.tolist(), self._obey)
                self.health_panel.take(self.world, self._obey)
                self.details.snapshot = self._snapshot
                self.drawings.take(envs, self.selection.offsets(), self._obey)
                self._held = time.perf_counter() - start
                self.camera_panel.take(int(envs[0]), self._obey)
                self._asked.clear()
                self._answered.set()
        return changed

    def _contacts_wanted(self) -> set[str]:
        return self.scene.shown & CONTACTS

    # -- the worker ------------------------------------------------------------------------------------------

    def _idle(self) -> None:
        self._listen(0)

    def _frame(self) -> None:
        self._listen(self._between())
        self._sparing = self.pace.playing
        self._answered.clear()
        self._asked.set()
        self.pace.wake()
        if not self._answered.wait(ANSWER) and not self._closed:
            with self.world.lock:
                if not self.world.stepping:
                    self._serve()
        if not self._answered.wait(1.0) or self._closed:
            return  # a long step: it is asked for again
        snapshot = self._snapshot
        assert snapshot is not None
        self._measure(snapshot)
        with self.server.atomic():
            self._show(snapshot)
            self.run_panel.show(snapshot, self.steps_per_second)
            self.joint_panel.show()
            self.plot_panel.show()
            self.camera_panel.show(self.selection.offsets()[0])
            self.drawings.show()
            self.health_panel.show()

    def _measure(self, snapshot: Snapshot) -> None:
        now = time.perf_counter()
        if self._last is not None and snapshot.step >= self._last[1]:
            rate = (snapshot.step - self._last[1]) / max(now - self._last[0], 1e-6)
            self.steps_per_second += 0.2 * (rate - self.steps_per_second)
        self._last = (now, snapshot.step)

    def _between(self) -> int:
        """Steps between two looks at the viewer: often enough for it, seldom enough for the loop."""
        if not self.pace.playing or self._pull is not None:
            return 1
        if self.camera_panel.shots.filming:
            return max(1, int(1.0 / (FPS * self.world.dt)))
        rate = self.steps_per_second if self.pace.speed is None else self.pace.speed / self.world.dt
        return max(1, int(rate / LOOKS))

    def _listen(self, every: int) -> None:
        """Be called after every so many steps, by a world that others step; 0: never."""
        with self._listening:
            every = 0 if self._own or self._closed else every
            if every == self._every:
                return
            forget, self._forget = self._forget, None
            if every:
                self._forget = self.world.after_step(self._after_step, every)
            if forget is not None:
                forget()
            self._every = every
