"""Cloth in a world: the user's handle on the rows of a deformable body of triangles."""

from __future__ import annotations

from typing import Any

from phalanx import components as c
from phalanx.models.meshes.cloth_mesh import ClothMesh
from phalanx.world.deformables.body import DeformableBody
from phalanx.world.handle import on_device
from phalanx.world.handles.declared import assign
from phalanx.world.layout.parts import ClothPart


class Cloth(DeformableBody):
    """Cloth in every environment; made by :meth:`phalanx.World.add_cloth`.

    Arrays are environment-first, on the world's device (NumPy or CuPy), and yours: they do not change when the world
    steps. Positions are in the world, relative to the environment's origin. Environments may have materials of their
    own; from the first that differs on the world keeps a value for each, and kernels are compiled once more.
    """

    KIND = "cloth"
    part: ClothPart

    @property
    def mesh(self) -> ClothMesh:
        """Its triangles, in its own frame."""
        return self.part.mesh

    def __repr__(self) -> str:
        return f"<Cloth {self.name!r}: {self.num_nodes} nodes, {len(self.mesh.triangles)} triangles>"

    @property
    @on_device
    def volume(self) -> Any:
        """(n,), m^3: of what a closed cloth encloses."""
        xp = self._xp
        corners = self.node_offset[:, xp.asarray(self.mesh.triangles)]
        products = (corners[:, :, 0] * xp.cross(corners[:, :, 1], corners[:, :, 2])).sum(axis=2)
        return products.sum(axis=1) / 6

    youngs_modulus = DeformableBody._of_body(
        c.DeformableMaterial.youngs_modulus, what="Young's modulus", negative=False, above_zero=True
    )
    """(n,): Pa."""

    shear_modulus = DeformableBody._of_body(c.ClothMaterial.shear_modulus, negative=False)
    """(n,): Pa."""

    bending_stiffness = DeformableBody._of_body(c.ClothMaterial.bending_stiffness, negative=False)
    """(n,): flexural rigidity, N·m."""

    pressure = DeformableBody._of_body(c.ClothMaterial.pressure)
    """(n,): pressure inside less that outside, Pa."""

    def set_youngs_modulus(self, value: Any, env_ids: Any = None) -> None:
        """Set Young's modulus, (n,), Pa, above 0; the shear modulus and the stiffness against bending stay."""
        assign(self, {"youngs_modulus": value}, env_ids)

    def set_shear_modulus(self, value: Any, env_ids: Any = None) -> None:
        """Set the shear modulus, (n,), Pa, at least 0."""
        assign(self, {"shear_modulus": value}, env_ids)

    def set_bending_stiffness(self, value: Any, env_ids: Any = None) -> None:
        """Set the flexural rigidity, (n,), N m, at least 0."""
        assign(self, {"bending_stiffness": value}, env_ids)

    def set_pressure(self, value: Any, env_ids: Any = None) -> None:
        """Set the pressure inside less that outside, (n,), Pa.

        Raises:
            LoadError: the mesh is not closed.
        """
        self.mesh.check_closed()
        assign(self, {"pressure": value}, env_ids)
