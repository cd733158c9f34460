"""Frames of ropes that resist twist or are bent at rest: discrete elastic rods.

Each segment has a frame: its tangent t, a director m1 and m2 = t x m1. When nodes move, the frame follows by the
smallest rotation that takes the old tangent to the new one; beside that it turns about the tangent by an angle of its
own. The twist at an inner node is the angle from the frame before it, carried over by the smallest rotation, to that
behind it (Bergou et al., Discrete elastic rods, 2008; Discrete viscous threads, 2010). The energy at an inner node is

    ``B / L (1 - c t0 . t1 - sum_a q_a (t1 . ma0 - t0 . ma1) / 2) + C / 2 L twist^2``

of the segments 0 before and 1 behind it. L is half of their length, B and C are the stiffnesses of bending and
twisting, c is the cosine of the angle at rest, and q_a are the parts of its sine along the directors. Without twist
this is ``B / L (1 - cos(angle - rest))``.

Angles of a rope are solved for with nodes fixed: their matrix has three diagonals, as small steps are implicit.
"""

import math

from phalanx.components import (
    Deformable,
    DeformableDynamics,
    DeformableMomentum,
    DeformableSettings,
    DeformableTopology,
    FramedRope,
    FramedRopeTopology,
    NodeGroupSums,
    NodeModel,
    NodeState,
    RopeElasticity,
    RopeFrame,
    RopeFrameStep,
    RopeFrameTarget,
    RopeMaterial,
    RopeNode,
    RopeNodeTopology,
    RopeShape,
    RopeSystem,
    RopeTopology,
    RopeTurning,
    Settings,
    Status,
)
from phalanx.ecs import function, read, real, system, update, write
from phalanx.maths.kernels import cross, sine_cosine

SHORT = 1e-9
"""m: shorter edges have no direction."""

FOLDED = 0.1
"""Twist of sharper folds, of 1 + cos, pushes nodes as if they were as sharp as this."""

STEADY = 0.5
"""Bending that the matrix has at least, by the torque and the length of a segment: Newton steps come to rest then."""


@function
def carried_director(x, y, z, ax, ay, az, bx, by, bz):
    """A director (x, y, z) across the unit vector a, turned by the smallest rotation from a to the unit vector b."""
    c = max(1.0 + ax * bx + ay * by + az * bz, 1e-6)
    s = (x * bx + y * by + z * bz) / c
    x, y, z = x - s * (ax + bx), y - s * (ay + by), z - s * (az + bz)
    s = x * bx + y * by + z * bz
    x, y, z = x - s * bx, y - s * by, z - s * bz
    s = 1.0 / max(math.sqrt(x * x + y * y + z * z), 1e-12)
    return s * x, s * y, s * z


@system(over=RopeNode, phase="deform_predict", needs=FramedRope)
def begin_turning(
    r,
    e,
    total=read(DeformableSettings.total),
    done=read(DeformableSettings.done),
    angle=read(RopeFrame.angle),
    target=read(RopeFrameTarget.angle),
    turned=write(RopeFrameStep.turned),
    goal=write(RopeFrameStep.goal),
):
    """Nothing has turned; held segments share out the way to their target over the small steps of a step."""
    turned[r, e] = 0.0
    goal[r, e] = (target[r, e] - angle[r, e]) / real(total[0, e] - done[0, e])


@system(over=FramedRope, phase="deform_rope")
def turn_rope(
    f,
    e,
    rope=read(FramedRopeTopology.rope),
    first=read(RopeTopology.first),
    end=read(RopeTopology.end),
    node=read(RopeNodeTopology.node),
    body=read(RopeNodeTopology.body),
    length=read(RopeShape.length),
    curvature=read(RopeShape.curvature),
    radius=read(RopeMaterial.radius),
    mass=read(NodeModel.mass),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    position=read(NodeState.position),
    bending=read(RopeElasticity.bending),
    twisting=read(RopeElasticity.twisting),
    spin=read(RopeFrame.spin),
    held=read(RopeFrameTarget.held),
    goal=read(RopeFrameStep.goal),
    turned=update(RopeFrameStep.turned),
    tangent=update(RopeFrame.tangent),
    director=update(RopeFrame.director),
    twist=update(RopeFrame.twist),
    row=update(RopeSystem.row),
    steady=write(RopeElasticity.steady),
):
    """Frames follow their segments, then turn to where inertia, twist and bending leave them."""
    n = rope[f, e]
    begin, last = first[n, e], end[n, e] - 1  # segments are begin..last - 1
    rate = real(count[0, e]) / h[0, e]
    thick = 0.5 * radius[body[begin, e], e] * radius[body[begin, e], e]
    b, c = bending[n, e], twisting[n, e]
    for r in range(begin, last):
        v = node[r, e]
        x = position[v + 1, 0, e] - position[v, 0, e]
        y = position[v + 1, 1, e] - position[v, 1, e]
        z = position[v + 1, 2, e] - position[v, 2, e]
        size = math.sqrt(x * x + y * y + z * z)
        ax, ay, az = tangent[r, 0, e], tangent[r, 1, e], tangent[r, 2, e]
        there = size > SHORT
        size = max(size, SHORT)
        x, y, z = x / size if there else ax, y / size if there else ay, z / size if there else az
        p, q, s = carried_director(director[r, 0, e], director[r, 1, e], director[r, 2, e], ax, ay, az, x, y, z)
        tangent[r, 0, e], tangent[r, 1, e], tangent[r, 2, e] = x, y, z
        director[r, 0, e], director[r, 1, e], director[r, 2, e] = p, q, s
        if r > begin:
            ax, ay, az = tangent[r - 1, 0, e], tangent[r - 1, 1, e], tangent[r - 1, 2, e]
            dx, dy, dz = carried_director(
                director[r - 1, 0, e], director[r - 1, 1, e], director[r - 1, 2, e], ax, ay, az, x, y, z
            )
            ux, uy, uz = cross(dx, dy, dz, p, q, s)
            more = math.atan2(ux * x + uy * y + uz * z, dx * p + dy * q + dz * s) - twist[r, e]
            twist[r, e] += more - 2.0 * math.pi * math.floor(more / (2.0 * math.pi) + 0.5)
    # elimination from one end: row[0] is what a segment takes of the next one's turn, row[1] its own
    most = 0.0
    passed, pushed = 0.0, 0.0
    for r in range(begin, last):
        v = node[r, e]
        x, y, z = tangent[r, 0, e], tangent[r, 1, e], tangent[r, 2, e]
        p, q, s = director[r, 0, e], director[r, 1, e], director[r, 2, e]
        ux, uy, uz = cross(x, y, z, p, q, s)
        here = length[r, e]
        before = length[r - 1, e] if r > begin else 0.0
        after = length[r + 1, e] if r + 1 < last else 0.0
        m = mass[v, e] * here / (before + here) + mass[v + 1, e] * here / (here + after)
        inertia = thick * m * rate * rate
        own = inertia
        torque = inertia * (spin[r, e] / rate - turned[r, e])
        ahead = 0.0
        for side in range(2):
            i = r + side  # the inner node
            there = i > begin and i < last
            i = i if there else begin
            o = r - 1 + 2 * side
            o = o if there else r
            wide = 0.5 * (here + (before if side == 0 else after))
            stiff = c / wide if there else 0.0
            way = 1.0 if side == 0 else -1.0
            torque -= way * stiff * twist[i, e]
            own += stiff
            ahead = stiff if side == 1 else 0.0
            most = max(most, stiff * math.fabs(twist[i, e]) * wide)
            ax, ay, az = tangent[o, 0, e], tangent[o, 1, e], tangent[o, 2, e]
            stiff = 0.5 * b / wide if there else 0.0
            q0, q1 = curvature[i, 0, e], curvature[i, 1, e]
            along, up = ax * p + ay * q + az * s, ax * ux + ay * uy + az * uz
            torque -= way * stiff * (q0 * up - q1 * along)
            own += math.fabs(stiff * (q0 * along + q1 * up))
        # the one before gives way to the turn of this one
        back = -c / (0.5 * (before + here)) if r > begin else 0.0
        own -= back * back * passed
        torque -= back * pushed
        fixed = held[r, e] != 0
        inverse = 0.0 if fixed else 1.0 / own
        passed = inverse
        pushed = goal[r, e] - turned[r, e] if fixed else inverse * torque
        row[r, 0, e] = inverse * ahead
        row[r, 1, e] = pushed
    steady[n, e] = max(b, STEADY * most)
    turn = 0.0
    for k in range(last - begin):
        r = last - 1 - k
        old = turn
        turn = row[r, 1, e] + row[r, 0, e] * old
        turned[r, e] += turn
        if r + 1 < last:
            twist[r + 1, e] += old - turn
        p, q, s = director[r, 0, e], director[r, 1, e], director[r, 2, e]
        ux, uy, uz = cross(tangent[r, 0, e], tangent[r, 1, e], tangent[r, 2, e], p, q, s)
        y, x = sine_cosine(turn)
        director[r, 0, e], director[r, 1, e], director[r, 2, e] = x * p + y * ux, x * q + y * uy, x * s + y * uz


@system(over=RopeNode, phase="deform_rope", needs=FramedRope)
def bend_rope(
    r,
    e,
    node=read(RopeNodeTopology.node),
    rope=read(RopeNodeTopology.rope),
    before=read(RopeNodeTopology.before),
    after=read(RopeNodeTopology.after),
    framed=read(RopeTopology.framed),
    length=read(RopeShape.length),
    curvature=read(RopeShape.curvature),
    bending=read(RopeElasticity.bending),
    twisting=read(RopeElasticity.twisting),
    position=read(NodeState.position),
    tangent=read(RopeFrame.tangent),
    director=read(RopeFrame.director),
    twist=read(RopeFrame.twist),
    slope=write(RopeSystem.slope),
    couple=write(RopeSystem.couple),
):
    """How the energy at a node changes with the edges before and behind it, and the couple that this puts on nodes."""
    n = rope[r, e]
    there = framed[n, e] != 0 and before[r, e] > 0 and after[r, e] > 0
    s = r - 1 if there else r
    v = node[r, e]
    u = v - 1 if there else v
    w = v + 1 if there else v
    dx, dy, dz = (
        position[v, 0, e] - position[u, 0, e],
        position[v, 1, e] - position[u, 1, e],
        position[v, 2, e] - position[u, 2, e],
    )
    ex, ey, ez = (
        position[w, 0, e] - position[v, 0, e],
        position[w, 1, e] - position[v, 1, e],
        position[w, 2, e] - position[v, 2, e],
    )
    d = max(math.sqrt(dx * dx + dy * dy + dz * dz), SHORT)
    g = max(math.sqrt(ex * ex + ey * ey + ez * ez), SHORT)
    ax, ay, az = tangent[s, 0, e], tangent[s, 1, e], tangent[s, 2, e]
    bx, by, bz = tangent[r, 0, e], tangent[r, 1, e], tangent[r, 2, e]
    px, py, pz = director[s, 0, e], director[s, 1, e], director[s, 2, e]
    qx, qy, qz = director[r, 0, e], director[r, 1, e], director[r, 2, e]
    kx, ky, kz = cross(ax, ay, az, px, py, pz)
    lx, ly, lz = cross(bx, by, bz, qx, qy, qz)
    wide = 0.5 * (length[s, e] + length[r, e])
    bend = bending[n, e] / wide if there else 0.0
    torque = twisting[n, e] / wide * twist[r, e] if there else 0.0
    q0, q1, c = 0.5 * curvature[r, 0, e], 0.5 * curvature[r, 1, e], curvature[r, 2, e]
    cosine = ax * bx + ay * by + az * bz
    # by the tangents
    x = c * bx - q0 * (qx + cosine * px) - q1 * (lx + cosine * kx)
    y = c * by - q0 * (qy + cosine * py) - q1 * (ly + cosine * ky)
    z = c * bz - q0 * (qz + cosine * pz) - q1 * (lz + cosine * kz)
    i = c * ax + q0 * (px + cosine * qx) + q1 * (kx + cosine * lx)
    j = c * ay + q0 * (py + cosine * qy) + q1 * (ky + cosine * ly)
    k = c * az + q0 * (pz + cosine * qz) + q1 * (kz + cosine * lz)
    along, further = x * ax + y * ay + z * az, i * bx + j * by + k * bz
    ux, uy, uz = cross(ax, ay, az, bx, by, bz)
    pull = torque / max(1.0 + cosine, FOLDED)
    x, y, z = (
        (pull * ux - bend * (x - along * ax)) / d,
        (pull * uy - bend * (y - along * ay)) / d,
        (pull * uz - bend * (z - along * az)) / d,
    )
    i, j, k = (
        (pull * ux - bend * (i - further * bx)) / g,
        (pull * uy - bend * (j - further * by)) / g,
        (pull * uz - bend * (k - further * bz)) / g,
    )
    slope[r, 0, e], slope[r, 1, e], slope[r, 2, e] = x, y, z
    slope[r, 3, e], slope[r, 4, e], slope[r, 5, e] = i, j, k
    ux, uy, uz = cross(dx, dy, dz, x, y, z)
    px, py, pz = cross(ex, ey, ez, i, j, k)
    couple[r, 0, e], couple[r, 1, e], couple[r, 2, e] = -ux - px, -uy - py, -uz - pz


@system(over=FramedRope, phase="deform_modes")
def couple_of_rope(
    f,
    e,
    rope=read(FramedRopeTopology.rope),
    first=read(RopeTopology.first),
    end=read(RopeTopology.end),
    body=read(RopeNodeTopology.body),
    group=read(DeformableTopology.first_group),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    couple=read(RopeSystem.couple),
    force=update(NodeGroupSums.force),
    impulse=update(RopeTurning.impulse),
):
    """Twist turns a rope as a whole, by the torques on its segments that spin or are held."""
    n = rope[f, e]
    x, y, z = 0.0, 0.0, 0.0
    for r in range(first[n, e], end[n, e]):
        x, y, z = x + couple[r, 0, e], y + couple[r, 1, e], z + couple[r, 2, e]
    g = group[body[first[n, e], e], e]
    force[g, 3, e] += x
    force[g, 4, e] += y
    force[g, 5, e] += z
    step = h[0, e] / real(count[0, e])
    impulse[n, 0, e] += step * x
    impulse[n, 1, e] += step * y
    impulse[n, 2, e] += step * z


@system(over=RopeNode, phase="deform_finish", needs=FramedRope)
def finish_turning(
    r,
    e,
    body=read(RopeNodeTopology.body),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    damping=read(DeformableDynamics.damping),
    diverged=read(Status.diverged),
    held=read(RopeFrameTarget.held),
    turned=read(RopeFrameStep.turned),
    spin=write(RopeFrame.spin),
    angle=update(RopeFrame.angle),
):
    """Spins are what frames have turned by."""
    step = h[0, e] / real(count[0, e])
    decay = 1.0 if held[r, e] != 0 else 1.0 / (1.0 + step * damping[body[r, e], e])
    turn = turned[r, e] if diverged[0, e] == 0 else 0.0
    spin[r, e] = decay * turn / step
    angle[r, e] += turn


@system(over=FramedRope, phase="deform_begin")
def begin_couples(f, e, rope=read(FramedRopeTopology.rope), impulse=write(RopeTurning.impulse)):
    """Nothing has turned the rope in this substep."""
    for k in range(3):
        impulse[rope[f, e], k, e] = 0.0


@system(over=Deformable, phase="deform_end", needs=FramedRope)
def impulse_of_twist(
    b,
    e,
    rope=read(DeformableTopology.rope),
    turning=read(RopeTurning.impulse),
    impulse=update(DeformableMomentum.impulse),
):
    """Angular momentum that a body's nodes have got from twist."""
    n = max(rope[b, e], 0)
    for k in range(3):
        impulse[b, 3 + k, e] += turning[n, k, e] if rope[b, e] >= 0 else 0.0
