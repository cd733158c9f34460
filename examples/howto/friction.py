"""A joint friction model of one's own: Stribeck's, which falls from static to Coulomb friction as the joint speeds up.

F(v) = F_c + (F_s - F_c) exp(-(v / v_s)^2), with Coulomb friction F_c, static friction F_s and Stribeck's speed v_s
(Armstrong-Hélouvry, Dupont, Canudas de Wit, "A survey of models, analysis tools and compensation methods for the
control of machines with friction", Automatica 30(7), 1994, section 2).
"""

from __future__ import annotations

import math

import numpy as np

import phalanx as px
from phalanx.components import Dof, DofModel, DofState
from phalanx.ecs import Component, Field, read, system, update
from phalanx.models.robot_model import Body, Joint, RobotModel


class Stribeck(Component, table=Dof):
    """Stribeck friction of joints; of those whose speed is 0 there is none, and their own friction stays."""

    coulomb = Field(unit="N m", doc="friction of the fast joint", role="parameter")
    static = Field(unit="N m", doc="friction of the joint at rest", role="parameter")
    speed = Field(unit="rad/s", doc="speed at which a factor e of what is above Coulomb's is gone", role="parameter")


@system(over=Dof, phase="actuate")
def stribeck_friction(
    d,
    e,
    velocity=read(DofState.velocity),
    coulomb=read(Stribeck.coulomb),
    static=read(Stribeck.static),
    speed=read(Stribeck.speed),
    friction=update(DofModel.friction),
):
    """Set the bound of the solver's friction, which acts against the motion and holds a joint at rest."""
    if speed[d, e] > 0.0:
        ratio = velocity[d, e] / speed[d, e]
        friction[d, e] = coulomb[d, e] + (static[d, e] - coulomb[d, e]) * math.exp(-ratio * ratio)


def add_stribeck(world: px.World) -> None:
    """List the model in a world; before it is built."""
    world.add_system(stribeck_friction)


def set_stribeck(robot: px.Robot, coulomb: float, static: float, speed: float) -> None:
    """Give all joints of a robot this friction, in all environments, N m and rad/s."""
    values = {Stribeck.coulomb: coulomb, Stribeck.static: static, Stribeck.speed: speed}
    for field, value in values.items():
        robot.world.live(field)[robot.joint_rows] = value
    robot.world.touch_state()


def wheel(inertia: float = 0.02) -> RobotModel:
    """A wheel on an axle."""
    bodies = [
        Body("base", 1.0, (0.0, 0.0, 0.0), np.eye(3)),
        Body("wheel", 1.0, (0.0, 0.0, 0.0), np.eye(3) * inertia),
    ]
    return RobotModel("wheel", bodies, [Joint("axle", "continuous", "base", "wheel", axis=(0.0, 0.0, 1.0))])


def main() -> None:
    world = px.World(num_envs=3, dt=0.001)
    robot = world.add_robot(wheel(), fixed_base=True)
    add_stribeck(world)
    world.build()
    set_stribeck(robot, coulomb=0.02, static=0.05, speed=1.0)
    robot.set_joint_state(vel=[[2.0], [4.0], [6.0]])
    print("time s   speeds of three wheels, rad/s")
    while world.time < 4.0:
        world.step(500)
        print(f"{world.time:6.1f}   " + "  ".join(f"{v:6.3f}" for v in robot.joint_vel[:, 0]))


if __name__ == "__main__":
    main()
