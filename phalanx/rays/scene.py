"""Scenes for rays: instances of meshes, height fields and primitives, of each environment and of all.

>>> scene = RayScene(num_envs=4096, device="cuda:0")  # doctest: +SKIP
>>> scene.add(mesh_geometry(vertices, faces))  # the ground, for all environments  # doctest: +SKIP
>>> scene.add(primitive_geometry("sphere", (0.1,)), body=0, object=7)  # carried by body 0 of each  # doctest: +SKIP
>>> hits = scene.hits(187, normal=True)  # arrays to write to, made once  # doctest: +SKIP
>>> scene.place(positions, orientations)  # (num_envs, bodies, 3), (num_envs, bodies, 4)  # doctest: +SKIP
>>> scene.cast(origins, directions, hits, limit=100.0)  # (num_envs, 187, 3) each  # doctest: +SKIP

Places and directions are in one world frame for all environments; arrays are float32, contiguous, and on the scene's
device, where they are read and written as they are: CuPy's, or whatever has ``__cuda_array_interface__``. Casts only
queue work there (:attr:`RayScene.device`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from phalanx.ecs.device import Device
from phalanx.rays.directions import SLACK
from phalanx.rays.geometry import RayGeometry, mesh_geometry, scaled
from phalanx.rays.hits import RayHits
from phalanx.rays.launches import Launches
from phalanx.rays.packing import SCENE_ARRAYS, Instance, Packed, pack
from phalanx.rays.placing import bound_groups, place_instances
from phalanx.rays.ray_kernels import cast_pattern, cast_rays
from phalanx.rays.scene_kernels import GROUP
from phalanx.rays.soft_mesh import SoftMesh

ALL = 0x7FFFFFFF
"""Bits of all groups."""

SIDES = {"both": 0, "front": 1}


class RayScene:
    """What rays can hit, and the kernels that find it.

    Args:
        num_envs: environments; rays of one meet what is in it and what is shared.
        device: ``"cpu"``, ``"cuda:0"``, ..., or a world's device, whose stream is then used.
    """

    def __init__(self, num_envs: int = 1, device: str | Device = "cpu") -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs={num_envs}: at least 1 environment is needed")
        self.num_envs = num_envs
        self.device = Device(device) if isinstance(device, str) else device
        if self.device.is_cuda:
            from phalanx.rays import cuda as backend
        else:
            from phalanx.rays import cpu as backend
        self._backend: Any = backend
        self._instances: list[Instance] = []
        self._packed: Packed | None = None
        self._launches = Launches()
        self._kernels: dict[Any, Any] = {}

    # -- what there is ---------------------------------------------------------------------------------------

    def add(
        self,
        geometry: RayGeometry,
        *,
        body: int | None = None,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        orientation: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
        scale: float | Sequence[float] = 1.0,
        object: int = 0,
        groups: int = 1,
    ) -> int:
        """Add an instance; returns its number, from 0 on.

        Args:
            body: number of the body that carries it in every environment, see :meth:`place`; ``None``: it is fixed, and
                shared by all environments.
            position, orientation: of its frame in that of its body or, shared, in the world: m; w, x, y, z.
            scale: along its axes, or one for all; negative ones mirror meshes.
            object: number that hits report, of what it is a part of.
            groups: bits; casts see those instances that have one of theirs.

        Raises:
            ValueError: a number is out of its range, or the kind cannot be scaled so.
        """
        if body is not None and body < 0:
            raise ValueError(f"body={body}: bodies are numbered from 0 on")
        if not 0 < groups <= ALL:
            raise ValueError(f"groups={groups}: bits 0 to 30, one at least")
        pose = np.concatenate([np.asarray(position, float).reshape(3), np.asarray(orientation, float).reshape(4)])
        length = float(np.linalg.norm(pose[3:]))
        if not (np.isfinite(pose).all() and length > 0.0):
            raise ValueError(f"position {position}, orientation {orientation}: must be finite, a quaternion not 0")
        pose[3:] /= length
        geometry, rest = scaled(geometry, np.broadcast_to(np.asarray(scale, float), 3))
        number = len(self._instances)
        table = [geometry.kind, 0, *geometry.shape, object, groups, number, 0 if body is None else body]
        extents = [*map(float, geometry.low), *map(float, geometry.high), *map(float, rest), *pose.tolist()]
        self._instances.append(Instance(geometry, -1 if body is None else body, table, extents))
        self._packed = None
        return number

    @property
    def num_bodies(self) -> int:
        """Bodies an environment that :meth:`place` is given poses of, at least."""
        return 1 + max((i.body for i in self._instances), default=-1)

    def add_soft(self, vertices: Any, faces: Any, *, object: int = 0, groups: int = 1) -> SoftMesh:
        """Add a mesh whose vertices are elsewhere in each environment; :meth:`fit_soft` puts them.

        Args:
            vertices, faces: (v, 3), m, and (n, 3): for which its tree is built.
            object, groups: see :meth:`add`.

        Raises:
            ValueError: as :func:`~.geometry.mesh_geometry`.
        """
        geometry = mesh_geometry(vertices, faces)
        number = self.add(geometry, object=object, groups=groups)
        tree = geometry.tree
        assert tree is not None
        made = self._instances[number].soft = SoftMesh(number, tree, faces, self.num_envs)
        return made

    def fit_soft(self, mesh: SoftMesh, vertices: Any) -> None:
        """Put the vertices of a soft mesh, (num_envs, v, 3) on the host, m, world; seen from the next :meth:`place` on.

        Environments where they are not finite do not have it.
        """
        mesh.fit(vertices)
        packed = self.packed()
        for soft, _, nodes, triangles in packed.softs:
            if soft is mesh:
                for name, first, own in (("nodes", nodes, soft.nodes), ("triangles", triangles, soft.triangles)):
                    with self.device.active():
                        packed.arrays[name][first : first + len(own)] = self.device.xp.asarray(own)

    def refit(self, geometry: RayGeometry, vertices: Any, faces: Any) -> None:
        """Move the vertices of a mesh; see :meth:`~.mesh_tree.MeshTree.refit`. Instances keep their places.

        Works on the host: a mesh of 130,000 triangles takes 40 ms, and on a GPU the copy to it.
        """
        if geometry.tree is None:
            raise ValueError("refit: this geometry is no mesh")
        geometry.tree.refit(vertices, faces)
        geometry.low, geometry.high = geometry.tree.box[:3], geometry.tree.box[3:]
        for instance in self._instances:
            if instance.geometry is geometry:
                instance.extents[:6] = [*map(float, geometry.low), *map(float, geometry.high)]
        self._packed = None

    # -- where it is -----------------------------------------------------------------------------------------

    def place(self, position: Any, orientation: Any, shown: Any = None) -> None:
        """Put the bodies that carry instances where they are now; before the first cast of scenes that have any.

        Args:
            position, orientation: (num_envs, bodies, 3) float32, m, world; (num_envs, bodies, 4) float32, w, x, y, z. A
                body whose pose is not finite is not hit.
            shown: (num_envs, bodies) int32: 0: rays pass.
        """
        packed = self.packed()
        if packed.softs:
            position, orientation, shown = self._with_resting(packed, position, orientation, shown)
        given = (position, orientation, shown)
        if not packed.softs and self._launches.again(place_instances, given, ()):
            return
        bodies = position.shape[1] if getattr(position, "ndim", 0) == 3 else 0
        if bodies < self.num_bodies:
            raise ValueError(
                f"place: position has shape {getattr(position, 'shape', None)}; ({self.num_envs}, bodies, 3) with "
                f"{self.num_bodies} bodies or more is needed"
            )
        self.check("position", position, (self.num_envs, bodies, 3))
        self.check("orientation", orientation, (self.num_envs, bodies, 4))
        if shown is not None:
            self.check("shown", shown, (self.num_envs, bodies), np.int32)
        shared, own, arrays = packed.shared, packed.own, packed.arrays
        placing = self.run(
            place_instances,
            self.num_envs * own,
            (own, shared, shared, arrays["table"], arrays["extents"], bodies, position, orientation),
            (arrays["table"] if shown is None else shown, int(shown is not None), arrays["frames"], arrays["boxes"]),
        )
        for soft, row, *_ in packed.softs:
            with self.device.active():
                bounds = self.device.xp.asarray(soft.bounds)
                slack = 2.0 * SLACK * abs(bounds).sum(axis=1, keepdims=True)
                arrays["boxes"][shared + row : -1 : own, :3] = bounds[:, :3] - slack
                arrays["boxes"][shared + row : -1 : own, 3:6] = bounds[:, 3:] + slack
        if own > GROUP:
            boxes = (arrays["boxes"], arrays["bounds"])
            bounding = self.run(bound_groups, self.num_envs * packed.groups, (packed.groups, own, shared), boxes)
            self._launches.remember(place_instances, given, (), lambda: (placing(), bounding())[0])
        else:
            self._launches.remember(place_instances, given, (), placing)
        packed.placed = True

    def _with_resting(self, packed: Packed, position: Any, orientation: Any, shown: Any) -> tuple[Any, Any, Any]:
        """Poses with another body behind, which rests at the origin and carries what is soft."""
        xp, bodies = self.device.xp, packed.resting
        with self.device.active():
            placed = xp.zeros((self.num_envs, bodies + 1, 3), np.float32)
            turned = xp.zeros((self.num_envs, bodies + 1, 4), np.float32)
            seen = xp.ones((self.num_envs, bodies + 1), np.int32)
            turned[:, :, 0] = 1.0
            if bodies:
                placed[:, :bodies] = xp.asarray(position)[:, :bodies]
                turned[:, :bodies] = xp.asarray(orientation)[:, :bodies]
                if shown is not None:
                    seen[:, :bodies] = xp.asarray(shown)[:, :bodies]
        return placed, turned, seen

    # -- casts -----------------------------------------------------------------------------------------------

    def hits(self, rays: int, *, position: bool = False, normal: bool = False, ids: bool = False) -> RayHits:
        """Arrays for the results of so many rays an environment."""
        xp = self.device.xp
        shape = (self.num_envs, rays)
        with self.device.active():
            made = {"distance": xp.empty(shape, np.float32)}
            if position:
                made["position"] = xp.empty((*shape, 3), np.float32)
            if normal:
                made["normal"] = xp.empty((*shape, 3), np.float32)
            if ids:
                made["ids"] = xp.empty((*shape, 3), np.int32)
        return RayHits(**made)

    def cast(
        self,
        origins: Any,
        directions: Any,
        hits: RayHits,
        *,
        limit: float = math.inf,
        limits: Any = None,
        any_hit: bool = False,
        sides: str = "both",
        groups: int = ALL,
    ) -> RayHits:
        """Find the nearest hit of each ray; neighbours should look about the same way.

        Rays without a direction, or with a number that is not finite, hit nothing. Primitives are surfaces, too: from
        inside, the far side is hit.

        Args:
            origins, directions: (num_envs, rays, 3) float32, world; directions of any length.
            hits: what to write to, and return; see :meth:`hits`.
            limit: m: what is farther is not hit.
            limits: (num_envs, rays) float32: the same of each ray.
            any_hit: the first that is found will do, which takes less time.
            sides: "both", or "front": surfaces are passed from behind.
            groups: bits: what is seen.

        Raises:
            ValueError: shapes or types do not fit, or bodies have not been placed.
        """
        arrays = (origins, directions, limits, hits.distance, hits.position, hits.normal, hits.ids)
        options = (limit, any_hit, sides, groups)
        if self._packed is not None and self._launches.again(cast_rays, arrays, options):
            return hits
        rays = self._rays(hits)
        self.check("origins", origins, (self.num_envs, rays, 3))
        self.check("directions", directions, (self.num_envs, rays, 3))
        if limits is not None:
            self.check("limits", limits, (self.num_envs, rays))
        own = (rays, origins, directions, origins if limits is None else limits, int(limits is not None), float(limit))
        rest = self._shared_arguments(hits, any_hit, sides, groups)
        self._launches.remember(cast_rays, arrays, options, self.run(cast_rays, self.num_envs * rays, own, rest))
        return hits

    def cast_pattern(
        self,
        directions: Any,
        position: Any,
        orientation: Any,
        hits: RayHits,
        *,
        starts: Any = None,
        width: int = 0,
        limit: float = math.inf,
        any_hit: bool = False,
        sides: str = "both",
        groups: int = ALL,
    ) -> RayHits:
        """Cast a pattern of rays from a sensor in each environment: the grid of a height scan, a camera's pixels.

        Args:
            directions: (rays, 3) float32, or (num_envs, rays, 3): in the sensor's frame, of any length.
            position, orientation: (num_envs, 3) and (num_envs, 4) float32 of the sensors, world; unit quaternions
                w, x, y, z.
            starts: as directions: where rays start, in the sensor's frame; at its origin by default.
            width: columns of a pattern that is an image, row by row: its rays are then taken in tiles, which is faster.
            hits, limit, any_hit, sides, groups: as for :meth:`cast`.
        """
        arrays = (directions, position, orientation, starts, hits.distance, hits.position, hits.normal, hits.ids)
        options = (width, limit, any_hit, sides, groups)
        if self._packed is not None and self._launches.again(cast_pattern, arrays, options):
            return hits
        rays = self._rays(hits)
        each = getattr(directions, "ndim", 0) == 3
        shape = (self.num_envs, rays, 3) if each else (rays, 3)
        self.check("directions", directions, shape)
        if starts is not None:
            self.check("starts", starts, shape)
        self.check("position", position, (self.num_envs, 3))
        self.check("orientation", orientation, (self.num_envs, 4))
        if width < 0 or (width > 0 and rays % width):
            raise ValueError(f"width={width}: {rays} rays are no image of so many columns")
        tiled = width if width % 8 == 0 and rays % (4 * max(width, 1)) == 0 else 0
        own = (rays, tiled, directions if starts is None else starts, int(starts is not None), directions, int(each))
        own = (*own, position, orientation, float(limit))
        rest = self._shared_arguments(hits, any_hit, sides, groups)
        launch = self.run(cast_pattern, self.num_envs * rays, own, rest)
        self._launches.remember(cast_pattern, arrays, options, launch)
        return hits

    def _rays(self, hits: RayHits) -> int:
        shape = hits.distance.shape
        if len(shape) != 2 or shape[0] != self.num_envs:
            raise ValueError(f"hits are for {shape}; make them with scene.hits(rays), for {self.num_envs} environments")
        return shape[1]

    def _shared_arguments(self, hits: RayHits, any_hit: bool, sides: str, groups: int) -> tuple[Any, ...]:
        if sides not in SIDES:
            raise ValueError(f"sides={sides!r}: must be one of {', '.join(SIDES)}")
        packed = self.packed()
        if packed.own and not packed.placed:
            raise ValueError("instances are carried by bodies: call scene.place(...) before the first cast")
        results: list[Any] = [hits.distance]
        for array in (hits.position, hits.normal, hits.ids):
            results += [hits.distance if array is None else array, int(array is not None)]
        scene = (packed.arrays[name] for name in SCENE_ARRAYS)
        return (packed.shared, packed.own, *scene, groups & ALL, SIDES[sides], int(any_hit), *results)

    def check(self, name: str, array: Any, shape: tuple[int, ...], dtype: Any = np.float32) -> None:
        """Raise a ValueError unless an array is where the scene is, contiguous, and of a shape and type."""
        interface = "__cuda_array_interface__" if self.device.is_cuda else "__array_interface__"
        if not hasattr(array, interface):
            raise ValueError(f"{name} is a {type(array).__name__}, no array on {self.device.name}")
        found = getattr(array, interface)
        if tuple(found["shape"]) != shape or np.dtype(found["typestr"]) != np.dtype(dtype):
            kind = np.dtype(found["typestr"]).name
            raise ValueError(
                f"{name} has shape {tuple(found['shape'])}, type {kind}; {shape}, {np.dtype(dtype).name} is needed"
            )
        if found.get("strides") is not None:
            raise ValueError(f"{name} is not contiguous; pass a copy")

    # -- how it is stored ------------------------------------------------------------------------------------

    def packed(self) -> Packed:
        """The arrays, put together when something was added since the last time: the same object until then."""
        if self._packed is None:
            self._launches.forget()
            packed = pack(self._instances, self.num_envs)
            packed.arrays = {name: self.on_device(array) for name, array in packed.arrays.items()}
            self._packed = packed
            arrays, shared = packed.arrays, packed.shared
            body = (0, arrays["origin"], arrays["unturned"], arrays["table"], 0)  # all are carried by one that rests
            head = (max(shared, 1), 0, 0, arrays["table"], arrays["extents"])
            self.run(place_instances, shared, head, (*body, arrays["frames"], arrays["boxes"]))
        return self._packed

    def on_device(self, array: np.ndarray) -> Any:
        """A copy of an array, or itself where the scene is on the host."""
        array = np.ascontiguousarray(array)
        if not self.device.is_cuda:
            return array
        with self.device.active():
            return self.device.xp.asarray(array)

    def run(
        self,
        function: Any,
        count: int,
        first: tuple[Any, ...],
        rest: tuple[Any, ...],
        constants: tuple[tuple[str, int], ...] | None = None,
    ) -> Callable[[], None]:
        """Launch a kernel (:mod:`~.generate`) for so many rays; returns what launches it again.

        Args:
            first, rest: its arguments, which must outlive the launches.
            constants: that it is made for; by default those of the scene, for casts.
        """
        if constants is None:
            constants = () if function in (place_instances, bound_groups) else self.packed().constants
        key = (function, constants)
        if key not in self._kernels:
            self._kernels[key] = self._backend.kernel_of(function, constants)
        bound = self._backend.bind((*first, *rest))
        launch = partial(self._backend.launch, self._kernels[key], count, bound, self.device) if count else _nothing
        launch()
        return launch


def _nothing() -> None:
    """A launch without rays."""
