"""A ball with four legs runs along x."""

from __future__ import annotations

import math

import torch

from phalanx.assets.classic import ant
from phalanx.learn.declare import action, observation, randomisation, reward, termination
from phalanx.learn.environment import Environment
from phalanx.learn.rotations import rotate_back, yaw_of
from phalanx.learn.rows import row_sum
from phalanx.world.world import World

TORQUE = 7.5
"""N m at an action of 1, of every joint."""

LOW = 0.31
"""m: an episode ends when the torso's middle is lower."""


class Ant(Environment):
    """Reward is speed along x, while the ant is upright and faces that way."""

    dt = 1.0 / 120.0
    decimation = 2
    episode_seconds = 15.0

    def setup(self, world: World) -> None:
        """An ant on the ground."""
        world.add_ground(friction=1.0)
        self.robot = world.add_robot(ant(), "ant", position=(0.0, 0.0, 0.6))

    def prepare(self) -> None:
        """The ant's joints are given scaled by their limits."""
        self.ant = self.robot_state(self.robot)
        self.ahead = self.tensor([1.0, 0.0, 0.0]).repeat(self.num_envs, 1)
        self.middle = 0.5 * (self.ant.joint_lower + self.ant.joint_upper)
        self.half = 0.5 * (self.ant.joint_upper - self.ant.joint_lower)

    @action(size=8)
    def torques(self, actions: torch.Tensor) -> None:
        """Torques of the joints."""
        self.ant.effort_target.copy_(TORQUE * actions.clamp(-1.0, 1.0))

    # -- observations ----------------------------------------------------------------------------------------

    @observation()
    def height(self) -> torch.Tensor:
        """Of the torso, m."""
        return self.ant.root_pos[:, 2:]

    @observation()
    def velocity(self) -> torch.Tensor:
        """Linear and angular velocity of the torso in its own axes, m/s and 0.25 rad/s."""
        return torch.cat((self.ant.root_lin_vel_b, 0.25 * self.ant.root_ang_vel_b), dim=1)

    @observation()
    def attitude(self) -> torch.Tensor:
        """Gravity and the way ahead in the torso's axes."""
        return torch.cat((self.ant.projected_gravity, rotate_back(self.ant.root_quat, self.ahead)), dim=1)

    @observation()
    def joints(self) -> torch.Tensor:
        """Angles, -1 to 1 within their limits, and speeds, 0.2 rad/s."""
        return torch.cat(((self.ant.joint_pos - self.middle) / self.half, 0.2 * self.ant.joint_vel), dim=1)

    @observation()
    def torques_before(self) -> torch.Tensor:
        """The last action."""
        return self.actions.clamp(-1.0, 1.0)

    # -- rewards ---------------------------------------------------------------------------------------------

    @reward(weight=1.0)
    def speed(self) -> torch.Tensor:
        """Along x, m/s."""
        return self.ant.root_vel[:, 0]

    @reward(weight=0.5)
    def alive(self) -> torch.Tensor:
        """The episode goes on."""
        return ~self.terminated

    @reward(weight=0.2)
    def upright(self) -> torch.Tensor:
        """The torso's z axis is within 20 degrees of the vertical."""
        return self.ant.projected_gravity[:, 2] < -math.cos(math.radians(20.0))

    @reward(weight=0.5)
    def heading(self) -> torch.Tensor:
        """The torso's x axis points along x."""
        return torch.cos(yaw_of(self.ant.root_quat)).clamp(min=0.0)

    @reward(weight=-0.05)
    def effort(self) -> torch.Tensor:
        """Sum of the actions' squares."""
        return row_sum(self.actions.clamp(-1.0, 1.0) ** 2)

    @reward(weight=-0.02)
    def energy(self) -> torch.Tensor:
        """Actions times speeds of joints."""
        return row_sum((self.actions.clamp(-1.0, 1.0) * self.ant.joint_vel).abs())

    @reward(weight=-0.2)
    def at_limits(self) -> torch.Tensor:
        """Joints within 1 % of the ends of their ranges."""
        return ((self.ant.joint_pos - self.middle).abs() > 0.99 * self.half).sum(dim=1)

    @reward(weight=-120.0)
    def lost(self) -> torch.Tensor:
        """The episode has ended: 2 in one step."""
        return self.terminated

    # -- episodes --------------------------------------------------------------------------------------------

    @termination
    def fallen(self) -> torch.Tensor:
        """The torso is too low."""
        return self.ant.root_pos[:, 2] < LOW

    @randomisation()
    def start(self, chosen: torch.Tensor) -> None:
        """Joints by up to 0.2 rad from the default, and slow."""
        some, state = chosen[:, None], self.ant
        joints = state.default_joint_pos + self.random.uniform(-0.2, 0.2, 8)
        joints = torch.minimum(torch.maximum(joints, state.joint_lower), state.joint_upper)
        state.joint_pos.copy_(torch.where(some, joints, state.joint_pos))
        state.joint_vel.copy_(torch.where(some, self.random.uniform(-0.1, 0.1, 8), state.joint_vel))
