"""A soft body in a world: the user's handle on the rows of a deformable body of tetrahedra."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.maths.arrays import rotate
from phalanx.models.meshes.collision_mesh import CollisionMesh
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.world.deformables import elements
from phalanx.world.deformables.body import DeformableBody
from phalanx.world.handle import on_device
from phalanx.world.handles.declared import Owners, assign
from phalanx.world.layout.parts import ELASTICITIES, SoftPart


class SoftBody(DeformableBody):
    """A soft body in every environment; made by :meth:`phalanx.World.add_soft_body`.

    Arrays are environment-first, on the world's device (NumPy or CuPy), and yours: they do not change when the world
    steps. Positions are in the world, relative to the environment's origin.
    """

    KIND = "soft body"
    part: SoftPart

    @property
    def mesh(self) -> TetMesh:
        """Its tetrahedra, in its own frame."""
        return self.part.mesh

    def __repr__(self) -> str:
        return f"<SoftBody {self.name!r}: {self.num_nodes} nodes, {len(self.mesh.tets)} tetrahedra>"

    # -- elements ----------------------------------------------------------------------------------------

    @property
    @on_device
    def deformation_gradients(self) -> Any:
        """(n, tetrahedra, 3, 3): F of each; the unit matrix, turned, where nothing is strained."""
        return self._gradients(self.mesh.nodes, self.mesh.tets, self.node_offset)

    @property
    @on_device
    def element_rotations(self) -> Any:
        """(n, tetrahedra, 4), w x y z: how each is turned from where it is after a reset."""
        return elements.rotations(self.deformation_gradients, self._xp)

    @property
    @on_device
    def element_stresses(self) -> Any:
        """(n, tetrahedra, 3, 3), Pa: Cauchy stresses."""
        return self._stresses(self.deformation_gradients)

    def _stresses(self, gradients: Any) -> Any:
        young, poisson = self.youngs_modulus, self.poissons_ratio
        return elements.stresses(gradients, young, poisson, self._xp, self.part.corotational)

    def _gradients(self, rest: np.ndarray, tets: np.ndarray, pos: Any) -> Any:
        """(n, tetrahedra, 3, 3), of tetrahedra of vertices that are at rest in the body's frame, and where they are."""
        edges = (rest[tets[:, 1:]] - rest[tets[:, :1]]).swapaxes(-1, -2)
        turn = rotate(self.default_pose[3:], np.eye(3)).T
        inverse = self._xp.asarray(np.linalg.inv(turn @ edges), self.engine.dtype)
        return elements.deformation_gradients(pos, self._xp.asarray(tets), inverse)

    # -- what touches ------------------------------------------------------------------------------------

    @property
    def collision_mesh(self) -> CollisionMesh | None:
        """The mesh that touches other things in place of its surface, if it was given one."""
        return self.part.collision

    @property
    @on_device
    def collision_pos(self) -> Any:
        """(n, vertices, 3): where the vertices of the mesh that touches are, m; nodes where it has none of its own."""
        if self.part.collision is None:
            return self.node_pos
        return self._read(c.DeformableMotion.origin, self._body) + self._carried(self.node_offset)

    @property
    @on_device
    def collision_vel(self) -> Any:
        """(n, vertices, 3): how they move, m/s."""
        return self.node_vel if self.part.collision is None else self._carried(self.node_vel)

    @property
    @on_device
    def collision_gradients(self) -> Any:
        """(n, tetrahedra, 3, 3): F of the tetrahedra of the mesh that touches; none where it is made of triangles."""
        mesh = self.part.collision
        if mesh is None:
            return self.deformation_gradients
        return self._gradients(mesh.vertices, mesh.tets, self._carried(self.node_offset))

    @property
    @on_device
    def collision_rotations(self) -> Any:
        """(n, tetrahedra, 4), w x y z: how each of them is turned from where it is after a reset."""
        return elements.rotations(self.collision_gradients, self._xp)

    @property
    @on_device
    def collision_stresses(self) -> Any:
        """(n, tetrahedra, 3, 3), Pa: Cauchy stresses that their deformation makes in the body's material."""
        return self._stresses(self.collision_gradients)

    def _carried(self, values: Any) -> Any:
        mesh, xp = self.part.collision, self._xp
        assert mesh is not None
        weights = xp.asarray(mesh.weights, self.engine.dtype)
        return (weights[..., None] * values[:, xp.asarray(mesh.nodes)]).sum(axis=2)

    _of_points = Owners("num_points", lambda body: body._bound.points)
    _point_mass = _of_points(c.NodeModel.mass)

    def set_node_mass(self, mass: Any, env_ids: Any = None) -> None:
        """Set masses of nodes, (n, nodes), kg, above 0.

        Environments may differ; from then on the world keeps a value for each, and kernels are compiled once more.
        """
        super().set_node_mass(mass, env_ids)
        if self.part.collision is not None:
            masses = self.node_mass if env_ids is None else self.node_mass[self.engine.env_indices(env_ids)]
            assign(self, {"_point_mass": self.part.collision.masses(self.engine.device.to_host(masses))}, env_ids)

    # -- material ----------------------------------------------------------------------------------------

    @property
    def elasticity(self) -> str:
        """What energy its strains have: ``"neo-hookean"`` or ``"corotational"``."""
        return ELASTICITIES[self.part.corotational]

    youngs_modulus = DeformableBody._of_body(
        c.DeformableMaterial.youngs_modulus, what="Young's modulus", negative=False, above_zero=True
    )
    """(n,): Pa."""

    poissons_ratio = DeformableBody._of_body(
        c.DeformableMaterial.poissons_ratio, what="Poisson's ratio", negative=False, below=0.5
    )
    """(n,), dimensionless."""

    elasticity_damping = DeformableBody._of_body(c.DeformableDamping.elasticity, negative=False)
    """(n,): s; see :meth:`phalanx.World.add_soft_body`."""

    def set_elasticity_damping(self, damping: Any, env_ids: Any = None) -> None:
        """Set how much elastic motion is damped, (n,), s, at least 0.

        Raises:
            ValueError: a value is below 0; or the body was added without an ``elasticity_damping``.
        """
        if self.part.elasticity_damping is None:
            raise ValueError(
                f"{self!r} does not damp elastic motion; give add_soft_body an elasticity_damping, 0 or more"
            )
        assign(self, {"elasticity_damping": damping}, env_ids)

    def set_elasticity(self, youngs_modulus: Any = None, poissons_ratio: Any = None, env_ids: Any = None) -> None:
        """Set Young's modulus (Pa, above 0) and Poisson's ratio (at least 0, below 0.5), (n,) each.

        Environments may differ; from then on the world keeps a value for each, and kernels are compiled once more.

        Raises:
            ValueError: shapes are wrong, or values are out of these ranges.
        """
        assign(self, {"youngs_modulus": youngs_modulus, "poissons_ratio": poissons_ratio}, env_ids)
