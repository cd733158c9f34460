"""A scene's instances as the arrays that kernels read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phalanx.components.shape import HEIGHT_FIELD, MESH, PLANE, is_primitive
from phalanx.rays.geometry import RayGeometry
from phalanx.rays.mesh_tree import LEVELS
from phalanx.rays.placing import EXTENTS
from phalanx.rays.scene_kernels import BOUNDS, ENTRIES, FARTHEST, FRAME, GROUP
from phalanx.rays.soft_mesh import SoftMesh
from phalanx.rays.wide_nodes import CHILD, TRIANGLE, WORDS

SCENE_ARRAYS = ("table", "sizes", "frames", "boxes", "bounds", "nodes", "triangles", "samples")
"""Those that casts read, in the order of their arguments."""


@dataclass
class Instance:
    """What was added to a scene.

    Attributes:
        body: that carries it, -1 if it is shared.
        table, extents: its numbers in the arrays of these names (:mod:`~.scene_kernels`, :mod:`~.placing`).
    """

    geometry: RayGeometry
    body: int
    table: list[int]
    extents: list[float]
    soft: SoftMesh | None = None

    @property
    def object(self) -> int:
        """Number of what it is a part of."""
        return self.table[4]

    @property
    def number(self) -> int:
        """What :meth:`~.RayScene.add` returned."""
        return self.table[6]


SHALLOW = 8
"""Levels of a tree for which a GPU's kernels have fast memory."""


@dataclass
class Packed:
    """A scene as its kernels see it; made anew when something was added.

    Attributes:
        shared, own: instances of all environments, and of each.
        order: all of them, in the order of the rows of ``table``: shared ones first.
        constants: of kernels, by what there is.
        arrays: on the host, or later on the device.
        placed: whether own instances have got their poses.
        resting: number of a body that never moves, behind those of instances.
        softs: of each soft mesh, its row among own instances, its first node and its first triangle.
    """

    shared: int
    own: int
    order: list[Instance]
    constants: tuple[tuple[str, int], ...]
    arrays: dict[str, Any] = field(default_factory=dict)
    placed: bool = False
    resting: int = 0
    softs: list[tuple[SoftMesh, int, int, int]] = field(default_factory=list)

    @property
    def groups(self) -> int:
        """Groups of own instances in an environment."""
        return -(-self.own // GROUP)


def pack(instances: list[Instance], num_envs: int) -> Packed:
    """Put instances together, with arrays on the host."""
    order = sorted(instances, key=lambda i: (i.body >= 0 or i.soft is not None, i.soft is not None))
    own = sum(i.body >= 0 or i.soft is not None for i in order)
    resting = 1 + max((i.body for i in order), default=-1)
    shared = len(order) - own
    nodes, triangles, samples = [np.zeros((1, WORDS), np.uint32)], [np.zeros((1, 12), np.float32)], [np.zeros(4)]
    places: dict[int, int] = {}
    softs: list[tuple[SoftMesh, int, int]] = []
    for geometry in {id(i.geometry): i.geometry for i in order if i.soft is None}.values():
        if geometry.tree is not None:
            moved = geometry.tree.nodes.copy()
            places[id(geometry)] = sum(map(len, nodes))
            moved[:, CHILD] += np.uint32(places[id(geometry)])
            moved[:, TRIANGLE] += np.uint32(sum(map(len, triangles)))
            nodes.append(moved)
            triangles.append(geometry.tree.triangles)
        elif geometry.samples is not None:
            places[id(geometry)] = sum(map(len, samples))
            samples.append(geometry.samples)
    for instance in order:
        if (soft := instance.soft) is not None:
            first = sum(map(len, nodes)), sum(map(len, triangles))
            soft.put(*first)
            softs.append((soft, *first))
            nodes.append(soft.nodes)
            triangles.append(soft.triangles)
    kinds = {i.geometry.kind for i in order} or {MESH}
    deepest = max((int(i.geometry.tree.levels.max()) + 1 for i in order if i.geometry.tree is not None), default=1)
    alone = len(order) == 1 and shared == 1 and kinds == {MESH}
    constants = (
        ("ALONE", int(alone)),
        ("DEPTH", SHALLOW if deepest <= SHALLOW else LEVELS),
        ("FIELDS", int(HEIGHT_FIELD in kinds)),
        ("GROUPED", int(own > GROUP)),
        ("MESHES", int(MESH in kinds)),
        ("PLANES", int(PLANE in kinds)),
        *((("SOFT", 1),) if softs else ()),
        ("SOLIDS", int(any(is_primitive(kind) for kind in kinds))),
        ("TOGETHER", int(alone)),
    )
    table = np.zeros((len(order) + 1, ENTRIES), np.int32)
    sizes = np.zeros((len(order) + 1, ENTRIES), np.float32)
    extents = np.zeros((len(order) + 1, EXTENTS), np.float32)
    for k, instance in enumerate(order):
        table[k] = instance.table
        table[k, 1] = places.get(id(instance.geometry), 0)
        if instance.soft is not None:
            table[k, 1], table[k, 7] = next(first for soft, first, _ in softs if soft is instance.soft), resting
        sizes[k, :3] = instance.geometry.size
        extents[k] = instance.extents
    placed = shared + num_envs * own + 1
    packed = Packed(shared, own, order, constants, resting=resting)
    before = own - len(softs)
    packed.softs = [(soft, before + n, node, triangle) for n, (soft, node, triangle) in enumerate(softs)]
    boxes = np.full((placed, BOUNDS), np.nan, np.float32)
    boxes[:, 6:] = 0.0
    for soft, row, *_ in packed.softs:
        ahead = np.arange(num_envs, dtype=np.int32) * np.int32(len(soft.tree.nodes))
        boxes[shared + row : placed - 1 : own, 6] = ahead.view(np.float32)
    bounds = np.full((num_envs * packed.groups + 1, BOUNDS), np.nan, np.float32)
    if own <= GROUP:  # nobody makes them, but kernels on a CPU may look
        bounds[:, :3], bounds[:, 3:6] = -FARTHEST, FARTHEST
    packed.arrays = {
        "table": table,
        "sizes": sizes,
        "extents": extents,
        "frames": np.zeros((placed, FRAME), np.float32),
        "boxes": boxes,
        "bounds": bounds,
        "nodes": np.concatenate(nodes),
        "triangles": np.concatenate(triangles),
        "samples": np.concatenate(samples).astype(np.float32),
        "origin": np.zeros((1, 3), np.float32),
        "unturned": np.array([[1, 0, 0, 0]], np.float32),
    }
    return packed
