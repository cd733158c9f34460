"""Tensor views of deformable bodies and of their materials.

Getters with ``sim`` in their names are about the mesh that is simulated, those without about the one that collides.
Where a body has no collision mesh of its own, or a surface alone, that is the same mesh.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from phalanx.facade.arrays import accept, is_cpu
from phalanx.facade.namespaces import module
from phalanx.facade.physx.common import reads, writes
from phalanx.maths.arrays import rotate
from phalanx.world.deformables.soft_body import SoftBody
from phalanx.world.world import World

Row = tuple[str, int]
"""A soft body's name, and an environment."""


class _Mesh(NamedTuple):
    """A mesh of tetrahedra ``tets`` (m, 4) of ``vertices`` (n, 3), m."""

    vertices: np.ndarray
    tets: np.ndarray


_SIMULATED = {
    "collision_pos": "node_pos",
    "collision_rotations": "element_rotations",
    "collision_gradients": "deformation_gradients",
    "collision_stresses": "element_stresses",
}
"""Properties of the mesh that collides, and those of the one that is simulated."""


def _collides_by_own(body: SoftBody) -> bool:
    """Whether a body has tetrahedra that collide, beside those that are simulated."""
    return body.collision_mesh is not None and len(body.collision_mesh.tets) > 0


def _of(body: SoftBody, what: str) -> Any:
    """A property of a body."""
    return getattr(body, what if _collides_by_own(body) else _SIMULATED.get(what, what))


def _array_module(world: World) -> Any:
    return module("numpy" if is_cpu(world.device) else "cupy")


class SoftBodyView:
    """Deformable bodies; n is their number, v that of nodes, e that of elements, all of the body that has the most.

    Of meshes that collide w is the number of vertices, and c that of elements.

    Args:
        world: the engine's world.
        rows: name and environment of each.
        prim_paths: of the rows' prims.
        origins: (num_envs, 3), m: where the environments' origins are; zero by default.
    """

    raw = False

    def __init__(self, world: World, rows: Sequence[Row], prim_paths: Sequence[str], origins: Any = None) -> None:
        self.world, self.prim_paths = world, list(prim_paths)
        self._rows = list(rows)
        self._origins = np.zeros((world.num_envs, 3)) if origins is None else np.asarray(origins, float)
        self._bodies: dict[str, SoftBody] = {name: world.deformables[name] for name, _ in rows}
        self._parts: list[tuple[SoftBody, np.ndarray, np.ndarray]] = []
        for name, body in self._bodies.items():
            mine = np.array([n for n, row in enumerate(self._rows) if row[0] == name])
            self._parts.append((body, mine, np.array([self._rows[n][1] for n in mine])))

    # -- what they are ---------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._rows)

    def check(self) -> bool:
        """Whether the view can be used; it can."""
        return True

    @property
    def max_sim_vertices_per_body(self) -> int:
        """Nodes of the body that has the most."""
        return max(body.num_nodes for body in self._bodies.values())

    @property
    def max_vertices_per_body(self) -> int:
        """Vertices of the mesh that collides, of the body that has the most."""
        return max(len(mesh.vertices) for mesh in self._colliding.values())

    @property
    def max_sim_elements_per_body(self) -> int:
        """Tetrahedra of the body that has the most."""
        return max(len(body.mesh.tets) for body in self._bodies.values())

    @property
    def max_elements_per_body(self) -> int:
        """Tetrahedra of the mesh that collides, of the body that has the most."""
        return max(len(mesh.tets) for mesh in self._colliding.values())

    # -- state -----------------------------------------------------------------------------------------------

    @reads
    def get_sim_nodal_positions(self) -> Any:
        """(n, v, 3): where nodes are, m."""
        return self._nodes("node_pos", 3, origin=True)

    @reads
    def get_nodal_positions(self) -> Any:
        """(n, w, 3): where vertices of the mesh that collides are, m."""
        return self._nodes("collision_pos", 3, origin=True, collides=True)

    @reads
    def get_sim_nodal_velocities(self) -> Any:
        """(n, v, 3): how nodes move, m/s."""
        return self._nodes("node_vel", 3)

    @writes
    def set_sim_nodal_positions(self, positions: Any, indices: Any) -> None:
        """Put nodes of some rows somewhere; ``positions`` (n, v, 3) has all rows."""
        for body, values, envs in self._chosen("positions", positions, 3, indices, origin=True):
            body.set_node_state(pos=values, env_ids=envs)

    @writes
    def set_sim_nodal_velocities(self, velocities: Any, indices: Any) -> None:
        """Set velocities of nodes of some rows; ``velocities`` (n, v, 3) has all rows."""
        for body, values, envs in self._chosen("velocities", velocities, 3, indices):
            body.set_node_state(vel=values, env_ids=envs)

    @reads
    def get_sim_kinematic_targets(self) -> Any:
        """(n, v, 4): where held nodes go, m, and 0 for those that are held, 1 for those that are free."""
        xp = self._xp
        targets = self._nodes("node_targets", 3, origin=True)
        held = self._nodes("held_nodes", 1)
        place = self._nodes("node_pos", 3, origin=True)
        return xp.concatenate([xp.where(held > 0, targets, place), 1.0 - held], axis=-1)

    @writes
    def set_sim_kinematic_targets(self, targets: Any, indices: Any) -> None:
        """Hold nodes of some rows, or let them go; ``targets`` (n, v, 4), as they are read, has all rows."""
        for body, values, envs in self._chosen("kinematic targets", targets, 4, indices, origin=True):
            body.set_node_targets(values[..., :3], values[..., 3] == 0.0, env_ids=envs)

    # -- elements --------------------------------------------------------------------------------------------

    @reads
    def get_sim_element_rotations(self) -> Any:
        """(n, e, 4), x y z w."""
        found = self._elements("element_rotations", (4,))
        return self._xp.concatenate([found[..., 1:], found[..., :1]], axis=-1)

    @reads
    def get_element_rotations(self) -> Any:
        """(n, c, 4), x y z w, of the mesh that collides."""
        found = self._elements("collision_rotations", (4,), collides=True)
        return self._xp.concatenate([found[..., 1:], found[..., :1]], axis=-1)

    @reads
    def get_sim_element_deformation_gradients(self) -> Any:
        """(n, e, 9): row by row."""
        return self._elements("deformation_gradients", (3, 3)).reshape(self.count, -1, 9)

    @reads
    def get_element_deformation_gradients(self) -> Any:
        """(n, c, 9), of the mesh that collides: row by row."""
        return self._elements("collision_gradients", (3, 3), collides=True).reshape(self.count, -1, 9)

    @reads
    def get_sim_element_stresses(self) -> Any:
        """(n, e, 9), Pa: Cauchy stresses, row by row."""
        return self._elements("element_stresses", (3, 3)).reshape(self.count, -1, 9)

    @reads
    def get_element_stresses(self) -> Any:
        """(n, c, 9), Pa, of the mesh that collides: Cauchy stresses, row by row."""
        return self._elements("collision_stresses", (3, 3), collides=True).reshape(self.count, -1, 9)

    @reads
    def get_sim_element_indices(self) -> Any:
        """(n, e, 4), int32: nodes of the tetrahedra; rows of smaller bodies end with zeros."""
        return self._indices(self._simulated)

    @reads
    def get_element_indices(self) -> Any:
        """(n, c, 4), int32: vertices of the tetrahedra of the mesh that collides; as of the mesh that is simulated."""
        return self._indices(self._colliding)

    @reads
    def get_sim_element_rest_poses(self) -> Any:
        """(n, e, 9), 1/m: inverses of the matrices of unstrained edges from the first corner, row by row."""
        return self._rest_poses(self._simulated)

    @reads
    def get_element_rest_poses(self) -> Any:
        """(n, c, 9), 1/m: the same of the mesh that collides."""
        return self._rest_poses(self._colliding)

    # -- inside ----------------------------------------------------------------------------------------------

    @property
    def _xp(self) -> Any:
        return _array_module(self.world)

    @property
    def collides_as_simulated(self) -> bool:
        """Whether no body has tetrahedra of its own that collide, so that getters of both kinds give the same."""
        return not any(map(_collides_by_own, self._bodies.values()))

    @property
    def _simulated(self) -> dict[str, _Mesh]:
        return {name: _Mesh(body.mesh.nodes, body.mesh.tets) for name, body in self._bodies.items()}

    @property
    def _colliding(self) -> dict[str, _Mesh]:
        own = {name: body.collision_mesh for name, body in self._bodies.items()}
        found = {
            name: _Mesh(mesh.vertices, mesh.tets) for name, mesh in own.items() if mesh is not None and len(mesh.tets)
        }
        return {**self._simulated, **found}

    def _indices(self, meshes: dict[str, _Mesh]) -> Any:
        found = np.zeros((self.count, max(len(mesh.tets) for mesh in meshes.values()), 4), np.int32)
        for body, mine, _ in self._parts:
            found[mine, : len(meshes[body.name].tets)] = meshes[body.name].tets
        return self._xp.asarray(found)

    def _rest_poses(self, meshes: dict[str, _Mesh]) -> Any:
        found = np.zeros((self.count, max(len(mesh.tets) for mesh in meshes.values()), 9))
        for body, mine, _ in self._parts:
            mesh = meshes[body.name]
            nodes = rotate(body.default_pose[3:], mesh.vertices)[mesh.tets]
            edges = (nodes[:, 1:] - nodes[:, :1]).swapaxes(-1, -2)
            found[mine, : len(edges)] = np.linalg.inv(edges).reshape(-1, 9)
        return self._xp.asarray(found)

    def _nodes(self, what: str, width: int, origin: bool = False, collides: bool = False) -> Any:
        """(n, v, width), or (n, w, width), of a property of soft bodies; rows of smaller bodies end with zeros."""
        xp = self._xp
        count = self.max_vertices_per_body if collides else self.max_sim_vertices_per_body
        found = xp.zeros((self.count, count, width), self.world.dtype)
        for body, mine, envs in self._parts:
            values = _of(body, what)[xp.asarray(envs)]
            values = values if values.ndim == 3 else values[..., None]
            if origin:
                values = values + xp.asarray(self._origins[envs], self.world.dtype)[:, None]
            found[xp.asarray(mine), : values.shape[1]] = values
        return found

    def _elements(self, what: str, shape: tuple[int, ...], collides: bool = False) -> Any:
        xp = self._xp
        count = self.max_elements_per_body if collides else self.max_sim_elements_per_body
        found = xp.zeros((self.count, count, *shape), self.world.dtype)
        for body, mine, envs in self._parts:
            values = _of(body, what)[xp.asarray(envs)]
            found[xp.asarray(mine), : values.shape[1]] = values
        return found

    def _chosen(
        self, what: str, values: Any, width: int, indices: Any, origin: bool = False
    ) -> Iterator[tuple[SoftBody, Any, np.ndarray]]:
        """For each soft body the values of its chosen rows, and their environments."""
        xp = self._xp
        given = xp.asarray(accept(values, self.world.device), self.world.dtype)
        wanted = (self.count, self.max_sim_vertices_per_body, width)
        if given.size != np.prod(wanted):
            raise ValueError(f"soft body view: {what} have shape {tuple(given.shape)}; they must have {wanted}")
        given = given.reshape(wanted)
        rows = np.arange(self.count) if indices is None else np.asarray(accept(indices), np.int64).reshape(-1)
        if len(rows) and not (rows.min() >= 0 and rows.max() < self.count):
            raise IndexError(f"soft body view: indices must lie in 0..{self.count - 1}; got {rows}")
        for body, mine, envs in self._parts:
            picked = np.isin(mine, rows)
            if not picked.any():
                continue
            mine, envs = mine[picked], envs[picked]
            part = xp.array(given[xp.asarray(mine), : body.num_nodes])
            if origin:
                part[..., :3] -= xp.asarray(self._origins[envs], self.world.dtype)[:, None]
            yield body, part, envs


class SoftBodyMaterialView:
    """Materials of deformable bodies; n is their number. A value holds for all bodies that have the material.

    Args:
        world: the engine's world.
        users: for each material the bodies, by name and environment.
        scales: what the damping of each is scaled by; 1 by default. The view writes to it.
    """

    raw = False

    def __init__(self, world: World, users: Sequence[Sequence[Row]], scales: list[float] | None = None) -> None:
        self.world, self._users = world, [list(each) for each in users]
        self._scales = [1.0] * len(self._users) if scales is None else scales
        self._unscaled = [float("nan")] * len(self._users)  # what damping was before its scale became zero

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._users)

    def check(self) -> bool:
        """Whether the view can be used; it can."""
        return True

    @reads
    def get_youngs_modulus(self) -> Any:
        """(n, 1), Pa."""
        return self._get("youngs_modulus")

    @reads
    def get_poissons_ratio(self) -> Any:
        """(n, 1)."""
        return self._get("poissons_ratio")

    @reads
    def get_dynamic_friction(self) -> Any:
        """(n, 1)."""
        return self._get("friction")

    @writes
    def set_youngs_modulus(self, values: Any, indices: Any) -> None:
        """Set Young's modulus, Pa; ``values`` has one for each of all materials."""
        self._set("set_elasticity", "youngs_modulus", values, indices)

    @writes
    def set_poissons_ratio(self, values: Any, indices: Any) -> None:
        """Set Poisson's ratio; ``values`` has one for each of all materials."""
        self._set("set_elasticity", "poissons_ratio", values, indices)

    @writes
    def set_dynamic_friction(self, values: Any, indices: Any) -> None:
        """Set the coefficient of friction; ``values`` has one for each of all materials."""
        self._set("set_friction", "friction", values, indices)

    @reads
    def get_damping(self) -> Any:
        """(n, 1), s: how much elastic motion is damped, before it is scaled."""
        xp = _array_module(self.world)
        scales = np.array(self._scales)[:, None]
        whole = self._get("elasticity_damping") / xp.asarray(np.where(scales > 0.0, scales, 1.0), self.world.dtype)
        kept = np.where(scales > 0.0, 0.0, np.nan_to_num(np.array(self._unscaled))[:, None])
        return whole + xp.asarray(kept, self.world.dtype)

    @writes
    def set_damping(self, values: Any, indices: Any) -> None:
        """Set how much elastic motion is damped, s, before it is scaled; one value for each of all materials."""
        given, rows = self._given("damping", values, indices)
        for row in rows:
            self._unscaled[row] = given[row]
        self._set("set_elasticity_damping", "damping", given * np.array(self._scales), indices)

    @reads
    def get_damping_scale(self) -> Any:
        """(n, 1): what damping is scaled by, 0 to 1."""
        return _array_module(self.world).asarray(np.array(self._scales)[:, None], self.world.dtype)

    @writes
    def set_damping_scale(self, values: Any, indices: Any) -> None:
        """Set what damping is scaled by, 0 to 1; ``values`` has one for each of all materials."""
        given, rows = self._given("damping_scale", values, indices)
        for row in rows:
            if not 0.0 <= given[row] <= 1.0:
                raise ValueError(f"soft body material view: damping_scale={given[row]:g} must lie in 0..1")
        now = np.asarray(accept(self.get_damping()), float).reshape(-1)
        for row in rows:
            self._unscaled[row], self._scales[row] = float(now[row]), float(given[row])
        self._set("set_elasticity_damping", "damping", now * np.array(self._scales), indices)

    get_young_modulus, set_young_modulus = get_youngs_modulus, set_youngs_modulus

    def _get(self, what: str) -> Any:
        xp = _array_module(self.world)
        first = [users[0] for users in self._users]
        return xp.stack([getattr(self.world.deformables[name], what)[env] for name, env in first]).reshape(-1, 1)

    def _given(self, what: str, values: Any, indices: Any) -> tuple[np.ndarray, list[int]]:
        """Values of all materials, (n,), and the rows to write."""
        given = np.asarray(accept(values), float).reshape(-1)
        if len(given) != self.count:
            raise ValueError(f"soft body material view: {what} has {len(given)} values for {self.count} materials")
        rows = np.arange(self.count) if indices is None else np.asarray(accept(indices), np.int64).reshape(-1)
        return given, rows.tolist()

    def _set(self, how: str, what: str, values: Any, indices: Any) -> None:
        given, rows = self._given(what, values, indices)
        for row in rows:
            for name, env in self._users[row]:
                getattr(self.world.deformables[name], how)(**{what: given[row]}, env_ids=[env])
