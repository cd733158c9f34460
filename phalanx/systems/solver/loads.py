"""Who carries what: the contact impulses that the solver's sweeps start from, in worlds of loose bodies.

Gauss-Seidel hands a load on from contact to contact: it takes as many sweeps as the ratio of the masses, or the square
of a tower's height. So before the sweeps that move bodies, some are made that do not, and after each the energy
v . M v / 2 is minimised over the plane of what the sweep has changed and of the last step: locally optimal conjugate
gradients (Knyazev, Toward the Optimal Preconditioned Eigensolver, 2001), for impulses, preconditioned by a sweep.
Contacts that a sweep has let go of do not go along, friction of those that slide follows the normal impulse, and what a
step takes out of the bounds is put back on them, so that each sweep starts from impulses that are possible.

Steps are those of an island, bodies that contacts tie together: one for all would be too far for most. An island in
which a sweep hardly changes anything is left as it is from then on, and an environment in which all are known: bodies
at rest cost one sweep.
"""

from collections.abc import Iterable

from phalanx.components import (
    Contact,
    ContactBlock,
    ContactCount,
    ContactDof,
    ContactImpulse,
    ContactJacobian,
    ContactMotion,
    ContactRow,
    ContactSearch,
    ContactSurface,
    Dof,
    DofGain,
    DofSearch,
    DofSolve,
    Scratch,
    Settings,
    Sweep,
    Tree,
    TreeSearch,
    TreeTopology,
)
from phalanx.ecs import System, read, real, rows, spread, system, update, write
from phalanx.systems.solver.islands.tied_bodies import find_islands
from phalanx.systems.solver.load_steps import ENOUGH, at_bound, cut_loads, hold_at_bounds, step_loads, swept_velocities

SWEEPS = 16
"""Most sweeps in a substep that look for loads."""

PRESSED = "leave_what_is_pressed"
"""What tells islands for which none are sought, in worlds that have kinematic bodies."""


@system(phase="load")
def look_for_loads(
    lanes,
    nv=rows(Dof),
    count=read(ContactCount.current),
    last=read(ContactImpulse.last),
    u=read(DofGain.velocity),
    projected=read(Settings.projected),
    index=write(Sweep.index),
    contacts=write(Sweep.contacts),
    stepped=write(Sweep.stepped),
    begin=write(ContactSearch.begin),
    start=write(ContactSearch.start),
    step=write(ContactSearch.step),
    dof_begin=write(DofSearch.begin),
    dof_start=write(DofSearch.start),
    dof_step=write(DofSearch.step),
):
    """Start from the loads of the substep before; worlds that want projected Gauss-Seidel have it and nothing else."""
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
        index[0, e] = -1 - SWEEPS  # below -1 sweeps push nothing out
        stepped[0, e] = 0
        contacts[0, e] = count[0, e] if projected[0, 0] == 0 else 0
    for c in spread(most):
        for r in range(3):
            for e in lanes:
                x = last[c, r, e]
                begin[c, r, e] = x
                start[c, r, e] = x
                step[c, r, e] = 0.0
    for d in spread(nv):
        for e in lanes:
            x = u[d, e]
            dof_begin[d, e] = x
            dof_start[d, e] = x
            dof_step[d, e] = 0.0


@system(phase="load")
def judge_sweep(
    lanes,
    trees=rows(Tree),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    index=read(Sweep.index),
    contacts=read(Sweep.contacts),
    static=read(ContactSurface.static_friction),
    dynamic=read(ContactSurface.dynamic_friction),
    member=read(ContactMotion.member),
    block=read(ContactBlock.normal),
    first_dof=read(TreeTopology.first_dof),
    end_dof=read(TreeTopology.end_dof),
    root=read(TreeSearch.island),
    dof_start=read(DofSearch.start),
    u=update(DofGain.velocity),
    impulse=update(ContactImpulse.last),
    total=update(ContactImpulse.value),
    start=read(ContactSearch.start),
    step=read(ContactSearch.step),
    held=write(ContactSearch.held),
    island=read(ContactSearch.island),
    of_island=update(TreeSearch.sum),
    known=update(TreeSearch.known),
    sought=update(Scratch.sought),
):
    """Where the sweep has hardly changed anything, and which contacts it has let go of or let slide.

    Islands whose loads are known stay as they are, to the bit, however long others of the environment are sought.
    """
    most = 0
    for e in lanes:
        most = max(most, contacts[0, e])
        sought[0, e] = 0
    for t in spread(trees if most > 0 else 0):
        for e in lanes:
            of_island[t, 7, e] = 0.0
        for d in range(first_dof[t, 0], end_dof[t, 0]):
            for e in lanes:
                if contacts[0, e] > 0 and known[root[t, e], e] > 0:
                    u[d, e] = dof_start[d, e]
    for c in range(most):
        for e in lanes:
            here = c < contacts[0, e]
            if here and known[island[c, e], e] > 0:
                for r in range(3):
                    impulse[c, r, e] = start[c, r, e]
                    total[c, r, e] = start[c, r, e]
            n, t1, t2 = impulse[c, 0, e], impulse[c, 1, e], impulse[c, 2, e]
            d0, d1, d2 = n - start[c, 0, e], t1 - start[c, 1, e], t2 - start[c, 2, e]
            asks = block[c, member[c, e], e] * d0 if here else 0.0
            of_island[island[c, e] if here else 0, 7, e] += asks * asks
            apart = here and n <= 0.0 and (d0 != 0.0 or step[c, 0, e] != 0.0)
            slides = here and at_bound(n, t1, t2, static[c, e], dynamic[c, e])
            slides = slides and (d1 != 0.0 or d2 != 0.0 or step[c, 1, e] != 0.0 or step[c, 2, e] != 0.0)
            held[c, e] = (1 if apart else 0) + (2 if slides else 0)
    for t in range(trees if most > 0 else 0):
        for e in lanes:
            part = h[0, e] / real(position_sweeps[0, 0])
            found = contacts[0, e] > 0 and known[t, e] == 0 and of_island[t, 7, e] * part * part < ENOUGH * ENOUGH
            known[t, e] = (-1 if index[0, e] == -1 - SWEEPS else -2) if found else known[t, e]
            sought[0, e] += 1 if contacts[0, e] > 0 and known[t, e] == 0 else 0


@system(phase="load")
def leave_what_is_known(
    lanes,
    sought=read(Scratch.sought),
    index=update(Sweep.index),
    contacts=update(Sweep.contacts),
    stepped=update(Sweep.stepped),
):
    """Environments that are done, and all of them after the last sweep, drop out: no contacts to go over."""
    for e in lanes:
        index[0, e] += 1
        contacts[0, e] = 0 if sought[0, e] == 0 or index[0, e] == -1 else contacts[0, e]
        stepped[0, e] = 1 if contacts[0, e] > 0 else stepped[0, e]


@system(phase="load")
def take_loads(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    trees=rows(Tree),
    first_dof=read(TreeTopology.first_dof),
    end_dof=read(TreeTopology.end_dof),
    root=read(TreeSearch.island),
    island=read(ContactSearch.island),
    known=read(TreeSearch.known),
    count=read(ContactCount.current),
    extent=read(ContactMotion.extent),
    dof=read(ContactDof.dof),
    jacobian=read(ContactJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    stepped=read(Sweep.stepped),
    impulse=read(ContactImpulse.last),
    begin=read(ContactSearch.begin),
    dof_begin=read(DofSearch.begin),
    index=write(Sweep.index),
    contacts=write(Sweep.contacts),
    u=update(DofGain.velocity),
):
    """What the loads do, from the beginning: far steps have made rounding errors large, and momentum has to stay."""
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, count[0, e] if stepped[0, e] == 1 else 0)
        index[0, e] = 0
        contacts[0, e] = count[0, e]
    for t in spread(trees if most > 0 else 0):
        for d in range(first_dof[t, 0], end_dof[t, 0]):
            for e in lanes:
                if stepped[0, e] == 1 and abs(known[root[t, e], e]) != 1:
                    u[d, e] = dof_begin[d, e]
    for c in range(most):
        base = c * width
        for i in spread(extent[c, lanes[0]]):
            k = dof[base + i, lanes[0]]
            for e in lanes:
                x = jacobian[base + i, 0, e] * (impulse[c, 0, e] - begin[c, 0, e])
                x += jacobian[base + i, 1, e] * (impulse[c, 1, e] - begin[c, 1, e])
                x += jacobian[base + i, 2, e] * (impulse[c, 2, e] - begin[c, 2, e])
                if stepped[0, e] == 1 and c < count[0, e] and abs(known[island[c, e], e]) != 1:
                    u[k, e] += mobility[k, e] * x


def search(systems: Iterable[System]) -> list[System]:
    """The systems of a search in the order in which they run, of all that a world has; none where it has none."""
    named = {system.name: system for system in systems}
    if look_for_loads.name not in named:
        return []
    turn = [judge_sweep, leave_what_is_known, swept_velocities, hold_at_bounds, step_loads, cut_loads]
    names = ["sweep_normals", "sweep_friction", *(system.name for system in turn)]
    before = [look_for_loads.name, find_islands.name, *([PRESSED] if PRESSED in named else [])]
    return [named[name] for name in (*before, *names * SWEEPS, take_loads.name)]
