"""What shapes do to a particle that touches one or a few of them: they push, rub and resist its rolling."""

import math

from phalanx.components.node_contact import SLOTS
from phalanx.ecs import function
from phalanx.maths.kernels import cross
from phalanx.systems.deformable.press_line import bearing, give_together, past, press_line

CORNER_SWEEPS = 4
"""Sweeps over the contacts of a particle with shapes, of which there is mostly one."""

GIVEN = 17
"""Numbers of a contact with a shape that :func:`touch_shapes` is given."""

PRESSED = 13
"""The first of those of :func:`press_contacts`."""

ALL = 0.999
"""Share of the bound of friction from which on one shape slides past the other."""

FOUND = 7
"""Numbers that it finds."""


@function
def press_contacts(contacts, turns, px, py, pz, tx, ty, tz):
    """What two shapes that press a particle between them do to it, see :mod:`.pressed_particles`.

    They push equally hard along one line, and rub as hard across it, so both together do not move it, but friction
    bears on that. A particle that does not turn cannot stay with both if one goes past the other: it goes half of the
    way with each.

    Args:
        contacts: as of :func:`touch_shapes`. Of the two that press the number :data:`PRESSED` is that impulse, of
            others 0; it and the next two become the impulse on the particle. Their gaps become what they will keep.
        turns: as of ParticleMaterial.
        px, py, pz: where the particle would be at the end of the small step, from the body's origin.
        tx, ty, tz: impulse of friction of the first on the particle, which that of the second undoes.
    """
    rub = math.sqrt(tx * tx + ty * ty + tz * tz)
    for k in range(SLOTS):
        for n in range(k + 1, SLOTS):
            c, o = GIVEN * k, GIVEN * n
            push = contacts[c + PRESSED]
            if push > 0.0 and contacts[o + PRESSED] > 0.0:
                x, y, z, sine, cosine = press_line(
                    contacts[c + 2], contacts[c + 3], contacts[c + 4], contacts[o + 2], contacts[o + 3], contacts[o + 4]
                )  # fmt: skip
                both = 0.0
                for i in range(3):
                    at = px if i == 0 else (py if i == 1 else pz)
                    both += contacts[c + 2 + i] * (at - contacts[c + 5 + i])
                    both += contacts[o + 2 + i] * (at - contacts[o + 5 + i])
                less = give_together(contacts[c + 1], contacts[o + 1], both)
                contacts[c + 1], contacts[o + 1] = min(contacts[c + 1], 0.0) - less, min(contacts[o + 1], 0.0) - less
                # what slides past the other has no friction left for the particle; else all of it is in the cone
                slides = rub >= ALL * push * max(min(contacts[c], contacts[o]) * cosine - sine, 0.0)
                if slides:
                    contacts[c + 12] += bearing(push, rub, sine, cosine, contacts[c])
                    contacts[o + 12] += bearing(push, rub, sine, cosine, contacts[o])
                contacts[c + 16] = 0.0 if slides else 1.0
                contacts[o + 16] = 0.0 if slides else 1.0
                fx, fy, fz = push * x + tx, push * y + ty, push * z + tz
                contacts[c + 13], contacts[c + 14], contacts[c + 15] = fx, fy, fz
                contacts[o + 13], contacts[o + 14], contacts[o + 15] = -fx, -fy, -fz
                if turns == 0.0:
                    ax, ay, az = past(
                        x, y, z, contacts[c + 5] - contacts[o + 5], contacts[c + 6] - contacts[o + 6],
                        contacts[c + 7] - contacts[o + 7],
                    )  # fmt: skip
                    contacts[c + 5] -= 0.5 * ax
                    contacts[c + 6] -= 0.5 * ay
                    contacts[c + 7] -= 0.5 * az
                    contacts[o + 5] += 0.5 * ax
                    contacts[o + 6] += 0.5 * ay
                    contacts[o + 7] += 0.5 * az
                return


@function
def touch_shapes(impulses, contacts, mass, turns, radius, rolls, step, x, y, z, spin_x, spin_y, spin_z):
    """Impulses of shapes on a particle: it ends no deeper in any than it was, and slides and rolls as far as friction
    lets it.

    Args:
        impulses: numbers of :data:`FOUND` for each slot, found here: that along the normal, those along the surface,
            and angular impulses of rolling resistance.
        contacts: numbers of :data:`GIVEN` for each slot: the coefficient of friction (negative: there is no contact),
            the gap at the start of the small step, the normal, the anchor, how the shape turns, the least impulse
            along the normal, that which friction and rolling resistance bear on besides the push, the three of
            :func:`press_contacts`, and 1 if these are in the cone of friction, too.
        turns, radius, rolls: as of ParticleMaterial.
        x, y, z: where it would be at the end of the small step, from the body's origin.
        spin_x, spin_y, spin_z: how it would turn.

    Returns:
        Velocity and angular velocity that it gets.
    """
    weight = mass / step
    way = step / mass
    light = turns / (mass * radius * radius)  # angular velocity per angular impulse
    px, py, pz = 0.0, 0.0, 0.0
    lx, ly, lz = 0.0, 0.0, 0.0
    for k in range(FOUND * SLOTS):
        impulses[k] = 0.0
    for _ in range(CORNER_SWEEPS if contacts[GIVEN] >= 0.0 else 1):
        for k in range(SLOTS):
            c, i = GIVEN * k, FOUND * k
            if contacts[c] >= 0.0:
                nx, ny, nz = contacts[c + 2], contacts[c + 3], contacts[c + 4]
                push = impulses[i]
                # all but for what this contact does
                px, py, pz = px - impulses[i + 1], py - impulses[i + 2], pz - impulses[i + 3]
                ax = x + way * px - contacts[c + 5]
                ay = y + way * py - contacts[c + 6]
                az = z + way * pz - contacts[c + 7]
                gap = nx * ax + ny * ay + nz * az
                more = max(push - weight * (gap - min(contacts[c + 1], 0.0)), contacts[c + 11]) - push
                px, py, pz = px + more * nx, py + more * ny, pz + more * nz
                push += more
                ax, ay, az = ax - gap * nx, ay - gap * ny, az - gap * nz
                rx, ry, rz = -weight * ax, -weight * ay, -weight * az
                ox, oy, oz = contacts[c + 13], contacts[c + 14], contacts[c + 15]
                along = ox * nx + oy * ny + oz * nz
                share = contacts[c + 16]
                bears = max(push + (contacts[c + 12] + share * along), 0.0)
                ox, oy, oz = share * (ox - along * nx), share * (oy - along * ny), share * (oz - along * nz)
                bound = contacts[c] * bears
                tx, ty, tz = 0.0, 0.0, 0.0
                if light > 0.0:
                    ux, uy, uz = cross(impulses[i + 1], impulses[i + 2], impulses[i + 3], nx, ny, nz)
                    lx -= radius * ux + impulses[i + 4]
                    ly -= radius * uy + impulses[i + 5]
                    lz -= radius * uz + impulses[i + 6]
                    sx = spin_x + light * lx - contacts[c + 8]
                    sy = spin_y + light * ly - contacts[c + 9]
                    sz = spin_z + light * lz - contacts[c + 10]
                    size = math.sqrt(rx * rx + ry * ry + rz * rz)
                    less = bound / size if size > bound else 1.0
                    ux, uy, uz = cross(less * rx, less * ry, less * rz, nx, ny, nz)
                    tx, ty, tz = -sx / light - radius * ux, -sy / light - radius * uy, -sz / light - radius * uz
                    size = math.sqrt(tx * tx + ty * ty + tz * tz)
                    most = rolls * radius * bears
                    if size > most:  # it rolls, and friction holds the point where it touches
                        share = most / size
                        tx, ty, tz = share * tx, share * ty, share * tz
                        sx, sy, sz = sx + light * tx, sy + light * ty, sz + light * tz
                        ux, uy, uz = cross(sx, sy, sz, nx, ny, nz)
                        share = weight / (1.0 + turns)
                        rx = -share * (ax - step * radius * ux)
                        ry = -share * (ay - step * radius * uy)
                        rz = -share * (az - step * radius * uz)
                rx, ry, rz = rx + ox, ry + oy, rz + oz
                size = math.sqrt(rx * rx + ry * ry + rz * rz)
                less = bound / size if size > bound else 1.0
                rx, ry, rz = less * rx - ox, less * ry - oy, less * rz - oz
                if light > 0.0:
                    ux, uy, uz = cross(rx, ry, rz, nx, ny, nz)
                    lx, ly, lz = lx + radius * ux + tx, ly + radius * uy + ty, lz + radius * uz + tz
                px, py, pz = px + rx, py + ry, pz + rz
                impulses[i] = push
                impulses[i + 1], impulses[i + 2], impulses[i + 3] = rx, ry, rz
                impulses[i + 4], impulses[i + 5], impulses[i + 6] = tx, ty, tz
    return px / mass, py / mass, pz / mass, light * lx, light * ly, light * lz
