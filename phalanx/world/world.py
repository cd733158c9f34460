"""A world: many environments with the same robots, stepped together."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.ecs import Component, Field, Table
from phalanx.ecs.errors import CapacityError
from phalanx.ecs.store import View
from phalanx.world import checking, memory, saving, settings
from phalanx.world.checking import positive_int, shorten
from phalanx.world.engine import optional_systems
from phalanx.world.engine.engine import Engine
from phalanx.world.handles.robot import Robot
from phalanx.world.layout.fill import grow_slots
from phalanx.world.queries.scene_queries import SceneQueries
from phalanx.world.saving import STATE_ROLES
from phalanx.world.simulation_warning import SimulationWarning
from phalanx.world.usd_scenes import UsdScenes

_SLOTS = {
    c.Status.contacts_dropped: ("contacts", c.Contact),
    c.Status.candidates_dropped: ("pairs of near shapes", c.Candidate),
}
"""What did not fit, by the flag that counts it, and the table that has too few rows then."""


class World(UsdScenes):
    """Robots in ``num_envs`` environments on one device.

    Args:
        num_envs: number of environments, at least 1.
        device: ``"cpu"``, ``"cuda:N"``, ``"cuda"`` or ``"gpu"`` (the first GPU), or ``"auto"`` (the first GPU, else the
            CPU).
        dtype: ``"float32"``, or ``"float64"`` for validation.
        dt: length of a step, s.
        gravity: m/s^2, world frame.
        substeps: a step is so many equal substeps.
        position_iterations: solver sweeps per substep that move bodies and push them apart; more if an actor asks.
        velocity_iterations: solver sweeps per substep after those, which leave no push-out velocity behind; likewise.
        solver: ``"tgs"``, temporal Gauss-Seidel: each position sweep stands for a part of the substep and moves what
            there is by that part; or ``"pgs"``, projected Gauss-Seidel: each stands for all of it, and bodies move
            once, after the last. With one position sweep they are the same; stacks need TGS.
        max_contacts: contact slots per environment; by default a number that grows, with a warning, if it was low.
        max_memory: bytes for the slots of contacts, and of pairs of shapes that are near each other, in all
            environments. What needs more is a :class:`phalanx.CapacityError`, from :meth:`step`. By default these slots
            may take half of what is free when they grow, on a GPU of its own memory.
        when_full: what becomes of contacts for which ``max_memory`` or ``max_contacts`` has no room. ``"error"``: a
            :class:`phalanx.CapacityError`; but a given ``max_contacts`` keeps the first, with a warning.
            ``"nearest"``, which needs one of the two: pairs whose bounds overlap most, and of their contacts those
            that are nearest or deepest, with a warning. All slots are there from the start: as many as
            ``max_memory`` holds, or ``max_contacts`` of contacts and of pairs in each environment, whose results
            then do not depend on how many others there are.
        contact_offset: contacts are looked for below the sum of two shapes' offsets, this for each, 0 for grounds, m.
        max_depenetration_velocity: cap on how fast penetration is pushed out, m/s; actors may have their own.
        bounce_threshold: impacts slower than this do not bounce, m/s.
        deformable_steps: small steps that a substep is cut into for deformable bodies; by default 8, or more where
            grains lie so deep that their weight would press them together (docs/guide.md).
        deformable_sweeps: sweeps over the nodes of deformable bodies in each small step. More small steps do more for
            their dynamics than more sweeps; where they come to rest depends on neither.
        speculative: also keep apart what would meet within a step, so that nothing fast passes through thin walls.

    Everything that users see is environment-first, relative to each environment's own origin, in SI units.
    """

    def __init__(
        self,
        num_envs: int = 1,
        device: str = "cpu",
        dtype: str = "float32",
        dt: float = 0.005,
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        substeps: int = 1,
        *,
        position_iterations: int = 4,
        velocity_iterations: int = 1,
        max_contacts: int | None = None,
        max_memory: int | None = None,
        when_full: str = "error",
        contact_offset: float = 0.02,
        max_depenetration_velocity: float = 3.0,
        bounce_threshold: float = 0.2,
        speculative: bool = True,
        solver: str = "tgs",
        deformable_steps: int | None = None,
        deformable_sweeps: int = 2,
    ) -> None:
        positive_int("num_envs", num_envs)
        checking.whole("substeps", substeps, 1, checking.MOST_ITERATIONS)
        if dtype not in ("float32", "float64"):
            raise ValueError(f'dtype {dtype!r}: must be "float32" or "float64"')
        seconds = settings.timestep(dt, int(substeps), dtype)
        name = _auto() if device == "auto" else device
        self._gravity = settings.gravity(gravity, dtype)
        self._settings = settings.solver(
            dtype,
            position_iterations=position_iterations,
            velocity_iterations=velocity_iterations,
            max_contacts=max_contacts,
            max_memory=max_memory,
            when_full=when_full,
            contact_offset=contact_offset,
            max_depenetration_velocity=max_depenetration_velocity,
            bounce_threshold=bounce_threshold,
            speculative=speculative,
            solver=solver,
            deformable_steps=deformable_steps,
            deformable_sweeps=deformable_sweeps,
        )
        super().__init__(Engine(self, int(num_envs), name, dtype, seconds, int(substeps)))
        if when_full != "nearest":
            contacts = [] if max_contacts is not None else [c.Status.contacts_dropped]
            self.engine.growing = (c.Status.candidates_dropped, *contacts)
        self._reported: set[int] = set()
        self._overfull: set[int] = set()
        self._crowded: set[tuple[str, int]] = set()
        """Tables and environments of which it was told that slots are too few."""
        self._told: list[str] = []
        """What :meth:`check` is to warn of."""

    # -- what is in the world --------------------------------------------------------------------------------

    def __getitem__(self, component: type[Component]) -> View:
        """Live arrays of a component: ``world[Component].field``, (rows, *item, num_envs), or 1 if shared.

        Assign whole fields, ``world[LinkInertia].mass = values``, and the world knows; values for each environment make
        a shared field differ between them. After writing into an array in place call :meth:`touch_state`.
        """
        self.build()
        return self.engine.store[component]

    def live(self, field: Field) -> Any:
        """The live array of a field, as ``world[Component].field``: (rows, *item, num_envs), or 1 if shared."""
        self.build()
        with self.engine.store.active():
            return self.engine.store.view(field)

    @property
    def arrays_version(self) -> int:
        """Grows whenever live arrays are replaced by others, as when contacts get more room; then get them anew."""
        return self.engine.store.version

    @cached_property
    def queries(self) -> SceneQueries:
        """Rays, overlaps, sweeps and penetration: see :mod:`phalanx.world.queries.scene_queries`."""
        return SceneQueries(self.engine, self.actors, self._grounds)

    # -- problems --------------------------------------------------------------------------------------------

    @property
    def diverged(self) -> np.ndarray:
        """Indices, (k,), of environments that were frozen because their state was not finite; reset() revives them."""
        return np.flatnonzero(self.engine.device.to_host(self[c.Status].diverged)[0])

    @property
    def overfull(self) -> np.ndarray:
        """Indices, (k,), of environments in which contacts had no room and were left out since they were last reset."""
        return np.array(sorted(self._overfull), np.int64)

    def check(self) -> None:
        """Warn, once each, of environments that diverged and of contacts for which slots or views had no room."""
        diverged = [int(i) for i in self.diverged if int(i) not in self._reported]
        if diverged:
            self._reported.update(diverged)
            warnings.warn(
                f"{len(diverged)} of {self.num_envs} environments diverged before step {self.step_count} and are "
                f"frozen: {shorten(diverged)}; use a smaller dt or softer explicit gains, and reset(env_ids) to go on",
                SimulationWarning,
                stacklevel=5,
            )
        for told in self._told:
            warnings.warn(told, SimulationWarning, stacklevel=5)
        self._told.clear()
        left_out = []
        for flag, (what, table) in _SLOTS.items():
            dropped = self.engine.device.to_host(getattr(self[c.Status], flag.name))[0]
            if dropped.any():
                setattr(self[c.Status], flag.name, [[0]])  # all of them, before one is raised: each is told once
                left_out.append((what, table, dropped))
                self._overfull.update(np.flatnonzero(dropped).tolist())
        for what, table, dropped in left_out:
            if self._settings["when_full"] == "nearest":
                self._tell_of_nearest(what, table, dropped)
            else:
                warnings.warn(self._too_many(what, table, dropped), SimulationWarning, stacklevel=5)
        if self.particles and (self[c.ParticleSettings].crowded != 0).any():
            envs = np.flatnonzero(self.engine.device.to_host(self[c.ParticleSettings].crowded)[0]).tolist()
            self[c.ParticleSettings].crowded = [[0]]
            slots = int(self.engine.device.to_host(self[c.ParticleSettings].slots)[0, 0])
            warnings.warn(
                f"particles in environments {shorten(envs)} had more than {slots} others near them, and do not feel "
                "the rest: they overlap; start them farther apart, make radius smaller, or use smaller steps",
                SimulationWarning,
                stacklevel=5,
            )
        for view in self.contact_views if self.engine.device.is_cuda else ():  # elsewhere they look themselves
            view.check()

    def _tell_of_nearest(self, what: str, table: Table, dropped: np.ndarray) -> None:
        """Warn, once for each environment until it is reset, that not all was kept."""
        envs = [env for env in np.flatnonzero(dropped).tolist() if (table.name, env) not in self._crowded]
        self._crowded.update((table.name, env) for env in envs)
        if envs:
            slots = self.engine.store.rows(table)
            warnings.warn(
                f"{what} did not fit into {slots} slots in environments {shorten(envs)}: there were up to "
                f"{slots + int(dropped[envs].max())}, and the nearest {slots} are kept; move the shapes apart, make "
                "fewer environments, or raise max_memory or max_contacts of World",
                SimulationWarning,
                stacklevel=6,
            )

    def make_room(self, stopped: np.ndarray) -> bool:
        """Make room for contacts and pairs of near shapes that some environments stopped for, on a CPU.

        Args:
            stopped: (num_envs,) booleans, which of them.

        Returns:
            whether there is some now. If not, flags stay, and :meth:`check` says why.
        """
        fits = True
        for flag in self.engine.growing:
            dropped = self.engine.store.view(flag)[0]
            if dropped.any():
                try:
                    self._told.append(self._too_many(*_SLOTS[flag], dropped))
                    dropped[:] = 0
                except CapacityError:
                    fits = False
        self.engine.store.view(c.ContactCount.current)[:, stopped] = 0  # as where the list of contacts is begun
        return fits

    def _too_many(self, what: str, table: Table, dropped: np.ndarray) -> str:
        """Make room for what did not fit, unless the user has set a limit; returns a sentence that says so.

        Raises:
            CapacityError: that would take more memory than there may be.
        """
        slots, missing = self.engine.store.rows(table), int(dropped.max())
        envs = shorten(np.flatnonzero(dropped).tolist())
        remedy = f"pass max_contacts={slots + missing} or more to World"
        if table is c.Candidate or self._settings["max_contacts"] is None:
            room = memory.room_for(self.engine.store, table, slots + missing, self._settings["max_memory"])
            if not room:
                raise memory.too_many(what, self.engine.store, table, dropped, envs, self._settings["max_memory"])
            grow_slots(self.engine.store, table, room)
            remedy = f"there are {self.engine.store.rows(table)} from now on"
            if self.engine.device.is_cuda:
                remedy += "; what did not fit was not felt until now"
        return f"{what} did not fit into {slots} slots in environments {envs}; {remedy}"

    # -- state -----------------------------------------------------------------------------------------------

    def reset(self, env_ids: Any = None) -> None:
        """Put environments (all by default) back into the robots' default state, with default targets."""
        self.build()
        envs = None if env_ids is None else self.env_indices(env_ids)
        with self.lock:
            self._write_defaults(envs)
        if envs is None:
            self._reported.clear()
            self._overfull.clear()
            self._crowded.clear()
        else:
            self._reported -= set(envs.tolist())
            self._overfull -= set(envs.tolist())
            self._crowded = {(name, env) for name, env in self._crowded if env not in set(envs.tolist())}

    def forgotten_fields(self) -> list[Field]:
        """Fields of the state that a reset sets to 0: velocities, what the solver remembers, and flags."""
        self.build()
        remembered = (
            *c.DofRow.fields(),
            *c.ContactImpulse.fields(),
            *c.ContactPoint.fields(),
            *c.MimicConstraint.fields(),
        )
        fields = [f for f in remembered if f.role == "state"]
        fields += [c.DofState.velocity, c.DofState.acceleration, c.Status.diverged, c.ContactCount.current]
        fields += [*c.ExternalWrench.fields(), c.DriveTarget.velocity, c.DriveTarget.effort]
        fields += [c.DriveEffort.applied]
        if self.joints:
            fields += c.LoopState.fields()
        if self._limited_joints:
            fields += c.LoopLimitState.fields()
        if self._has_tendons:
            fields.append(c.TendonState.impulse)
        if optional_systems.TORSION in self.engine.features:
            fields += [c.ContactSpin.value, c.ContactSpin.last]
        if optional_systems.SLEEP in self.engine.features:
            fields += [c.TreeSleep.asleep, c.TreeSleep.quiet, c.ContactTouch.touching]
        if self.all_deformables:
            fields += [c.NodeContactState.load, c.NodeContactState.spot, c.NodeContactState.slides]
            fields += [c.NodeContactState.impulse, c.DeformableSettings.done, c.CoupledLinkMotion.impulse]
            fields += [c.CoupledLinkMotion.pulse, c.ParticlePress.rub]
            fields += [c.ParticleNearCount.kept, c.ParticleFluid.pressure, c.ParticleSpin.value]
        return fields

    def _write_defaults(self, envs: np.ndarray | None) -> None:
        store = self.engine.store
        fields = self.forgotten_fields()
        with store.active():
            chosen = slice(None) if envs is None else self.engine.device.xp.asarray(envs)
            for field in fields:
                store.view(field)[..., chosen] = 0
            if self.all_deformables:
                store.view(c.NodeContactState.pair)[..., chosen] = -1
                store.view(c.NodeContactState.face)[..., chosen] = -1
        for actor in (*self.actors.values(), *self.all_deformables.values(), *self.attachments):
            actor.write_defaults(envs)
        self.engine.touch_state()
        self.engine.touch_inputs()

    def state(self) -> dict[str, np.ndarray]:
        """All that is needed to continue exactly, as host copies by ``Component.field``."""
        self.build()
        with self.lock:
            found = self.engine.store.snapshot(STATE_ROLES)
        found["step_count"] = np.array(self.step_count)
        return found

    def set_state(self, state: dict[str, np.ndarray]) -> None:
        """Continue from what :meth:`state` returned.

        Raises:
            ValueError: it is of another world, or no state; nothing is changed then.
        """
        self.build()
        if not isinstance(state, Mapping):
            raise ValueError(f"state: arrays by the names of their fields are needed, not {type(state).__name__}")
        rest = dict(state)
        steps = rest.pop("step_count", None)
        if steps is not None:
            steps = checking.whole("step_count", np.asarray(steps).tolist(), 0)
        self.engine.store.check_numbers(rest)
        with self.lock:
            self.engine.store.restore(saving.fit_slots(self, rest))
        if steps is not None:
            self.engine.step_count = int(steps)
        self._overfull.clear()
        self._reported.clear()
        self.engine.touch_state()
        self.engine.touch_inputs()

    def inputs(self) -> dict[str, np.ndarray]:
        """Targets, gains and external wrenches, as host copies by ``Component.field``."""
        self.build()
        return self.engine.store.snapshot(("input",))

    def set_inputs(self, inputs: dict[str, np.ndarray]) -> None:
        """Write back what :meth:`inputs` returned.

        Raises:
            ValueError: they are of another world, or no inputs; nothing is changed then.
        """
        self.build()
        with self.lock:
            self.engine.store.restore(inputs)
        self.engine.touch_inputs()

    # -- saving ----------------------------------------------------------------------------------------------

    def describe(self) -> dict[str, Any]:
        """Settings and all that is in the world, JSON-ready; :meth:`from_description` makes the same world of it."""
        return saving.describe(self)

    @classmethod
    def from_description(
        cls, description: dict[str, Any], num_envs: int | None = None, device: str | None = None
    ) -> World:
        """An unbuilt world like the one described; systems of your own must be added again before it is built."""
        return saving.from_description(cls, description, num_envs, device)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the world with its exact state to one file (``.npz``); nothing is left if it fails."""
        saving.save(self, path)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        device: str | None = None,
        prepare: Callable[[World], object] | None = None,
    ) -> World:
        """Read a world that :meth:`save` wrote and continue where it was.

        Args:
            device: another one than it was saved on.
            prepare: called with the unbuilt world, to add the rows and systems of its own that it had.

        Raises:
            LoadError: not such a file.
        """
        return saving.load(cls, path, device, prepare)

    def __repr__(self) -> str:
        kinds = {
            "robots": self.robots,
            "objects": [name for name in self.objects if name not in self._collected],
            "collections": self.collections,
            "soft bodies": self.deformables,
            "cloths": self.cloths,
            "ropes": self.ropes,
            "joints": self.joints,
        }
        inside = "; ".join(f"{kind} {shorten([*names])}" for kind, names in kinds.items() if names)
        return (
            f"<World of {self.num_envs} environments on {self.device}, {self.dtype}, steps of {self.dt:g} s, "
            f"t = {self.time:.6g} s: {inside or 'nothing in it'}>"
        )

    @property
    def _collected(self) -> set[str]:
        """Names of objects that are in a collection."""
        return {name for collection in self.collections.values() for name in collection.object_names}

    def __iter__(self) -> Iterator[Robot]:
        return iter(self.robots.values())


def _auto() -> str:
    from phalanx.ecs.device import cuda_available

    return "cuda:0" if cuda_available() else "cpu"
