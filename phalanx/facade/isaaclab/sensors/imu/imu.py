"""Inertial measurement units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.isaaclab.assets import frames
from phalanx.facade.isaaclab.sensors.buffers import put, set_to
from phalanx.facade.isaaclab.sensors.imu.imu_data import ImuData
from phalanx.facade.isaaclab.sensors.markers import ShownByMarkers
from phalanx.facade.isaaclab.sensors.prims import is_rigid_body, rigid_body_view
from phalanx.facade.isaaclab.sensors.sensor_base import SensorBase
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.utils.math import normalize, quat_apply, quat_apply_inverse, quat_mul
from phalanx.facade.isaaclab.utils.math.general import cross, length
from phalanx.facade.namespaces import array, common, namespace, zeros


class Imu(ShownByMarkers, SensorBase):
    """A frame on each rigid body that the path stands for, and how it moves.

    Accelerations are differences of velocities over the time since the last measurement. The first one since a reset
    has the acceleration of the body's last step instead, moved to the sensor; before any step that is zero.

    Args:
        cfg: an ``ImuCfg``.
    """

    cfg: Any

    @property
    def data(self) -> ImuData:
        """What was measured; measured anew if it is outdated."""
        self._check_initialized()
        self._update_outdated_buffers()
        return self._data

    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Forget what some units have measured, or all; velocities of before do not count any more."""
        super().reset(env_ids)
        self._known[self._host_ids(env_ids)] = False
        ids = slice(None) if env_ids is None else array(np.arange(self._num_envs)[self._host_ids(env_ids)], self.device)
        set_to(self, "_rate", 0.0, ids)

    # -- inside ----------------------------------------------------------------------------------------------

    def _count(self) -> int:
        return len(utils.find_matching_prims(self.cfg.prim_path))

    def _initialize_impl(self) -> None:
        super()._initialize_impl()
        paths = [str(prim.GetPath()) for prim in self._find_own()]
        for path in paths:
            if not is_rigid_body(path):
                raise RuntimeError(
                    f"{self._who}: <{path}> is no rigid body (has no PhysicsRigidBodyAPI), which an Imu needs"
                )
        simulation = self._simulation()
        self._view = rigid_body_view(self._who, simulation.stage_world, paths, 1)
        n, offset = self._num_envs, self.cfg.offset
        rotation = np.asarray(offset.rot, float)
        if not np.linalg.norm(rotation) > 0.0:
            raise ValueError(f"{self._who}: offset.rot={offset.rot} is no quaternion of a rotation")
        self._offset_pos = array(np.tile(np.asarray(offset.pos, "float32"), (n, 1)), self._device)
        self._offset_quat = array(
            np.tile((rotation / np.linalg.norm(rotation)).astype("float32"), (n, 1)), self._device
        )
        gravity = np.asarray(simulation.cfg.gravity, float)
        size = np.linalg.norm(gravity)
        self.GRAVITY_VEC_W = array(
            np.tile((gravity / size if size else gravity).astype("float32"), (n, 1)), self._device
        )
        self._bias = array(np.asarray(self.cfg.gravity_bias, "float32"), self._device)
        self._known = np.zeros(n, bool)
        self._velocity, self._rate = zeros((n, 6), self._device), zeros((n, 6), self._device)
        three = ("pos_w", "projected_gravity_b", "lin_vel_b", "ang_vel_b", "lin_acc_b", "ang_acc_b")
        self._data = ImuData(quat_w=self._offset_quat, **{name: zeros((n, 3), self._device) for name in three})

    def _update_buffers_impl(self, env_ids: Any) -> None:
        chosen, view = self._chosen(env_ids), self._view
        pose, spin = frames.to_wxyz(view.get_transforms()), view.get_velocities()
        xp, quat, center = namespace(pose), pose[:, 3:], view.get_com_positions()
        arm = quat_apply(quat, self._offset_pos - center)
        velocity = xp.concatenate([spin[:, :3] + cross(spin[:, 3:], arm), spin[:, 3:]], -1)
        rate = self._accelerations(velocity, spin[:, 3:], arm)
        place, turn = pose[:, :3] + quat_apply(quat, self._offset_pos), quat_mul(quat, self._offset_quat)
        values = {
            "pos_w": place,
            "quat_w": turn,
            "projected_gravity_b": quat_apply_inverse(turn, self.GRAVITY_VEC_W),
            "lin_vel_b": quat_apply_inverse(turn, velocity[:, :3]),
            "ang_vel_b": quat_apply_inverse(turn, velocity[:, 3:]),
            "lin_acc_b": quat_apply_inverse(turn, rate[:, :3] + self._bias),
            "ang_acc_b": quat_apply_inverse(turn, rate[:, 3:]),
        }
        for name, value in values.items():
            put(self._data, name, value, chosen)
        put(self, "_velocity", velocity, chosen)
        put(self, "_rate", rate, chosen)
        self._known |= self._clocks.due & (self._clocks.time > 0.0)  # before, states may yet be written

    def _accelerations(self, velocity: Any, spin: Any, arm: Any) -> Any:
        """(n, 6) of the sensors, world axes; where no time has passed, what they were."""
        elapsed = self._elapsed()
        passed = elapsed > 0.0
        seconds = array(np.where(passed, elapsed, 1.0).astype("float32")[:, None], self._device)
        xp, found, before = common((velocity - self._velocity) / seconds, self._rate)
        if not self._known.all():
            last = self._view.get_accelerations()
            turning = cross(last[:, 3:], arm) + cross(spin, cross(spin, arm))
            first = xp.concatenate([last[:, :3] + turning, last[:, 3:]], -1)
            found = xp.where(array(self._known[:, None], self._device), found, first)
        return found if passed.all() else xp.where(array(passed[:, None], self._device), found, before)

    def _marked(self) -> dict[str, Any]:
        """Arrows along the accelerations, in units of g, a tenth of a metre above the sensors."""
        data = self.data
        xp, acc = common(data.lin_acc_b)
        size = length(acc)[:, None]
        return {
            "translations": data.pos_w + array([0.0, 0.0, 0.1], self._device),
            "orientations": quat_mul(data.quat_w, _from_x(acc)),
            "scales": xp.concatenate([size / 9.81, xp.ones_like(size), xp.ones_like(size)], -1),
        }


def _from_x(direction: Any) -> Any:
    """(n, 4): rotations that turn x into directions (n, 3) of any length."""
    xp, direction = common(direction)
    x, y, z = (normalize(direction)[:, i] for i in range(3))
    none = xp.zeros_like(x)
    turned = xp.stack([1.0 + x, none, -z, y], -1)
    back = xp.stack([none, none, none, none + 1.0], -1)  # half a turn, for what points back
    return normalize(xp.where((x > -0.999999)[:, None], turned, back))
