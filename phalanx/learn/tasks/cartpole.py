"""A pole on a cart is kept upright by a force on the cart."""

from __future__ import annotations

import math

import torch

from phalanx.learn.declare import action, observation, randomisation, reward, termination
from phalanx.learn.environment import Environment
from phalanx.world.world import World

FORCE = 10.0
"""N at an action of 1: the most that the cart's drive gives (Barto, Sutton and Anderson, 1983)."""

EDGE = 2.3
"""m from the middle; the rail ends at 2.4."""


class Cartpole(Environment):
    """An episode ends when the pole is horizontal or the cart is at the rail's end."""

    dt = 1.0 / 120.0
    decimation = 2
    episode_seconds = 5.0

    def setup(self, world: World) -> None:
        """A rail with a cart."""
        self.robot = world.add_robot("cartpole")

    def prepare(self) -> None:
        """Joints are the slider and the hinge."""
        self.cart = self.robot_state(self.robot)

    @action(size=1)
    def push(self, actions: torch.Tensor) -> None:
        """Force on the cart."""
        self.cart.effort_target[:, :1] = FORCE * actions.clamp(-1.0, 1.0)

    @observation()
    def joints(self) -> torch.Tensor:
        """Where the cart and the pole are, m and rad, and how fast."""
        return torch.cat((self.cart.joint_pos, self.cart.joint_vel), dim=1)

    @reward(weight=1.0)
    def alive(self) -> torch.Tensor:
        """The episode goes on."""
        return ~self.terminated

    @reward(weight=-2.0 / (2.0 / 120.0))
    def lost(self) -> torch.Tensor:
        """It has ended: 2 in one step."""
        return self.terminated

    @reward(weight=-1.0)
    def tilt(self) -> torch.Tensor:
        """Square of the pole's angle."""
        return self.cart.joint_pos[:, 1] ** 2

    @reward(weight=-0.01)
    def cart_speed(self) -> torch.Tensor:
        """The cart should be slow."""
        return self.cart.joint_vel[:, 0].abs()

    @reward(weight=-0.005)
    def pole_speed(self) -> torch.Tensor:
        """So should the pole."""
        return self.cart.joint_vel[:, 1].abs()

    @termination
    def at_the_edge(self) -> torch.Tensor:
        """The cart is at the rail's end."""
        return self.cart.joint_pos[:, 0].abs() > EDGE

    @termination
    def fallen(self) -> torch.Tensor:
        """The pole is horizontal."""
        return self.cart.joint_pos[:, 1].abs() > 0.5 * math.pi

    @randomisation()
    def start(self, chosen: torch.Tensor) -> None:
        """The cart within 1 m of the middle, the pole within 0.5 rad of upright."""
        place = torch.cat((self.random.uniform(-1.0, 1.0, 1), self.random.uniform(-0.5, 0.5, 1)), dim=1)
        self.cart.joint_pos.copy_(torch.where(chosen[:, None], place, self.cart.joint_pos))
