"""What robots hold between two links is held evenly on either side.

Two pads that press a bar from both sides may press harder at one end of it: a couple that one pad exerts and the other
takes back moves neither the bar nor the pads, so rigid bodies do not say how large it is. Sweeps leave it as the
contacts came to be, mostly with all of the force at one end. What is held there has no friction at the other end, and
turns out of the grip. Here the couple is taken away: impulses on either side go towards their mean, on both sides as
far as the couples cancel, and only where they do no work on any dof of either tree. So sweeps find them as right as
they were.
"""

import math

from phalanx.components import (
    Contact,
    ContactCount,
    ContactImpulse,
    ContactMotion,
    ContactPoint,
    DofMotion,
    DofTopology,
)
from phalanx.ecs import read, real, system, update
from phalanx.maths.kernels import cross
from phalanx.systems.solver.contact_rows import moves
from phalanx.systems.solver.contact_solver import NEAR
from phalanx.systems.solver.squeezes import OPPOSITE

ALIKE = 0.9998
"""Normals of a side have at least this dot product, as those of a bar that is a little askew."""

UNEVEN = 1e-3
"""Share of a side's impulse by which its contacts must differ from their mean to be worth it."""

CANCELS = 0.02
"""Share of a couple that may be left over, and that may act on a joint."""


@system(over=Contact, phase="rows", used="count")
def even_out_grips(
    c,
    e,
    count=read(ContactCount.current),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    gap=read(ContactMotion.gap),
    rebound=read(ContactMotion.rebound),
    arm=read(ContactPoint.arm_a),
    normal=read(ContactPoint.normal),
    tree_first=read(DofTopology.tree_first),
    tree_end=read(DofTopology.tree_end),
    turns=read(DofTopology.angular),
    walk_begin=read(DofTopology.walk_begin),
    walk_end=read(DofTopology.walk_end),
    axis=read(DofMotion.axis),
    impulse=update(ContactImpulse.last),
):
    """The contacts of two trees, one behind the other in the list: each side with the first opposite one after it."""
    n, da, db = count[0, e], dof_a[c, e], dof_b[c, e]
    if (c + 3 >= n) | (min(da, db) < 0):
        return
    tree_a, tree_b = tree_first[da, 0], tree_first[db, 0]
    before_a, before_b = dof_a[max(c - 1, 0), e], dof_b[max(c - 1, 0), e]
    again = (c > 0) & (tree_first[max(before_a, 0), 0] == tree_a) & (tree_first[max(before_b, 0), 0] == tree_b)
    if (tree_a == tree_b) | (again & (min(before_a, before_b) >= 0)):
        return
    last = c  # one past those of both trees
    goes_on = True
    while goes_on:
        last += 1
        i = min(last, n - 1)
        a, b = dof_a[i, e], dof_b[i, e]
        goes_on = last < n and min(a, b) >= 0 and tree_first[max(a, 0), 0] == tree_a
        goes_on = goes_on and tree_first[max(b, 0), 0] == tree_b
    first = c
    while first < last:
        a, b = dof_a[first, e], dof_b[first, e]
        nx, ny, nz = normal[first, 0, e], normal[first, 1, e], normal[first, 2, e]
        end, second, second_end = first, last, last
        for i in range(first, last):
            dot = nx * normal[i, 0, e] + ny * normal[i, 1, e] + nz * normal[i, 2, e]
            end = i + 1 if i == end and dof_a[i, e] == a and dof_b[i, e] == b and dot > ALIKE else end
        for i in range(end, last):
            dot = nx * normal[i, 0, e] + ny * normal[i, 1, e] + nz * normal[i, 2, e]
            opposite = (dof_a[i, e] == a) != (dof_b[i, e] == b) and dot < OPPOSITE
            second = i if opposite and second == last else second
        i = min(second, last - 1)
        o, p, mx, my, mz = dof_a[i, e], dof_b[i, e], normal[i, 0, e], normal[i, 1, e], normal[i, 2, e]
        second_end = second
        for i in range(second, last):
            dot = mx * normal[i, 0, e] + my * normal[i, 1, e] + mz * normal[i, 2, e]
            alike = dof_a[i, e] == o and dof_b[i, e] == p and dot > ALIKE
            second_end = i + 1 if i == second_end and alike else second_end
        pressed, pressed_2, push, push_2, stiff = 0, 0, 0.0, 0.0, True
        for i in range(first, end):
            here = gap[i, e] <= NEAR
            pressed, push = pressed + 1 if here else pressed, push + impulse[i, 0, e] if here else push
            stiff = stiff and not rebound[i, e] < 0.0
        for i in range(second, second_end):
            here = gap[i, e] <= NEAR
            pressed_2, push_2 = pressed_2 + 1 if here else pressed_2, push_2 + impulse[i, 0, e] if here else push_2
            stiff = stiff and not rebound[i, e] < 0.0
        if stiff and pressed > 1 and pressed_2 > 1 and push > 0.0 and push_2 > 0.0:
            mean, mean_2 = push / real(pressed), push_2 / real(pressed_2)
            x, y, z, x_2, y_2, z_2, off, off_2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for i in range(first, end):
                d = mean - impulse[i, 0, e] if gap[i, e] <= NEAR else 0.0
                off += math.fabs(d)
                ux, uy, uz = cross(arm[i, 0, e], arm[i, 1, e], arm[i, 2, e], d * nx, d * ny, d * nz)
                x, y, z = x + ux, y + uy, z + uz
            for i in range(second, second_end):
                d = mean_2 - impulse[i, 0, e] if gap[i, e] <= NEAR else 0.0
                off_2 += math.fabs(d)
                ux, uy, uz = cross(arm[i, 0, e], arm[i, 1, e], arm[i, 2, e], d * mx, d * my, d * mz)
                x_2, y_2, z_2 = x_2 + ux, y_2 + uy, z_2 + uz
            size, size_2 = math.sqrt(x * x + y * y + z * z), math.sqrt(x_2 * x_2 + y_2 * y_2 + z_2 * z_2)
            both = min(size, size_2)
            part, part_2 = both / size if size > 0.0 else 0.0, both / size_2 if size_2 > 0.0 else 0.0
            x, y, z, x_2, y_2, z_2 = part * x, part * y, part * z, part_2 * x_2, part_2 * y_2, part_2 * z_2
            left_over = max(math.fabs(x + x_2), max(math.fabs(y + y_2), math.fabs(z + z_2)))
            uneven = both > 0.0 and part * off > UNEVEN * push and part_2 * off_2 > UNEVEN * push_2
            acts = left_over > CANCELS * both or not uneven
            for side in range(2 if not acts else 0):
                link, link_2 = (a, o) if side == 0 else (b, p)
                for k in range(tree_first[link, 0], tree_end[link, 0]):
                    if turns[k, 0] == 1:
                        on = moves(walk_begin[k, 0], walk_end[k, 0], walk_begin[link, 0])
                        on_2 = moves(walk_begin[k, 0], walk_end[k, 0], walk_begin[link_2, 0])
                        torque = axis[k, 0, e] * ((x if on else 0.0) + (x_2 if on_2 else 0.0))
                        torque += axis[k, 1, e] * ((y if on else 0.0) + (y_2 if on_2 else 0.0))
                        torque += axis[k, 2, e] * ((z if on else 0.0) + (z_2 if on_2 else 0.0))
                        acts = acts or math.fabs(torque) > CANCELS * both
            for i in range(first, end if not acts else first):
                impulse[i, 0, e] += part * (mean - impulse[i, 0, e]) if gap[i, e] <= NEAR else 0.0
            for i in range(second, second_end if not acts else second):
                impulse[i, 0, e] += part_2 * (mean_2 - impulse[i, 0, e]) if gap[i, e] <= NEAR else 0.0
        first = end
