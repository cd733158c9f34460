"""A force and a torque that users want on bodies from step to step, until they say otherwise."""

from __future__ import annotations

from typing import Any

from phalanx.facade.namespaces import array, rows, zeros


class ExternalWrench:
    """Buffers of forces, torques and positions, (instances, bodies, 3) each.

    Args:
        view: a tensor view that pushes bodies.
        bodies: in a row of the view.
        device: where the buffers are.
    """

    def __init__(self, view: Any, bodies: int, device: str) -> None:
        shape = (view.count, bodies, 3)
        self._view, self._device = view, device
        self.force, self.torque, self.position = (zeros(shape, device) for _ in range(3))
        self.active = self.placed = self.is_global = False

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
        envs, bodies = rows(env_ids), rows(body_ids)
        targets = {"forces": self.force, "torques": self.torque, "positions": self.position}
        wanted = tuple(self.force[envs][:, bodies].shape)
        for name, value in values.items():
            if tuple(value.shape) != wanted:
                raise ValueError(f"{who}: {name} have shape {tuple(value.shape)}; they must have {wanted}")
        chosen = envs if isinstance(envs, slice) or isinstance(bodies, slice) else array(envs, self._device)[:, None]
        for name, value in values.items():
            targets[name][chosen, bodies] = value
        self.active, self.is_global = True, bool(is_global)
        self.placed = self.placed or positions is not None

    def clear(self, env_ids: Any = None) -> None:
        """Push some instances, or all, no more."""
        for buffer in (self.force, self.torque, self.position):
            buffer[rows(env_ids)] = 0.0

    def write(self) -> None:
        """Let it act in the next step."""
        if self.active:
            self._view.apply_forces_and_torques_at_position(
                self.force, self.torque, self.position if self.placed else None, None, self.is_global
            )


def _size(value: Any) -> int:
    size = 1
    for length in value.shape:
        size *= int(length)
    return size
