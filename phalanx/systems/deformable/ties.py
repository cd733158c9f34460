"""Nodes that are tied to points of other deformable bodies, and what both sides get of it.

Sweeps and Newton steps move both ends of a tie at once, each as if the other stood still. So each end sees twice the
stiffness: ``|x - y|^2`` is at most ``2 |x|^2 + 2 |y|^2``, and of a point that nodes carry ``|y|^2`` is at most the sum
of ``w |y_i|^2``. With that no end goes too far, whatever the other does. The force is the true one: before a colour of
nodes is swept, the attachment of each of its nodes has its anchor where the node is, and the force as its load.

Momentum of the bodies that ties join is restored for all of them together (:func:`restore_momentum_of_tied`), on which
ties do nothing, and only while nothing else pushes any of them. Restored for each by itself, from impulses of ties that
sweeps have not settled, that of a light sheet between heavy bodies grew without bounds.
"""

from phalanx.components import (
    AttachedNode,
    ClothCluster,
    Deformable,
    DeformableDynamics,
    DeformableModes,
    DeformableMomentum,
    DeformableMotion,
    DeformableSettings,
    DeformableTopology,
    Node,
    NodeAttachmentPoint,
    NodeAttachmentState,
    NodeContactState,
    NodeOrder,
    NodeState,
    NodeTarget,
    NodeTie,
    NodeTiePoint,
    NodeTies,
    NodeTieState,
    NodeTieTopology,
    NodeTopology,
    Settings,
    Status,
    TieCluster,
    TiedNode,
    TiedNodeImpulse,
    TiedNodeTopology,
    TiedShareTopology,
)
from phalanx.components.node_attachment import OFF, ON
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import read, real, rows, start, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.deformable.contact_force import contact_stiffness
from phalanx.systems.deformable.momentum import THIN
from phalanx.systems.deformable.sweep import solve_symmetric


@system(over=NodeTie, phase="deform_begin")
def begin_ties(t, e, impulse=write(NodeTieState.impulse)):
    """No impulses yet."""
    for k in range(3):
        impulse[t, k, e] = 0.0


@system(over=TiedNode, phase="deform_begin")
def begin_tied_nodes(
    n,
    e,
    attachment=read(TiedNodeTopology.attachment),
    first=read(TiedNodeTopology.first),
    end=read(TiedNodeTopology.end),
    tie=read(TiedShareTopology.tie),
    mode=read(NodeTieState.mode),
    pulls=update(NodeAttachmentState.mode),
    load=update(NodeAttachmentState.load),
    impulse=write(TiedNodeImpulse.impulse),
):
    """Which nodes any tie pulls in this substep; and no impulses yet."""
    found = OFF
    for s in range(first[n, e], end[n, e]):
        found = ON if mode[tie[s, e], e] == ON else found
    a = attachment[n, e]
    pulls[a, e] = found
    for k in range(3):
        load[a, k, e] = 0.0
        impulse[n, k, e] = 0.0


@system(over=NodeTie, phase="deform_forces")
def tie_forces(
    t,
    e,
    node=read(NodeTieTopology.node),
    carriers=read(NodeTieTopology.carriers),
    weights=read(NodeTieTopology.weights),
    mass=read(NodeTieTopology.mass),
    mode=read(NodeTieState.mode),
    load=read(NodeTieState.load),
    body=read(NodeTopology.body),
    origin=read(DeformableMotion.origin),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    position=read(NodeState.position),
    force=write(NodeTiePoint.force),
):
    """Forces on tied nodes, where all nodes are before a colour of them is swept."""
    v = node[t, e]
    a, b = body[v, e], body[carriers[t, 0, e], e]
    hold = contact_stiffness(mass[t, e], real(count[0, e]) / h[0, e])
    for k in range(3):
        gap = (origin[a, k, e] - origin[b, k, e]) + position[v, k, e]
        for j in range(4):
            gap -= weights[t, j, e] * position[carriers[t, j, e], k, e]
        force[t, k, e] = load[t, k, e] - hold * gap if mode[t, e] == ON else 0.0


@system(over=Node, phase="deform_forces", needs=NodeTie)
def pull_of_ties(
    n,
    e,
    begin=start(),
    order=read(NodeOrder.node),
    row=read(NodeTies.row),
    attachment=read(TiedNodeTopology.attachment),
    first=read(TiedNodeTopology.first),
    end=read(TiedNodeTopology.end),
    tie=read(TiedShareTopology.tie),
    weight=read(TiedShareTopology.weight),
    force=read(NodeTiePoint.force),
    position=read(NodeState.position),
    total=update(NodeAttachmentState.load),
    anchor=update(NodeAttachmentPoint.anchor),
):
    """What ties do to the nodes of a colour."""
    v = order[begin + n, e]
    r = row[v, e]
    if r < 0:
        return
    x, y, z = 0.0, 0.0, 0.0
    for s in range(first[r, e], end[r, e]):
        t, w = tie[s, e], weight[s, e]
        x, y, z = x + w * force[t, 0, e], y + w * force[t, 1, e], z + w * force[t, 2, e]
    a = attachment[r, e]
    total[a, 0, e], total[a, 1, e], total[a, 2, e] = x, y, z
    for k in range(3):
        anchor[a, k, e] = position[v, k, e]


tie_forces_on_bodies = tie_forces.again("tie_forces_on_bodies", "deform_modes")
"""The same after the sweeps."""


@system(over=TiedNode, phase="deform_modes")
def pull_of_ties_on_bodies(
    r,
    e,
    node=read(TiedNodeTopology.node),
    attachment=read(TiedNodeTopology.attachment),
    first=read(TiedNodeTopology.first),
    end=read(TiedNodeTopology.end),
    tie=read(TiedShareTopology.tie),
    weight=read(TiedShareTopology.weight),
    force=read(NodeTiePoint.force),
    position=read(NodeState.position),
    total=update(NodeAttachmentState.load),
    anchor=update(NodeAttachmentPoint.anchor),
):
    """The same of all nodes."""
    v = node[r, e]
    x, y, z = 0.0, 0.0, 0.0
    for s in range(first[r, e], end[r, e]):
        t, w = tie[s, e], weight[s, e]
        x, y, z = x + w * force[t, 0, e], y + w * force[t, 1, e], z + w * force[t, 2, e]
    a = attachment[r, e]
    total[a, 0, e], total[a, 1, e], total[a, 2, e] = x, y, z
    for k in range(3):
        anchor[a, k, e] = position[v, k, e]


@system(over=NodeTie, phase="deform_modes")
def add_tie_impulses(
    t,
    e,
    node=read(NodeTieTopology.node),
    carriers=read(NodeTieTopology.carriers),
    weights=read(NodeTieTopology.weights),
    mass=read(NodeTieTopology.mass),
    mode=read(NodeTieState.mode),
    load=read(NodeTieState.load),
    body=read(NodeTopology.body),
    origin=read(DeformableMotion.origin),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    held=read(NodeTarget.held),
    move=read(DeformableModes.move),
    position=read(NodeState.position),
    impulse=update(NodeTieState.impulse),
    pulse=write(NodeTiePoint.pulse),
):
    """The impulse of the small step, where the moves of both bodies take the tie."""
    step = h[0, e] / real(count[0, e])
    v = node[t, e]
    a, b = body[v, e], body[carriers[t, 0, e], e]
    hold = contact_stiffness(mass[t, e], 1.0 / step)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        turned = move[a, 3 + i, e] * position[v, j, e] - move[a, 3 + j, e] * position[v, i, e]
        x = position[v, k, e] + (move[a, k, e] + turned if held[v, e] == 0 else 0.0)
        y = origin[b, k, e] - origin[a, k, e]
        for n in range(4):
            c = carriers[t, n, e]
            turned = move[b, 3 + i, e] * position[c, j, e] - move[b, 3 + j, e] * position[c, i, e]
            y += weights[t, n, e] * (position[c, k, e] + (move[b, k, e] + turned if held[c, e] == 0 else 0.0))
        found = step * (load[t, k, e] - hold * (x - y)) if mode[t, e] == ON else 0.0
        pulse[t, k, e] = found
        impulse[t, k, e] += found


@system(over=TiedNode, phase="deform_modes")
def add_impulses_of_ties(
    r,
    e,
    attachment=read(TiedNodeTopology.attachment),
    first=read(TiedNodeTopology.first),
    end=read(TiedNodeTopology.end),
    tie=read(TiedShareTopology.tie),
    weight=read(TiedShareTopology.weight),
    pulse=read(NodeTiePoint.pulse),
    impulse=update(TiedNodeImpulse.impulse),
    total=update(NodeAttachmentState.impulse),
):
    """What each node gets of it, in place of what its attachment, whose stiffness is twice the true one, says."""
    for s in range(first[r, e], end[r, e]):
        t, w = tie[s, e], weight[s, e]
        for k in range(3):
            impulse[r, k, e] += w * pulse[t, k, e]
    for k in range(3):
        total[attachment[r, e], k, e] = impulse[r, k, e]


@system(over=NodeTie, phase="deform_finish")
def finish_ties(
    t,
    e,
    node=read(NodeTieTopology.node),
    carriers=read(NodeTieTopology.carriers),
    weights=read(NodeTieTopology.weights),
    mass=read(NodeTieTopology.mass),
    learning=read(NodeTieTopology.learning),
    body=read(NodeTopology.body),
    origin=read(DeformableMotion.origin),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    mode=read(NodeTieState.mode),
    position=read(NodeState.position),
    load=update(NodeTieState.load),
):
    """Loads take over some of what springs hold."""
    v = node[t, e]
    a, b = body[v, e], body[carriers[t, 0, e], e]
    hold = contact_stiffness(mass[t, e], real(count[0, e]) / h[0, e])
    for k in range(3):
        gap = (origin[a, k, e] - origin[b, k, e]) + position[v, k, e]
        for j in range(4):
            gap -= weights[t, j, e] * position[carriers[t, j, e], k, e]
        load[t, k, e] = load[t, k, e] - learning[t, e] * hold * gap if mode[t, e] == ON else 0.0


@system(phase="deform_begin", needs=NodeTie)
def join_tied(
    lanes,
    bodies=rows(Deformable),
    ties=rows(NodeTie),
    node=read(NodeTieTopology.node),
    carriers=read(NodeTieTopology.carriers),
    body=read(NodeTopology.body),
    mode=read(NodeTieState.mode),
    middle=read(DeformableMomentum.middle),
    first=update(TieCluster.first),
    size=update(TieCluster.size),
    begin=update(TieCluster.middle),
):
    """Bodies that ties join take the least number that any of them has, until nothing changes."""
    for e in lanes:
        for b in range(bodies):
            first[b, e] = b
            size[b, e] = 0
            for k in range(3):
                begin[b, k, e] = middle[b, k, e]
        changed = True
        while changed:
            changed = False
            for t in range(ties):
                a, b = body[node[t, 0], 0], body[carriers[t, 0, 0], 0]
                if mode[t, e] == ON and first[a, e] != first[b, e]:
                    old, new = max(first[a, e], first[b, e]), min(first[a, e], first[b, e])
                    for o in range(bodies):
                        first[o, e] = new if first[o, e] == old else first[o, e]
                    changed = True
        for b in range(bodies):
            size[first[b, e], e] += 1
        for b in range(bodies):
            size[b, e] = size[first[b, e], e]


@system(over=Deformable, phase="deform_end", needs=NodeTie)
def find_what_pushes_tied(
    b,
    e,
    begin=read(DeformableTopology.first_node),
    end=read(DeformableTopology.end_node),
    size=read(TieCluster.size),
    surface=read(NodeTopology.surface),
    pair=read(NodeContactState.pair),
    push=read(NodeContactState.impulse),
    row=read(NodeTies.row),
    attachment=read(AttachedNode.attachment),
    pull=read(NodeAttachmentState.impulse),
    pushed=write(TieCluster.pushed),
):
    """Whether shapes, links or the world have pushed a body in this substep."""
    found = 0
    for v in range(begin[b, e], end[b, e] if size[b, e] > 1 else begin[b, e]):
        for k in range(SLOTS if surface[v, e] >= 0 else 0):
            c = surface[v, e] * SLOTS + k
            for i in range(3):
                found = 1 if pair[c, e] >= 0 and push[c, i, e] != 0.0 else found
        a = attachment[v, e]
        for i in range(3 if a >= 0 and row[v, e] < 0 else 0):
            found = 1 if pull[a, i, e] != 0.0 else found
    pushed[b, e] = found


@system(
    over=Deformable,
    phase="deform_end",
    needs=NodeTie,
)
def restore_momentum_of_tied(
    b,
    e,
    bodies=rows(Deformable),
    cluster=read(TieCluster.first),
    size=read(TieCluster.size),
    pushed=read(TieCluster.pushed),
    begin=read(TieCluster.middle),
    touching=read(ClothCluster.size),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    gravity=read(Settings.gravity),
    scale=read(DeformableDynamics.gravity_scale),
    damping=read(DeformableDynamics.damping),
    diverged=read(Status.diverged),
    broken=read(DeformableModes.broken),
    middle=read(DeformableMomentum.middle),
    mass=read(DeformableMomentum.mass),
    inertia=read(DeformableMomentum.inertia),
    linear=read(DeformableMomentum.linear),
    angular=read(DeformableMomentum.angular),
    before=read(DeformableMomentum.before),
    held=read(DeformableMomentum.held),
    origin=read(DeformableMotion.origin),
    shift=read(DeformableMomentum.shift),
    gain=update(DeformableMomentum.gain),
):
    """What is missing to the momentum of all bodies that are joined, about their centre of mass."""
    if size[b, e] > 1:
        # centres of mass at the start and at the end of the substep, from where this body's origin was
        m, sx, sy, sz, ex, ey, ez = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        bx, by = origin[b, 0, e] - shift[b, 0, e], origin[b, 1, e] - shift[b, 1, e]
        bz = origin[b, 2, e] - shift[b, 2, e]
        for o in range(bodies):
            if cluster[o, e] == cluster[b, e]:
                a = mass[o, e]
                x = (origin[o, 0, e] - shift[o, 0, e]) - bx
                y = (origin[o, 1, e] - shift[o, 1, e]) - by
                z = (origin[o, 2, e] - shift[o, 2, e]) - bz
                m += a
                sx, sy, sz = sx + a * (x + begin[o, 0, e]), sy + a * (y + begin[o, 1, e]), sz + a * (z + begin[o, 2, e])
                ex += a * (x + middle[o, 0, e])
                ey += a * (y + middle[o, 1, e])
                ez += a * (z + middle[o, 2, e])
        sx, sy, sz, ex, ey, ez = sx / m, sy / m, sz / m, ex / m, ey / m, ez / m
        px, py, pz, lx, ly, lz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        gx, gy, gz, tx, ty, tz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # what gravity gives, what momentum must be
        xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        free = diverged[0, e] == 0
        for o in range(bodies):
            if cluster[o, e] == cluster[b, e]:
                free = free and held[o, e] == 0 and broken[o, e] == 0 and pushed[o, e] == 0 and touching[o, e] < 2
                decay = 1.0 / (1.0 + damping[o, e] * h[0, e] / real(count[0, e]))
                kept, passed = 1.0, 0.0
                for _ in range(count[0, e]):
                    kept *= decay
                    passed += kept
                passed /= real(count[0, e])
                a = mass[o, e]
                x = (origin[o, 0, e] - shift[o, 0, e]) - bx
                y = (origin[o, 1, e] - shift[o, 1, e]) - by
                z = (origin[o, 2, e] - shift[o, 2, e]) - bz
                # what it had, about where the common centre was; what it got and has, about where that is
                qx, qy, qz = kept * before[o, 0, e], kept * before[o, 1, e], kept * before[o, 2, e]
                ux, uy, uz = cross(
                    x + begin[o, 0, e] - sx, y + begin[o, 1, e] - sy, z + begin[o, 2, e] - sz, qx, qy, qz
                )
                px, py, pz = px + qx, py + qy, pz + qz
                lx += kept * before[o, 3, e] + ux
                ly += kept * before[o, 4, e] + uy
                lz += kept * before[o, 5, e] + uz
                weight = passed * h[0, e] * a * scale[o, e]
                ux, uy, uz = weight * gravity[0, 0, e], weight * gravity[0, 1, e], weight * gravity[0, 2, e]
                gx, gy, gz, tx, ty, tz = gx + ux, gy + uy, gz + uz, tx + qx + ux, ty + qy + uy, tz + qz + uz
                qx, qy, qz = ux - linear[o, 0, e], uy - linear[o, 1, e], uz - linear[o, 2, e]
                x, y, z = x + middle[o, 0, e] - ex, y + middle[o, 1, e] - ey, z + middle[o, 2, e] - ez
                ux, uy, uz = cross(x, y, z, qx, qy, qz)
                px, py, pz = px + qx, py + qy, pz + qz
                lx, ly, lz = lx - angular[o, 0, e] + ux, ly - angular[o, 1, e] + uy, lz - angular[o, 2, e] + uz
                xx += inertia[o, 0, e] + a * (y * y + z * z)
                xy += inertia[o, 1, e] - a * x * y
                xz += inertia[o, 2, e] - a * x * z
                yy += inertia[o, 3, e] + a * (x * x + z * z)
                yz += inertia[o, 4, e] - a * y * z
                zz += inertia[o, 5, e] + a * (x * x + y * y)
        # the common centre has not gone quite along its momentum: what that is of angular momentum spin must lose;
        # along a parabola of small steps it is what gravity gives about where the centre was
        part = 0.5 * (real(count[0, e]) - 1.0) / real(count[0, e])
        ux, uy, uz = cross(ex - sx, ey - sy, ez - sz, part * gx - tx, part * gy - ty, part * gz - tz)
        lx, ly, lz = lx + ux, ly + uy, lz + uz
        least = THIN * (xx + yy + zz)
        wx, wy, wz = solve_symmetric(lx, ly, lz, xx + least, xy, xz, yy + least, yz, zz + least)
        x, y, z = middle[b, 0, e] - ex, middle[b, 1, e] - ey, middle[b, 2, e] - ez
        ux, uy, uz = cross(wx, wy, wz, x, y, z)
        gain[b, 0, e] = px / m + ux if free else 0.0
        gain[b, 1, e] = py / m + uy if free else 0.0
        gain[b, 2, e] = pz / m + uz if free else 0.0
        gain[b, 3, e], gain[b, 4, e], gain[b, 5, e] = wx if free else 0.0, wy if free else 0.0, wz if free else 0.0
