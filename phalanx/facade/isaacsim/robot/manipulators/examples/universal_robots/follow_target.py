"""A UR10 whose end follows a cube, by steps along its Jacobian."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.objects.cuboid import VisualCuboid
from phalanx.facade.isaacsim.core.api.objects.ground_plane import GroundPlane
from phalanx.facade.isaacsim.core.prims.single_rigid_prim import SingleRigidPrim
from phalanx.facade.isaacsim.core.utils.stage import create_new_stage, get_current_stage
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction
from phalanx.facade.isaacsim.robot.manipulators.examples.jacobian_steps import joint_step, turn_error
from phalanx.facade.isaacsim.robot.manipulators.examples.universal_robots.ur10 import UR10
from phalanx.io.formats.usd.bindings import Sdf

ROBOT, END = "/World/ur10_robot", "ee_link"
READY = np.pi / 2.0 * np.array([-1.0, -1.0, -1.0, -1.0, 1.0, 0.0])
"""rad: of the joints at the beginning."""
EDGE = 0.05
"""m: of the cube."""


class UR10FollowTarget:
    """A scene of a UR10 and a cube that is only seen, and the steps of following it, pointing downwards.

    Attributes:
        robot: the UR10; ``None`` before :meth:`setup_scene`.
        target_cube: the cube. Move it by its ``set_world_pose``.
        target_position: where the cube began, (3,), m.
    """

    def __init__(self) -> None:
        self.robot: UR10 | None = None
        self.target_cube: VisualCuboid | None = None
        self.target_position = np.zeros(3)
        self._end: SingleRigidPrim | None = None

    def setup_scene(self, target_position: Any = None) -> None:
        """Make a new stage with a ground, a light, the robot and the cube.

        Args:
            target_position: of the cube, (3,), m; (0.5, 0, 0.3) by default.

        Raises:
            FileNotFoundError: there is no file of a UR10 (``phalanx assets build ur10-sim``).
        """
        self.target_position = np.array([0.5, 0.0, 0.3] if target_position is None else target_position, float)
        create_new_stage()
        light = get_current_stage().DefinePrim("/Environment/defaultLight", "DistantLight")
        light.CreateAttribute("inputs:intensity", Sdf.ValueTypeNames.Float).Set(1000.0)
        GroundPlane("/World/ground")
        self.robot = UR10(ROBOT, "robot")
        self._end = SingleRigidPrim(f"{ROBOT}/{END}", "end")
        red = np.array([1.0, 0.0, 0.0])
        self.target_cube = VisualCuboid(
            "/World/TargetCube", "target", position=self.target_position, scale=np.full(3, EDGE), size=1.0, color=red
        )

    def get_target_position(self) -> np.ndarray:
        """(3,), m: where the cube is."""
        if self.target_cube is None:
            return self.target_position
        return on_host(self.target_cube.get_world_pose()[0], float)

    def get_robot_end_effector_position(self) -> np.ndarray:
        """(3,), m: where the robot's end is; 0 before there is a scene."""
        return np.zeros(3) if self._end is None else on_host(self._end.get_world_pose()[0], float)

    def target_reached(self, threshold: float = 0.05) -> bool:
        """Whether the end is nearer to the cube's middle than ``threshold``, m."""
        return bool(np.linalg.norm(self.get_target_position() - self.get_robot_end_effector_position()) < threshold)

    def move_to_target(self, ik_method: str = "damped-least-squares") -> None:
        """Make a step towards the cube, while the simulation plays.

        Args:
            ik_method: ``"damped-least-squares"``, ``"pseudoinverse"``, ``"singular-value-decomposition"`` or
                ``"transpose"``.

        Raises:
            RuntimeError: there is no scene yet, or nothing plays.
            ValueError: there is no such method.
        """
        robot, end = self._simulated()
        place, turn = (on_host(each, float) for each in end.get_world_pose())
        error = np.concatenate([self.get_target_position() - place, turn_error(turn)])
        joints = on_host(robot.get_joint_positions(), float)
        view = robot._articulation_view
        link = view.get_link_index(END)
        assert link is not None, "it is simulated"
        jacobian = on_host(view.get_jacobians(), float)[0, link - 1]
        robot.apply_action(ArticulationAction(joint_positions=joints + joint_step(jacobian, error, ik_method)))

    def reset_robot(self) -> None:
        """Put the robot back.

        Raises:
            RuntimeError: there is no scene yet, or nothing plays.
        """
        robot, _ = self._simulated()
        robot.set_joint_positions(READY)
        robot.apply_action(ArticulationAction(joint_positions=READY))

    def _simulated(self) -> tuple[UR10, SingleRigidPrim]:
        if self.robot is None or self._end is None:
            raise RuntimeError("UR10FollowTarget: call setup_scene() first")
        if simulation.stage_world() is None:
            raise RuntimeError("UR10FollowTarget: nothing is simulated; play the timeline first")
        if not self.robot.handles_initialized:
            self.robot.initialize()
            self._end.initialize()
        return self.robot, self._end


__all__ = ["UR10FollowTarget"]
