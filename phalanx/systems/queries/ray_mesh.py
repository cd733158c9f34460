"""Rays against triangle meshes."""

from phalanx.ecs import function, local, local_int
from phalanx.systems.collision.mesh_contact.tree import STACK
from phalanx.systems.queries.box_path import box_path, inverse, next_leaf_along
from phalanx.systems.queries.limits import INF
from phalanx.systems.queries.ray_triangle import main_axis, ray_triangle, turned


@function
def ray_mesh(
    root, both, o, d, limit, vertices, corner_vertices, normals, lows, highs, firsts, counts
):  # fmt: skip
    """The first triangle of a mesh that a ray hits: distance (or inf) and triangle (or -1).

    Distances are computed from where the ray enters the mesh's box, so that rounding is of the mesh's size.

    Args:
        root: of the mesh's tree.
        both: 1: triangles are hit from behind, too.
        o, d: origin and direction in the mesh's frame, 3 numbers each.
        limit: hits farther away do not matter, m.
        vertices, corner_vertices, normals: HullVertexPosition.position, MeshTriangleGeometry.vertex, .normal.
        lows, highs, firsts, counts: MeshNodeBox's fields.
    """
    pending = local_int(STACK)
    entries = local(STACK)
    c = local(9)
    p = local(3)
    ix = inverse(d[0])
    iy = inverse(d[1])
    iz = inverse(d[2])
    start, _far = box_path(
        lows[root, 0, 0], lows[root, 1, 0], lows[root, 2, 0], highs[root, 0, 0], highs[root, 1, 0], highs[root, 2, 0],
        o[0], o[1], o[2], ix, iy, iz,
    )  # fmt: skip
    if not start <= limit:
        return INF, -1
    for i in range(3):
        p[i] = o[i] + start * d[i]
    axis = main_axis(d[0], d[1], d[2])
    sx, sy, sz = turned(axis, d[0], d[1], d[2])
    sx = sx / sz
    sy = sy / sz
    sz = 1.0 / sz
    best = limit - start
    triangle = -1
    pending[0] = root
    entries[0] = 0.0
    top = 1
    while top > 0:
        top, first, leaves = next_leaf_along(
            lows, highs, firsts, counts, pending, entries, top, p[0], p[1], p[2], ix, iy, iz, 0.0, 0.0, 0.0, best
        )
        for t in range(first, first + leaves):
            rise = normals[t, 0, 0] * d[0] + normals[t, 1, 0] * d[1] + normals[t, 2, 0] * d[2]
            if both == 1 or rise < 0.0:
                for k in range(3):
                    v = corner_vertices[t, k, 0]
                    for i in range(3):
                        c[3 * k + i] = vertices[v, i, 0] - p[i]
                at = ray_triangle(c, axis, sx, sy, sz)
                if at + start >= 0.0 and at <= best and (triangle < 0 or at < best):
                    best = at
                    triangle = t
    return best + start if triangle >= 0 else INF, triangle
