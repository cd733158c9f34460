"""What is seen of deformable bodies: their surfaces or meshes within them, tubes about ropes, balls about particles."""

from __future__ import annotations

import numpy as np

from phalanx.models.meshes.balls import ball_faces, ball_vertices
from phalanx.models.meshes.tubes import tube_faces, tube_vertices
from phalanx.models.visible import DEFAULT_COLORS, Color, hex_color
from phalanx.world.layout.parts import DeformablePart, ParticlesPart, RopePart, SoftPart


def surface_faces(part: DeformablePart) -> np.ndarray:
    """(m, 3): triangles of what is seen of a deformable body, of :func:`surface_vertices`."""
    count = len(part.mesh.nodes)
    if isinstance(part, RopePart):
        return tube_faces(count)
    if isinstance(part, SoftPart) and part.visual is not None:
        return part.visual.faces
    return ball_faces(count) if isinstance(part, ParticlesPart) else np.asarray(part.mesh.surface)


def surface_color(part: DeformablePart, number: int) -> Color:
    """What a deformable body is drawn in, sRGB, 0 to 1: the colour of the mesh that is seen, or one by its number."""
    given = part.visual.color if isinstance(part, SoftPart) and part.visual is not None else None
    return hex_color(DEFAULT_COLORS[(number + 2) % len(DEFAULT_COLORS)]) if given is None else given[:3]


def surface_vertices(part: DeformablePart, nodes: np.ndarray) -> np.ndarray:
    """(k, vertices, 3), m, from (k, nodes, 3): nodes themselves, vertices that lie among them, or corners of
    tubes or balls about them.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        if isinstance(part, RopePart):
            return tube_vertices(nodes, part.radius)
        if isinstance(part, SoftPart) and part.visual is not None:
            return part.visual.at(nodes)
        return ball_vertices(nodes, part.radius) if isinstance(part, ParticlesPart) else nodes
