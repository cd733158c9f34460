"""Links that deformable bodies push: where they are going, how they give way, and what they get.

While deformable bodies are stepped a link goes on as forces and last substep's impulses make it go, little by little.
It gives way to contact forces with its mobility J M^-1 J^T, of the mass matrix with its implicit terms, so that neither
side takes the other for immovable. The impulses that nodes have got, small step by small step, are what links get, with
the sign turned: they change the solver's velocities before its sweeps begin, and joint limits, drives and rigid
contacts answer to them.
"""

import math

from phalanx.components import (
    ContactCount,
    ContactImpulse,
    ContactPoint,
    ContactSurface,
    Coordinate,
    CoupledAttachments,
    CoupledBody,
    CoupledBodySums,
    CoupledBodyTopology,
    CoupledDofResponse,
    CoupledDofTopology,
    CoupledLink,
    CoupledLinkMotion,
    CoupledLinkTopology,
    DeformableMotion,
    DeformablePairState,
    DeformablePairTopology,
    DeformableSettings,
    DeformableSurface,
    Dof,
    DofForecast,
    DofGain,
    DofMotion,
    DofSolve,
    DofTopology,
    LinkPose,
    LinkTopology,
    MassFactor,
    MassTopology,
    NodeAttachmentPoint,
    NodeAttachmentState,
    NodeAttachmentTopology,
    NodeContact,
    NodeContactPoint,
    NodeContactState,
    NodeModel,
    NodeState,
    Settings,
    ShapeTopology,
    SurfaceNodeTopology,
)
from phalanx.components.node_attachment import OFF, ON
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import function, local, read, real, rows, spread, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.deformable.attachments import attachment_force
from phalanx.systems.deformable.contact_force import contact_force, contact_stiffness

OPENS = 0.05
"""m/s: a contact that would open, or slip, faster holds nothing; forecasts of light links are no better than this."""

STICKS = 0.9
"""Share of the bound of friction up to which a contact holds by it."""

HELD = 1e-3
"""A link is held in a direction already when its mobility there is less than this share of that along axes."""


@function
def place_in_triangle(i, j):
    """Where the entry of row i and column j of a symmetric 6 x 6 matrix is in its upper triangle, row by row."""
    a, b = min(i, j), max(i, j)
    return 6 * a - a * (a - 1) // 2 + b - a


@system(over=CoupledLink, phase="deform_begin")
def begin_links(
    n,
    e,
    link=read(CoupledLinkTopology.link),
    last=read(CoupledLinkTopology.dof),
    first=read(CoupledLinkTopology.first_dof),
    end=read(CoupledLinkTopology.end_dof),
    dof=read(CoupledDofTopology.dof),
    dof_link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    chain=read(DofTopology.chain),
    root=read(LinkTopology.root),
    coord=read(LinkTopology.coord),
    q=read(Coordinate.value),
    offset=read(LinkPose.offset),
    axis=read(DofMotion.axis),
    factor=read(MassFactor.value),
    pivot=read(DofSolve.inverse_pivot),
    motion=read(DofMotion.velocity),
    place=update(CoupledLinkMotion.place),
    begin=write(CoupledLinkMotion.begin),
    velocity=write(CoupledLinkMotion.velocity),
    mobility=write(CoupledLinkMotion.mobility),
    row=update(CoupledDofResponse.row),
):
    """Where each link is, how it moves, and its mobility: sums over G D^-1 G^T with the rows G = J L^-1."""
    i = link[n, e]
    k = coord[root[i, e], e]
    d = last[n, e]
    for j in range(3):
        place[n, j, e] = q[k + j, e] + offset[i, j, e]
        begin[n, j, e] = place[n, j, e]
        velocity[n, j, e] = motion[d, 3 + j, e]
        velocity[n, 3 + j, e] = motion[d, j, e]
    for j in range(21):
        mobility[n, j, e] = 0.0
    for r in range(first[n, e], end[n, e]):
        d = dof[r, e]
        x, y, z = axis[d, 0, e], axis[d, 1, e], axis[d, 2, e]
        if angular[d, e] == 1:
            o = dof_link[d, e]
            ux, uy, uz = cross(
                x, y, z, offset[i, 0, e] - offset[o, 0, e], offset[i, 1, e] - offset[o, 1, e],
                offset[i, 2, e] - offset[o, 2, e],
            )  # fmt: skip
            row[r, 0, e], row[r, 1, e], row[r, 2, e] = ux, uy, uz
            row[r, 3, e], row[r, 4, e], row[r, 5, e] = x, y, z
        else:
            row[r, 0, e], row[r, 1, e], row[r, 2, e] = x, y, z
            row[r, 3, e], row[r, 4, e], row[r, 5, e] = 0.0, 0.0, 0.0
        for s in range(first[n, e], r):  # dofs beyond it, whose rows are done
            w = factor[chain[dof[s, e], e] + (r - s), e]
            for j in range(6):
                row[r, j, e] -= w * row[s, j, e]
        y = pivot[d, e]
        k = 0
        for a in range(6):
            for b in range(a, 6):
                mobility[n, k, e] += y * row[r, a, e] * row[r, b, e]
                k += 1


@system(phase="deform_begin", needs=CoupledLink, after="begin_links")
def forecast_dofs(
    lanes,
    nv=rows(Dof),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    factor=read(MassFactor.value),
    links=rows(CoupledLink),
    first=read(CoupledLinkTopology.first_dof),
    end=read(CoupledLinkTopology.end_dof),
    dof=read(CoupledDofTopology.dof),
    row=read(CoupledDofResponse.row),
    pivot=read(DofSolve.inverse_pivot),
    impulse=read(CoupledLinkMotion.impulse),
    gained=read(DofGain.velocity),
    gain=update(DofForecast.gain),
):
    """What the substep adds to velocities, L^-1 u, if deformable bodies push as they did in the last one."""
    for d in range(nv):
        for e in lanes:
            gain[d, e] = gained[d, e]
    for n in range(links):
        for r in range(first[n, 0], end[n, 0]):
            d = dof[r, 0]
            for e in lanes:
                gain[d, e] += pivot[d, e] * (
                    row[r, 0, e] * impulse[n, 0, e]
                    + row[r, 1, e] * impulse[n, 1, e]
                    + row[r, 2, e] * impulse[n, 2, e]
                    + row[r, 3, e] * impulse[n, 3, e]
                    + row[r, 4, e] * impulse[n, 4, e]
                    + row[r, 5, e] * impulse[n, 5, e]
                )
    for d in range(nv):
        start = chain[d, 0]
        for s in spread(1, depth[d, 0]):
            a = column[start + s, 0]
            for e in lanes:
                gain[d, e] -= factor[start + s, e] * gain[a, e]


@system(over=Dof, order="forward", phase="deform_begin", needs=CoupledLink, after="forecast_dofs")
def forecast_motion(
    d,
    e,
    parent=read(DofTopology.parent),
    link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    offset=read(LinkPose.offset),
    axis=read(DofMotion.axis),
    gain=read(DofForecast.gain),
    velocity=write(DofForecast.change),
):
    """As :func:`phalanx.systems.dynamics.kinematics.link_velocities`, of what is added."""
    p = parent[d, e]
    u = gain[d, e]
    ax, ay, az = u * axis[d, 0, e], u * axis[d, 1, e], u * axis[d, 2, e]
    wx, wy, wz, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if p >= 0:
        wx, wy, wz = velocity[p, 0, e], velocity[p, 1, e], velocity[p, 2, e]
        i, j = link[d, e], link[p, e]
        vx, vy, vz = cross(
            wx,
            wy,
            wz,
            offset[i, 0, e] - offset[j, 0, e],
            offset[i, 1, e] - offset[j, 1, e],
            offset[i, 2, e] - offset[j, 2, e],
        )
        vx, vy, vz = vx + velocity[p, 3, e], vy + velocity[p, 4, e], vz + velocity[p, 5, e]
    if angular[d, e] == 1:
        wx, wy, wz = wx + ax, wy + ay, wz + az
    else:
        vx, vy, vz = vx + ax, vy + ay, vz + az
    velocity[d, 0, e], velocity[d, 1, e], velocity[d, 2, e] = wx, wy, wz
    velocity[d, 3, e], velocity[d, 4, e], velocity[d, 5, e] = vx, vy, vz


@system(over=CoupledLink, phase="deform_begin", after="forecast_motion")
def forecast_links(
    n,
    e,
    last=read(CoupledLinkTopology.dof),
    forecast=read(DofForecast.change),
    impulse=read(CoupledLinkMotion.impulse),
    mobility=read(CoupledLinkMotion.mobility),
    change=write(CoupledLinkMotion.change),
):
    """What changes the velocity of each link, but for what deformable bodies did to it itself."""
    d = last[n, e]
    for j in range(6):
        own = 0.0
        for k in range(6):
            own += mobility[n, place_in_triangle(j, k), e] * impulse[n, k, e]
        change[n, j, e] = forecast[d, 3 + j if j < 3 else j - 3, e] - own


@system(over=CoupledLink, phase="deform_begin", after="forecast_links")
def hold_links(
    n,
    e,
    link=read(CoupledLinkTopology.link),
    dof=read(ShapeTopology.dof),
    shape_link=read(ShapeTopology.link),
    offset=read(LinkPose.offset),
    contacts=read(ContactCount.current),
    shape_a=read(ContactPoint.a),
    shape_b=read(ContactPoint.b),
    arm_a=read(ContactPoint.arm_a),
    arm_b=read(ContactPoint.arm_b),
    normal=read(ContactPoint.normal),
    tangent=read(ContactPoint.tangent),
    friction=read(ContactSurface.static_friction),
    pushes=read(ContactImpulse.last),
    velocity=update(CoupledLinkMotion.velocity),
    change=update(CoupledLinkMotion.change),
    mobility=update(CoupledLinkMotion.mobility),
    impulse=read(CoupledLinkMotion.impulse),
):
    """What rests on something that cannot move does not give way to it.

    A contact that carried load in the last substep, and would not open if deformable bodies pushed as they did then,
    takes its direction out of the link's motion and mobility, and those along the surface if friction was well within
    its bound: a light plate on the ground is as firm as the ground.
    """
    i = link[n, e]
    most = mobility[n, 0, e] + mobility[n, 6, e] + mobility[n, 11, e]
    free = local(6)  # the velocity at the end of the substep, if deformable bodies push as they did
    row = local(6)
    moved = local(6)
    for j in range(6):
        free[j] = velocity[n, j, e] + change[n, j, e]
        for k in range(6):
            free[j] += mobility[n, place_in_triangle(j, k), e] * impulse[n, k, e]
    for c in range(contacts[0, e]):
        s, t = shape_a[c, e], shape_b[c, e]
        on_a = shape_link[s, e] == i and dof[t, e] < 0
        on_b = shape_link[t, e] == i and dof[s, e] < 0
        if pushes[c, 0, e] > 0.0 and (on_a or on_b):
            x = (arm_a[c, 0, e] if on_a else arm_b[c, 0, e]) - offset[i, 0, e]
            y = (arm_a[c, 1, e] if on_a else arm_b[c, 1, e]) - offset[i, 1, e]
            z = (arm_a[c, 2, e] if on_a else arm_b[c, 2, e]) - offset[i, 2, e]
            sign = 1.0 if on_a else -1.0
            rub = math.sqrt(pushes[c, 1, e] * pushes[c, 1, e] + pushes[c, 2, e] * pushes[c, 2, e])
            sticks = rub < STICKS * friction[c, e] * pushes[c, 0, e]
            nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
            tx, ty, tz = tangent[c, 0, e], tangent[c, 1, e], tangent[c, 2, e]
            bx, by, bz = cross(nx, ny, nz, tx, ty, tz)
            for way in range(3 if sticks else 1):
                row[0] = sign * nx if way == 0 else (tx if way == 1 else bx)
                row[1] = sign * ny if way == 0 else (ty if way == 1 else by)
                row[2] = sign * nz if way == 0 else (tz if way == 1 else bz)
                row[3], row[4], row[5] = cross(x, y, z, row[0], row[1], row[2])
                response, opening, before, added = 0.0, 0.0, 0.0, 0.0
                for j in range(6):
                    moved[j] = 0.0
                    for k in range(6):
                        moved[j] += mobility[n, place_in_triangle(j, k), e] * row[k]
                    response += moved[j] * row[j]
                    opening += free[j] * row[j]
                    before += velocity[n, j, e] * row[j]
                    added += change[n, j, e] * row[j]
                stays = opening < OPENS if way == 0 else math.fabs(opening) < OPENS
                if not stays and way == 0:
                    break
                if stays and response > HELD * most:
                    share = 1.0 / response
                    for j in range(6):
                        free[j] -= share * opening * moved[j]
                        velocity[n, j, e] -= share * before * moved[j]
                        change[n, j, e] -= share * added * moved[j]
                        for k in range(j, 6):
                            mobility[n, place_in_triangle(j, k), e] -= share * moved[j] * moved[k]


@system(over=CoupledLink, phase="deform_begin", after="hold_links")
def start_links(
    n,
    e,
    count=read(DeformableSettings.small_steps),
    change=update(CoupledLinkMotion.change),
    impulse=write(CoupledLinkMotion.impulse),
):
    """Shares of small steps; and no impulses yet."""
    for j in range(6):
        change[n, j, e] = change[n, j, e] / real(count[0, e])
        impulse[n, j, e] = 0.0


@system(over=CoupledBody, phase="deform_begin", after="near_deformables")
def near_links(
    n,
    e,
    link=read(CoupledBodyTopology.link),
    body=read(CoupledBodyTopology.body),
    first=read(DeformableSurface.first_pair),
    end=read(DeformableSurface.end_pair),
    pair_link=read(DeformablePairTopology.link),
    pair_near=read(DeformablePairState.near),
    first_tie=read(CoupledAttachments.first),
    end_tie=read(CoupledAttachments.end),
    mode=read(NodeAttachmentState.mode),
    near=write(CoupledBodySums.near),
    force=write(CoupledBodySums.force),
    stiffness=write(CoupledBodySums.stiffness),
    impulse=write(CoupledBodySums.impulse),
):
    """Whether any shape of a link is near a body, or the body is tied to it."""
    b = body[n, e]
    found = 0
    for p in range(first[b, e], end[b, e]):
        if pair_link[p, e] == link[n, e] and pair_near[p, e] != 0:
            found = 1
    for a in range(first_tie[n, e], end_tie[n, e]):
        if mode[a, e] != OFF:
            found = 1
    near[n, e] = found
    for k in range(6):
        force[n, k, e] = 0.0
        impulse[n, k, e] = 0.0
    for k in range(21):
        stiffness[n, k, e] = 0.0


@function
def add_even_stiffness(matrix, k, x, y, z):
    """Add what a spring of stiffness k, the same in all directions, at x, y, z is to the motion of a link's origin.

    Args:
        matrix: upper triangle of a 6 x 6 matrix, row by row.
    """
    matrix[0] += k
    matrix[6] += k
    matrix[11] += k
    matrix[4] += k * z
    matrix[5] -= k * y
    matrix[8] -= k * z
    matrix[10] += k * x
    matrix[12] += k * y
    matrix[13] -= k * x
    matrix[15] += k * (y * y + z * z)
    matrix[16] -= k * x * y
    matrix[17] -= k * x * z
    matrix[18] += k * (x * x + z * z)
    matrix[19] -= k * y * z
    matrix[20] += k * (x * x + y * y)


@system(over=CoupledBody, phase="deform_couple")
def sum_link_forces(
    n,
    e,
    link=read(CoupledBodyTopology.link),
    body=read(CoupledBodyTopology.body),
    first=read(CoupledBodyTopology.first_surface),
    end=read(CoupledBodyTopology.end_surface),
    near=read(CoupledBodySums.near),
    pair_link=read(DeformablePairTopology.link),
    node=read(SurfaceNodeTopology.node),
    mass=read(NodeModel.mass),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    origin=read(DeformableMotion.origin),
    place=read(CoupledLinkMotion.place),
    pair=read(NodeContactState.pair),
    load=read(NodeContactState.load),
    normal=read(NodeContactPoint.normal),
    anchor=read(NodeContactPoint.anchor),
    friction=read(NodeContactPoint.friction),
    first_tie=read(CoupledAttachments.first),
    end_tie=read(CoupledAttachments.end),
    tied=read(NodeAttachmentTopology.node),
    mode=read(NodeAttachmentState.mode),
    tie_load=read(NodeAttachmentState.load),
    tie_anchor=read(NodeAttachmentPoint.anchor),
    position=read(NodeState.position),
    force=update(CoupledBodySums.force),
    stiffness=update(CoupledBodySums.stiffness),
):
    """Forces of contacts and attachments on a link, and how they change when it moves."""
    if near[n, e] == 0:
        return
    i, b = link[n, e], body[n, e]
    rate = real(count[0, e]) / h[0, e]
    ox, oy, oz = origin[b, 0, e] - place[i, 0, e], origin[b, 1, e] - place[i, 1, e], origin[b, 2, e] - place[i, 2, e]
    total = local(6)
    matrix = local(21)
    row = local(6)
    for k in range(6):
        total[k] = 0.0
    for k in range(21):
        matrix[k] = 0.0
    for s in range(first[n, e], end[n, e]):
        v = node[s, e]
        for slot in range(SLOTS):
            c = s * SLOTS + slot
            p = pair[c, e]
            if p >= 0 and pair_link[max(p, 0), e] == i:
                nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
                x, y, z = position[v, 0, e], position[v, 1, e], position[v, 2, e]
                push, across, more, tx, ty, tz, _ = contact_force(
                    True, contact_stiffness(mass[v, e], rate), load[c, e], friction[c, e], nx, ny, nz,
                    x - anchor[c, 0, e], y - anchor[c, 1, e], z - anchor[c, 2, e],
                )  # fmt: skip
                if push > 0.0:
                    x, y, z = x + ox, y + oy, z + oz
                    fx, fy, fz = across * tx - push * nx, across * ty - push * ny, across * tz - push * nz
                    ux, uy, uz = cross(x, y, z, fx, fy, fz)
                    total[0] += fx
                    total[1] += fy
                    total[2] += fz
                    total[3] += ux
                    total[4] += uy
                    total[5] += uz
                    row[0] = nx
                    row[1] = ny
                    row[2] = nz
                    row[3], row[4], row[5] = cross(x, y, z, nx, ny, nz)
                    k = 0
                    for a in range(6):
                        for d in range(a, 6):
                            matrix[k] += more * row[a] * row[d]
                            k += 1
                    add_even_stiffness(matrix, across, x, y, z)
    for a in range(first_tie[n, e], end_tie[n, e]):
        v = tied[a, e]
        x, y, z = position[v, 0, e], position[v, 1, e], position[v, 2, e]
        fx, fy, fz, across = attachment_force(
            mode[a, e] == ON, contact_stiffness(mass[v, e], rate), x - tie_anchor[a, 0, e], y - tie_anchor[a, 1, e],
            z - tie_anchor[a, 2, e], tie_load[a, 0, e], tie_load[a, 1, e], tie_load[a, 2, e],
        )  # fmt: skip
        x, y, z = x + ox, y + oy, z + oz
        ux, uy, uz = cross(x, y, z, fx, fy, fz)
        total[0] -= fx
        total[1] -= fy
        total[2] -= fz
        total[3] -= ux
        total[4] -= uy
        total[5] -= uz
        add_even_stiffness(matrix, across, x, y, z)
    for k in range(6):
        force[n, k, e] = total[k]
    for k in range(21):
        stiffness[n, k, e] = matrix[k]


@function
def solve_six_with_pivots(matrix, x):
    """Solve a system of six equations by Gauss's method, in place; ``matrix`` (36 numbers, row by row) is used up."""
    for j in range(6):
        best = j
        for i in range(j + 1, 6):
            if math.fabs(matrix[6 * i + j]) > math.fabs(matrix[6 * best + j]):
                best = i
        for k in range(6):
            kept = matrix[6 * j + k]
            matrix[6 * j + k] = matrix[6 * best + k]
            matrix[6 * best + k] = kept
        kept = x[j]
        x[j] = x[best]
        x[best] = kept
        for i in range(j + 1, 6):
            share = matrix[6 * i + j] / matrix[7 * j]
            for k in range(j, 6):
                matrix[6 * i + k] -= share * matrix[6 * j + k]
            x[i] -= share * x[j]
    for i in range(5, -1, -1):
        for k in range(i + 1, 6):
            x[i] -= matrix[6 * i + k] * x[k]
        x[i] /= matrix[7 * i]


@system(over=CoupledLink, phase="deform_couple", after="sum_link_forces")
def give_way(
    n,
    e,
    first=read(CoupledLinkTopology.first_body),
    end=read(CoupledLinkTopology.end_body),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    near=read(CoupledBodySums.near),
    force=read(CoupledBodySums.force),
    stiffness=read(CoupledBodySums.stiffness),
    mobility=read(CoupledLinkMotion.mobility),
    change=read(CoupledLinkMotion.change),
    give=write(CoupledLinkMotion.give),
):
    """How far a link moves in the small step, beyond where its velocity takes it, under forces that change as it moves.

    With contact forces f, their stiffness K, mobility W, the change c of velocity that all else makes, and the small
    step h, the way is u = h (c + W p), the impulse p = h (f - K u). At rest nothing moves.
    """
    touched = 0
    for b in range(first[n, e], end[n, e]):
        touched += near[b, e]
    for k in range(6):
        give[n, k, e] = 0.0
    if touched > 0:
        step = h[0, e] / real(count[0, e])
        matrix = local(36)
        x = local(6)
        sums = local(21)
        for k in range(6):
            x[k] = 0.0
        for k in range(21):
            sums[k] = 0.0
        for b in range(first[n, e], end[n, e]):
            for k in range(6):
                x[k] += step * force[b, k, e]
            for k in range(21):
                sums[k] += step * step * stiffness[b, k, e]
        for i in range(6):
            for j in range(6):
                x[i] -= sums[place_in_triangle(i, j)] * change[n, j, e]
                product = 1.0 if i == j else 0.0
                for k in range(6):
                    product += sums[place_in_triangle(i, k)] * mobility[n, place_in_triangle(k, j), e]
                matrix[6 * i + j] = product
        solve_six_with_pivots(matrix, x)
        for i in range(6):
            way = change[n, i, e]
            for k in range(6):
                way += mobility[n, place_in_triangle(i, k), e] * x[k]
            give[n, i, e] = step * way


@system(over=NodeContact, phase="deform_couple", after="give_way")
def give_anchors(
    c,
    e,
    body=read(SurfaceNodeTopology.body),
    link=read(DeformablePairTopology.link),
    origin=read(DeformableMotion.origin),
    place=read(CoupledLinkMotion.place),
    give=read(CoupledLinkMotion.give),
    pair=read(NodeContactState.pair),
    anchor=update(NodeContactPoint.anchor),
):
    """Anchors give way with their links."""
    p = pair[c, e]
    i = link[max(p, 0), e]
    if p >= 0 and i >= 0:
        b = body[c // SLOTS, e]
        x = (origin[b, 0, e] - place[i, 0, e]) + anchor[c, 0, e]
        y = (origin[b, 1, e] - place[i, 1, e]) + anchor[c, 1, e]
        z = (origin[b, 2, e] - place[i, 2, e]) + anchor[c, 2, e]
        ux, uy, uz = cross(give[i, 3, e], give[i, 4, e], give[i, 5, e], x, y, z)
        anchor[c, 0, e] += give[i, 0, e] + ux
        anchor[c, 1, e] += give[i, 1, e] + uy
        anchor[c, 2, e] += give[i, 2, e] + uz


@system(over=CoupledBody, phase="deform_finish")
def sum_link_impulses(
    n,
    e,
    link=read(CoupledBodyTopology.link),
    body=read(CoupledBodyTopology.body),
    first=read(CoupledBodyTopology.first_surface),
    end=read(CoupledBodyTopology.end_surface),
    near=read(CoupledBodySums.near),
    pair_link=read(DeformablePairTopology.link),
    node=read(SurfaceNodeTopology.node),
    origin=read(DeformableMotion.origin),
    begin=read(CoupledLinkMotion.begin),
    pair=read(NodeContactState.pair),
    pulse=read(NodeContactState.pulse),
    first_tie=read(CoupledAttachments.first),
    end_tie=read(CoupledAttachments.end),
    tied=read(NodeAttachmentTopology.node),
    mode=read(NodeAttachmentState.mode),
    pull=read(NodeAttachmentPoint.pulse),
    position=read(NodeState.position),
    impulse=write(CoupledBodySums.impulse),
):
    """What nodes have got in the small step from a link, with the sign turned."""
    px, py, pz, lx, ly, lz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if near[n, e] != 0:
        i, b = link[n, e], body[n, e]
        for s in range(first[n, e], end[n, e]):
            v = node[s, e]
            for slot in range(SLOTS):
                c = s * SLOTS + slot
                p = pair[c, e]
                if p >= 0 and pair_link[max(p, 0), e] == i:
                    x = (origin[b, 0, e] - begin[i, 0, e]) + position[v, 0, e]
                    y = (origin[b, 1, e] - begin[i, 1, e]) + position[v, 1, e]
                    z = (origin[b, 2, e] - begin[i, 2, e]) + position[v, 2, e]
                    ux, uy, uz = cross(x, y, z, pulse[c, 0, e], pulse[c, 1, e], pulse[c, 2, e])
                    px, py, pz = px - pulse[c, 0, e], py - pulse[c, 1, e], pz - pulse[c, 2, e]
                    lx, ly, lz = lx - ux, ly - uy, lz - uz
        for a in range(first_tie[n, e], end_tie[n, e]):
            if mode[a, e] != OFF:
                v = tied[a, e]
                x = (origin[b, 0, e] - begin[i, 0, e]) + position[v, 0, e]
                y = (origin[b, 1, e] - begin[i, 1, e]) + position[v, 1, e]
                z = (origin[b, 2, e] - begin[i, 2, e]) + position[v, 2, e]
                ux, uy, uz = cross(x, y, z, pull[a, 0, e], pull[a, 1, e], pull[a, 2, e])
                px, py, pz = px - pull[a, 0, e], py - pull[a, 1, e], pz - pull[a, 2, e]
                lx, ly, lz = lx - ux, ly - uy, lz - uz
    impulse[n, 0, e], impulse[n, 1, e], impulse[n, 2, e] = px, py, pz
    impulse[n, 3, e], impulse[n, 4, e], impulse[n, 5, e] = lx, ly, lz


@system(over=CoupledLink, phase="deform_finish")
def push_links(
    n,
    e,
    first=read(CoupledLinkTopology.first_body),
    end=read(CoupledLinkTopology.end_body),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    near=read(CoupledBodySums.near),
    pulse=read(CoupledBodySums.impulse),
    mobility=read(CoupledLinkMotion.mobility),
    change=read(CoupledLinkMotion.change),
    place=update(CoupledLinkMotion.place),
    velocity=update(CoupledLinkMotion.velocity),
    impulse=update(CoupledLinkMotion.impulse),
):
    """Links get the impulses of the small step, and its share of what else changes their velocities."""
    step = h[0, e] / real(count[0, e])
    touched = 0
    for b in range(first[n, e], end[n, e]):
        touched += near[b, e]
    for i in range(6):
        velocity[n, i, e] += change[n, i, e]
    if touched > 0:
        x = local(6)
        for k in range(6):
            x[k] = 0.0
        for b in range(first[n, e], end[n, e]):
            for k in range(6):
                x[k] += pulse[b, k, e]
        for i in range(6):
            impulse[n, i, e] += x[i]
            for k in range(6):
                velocity[n, i, e] += mobility[n, place_in_triangle(i, k), e] * x[k]
    for k in range(3):
        place[n, k, e] += step * velocity[n, k, e]


@system(phase="deform_end", needs=CoupledLink)
def push_dofs(
    lanes,
    links=rows(CoupledLink),
    first=read(CoupledLinkTopology.first_dof),
    end=read(CoupledLinkTopology.end_dof),
    dof=read(CoupledDofTopology.dof),
    impulse=read(CoupledLinkMotion.impulse),
    row=read(CoupledDofResponse.row),
    pivot=read(DofSolve.inverse_pivot),
    u=update(DofGain.velocity),
):
    """The impulses on links, on the solver's velocities: D^-1 G^T p."""
    for n in range(links):
        for r in range(first[n, 0], end[n, 0]):
            d = dof[r, 0]
            for e in lanes:
                u[d, e] += pivot[d, e] * (
                    row[r, 0, e] * impulse[n, 0, e]
                    + row[r, 1, e] * impulse[n, 1, e]
                    + row[r, 2, e] * impulse[n, 2, e]
                    + row[r, 3, e] * impulse[n, 3, e]
                    + row[r, 4, e] * impulse[n, 4, e]
                    + row[r, 5, e] * impulse[n, 5, e]
                )
