"""Forces and torques on bodies that several callers add up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from phalanx.facade.arrays import to_warp
from phalanx.facade.isaaclab.assets import frames
from phalanx.facade.isaaclab.assets.buffers import block
from phalanx.facade.isaaclab.utils.math.general import cross
from phalanx.facade.namespaces import array, common, zeros


class _Sum:
    """Of wrenches in one frame: all forces, those at points and their moments about the origin, and torques.

    Points' moments about a centre of mass that is known only when they act follow from this, however many there are.
    """

    def __init__(self, shape: tuple[int, int, int], device: str) -> None:
        self.force, self.placed, self.moment, self.torque = (zeros(shape, device) for _ in range(4))
        self.used = self.at_points = False

    def clear(self, chosen: Any, forces: bool = True, torques: bool = True) -> None:
        for buffer in (self.force, self.placed, self.moment) * forces + (self.torque,) * torques:
            buffer[chosen] = 0.0

    def about(self, com: Callable[[], Any]) -> tuple[Any, Any]:
        """Force, and torque about the centre of mass, which is asked for if it matters."""
        if not self.at_points:
            return self.force, self.torque
        _, force, torque, moment, placed, com_ = common(self.force, self.torque, self.moment, self.placed, com())
        return force, torque + moment - cross(com_, placed)


class WrenchComposer:
    """Adds up wrenches on an asset's bodies, in the world's axes and in the bodies' own.

    What is given in the world's axes stays as it is there while bodies turn; points of the world stay where they are.

    Args:
        asset: it tells its ``num_instances``, ``num_bodies``, ``device`` and ``data``. Where data tell no centres of
            mass, they are at the links' origins.

    Raises:
        ValueError: the data tell no poses of bodies or objects.
    """

    def __init__(self, asset: Any) -> None:
        self._who, self._data, self._device = type(asset).__name__, asset.data, asset.device
        count = asset.num_bodies if hasattr(asset, "num_bodies") else asset.num_objects
        self._shape = (asset.num_instances, count, 3)
        found = [each for each in ("body", "object") if hasattr(asset.data, f"{each}_link_quat_w")]
        if not found:
            raise ValueError(f"{self._who}: its data have neither body_link_quat_w nor object_link_quat_w")
        self._bodies = found[0]
        self._local, self._world = _Sum(self._shape, self._device), _Sum(self._shape, self._device)
        self._pushes = False

    @property
    def num_envs(self) -> int:
        """Instances of the asset."""
        return self._shape[0]

    @property
    def num_bodies(self) -> int:
        """Bodies of an instance, or objects of a collection."""
        return self._shape[1]

    @property
    def device(self) -> str:
        """Where arrays live."""
        return self._device

    @property
    def pushes(self) -> bool:
        """Whether any number other than zero was given since the last reset of all; without one nothing is pushed."""
        return self._pushes

    @property
    def active(self) -> bool:
        """Whether anything was given since the last reset of all."""
        return self._local.used or self._world.used

    @property
    def composed_force(self) -> Any:
        """(num_instances, num_bodies) forces in the links' axes, N, as bodies stand now, as Warp's array of ``vec3f``.

        Where the package ``warp-lang`` is not installed, the same as :attr:`composed_force_as_torch`.
        """
        return to_warp(self.composed()[0], "vec3f")

    @property
    def composed_torque(self) -> Any:
        """(num_instances, num_bodies) torques about the centres of mass in the links' axes, N m, likewise."""
        return to_warp(self.composed()[1], "vec3f")

    @property
    def composed_force_as_torch(self) -> Any:
        """(num_instances, num_bodies, 3) forces in the links' axes, N, as bodies stand now, of the user's array API."""
        return self.composed()[0]

    @property
    def composed_torque_as_torch(self) -> Any:
        """(num_instances, num_bodies, 3) torques about the centres of mass in the links' axes, N m, likewise."""
        return self.composed()[1]

    def composed(self) -> tuple[Any, Any]:
        """Both, as new arrays."""
        force, torque = self._local.about(lambda: self._about("com_pos_b", None))
        if self._world.used:
            quat = self._about("link_quat_w")
            world = self._world.about(lambda: self._about("com_pos_w", "link_pos_w"))
            turned = (frames.in_frame(quat, v) for v in world)
            _, force, torque, more, moment = common(force, torque, *turned)
            return force + more, torque + moment
        return 1.0 * force, 1.0 * torque

    def _about(self, what: str, other: str | None = "") -> Any:
        """Something of all bodies that the asset's data have, or something else if they have not; ``None``: zeros."""
        name = f"{self._bodies}_{what}"
        if other == "" or hasattr(self._data, name):
            return getattr(self._data, name)
        return zeros(self._shape, self._device) if other is None else self._about(other)

    def set_forces_and_torques(
        self,
        forces: Any = None,
        torques: Any = None,
        positions: Any = None,
        body_ids: Sequence[int] | slice | None = None,
        env_ids: Sequence[int] | None = None,
        is_global: bool = False,
    ) -> None:
        """Push some bodies of some instances like this, instead of as before. The same arguments as for adding.

        Forces replace forces, also those at points; torques replace torques. What is not given stays.
        """
        if forces is None and torques is None:
            return
        values = self._given(forces, torques, positions, body_ids, env_ids)
        for each in (self._local, self._world):
            if each.used:
                each.clear(block(self._device, env_ids, body_ids), forces is not None, torques is not None)
        self._add(*values, block(self._device, env_ids, body_ids), is_global)

    def add_forces_and_torques(
        self,
        forces: Any = None,
        torques: Any = None,
        positions: Any = None,
        body_ids: Sequence[int] | slice | None = None,
        env_ids: Sequence[int] | None = None,
        is_global: bool = False,
    ) -> None:
        """Push some bodies of some instances, besides what pushes them already.

        Args:
            forces: (n, bodies, 3), N; none by default. Warp's arrays of ``vec3f`` are (n, bodies).
            torques: (n, bodies, 3), N m; none by default.
            positions: (n, bodies, 3), m: where forces act; at the centres of mass by default. Torques have no point.
            body_ids: which bodies; all by default.
            env_ids: which instances; all by default.
            is_global: all are in the world's axes, positions from its origin; else in the links' frames.

        Raises:
            ValueError: a shape is another one, or there are positions alone.
        """
        values = self._given(forces, torques, positions, body_ids, env_ids)
        self._add(*values, block(self._device, env_ids, body_ids), is_global)

    def reset(self, env_ids: Sequence[int] | None = None, body_ids: Sequence[int] | slice | None = None) -> None:
        """Push some instances, or all, no more."""
        for each in (self._local, self._world):
            if each.used:
                each.clear(block(self._device, env_ids, body_ids))
            if env_ids is None and body_ids is None:
                each.used = each.at_points = self._pushes = False

    def _given(self, forces: Any, torques: Any, positions: Any, body_ids: Any, env_ids: Any) -> tuple[Any, Any, Any]:
        """Forces, torques and positions as arrays of the shape that was chosen, or ``None``."""
        wanted = tuple(self._local.force[block(self._device, env_ids, body_ids)].shape)
        found = tuple(v if v is None else array(v, self._device, "float32") for v in (forces, torques, positions))
        for name, value in zip(("forces", "torques", "positions"), found, strict=True):
            if value is not None and tuple(value.shape) != wanted:
                raise ValueError(f"{self._who}: {name} have shape {tuple(value.shape)}; they must have {wanted}")
        if forces is None and torques is None and positions is not None:
            raise ValueError(f"{self._who}: positions say where forces act, and there are no forces")
        return found[0], found[1], found[2]

    def _add(self, forces: Any, torques: Any, positions: Any, chosen: Any, is_global: bool) -> None:
        into = self._world if is_global else self._local
        # Tasks that draw wrenches from an empty range set zeros at each reset; to look costs less than to push in vain.
        self._pushes = self._pushes or any(bool((each != 0).any()) for each in (forces, torques) if each is not None)
        if forces is not None:
            into.force[chosen] += forces
        if torques is not None:
            into.torque[chosen] += torques
        if positions is not None and forces is not None:
            into.at_points = True
            into.placed[chosen] += forces
            into.moment[chosen] += cross(positions, forces)
        into.used = into.used or forces is not None or torques is not None
