"""Contact forces on rigid bodies, and of others on them."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from phalanx.facade import physics_events, simulation
from phalanx.facade import stage as stages
from phalanx.facade.backends import Backend
from phalanx.facade.expressions import as_regex, matching_prims
from phalanx.facade.isaacsim.core.api.materials.accessors import write
from phalanx.facade.isaacsim.core.api.sensors.contact_columns import Sensors
from phalanx.facade.physics_events import Event
from phalanx.io.formats.usd.bindings import UsdPhysics

log = logging.getLogger("phalanx.facade")


class RigidContactView:
    """Contacts of the prims that expressions match, the sensors, with those that others match, the filters.

    What it reads are impulses, N s, or forces, N, if the length of a step is passed as ``dt``. It works while a
    simulation runs that began after it was made; else there is a warning, and ``None``.

    Args:
        prim_paths_expr: an expression for paths of sensors, or several in a list: rigid bodies, colliders that are
            part of one, static colliders and grounds.
        filter_paths_expr: expressions for filters, for all sensors, or for each expression of sensors a list of them.
            Where one matches as many prims as there are sensors, each sensor has its own.
        name: what it is called.
        prepare_contact_sensors: whether sensors get the schema by which PhysX reports contacts, and never sleep.
        disable_stablization: no meaning: contacts of bodies that are damped are reported, too.
        max_contact_count: contacts that are reported one by one; 0: enough for all.
    """

    def __init__(
        self,
        prim_paths_expr: str | Sequence[str],
        filter_paths_expr: Sequence[Any],
        name: str = "rigid_contact_view",
        prepare_contact_sensors: bool = True,
        disable_stablization: bool = True,
        max_contact_count: int = 0,
    ) -> None:
        self._name, self._most = name, int(max_contact_count)
        self._expressions = [prim_paths_expr] if isinstance(prim_paths_expr, str) else list(prim_paths_expr)
        given = list(filter_paths_expr or [])
        if given and not isinstance(given[0], str):
            if len(given) != len(self._expressions):
                raise ValueError(
                    f"there are {len(given)} lists of filters for {len(self._expressions)} expressions of sensors"
                )
            self._filters = [list(each) for each in given]
        else:
            self._filters = [given] * len(self._expressions)
        self._sensors: Sensors | None = None
        self._backend = simulation.arrays()
        self._count = 0
        if prepare_contact_sensors:
            self._prepare()
        self._listeners = [
            physics_events.Subscription(Event.STOP, self._on_stop),
            *(
                physics_events.Subscription(Event.PLAY, self._on_play, order=20, pattern=as_regex(expression))
                for expression in self._expressions
            ),
        ]
        if simulation.stage_world() is not None:
            self.initialize()

    def __del__(self) -> None:
        for one in getattr(self, "_listeners", ()):
            one.cancel()

    def _prepare(self) -> None:
        stage = stages.get_stage()
        for expression in self._expressions:
            for prim in matching_prims(stage, expression):
                prim.AddAppliedSchema("PhysxContactReportAPI")
                write(prim, "physxContactReport:threshold", "Float", 0.0)
                if prim.HasAPI(UsdPhysics.RigidBodyAPI):
                    write(prim, "physxRigidBody:sleepThreshold", "Float", 0.0)

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """What it is called."""
        return self._name

    @property
    def num_shapes(self) -> int:
        """Number of sensors; 0 before the simulation has begun."""
        return self._count

    @property
    def num_filters(self) -> int:
        """Filters of each sensor."""
        return len(self._filters[0]) if self._sensors is None else self._sensors.filters

    def is_valid(self) -> bool:
        """Whether there are prims for its sensors."""
        stage = stages.process_stage()
        return stage is not None and all(matching_prims(stage, each) for each in self._expressions)

    def is_physics_handle_valid(self) -> bool:
        """Whether a simulation runs that it knows of."""
        return self._sensors is not None and simulation.stage_world() is not None

    # -- what happens ----------------------------------------------------------------------------------------

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Look up the bodies of the simulation that runs; it does so by itself when one begins.

        Raises:
            ValueError: an expression stands for nothing that is simulated.
        """
        world = simulation.stage_world()
        if world is None or world.is_empty:
            return
        self._backend: Backend = simulation.arrays()
        self._sensors = Sensors(world, list(zip(self._expressions, self._filters, strict=True)), self._most)
        self._count = self._sensors.count

    def post_reset(self) -> None:
        """Nothing: it has no state."""

    def _on_play(self) -> None:
        if self._sensors is None and self.is_valid():
            self.initialize()

    def _on_stop(self) -> None:
        self._sensors = None

    # -- reading ---------------------------------------------------------------------------------------------

    def get_net_contact_forces(self, indices: Any = None, clone: bool = True, dt: float = 1.0) -> Any:
        """(M, 3): sums of the normal forces on sensors, whatever they come from, in the world's axes."""
        return self._some("get_net_contact_forces", "net_forces", indices, dt)

    def get_contact_force_matrix(self, indices: Any = None, clone: bool = True, dt: float = 1.0) -> Any:
        """(M, num_filters, 3): sums of the normal forces of each filter on sensors, in the world's axes."""
        return self._some("get_contact_force_matrix", "matrix", indices, dt)

    def get_contact_force_data(self, indices: Any = None, clone: bool = True, dt: float = 1.0) -> Any:
        """Contacts one by one, those of a sensor and a filter behind each other.

        Returns:
            Normal forces (max_contact_count, 1); points (max_contact_count, 3), in the world; normals
            (max_contact_count, 3), from filter to sensor; distances (max_contact_count, 1), negative where surfaces
            overlap; numbers of contacts (M, num_filters), and the rows of the first, likewise. Indices choose among the
            last two.
        """
        return self._listed("get_contact_force_data", "data", indices, dt)

    def get_friction_data(self, indices: Any = None, clone: bool = True, dt: float = 1.0) -> Any:
        """Friction one by one: tangential forces (max_contact_count, 3), in the world's axes, where they act, numbers
        and first rows as of :meth:`get_contact_force_data`.
        """
        return self._listed("get_friction_data", "friction", indices, dt)

    def _ready(self, what: str) -> bool:
        if not self.is_physics_handle_valid():
            log.warning("%s: there is no simulation yet: call initialize() of %r while one runs", what, self._name)
            return False
        return True

    def _some(self, what: str, read: str, indices: Any, dt: float) -> Any:
        if not self._ready(what):
            return None
        rows, found = self._backend.rows(indices, self._count), getattr(self._sensors, read)(dt)
        return self._backend.give(found if rows is None else found[rows])

    def _listed(self, what: str, read: str, indices: Any, dt: float) -> Any:
        if not self._ready(what):
            return None
        if not self.num_filters:
            log.warning("%s: contacts are listed by filters; pass filter_paths_expr to %r", what, self._name)
            return None
        rows = self._backend.rows(indices, self._count)
        *flat, counts, starts = getattr(self._sensors, read)(dt)
        some = (counts, starts) if rows is None else (counts[rows], starts[rows])
        return tuple(self._backend.give(array) for array in (*flat, *some))


__all__ = ["RigidContactView"]
