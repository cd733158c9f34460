"""The part of a world that takes in ropes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from phalanx.models.meshes.rope_line import RopeLine
from phalanx.world import checking, options
from phalanx.world.deformables.adding_particles import ParticleSets
from phalanx.world.deformables.rope import Rope
from phalanx.world.layout.parts import RopePart
from phalanx.world.options import Surface


class Ropes(ParticleSets):
    """Adds ropes to what a world can hold."""

    ropes: dict[str, Rope]
    _settings: dict[str, Any]

    def add_rope(
        self,
        source: RopeLine | Any,
        name: str = "rope",
        *,
        radius: float = 5e-3,
        youngs_modulus: float = 1e7,
        bending_stiffness: float | None = None,
        twisting_stiffness: float = 0.0,
        curved_at_rest: bool = False,
        density: float | None = None,
        mass: float | None = None,
        position: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0),
        orientation: Sequence[float] | np.ndarray = (1.0, 0.0, 0.0, 0.0),
        damping: float = 0.0,
        disable_gravity: bool = False,
        kinematic: bool = False,
        collision_group: int = 0,
        collision_mask: Any = None,
        contact_offset: float | None = None,
        rest_offset: float | None = None,
        touches_cloth: bool = False,
        touch_offset: float | None = None,
        **surface: Unpack[Surface],
    ) -> Rope:
        """Add a rope, cable or rod of round cross-section to every environment.

        It stretches, bends, twists if it is to, and touches rigid bodies with its nodes.

        Args:
            source: its nodes from end to end, as a RopeLine or (n, 3) in m. Segments between them are without strain.
            name: unique in the world.
            radius: m, of the cross-section.
            youngs_modulus: Pa, against stretch; ``E A`` with ``A = pi r^2``. Springs between nodes are no stiffer than
                1e5 times their mass by the square of a small step.
            bending_stiffness: flexural rigidity in N m^2; that of a solid rod, ``E pi r^4 / 4``, where not given.
            twisting_stiffness: torsional rigidity in N m^2, ``G J``; that of a solid rod is ``bending_stiffness / (1 +
                nu)``. 0: it does not resist twist. Turn segments with :meth:`Rope.set_twist_targets`.
            curved_at_rest: bending is measured from how the nodes are given; otherwise from straight.
            density, mass: kg/m^3, or kg of the whole; 1000 kg/m^3 where neither is given.
            position, orientation: initial pose of its frame: (3,), m, and (4,), w x y z, normalised for you.
            damping: decay of all velocities, 1/s.
            disable_gravity: gravity does not act on it.
            kinematic: all of its nodes are held after a reset; they move as :meth:`Rope.set_node_targets` says.
            collision_group, collision_mask, contact_offset: as of :class:`phalanx.world.options.ActorOptions`.
            rest_offset: distance of the middle line from things that it rests on, m; the radius where it is not given.
            touches_cloth: its segments touch each other, and ropes, cloth and soft bodies for which this holds, at the
                sum of both touch offsets; see :meth:`add_cloth`. What less than pi times the touch offset of rope lies
                between does not touch.
            touch_offset: m; the radius where it is not given. Segments that are shorter than it cost much.
            surface: see :class:`phalanx.world.options.Surface`; restitution has no meaning here.

        Raises:
            LoadError: there are fewer than two nodes, or two that follow each other are in one place; or it is curved
                at rest and turns by more than 60 degrees at a node.
            ValueError: a name is taken, or a value is not possible.
        """
        self._free_name("add_rope", name)
        who = f"rope {name!r}"
        pose = checking.pose(who, position, orientation)
        checking.options(who, surface, options.SURFACE)
        line = source if isinstance(source, RopeLine) else RopeLine(source, who)
        if mass is not None and density is not None:
            raise ValueError(f"{who}: give mass or density, not both")
        radius = checking.number(f"{who}: radius", radius, above=0)
        if mass is not None:
            density = checking.number(f"{who}: mass", mass, above=0) / (line.length * np.pi * radius**2)
        young = checking.number(f"{who}: youngs_modulus", youngs_modulus, above=0)
        bend = young * np.pi * radius**4 / 4 if bending_stiffness is None else bending_stiffness
        rest = radius if rest_offset is None else rest_offset
        offset = max(self._settings["contact_offset"], 2 * rest) if contact_offset is None else contact_offset
        given = {"collision_group": collision_group, "contact_offset": offset, "rest_offset": rest}
        if collision_mask is not None:
            given["collision_mask"] = collision_mask
        fields = options.part_fields(who, given)
        part = RopePart(
            line,
            young,
            0.0,
            checking.number(f"{who}: density", 1000.0 if density is None else density, above=0),
            options.surface(who, surface),
            group=fields.get("group", 0),
            mask=fields.get("mask", RopePart.mask),
            contact_offset=fields["contact_offset"],
            rest_offset=fields["rest_offset"],
            damping=checking.number(f"{who}: damping", damping),
            gravity_scale=0.0 if disable_gravity else 1.0,
            kinematic=bool(kinematic),
            radius=radius,
            bending_stiffness=checking.number(f"{who}: bending_stiffness", bend),
            twisting_stiffness=checking.number(f"{who}: twisting_stiffness", twisting_stiffness),
            curved_at_rest=bool(curved_at_rest),
            touch_offset=radius
            if touch_offset is None
            else checking.number(f"{who}: touch_offset", touch_offset, above=0),
            touches_cloth=bool(touches_cloth),
        )
        line.curvature(part.curved_at_rest)
        made = self.ropes[name] = Rope(self.engine, name, part, pose)
        return made
