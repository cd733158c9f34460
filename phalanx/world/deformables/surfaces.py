"""What is seen of deformable bodies: their own surfaces, tubes about ropes, balls about particles."""

from __future__ import annotations

import numpy as np

from phalanx.models.meshes.balls import ball_faces, ball_vertices
from phalanx.models.meshes.tubes import tube_faces, tube_vertices
from phalanx.world.layout.parts import DeformablePart, ParticlesPart, RopePart


def surface_faces(part: DeformablePart) -> np.ndarray:
    """(m, 3): triangles of what is seen of a deformable body, of :func:`surface_vertices`."""
    count = len(part.mesh.nodes)
    if isinstance(part, RopePart):
        return tube_faces(count)
    return ball_faces(count) if isinstance(part, ParticlesPart) else np.asarray(part.mesh.surface)


def surface_vertices(part: DeformablePart, nodes: np.ndarray) -> np.ndarray:
    """(k, vertices, 3), m, from (k, nodes, 3): nodes themselves, or corners of tubes or balls about them."""
    with np.errstate(invalid="ignore", over="ignore"):
        if isinstance(part, RopePart):
            return tube_vertices(nodes, part.radius)
        return ball_vertices(nodes, part.radius) if isinstance(part, ParticlesPart) else nodes
