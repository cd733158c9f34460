"""A turning lidar."""

from __future__ import annotations

import weakref
from typing import Any

from phalanx.facade import physics_steps, simulation
from phalanx.facade import stage as stages
from phalanx.facade.event_streams import Event, EventSubscription
from phalanx.facade.isaacsim.core.api.sensors.base_sensor import BaseSensor
from phalanx.facade.isaacsim.sensors.physx._range_sensor import acquire_lidar_sensor_interface
from phalanx.facade.isaacsim.sensors.physx.lidar_scan import is_lidar, make_lidar, scan_of
from phalanx.io.formats.usd.bindings import Prim

KINDS = ("depth", "linear_depth", "intensity", "zenith", "azimuth", "point_cloud", "semantics")
"""What frames can have."""


class RotatingLidarPhysX(BaseSensor):
    """A lidar that turns, whose rays meet what collides.

    Args:
        prim_path: of the lidar; it is made if it is not there.
        name: for scenes and messages.
        rotation_frequency: turns a second; 20 for a new one.
        rotation_dt: the same as a time, s; only one of the two.
        position, translation, orientation: see ``isaacsim.core.prims.SingleXFormPrim``.
        fov: horizontal and vertical, degrees; (360, 10) for a new one.
        resolution: degrees between columns and between rows; (1, 1) for a new one.
        valid_range: least and greatest distance, m; (0.4, 2000) for a new one.

    Raises:
        ValueError: ``rotation_frequency`` and ``rotation_dt`` are given.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "rotating_lidar_physX",
        rotation_frequency: float | None = None,
        rotation_dt: float | None = None,
        position: Any = None,
        translation: Any = None,
        orientation: Any = None,
        fov: tuple[float, float] | None = None,
        resolution: tuple[float, float] | None = None,
        valid_range: tuple[float, float] | None = None,
    ) -> None:
        if rotation_frequency is not None and rotation_dt is not None:
            raise ValueError(f"{name}: rotation_frequency and rotation_dt cannot both be given")
        if rotation_dt is not None:
            rotation_frequency = int(1.0 / rotation_dt)
        if not is_lidar(stages.get_stage().GetPrimAtPath(prim_path)):
            make_lidar(prim_path, highLod=False)
            rotation_frequency = 20.0 if rotation_frequency is None else rotation_frequency
            fov, resolution = fov or (360.0, 10.0), resolution or (1.0, 1.0)
            valid_range = valid_range or (0.4, 2000.0)
        super().__init__(prim_path, name, position, translation, orientation)
        if rotation_frequency is not None:
            self.set_rotation_frequency(rotation_frequency)
        for value, setter in ((fov, self.set_fov), (resolution, self.set_resolution)):
            if value is not None:
                setter(value)
        if valid_range is not None:
            self.set_valid_range(valid_range)
        self._interface = acquire_lidar_sensor_interface()
        self._pause = self._is_held = self._due = False
        self._listener: EventSubscription | None = None
        self._current_frame: dict[str, Any] = {"time": 0, "physics_step": 0}

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Measure from now on, after each step of physics."""
        super().initialize(physics_sim_view)
        scan_of(self.prim_path)
        me = weakref.ref(self)

        def stepped(event: Event) -> None:
            if (lidar := me()) is not None:
                lidar._stepped()

        self._listener = physics_steps.AFTER.create_subscription_to_pop(stepped, 10)  # after its scan

    def _stepped(self) -> None:
        if self._pause or not self.is_valid():
            return
        now = simulation.current()
        self._current_frame["time"], self._current_frame["physics_step"] = now.time, now.steps
        self._due = True
        if self._is_held:
            self._fill()

    def _fill(self) -> None:
        """Let the frame have what the last step measured."""
        if not self._due:
            return
        self._due = False
        give = simulation.arrays().give
        for kind in KINDS:
            if kind in self._current_frame:
                name = "semantic" if kind == "semantics" else kind
                found = getattr(self._interface, f"get_{name}_data")(self.prim_path)
                self._current_frame[kind] = give(found.astype("float32"))

    def get_current_frame(self) -> dict[str, Any]:
        """What was measured in the last step: ``"time"``, s, ``"physics_step"``, and what was added to frames.

        It is the same dictionary all the time, which steps change; arrays are float32.
        """
        self._fill()
        self._is_held = True
        return self._current_frame

    def _add(self, kind: str) -> None:
        self._current_frame[kind] = None

    def _remove(self, kind: str) -> None:
        self._current_frame.pop(kind, None)

    def add_depth_data_to_frame(self) -> None:
        """Let frames have ``"depth"``, (columns, rows): distances by the greatest one, times 65535."""
        self._add("depth")

    def remove_depth_data_from_frame(self) -> None:
        """Let frames have that no more."""
        self._remove("depth")

    def add_linear_depth_data_to_frame(self) -> None:
        """Let frames have ``"linear_depth"``, (columns, rows), m; the greatest distance where nothing is."""
        self._add("linear_depth")

    def remove_linear_depth_data_from_frame(self) -> None:
        """Let frames have that no more."""
        self._remove("linear_depth")

    def add_intensity_data_to_frame(self) -> None:
        """Let frames have ``"intensity"``, (columns, rows): 255 where something is, else 0."""
        self._add("intensity")

    def remove_intensity_data_from_frame(self) -> None:
        """Let frames have that no more."""
        self._remove("intensity")

    def add_zenith_data_to_frame(self) -> None:
        """Let frames have ``"zenith"``, (rows,): angles to the horizontal, rad, positive downward."""
        self._add("zenith")

    def remove_zenith_data_from_frame(self) -> None:
        """Let frames have that no more."""
        self._remove("zenith")

    def add_azimuth_data_to_frame(self) -> None:
        """Let frames have ``"azimuth"``, (columns,): angles about the z axis, rad."""
        self._add("azimuth")

    def remove_azimuth_data_from_frame(self) -> None:
        """Let frames have that no more."""
        self._remove("azimuth")

    def add_point_cloud_data_to_frame(self) -> None:
        """Let frames have ``"point_cloud"``, (columns, rows, 3): where rays end, in the lidar's frame."""
        self._add("point_cloud")

    def remove_point_cloud_data_from_frame(self) -> None:
        """Let frames have that no more."""
        self._remove("point_cloud")

    def add_semantics_data_to_frame(self) -> None:
        """Let frames have ``"semantics"``, which is empty, as in Isaac Sim 5.1; see :meth:`get_prim_data`."""
        self.enable_semantics()
        self._add("semantics")

    def remove_semantics_data_from_frame(self) -> None:
        """Let frames have that no more."""
        self.disable_semantics()
        self._remove("semantics")

    def get_prim_data(self) -> list[str]:
        """Paths of what rays hit, column by column, while semantics are enabled; empty texts for nothing."""
        return self._interface.get_prim_data(self.prim_path)

    # -- what it is ------------------------------------------------------------------------------------------

    def get_num_rows(self) -> int:
        """Rows: one, at the horizontal, unless ``highLod`` is set (:meth:`enable_visualization`)."""
        return self._interface.get_num_rows(self.prim_path)

    def get_num_cols(self) -> int:
        """Columns of a whole turn."""
        return self._interface.get_num_cols(self.prim_path)

    def get_num_cols_in_last_step(self) -> int:
        """Columns of the last step."""
        return self._interface.get_num_cols_ticked(self.prim_path)

    def resume(self) -> None:
        """Measure again."""
        self._pause = False

    def pause(self) -> None:
        """Measure no more; the last frame stays."""
        self._pause = True

    def is_paused(self) -> bool:
        """Whether it measures no more."""
        return self._pause

    def _get(self, name: str) -> Any:
        prim: Prim = self.prim
        return prim.GetAttribute(name).Get()

    def _set(self, **values: Any) -> None:
        make_lidar(self.prim_path, **values)

    def set_fov(self, value: tuple[float, float]) -> None:
        """Set how far it looks about, horizontally and vertically, degrees."""
        self._set(horizontalFov=value[0], verticalFov=value[1])

    def get_fov(self) -> tuple[float, float]:
        """How far it looks about, degrees."""
        return self._get("horizontalFov"), self._get("verticalFov")

    def set_resolution(self, value: tuple[float, float]) -> None:
        """Set the angles between columns and between rows, degrees."""
        self._set(horizontalResolution=value[0], verticalResolution=value[1])

    def get_resolution(self) -> tuple[float, float]:
        """Angles between columns and between rows, degrees."""
        return self._get("horizontalResolution"), self._get("verticalResolution")

    def set_rotation_frequency(self, value: float) -> None:
        """Set turns a second; 0: each step sees all around."""
        self._set(rotationRate=value)

    def get_rotation_frequency(self) -> float:
        """Turns a second."""
        return self._get("rotationRate")

    def set_valid_range(self, value: tuple[float, float]) -> None:
        """Set the least and the greatest distance, m."""
        self._set(minRange=value[0], maxRange=value[1])

    def get_valid_range(self) -> tuple[float, float]:
        """The least and the greatest distance, m."""
        return self._get("minRange"), self._get("maxRange")

    def enable_semantics(self) -> None:
        """Let :meth:`get_prim_data` tell what rays hit."""
        self._set(enableSemantics=True)

    def disable_semantics(self) -> None:
        """Tell that no more."""
        self._set(enableSemantics=False)

    def is_semantics_enabled(self) -> bool:
        """Whether :meth:`get_prim_data` tells what rays hit."""
        return bool(self._get("enableSemantics"))

    def enable_visualization(self, high_lod: bool = False, draw_points: bool = True, draw_lines: bool = True) -> None:
        """Keep what shall be drawn, which nothing here does; ``high_lod``: whether there is more than one row."""
        self._set(highLod=high_lod, drawPoints=draw_points, drawLines=draw_lines)

    def disable_visualization(self) -> None:
        """Keep that nothing shall be drawn; there is one row then."""
        self.enable_visualization(False, False, False)


__all__ = ["RotatingLidarPhysX"]
