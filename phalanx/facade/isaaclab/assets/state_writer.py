"""Assets whose bodies users put somewhere: one body in each row, of one frame or the other."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from phalanx.facade.isaaclab.assets import frames
from phalanx.facade.isaaclab.assets.asset_base import AssetBase
from phalanx.facade.isaaclab.assets.buffers import block, count, fits, refuse_outside
from phalanx.facade.namespaces import array, cast, common, copy, rows


class StateWriter(AssetBase):
    """Writes poses and velocities, (rows, 7) and (rows, 6), of chosen rows.

    Rows are instances, chosen by ``env_ids``, or instances and objects, chosen by ``env_ids`` and ``object_ids``. What
    is written is seen in ``data`` at once.
    """

    _noun = "root"
    """What has the state, for messages."""

    @abstractmethod
    def _set_root_poses(self, poses: Any, indices: Any) -> None:
        """Put links somewhere, (rows, 7), (x, y, z, w), in the simulation."""

    @abstractmethod
    def _set_root_velocities(self, velocities: Any, indices: Any) -> None:
        """Let centres of mass move so, (rows, 6), in the simulation."""

    @property
    def _rows(self) -> tuple[int, ...]:
        """The shape of rows."""
        return (self.num_instances,)

    def _indices(self, env_ids: Any) -> Any:
        """Rows of the tensor view."""
        return None if env_ids is None else array(numbers(env_ids, self.num_instances), self.device, "int64")

    # -- writing ---------------------------------------------------------------------------------------------

    def _write_state(self, state: Any, pose_of: str, velocity_of: str, *ids: Any) -> None:
        """Of frames ``"link"`` or ``"com"``, (rows, 13). Nothing is written if a number is none."""
        xp, state = common(self._given("state", state, 13, ids))
        if self.device == "cpu" and not bool(xp.isfinite(state).all()):
            raise ValueError(f"{self._who}: {self._noun}_state is not finite")
        (self._write_link_pose if pose_of == "link" else self._write_com_pose)(state[..., :7], *ids)
        (self._write_link_velocity if velocity_of == "link" else self._write_com_velocity)(state[..., 7:], *ids)

    def _write_link_pose(self, pose: Any, *ids: Any) -> None:
        whole = self._over(self.data._link_pose, self._given("pose", pose, 7, ids), ids)
        self._set_root_poses(frames.to_xyzw(whole), self._indices(*ids))
        self.data.pose_was_written(whole, *ids)

    def _write_com_pose(self, pose: Any, *ids: Any) -> None:
        pose = self._given("pose", pose, 7, ids)
        self._write_link_pose(frames.link_pose(pose, self.data._com_in_link[block(self.device, *ids)]), *ids)

    def _write_com_velocity(self, velocity: Any, *ids: Any) -> None:
        whole = self._over(self.data._com_velocity, self._given("velocity", velocity, 6, ids), ids)
        self._set_root_velocities(whole, self._indices(*ids))
        self.data.velocity_was_written(whole, *ids)

    def _write_link_velocity(self, velocity: Any, *ids: Any) -> None:
        velocity, some, data = self._given("velocity", velocity, 6, ids), block(self.device, *ids), self.data
        of_com = frames.com_velocity(velocity, data._link_pose[some][..., 3:], data._com_in_link[some])
        self._write_com_velocity(of_com, *ids)

    # -- inside ----------------------------------------------------------------------------------------------

    def _given(self, what: str, value: Any, width: int, ids: tuple[Any, ...]) -> Any:
        """What a user gives for chosen rows, (rows, width), or what can be broadcast to that."""
        self._check_initialized()
        found = array(value, self.device, "float32")
        for kind, each, whole in zip(("instance", "object"), ids, self._rows, strict=False):
            refuse_outside(self._who, kind, each, whole)
        wanted = tuple(count(rows(each), whole) for each, whole in zip(ids, self._rows, strict=True))
        if tuple(found.shape) == (*wanted, width):
            return found
        if not fits(found, (*wanted, width)) or int(found.shape[-1]) != width:
            chosen = " and ".join(("instance", "object")[: len(ids)])
            raise ValueError(
                f"{self._who}: {self._noun}_{what} has shape {tuple(found.shape)}; it must be "
                f"{(*wanted, width)}, a row for each chosen {chosen}, or broadcast to that"
            )
        xp, found = common(found)
        return xp.broadcast_to(found, (*wanted, width))

    def _over(self, present: Any, given: Any, ids: tuple[Any, ...]) -> Any:
        """Present values with those of chosen rows exchanged; an array of its own, which users do not hold."""
        if all(each is None for each in ids):
            return copy(given)
        _, present, given = common(present, given)
        whole = copy(present)
        whole[block(self.device, *ids)] = cast(given, str(whole.dtype).rpartition(".")[2])
        return whole


def numbers(ids: Any, whole: int) -> Any:
    """Of chosen things the numbers."""
    return np.arange(whole)[rows(ids)] if ids is None or isinstance(ids, slice) else ids
