"""Tendons: their lengths, and springs, dampers and limits on them in the constraint solver.

Springs and dampers are taken at the end of the substep (implicit Euler), each tendon's exactly given all others, so
that any stiffness is stable.
"""

import math

from phalanx.components import (
    BodyReaction,
    Coordinate,
    DofGain,
    DofMotion,
    DofRelation,
    DofSolve,
    DofState,
    DofTopology,
    LinkPose,
    MassFactor,
    MassTopology,
    Settings,
    Sweep,
    Tendon,
    TendonJacobian,
    TendonLength,
    TendonModel,
    TendonScratch,
    TendonSegmentModel,
    TendonState,
    TendonTermModel,
    TendonTopology,
)
from phalanx.components.tendon import PATH, SUM, SWING
from phalanx.ecs import function, read, real, rows, system, update, write
from phalanx.maths.kernels import cross, rotate
from phalanx.systems.solver.sweeps import CORRECTION, parts_gone, sweep_parts

INFINITY = float("inf")


@function
def swing(w, x, y, z, nx, ny, nz):
    """How far a rotation swings an axis n, as the chord 2 sin(angle / 2), and its gradient by angular velocity."""
    ax, ay, az = rotate(w, x, y, z, nx, ny, nz)
    cosine = nx * ax + ny * ay + nz * az
    chord = math.sqrt(max(2.0 - 2.0 * cosine, 0.0))
    ax, ay, az = cross(nx, ny, nz, ax, ay, az)
    scale = 1.0 / chord if chord > 1e-4 else 0.0
    return chord, ax * scale, ay * scale, az * scale


@function
def twist(w, x, y, z, nx, ny, nz):
    """How far a rotation turns about an axis n before it swings it, likewise; 2 sin(angle / 2), -2 to 2."""
    sign = 1.0 if w >= 0.0 else -1.0
    w, x, y, z = sign * w, sign * x, sign * y, sign * z
    p = x * nx + y * ny + z * nz
    r = math.sqrt(w * w + p * p)
    scale = 1.0 / r if r > 1e-4 else 0.0
    grade = w * scale * scale * scale
    ax, ay, az = cross(x, y, z, nx, ny, nz)
    return (
        2.0 * p * scale,
        grade * (w * w * nx + w * ax + p * x),
        grade * (w * w * ny + w * ay + p * y),
        grade * (w * w * nz + w * az + p * z),
    )


@system(phase="kinematics")
def tendon_lengths(
    lanes,
    tendons=rows(Tendon),
    kind=read(TendonTopology.kind),
    first=read(TendonTopology.first),
    end=read(TendonTopology.end),
    first_dof=read(TendonTopology.first_dof),
    end_dof=read(TendonTopology.end_dof),
    entry=read(TendonTopology.entry),
    term_dof=read(TendonTermModel.dof),
    term_coord=read(TendonTermModel.coord),
    coefficient=read(TendonTermModel.coefficient),
    about=read(TendonTermModel.axis),
    link=read(TendonSegmentModel.link),
    last_dof=read(TendonSegmentModel.dof),
    position_a=read(TendonSegmentModel.position_a),
    position_b=read(TendonSegmentModel.position_b),
    gearing=read(TendonSegmentModel.coefficient),
    q=read(Coordinate.value),
    place=read(LinkPose.offset),
    rotation=read(LinkPose.rotation),
    axis=read(DofMotion.axis),
    moves=read(DofRelation.moves),
    relations=read(DofTopology.relations),
    dof_link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    segment=update(TendonScratch.segment),
    length=write(TendonLength.value),
    jacobian=update(TendonJacobian.value),
):
    """Lengths, and how each dof changes them."""
    for t in range(tendons):
        low, high = first_dof[t, 0], end_dof[t, 0]
        base = entry[t, 0] - low
        for e in lanes:
            length[t, e] = 0.0
        for k in range(low, high):
            for e in lanes:
                jacobian[base + k, e] = 0.0
        if kind[t, 0] == SUM:
            for s in range(first[t, 0], end[t, 0]):
                for e in lanes:
                    length[t, e] += coefficient[s, e] * q[term_coord[s, 0], e]
                    jacobian[base + term_dof[s, 0], e] += coefficient[s, e]
        elif kind[t, 0] != PATH:
            s = first[t, 0]
            k, d = term_coord[s, 0], base + term_dof[s, 0]
            swings = kind[t, 0] == SWING
            for e in lanes:
                nx, ny, nz = about[s, 0, e], about[s, 1, e], about[s, 2, e]
                w, x, y, z = q[k, e], q[k + 1, e], q[k + 2, e], q[k + 3, e]
                chord, gx, gy, gz = swing(w, x, y, z, nx, ny, nz)
                turn, hx, hy, hz = twist(w, x, y, z, nx, ny, nz)
                length[t, e] = chord if swings else turn
                jacobian[d, e] = gx if swings else hx
                jacobian[d + 1, e] = gy if swings else hy
                jacobian[d + 2, e] = gz if swings else hz
        else:
            for s in range(first[t, 0], end[t, 0]):
                i, j = link[s, 0, 0], link[s, 1, 0]
                da, db = last_dof[s, 0, 0], last_dof[s, 1, 0]
                for e in lanes:
                    for r in range(3):
                        segment[0, 3 + r, e] = place[i, r, e]
                        segment[0, 6 + r, e] = place[j, r, e]
                        for m in range(3):
                            segment[0, 3 + r, e] += rotation[i, 3 * r + m, e] * position_a[s, m, e]
                            segment[0, 6 + r, e] += rotation[j, 3 * r + m, e] * position_b[s, m, e]
                    x = segment[0, 3, e] - segment[0, 6, e]
                    y = segment[0, 4, e] - segment[0, 7, e]
                    z = segment[0, 5, e] - segment[0, 8, e]
                    way = math.sqrt(x * x + y * y + z * z)
                    scale = gearing[s, e] / way if way > 1e-9 else 0.0
                    segment[0, 0, e], segment[0, 1, e], segment[0, 2, e] = x * scale, y * scale, z * scale
                    length[t, e] += gearing[s, e] * way
                for k in range(low, high):
                    on_a = 1.0 if da >= 0 and moves[relations[max(da, low), 0] + k, 0] == 1 else 0.0
                    on_b = 1.0 if db >= 0 and moves[relations[max(db, low), 0] + k, 0] == 1 else 0.0
                    turns = angular[k, 0] == 1
                    o = dof_link[k, 0]
                    for e in lanes:
                        ux, uy, uz = axis[k, 0, e], axis[k, 1, e], axis[k, 2, e]
                        vx, vy, vz = (on_a - on_b) * ux, (on_a - on_b) * uy, (on_a - on_b) * uz
                        if turns:
                            ax = on_a * (segment[0, 3, e] - place[o, 0, e]) - on_b * (segment[0, 6, e] - place[o, 0, e])
                            ay = on_a * (segment[0, 4, e] - place[o, 1, e]) - on_b * (segment[0, 7, e] - place[o, 1, e])
                            az = on_a * (segment[0, 5, e] - place[o, 2, e]) - on_b * (segment[0, 8, e] - place[o, 2, e])
                            vx, vy, vz = cross(ux, uy, uz, ax, ay, az)
                        jacobian[base + k, e] += vx * segment[0, 0, e] + vy * segment[0, 1, e] + vz * segment[0, 2, e]


@system(phase="rows")
def tendon_rows(
    lanes,
    tendons=rows(Tendon),
    first_dof=read(TendonTopology.first_dof),
    end_dof=read(TendonTopology.end_dof),
    entry=read(TendonTopology.entry),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    factor=read(MassFactor.value),
    mobility=read(DofSolve.inverse_pivot),
    qd=read(DofState.velocity),
    jacobian=read(TendonJacobian.value),
    decoupled=update(TendonJacobian.decoupled),
    response=write(TendonLength.response),
    speed=write(TendonLength.speed),
):
    """Jacobians J L^-1 for decoupled velocities; how fast lengths change, at the start and per unit impulse."""
    for t in range(tendons):
        low, high = first_dof[t, 0], end_dof[t, 0]
        base = entry[t, 0] - low
        for e in lanes:
            response[t, e] = 0.0
            speed[t, e] = 0.0
        for k in range(low, high):
            for e in lanes:
                decoupled[base + k, e] = jacobian[base + k, e]
                speed[t, e] += jacobian[base + k, e] * qd[k, e]
        for d in range(high - 1, low - 1, -1):
            for s in range(1, depth[d, 0]):
                b = base + column[chain[d, 0] + s, 0]
                for e in lanes:
                    decoupled[b, e] -= factor[chain[d, 0] + s, e] * decoupled[base + d, e]
            for e in lanes:
                response[t, e] += mobility[d, e] * decoupled[base + d, e] * decoupled[base + d, e]


@function
def solve_tendon(w, y, x, h, spring, damper, stop, rest, low, high, slowest, quickest):
    """The impulse of a tendon.

    Args:
        w, y: velocity of its length without it, and per unit impulse.
        x: length at the start of the substep, of length h.
        spring, damper, stop: stiffness, damping, and stiffness beyond the limits.
        rest, low, high: rest length and limits.
        slowest, quickest: bounds on the velocity, of hard limits.
    """
    pull = h * spring * (rest - x)
    slope = h * (h * spring + damper)
    v = (w + y * pull) / (1.0 + y * slope)
    beyond = 0.0
    beyond = high - x if x + h * v > high else beyond
    beyond = low - x if x + h * v < low else beyond
    passed = stop > 0.0 and (x + h * v > high or x + h * v < low)
    v = (w + y * (pull + h * stop * beyond)) / (1.0 + y * (slope + h * h * stop)) if passed else v
    v = max(min(v, quickest), slowest)
    return (v - w) / y


@system(phase="solve")
def warm_start_tendons(
    lanes,
    tendons=rows(Tendon),
    first_dof=read(TendonTopology.first_dof),
    end_dof=read(TendonTopology.end_dof),
    entry=read(TendonTopology.entry),
    jacobian=read(TendonJacobian.decoupled),
    mobility=read(DofSolve.inverse_pivot),
    impulse=read(TendonState.impulse),
    u=update(DofGain.velocity),
):
    """Apply the impulses of the substep before."""
    for t in range(tendons):
        base = entry[t, 0] - first_dof[t, 0]
        for k in range(first_dof[t, 0], end_dof[t, 0]):
            for e in lanes:
                u[k, e] += mobility[k, e] * jacobian[base + k, e] * impulse[t, e]


@system(phase="sweep")
def sweep_tendons(
    lanes,
    tendons=rows(Tendon),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    projected=read(Settings.projected),
    fastest_push=read(Settings.max_depenetration_velocity),
    index=read(Sweep.index),
    first_dof=read(TendonTopology.first_dof),
    end_dof=read(TendonTopology.end_dof),
    entry=read(TendonTopology.entry),
    stiffness=read(TendonModel.stiffness),
    damping=read(TendonModel.damping),
    limit_stiffness=read(TendonModel.limit_stiffness),
    offset=read(TendonModel.offset),
    rest=read(TendonModel.rest_length),
    lower=read(TendonModel.lower),
    upper=read(TendonModel.upper),
    length=read(TendonLength.value),
    response=read(TendonLength.response),
    speed=read(TendonLength.speed),
    jacobian=read(TendonJacobian.decoupled),
    mobility=read(DofSolve.inverse_pivot),
    sum=update(TendonScratch.sum),
    change=update(TendonScratch.change),
    impulse=update(TendonState.impulse),
    u=update(DofGain.velocity),
    displacement=read(DofGain.displacement),
):
    """One sweep: each tendon in turn."""
    sweep = 0
    for e in lanes:
        sweep = index[0, e]
    pushing = sweep < position_sweeps[0, 0]
    parts = sweep_parts(projected[0, 0], position_sweeps[0, 0])
    share = 1.0 / real(parts) if pushing else 1.0
    gone = real(parts_gone(projected[0, 0], position_sweeps[0, 0], sweep)) / real(parts)
    correct = CORRECTION if pushing else 0.0
    for t in range(tendons):
        low, high = first_dof[t, 0], end_dof[t, 0]
        base = entry[t, 0] - low
        for e in lanes:
            sum[0, 0, e] = speed[t, e]
            sum[0, 1, e] = gone * h[0, e] * speed[t, e]
        for k in range(low, high):
            for e in lanes:
                sum[0, 0, e] += jacobian[base + k, e] * u[k, e]
                sum[0, 1, e] += jacobian[base + k, e] * displacement[k, e]
        for e in lanes:
            y = response[t, e]
            least, most = lower[t, e], upper[t, e]
            hard = limit_stiffness[t, e] == INFINITY
            part = h[0, e] * share
            start = length[t, e] + offset[t, e]
            x = start + sum[0, 1, e]
            push = fastest_push[0, e]
            slowest = (least - x) / part if x > least else min((least - x) * correct / part, push)
            quickest = (most - x) / part if x < most else max((most - x) * correct / part, -push)
            new = solve_tendon(
                sum[0, 0, e] - y * impulse[t, e],
                y,
                start,
                h[0, e],
                stiffness[t, e],
                damping[t, e],
                0.0 if hard else limit_stiffness[t, e],
                rest[t, e],
                least,
                most,
                slowest if hard else -INFINITY,
                quickest if hard else INFINITY,
            )
            new = new if y > 1e-12 else 0.0
            change[0, e] = new - impulse[t, e]
            impulse[t, e] = new
        for k in range(low, high):
            for e in lanes:
                u[k, e] += mobility[k, e] * jacobian[base + k, e] * change[0, e]


@system(phase="query_joints")
def tendon_reactions(
    lanes,
    tendons=rows(Tendon),
    h=read(Settings.timestep),
    kind=read(TendonTopology.kind),
    first=read(TendonTopology.first),
    end=read(TendonTopology.end),
    link=read(TendonSegmentModel.link),
    body=read(TendonSegmentModel.body),
    position_a=read(TendonSegmentModel.position_a),
    position_b=read(TendonSegmentModel.position_b),
    gearing=read(TendonSegmentModel.coefficient),
    place=read(LinkPose.offset),
    rotation=read(LinkPose.rotation),
    impulse=read(TendonState.impulse),
    segment=update(TendonScratch.segment),
    acting=update(BodyReaction.acting),
):
    """What spatial tendons do to the bodies that they are attached to; all else acts within joints."""
    for t in range(tendons):
        if kind[t, 0] == PATH:
            for s in range(first[t, 0], end[t, 0]):
                i, j = link[s, 0, 0], link[s, 1, 0]
                for e in lanes:
                    for r in range(3):
                        segment[0, 3 + r, e] = 0.0
                        segment[0, 6 + r, e] = 0.0
                        for m in range(3):
                            segment[0, 3 + r, e] += rotation[i, 3 * r + m, e] * position_a[s, m, e]
                            segment[0, 6 + r, e] += rotation[j, 3 * r + m, e] * position_b[s, m, e]
                    x = place[i, 0, e] + segment[0, 3, e] - place[j, 0, e] - segment[0, 6, e]
                    y = place[i, 1, e] + segment[0, 4, e] - place[j, 1, e] - segment[0, 7, e]
                    z = place[i, 2, e] + segment[0, 5, e] - place[j, 2, e] - segment[0, 8, e]
                    way = math.sqrt(x * x + y * y + z * z)
                    scale = gearing[s, e] * (impulse[t, e] / h[0, e]) / way if way > 1e-9 else 0.0
                    segment[0, 0, e], segment[0, 1, e], segment[0, 2, e] = x * scale, y * scale, z * scale
                for side in range(2):
                    b = body[s, side, 0]
                    sign = 1.0 if side == 0 else -1.0
                    p = 3 + 3 * side
                    for e in lanes:
                        fx, fy, fz = sign * segment[0, 0, e], sign * segment[0, 1, e], sign * segment[0, 2, e]
                        x, y, z = cross(segment[0, p, e], segment[0, p + 1, e], segment[0, p + 2, e], fx, fy, fz)
                        acting[b, 0, e] += x
                        acting[b, 1, e] += y
                        acting[b, 2, e] += z
                        acting[b, 3, e] += fx
                        acting[b, 4, e] += fy
                        acting[b, 5, e] += fz
