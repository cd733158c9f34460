"""What browsers show of a world: batches of meshes, grounds, frames and contacts, renewed as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.maths.arrays import between, unit
from phalanx.viewer.hits import MeshTargets
from phalanx.viewer.meshes import Batch, Instances, batches
from phalanx.viewer.soft_meshes import SoftMeshes
from phalanx.world.snapshots import Contacts, Snapshot

if TYPE_CHECKING:
    from viser import ViserServer

    from phalanx.world.world import World

ROOT = "/world"
"""Everything hangs below this node, which is moved when a body is followed."""

GROUND_COLOR, LINE_COLOR, SECTION_COLOR = (222, 226, 230), (196, 203, 209), (164, 173, 182)
POINT_COLOR, NORMAL_COLOR, FORCE_COLOR = (250, 190, 0), (0, 70, 230), (215, 0, 0)

AMBIENT = 0.3
"""Share of viser's light from all sides; with all of it colours are pale."""

LARGE = 200_000
"""Triangles in view from which browsers may draw simpler meshes far away."""

CONTACTS = frozenset({"points", "normals", "forces"})
"""What of :attr:`Scene.shown` needs contacts."""

NORMAL_LENGTH = 0.08
"""m."""


class Scene:
    """The nodes of a viser server that show a world.

    Args:
        server: of viser.
        world: built; its actors and grounds are shown.
        made: the meshes of its visual shapes, of :func:`~.meshes.batches`.
        clicked: called with (body of the world, environment's place among those seen) when someone clicks on a body.
        dragged: called with ("start", "update" or "end", body, place, where it was taken, where the pointer is).

    Attributes:
        shown: which of ``"frames"``, ``"points"``, ``"normals"`` and ``"forces"`` are shown.
        force_scale: m per N of arrows.
        frame_size: m.
    """

    def __init__(
        self,
        server: ViserServer,
        world: World,
        made: list[Batch],
        clicked: Callable[[int, int], None],
        dragged: Callable[[str, int, int, Any, Any], None],
    ) -> None:
        self.server, self.world = server, world
        self.shown: set[str] = set()
        self.force_scale, self.frame_size = 0.002, 0.1
        self._clicked, self._dragged = clicked, dragged
        self._batches: list[Batch] = []
        self._instances, self._targets = Instances([]), MeshTargets([])
        self._whole = True
        self._handles: list[Any] = []
        self._arrows: dict[str, Any] = {}
        self._groups: dict[str, Any] = {}
        self._frames: Any = None
        self._frames_of: tuple[int, ...] = ()
        self._last: tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...]] | None = None
        self._soft = SoftMeshes(server, world, f"{ROOT}/soft")
        self._count = 0
        self._geometry = "visual"
        self._origin = np.zeros(3)
        server.scene.world_axes.visible = False
        server.scene.configure_default_lights(cast_shadow=True)
        server.scene.configure_environment_map("warehouse", environment_intensity=AMBIENT)
        self._root = server.scene.add_frame(ROOT, show_axes=False)
        self._grounds = self._add_grounds()
        self._use(made, "visual")

    @property
    def origin(self) -> np.ndarray:
        """(3,), m: where the world's origin is in the scene, other than in the middle when a body is followed."""
        return self._origin

    @property
    def geometry(self) -> str:
        """One of :data:`~.meshes.GEOMETRIES`."""
        return self._geometry

    def set_geometry(self, geometry: str) -> None:
        """Show visual or collision shapes from the next :meth:`show` on."""
        self._use(batches(self.world, geometry), geometry)

    def _use(self, made: list[Batch], geometry: str) -> None:
        self._batches = made
        self._instances, self._targets = Instances(self._batches), MeshTargets(self._batches)
        self._geometry, self._last = geometry, None

    @property
    def ground_visible(self) -> bool:
        """Whether grounds are shown."""
        return any(ground.visible for ground in self._grounds)

    @ground_visible.setter
    def ground_visible(self, visible: bool) -> None:
        for ground in self._grounds:
            ground.visible = visible

    def again(self) -> None:
        """Send everything at the next :meth:`show`, whether it has changed or not."""
        self._last = None

    def show(self, snapshot: Snapshot, offsets: np.ndarray, follow: np.ndarray | None = None) -> bool:
        """Put everything where a snapshot has it, as one change.

        Args:
            snapshot: of the environments that are seen.
            offsets: (k, 3), m: where their origins are.
            follow: (3,), m: a point of the scene that stays in the middle of the view.

        Returns:
            Whether anything was sent.
        """
        changed = self._last is None or not (
            self._last[0].shape == snapshot.poses.shape
            and np.array_equal(self._last[0], snapshot.poses, equal_nan=True)
            and np.array_equal(self._last[1], offsets)
            and all(np.array_equal(a, b, equal_nan=True) for a, b in zip(self._last[2], snapshot.nodes, strict=True))
        )
        origin = np.zeros(3) if follow is None else -np.asarray(follow, float)
        moved = not np.array_equal(origin, self._origin)
        if not changed and not moved and snapshot.contacts is None and not self._arrows:
            return False
        with self.server.atomic():
            if changed:
                poses = snapshot.poses.copy()
                poses[..., :3] += offsets[:, None]
                self._bodies(poses)
                self._show_frames(poses)
                self._soft.show(snapshot.nodes, offsets)
                self._last = snapshot.poses, offsets, snapshot.nodes
            self._contacts(snapshot.contacts, offsets)
            if moved:
                self._origin = origin
                self._root.position = origin
        return True

    @property
    def body_poses(self) -> np.ndarray:
        """(k, bodies, 7), m: what was shown last, in the frames of the environments."""
        return np.zeros((0, 0, 7), np.float32) if self._last is None else self._last[0]

    def first(self, origin: np.ndarray, way: np.ndarray) -> tuple[float, str, int] | None:
        """What a ray meets first of what was shown last.

        Args:
            origin, way: (3,) each: where it begins, m, and where it goes, in the scene.

        Returns:
            Length in lengths of ``way``, name ("actor/body", or that of a deformable body), and the place of the
            environment among those that are seen.
        """
        last = self._last
        if last is None:
            return None
        poses, offsets, nodes = last
        poses = poses.astype(float)
        poses[..., :3] += offsets[:, None]
        start = np.asarray(origin, float) - self._origin
        hard, soft = self._targets.first(poses, start, way), self._soft.first(nodes, offsets, start, way)
        if hard is not None and (soft is None or hard[0] <= soft[0]):
            names = [f"{actor.name}/{body}" for actor in self.world.actors.values() for body in actor.body_names]
            return hard[0], names[hard[1]], hard[2]
        return soft

    # -- parts -----------------------------------------------------------------------------------------------

    def _bodies(self, poses: np.ndarray) -> None:
        finite = np.asarray(np.isfinite(poses).all(axis=-1))
        whole = bool(finite.all())
        poses = poses if whole else np.where(finite[..., None], poses, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
        if len(poses) != self._count or len(self._handles) != len(self._batches) or self._last is None:
            self._make(poses)
        placed = self._instances.poses(poses) if self._batches else []
        for batch, handle, (position, orientation) in zip(self._batches, self._handles, placed, strict=True):
            if not np.array_equal(handle.batched_positions, position):
                handle.batched_positions = position
            if not np.array_equal(handle.batched_wxyzs, orientation):
                handle.batched_wxyzs = orientation
            if whole and self._whole:
                continue
            scales = np.tile(batch.scales, (len(poses), 1))
            if not whole:  # what has no place is not seen
                scales = scales * finite[:, batch.bodies].reshape(-1, 1)
            if not np.array_equal(handle.batched_scales, scales):
                handle.batched_scales = scales.astype(np.float32)
        self._whole = whole

    def _make(self, poses: np.ndarray) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles, self._count = [], len(poses)
        triangles = sum(len(batch.faces) * len(batch.bodies) for batch in self._batches) * len(poses)
        for number, batch in enumerate(self._batches):
            handle = self._add(f"{ROOT}/bodies/{number}", batch, poses, "auto" if triangles > LARGE else "off")
            self._listen(handle, batch)
            self._handles.append(handle)

    def _add(self, name: str, batch: Batch, poses: np.ndarray, lod: Any) -> Any:
        position, orientation = batch.poses(poses)
        scales = np.tile(batch.scales, (len(poses), 1))
        if batch.texture:
            return self.server.scene.add_batched_glb(
                name, batch.texture, orientation, position, batched_scales=scales, lod=lod
            )
        return self.server.scene.add_batched_meshes_simple(
            name,
            batch.vertices,
            batch.faces,
            orientation,
            position,
            batched_scales=scales,
            batched_colors=np.tile(batch.colors, (len(poses), 1)),
            opacity=None if batch.opacity >= 1.0 else batch.opacity,
            lod=lod,
            side="double" if batch.opacity < 1.0 else "front",
        )

    def _listen(self, handle: Any, batch: Batch) -> None:
        def which(event: Any) -> tuple[int, int]:
            env, instance = divmod(int(event.instance_index or 0), len(batch.bodies))
            return int(batch.bodies[instance]), env

        def on_drag(event: Any) -> None:
            self._dragged(event.phase, *which(event), event.start_position, event.end_position)

        handle.on_click(lambda event: self._clicked(*which(event)))
        handle.on_drag("left", modifier="cmd/ctrl")(on_drag)

    def _show_frames(self, poses: np.ndarray) -> None:
        if self._frames is not None and ("frames" not in self.shown or self._frames_of != poses.shape[:2]):
            self._frames.remove()
            self._frames = None
        if "frames" not in self.shown:
            return
        flat = np.nan_to_num(poses.reshape(-1, 7))
        if self._frames is None:
            self._frames_of = poses.shape[:2]
            size = self.frame_size
            self._frames = self.server.scene.add_batched_axes(
                f"{ROOT}/frames", flat[:, 3:], flat[:, :3], axes_length=size, axes_radius=0.05 * size
            )
        else:
            self._frames.batched_wxyzs, self._frames.batched_positions = flat[:, 3:], flat[:, :3]

    def _contacts(self, contacts: Contacts | None, offsets: np.ndarray) -> None:
        for name, lines in self._contact_arrows(contacts, offsets).items():
            handle = self._arrows.pop(name, None)
            if handle is not None and (not len(lines) or handle.points.shape != lines.shape):
                handle.remove()
                handle = None
            if len(lines):
                if handle is None:
                    handle = self._new_arrows(name, lines)
                elif not np.array_equal(handle.points, lines):
                    handle.points = lines
                self._arrows[name] = handle

    def _contact_arrows(self, contacts: Contacts | None, offsets: np.ndarray) -> dict[str, np.ndarray]:
        """(m, 2, 3) float32 of what is to be drawn of contacts; points are arrows without length."""
        none = np.zeros((0, 2, 3), np.float32)
        if contacts is None:
            return dict.fromkeys(("points", "normals", "forces"), none)
        start = contacts.points + offsets[contacts.envs]
        ends = {
            "points": start,
            "normals": start + NORMAL_LENGTH * contacts.normals,
            "forces": start + self.force_scale * contacts.forces,
        }
        drawn = {}
        for name, end in ends.items():
            lines = np.stack([start, end], axis=1).astype(np.float32)
            keep = np.isfinite(lines).all(axis=(1, 2))
            if name == "forces":
                keep &= (contacts.forces != 0.0).any(axis=-1)
            drawn[name] = lines[keep] if name in self.shown else none
        return drawn

    def group(self, name: str) -> Any:
        """The node below which one of :data:`CONTACTS` is drawn: it stays, hidden or not, where that is made anew."""
        if name not in self._groups:
            self._groups[name] = self.server.scene.add_frame(f"{ROOT}/contacts/{name}", show_axes=False)
        return self._groups[name]

    def _new_arrows(self, name: str, lines: np.ndarray) -> Any:
        path = f"{self.group(name).name}/now"
        if name == "points":
            return _Points(self.server, path, lines)
        color, radius = (NORMAL_COLOR, 0.004) if name == "normals" else (FORCE_COLOR, 0.006)
        return self.server.scene.add_arrows(
            path, lines, color, shaft_radius=radius, head_radius=2.2 * radius, head_length=5.0 * radius
        )

    def _add_grounds(self) -> list[Any]:
        found = []
        for number, ground in enumerate(self.world.grounds):
            up = unit(np.asarray(ground.normal, float))
            point = np.array([0.0, 0.0, ground.height]) if up[2] else up * ground.height
            found.append(
                self.server.scene.add_grid(
                    f"{ROOT}/ground/{number}",
                    infinite_grid=True,
                    cell_size=0.5,
                    section_size=2.0,
                    cell_color=LINE_COLOR,
                    section_color=SECTION_COLOR,
                    fade_distance=60.0,
                    plane_color=GROUND_COLOR,
                    plane_opacity=1.0,
                    shadow_opacity=0.25,
                    wxyz=between(np.array([0.0, 0.0, 1.0]), up),
                    position=point,
                )
            )
        return found


class _Points:
    """Contact points as small spheres, with the interface of arrows."""

    def __init__(self, server: ViserServer, path: str, lines: np.ndarray) -> None:
        self._lines = lines
        self._handle = server.scene.add_point_cloud(
            path, lines[:, 0], POINT_COLOR, point_size=0.012, point_shape="circle", precision="float32"
        )

    @property
    def points(self) -> np.ndarray:
        return self._lines

    @points.setter
    def points(self, lines: np.ndarray) -> None:
        self._lines = lines
        self._handle.points = lines[:, 0]

    def remove(self) -> None:
        self._handle.remove()


AWAY = 2.1
"""How far preset views are from the middle of what is seen, in its radii."""

PHONE, COVERED = 576, 0.6
"""Pixels: viser's panel lies below in windows of this width or less; the part of their height that it covers."""


def view_presets(center: np.ndarray, radius: float) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """(where the camera is, where it looks), m, of each named view of a sphere."""
    ways: dict[str, Sequence[float]] = {
        "Corner": (1.0, -1.2, 0.7),
        "Front": (1.0, 0.0, 0.15),
        "Back": (-1.0, 0.0, 0.15),
        "Left": (0.0, 1.0, 0.15),
        "Right": (0.0, -1.0, 0.15),
        "Top": (-0.001, 0.0, 1.0),
    }
    return {name: (center + AWAY * radius * unit(np.array(way, float)), center) for name, way in ways.items()}


def fitted(
    position: np.ndarray, target: np.ndarray, fov: float, width: int, height: int, window: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """A preset view of a scene that is narrow, or whose lower part viser's panel covers: it does on phones.

    The camera is moved back, and turned downwards, until what it looks at is in the middle of what is not covered.

    Args:
        position, target: (3,), m, of the preset view.
        fov: rad, from the lower edge to the upper.
        width, height: of the scene, pixels; in wide windows the panel is beside it.
        window: width of the window, pixels; ``None``: not known yet.
    """
    covered = COVERED if window is not None and window <= PHONE else 0.0
    whole = np.tan(0.5 * fov)
    low, high = np.arctan((2.0 * covered - 1.0) * whole), 0.5 * fov  # what is not covered, from the window's middle
    half = min(0.5 * (high - low), np.arctan(whole * width / height))
    away = float(np.linalg.norm(position - target)) * max(1.0, 1.0 / (AWAY * np.sin(half)))
    ahead, down = unit(target - position), 0.5 * (low + high)
    pitch = min(float(np.arcsin(-ahead[2])), np.radians(89.95) - down)  # cameras turn no further than straight down
    level = unit(np.array([ahead[0], ahead[1], 0.0]))

    def way(angle: float) -> np.ndarray:
        return away * (np.cos(angle) * level - np.array([0.0, 0.0, np.sin(angle)]))

    eye = target - way(pitch)
    return eye, eye + way(pitch + down)
