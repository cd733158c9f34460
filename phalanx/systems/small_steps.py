"""The solver's sweeps as small steps, for :mod:`phalanx.systems.sweeps` in worlds of loose bodies.

Where anything touches, a position sweep has only its part of the substep's free motion and of the impulses: n sweeps
are n small steps, each of which starts from what the one before gave, but they share collision detection and responses
(docs/decisions/0011-things-stand.md). Responses are those of one sweep; impulses stay on the scale of the substep. A
constraint of your own scales what it computes from the mass matrix by ``Sweep.share``.
"""

from phalanx.components import ContactCount, Dof, DofModel, DofSolve, DofState, Settings, Sweep
from phalanx.ecs import read, real, rows, spread, system, update, write
from phalanx.systems.sweeps import count_sweeps as count_sweeps  # these steps are counted, too
from phalanx.systems.sweeps import sweep_parts


@system(phase="rows")
def share_out(
    lanes,
    position_sweeps=read(Settings.position_iterations),
    projected=read(Settings.projected),
    count=read(ContactCount.current),
    share=write(Sweep.share),
):
    """Where nothing touches, all acts from the first sweep on: free motion stays semi-implicit Euler."""
    part = 1.0 / real(sweep_parts(projected[0, 0], position_sweeps[0, 0]))
    for e in lanes:
        share[0, e] = part if count[0, e] > 0 else 1.0


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
    displacement=write(DofSolve.displacement),
):
    """Take the first sweep's part of what the velocity gains without constraints."""
    for e in lanes:
        index[0, e] = 0
    for d in spread(nv):
        for e in lanes:
            at_once = prescribed[d, e] != 0 or share[0, e] == 1.0
            gain = 0.0 if at_once else share[0, e] * (v[d, e] - qd[d, e])
            u = v[d, e] if at_once else qd[d, e] + gain
            free[d, e] = gain
            v[d, e] = u
            begin[d, e] = u
            push[d, e] = 0.0
            displacement[d, e] = 0.0


@system(over=Dof, phase="solve")
def note_steady_gain(
    d,
    e,
    share=read(Sweep.share),
    prescribed=read(DofModel.prescribed),
    qd=read(DofState.velocity),
    v=read(DofSolve.velocity),
    steady=write(DofSolve.steady),
):
    """What a substep would gain if the impulses stayed as they start; after all warm starts, since it only reads."""
    at_once = prescribed[d, e] != 0 or share[0, e] == 1.0
    steady[d, e] = 0.0 if at_once else (v[d, e] - qd[d, e]) / share[0, e]


@system(over=Dof, phase="sweep")
def advance(
    d,
    e,
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    projected=read(Settings.projected),
    share=read(Sweep.share),
    free=read(DofSolve.free),
    steady=read(DofSolve.steady),
    qd=read(DofState.velocity),
    index=read(Sweep.index),
    v=update(DofSolve.velocity),
    begin=update(DofSolve.begin),
    push=update(DofSolve.push),
    displacement=update(DofSolve.displacement),
):
    """Move by the part of the substep that a position sweep stands for, and take up what the next one begins with.

    A velocity that grows from sweep to sweep leaves the position behind semi-implicit Euler's, by which springs would
    gain energy. The last position sweep makes up for it, as far as the gain is one that the substep began with.
    """
    n = position_sweeps[0, e]
    part = 1.0 / real(sweep_parts(projected[0, e], n))
    sweep = index[0, e]
    last = sweep + 1 == n
    behind = 0.5 * real(n - 1) * part if last else 0.0
    if last or (sweep < n and projected[0, e] == 0):
        u = v[d, e]
        even = min(max(u - qd[d, e], min(steady[d, e], 0.0)), max(steady[d, e], 0.0))
        displacement[d, e] += u * (h[0, e] * part) + even * (h[0, e] * behind)
        gain = push[d, e] + (u - begin[d, e])
        push[d, e] = gain
        u = u if last or share[0, e] == 1.0 else u + (free[d, e] + gain)
        v[d, e] = u
        begin[d, e] = u
