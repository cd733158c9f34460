"""Contact sensors."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.carb.settings import get_settings
from phalanx.facade.isaaclab.assets import frames
from phalanx.facade.isaaclab.sensors.buffers import pushed, put, set_to
from phalanx.facade.isaaclab.sensors.contact_sensor.contact_sensor_data import TIMES, ContactSensorData
from phalanx.facade.isaaclab.sensors.contact_sensor.filters import contact_view
from phalanx.facade.isaaclab.sensors.contact_sensor.sensing import NetForces, can_sense
from phalanx.facade.isaaclab.sensors.markers import ShownByMarkers
from phalanx.facade.isaaclab.sensors.prims import is_rigid_body, places_below, rigid_body_view
from phalanx.facade.isaaclab.sensors.sensor_base import SensorBase
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.sim.schemas.authoring import applied_schemas
from phalanx.facade.isaaclab.utils.math.general import length
from phalanx.facade.isaaclab.utils.string import resolve_matching_names
from phalanx.facade.namespaces import array, cast, common, full, namespace, zeros
from phalanx.facade.once import tell_once
from phalanx.facade.physx.contact_view import RigidContactView
from phalanx.facade.physx.rigid_body_view import RigidBodyView

PROCESSING_OFF = "/physics/disableContactProcessing"
"""The setting that keeps contacts from being reported. A sensor that is made takes it back."""

NET = ("net_forces_w", "net_forces_w_history", *TIMES)


class ContactSensor(ShownByMarkers, SensorBase):
    """Forces on rigid bodies where they touch others.

    Bodies must report contacts: ``activate_contact_sensors=True`` of the spawner that makes them. Forces are of the
    last step; before the first one since a reset, there are none. Where ``/physics/disableContactProcessing`` is on as
    the simulation starts, a setting that a sensor which is made switches off, no contact is measured, with a warning.

    Args:
        cfg: a ``ContactSensorCfg``.
    """

    cfg: Any

    def __init__(self, cfg: Any) -> None:
        get_settings().set_bool(PROCESSING_OFF, False)
        super().__init__(cfg)

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def num_instances(self) -> int:
        """Bodies, in all environments together."""
        return self.body_physx_view.count

    @property
    def data(self) -> ContactSensorData:
        """What was measured; measured anew if it is outdated."""
        self._check_initialized()
        self._update_outdated_buffers()
        return self._data

    @property
    def num_bodies(self) -> int:
        """Bodies in an environment."""
        return len(self.body_names)

    @property
    def body_names(self) -> list[str]:
        """Names of the bodies' prims, in the order of the stage."""
        self._check_initialized()
        return list(self._names)

    @property
    def body_physx_view(self) -> RigidBodyView:
        """The tensor view of the bodies."""
        self._check_initialized()
        return self._bodies

    @property
    def contact_physx_view(self) -> RigidContactView:
        """The tensor view of their contacts."""
        self._check_initialized()
        return self._contacts

    def find_bodies(self, name_keys: str | Sequence[str], preserve_order: bool = False) -> tuple[list[int], list[str]]:
        """Positions and names of the bodies that expressions match.

        Raises:
            ValueError: one matches none.
        """
        return resolve_matching_names(name_keys, self.body_names, preserve_order)

    # -- from step to step -----------------------------------------------------------------------------------

    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Forget what was measured in some environments, or all."""
        super().reset(env_ids)
        data = self._data
        if self._net is not None:
            self._net.forget(data, self._host_ids(env_ids))
            if data.force_matrix_w is data.friction_forces_w is data.contact_pos_w is None:
                return
        ids = slice(None) if env_ids is None else array(np.arange(self._num_envs)[self._host_ids(env_ids)], self.device)
        for name in (
            "force_matrix_w",
            "force_matrix_w_history",
            "friction_forces_w",
            *(NET if self._net is None else ()),
        ):
            set_to(data, name, 0.0, ids)
        set_to(data, "contact_pos_w", float("nan"), ids)

    def compute_first_contact(self, dt: float, abs_tol: float = 1.0e-8) -> Any:
        """Which bodies have touched something since less than a time: (N, B), bool.

        Args:
            dt: s; a multiple of the time between updates.
            abs_tol: s; so much longer counts, too.

        Raises:
            RuntimeError: times are not tracked.
        """
        return self._first("compute_first_contact", "current_contact_time", dt + abs_tol)

    def compute_first_air(self, dt: float, abs_tol: float = 1.0e-8) -> Any:
        """Which bodies have touched nothing since less than a time: (N, B), bool.

        Args:
            dt: s; a multiple of the time between updates.
            abs_tol: s; so much longer counts, too.

        Raises:
            RuntimeError: times are not tracked.
        """
        return self._first("compute_first_air", "current_air_time", dt + abs_tol)

    # -- inside ----------------------------------------------------------------------------------------------

    def _first(self, what: str, name: str, limit: float) -> Any:
        if not self.cfg.track_air_time:
            raise RuntimeError(f"{self._who}: {what}() needs times of contacts: set track_air_time=True")
        since = getattr(self.data, name)
        # times are sums of steps in float32, which may end up above what they stand for
        return (since > 0.0) & (since < limit * (1.0 + 1e-6))

    def _initialize_impl(self) -> None:
        super()._initialize_impl()
        cfg, n, simulation = self.cfg, self._num_envs, self._simulation()
        filters = list(cfg.filter_prim_paths_expr)
        for name in ("track_contact_points", "track_friction_forces"):
            if getattr(cfg, name) and not filters:
                raise ValueError(f"{self._who}: {name} needs filter_prim_paths_expr, which is empty")
            if getattr(cfg, name) and cfg.max_contact_data_count_per_prim < 1:
                raise ValueError(f"{self._who}: {name} needs max_contact_data_count_per_prim of at least 1")
        self._find_own()
        parents = [str(one.GetPath()).rstrip("/") for one in self._parent_prims]
        self._names = self._reporting(parents[0])
        paths = [f"{parent}/{name}" for parent in parents for name in self._names]
        world, names = simulation.stage_world, self._names
        places = places_below(self._who, world, parents, names)
        self._bodies = rigid_body_view(self._who, world, paths, len(names), places)
        self._contacts = contact_view(self._who, world, cfg.prim_path, parents, names, filters, places)
        b, m = len(self._names), self._contacts.filter_count
        data = self._data = ContactSensorData(net_forces_w=zeros((n, b, 3), self._device))
        data.net_forces_w_history = zeros((n, max(cfg.history_length, 1), b, 3), self._device)
        if filters:
            data.force_matrix_w = zeros((n, b, m, 3), self._device)
            data.force_matrix_w_history = zeros((n, max(cfg.history_length, 1), b, m, 3), self._device)
        if cfg.track_contact_points:
            data.contact_pos_w = full((n, b, m, 3), float("nan"), self._device)
        if cfg.track_friction_forces:
            data.friction_forces_w = zeros((n, b, m, 3), self._device)
        if cfg.track_air_time:
            for name in TIMES:
                setattr(data, name, zeros((n, b), self._device))
        self._net, self._reports = None, not get_settings().get(PROCESSING_OFF)
        if not self._reports:
            tell_once(f"{self._who}: no contact is measured, as the setting {PROCESSING_OFF} is on", logging.WARNING)
        elif can_sense(self._contacts):
            kept = max(cfg.history_length, 1)
            self._net = NetForces(
                self._contacts, b, self._sim_physics_dt, cfg.force_threshold, kept, tracks_times=cfg.track_air_time
            )
        if cfg.track_pose:
            pose = self._poses()
            data.pos_w, data.quat_w = pose[..., :3], pose[..., 3:]

    def _reporting(self, parent: str) -> list[str]:
        """Names of the bodies below a prim that report contacts."""
        leaf = self.cfg.prim_path.rpartition("/")[2]
        found = [
            str(prim.GetPath())
            for prim in utils.find_matching_prims(f"{parent}/{leaf}")
            if "PhysxContactReportAPI" in applied_schemas(prim)
        ]
        names = [path.rpartition("/")[2] for path in found if is_rigid_body(path)]
        if not names:
            raise RuntimeError(
                f"{self._who}: no rigid body there reports contacts; set activate_contact_sensors=True of the spawner "
                "that makes them"
            )
        return names

    def _update_buffers_impl(self, env_ids: Any) -> None:
        chosen, data, cfg = self._chosen(env_ids), self._data, self.cfg
        if self._net is not None:
            self._net.measure(data, self._clocks.due, self._clocks.time > 0.0, self._elapsed().astype("float32"))
        else:
            self._measure_net(chosen)
        if self._reports:
            self._measure_filtered(chosen)
        if cfg.track_pose:
            pose = self._poses()
            put(data, "pos_w", pose[..., :3], chosen)
            put(data, "quat_w", pose[..., 3:], chosen)

    def _measure_filtered(self, chosen: Any) -> None:
        """What of the contacts with chosen prims is wanted."""
        data, cfg, n, b = self._data, self.cfg, self._num_envs, len(self._names)
        if data.force_matrix_w is not None:
            m = self._contacts.filter_count
            matrix = self._contacts.get_contact_force_matrix(self._sim_physics_dt).reshape(n, b, m, 3)
            self._keep("force_matrix_w", self._since_reset(matrix), chosen)
        if cfg.track_contact_points:
            _, points, _, _, counts, starts = self._contacts.get_contact_data(self._sim_physics_dt)
            xp, sums, counts = common(_sums(points, counts, starts), counts)
            none = (counts == 0)[..., None]
            mean = sums / xp.where(none, xp.ones_like(counts)[..., None], counts[..., None])
            mean = xp.where(none, full((), float("nan"), self._device), cast(mean, "float32"))
            put(data, "contact_pos_w", self._since_reset(mean.reshape(n, b, -1, 3), float("nan")), chosen)
        if cfg.track_friction_forces:
            rub, _, counts, starts = self._contacts.get_friction_data(self._sim_physics_dt)
            sums = cast(_sums(rub, counts, starts), "float32").reshape(n, b, -1, 3)
            put(data, "friction_forces_w", self._since_reset(sums), chosen)

    def _measure_net(self, chosen: Any) -> None:
        """Net forces and times, where there is no kernel for it."""
        shape = (self._num_envs, len(self._names), 3)
        forces = zeros(shape, self._device)
        if self._reports:
            forces = self._since_reset(self._contacts.get_net_contact_forces(self._sim_physics_dt).reshape(shape))
        if self.cfg.track_air_time:
            self._count_times(forces, chosen)
        self._keep("net_forces_w", forces, chosen)

    def _keep(self, name: str, values: Any, chosen: Any) -> None:
        """Let forces and their history have what was measured."""
        put(self._data, name, values, chosen)
        history = getattr(self._data, f"{name}_history")
        put(self._data, f"{name}_history", pushed(history, values), chosen)

    def _count_times(self, forces: Any, chosen: Any) -> None:
        """Let times of contacts and between them grow, or end."""
        data, since = self._data, self._elapsed().astype("float32")
        alike = bool((since == since[0]).all())  # then nothing is brought to a GPU, which would wait for it
        elapsed = float(since[0]) if alike else array(since[:, None], self._device)
        xp, air, touch, size = common(data.current_air_time, data.current_contact_time, length(forces))
        touches = size > self.cfg.force_threshold
        none = xp.zeros_like(air)
        longer_air, longer_touch = air + elapsed, touch + elapsed
        for name, value in (
            ("last_air_time", xp.where((air > 0.0) & touches, longer_air, data.last_air_time)),
            ("last_contact_time", xp.where((touch > 0.0) & ~touches, longer_touch, data.last_contact_time)),
            ("current_air_time", xp.where(touches, none, longer_air)),
            ("current_contact_time", xp.where(touches, longer_touch, none)),
        ):
            put(data, name, value, chosen)

    def _since_reset(self, values: Any, without: float = 0.0) -> Any:
        """Values (N, ...), of nothing where no time has passed since the reset: what there is was before it."""
        passed = self._clocks.time > 0.0
        if passed.all():
            return values
        passed = array(passed.reshape(-1, *[1] * (values.ndim - 1)), self._device)
        return namespace(values).where(passed, values, full((), without, self._device))

    def _poses(self) -> Any:
        """(N, 7), or (N, B, 7) of several bodies."""
        pose = frames.to_wxyz(self._bodies.get_transforms())
        return pose if len(self._names) == 1 else pose.reshape(self._num_envs, -1, 7)

    def _marked(self) -> dict[str, Any]:
        """A marker for each body: the first sort where it touches something, the second where it does not."""
        touches = length(self.data.net_forces_w) > self.cfg.force_threshold
        pose = frames.to_wxyz(self._bodies.get_transforms())
        return {"translations": pose[:, :3], "marker_indices": cast(~touches, "int32").reshape(-1)}


def _sums(values: Any, counts: Any, starts: Any) -> Any:
    """(rows, filters, 3), float64: sums of the entries (m, 3) from each start on."""
    xp, values, counts, starts = common(values, counts, starts)
    upto = xp.cumsum(cast(values, "float64"), 0)
    upto = xp.concatenate([xp.zeros_like(upto[:1]), upto], 0)
    starts, counts = cast(starts, "int64"), cast(counts, "int64")
    return upto[starts + counts] - upto[starts]
