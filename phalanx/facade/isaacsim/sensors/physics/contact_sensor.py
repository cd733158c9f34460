"""How hard a body is pushed by what touches it."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.prims.rigid_prim import RigidPrim
from phalanx.facade.isaacsim.sensors.physics.body_sensor import BodySensor
from phalanx.io.formats.usd.bindings import Gf, Sdf

MOST = 100000.0
"""N: what is above counts no more, unless told otherwise."""


class ContactSensor(BodySensor):
    """The magnitude of the force with which contacts push a body.

    Args:
        prim_path, name, frequency, dt, translation, position: see :class:`BodySensor`.
        min_threshold: N; nothing is in contact below it.
        max_threshold: N; forces are cut to it.
        radius: no meaning unless it is negative: all contacts of the body count, wherever they are.

    Raises:
        ValueError: see :class:`BodySensor`.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "contact_sensor",
        frequency: int | None = None,
        dt: float | None = None,
        translation: Any = None,
        position: Any = None,
        min_threshold: float | None = None,
        max_threshold: float | None = None,
        radius: float | None = None,
    ) -> None:
        super().__init__(prim_path, name, frequency, dt, translation, position, None)
        low, high = self.prim.GetAttribute("threshold").Get() or (0.0, MOST)
        self._set_thresholds(
            low if min_threshold is None else min_threshold, high if max_threshold is None else max_threshold
        )
        if radius is not None or not self.prim.HasAttribute("radius"):
            self.set_radius(-1.0 if radius is None else radius)
        self._body = RigidPrim(self._body_prim_path, f"{name}_body", track_contact_forces=True)
        self._begin()

    def _begin(self) -> None:
        super()._begin()
        self._current_frame |= {"in_contact": False, "force": 0.0}

    def _read(self, dt: float) -> None:
        net = on_host(self._body.get_net_contact_forces(dt=dt), float)[0]
        force = min(float(np.linalg.norm(net)), self.get_max_threshold())
        touches = force > 0.0 and force >= self.get_min_threshold()
        self._current_frame |= {"in_contact": touches, "force": force if touches else 0.0}

    def get_current_frame(self) -> dict[str, Any]:
        """The last reading: ``"in_contact"``, ``"force"``, N, ``"time"``, s, and ``"physics_step"``."""
        return dict(self._current_frame)

    def add_raw_contact_data_to_frame(self) -> None:
        """Nothing yet.

        Raises:
            NotImplementedError: contacts one by one are told by ``RigidPrim.get_contact_force_data()``.
        """
        raise NotImplementedError("frames have no single contacts; RigidPrim.get_contact_force_data() tells them")

    def get_radius(self) -> float:
        """The radius that was given."""
        return float(self.prim.GetAttribute("radius").Get())

    def set_radius(self, value: float) -> None:
        """Set the radius."""
        self.prim.CreateAttribute("radius", Sdf.ValueTypeNames.Float).Set(float(value))

    def get_min_threshold(self) -> float:
        """N: nothing is in contact below it."""
        return float(self.prim.GetAttribute("threshold").Get()[0])

    def set_min_threshold(self, value: float) -> None:
        """Set that, N."""
        self._set_thresholds(value, self.get_max_threshold())

    def get_max_threshold(self) -> float:
        """N: forces are cut to it."""
        return float(self.prim.GetAttribute("threshold").Get()[1])

    def set_max_threshold(self, value: float) -> None:
        """Set that, N."""
        self._set_thresholds(self.get_min_threshold(), value)

    def _set_thresholds(self, low: float, high: float) -> None:
        self.prim.CreateAttribute("threshold", Sdf.ValueTypeNames.Float2).Set(Gf.Vec2f(float(low), float(high)))


__all__ = ["ContactSensor"]
