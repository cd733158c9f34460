"""Probes against one triangle of a mesh or height field."""

from phalanx.components.query import DEPTH, SWEEP
from phalanx.ecs import function
from phalanx.systems.narrow.support import core_radius, separation_along
from phalanx.systems.queries.limits import INF
from phalanx.systems.queries.touch import touch


@function
def probe_triangle(task, both, pair, forms, vertices, turn, c, m, d, limit, simplex, point, found):
    """Answer, as of :func:`~phalanx.systems.queries.touch.touch`, for a probe (a, already in ``pair`` and ``forms``).

    From a triangle with one side a probe is pushed to the front, and sweeps from behind pass through it. The answer
    to DEPTH is for comparing triangles: a way out along a triangle's own normal comes before one beside it that is as
    long, for that would lead over the neighbour; the depth is in ``found``.

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
    if task == DEPTH and answer <= 0.0:
        nx = turn[0] * m[0] + turn[1] * m[1] + turn[2] * m[2]
        ny = turn[3] * m[0] + turn[4] * m[1] + turn[5] * m[2]
        nz = turn[6] * m[0] + turn[7] * m[1] + turn[8] * m[2]
        upright = found[0] * nx + found[1] * ny + found[2] * nz
        if upright < 0.0 and both == 0:
            upright = 1.0
            answer = separation_along(pair, forms, vertices, point, nx, ny, nz) - core_radius(forms[0], pair[12])
            found[0] = nx
            found[1] = ny
            found[2] = nz
            for k in range(3):
                found[3 + k] = point[3 + k]
            found[6] = answer
        if abs(upright) > 0.999:
            answer = 1.001 * answer
    return answer
