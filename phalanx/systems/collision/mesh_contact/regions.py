"""Which contact normals a triangle within a mesh can give.

A normal n that comes from a triangle's edge or vertex can be a normal of the whole surface only if the surface near
that edge or vertex lies below the plane through it with normal n: for an edge this is the test of the neighbour's third
corner, for a vertex the test of all its neighbours. Flat and hollow edges have no normals of their own but the faces'.
"""

import math

from phalanx.ecs import function

COUNTS, FACE, NOT, BEYOND, ASK = range(5)
"""The normal counts; it is the face's; it does not count; nor does it, and what speaks against it is a neighbour over a
sharp ridge, which is itself nearer to the shape; it counts if the neighbours of corner (answer - ASK) agree.
"""

SLACK = 1e-3
"""Directions that differ less than this (rad) are not told apart."""

RIDGE = 0.5
"""Sine of the angle by which a surface must fall away to be a sharp ridge."""


@function
def judge_normal(corners, across, bordered, nx, ny, nz, mx, my, mz):
    """Whether a contact normal can come from a triangle of a mesh.

    Args:
        corners: the triangle's, 9 numbers.
        across: the neighbours' third corners, 9 numbers, in the same frame.
        bordered: bit k is set if the edge from corner k to k + 1 has no neighbour.
        nx, ny, nz: unit normal, away from the triangle.
        mx, my, mz: the triangle's own normal.

    Returns:
        COUNTS, FACE, NOT, BEYOND, or ASK + the corner that it comes from.
    """
    facing = nx * mx + ny * my + nz * mz
    if facing > 1.0 - 2.0 * SLACK * SLACK:
        return FACE
    if facing < -0.99:  # on a flat surface the test of neighbours could not tell this from the face's normal
        return NOT
    top = 0
    most = -math.inf
    for k in range(3):
        height = nx * corners[3 * k] + ny * corners[3 * k + 1] + nz * corners[3 * k + 2]
        if height > most:
            most = height
            top = k
    for turn in range(2):  # the edges to the next corner, and from the one before
        edge = (top + 2 * turn) % 3
        other = (top + 1 + turn) % 3
        ex = corners[3 * other] - corners[3 * top]
        ey = corners[3 * other + 1] - corners[3 * top + 1]
        ez = corners[3 * other + 2] - corners[3 * top + 2]
        fall = -(nx * ex + ny * ey + nz * ez)
        if fall * fall <= SLACK * SLACK * (ex * ex + ey * ey + ez * ez):
            if (bordered >> edge) & 1 == 1:
                return COUNTS if facing > -SLACK else NOT
            px = across[3 * edge] - corners[3 * top]
            py = across[3 * edge + 1] - corners[3 * top + 1]
            pz = across[3 * edge + 2] - corners[3 * top + 2]
            # Across the edge only: the third corner of a sliver lies almost along it.
            part = (px * ex + py * ey + pz * ez) / (ex * ex + ey * ey + ez * ez)
            px -= part * ex
            py -= part * ey
            pz -= part * ez
            rise = nx * px + ny * py + nz * pz
            square = px * px + py * py + pz * pz
            if rise > 0.0 and rise * rise > SLACK * SLACK * square:
                level = mx * px + my * py + mz * pz
                return BEYOND if level < 0.0 and level * level > RIDGE * RIDGE * square else NOT
            return COUNTS
    if facing < -SLACK and ((bordered >> top) & 1 == 1 or (bordered >> ((top + 2) % 3)) & 1 == 1):
        return NOT
    return ASK + top


@function
def judge_mesh_vertex(vertices, firsts, ends, neighbours, v, nx, ny, nz, mx, my, mz):
    """COUNTS if all neighbours of a mesh's vertex lie below the plane through it with normal n, else NOT or BEYOND.

    ``m`` is the normal of the triangle in question; all in the mesh's axes.
    """
    answer = COUNTS
    for i in range(firsts[v, 0], ends[v, 0]):
        w = neighbours[i, 0]
        px = vertices[w, 0, 0] - vertices[v, 0, 0]
        py = vertices[w, 1, 0] - vertices[v, 1, 0]
        pz = vertices[w, 2, 0] - vertices[v, 2, 0]
        answer = judge_neighbour(px, py, pz, nx, ny, nz, mx, my, mz, answer)
        if answer == NOT:
            return NOT
    return answer


@function
def judge_neighbour(px, py, pz, nx, ny, nz, mx, my, mz, answer):
    """What the neighbour of a vertex at the vector p from it adds to the answer so far."""
    rise = nx * px + ny * py + nz * pz
    level = mx * px + my * py + mz * pz
    square = px * px + py * py + pz * pz
    against = rise > 0.0 and rise * rise > SLACK * SLACK * square
    ridge = level < 0.0 and level * level > RIDGE * RIDGE * square
    return (BEYOND if ridge else NOT) if against else answer


@function
def judge_mesh_normal(
    corners, across, bordered, t, corner_vertices, vertices, firsts, ends, neighbours, nx, ny, nz, mx, my, mz
):
    """COUNTS, FACE, NOT or BEYOND for a normal (in the mesh's axes) that comes from triangle t."""
    answer = judge_normal(corners, across, bordered, nx, ny, nz, mx, my, mz)
    if answer >= ASK:
        v = corner_vertices[t, answer - ASK, 0]
        answer = judge_mesh_vertex(vertices, firsts, ends, neighbours, v, nx, ny, nz, mx, my, mz)
    return answer


@function
def gather_corners(vertices, corner_vertices, t, cx, cy, cz, corners):
    """A mesh triangle's corners about the point c."""
    for k in range(3):
        v = corner_vertices[t, k, 0]
        corners[3 * k] = vertices[v, 0, 0] - cx
        corners[3 * k + 1] = vertices[v, 1, 0] - cy
        corners[3 * k + 2] = vertices[v, 2, 0] - cz


@function
def gather_across(vertices, corner_vertices, across_vertices, t, cx, cy, cz, across):
    """The third corners of a mesh triangle's neighbours about the point c.

    Returns:
        bits of the edges that have no neighbour.
    """
    bordered = 0
    for k in range(3):
        w = across_vertices[t, k, 0]
        if w < 0:
            bordered += 1 << k
            w = corner_vertices[t, k, 0]
        across[3 * k] = vertices[w, 0, 0] - cx
        across[3 * k + 1] = vertices[w, 1, 0] - cy
        across[3 * k + 2] = vertices[w, 2, 0] - cz
    return bordered


@function
def gather_triangle(vertices, corner_vertices, across_vertices, t, cx, cy, cz, corners, across):
    """A mesh triangle's corners and its neighbours' third corners, about the point c.

    Returns:
        bits of the edges that have no neighbour.
    """
    gather_corners(vertices, corner_vertices, t, cx, cy, cz, corners)
    return gather_across(vertices, corner_vertices, across_vertices, t, cx, cy, cz, across)


@function
def is_beside(turn, half, middle, corners, reach):
    """Whether a triangle lies farther than ``reach`` from a box, along one of the box's own axes.

    Args:
        turn, half, middle: see :func:`lowest_point`.
        corners: the triangle's, 9 numbers, about the shape's origin in the mesh's axes.
        reach: m.
    """
    beside = False
    for i in range(3):
        a = turn[3 * i] * corners[0] + turn[3 * i + 1] * corners[1] + turn[3 * i + 2] * corners[2]
        b = turn[3 * i] * corners[3] + turn[3 * i + 1] * corners[4] + turn[3 * i + 2] * corners[5]
        c = turn[3 * i] * corners[6] + turn[3 * i + 1] * corners[7] + turn[3 * i + 2] * corners[8]
        most = half[i] + reach
        beside = beside or min(a, min(b, c)) - middle[i] > most or middle[i] - max(a, max(b, c)) > most
    return beside


@function
def lowest_point(turn, half, middle, mx, my, mz):
    """Least coordinate along m (in the mesh's axes) of a box, given in a shape's axes by half lengths and middle.

    ``turn`` is the row-major rotation from the mesh's axes to the shape's.
    """
    lowest = 0.0
    for i in range(3):
        along = turn[3 * i] * mx + turn[3 * i + 1] * my + turn[3 * i + 2] * mz
        lowest += along * middle[i] - math.fabs(along) * half[i]
    return lowest
