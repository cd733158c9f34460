"""Control of one articulation's joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction, ArticulationActions


class ArticulationController:
    """Sets targets, gains and modes of the joints of an articulation, the first of a view of articulations.

    Arrays have no first axis: (K,) for K joints. See ``isaacsim.core.prims.Articulation`` for units.
    """

    def __init__(self) -> None:
        self._articulation_view: Any = None

    def initialize(self, handle: Any = None, articulation_view: Any = None) -> None:
        """Control the articulation of a view.

        Args:
            handle: no meaning, or the view, as newer scripts give it.
            articulation_view: the view.

        Raises:
            TypeError: no view is given.
        """
        view = handle if articulation_view is None else articulation_view
        if not hasattr(view, "apply_action"):
            raise TypeError("ArticulationController.initialize needs a view of articulations")
        self._articulation_view = view

    @property
    def _view(self) -> Any:
        if self._articulation_view is None:
            raise RuntimeError("the controller has no articulation yet: call initialize() of the articulation first")
        return self._articulation_view

    def apply_action(self, control_actions: ArticulationAction) -> None:
        """Set targets and efforts of joints.

        What is ``None``, or no number, keeps its target; efforts become 0 there.

        Raises:
            ValueError: there is another number of values than of joints.
        """
        action = control_actions
        given = (
            None if values is None else _row(values)
            for values in (action.joint_positions, action.joint_velocities, action.joint_efforts)
        )
        self._view.apply_action(ArticulationActions(*given, joint_indices=action.joint_indices))

    def get_applied_action(self) -> ArticulationAction | None:
        """Targets and efforts of all joints; ``None``, with a warning, while nothing is simulated."""
        found = self._view.get_applied_actions()
        if found is None:
            return None
        return ArticulationAction(
            *(_first(a) for a in (found.joint_positions, found.joint_velocities, found.joint_efforts))
        )

    def set_gains(self, kps: Any = None, kds: Any = None, save_to_usd: bool = False) -> None:
        """Set position and velocity gains of all joints, (dofs,) each; what is ``None`` stays."""
        given = (None if each is None else _row(each) for each in (kps, kds))
        self._view.set_gains(*given, save_to_usd=save_to_usd)

    def get_gains(self) -> tuple[Any, Any]:
        """Position and velocity gains of all joints, (dofs,) each."""
        found = self._view.get_gains()
        return None if found is None else tuple(_first(each) for each in found)  # type: ignore[return-value]

    def switch_control_mode(self, mode: str) -> None:
        """Control all joints by ``"position"``, ``"velocity"`` or ``"effort"``; gains that are not needed become 0.

        Raises:
            ValueError: there is no such mode.
        """
        self._view.switch_control_mode(mode)

    def switch_dof_control_mode(self, dof_index: int, mode: str) -> None:
        """Control one joint in a mode; see :meth:`switch_control_mode`."""
        self._view.switch_dof_control_mode(mode, dof_index)

    def set_max_efforts(self, values: Any, joint_indices: Any = None) -> None:
        """Set the greatest efforts of drives, (K,), or one for all."""
        self._view.set_max_efforts(_row(values), joint_indices=joint_indices)

    def get_max_efforts(self) -> Any:
        """(dofs,): the greatest efforts of drives."""
        found = self._view.get_max_efforts()
        return None if found is None else _first(found)

    def set_effort_modes(self, mode: str, joint_indices: Any = None) -> None:
        """Let drives give ``"force"`` or ``"acceleration"``, from the next reset on."""
        self._view.set_effort_modes(mode, joint_indices=joint_indices)

    def get_effort_modes(self) -> list[str] | None:
        """Whether drives give forces or accelerations, a word for each joint."""
        found = self._view.get_effort_modes()
        return None if found is None else found[0]

    def get_joint_limits(self) -> Any:
        """(dofs, 2): lower and upper limits of positions."""
        found = self._view.get_dof_limits()
        return None if found is None else _first(found)


def _row(values: Any) -> Any:
    """(1, K) from (K,), or from (1, K)."""
    if hasattr(values, "ndim") and hasattr(values, "reshape"):
        return values if values.ndim == 2 else values.reshape((1, -1))
    found = on_host(values, np.float32)
    return found if found.ndim == 2 else found.reshape(1, -1)


def _first(array: Any) -> Any:
    return array[0] if not type(array).__module__.startswith("warp") else array.numpy()[0]


__all__ = ["ArticulationController"]
