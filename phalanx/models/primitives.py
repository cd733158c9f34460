"""Primitive shapes on the host, one entry each: sizes, bounds, mass, lowest points, triangles, names in files.

What reads a shape's name or kind to know one of these asks :data:`PRIMITIVES`. What kernels do with a kind, such as its
support function, is in :mod:`phalanx.systems.collision.narrow`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from phalanx.components.shape import BOX, CAPSULE, CONE, CYLINDER, SPHERE

AROUND = 40
"""Segments of a full turn, of triangles."""

Mass = tuple[float, np.ndarray, np.ndarray]
"""Volume, m^3; centroid (3,), m; inertia (3, 3) about it at density 1, kg m^2."""

Triangles = tuple[np.ndarray, np.ndarray]
"""Vertices (n, 3), m, and faces (m, 3), counter-clockwise from outside."""

Sizes = Sequence[float]

ROUND = ("radius",)
TURNED = ("radius", "half_length")
BLOCK = ("half_x", "half_y", "half_z")
"""What sizes are, m: those of a sphere; of a solid of revolution about z; of a block."""


@dataclass(frozen=True)
class Names:
    """What formats call a primitive; empty where they have none. Of several names files are written with the first."""

    urdf: str = ""
    mjcf: str = ""
    usd: tuple[str, ...] = ()


@dataclass(frozen=True)
class Primitive:
    """A kind of shape that a few sizes tell; all is in its own frame, see :mod:`phalanx.components.shape`.

    Attributes:
        kind: its number there.
        dimensions: what its sizes are.
        names: in files.
        half: of sizes, half lengths (3,) of the box about it, which is centred.
        mass: of sizes, its mass properties.
        lowest: of sizes, a unit vector (3,) up, and the height of its origin: that of its lowest point.
        triangles: of sizes, its surface.
        ends: of sizes, points that may be its lowest, and the radius about them.
        rim_points: ``PointTopology.rim`` of points of its rim that may be its lowest.
        rims: of sizes, height of each rim's middle, and its radius; points of the first stand for both of a cylinder.
        scale: of sizes, factors (3,) along the axes that make it of one with sizes of 1; ``None``: there are none.
        turned: a solid of revolution about z with flat ends: scaled along z it is still one.
    """

    kind: int
    dimensions: tuple[str, ...]
    names: Names
    half: Callable[..., tuple[float, float, float]]
    mass: Callable[..., Mass]
    lowest: Callable[[Sizes, np.ndarray, float], float]
    triangles: Callable[..., Triangles]
    ends: Callable[..., tuple[list[tuple[float, float, float]], float]]
    rim_points: range = range(0)
    rims: Callable[..., list[tuple[float, float]]] = lambda *sizes: []
    scale: Callable[..., tuple[float, float, float]] | None = None
    turned: bool = False

    @property
    def sizes(self) -> int:
        """How many sizes it has."""
        return len(self.dimensions)

    def outline(self, sizes: Sizes, around: int = 16) -> tuple[np.ndarray, float]:
        """Points (n, 3), m, ``around`` of them on each rim, and how far the surface goes beyond their hull, m."""
        places, radius = self.ends(*sizes)
        angle = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
        rims = [np.column_stack([r * np.cos(angle), r * np.sin(angle), 0.0 * angle + z]) for z, r in self.rims(*sizes)]
        return np.concatenate([np.asarray(places, float).reshape(-1, 3), *rims]), radius


def _sphere_mass(radius: float) -> Mass:
    volume = 4.0 / 3.0 * np.pi * radius**3
    return volume, np.zeros(3), 0.4 * volume * radius**2 * np.eye(3)


def _box_mass(x: float, y: float, z: float) -> Mass:
    volume = 8.0 * float(np.prod((x, y, z)))
    squares = np.square((x, y, z))
    return volume, np.zeros(3), volume / 3.0 * np.diag(squares.sum() - squares)


def _cylinder_mass(radius: float, half: float) -> Mass:
    volume = 2.0 * np.pi * radius**2 * half
    across, along = volume * (radius**2 / 4.0 + half**2 / 3.0), volume * radius**2 / 2.0
    return volume, np.zeros(3), np.diag([across, across, along])


def _capsule_mass(radius: float, half: float) -> Mass:
    volume = 2.0 * np.pi * radius**2 * half
    across, along = volume * (radius**2 / 4.0 + half**2 / 3.0), volume * radius**2 / 2.0
    ends = 4.0 / 3.0 * np.pi * radius**3  # two half spheres: centroids 3/8 of the radius beyond the cylinder's ends
    across += ends * (0.4 * radius**2 + half**2 + 0.75 * half * radius)
    along += ends * 0.4 * radius**2
    volume += ends
    return volume, np.zeros(3), np.diag([across, across, along])


def _cone_mass(radius: float, half: float) -> Mass:
    volume = 2.0 / 3.0 * np.pi * radius**2 * half
    across = volume * 3.0 / 20.0 * (radius**2 + half**2)
    return volume, np.array([0.0, 0.0, -0.5 * half]), np.diag([across, across, 0.3 * volume * radius**2])


def _cone_lowest(sizes: Sizes, up: np.ndarray, origin: float) -> float:
    apex, rim = sizes[1] * float(up[2]), sizes[0] * float(np.hypot(up[0], up[1]))
    return origin + min(apex, -apex - rim)


def _box_triangles(half_x: float, half_y: float, half_z: float) -> Triangles:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [(a, b, c) for a, b, c, _ in quads] + [(a, c, d) for a, _, c, d in quads]
    return signs * (half_x, half_y, half_z), np.array(faces, np.int64)


def _revolved(profile: np.ndarray) -> Triangles:
    """Surface of revolution about z; ``profile`` (k, 2) is (radius, z), from the lowest point on the axis up."""
    angle = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
    rings = profile[:, None, 0, None] * np.stack([np.cos(angle), np.sin(angle)], -1)
    heights = np.broadcast_to(profile[:, None, 1, None], (len(profile), AROUND, 1))
    vertices = np.concatenate([rings, heights], -1).reshape(-1, 3)
    ring, i = np.meshgrid(np.arange(len(profile) - 1), np.arange(AROUND), indexing="ij")
    a, b = ring * AROUND + i, ring * AROUND + (i + 1) % AROUND
    faces = np.concatenate([np.stack([a, b, b + AROUND], -1), np.stack([a, b + AROUND, a + AROUND], -1)])
    return vertices, faces.reshape(-1, 3)


def _capsule_triangles(radius: float, half: float) -> Triangles:
    tilt = np.linspace(0.0, 0.5 * np.pi, AROUND // 4 + 1)
    cap = np.stack([radius * np.sin(tilt), radius * np.cos(tilt)], -1)
    cap[0, 0] = 0.0
    lower, upper = cap * (1.0, -1.0) - (0.0, half), cap[::-1] + (0.0, half)
    return _revolved(np.concatenate([lower, upper]))


PRIMITIVES = {
    "sphere": Primitive(
        SPHERE,
        ROUND,
        Names("sphere", "sphere", ("Sphere",)),
        half=lambda r: (r, r, r),
        mass=_sphere_mass,
        lowest=lambda sizes, up, origin: origin - sizes[0],
        triangles=lambda r: _capsule_triangles(r, 0.0),
        ends=lambda r: ([(0, 0, 0)], r),
        scale=lambda r: (r, r, r),
    ),
    "capsule": Primitive(
        CAPSULE,
        TURNED,
        Names("capsule", "capsule", ("Capsule", "Capsule_1")),
        half=lambda r, h: (r, r, h + r),
        mass=_capsule_mass,
        lowest=lambda sizes, up, origin: origin - sizes[1] * abs(float(up[2])) - sizes[0],
        triangles=_capsule_triangles,
        ends=lambda r, h: ([(0, 0, -h), (0, 0, h)], r),
    ),
    "box": Primitive(
        BOX,
        BLOCK,
        Names("box", "box", ("Cube",)),
        half=lambda x, y, z: (x, y, z),
        mass=_box_mass,
        lowest=lambda sizes, up, origin: origin - float(np.abs(up) @ np.asarray(sizes)),
        triangles=_box_triangles,
        ends=lambda x, y, z: ([(x * i, y * j, z * k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], 0.0),
        scale=lambda x, y, z: (x, y, z),
    ),
    "cylinder": Primitive(
        CYLINDER,
        TURNED,
        Names("cylinder", "cylinder", ("Cylinder", "Cylinder_1")),
        half=lambda r, h: (r, r, h),
        mass=_cylinder_mass,
        lowest=lambda sizes, up, origin: (
            origin - sizes[1] * abs(float(up[2])) - sizes[0] * float(np.hypot(up[0], up[1]))
        ),
        triangles=lambda r, h: _revolved(np.array([[0.0, -h], [r, -h], [r, h], [0.0, h]])),
        ends=lambda r, h: ([], 0.0),
        rim_points=range(5),
        rims=lambda r, h: [(h, r), (-h, r)],
        scale=lambda r, h: (r, r, h),
        turned=True,
    ),
    "cone": Primitive(
        CONE,
        TURNED,
        Names(usd=("Cone",)),
        half=lambda r, h: (r, r, h),
        mass=_cone_mass,
        lowest=_cone_lowest,
        triangles=lambda r, h: _revolved(np.array([[0.0, -h], [r, -h], [0.0, h]])),
        ends=lambda r, h: ([(0, 0, h)], 0.0),
        rim_points=range(5, 9),
        rims=lambda r, h: [(-h, r)],
        scale=lambda r, h: (r, r, h),
        turned=True,
    ),
}
"""By the name that users give. Sizes are radius; radius and half length (capsule, cylinder, cone); or half lengths."""

OF_KIND = {each.kind: each for each in PRIMITIVES.values()}
"""By number."""
