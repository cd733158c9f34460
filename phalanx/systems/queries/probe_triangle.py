"""Probes against one triangle of a mesh or height field."""

from phalanx.components.query import SWEEP
from phalanx.ecs import function
from phalanx.systems.collision.mesh_contact.convex_triangle import SLOP, lies_over
from phalanx.systems.collision.mesh_contact.regions import NOT
from phalanx.systems.collision.narrow.support import core_radius, separation_along
from phalanx.systems.queries.limits import INF
from phalanx.systems.queries.touch import touch


@function
def probe_triangle(task, both, pair, forms, vertices, turn, c, m, d, limit, simplex, point, found):
    """Answer, as of :func:`~phalanx.systems.queries.touch.touch`, for a probe (a, already in ``pair`` and ``forms``).

    Sweeps from behind pass through a triangle with one side.

    Args:
        both: 1: the triangle has two sides.
        turn: row-major rotation from the mesh's axes to the probe's.
        c: corners about the probe's origin, mesh's axes, 9 numbers.
        m, d: the triangle's normal and the direction of the way, mesh's axes, 3 numbers each.
    """
    if task == SWEEP and both == 0 and m[0] * d[0] + m[1] * d[1] + m[2] * d[2] >= 0.0:
        return INF
    for i in range(3):
        pair[9 + i] = 0.0
        for j in range(3):
            pair[3 * i + j] = 1.0 if i == j else 0.0
        for k in range(3):
            pair[18 + 3 * k + i] = (
                turn[3 * i] * c[3 * k] + turn[3 * i + 1] * c[3 * k + 1] + turn[3 * i + 2] * c[3 * k + 2]
            )
            pair[9 + i] += 0.3333333333333333 * pair[18 + 3 * k + i]
        for k in range(3):  # about the triangle's middle
            pair[18 + 3 * k + i] -= pair[9 + i]
    vx = -(turn[0] * d[0] + turn[1] * d[1] + turn[2] * d[2])
    vy = -(turn[3] * d[0] + turn[4] * d[1] + turn[5] * d[2])
    vz = -(turn[6] * d[0] + turn[7] * d[1] + turn[8] * d[2])
    answer = touch(task, pair, forms, vertices, vx, vy, vz, 0.0, limit, simplex, point, found)
    return answer


@function
def own_depth(pair, forms, vertices, turn, m, verdict, point, found):
    """Depth that counts for one triangle of a surface, after :func:`probe_triangle` has found an overlap.

    The shortest way out of a triangle may lead along the surface, over a flat or hollow edge: then the depth along the
    triangle's own normal counts instead, if the deepest point lies over it.

    Args:
        verdict: COUNTS, FACE, NOT or BEYOND, see :mod:`phalanx.systems.collision.mesh_contact.regions`.
        found: as :func:`probe_triangle` has left it; the result.

    Returns:
        a number for comparing triangles, least for the deepest; the depth is in ``found``.
    """
    nx = turn[0] * m[0] + turn[1] * m[1] + turn[2] * m[2]
    ny = turn[3] * m[0] + turn[4] * m[1] + turn[5] * m[2]
    nz = turn[6] * m[0] + turn[7] * m[1] + turn[8] * m[2]
    upright = found[0] * nx + found[1] * ny + found[2] * nz
    answer = found[6]
    if upright < 0.0 or verdict == NOT:
        size = abs(found[3] - pair[9]) + abs(found[4] - pair[10]) + abs(found[5] - pair[11])
        depth = separation_along(pair, forms, vertices, point, nx, ny, nz) - core_radius(forms[0], pair[12])
        if upright < 0.0 or lies_over(pair, point, 3, nx, ny, nz, SLOP * size):
            upright = 1.0
            answer = depth
            found[0] = nx
            found[1] = ny
            found[2] = nz
            for k in range(3):
                found[3 + k] = point[3 + k]
            found[6] = depth
    return 1.001 * answer if upright > 0.999 else answer  # of equals, the one along the triangle's own normal
