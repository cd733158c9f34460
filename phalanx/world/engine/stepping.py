"""How a world advances: programs of systems in batches of steps, with callbacks and probes in between."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx import components as c
from phalanx.ecs import Device, Field, Schedule, System, trace
from phalanx.systems import REFRESH, STEP, SUBSTEP, deformable
from phalanx.systems.solver import loads
from phalanx.world.checking import positive_int
from phalanx.world.contents import Contents
from phalanx.world.engine.interrupt import no_interrupt
from phalanx.world.engine.one_thread import OneThread
from phalanx.world.engine.sampling_probe import Probe

if TYPE_CHECKING:
    from phalanx.world.world import World

RESPONSIVE = 0.2
"""s: between chances to interrupt a long :meth:`Stepping.step` on the CPU."""

CHECK_EVERY = 256
"""Steps between looks at the flags on CUDA, where each costs a wait; counted from the first step of the world, so that
it does not matter how steps are asked for."""


class Stepping(Contents):
    """The part of a world that runs its systems."""

    _device: Device

    def __init__(self, schedule: Schedule) -> None:
        super().__init__(schedule)
        self.step_count = 0
        self._programs: dict[tuple[Any, ...], Any] = {}
        self._programs_version = -1
        self._before: list[Callable[[World], None]] = []
        self._after: list[tuple[Callable[[World], None], int]] = []
        self._probes: list[Probe] = []
        self._stale = True  # link poses and velocities do not agree with the coordinates
        self._seconds_per_step = 0.0
        self._one_thread = OneThread()
        self.lock = threading.RLock()
        """Held while systems run. Another thread that holds it may read and write: nothing is computed meanwhile."""
        self.stepping = False
        """Whether a :meth:`step` is under way, callbacks included."""

    @property
    def time(self) -> float:
        """Simulated seconds."""
        return self.step_count * self.dt

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
        world = self.build()
        for callback in list(self._before):
            callback(world)
        self._refresh()
        done = 0
        while done < count:
            batch, probes = self._next_batch(min(count - done, self._until_callback(), self._until_breath()))
            before = self.step_count
            with self.lock, no_interrupt(), self._store.active():  # or a batch would have run, but not been counted
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
            if not self._device.is_cuda or before // CHECK_EVERY != self.step_count // CHECK_EVERY:
                world.check()
            for callback, every in list(self._after):
                if self.step_count % every == 0:
                    callback(world)

    def _finish(self, program: Any, probes: Sequence[Probe]) -> None:
        """Let a program that stopped, since contacts had no room, go on with more room, if there may be more."""
        fits = True
        while len(stopped := program.stopped):
            fits = fits and self.build().make_room(stopped)
            again = self._program(STEP, probes)
            again.resume(program, heed_flags=fits)
            program = again

    def _until_callback(self) -> int:
        return min((every - self.step_count % every for _, every in self._after), default=1 << 30)

    def _until_breath(self) -> int:
        """Steps until Python should get a chance to see Ctrl-C."""
        if self._device.is_cuda:
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

    def _program(self, phases: tuple[str, ...], probes: Sequence[Probe] = ()) -> Any:
        if self._programs_version != self._store.version:
            self._programs.clear()
            self._programs_version = self._store.version
            self._store.decide(self._sequence(STEP))
            self._store.precompile(self._run_by(STEP))
        key = (phases, *probes)
        if key not in self._programs:
            sequence = self._run_by(phases)
            asked = self._sequence(dict.fromkeys(phase for probe in probes for phase in probe.phases))
            # apart from the step, whose kernels are the same whoever looks
            additions = (asked, {}), *((p.systems, p.arrays) for p in probes)
            stop_at = [] if phases != STEP else self._growing()
            self._programs[key] = self._store.program(sequence, *additions, stop_at=stop_at)
        return self._programs[key]

    def _growing(self) -> list[Field]:
        """Flags of tables that get more rows when they have too few."""
        if self._settings["when_full"] == "nearest":
            return []
        fixed = self._settings["max_contacts"] is not None
        return [c.Status.candidates_dropped] + ([] if fixed else [c.Status.contacts_dropped])

    def _run_by(self, phases: tuple[str, ...]) -> list[System]:
        """What phases are as a world runs them: substeps are repeated."""
        if phases != STEP:
            return self._sequence(phases)
        return self._sequence(SUBSTEP) * self.substeps + self._sequence(("sense",))

    def _sequence(self, phases: Iterable[str]) -> list[System]:
        """The systems of phases in the order in which they run; those of the solver's sweeps repeated."""
        found: list[System] = []
        sweeps = iter(self._sweeps() if "sweep" in phases else ())
        for phase in phases:
            if phase == "load":
                found += loads.search(self.schedule.systems())
            elif phase == "deform":
                found += self._deform() if self.deformables or self.cloths else []
            elif phase == "sweep":
                found += self.schedule.phase(phase) * next(sweeps)
            else:
                found += self.schedule.phase(phase)
        return found

    def _deform(self) -> list[System]:
        """What deformable bodies do in a substep."""
        counts = (self._settings["deformable_steps"], self._settings["deformable_sweeps"])
        return deformable.sequence(self.schedule, *counts, *self._colours)

    def _sweeps(self) -> tuple[int, int]:
        """Position and velocity sweeps of the constraint solver in a substep."""
        counts = [self._device.to_host(self._store[c.Settings].position_iterations)]
        counts.append(self._device.to_host(self._store[c.Settings].velocity_iterations))
        if any(count.min() != count.max() for count in counts) or counts[0].min() < 1 or counts[1].min() < 0:
            raise ValueError(
                "Settings.position_iterations and .velocity_iterations must be the same in all environments, the first "
                "at least 1, the second not negative"
            )
        return int(counts[0].max()), int(counts[1].max())

    @property
    def solver_iterations(self) -> tuple[int, int]:
        """Position and velocity iterations that it runs: the most that were asked for, of it or of what is in it."""
        self.build()
        return self._sweeps()

    def compute(self, *phases: str) -> None:
        """Run phases of the schedule on the current state, e.g. ``compute("dynamics")``, without stepping."""
        self.build()
        with self.lock:
            self._refresh()
            program = self._program(phases)
            with self._store.active():
                program.run(1)

    def _refresh(self) -> None:
        """Make link poses and velocities agree with coordinates that the host has written."""
        with self.lock:
            if self._stale:
                program = self._program(REFRESH)
                with self._store.active():
                    program.run(1)
                self._stale = False

    def notice_changes(self) -> None:
        """Call this in an :meth:`after_step` callback that wrote state or inputs, in case more steps are to follow.

        What listens to the start of a :meth:`step`, such as a recorder, hears of them, and poses are computed anew.
        """
        world = self.build()
        for callback in list(self._before):
            callback(world)
        self._refresh()

    def synchronize(self) -> None:
        """Wait until all queued steps have run."""
        self._device.synchronize()

    def before_step(self, callback: Callable[[World], None]) -> Callable[[], None]:
        """Call ``callback(world)`` at the start of every :meth:`step`; returns a function that unregisters it."""
        self._before.append(callback)
        return lambda: self._before.remove(callback)

    def after_step(self, callback: Callable[[World], None], every: int = 1) -> Callable[[], None]:
        """Call ``callback(world)`` after every ``every``-th step; returns a function that unregisters it."""
        positive_int("every", every)
        entry = (callback, every)
        self._after.append(entry)
        return lambda: self._after.remove(entry)

    def on_step(self, callback: Callable[[World], None]) -> Callable[[], None]:
        """:meth:`after_step` with ``every=1``."""
        return self.after_step(callback)

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
        self._refresh()
        probe.room()
        with self.lock, no_interrupt(), self._store.active():
            self._program((), (probe,)).run(1)
            probe.taken(1)

    def time_systems(self, steps: int = 20) -> dict[str, float]:
        """Seconds that each system takes per substep; advances the simulation by about ``steps`` steps."""
        self.build()
        self._refresh()
        with self._one_thread, self.lock:
            spent = self._store.program(self._sequence(STEP)).time(steps)
            self.state_revision += 1
        return spent

    def __reduce__(self) -> Any:
        raise TypeError(
            "a world cannot be pickled or copied; World.save(path) and World.load(path) keep it in a file, "
            "World.describe() and World.from_description() make another one like it, state() and set_state() copy its "
            "state"
        )
