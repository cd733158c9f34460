"""A sensor of one's own: the work that the drives of each joint have done, J, and the power of the last step, W.

It measures within steps, in every environment at once, on whatever device the world is on.
"""

from __future__ import annotations

import numpy as np

import phalanx as px
from phalanx.components import Dof, DofSolve, DriveEffort, Settings
from phalanx.ecs import Component, Field, read, system, update, write
from phalanx.models.robot_model import Body, Joint, RobotModel


class Work(Component, table=Dof):
    """What the drives of joints do. Its role says that the work is saved and recorded, and power is not."""

    done = Field(unit="J", doc="work since the last reset", role="state")
    power = Field(unit="W", doc="mean power of the last substep")


@system(over=Dof, phase="integrate")
def measure_work(
    d,
    e,
    h=read(Settings.timestep),
    effort=read(DriveEffort.applied),
    velocity=read(DofSolve.velocity),
    done=update(Work.done),
    power=write(Work.power),
):
    """Effort times speed; ``h`` is the length of a substep."""
    power[d, e] = effort[d, e] * velocity[d, e]
    done[d, e] += h[0, e] * power[d, e]


class WorkSensor:
    """Reads the work of a robot's joints; make it before the world is built.

    Args:
        robot: whose joints are measured.
    """

    def __init__(self, robot: px.Robot) -> None:
        self.robot = robot
        if measure_work not in robot.world.schedule.systems():
            robot.world.add_system(measure_work)

    @property
    def work(self) -> np.ndarray:
        """(n, num_dof), J."""
        return self.robot.world.live(Work.done)[self.robot.joint_rows].T.copy()

    @property
    def power(self) -> np.ndarray:
        """(n, num_dof), W."""
        return self.robot.world.live(Work.power)[self.robot.joint_rows].T.copy()

    def reset(self, env_ids: object = None) -> None:
        """Begin at 0 again in some environments; all by default."""
        envs = self.robot.world.env_indices(env_ids)
        self.robot.world.live(Work.done)[self.robot.joint_rows, envs] = 0.0
        self.robot.world.touch_state()


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
    sensor = WorkSensor(robot)
    robot.set_targets(effort=[[0.01], [0.02], [0.04]])
    world.step(1000)
    kinetic = 0.5 * 0.02 * robot.joint_vel[:, 0] ** 2
    print("work of the drives, J:  ", "  ".join(f"{w:.5f}" for w in sensor.work[:, 0]))
    print("energy of the wheels, J:", "  ".join(f"{e:.5f}" for e in kinetic))
    print("power now, W:           ", "  ".join(f"{p:.5f}" for p in sensor.power[:, 0]))


if __name__ == "__main__":
    main()
