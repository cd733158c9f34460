"""A world with one static object of each kind of shape, in other poses in every environment."""

from __future__ import annotations

from typing import Any

import numpy as np
import trimesh
from narrow.pairs import Solid, box, capsule, cone, cylinder, hull, sphere
from scipy.spatial.transform import Rotation

import phalanx as px
from phalanx.components.shape import BOX, CAPSULE, CONE, CYLINDER, SPHERE
from phalanx.models.meshes.height_fields import grid_triangles

SOLIDS: dict[str, Solid] = {
    "sphere": sphere(0.3),
    "capsule": capsule(0.2, 0.4),
    "box": box(0.3, 0.4, 0.5),
    "cylinder": cylinder(0.3, 0.4),
    "cone": cone(0.35, 0.4),
    "hull": hull(np.random.default_rng(0).normal(size=(30, 3)) * 0.3),
}
NAMES = {SPHERE: "sphere", CAPSULE: "capsule", BOX: "box", CYLINDER: "cylinder", CONE: "cone"}
SPACING = (0.15, 0.1)


def array(values: Any) -> np.ndarray:
    """A NumPy array of the same type, from any device."""
    return values.get() if hasattr(values, "get") else np.asarray(values)


def star() -> tuple[np.ndarray, np.ndarray]:
    """A closed mesh of 1280 faces that is not convex, about 0.5 m in radius."""
    ball = trimesh.creation.icosphere(subdivisions=3)
    x, y, z = ball.vertices.T
    return ball.vertices * (0.45 + 0.12 * np.sin(5 * x) * np.cos(4 * y + z))[:, None], np.asarray(ball.faces)


def heights() -> np.ndarray:
    """A rough field of 9 x 13 heights, 1.2 m by 1.2 m."""
    return 0.15 * np.random.default_rng(3).normal(size=(9, 13))


def triangles(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and faces, outward, of what is made of triangles or has flat faces only."""
    if name == "mesh":
        return star()
    if name == "field":
        return grid_triangles(heights(), SPACING)
    made = trimesh.convex.convex_hull(SOLIDS[name].vertices)
    return np.asarray(made.vertices), np.asarray(made.faces)


def shape(name: str) -> px.Shape:
    """The shape of that name."""
    if name == "mesh":
        vertices, faces = star()
        return px.Shape("mesh", vertices=vertices, faces=faces, approximation="triangle_mesh")
    if name == "field":
        return px.Shape("height_field", SPACING, heights=heights())
    solid = SOLIDS[name]
    if name == "hull":
        return px.Shape("mesh", vertices=solid.vertices)
    size = solid.size[: {SPHERE: 1, BOX: 3}.get(solid.kind, 2)]
    return px.Shape(NAMES[solid.kind], tuple(float(s) for s in size))


class Scene:
    """The world, with rotations (envs, 3, 3) and positions (envs, 3) of each object by name."""

    def __init__(self, num_envs: int, device: str, dtype: str = "float32", seed: int = 1) -> None:
        self.world = px.World(num_envs=num_envs, device=device, dtype=dtype)
        self.world.add_ground(height=-5.0)
        rng = np.random.default_rng(seed)
        self.turns: dict[str, np.ndarray] = {}
        self.places: dict[str, np.ndarray] = {}
        names = [*SOLIDS, "mesh", "field"]
        for group, name in enumerate(names):
            self.world.add_rigid_object(shape(name), name=name, kind="static", collision_group=group)
        for name in names:
            turns = Rotation.random(num_envs, rng)  # pyright: ignore[reportCallIssue]
            self.places[name] = rng.uniform(-1.0, 1.0, (num_envs, 3))
            quats = np.roll(turns.as_quat(), 1, axis=1)
            self.world.objects[name].set_root_state(np.concatenate([self.places[name], quats], axis=1))
            quats = quats.astype(dtype).astype(float)  # what the world has
            self.places[name] = self.places[name].astype(dtype).astype(float)
            self.turns[name] = Rotation.from_quat(np.roll(quats, -1, axis=1)).as_matrix()
        self.queries = self.world.queries

    def local(self, name: str, points: np.ndarray, vectors: bool = False) -> np.ndarray:
        """World points (or vectors), (envs, m, 3), in the frame of an object."""
        moved = points if vectors else points - self.places[name][:, None]
        return np.einsum("eji,emj->emi", self.turns[name], moved)

    def outside(self, name: str, points: np.ndarray, vectors: bool = False) -> np.ndarray:
        """The reverse of :meth:`local`."""
        turned = np.einsum("eij,emj->emi", self.turns[name], points)
        return turned if vectors else turned + self.places[name][:, None]
