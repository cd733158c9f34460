"""The engine of a world: arrays of all environments, and the programs of systems that run over them.

A :class:`phalanx.World` composes one, and says what is in it. Handles, queries, views, cameras and recorders hold it.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from phalanx import components as c
from phalanx.ecs import Device, Field, Schedule, Store, System, trace
from phalanx.systems import ORDER, QUERIES, REFRESH, STEP, SUBSTEP, SUBSTITUTES, deformable
from phalanx.systems.solver import loads
from phalanx.world.engine.interrupt import no_interrupt
from phalanx.world.engine.one_thread import OneThread
from phalanx.world.engine.sampling_probe import Probe
from phalanx.world.env_ids import env_indices

RESPONSIVE = 0.2
"""s: between chances to interrupt a long :meth:`Engine.step` on the CPU."""

CHECK_EVERY = 256
"""Steps between looks at the flags on CUDA, where each costs a wait; counted from the first step of the world, so that
it does not matter how steps are asked for."""


Colours = Sequence[tuple[int, int]]


class Owner(Protocol):
    """What an engine asks of the world that it is of."""

    def build(self) -> Any:
        """Allocate and fill the arrays, if that has not been done yet."""
        ...

    def check(self) -> None:
        """Warn of environments that diverged and of contacts that found no room."""
        ...

    def make_room(self, stopped: np.ndarray) -> bool:
        """Make room for contacts that some environments stopped for; returns whether there is some now."""
        ...


class Engine:
    """Arrays of ``num_envs`` environments, and the systems that run over them.

    Args:
        world: the world that it is of; callbacks get it.
        num_envs: number of environments.
        device: name of the device.
        dtype: ``"float32"`` or ``"float64"``.
        dt: length of a step, s.
        substeps: a step is so many equal substeps.
    """

    def __init__(self, world: Owner, num_envs: int, device: str, dtype: str, dt: float, substeps: int) -> None:
        self.world: Any = world
        """The world that it is of, for users of handles; nothing here knows its class."""
        self.num_envs, self.dtype, self.dt, self.substeps = num_envs, dtype, dt, substeps
        self.device = Device(device)
        """Where arrays are; ``device.xp`` is the array module."""
        self.store = Store(num_envs, self.device, dtype, SUBSTITUTES)
        """The arrays of all fields."""
        self.store.on_set = self._field_set
        self.schedule = Schedule((*STEP, *deformable.PHASES, *QUERIES), order=ORDER)
        """All systems, by phase."""
        self.built = False
        """Whether arrays are allocated and filled."""
        self.step_count = 0
        """Steps made."""
        self.input_revision = 0
        """Grows whenever targets, gains or external wrenches are written."""
        self.state_revision = 0
        """Grows whenever state or parameters are written from outside of steps."""
        self.features: set[str] = set()
        """What is simulated only because something asks for it, see :mod:`phalanx.world.engine.optional_systems`."""
        self.one_tree = False
        """Whether at most one tree of links can move."""
        self.soft_steps: tuple[int, int, Colours, Colours, int, int, tuple[int, int], int, int, int] | None = None
        """Small steps of a substep, sweeps of each, colours of nodes of soft bodies, and of cloth, sweeps over cloth;
        ``None``: neither is there."""
        self.growing: tuple[Field, ...] = ()
        """Flags of tables that get more rows when they have too few, at which a step on a CPU stops."""
        self.lock = threading.RLock()
        """Held while systems run. Another thread that holds it may read and write: nothing is computed meanwhile."""
        self.stepping = False
        """Whether a :meth:`step` is under way, callbacks included."""
        self.before: list[Callable[[Any], None]] = []
        """What is called with the world at the start of every :meth:`step`."""
        self.after: list[tuple[Callable[[Any], None], int]] = []
        """What is called with the world after every so many steps."""
        self.loans: weakref.WeakSet[Any] = weakref.WeakSet()
        """What live views keep while they are alive: fields may be written at any time then."""
        self._probes: list[Probe] = []
        self._programs: dict[tuple[Any, ...], Any] = {}
        self._programs_version = -1
        self._computed: dict[str, tuple[int, ...]] = {}  # at which moments phases were computed
        self._stale = True  # link poses and velocities do not agree with the coordinates
        self._seconds_per_step = 0.0
        self._one_thread = OneThread()

    def __repr__(self) -> str:
        return f"<Engine of {self.num_envs} environments on {self.device.name}, {self.dtype}>"

    @property
    def time(self) -> float:
        """Simulated seconds."""
        return self.step_count * self.dt

    @property
    def moment(self) -> tuple[int, ...]:
        """Differs whenever a step was made, something was written from outside, or arrays have become others."""
        return self.step_count, self.state_revision, self.input_revision, self.store.version

    def build(self) -> None:
        """Allocate and fill the arrays, if that has not been done yet."""
        if not self.built:
            self.world.build()

    # -- what was written ------------------------------------------------------------------------------------

    def touch_state(self) -> None:
        """Say that coordinates, velocities or parameters were written: poses are then recomputed."""
        self._stale = True
        self.state_revision += 1

    def touch_inputs(self) -> None:
        """Say that targets, gains or external wrenches were written."""
        self.input_revision += 1

    def touch(self, *fields: Field) -> None:
        """Say that fields were written; what follows is what their roles ask for."""
        roles = {field.role for field in fields}
        if "input" in roles:
            self.touch_inputs()
        if roles - {"input", "derived"}:
            self.touch_state()

    def _notice_loans(self) -> None:
        """Take it that what live views show has been written."""
        for loan in tuple(self.loans):
            loan.notice()

    def _field_set(self, field: Field) -> None:
        """Called by the store when a whole field was assigned."""
        if field in (c.Settings.position_iterations, c.Settings.velocity_iterations):
            self._programs.clear()
        self.touch(field)

    def env_indices(self, env_ids: Any) -> np.ndarray:
        """Numbers of environments, (k,), from a number, a slice, a list or a mask; see :mod:`phalanx.world.env_ids`."""
        return env_indices(env_ids, self.num_envs)

    # -- stepping --------------------------------------------------------------------------------------------

    def step(self, count: int = 1) -> None:
        """Advance all environments by ``count`` steps. On CUDA the work is queued and this returns at once."""
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
            raise ValueError(f"step({count!r}): the number of steps must be a whole number, not negative")
        self.build()
        with self._one_thread:
            outer = self.stepping
            with self.lock:
                self.stepping = True
            try:
                self._step(int(count))
            finally:
                self.stepping = outer

    def _step(self, count: int) -> None:
        self.notice_changes()
        done = 0
        while done < count:
            batch, probes = self._next_batch(min(count - done, self._until_callback(), self._until_breath()))
            before = self.step_count
            with self.lock, no_interrupt(), self.store.active():  # or a batch would have run, but not been counted
                program = self._program(STEP, probes)
                start = time.perf_counter()
                with trace.region("step", "world"):
                    program.run(batch)
                    self._finish(program, probes)
                self._seconds_per_step = (time.perf_counter() - start) / batch
                done += batch
                self.step_count += batch
                for probe in probes:
                    probe.taken(batch)
            if not self.device.is_cuda or before // CHECK_EVERY != self.step_count // CHECK_EVERY:
                self.world.check()
            for callback, every in list(self.after):
                if self.step_count % every == 0:
                    callback(self.world)

    def _finish(self, program: Any, probes: Sequence[Probe]) -> None:
        """Let a program that stopped, since contacts had no room, go on with more room, if there may be more."""
        fits = True
        while len(stopped := program.stopped):
            fits = fits and self.world.make_room(stopped)
            again = self._program(STEP, probes)
            again.resume(program, heed_flags=fits)
            program = again

    def _until_callback(self) -> int:
        return min((every - self.step_count % every for _, every in self.after), default=1 << 30)

    def _until_breath(self) -> int:
        """Steps until Python should get a chance to see Ctrl-C."""
        if self.device.is_cuda:
            return CHECK_EVERY - self.step_count % CHECK_EVERY
        return max(1, int(RESPONSIVE / self._seconds_per_step)) if self._seconds_per_step > 0 else 1

    def _next_batch(self, most: int) -> tuple[int, tuple[Probe, ...]]:
        """How many steps may run at once, at most so many, and the probes that take samples of each of them."""
        due, others = [], []
        for probe in list(self._probes):
            (others if (self.step_count + 1) % probe.every else due).append(probe)
        if any(probe.every > 1 for probe in due):
            most = 1
        ends = [most, *(probe.room() for probe in due)]
        ends += [probe.every - 1 - self.step_count % probe.every for probe in others]
        return min(ends), tuple(due)

    def notice_changes(self) -> None:
        """Tell what listens to the start of a step of what was written, and compute poses anew."""
        self.build()
        self._notice_loans()
        for callback in list(self.before):
            callback(self.world)
        self.refresh()

    def add_probe(self, probe: Probe) -> Callable[[], None]:
        """Let a probe take samples within steps; returns a function that takes it away."""
        self._probes.append(probe)

        def remove() -> None:
            self._probes.remove(probe)
            self._programs = {key: program for key, program in self._programs.items() if probe not in key}

        return remove

    def sample(self, probe: Probe) -> None:
        """Let a probe take a sample of what is now."""
        self.build()
        self.refresh()
        probe.room()
        with self.lock, no_interrupt(), self.store.active():
            self._program((), (probe,)).run(1)
            probe.taken(1)

    def time_systems(self, steps: int = 20) -> dict[str, float]:
        """Seconds that each system takes per substep; advances the simulation by about ``steps`` steps."""
        self.build()
        self.refresh()
        with self._one_thread, self.lock:
            spent = self.store.program(self.sequence(STEP)).time(steps)
            self.state_revision += 1
        return spent

    # -- programs --------------------------------------------------------------------------------------------

    def compute(self, *phases: str) -> None:
        """Run phases of the schedule on the current state, e.g. ``compute("dynamics")``, without stepping."""
        self.build()
        with self.lock:
            self.refresh()
            program = self._program(phases)
            with self.store.active():
                program.run(1)

    def compute_once(self, phase: str, run: Callable[[], object] | None = None, *, again: bool = False) -> None:
        """Run a phase as :meth:`compute` does, unless nothing has happened since this last did.

        Args:
            phase: of the schedule, or a name of the caller's for ``run``.
            run: called instead of running the phase.
            again: run it all the same.
        """
        self.build()
        with self.lock:
            self.refresh()
            if again or self._computed.get(phase) != self.moment:
                if run is None:
                    self.compute(phase)
                else:
                    run()
                self._computed[phase] = self.moment

    def refresh(self) -> None:
        """Make link poses and velocities agree with coordinates that the host has written."""
        with self.lock:
            self._notice_loans()
            if self._stale:
                program = self._program(REFRESH)
                with self.store.active():
                    program.run(1)
                self._stale = False

    def _program(self, phases: tuple[str, ...], probes: Sequence[Probe] = ()) -> Any:
        if self._programs_version != self.store.version:
            self._programs.clear()
            self._programs_version = self.store.version
            self.store.decide(self.sequence(STEP))
            self.store.precompile(self.run_by(STEP))
        key = (phases, *probes)
        if key not in self._programs:
            sequence = self.run_by(phases)
            asked = self.sequence(dict.fromkeys(phase for probe in probes for phase in probe.phases))
            # apart from the step, whose kernels are the same whoever looks
            additions = (asked, {}), *((p.systems, p.arrays) for p in probes)
            stop_at = self.growing if phases == STEP else ()
            self._programs[key] = self.store.program(sequence, *additions, stop_at=stop_at)
        return self._programs[key]

    def run_by(self, phases: tuple[str, ...]) -> list[System]:
        """What phases are as a world runs them: substeps are repeated."""
        if phases != STEP:
            return self.sequence(phases)
        return self.sequence(SUBSTEP) * self.substeps + self.sequence(("sense",))

    def sequence(self, phases: Iterable[str]) -> list[System]:
        """The systems of phases in the order in which they run; those of the solver's sweeps repeated."""
        found: list[System] = []
        sweeps = iter(self.sweeps() if "sweep" in phases else ())
        for phase in phases:
            if phase == "load":
                found += loads.search(self.schedule.systems())
            elif phase == "deform":
                found += deformable.sequence(self.schedule, *self.soft_steps) if self.soft_steps else []
            elif phase == "sweep":
                found += self.schedule.phase(phase) * next(sweeps)
            else:
                found += self.schedule.phase(phase)
        return found

    def sweeps(self) -> tuple[int, int]:
        """Position and velocity sweeps of the constraint solver in a substep."""
        counts = [self.device.to_host(self.store[c.Settings].position_iterations)]
        counts.append(self.device.to_host(self.store[c.Settings].velocity_iterations))
        if any(count.min() != count.max() for count in counts) or counts[0].min() < 1 or counts[1].min() < 0:
            raise ValueError(
                "Settings.position_iterations and .velocity_iterations must be the same in all environments, the first "
                "at least 1, the second not negative"
            )
        return int(counts[0].max()), int(counts[1].max())

    def __reduce__(self) -> Any:
        raise TypeError(
            "a world cannot be pickled or copied; World.save(path) and World.load(path) keep it in a file, "
            "World.describe() and World.from_description() make another one like it, state() and set_state() copy its "
            "state"
        )
