"""Probes against triangle meshes: each is a surface, and the probe meets its triangles one by one."""

from phalanx.components.query import DEPTH, OVERLAP, SWEEP
from phalanx.ecs import function, local, local_int
from phalanx.systems.collision.mesh_contact.regions import gather_triangle, judge_mesh_normal
from phalanx.systems.collision.mesh_contact.tree import STACK
from phalanx.systems.collision.narrow.gjk import SIMPLEX
from phalanx.systems.queries.box_path import box_path, inverse, next_leaf_along
from phalanx.systems.queries.limits import INF
from phalanx.systems.queries.probe_triangle import own_depth, probe_triangle
from phalanx.systems.queries.touch import FOUND


@function
def probe_mesh(
    task, root, both, o, d, middle, half, limit, turn, pair, forms,
    vertices, corner_vertices, across_vertices, normals, around_first, around_end, around,
    lows, highs, firsts, counts, out,
):  # fmt: skip
    """The triangle met first (of DEPTH: overlapped most): answer as of ``touch``, and triangle (or -1).

    Args:
        both: 1: triangles have two sides.
        o, d: origin of the probe and direction of its way, in the mesh's frame, 3 numbers each.
        middle, half: of the probe's bounding box about o, in the mesh's axes, 3 numbers each.
        limit: length of the way, m; 0 but for SWEEP.
        turn: row-major rotation from the mesh's axes to the probe's.
        pair, forms: the probe is a; b is overwritten.
        across_vertices, normals: MeshTriangleGeometry.across, .normal.
        around_first, around_end, around: MeshVertexNeighbours.first, .end, MeshNeighbourVertex.vertex.
        out: result, ``FOUND`` numbers as of ``touch``, in the probe's frame.
    """
    pending = local_int(STACK)
    entries = local(STACK)
    c = local(9)
    across = local(9)
    m = local(3)
    p = local(3)
    point = local(6)
    found = local(FOUND)
    simplex = local(SIMPLEX)
    ix = inverse(d[0])
    iy = inverse(d[1])
    iz = inverse(d[2])
    start, _far = box_path(
        lows[root, 0, 0] - half[0], lows[root, 1, 0] - half[1], lows[root, 2, 0] - half[2],
        highs[root, 0, 0] + half[0], highs[root, 1, 0] + half[1], highs[root, 2, 0] + half[2],
        o[0] + middle[0], o[1] + middle[1], o[2] + middle[2], ix, iy, iz,
    )  # fmt: skip
    if not start <= limit:
        return INF, -1
    start = max(0.0, start - (half[0] + half[1] + half[2]))
    for i in range(3):
        p[i] = o[i] + start * d[i]
    best = INF
    way = limit - start
    triangle = -1
    pending[0] = root
    entries[0] = 0.0
    top = 1
    while top > 0:
        top, first, leaves = next_leaf_along(
            lows, highs, firsts, counts, pending, entries, top,
            p[0] + middle[0], p[1] + middle[1], p[2] + middle[2], ix, iy, iz, half[0], half[1], half[2], way,
        )  # fmt: skip
        for t in range(first, first + leaves):
            bordered = gather_triangle(vertices, corner_vertices, across_vertices, t, p[0], p[1], p[2], c, across)
            for k in range(3):
                m[k] = normals[t, k, 0]
            answer = probe_triangle(task, both, pair, forms, vertices, turn, c, m, d, way, simplex, point, found)
            if task == DEPTH and answer <= 0.0 and both == 0:
                verdict = judge_mesh_normal(
                    c, across, bordered, t, corner_vertices, vertices, around_first, around_end, around,
                    turn[0] * found[0] + turn[3] * found[1] + turn[6] * found[2],
                    turn[1] * found[0] + turn[4] * found[1] + turn[7] * found[2],
                    turn[2] * found[0] + turn[5] * found[1] + turn[8] * found[2], m[0], m[1], m[2],
                )  # fmt: skip
                answer = own_depth(pair, forms, vertices, turn, m, verdict, point, found)
            if answer < best:
                best = answer
                triangle = t
                for k in range(FOUND):
                    out[k] = found[k]
                if task == SWEEP:
                    way = min(way, answer)
                elif task == OVERLAP:
                    top = 0
    if task == DEPTH and triangle >= 0:
        best = out[6]
    return best + start, triangle
