"""An arm with one end effector."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaacsim.core.api.robots.robot import Robot
from phalanx.facade.isaacsim.core.prims.single_rigid_prim import SingleRigidPrim
from phalanx.facade.isaacsim.robot.manipulators.grippers.gripper import Gripper
from phalanx.facade.isaacsim.robot.manipulators.grippers.parallel_gripper import ParallelGripper
from phalanx.facade.isaacsim.robot.manipulators.grippers.surface_gripper import SurfaceGripper


class SingleManipulator(Robot):
    """An articulation with an end effector, and with a gripper or without.

    Args:
        prim_path: of its prim.
        end_effector_prim_path: of the prim of the end effector's body.
        name: for scenes and messages.
        position, translation, orientation, scale, visible: see ``isaacsim.core.prims.SingleXFormPrim``.
        gripper: its gripper.
    """

    def __init__(
        self,
        prim_path: str,
        end_effector_prim_path: str,
        name: str = "single_manipulator",
        position: Any = None,
        translation: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool | None = None,
        gripper: Gripper | None = None,
    ) -> None:
        self._end_effector_prim_path = end_effector_prim_path
        self._gripper: Any = gripper
        self._end_effector: Any = None
        super().__init__(prim_path, name, position, translation, orientation, scale, visible is not False)

    @property
    def end_effector(self) -> SingleRigidPrim:
        """The end effector's body; ``None`` before it is initialised."""
        return self._end_effector

    @property
    def gripper(self) -> Any:
        """The gripper, if there is one."""
        return self._gripper

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Look up what is simulated of the arm, its end effector and its gripper."""
        super().initialize(physics_sim_view)
        if self._end_effector is None:
            self._end_effector = SingleRigidPrim(self._end_effector_prim_path, f"{self.name}_end_effector")
        self._end_effector.initialize(physics_sim_view)
        if isinstance(self._gripper, ParallelGripper):
            self._gripper.initialize(
                articulation_apply_action_func=self.apply_action,
                get_joint_positions_func=self.get_joint_positions,
                set_joint_positions_func=self.set_joint_positions,
                dof_names=self.dof_names or [],
                physics_sim_view=physics_sim_view,
            )
        elif isinstance(self._gripper, SurfaceGripper):
            self._gripper.initialize(physics_sim_view, self.num_dof)

    def post_reset(self) -> None:
        """Put the arm, its end effector and its gripper where they are by default."""
        super().post_reset()
        self._end_effector.post_reset()
        if self._gripper is not None:
            self._gripper.post_reset()


__all__ = ["SingleManipulator"]
