"""Bodies of cloth that touch each other: as a whole they move and keep their momentum as a single body does.

Contacts between them are forces on both sides that a few sweeps leave unbalanced. So as long as bodies touch, the
Newton step among rigid motions (:mod:`phalanx.systems.deformable.modes`) and the momentum of a substep
(:mod:`phalanx.systems.deformable.momentum`) are those of all of them together, on which these forces do nothing.

While rigid bodies push one of them, only the Newton step is made. Sweeps that have not come to their end leave more
overlap with rigid bodies than stays, and momentum restored from its impulses throws piles up. A sheet that touches
itself is such a pile, too: on a ball that spins it was made faster and faster.
"""

from phalanx.components import (
    BodyParticles,
    ClothCluster,
    ClothGroupPartners,
    ClothNodeContact,
    ClothTouchPoint,
    ClothTriangle,
    Deformable,
    DeformableDynamics,
    DeformableModes,
    DeformableMomentum,
    DeformableMotion,
    DeformableSettings,
    DeformableTopology,
    NodeGroup,
    NodeGroupSums,
    NodeGroupTopology,
    Settings,
    Status,
)
from phalanx.components.cloth_contact import PARTNERS, TOUCHES
from phalanx.ecs import local, read, real, rows, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.deformable.modes import THIN as THIN_MODES
from phalanx.systems.deformable.modes import solve_six
from phalanx.systems.deformable.momentum import THIN
from phalanx.systems.deformable.sweep import solve_symmetric


@system(over=Deformable, phase="deform_begin", needs=ClothTriangle)
def begin_clusters(
    b,
    e,
    middle=read(DeformableMomentum.middle),
    first=write(ClothCluster.first),
    size=write(ClothCluster.size),
    folded=write(ClothCluster.folded),
    touched=write(ClothCluster.touched),
    begin=write(ClothCluster.middle),
):
    """Each body is alone."""
    first[b, e] = b
    size[b, e] = 1
    folded[b, e] = 0
    touched[b, e] = 0
    for k in range(3):
        begin[b, k, e] = middle[b, k, e]


@system(over=NodeGroup, phase="deform_touch", needs=ClothTriangle)
def partners_of_groups(
    g,
    e,
    own=read(NodeGroupTopology.body),
    begin=read(NodeGroupTopology.first_node),
    end=read(NodeGroupTopology.end_node),
    row=read(ClothNodeContact.row),
    touches=read(ClothNodeContact.count),
    body=read(ClothTouchPoint.body),
    stiffness=read(ClothTouchPoint.stiffness),
    count=write(ClothGroupPartners.count),
    met=write(ClothGroupPartners.met),
    folded=update(ClothCluster.folded),
    touched=update(ClothCluster.touched),
):
    """The bodies that a group's nodes touch. Groups of a body that touch something write the same to its row."""
    b = own[g, e]
    found = 0
    for v in range(begin[g, e], end[g, e]):
        for slot in range(touches[v, e] if row[v, e] >= 0 else 0):
            t = row[v, e] * TOUCHES + slot
            if stiffness[t, e] > 0.0:
                other = body[t, e]
                if other == b:
                    folded[b, e] = 1
                else:
                    touched[b, e] = 1
                    new = True
                    for k in range(found):
                        new = new and met[g, k, e] != other
                    if new and found < PARTNERS:
                        met[g, found, e] = other
                        found += 1
    count[g, e] = found


@system(over=Deformable, phase="deform_touch", needs=ClothTriangle)
def cloth_partners(
    b,
    e,
    begin=read(DeformableTopology.first_sum),
    end=read(DeformableTopology.end_sum),
    count=read(ClothGroupPartners.count),
    of_group=read(ClothGroupPartners.met),
    met=update(ClothCluster.met),
    touched=update(ClothCluster.touched),
):
    """The bodies that a body touches."""
    found = 0
    for g in range(begin[b, e], end[b, e] if touched[b, e] != 0 else begin[b, e]):
        for n in range(count[g, e]):
            other = of_group[g, n, e]
            new = True
            for k in range(found):
                new = new and met[b, k, e] != other
            if new and found < PARTNERS:
                met[b, found, e] = other
                found += 1
    for k in range(found, PARTNERS):
        met[b, k, e] = -1
    touched[b, e] = 0


@system(phase="deform_touch", needs=ClothTriangle)
def join_clusters(
    lanes,
    bodies=rows(Deformable),
    met=read(ClothCluster.met),
    first=update(ClothCluster.first),
    size=update(ClothCluster.size),
):
    """Bodies that touch take the least number that any of them has, until nothing changes."""
    for e in lanes:
        changed = True
        while changed:
            changed = False
            for b in range(bodies):
                for k in range(PARTNERS):
                    o = met[b, k, e]
                    if o >= 0 and first[o, e] != first[b, e]:
                        old, new = max(first[o, e], first[b, e]), min(first[o, e], first[b, e])
                        for a in range(bodies):
                            first[a, e] = new if first[a, e] == old else first[a, e]
                        changed = True
        for b in range(bodies):
            size[b, e] = 0
        for b in range(bodies):
            size[first[b, e], e] += 1
        for b in range(bodies):
            size[b, e] = size[first[b, e], e]


@system(over=Deformable, phase="deform_modes", needs=ClothTriangle)
def solve_cluster_modes(
    b,
    e,
    bodies=rows(Deformable),
    cluster=read(ClothCluster.first),
    size=read(ClothCluster.size),
    first=read(DeformableTopology.first_sum),
    end=read(DeformableTopology.end_sum),
    origin=read(DeformableMotion.origin),
    inertia=read(NodeGroupSums.inertia),
    force=read(NodeGroupSums.force),
    held=read(NodeGroupSums.held),
    sums=read(NodeGroupSums.middle),
    ahead=update(DeformableModes.ahead),
    move=update(DeformableModes.move),
    broken=update(DeformableModes.broken),
):
    """The Newton step of all bodies of a cluster as one, about the origin of this one."""
    if size[b, e] > 1:
        matrix = local(36)
        part = local(36)
        x = local(6)
        arm = local(18)
        for k in range(6):
            x[k] = 0.0
        for k in range(36):
            matrix[k] = 0.0
        fixed, w, wx, wy, wz = 0, 0.0, 0.0, 0.0, 0.0
        for o in range(bodies):
            if cluster[o, e] == cluster[b, e]:
                rx, ry, rz = (
                    origin[o, 0, e] - origin[b, 0, e],
                    origin[o, 1, e] - origin[b, 1, e],
                    origin[o, 2, e] - origin[b, 2, e],
                )
                for k in range(36):
                    part[k] = 0.0
                for g in range(first[o, e], end[o, e]):
                    fixed += held[g, e]
                    if o == b:
                        w, wx, wy, wz = w + sums[g, 0, e], wx + sums[g, 1, e], wy + sums[g, 2, e], wz + sums[g, 3, e]
                    fx, fy, fz = force[g, 0, e], force[g, 1, e], force[g, 2, e]
                    ux, uy, uz = cross(rx, ry, rz, fx, fy, fz)
                    x[0] += fx
                    x[1] += fy
                    x[2] += fz
                    x[3] += force[g, 3, e] + ux
                    x[4] += force[g, 4, e] + uy
                    x[5] += force[g, 5, e] + uz
                    n = 0
                    for i in range(6):
                        for j in range(i, 6):
                            part[6 * i + j] += inertia[g, n, e]
                            n += 1
                for i in range(6):
                    for j in range(i):
                        part[6 * i + j] = part[6 * j + i]
                # a turn about this origin moves the other one by turn x r: T = [1, -[r]x; 0, 1], and T^T part T
                for k in range(18):
                    arm[k] = 0.0
                arm[1], arm[2], arm[3], arm[5], arm[6], arm[7] = rz, -ry, -rz, rx, ry, -rx
                for i in range(6):
                    for j in range(3):
                        for k in range(3):
                            part[6 * i + 3 + j] += part[6 * i + k] * arm[3 * k + j]
                for j in range(6):
                    for i in range(3):
                        for k in range(3):
                            part[6 * (3 + i) + j] += arm[3 * k + i] * part[6 * k + j]
                for k in range(36):
                    matrix[k] += part[k]
        least = THIN_MODES * (matrix[21] + matrix[28] + matrix[35])
        for k in range(3, 6):
            matrix[7 * k] += least
        solve_six(matrix, x)
        finite = 0.0
        for k in range(6):
            finite += x[k] - x[k]
        sound = finite == 0.0
        for k in range(6):
            move[b, k, e] = x[k] if sound and fixed == 0 else 0.0
        wx, wy, wz = wx / w, wy / w, wz / w
        ux, uy, uz = cross(move[b, 3, e], move[b, 4, e], move[b, 5, e], wx, wy, wz)
        ahead[b, 0, e] = wx + move[b, 0, e] + ux
        ahead[b, 1, e] = wy + move[b, 1, e] + uy
        ahead[b, 2, e] = wz + move[b, 2, e] + uz
        broken[b, e] = broken[b, e] if sound else 1


@system(over=Deformable, phase="deform_end", needs=ClothTriangle)
def restore_momentum_of_clusters(
    b,
    e,
    bodies=rows(Deformable),
    cluster=read(ClothCluster.first),
    size=read(ClothCluster.size),
    folded=read(ClothCluster.folded),
    begin=read(ClothCluster.middle),
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
    impulse=read(DeformableMomentum.impulse),
    before=read(DeformableMomentum.before),
    held=read(DeformableMomentum.held),
    origin=read(DeformableMotion.origin),
    shift=read(DeformableMomentum.shift),
    only=read(BodyParticles.only),
    gain=update(DeformableMomentum.gain),
):
    """What is missing to the momentum of all bodies of a cluster, about their centre of mass; see above."""
    pushed = impulse[b, 0, e] != 0.0 or impulse[b, 1, e] != 0.0 or impulse[b, 2, e] != 0.0
    pushed = pushed and only[b, e] == 0
    if size[b, e] == 1 and folded[b, e] == 1 and pushed:
        for k in range(6):
            gain[b, k, e] = 0.0
    if size[b, e] > 1:
        # centres of mass at the start and at the end of the substep, from this body's origin
        m, sx, sy, sz, ex, ey, ez = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for o in range(bodies):
            if cluster[o, e] == cluster[b, e]:
                a = mass[o, e]
                x = (origin[o, 0, e] - shift[o, 0, e]) - (origin[b, 0, e] - shift[b, 0, e])
                y = (origin[o, 1, e] - shift[o, 1, e]) - (origin[b, 1, e] - shift[b, 1, e])
                z = (origin[o, 2, e] - shift[o, 2, e]) - (origin[b, 2, e] - shift[b, 2, e])
                m += a
                sx, sy, sz = sx + a * (x + begin[o, 0, e]), sy + a * (y + begin[o, 1, e]), sz + a * (z + begin[o, 2, e])
                ex, ey, ez = (
                    ex + a * (x + middle[o, 0, e]),
                    ey + a * (y + middle[o, 1, e]),
                    ez + a * (z + middle[o, 2, e]),
                )
        sx, sy, sz, ex, ey, ez = sx / m, sy / m, sz / m, ex / m, ey / m, ez / m
        px, py, pz, lx, ly, lz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        free = diverged[0, e] == 0
        for o in range(bodies):
            if cluster[o, e] == cluster[b, e]:
                free = free and held[o, e] == 0 and broken[o, e] == 0
                for k in range(3):  # what rigid bodies push is left as it is: see above
                    free = free and (impulse[o, k, e] == 0.0 or only[o, e] != 0)
                decay = 1.0 / (1.0 + damping[o, e] * h[0, e] / real(count[0, e]))
                kept, passed = 1.0, 0.0
                for _ in range(count[0, e]):
                    kept *= decay
                    passed += kept
                passed /= real(count[0, e])
                a = mass[o, e]
                x = (origin[o, 0, e] - shift[o, 0, e]) - (origin[b, 0, e] - shift[b, 0, e])
                y = (origin[o, 1, e] - shift[o, 1, e]) - (origin[b, 1, e] - shift[b, 1, e])
                z = (origin[o, 2, e] - shift[o, 2, e]) - (origin[b, 2, e] - shift[b, 2, e])
                # what it had, about where the common centre was; what it got and has, about where that is
                qx, qy, qz = kept * before[o, 0, e], kept * before[o, 1, e], kept * before[o, 2, e]
                ux, uy, uz = cross(
                    x + begin[o, 0, e] - sx, y + begin[o, 1, e] - sy, z + begin[o, 2, e] - sz, qx, qy, qz
                )
                px, py, pz = px + qx, py + qy, pz + qz
                lx += kept * before[o, 3, e] + ux
                ly += kept * before[o, 4, e] + uy
                lz += kept * before[o, 5, e] + uz
                weight = h[0, e] * a * scale[o, e]
                qx = passed * (weight * gravity[0, 0, e] + impulse[o, 0, e]) - linear[o, 0, e]
                qy = passed * (weight * gravity[0, 1, e] + impulse[o, 1, e]) - linear[o, 1, e]
                qz = passed * (weight * gravity[0, 2, e] + impulse[o, 2, e]) - linear[o, 2, e]
                x, y, z = x + middle[o, 0, e] - ex, y + middle[o, 1, e] - ey, z + middle[o, 2, e] - ez
                ux, uy, uz = cross(x, y, z, qx, qy, qz)
                px, py, pz = px + qx, py + qy, pz + qz
                lx += passed * impulse[o, 3, e] - angular[o, 0, e] + ux
                ly += passed * impulse[o, 4, e] - angular[o, 1, e] + uy
                lz += passed * impulse[o, 5, e] - angular[o, 2, e] + uz
                xx += inertia[o, 0, e] + a * (y * y + z * z)
                xy += inertia[o, 1, e] - a * x * y
                xz += inertia[o, 2, e] - a * x * z
                yy += inertia[o, 3, e] + a * (x * x + z * z)
                yz += inertia[o, 4, e] - a * y * z
                zz += inertia[o, 5, e] + a * (x * x + y * y)
        least = THIN * (xx + yy + zz)
        wx, wy, wz = solve_symmetric(lx, ly, lz, xx + least, xy, xz, yy + least, yz, zz + least)
        x, y, z = middle[b, 0, e] - ex, middle[b, 1, e] - ey, middle[b, 2, e] - ez
        ux, uy, uz = cross(wx, wy, wz, x, y, z)
        gain[b, 0, e] = px / m + ux if free else 0.0
        gain[b, 1, e] = py / m + uy if free else 0.0
        gain[b, 2, e] = pz / m + uz if free else 0.0
        gain[b, 3, e], gain[b, 4, e], gain[b, 5, e] = wx if free else 0.0, wy if free else 0.0, wz if free else 0.0
