"""What scripts draw beside bodies, for viewers: markers, debug lines and points, and pictures of cameras."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.facade.stage_world import StageWorld
from phalanx.facade.visible.drawn_prims import is_hidden
from phalanx.facade.visible.geometry import Piece, pieces
from phalanx.facade.visible.materials import Materials
from phalanx.io.formats.usd.bindings import Usd, UsdGeom
from phalanx.maths.arrays import from_matrix, matrix
from phalanx.models.robot_model import Shape
from phalanx.viewer.drawings import Copies, Drawing, Lines, Points

if TYPE_CHECKING:
    from phalanx.viewer.cameras import CameraPose
    from phalanx.viewer.viewer import Viewer

POINT_SIZE = 0.002
"""m of a point of size 1."""


def show_stage(viewer: Viewer, stage_world: StageWorld) -> None:
    """Let a viewer show what the script draws, now and later."""
    stage = ShownStage(stage_world)

    def cameras(envs: np.ndarray, offsets: np.ndarray) -> Sequence[Drawing]:
        known = viewer.camera_panel.names
        for name, camera in stage.cameras().items():
            if name not in known:
                viewer.add_camera(name, SensorFeed(stage_world, camera))
        return []

    viewer.add_drawing("Markers", stage.markers)
    viewer.add_drawing("Debug lines", stage.debug)
    viewer.drawings.add("cameras", cameras)


class ShownStage:
    """Reads what a script draws on a stage.

    Args:
        stage_world: the world that the stage has become.
    """

    def __init__(self, stage_world: StageWorld) -> None:
        self._world = stage_world
        self._prototypes: dict[str, list[tuple[np.ndarray, np.ndarray, np.ndarray, float]]] = {}
        self._nearest: Any = None

    def markers(self, envs: np.ndarray, offsets: np.ndarray) -> Sequence[Drawing]:
        """Markers; where several environments stand side by side, those nearest to the origins of ``envs``."""
        found: list[Drawing] = []
        for instancer in _all("phalanx.facade.isaaclab.markers.visualization_markers"):
            prim = instancer.GetPrim()
            if prim and prim.GetStage() == self._world.stage and not is_hidden(prim):
                found += self._copies(instancer, envs, offsets)
        return found

    def debug(self, envs: np.ndarray, offsets: np.ndarray) -> Sequence[Drawing]:
        """Lines and points of the interface for debug drawing."""
        module = sys.modules.get("phalanx.facade.isaacsim.util.debug_draw._debug_draw")
        found: list[Drawing] = []
        for interface in module._interfaces if module is not None else ():
            if interface.lines:
                starts, ends, tints, widths = zip(*interface.lines, strict=True)
                both = np.stack([np.array(starts), np.array(ends)], axis=1)
                place, chosen = self._seen(both.mean(axis=1), envs, offsets)
                colors = np.repeat(_bytes(tints)[:, None], 2, axis=1)[chosen]
                for width in np.unique(np.array(widths)[chosen]):
                    some = np.array(widths)[chosen] == width
                    moved = both[chosen][some] + place[some][:, None]
                    found.append(Lines(moved, colors[some], float(width), pixels=True))
            if interface.points:
                places, tints, sizes = zip(*interface.points, strict=True)
                place, chosen = self._seen(np.array(places), envs, offsets)
                for size in np.unique(np.array(sizes)[chosen]):
                    some = np.array(sizes)[chosen] == size
                    moved = np.array(places)[chosen][some] + place[some]
                    found.append(Points(moved, _bytes(tints)[chosen][some], POINT_SIZE * float(size)))
        return found

    def cameras(self) -> dict[str, Any]:
        """Cameras of Isaac Lab that have been initialized in this world, by the paths of their prims."""
        found = _all("phalanx.facade.isaaclab.sensors.camera.camera")
        return {str(one.cfg.prim_path): one for one in found if one._seen_world is self._world}

    def _seen(self, places: np.ndarray, envs: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of places (n, 3) in the stage's world those to be seen: how far they are moved (m, 3), and which they are."""
        origins = np.asarray(self._world.origins, float)
        if len(origins) == 1:
            owner = np.zeros(len(places), int)
        else:
            from scipy.spatial import KDTree

            if self._nearest is None:
                self._nearest = KDTree(origins[:, :2])
            owner = self._nearest.query(np.nan_to_num(places[:, :2]))[1]
        row = np.full(len(origins), -1)
        row[envs] = np.arange(len(envs))
        chosen = np.flatnonzero((row[owner] >= 0) & np.isfinite(places).all(axis=1))
        return offsets[row[owner[chosen]]] - origins[owner[chosen]], chosen

    def _copies(self, instancer: Any, envs: np.ndarray, offsets: np.ndarray) -> list[Drawing]:
        time = Usd.TimeCode.EarliestTime()
        sorts = np.array(instancer.GetProtoIndicesAttr().Get(time) or [], int)
        places = np.array(instancer.GetPositionsAttr().Get(time) or [], float).reshape(-1, 3)
        if not len(sorts) or len(sorts) != len(places):
            return []
        turns, scales = instancer.GetOrientationsAttr().Get(time), instancer.GetScalesAttr().Get(time)
        turns = _quaternions(turns) if turns else np.tile([1.0, 0.0, 0.0, 0.0], (len(sorts), 1))
        scales = np.array(scales, float).reshape(-1, 3) if scales else np.ones((len(sorts), 3))
        above = UsdGeom.XformCache(time).GetLocalToWorldTransform(instancer.GetPrim().GetParent())
        above = np.array(above).T
        frames = np.zeros((len(sorts), 4, 4))
        frames[:, :3, :3] = matrix(turns) * scales[:, None, :]
        frames[:, :3, 3], frames[:, 3, 3] = places, 1.0
        frames = above @ frames
        move, chosen = self._seen(frames[:, :3, 3], envs, offsets)
        frames = frames[chosen]
        frames[:, :3, 3] += move
        found: list[Drawing] = []
        for sort, target in enumerate(instancer.GetPrototypesRel().GetForwardedTargets()):
            some = frames[sorts[chosen] == sort]
            size = np.linalg.norm(some[:, :3, :3], axis=1)
            turn = from_matrix(some[:, :3, :3] / np.maximum(size, 1e-12)[:, None, :])
            for vertices, faces, color, opacity in self._prototype(target) if len(some) else ():
                found.append(Copies(vertices, faces, some[:, :3, 3], turn, size, color, opacity))
        return found

    def _prototype(self, target: Any) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, float]]:
        """Of each part of a marker its vertices in the marker's frame, faces, colour and opacity."""
        from phalanx.images.looks import encoded

        key = str(target)
        if key not in self._prototypes:
            root, made = self._world.stage.GetPrimAtPath(target), []
            materials = Materials({})
            cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
            above = np.linalg.inv(np.array(cache.GetLocalToWorldTransform(root.GetParent())).T)
            walk: Any = iter(Usd.PrimRange(root, Usd.TraverseInstanceProxies()))
            for prim in walk:
                if is_hidden(prim):
                    walk.PruneChildren()
                elif prim.IsA(UsdGeom.Gprim):
                    transform = above @ np.array(cache.GetLocalToWorldTransform(prim)).T
                    for piece in pieces(prim, transform):
                        look = materials.look(prim, piece)
                        color = encoded(np.asarray(look.color, float) + np.asarray(look.emission, float))
                        made.append((*_triangles(piece), color, float(look.opacity)))
            self._prototypes[key] = [part for part in made if part[3] > 0.0]
        return self._prototypes[key]


class SensorFeed:
    """Pictures of a camera of Isaac Lab: what it saw last.

    Args:
        stage_world: that it is in.
        camera: a ``Camera`` or ``TiledCamera`` that has been initialized.
    """

    def __init__(self, stage_world: StageWorld, camera: Any) -> None:
        self._world, self._camera = stage_world, camera

    @property
    def kinds(self) -> Sequence[str]:
        """Its data types, but for motion vectors."""
        return [name for name in self._camera.cfg.data_types if name != "motion_vectors"] or ["rgb"]

    def picture(self, kind: str, env: int) -> np.ndarray:
        """(height, width, 3) uint8."""
        from phalanx.images.pictures.false_colors import depth_image, normal_image

        image = _host(self._camera._data.output[kind][self._row(env)])
        if kind in ("rgb", "rgba"):
            return image[..., :3]
        if kind == "normals":
            return normal_image(image)
        if image.dtype == np.uint8:
            return image[..., :3]
        if image.dtype.kind == "f":
            return depth_image(np.where(np.isfinite(image[..., 0]), image[..., 0], np.inf))
        labels = image[..., 0].astype(np.int64)
        return (np.stack([labels * 97, labels * 57 + 40, labels * 151 + 80], axis=-1) % 256).astype(np.uint8)

    def pose(self, env: int) -> CameraPose | None:
        """Where it is."""
        row = self._row(env)
        place, turn = self._camera._camera_poses()
        from phalanx.facade.isaaclab.utils.math import convert_camera_frame_orientation_convention
        from phalanx.viewer.cameras import CameraPose

        turn = _host(convert_camera_frame_orientation_convention(turn, "world", "ros"))[row].astype(float)
        place = _host(place)[row].astype(float) - self._world.origins[env]
        if not np.isfinite(place).all() or not np.isfinite(turn).all():
            return None
        height, width = self._camera.image_shape
        focal = float(_host(self._camera._data.intrinsic_matrices)[row, 1, 1])
        return CameraPose(place, turn, 2.0 * np.arctan(0.5 * height / focal), width / height)

    def _row(self, env: int) -> int:
        """Which of its cameras is in an environment; the first where they are outside of all."""
        return min(env, len(self._camera._data.intrinsic_matrices) - 1)


def _all(module: str) -> list[Any]:
    """What a module has made, unless nobody has imported it."""
    found = sys.modules.get(module)
    return [] if found is None else list(found.MADE)


def _triangles(piece: Piece) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and faces of a part."""
    from phalanx.models.meshes.tessellate import surface
    from phalanx.rays.geometry import KINDS

    geometry, place = piece.geometry, piece.place
    linear = matrix(np.asarray(place.get("orientation", (1.0, 0.0, 0.0, 0.0)), float))
    linear = linear * np.asarray(place.get("scale", 1.0), float)
    if geometry.tree is not None:
        corners = geometry.tree.triangles[:, :9].reshape(-1, 3)
    else:
        shapes = {kind: (name, sizes) for name, (kind, sizes) in KINDS.items() if name != "plane"}
        name, sizes = shapes[geometry.kind]
        corners = surface(Shape(name, tuple(geometry.size[:sizes]))).corners.reshape(-1, 3)
    corners = corners @ linear.T + np.asarray(place.get("position", (0.0, 0.0, 0.0)), float)
    return corners.astype(np.float32), np.arange(len(corners), dtype=np.uint32).reshape(-1, 3)


def _quaternions(values: Any) -> np.ndarray:
    """(n, 4) w x y z of USD's."""
    found = np.array([(q.real, *q.imaginary) for q in values], float).reshape(-1, 4)
    return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)


def _bytes(colors: Any) -> np.ndarray:
    return np.round(255.0 * np.clip(np.array(colors, float)[:, :3], 0.0, 1.0)).astype(np.uint8)


def _host(value: Any) -> np.ndarray:
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    return np.asarray(value.get() if hasattr(value, "get") else value)
