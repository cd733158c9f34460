"""A quadruped walks as commanded: speed ahead, to the side, and of turning.

Rewards are those of Rudin et al. (2022), "Learning to walk in minutes using massively parallel deep reinforcement
learning", with weights for a robot of 13 kg.
"""

from __future__ import annotations

import torch

from phalanx.learn.commands import Command, columns
from phalanx.learn.declare import action, observation, randomisation, reward, termination
from phalanx.learn.environment import Environment
from phalanx.learn.rotations import from_yaw
from phalanx.learn.rows import row_norm, row_sum
from phalanx.world.world import World

FEET = ("FL_foot", "FR_foot", "RL_foot", "RR_foot")
TRUNK = ("base",)
THIGHS = ("FL_thigh", "FR_thigh", "RL_thigh", "RR_thigh", "FL_calf", "FR_calf", "RL_calf", "RR_calf")
COMMANDS = ((-1.0, 1.0), (-0.5, 0.5), (-1.0, 1.0))
"""Ranges of commands: m/s along x and y of the trunk, rad/s about its z."""
STANDING = 0.1
"""Share of the commands that are to stand still."""
STRIDE = 0.25
"""rad from the nominal pose at an action of 1."""
SHARPNESS = 4.0
"""1 / (m/s)^2: a deviation of 0.5 m/s has 1/e of the reward."""
TOUCH = 1.0
"""N: a foot that bears less is in the air."""
SWING = 0.2
"""s: steps are rewarded for how much longer they take, up to 0.3 s more."""


class QuadrupedFlat(Environment):
    """On flat ground; an episode ends when the trunk touches it."""

    dt = 0.005
    decimation = 4
    episode_seconds = 20.0

    def setup(self, world: World) -> None:
        """The quadruped that ships with Phalanx, in its nominal pose."""
        self.add_terrain(world)
        self.robot = world.add_robot("quadruped")

    def add_terrain(self, world: World) -> None:
        """What it walks on."""
        world.add_ground(friction=1.0)

    def prepare(self) -> None:
        """Drives as of a real robot of that size."""
        self.robot.set_drive(stiffness=50.0, damping=1.2)
        self.dog = self.robot_state(self.robot)
        self.command = self.buffer(3)
        self.air_time = self.buffer(4)
        self.swung = self.buffer(4)
        self.feet, self.thighs, self.trunk = (self.dog.bodies(*some) for some in (FEET, THIGHS, TRUNK))

    def commands(self) -> list[Command]:
        """Speeds of the trunk."""
        return columns(self.command, ("Ahead (m/s)", "Left (m/s)", "Turn (rad/s)"), COMMANDS)

    @action(size=12)
    def legs(self, actions: torch.Tensor) -> None:
        """Targets of the joints, from the nominal pose."""
        self.dog.pos_target.copy_(self.dog.default_joint_pos + STRIDE * actions.clamp(-6.0, 6.0))

    # -- observations ----------------------------------------------------------------------------------------

    @observation(scale=2.0, noise=0.1)
    def linear_velocity(self) -> torch.Tensor:
        """Of the trunk, in its own axes, m/s."""
        return self.dog.root_lin_vel_b

    @observation(scale=0.25, noise=0.2)
    def angular_velocity(self) -> torch.Tensor:
        """Of the trunk, in its own axes, rad/s."""
        return self.dog.root_ang_vel_b

    @observation(noise=0.05)
    def gravity(self) -> torch.Tensor:
        """Its direction in the trunk's axes."""
        return self.dog.projected_gravity

    @observation()
    def commanded(self) -> torch.Tensor:
        """The command."""
        return self.command

    @observation(noise=0.01)
    def joint_angles(self) -> torch.Tensor:
        """From the nominal pose, rad."""
        return self.dog.joint_pos - self.dog.default_joint_pos

    @observation(scale=0.05, noise=1.5)
    def joint_speeds(self) -> torch.Tensor:
        """rad/s."""
        return self.dog.joint_vel

    @observation()
    def action_before(self) -> torch.Tensor:
        """The last action."""
        return self.actions

    # -- rewards ---------------------------------------------------------------------------------------------

    @reward(weight=1.5)
    def follows_speed(self) -> torch.Tensor:
        """Linear velocity as commanded."""
        off = row_sum((self.command[:, :2] - self.dog.root_lin_vel_b[:, :2]) ** 2)
        return torch.exp(-SHARPNESS * off)

    @reward(weight=0.75)
    def follows_turn(self) -> torch.Tensor:
        """Speed of turning as commanded."""
        return torch.exp(-SHARPNESS * (self.command[:, 2] - self.dog.root_ang_vel_b[:, 2]) ** 2)

    @reward(weight=-2.0)
    def bounces(self) -> torch.Tensor:
        """Square of the trunk's vertical speed."""
        return self.dog.root_lin_vel_b[:, 2] ** 2

    @reward(weight=-0.05)
    def sways(self) -> torch.Tensor:
        """Squares of its speeds of roll and pitch."""
        return row_sum(self.dog.root_ang_vel_b[:, :2] ** 2)

    @reward(weight=-2.5)
    def leans(self) -> torch.Tensor:
        """Squares of the sines of roll and pitch."""
        return row_sum(self.dog.projected_gravity[:, :2] ** 2)

    @reward(weight=-2e-4)
    def effort(self) -> torch.Tensor:
        """Squares of what drives give, (N m)^2."""
        return row_sum(self.dog.applied_effort**2)

    @reward(weight=-2.5e-7)
    def acceleration(self) -> torch.Tensor:
        """Squares of the joints' accelerations, (rad/s^2)^2."""
        return row_sum(self.dog.joint_acc**2)

    @reward(weight=-0.01)
    def jerks(self) -> torch.Tensor:
        """Squares of the actions' changes."""
        return row_sum((self.actions - self.last_actions) ** 2)

    @reward(weight=0.1)
    def strides(self) -> torch.Tensor:
        """When a foot comes down, how long it was in the air beyond :data:`SWING`, if the robot is to move."""
        down = self.dog.contact_force[:, self.feet, 2] > TOUCH
        self.swung.copy_(self.air_time * down)
        self.air_time.add_(self.step_seconds).masked_fill_(down, 0.0)
        landed = (self.swung > 0.0) * (self.swung - SWING).clamp(max=0.3)
        moves = row_norm(self.command) > 0.1
        return row_sum(landed) * moves / self.step_seconds

    @reward(weight=-1.0)
    def stumbles(self) -> torch.Tensor:
        """Legs that touch something above their feet."""
        force = row_norm(self.dog.contact_force[:, self.thighs])
        return (force > TOUCH).sum(dim=1)

    @reward(weight=-0.2)
    def stands_still(self) -> torch.Tensor:
        """Joints off the nominal pose while the command is to stand, rad."""
        still = row_norm(self.command) < 0.1
        return row_sum((self.dog.joint_pos - self.dog.default_joint_pos).abs()) * still

    # -- episodes --------------------------------------------------------------------------------------------

    @termination
    def trunk_touches(self) -> torch.Tensor:
        """The trunk touches something."""
        force = row_norm(self.dog.contact_force[:, self.trunk])
        return (force > TOUCH).any(dim=1)

    @termination
    def turned_over(self) -> torch.Tensor:
        """The trunk leans by more than 70 degrees."""
        return self.dog.projected_gravity[:, 2] > -0.34

    @randomisation()
    def start(self, chosen: torch.Tensor) -> None:
        """Any heading, joints near the nominal pose, moving slowly."""
        some, dog = chosen[:, None], self.dog
        heading = from_yaw(self.random.uniform(-torch.pi, torch.pi, 1)[:, 0])
        dog.root_quat.copy_(torch.where(some, heading, dog.root_quat))
        joints = dog.default_joint_pos * self.random.uniform(0.9, 1.1, 12)
        dog.joint_pos.copy_(torch.where(some, joints, dog.joint_pos))
        dog.root_vel.copy_(torch.where(some, self.random.uniform(-0.3, 0.3, 6), dog.root_vel))
        self.air_time.masked_fill_(some, 0.0)

    @randomisation(every=10.0)
    def new_command(self, chosen: torch.Tensor) -> None:
        """A command, of which some are to stand."""
        drawn = torch.cat([self.random.uniform(low, high, 1) for low, high in COMMANDS], dim=1)
        drawn = drawn * (self.random.uniform(0.0, 1.0, 1) >= STANDING)
        self.command.copy_(torch.where(chosen[:, None], drawn, self.command))

    @randomisation(every=7.0, at_reset=False)
    def shove(self, chosen: torch.Tensor) -> None:
        """The trunk's speed changes by up to 0.5 m/s."""
        pushed = self.dog.root_vel[:, :2] + self.random.uniform(-0.5, 0.5, 2)
        self.dog.root_vel[:, :2] = torch.where(chosen[:, None], pushed, self.dog.root_vel[:, :2])
