"""Links that deformable bodies push: where they are going, and how they give way.

While deformable bodies are stepped a link goes on as forces and last substep's impulses make it go, little by little.
It gives way with its mobility J M^-1 J^T, of the mass matrix with its implicit terms.
"""

import math

from phalanx.components import (
    ContactCount,
    ContactImpulse,
    ContactPoint,
    ContactSurface,
    Coordinate,
    CoupledDofResponse,
    CoupledDofTopology,
    CoupledLink,
    CoupledLinkMotion,
    CoupledLinkTopology,
    DeformableSettings,
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
    ShapeTopology,
)
from phalanx.ecs import function, local, read, real, rows, spread, system, update, write
from phalanx.maths.kernels import cross

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


@system(phase="deform_begin", needs=CoupledLink)
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


@system(over=Dof, order="forward", phase="deform_begin", needs=CoupledLink)
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


@system(over=CoupledLink, phase="deform_begin")
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


@system(over=CoupledLink, phase="deform_begin")
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
    whole=write(CoupledLinkMotion.free),
):
    """What rests on something that cannot move does not give way to it.

    A contact that carried load in the last substep, and would not open if deformable bodies pushed as they did then,
    takes its direction out of the link's motion and mobility, and those along the surface if friction was well within
    its bound: a light plate on the ground is as firm as the ground.
    """
    i = link[n, e]
    most = mobility[n, 0, e] + mobility[n, 6, e] + mobility[n, 11, e]
    whole[n, e] = most
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


@system(over=CoupledLink, phase="deform_begin")
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
