"""How hard a joint is pushed along its axis."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from phalanx.facade import physics_steps, simulation
from phalanx.facade import stage as stages
from phalanx.facade.backends import on_host
from phalanx.facade.event_streams import Event
from phalanx.facade.isaacsim.core.prims.single_articulation import SingleArticulation
from phalanx.facade.signals import Listener
from phalanx.io.formats.usd.bindings import Usd, UsdPhysics

log = logging.getLogger("phalanx.facade")


@dataclass
class EsSensorReading:
    """A reading.

    Attributes:
        is_valid: whether anything was measured.
        time: when, simulated s.
        value: N m, or N of joints that slide.
    """

    is_valid: bool = False
    time: float = 0.0
    value: float = 0.0


class EffortSensor(SingleArticulation):
    """Measures what a joint transmits along or about its axis, after each step of physics.

    Args:
        prim_path: of the joint's prim.
        sensor_period: time between readings, s; after each step if it is not longer than one.
        use_latest_data: whether readings are always those of the last step.
        enabled: whether it measures.

    Raises:
        ValueError: the joint is not part of an articulation.
    """

    def __init__(
        self, prim_path: str, sensor_period: float = -1, use_latest_data: bool = False, enabled: bool = True
    ) -> None:
        above, _, self.dof_name = prim_path.rpartition("/")
        self.sensor_period, self.use_latest_data, self.enabled = sensor_period, use_latest_data, enabled
        self.data_buffer_size = 10
        self.dof: int | None = None
        self._begin()
        super().__init__(_articulation_above(prim_path), prim_path)
        self.body_prim_path = above
        me = weakref.ref(self)

        def stepped(event: Event) -> None:
            if (sensor := me()) is not None:
                sensor._stepped(event.payload["dt"])

        def played(what: str) -> None:
            if (sensor := me()) is not None and what == "stop":
                sensor._begin()

        self._listener = physics_steps.AFTER.create_subscription_to_pop(stepped)
        self._timeline: Listener = simulation.get().timeline.subscribe(played)

    def _begin(self) -> None:
        """Forget what was measured."""
        self.current_time = self.sensor_time = self.step_size = 0.0
        self.is_initialized = False
        self.sensor_reading_buffer = [EsSensorReading() for _ in range(self.data_buffer_size)]
        self.interpolation_buffer = [EsSensorReading() for _ in range(self.data_buffer_size)]

    def _stepped(self, dt: float) -> None:
        if simulation.current().world is None or not self.is_valid():
            return
        self.step_size, self.current_time = dt, simulation.current().time
        if not self.is_initialized:
            self.initialize()
            self.dof = self.get_dof_index(self.dof_name)
            self.is_initialized = True
        if not self.enabled:
            return
        value = float(on_host(self.get_measured_joint_efforts([self.dof]), float)[0])
        self.sensor_reading_buffer.insert(0, EsSensorReading(True, self.current_time, value))
        self.sensor_reading_buffer.pop()
        if self.sensor_period <= dt:
            self.sensor_time = self.current_time
        elif self.sensor_time + self.sensor_period <= self.current_time + 1e-9:
            self.interpolation_buffer = list(self.sensor_reading_buffer)
            self.sensor_time += self.sensor_period

    def get_sensor_reading(
        self,
        interpolation_function: Callable[[Sequence[EsSensorReading], float], EsSensorReading] | None = None,
        use_latest_data: bool = False,
    ) -> EsSensorReading:
        """The last reading; one that is not valid before there is any, or while it does not measure.

        Args:
            interpolation_function: makes a reading of the last ones, the newest first, and of its time; between the
                two newest the value is taken to change evenly by default.
            use_latest_data: the reading of the last step, whatever the period is.
        """
        newest = self.sensor_reading_buffer[0]
        if not self.enabled or not newest.is_valid:
            return EsSensorReading()
        if self.sensor_period <= self.step_size or self.use_latest_data or use_latest_data:
            return replace(newest)
        after, before = self.interpolation_buffer[:2]
        if not after.is_valid:
            return EsSensorReading()
        if interpolation_function is not None:
            return interpolation_function(self.interpolation_buffer, self.sensor_time)
        if not before.is_valid:
            return replace(after)
        part = (self.sensor_time - before.time) / (after.time - before.time)
        return EsSensorReading(True, self.sensor_time, before.value + part * (after.value - before.value))

    def update_dof_name(self, dof_name: str) -> None:
        """Measure another joint of the articulation.

        Raises:
            KeyError: it has no such joint.
        """
        if not self.is_initialized:
            log.warning("%s: nothing is simulated yet, so that the joint cannot be changed", self.name)
            return
        self.dof = self.get_dof_index(dof_name)
        self.dof_name = dof_name

    def change_buffer_size(self, new_buffer_size: int) -> None:
        """Keep so many readings, at least two; those that are kept stay."""
        size = max(int(new_buffer_size), 2)
        for name in ("sensor_reading_buffer", "interpolation_buffer"):
            kept: list[Any] = getattr(self, name)[:size]
            setattr(self, name, kept + [EsSensorReading() for _ in range(size - len(kept))])
        self.data_buffer_size = size


def _articulation_above(path: str) -> str:
    """The nearest prim above a joint at or below which an articulation has its root."""
    stage = stages.get_stage()
    prim = stage.GetPrimAtPath(path)
    above = prim.GetParent() if prim else None
    while above and not above.IsPseudoRoot():
        for each in Usd.PrimRange(above, Usd.TraverseInstanceProxies()):
            if each.HasAPI(UsdPhysics.ArticulationRootAPI):
                return str(above.GetPath())
        above = above.GetParent()
    raise ValueError(f"{path!r} is no joint of an articulation")


__all__ = ["EffortSensor", "EsSensorReading"]
