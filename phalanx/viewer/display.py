"""What viewers of worlds and of recordings have in common: a server, a scene, panels, and a thread that sends."""

from __future__ import annotations

import threading
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from phalanx.viewer.drawn import Drawn
from phalanx.viewer.hover import Hover
from phalanx.viewer.meshes import Batch, batches
from phalanx.viewer.pace import Pace
from phalanx.viewer.panels import REFRESH, ViewPanel
from phalanx.viewer.scene import Scene, view_presets
from phalanx.viewer.selection import Selection
from phalanx.viewer.server import Server
from phalanx.viewer.steered import Placed
from phalanx.viewer.widgets import Widgets
from phalanx.world.snapshots import Snapshot

if TYPE_CHECKING:
    from phalanx.images.pictures.framing import Camera
    from phalanx.images.pictures.picture import WorldPainter
    from phalanx.world.snapshots import Snapshot
    from phalanx.world.world import World


SHARE = 0.03
"""Of the time of a processor core that frames take at most while a world is stepped: they are fewer where they cost
more, or where other programs leave this one less of a core.
"""

SLOWEST = 0.25
"""s between two frames, at most."""


class Display(Drawn, Widgets):
    """Shows snapshots in browsers.

    Args:
        world: has the bodies that are shown.
        num_envs: environments that there are to choose from.
        first: a snapshot from which the camera is placed.
        pace: play, pause, speed.
        server: what browsers connect to.
        fps: frames a second, at most.
        contacts: whether there are any to be shown.

    Attributes:
        pace: play, pause, speed.
        selection: the environments that are seen.
        scene: what browsers show.
        frames: how many were sent.
    """

    def __init__(
        self, world: World, num_envs: int, first: Snapshot, pace: Pace, server: Server, fps: float, contacts: bool
    ) -> None:
        self.world, self.num_envs, self.pace, self.fps = world, num_envs, pace, fps
        self.frames = 0
        self._cost = self._held = self._named = 0.0
        self._sparing = False
        self._counted = time.perf_counter(), time.process_time()
        made = batches(world)
        self.center, self.radius = _extent(world, first, made)
        self.selection = Selection(num_envs, spacing=round(max(2.5 * self.radius, 0.5), 2))
        self._closed = False
        self._watched = threading.Event()
        self._fitted: dict[int, np.ndarray] = {}
        self._followed: int | None = None
        self._level: float | None = None
        self._server = server
        viser = server.viser
        super().__init__(viser, self.do)
        self.scene = Scene(viser, world, made, self._picked, self._dragged)
        self.scene.frame_size = 0.12 * self.radius
        self.hover = Hover(self.scene, self.selection, self._resized)
        self.scene.force_scale = self.radius / _weight(world)
        self.place_camera()
        viser.gui.configure_theme(control_width="medium", show_share_button=False)
        viser.gui.main_panel.dock_right()
        self._tabs = viser.gui.add_tab_group()
        self._add_panels(self._tabs)
        self.view_panel = ViewPanel(self, self._tabs, contacts)
        self.scene.show(first, self.selection.offsets())
        self._thread = threading.Thread(target=self._work, name="phalanx-viewer", daemon=True)

    def _start(self) -> None:
        """Serve browsers; called once everything is made."""
        self.server.on_client_connect(self._come)
        self.server.on_client_disconnect(self._go)
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

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until someone looks, or so long; says whether someone does."""
        end = None if seconds is None else time.monotonic() + seconds
        while not self._closed and (end is None or time.monotonic() < end):
            if self._watched.wait(0.1 if end is None else max(0.0, min(0.1, end - time.monotonic()))):
                break
        return self.watched and not self._closed

    def do(self, command: Callable[[World], object]) -> None:
        """Call ``command(world)`` where the world may be changed."""
        raise NotImplementedError(f"{type(self).__name__} has no do(); define it in the class")

    def follow(self, body: str | None) -> None:
        """Keep a body (``"actor/body"``) of the first environment that is seen in the middle; ``None``: no longer.

        Raises:
            ValueError: there is no such body.
        """
        names = self.body_names
        if body is not None and body not in names:
            raise ValueError(f"there is no body {body!r}; there are {', '.join(names[:20])}")
        self._followed, self._level = None if body is None else names.index(body), None

    @property
    def body_names(self) -> list[str]:
        """``"actor/body"`` of all bodies, as snapshots have them."""
        return [f"{actor.name}/{body}" for actor in self.world.actors.values() for body in actor.body_names]

    def body_pose(self, name: str) -> np.ndarray:
        """(7,): [x y z qw qx qy qz], m, of a body as it was seen last, in the first environment that is seen."""
        return self.scene.body_poses[0, self.body_names.index(name)].astype(float)

    def new_camera(self, height: int, width: int, **options: Any) -> Placed:
        """See :class:`~.steered.Steered`."""
        raise NotImplementedError(f"{type(self).__name__} has no new_camera(); define it in the class")

    def seen(self) -> Snapshot:
        """See :class:`~.steered.Steered`."""
        raise NotImplementedError(f"{type(self).__name__} has no seen(); define it in the class")

    def painted(self) -> tuple[World, Any]:
        """A world that has what is seen, and which of its environments that are."""
        return self.world, self.selection.envs()

    def painter(self, camera: Camera, **options: Any) -> WorldPainter:
        """See :class:`~.steered.Steered`."""
        from phalanx.images.pictures.picture import MOVING, WorldPainter

        seen, (world, envs) = self.seen(), self.painted()
        nodes = [seen.nodes] if seen.nodes else None
        options = {"passes": MOVING, **options, "offsets": self.selection.offsets(), "poses": seen.poses[None]}
        return WorldPainter(world, envs, camera=camera, nodes=nodes, soft=bool(seen.nodes), **options)

    def place_camera(self) -> None:
        """Let browsers that come later look at all environments that are seen."""
        target, (position, _) = self.center, self.views()["Corner"]
        self.server.initial_camera.position = tuple(position)
        self.server.initial_camera.look_at = tuple(target)

    def views(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Of each view its name, where the camera is and where it looks, (3,) each, m.

        At all environments that are seen.
        """
        places = self.selection.offsets()
        reach = float(np.linalg.norm(np.ptp(places, axis=0))) / 2
        return view_presets(self.center, self.radius + 0.8 * reach)

    def show_names(self, shown: bool) -> None:
        """Show the name of what the pointer is over, or no longer; at first it is shown."""
        self.hover.on = shown
        if not shown:
            self.hover.hide()

    def shows_others(self) -> None:
        """Let panels say which environments are seen, once that has been changed in :attr:`selection`."""

    def tell(self, text: str, title: str = "Phalanx") -> None:
        """Show a notice to everybody who looks."""
        for client in self.server.get_clients().values():
            client.add_notification(title, text, auto_close_seconds=8.0)

    def close(self) -> None:
        """Stop showing anything. May be called twice."""
        if self._closed:
            return
        self._closed = True
        self._watched.set()
        self.pace.wake()
        self._thread.join(timeout=10.0)
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- for those that are made of it -------------------------------------------------------------------------

    def _add_panels(self, tabs: Any) -> None:
        """Add panels before that of looking."""
        raise NotImplementedError(f"{type(self).__name__} has no _add_panels(); define it in the class")

    def _frame(self) -> None:
        """Show what is now; called while someone looks."""
        raise NotImplementedError(f"{type(self).__name__} has no _frame(); define it in the class")

    def _idle(self) -> None:
        """Called now and then while nobody looks."""

    def _come(self, client: Any) -> None:
        self._fit(client)
        client.camera.on_update(lambda _: self._fit(client))  # browsers tell of another camera before they have ours
        self.hover.come(client)
        self._watched.set()

    def _fit(self, client: Any) -> None:
        """Move the camera of a browser that comes, once it is where others begin, to where its window shows all."""
        if client.client_id not in self._fitted and np.allclose(
            client.camera.position, self.server.initial_camera.position, atol=1e-3
        ):
            self._look_anew(client)

    def _resized(self, client: Any) -> None:
        """Fit the camera to a window whose width is known now, or is another, unless the user has moved it."""
        placed = self._fitted.get(client.client_id)
        if placed is not None and np.allclose(client.camera.position, placed, atol=1e-3):
            self._look_anew(client)

    def _look_anew(self, client: Any) -> None:
        self.view_panel.look("Corner", client)
        self._fitted[client.client_id] = np.array(client.camera.position)

    def _go(self, client: Any) -> None:
        self._fitted.pop(client.client_id, None)
        self.hover.go(client)
        if not self.server.get_clients() and not self._closed:
            self._watched.clear()
            self.pace.wake()

    def _picked(self, body: int, env: int) -> None:
        envs = self.selection.envs()
        if env < len(envs):
            self.view_panel.picked(self.body_names[body], int(envs[env]))

    def _dragged(self, phase: str, body: int, place: int, start: Any, end: Any) -> None:
        """Called when someone drags a body; what only shows poses cannot be pulled."""

    def _obey(self, command: Callable[[World], object]) -> None:
        try:
            command(self.world)
        except Exception as error:
            warnings.warn(f"viewer: {type(error).__name__}: {error}", stacklevel=2)
            self.tell(str(error), "This did not work")

    def _work(self) -> None:
        while not self._closed:
            if not self._watched.wait(0.1) or self._closed:
                self._idle()
                continue
            start, used = time.perf_counter(), time.thread_time()
            try:
                self._frame()
            except Exception:  # a picture is lost, not the simulation
                traceback.print_exc()
                time.sleep(1.0)
            self._cost += 0.2 * (time.thread_time() - used + self._held - self._cost)
            allowed = SHARE * (self._computing(start) if self.pace.speed is None else 1.0)
            pause = max(1.0 / self.fps, min(self._cost / allowed, SLOWEST) if self._sparing else 0.0)
            time.sleep(max(0.0, pause - (time.perf_counter() - start)))

    def _computing(self, now: float) -> float:
        """Cores that this process had since the last call, at most one: on a busy machine a loop that does not wait has
        less than that, and frames shall not take what is left.
        """
        before, self._counted = self._counted, (now, time.process_time())
        return min(1.0, max(0.1, (self._counted[1] - before[1]) / max(now - before[0], 1e-3)))

    def _show(self, snapshot: Snapshot) -> None:
        offsets = self.selection.offsets()
        if len(offsets) == len(snapshot.envs):  # or others are wanted by now
            self.scene.show(snapshot, offsets, self._followed_point(snapshot, offsets))
            self.frames += 1
            if time.perf_counter() - self._named > REFRESH:
                self._named = time.perf_counter()
                self.hover.renew()

    def _followed_point(self, snapshot: Snapshot, offsets: np.ndarray) -> np.ndarray | None:
        if self._followed is None:
            return None
        point = snapshot.poses[0, self._followed, :3] + offsets[0] - self.center
        if not np.isfinite(point).all():
            return None
        z = float(point[2])
        self._level = z if self._level is None else self._level + 0.1 * (z - self._level)  # the ground does not shake
        return np.array([point[0], point[1], self._level])


def checked_fps(fps: float) -> float:
    """Frames a second.

    Raises:
        ValueError: nobody could show so many.
    """
    if not 0.0 < fps <= 240.0:
        raise ValueError(f"fps={fps}: must be above 0, at most 240")
    return float(fps)


def _extent(world: World, snapshot: Snapshot, made: Sequence[Batch]) -> tuple[np.ndarray, float]:
    """Middle and radius, m, of the bodies of an environment that move, or of all of them, and of what is soft."""
    poses = snapshot.poses[0]
    moving, first = [], 0
    for actor in world.actors.values():
        if not actor.fixed_base or actor.num_bodies > 1:
            moving += range(first, first + actor.num_bodies)
        first += actor.num_bodies
    points = []
    for batch in made:
        if not len(batch.vertices):
            continue
        position, _ = batch.poses(poses[None])
        reach = np.abs(batch.vertices).max(axis=0) * np.abs(batch.scales)
        chosen = np.isin(batch.bodies, moving) if moving else np.ones(len(batch.bodies), bool)
        size = np.linalg.norm(reach, axis=1, keepdims=True)
        points += [(position - size)[chosen], (position + size)[chosen]]
    points += [nodes[0] for nodes in snapshot.nodes]
    both = np.concatenate(points) if points else np.zeros((0, 3))
    both = both[np.isfinite(both).all(axis=1)]
    if not len(both):
        return np.zeros(3), 1.0
    low, high = both.min(axis=0), both.max(axis=0)
    return (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, 1e-3)


def _weight(world: World) -> float:
    """N: of all that moves in an environment, arms on fixed bases too, or 10 N."""
    moving = [each for each in world.actors.values() if not each.fixed_base or getattr(each, "num_dof", 0)]
    masses = [sum(body.mass for body in actor.model.bodies) for actor in moving]
    return sum(masses) * float(np.linalg.norm(world.gravity)) or 10.0
