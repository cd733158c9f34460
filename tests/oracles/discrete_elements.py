"""Spheres that touch, by the discrete element method: springs and dashpots in tiny steps, and nothing of Phalanx.

After Cundall and Strack (1979), with a rolling spring that slips (type C of Ai, Chen, Rotter and Ooi, Assessment of
rolling resistance models in discrete element simulations, 2011). Forces are explicit, overlaps are real: with the
default stiffness a grain of the heaviest heap here sinks by a percent of its radius into the next.
"""

from __future__ import annotations

import math

import numba
import numpy as np

DAMPING = 0.9
"""Of contacts, by the critical one: they hardly bounce."""

NEIGHBOURS = 40
"""Of a sphere among those after it, within the skin."""


def settle(
    points: np.ndarray,
    fixed: np.ndarray,
    radius: float,
    friction: float,
    rolling: float,
    seconds: float,
    floor: float,
    drag: float = 0.0,
    stiffness: float = 2000.0,
) -> np.ndarray:
    """Places (n, 3) of spheres that start at rest, after so many seconds.

    Args:
        points: their middles, m.
        fixed: which ones do not move, nor turn.
        radius: of all of them, m.
        friction, rolling: greatest tangential force by the normal one, greatest torque of rolling by that and radius.
        seconds: how long they move.
        floor: what has fallen below that height is gone, m.
        drag: decay of velocities and spins, 1/s.
        stiffness: of contacts, in weights of a sphere a radius.
    """
    step = 0.08 * math.sqrt(radius / (9.81 * stiffness))
    pos, still = points.astype(float).copy(), np.zeros(points.shape)
    count = round(seconds / step)
    _run(pos, still, still.copy(), fixed, radius, friction, rolling, step, count, floor, stiffness, drag)
    return pos


@numba.njit(cache=True)
def _list_neighbours(pos, gone, fixed, reach, many, others, known, slips, twists):
    """Who may touch whom until the next call; springs of those that stay are kept."""
    n = len(pos)
    for i in range(n):
        before = many[i]
        old_others = others[i, :before].copy()
        old_known, old_slips, old_twists = known[i].copy(), slips[i].copy(), twists[i].copy()
        many[i] = 0
        if gone[i]:
            continue
        for j in range(i + 1, n):
            if gone[j] or (fixed[i] and fixed[j]) or abs(pos[i, 2] - pos[j, 2]) > reach:
                continue
            square = 0.0
            for k in range(3):
                square += (pos[i, k] - pos[j, k]) ** 2
            if square < reach * reach:
                at = many[i]
                others[i, at], known[i, at] = j, False
                slips[i, at, :], twists[i, at, :] = 0.0, 0.0
                for b in range(before):
                    if old_others[b] == j and old_known[b]:
                        known[i, at] = True
                        slips[i, at, :], twists[i, at, :] = old_slips[b], old_twists[b]
                many[i] = at + 1


@numba.njit(cache=True)
def hold(x, y, z, stiff, damps, ux, uy, uz, most):
    """Force of a spring and a dashpot, no more than ``most``; and the way of the spring that such a force has."""
    fx, fy, fz = -stiff * x - damps * ux, -stiff * y - damps * uy, -stiff * z - damps * uz
    size = math.sqrt(fx * fx + fy * fy + fz * fz)
    if size > most:
        less = most / size
        fx, fy, fz = less * fx, less * fy, less * fz
        x, y, z = -fx / stiff, -fy / stiff, -fz / stiff
    return fx, fy, fz, x, y, z


@numba.njit(cache=True)
def _run(pos, vel, spin, fixed, radius, friction, rolling, step, count, floor, stiffness, drag):
    """All steps; the mass of a sphere is 1."""
    n, g = len(pos), 9.81
    k = stiffness * g / radius
    c = 2 * DAMPING * math.sqrt(0.5 * k)
    tangential, rolls = 0.5 * k, 0.25 * k * radius * radius
    of_slip, of_roll = 0.5 * c, DAMPING * 2 * math.sqrt(rolls * 0.2 * radius * radius)
    inertia = 0.4 * radius * radius
    gone = np.zeros(n, np.bool_)
    many = np.zeros(n, np.int64)
    others = np.zeros((n, NEIGHBOURS), np.int64)
    known = np.zeros((n, NEIGHBOURS), np.bool_)
    slips, twists = np.zeros((n, NEIGHBOURS, 3)), np.zeros((n, NEIGHBOURS, 3))
    force, torque = np.zeros((n, 3)), np.zeros((n, 3))
    way = 1e9
    for _ in range(count):
        if way > 0.1 * radius:
            _list_neighbours(pos, gone, fixed, 2.25 * radius, many, others, known, slips, twists)
            way = 0.0
        force[:], torque[:] = 0.0, 0.0
        force[:, 2] = -g
        for i in range(n):
            for at in range(many[i]):
                j = others[i, at]
                nx, ny, nz = pos[i, 0] - pos[j, 0], pos[i, 1] - pos[j, 1], pos[i, 2] - pos[j, 2]
                square = nx * nx + ny * ny + nz * nz
                if square >= 4 * radius * radius:
                    if known[i, at]:
                        known[i, at] = False
                        slips[i, at, :], twists[i, at, :] = 0.0, 0.0
                    continue
                known[i, at] = True
                far = math.sqrt(square)
                nx, ny, nz = nx / far, ny / far, nz / far
                ux, uy, uz = vel[i, 0] - vel[j, 0], vel[i, 1] - vel[j, 1], vel[i, 2] - vel[j, 2]
                opens = ux * nx + uy * ny + uz * nz
                push = max(k * (2 * radius - far) - c * opens, 0.0)
                # the surface of one from that of the other: less the common spin x normal
                wx = radius * (spin[i, 0] + spin[j, 0])
                wy = radius * (spin[i, 1] + spin[j, 1])
                wz = radius * (spin[i, 2] + spin[j, 2])
                ux = ux - opens * nx - (wy * nz - wz * ny)
                uy = uy - opens * ny - (wz * nx - wx * nz)
                uz = uz - opens * nz - (wx * ny - wy * nx)
                x, y, z = slips[i, at, 0], slips[i, at, 1], slips[i, at, 2]
                along = x * nx + y * ny + z * nz
                x, y, z = x - along * nx + step * ux, y - along * ny + step * uy, z - along * nz + step * uz
                fx, fy, fz, x, y, z = hold(x, y, z, tangential, of_slip, ux, uy, uz, friction * push)
                slips[i, at, 0], slips[i, at, 1], slips[i, at, 2] = x, y, z
                mx, my, mz = (
                    -radius * (ny * fz - nz * fy),
                    -radius * (nz * fx - nx * fz),
                    -radius * (nx * fy - ny * fx),
                )
                ux, uy, uz = spin[i, 0] - spin[j, 0], spin[i, 1] - spin[j, 1], spin[i, 2] - spin[j, 2]
                x, y, z = twists[i, at, 0] + step * ux, twists[i, at, 1] + step * uy, twists[i, at, 2] + step * uz
                rx, ry, rz, x, y, z = hold(x, y, z, rolls, of_roll, ux, uy, uz, rolling * radius * push)
                twists[i, at, 0], twists[i, at, 1], twists[i, at, 2] = x, y, z
                fx, fy, fz = fx + push * nx, fy + push * ny, fz + push * nz
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
            if fixed[i] or gone[i]:
                continue
            square = 0.0
            for a in range(3):
                vel[i, a] = (vel[i, a] + step * force[i, a]) / (1.0 + step * drag)
                spin[i, a] = (spin[i, a] + step * torque[i, a] / inertia) / (1.0 + step * drag)
                pos[i, a] += step * vel[i, a]
                square += vel[i, a] ** 2
            fastest = max(fastest, square)
            if pos[i, 2] < floor:
                gone[i] = True
                vel[i, :] = 0.0
        way += step * math.sqrt(fastest)
