"""A component and two systems of one's own: quadrupeds run on batteries, and go limp when theirs is empty.

Nothing here is part of the package. A component says what is stored, a system says in its signature what it reads and
writes, and the schedule finds the place for both between the engine's own.
"""

from __future__ import annotations

import argparse

import numpy as np

import phalanx as px
from phalanx.components import Dof, DofSolve, Drive, DriveEffort, Settings, World
from phalanx.ecs import Component, Field, read, rows, system, update
from phalanx.io.formats import library

HEAT = 0.15  # W per (N m)^2: what motors lose in their windings, moving or not


class Battery(Component, table=World):
    """One battery per robot; the world table has one row in each environment."""

    charge = Field(unit="J", doc="energy left", role="state")


@system(phase="integrate")
def draw_power(
    lanes,
    nv=rows(Dof),
    h=read(Settings.timestep),
    effort=read(DriveEffort.applied),
    velocity=read(DofSolve.velocity),
    charge=update(Battery.charge),
):
    """Mechanical power, which is not won back, and heat. Lanes are environments that go in step."""
    for d in range(nv):
        for e in lanes:
            power = max(effort[d, e] * velocity[d, e], 0.0) + HEAT * effort[d, e] * effort[d, e]
            charge[0, e] = max(charge[0, e] - h[0, e] * power, 0.0)


@system(over=Dof, phase="actuate")
def cut_power(d, e, charge=read(Battery.charge), stiffness=update(Drive.stiffness), damping=update(Drive.damping)):
    """An empty battery drives nothing; a little damping stays."""
    if charge[0, e] <= 0.0:
        stiffness[d, e] = 0.0
        damping[d, e] = 0.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--num-envs", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=4.0)
    options = parser.parse_args()

    world = px.World(num_envs=options.num_envs)
    world.add_ground()
    robot = world.add_robot("quadruped")
    world.add_system(draw_power)
    world.add_system(cut_power)
    print("Where the schedule put them:")
    world.build()
    for phase in ("actuate", "integrate"):
        print(f"  {phase}: {' > '.join(s.name for s in world.schedule.phase(phase))}")

    robot.set_drive(*library.defaults("quadruped").gains(robot.joint_names))
    full = np.linspace(20.0, 160.0, options.num_envs)
    world[Battery].charge = full[None, :]

    empty_at = np.full(options.num_envs, np.nan)
    while world.time < options.seconds:
        world.step(10)
        empty = world[Battery].charge[0] <= 0
        empty_at = np.where(empty & np.isnan(empty_at), world.time, empty_at)

    print(f"\nAfter {world.time:.1f} s:\n  battery   left   empty at   height")
    for i, height in enumerate(robot.root_pose[:, 2]):
        left = world[Battery].charge[0, i]
        when = "  never  " if np.isnan(empty_at[i]) else f"{empty_at[i]:6.2f} s "
        print(f"  {full[i]:5.0f} J  {left:4.0f} J   {when}  {height:5.2f} m  {'stands' if height > 0.2 else 'lies'}")


if __name__ == "__main__":
    main()
