"""What bodies that do not give way squeeze between them is pressed, by how much too close they are.

Two kinematic plates that hold a box push it from both sides: rigid bodies do not say with what force, since any force
from one side with the same from the other leaves the box where it is. Without one there is no friction, and it falls.
Here the force is that of a spring between the plates,

    N = m d / TIME^2,   d = (depth on one side - SLOP) + (depth on the other side - SLOP),

with m the mass of the body between them. It does not depend on the time step. Impulses get it before the warm start, on
both sides alike, so sweeps find them as right as they were, and friction is up to mu N on each side.

While kinematic bodies press others together, against a wall or each other, no velocities suit all contacts: impulses
would grow for ever. The search for loads has no least energy to look for there, and far steps towards it shot balls out
at 430 m/s that were pressed at 3 m/s. So bodies that are pressed together start from the impulses that they had.
"""

from phalanx.components import (
    ContactCount,
    ContactImpulse,
    ContactMotion,
    ContactPoint,
    ContactSearch,
    DofSolve,
    DofState,
    DofTopology,
    LinkInertia,
    Settings,
    Sweep,
    TreeSearch,
)
from phalanx.ecs import function, read, real, system, update
from phalanx.systems.solver.contact_solver import NEAR, SLOP
from phalanx.systems.solver.even_loads import agree, point_speed

TIME = 0.004
"""s: how stiff the spring is: its frequency with the body is 1 / TIME, in rad/s."""

OPPOSITE = -0.999
"""Normals whose dot product is less point against each other."""

AGAINST = -0.25
"""Normals whose dot product is less may press what is between them together."""

CLOSES = 1e-6
"""m/s: what closes more slowly, as by rounding, presses nothing."""


@function
def held_dof(a, b, moves_a, moves_b):
    """The last dof of the side that gives way, where the other one does not; else -1."""
    return (a if moves_a else b) if moves_a != moves_b else -1


@system(phase="rows", only_with="share_loads")
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


@system(phase="load", only_with="find_islands")
def leave_what_is_pressed(
    lanes,
    contacts=read(Sweep.contacts),
    h=read(Settings.timestep),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    gap=read(ContactMotion.gap),
    normal=read(ContactPoint.normal),
    arm_a=read(ContactPoint.arm_a),
    arm_b=read(ContactPoint.arm_b),
    tree_first=read(DofTopology.tree_first),
    tree_end=read(DofTopology.tree_end),
    mobility=read(DofSolve.inverse_pivot),
    qd=read(DofState.velocity),
    island=read(ContactSearch.island),
    known=update(TreeSearch.known),
):
    """No loads are sought where kinematic bodies come nearer to each other, or to a wall, with bodies between them."""
    for e in lanes:
        n = contacts[0, e]
        for c in range(n):
            a, b = dof_a[c, e], dof_b[c, e]
            on_a, on_b = a >= 0 and mobility[max(a, 0), e] > 0.0, b >= 0 and mobility[max(b, 0), e] > 0.0
            own = -1 if on_a == on_b else (b if on_a else a)  # what does not give way, and can move
            begin, i = tree_first[max(own, 0), 0], island[c, e]
            push = 0.0
            if own >= 0 and known[i, e] == 0 and tree_end[own, 0] - begin == 6:
                push = point_speed(
                    qd[begin, e], qd[begin + 1, e], qd[begin + 2, e],
                    qd[begin + 3, e], qd[begin + 4, e], qd[begin + 5, e],
                    arm_b[c, 0, e] if on_a else arm_a[c, 0, e],
                    arm_b[c, 1, e] if on_a else arm_a[c, 1, e],
                    arm_b[c, 2, e] if on_a else arm_a[c, 2, e],
                    normal[c, 0, e], normal[c, 1, e], normal[c, 2, e],
                )  # fmt: skip
            push = push if on_a else -push
            near = NEAR + h[0, e] * push
            for j in range(n if push > CLOSES and gap[c, e] <= near else 0):
                o, p = dof_a[j, e], dof_b[j, e]
                on_o, on_p = o >= 0 and mobility[max(o, 0), e] > 0.0, p >= 0 and mobility[max(p, 0), e] > 0.0
                other = p if on_o else o
                dot = normal[c, 0, e] * normal[j, 0, e] + normal[c, 1, e] * normal[j, 1, e]
                dot += normal[c, 2, e] * normal[j, 2, e]
                dot = dot if on_o == on_a else -dot
                if on_o != on_p and other != own and island[j, e] == i and dot < AGAINST and gap[j, e] <= near:
                    first, back = tree_first[max(other, 0), 0], 0.0
                    if other >= 0 and tree_end[max(other, 0), 0] - first == 6:
                        back = point_speed(
                            qd[first, e], qd[first + 1, e], qd[first + 2, e],
                            qd[first + 3, e], qd[first + 4, e], qd[first + 5, e],
                            arm_b[j, 0, e] if on_o else arm_a[j, 0, e],
                            arm_b[j, 1, e] if on_o else arm_a[j, 1, e],
                            arm_b[j, 2, e] if on_o else arm_a[j, 2, e],
                            normal[j, 0, e], normal[j, 1, e], normal[j, 2, e],
                        )  # fmt: skip
                    if push + (back if on_o else -back) > CLOSES:
                        known[i, e] = 1
