"""Fill the tables of deformable bodies: nodes, elements, colours, groups, and the shapes that they may touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from phalanx import components as c
from phalanx.components.cloth_contact import NEAR, TOUCHES
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import Store
from phalanx.models.actor_spec import Part
from phalanx.models.meshes.cloth_bending import bending_matrix
from phalanx.models.meshes.cloth_mesh import ClothMesh
from phalanx.models.meshes.collision_mesh import SurfaceMesh
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.models.surface import Ground
from phalanx.systems.deformable.contact_force import LEARNING
from phalanx.world.layout.cloth_runs import put_runs
from phalanx.world.layout.cloth_triangles import ClothTriangles, ends_of_segments
from phalanx.world.layout.collision import PlacedShape
from phalanx.world.layout.collision_points import CollisionPoints
from phalanx.world.layout.colours import colours, mesh_edges
from phalanx.world.layout.columns import Columns
from phalanx.world.layout.coupled_links import CoupledLinks
from phalanx.world.layout.damping import OTHERS, Damping
from phalanx.world.layout.particles import Particles, particle_material
from phalanx.world.layout.parts import ClothPart, DeformablePart, ParticlesPart, RopePart, SoftPart
from phalanx.world.layout.ropes import Ropes, tie_of_rope
from phalanx.world.layout.soft_ties import Tie, place_soft_ties

GROUP = 32
"""Nodes of a group."""

SECTION = 64
"""Groups of a section; a body that has no more has no sections."""

_SORTS = {SoftPart: 0, ClothPart: 1, RopePart: 2}
"""Nodes of soft bodies and of cloth are swept colour by colour; those of ropes are solved for at once."""

_POINTS = 4
"""The sort of points of collision meshes, which are not swept."""


@dataclass(frozen=True)
class DeformableRows:
    """Where a body's entities are: half-open ranges of rows."""

    body: int
    nodes: slice
    rope: int = -1
    """Its row among ropes, -1: it is none."""
    rope_nodes: slice = field(default_factory=lambda: slice(0, 0))
    """Its rows among nodes of ropes."""
    particles: slice = field(default_factory=lambda: slice(0, 0))
    """Its rows among particles."""
    points: slice = field(default_factory=lambda: slice(0, 0))
    """The rows among nodes of the points of its collision mesh."""


@dataclass(frozen=True)
class DeformableLayout:
    """What :func:`fill_deformables` made."""

    rows: list[DeformableRows]
    colours: list[tuple[int, int]]
    """First place in ``NodeOrder`` and number of nodes of each colour of soft bodies."""
    cloth_colours: list[tuple[int, int]]
    """The same of cloth, whose places follow."""
    rope_nodes: tuple[int, int]
    """The same of all nodes of ropes, whose places are next."""
    digits: int
    """Of the numbers of cells that particles are sorted by."""
    ties: list[np.ndarray]
    """Of each tie the attachments of its nodes, or their rows among ties to deformable bodies."""


def fill_deformables(
    store: Store,
    bodies: Sequence[SoftPart | ClothPart | RopePart | ParticlesPart],
    parts: Sequence[Part],
    shapes: Sequence[PlacedShape],
    grounds: Sequence[Ground],
    chains: Sequence[Sequence[int]],
    ties: Sequence[Tie] = (),
) -> DeformableLayout:
    """Set the rows of all tables of deformable bodies and write every topology and parameter field.

    Args:
        shapes, grounds: as :mod:`phalanx.world.layout.fill` has placed them; grounds are the last shapes.
        chains: for each dof itself and all dofs above it, towards the root.
        ties: no node is in two of them.
    """
    columns = Columns()
    rows: list[DeformableRows] = []
    corners, damping, sheets, ropes, particles = _Corners(), Damping(), _Sheets(), Ropes(), Particles()
    collisions = CollisionPoints()
    edges: dict[type, list[np.ndarray]] = {SoftPart: [], ClothPart: []}
    sort: list[np.ndarray] = []
    groups = surface = pairs = 0
    links = CoupledLinks(columns, chains)
    node = 0
    for number, body in enumerate(bodies):
        count = len(body.mesh.nodes)
        first_group, first_pair = groups, pairs
        collision = body.collision if isinstance(body, SoftPart) else None
        points = 0 if collision is None else len(collision.points)
        runs = _runs(node, count) + _runs(node + count, points)
        end_group = groups + len(runs)
        sections = _runs(groups, len(runs), SECTION) if len(runs) > SECTION else []
        for first, end in runs + [(node, node)] * len(sections):
            columns.add(
                {
                    c.NodeGroupTopology.body: number,
                    c.NodeGroupTopology.first_node: first,
                    c.NodeGroupTopology.end_node: end,
                    c.NodeGroupTopology.end_tied: first if isinstance(body, ParticlesPart) else end,
                    c.NodeGroupTopology.inert: float(first < node + count),
                }
            )
            groups += 1
        for place, (first, end) in enumerate(sections):
            columns.add(
                {
                    c.NodeSectionTopology.first_group: first,
                    c.NodeSectionTopology.end_group: end,
                    c.NodeSectionTopology.row: end_group + place,
                }
            )
        for row, shape in enumerate([*shapes, *grounds]):
            if not _may_touch(body, parts[shape.part] if isinstance(shape, PlacedShape) else shape):
                continue
            columns.add(
                {
                    c.DeformablePairTopology.body: number,
                    c.DeformablePairTopology.shape: row,
                    c.DeformablePairTopology.plane: row - len(shapes) if row >= len(shapes) else -1,
                    c.DeformablePairTopology.link: links.row(shape) if isinstance(shape, PlacedShape) else -1,
                }
            )
            pairs += 1
        columns.add(
            {
                c.DeformableTopology.first_node: node,
                c.DeformableTopology.end_node: node + count + points,
                c.DeformableTopology.first_group: first_group,
                c.DeformableTopology.end_group: end_group,
                c.DeformableTopology.first_sum: end_group if sections else first_group,
                c.DeformableTopology.end_sum: groups,
                c.DeformableCollision.first_point: node + count,
                c.DeformableCollision.end_point: node + count + points,
                c.DeformableTopology.loose: int(isinstance(body, ParticlesPart)),
                c.DeformableTopology.rope: ropes.count if isinstance(body, RopePart) else -1,
                c.DeformableMaterial.youngs_modulus: body.youngs_modulus,
                c.DeformableMaterial.poissons_ratio: body.poissons_ratio,
                c.DeformableMaterial.corotational: int(isinstance(body, SoftPart) and body.corotational),
                c.ClothMaterial.thickness: body.thickness if isinstance(body, ClothPart) else 0.0,
                c.ClothMaterial.shear_modulus: body.shear_modulus if isinstance(body, ClothPart) else 0.0,
                c.ClothMaterial.bending_stiffness: body.bending_stiffness if isinstance(body, ClothPart) else 0.0,
                c.ClothMaterial.pressure: body.pressure if isinstance(body, ClothPart) else 0.0,
                c.ClothMaterial.touch_offset: getattr(body, "touch_offset", 0.0),
                c.RopeMaterial.radius: body.radius if isinstance(body, RopePart) else 0.0,
                c.RopeMaterial.bending_stiffness: body.bending_stiffness if isinstance(body, RopePart) else 0.0,
                c.RopeMaterial.twisting_stiffness: body.twisting_stiffness if isinstance(body, RopePart) else 0.0,
                c.RopeMaterial.joined: body.joined if isinstance(body, RopePart) else 0,
                **particle_material(body),
                c.DeformableDynamics.gravity_scale: body.gravity_scale,
                c.DeformableDynamics.damping: body.damping,
                c.DeformableDamping.elasticity: getattr(body, "elasticity_damping", None) or 0.0,
                c.DeformableSurface.first_pair: first_pair,
                c.DeformableSurface.end_pair: pairs,
                c.DeformableSurface.contact_offset: body.contact_offset,
                c.DeformableSurface.rest_offset: body.rest_offset,
                c.DeformableSurface.static_friction: body.material.static_friction,
                c.DeformableSurface.dynamic_friction: body.material.dynamic_friction,
                c.DeformableSurface.friction_mode: body.material.friction_mode,
            }
        )
        for tie in ties:
            if tie.body == number and tie.dof >= 0:
                links.ask(tie.link, tie.dof)
        outside = np.unique(body.mesh.surface) if collision is None else count + np.arange(points)
        links.meets(number, surface, len(outside))
        place = np.full(count + points, -1)
        place[outside] = surface + np.arange(len(outside))
        columns.extend(
            {
                c.SurfaceNodeTopology.node: node + outside,
                c.SurfaceNodeTopology.body: np.full(len(outside), number),
            }
        )
        if isinstance(body, ParticlesPart):
            particles.add(columns, body, number, node, surface)
        surface += len(outside)
        first, end = np.zeros(count, np.int64), np.zeros(count, np.int64)
        damped = np.full(count, -1)
        if isinstance(body, ClothPart):
            edges[ClothPart].append(node + sheets.add(columns, body, node))
        elif isinstance(body, RopePart):
            if body.touches_cloth:
                sheets.add_line(columns, count, node)
            else:
                sheets.skip(columns, count)
            ropes.add(columns, body, number, node)
        elif isinstance(body, ParticlesPart):
            sheets.skip(columns, count)
        else:
            first, end = corners.add(body.mesh, node)
            if body.elasticity_damping is not None or body.corotational:
                damped = damping.add(columns, body.mesh, body.elasticity_damping is not None, body.corotational)
            elif collision is not None:
                damped = damping.skip(columns, count)
            if collision is not None:
                sheets.skip(columns, count)
                if body.touches_cloth:
                    sheets.add_surface(columns, collision.touching, node + count)
                else:
                    sheets.skip(columns, points)
            elif body.touches_cloth:
                sheets.add_surface(columns, body.mesh, node)
            else:
                sheets.skip(columns, count)
            edges[SoftPart].append(node + mesh_edges(body.mesh.tets))
        sort.append(np.full(count, _SORTS.get(type(body), 3)))
        columns.extend(
            {
                c.NodeTopology.body: np.full(count + points, number),
                c.NodeTopology.first_corner: first,
                c.NodeTopology.end_corner: end,
                c.NodeTopology.surface: place,
                c.NodeDamping.row: damped,
                c.NodeModel.mass: body.masses(),
                c.NodeModel.rest: body.mesh.nodes,
            }
        )
        if collision is None:
            collisions.skip(columns, count)
        else:
            sort.append(np.full(points, _POINTS))
            none = np.zeros(points, np.int64)
            columns.extend(
                {
                    c.NodeTopology.first_corner: none,
                    c.NodeTopology.end_corner: none,
                    c.NodeDamping.row: none - 1,
                    c.NodeModel.mass: collision.masses(body.masses()),
                    c.NodeModel.rest: collision.touching.nodes,
                }
            )
            collisions.add(columns, collision, count, node)
        rope = ropes.count - 1 if isinstance(body, RopePart) else -1
        of_rope = slice(ropes.nodes - count, ropes.nodes) if isinstance(body, RopePart) else slice(0, 0)
        of_points = slice(node + count, node + count + points)
        of_particles = particles.rows(number, count)
        rows.append(DeformableRows(number, slice(node, node + count), rope, of_rope, of_particles, of_points))
        node += count + points
    attachments = _place_ties(columns, ties, rows, bodies, links, node)
    kind = np.concatenate(sort)
    soft_colours = _order(columns, edges[SoftPart], np.flatnonzero(kind == 0), 0)
    cloth_colours = _order(columns, edges[ClothPart], np.flatnonzero(kind == 1), int((kind == 0).sum()))
    rope_nodes = (int((kind < 2).sum()), int((kind == 2).sum()))
    for sorted_kind in (2, 3, _POINTS):  # ropes, then particles, then points of collision meshes, in no colour
        columns.extend({c.NodeOrder.node: np.flatnonzero(kind == sorted_kind)})
    colour = np.full(node, -1)
    for number, (first, count) in enumerate([*cloth_colours, *soft_colours]):
        colour[columns.rows(c.NodeOrder.node)[first : first + count]] = number
    columns.extend({c.ClothNodeContact.colour: colour})
    corners.put(columns)
    for table, size in (
        (c.Deformable, len(bodies)),
        (c.Node, node),
        (c.Corner, columns.count(c.CornerTopology.others)),
        (c.DampedNode, columns.count(c.DampedNodeTopology.first)),
        (c.DampedCorner, columns.count(c.DampedCornerShape.inverse)),
        (c.CorotatedCorner, columns.count(c.CorotatedCornerShape.inverse)),
        (c.ClothCorner, columns.count(c.ClothCornerTopology.others)),
        *put_runs(columns, cloth_colours, node).items(),
        (c.ClothBend, columns.count(c.ClothBendTopology.other)),
        (c.ClothTriangle, sheets.triangles.count),
        (c.ClothPatch, columns.count(c.ClothPatchTopology.first)),
        (c.ClothRegion, columns.count(c.ClothRegionTopology.first)),
        (c.ClothNear, sheets.triangles.count * NEAR),
        (c.ClothTouch, sheets.triangles.nodes * TOUCHES),
        (c.Rope, columns.count(c.RopeTopology.first)),
        (c.RopeNode, columns.count(c.RopeNodeTopology.node)),
        (c.FramedRope, columns.count(c.FramedRopeTopology.rope)),
        (c.NodeGroup, groups),
        (c.NodeSection, columns.count(c.NodeSectionTopology.row)),
        (c.SurfaceNode, surface),
        (c.NodeContact, surface * SLOTS),
        (c.DeformablePair, pairs),
        (c.CoupledLink, links.count),
        (c.CoupledBody, links.put(columns, particles)),
        (c.CoupledDof, columns.count(c.CoupledDofTopology.dof)),
        (c.NodeAttachment, columns.count(c.NodeAttachmentTopology.node)),
        (c.NodeTie, columns.count(c.NodeTieTopology.node)),
        (c.TiedNode, columns.count(c.TiedNodeTopology.node)),
        (c.TiedShare, columns.count(c.TiedShareTopology.tie)),
        (c.CollisionPoint, columns.count(c.CollisionPointTopology.node)),
        (c.CollisionShare, columns.count(c.CollisionShareTopology.node)),
    ):
        store.set_rows(table, size)
    particles.put(columns, store, sheets.triangles.count)
    columns.write(store)
    return DeformableLayout(rows, soft_colours, cloth_colours, rope_nodes, particles.digits, attachments)


def _order(columns: Columns, edges: Sequence[np.ndarray], nodes: np.ndarray, start: int) -> list[tuple[int, int]]:
    """Append nodes to ``NodeOrder``, colour by colour; returns the first place and number of each colour."""
    if not len(nodes):
        return []
    number = np.zeros(nodes[-1] + 1, np.int64)
    number[nodes] = np.arange(len(nodes))
    colour = colours(len(nodes), number[np.concatenate(edges)])
    columns.extend({c.NodeOrder.node: nodes[np.argsort(colour, kind="stable")]})
    sizes = np.bincount(colour)
    starts = start + np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return [(int(a), int(n)) for a, n in zip(starts, sizes, strict=True)]


def _place_ties(
    columns: Columns,
    ties: Sequence[Tie],
    rows: Sequence[DeformableRows],
    bodies: Sequence[SoftPart | ClothPart | RopePart | ParticlesPart],
    links: CoupledLinks,
    count: int,
) -> list[np.ndarray]:
    """Number the nodes of all ties, of ``count`` nodes, those of one link and one body in a row.

    Returns the numbers of each tie.
    """
    order = sorted((n for n, tie in enumerate(ties) if tie.other < 0), key=lambda n: (ties[n].link, ties[n].body))
    found = [np.zeros(0, np.int64)] * len(ties)
    of_node = np.full(count, -1)
    done = 0
    for n in order:
        tie = ties[n]
        row = links.known(tie.link) if tie.dof >= 0 else -1
        nodes = rows[tie.body].nodes.start + np.asarray(tie.nodes)
        mass, learning = bodies[tie.body].masses()[tie.nodes], LEARNING
        if isinstance(body := bodies[tie.body], RopePart):
            mass, learning = tie_of_rope(body, tie.nodes, tie.mass if row >= 0 else None)
        found[n] = done + np.arange(len(nodes))
        of_node[nodes] = found[n]
        columns.extend(
            {
                c.NodeAttachmentTopology.node: nodes,
                c.NodeAttachmentTopology.link: np.full(len(nodes), tie.link),
                c.NodeAttachmentTopology.coupled: np.full(len(nodes), row),
                c.NodeAttachmentTopology.mass: mass,
                c.NodeAttachmentTopology.learning: np.full(len(nodes), learning),
            }
        )
        if row >= 0:
            links.ties(row, tie.body, done, done + len(nodes))
        done += len(nodes)
    place_soft_ties(columns, ties, [row.nodes.start for row in rows], bodies, of_node, done, found)
    columns.extend({c.AttachedNode.attachment: of_node})
    return found


def _runs(first: int, count: int, size: int = GROUP) -> list[tuple[int, int]]:
    """First and end of runs of consecutive rows: of nodes, if a run is a group."""
    return [(at, min(at + size, first + count)) for at in range(first, first + count, size)]


def _may_touch(body: DeformablePart, other: Part | Ground) -> bool:
    return bool(body.mask >> other.group & 1 and other.mask >> body.group & 1)


class _Corners:
    """Tetrahedra as their nodes see them, node by node."""

    def __init__(self) -> None:
        self._others: list[np.ndarray] = []
        self._weights: list[np.ndarray] = []
        self._volumes: list[np.ndarray] = []
        self._count = 0

    def add(self, mesh: TetMesh, first_node: int) -> tuple[np.ndarray, np.ndarray]:
        """Append a body's; returns the first and end corner of each node."""
        edges = mesh.nodes[mesh.tets[:, 1:]] - mesh.nodes[mesh.tets[:, :1]]
        inverse = np.linalg.inv(edges)  # columns are gradients of the last three nodes' shape functions
        gradients = np.concatenate([-inverse.sum(axis=2, keepdims=True), inverse], axis=2)
        weights = mesh.volumes[:, None, None] * np.einsum("tki,tkj->tij", gradients, gradients)
        node = mesh.tets.ravel()
        order = np.argsort(node, kind="stable")
        tet, corner = order // 4, order % 4
        others = OTHERS[corner]
        self._others.append(first_node + np.take_along_axis(mesh.tets[tet], others, axis=1))
        self._weights.append(np.take_along_axis(weights[tet, corner], others, axis=1))
        self._volumes.append(mesh.volumes[tet])
        ends = self._count + np.cumsum(np.bincount(node, minlength=len(mesh.nodes)))
        first = np.concatenate([[self._count], ends[:-1]])
        self._count += len(order)
        return first, ends

    def put(self, columns: Columns) -> None:
        """Write all."""
        if not self._volumes:
            return
        volumes = np.concatenate(self._volumes)
        columns.extend(
            {
                c.CornerTopology.others: np.concatenate(self._others),
                c.CornerShape.weight: np.concatenate(self._weights),
                c.CornerShape.inverse: 1 / (36 * volumes),
                c.CornerShape.rest: 6 * volumes,
            }
        )


class _Sheets:
    """Triangles and bending of cloth as its nodes see them, node by node."""

    def __init__(self) -> None:
        self._corners = self._bends = 0
        self.triangles = ClothTriangles()

    def skip(self, columns: Columns, count: int) -> None:
        """So many nodes are none of cloth."""
        none = np.zeros(count, np.int64)
        fields = (c.ClothNode.first_corner, c.ClothNode.end_corner, c.ClothNode.first_bend, c.ClothNode.end_bend)
        columns.extend({**dict.fromkeys(fields, none), c.ClothNode.bend: none.astype(float)})
        columns.extend({c.ClothNodeContact.row: none - 1, c.ClothNodeContact.owner: none - 1})

    def add_surface(self, columns: Columns, mesh: TetMesh | SurfaceMesh, first_node: int) -> None:
        """Append the surface of a soft body that touches deformable bodies; its triangles have no stiffness."""
        count = len(mesh.nodes)
        node = mesh.surface.ravel()
        order = np.argsort(node, kind="stable")
        triangle, corner = order // 3, order % 3
        others = np.stack([mesh.surface[triangle, (corner + k) % 3] for k in (1, 2)], axis=1)
        columns.extend(
            {
                c.ClothCornerTopology.others: first_node + others,
                c.ClothCornerShape.inverse: np.tile([1.0, 0.0, 0.0, 1.0], (len(order), 1)),
                c.ClothCornerShape.area: np.zeros(len(order)),
            }
        )
        self.triangles.add(columns, mesh, first_node, triangle, corner, count)
        corners = self._corners + np.concatenate([[0], np.cumsum(np.bincount(node, minlength=count))])
        self._corners += len(order)
        none = np.zeros(count, np.int64)
        columns.extend(
            {
                c.ClothNode.first_corner: corners[:-1],
                c.ClothNode.end_corner: corners[1:],
                c.ClothNode.first_bend: none,
                c.ClothNode.end_bend: none,
                c.ClothNode.bend: none.astype(float),
            }
        )

    def add_line(self, columns: Columns, count: int, first_node: int) -> None:
        """Append the segments of a rope of so many nodes that touches deformable bodies."""
        other = first_node + ends_of_segments(count)[1]
        columns.extend(
            {
                c.ClothCornerTopology.others: np.stack([other, other], axis=1),
                c.ClothCornerShape.inverse: np.tile([1.0, 0.0, 0.0, 1.0], (len(other), 1)),
                c.ClothCornerShape.area: np.zeros(len(other)),
            }
        )
        self.triangles.add_line(columns, count, first_node)
        corners = self._corners + np.clip(2 * np.arange(count + 1) - 1, 0, 2 * count - 2)
        self._corners += len(other)
        none = np.zeros(count, np.int64)
        columns.extend(
            {
                c.ClothNode.first_corner: corners[:-1],
                c.ClothNode.end_corner: corners[1:],
                c.ClothNode.first_bend: none,
                c.ClothNode.end_bend: none,
                c.ClothNode.bend: none.astype(float),
            }
        )

    def add(self, columns: Columns, part: ClothPart, first_node: int) -> np.ndarray:
        """Append a body's; returns the pairs of its nodes (k, 2) that see each other."""
        mesh = part.mesh
        count = len(mesh.nodes)
        node = mesh.triangles.ravel()
        order = np.argsort(node, kind="stable")
        triangle, corner = order // 3, order % 3
        others = np.stack([mesh.triangles[triangle, (corner + k) % 3] for k in (1, 2)], axis=1)
        edges = mesh.nodes[others] - mesh.nodes[node[order], None]
        right, up = _axes(mesh)
        flat = np.stack([(edges * axis[triangle, None]).sum(axis=2) for axis in (right, up)], axis=1)
        columns.extend(
            {
                c.ClothCornerTopology.others: first_node + others,
                c.ClothCornerShape.inverse: np.linalg.inv(flat).reshape(-1, 4),
                c.ClothCornerShape.area: mesh.areas[triangle],
            }
        )
        self.triangles.add(columns, mesh if part.touches_cloth else None, first_node, triangle, corner, count)
        corners = self._corners + np.concatenate([[0], np.cumsum(np.bincount(node, minlength=count))])
        self._corners += len(order)
        rows, others, values = bending_matrix(mesh, part.poissons_ratio)
        own = np.zeros(count)
        own[rows[rows == others]] = values[rows == others]
        apart = rows != others
        columns.extend(
            {c.ClothBendTopology.other: first_node + others[apart], c.ClothBendTopology.weight: values[apart]}
        )
        bends = self._bends + np.concatenate([[0], np.cumsum(np.bincount(rows[apart], minlength=count))])
        self._bends += int(apart.sum())
        columns.extend(
            {
                c.ClothNode.first_corner: corners[:-1],
                c.ClothNode.end_corner: corners[1:],
                c.ClothNode.first_bend: bends[:-1],
                c.ClothNode.end_bend: bends[1:],
                c.ClothNode.bend: own,
            }
        )
        seen = np.concatenate([mesh.edges, np.stack([rows, others], axis=1)[rows < others]])
        return np.unique(seen, axis=0)


def _axes(mesh: ClothMesh) -> tuple[np.ndarray, np.ndarray]:
    """(m, 3) each: axes of the material in each triangle, the first as near to x of the body's frame as it can be,
    or to y where a triangle is across x.
    """
    p = mesh.nodes[mesh.triangles]
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    wanted = np.where(np.abs(normal[:, :1]) < 0.99, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    right = wanted - (wanted * normal).sum(axis=1, keepdims=True) * normal
    right /= np.linalg.norm(right, axis=1, keepdims=True)
    return right, np.cross(normal, right)
