"""A gripper that holds what it touches."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction
from phalanx.facade.isaacsim.robot.manipulators.grippers.gripper import Gripper
from phalanx.facade.surface_grippers import CLOSED, OPEN
from phalanx.facade.surface_grippers import SurfaceGripper as Simulated


class SurfaceGripper(Gripper):
    """A gripper that holds what is near its points, as a suction cup does.

    Args:
        end_effector_prim_path: of the prim of the body that carries it.
        surface_gripper_path: of the prim of the type ``IsaacSurfaceGripper``.
    """

    def __init__(self, end_effector_prim_path: str, surface_gripper_path: str) -> None:
        super().__init__(end_effector_prim_path)
        self._surface_gripper_path = surface_gripper_path
        self._articulation_num_dofs: int | None = None

    def initialize(self, physics_sim_view: Any = None, articulation_num_dofs: int | None = None) -> None:
        """Look up what is simulated of it.

        Args:
            physics_sim_view: what makes tensor views.
            articulation_num_dofs: number of joints of the articulation, for :meth:`forward`.

        Raises:
            ValueError: there is no surface gripper at its path.
        """
        super().initialize(physics_sim_view)
        self._articulation_num_dofs = articulation_num_dofs
        if self._default_state is None:
            self._default_state = not self.is_closed()

    def _simulated(self) -> tuple[Simulated, np.ndarray]:
        """The gripper, and the environment that it is in."""
        world = simulation.stage_world()
        if world is None:
            raise RuntimeError("the gripper is not simulated: reset the world first")
        path, env = world.prototype(self._surface_gripper_path)
        if path not in world.grippers:
            raise ValueError(f"there is no surface gripper at {self._surface_gripper_path}")
        return world.grippers[path], np.array([env or 0])

    def close(self) -> None:
        """Try to take hold of what is near, from the next step on."""
        gripper, env = self._simulated()
        gripper.act(np.ones(1), env)

    def open(self) -> None:
        """Let go."""
        gripper, env = self._simulated()
        gripper.act(-np.ones(1), env)

    def update(self) -> None:
        """Nothing: the simulation does it."""

    def is_closed(self) -> bool:
        """Whether it holds something."""
        gripper, env = self._simulated()
        return bool(gripper.state[env[0]] == CLOSED)

    def is_open(self) -> bool:
        """Whether it neither holds something nor tries to."""
        gripper, env = self._simulated()
        return bool(gripper.state[env[0]] == OPEN)

    def set_default_state(self, opened: bool) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Set whether resets open it."""
        self._default_state = opened

    def get_default_state(self) -> dict[str, Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Whether resets open it, as ``"opened"``."""
        return {"opened": self._default_state}

    def post_reset(self) -> None:
        """Open or close it, as its default is."""
        super().post_reset()
        if self._default_state:
            self.open()
        else:
            self.close()

    def forward(self, action: str) -> ArticulationAction:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Open or close it at once, and give an action that leaves the joints of the articulation alone.

        Args:
            action: ``"open"`` or ``"close"``.

        Raises:
            ValueError: it is neither, or nobody has said how many joints the articulation has.
        """
        if self._articulation_num_dofs is None:
            raise ValueError("initialize() must be told articulation_num_dofs")
        if action not in ("open", "close"):
            raise ValueError(f"action {action!r} is not defined for SurfaceGripper: it must be 'open' or 'close'")
        (self.open if action == "open" else self.close)()
        return ArticulationAction(joint_positions=[None] * self._articulation_num_dofs)


__all__ = ["SurfaceGripper"]
