"""A world: many environments with the same robots, stepped together."""

from __future__ import annotations

import contextlib
import copy
import json
import math
import os
import signal
import threading
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.ecs import Component, Device, Field, Schedule, Store, System, Table, trace
from phalanx.ecs.store import DeviceError, View
from phalanx.io.articulation import flatten
from phalanx.io.model import LoadError, RobotModel
from phalanx.layout import fill
from phalanx.part import Ground, Material, Part
from phalanx.robot import Robot
from phalanx.systems import QUERIES, REFRESH, STEP, SUBSTEP, systems

FORMAT = 1
"""Version of saved worlds and descriptions."""

STATE_ROLES = ("state", "input", "parameter")
"""Roles of the fields that continue a simulation."""

DEFAULT_FRICTION = 0.8
RESPONSIVE = 0.2  # seconds between chances to interrupt a long step() on the CPU
CHECK_EVERY = 256  # steps between looks at the flags on CUDA, where each costs a wait


class SimulationWarning(UserWarning):
    """Something in a running simulation needs attention; the message says what to do."""


class World:
    """Robots in ``num_envs`` environments on one device.

    Args:
        num_envs: number of environments, at least 1.
        device: ``"cpu"``, ``"cuda:N"``, or ``"auto"`` (the first GPU, else the CPU).
        dtype: ``"float32"``, or ``"float64"`` for validation.
        dt: length of a step, s.
        gravity: m/s^2, world frame.
        substeps: a step is so many equal substeps.
        position_iterations: solver sweeps per substep that move bodies and push them apart.
        velocity_iterations: solver sweeps per substep after those, which leave no push-out velocity behind.
        max_contacts: contact slots per environment; as many as can occur, but at most 48, by default.
        contact_offset: contacts are looked for below this distance, m.
        max_depenetration_velocity: cap on how fast penetration is pushed out, m/s.
        bounce_threshold: impacts slower than this do not bounce, m/s.

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
        contact_offset: float = 0.02,
        max_depenetration_velocity: float = 3.0,
        bounce_threshold: float = 0.2,
    ) -> None:
        _positive_int("num_envs", num_envs)
        _positive_int("substeps", substeps)
        _positive_int("position_iterations", position_iterations)
        if velocity_iterations < 0 or (max_contacts is not None and max_contacts < 0):
            raise ValueError("velocity_iterations and max_contacts cannot be negative")
        if dtype not in ("float32", "float64"):
            raise ValueError(f'dtype {dtype!r}: must be "float32" or "float64"')
        if not (math.isfinite(dt) and dt > 0):
            raise ValueError(f"dt={dt}: the step must be a positive number of seconds")
        if np.shape(gravity) != (3,) or not all(map(math.isfinite, gravity)):
            raise ValueError(f"gravity={gravity!r}: must be three finite numbers, m/s^2")
        self.num_envs, self.dtype, self.dt, self.substeps = int(num_envs), dtype, float(dt), int(substeps)
        self.gravity = tuple(float(g) for g in gravity)
        self._settings = {
            "position_iterations": position_iterations,
            "velocity_iterations": velocity_iterations,
            "max_contacts": max_contacts,
            "contact_offset": contact_offset,
            "max_depenetration_velocity": max_depenetration_velocity,
            "bounce_threshold": bounce_threshold,
        }
        self._device = Device(_auto() if device == "auto" else device)
        self._store = Store(self.num_envs, self._device, dtype)
        self._store.on_set = self._field_set
        self._grounds: list[Ground] = []
        self._placements: list[dict[str, Any]] = []
        self._tables: dict[Table, int] = {}
        self._extra_systems: list[System] = []
        self._programs: dict[tuple[str, ...], Any] = {}
        self._programs_version = -1
        self._before: list[Callable[[World], None]] = []
        self._after: list[tuple[Callable[[World], None], int]] = []
        self._stale = True  # link poses and velocities do not agree with the coordinates
        self._seconds_per_step = 0.0
        self._reported: set[int] = set()
        self.robots: dict[str, Robot] = {}
        self.schedule = Schedule((*STEP, *QUERIES))
        self.built = False
        self.step_count = 0
        self.input_revision = 0
        self.state_revision = 0

    # -- what is in the world --------------------------------------------------------------------------------

    @property
    def device(self) -> str:
        """``"cpu"`` or ``"cuda:N"``."""
        return self._device.name

    def add_ground(
        self,
        height: float = 0.0,
        normal: Sequence[float] = (0.0, 0.0, 1.0),
        *,
        friction: float | None = None,
        static_friction: float = DEFAULT_FRICTION,
        dynamic_friction: float = DEFAULT_FRICTION,
        restitution: float = 0.0,
    ) -> None:
        """Add a static plane in every environment, through (0, 0, height); ``friction`` sets both coefficients.

        Of a vertical plane, ``height`` is the distance from the origin along the normal. Coefficients of the two
        surfaces in contact are averaged.
        """
        self._not_built("add_ground")
        if friction is not None:
            static_friction = dynamic_friction = friction
        values = (height, static_friction, dynamic_friction, restitution, *normal)
        if not all(map(math.isfinite, values)) or not any(normal) or len(normal) != 3:
            raise ValueError("add_ground: height, friction, restitution and a non-zero normal of 3 must be finite")
        if min(static_friction, dynamic_friction, restitution) < 0 or dynamic_friction > static_friction:
            raise ValueError("add_ground: coefficients must not be negative, nor dynamic friction above static")
        x, y, z = map(float, normal)
        material = Material(static_friction, dynamic_friction, restitution)
        self._grounds.append(Ground(float(height), (x, y, z), material))

    def add_robot(
        self,
        source: str | os.PathLike[str] | RobotModel,
        name: str = "robot",
        fixed_base: bool | None = None,
        position: Sequence[float] | None = None,
        orientation: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
        *,
        joint_pos: dict[str, float] | Sequence[float] | None = None,
        friction: float | None = None,
        static_friction: float = DEFAULT_FRICTION,
        dynamic_friction: float = DEFAULT_FRICTION,
        restitution: float = 0.0,
        visuals: bool = False,
    ) -> Robot:
        """Add a robot to every environment.

        Args:
            source: a URDF file, the name of a robot that ships with the package, or a model.
            name: unique in the world.
            fixed_base: whether the root cannot move; ``None``: no, or as a shipped robot prefers.
            position, orientation: initial pose of the root link's frame (orientation w x y z, normalised for you);
                a shipped robot without a position stands on z = 0.
            joint_pos: initial joint positions by name or in order; 0, or the limit nearest to it, or the nominal pose
            of
                a shipped robot, by default.
            friction: both friction coefficients of all of its shapes.
            visuals: also load the visual meshes, for pictures.

        Raises:
            LoadError: the file cannot be used.
        """
        self._not_built("add_robot")
        if name in self.robots or not name:
            raise ValueError(f"add_robot: there is already a robot named {name!r}; pass another name=")
        model, shipped = _load(source, visuals)
        if fixed_base is None:
            fixed_base = bool(shipped and shipped.fixed_base)
        if position is None:
            position = (0.0, 0.0, shipped.base_height if shipped else 0.0)
        if joint_pos is None and shipped is not None:
            joint_pos = dict(shipped.joint_pos)
        if friction is not None:
            static_friction = dynamic_friction = friction
        if min(static_friction, dynamic_friction, restitution) < 0 or dynamic_friction > static_friction:
            raise ValueError("add_robot: coefficients must not be negative, nor dynamic friction above static")
        sizes = (np.shape(position), np.shape(orientation))
        pose = np.array([*position, *orientation], float) if sizes == ((3,), (4,)) else np.zeros(7)
        if not np.all(np.isfinite(pose)) or not np.any(pose[3:]):
            raise ValueError(
                f"add_robot: position must be 3 finite numbers, orientation 4, not all zero; got {position!r} "
                f"and {orientation!r}"
            )
        pose[3:] /= np.linalg.norm(pose[3:])
        articulation = flatten(model, fixed_base)
        part = Part(articulation, Material(static_friction, dynamic_friction, restitution))
        robot = Robot(self, name, model, part, pose, joint_pos)
        self.robots[name] = robot
        self._placements.append(
            {
                "name": name,
                "fixed_base": fixed_base,
                "pose": pose.tolist(),
                "joint_pos": robot.default_joint_pos.tolist(),
                "static_friction": static_friction,
                "dynamic_friction": dynamic_friction,
                "restitution": restitution,
                "model": model.to_dict(),
            }
        )
        return robot

    def add_rows(self, table: Table, count: int) -> None:
        """Give a table of your own its number of rows per environment."""
        self._not_built("add_rows")
        self._tables[table] = count

    def add_system(self, system: System) -> None:
        """Add a system of your own to the schedule, in the phase that it names."""
        self._not_built("add_system")
        self.schedule.add(system)
        self._extra_systems.append(system)

    def build(self) -> World:
        """Allocate and initialise everything; done by the first step if you do not."""
        if self.built:
            return self
        if not self.robots and not self._extra_systems:
            raise ValueError("this world is empty: call add_robot() before build() or step()")
        store = self._store
        for table, count in self._tables.items():
            store.set_rows(table, count)
        robots = list(self.robots.values())
        ranges = fill(store, [robot.part for robot in robots], self._grounds, self._settings["max_contacts"])
        settings = store[c.Settings]
        settings.timestep = [[self.dt / self.substeps]]
        settings.gravity = np.array(self.gravity)[None, :, None]
        for name in ("position_iterations", "velocity_iterations"):
            setattr(settings, name, [[self._settings[name]]])
        for name in ("contact_offset", "max_depenetration_velocity", "bounce_threshold"):
            setattr(settings, name, [[self._settings[name]]])
        for system in systems(contacts=store.rows(c.PlanePoint) > 0):
            self.schedule.add(system)
        self.schedule.systems()  # refuses clashes now, not at the first step
        for system in self.schedule.systems():
            for access in system.field_arguments.values():
                store.array(access.target)
        self.built = True
        for robot, rows in zip(robots, ranges, strict=True):
            robot.bind(rows)
        self._write_defaults(None)
        self.input_revision = self.state_revision = 0
        return self

    def _not_built(self, what: str) -> None:
        if self.built:
            raise RuntimeError(f"{what}() must come before build() and the first step()")

    def __getitem__(self, component: type[Component]) -> View:
        """Live arrays of a component: ``world[Component].field``, (rows, *item, num_envs), or 1 if shared.

        Assign whole fields, ``world[LinkInertia].mass = values``, and the world knows; values for each environment make
        a shared field differ between them. After writing into an array in place call :meth:`touch_state`.
        """
        self.build()
        return self._store[component]

    # -- stepping --------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Simulated seconds."""
        return self.step_count * self.dt

    def step(self, count: int = 1) -> None:
        """Advance all environments by ``count`` steps. On CUDA the work is queued and this returns at once."""
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
            raise ValueError(f"step({count!r}): the number of steps must be a whole number, not negative")
        self.build()
        for callback in list(self._before):
            callback(self)
        self._refresh()
        done = 0
        while done < count:
            batch = min(count - done, self._until_callback(), self._until_breath())
            program = self._program(STEP)
            before = self.step_count
            with _no_interrupt(), self._store.active():  # or a batch would have run, but not been counted
                start = time.perf_counter()
                with trace.region("step", "world"):
                    program.run(batch)
                self._seconds_per_step = (time.perf_counter() - start) / batch
                done += batch
                self.step_count += batch
            if not self._device.is_cuda or before // CHECK_EVERY != self.step_count // CHECK_EVERY:
                self.check()
            for callback, every in list(self._after):
                if self.step_count % every == 0:
                    callback(self)

    def _until_callback(self) -> int:
        return min((every - self.step_count % every for _, every in self._after), default=1 << 30)

    def _until_breath(self) -> int:
        """Steps until Python should get a chance to see Ctrl-C."""
        if self._device.is_cuda:
            return CHECK_EVERY
        return max(1, int(RESPONSIVE / self._seconds_per_step)) if self._seconds_per_step > 0 else 1

    def _program(self, phases: tuple[str, ...]) -> Any:
        if self._programs_version != self._store.version:
            self._programs.clear()
            self._programs_version = self._store.version
            self._store.precompile(self.schedule.systems(STEP))
        if phases not in self._programs:
            if phases == STEP:
                sequence = self.schedule.systems(SUBSTEP) * self.substeps + self.schedule.phase("sense")
            else:
                sequence = self.schedule.systems(phases)
            self._programs[phases] = self._store.program(sequence)
        return self._programs[phases]

    def compute(self, *phases: str) -> None:
        """Run phases of the schedule on the current state, e.g. ``compute("dynamics")``, without stepping."""
        self.build()
        self._refresh()
        program = self._program(phases)
        with self._store.active():
            program.run(1)

    def _refresh(self) -> None:
        """Make link poses and velocities agree with coordinates that the host has written."""
        if self._stale:
            program = self._program(REFRESH)
            with self._store.active():
                program.run(1)
            self._stale = False

    def synchronize(self) -> None:
        """Wait until all queued steps have run."""
        self._device.synchronize()

    def before_step(self, callback: Callable[[World], None]) -> Callable[[], None]:
        """Call ``callback(world)`` at the start of every :meth:`step`; returns a function that unregisters it."""
        self._before.append(callback)
        return lambda: self._before.remove(callback)

    def after_step(self, callback: Callable[[World], None], every: int = 1) -> Callable[[], None]:
        """Call ``callback(world)`` after every ``every``-th step; returns a function that unregisters it."""
        _positive_int("every", every)
        entry = (callback, every)
        self._after.append(entry)
        return lambda: self._after.remove(entry)

    def on_step(self, callback: Callable[[World], None]) -> Callable[[], None]:
        """:meth:`after_step` with ``every=1``."""
        return self.after_step(callback)

    def time_systems(self, steps: int = 20) -> dict[str, float]:
        """Seconds that each system takes per substep; advances the simulation by about ``steps`` steps."""
        self.build()
        self._refresh()
        spent = self._store.program([*self.schedule.systems(SUBSTEP), *self.schedule.phase("sense")]).time(steps)
        self.state_revision += 1
        return spent

    # -- problems --------------------------------------------------------------------------------------------

    @property
    def diverged(self) -> np.ndarray:
        """Indices of environments that were frozen because their state was no longer finite; reset() revives them."""
        return np.flatnonzero(self._device.to_host(self[c.Status].diverged)[0])

    def check(self) -> None:
        """Warn of environments that diverged and of contacts that did not fit, each once."""
        diverged = [int(i) for i in self.diverged if int(i) not in self._reported]
        if diverged:
            self._reported.update(diverged)
            warnings.warn(
                f"{len(diverged)} of {self.num_envs} environments diverged before step {self.step_count} and "
                f"are frozen: "
                f"{_shorten(diverged)}; use a smaller dt or softer explicit gains, and reset(env_ids) to go on",
                SimulationWarning,
                stacklevel=3,
            )
        dropped = self._device.to_host(self[c.Status].contacts_dropped)[0]
        if dropped.any():
            self[c.Status].contacts_dropped = [[0]]
            slots = self._store.rows(c.Contact)
            warnings.warn(
                f"contacts did not fit into {slots} slots in environments "
                f"{_shorten(np.flatnonzero(dropped).tolist())}; "
                f"pass max_contacts={slots + int(dropped.max())} or more to World",
                SimulationWarning,
                stacklevel=3,
            )

    # -- state -----------------------------------------------------------------------------------------------

    def reset(self, env_ids: Any = None) -> None:
        """Put environments (all by default) back into the robots' default state, with default targets."""
        self.build()
        self._write_defaults(None if env_ids is None else self.env_indices(env_ids))
        if env_ids is None:
            self._reported.clear()
        else:
            self._reported -= set(self.env_indices(env_ids).tolist())

    def _write_defaults(self, envs: np.ndarray | None) -> None:
        for robot in self.robots.values():
            robot.write_defaults(envs)
        store = self._store
        remembered = (*c.DofRow.fields(), *c.ContactImpulse.fields(), *c.MimicConstraint.fields())
        fields = [f for f in remembered if f.role == "state"]
        fields += [c.DofState.velocity, c.DofState.acceleration, c.Status.diverged, c.ContactCount.current]
        fields += [*c.ExternalWrench.fields(), c.DriveTarget.velocity, c.DriveTarget.effort]
        fields += [c.ContactForce.force, c.DriveEffort.applied]
        with store.active():
            for field in fields:
                view = store.view(field)
                view[..., slice(None) if envs is None else self._device.xp.asarray(envs)] = 0
        self.touch_state()
        self.input_revision += 1

    def env_indices(self, env_ids: Any) -> np.ndarray:
        """Validated environment indices as an array, from anything that lists them."""
        if hasattr(env_ids, "get"):
            env_ids = env_ids.get()
        indices = np.atleast_1d(np.asarray(env_ids))
        if indices.dtype == bool and indices.shape == (self.num_envs,):
            indices = np.flatnonzero(indices)
        if indices.size == 0:
            return np.zeros(0, np.int64)
        if indices.ndim != 1 or not np.issubdtype(indices.dtype, np.integer):
            raise ValueError(f"env_ids must be whole numbers, not {env_ids!r}")
        if indices.min() < 0 or indices.max() >= self.num_envs:
            raise IndexError(f"env_ids must lie in 0..{self.num_envs - 1}; got {indices.min()} to {indices.max()}")
        return indices.astype(np.int64)

    def touch_state(self) -> None:
        """Say that coordinates, velocities or parameters were written through arrays: poses are then recomputed."""
        self._stale = True
        self.state_revision += 1

    def _field_set(self, field: Field) -> None:
        """Called by the store when a whole field was assigned."""
        if field.role == "input":
            self.input_revision += 1
        elif field.role != "derived":
            self.touch_state()

    def state(self) -> dict[str, np.ndarray]:
        """All that is needed to continue exactly, as host copies by ``Component.field``."""
        self.build()
        found = self._store.snapshot(STATE_ROLES)
        found["step_count"] = np.array(self.step_count)
        return found

    def set_state(self, state: dict[str, np.ndarray]) -> None:
        """Continue from what :meth:`state` returned."""
        self.build()
        rest = dict(state)
        steps = rest.pop("step_count", None)
        self._store.restore(rest)
        if steps is not None:
            self.step_count = int(steps)
        self._reported.clear()
        self.touch_state()
        self.input_revision += 1

    def inputs(self) -> dict[str, np.ndarray]:
        """Targets, gains and external wrenches, as host copies by ``Component.field``."""
        self.build()
        return self._store.snapshot(("input",))

    def set_inputs(self, inputs: dict[str, np.ndarray]) -> None:
        """Write back what :meth:`inputs` returned."""
        self.build()
        self._store.restore(inputs)
        self.input_revision += 1

    def describe(self) -> dict[str, Any]:
        """Settings and robots, JSON-ready; :meth:`from_description` makes the same world of it."""
        return {
            "format": FORMAT,
            "num_envs": self.num_envs,
            "device": self.device,
            "dtype": self.dtype,
            "dt": self.dt,
            "gravity": list(self.gravity),
            "substeps": self.substeps,
            **self._settings,
            "grounds": [
                {
                    "height": g.height,
                    "normal": list(g.normal),
                    "static_friction": g.static_friction,
                    "dynamic_friction": g.dynamic_friction,
                    "restitution": g.restitution,
                }
                for g in self._grounds
            ],
            "robots": copy.deepcopy(self._placements),
            "systems": [system.name for system in self._extra_systems],
        }

    @classmethod
    def from_description(
        cls, description: dict[str, Any], num_envs: int | None = None, device: str | None = None
    ) -> World:
        """An unbuilt world like the one described; systems of your own must be added again before it is built."""
        d = dict(description)
        if d.pop("format", None) != FORMAT:
            raise LoadError(
                f"this description has another format than {FORMAT}; use the version of Phalanx that wrote it"
            )
        grounds, robots = d.pop("grounds"), d.pop("robots")
        d.pop("systems", None)
        if num_envs is not None:
            d["num_envs"] = num_envs
        d["device"] = device or ("auto" if d["device"].startswith("cuda") else d["device"])
        world = cls(**d)
        for ground in grounds:
            world.add_ground(**ground)
        for robot in robots:
            pose = robot["pose"]
            world.add_robot(
                RobotModel.from_dict(robot["model"]),
                position=pose[:3],
                orientation=pose[3:],
                **{k: v for k, v in robot.items() if k not in ("pose", "model")},
            )
        return world

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the world with its exact state to one file (``.npz``); nothing is left if it fails."""
        target = Path(path)
        if not target.parent.is_dir() or target.is_dir():
            raise OSError(f"{target}: cannot save a world here; give the name of a file in a folder that exists")
        temporary = target.with_name(target.name + ".part")
        state = self.state()
        try:
            with open(temporary, "wb") as file:
                np.savez(file, world=np.array(json.dumps(self.describe())), **state)  # type: ignore[arg-type]
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

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
        source = Path(path)
        if not source.is_file():
            raise LoadError(f"{source}: no such file")
        if not zipfile.is_zipfile(source):
            raise LoadError(f"{source}: not a saved world, or not all of one; it must come from World.save()")
        try:
            with np.load(source, allow_pickle=False) as data:
                state = {key: data[key] for key in data.files}
            description = json.loads(str(state.pop("world")[()]))
            world = cls.from_description(description, device=device)
        except (ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile) as error:
            if isinstance(error, DeviceError):
                raise
            raise LoadError(f"{source}: not a saved world ({error}); it must come from World.save()") from error
        if prepare is not None:
            prepare(world)
        known = {system.name for system in world._extra_systems}
        missing = [name for name in description["systems"] if name not in known]
        if missing:
            raise LoadError(
                f"{source}: the saved world has systems of its own ({', '.join(missing)}); pass prepare=, "
                "a function that adds them to the world that it is given"
            )
        world.build()
        lost = {field.key for field in world._store.fields(STATE_ROLES)} - state.keys()
        if lost:
            raise LoadError(f"{source}: the saved world lacks {', '.join(sorted(lost))}; did another version save it?")
        try:
            world.set_state(state)
        except ValueError as error:
            raise LoadError(f"{source}: {error}") from error
        return world

    def __repr__(self) -> str:
        robots = ", ".join(self.robots) or "no robots"
        return f"<World of {self.num_envs} environments on {self.device}: {robots}>"

    def __iter__(self) -> Iterator[Robot]:
        return iter(self.robots.values())


def _load(source: Any, visuals: bool) -> tuple[RobotModel, Any]:
    if isinstance(source, RobotModel):
        return source, None
    from phalanx.io import library
    from phalanx.io.urdf import load_urdf

    path = library.resolve(source)
    shipped = library.defaults(str(source)) if str(source) in library.names() else None
    return load_urdf(path, visuals=visuals), shipped


@contextlib.contextmanager
def _no_interrupt() -> Iterator[None]:
    """Hold Ctrl-C back until the end of the block."""
    previous = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(previous):
        yield
        return
    held: list[tuple[Any, ...]] = []
    signal.signal(signal.SIGINT, lambda *arguments: held.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
        if held:
            previous(*held[0])


def _auto() -> str:
    from phalanx.ecs.store import cuda_available

    return "cuda:0" if cuda_available() else "cpu"


def _positive_int(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name}={value!r}: must be a whole number, at least 1")


def _shorten(items: list[int], most: int = 10) -> str:
    shown = ", ".join(map(str, items[:most]))
    return f"{shown}, ... ({len(items)} in all)" if len(items) > most else shown
