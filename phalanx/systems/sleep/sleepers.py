"""What sleeps stays where it is: it is solved along as what nothing can move; see
:mod:`phalanx.systems.sleep.decide`.
"""

from phalanx.components import (
    Contact,
    ContactCount,
    ContactImpulse,
    ContactPoint,
    Coordinate,
    Dof,
    DofGain,
    DofModel,
    DofMotion,
    DofRow,
    DofSolve,
    DofState,
    DofTopology,
    LinkTopology,
    SeenCoordinate,
    Settings,
    ShapeTopology,
    Tree,
    TreeSleep,
    TreeTopology,
)
from phalanx.ecs import read, system, update, write

SETTLING = 2.0
"""1/s: damping of trees below their stabilization threshold. PhysX has 0.5; with 2 towers settle in a few seconds."""


@system(over=Dof, phase="dynamics")
def still_sleepers(
    d,
    e,
    link=read(DofTopology.link),
    tree=read(LinkTopology.tree),
    h=read(Settings.timestep),
    yields=read(TreeTopology.yields),
    prescribed=read(DofModel.prescribed),
    energy=read(TreeSleep.energy),
    threshold=read(TreeSleep.stabilization_threshold),
    touched=read(TreeSleep.touched),
    asleep=read(TreeSleep.asleep),
    velocity=update(DofState.velocity),
    motion=update(DofMotion.velocity),
):
    """What sleeps does not move; what is to be stabilized moves a little less, all of it in proportion."""
    t = tree[link[d, e], e]
    settles = yields[t, e] == 1 and touched[t, e] == 1 and energy[t, e] < threshold[t, e]
    kept = 1.0 / (1.0 + SETTLING * h[0, e]) if settles else 1.0
    kept = 0.0 if asleep[t, e] == 1 else kept
    if kept < 1.0:
        velocity[d, e] = velocity[d, e] if prescribed[d, e] != 0 else velocity[d, e] * kept
        for k in range(6):
            motion[d, k, e] = motion[d, k, e] * kept


@system(over=Contact, phase="actuate")
def keep_loads(
    c,
    e,
    count=read(ContactCount.current),
    shape_a=read(ContactPoint.a),
    shape_b=read(ContactPoint.b),
    link=read(ShapeTopology.link),
    tree=read(LinkTopology.tree),
    asleep=read(TreeSleep.asleep),
    value=read(ContactImpulse.value),
    last=update(ContactImpulse.last),
):
    """Contacts of sleepers go on with what they transmitted, not with what the solver's last sweep made of it."""
    if c < count[0, e]:
        i, j = link[shape_a[c, e], e], link[shape_b[c, e], e]
        rests = (i >= 0 and asleep[tree[max(i, 0), e], e] == 1) or (j >= 0 and asleep[tree[max(j, 0), e], e] == 1)
        for r in range(3):
            last[c, r, e] = value[c, r, e] if rests else last[c, r, e]


@system(over=Dof, phase="rows")
def hold_sleepers(
    d,
    e,
    link=read(DofTopology.link),
    tree=read(LinkTopology.tree),
    asleep=read(TreeSleep.asleep),
    inverse_pivot=update(DofSolve.inverse_pivot),
    velocity=update(DofSolve.velocity),
    gain=update(DofGain.velocity),
):
    """No force or impulse moves what sleeps: with a whole tree's inverse pivots zero, so are its responses."""
    if asleep[tree[link[d, e], e], e] == 1:
        inverse_pivot[d, e] = 0.0
        velocity[d, e] = 0.0
        gain[d, e] = 0.0


@system(over=Dof, phase="rows")
def rest_dof_rows(
    d,
    e,
    link=read(DofTopology.link),
    tree=read(LinkTopology.tree),
    asleep=read(TreeSleep.asleep),
    active=update(DofRow.active),
):
    """Rows of sleepers have responses, of zero, but are not solved."""
    if active[d, e] == 1 and asleep[tree[link[d, e], e], e] == 1:
        active[d, e] = 2


@system(over=Tree, phase="integrate")
def leave_sleepers(
    t,
    e,
    first_coord=read(TreeTopology.first_coord),
    end_coord=read(TreeTopology.end_coord),
    first_dof=read(TreeTopology.first_dof),
    is_free=read(TreeTopology.is_free),
    h=read(Settings.timestep),
    displacement=read(DofSolve.displacement),
    asleep=read(TreeSleep.asleep),
    q=update(Coordinate.value),
    seen=update(SeenCoordinate.value),
    way=write(TreeSleep.way),
):
    """Put sleepers back where they were, past rounding; and remember where all others are and how far they went."""
    x, y, z = 0.0, 0.0, 0.0
    if is_free[t, e] == 1:
        d = first_dof[t, e]
        x, y, z = displacement[d, e] / h[0, e], displacement[d + 1, e] / h[0, e], displacement[d + 2, e] / h[0, e]
    way[t, e] = 0.5 * (x * x + y * y + z * z)
    rests = asleep[t, e] == 1
    for k in range(first_coord[t, e], end_coord[t, e]):
        if rests:
            q[k, e] = seen[k, e]
        seen[k, e] = q[k, e]


@system(over=Tree, phase="conserve")
def leave_roots(
    t,
    e,
    first_coord=read(TreeTopology.first_coord),
    is_free=read(TreeTopology.is_free),
    asleep=read(TreeSleep.asleep),
    q=update(Coordinate.value),
    seen=update(SeenCoordinate.value),
):
    """The same of roots, where keeping momentum has moved them."""
    if is_free[t, e] == 1:
        rests = asleep[t, e] == 1
        first = first_coord[t, e]
        for k in range(first, first + 3):
            if rests:
                q[k, e] = seen[k, e]
            seen[k, e] = q[k, e]
