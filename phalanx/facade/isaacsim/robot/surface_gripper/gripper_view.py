"""Surface grippers of several prims at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.experimental.prims import XformPrim
from phalanx.facade.isaacsim.robot.surface_gripper import _surface_gripper as interfaces
from phalanx.facade.surface_grippers import PROPERTIES
from phalanx.io.formats.usd.bindings import Sdf


class GripperView(XformPrim):
    """Surface grippers; n is their number.

    Args:
        paths: of prims of type ``IsaacSurfaceGripper``; see ``Prim``.
        max_grip_distance: how far they look for something to hold, m, (n,); ``None`` leaves what the stage says.
        coaxial_force_limit: N along their axes beyond which they lose what they hold, (n,); none where it is 0.
        shear_force_limit: N across their axes, (n,); none where it is 0.
        retry_interval: s for which they look on, (n,).
        positions: see ``XformPrim``; prims of this type have no place of their own, and keep what is given.
        translations: see ``XformPrim``.
        orientations: see ``XformPrim``.
        scales: see ``XformPrim``.
        reset_xform_op_properties: of no effect where no place is given.
    """

    def __init__(
        self,
        paths: Any = None,
        max_grip_distance: Any = None,
        coaxial_force_limit: Any = None,
        shear_force_limit: Any = None,
        retry_interval: Any = None,
        positions: Any = None,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        reset_xform_op_properties: bool = True,
    ) -> None:
        places = (positions, translations, orientations, scales)
        super().__init__(
            paths,
            positions=positions,
            translations=translations,
            orientations=orientations,
            scales=scales,
            reset_xform_op_properties=reset_xform_op_properties and any(each is not None for each in places),
        )
        self.count = len(self)
        self.surface_gripper_interface = interfaces.acquire_surface_gripper_interface()
        self.set_surface_gripper_properties(max_grip_distance, coaxial_force_limit, shear_force_limit, retry_interval)

    def get_surface_gripper_status(self, indices: Any = None) -> list[int]:
        """What some of them do, (M,): values of ``GripperStatus``."""
        return self.surface_gripper_interface.get_gripper_status_batch(self._paths(indices))

    def get_gripped_objects(self, indices: Any = None) -> list[list[str]]:
        """Paths of the bodies that some of them hold, (M,) lists."""
        return self.surface_gripper_interface.get_gripped_objects_batch(self._paths(indices))

    def get_surface_gripper_properties(
        self, indices: Any = None
    ) -> tuple[list[float], list[float], list[float], list[float]]:
        """Greatest distance, m, limits of coaxial and shear force, N, and how long they look, s, as the stage says.

        Returns:
            Four lists, (M,); ``None`` in them where the stage says nothing.
        """
        chosen = [self.prims[i] for i in self._chosen(indices)]
        values: list[list[Any]] = [
            [prim.GetAttribute(key).Get() if prim.HasAttribute(key) else None for prim in chosen]
            for key, _ in PROPERTIES.values()
        ]
        return values[0], values[1], values[2], values[3]

    def apply_gripper_action(self, values: Any, indices: Any = None) -> None:
        """Tell some of them what to do: above 0.3 to close, below -0.3 to open, else nothing.

        Args:
            values: (n,), of all; those of the others are not looked at.
            indices: of those that are told, (M,).

        Raises:
            ValueError: there is another number of values.
        """
        numbers = self._of_all("values", values)
        chosen = self._chosen(indices)
        if chosen:
            self.surface_gripper_interface.set_gripper_action_batch(self._paths(indices), numbers[chosen].tolist())

    def set_surface_gripper_properties(
        self,
        max_grip_distance: Any = None,
        coaxial_force_limit: Any = None,
        shear_force_limit: Any = None,
        retry_interval: Any = None,
        indices: Any = None,
    ) -> None:
        """Set properties of some of them, on the stage and in the simulation; those that are ``None`` stay.

        Args:
            max_grip_distance: m, (n,), of all, as the others are, too.
            coaxial_force_limit: N.
            shear_force_limit: N.
            retry_interval: s.
            indices: of those that are set, (M,).

        Raises:
            ValueError: there is another number of values, or one is negative; then nothing is changed.
        """
        given = (max_grip_distance, coaxial_force_limit, shear_force_limit, retry_interval)
        values = {
            name: self._of_all(name, value) for name, value in zip(PROPERTIES, given, strict=True) if value is not None
        }
        chosen = self._chosen(indices)
        for name, numbers in values.items():
            if not (numbers[chosen] >= 0.0).all():
                raise ValueError(f"{self!r}: {name} has {numbers[chosen].min():g}; it must not be negative")
        for name, numbers in values.items():
            for i in chosen:
                attribute = self.prims[i].CreateAttribute(PROPERTIES[name][0], Sdf.ValueTypeNames.Float, False)
                attribute.Set(float(numbers[i]))
        simulated = self.surface_gripper_interface.simulated(self._paths(indices)) if chosen and values else None
        if simulated is not None:
            simulated.set_surface_gripper_properties(**{name: numbers[chosen] for name, numbers in values.items()})

    def _paths(self, indices: Any) -> list[str]:
        return [self.paths[i] for i in self._chosen(indices)]

    def _of_all(self, what: str, values: Any) -> np.ndarray:
        numbers = np.asarray(on_host(values), float).reshape(-1)
        if len(numbers) != self.count:
            raise ValueError(f"{self!r}: {what} has {len(numbers)} numbers; there must be one for each, {self.count}")
        return numbers
