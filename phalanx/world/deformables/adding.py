"""The part of a world that takes in deformable bodies."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from phalanx import components as c
from phalanx.io.formats.element_files import read_elements
from phalanx.io.reading.errors import LoadError
from phalanx.maths.arrays import inverse, rotate
from phalanx.models.actor_spec import Part
from phalanx.models.meshes.carried_points import carried_points
from phalanx.models.meshes.cloth_mesh import ClothMesh, mesh_from_dict
from phalanx.models.meshes.collision_mesh import CollisionMesh, SurfaceMesh, source_of
from phalanx.models.meshes.embedded import EmbeddedMesh, shape_of
from phalanx.models.meshes.fill import fill_surface
from phalanx.models.meshes.point_set import PointSet
from phalanx.models.meshes.rope_line import RopeLine
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.models.meshes.tet_shapes import tet_shape
from phalanx.models.robot_model import Shape
from phalanx.models.surface import Ground
from phalanx.systems.collision import broad_phase
from phalanx.systems.deformable import systems
from phalanx.world import checking, options
from phalanx.world.deformables.adding_ropes import Ropes
from phalanx.world.deformables.body import DeformableBody
from phalanx.world.deformables.cloth import Cloth
from phalanx.world.deformables.node_attachment import NodeAttachment
from phalanx.world.deformables.particles import Particles, rounds_of_grains, steps_of_grains
from phalanx.world.deformables.rope import Rope
from phalanx.world.deformables.soft_body import SoftBody
from phalanx.world.layout.deformable import fill_deformables
from phalanx.world.layout.fill import Layout
from phalanx.world.layout.parts import ELASTICITIES, ClothPart, ParticlesPart, RopePart, SoftPart
from phalanx.world.layout.soft_ties import Tie
from phalanx.world.options import Surface

SURFACE_OPTIONS = ("collision_group", "collision_mask", "contact_offset", "rest_offset")

TOUCHING_SWEEPS = 6
"""Sweeps over cloth in each small step where cloth touches cloth, at least: in 2, a pile of three sheets that falls
from 50 mm jumps up by 10 mm; in 6, by 1.4 mm."""


TOUCH = 2e-3
"""m: touch offset of soft bodies where none is given, at most."""


class Deformables(Ropes):
    """Adds deformable bodies to what a world can hold."""

    deformables: dict[str, SoftBody]
    cloths: dict[str, Cloth]
    actors: dict[str, Any]
    _settings: dict[str, Any]
    _gravity: tuple[float, float, float]
    _grounds: list[Ground]
    attachments: list[NodeAttachment]

    @property
    def all_deformables(self) -> dict[str, SoftBody | Cloth | Rope | Particles]:
        """Soft bodies, cloth, ropes and particles by name."""
        return {**self.deformables, **self.cloths, **self.ropes, **self.particles}

    def add_soft_body(
        self,
        source: Shape | TetMesh | str | os.PathLike[str],
        name: str = "soft body",
        *,
        resolution: int = 10,
        youngs_modulus: float = 1e5,
        poissons_ratio: float = 0.45,
        density: float | None = None,
        mass: float | None = None,
        position: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0),
        orientation: Sequence[float] | np.ndarray = (1.0, 0.0, 0.0, 0.0),
        damping: float = 0.0,
        elasticity_damping: float | None = None,
        elasticity: str = "neo-hookean",
        visual: Shape | dict[str, Any] | None = None,
        collision: Shape | TetMesh | dict[str, Any] | None = None,
        disable_gravity: bool = False,
        kinematic: bool = False,
        collision_group: int = 0,
        collision_mask: Any = None,
        contact_offset: float | None = None,
        rest_offset: float = 0.0,
        touches_cloth: bool = False,
        touch_offset: float | None = None,
        **surface: Unpack[Surface],
    ) -> SoftBody:
        """Add a soft body, a volume of elastic material, to every environment.

        Args:
            source: tetrahedra, or a .msh or .vtk file that has them in m (:func:`phalanx.read_elements`), or a box,
                sphere, capsule, cylinder, cone or closed mesh to make them of.
            name: unique in the world.
            resolution: elements along the longest side of such a shape.
            youngs_modulus: Pa.
            poissons_ratio: at least 0, below 0.5.
            density, mass: kg/m^3, or kg of the whole body; 1000 kg/m^3 where neither is given.
            position, orientation: initial pose of the body's frame: (3,), m, and (4,), w x y z, normalised for you.
            damping: decay of all velocities, 1/s.
            elasticity_damping: s: a rate of strain makes a stress of this times that of the strain, so a vibration of
                w rad/s has half of this times w of critical damping; motion as a rigid body has none. Without it
                sweeps cost less, and :meth:`SoftBody.set_elasticity_damping` is an error.
            elasticity: ``"neo-hookean"``, or ``"corotational"``: what energy strains have. For small strains they are
                the same, linear elasticity; under large ones the corotational one stays nearer to that, in axes that
                turn with each element. It costs more, as these turns are found anew in each sweep.
            visual: a mesh in the body's frame that is seen in place of its surface, in its colour if it has one; its
                vertices go with the tetrahedra that they lie in, or nearest to.
            collision: a mesh in the body's frame that touches other things in place of its surface: triangles, or
                tetrahedra whose surface does. Its vertices lie in the tetrahedra or near, and go with them; forces on
                them act on the nodes of their tetrahedra. So contacts can be finer or coarser than what is simulated.
            disable_gravity: gravity does not act on it.
            kinematic: all of its nodes are held after a reset; they move as :meth:`SoftBody.set_node_targets` says.
            collision_group, collision_mask, contact_offset, rest_offset: as of
            :class:`phalanx.world.options.ActorOptions`. surface: see :class:`phalanx.world.options.Surface`;
            restitution has no meaning here.
            touches_cloth: its surface touches itself, and cloth and other soft bodies for which this holds, at the sum
                of both touch offsets; see :meth:`add_cloth`.
            touch_offset: m, at most a quarter of the height of the lowest triangle of its surface; where not given
                2 mm, or a tenth of that height if this is less.

        Raises:
            LoadError: the tetrahedra cannot be used.
            ValueError: a name is taken, or a value is not possible.
        """
        self._free_name("add_soft_body", name)
        who = f"soft body {name!r}"
        pose = checking.pose(who, position, orientation)
        checking.options(who, surface, options.SURFACE)
        if isinstance(source, str | os.PathLike):
            source = read_elements(source).tets()
        mesh = source if isinstance(source, TetMesh) else _tetrahedra(source, name, resolution)
        if mass is not None and density is not None:
            raise ValueError(f"{who}: give mass or density, not both")
        if mass is not None:
            density = checking.number(f"{who}: mass", mass, above=0) / float(mesh.volumes.sum())
        given = {"collision_group": collision_group, "contact_offset": contact_offset, "rest_offset": rest_offset}
        if collision_mask is not None:
            given["collision_mask"] = collision_mask
        fields = options.part_fields(who, given)
        nu = checking.number(f"{who}: poissons_ratio", poissons_ratio)
        if nu >= 0.5:
            raise ValueError(f"{who}: poissons_ratio={poissons_ratio!r}: must be below 0.5")
        if elasticity not in ELASTICITIES:
            raise ValueError(f"{who}: elasticity={elasticity!r}: must be {' or '.join(map(repr, ELASTICITIES))}")
        touching = None
        if collision is not None:
            given_mesh = source_of(collision) if isinstance(collision, dict) else collision
            touching = CollisionMesh(given_mesh, mesh, who)
        part = SoftPart(
            mesh,
            checking.number(f"{who}: youngs_modulus", youngs_modulus, above=0),
            nu,
            checking.number(f"{who}: density", 1000.0 if density is None else density, above=0),
            options.surface(who, surface),
            group=fields.get("group", 0),
            mask=fields.get("mask", SoftPart.mask),
            contact_offset=fields.get("contact_offset", self._settings["contact_offset"]),
            rest_offset=fields.get("rest_offset", 0.0),
            damping=checking.number(f"{who}: damping", damping),
            gravity_scale=0.0 if disable_gravity else 1.0,
            kinematic=bool(kinematic),
            touch_offset=self._touch_offset(who, mesh if touching is None else touching.touching, touch_offset),
            touches_cloth=bool(touches_cloth),
            elasticity_damping=None
            if elasticity_damping is None
            else checking.number(f"{who}: elasticity_damping", elasticity_damping),
            corotational=elasticity == "corotational",
            visual=None
            if visual is None
            else EmbeddedMesh(shape_of(visual) if isinstance(visual, dict) else visual, mesh, who),
            collision=touching,
        )
        made = self.deformables[name] = SoftBody(self.engine, name, part, pose)
        return made

    def _touch_offset(self, who: str, mesh: TetMesh | SurfaceMesh, given: float | None) -> float:
        p = mesh.nodes[mesh.surface]
        longest = np.max([np.linalg.norm(p[:, k] - p[:, k - 1], axis=1) for k in range(3)], axis=0)
        height = float((np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1) / longest).min())
        offset = min(TOUCH, 0.1 * height) if given is None else checking.number(f"{who}: touch_offset", given, above=0)
        if offset > 0.25 * height:
            raise ValueError(
                f"{who}: touch_offset={offset:g}: the lowest triangle of its surface is {height:g} m high; at most a "
                f"quarter of that, {height / 4:g} m, is possible"
            )
        return offset

    def add_cloth(
        self,
        source: ClothMesh | Shape | str | os.PathLike[str],
        name: str = "cloth",
        *,
        thickness: float = 1e-3,
        youngs_modulus: float = 1e6,
        poissons_ratio: float = 0.3,
        shear_modulus: float | None = None,
        bending_stiffness: float | None = None,
        pressure: float = 0.0,
        density: float | None = None,
        mass: float | None = None,
        position: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0),
        orientation: Sequence[float] | np.ndarray = (1.0, 0.0, 0.0, 0.0),
        damping: float = 0.0,
        disable_gravity: bool = False,
        gravity_scale: float = 1.0,
        kinematic: bool = False,
        collision_group: int = 0,
        collision_mask: Any = None,
        contact_offset: float | None = None,
        rest_offset: float | None = None,
        touches_cloth: bool = False,
        touch_offset: float | None = None,
        **surface: Unpack[Surface],
    ) -> Cloth:
        """Add cloth, a sheet of elastic material, to every environment.

        It stretches and shears in its plane, bends, and touches rigid bodies from both sides.

        Args:
            source: triangles, or a .msh or .vtk file that has them in m, or a shape that is a mesh. Bending is measured
                from flat.
            name: unique in the world.
            thickness: m, of the sheet as what is below says of what it is made.
            youngs_modulus: Pa, in its plane.
            poissons_ratio: at least 0, below 0.5.
            shear_modulus: Pa; as of an isotropic sheet, ``E / 2 (1 + nu)``, where it is not given. Other sheets, such
                as woven ones, have axes: the body's x in the plane of each triangle, and that across.
            bending_stiffness: flexural rigidity in N m; that of a plate, ``E t^3 / 12 (1 - nu^2)``, where not given.
            pressure: inside less that outside, Pa; for closed meshes.
            density, mass: kg/m^3, or kg of the whole; 300 kg/m^3 where neither is given.
            position, orientation: initial pose of its frame: (3,), m, and (4,), w x y z, normalised for you.
            damping: decay of all velocities, 1/s.
            disable_gravity, gravity_scale: gravity does not act on it, or so many times; it may be negative.
            kinematic: all of its nodes are held after a reset; they move as :meth:`Cloth.set_node_targets` says.
            collision_group, collision_mask, contact_offset: as of :class:`phalanx.world.options.ActorOptions`.
            rest_offset: distance at which it rests on other things, m; half of the thickness where it is not given.
            touches_cloth: it touches itself, and other cloth for which this holds, at the sum of both touch offsets.
                Nothing passes through anything, but for nodes that you hold.
            touch_offset: m, at most a quarter of the height of the lowest triangle; the rest offset where not given.
            surface: see :class:`phalanx.world.options.Surface`; restitution has no meaning here.

        Raises:
            LoadError: the triangles cannot be used, or are not closed and have pressure.
            ValueError: a name is taken, or a value is not possible.
        """
        self._free_name("add_cloth", name)
        who = f"cloth {name!r}"
        pose = checking.pose(who, position, orientation)
        checking.options(who, surface, options.SURFACE)
        if isinstance(source, str | os.PathLike):
            source = read_elements(source).triangles()
        mesh = source if isinstance(source, ClothMesh) else _triangles(source, name)
        if mass is not None and density is not None:
            raise ValueError(f"{who}: give mass or density, not both")
        thickness = checking.number(f"{who}: thickness", thickness, above=0)
        if mass is not None:
            density = checking.number(f"{who}: mass", mass, above=0) / float(mesh.areas.sum() * thickness)
        nu = checking.number(f"{who}: poissons_ratio", poissons_ratio)
        if nu >= 0.5:
            raise ValueError(f"{who}: poissons_ratio={poissons_ratio!r}: must be below 0.5")
        young = checking.number(f"{who}: youngs_modulus", youngs_modulus, above=0)
        shear = young / (2 * (1 + nu)) if shear_modulus is None else shear_modulus
        bend = young * thickness**3 / (12 * (1 - nu**2)) if bending_stiffness is None else bending_stiffness
        if not np.isfinite(pressure):
            raise ValueError(f"{who}: pressure={pressure!r}: must be a finite number")
        if pressure:
            mesh.check_closed()
        rest = thickness / 2 if rest_offset is None else rest_offset
        offset = max(self._settings["contact_offset"], 2 * rest) if contact_offset is None else contact_offset
        given = {"collision_group": collision_group, "contact_offset": offset, "rest_offset": rest}
        if collision_mask is not None:
            given["collision_mask"] = collision_mask
        fields = options.part_fields(who, given)
        touch = rest if touch_offset is None else checking.number(f"{who}: touch_offset", touch_offset)
        if touches_cloth and 2 * touch > (least := 0.5 * mesh.least_height):
            raise ValueError(
                f"{who}: it would rest on itself at {2 * touch:g} m, and its smallest triangle is "
                f"{2 * least:g} m high; "
                f"with touches_cloth touch_offset (rest_offset, half of the thickness) is at most {least / 2:g} m; or "
                "make triangles larger"
            )
        part = ClothPart(
            mesh,
            young,
            nu,
            checking.number(f"{who}: density", 300.0 if density is None else density, above=0),
            options.surface(who, surface),
            group=fields.get("group", 0),
            mask=fields.get("mask", ClothPart.mask),
            contact_offset=fields["contact_offset"],
            rest_offset=fields["rest_offset"],
            damping=checking.number(f"{who}: damping", damping),
            gravity_scale=checking.gravity_scale(who, disable_gravity, gravity_scale),
            kinematic=bool(kinematic),
            thickness=thickness,
            shear_modulus=checking.number(f"{who}: shear_modulus", shear),
            bending_stiffness=checking.number(f"{who}: bending_stiffness", bend),
            pressure=float(pressure),
            touch_offset=touch,
            touches_cloth=bool(touches_cloth),
        )
        made = self.cloths[name] = Cloth(self.engine, name, part, pose)
        return made

    def attach_nodes(
        self,
        body: SoftBody | Cloth | Rope | str,
        nodes: Any,
        to: Any = None,
        *,
        points: Any = None,
        attached: bool = True,
    ) -> NodeAttachment:
        """Tie nodes of a deformable body to a body of an actor, to another deformable body, or to the world.

        They are tied in every environment. Forces go both ways: a link that moves is pulled with its whole mass matrix,
        what hangs on it loads its drives.

        Args:
            body: the deformable body.
            nodes: numbers of its nodes (k,), or a mask (nodes,). A node is in one attachment at most.
            to: an actor (its root), ``"actor/body"``, or (actor, body); a soft body, cloth or rope, or its name;
                ``None``: the world.
            points: (k, 3), m: where the nodes are tied, in the frame of ``to``; by default where they are when tied.
                A deformable body carries the points as its elements carry what is there or nearest to it in its rest
                shape; by default the points where nodes are after a reset. What is apart is drawn together.
            attached: whether they are tied after a reset; :meth:`NodeAttachment.attach` and ``release`` change that.

        Raises:
            ValueError: there is no such body or node, or a node is attached already.
        """
        self._not_built("attach_nodes")
        name = body if isinstance(body, str) else body.name
        known = self.all_deformables
        found = known.get(name)
        if found is None or (not isinstance(body, str) and body is not found):
            raise ValueError(
                f"attach_nodes: there is no deformable body {name!r} in this world; there are "
                f"{', '.join(known) or 'none'}"
            )
        who = f"attach_nodes: {found}"
        if isinstance(found, Particles):
            raise ValueError(f"{who}: particles cannot be tied; hold them with set_node_targets")
        chosen = np.atleast_1d(np.asarray(nodes))
        if chosen.dtype == bool and chosen.shape == (found.num_nodes,):
            chosen = np.flatnonzero(chosen)
        if chosen.ndim != 1 or not len(chosen) or not np.issubdtype(chosen.dtype, np.integer):
            raise ValueError(f"{who}: nodes must be numbers of nodes, at least one, or a mask of {found.num_nodes}")
        if chosen.min() < 0 or chosen.max() >= found.num_nodes:
            raise ValueError(f"{who}: nodes must lie in 0..{found.num_nodes - 1}; got {chosen.min()}..{chosen.max()}")
        taken = [each.nodes for each in self.attachments if each.body_name == name]
        values, counts = np.unique(np.concatenate([*taken, chosen]), return_counts=True)
        if (counts > 1).any():
            raise ValueError(f"{who}: node {values[counts > 1][0]} is in two attachments, or named twice")
        place: tuple[str, str] | str | None = self._other_deformable(who, name, to)
        if place is None:
            end = self._end(who, to)
            place = None if end.actor is None else (end.actor.name, end.actor.body_names[end.body])
        made = NodeAttachment(
            self.engine, name, chosen.astype(np.int64), place, self._spots(who, points, len(chosen)), bool(attached)
        )
        self._check_carriers(who, made)
        self.attachments.append(made)
        return made

    @staticmethod
    def _spots(who: str, points: Any, count: int) -> np.ndarray | None:
        if points is None:
            return None
        spots = np.asarray(points, float)
        if spots.shape != (count, 3) or not np.isfinite(spots).all():
            raise ValueError(f"{who}: points must be ({count}, 3) finite numbers, not {spots.shape}")
        return spots

    def _other_deformable(self, who: str, name: str, to: Any) -> str | None:
        """The name of the deformable body that ``to`` is, if it is one."""
        known = self.all_deformables
        if not isinstance(to, DeformableBody) and not (isinstance(to, str) and to in known):
            return None
        other = to if isinstance(to, str) else to.name
        if known.get(other) is None or (not isinstance(to, str) and known[other] is not to):
            raise ValueError(f"{who}: {to} is in another world")
        if other == name:
            raise ValueError(f"{who}: a body cannot be tied to itself")
        if isinstance(known[other], Particles):
            raise ValueError(f"{who}: nothing can be tied to particles")
        return other

    def _carriers(self, tie: NodeAttachment) -> tuple[np.ndarray, np.ndarray]:
        """Of a tie to a deformable body the nodes (k, 4) that carry its points, and their weights."""
        assert isinstance(tie.to, str)
        mine, other = self.all_deformables[tie.body_name], self.all_deformables[tie.to]
        points = tie.points
        if points is None:
            away = mine.default_node_pos[tie.nodes] - other.default_pose[:3]
            points = rotate(inverse(other.default_pose[3:]), away)
        mesh = other.part.mesh
        assert not isinstance(mesh, PointSet)
        return carried_points(points, mesh)

    def _check_carriers(self, who: str, made: NodeAttachment) -> None:
        """A node that carries points of ties cannot be tied itself to a link or to the world."""
        for tie in (each for each in [*self.attachments, made] if isinstance(each.to, str)):
            nodes, weights = self._carriers(tie)
            carry = np.unique(nodes[weights > 0])
            for each in [*self.attachments, made]:
                both = np.intersect1d(carry, each.nodes) if each.body_name == tie.to else carry[:0]
                if not isinstance(each.to, str) and len(both) and made in (tie, each):
                    raise ValueError(
                        f"{who}: node {both[0]} of {tie.to!r} carries a node of {tie.body_name!r} and is tied to "
                        f"{'the world' if each.to is None else '/'.join(each.to)}; tie one of them elsewhere, or hold "
                        "it with set_node_targets"
                    )

    @abstractmethod
    def _end(self, who: str, given: Any) -> Any: ...

    def _ties(self, layout: Layout) -> tuple[list[Tie], list[np.ndarray | None]]:
        """Attachments with the rows of their links, and their points in the frames of these."""
        ties, spots = [], []
        last_dof = self.engine.store.device.to_host(self.engine.store.view(c.LinkTopology.last_dof))[:, 0]
        masses = self.engine.store.device.to_host(self.engine.store.view(c.LinkInertia.mass))[:, 0]
        actors, bodies = list(self.actors), [*self.all_deformables]
        for each in self.attachments:
            body = bodies.index(each.body_name)
            if isinstance(each.to, str):
                carriers, weights = self._carriers(each)
                other = bodies.index(each.to)
                ties.append(Tie(body, each.nodes, other=other, carriers=carriers, weights=weights))
                spots.append(None)
                continue
            if each.to is None:
                ties.append(Tie(body, each.nodes))
                spots.append(each.points)
                continue
            actor = self.actors[each.to[0]]
            frame = actor.part.articulation.frames[actor.body_index(each.to[1])]
            link = layout.rows[actors.index(each.to[0])].links.start + frame.link
            ties.append(Tie(body, each.nodes, link, int(last_dof[link]), float(masses[link])))
            points = each.points
            spots.append(None if points is None else frame.position + rotate(frame.orientation, points))
        return ties, spots

    def _place_deformables(self, parts: Sequence[Part], layout: Layout) -> None:
        """Fill the tables of deformable bodies and add their systems to the schedule."""
        if not self.all_deformables:
            return
        chains: list[list[int]] = []
        for parent in layout.dof_parents:
            chains.append([len(chains), *(chains[parent] if parent >= 0 else [])])
        bodies = [*self.all_deformables.values()]
        ties, spots = self._ties(layout)
        grains = self.particles.values()
        small_steps = self._settings["deformable_steps"]
        if small_steps is None:
            small_steps = steps_of_grains(grains, self.dt / self.substeps, self._gravity)
        rounds = rounds_of_grains(grains, self._gravity)
        placed = fill_deformables(
            self.engine.store,
            [body.part for body in bodies],
            parts,
            layout.shapes,
            self._grounds,
            chains,
            ties,
        )
        for attachment, rows, spot in zip(self.attachments, placed.ties, spots, strict=True):
            attachment.bind(rows, spot)
        sweeps = self._settings["deformable_sweeps"]
        with self.engine.store.active():
            self.engine.store.view(c.ClothDrift.there)[...] = 1
            self.engine.store.view(c.ParticleSettings.there)[...] = 1
        more = max(sweeps, TOUCHING_SWEEPS)
        soft_sweeps = more if any(soft.part.touches_cloth for soft in self.deformables.values()) else sweeps
        cloth_sweeps = more if any(cloth.part.touches_cloth for cloth in self.cloths.values()) else sweeps
        rope_sweeps = more if any(rope.part.touches_cloth for rope in self.ropes.values()) else sweeps
        colours = (placed.colours, placed.cloth_colours)
        ropes = (placed.rope_nodes, rope_sweeps)
        self.engine.soft_steps = (
            small_steps,
            sweeps,
            *colours,
            soft_sweeps,
            cloth_sweeps,
            *ropes,
            placed.digits,
            rounds,
        )
        for body, rows in zip(bodies, placed.rows, strict=True):
            body.bind(rows)
        settings = self.engine.store[c.DeformableSettings]
        settings.small_steps = [[small_steps]]
        settings.total = [[small_steps * self.substeps]]
        known = {system.name for system in self.schedule.systems()}
        wanted = [broad_phase.shape_poses, broad_phase.shape_bounds] if self.engine.store.rows(c.Shape) else []
        for system in [*wanted, *systems()]:
            if system.name not in known:
                self.schedule.add(system)


def _triangles(shape: Shape, name: str) -> ClothMesh:
    if shape.kind != "mesh" or shape.vertices is None or shape.faces is None:
        raise LoadError(f"{name}: there is no cloth of a {shape.kind}; give triangles, as a ClothMesh or a mesh")
    return ClothMesh(shape.vertices, shape.faces, shape.name or name)


def _tetrahedra(shape: Shape, name: str, resolution: int) -> TetMesh:
    if shape.kind == "mesh" and shape.vertices is not None and shape.faces is not None:
        return fill_surface(shape.vertices, shape.faces, resolution, shape.name or name)
    return tet_shape(shape, resolution)


def describe(bodies: Mapping[str, DeformableBody]) -> list[dict[str, Any]]:
    """Deformable bodies as plain data, JSON-ready: the arguments that make them again."""
    return [
        {
            "name": name,
            "source": body.part.mesh.to_dict(),
            "youngs_modulus": body.part.youngs_modulus,
            "poissons_ratio": body.part.poissons_ratio,
            "density": body.part.density,
            "position": body.default_pose[:3].tolist(),
            "orientation": body.default_pose[3:].tolist(),
            "damping": body.part.damping,
            "disable_gravity": body.part.gravity_scale == 0.0,
            "kinematic": body.part.kinematic,
            "collision_group": body.part.group,
            "collision_mask": body.part.mask,
            "contact_offset": body.part.contact_offset,
            "rest_offset": body.part.rest_offset,
            "material": body.part.material.to_dict(),
            **(_volume(body.part) if isinstance(body.part, SoftPart) else {}),
            **(_sheet(body.part) if isinstance(body.part, ClothPart) else {}),
            **(_strand(body.part) if isinstance(body.part, RopePart) else {}),
            **(_grains(body.part) if isinstance(body.part, ParticlesPart) else {}),
        }
        for name, body in bodies.items()
    ]


def _volume(part: SoftPart) -> dict[str, Any]:
    """What soft bodies have besides."""
    return {
        **({"touches_cloth": True, "touch_offset": part.touch_offset} if part.touches_cloth else {}),
        **({} if part.elasticity_damping is None else {"elasticity_damping": part.elasticity_damping}),
        **({"elasticity": "corotational"} if part.corotational else {}),
        **({} if part.visual is None else {"visual": part.visual.to_dict()}),
        **({} if part.collision is None else {"collision": part.collision.to_dict()}),
    }


def _sheet(part: ClothPart) -> dict[str, float]:
    """What cloth has besides."""
    return {
        "thickness": part.thickness,
        "shear_modulus": part.shear_modulus,
        "bending_stiffness": part.bending_stiffness,
        "pressure": part.pressure,
        "touches_cloth": part.touches_cloth,
        "touch_offset": part.touch_offset,
    }


def _strand(part: RopePart) -> dict[str, float]:
    """What ropes have besides."""
    return {
        "radius": part.radius,
        "bending_stiffness": part.bending_stiffness,
        "twisting_stiffness": part.twisting_stiffness,
        "curved_at_rest": part.curved_at_rest,
        "touches_cloth": part.touches_cloth,
        "touch_offset": part.touch_offset,
    }


def _grains(part: ParticlesPart) -> dict[str, Any]:
    """What particles have besides."""
    return {
        "radius": part.radius,
        "particle_friction": [part.static_friction, part.dynamic_friction],
        "rolling_friction": part.rolling_friction if part.turns else None,
        "cohesion": part.cohesion,
        "fluid": part.reach > 0,
        "viscosity": part.viscosity,
        "surface_tension": part.surface_tension,
        "reach": part.reach or None,
        "gravity_scale": part.gravity_scale,
        "adhesion": part.adhesion,
        "adhesion_reach": part.adhesion_reach,
        "max_velocity": part.max_velocity,
        **({"touches_cloth": True} if part.touches_cloth else {}),
    }


def describe_attachments(attachments: Sequence[NodeAttachment]) -> list[dict[str, Any]]:
    """Attachments as plain data, JSON-ready: the arguments that make them again."""
    return [
        {
            "body": each.body_name,
            "tied": each.nodes.tolist(),
            "to": list(each.to) if isinstance(each.to, tuple) else each.to,
            "points": None if each.points is None else each.points.tolist(),
            "attached": each.starts_attached,
        }
        for each in attachments
    ]


def restore(
    world: Deformables, described: Sequence[dict[str, Any]], attachments: Sequence[dict[str, Any]] = ()
) -> None:
    """Add what :func:`describe` and :func:`describe_attachments` returned."""
    for each in described:
        made = dict(each)
        mesh = mesh_from_dict(made.pop("source"))
        if isinstance(mesh, ClothMesh):
            world.add_cloth(mesh, **made)
        elif isinstance(mesh, RopeLine):
            del made["poissons_ratio"]
            world.add_rope(mesh, **made)
        elif isinstance(mesh, PointSet):
            del made["youngs_modulus"], made["poissons_ratio"]
            world.add_particles(mesh, **made)
        else:
            world.add_soft_body(mesh, **made)
    for each in attachments:
        made = dict(each)
        to = made.pop("to")
        world.attach_nodes(made.pop("body"), made.pop("tied"), tuple(to) if isinstance(to, list) else to, **made)
