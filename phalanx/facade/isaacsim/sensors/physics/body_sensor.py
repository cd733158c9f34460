"""What sensors on bodies have in common."""

from __future__ import annotations

import weakref
from typing import Any

from phalanx.facade import physics_steps, simulation
from phalanx.facade import stage as stages
from phalanx.facade.event_streams import Event, EventSubscription
from phalanx.facade.isaacsim.core.api.sensors.base_sensor import BaseSensor
from phalanx.io.formats.usd.bindings import Sdf, UsdGeom, UsdPhysics

PERIOD, ENABLED = "sensorPeriod", "enabled"

_by_path: weakref.WeakValueDictionary[str, BodySensor] = weakref.WeakValueDictionary()
"""The newest sensor of each path."""


def sensor_at(path: str) -> BodySensor | None:
    """The newest sensor whose prim has a path; ``None`` if there is none, or its prim is gone."""
    found = _by_path.get(path)
    return found if found is not None and found.is_valid() else None


class BodySensor(BaseSensor):
    """A sensor on a rigid body, which reads after steps of physics, as often as its period says.

    Args:
        prim_path: of the sensor's prim, below that of its body; it is made if it is not there.
        name: for scenes and messages.
        frequency: how often it reads, 1/s.
        dt: the same as a time, s; only one of the two. 0, or neither: after each step.
        translation, position, orientation: see ``isaacsim.core.prims.SingleXFormPrim``.

    Raises:
        ValueError: ``frequency`` and ``dt`` are given, or no prim above is a rigid body.
    """

    def __init__(
        self,
        prim_path: str,
        name: str,
        frequency: float | None,
        dt: float | None,
        translation: Any,
        position: Any,
        orientation: Any,
    ) -> None:
        if frequency is not None and dt is not None:
            raise ValueError(f"{name}: frequency and dt cannot both be given")
        stage = stages.get_stage()
        above = stage.GetPrimAtPath(prim_path).GetParent() if stage.GetPrimAtPath(prim_path) else None
        above = stage.GetPrimAtPath(prim_path.rpartition("/")[0]) if above is None else above
        while above and not above.IsPseudoRoot() and not above.HasAPI(UsdPhysics.RigidBodyAPI):
            above = above.GetParent()
        if not above or above.IsPseudoRoot():
            raise ValueError(f"{name}: {prim_path} is not below a rigid body")
        self._body_prim_path = str(above.GetPath())
        if not stage.GetPrimAtPath(prim_path):
            UsdGeom.Xform.Define(stage, prim_path)
        super().__init__(prim_path, name, position, translation, orientation)
        if frequency is not None or dt is not None or not self.prim.HasAttribute(PERIOD):
            self.set_dt(1.0 / frequency if frequency else dt or 0.0)
        self._listener: EventSubscription | None = None
        self._next = 0.0
        self._current_frame: dict[str, Any] = {"time": 0.0, "physics_step": 0.0}
        _by_path[prim_path] = self

    @property
    def body_prim_path(self) -> str:
        """Path of the body that the sensor is on."""
        return self._body_prim_path

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Read from now on."""
        super().initialize(physics_sim_view)
        me = weakref.ref(self)

        def stepped(event: Event) -> None:
            if (found := me()) is not None:
                found._stepped(event.payload["dt"])

        self._listener = physics_steps.AFTER.create_subscription_to_pop(stepped)
        self._begin()

    def post_reset(self) -> None:
        """Forget what was read."""
        super().post_reset()
        self._begin()

    def _begin(self) -> None:
        self._next = 0.0

    def _stepped(self, dt: float) -> None:
        """After a step: read, if it is time to."""
        if not self.is_valid():  # its prim, or its stage, is gone
            self._listener = None
            return
        now = simulation.current()
        if now.world is None or self.is_paused():
            return
        self._follow(dt)
        if now.time + 1e-9 < self._next:
            return
        period = self.get_dt()
        self._next = max(self._next, now.time) if self._next == 0.0 else self._next
        self._next = self._next + period if period > 0.0 else 0.0
        self._current_frame["time"], self._current_frame["physics_step"] = now.time, float(now.steps)
        self._read(dt)

    def _follow(self, dt: float) -> None:
        """What is needed of each step."""

    def _read(self, dt: float) -> None:
        """Put a reading into the frame."""
        raise NotImplementedError(f"{type(self).__name__} has no _read(); define it in the class")

    def resume(self) -> None:
        """Read again."""
        self.prim.CreateAttribute(ENABLED, Sdf.ValueTypeNames.Bool).Set(True)

    def pause(self) -> None:
        """Read no more; the last reading stays."""
        self.prim.CreateAttribute(ENABLED, Sdf.ValueTypeNames.Bool).Set(False)

    def is_paused(self) -> bool:
        """Whether it reads no more."""
        return self.prim.GetAttribute(ENABLED).Get() is False

    def set_frequency(self, value: float) -> None:
        """Set how often it reads, 1/s."""
        self.set_dt(1.0 / value)

    def get_frequency(self) -> int:
        """How often it reads, whole numbers of 1/s; 0 if it does so after each step."""
        period = self.get_dt()
        return int(1.0 / period + 1e-9) if period else 0

    def set_dt(self, value: float) -> None:
        """Set the time between readings, s."""
        self.prim.CreateAttribute(PERIOD, Sdf.ValueTypeNames.Double).Set(float(value))

    def get_dt(self) -> float:
        """The time between readings, s; 0: a step's."""
        return float(self.prim.GetAttribute(PERIOD).Get() or 0.0)
