"""How hard a body is pushed by what touches it."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.prims.rigid_prim import RigidPrim
from phalanx.facade.isaacsim.core.utils.stage import get_stage_units
from phalanx.facade.isaacsim.sensors.physics.body_contacts import BodyContacts, Contact
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
        radius: only contacts this near to the sensor count; all those of its body, wherever they are, if it is not
            positive.

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
        self._contacts: BodyContacts | None = None
        RigidPrim(self._body_prim_path, f"{name}_body")  # it does not sleep: bodies asleep report nothing in PhysX
        self._begin()

    def _begin(self) -> None:
        super()._begin()
        self._current_frame |= {"in_contact": False, "force": 0.0, "number_of_contacts": 0}
        if "contacts" in self._current_frame:
            self._current_frame["contacts"] = []

    def _read(self, dt: float) -> None:
        world = simulation.stage_world()
        assert world is not None  # that has made the step
        if self._contacts is None or self._contacts.world is not world:
            self._contacts = BodyContacts(world, self._body_prim_path)
        found = self._contacts.read(dt)
        near = self._near(found)
        push = np.sum([each.impulse for each in near], axis=0) if near else np.zeros(3)
        force = min(float(np.linalg.norm(push)) / dt, self.get_max_threshold())
        touches = force > 0.0 and force >= self.get_min_threshold()
        found = found if touches else []
        self._current_frame |= {
            "in_contact": touches,
            "force": force if touches else 0.0,
            "number_of_contacts": len(found),
        }
        if "contacts" in self._current_frame:
            give = simulation.arrays().give
            self._current_frame["contacts"] = [
                {
                    "body0": self._body_prim_path,
                    "body1": each.other,
                    "position": give(each.position.astype(np.float32)),
                    "normal": give(each.normal.astype(np.float32)),
                    "impulse": give(each.impulse.astype(np.float32)),
                }
                for each in found
            ]

    def _near(self, contacts: list[Contact]) -> list[Contact]:
        radius = self.get_radius()
        if radius <= 0.0:
            return contacts
        units = get_stage_units()
        place = on_host(self.get_world_pose()[0], float) * units
        return [each for each in contacts if np.linalg.norm(each.position - place) < radius * units]

    def get_current_frame(self) -> dict[str, Any]:
        """The last reading.

        Returns:
            ``"in_contact"``; ``"force"``, N: the magnitude of the sum of normal forces within the radius;
            ``"number_of_contacts"``: points at which the body is touched, 0 if it is not in contact; ``"time"``, s;
            ``"physics_step"``. After :meth:`add_raw_contact_data_to_frame` also ``"contacts"``: of each point
            ``"body0"``, the path of the body, ``"body1"``, that of what touches it, ``"position"``, (3,), m, in the
            world, ``"normal"``, (3,), from ``body1`` to ``body0``, and ``"impulse"``, (3,), N s, on ``body0``.
        """
        return dict(self._current_frame)

    def add_raw_contact_data_to_frame(self) -> None:
        """From the next reading on frames have contacts one by one; see :meth:`get_current_frame`."""
        self._current_frame["contacts"] = []

    def remove_raw_contact_data_from_frame(self) -> None:
        """Frames have no contacts one by one any more; KeyError if they have none."""
        del self._current_frame["contacts"]

    def get_radius(self) -> float:
        """How near contacts are that count; all of them if it is not positive."""
        return float(self.prim.GetAttribute("radius").Get())

    def set_radius(self, value: float) -> None:
        """Set how near contacts are that count."""
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
