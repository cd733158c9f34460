"""Windows that show the stage: there are none. Cameras, which are prims, can be placed and set up."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.isaaclab.sim.utils import standardize_xform_ops
from phalanx.facade.isaaclab.sim.utils.edits import current
from phalanx.facade.isaaclab.sim.utils.transforms import convert_world_pose_to_local
from phalanx.facade.isaacsim.core.utils.rotations import gf_quat_to_np_array, lookat_to_quatf
from phalanx.facade.once import tell_once
from phalanx.io.formats.usd.bindings import Gf, Prim, UsdGeom

_NONE = "there is no window that could show the stage"


def set_camera_view(
    eye: Any, target: Any, camera_prim_path: str = "/OmniverseKit_Persp", viewport_api: Any = None
) -> None:
    """Place a camera of the current stage and let it look at a point.

    Args:
        eye: where it is in the world, (3,), in units of the stage.
        target: what it looks at, (3,).
        camera_prim_path: the camera. That of the main window is not there, and it is logged once that nothing happens.
        viewport_api: of a window; without a meaning here.

    Raises:
        ValueError: there is no camera at the path, or no orientation looks from ``eye`` at ``target``.
    """
    stage = current(None)
    prim = stage.GetPrimAtPath(camera_prim_path)
    if not prim and camera_prim_path == "/OmniverseKit_Persp":
        tell_once(f"set_camera_view: {_NONE}, so that it has no effect")
        return
    _check_camera(prim, camera_prim_path)
    eye, target = np.asarray(eye, float), np.asarray(target, float)
    up = (0.0, 1.0, 0.0) if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.y else (0.0, 0.0, 1.0)
    if not np.linalg.norm(np.cross(target - eye, up)) > 1e-9 * np.linalg.norm(target - eye):
        up = (0.0, 0.0, 1.0) if up[1] else (0.0, 1.0, 0.0)  # straight up or down: any direction will do
    turn = gf_quat_to_np_array(lookat_to_quatf(Gf.Vec3f(*eye.tolist()), Gf.Vec3f(*target.tolist()), Gf.Vec3f(*up)))
    place = convert_world_pose_to_local(eye.tolist(), turn.tolist(), prim.GetParent())
    standardize_xform_ops(prim, *place)


def get_intrinsics_matrix(viewport_api: Any) -> np.ndarray:
    """The intrinsic matrix, (3, 3), of a window's camera: x to the right and y down in the picture, pixels.

    Args:
        viewport_api: anything with ``get_active_camera()``, a path, and ``get_texture_resolution()``, (width, height).

    Raises:
        ValueError: it has no camera.
    """
    prim, width, height = _seen(viewport_api)
    camera = UsdGeom.Camera(prim)
    focal, aperture = camera.GetFocalLengthAttr().Get(), camera.GetHorizontalApertureAttr().Get()
    pixels = width * focal / aperture  # pixels are square, whatever the vertical aperture says
    return np.array([[pixels, 0.0, 0.5 * width], [0.0, pixels, 0.5 * height], [0.0, 0.0, 1.0]])


def set_intrinsics_matrix(viewport_api: Any, intrinsics_matrix: np.ndarray, focal_length: float = 1.0) -> None:
    """Set a window's camera up for an intrinsic matrix; see :func:`get_intrinsics_matrix`.

    Args:
        viewport_api: as there.
        intrinsics_matrix: (3, 3). Offsets of its centre from the picture's are written and not read.
        focal_length: which the apertures are written for, in tenths of units of the stage.

    Raises:
        ValueError: the matrix has another shape, or there is no camera.
    """
    matrix = np.asarray(intrinsics_matrix, float)
    if matrix.shape != (3, 3):
        raise ValueError(f"intrinsics_matrix has shape (3, 3), not {matrix.shape}")
    prim, width, height = _seen(viewport_api)
    camera = UsdGeom.Camera(prim)
    across, up = width * focal_length / matrix[0, 0], height * focal_length / matrix[1, 1]
    camera.CreateFocalLengthAttr(float(focal_length))
    camera.CreateHorizontalApertureAttr(across)
    camera.CreateVerticalApertureAttr(up)
    camera.CreateHorizontalApertureOffsetAttr((matrix[0, 2] - 0.5 * width) / matrix[0, 0] * focal_length)
    camera.CreateVerticalApertureOffsetAttr((matrix[1, 2] - 0.5 * height) / matrix[1, 1] * focal_length)


def _seen(viewport_api: Any) -> tuple[Prim, int, int]:
    """A window's camera and size."""
    path = str(viewport_api.get_active_camera())
    prim = current(None).GetPrimAtPath(path)
    _check_camera(prim, path)
    width, height = viewport_api.get_texture_resolution()
    return prim, width, height


def _check_camera(prim: Prim, path: str) -> None:
    if not prim or not prim.IsA(UsdGeom.Camera):
        raise ValueError(f"there is no camera at {path!r}")


# -- windows -------------------------------------------------------------------------------------------------------


def create_viewport_for_camera(
    viewport_name: str,
    camera_prim_path: str,
    width: int = 1280,
    height: int = 720,
    position_x: int = 0,
    position_y: int = 0,
) -> None:
    """Nothing: there are no windows, which is logged once."""
    tell_once(f"create_viewport_for_camera: {_NONE}, so that it has no effect")


def add_aov_to_viewport(viewport_api: Any, aov_name: str) -> None:
    """Nothing: there are no windows, which is logged once."""
    tell_once(f"add_aov_to_viewport: {_NONE}, so that it has no effect")


def destroy_all_viewports(usd_context_name: str | None = None, destroy_main_viewport: bool = True) -> None:
    """Nothing: there are no windows."""


def get_viewport_names(usd_context_name: str | None = None) -> list[str]:
    """Names of windows: none."""
    return []


def get_id_from_index(index: int) -> Any:
    """What identifies a window by its number: ``None``, there is none."""
    return None


def get_window_from_id(id: Any, usd_context_name: str | None = None) -> Any:
    """A window by what identifies it: ``None``, there is none."""
    return None


def backproject_depth(depth_image: np.ndarray, viewport_api: Any, max_clip_depth: float) -> np.ndarray:
    """Not built."""
    raise NotImplementedError(
        "isaacsim.core.utils.viewports.backproject_depth: use isaaclab.utils.math.unproject_depth"
    )


def project_depth_to_worldspace(depth_image: np.ndarray, viewport_api: Any, max_clip_depth: float) -> list[Any]:
    """Not built."""
    raise NotImplementedError(
        "isaacsim.core.utils.viewports.project_depth_to_worldspace: use isaaclab.utils.math.unproject_depth and "
        "transform_points"
    )


__all__ = [
    "add_aov_to_viewport",
    "backproject_depth",
    "create_viewport_for_camera",
    "destroy_all_viewports",
    "get_id_from_index",
    "get_intrinsics_matrix",
    "get_viewport_names",
    "get_window_from_id",
    "project_depth_to_worldspace",
    "set_camera_view",
    "set_intrinsics_matrix",
]
