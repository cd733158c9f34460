"""A Franka that takes a cube from one place to another by steps along its Jacobian."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.objects.cuboid import DynamicCuboid
from phalanx.facade.isaacsim.core.api.objects.ground_plane import GroundPlane
from phalanx.facade.isaacsim.core.prims.single_rigid_prim import SingleRigidPrim
from phalanx.facade.isaacsim.core.utils.stage import create_new_stage, get_current_stage
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction
from phalanx.facade.isaacsim.robot.manipulators.examples.franka.franka import Franka
from phalanx.facade.isaacsim.robot.manipulators.examples.jacobian_steps import at_most, joint_step, turn_error
from phalanx.io.formats.usd.bindings import Sdf

ROBOT, HAND = "/World/robot", "panda_hand"

READY = np.array([0.012, -0.568, 0.0, -2.811, 0.0, 3.037, 0.741, 0.04, 0.04])
"""rad, and m of the fingers: of the joints at the beginning."""

OPEN, CLOSED = 0.04, 0.0
"""m: of a finger."""

ABOVE, LOWER, CLOSE, LIFT, CARRY, RELEASE, RISE = range(7)
"""The phases."""

STEPS = (60, 40, 20, 40, 80, 20, 20)
"""Steps of each phase."""

OVER_CUBE = {ABOVE: 0.2, LOWER: 0.1, RISE: 0.3}
"""m: of the hand above the cube in phases that follow it."""

LIFTED = 0.2
"""m: of the hand's target above the hand while it lifts."""

REACH, TURN = 0.1, 0.3
"""m and rad: what a step asks for at most, so that the cube stays between the fingers."""


class FrankaPickPlace:
    """A scene of a Franka and a cube, and the steps of taking the cube from one place to another.

    The hand goes over the cube, down to it, closes its fingers, lifts, carries, opens, and rises. Each step moves the
    joints' targets from where the joints are by what the hand's Jacobian says.

    Args:
        events_dt: steps of each of the seven phases; 60, 40, 20, 40, 80, 20 and 20 by default.

    Attributes:
        robot: the Franka; ``None`` before :meth:`setup_scene`.
        cube: the cube.
        target_position: where the hand goes with the cube, (3,), m.
    """

    def __init__(self, events_dt: Sequence[int] | None = None) -> None:
        self.events_dt = list(STEPS if events_dt is None else events_dt)
        self.robot: Franka | None = None
        self.cube: DynamicCuboid | None = None
        self.target_position = np.zeros(3)
        self._hand: SingleRigidPrim | None = None
        self._event, self._step = 0, 0

    def setup_scene(
        self,
        cube_initial_position: Any = None,
        cube_initial_orientation: Any = None,
        cube_size: Any = None,
        target_position: Any = None,
        offset: Any = None,
    ) -> None:
        """Make a new stage with a ground, a light, the robot and a cube.

        Args:
            cube_initial_position: (3,), m; 0.5 m in front of the robot, on the ground, by default.
            cube_initial_orientation: (w, x, y, z).
            cube_size: its edges, (3,), m; 0.0515 by default.
            target_position: of the hand when it opens, (3,), m; (-0.3, -0.3, 0.12) by default.
            offset: added to the target, (3,).

        Raises:
            FileNotFoundError: there is no file of a Franka (``phalanx assets build franka-sim``).
        """
        size = np.full(3, 0.0515) if cube_size is None else np.asarray(cube_size, float)
        place = [0.5, 0.0, 0.0258] if cube_initial_position is None else cube_initial_position
        self.cube_initial_position = np.asarray(place, float)
        turn = [1.0, 0.0, 0.0, 0.0] if cube_initial_orientation is None else cube_initial_orientation
        self.cube_initial_orientation = np.asarray(turn, float)
        self.target_position = np.array([-0.3, -0.3, 0.12] if target_position is None else target_position, float)
        self.target_position += 0.0 if offset is None else np.asarray(offset, float)
        create_new_stage()
        light = get_current_stage().DefinePrim("/Environment/defaultLight", "DistantLight")
        light.CreateAttribute("inputs:intensity", Sdf.ValueTypeNames.Float).Set(1000.0)
        GroundPlane("/World/ground")
        self.robot = Franka(ROBOT, "robot", gripper_open_position=np.full(2, OPEN))
        self._hand = SingleRigidPrim(f"{ROBOT}/{HAND}", "hand")
        self.cube = DynamicCuboid(
            "/World/Cube",
            "cube",
            position=self.cube_initial_position,
            orientation=self.cube_initial_orientation,
            scale=size,
            size=1.0,
            color=np.array([0.0, 0.0, 1.0]),
        )

    def forward(self, ik_method: str = "damped-least-squares") -> bool:
        """Make a step, while the simulation plays.

        Args:
            ik_method: ``"damped-least-squares"``, ``"pseudoinverse"``, ``"singular-value-decomposition"`` or
                ``"transpose"``.

        Returns:
            Whether there was a step left.

        Raises:
            RuntimeError: there is no scene yet, or nothing plays.
            ValueError: there is no such method.
        """
        if self.is_done():
            return False
        robot, hand, cube = self._simulated()
        if self._event in (CLOSE, RELEASE):
            self._move(robot, np.full(2, CLOSED if self._event == CLOSE else OPEN), [7, 8])
        else:
            place, turn = (on_host(each, float) for each in hand.get_world_pose())
            if self._event in OVER_CUBE:
                goal = on_host(cube.get_world_pose()[0], float) + [0.0, 0.0, OVER_CUBE[self._event]]
            else:
                goal = place + [0.0, 0.0, LIFTED] if self._event == LIFT else self.target_position
            joints = on_host(robot.get_joint_positions(), float)[:7]
            error = np.concatenate([at_most(goal - place, REACH), at_most(turn_error(turn), TURN)])
            self._move(robot, joints + joint_step(self._jacobian(robot), error, ik_method), list(range(7)))
        self._step += 1
        if self._step >= self.events_dt[self._event]:
            self._event, self._step = self._event + 1, 0
        return True

    def is_done(self) -> bool:
        """Whether all phases are over."""
        return self._event >= len(self.events_dt)

    def reset(self, cube_position: Any = None, cube_orientation: Any = None) -> None:
        """Put robot and cube back, and begin with the first phase.

        Args:
            cube_position, cube_orientation: of the cube instead of those of :meth:`setup_scene`.

        Raises:
            RuntimeError: there is no scene yet, or nothing plays.
        """
        self.reset_robot()
        self.reset_cube(cube_position, cube_orientation)

    def reset_robot(self) -> None:
        """Put the robot back, with open fingers, and begin with the first phase."""
        robot, _, _ = self._simulated()
        robot.set_joint_positions(READY)
        robot.set_joint_velocities(np.zeros(9))
        self._move(robot, READY, list(range(9)))
        self._event, self._step = 0, 0

    def reset_cube(self, position: Any = None, orientation: Any = None) -> None:
        """Put the cube back, at rest, or somewhere else: (3,), m, and (w, x, y, z)."""
        _, _, cube = self._simulated()
        cube.set_world_pose(
            self.cube_initial_position if position is None else position,
            self.cube_initial_orientation if orientation is None else orientation,
        )
        cube.set_linear_velocity(np.zeros(3))
        cube.set_angular_velocity(np.zeros(3))

    def _simulated(self) -> tuple[Franka, SingleRigidPrim, DynamicCuboid]:
        if self.robot is None or self._hand is None or self.cube is None:
            raise RuntimeError("FrankaPickPlace: call setup_scene() first")
        if simulation.stage_world() is None:
            raise RuntimeError("FrankaPickPlace: nothing is simulated; play the timeline first")
        if not self.robot.handles_initialized:
            for one in (self.robot, self._hand, self.cube):
                one.initialize()
        return self.robot, self._hand, self.cube

    @staticmethod
    def _move(robot: Franka, targets: np.ndarray, joints: list[int]) -> None:
        robot.apply_action(ArticulationAction(joint_positions=targets, joint_indices=np.array(joints)))

    @staticmethod
    def _jacobian(robot: Franka) -> np.ndarray:
        """(6, 7): of the hand, by the joints of the arm."""
        view = robot._articulation_view
        link = view.get_link_index(HAND)
        assert link is not None, "it is simulated"
        return on_host(view.get_jacobians(), float)[0, link - 1, :, :7]


__all__ = ["FrankaPickPlace"]
