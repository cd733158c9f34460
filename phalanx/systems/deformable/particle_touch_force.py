"""What a place of cloth and a particle do to each other: they push, and rub within the cone of friction."""

import math

from phalanx.components.particle_touch import MOST_TOUCHED
from phalanx.ecs import function
from phalanx.maths.kernels import cross

PLACE = 9
"""Numbers of a place that :func:`rest_on_places` is given."""

CORNER_SWEEPS = 4
"""Sweeps over the places that a particle touches, where there are several."""


@function
def touch_force(stiffness, across, friction, gap, nx, ny, nz, x, y, z):
    """Force of a place on a particle, a spring that pushes and rubs.

    Args:
        stiffness, across: N/m, along the normal and along the surface.
        gap: distance of the two at the start of the small step, m.
        nx, ny, nz: normal, towards the particle.
        x, y, z: way of the particle in the small step, beside that of the place.

    Returns:
        The force, and how it changes with the way: along the normal and along the surface.
    """
    along = nx * x + ny * y + nz * z
    push = max(-stiffness * (along + max(gap, 0.0)), 0.0)
    tx, ty, tz = across * (x - along * nx), across * (y - along * ny), across * (z - along * nz)
    size = math.sqrt(tx * tx + ty * ty + tz * tz)
    bound = friction * push
    less = bound / size if size > bound else 1.0
    grip = across * less if push > 0.0 else 0.0
    less = less if push > 0.0 else 0.0
    x, y, z = push * nx - less * tx, push * ny - less * ty, push * nz - less * tz
    return x, y, z, stiffness if push > 0.0 else 0.0, grip


@function
def rest_on_places(impulses, torques, places, count, mass, turns, radius, rolls, step, x, y, z, sx, sy, sz):
    """Impulses of places on a particle: it ends no deeper in any than it was, and slides and rolls as far as friction
    lets it.

    Args:
        impulses: three numbers of each place; where to begin, then what is found.
        torques: three of each, found: angular impulses of rolling resistance.
        places: numbers of :data:`PLACE` for each: normal, gap, way of the place, coefficient of friction, least
            impulse along the normal.
        count: how many there are.
        turns, radius, rolls: as of ParticleMaterial.
        x, y, z: way of the particle in the small step without these impulses.
        sx, sy, sz: its angular velocity without them.

    Returns:
        Sums of the impulses, and of angular impulses.
    """
    weight = mass / step
    light = turns / (mass * radius * radius)  # angular velocity per angular impulse
    px, py, pz, lx, ly, lz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(min(count, MOST_TOUCHED)):
        c, i = PLACE * k, 3 * k
        ux, uy, uz = cross(impulses[i], impulses[i + 1], impulses[i + 2], places[c], places[c + 1], places[c + 2])
        px, py, pz = px + impulses[i], py + impulses[i + 1], pz + impulses[i + 2]
        lx, ly, lz = lx + radius * ux, ly + radius * uy, lz + radius * uz
        torques[i], torques[i + 1], torques[i + 2] = 0.0, 0.0, 0.0
    for _ in range(CORNER_SWEEPS if count > 1 else count):
        for k in range(min(count, MOST_TOUCHED)):
            c, i = PLACE * k, 3 * k
            nx, ny, nz = places[c], places[c + 1], places[c + 2]
            ux, uy, uz = cross(impulses[i], impulses[i + 1], impulses[i + 2], nx, ny, nz)
            px, py, pz = px - impulses[i], py - impulses[i + 1], pz - impulses[i + 2]
            lx, ly, lz = lx - radius * ux, ly - radius * uy, lz - radius * uz
            lx, ly, lz = lx - torques[i], ly - torques[i + 1], lz - torques[i + 2]
            # where the particle goes beside the place, and how it turns, but for what this place does
            ax = x + px / weight - places[c + 4]
            ay = y + py / weight - places[c + 5]
            az = z + pz / weight - places[c + 6]
            wx, wy, wz = sx + light * lx, sy + light * ly, sz + light * lz
            along = nx * ax + ny * ay + nz * az
            push = max(-weight * (along + max(places[c + 3], 0.0)), places[c + 8])
            ax, ay, az = ax - along * nx, ay - along * ny, az - along * nz
            bound = places[c + 7] * push
            rx, ry, rz = -weight * ax, -weight * ay, -weight * az
            tx, ty, tz = 0.0, 0.0, 0.0
            if light > 0.0:  # rolling resistance holds it, or it rolls
                size = math.sqrt(rx * rx + ry * ry + rz * rz)
                less = bound / size if size > bound else 1.0
                ux, uy, uz = cross(less * rx, less * ry, less * rz, nx, ny, nz)
                tx, ty, tz = -wx / light - radius * ux, -wy / light - radius * uy, -wz / light - radius * uz
                size = math.sqrt(tx * tx + ty * ty + tz * tz)
                most = rolls * radius * push
                if size > most:
                    less = most / size
                    tx, ty, tz = less * tx, less * ty, less * tz
                    ux, uy, uz = cross(wx + light * tx, wy + light * ty, wz + light * tz, nx, ny, nz)
                    firm = -weight / (1.0 + turns)
                    rx = firm * (ax - step * radius * ux)
                    ry = firm * (ay - step * radius * uy)
                    rz = firm * (az - step * radius * uz)
            size = math.sqrt(rx * rx + ry * ry + rz * rz)
            less = bound / size if size > bound else 1.0
            rx, ry, rz = push * nx + less * rx, push * ny + less * ry, push * nz + less * rz
            impulses[i], impulses[i + 1], impulses[i + 2] = rx, ry, rz
            torques[i], torques[i + 1], torques[i + 2] = tx, ty, tz
            ux, uy, uz = cross(rx, ry, rz, nx, ny, nz)
            px, py, pz = px + rx, py + ry, pz + rz
            lx, ly, lz = lx + radius * ux + tx, ly + radius * uy + ty, lz + radius * uz + tz
    return px, py, pz, lx, ly, lz
