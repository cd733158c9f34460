"""Ropes in a world: the user's handle on the rows of a deformable body that is a chain of nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.maths.arrays import rotate
from phalanx.models.meshes.rope_line import RopeLine
from phalanx.world.deformables.body import DeformableBody
from phalanx.world.handle import on_device
from phalanx.world.handles.declared import Owners, assign
from phalanx.world.layout.parts import RopePart

TARGET = (c.RopeFrameTarget.angle, c.RopeFrameTarget.held)


class Rope(DeformableBody):
    """A rope in every environment; made by :meth:`phalanx.World.add_rope`.

    Arrays are environment-first, on the world's device (NumPy or CuPy), and yours: they do not change when the world
    steps. Positions are in the world, relative to the environment's origin. Environments may have materials of their
    own; from the first that differs on the world keeps a value for each, and kernels are compiled once more.
    """

    KIND = "rope"
    part: RopePart
    _of_segments = Owners("num_segments", lambda rope: rope._segments)

    @property
    def line(self) -> RopeLine:
        """Its nodes, in its own frame."""
        return self.part.mesh

    @property
    def num_segments(self) -> int:
        """Number of segments between nodes."""
        return self.num_nodes - 1

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

    # -- twist -------------------------------------------------------------------------------------------

    def write_defaults(self, envs: np.ndarray | None) -> None:
        """As of :class:`DeformableBody`, of environments (n,) by their indices; frames are free, at 0 rad, 0 rad/s."""
        super().write_defaults(envs)
        count = self.engine.num_envs if envs is None else len(envs)
        for field, frames in zip((c.RopeFrame.tangent, c.RopeFrame.director), self.line.frames(), strict=True):
            placed = rotate(self.default_pose[3:], frames)
            self._write(field, self._segments, np.broadcast_to(placed, (count, *placed.shape)), envs)
        zero = np.zeros((count, len(self.line.lengths)))
        for field in (c.RopeFrame.spin, c.RopeFrame.angle, c.RopeFrame.twist, *TARGET):
            self._write(field, self._segments, zero, envs)

    @property
    @on_device
    def twist(self) -> Any:
        """(n, nodes - 2): at inner nodes, rad: from the frame of the segment before to that of the one behind."""
        return self._read(c.RopeFrame.twist, self._inner)

    @property
    @on_device
    def torque(self) -> Any:
        """(n, nodes - 2): about the rope at inner nodes, N m: the twisting stiffness times twist by length."""
        lengths = self._xp.asarray((self.line.lengths[1:] + self.line.lengths[:-1]) / 2, self.engine.dtype)
        return self._read(c.RopeElasticity.twisting, self._row) * self.twist / lengths

    segment_angle = _of_segments(c.RopeFrame.angle)
    """(n, num_segments): by how much segments have turned about themselves since the reset, rad."""

    segment_spin = _of_segments(c.RopeFrame.spin)
    """(n, num_segments): how fast segments turn about themselves, rad/s."""

    @on_device
    def set_segment_spin(self, spin: Any, env_ids: Any = None) -> None:
        """Set how fast segments turn about themselves, (n, segments), rad/s."""
        self._write(
            c.RopeFrame.spin, self._segments, *self._input("segment spin", spin, (len(self.line.lengths),), env_ids)
        )
        self.engine.touch_state()

    @on_device
    def set_twist_targets(self, angle: Any, held: Any = True, env_ids: Any = None) -> None:
        """Turn segments about themselves to :attr:`segment_angle`, (n, segments) in rad, within the next step.

        Args:
            held: (n, segments), of which segments; the others are free.

        Raises:
            ValueError: the rope has no twisting stiffness and is straight at rest, or a value is not possible.
        """
        if not self.part.framed:
            raise ValueError(f"{self}: it does not resist twist; give it a twisting_stiffness")
        shape = (len(self.line.lengths),)
        angles = self._input("twist target", angle, shape, env_ids)
        flags, envs = self._input("held segments", held, shape, env_ids)
        self._write(c.RopeFrameTarget.angle, self._segments, *angles)
        self._write(c.RopeFrameTarget.held, self._segments, flags != 0, envs)
        self.engine.touch_inputs()

    youngs_modulus = DeformableBody._of_body(
        c.DeformableMaterial.youngs_modulus, what="Young's modulus", negative=False, above_zero=True
    )
    """(n,): Pa."""

    bending_stiffness = DeformableBody._of_body(c.RopeMaterial.bending_stiffness, negative=False)
    """(n,): flexural rigidity, N·m^2."""

    twisting_stiffness = DeformableBody._of_body(c.RopeMaterial.twisting_stiffness, negative=False)
    """(n,): torsional rigidity, N·m^2."""

    def set_twisting_stiffness(self, value: Any, env_ids: Any = None) -> None:
        """Set the torsional rigidity, (n,), N m^2, at least 0, of a rope that was made with some or is curved at rest.

        Raises:
            ValueError: the rope has no frames, as it was made without, or a value is not possible.
        """
        if not self.part.framed:
            raise ValueError(f"{self}: it was made without twisting_stiffness, so its segments have no frames")
        assign(self, {"twisting_stiffness": value}, env_ids)

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

    @property
    def _segments(self) -> slice:
        rows = self._bound.rope_nodes
        return slice(rows.start, rows.stop - 1)

    @property
    def _inner(self) -> slice:
        rows = self._bound.rope_nodes
        return slice(rows.start + 1, rows.stop - 1)
