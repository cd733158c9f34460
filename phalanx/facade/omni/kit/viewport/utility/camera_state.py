"""What scripts import as ``omni.kit.viewport.utility.camera_state``: where a camera is, and what it looks at."""

from __future__ import annotations

from typing import Any

from phalanx.facade import viewpoint
from phalanx.facade.isaaclab.sim.utils.edits import current
from phalanx.facade.isaacsim.core.utils.viewports import set_camera_view
from phalanx.facade.omni.kit.viewport.utility import Viewport, get_active_viewport
from phalanx.io.formats.usd.bindings import Gf, Prim, Sdf, Usd, UsdGeom

CENTER = "omni:kit:centerOfInterest"
"""The camera's attribute for what it looks at: a point in its own axes, so (0, 0, -distance)."""

DISTANCE = 5.0
"""To what a camera looks at that does not say, in units of the stage."""


class ViewportCameraState:
    """Reads and moves a camera of the current stage.

    Args:
        camera_path: the camera; by default the one that the view looks through.
        viewport: a view; the main window's by default.

    Raises:
        ValueError: there is no such camera.
    """

    def __init__(self, camera_path: Any = None, viewport: Viewport | None = None, *unused: Any, **also: Any) -> None:
        path = str((viewport or get_active_viewport()).camera_path if camera_path is None else camera_path)
        stage = current(None)
        prim = viewpoint.find_or_make(stage) if path == viewpoint.PATH else stage.GetPrimAtPath(path)
        if not prim or not prim.IsA(UsdGeom.Camera):
            raise ValueError(f"there is no camera at {path!r}")
        self.usd_camera = UsdGeom.Camera(prim)

    @property
    def _prim(self) -> Prim:
        return self.usd_camera.GetPrim()

    @property
    def _pose(self) -> Any:
        return UsdGeom.Xformable(self._prim).ComputeLocalToWorldTransform(Usd.TimeCode.Default())

    @property
    def position_world(self) -> Any:
        """``Gf.Vec3d``: where it is."""
        return self._pose.ExtractTranslation()

    @property
    def target_world(self) -> Any:
        """``Gf.Vec3d``: what it looks at."""
        said = self._prim.GetAttribute(CENTER)
        local = said.Get() if said else None
        return self._pose.Transform(Gf.Vec3d(0.0, 0.0, -DISTANCE) if local is None else Gf.Vec3d(local))

    def set_position_world(self, world_position: Any, rotate: bool) -> None:
        """Put it somewhere.

        Args:
            world_position: (3,), in units of the stage.
            rotate: whether it turns to what it looked at; otherwise it looks as far in the same direction.
        """
        position, before, target = Gf.Vec3d(*world_position), self.position_world, self.target_world
        self._look(position, target if rotate else target + position - before)

    def set_target_world(self, world_target: Any, rotate: bool) -> None:
        """Let it look at a point.

        Args:
            world_target: (3,), in units of the stage.
            rotate: whether it turns to that from where it is; otherwise it moves and keeps direction and distance.
        """
        target, position, before = Gf.Vec3d(*world_target), self.position_world, self.target_world
        self._look(position if rotate else position + target - before, target)

    def _look(self, eye: Any, target: Any) -> None:
        set_camera_view(tuple(eye), tuple(target), str(self._prim.GetPath()))
        center = self._prim.CreateAttribute(CENTER, Sdf.ValueTypeNames.Vector3d, True, Sdf.VariabilityUniform)
        center.Set(Gf.Vec3d(0.0, 0.0, -(target - eye).GetLength()))


__all__ = ["ViewportCameraState"]
