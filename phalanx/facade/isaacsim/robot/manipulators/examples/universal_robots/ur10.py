"""A UR10."""

from __future__ import annotations

from typing import Any

from phalanx.facade import stage as stages
from phalanx.facade.isaacsim.core.utils.stage import add_reference_to_stage
from phalanx.facade.isaacsim.robot.manipulators.examples.franka.franka import asset
from phalanx.facade.isaacsim.robot.manipulators.grippers.surface_gripper import SurfaceGripper
from phalanx.facade.isaacsim.robot.manipulators.manipulators.single_manipulator import SingleManipulator

FILE = "/Isaac/Robots/UniversalRobots/ur10/ur10.usd"


class UR10(SingleManipulator):
    """A UR10, with a suction cup if that is wanted. Gravity does not act on it.

    Args:
        prim_path: of its prim, which refers to a file if it is not there yet.
        name: for scenes and messages.
        usd_path: the file; that below the folder of assets by default, see ``phalanx assets``.
        position, orientation: of the prim, (3,) and (w, x, y, z).
        end_effector_prim_name: of the end effector's body below the prim; ``"ee_link"`` by default.
        attach_gripper: whether it has a surface gripper, at ``SurfaceGripper`` below the end effector.
        gripper_usd: ``"default"``: the prim's variant ``Short_Suction`` is chosen; ``None``: the gripper is there.

    Raises:
        FileNotFoundError: there is no file.
        NotImplementedError: ``gripper_usd`` is another file.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "ur10_robot",
        usd_path: str | None = None,
        position: Any = None,
        orientation: Any = None,
        end_effector_prim_name: str | None = None,
        attach_gripper: bool = False,
        gripper_usd: str | None = "default",
    ) -> None:
        if attach_gripper and gripper_usd not in ("default", None):
            raise NotImplementedError(f"{name}: gripper_usd={gripper_usd!r}: must be 'default' or None")
        if not stages.get_stage().GetPrimAtPath(prim_path):
            add_reference_to_stage(asset(usd_path, FILE, "ur10-sim"), prim_path)
        end = f"{prim_path}/{end_effector_prim_name or 'ee_link'}"
        gripper = None
        if attach_gripper:
            if gripper_usd == "default":
                prim = stages.get_stage().GetPrimAtPath(prim_path)
                prim.GetVariantSet("Gripper").SetVariantSelection("Short_Suction")
            gripper = SurfaceGripper(end, f"{end}/SurfaceGripper")
        self._attach_gripper = attach_gripper
        super().__init__(prim_path, end, name, position, orientation=orientation, gripper=gripper)

    @property
    def attach_gripper(self) -> bool:
        """Whether it has a gripper."""
        return self._attach_gripper

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Look up what is simulated of the arm, its end effector and its gripper; gravity does not act on it then."""
        super().initialize(physics_sim_view)
        self.disable_gravity()


__all__ = ["UR10"]
