"""Cameras that cast rays among many meshes, of which some move."""

from __future__ import annotations

from typing import Any

from phalanx.facade.arrays import hand_out
from phalanx.facade.isaaclab.sensors.buffers import merged
from phalanx.facade.isaaclab.sensors.ray_caster.multi_mesh_ray_caster import MultiMeshRayCaster
from phalanx.facade.isaaclab.sensors.ray_caster.multi_mesh_ray_caster_camera_data import MultiMeshRayCasterCameraData
from phalanx.facade.isaaclab.sensors.ray_caster.ray_caster_camera import RayCasterCamera
from phalanx.facade.namespaces import zeros


class MultiMeshRayCasterCamera(RayCasterCamera, MultiMeshRayCaster):
    """A pinhole camera on each prim that the path stands for, which sees meshes that move with bodies, too.

    Args:
        cfg: a ``MultiMeshRayCasterCameraCfg``.

    Raises:
        ValueError: a type of picture is none that it makes, or the picture has no pixels.
    """

    cfg: Any
    _data: MultiMeshRayCasterCameraData

    @property
    def data(self) -> MultiMeshRayCasterCameraData:  # pyright: ignore[reportIncompatibleMethodOverride]
        """What was measured; measured anew if it is outdated."""
        self._check_initialized()
        self._update_outdated_buffers()
        return self._data

    # -- inside ----------------------------------------------------------------------------------------------

    def _initialize_rays_impl(self) -> None:
        RayCasterCamera._initialize_rays_impl(self)
        self._make_spots()

    def _create_buffers(self) -> None:
        RayCasterCamera._create_buffers(self)
        plain, ids = self._data, None
        if self.cfg.update_mesh_ids:
            ids = zeros((self._num_envs, *self.image_shape, 1), self._device, "int32") - 1
        self._data = MultiMeshRayCasterCameraData(
            plain.pos_w,
            plain.quat_w_world,
            plain.image_shape,
            plain.intrinsic_matrices,
            plain.output,
            plain.info,
            image_mesh_ids=ids,
        )

    def _make_arrays(self, **wanted: bool) -> None:
        super()._make_arrays(**wanted, ids=bool(self.cfg.update_mesh_ids))

    def _update_buffers_impl(self, env_ids: Any) -> None:
        RayCasterCamera._update_buffers_impl(self, env_ids)
        if self._found.ids is not None:
            new = hand_out(self._found.object.copy()).reshape((self._num_envs, *self.image_shape, 1))
            self._data.image_mesh_ids = merged(self._data.image_mesh_ids, new, self._chosen(env_ids))
