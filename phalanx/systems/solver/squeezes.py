"""What bodies that do not give way squeeze between them is pressed, by how much too close they are.

Two kinematic plates that hold a box push it from both sides: rigid bodies do not say with what force, since any force
from one side with the same from the other leaves the box where it is. Without one there is no friction, and it falls.
Here the force is that of a spring between the plates,

    N = m d / TIME^2,   d = (depth on one side - SLOP) + (depth on the other side - SLOP),

with m the mass of the body between them. It does not depend on the time step. Impulses get it before the warm start, on
both sides alike, so sweeps find them as right as they were, and friction is up to mu N on each side.
"""

from phalanx.components import (
    ContactCount,
    ContactImpulse,
    ContactMotion,
    ContactPoint,
    DofSolve,
    DofTopology,
    LinkInertia,
    Settings,
)
from phalanx.ecs import function, read, real, system, update
from phalanx.systems.solver.contact_solver import NEAR, SLOP
from phalanx.systems.solver.even_loads import agree

TIME = 0.004
"""s: how stiff the spring is: its frequency with the body is 1 / TIME, in rad/s."""

OPPOSITE = -0.999
"""Normals whose dot product is less point against each other."""


@function
def held_dof(a, b, moves_a, moves_b):
    """The last dof of the side that gives way, where the other one does not; else -1."""
    return (a if moves_a else b) if moves_a != moves_b else -1


@system(phase="rows", after="share_loads")
def press_what_is_squeezed(
    lanes,
    count=read(ContactCount.current),
    h=read(Settings.timestep),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    gap=read(ContactMotion.gap),
    rebound=read(ContactMotion.rebound),
    normal=read(ContactPoint.normal),
    link=read(DofTopology.link),
    tree_first=read(DofTopology.tree_first),
    tree_end=read(DofTopology.tree_end),
    mobility=read(DofSolve.inverse_pivot),
    mass=read(LinkInertia.mass),
    impulse=update(ContactImpulse.last),
):
    """Contacts of one side against those of the first opposite one, of loose bodies."""
    for e in lanes:
        n = count[0, e]
        c = 0
        while c < n:
            a, b, nx, ny, nz = dof_a[c, e], dof_b[c, e], normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
            moves_a, moves_b = a >= 0 and mobility[max(a, 0), e] > 0.0, b >= 0 and mobility[max(b, 0), e] > 0.0
            body = held_dof(a, b, moves_a, moves_b)
            loose = body >= 0 and rebound[c, e] >= 0.0 and tree_end[max(body, 0), 0] - tree_first[max(body, 0), 0] == 6
            end, deep, pressed, push = c, 0.0, 0, 0.0
            goes_on = True
            while goes_on:  # the side
                i = min(end, n - 1)
                ux, uy, uz = nx - normal[i, 0, e], ny - normal[i, 1, e], nz - normal[i, 2, e]
                goes_on = end < n and agree(a, b, dof_a[i, e], dof_b[i, e], ux, uy, uz)
                if goes_on:
                    deep = max(deep, -gap[i, e])
                    pressed += 1 if gap[i, e] <= NEAR else 0
                    push += impulse[i, 0, e]
                    end += 1
            first, last, deep_2, pressed_2, push_2 = n, n, 0.0, 0, 0.0
            j = end if loose and deep > SLOP else n
            while j < n:  # the opposite one
                k, o = dof_a[j, e], dof_b[j, e]
                moves_k, moves_o = k >= 0 and mobility[max(k, 0), e] > 0.0, o >= 0 and mobility[max(o, 0), e] > 0.0
                dot = nx * normal[j, 0, e] + ny * normal[j, 1, e] + nz * normal[j, 2, e]
                dot = dot if moves_k == moves_a else -dot  # normals point to a
                opposite = held_dof(k, o, moves_k, moves_o) == body and dot < OPPOSITE
                first = j if opposite and first == n else first
                if opposite:
                    deep_2 = max(deep_2, -gap[j, e])
                    pressed_2 += 1 if gap[j, e] <= NEAR else 0
                    push_2 += impulse[j, 0, e]
                    last = j + 1
                j = j + 1 if opposite or first == n else n
            if deep_2 > SLOP:
                wanted = h[0, e] * mass[link[body, 0], e] * (deep + deep_2 - 2.0 * SLOP) / (TIME * TIME)
                more = wanted - min(push, push_2)
                for i in range(c, end):
                    x = impulse[i, 0, e]
                    y = x + more / real(pressed) if gap[i, e] <= NEAR else x
                    impulse[i, 0, e] = y if more > 0.0 else (x * (push + more) / push if push > 0.0 else x)
                for i in range(first, last):
                    x = impulse[i, 0, e]
                    y = x + more / real(pressed_2) if gap[i, e] <= NEAR else x
                    impulse[i, 0, e] = y if more > 0.0 else (x * (push_2 + more) / push_2 if push_2 > 0.0 else x)
            c = end
