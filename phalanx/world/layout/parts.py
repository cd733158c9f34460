"""Deformable bodies with all that their rows in the tables are made of."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from phalanx.models.meshes.cloth_mesh import ClothMesh
from phalanx.models.meshes.collision_mesh import CollisionMesh
from phalanx.models.meshes.embedded import EmbeddedMesh
from phalanx.models.meshes.point_set import PointSet
from phalanx.models.meshes.rope_line import RopeLine
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.models.surface import ALL_GROUPS, Material

ELASTICITIES = ("neo-hookean", "corotational")
"""Energies of soft bodies."""


@dataclass(frozen=True)
class DeformablePart:
    """A deformable body with everything that its rows in the tables are made of."""

    mesh: TetMesh | ClothMesh | RopeLine | PointSet
    """In the body's own frame."""
    youngs_modulus: float
    """Pa."""
    poissons_ratio: float
    density: float
    """kg/m^3."""
    material: Material = field(default_factory=Material)
    """Of the surface."""
    group: int = 0
    mask: int = ALL_GROUPS
    contact_offset: float = 0.02
    """m."""
    rest_offset: float = 0.0
    """m."""
    damping: float = 0.0
    """1/s."""
    gravity_scale: float = 1.0
    kinematic: bool = False
    """Whether all nodes are held from the start."""


@dataclass(frozen=True)
class SoftPart(DeformablePart):
    """A soft body."""

    mesh: TetMesh
    touch_offset: float = 0.0
    """m: it rests on other deformable bodies at the sum of both."""
    touches_cloth: bool = False
    """Whether it touches itself, and other deformable bodies for which this holds."""
    elasticity_damping: float | None = None
    """s; None: it has none, and cannot be given any."""
    corotational: bool = False
    """Whether its energy is the corotational one, and not the stable Neo-Hookean one."""
    visual: EmbeddedMesh | None = None
    """What is seen in place of its surface."""
    collision: CollisionMesh | None = None
    """What touches in place of its surface."""

    def masses(self) -> np.ndarray:
        """(nodes,): kg, a quarter of each tetrahedron."""
        mass = np.zeros(len(self.mesh.nodes))
        np.add.at(mass, self.mesh.tets, (self.density / 4 * self.mesh.volumes)[:, None])
        return mass


@dataclass(frozen=True)
class ClothPart(DeformablePart):
    """Cloth."""

    mesh: ClothMesh
    thickness: float = 1e-3
    """m."""
    shear_modulus: float = 0.0
    """Pa."""
    bending_stiffness: float = 0.0
    """N m."""
    pressure: float = 0.0
    """Pa."""
    touch_offset: float = 0.0
    """m: it rests on other cloth at the sum of both."""
    touches_cloth: bool = False
    """Whether it touches itself, and other cloth for which this holds."""

    def masses(self) -> np.ndarray:
        """(nodes,): kg, a third of each triangle."""
        mass = np.zeros(len(self.mesh.nodes))
        np.add.at(mass, self.mesh.triangles, (self.density * self.thickness / 3 * self.mesh.areas)[:, None])
        return mass


@dataclass(frozen=True)
class RopePart(DeformablePart):
    """A rope."""

    mesh: RopeLine
    radius: float = 5e-3
    """m."""
    bending_stiffness: float = 0.0
    """N m^2."""
    twisting_stiffness: float = 0.0
    """N m^2."""
    curved_at_rest: bool = False
    """Whether bending is measured from how its nodes are given, and not from straight."""
    touch_offset: float = 0.0
    """m: it rests on other deformable bodies at the sum of both."""
    touches_cloth: bool = False
    """Whether it touches itself, and other deformable bodies for which this holds."""

    @property
    def framed(self) -> bool:
        """Whether its segments have frames."""
        return len(self.mesh.nodes) > 2 and (self.twisting_stiffness > 0 or self.curved_at_rest)

    @property
    def joined(self) -> int:
        """What fewer nodes lie between does not touch: the inner side of the tightest bend."""
        return max(1, int(np.ceil(np.pi * self.touch_offset / self.mesh.lengths.min())))

    def masses(self) -> np.ndarray:
        """(nodes,): kg, half of each segment."""
        half = self.density * np.pi * self.radius**2 * self.mesh.lengths / 2
        return np.concatenate([half, [0.0]]) + np.concatenate([[0.0], half])


@dataclass(frozen=True)
class ParticlesPart(DeformablePart):
    """Particles."""

    mesh: PointSet
    radius: float = 5e-3
    """m."""
    mass: float = 1e-3
    """kg, of each."""
    static_friction: float = 0.5
    """Between particles."""
    dynamic_friction: float = 0.5
    turns: bool = False
    """Whether grains are spheres that turn."""
    rolling_friction: float = 0.0
    """Torque that rolling needs, by force and radius."""
    cohesion: float = 0.0
    """N."""
    reach: float = 0.0
    """m, up to which fluids feel themselves; 0: they are grains."""
    spacing: float = 0.0
    """m, of a fluid at rest."""
    viscosity: float = 0.0
    """Pa s."""
    surface_tension: float = 0.0
    """N/m, of a fluid."""
    adhesion: float = 0.0
    """N, to shapes."""
    adhesion_reach: float = 0.0
    """m."""
    max_velocity: float = float("inf")
    """m/s."""
    touches_cloth: bool = False
    """Whether they touch deformable bodies for which this holds."""

    def masses(self) -> np.ndarray:
        """(nodes,): kg."""
        return np.full(len(self.mesh.nodes), self.mass)
