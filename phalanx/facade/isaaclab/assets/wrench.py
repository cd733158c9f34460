"""A force and a torque that users want on bodies from step to step, until they say otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from phalanx.facade.isaaclab.assets.buffers import block
from phalanx.facade.namespaces import array, zeros
from phalanx.facade.shared_device import shares_memory


class ExternalWrench:
    """Buffers of forces, torques and positions, (instances, bodies, 3) each.

    Args:
        view: a tensor view that pushes bodies.
        bodies: in an instance: in a row of the view, unless ``to_rows`` says otherwise.
        device: where the buffers are.
        instances: how many there are; one in each row by default.
        to_rows: makes of a buffer what the view's rows are; the buffer itself by default.
    """

    def __init__(
        self,
        view: Any,
        bodies: int,
        device: str,
        instances: int | None = None,
        to_rows: Callable[[Any], Any] | None = None,
    ) -> None:
        shape = (view.count if instances is None else instances, bodies, 3)
        self._view, self._device, self._to_rows = view, device, to_rows
        self.force, self.torque, self.position = (zeros(shape, device) for _ in range(3))
        self.active = self.placed = self.is_global = False
        self._is_set = False  # or all are zero
        self._new = False  # so that numbers are looked at once
        self._pushes: Any = None
        if to_rows is None and shares_memory(view.world):
            self._pushes = view.pushes(self.force, self.torque, self.position)

    def set(
        self, forces: Any, torques: Any, positions: Any, body_ids: Any, env_ids: Any, is_global: bool, who: str
    ) -> None:
        """Set it for some bodies of some instances; the frame holds for all. Nothing (empty arrays) switches it off.

        Raises:
            ValueError: a shape is not (instances, bodies, 3) of what was chosen.
        """
        given = {"forces": forces, "torques": torques, "positions": positions}
        values = {name: array(value, self._device, "float32") for name, value in given.items() if value is not None}
        if not _size(values["forces"]) and not _size(values["torques"]):
            self.active = False
            self.clear()
            return
        targets = {"forces": self.force, "torques": self.torque, "positions": self.position}
        chosen = block(self._device, env_ids, body_ids)
        wanted = tuple(self.force[chosen].shape)
        for name, value in values.items():
            if tuple(value.shape) != wanted:
                raise ValueError(f"{who}: {name} have shape {tuple(value.shape)}; they must have {wanted}")
        for name, value in values.items():
            targets[name][chosen] = value
        self._is_set = True
        self.active, self.is_global, self._new = True, bool(is_global), True
        self.placed = self.placed or positions is not None

    def clear(self, env_ids: Any = None, body_ids: Any = None) -> None:
        """Push some bodies of some instances, or all, no more."""
        if not self._is_set:
            return
        for buffer in (self.force, self.torque, self.position):
            buffer[block(self._device, env_ids, body_ids)] = 0.0

    def push(self, force: Any, torque: Any) -> None:
        """Let other wrenches act in the next step, in the links' axes about the centres of mass."""
        if self._to_rows is not None:
            force, torque = self._to_rows(force), self._to_rows(torque)
        self._view.apply_forces_and_torques_at_position(force, torque, None, None, False)

    def write(self) -> None:
        """Let it act in the next step."""
        if not self.active:
            return
        if self._pushes is not None:
            self._view.push(self._pushes, self.is_global, self.placed, self._new)
            self._new = False
            return
        given = self.force, self.torque, self.position
        force, torque, position = given if self._to_rows is None else map(self._to_rows, given)
        self._view.apply_forces_and_torques_at_position(
            force, torque, position if self.placed else None, None, self.is_global
        )


def _size(value: Any) -> int:
    size = 1
    for length in value.shape:
        size *= int(length)
    return size
