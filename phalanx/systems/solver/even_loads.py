"""Loads that contacts could share in many ways are shared evenly: the sum of the squares of their forces is least.

Rigid bodies do not say how the four legs of a table share its weight: impulses of more than three contacts on a
plane can change without any force or torque changing. Sweeps leave that to the order of contacts and to what was there
before. The choice here is that of an even, stiff layer between the bodies, force = a + b x + c y over the plane,
without pulls: what contact models with a little compliance tend to as they get stiff (Todorov, Convex and
analytically-invertible dynamics with contacts and constraints, 2014).

Impulses are changed before the warm start, and neither push nor turn the bodies more than before, so sweeps find them
as right as they were. Contacts of the same two links, one behind the other in the list, whose normals agree share, if
they touch. What is against another link, or at another angle, is the solver's to find.
"""

import math

from phalanx.components import (
    Contact,
    ContactCount,
    ContactImpulse,
    ContactMotion,
    ContactPoint,
    ContactSurface,
    DofMotion,
    DofSolve,
    DofTopology,
    LinkDynamics,
    LinkInertia,
    LinkPose,
    Settings,
)
from phalanx.ecs import function, local, local_int, read, real, rows, system, update
from phalanx.maths.kernels import cross
from phalanx.systems.solver.contact_solver import NEAR, SLOP
from phalanx.systems.solver.load_steps import at_bound

MOST = 32
"""Most contacts that share; further ones keep what they have."""

AT_ONCE = 4
"""Contacts whose numbers are loaded together: as many as mostly share. A thread of a GPU waits at each branch for the
loads that decide it, so there are none between these, and what is not needed is left out of the results."""

REGISTERS = 128
"""Of a thread on GPUs: with fewer, which compilers choose themselves, some loads wait until others are stored."""

ROUNDS = 6
"""Rounds, each of which steps until one of those that share would pull: it lets go, and has no part in the next."""

SAME_NORMAL = 1e-10
"""Square of the greatest difference of unit normals that agree."""

THIN = 1e-6
"""Points lie on a line if the sum of squares across it is less than this share of that along it."""


@function
def agree(a, b, other_a, other_b, x, y, z):
    """Whether two contacts are between the same two links, by their dofs, with the same normal, by the difference."""
    return (a == other_a) & (b == other_b) & (x * x + y * y + z * z < SAME_NORMAL)


@function
def point_speed(vx, vy, vz, wx, wy, wz, x, y, z, nx, ny, nz):
    """Speed along n of a point of a link, at x, y, z from its origin, which has the velocity v and turns at w."""
    ux, uy, uz = cross(wx, wy, wz, x, y, z)
    return (vx + ux) * nx + (vy + uy) * ny + (vz + uz) * nz


@system(over=Contact, phase="rows", used="count", registers=REGISTERS)
def share_loads(
    c,
    e,
    slots=rows(Contact),
    count=read(ContactCount.current),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    arm_a=read(ContactPoint.arm_a),
    arm_b=read(ContactPoint.arm_b),
    normal=read(ContactPoint.normal),
    tangent=read(ContactPoint.tangent),
    gap=update(ContactMotion.gap),
    rebound=read(ContactMotion.rebound),
    h=read(Settings.timestep),
    gravity=read(Settings.gravity),
    link=read(DofTopology.link),
    tree_first=read(DofTopology.tree_first),
    tree_end=read(DofTopology.tree_end),
    mobility=read(DofSolve.inverse_pivot),
    velocity=read(DofMotion.velocity),
    offset=read(LinkPose.offset),
    rotation=read(LinkPose.rotation),
    mass=read(LinkInertia.mass),
    com=read(LinkInertia.com),
    scale=read(LinkDynamics.gravity_scale),
    static=read(ContactSurface.static_friction),
    dynamic=read(ContactSurface.dynamic_friction),
    impulse=update(ContactImpulse.last),
):
    """Step from the impulses as they are towards the even ones, without pulling; friction that slides goes along.

    What rests on some of its contacts, others being within the slop above, rests on those as well. For depth within the
    slop stays, so bodies rest a little askew: a table would stand on three legs, the fourth 20 um up.
    """
    last, used = min(c + 3, slots - 1), count[0, e]
    da, db, last_a, last_b = dof_a[c, e], dof_b[c, e], dof_a[last, e], dof_b[last, e]
    if c + 3 >= used or (da != last_a) | (db != last_b):  # a foot, an edge: nothing to choose
        return
    before, end = max(c - 1, 0), c + 1
    nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
    ux, uy, uz = nx - normal[before, 0, e], ny - normal[before, 1, e], nz - normal[before, 2, e]
    goes_on = (c == 0) | (not agree(da, db, dof_a[before, e], dof_b[before, e], ux, uy, uz))
    goes_on = goes_on & (not rebound[c, e] < 0.0)  # springs say themselves who bears what
    while goes_on:
        first = end
        for k in range(AT_ONCE):
            i = min(first + k, slots - 1)
            ux, uy, uz = nx - normal[i, 0, e], ny - normal[i, 1, e], nz - normal[i, 2, e]
            same = agree(da, db, dof_a[i, e], dof_b[i, e], ux, uy, uz)
            goes_on = goes_on & same & (first + k < min(used, c + MOST))
            end += 1 if goes_on else 0
    if end - c < 4:
        return
    bears, close = False, False
    for first in range(c, end, AT_ONCE):
        for k in range(AT_ONCE):
            i = min(first + k, end - 1)
            bears = bears | ((impulse[i, 0, e] > 0.0) & (gap[i, e] <= NEAR))
            close = close | ((gap[i, e] > NEAR) & (gap[i, e] <= SLOP))
    for i in range(c, end if bears and close else c):
        if gap[i, e] > NEAR and gap[i, e] <= SLOP:
            speed = 0.0
            for side in range(2):
                d = da if side == 0 else db
                if d >= 0:
                    m = link[d, 0]
                    x = (arm_a[i, 0, e] if side == 0 else arm_b[i, 0, e]) - offset[m, 0, e]
                    y = (arm_a[i, 1, e] if side == 0 else arm_b[i, 1, e]) - offset[m, 1, e]
                    z = (arm_a[i, 2, e] if side == 0 else arm_b[i, 2, e]) - offset[m, 2, e]
                    along = point_speed(
                        velocity[d, 3, e], velocity[d, 4, e], velocity[d, 5, e],
                        velocity[d, 0, e], velocity[d, 1, e], velocity[d, 2, e], x, y, z, nx, ny, nz,
                    )  # fmt: skip
                    speed += along if side == 0 else -along
            gap[i, e] = 0.0 if math.fabs(speed) * h[0, e] <= NEAR else gap[i, e]
    d = max(da, db, 0)
    alone = (tree_end[d, 0] - tree_first[d, 0] == 6) & (mobility[d, e] > 0.0) & (min(da, db) < 0)
    number, sum = 0, 0.0
    s, t = local(MOST + 1), local(MOST + 1)  # where those that touch are, along two tangents, what they bear, how they
    load, grip, rub_1, rub_2 = local(MOST + 1), local(MOST + 1), local(MOST + 1), local(MOST + 1)  # hold and rub
    which = local_int(MOST + 1)
    tx, ty, tz = tangent[c, 0, e], tangent[c, 1, e], tangent[c, 2, e]
    bx, by, bz = cross(nx, ny, nz, tx, ty, tz)
    for first in range(c, end, AT_ONCE):
        for k in range(AT_ONCE):
            i = min(first + k, end - 1)
            x, y = arm_a[i, 0, e] if da >= 0 else arm_b[i, 0, e], arm_a[i, 1, e] if da >= 0 else arm_b[i, 1, e]
            z = arm_a[i, 2, e] if da >= 0 else arm_b[i, 2, e]
            push, apart = impulse[i, 0, e], gap[i, e]
            s[number], t[number] = tx * x + ty * y + tz * z, bx * x + by * y + bz * z
            which[number], load[number], grip[number] = i, push, min(static[i, e], dynamic[i, e])
            rub_1[number], rub_2[number] = impulse[i, 1, e], impulse[i, 2, e]
            here = (first + k < end) & (apart <= NEAR)  # else the next one takes its place
            sum += push if here else 0.0
            number += 1 if here else 0
    weight, cs, ct = 0.0, 0.0, 0.0
    if number >= 3 and sum == 0.0 and alone:  # what has just been set down: by its weight, if it is at rest
        m, up = link[d, 0], 1.0 if da >= 0 else -1.0
        falls = up * h[0, e] * (nx * gravity[0, 0, e] + ny * gravity[0, 1, e] + nz * gravity[0, 2, e])
        moves = nx * velocity[d, 3, e] + ny * velocity[d, 4, e] + nz * velocity[d, 5, e]
        weight = -mass[m, e] * scale[m, e] * falls if math.fabs(moves) <= -falls else 0.0
        cx, cy, cz = com[m, 0, e], com[m, 1, e], com[m, 2, e]
        x = rotation[m, 0, e] * cx + rotation[m, 1, e] * cy + rotation[m, 2, e] * cz
        y = rotation[m, 3, e] * cx + rotation[m, 4, e] * cy + rotation[m, 5, e] * cz
        z = rotation[m, 6, e] * cx + rotation[m, 7, e] * cy + rotation[m, 8, e] * cz
        cs, ct = tx * x + ty * y + tz * z, bx * x + by * y + bz * z
    rounds = ROUNDS if number >= 3 and sum + weight > 0.0 else 0
    while rounds > 0:
        # about their middle: spreads along two directions, the second one across the first, and the turns to be kept
        x, y, total = 0.0, 0.0, weight
        for k in range(number):
            x, y, total = x + s[k], y + t[k], total + load[k]
        x, y, mean = x / real(number), y / real(number), total / real(number)
        cs, ct, along, across = cs - x, ct - y, 0.0, 0.0
        for k in range(number):
            s[k], t[k] = s[k] - x, t[k] - y
            along, across = along + s[k] * s[k], across + t[k] * t[k]
        swap = across > along  # the wider one first
        along = max(along, across)
        cs, ct = ct if swap else cs, cs if swap else ct
        both, turn = 0.0, weight * cs
        for k in range(number):
            s[k], t[k] = t[k] if swap else s[k], s[k] if swap else t[k]
            both, turn = both + s[k] * t[k], turn + s[k] * load[k]
        lean, slope = both / along if along > 0.0 else 0.0, turn / along if along > 0.0 else 0.0
        across, turn = 0.0, weight * (ct - lean * cs)
        for k in range(number):
            x = t[k] - lean * s[k]
            across, turn = across + x * x, turn + x * load[k]
        tilt = turn / across if across > THIN * along else 0.0
        far, lets_go = 1.0, -1
        for k in range(number):
            was = load[k]
            even = mean + slope * s[k] + tilt * (t[k] - lean * s[k])
            if even < 0.0 and was < far * (was - even):
                far, lets_go = was / (was - even), k
        for k in range(number):
            i = which[k]
            was = load[k]
            new = was + far * (mean + slope * s[k] + tilt * (t[k] - lean * s[k]) - was)
            new = 0.0 if k == lets_go else new
            slides = at_bound(was, rub_1[k], rub_2[k], grip[k], grip[k])
            ratio = new / was if slides and was > 0.0 else 1.0
            load[k], rub_1[k], rub_2[k] = new, ratio * rub_1[k], ratio * rub_2[k]
            impulse[i, 0, e], impulse[i, 1, e], impulse[i, 2, e] = new, rub_1[k], rub_2[k]
        rounds -= 1
        if lets_go < 0 or number == 3:
            rounds = 0
        else:  # the last one takes its place
            number -= 1
            s[lets_go], t[lets_go] = s[number], t[number]
            which[lets_go], load[lets_go], grip[lets_go] = which[number], load[number], grip[number]
            rub_1[lets_go], rub_2[lets_go] = rub_1[number], rub_2[number]
