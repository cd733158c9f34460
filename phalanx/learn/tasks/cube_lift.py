"""An arm grips a cube and carries it to a place above the ground."""

from __future__ import annotations

import torch

from phalanx.learn.commands import Command, columns
from phalanx.learn.declare import action, observation, randomisation, reward, termination
from phalanx.learn.environment import Environment
from phalanx.learn.rows import row_norm, row_sum
from phalanx.models.robot_model import Shape
from phalanx.world.world import World

TURN = 0.5
"""rad from the nominal pose at an action of 1."""
EDGE = 0.05
"""m: of the cube."""
OPEN = 0.04
"""m: how far each finger is from the middle when the gripper is open."""
LIFTED = 0.03
"""m: height of the cube above where it lies from which it counts as lifted in full; below, in proportion."""
CUBE = ((0.42, 0.58), (-0.2, 0.2))
"""m: where the cube is at first."""
PLACES = ((0.4, 0.6), (-0.25, 0.25), (0.25, 0.5))
"""m: where it is to go."""


class CubeLift(Environment):
    """Seven joints and a gripper that is open or closed."""

    dt = 1.0 / 120.0
    decimation = 2
    episode_seconds = 5.0

    def setup(self, world: World) -> None:
        """An arm, and a cube of 100 g on the ground before it."""
        world.add_ground(friction=0.8)
        self.robot = world.add_robot("arm", friction=1.0)
        box = Shape("box", (0.5 * EDGE,) * 3, color=(0.9, 0.5, 0.1, 1.0))
        self.thing = world.add_rigid_object(box, "cube", mass=0.1, position=(0.5, 0.0, 0.5 * EDGE), friction=1.0)

    def prepare(self) -> None:
        """Stiff drives, and where to go."""
        self.robot.set_drive(stiffness=[400.0] * 7 + [2000.0] * 2, damping=[40.0] * 7 + [100.0] * 2)
        self.arm, self.cube = self.robot_state(self.robot), self.object_state(self.thing)
        self.goal = self.buffer(3)
        self.tool = self.robot.body_index("tool")

    def commands(self) -> list[Command]:
        """Where to."""
        return columns(self.goal, ("Goal x (m)", "Goal y (m)", "Goal z (m)"), PLACES)

    @action(size=7)
    def joints(self, actions: torch.Tensor) -> None:
        """Targets of the joints, from the nominal pose."""
        self.arm.pos_target[:, :7] = self.arm.default_joint_pos[:7] + TURN * actions.clamp(-4.0, 4.0)

    @action(size=1)
    def grip(self, actions: torch.Tensor) -> None:
        """Closes the gripper where it is below 0."""
        self.arm.pos_target[:, 7:] = OPEN * (actions >= 0.0)

    # -- observations ----------------------------------------------------------------------------------------

    @observation(noise=0.01)
    def angles(self) -> torch.Tensor:
        """From the nominal pose, rad and m."""
        return self.arm.joint_pos - self.arm.default_joint_pos

    @observation(noise=0.01)
    def speeds(self) -> torch.Tensor:
        """rad/s and m/s."""
        return self.arm.joint_vel

    @observation()
    def cube_place(self) -> torch.Tensor:
        """m from the base."""
        return self.cube.root_pos

    @observation()
    def where_to(self) -> torch.Tensor:
        """The goal, m from the base."""
        return self.goal

    @observation()
    def action_before(self) -> torch.Tensor:
        """The last action."""
        return self.actions

    # -- rewards ---------------------------------------------------------------------------------------------

    def lifted(self) -> torch.Tensor:
        """(num_envs,): from 0 on the ground to 1 at :data:`LIFTED` above it."""
        return ((self.cube.root_pos[:, 2] - 0.5 * EDGE) / LIFTED).clamp(0.0, 1.0)

    def _off(self) -> torch.Tensor:
        return row_norm(self.cube.root_pos - self.goal)

    @reward(weight=1.0)
    def reaches(self) -> torch.Tensor:
        """The tool is at the cube; half of it is for coming closer from afar, since the tool starts 0.5 m away."""
        off = row_norm(self.arm.body_pose[:, self.tool, :3] - self.cube.root_pos)
        return 1.0 - 0.5 * torch.tanh(off / 0.5) - 0.5 * torch.tanh(off / 0.1)

    @reward(weight=15.0)
    def lifts(self) -> torch.Tensor:
        """The cube is off the ground."""
        return self.lifted()

    @reward(weight=16.0)
    def carries(self) -> torch.Tensor:
        """It is off the ground and goes to its goal."""
        return self.lifted() * (1.0 - torch.tanh(self._off() / 0.3))

    @reward(weight=5.0)
    def arrives(self) -> torch.Tensor:
        """It is there."""
        return self.lifted() * (1.0 - torch.tanh(self._off() / 0.05))

    @reward(weight=-0.0001)
    def jerks(self) -> torch.Tensor:
        """Squares of the actions' changes."""
        return row_sum((self.actions - self.last_actions) ** 2)

    @reward(weight=-0.0001)
    def motion(self) -> torch.Tensor:
        """Squares of the joints' speeds."""
        return row_sum(self.arm.joint_vel[:, :7] ** 2)

    # -- episodes --------------------------------------------------------------------------------------------

    @termination
    def out_of_reach(self) -> torch.Tensor:
        """The cube is more than 1 m away from the base."""
        return row_norm(self.cube.root_pos[:, :2]) > 1.0

    @randomisation()
    def start(self, chosen: torch.Tensor) -> None:
        """The cube somewhere before the arm, and a goal above."""
        place = torch.cat([self.random.uniform(low, high, 1) for low, high in CUBE], dim=1)
        self.cube.root_pos[:, :2] = torch.where(chosen[:, None], place, self.cube.root_pos[:, :2])
        drawn = torch.cat([self.random.uniform(low, high, 1) for low, high in PLACES], dim=1)
        self.goal.copy_(torch.where(chosen[:, None], drawn, self.goal))
