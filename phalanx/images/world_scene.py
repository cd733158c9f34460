"""A world as a scene for rays: its shapes with their looks, which follow its bodies.

>>> seen = WorldScene(world)  # an environment of the world is one of the scene  # doctest: +SKIP
>>> sensor = ImageSensor(seen.scene, looks=seen.looks, height=64, width=64)  # doctest: +SKIP
>>> world.step()  # doctest: +SKIP
>>> seen.update()  # from the world's own arrays, on its device  # doctest: +SKIP

With ``offsets`` all environments stand in one of the scene, each somewhere else: pictures of many are made so.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx import components as c
from phalanx.images.looks import Look, Texture
from phalanx.io.meshes import convex_hull
from phalanx.io.model import Shape
from phalanx.io.tessellate import corner_normals
from phalanx.io.visible import Color, visible_shapes
from phalanx.rays.geometry import RayGeometry, field_geometry, mesh_geometry, primitive_geometry
from phalanx.rays.primitives import Int, Ints, Reals, split
from phalanx.rays.scene import RayScene
from phalanx.rotations import between, matrix, unit

if TYPE_CHECKING:
    from phalanx.world import World

GROUND = Look(texture=Texture.checkerboard((0.66, 0.7, 0.73), (0.53, 0.58, 0.63)), color=(1.0, 1.0, 1.0), roughness=1.0)
"""What grounds look like, unless told otherwise."""


class WorldScene:
    """What is to be seen of a world: bodies with their visual shapes, or where a robot or object has none those for
    collision, and grounds.

    Args:
        world: is built if it is not yet.
        env_ids: environments that are seen, all by default.
        offsets: (environments seen, 3), m: they all stand in one environment of the scene, so far from their places; by
            default each is one of the scene's, where it is.
        grounds: whether the world's grounds are seen.
        hidden: names of robots and objects that are not seen.

    Attributes:
        scene: the :class:`~phalanx.rays.RayScene`.
        looks: of its instances, by number.
        names: by the object number that hits report: ``"ground"``, then ``"actor/body"`` of each body that can be seen.
        boxes: (body, corners (8, 3) in its frame) of the box about each shape; bodies are numbered as in ``names``, but
            from 0 on.
    """

    def __init__(
        self, world: World, env_ids: Any = None, offsets: Any = None, grounds: bool = True, hidden: Collection[str] = ()
    ) -> None:
        world.build()
        self.world = world
        self.envs = np.arange(world.num_envs) if env_ids is None else world.env_indices(env_ids)
        if not len(self.envs):
            raise ValueError("WorldScene: env_ids names no environment")
        together, count = offsets is not None, len(self.envs)
        self.scene = RayScene(1 if together else count, world._device)
        self.looks: dict[int, Look] = {}
        self.names = ["ground"]
        self.boxes: list[tuple[int, np.ndarray]] = []
        self._hidden = frozenset(hidden)
        rows, shapes = self._shapes()
        bodies, xp = len(rows), world._device.xp
        for k in range(count if together else 1):
            for body, geometry, place, look in shapes:
                self.looks[self.scene.add(geometry, body=k * bodies + body, object=body + 1, **place)] = look
        for geometry, place in self._grounds() if grounds else ():
            self.looks[self.scene.add(geometry, object=0, **place)] = GROUND
        places = np.asarray(offsets, np.float32).reshape(count, 3) if together else np.zeros((count, 3), np.float32)
        shape = (1, count * bodies) if together else (count, bodies)
        with world._device.active():
            self._rows, self._columns = xp.asarray(np.array(rows, np.int32)), xp.asarray(self.envs.astype(np.int32))
            self._offsets = xp.asarray(places)
            self._position, self._orientation = xp.zeros((*shape, 3), np.float32), xp.zeros((*shape, 4), np.float32)

    @property
    def num_bodies(self) -> int:
        """Bodies of an environment that can be seen."""
        return len(self.names) - 1

    def update(self) -> None:
        """Put everything where it is now; on a GPU this only queues work."""
        if not self.num_bodies:
            return
        world = self.world
        world.compute("query_bodies")
        poses = world._store.array(c.BodyState.pose)
        if poses.dtype != np.float32:
            with world._device.active():
                poses = poses.astype(np.float32)
        self._place(poses, self._rows, self._columns)

    def place(self, poses: Any) -> None:
        """Put bodies elsewhere than the world has them: (environments seen, bodies, 7) [x y z qw qx qy qz].

        Bodies are all of the world's, actor after actor, also those without shapes.
        """
        shape = (len(self.envs), self.world._store.rows(c.Body), 7)
        if poses.shape != shape:
            raise ValueError(f"poses have the shape {poses.shape}; {shape} is needed")
        if not self.num_bodies:
            return
        device = self.world._device
        with device.active():
            turned = device.xp.ascontiguousarray(device.xp.asarray(poses, np.float32).transpose(1, 2, 0))
            columns = device.xp.arange(shape[0], dtype=np.int32)
        self._place(turned, self._rows, columns)

    def _place(self, poses: Any, rows: Any, columns: Any) -> None:
        count, bodies = len(self.envs), self.num_bodies
        places = (self._offsets, self._position, self._orientation)
        self.scene.run(gather_poses, count * bodies, (bodies, poses.shape[-1], poses, rows, columns), places, ())
        self.scene.place(self._position, self._orientation)

    # -- what is seen ----------------------------------------------------------------------------------------

    def _shapes(self) -> tuple[list[int], list[tuple[int, RayGeometry, dict[str, Any], Look]]]:
        """Rows of the bodies that have shapes; and (body, geometry, place in its frame, look) of the shapes."""
        rows: list[int] = []
        found: list[tuple[int, RayGeometry, dict[str, Any], Look]] = []
        known: dict[Any, RayGeometry] = {}
        for number, actor in enumerate(self.world.actors.values()):
            bodies = visible_shapes(actor.model, number) if actor.name not in self._hidden else []
            for row, (name, shapes) in enumerate(bodies):
                if not shapes:
                    continue
                for shape, color in shapes:
                    geometry = _geometry(shape, known)
                    opacity = 1.0 if shape.color is None else float(shape.color[3])
                    place = {"position": shape.position, "orientation": shape.orientation}
                    found.append((len(rows), geometry, place, Look(color=_linear(color), opacity=opacity)))
                    ends = np.array([geometry.low, geometry.high])
                    corners = np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i, j, k in np.ndindex(2, 2, 2)])
                    self.boxes.append((len(rows), corners @ matrix(shape.orientation).T + shape.position))
                rows.append(actor._bound.bodies.start + row)
                self.names.append(f"{actor.name}/{name}")
        return rows, found

    def _grounds(self) -> list[tuple[RayGeometry, dict[str, Any]]]:
        found = []
        for ground in self.world._grounds:
            normal = unit(ground.normal)
            point = (0.0, 0.0, ground.height) if normal[2] else normal * ground.height
            turn = between(np.array([0.0, 0.0, 1.0]), normal)
            found.append((primitive_geometry("plane"), {"position": point, "orientation": turn}))
        return found


def _geometry(shape: Shape, known: dict[Any, RayGeometry]) -> RayGeometry:
    """Geometry of a shape; shapes of the same vertices or heights share one."""
    source = shape.vertices if shape.kind == "mesh" else shape.heights
    key = (shape.kind, tuple(shape.size), None if source is None else id(source))
    if key not in known:
        if shape.kind == "mesh":
            vertices, faces = shape.vertices, shape.faces
            assert vertices is not None
            if faces is None or not len(faces):  # points alone stand for their hull
                vertices, faces = convex_hull(np.asarray(vertices, float))
            known[key] = mesh_geometry(vertices, faces, normals=corner_normals(vertices, faces))
        elif shape.kind == "height_field":
            known[key] = field_geometry(shape.heights, shape.size)
        else:
            known[key] = primitive_geometry(shape.kind, tuple(shape.size))
    return known[key]


def _linear(color: Color) -> list[float]:
    """Linear numbers of a colour in sRGB."""
    c = np.clip(np.asarray(color, float), 0.0, 1.0)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4).tolist()


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
