"""Springs in joints: implicit, so that they are stable at any stiffness."""

from phalanx.components import (
    Coordinate,
    Dof,
    DofForce,
    DofSolve,
    DofSpring,
    DofState,
    DofTopology,
    Settings,
)
from phalanx.ecs import read, system, update


@system(over=Dof, phase="factorize")
def stiffen_springs(
    d,
    e,
    h=read(Settings.timestep),
    coord=read(DofTopology.coord),
    stiffness=read(DofSpring.stiffness),
    implicit=update(DofSolve.implicit),
):
    """h^2 k enters the mass matrix. Not with the efforts, which it would wait for."""
    if coord[d, e] >= 0:
        implicit[d, e] += h[0, e] * (h[0, e] * stiffness[d, e])


@system(over=Dof, phase="factorize")
def pull_springs(
    d,
    e,
    h=read(Settings.timestep),
    coord=read(DofTopology.coord),
    q=read(Coordinate.value),
    qd=read(DofState.velocity),
    stiffness=read(DofSpring.stiffness),
    rest=read(DofSpring.rest),
    pushed=update(DofForce.pushed),
):
    """effort = k (rest - q - h v'), with v' at the end of the substep."""
    c = coord[d, e]
    if c < 0:
        return
    pushed[d, e] += stiffness[d, e] * (rest[d, e] - q[c, e]) - h[0, e] * stiffness[d, e] * qd[d, e]
