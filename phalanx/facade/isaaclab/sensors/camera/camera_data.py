"""What cameras have measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phalanx.facade.isaaclab.utils.math import convert_camera_frame_orientation_convention


@dataclass
class CameraData:
    """Measurements of N cameras.

    Attributes:
        pos_w: (N, 3) position of the camera, m.
        quat_w_world: (N, 4) its orientation, (w, x, y, z), of axes with x forward and z up.
        image_shape: height and width of pictures, pixels.
        intrinsic_matrices: (N, 3, 3), pixels.
        output: pictures by the names of their types, (N, height, width, channels).
        info: what else there is to know about pictures, of each camera by the names of their types.
    """

    pos_w: Any = None
    quat_w_world: Any = None
    image_shape: tuple[int, int] = None  # pyright: ignore[reportAssignmentType]
    intrinsic_matrices: Any = None
    output: dict[str, Any] = None  # pyright: ignore[reportAssignmentType]
    info: list[dict[str, Any]] = None  # pyright: ignore[reportAssignmentType]

    @property
    def quat_w_ros(self) -> Any:
        """(N, 4): orientation of the camera's axes with z forward and y down."""
        return convert_camera_frame_orientation_convention(self.quat_w_world, origin="world", target="ros")

    @property
    def quat_w_opengl(self) -> Any:
        """(N, 4): orientation of the camera's axes with z backwards and y up, as USD has them."""
        return convert_camera_frame_orientation_convention(self.quat_w_world, origin="world", target="opengl")
