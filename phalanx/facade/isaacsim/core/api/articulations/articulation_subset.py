"""Some of the joints of an articulation."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.prims.single_articulation import SingleArticulation
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction, JointsState

log = logging.getLogger("phalanx.facade")

F = TypeVar("F", bound=Callable[..., Any])


def _initialized(method: F) -> F:
    @wraps(method)
    def run(self: ArticulationSubset, *args: Any, **kwargs: Any) -> Any:
        if not self.is_initialized:
            log.warning("ArticulationSubset.%s: the articulation is not initialized", method.__name__)
            return None
        return method(self, *args, **kwargs)

    return run  # type: ignore[return-value]


class ArticulationSubset:
    """Some of the joints of an articulation, in an order of their own. Arrays are (K,) for K joints.

    Before the articulation is initialised, methods give ``None`` with a warning.

    Args:
        articulation: that has the joints.
        joint_names: of the joints.
    """

    def __init__(self, articulation: SingleArticulation, joint_names: Sequence[str]) -> None:
        self.articulation, self.joint_names = articulation, list(joint_names)
        self._joint_indices: np.ndarray | None = None

    @property
    def is_initialized(self) -> bool:
        """Whether the articulation is simulated, and its controller controls it."""
        return self.articulation.handles_initialized

    @property
    def num_joints(self) -> int:
        """Number of the joints."""
        return len(self.joint_names)

    @property
    def joint_indices(self) -> np.ndarray | None:
        """(K,): numbers of the joints in the articulation; ``None`` before it is initialised.

        Raises:
            KeyError: there is no joint of a name.
        """
        if self._joint_indices is None and self.is_initialized:
            self._joint_indices = np.array([self.articulation.get_dof_index(name) for name in self.joint_names], int)
        return self._joint_indices

    def get_joint_subset_indices(self) -> np.ndarray | None:
        """See :attr:`joint_indices`."""
        return self.joint_indices

    @_initialized
    def get_joint_positions(self) -> Any:
        """(K,), rad or m."""
        return self.articulation.get_joint_positions(self.joint_indices)

    @_initialized
    def get_joint_velocities(self) -> Any:
        """(K,), rad/s or m/s."""
        return self.articulation.get_joint_velocities(self.joint_indices)

    @_initialized
    def get_joint_efforts(self) -> Any:
        """(K,), N m or N: efforts that were set for the next step."""
        return self.articulation.get_applied_joint_efforts(self.joint_indices)

    @_initialized
    def set_joint_positions(self, positions: Any) -> None:
        """Put the joints somewhere at once, (K,)."""
        self.articulation.set_joint_positions(positions, self.joint_indices)

    @_initialized
    def set_joint_velocities(self, velocities: Any) -> None:
        """Let the joints move at once, (K,)."""
        self.articulation.set_joint_velocities(velocities, self.joint_indices)

    @_initialized
    def set_joint_efforts(self, efforts: Any) -> None:
        """Push the joints during the next step, (K,)."""
        self.articulation.set_joint_efforts(efforts, self.joint_indices)

    @_initialized
    def map_to_articulation_order(self, joint_values: Any) -> np.ndarray:
        """(dofs,) or (n, dofs) of objects: values (K,) or (n, K) at the joints' places, ``None`` elsewhere."""
        values = on_host(joint_values)
        found = np.full((*values.shape[:-1], self.articulation.num_dof or 0), None, object)
        found[..., self.joint_indices] = values
        return found

    @_initialized
    def make_articulation_action(self, joint_positions: Any, joint_velocities: Any) -> ArticulationAction:
        """An action for the joints, (K,) each."""
        return ArticulationAction(joint_positions, joint_velocities, joint_indices=self.joint_indices)

    @_initialized
    def apply_action(self, joint_positions: Any = None, joint_velocities: Any = None) -> None:
        """Set targets of the joints, (K,) each; what is ``None`` stays."""
        self.articulation.apply_action(self.make_articulation_action(joint_positions, joint_velocities))

    @_initialized
    def get_applied_action(self) -> ArticulationAction:
        """Targets and efforts of the joints, (K,) each."""
        found = self.articulation.get_applied_action()
        assert found is not None and self.joint_indices is not None
        some = self.joint_indices
        targets = (found.joint_positions, found.joint_velocities, found.joint_efforts)
        return ArticulationAction(*(None if each is None else each[some] for each in targets), joint_indices=some)

    @_initialized
    def get_joints_state(self) -> JointsState:
        """Positions and velocities of the joints, (K,) each; efforts are ``None``."""
        return JointsState(self.get_joint_positions(), self.get_joint_velocities(), None)


__all__ = ["ArticulationSubset"]
