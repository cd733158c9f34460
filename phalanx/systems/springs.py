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


@system(over=Dof, phase="factorize", before="implicit_mass")
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
    implicit=update(DofSolve.implicit),
):
    """effort = k (rest - q - h v'), with v' at the end of the substep: h^2 k enters the mass matrix."""
    c = coord[d, e]
    if c < 0:
        return
    rate = h[0, e] * stiffness[d, e]
    pushed[d, e] += stiffness[d, e] * (rest[d, e] - q[c, e]) - rate * qd[d, e]
    implicit[d, e] += h[0, e] * rate
