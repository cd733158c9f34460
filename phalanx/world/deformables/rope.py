"""Ropes in a world: the user's handle on the rows of a deformable body that is a chain of nodes."""

from __future__ import annotations

from typing import Any

from phalanx import components as c
from phalanx.ecs import Field
from phalanx.models.meshes.rope_line import RopeLine
from phalanx.world.deformables.body import DeformableBody
from phalanx.world.handle import on_device
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

    @property
    @on_device
    def youngs_modulus(self) -> Any:
        """(n,): Pa."""
        return self._read(c.DeformableMaterial.youngs_modulus, self._body)[:, 0]

    @property
    @on_device
    def bending_stiffness(self) -> Any:
        """(n,): flexural rigidity, N m^2."""
        return self._read(c.RopeMaterial.bending_stiffness, self._body)[:, 0]

    @on_device
    def set_youngs_modulus(self, value: Any, env_ids: Any = None) -> None:
        """Set Young's modulus, (n,), Pa, above 0; the stiffness against bending stays."""
        self._above_zero("Young's modulus", value)
        self._set(c.DeformableMaterial.youngs_modulus, "Young's modulus", value, env_ids)

    @on_device
    def set_bending_stiffness(self, value: Any, env_ids: Any = None) -> None:
        """Set the flexural rigidity, (n,), N m^2, at least 0."""
        self._set(c.RopeMaterial.bending_stiffness, "bending stiffness", value, env_ids)

    @property
    def _row(self) -> slice:
        number = self._bound.rope
        return slice(number, number + 1)

    def _set(self, field: Field, what: str, value: Any, env_ids: Any) -> None:
        values, envs = self._input(what, value, (), env_ids, negative=False)
        self._write(field, self._body, values[:, None], envs)
        self.engine.touch_state()
