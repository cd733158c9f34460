"""Ropes in a world: the user's handle on the rows of a deformable body that is a chain of nodes."""

from __future__ import annotations

from typing import Any

from phalanx import components as c
from phalanx.models.meshes.rope_line import RopeLine
from phalanx.world.deformables.body import DeformableBody
from phalanx.world.handle import on_device
from phalanx.world.handles.declared import assign
from phalanx.world.layout.parts import RopePart


class Rope(DeformableBody):
    """A rope in every environment; made by :meth:`phalanx.World.add_rope`.

    Arrays are environment-first, on the world's device (NumPy or CuPy), and yours: they do not change when the world
    steps. Positions are in the world, relative to the environment's origin. Environments may have materials of their
    own; from the first that differs on the world keeps a value for each, and kernels are compiled once more.
    """

    KIND = "rope"
    part: RopePart

    @property
    def line(self) -> RopeLine:
        """Its nodes, in its own frame."""
        return self.part.mesh

    @property
    def radius(self) -> float:
        """Of its cross-section, m."""
        return self.part.radius

    def __repr__(self) -> str:
        return f"<Rope {self.name!r}: {self.num_nodes} nodes, {self.line.length:g} m>"

    @property
    @on_device
    def segment_length(self) -> Any:
        """(n, segments): m."""
        xp = self._xp
        edges = self.node_offset[:, 1:] - self.node_offset[:, :-1]
        return xp.sqrt((edges**2).sum(axis=2))

    @property
    @on_device
    def tension(self) -> Any:
        """(n, segments): force along each segment, N; negative where it is pressed together."""
        rest = self._xp.asarray(self.line.lengths, self.engine.dtype)
        return self._read(c.RopeElasticity.stretch, self._row) * (self.segment_length / rest - 1)

    youngs_modulus = DeformableBody._of_body(
        c.DeformableMaterial.youngs_modulus, what="Young's modulus", negative=False, above_zero=True
    )
    """(n,): Pa."""

    bending_stiffness = DeformableBody._of_body(c.RopeMaterial.bending_stiffness, negative=False)
    """(n,): flexural rigidity, N·m^2."""

    def set_youngs_modulus(self, value: Any, env_ids: Any = None) -> None:
        """Set Young's modulus, (n,), Pa, above 0; the stiffness against bending stays."""
        assign(self, {"youngs_modulus": value}, env_ids)

    def set_bending_stiffness(self, value: Any, env_ids: Any = None) -> None:
        """Set the flexural rigidity, (n,), N m^2, at least 0."""
        assign(self, {"bending_stiffness": value}, env_ids)

    @property
    def _row(self) -> slice:
        number = self._bound.rope
        return slice(number, number + 1)
