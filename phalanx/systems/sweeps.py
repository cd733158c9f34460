"""The constraint solver: temporal Gauss-Seidel on velocities, with warm start.

The phase ``sweep`` runs position_iterations + velocity_iterations times in a substep; each of its systems goes over the
rows of one sort. A position sweep stands for a part of the substep: it makes the velocities satisfy all constraints,
given how far the robot has moved in the sweeps before, and then moves it by that part (Macklin et al., Small Steps in
Physics Simulation, 2019, in the form PhysX calls TGS). Penetration is pushed out by moving the robot alone, no faster
than a cap: a push-out velocity, taken away again, leaves a rest that lets boxes rock. The velocity sweeps that follow
apply restitution and drop the push-out of limits.

Where loose bodies touch each other, a position sweep also has only its part of the substep's free motion and of the
impulses: n sweeps are n small steps, each of which starts from what the one before gave, but they share their
collision detection and responses. Robots and jointed bodies get all at once (docs/decisions/0011-things-stand.md).

Impulses act through precomputed responses, which are those of one sweep: v += response * change. A constraint of your
own is a system in the phase ``sweep`` with ``before="advance"`` that does the same to ``DofSolve.velocity``; scale what
you compute from the mass matrix by ``Sweep.share``. Its impulses are on the scale of the whole substep.
"""

from phalanx.components import ContactCount, Dof, DofModel, DofSolve, DofState, DofTopology, Settings, Sweep
from phalanx.ecs import read, real, rows, system, update, write

CORRECTION = 0.3
"""Share of a remaining position error that a position sweep takes out."""


@system(phase="rows")
def share_out(
    lanes,
    position_sweeps=read(Settings.position_iterations),
    count=read(ContactCount.current),
    share=write(Sweep.share),
):
    """Where anything touches, each sweep has its part of all forces; elsewhere all act from the first sweep on."""
    part = 1.0 / real(position_sweeps[0, 0])
    for e in lanes:
        share[0, e] = part if count[0, e] > 0 else 1.0


@system(phase="rows")
def all_at_once(lanes, share=write(Sweep.share)):
    """Instead of ``share_out`` in worlds where bodies meet planes only, or are joined."""
    for e in lanes:
        share[0, e] = 1.0


@system(phase="solve")
def start_sweeps(
    lanes,
    nv=rows(Dof),
    share=read(Sweep.share),
    prescribed=read(DofModel.prescribed),
    qd=read(DofState.velocity),
    index=write(Sweep.index),
    v=update(DofSolve.velocity),
    free=write(DofSolve.free),
    begin=write(DofSolve.begin),
    push=write(DofSolve.push),
):
    """Take the first sweep's part of what the velocity gains without constraints."""
    for e in lanes:
        index[0, e] = 0
    for d in range(nv):
        for e in lanes:
            at_once = prescribed[d, e] != 0 or share[0, e] == 1.0
            gain = 0.0 if at_once else share[0, e] * (v[d, e] - qd[d, e])
            u = v[d, e] if at_once else qd[d, e] + gain
            free[d, e] = gain
            v[d, e] = u
            begin[d, e] = u
            push[d, e] = 0.0


@system(over=Dof, phase="begin")
def begin_sweeps(
    d,
    e,
    prescribed=read(DofModel.prescribed),
    qd=read(DofState.velocity),
    v=read(DofSolve.velocity),
    steady=write(DofSolve.steady),
    displacement=write(DofSolve.displacement),
):
    """Note what a sweep gains if the impulses stay as they are."""
    steady[d, e] = 0.0 if prescribed[d, e] != 0 else v[d, e] - qd[d, e]
    displacement[d, e] = 0.0


@system(phase="sweep")
def advance(
    lanes,
    nv=rows(Dof),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    scalar=read(DofTopology.scalar),
    share=read(Sweep.share),
    free=read(DofSolve.free),
    steady=read(DofSolve.steady),
    qd=read(DofState.velocity),
    index=update(Sweep.index),
    v=update(DofSolve.velocity),
    begin=update(DofSolve.begin),
    push=update(DofSolve.push),
    displacement=update(DofSolve.displacement),
):
    """Move by the part of the substep that a position sweep stands for, and take up what the next one begins with."""
    n = position_sweeps[0, 0]
    part = 1.0 / real(n)
    sweep = 0
    for e in lanes:
        sweep = index[0, e]
        index[0, e] = sweep + 1
    wanting = 0.5 * real(n - 1) * part if sweep + 1 == n else 0.0
    if sweep < n:
        for d in range(nv):
            joint = scalar[d, 0] == 1
            for e in lanes:
                u = v[d, e]
                spread = share[0, e] < 1.0
                gain = u - qd[d, e]
                even = real(n) * steady[d, e]
                even = gain if joint else min(max(gain, min(even, 0.0)), max(even, 0.0))
                even = even if spread else 0.0
                displacement[d, e] += u * (h[0, e] * part) + even * (h[0, e] * wanting)
                gain = push[d, e] + (u - begin[d, e])
                push[d, e] = gain
                u = u + (free[d, e] + gain) if spread and sweep + 1 < n else u
                v[d, e] = u
                begin[d, e] = u
