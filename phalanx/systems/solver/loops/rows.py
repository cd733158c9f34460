"""Rows of loop joints: how far they are violated, and their Jacobians for decoupled velocities.

As those of :mod:`phalanx.systems.solver.contact_rows`, but over all dofs of the trees that they move: which those are
never changes, so neighbouring environments always go in step.

A row's velocity must not simply vanish: a point that goes on along the tangent of its path leaves it by the square of
the way. The drift added here aims along the chord, so that positions agree at the end of the substep to the third
order, and the velocity is that of the leapfrog scheme with constraints (SHAKE: Ryckaert, Ciccotti and Berendsen, 1977),
which keeps energy. Projecting on the tangent would lose (angle per substep)^2 of it each time.
"""

import math

from phalanx.components import (
    Coordinate,
    DofMotion,
    DofRelation,
    DofState,
    DofTopology,
    LinkPose,
    LinkTopology,
    Loop,
    LoopFrame,
    LoopJacobian,
    LoopLineSolve,
    LoopRow,
    LoopTopology,
    MassFactor,
    MassTopology,
    Settings,
    TreeMomentum,
    TreeTopology,
)
from phalanx.components.loop import DISTANCE_LOOP, FIXED_LOOP, REVOLUTE_LOOP
from phalanx.ecs import function, read, rows, system, update, write
from phalanx.maths.kernels import cross, quaternion_product, rotate
from phalanx.systems.solver.joined_trees import tree_rows


@function
def point_curvature(wx, wy, wz, ax, ay, az, bx, by, bz, rx, ry, rz):
    """Acceleration of a point at r from an origin that accelerates with b, on a body of angular motion w, a."""
    x, y, z = cross(wx, wy, wz, rx, ry, rz)
    x, y, z = cross(wx, wy, wz, x, y, z)
    tx, ty, tz = cross(ax, ay, az, rx, ry, rz)
    return bx + x + tx, by + y + ty, bz + z + tz


@system(over=Loop, phase="rows")
def loop_rows(
    j,
    e,
    h=read(Settings.timestep),
    kind=read(LoopTopology.kind),
    link_a=read(LoopTopology.link_a),
    link_b=read(LoopTopology.link_b),
    dof_a=read(LoopTopology.dof_a),
    dof_b=read(LoopTopology.dof_b),
    position_a=read(LoopFrame.position_a),
    orientation_a=read(LoopFrame.orientation_a),
    position_b=read(LoopFrame.position_b),
    orientation_b=read(LoopFrame.orientation_b),
    root=read(LinkTopology.root),
    coord=read(LinkTopology.coord),
    q=read(Coordinate.value),
    offset=read(LinkPose.offset),
    orientation=read(LinkPose.orientation),
    velocity=read(DofMotion.velocity),
    acceleration=read(DofMotion.acceleration),
    is_free=read(TreeTopology.is_free),
    tree=read(LinkTopology.tree),
    path=read(TreeMomentum.bend),
    chord=read(LoopRow.chord),
    arm_a=write(LoopRow.arm_a),
    arm_b=write(LoopRow.arm_b),
    direction=write(LoopRow.direction),
    error=write(LoopRow.error),
    drift=write(LoopRow.drift),
):
    """Where A and B are, which way each row goes, and by how much A's path bends away from B's."""
    a, b = link_a[j, e], link_b[j, e]
    m, n = max(b, 0), max(dof_a[j, e], 0)
    k = max(dof_b[j, e], 0)
    moves_a = 1.0 if dof_a[j, e] >= 0 else 0.0
    moves_b = 1.0 if dof_b[j, e] >= 0 else 0.0
    # frame A
    w, x, y, z = (
        orientation[a, 0, e],
        orientation[a, 1, e],
        orientation[a, 2, e],
        orientation[a, 3, e],
    )
    rx, ry, rz = rotate(w, x, y, z, position_a[j, 0, e], position_a[j, 1, e], position_a[j, 2, e])
    px, py, pz = offset[a, 0, e] + rx, offset[a, 1, e] + ry, offset[a, 2, e] + rz
    aw, ax, ay, az = quaternion_product(
        w,
        x,
        y,
        z,
        orientation_a[j, 0, e],
        orientation_a[j, 1, e],
        orientation_a[j, 2, e],
        orientation_a[j, 3, e],
    )
    wx, wy, wz = (
        moves_a * velocity[n, 0, e],
        moves_a * velocity[n, 1, e],
        moves_a * velocity[n, 2, e],
    )
    vx, vy, vz = cross(wx, wy, wz, rx, ry, rz)
    vx, vy, vz = (
        vx + moves_a * velocity[n, 3, e],
        vy + moves_a * velocity[n, 4, e],
        vz + moves_a * velocity[n, 5, e],
    )
    tx, ty, tz = (
        moves_a * acceleration[n, 0, e],
        moves_a * acceleration[n, 1, e],
        moves_a * acceleration[n, 2, e],
    )
    cx, cy, cz = point_curvature(
        wx,
        wy,
        wz,
        tx,
        ty,
        tz,
        moves_a * acceleration[n, 3, e],
        moves_a * acceleration[n, 4, e],
        moves_a * acceleration[n, 5, e],
        rx,
        ry,
        rz,
    )
    # frame B, the world's where there is no link
    here = 1.0 if b >= 0 else 0.0
    w, x, y, z = 1.0, 0.0, 0.0, 0.0
    if b >= 0:
        w, x, y, z = (
            orientation[m, 0, e],
            orientation[m, 1, e],
            orientation[m, 2, e],
            orientation[m, 3, e],
        )
    rx, ry, rz = rotate(w, x, y, z, position_b[j, 0, e], position_b[j, 1, e], position_b[j, 2, e])
    sx, sy, sz = (
        here * offset[m, 0, e] + rx,
        here * offset[m, 1, e] + ry,
        here * offset[m, 2, e] + rz,
    )
    bw, bx, by, bz = quaternion_product(
        w,
        x,
        y,
        z,
        orientation_b[j, 0, e],
        orientation_b[j, 1, e],
        orientation_b[j, 2, e],
        orientation_b[j, 3, e],
    )
    ux, uy, uz = (
        moves_b * velocity[k, 0, e],
        moves_b * velocity[k, 1, e],
        moves_b * velocity[k, 2, e],
    )
    x, y, z = cross(ux, uy, uz, rx, ry, rz)
    vx, vy, vz = (
        vx - x - moves_b * velocity[k, 3, e],
        vy - y - moves_b * velocity[k, 4, e],
        vz - z - moves_b * velocity[k, 5, e],
    )
    gx, gy, gz = (
        moves_b * acceleration[k, 0, e],
        moves_b * acceleration[k, 1, e],
        moves_b * acceleration[k, 2, e],
    )
    x, y, z = point_curvature(
        ux,
        uy,
        uz,
        gx,
        gy,
        gz,
        moves_b * acceleration[k, 3, e],
        moves_b * acceleration[k, 4, e],
        moves_b * acceleration[k, 5, e],
        rx,
        ry,
        rz,
    )
    cx, cy, cz = cx - x, cy - y, cz - z
    # a free root makes way for its centre of mass, which goes straight
    if is_free[tree[a, e], e] == 1:
        t = tree[a, e]
        cx, cy, cz = cx + path[t, 0, e], cy + path[t, 1, e], cz + path[t, 2, e]
    if b >= 0 and is_free[tree[m, e], e] == 1:
        t = tree[m, e]
        cx, cy, cz = cx - path[t, 0, e], cy - path[t, 1, e], cz - path[t, 2, e]
    tx, ty, tz = tx - gx, ty - gy, tz - gz
    arm_a[j, 0, e], arm_a[j, 1, e], arm_a[j, 2, e] = px, py, pz
    arm_b[j, 0, e], arm_b[j, 1, e], arm_b[j, 2, e] = sx, sy, sz
    # A from B; within a tree both are offsets from the same root
    x, y, z = px - sx, py - sy, pz - sz
    i, o = coord[root[a, e], e], coord[root[m, e], e]
    if b < 0 or i != o:
        x, y, z = (
            (q[i, e] - here * q[o, e]) + x,
            (q[i + 1, e] - here * q[o + 1, e]) + y,
            (q[i + 2, e] - here * q[o + 2, e]) + z,
        )
    for r in range(18):
        direction[j, r, e] = 0.0
    for r in range(6):
        error[j, r, e] = 0.0
        drift[j, r, e] = 0.0
    half = -chord[j, e] * h[0, e]
    sort = kind[j, e]
    if sort == DISTANCE_LOOP:
        length = math.sqrt(x * x + y * y + z * z)
        far = length > 1e-9
        scale = 1.0 / length if far else 0.0
        x, y, z = x * scale, y * scale, z * scale if far else 1.0
        along = vx * x + vy * y + vz * z
        across = max(vx * vx + vy * vy + vz * vz - along * along, 0.0)
        bend = max(length, h[0, e] * math.sqrt(across))
        turn = across / bend if bend > 1e-9 else 0.0
        direction[j, 0, e], direction[j, 1, e], direction[j, 2, e] = x, y, z
        error[j, 0, e] = length
        drift[j, 0, e] = half * (cx * x + cy * y + cz * z + turn)
    else:
        direction[j, 0, e], direction[j, 4, e], direction[j, 8, e] = 1.0, 1.0, 1.0
        error[j, 0, e], error[j, 1, e], error[j, 2, e] = x, y, z
        drift[j, 0, e], drift[j, 1, e], drift[j, 2, e] = half * cx, half * cy, half * cz
    if sort == FIXED_LOOP:
        w, x, y, z = quaternion_product(aw, ax, ay, az, bw, -bx, -by, -bz)
        scale = 2.0 if w >= 0.0 else -2.0
        direction[j, 9, e], direction[j, 13, e], direction[j, 17, e] = 1.0, 1.0, 1.0
        error[j, 3, e], error[j, 4, e], error[j, 5, e] = scale * x, scale * y, scale * z
        drift[j, 3, e], drift[j, 4, e], drift[j, 5, e] = half * tx, half * ty, half * tz
    if sort == REVOLUTE_LOOP:
        x, y, z = rotate(aw, ax, ay, az, 1.0, 0.0, 0.0)
        px, py, pz = rotate(bw, bx, by, bz, 1.0, 0.0, 0.0)
        x, y, z = cross(px, py, pz, x, y, z)
        wx, wy, wz = wx - ux, wy - uy, wz - uz
        for r in range(2):
            px, py, pz = rotate(bw, bx, by, bz, 0.0, 1.0 if r == 0 else 0.0, 0.0 if r == 0 else 1.0)
            sx, sy, sz = cross(ux, uy, uz, px, py, pz)
            (
                direction[j, 9 + 3 * r, e],
                direction[j, 10 + 3 * r, e],
                direction[j, 11 + 3 * r, e],
            ) = px, py, pz
            error[j, 3 + r, e] = x * px + y * py + z * pz
            drift[j, 3 + r, e] = half * (tx * px + ty * py + tz * pz + wx * sx + wy * sy + wz * sz)


@system(phase="rows")
def loop_jacobians(
    lanes,
    loops=rows(Loop),
    moves=read(DofRelation.moves),
    relations=read(DofTopology.relations),
    link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    offset=read(LinkPose.offset),
    axis=read(DofMotion.axis),
    count=read(LoopTopology.count),
    dof_a=read(LoopTopology.dof_a),
    dof_b=read(LoopTopology.dof_b),
    entry=read(LoopTopology.entry),
    arm_a=read(LoopRow.arm_a),
    arm_b=read(LoopRow.arm_b),
    direction=read(LoopRow.direction),
    jacobian=write(LoopJacobian.value),
):
    """Velocity of A against B along each row, per generalised velocity."""
    for j in range(loops):
        da, db = dof_a[j, 0], dof_b[j, 0]
        for side in range(2):
            low, high, shift = tree_rows(first, end, da, db, side)
            base = entry[j, 0] + shift
            for k in range(low, high):
                i = link[k, 0]
                turns = angular[k, 0] == 1
                with_a = da >= 0 and first[max(da, 0), 0] == low
                with_b = db >= 0 and first[max(db, 0), 0] == low
                on_a = 1.0 if with_a and moves[relations[da if with_a else k, 0] + k, 0] == 1 else 0.0
                on_b = 1.0 if with_b and moves[relations[db if with_b else k, 0] + k, 0] == 1 else 0.0
                for r in range(count[j, 0]):
                    for e in lanes:
                        ux, uy, uz = axis[k, 0, e], axis[k, 1, e], axis[k, 2, e]
                        vx, vy, vz = (
                            (on_a - on_b) * ux,
                            (on_a - on_b) * uy,
                            (on_a - on_b) * uz,
                        )
                        if turns and r < 3:
                            x = on_a * (arm_a[j, 0, e] - offset[i, 0, e]) - on_b * (arm_b[j, 0, e] - offset[i, 0, e])
                            y = on_a * (arm_a[j, 1, e] - offset[i, 1, e]) - on_b * (arm_b[j, 1, e] - offset[i, 1, e])
                            z = on_a * (arm_a[j, 2, e] - offset[i, 2, e]) - on_b * (arm_b[j, 2, e] - offset[i, 2, e])
                            vx, vy, vz = cross(ux, uy, uz, x, y, z)
                        along = vx * direction[j, 3 * r, e]
                        along += vy * direction[j, 3 * r + 1, e] + vz * direction[j, 3 * r + 2, e]
                        jacobian[base + k, r, e] = along if turns or r < 3 else 0.0


@system(phase="rows")
def decouple_loops(
    lanes,
    loops=rows(Loop),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    factor=read(MassFactor.value),
    qd=read(DofState.velocity),
    count=read(LoopTopology.count),
    dof_a=read(LoopTopology.dof_a),
    dof_b=read(LoopTopology.dof_b),
    entry=read(LoopTopology.entry),
    line=read(LoopTopology.line),
    jacobian=update(LoopJacobian.value),
    speed=write(LoopLineSolve.start),
    weight=write(LoopLineSolve.weight),
):
    """J L^-1, in place, and what is known of the rows from J itself."""
    for j in range(loops):
        da, db = dof_a[j, 0], dof_b[j, 0]
        for r in range(count[j, 0]):
            g = line[j, 0] + r
            for e in lanes:
                speed[g, e] = 0.0
                weight[g, e] = 0.0
            for side in range(2):
                low, high, shift = tree_rows(first, end, da, db, side)
                base = entry[j, 0] + shift
                for k in range(low, high):
                    for e in lanes:
                        along = jacobian[base + k, r, e]
                        speed[g, e] += along * qd[k, e]
                        weight[g, e] += along * along
                for d in range(high - 1, low - 1, -1):
                    start = chain[d, 0]
                    for s in range(1, depth[d, 0]):
                        b = base + column[start + s, 0]
                        for e in lanes:
                            jacobian[b, r, e] -= factor[start + s, e] * jacobian[base + d, r, e]
