"""What cameras have in common that can be put somewhere: prims carry them, and they are where they were put on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from phalanx.facade.isaaclab.sensors.attachment import Attachment
from phalanx.facade.isaaclab.sensors.buffers import put
from phalanx.facade.isaaclab.sensors.camera.camera_data import CameraData
from phalanx.facade.isaaclab.sensors.sensor_base import SensorBase
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.utils.math import (
    combine_frame_transforms,
    convert_camera_frame_orientation_convention,
    create_rotation_matrix_from_view,
    quat_from_matrix,
    subtract_frame_transforms,
)
from phalanx.facade.namespaces import array, copy, rows
from phalanx.io.formats.usd.bindings import UsdGeom


class PlacedCamera(SensorBase):
    """Cameras in the frames of prims."""

    _data: CameraData
    _carried: Attachment
    _offset_pos: Any
    """(N, 3): where cameras are in the frames of their prims, m; scripts may write to it."""
    _offset_quat: Any
    """(N, 4): their orientations there, x forward, z up; scripts may write to it."""
    _frame: Any
    """(N,): pictures since the last reset."""

    @property
    def data(self) -> CameraData:
        """What was measured; measured anew if it is outdated."""
        self._check_initialized()
        self._update_outdated_buffers()
        return self._data

    @property
    def frame(self) -> Any:
        """(N,): pictures since the last reset, int64."""
        self._check_initialized()
        return self._frame

    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Count pictures of some cameras anew, or of all."""
        super().reset(env_ids)
        self._frame = copy(self._frame)
        self._frame[rows(env_ids)] = 0

    def set_world_poses(
        self,
        positions: Any = None,
        orientations: Any = None,
        env_ids: Sequence[int] | None = None,
        convention: Literal["opengl", "ros", "world"] = "ros",
    ) -> None:
        """Put cameras somewhere else; from there on they move with their prims.

        Args:
            positions: (n, 3), m; they stay where they are by default.
            orientations: (n, 4), (w, x, y, z); as they are by default.
            env_ids: which cameras; all by default.
            convention: of which axes ``orientations`` are; see ``CameraCfg.OffsetCfg``.

        Raises:
            RuntimeError: the simulation does not play.
            ValueError: shapes are others, or the convention is unknown.
        """
        self._check_initialized()
        chosen = rows(env_ids)
        base, pose = self._carried.poses(), [copy(one) for one in self._camera_poses()]
        turns = orientations
        if turns is not None:
            turns = array(turns, self._device, "float32")
            turns = convert_camera_frame_orientation_convention(turns, origin=convention, target="world")
        for i, value in ((0, positions), (1, turns)):
            if value is None:
                continue
            value = array(value, self._device, "float32")
            wanted = tuple(pose[i][chosen].shape)
            if tuple(value.shape) != wanted:
                what = ("positions", "orientations")[i]
                raise ValueError(f"{self._who}: {what} have shape {tuple(value.shape)}; it must be {wanted}")
            pose[i][chosen] = value
        own = subtract_frame_transforms(*base, *pose)
        for name, value in zip(("_offset_pos", "_offset_quat"), own, strict=True):
            put(self, name, value, chosen)
        put(self._data, "pos_w", pose[0], chosen)
        put(self._data, "quat_w_world", pose[1], chosen)
        self._outdate(env_ids)

    def set_world_poses_from_view(self, eyes: Any, targets: Any, env_ids: Sequence[int] | None = None) -> None:
        """Put cameras somewhere, and let them look at something, upright.

        Args:
            eyes: (n, 3), where cameras are, m.
            targets: (n, 3), where they look, m.
            env_ids: which cameras; all by default.

        Raises:
            RuntimeError: the simulation does not play.
            NotImplementedError: neither y nor z is up on the stage.
        """
        self._check_initialized()
        up = str(UsdGeom.GetStageUpAxis(utils.get_current_stage()))
        if up not in ("Y", "Z"):
            raise NotImplementedError(f"{self._who}: the stage's up axis is {up!r}; it must be Y or Z")
        eyes, targets = (array(one, self._device, "float32") for one in (eyes, targets))
        frames = create_rotation_matrix_from_view(eyes, targets, "Y" if up == "Y" else "Z", self._device)
        self.set_world_poses(eyes, quat_from_matrix(frames), env_ids, convention="opengl")

    # -- inside ----------------------------------------------------------------------------------------------

    @property
    def _ALL_INDICES(self) -> Any:
        """(N,): the numbers of all cameras."""
        return self._all_ids

    def _camera_poses(self) -> tuple[Any, Any]:
        """(N, 3) and (N, 4): where cameras are in the world, x forward, z up."""
        return combine_frame_transforms(*self._carried.poses(), self._offset_pos, self._offset_quat)

    def _outdate(self, env_ids: Any) -> None:
        self._clocks.heed_scripts()
        self._clocks.due[self._host_ids(env_ids)] = True
        self._clocks.tell_scripts()

    def _given_matrices(self, matrices: Any, env_ids: Any) -> tuple[Any, Any]:
        """Intrinsic matrices (n, 3, 3) that were given for some cameras, and those of all with these put in.

        Raises:
            ValueError: the shape is another one.
        """
        given = array(matrices, self._device, "float32")
        own = copy(self._data.intrinsic_matrices)
        if tuple(given.shape) != tuple(own[rows(env_ids)].shape):
            raise ValueError(
                f"{self._who}: matrices have shape {tuple(given.shape)}; it must be {tuple(own[rows(env_ids)].shape)}"
            )
        own[rows(env_ids)] = given
        return given, own
