"""Contacts of pairs of convex shapes."""

from phalanx.components.pair import (
    Candidate,
    CandidateCount,
    CandidatePair,
    Manifold,
    ManifoldPoint,
    ManifoldPointState,
)
from phalanx.components.shape import (
    BOX,
    CONE,
    HULL,
    SPHERE,
    HullCornerVertex,
    HullFacePlane,
    HullVertexPosition,
    ShapeGeometry,
    ShapePose,
    ShapeTopology,
)
from phalanx.ecs import local, local_int, read, rows, system, update
from phalanx.systems.collision.narrow.manifold import OUT, collide_convex_pair
from phalanx.systems.collision.narrow.support import FORMS, PAIR


@system(over=Candidate, phase="collide", used="used")
def collide_convex(
    n,
    e,
    candidates=rows(Candidate),
    slots=rows(ManifoldPoint),
    used=read(CandidateCount.current),
    pair_a=read(CandidatePair.a),
    pair_b=read(CandidatePair.b),
    between=read(CandidatePair.between),
    reach=read(CandidatePair.reach),
    kind=read(ShapeTopology.kind),
    first_vertex=read(ShapeTopology.first_vertex),
    end_vertex=read(ShapeTopology.end_vertex),
    first_face=read(ShapeTopology.first_face),
    end_face=read(ShapeTopology.end_face),
    size=read(ShapeGeometry.size),
    rotation=read(ShapePose.rotation),
    vertices=read(HullVertexPosition.position),
    normals=read(HullFacePlane.normal),
    first_corners=read(HullFacePlane.first_corner),
    end_corners=read(HullFacePlane.end_corner),
    corner_vertices=read(HullCornerVertex.vertex),
    count=update(Manifold.count),
    position=update(ManifoldPointState.position),
    normal=update(ManifoldPointState.normal),
    separation=update(ManifoldPointState.separation),
):
    """Spheres, capsules, boxes, cylinders, cones and hulls with each other, but for pairs that have their own systems.

    Those are spheres with all but hulls, and capsules and boxes.
    """
    if n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    own = (kind[a, e] == SPHERE and kind[b, e] <= CONE) or kind[b, e] <= BOX
    if own or kind[a, e] < SPHERE or kind[b, e] > HULL:
        return
    pair = local(PAIR)
    forms = local_int(FORMS)
    out = local(OUT)
    for i in range(3):
        pair[9 + i] = 0.0
        pair[12 + i] = size[a, i, e]
        pair[15 + i] = size[b, i, e]
        for j in range(3):
            pair[9 + i] += rotation[a, 3 * j + i, e] * between[n, j, e]
            pair[3 * i + j] = 0.0
            for k in range(3):
                pair[3 * i + j] += rotation[a, 3 * k + i, e] * rotation[b, 3 * k + j, e]
    forms[0] = kind[a, e]
    forms[1] = first_vertex[a, e]
    forms[2] = end_vertex[a, e]
    forms[3] = first_face[a, e]
    forms[4] = end_face[a, e]
    forms[5] = kind[b, e]
    forms[6] = first_vertex[b, e]
    forms[7] = end_vertex[b, e]
    forms[8] = first_face[b, e]
    forms[9] = end_face[b, e]
    found = collide_convex_pair(
        pair, forms, reach[n, e], normals, first_corners, end_corners, corner_vertices, vertices, out
    )
    count[n, e] = found
    per_pair = slots // candidates
    for p in range(min(found, per_pair)):
        slot = n * per_pair + p
        separation[slot, e] = out[4 * p + 6]
        for i in range(3):
            position[slot, i, e] = 0.0
            normal[slot, i, e] = 0.0
            for j in range(3):
                position[slot, i, e] += rotation[a, 3 * i + j, e] * out[4 * p + 3 + j]
                normal[slot, i, e] += rotation[a, 3 * i + j, e] * out[j]
