"""The constraint solver: temporal Gauss-Seidel on velocities, with warm start.

The phase ``sweep`` runs position_iterations times in a substep and, after the phase ``bounce``, velocity_iterations
times more; each of its systems goes over the rows of one sort. A position sweep stands for a part of the substep: it
makes the velocities satisfy all constraints, given how far the robot has moved in the sweeps before, and then moves it
by that part (Macklin et al., Small Steps in Physics Simulation, 2019, in the form PhysX calls TGS). Where the world's
solver is projected Gauss-Seidel (PGS), each stands for all of the substep, and only the last one moves the robot.
Penetration is pushed out by moving the robot alone, no faster than a cap: a push-out velocity, taken away again, leaves
a rest that lets boxes rock. The velocity sweeps that follow apply restitution and drop the push-out of limits.

Forces and impulses change decoupled velocities, u = L v for the mass matrix L^T D L (Featherstone, Rigid Body Dynamics
Algorithms, 2008, section 6.5), since their inertia D is diagonal: a constraint with Jacobian J has the velocity
J v0 + G u, where v0 is that at the start of the substep, u what has been added since, and G = J L^-1; an impulse p on
it does u += D^-1 G^T p. What becomes of v follows at the end. A constraint of your own is a system in the phase
``sweep`` with ``before="advance"`` that does so to ``DofGain.velocity``; the tendons' is a short example.
"""

from phalanx.components import (
    ContactCount,
    Dof,
    DofGain,
    DofSolve,
    DofState,
    DofTopology,
    MassFactor,
    MassTopology,
    Settings,
    Sweep,
)
from phalanx.ecs import function, read, real, rows, spread, system, update, write

CORRECTION = 0.3
"""Share of a remaining position error that a position sweep takes out."""


@function
def sweep_parts(projected, position_sweeps):
    """How many parts of a substep position sweeps stand for: one each, or all for the same whole."""
    return 1 if projected != 0 else position_sweeps


@function
def parts_gone(projected, position_sweeps, sweep):
    """How many of these parts the bodies have moved by."""
    done = max(min(sweep, position_sweeps), 0)
    return done // position_sweeps if projected != 0 else done


@system(phase="solve")
def start_sweeps(
    lanes,
    nv=rows(Dof),
    count=read(ContactCount.current),
    index=write(Sweep.index),
    contacts=write(Sweep.contacts),
    displacement=write(DofGain.displacement),
):
    """Nothing has moved yet."""
    for e in lanes:
        index[0, e] = 0
        contacts[0, e] = count[0, e]
    for d in spread(nv):
        for e in lanes:
            displacement[d, e] = 0.0


@system(phase="sweep")
def advance(
    lanes,
    nv=rows(Dof),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    projected=read(Settings.projected),
    velocity=read(DofGain.velocity),
    index=update(Sweep.index),
    displacement=update(DofGain.displacement),
):
    """Move the robot by the part of the substep that a position sweep stands for, of PGS in the last one; count it."""
    moving = position_sweeps[0, 0]
    parts = sweep_parts(projected[0, 0], moving)
    for d in spread(nv):
        for e in lanes:
            sweep = index[0, e]
            moves = sweep + 1 == moving or (sweep < moving and projected[0, 0] == 0)
            displacement[d, e] += velocity[d, e] * (h[0, e] / real(parts)) if moves else 0.0
    for e in lanes:
        index[0, e] += 1


@system(phase="recouple")
def recouple(
    lanes,
    nv=rows(Dof),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    factor=read(MassFactor.value),
    h=read(Settings.timestep),
    gained=update(DofGain.velocity),
    moved=update(DofGain.displacement),
    before=read(DofState.velocity),
    velocity=write(DofSolve.velocity),
    displacement=write(DofSolve.displacement),
):
    """Velocities and displacements of the dofs, from the velocity at the start and what has been added."""
    for d in range(nv):
        start = chain[d, 0]
        for s in spread(1, depth[d, 0]):
            a = column[start + s, 0]
            for e in lanes:
                gained[d, e] -= factor[start + s, e] * gained[a, e]
                moved[d, e] -= factor[start + s, e] * moved[a, e]
    for d in spread(nv):
        for e in lanes:
            displacement[d, e] = h[0, e] * before[d, e] + moved[d, e]
            velocity[d, e] = before[d, e] + gained[d, e]
