"""Spheres that run off both ends of a plate, by the discrete element method: springs and dashpots in tiny steps.

What is left is the heap whose angle Zhou, Xu, Yu and Zulli measured and simulated (An experimental and numerical study
of the angle of repose of coarse spheres, 2002). Nothing of Phalanx. Rolling is resisted by a spring that slips, or, as
in their model, by a torque of constant size against a sphere's own spin.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from oracles.discrete_elements import hold

NEIGHBOURS = 24
"""Of a sphere among those after it, within the skin."""

WALLS = 5
"""The plate, those before and behind it, and those at its ends: gates, then the ends of the container."""


def discharge(
    points: np.ndarray,
    radius: float,
    plate: float,
    box: float,
    thickness: float,
    friction: float,
    wall_friction: float,
    rolling: float,
    fills: float,
    runs: float,
    own_spin: bool = False,
    stiffness: float = 2000.0,
    damping: float = 0.3,
) -> tuple[np.ndarray, np.ndarray]:
    """Places and velocities (n, 3) of spheres that start at rest above a plate and then may leave it, m and m/s.

    Args:
        points: their middles at the start, m; the plate's upper side is at z = 0, and its middle at x = y = 0.
        radius: of all of them, m.
        plate, box: half lengths of the plate and of the container along x, m.
        thickness: of both along y, m.
        friction, wall_friction: greatest tangential force by the normal one, of two and at walls.
        rolling: greatest torque of rolling by normal force and radius, of two and at walls.
        fills, runs: seconds with gates at the ends of the plate, and then without.
        own_spin: the torque is against the spin of each, not against the difference.
        stiffness: of contacts, in weights of a sphere a radius.
        damping: of contacts of two, by the critical one.
    """
    step = 0.12 * math.sqrt(radius / (9.81 * stiffness))
    pos = points.astype(float).copy()
    vel, spin = np.zeros(pos.shape), np.zeros(pos.shape)
    for end, seconds in ((plate, fills), (box, runs)):
        count = round(seconds / step)
        _run(
            pos, vel, spin, radius, plate, end, 0.5 * thickness, friction, wall_friction, rolling, own_spin, step,
            count, stiffness * 9.81 / radius, damping,
        )  # fmt: skip
    return pos, vel


@numba.njit(cache=True)
def _list_neighbours(pos, gone, reach, many, others, known, slips, twists):
    """Who may touch whom until the next call, by cells; springs of those that stay are kept."""
    n = len(pos)
    low = np.array([pos[:, k].min() for k in range(3)])
    high = np.array([pos[:, k].max() for k in range(3)])
    size = np.minimum((high - low) / reach, 200.0).astype(np.int64) + 1
    first, after, cell = np.full(size[0] * size[1] * size[2], -1), np.full(n, -1), np.zeros((n, 3), np.int64)
    for i in range(n):
        if not gone[i]:
            for k in range(3):
                cell[i, k] = min(int((pos[i, k] - low[k]) / reach), size[k] - 1)
            c = (cell[i, 0] * size[1] + cell[i, 1]) * size[2] + cell[i, 2]
            after[i], first[c] = first[c], i
    for i in range(n):
        before = many[i]
        old_others = others[i, :before].copy()
        old_known, old_slips, old_twists = known[i].copy(), slips[i].copy(), twists[i].copy()
        many[i] = 0
        if gone[i]:
            continue
        for a in range(max(cell[i, 0] - 1, 0), min(cell[i, 0] + 2, size[0])):
            for b in range(max(cell[i, 1] - 1, 0), min(cell[i, 1] + 2, size[1])):
                for c in range(max(cell[i, 2] - 1, 0), min(cell[i, 2] + 2, size[2])):
                    j = first[(a * size[1] + b) * size[2] + c]
                    while j >= 0:
                        square = 0.0
                        for k in range(3):
                            square += (pos[i, k] - pos[j, k]) ** 2
                        if j > i and square < reach * reach:
                            at = many[i]
                            others[i, at], known[i, at] = j, False
                            slips[i, at, :], twists[i, at, :] = 0.0, 0.0
                            for o in range(before):
                                if old_others[o] == j and old_known[o]:
                                    known[i, at] = True
                                    slips[i, at, :], twists[i, at, :] = old_slips[o], old_twists[o]
                            many[i] = at + 1
                        j = after[j]


@numba.njit(cache=True)
def _touch(gap, n, u, w, turn, slip, twist, friction, most_torque, step, radius, k, damping):
    """Force (3) and push of a contact that overlaps, and the torque of its rolling spring.

    Args:
        gap: negative, m.
        n: normal, from the other one.
        u, w, turn: velocity from the other's, sum of spins by radius, difference of spins.
        slip, twist: ways of the springs, changed in place.
        most_torque: greatest torque of the spring by the push; 0: there is none.
    """
    c = 2 * damping * math.sqrt(0.5 * k)
    opens = u[0] * n[0] + u[1] * n[1] + u[2] * n[2]
    push = max(-k * gap - c * opens, 0.0)
    ux = u[0] - opens * n[0] - (w[1] * n[2] - w[2] * n[1])
    uy = u[1] - opens * n[1] - (w[2] * n[0] - w[0] * n[2])
    uz = u[2] - opens * n[2] - (w[0] * n[1] - w[1] * n[0])
    along = slip[0] * n[0] + slip[1] * n[1] + slip[2] * n[2]
    x, y, z = (
        slip[0] - along * n[0] + step * ux,
        slip[1] - along * n[1] + step * uy,
        slip[2] - along * n[2] + step * uz,
    )
    fx, fy, fz, x, y, z = hold(x, y, z, 0.4 * k, 0.5 * c, ux, uy, uz, friction * push)
    slip[0], slip[1], slip[2] = x, y, z
    rx, ry, rz = 0.0, 0.0, 0.0
    if most_torque > 0.0:
        rolls = 0.25 * k * radius * radius
        of_roll = 0.9 * 2 * math.sqrt(rolls * 0.2 * radius * radius)
        x, y, z = twist[0] + step * turn[0], twist[1] + step * turn[1], twist[2] + step * turn[2]
        rx, ry, rz, x, y, z = hold(x, y, z, rolls, of_roll, turn[0], turn[1], turn[2], most_torque * push)
        twist[0], twist[1], twist[2] = x, y, z
    return fx + push * n[0], fy + push * n[1], fz + push * n[2], push, rx, ry, rz


@numba.njit(cache=True)
def _run(
    pos, vel, spin, radius, plate, end, half, friction, wall_friction, rolling, own_spin, step, count, k, damping
):  # fmt: skip
    """All steps; the mass of a sphere is 1."""
    n, inertia, skin = len(pos), 0.4 * radius * radius, 0.25 * radius
    spring = 0.0 if own_spin else rolling * radius
    gone, many = np.zeros(n, np.bool_), np.zeros(n, np.int64)
    others, known = np.zeros((n, NEIGHBOURS), np.int64), np.zeros((n, NEIGHBOURS), np.bool_)
    slips, twists = np.zeros((n, NEIGHBOURS, 3)), np.zeros((n, NEIGHBOURS, 3))
    wall_slips, wall_twists = np.zeros((n, WALLS, 3)), np.zeros((n, WALLS, 3))
    force, torque, pressed = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(n)
    normal, u, w, turn = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    way = 1e9
    for _ in range(count):
        if way > skin:
            _list_neighbours(pos, gone, 2 * (radius + skin), many, others, known, slips, twists)
            way = 0.0
        force[:], torque[:], pressed[:] = 0.0, 0.0, 0.0
        force[:, 2] = -9.81
        for i in range(n):
            for at in range(WALLS if not gone[i] else 0):
                normal[0], normal[1], normal[2] = 0.0, 0.0, 0.0
                if at == 0:  # the plate, and its ends
                    normal[0] = pos[i, 0] - min(max(pos[i, 0], -plate), plate)
                    normal[2] = max(pos[i, 2], 1e-9)
                    far = math.sqrt(normal[0] ** 2 + normal[2] ** 2)
                    normal[0], normal[2] = normal[0] / far, normal[2] / far
                elif at < 3:
                    normal[1] = 3.0 - 2.0 * at
                    far = half + normal[1] * pos[i, 1]
                else:
                    normal[0] = 7.0 - 2.0 * at
                    far = end + normal[0] * pos[i, 0]
                if far >= radius:
                    for a in range(3):
                        wall_slips[i, at, a], wall_twists[i, at, a] = 0.0, 0.0
                    continue
                for a in range(3):
                    u[a], w[a], turn[a] = vel[i, a], radius * spin[i, a], spin[i, a]
                fx, fy, fz, push, rx, ry, rz = _touch(
                    far - radius, normal, u, w, turn, wall_slips[i, at], wall_twists[i, at], wall_friction, spring,
                    step, radius, k, damping,
                )  # fmt: skip
                pressed[i] += push
                force[i, 0] += fx
                force[i, 1] += fy
                force[i, 2] += fz
                torque[i, 0] += rx - radius * (normal[1] * fz - normal[2] * fy)
                torque[i, 1] += ry - radius * (normal[2] * fx - normal[0] * fz)
                torque[i, 2] += rz - radius * (normal[0] * fy - normal[1] * fx)
            for at in range(many[i]):
                j = others[i, at]
                square = 0.0
                for a in range(3):
                    normal[a] = pos[i, a] - pos[j, a]
                    square += normal[a] * normal[a]
                if square >= 4 * radius * radius or gone[i] or gone[j]:
                    if known[i, at]:
                        known[i, at] = False
                        slips[i, at, :], twists[i, at, :] = 0.0, 0.0
                    continue
                known[i, at] = True
                far = math.sqrt(square)
                for a in range(3):
                    normal[a] /= far
                    u[a], turn[a] = vel[i, a] - vel[j, a], spin[i, a] - spin[j, a]
                    w[a] = radius * (spin[i, a] + spin[j, a])
                fx, fy, fz, push, rx, ry, rz = _touch(
                    far - 2 * radius, normal, u, w, turn, slips[i, at], twists[i, at], friction, spring, step, radius,
                    k, damping,
                )  # fmt: skip
                pressed[i] += push
                pressed[j] += push
                mx = -radius * (normal[1] * fz - normal[2] * fy)
                my = -radius * (normal[2] * fx - normal[0] * fz)
                mz = -radius * (normal[0] * fy - normal[1] * fx)
                force[i, 0] += fx
                force[i, 1] += fy
                force[i, 2] += fz
                force[j, 0] -= fx
                force[j, 1] -= fy
                force[j, 2] -= fz
                torque[i, 0] += mx + rx
                torque[i, 1] += my + ry
                torque[i, 2] += mz + rz
                torque[j, 0] += mx - rx
                torque[j, 1] += my - ry
                torque[j, 2] += mz - rz
        fastest = 0.0
        for i in range(n):
            if gone[i]:
                continue
            square, spins = 0.0, 0.0
            for a in range(3):
                vel[i, a] += step * force[i, a]
                spin[i, a] += step * torque[i, a] / inertia
                pos[i, a] += step * vel[i, a]
                square += vel[i, a] ** 2
                spins += spin[i, a] ** 2
            if own_spin and spins > 0.0:  # it stops a spin, and does not turn it round
                less = max(1.0 - step * rolling * radius * pressed[i] / (inertia * math.sqrt(spins)), 0.0)
                for a in range(3):
                    spin[i, a] *= less
            fastest = max(fastest, square)
            if pos[i, 2] < 0.0:
                gone[i] = True
                vel[i, :], spin[i, :] = 0.0, 0.0
        way += step * math.sqrt(fastest)
