"""Tensor views of cloth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from phalanx.facade.arrays import accept, is_cpu
from phalanx.facade.namespaces import module
from phalanx.facade.physx.common import reads, writes
from phalanx.facade.physx.soft_body_view import Row
from phalanx.world.deformables.cloth import Cloth
from phalanx.world.world import World


class ParticleClothView:
    """Cloths; n is their number, p that of particles, s that of springs, both of the cloth that has the most.

    Particles are the points of the prims' meshes, in their order; points at exactly the same place are one node of the
    engine and move together. The engine has elastic triangles, not springs: a spring stands for each edge.

    Args:
        world: the engine's world.
        rows: name and environment of each.
        node_of: for each row, (points,): nodes of points.
        origins: (num_envs, 3), m: where the environments' origins are; zero by default.
    """

    raw = False

    def __init__(self, world: World, rows: Sequence[Row], node_of: Sequence[np.ndarray], origins: Any = None) -> None:
        self.world = world
        self._rows, self._node_of = list(rows), list(node_of)
        self._origins = np.zeros((world.num_envs, 3)) if origins is None else np.asarray(origins, float)
        self._cloths: dict[str, Cloth] = {name: world.cloths[name] for name, _ in rows}

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._rows)

    def check(self) -> bool:
        """Whether the view can be used; it can."""
        return True

    @property
    def max_particles_per_cloth(self) -> int:
        """Points of the mesh that has the most."""
        return max(len(nodes) for nodes in self._node_of)

    @property
    def max_springs_per_cloth(self) -> int:
        """Edges of the mesh that has the most."""
        return max(len(cloth.mesh.edges) for cloth in self._cloths.values())

    # -- particles -------------------------------------------------------------------------------------------

    @reads
    def get_positions(self) -> Any:
        """(n, p, 3): where particles are in the world, m; rows of smaller cloths end with zeros."""
        return self._particles("node_pos", True)

    @reads
    def get_velocities(self) -> Any:
        """(n, p, 3): how particles move, m/s."""
        return self._particles("node_vel", False)

    @reads
    def get_masses(self) -> Any:
        """(n, p), kg; points at one place share theirs evenly."""
        xp = self._xp
        found = xp.zeros((self.count, self.max_particles_per_cloth), self.world.dtype)
        for cloth, nodes, rows, envs in self._groups(range(self.count)):
            shared = xp.asarray(np.bincount(nodes)[nodes], self.world.dtype)
            masses = cloth.node_mass[xp.asarray(envs)][:, xp.asarray(nodes)] / shared
            found[xp.asarray(rows), : len(nodes)] = masses
        return found

    @writes
    def set_positions(self, positions: Any, indices: Any) -> None:
        """Put particles of some rows somewhere; ``positions`` (n, p, 3) has all rows."""
        for cloth, values, envs in self._chosen("positions", positions, indices):
            cloth.set_node_state(
                pos=values - self._xp.asarray(self._origins[envs], values.dtype)[:, None], env_ids=envs
            )

    @writes
    def set_velocities(self, velocities: Any, indices: Any) -> None:
        """Set velocities of particles of some rows; ``velocities`` (n, p, 3) has all rows."""
        for cloth, values, envs in self._chosen("velocities", velocities, indices):
            cloth.set_node_state(vel=values, env_ids=envs)

    @writes
    def set_masses(self, masses: Any, indices: Any) -> None:
        """Set masses of particles of some rows, kg; ``masses`` (n, p) has all rows. Points at one place add up."""
        xp = self._xp
        given = xp.asarray(accept(masses, self.world.device), self.world.dtype).reshape(self.count, -1)
        rows = np.arange(self.count) if indices is None else np.asarray(accept(indices), np.int64).reshape(-1)
        for cloth, nodes, own, envs in self._groups(rows.tolist()):
            sums = xp.zeros((len(own), cloth.num_nodes), self.world.dtype)
            for point, node in enumerate(nodes.tolist()):
                sums[:, node] += given[xp.asarray(own), point]
            cloth.set_node_mass(sums, env_ids=envs)

    # -- materials -------------------------------------------------------------------------------------------

    def materials(self) -> Iterator[tuple[int, Cloth, int]]:
        """Number of each row, its cloth and its environment."""
        for row, (name, env) in enumerate(self._rows):
            yield row, self._cloths[name], env

    # -- inside ----------------------------------------------------------------------------------------------

    @property
    def _xp(self) -> Any:
        return module("numpy" if is_cpu(self.world.device) else "cupy")

    def _groups(self, rows: Any) -> Iterator[tuple[Cloth, np.ndarray, np.ndarray, np.ndarray]]:
        """For each cloth: nodes of its points, its rows among some, and their environments."""
        mine: dict[str, list[int]] = {}
        for row in rows:
            mine.setdefault(self._rows[row][0], []).append(row)
        for name, own in mine.items():
            envs = np.array([self._rows[row][1] for row in own])
            yield self._cloths[name], self._node_of[own[0]], np.array(own), envs

    def _particles(self, what: str, origin: bool) -> Any:
        xp = self._xp
        found = xp.zeros((self.count, self.max_particles_per_cloth, 3), self.world.dtype)
        for cloth, nodes, rows, envs in self._groups(range(self.count)):
            values = getattr(cloth, what)[xp.asarray(envs)][:, xp.asarray(nodes)]
            if origin:
                values = values + xp.asarray(self._origins[envs], self.world.dtype)[:, None]
            found[xp.asarray(rows), : len(nodes)] = values
        return found

    def _chosen(self, what: str, values: Any, indices: Any) -> Iterator[tuple[Cloth, Any, np.ndarray]]:
        """For each cloth the values of nodes of its chosen rows, and their environments."""
        xp = self._xp
        given = xp.asarray(accept(values, self.world.device), self.world.dtype)
        wanted = (self.count, self.max_particles_per_cloth, 3)
        if given.size != np.prod(wanted):
            raise ValueError(f"particle cloth view: {what} have shape {tuple(given.shape)}; they must have {wanted}")
        given = given.reshape(wanted)
        rows = np.arange(self.count) if indices is None else np.asarray(accept(indices), np.int64).reshape(-1)
        if len(rows) and not (rows.min() >= 0 and rows.max() < self.count):
            raise IndexError(f"particle cloth view: indices must lie in 0..{self.count - 1}; got {rows}")
        for cloth, nodes, own, envs in self._groups(rows.tolist()):
            first = np.unique(nodes, return_index=True)[1]  # of points at one place, the first
            yield cloth, given[xp.asarray(own)][:, xp.asarray(first)], envs
