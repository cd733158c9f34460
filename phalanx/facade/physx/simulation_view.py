"""What makes tensor views of a world, by names or, with somebody who knows them, by paths of prims."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from phalanx import components as c
from phalanx.facade.arrays import accept
from phalanx.facade.physx.articulation_view import ArticulationView
from phalanx.facade.physx.contact_view import RigidContactView
from phalanx.facade.physx.particle_cloth_view import ParticleClothView
from phalanx.facade.physx.rigid_body_view import RigidBodyView
from phalanx.facade.physx.soft_body_view import SoftBodyMaterialView, SoftBodyView
from phalanx.io.formats.usd.deformables import DeformableModel
from phalanx.world.world import World


class Place(Protocol):
    """Where a prim's body is."""

    @property
    def actor(self) -> str:
        """Name of the actor."""
        ...

    @property
    def body(self) -> str:
        """Name of the body in it."""
        ...

    @property
    def env(self) -> int | None:
        """Its environment; ``None`` if it is in all of them."""
        ...


Resolve = Callable[[str], Iterable[tuple[str, Place]]]
"""From a path, or a pattern of paths, to the paths of bodies that match and where those are, in the order of rows."""

ResolveSoft = Callable[[str, bool], Iterable[tuple[str, tuple[str, int], str | None]]]
"""From a pattern of paths of deformable bodies, or of materials, to paths, names and environments, and materials."""

ResolveCloth = Callable[[str], Iterable[tuple[str, tuple[str, int], DeformableModel]]]
"""From a pattern of paths of cloth to paths, names and environments, and what was read of the stage."""


class SimulationView:
    """Makes tensor views.

    Args:
        world: the engine's world.
        resolve: finds bodies by paths; without it, views are made from the engine's own handles by their classes.
        origins: (num_envs, 3), m: where the environments' origins are in the world; zero by default.
        resolve_soft: the same of deformable bodies, or of their materials.
        resolve_cloth: the same of cloth.
        damping_scale: what damping of a deformable material is scaled by, from its path; 1 by default.
    """

    def __init__(
        self,
        world: World,
        resolve: Resolve | None = None,
        origins: Any = None,
        resolve_soft: ResolveSoft | None = None,
        resolve_cloth: ResolveCloth | None = None,
        damping_scale: Callable[[str], float] | None = None,
    ) -> None:
        self.world, self._resolve, self._origins = world, resolve, origins
        self._resolve_soft, self._resolve_cloth = resolve_soft, resolve_cloth
        self._damping_scale = damping_scale
        self._ended = False

    @property
    def is_valid(self) -> bool:
        """Whether the world of the views is the one that is simulated."""
        return not self._ended

    def end(self) -> None:
        """Say that another world is simulated from now on."""
        self._ended = True

    @property
    def device_ordinal(self) -> int:
        """Number of the GPU, -1 for the CPU."""
        return int(self.world.device.partition(":")[2] or 0) if self.world.device != "cpu" else -1

    def check(self) -> bool:
        """Whether views can be used: see :attr:`is_valid`."""
        return self.is_valid

    def get_gravity(self) -> tuple[float, float, float]:
        """Gravity, m/s^2, of the first environment."""
        x, y, z = self.world.engine.device.to_host(self.world[c.Settings].gravity)[0, :, 0].tolist()
        return x, y, z

    def set_gravity(self, gravity: Any) -> None:
        """Set gravity, three numbers, m/s^2, in all environments."""
        values = np.asarray([*accept(list(gravity))], float)
        if values.shape != (3,) or not np.isfinite(values).all():
            raise ValueError(f"gravity must be three finite numbers, m/s^2; got {gravity!r}")
        self.world[c.Settings].gravity = values[None, :, None]

    def update_articulations_kinematic(self) -> None:
        """Make poses of links agree with coordinates that were written; views do it themselves when they are read."""
        self.world.build()
        self.world.engine.refresh()

    # -- views -----------------------------------------------------------------------------------------------

    def create_rigid_body_view(self, pattern: str | Sequence[str]) -> RigidBodyView:
        """View of the bodies whose paths match, in the order of patterns."""
        found = self._find("create_rigid_body_view", pattern)
        bodies = [((place.actor, place.body), place.env or 0) for _, place in found]
        return RigidBodyView(self.world, bodies, [path for path, _ in found], self._origins)

    def create_articulation_view(self, pattern: str | Sequence[str]) -> ArticulationView:
        """View of the articulations one of whose bodies has a path that matches."""
        found = self._find("create_articulation_view", pattern)
        robots: dict[tuple[str, int], str] = {}
        for path, place in found:
            robots.setdefault((place.actor, place.env or 0), path)
        return ArticulationView(self.world, list(robots), list(robots.values()), origins=self._origins)

    def create_rigid_contact_view(
        self,
        pattern: str | Sequence[str],
        filter_patterns: Sequence[Any] = (),
        max_contact_data_count: int = 0,
    ) -> RigidContactView:
        """View of contacts of the bodies whose paths match with those that filters match.

        Args:
            pattern: of sensors.
            filter_patterns: paths or patterns, the same for all sensors, or for each pattern of sensors a list of them.
                Each matches a body for each sensor, or some that all of them have.
            max_contact_data_count: contacts that are reported one by one; 0: enough for all.
        """
        patterns = [pattern] if isinstance(pattern, str) else list(pattern)
        found = self._find("create_rigid_contact_view", patterns)
        lists: list[list[str]] = (
            [list(each) for each in filter_patterns]
            if filter_patterns and not isinstance(filter_patterns[0], str)
            else [list(filter_patterns)]
        )
        if any(each != lists[0] for each in lists) and len(patterns) != len(lists):
            raise ValueError(f"there are {len(lists)} lists of filters for {len(patterns)} patterns of sensors")
        if any(each != lists[0] for each in lists):
            raise NotImplementedError(
                "create_rigid_contact_view: filters that differ between patterns of sensors; make a view for each"
            )
        filters, paths = [], [[] for _ in found]
        columns = list(dict.fromkeys((place.actor, place.body) for _, place in found))
        for wanted in lists[0]:
            others = self._find("create_rigid_contact_view: filter_patterns", wanted)
            filters.append(self._filter(wanted, found, others, columns))
            for own, (path, _) in zip(paths, others if len(others) == len(found) else [], strict=False):
                own.append(path)
        return RigidContactView(
            self.world,
            [((place.actor, place.body), place.env or 0) for _, place in found],
            filters,
            max_contact_data_count,
            [path for path, _ in found],
            paths if all(len(own) == len(filters) for own in paths) else None,
            self._origins,
        )

    def _filter(self, pattern: str, found: Any, others: Any, columns: list[tuple[str, str]]) -> Any:
        """A filter for :class:`RigidContactView` from what its pattern matches."""
        bodies = list(dict.fromkeys((place.actor, place.body) for _, place in others))
        if len(bodies) == 1:
            return bodies[0]
        if len(others) != len(found) or len({place.env for _, place in found}) > 1:
            return bodies
        each: dict[tuple[str, str], tuple[str, str]] = {}
        for (_, sensor), (_, other) in zip(
            found, others, strict=True
        ):  # clones in one environment: one for each sensor
            each[sensor.actor, sensor.body] = (other.actor, other.body)
        return "each", [each[column] for column in columns]

    def _find(self, what: str, patterns: str | Sequence[str]) -> list[tuple[str, Place]]:
        if self._resolve is None:
            raise NotImplementedError(
                f"SimulationView.{what}: paths of prims; this world is not made from a stage: make views of its "
                "actors by the classes of phalanx.facade.physx"
            )
        listed = [patterns] if isinstance(patterns, str) else list(patterns)
        found = [each for pattern in listed for each in self._resolve(pattern)]
        if not found:
            raise ValueError(f"{what}: nothing matches {', '.join(map(repr, listed))}")
        return found

    def create_soft_body_view(self, pattern: str | Sequence[str]) -> SoftBodyView:
        """View of the deformable bodies whose prims' paths match, in the order of patterns."""
        found = self._find_soft("create_soft_body_view", pattern)
        return SoftBodyView(self.world, [row for _, row, _ in found], [path for path, _, _ in found], self._origins)

    def create_soft_body_material_view(self, pattern: str | Sequence[str]) -> SoftBodyMaterialView:
        """View of the deformable materials whose paths match and that deformable bodies have."""
        users: dict[str, list[tuple[str, int]]] = {}
        for path, row, material in self._find_soft("create_soft_body_material_view", pattern, materials=True):
            users.setdefault(material or path, []).append(row)
        scales = [1.0 if self._damping_scale is None else self._damping_scale(material) for material in users]
        return SoftBodyMaterialView(self.world, list(users.values()), scales)

    def _find_soft(
        self, what: str, pattern: str | Sequence[str], materials: bool = False
    ) -> list[tuple[str, tuple[str, int], str | None]]:
        """Paths of deformable bodies, name and environment, and path of the material."""
        if self._resolve_soft is None:
            raise NotImplementedError(
                f"SimulationView.{what}: paths of prims; this world is not made from a stage: make views of its "
                "actors by the classes of phalanx.facade.physx"
            )
        listed = [pattern] if isinstance(pattern, str) else list(pattern)
        found = [each for one in listed for each in self._resolve_soft(one, materials)]
        if not found:
            raise ValueError(f"{what}: nothing matches {', '.join(map(repr, listed))}")
        return found

    def create_particle_cloth_view(self, pattern: str | Sequence[str]) -> ParticleClothView:
        """View of the cloths whose prims' paths match, in the order of patterns."""
        listed = [pattern] if isinstance(pattern, str) else list(pattern)
        if self._resolve_cloth is None:
            raise NotImplementedError(
                "SimulationView.create_particle_cloth_view: paths of prims; this world is not made from a stage: make "
                "views by the classes of phalanx.facade.physx"
            )
        found = [each for one in listed for each in self._resolve_cloth(one)]
        if not found:
            raise ValueError(f"create_particle_cloth_view: nothing matches {', '.join(map(repr, listed))}")
        nodes = [model.node_of for _, _, model in found if model.node_of is not None]
        return ParticleClothView(self.world, [row for _, row, _ in found], nodes, self._origins)

    def create_particle_system_view(self, pattern: str) -> Any:
        """Not built."""
        raise NotImplementedError(
            "SimulationView.create_particle_system_view: the engine has no particles of PhysX; use "
            "deformable bodies and create_soft_body_view()"
        )

    def create_sdf_shape_view(self, pattern: str, num_points: int) -> Any:
        """Not built."""
        raise NotImplementedError(
            "SimulationView.create_sdf_shape_view: the engine hands out no distance fields; use "
            "World.queries for distances and contacts"
        )
