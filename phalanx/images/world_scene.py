"""A world as a scene for rays: its shapes with their looks, which follow its bodies.

>>> seen = WorldScene(world)  # an environment of the world is one of the scene  # doctest: +SKIP
>>> sensor = ImageSensor(seen.scene, looks=seen.looks, height=64, width=64)  # doctest: +SKIP
>>> world.step()  # doctest: +SKIP
>>> seen.update()  # from the world's own arrays, on its device  # doctest: +SKIP

With ``together`` all environments stand in one of the scene, each somewhere else: pictures of many are made so.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx import components as c
from phalanx.images.looks import Look, Texture, decoded
from phalanx.images.mesh_textures import TexturedParts
from phalanx.maths.arrays import between, matrix, unit
from phalanx.models.meshes.colors import face_colors
from phalanx.models.meshes.mesh_files import convex_hull
from phalanx.models.meshes.tessellate import corner_normals
from phalanx.models.robot_model import Shape
from phalanx.models.visible import Color, visible_shapes
from phalanx.rays.geometry import RayGeometry, field_geometry, mesh_geometry, primitive_geometry
from phalanx.rays.primitives import Int, Ints, Reals, split
from phalanx.rays.scene import RayScene
from phalanx.rays.soft_mesh import SoftMesh
from phalanx.world.deformables.surfaces import surface_color, surface_faces, surface_vertices
from phalanx.world.snapshots import deformables_of, node_positions

if TYPE_CHECKING:
    from phalanx.world.deformables.body import DeformableBody
    from phalanx.world.world import World

MOST_NAMES = 30
"""Of bodies that a message lists."""

GROUND = Look(texture=Texture.checkerboard((0.66, 0.7, 0.73), (0.53, 0.58, 0.63)), color=(1.0, 1.0, 1.0), roughness=1.0)
"""What grounds look like, and height fields without a colour."""


class WorldScene:
    """What is to be seen of a world: bodies with their visual shapes, or where a robot or object has none those for
    collision, and grounds.

    Args:
        world: is built if it is not yet.
        env_ids: environments that are seen, all by default.
        together: whether all stand in one environment of the scene, moved apart by :meth:`move`; by default each is one
            of the scene's.
        grounds: whether the world's grounds are seen.
        hidden: names of robots and objects that are not seen.
        soft: whether soft bodies, cloth, ropes (as tubes) and particles (as balls) are seen.

    Attributes:
        scene: the :class:`~phalanx.rays.RayScene`.
        looks: of its instances, by number.
        poses: (rows, 7, environments of the world, or more): of all its bodies at the last :meth:`update` or
            :meth:`place`, on its device.
        names: by the object number that hits report: ``"ground"``, then ``"actor/body"`` of each body that can be seen,
            then the names of deformable bodies.
        boxes: (body, corners (8, 3) in its frame) of the box about each shape; bodies are numbered in all of the world,
            actor after actor.
    """

    def __init__(
        self,
        world: World,
        env_ids: Any = None,
        together: bool = False,
        grounds: bool = True,
        hidden: Collection[str] = (),
        soft: bool = True,
    ) -> None:
        world.build()
        self.world = world
        self.envs = np.arange(world.num_envs) if env_ids is None else world.env_indices(env_ids)
        if not len(self.envs):
            raise ValueError("WorldScene: env_ids names no environment")
        self.together, count = together, len(self.envs)
        self.scene = RayScene(1 if self.together else count, world.engine.device)
        self.poses: Any = None
        self.looks: dict[int, Look] = {}
        self.names = ["ground"]
        self.boxes: list[tuple[int, np.ndarray]] = []
        self._hidden = frozenset(hidden)
        rows, shapes = self._shapes()
        bodies, xp = len(rows), world.engine.device.xp
        for k in range(count if self.together else 1):
            for body, geometry, place, look in shapes:
                self.looks[self.scene.add(geometry, body=k * bodies + body, object=body + 1, **place)] = look
        for geometry, place in self._grounds() if grounds else ():
            self.looks[self.scene.add(geometry, object=0, **place)] = GROUND
        self.soft = [] if not soft else self._add_soft()
        shape = (1, count * bodies) if self.together else (count, bodies)
        with world.engine.device.active():
            self._rows, self._columns = xp.asarray(np.array(rows, np.int32)), xp.asarray(self.envs.astype(np.int32))
            self._offsets = xp.zeros((count, 3), np.float32)
            self._position, self._orientation = xp.zeros((*shape, 3), np.float32), xp.zeros((*shape, 4), np.float32)

    @property
    def num_bodies(self) -> int:
        """Bodies of an environment that can be seen."""
        return len(self._rows)

    def move(self, offsets: Any) -> None:
        """Have environments elsewhere from the next :meth:`update` or :meth:`place` on: (environments seen, 3), m."""
        with self.world.engine.device.active():
            self._offsets[...] = self.world.engine.device.xp.asarray(offsets, np.float32)

    def see(self, env_ids: Any) -> None:
        """Show other environments from the next :meth:`update` on, as many as before.

        Raises:
            ValueError: they are not as many.
        """
        envs = self.world.env_indices(env_ids)
        if len(envs) != len(self.envs):
            raise ValueError(
                f"WorldScene.see: {len(envs)} environments; as many as before, {len(self.envs)}, are needed"
            )
        self.envs = envs
        with self.world.engine.device.active():
            self._columns[...] = self.world.engine.device.xp.asarray(envs.astype(np.int32))

    def update(self) -> None:
        """Put everything where it is now; on a GPU this only queues work, but for what is soft."""
        world = self.world
        if self.soft:
            self.place_nodes(node_positions(world, self.envs))
        world.compute("query_bodies")
        poses = world.engine.store.array(c.BodyState.pose)
        if poses.dtype != np.float32:
            with world.engine.device.active():
                poses = poses.astype(np.float32)
        self._place(poses, self._columns)

    def place(self, poses: Any) -> None:
        """Put bodies elsewhere than the world has them: (environments seen, bodies, 7) [x y z qw qx qy qz].

        Bodies are all of the world's, actor after actor, also those without shapes.
        """
        shape = (len(self.envs), self.world.engine.store.rows(c.Body), 7)
        if poses.shape != shape:
            raise ValueError(f"poses have the shape {poses.shape}; {shape} is needed")
        device = self.world.engine.device
        with device.active():
            turned = device.xp.ascontiguousarray(device.xp.asarray(poses, np.float32).transpose(1, 2, 0))
            columns = device.xp.arange(shape[0], dtype=np.int32)
        self._place(turned, columns)

    def place_nodes(self, nodes: Sequence[np.ndarray]) -> None:
        """Put nodes of deformable bodies, (environments seen, nodes, 3) of each, m; before bodies are placed.

        What is not finite is put out of sight.
        """
        offsets = self.world.engine.device.to_host(self._offsets)
        for seen, places in zip(self.soft, nodes, strict=True):
            vertices = surface_vertices(seen.body.part, places) + offsets[:, None]
            if seen.mesh is not None:
                self.scene.fit_soft(seen.mesh, vertices)
            for geometry, own in zip(seen.geometries, vertices, strict=seen.mesh is None):
                own = own if np.isfinite(own).all() else np.full_like(own, -1e6)
                self.scene.refit(geometry, own, seen.faces)
                geometry.normals = corner_normals(own, seen.faces).astype(np.float32)

    def body_row(self, name: str) -> int:
        """Number of a body among all of the world's, actor after actor: of ``"actor/body"``, or of its own name.

        Raises:
            ValueError: there is none of this name, or several.
        """
        return body_row(self.world, name)

    def _place(self, poses: Any, columns: Any) -> None:
        self.poses, rows = poses, self._rows
        count, bodies = len(self.envs), self.num_bodies
        places = (self._offsets, self._position, self._orientation)
        if bodies:
            self.scene.run(gather_poses, count * bodies, (bodies, poses.shape[-1], poses, rows, columns), places, ())
        if bodies or any(seen.mesh is not None for seen in self.soft):
            self.scene.place(self._position, self._orientation)

    # -- what is seen ----------------------------------------------------------------------------------------

    def _shapes(self) -> tuple[list[int], list[tuple[int, RayGeometry, dict[str, Any], Look]]]:
        """Rows of the bodies that have shapes; and (body, geometry, place in its frame, look) of the shapes."""
        rows: list[int] = []
        found: list[tuple[int, RayGeometry, dict[str, Any], Look]] = []
        known: dict[Any, RayGeometry] = {}
        textures = TexturedParts()
        for number, actor in enumerate(self.world.actors.values()):
            bodies = visible_shapes(actor.model, number) if actor.name not in self._hidden else []
            for row, (name, shapes) in enumerate(bodies):
                if not shapes:
                    continue
                for shape, color in shapes:
                    opacity = 1.0 if shape.color is None else float(shape.color[3])
                    place = {"position": shape.position, "orientation": shape.orientation}
                    terrain = shape.kind == "height_field" and shape.color is None
                    for geometry, texture in textures.of(shape, color) or [(_geometry(shape, known, color), None)]:
                        white = texture is not None or geometry.colors is not None
                        look = Look((1.0, 1.0, 1.0) if white else decoded(color), opacity, texture=texture)
                        found.append((len(rows), geometry, place, GROUND if terrain else look))
                        corners = np.array([*product(*zip(geometry.low, geometry.high, strict=True))])
                        self.boxes.append(
                            (actor._bound.bodies.start + row, corners @ matrix(shape.orientation).T + shape.position)
                        )
                rows.append(actor._bound.bodies.start + row)
                self.names.append(f"{actor.name}/{name}")
        return rows, found

    def _add_soft(self) -> list[SeenSoft]:
        """Have deformable bodies in the scene; of ``together`` a mesh for each environment, with smooth normals."""
        found = []
        nodes = node_positions(self.world, self.envs)
        bodies = deformables_of(self.world).values()
        first = len(self.names)
        for number, (body, places) in enumerate(zip(bodies, nodes, strict=True)):
            faces = surface_faces(body.part)
            self.names.append(body.name)
            look = Look(decoded(surface_color(body.part, number)))
            rest = surface_vertices(body.part, body.default_node_pos[None])[0].astype(np.float32)
            seen = SeenSoft(body, faces)
            found.append(seen)
            if self.together:
                for own in surface_vertices(body.part, places):
                    own = own if np.isfinite(own).all() else rest
                    geometry = mesh_geometry(own, faces, normals=corner_normals(own, faces))
                    self.looks[self.scene.add(geometry, object=first + number)] = look
                    seen.geometries.append(geometry)
            else:
                seen.mesh = self.scene.add_soft(rest, faces, object=first + number)
                self.looks[seen.mesh.number] = look
        return found

    def _grounds(self) -> list[tuple[RayGeometry, dict[str, Any]]]:
        found = []
        for ground in self.world.grounds:
            normal = unit(ground.normal)
            point = (0.0, 0.0, ground.height) if normal[2] else normal * ground.height
            turn = between(np.array([0.0, 0.0, 1.0]), normal)
            found.append((primitive_geometry("plane"), {"position": point, "orientation": turn}))
        return found


@dataclass
class SeenSoft:
    """A deformable body in a scene.

    Attributes:
        faces: (m, 3), of :func:`surface_vertices`.
        geometries: of each environment, where all are seen together.
        mesh: of all environments, where each is by itself.
    """

    body: DeformableBody
    faces: np.ndarray
    geometries: list[RayGeometry] = field(default_factory=list)
    mesh: SoftMesh | None = None


def body_row(world: World, name: str) -> int:
    """See :meth:`WorldScene.body_row`."""
    rows: dict[str, int] = {}
    for actor in world.actors.values():
        rows.update({f"{actor.name}/{body}": actor._bound.bodies.start + i for i, body in enumerate(actor.body_names)})
    found = [full for full in rows if name in (full, full.partition("/")[2])]
    if len(found) == 1:
        return rows[found[0]]
    if found:
        raise ValueError(f"there are several bodies named {name!r}: give one of {', '.join(found)}")
    names = [*rows][:MOST_NAMES]
    more = f" and {len(rows) - len(names)} more" if len(rows) > len(names) else ""
    raise ValueError(f"there is no body {name!r}; there are {', '.join(names)}{more}")


def _geometry(shape: Shape, known: dict[Any, RayGeometry], color: Color) -> RayGeometry:
    """Geometry of a shape; shapes of the same vertices or heights share one.

    Meshes have the colours of their file's materials, and ``color`` where it has none, unless theirs was given; white
    does not count, which many robots' files give to meshes that have materials.
    """
    source = shape.vertices if shape.kind == "mesh" else shape.heights
    plain = shape.color is None or min(shape.color[:3]) >= 1.0
    file = shape.mesh_file if plain else ""
    key = (shape.kind, tuple(shape.size), None if source is None else id(source), file, color if file else None)
    if key not in known:
        if shape.kind == "mesh":
            vertices, faces = shape.vertices, shape.faces
            assert vertices is not None
            if faces is None or not len(faces):  # points alone stand for their hull
                vertices, faces = convex_hull(np.asarray(vertices, float))
            colors = face_colors(file, len(faces)) if file else None
            if colors is not None:
                colors = decoded(np.where(np.isnan(colors), color, colors))
            known[key] = mesh_geometry(vertices, faces, colors=colors, normals=corner_normals(vertices, faces))
        elif shape.kind == "height_field":
            known[key] = field_geometry(shape.heights, shape.size)
        else:
            known[key] = primitive_geometry(shape.kind, tuple(shape.size))
    return known[key]


def gather_poses(
    item,
    bodies: Int,
    stride: Int,
    poses: Reals,
    rows: Ints,
    columns: Ints,
    offsets: Reals,
    position: Reals,
    orientation: Reals,
):
    """Copy the pose of one body of one environment.

    Args:
        item: environment * bodies + body, of those seen.
        stride: of ``poses`` (rows, 7, stride), environments last.
        rows, columns: rows of bodies, columns of environments there.
        offsets: 3 an environment, which are added.
        position, orientation: results, 3 and 4 an item.
    """
    e, b = split(item, bodies)
    first = 7 * stride * rows[b] + columns[e]
    for k in range(3):
        position[3 * item + k] = poses[first + k * stride] + offsets[3 * e + k]
    for k in range(4):
        orientation[4 * item + k] = poses[first + (3 + k) * stride]
