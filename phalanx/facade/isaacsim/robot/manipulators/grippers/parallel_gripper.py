"""Two fingers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction
from phalanx.facade.isaacsim.robot.manipulators.grippers.gripper import Gripper


class ParallelGripper(Gripper):
    """A gripper with two fingers that are joints of an articulation. Arrays are (2,): left and right.

    Args:
        end_effector_prim_path: of the prim of the body that carries it.
        joint_prim_names: of the fingers' joints.
        joint_opened_positions, joint_closed_positions: where they are when it is open and closed, rad or m.
        action_deltas: by how much each action of opening moves the targets from where the joints are, and each of
            closing moves them back; ``None``: actions go to the positions above.
        use_mimic_joints: whether the right finger follows the left one by itself; then arrays are (1,).
    """

    def __init__(
        self,
        end_effector_prim_path: str,
        joint_prim_names: Sequence[str],
        joint_opened_positions: Any,
        joint_closed_positions: Any,
        action_deltas: Any = None,
        use_mimic_joints: bool = False,
    ) -> None:
        super().__init__(end_effector_prim_path)
        self._joint_prim_names = list(joint_prim_names)
        self._joint_dof_indicies = np.array([None, None])
        self._joint_opened_positions, self._joint_closed_positions = joint_opened_positions, joint_closed_positions
        self._action_deltas, self._use_mimic_joints = action_deltas, use_mimic_joints
        self._articulation_num_dofs = 0
        self._apply: Callable[..., Any] = _not_yet
        self._get: Callable[..., Any] = _not_yet
        self._set: Callable[..., Any] = _not_yet

    @property
    def joint_opened_positions(self) -> Any:
        """Where the joints are when it is open."""
        return self._joint_opened_positions

    @property
    def joint_closed_positions(self) -> Any:
        """Where the joints are when it is closed."""
        return self._joint_closed_positions

    @property
    def joint_dof_indicies(self) -> np.ndarray:
        """(2,): numbers of the joints in the articulation; ``None`` before :meth:`initialize`."""
        return self._joint_dof_indicies

    @property
    def joint_prim_names(self) -> list[str]:
        """Names of the joints."""
        return self._joint_prim_names

    @property
    def active_joint_indices(self) -> list[Any]:
        """Numbers of the joints that it drives."""
        return [*self._joint_dof_indicies[: self.active_joint_count]]

    @property
    def active_joint_count(self) -> int:
        """How many joints it drives."""
        return 1 if self._use_mimic_joints else 2

    def initialize(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        articulation_apply_action_func: Callable[..., Any],
        get_joint_positions_func: Callable[..., Any],
        set_joint_positions_func: Callable[..., Any],
        dof_names: Sequence[str],
        physics_sim_view: Any = None,
    ) -> None:
        """Find the joints.

        Args:
            articulation_apply_action_func, get_joint_positions_func, set_joint_positions_func: of the articulation.
            dof_names: of its joints.
            physics_sim_view: what makes tensor views.

        Raises:
            ValueError: it has no joint of a name.
        """
        super().initialize(physics_sim_view)
        self._apply, self._get, self._set = (
            articulation_apply_action_func,
            get_joint_positions_func,
            set_joint_positions_func,
        )
        known = list(dof_names)
        self._articulation_num_dofs = len(known)
        for i, joint in enumerate(self._joint_prim_names[: self.active_joint_count]):
            if joint not in known:
                raise ValueError(f"the gripper's joint {joint!r} is none of {', '.join(known)}")
            self._joint_dof_indicies[i] = known.index(joint)
        if self._default_state is None:
            self._default_state = self.get_joint_positions()

    def open(self) -> None:
        """Apply the action that opens it."""
        self._apply(self.forward("open"))

    def close(self) -> None:
        """Apply the action that closes it."""
        self._apply(self.forward("close"))

    def set_action_deltas(self, value: Any) -> None:
        """Set by how much actions move targets from where the joints are."""
        self._action_deltas = value

    def get_action_deltas(self) -> Any:
        """By how much actions move targets from where the joints are."""
        return self._action_deltas

    def set_default_state(self, joint_positions: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Set where resets put the joints."""
        self._default_state = joint_positions

    def get_default_state(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Where resets put the joints."""
        return self._default_state

    def post_reset(self) -> None:
        """Put the joints where they are by default."""
        super().post_reset()
        self.set_joint_positions(self._default_state)

    def set_joint_positions(self, positions: Any) -> None:
        """Put the joints somewhere at once, rad or m."""
        self._set(positions=positions, joint_indices=self.active_joint_indices)

    def get_joint_positions(self) -> Any:
        """Where the joints are, rad or m."""
        return self._get(joint_indices=self.active_joint_indices)

    def forward(self, action: str) -> ArticulationAction:  # pyright: ignore[reportIncompatibleMethodOverride]
        """An action of all joints of the articulation; targets of others than the fingers are ``None``.

        Args:
            action: ``"open"`` or ``"close"``.

        Raises:
            ValueError: it is neither.
        """
        if action not in ("open", "close"):
            raise ValueError(f"action {action!r} is not defined for ParallelGripper: it must be 'open' or 'close'")
        if self._action_deltas is None:
            found = self._joint_opened_positions if action == "open" else self._joint_closed_positions
            targets = on_host(found, float)
        else:
            sign = 1.0 if action == "open" else -1.0
            targets = on_host(self.get_joint_positions(), float) + sign * on_host(self._action_deltas, float)
        return ArticulationAction(joint_positions=self._whole(targets))

    def apply_action(self, control_actions: ArticulationAction) -> None:
        """Apply an action of the fingers, (2,) each."""
        whole = ArticulationAction()
        for kind in ("joint_positions", "joint_velocities", "joint_efforts"):
            given = getattr(control_actions, kind)
            if given is not None:
                setattr(whole, kind, self._whole(on_host(given, float)))
        self._apply(whole)

    def _whole(self, values: np.ndarray) -> list[float | None]:
        found: list[float | None] = [None] * self._articulation_num_dofs
        for index, value in zip(self.active_joint_indices, values.tolist(), strict=False):
            found[index] = value
        return found


def _not_yet(*_: Any, **__: Any) -> Any:
    raise RuntimeError("the gripper is not initialized: reset the world first")


__all__ = ["ParallelGripper"]
