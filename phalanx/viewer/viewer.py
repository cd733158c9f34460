"""A world in the browser while it steps."""

from __future__ import annotations

import queue
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.viewer.gate import LOCAL
from phalanx.viewer.joint_panel import JointPanel
from phalanx.viewer.pace import Pace
from phalanx.viewer.panels import RunPanel, ViewPanel
from phalanx.viewer.scene import Scene
from phalanx.viewer.selection import Selection
from phalanx.viewer.server import PORT, Server
from phalanx.viewer.widgets import Widgets
from phalanx.world.snapshots import Snapshot, take_snapshot

if TYPE_CHECKING:
    from phalanx.world.world import World

ANSWER = 0.1
"""s that the loop has to take a snapshot; then the worker takes it, if nothing is being computed."""

LOOKS = 100.0
"""Times a second that a loop looks at the viewer, at most."""


class Viewer(Widgets):
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
        if not 0.0 < fps <= 240.0:
            raise ValueError(f"fps={fps}: must be above 0, at most 240")
        self.world, self.fps = world.build(), float(fps)
        self.pace = Pace(playing, speed)
        self.frames = 0
        """Snapshots that were sent."""
        self.steps_per_second = 0.0
        self._commands: queue.SimpleQueue[Callable[[World], object]] = queue.SimpleQueue()
        self._closed, self._own = False, False
        self._asked = threading.Event()
        self._answered = threading.Event()
        self._watched = threading.Event()
        self._snapshot: Snapshot | None = None
        self._last: tuple[float, int] | None = None
        self._every = 0
        self._forget: Callable[[], None] | None = None
        self._followed: int | None = None
        self._level: float | None = None
        first = take_snapshot(world, [0])
        center, radius = _extent(world, first.poses[0])
        self.center, self.radius = center, radius
        self.selection = Selection(world.num_envs, spacing=max(2.5 * radius, 0.5))
        self._server = Server(host, port, token, label)
        server = self._server.viser
        super().__init__(server, self.do)
        self.scene = Scene(server, world, self._picked)
        self.scene.frame_size = 0.12 * radius
        self.scene.force_scale = radius / max(_weight(world), 1e-6)
        server.initial_camera.position = tuple(center + 2.4 * radius * np.array([0.585, -0.702, 0.41]))
        server.initial_camera.look_at = tuple(center)
        server.gui.configure_theme(control_width="medium", show_share_button=False)
        server.gui.main_panel.dock_right()
        tabs = server.gui.add_tab_group()
        self._tabs = tabs
        self.run_panel = RunPanel(self, tabs)
        self.view_panel = ViewPanel(self, tabs)
        self.joint_panel = JointPanel(self, tabs)
        self.scene.show(first, self.selection.offsets())
        server.on_client_connect(self._come)
        server.on_client_disconnect(self._go)
        self._thread = threading.Thread(target=self._work, name="phalanx-viewer", daemon=True)
        self._thread.start()

    # -- for programs ----------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """What to open in a browser, with the token if one is needed."""
        return self._server.url

    @property
    def server(self) -> Any:
        """The ``viser.ViserServer``, for all that viser can do besides."""
        return self._server.viser

    @property
    def watched(self) -> bool:
        """Whether someone looks."""
        return self._watched.is_set()

    def do(self, command: Callable[[World], object]) -> None:
        """Call ``command(world)`` between two steps, on the thread that steps; without a step under way, soon."""
        self._commands.put(command)
        self.pace.wake()

    def follow(self, body: str | None) -> None:
        """Keep a body (``"actor/body"``) of the first environment that is seen in the middle; ``None``: no longer."""
        names = self.body_names
        if body is not None and body not in names:
            raise ValueError(f"there is no body {body!r}; there are {', '.join(names[:20])}")
        self._followed, self._level = None if body is None else names.index(body), None

    @property
    def body_names(self) -> list[str]:
        """``"actor/body"`` of all bodies, as snapshots have them."""
        return [f"{actor.name}/{body}" for actor in self.world.actors.values() for body in actor.body_names]

    def tell(self, text: str, title: str = "Phalanx") -> None:
        """Show a notice to everybody who looks."""
        for client in self.server.get_clients().values():
            client.add_notification(title, text, auto_close_seconds=8.0)

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
            self._listen(self._every if self.watched else 0)
        return made

    def close(self) -> None:
        """Let the world go on without a viewer. May be called twice."""
        if self._closed:
            return
        self._closed = True
        self._watched.set()
        self.pace.wake()
        self._answered.set()
        self._listen(0)
        self._thread.join(timeout=10.0)
        self._server.close()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Viewer of {self.world!r} at {self.url}>"

    # -- who looks -------------------------------------------------------------------------------------------

    def _come(self, _: Any) -> None:
        self._watched.set()

    def _go(self, _: Any) -> None:
        if not self.server.get_clients() and not self._closed:
            self._watched.clear()
            self._listen(0)
            self.pace.wake()

    def _picked(self, body: int, env: int) -> None:
        envs = self.selection.envs()
        if env < len(envs):
            self.view_panel.picked(self.body_names[body], int(envs[env]))

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
        if not self._asked.is_set() and self._commands.empty():
            return False
        with self.world.lock:
            changed = False
            while not self._commands.empty():
                self._obey(self._commands.get())
                changed = True
            if self._asked.is_set():
                self._snapshot = take_snapshot(self.world, self.selection.envs(), bool(self._contacts_wanted()))
                self.joint_panel.read()
                self._asked.clear()
                self._answered.set()
        return changed

    def _contacts_wanted(self) -> set[str]:
        return self.scene.shown & {"points", "normals", "forces"}

    def _obey(self, command: Callable[[World], object]) -> None:
        try:
            command(self.world)
        except Exception as error:
            warnings.warn(f"viewer: {type(error).__name__}: {error}", stacklevel=2)
            self.tell(str(error), "This did not work")

    # -- the worker ------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while not self._closed:
            if not self._watched.wait(0.5) or self._closed:
                continue
            start = time.perf_counter()
            try:
                self._frame()
            except Exception:  # a picture is lost, not the simulation
                traceback.print_exc()
                self.pace.wait(1.0)
            time.sleep(max(0.0, 1.0 / self.fps - (time.perf_counter() - start)))

    def _frame(self) -> None:
        self._listen(self._between())
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
        offsets = self.selection.offsets()
        if len(offsets) == len(snapshot.envs):
            with self.server.atomic():
                self.scene.show(snapshot, offsets, self._followed_point(snapshot, offsets))
                self.run_panel.show(snapshot)
                self.joint_panel.show()
            self.frames += 1

    def _followed_point(self, snapshot: Snapshot, offsets: np.ndarray) -> np.ndarray | None:
        if self._followed is None:
            return None
        point = snapshot.poses[0, self._followed, :3] + offsets[0] - self.center
        if not np.isfinite(point).all():
            return None
        z = float(point[2])
        self._level = z if self._level is None else self._level + 0.1 * (z - self._level)  # the ground does not shake
        return np.array([point[0], point[1], self._level])

    def _measure(self, snapshot: Snapshot) -> None:
        now = time.perf_counter()
        if self._last is not None and snapshot.step >= self._last[1]:
            rate = (snapshot.step - self._last[1]) / max(now - self._last[0], 1e-6)
            self.steps_per_second += 0.2 * (rate - self.steps_per_second)
        self._last = (now, snapshot.step)

    def _between(self) -> int:
        """Steps between two looks at the viewer: often enough for it, seldom enough for the loop."""
        if not self.pace.playing:
            return 1
        rate = self.steps_per_second if self.pace.speed is None else self.pace.speed / self.world.dt
        return max(1, int(rate / LOOKS))

    def _listen(self, every: int) -> None:
        """Be called after every so many steps, by a world that others step; 0: never."""
        if every == self._every and (self._forget is not None) == bool(every):
            return
        forget, self._forget = self._forget, None
        if every and not self._own and not self._closed:
            self._forget = self.world.after_step(self._after_step, every)
        if forget is not None:
            forget()
        self._every = every


def _extent(world: World, poses: np.ndarray) -> tuple[np.ndarray, float]:
    """Middle and radius, m, of the bodies of an environment that move, or of all of them."""
    from phalanx.viewer.meshes import batches

    moving, first = [], 0
    for actor in world.actors.values():
        if not actor.fixed_base or actor.num_bodies > 1:
            moving += range(first, first + actor.num_bodies)
        first += actor.num_bodies
    points = []
    for batch in batches(world):
        position, _ = batch.poses(poses[None])
        reach = np.abs(batch.vertices * 1.0).max(axis=0) * np.abs(batch.scales)
        chosen = np.isin(batch.bodies, moving) if moving else np.ones(len(batch.bodies), bool)
        size = np.linalg.norm(reach, axis=1, keepdims=True)
        points += [(position - size)[chosen], (position + size)[chosen]]
    both = np.concatenate(points) if points else np.zeros((0, 3))
    both = both[np.isfinite(both).all(axis=1)]
    if not len(both):
        return np.zeros(3), 1.0
    low, high = both.min(axis=0), both.max(axis=0)
    return (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, 1e-3)


def _weight(world: World) -> float:
    """N: of all that moves in an environment, or 10 N."""
    masses = [sum(body.mass for body in actor.model.bodies) for actor in world.actors.values() if not actor.fixed_base]
    gravity = float(np.linalg.norm(world.gravity))
    return sum(masses) * gravity or 10.0
