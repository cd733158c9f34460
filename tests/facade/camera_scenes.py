"""Pictures by formula, and cameras to compare with them."""

from __future__ import annotations

from typing import Any

import numpy as np
from facade.sensor_scenes import ground

from phalanx.facade import stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.sensors import TiledCamera, TiledCameraCfg
from phalanx.io.formats.usd.bindings import UsdGeom
from phalanx.maths.arrays import from_matrix, unit

TO_ROS = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
"""From the axes x forward, z up to z forward, -y up."""

AXES = {"world": np.eye(3), "ros": TO_ROS.T, "opengl": TO_ROS.T @ np.diag([1.0, -1.0, -1.0])}
"""Of each convention the axes, as columns, in those that have x forward, z up."""

SEGMENTATIONS = ["semantic_segmentation", "instance_segmentation_fast", "instance_id_segmentation_fast"]
ALL = ["rgb", "rgba", "depth", "distance_to_camera", "distance_to_image_plane", "normals", "motion_vectors"]
ALL += SEGMENTATIONS
"""Types of pictures. Tests ask for all of them, so that they share one kernel."""

WIDTH, HEIGHT = 48, 32
ENV = "/World/envs/env_.*"


def quat(frame: np.ndarray) -> Any:
    """(w, x, y, z) of a rotation matrix."""
    return tuple(float(part) for part in from_matrix(np.asarray(frame, float)))


def looking(ahead: Any) -> np.ndarray:
    """(3, 3): axes of a camera, x along ``ahead``, as upright as can be."""
    ahead = unit(np.asarray(ahead, float))
    side = np.cross([0.0, 0.0, 1.0], ahead)
    left = unit(side) if np.linalg.norm(side) > 1e-9 else np.array([0.0, 1.0, 0.0])
    return np.stack([ahead, left, np.cross(ahead, left)], -1)


def pixel_rays(k: np.ndarray, height: int, width: int) -> np.ndarray:
    """(height, width, 3): unit directions of the pixels of a pinhole, x forward, z up."""
    v, u = np.mgrid[:height, :width] + 0.5
    ahead = np.stack([np.ones_like(u), -(u - k[0, 2]) / k[0, 0], -(v - k[1, 2]) / k[1, 1]], -1)
    return ahead / np.linalg.norm(ahead, axis=-1, keepdims=True)


def box_hits(eye: Any, ahead: np.ndarray, low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
    """Distances along rays in the world (infinite beside the box), and normals."""
    with np.errstate(divide="ignore"):
        near, far = (np.asarray(low) - eye) / ahead, (np.asarray(high) - eye) / ahead
    first, last = np.minimum(near, far).max(-1), np.maximum(near, far).min(-1)
    hit = (first <= last) & (first > 0)
    side = np.minimum(near, far).argmax(-1)
    normal = -np.sign(np.take_along_axis(ahead, side[..., None], -1)) * np.eye(3)[side]
    return np.where(hit, first, np.inf), np.where(hit[..., None], normal, 0.0)


def sphere_hits(eye: Any, ahead: np.ndarray, middle: Any, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """The same of a sphere."""
    to = np.asarray(middle, float) - eye
    along = ahead @ to
    below = radius**2 - (to @ to - along**2)
    with np.errstate(invalid="ignore"):
        distance = np.where((below > 0) & (along > 0), along - np.sqrt(below), np.inf)
        normal = (np.where(np.isinf(distance), 0.0, distance)[..., None] * ahead - to) / radius
    return distance, np.where(np.isinf(distance)[..., None], 0.0, normal)


def nearest(*hits: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of several things the nearest: distances, normals, and which it is (-1: none)."""
    distances, normals = np.stack([hit[0] for hit in hits]), np.stack([hit[1] for hit in hits])
    first = distances.argmin(0)
    distance = np.take_along_axis(distances, first[None], 0)[0]
    normal = np.take_along_axis(normals, first[None, ..., None], 0)[0]
    return distance, normal, np.where(np.isinf(distance), -1, first)


def same(found: np.ndarray, expected: np.ndarray, atol: float = 1e-4) -> None:
    """Pictures agree but where an edge runs through a pixel: fewer than one in fifty."""
    close = np.isclose(found, expected, rtol=3e-5, atol=atol, equal_nan=True)
    assert (~close).any(-1 if expected.ndim > 3 else ()).mean() < 0.02, f"{(~close).mean():.3f} of the pixels differ"


def ball(path: str, at: Any, radius: float = 0.5, **more: Any) -> None:
    """A red ball that is only to be seen."""
    look = more.pop("look", {"diffuse_color": (0.8, 0.1, 0.1)})
    cfg = sim_utils.SphereCfg(radius=radius, visual_material=sim_utils.PreviewSurfaceCfg(**look), **more)
    cfg.func(path, cfg, translation=at)


def basics(intensity: float = 2500.0) -> None:
    """A ground with lines, and a dome that makes white what is white and faces up.

    Far below are a mesh and a faint sun: with them, all tests of cameras share one kernel.
    """
    ground()
    mesh = UsdGeom.Mesh.Define(stage.get_stage(), "/World/far")
    mesh.CreatePointsAttr([(300.0, 0.0, -50.0), (301.0, 0.0, -50.0), (300.0, 1.0, -50.0)])
    mesh.CreateFaceVertexCountsAttr([3])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2])
    sphere = sim_utils.SphereCfg(radius=1.0)
    sphere.func("/World/deep", sphere, translation=(300.0, 0.0, -60.0))
    for name, cfg in (
        ("sky", sim_utils.DomeLightCfg(intensity=intensity)),
        ("faint", sim_utils.DistantLightCfg(intensity=1e-3)),
    ):
        cfg.func(f"/World/{name}", cfg)


def camera(path: str, **more: Any) -> TiledCamera:
    """A camera with all types of pictures."""
    given: dict[str, Any] = {"data_types": ALL, "width": WIDTH, "height": HEIGHT, "prim_path": path}
    given |= {"spawn": sim_utils.PinholeCameraCfg(), "update_latest_camera_pose": True} | more
    return TiledCamera(TiledCameraCfg(**given))


def at(pos: Any, frame: np.ndarray, convention: str = "world") -> TiledCameraCfg.OffsetCfg:
    """Where a camera is, by axes with x forward and z up."""
    turn = quat(frame @ AXES[convention])
    return TiledCameraCfg.OffsetCfg(pos=tuple(map(float, pos)), rot=turn, convention=convention)  # type: ignore[arg-type]
