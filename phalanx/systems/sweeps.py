"""The constraint solver: temporal Gauss-Seidel on velocities, with warm start.

The phase ``sweep`` runs position_iterations times in a substep and, after the phase ``bounce``, velocity_iterations
times more; each of its systems goes over the rows of one sort. A position sweep stands for a part of the substep: it
makes the velocities satisfy all constraints, given how far the robot has moved in the sweeps before, and then moves it
by that part (Macklin et al., Small Steps in Physics Simulation, 2019, in the form PhysX calls TGS). Where the world's
solver is projected Gauss-Seidel (PGS), each stands for all of the substep, and only the last one moves the robot.
Penetration is pushed out by moving the robot alone, no faster than a cap: a push-out velocity, taken away again, leaves
a rest that lets boxes rock. The velocity sweeps that follow apply restitution and drop the push-out of limits.

Impulses act through precomputed responses: v += response * change. A constraint of your own is a system in the phase
``sweep`` with ``before="advance"`` that does the same to ``DofSolve.velocity``.
"""

from phalanx.components import ContactCount, Dof, DofSolve, Settings, Sweep, World
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
    done = min(sweep, position_sweeps)
    return done // position_sweeps if projected != 0 else done


@system(phase="solve")
def start_sweeps(
    lanes,
    nv=rows(Dof),
    count=read(ContactCount.current),
    index=write(Sweep.index),
    contacts=write(Sweep.contacts),
    displacement=write(DofSolve.displacement),
):
    """Nothing has moved yet."""
    for e in lanes:
        index[0, e] = 0
        contacts[0, e] = count[0, e]
    for d in spread(nv):
        for e in lanes:
            displacement[d, e] = 0.0


@system(over=Dof, phase="sweep")
def advance(
    d,
    e,
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    projected=read(Settings.projected),
    v=read(DofSolve.velocity),
    index=read(Sweep.index),
    displacement=update(DofSolve.displacement),
):
    """Move the robot by the part of the substep that a position sweep stands for, of PGS in the last one."""
    n = position_sweeps[0, e]
    sweep = index[0, e]
    if sweep + 1 == n or (sweep < n and projected[0, e] == 0):
        displacement[d, e] += v[d, e] * (h[0, e] / real(sweep_parts(projected[0, e], n)))


@system(over=World, phase="sweep", after="advance")
def count_sweeps(w, e, index=update(Sweep.index)):
    """One more sweep is done."""
    index[w, e] += 1
