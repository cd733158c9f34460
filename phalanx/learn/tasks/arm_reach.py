"""An arm brings its tool to a place that changes."""

from __future__ import annotations

import torch

from phalanx.learn.commands import Command, columns
from phalanx.learn.declare import action, observation, randomisation, reward
from phalanx.learn.environment import Environment
from phalanx.learn.rows import row_norm, row_sum
from phalanx.world.world import World

TURN = 0.5
"""rad from the nominal pose at an action of 1."""
PLACES = ((0.35, 0.65), (-0.25, 0.25), (0.15, 0.55))
"""m: where the tool is to go, x, y, z from the arm's base."""
NEAR = 0.1
"""m within which a place counts as reached more and more."""


class ArmReach(Environment):
    """Seven joints, whose drives are told where to go; the fingers stay as they are."""

    dt = 1.0 / 120.0
    decimation = 4
    episode_seconds = 12.0

    def setup(self, world: World) -> None:
        """The arm that ships with Phalanx."""
        self.robot = world.add_robot("arm")

    def prepare(self) -> None:
        """Stiff drives, and where to go."""
        self.robot.set_drive(stiffness=400.0, damping=40.0)
        self.arm = self.robot_state(self.robot)
        self.goal = self.buffer(3)
        self.tool = self.robot.body_index("tool")

    def commands(self) -> list[Command]:
        """Where to."""
        return columns(self.goal, ("Goal x (m)", "Goal y (m)", "Goal z (m)"), PLACES)

    @action(size=7)
    def joints(self, actions: torch.Tensor) -> None:
        """Targets of the joints, from the nominal pose."""
        self.arm.pos_target[:, :7] = self.arm.default_joint_pos[:7] + TURN * actions.clamp(-4.0, 4.0)

    # -- observations ----------------------------------------------------------------------------------------

    @observation(noise=0.01)
    def angles(self) -> torch.Tensor:
        """From the nominal pose, rad."""
        return self.arm.joint_pos[:, :7] - self.arm.default_joint_pos[:7]

    @observation(noise=0.01)
    def speeds(self) -> torch.Tensor:
        """rad/s."""
        return self.arm.joint_vel[:, :7]

    @observation()
    def where_to(self) -> torch.Tensor:
        """The goal, m from the base."""
        return self.goal

    @observation()
    def action_before(self) -> torch.Tensor:
        """The last action."""
        return self.actions

    # -- rewards ---------------------------------------------------------------------------------------------

    def distance(self) -> torch.Tensor:
        """(num_envs,): of the tool from the goal, m."""
        return row_norm(self.arm.body_pose[:, self.tool, :3] - self.goal)

    @reward(weight=-0.2)
    def away(self) -> torch.Tensor:
        """Distance from the goal."""
        return self.distance()

    @reward(weight=0.5)
    def reached(self) -> torch.Tensor:
        """1 at the goal, 0.24 at :data:`NEAR` from it."""
        return 1.0 - torch.tanh(self.distance() / NEAR)

    @reward(weight=-0.001)
    def jerks(self) -> torch.Tensor:
        """Squares of the actions' changes."""
        return row_sum((self.actions - self.last_actions) ** 2)

    @reward(weight=-0.001)
    def motion(self) -> torch.Tensor:
        """Squares of the joints' speeds."""
        return row_sum(self.arm.joint_vel[:, :7] ** 2)

    # -- episodes --------------------------------------------------------------------------------------------

    @randomisation()
    def start(self, chosen: torch.Tensor) -> None:
        """Joints near the nominal pose."""
        joints = self.arm.default_joint_pos[:7] + self.random.uniform(-0.3, 0.3, 7)
        joints = torch.minimum(torch.maximum(joints, self.arm.joint_lower[:7]), self.arm.joint_upper[:7])
        self.arm.joint_pos[:, :7] = torch.where(chosen[:, None], joints, self.arm.joint_pos[:, :7])

    @randomisation(every=4.0)
    def new_goal(self, chosen: torch.Tensor) -> None:
        """Anywhere in a box before the arm."""
        drawn = torch.cat([self.random.uniform(low, high, 1) for low, high in PLACES], dim=1)
        self.goal.copy_(torch.where(chosen[:, None], drawn, self.goal))
