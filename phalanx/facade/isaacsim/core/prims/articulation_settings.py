"""What the prims of articulations say of how they are solved."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.backends import Backend, on_host, shaped
from phalanx.facade.isaacsim.core.api.materials.accessors import read, write
from phalanx.io.formats.usd.bindings import Prim

_DEFAULTS: dict[str, tuple[str, Any, str]] = {
    "solverPositionIterationCount": ("Int", 32, "int32"),
    "solverVelocityIterationCount": ("Int", 1, "int32"),
    "stabilizationThreshold": ("Float", 0.001, "float32"),
    "enabledSelfCollisions": ("Bool", True, "bool"),
    "sleepThreshold": ("Float", 0.005, "float32"),
}
"""Attributes of ``physxArticulation``: their types, and what PhysX has where nothing is written."""


class ArticulationSettings:
    """The part of a view of articulations that reads and writes settings on the stage, (M,) each.

    What is written counts from the next reset on.
    """

    _prims: list[Prim]
    _backend: Backend

    def _chosen(self, indices: Any) -> list[int]:
        raise NotImplementedError(f"{type(self).__name__} has no _chosen(); define it in the class")

    def _check_valid(self) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no _check_valid(); define it in the class")

    def _get_setting(self, name: str, indices: Any) -> Any:
        self._check_valid()
        _, default, dtype = _DEFAULTS[name]
        found = [read(self._prims[i], f"physxArticulation:{name}", default) for i in self._chosen(indices)]
        return self._backend.give(np.array(found, dtype))

    def _set_setting(self, name: str, values: Any, indices: Any) -> None:
        self._check_valid()
        kind, default, _ = _DEFAULTS[name]
        chosen = self._chosen(indices)
        given = shaped(name, on_host(values), (len(chosen),)).tolist()
        for i, value in zip(chosen, given, strict=True):
            write(self._prims[i], f"physxArticulation:{name}", kind, type(default)(value))

    def set_solver_position_iteration_counts(self, counts: Any, indices: Any = None) -> None:
        """Set how often positions are solved in a step, 1 to 255."""
        self._set_setting("solverPositionIterationCount", counts, indices)

    def get_solver_position_iteration_counts(self, indices: Any = None) -> Any:
        """How often positions are solved in a step."""
        return self._get_setting("solverPositionIterationCount", indices)

    def set_solver_velocity_iteration_counts(self, counts: Any, indices: Any = None) -> None:
        """Set how often velocities are solved in a step, 0 to 255."""
        self._set_setting("solverVelocityIterationCount", counts, indices)

    def get_solver_velocity_iteration_counts(self, indices: Any = None) -> Any:
        """How often velocities are solved in a step."""
        return self._get_setting("solverVelocityIterationCount", indices)

    def set_stabilization_thresholds(self, thresholds: Any, indices: Any = None) -> None:
        """Set kinetic energies per mass below which PhysX damps articulations; the engine does not."""
        self._set_setting("stabilizationThreshold", thresholds, indices)

    def get_stabilization_thresholds(self, indices: Any = None) -> Any:
        """What was set."""
        return self._get_setting("stabilizationThreshold", indices)

    def set_enabled_self_collisions(self, flags: Any, indices: Any = None) -> None:
        """Let links of an articulation touch each other."""
        self._set_setting("enabledSelfCollisions", flags, indices)

    def get_enabled_self_collisions(self, indices: Any = None) -> Any:
        """Whether links of an articulation touch each other."""
        return self._get_setting("enabledSelfCollisions", indices)

    def set_sleep_thresholds(self, thresholds: Any, indices: Any = None) -> None:
        """Set kinetic energies per mass below which articulations may go to sleep."""
        self._set_setting("sleepThreshold", thresholds, indices)

    def get_sleep_thresholds(self, indices: Any = None) -> Any:
        """Kinetic energies per mass below which articulations may go to sleep."""
        return self._get_setting("sleepThreshold", indices)
