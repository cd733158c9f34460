"""Rows of limits of loop joints: the angles, how far their limits are, and what impulses on them do.

A limit's impulse alone would tear its joint's other rows open, which would then push the limit back: for a body on a
long lever the two would take hundreds of sweeps to agree. So each impulse comes with what all rows of connected joints
do to keep their velocities (its *shares*), found from their factorised system: the limit is then exact within all
joints, and limits take turns only among each other. Far from its limits a joint costs its angle, and nothing else.
"""

import math

from phalanx.components import (
    DofMotion,
    DofRelation,
    DofSolve,
    DofTopology,
    LinkPose,
    LoopCellValue,
    LoopFrame,
    LoopJacobian,
    LoopLimit,
    LoopLimitModel,
    LoopLimitResponse,
    LoopLimitRow,
    LoopLimitShare,
    LoopLimitState,
    LoopLimitTopology,
    LoopLineSolve,
    LoopLineTopology,
    LoopScratch,
    LoopState,
    LoopTopology,
    MassFactor,
    MassTopology,
    Settings,
)
from phalanx.components.loop_limit import SWING_LIMIT, TURN_LIMIT
from phalanx.ecs import function, read, real, rows, system, update, write
from phalanx.maths.kernels import cross, quaternion_product, right_half_angle, rotate
from phalanx.systems.solver.joined_trees import tree_rows
from phalanx.systems.solver.loops.matrix import DEPENDENT

INFINITY = float("inf")
TURN = 6.283185307179586

MARGIN = 0.1
"""Limits become rows this far ahead (rad), beyond twice what the speed covers in a substep."""


PLACED = 0.5
"""No load pushes a joint so far (rad) beyond a limit."""


@function
def whole_turns(angle):
    """The nearest number of turns."""
    count = int(math.fabs(angle) * (1.0 / TURN) + 0.5)
    return real(count) if angle >= 0.0 else -real(count)


@function
def continued(raw, last, low, high):
    """The angle that differs from ``raw`` by turns and is nearest to the last one.

    What is far beyond a limit has been put there, rather than pushed: then it is the one inside, if there is one.
    """
    angle = raw + TURN * whole_turns(last - raw)
    over = max(angle - high, 0.0) + min(angle - low, 0.0)
    back = TURN * real(int(math.fabs(over) * (1.0 / TURN)) + 1)
    other = angle - back if over > 0.0 else angle + back
    return other if math.fabs(over) > PLACED and low <= other and other <= high else angle


@function
def swing_row(w, x, y, z, cone_y, cone_z):
    """Of a rotation against a cone about x, from 1 / tan(angle / 4)^2 for its widths about y and z.

    The cone is an ellipse of tan(angle / 4). Between its axes the way to it is measured across its edge.

    Returns:
        the way past the edge, rad; the unit axis of the swing, y and z; and the share of the edge's slant.
    """
    cosine = math.sqrt(w * w + x * x)
    sine = math.sqrt(y * y + z * z)
    sy, sz = y * w - z * x, y * x + z * w
    size = math.sqrt(sy * sy + sz * sz)
    scale = 1.0 / size if size > 1e-9 else 0.0
    sy = sy * scale if size > 1e-9 else 1.0
    sz = sz * scale
    narrow = cone_y * sy * sy + cone_z * sz * sz
    most = 4.0 * right_half_angle(math.sqrt(narrow), 1.0)
    # change of the edge's angle as the axis of the swing turns
    bend = -4.0 * sy * sz * (cone_z - cone_y) / ((1.0 + narrow) * math.sqrt(narrow))
    slant = bend / (2.0 * sine * cosine) if sine * cosine > 1e-3 else 0.0
    return 2.0 * right_half_angle(cosine, sine) - most, sy, sz, slant


@system(over=LoopLimit, phase="rows")
def loop_limit_rows(
    m,
    e,
    h=read(Settings.timestep),
    kind=read(LoopLimitTopology.kind),
    loop=read(LoopLimitTopology.loop),
    link_a=read(LoopTopology.link_a),
    link_b=read(LoopTopology.link_b),
    dof_a=read(LoopTopology.dof_a),
    dof_b=read(LoopTopology.dof_b),
    broken=read(LoopState.broken),
    orientation_a=read(LoopFrame.orientation_a),
    orientation_b=read(LoopFrame.orientation_b),
    orientation=read(LinkPose.orientation),
    velocity=read(DofMotion.velocity),
    lower=read(LoopLimitModel.lower),
    upper=read(LoopLimitModel.upper),
    cone=read(LoopLimitModel.cone),
    angle=update(LoopLimitState.angle),
    impulse=update(LoopLimitState.impulse),
    near=write(LoopLimitRow.near),
    below=write(LoopLimitRow.below),
    above=write(LoopLimitRow.above),
    rates=write(LoopLimitRow.rate),
    direction=write(LoopLimitRow.direction),
):
    """The angle, how far its limits are, how it changes with the angular velocity, and whether it may reach them."""
    j = loop[m, e]
    a, b = link_a[j, e], link_b[j, e]
    o = max(b, 0)
    aw, ax, ay, az = quaternion_product(
        orientation[a, 0, e],
        orientation[a, 1, e],
        orientation[a, 2, e],
        orientation[a, 3, e],
        orientation_a[j, 0, e],
        orientation_a[j, 1, e],
        orientation_a[j, 2, e],
        orientation_a[j, 3, e],
    )
    here = 1.0 if b >= 0 else 0.0
    bw, bx, by, bz = quaternion_product(
        here * orientation[o, 0, e] + (1.0 - here),
        here * orientation[o, 1, e],
        here * orientation[o, 2, e],
        here * orientation[o, 3, e],
        orientation_b[j, 0, e],
        orientation_b[j, 1, e],
        orientation_b[j, 2, e],
        orientation_b[j, 3, e],
    )
    w, x, y, z = quaternion_product(bw, -bx, -by, -bz, aw, ax, ay, az)
    sign = 1.0 if w >= 0.0 else -1.0
    w, x, y, z = sign * w, sign * x, sign * y, sign * z
    px, py, pz = rotate(aw, ax, ay, az, 1.0, 0.0, 0.0)
    if kind[m, e] == SWING_LIMIT:
        past, uy, uz, slant = swing_row(w, x, y, z, cone[m, 0, e], cone[m, 1, e])
        ux, uy, uz = rotate(bw, bx, by, bz, 0.0, uy, uz)
        px, py, pz = cross(px, py, pz, ux, uy, uz)
        scale = 1.0 / math.sqrt(1.0 + slant * slant)
        gx, gy, gz = (ux - slant * px) * scale, (uy - slant * py) * scale, (uz - slant * pz) * scale
        low, high = -INFINITY, -past * scale
    else:
        ux, uy, uz = rotate(bw, bx, by, bz, 1.0, 0.0, 0.0)
        level = w * w + x * x
        scale = 0.5 / level if level > 1e-4 else 0.0
        gx, gy, gz = (ux + px) * scale, (uy + py) * scale, (uz + pz) * scale
        turn = 2.0 * right_half_angle(w, x)
        if kind[m, e] == TURN_LIMIT:
            turn = continued(turn, angle[m, e], lower[m, e], upper[m, e])
            angle[m, e] = turn
        low, high = lower[m, e] - turn, upper[m, e] - turn
    n, k = max(dof_a[j, e], 0), max(dof_b[j, e], 0)
    on_a = 1.0 if dof_a[j, e] >= 0 else 0.0
    on_b = 1.0 if dof_b[j, e] >= 0 else 0.0
    rate = (on_a * velocity[n, 0, e] - on_b * velocity[k, 0, e]) * gx
    rate += (on_a * velocity[n, 1, e] - on_b * velocity[k, 1, e]) * gy
    rate += (on_a * velocity[n, 2, e] - on_b * velocity[k, 2, e]) * gz
    reach = MARGIN + 2.0 * h[0, e] * math.fabs(rate)
    whole = broken[j, e] == 0
    impulse[m, e] = impulse[m, e] if whole else 0.0
    near[m, e] = 1 if whole and (low > -reach or high < reach or impulse[m, e] != 0.0) else 0
    below[m, e], above[m, e], rates[m, e] = low, high, rate
    direction[m, 0, e], direction[m, 1, e], direction[m, 2, e] = gx, gy, gz


@system(phase="rows")
def loop_limit_shares(
    lanes,
    limits=rows(LoopLimit),
    moves=read(DofRelation.moves),
    relations=read(DofTopology.relations),
    angular=read(DofTopology.angular),
    axis=read(DofMotion.axis),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    factor=read(MassFactor.value),
    mobility=read(DofSolve.inverse_pivot),
    loop=read(LoopLimitTopology.loop),
    first_dof=read(LoopLimitTopology.first_dof),
    end_dof=read(LoopLimitTopology.end_dof),
    limit_entry=read(LoopLimitTopology.entry),
    first_line=read(LoopLimitTopology.first_line),
    end_line=read(LoopLimitTopology.end_line),
    first_share=read(LoopLimitTopology.share),
    dof_a=read(LoopTopology.dof_a),
    dof_b=read(LoopTopology.dof_b),
    entry=read(LoopTopology.entry),
    line_loop=read(LoopLineTopology.loop),
    slot=read(LoopLineTopology.slot),
    line_first=read(LoopLineTopology.first),
    line_cell=read(LoopLineTopology.cell),
    line_jacobian=read(LoopJacobian.value),
    line_factor=read(LoopCellValue.value),
    inverse=read(LoopLineSolve.inverse_pivot),
    near=read(LoopLimitRow.near),
    direction=read(LoopLimitRow.direction),
    jacobian=update(LoopLimitResponse.jacobian),
    held=update(LoopLimitResponse.held),
    share=update(LoopLimitShare.value),
    own=update(LoopScratch.sum),
    response=write(LoopLimitRow.response),
):
    """Jacobians for decoupled velocities, and the shares of the joints' rows in what impulses do."""
    for m in range(limits):
        on = 0
        for e in lanes:
            on |= near[m, e]
        if on != 0:
            j = loop[m, 0]
            da, db = dof_a[j, 0], dof_b[j, 0]
            base = limit_entry[m, 0] - first_dof[m, 0]
            for k in range(first_dof[m, 0], end_dof[m, 0]):
                for e in lanes:
                    jacobian[base + k, e] = 0.0
            for e in lanes:
                own[0, e] = 0.0
            for side in range(2):
                low, high, _ = tree_rows(first, end, da, db, side)
                for k in range(low, high):
                    with_a = da >= 0 and first[max(da, 0), 0] == low
                    with_b = db >= 0 and first[max(db, 0), 0] == low
                    on_a = 1.0 if with_a and moves[relations[da if with_a else k, 0] + k, 0] == 1 else 0.0
                    on_b = 1.0 if with_b and moves[relations[db if with_b else k, 0] + k, 0] == 1 else 0.0
                    turns = angular[k, 0] == 1
                    for e in lanes:
                        along = axis[k, 0, e] * direction[m, 0, e]
                        along += axis[k, 1, e] * direction[m, 1, e] + axis[k, 2, e] * direction[m, 2, e]
                        jacobian[base + k, e] = (on_a - on_b) * along if turns else 0.0
                for d in range(high - 1, low - 1, -1):
                    start = chain[d, 0]
                    for s in range(1, depth[d, 0]):
                        b = base + column[start + s, 0]
                        for e in lanes:
                            jacobian[b, e] -= factor[start + s, e] * jacobian[base + d, e]
                for k in range(low, high):
                    for e in lanes:
                        own[0, e] += mobility[k, e] * jacobian[base + k, e] * jacobian[base + k, e]
            for k in range(first_dof[m, 0], end_dof[m, 0]):
                for e in lanes:
                    held[base + k, e] = jacobian[base + k, e]
            for e in lanes:
                response[m, e] = own[0, e]
            # what the rows of joints would miss, and the impulses that make up for it
            from_line = first_share[m, 0] - first_line[m, 0]
            for g in range(first_line[m, 0], end_line[m, 0]):
                i, r = line_loop[g, 0], slot[g, 0]
                for e in lanes:
                    share[from_line + g, e] = 0.0
                for side in range(2):
                    low, high, shift = tree_rows(first, end, dof_a[i, 0], dof_b[i, 0], side)
                    shared = da >= 0 and first[max(da, 0), 0] == low
                    shared = shared or (db >= 0 and first[max(db, 0), 0] == low)
                    for k in range(low, high if shared else low):
                        for e in lanes:
                            share[from_line + g, e] += (
                                line_jacobian[entry[i, 0] + shift + k, r, e] * mobility[k, e] * jacobian[base + k, e]
                            )
                cell = line_cell[g, 0] - line_first[g, 0]
                for c in range(max(line_first[g, 0], first_line[m, 0]), g):
                    for e in lanes:
                        share[from_line + g, e] -= line_factor[cell + c, e] * share[from_line + c, e]
                for e in lanes:
                    missing = share[from_line + g, e]
                    response[m, e] -= missing * missing * inverse[g, e]
            for g in range(first_line[m, 0], end_line[m, 0]):
                for e in lanes:
                    share[from_line + g, e] = share[from_line + g, e] * inverse[g, e]
            for g in range(end_line[m, 0] - 1, first_line[m, 0] - 1, -1):
                cell = line_cell[g, 0] - line_first[g, 0]
                for c in range(max(line_first[g, 0], first_line[m, 0]), g):
                    for e in lanes:
                        share[from_line + c, e] -= line_factor[cell + c, e] * share[from_line + g, e]
            for e in lanes:
                answers = response[m, e] > DEPENDENT * own[0, e]  # else joints hold it already
                response[m, e] = response[m, e] if answers else 0.0
