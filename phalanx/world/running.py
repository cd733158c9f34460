"""The part of a world that its engine does."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from phalanx.ecs import Schedule
from phalanx.world.checking import positive_int
from phalanx.world.engine.engine import Engine
from phalanx.world.engine.sampling_probe import Probe


class Running:
    """What users ask of the engine of a world: environments, steps, and callbacks between them."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        """Arrays and programs: what handles, queries, views, cameras and recorders hold."""

    def _not_built(self, what: str) -> None:
        """Refuse what is possible before the world is built only."""
        if self.engine.built:
            raise RuntimeError(f"{what}() must come before build() and the first step()")

    # -- settings --------------------------------------------------------------------------------------------

    @property
    def num_envs(self) -> int:
        """Number of environments."""
        return self.engine.num_envs

    @property
    def device(self) -> str:
        """``"cpu"`` or ``"cuda:N"``."""
        return self.engine.device.name

    @property
    def dtype(self) -> str:
        """``"float32"`` or ``"float64"``."""
        return self.engine.dtype

    @property
    def dt(self) -> float:
        """Length of a step, s; it may be set until the world is built."""
        return self.engine.dt

    @dt.setter
    def dt(self, seconds: float) -> None:
        self.engine.dt = seconds

    @property
    def substeps(self) -> int:
        """Equal substeps of a step."""
        return self.engine.substeps

    @property
    def schedule(self) -> Schedule:
        """All systems, by phase."""
        return self.engine.schedule

    @property
    def built(self) -> bool:
        """Whether arrays are allocated and filled; nothing can be added from then on."""
        return self.engine.built

    @property
    def solver_iterations(self) -> tuple[int, int]:
        """Position and velocity iterations that it runs: the most that were asked for, of it or of what is in it."""
        self.engine.build()
        return self.engine.sweeps()

    # -- time ------------------------------------------------------------------------------------------------

    @property
    def step_count(self) -> int:
        """Steps made."""
        return self.engine.step_count

    @step_count.setter
    def step_count(self, count: int) -> None:
        self.engine.step_count = count

    @property
    def time(self) -> float:
        """Simulated seconds."""
        return self.engine.time

    @property
    def lock(self) -> threading.RLock:  # pyright: ignore[reportGeneralTypeIssues]
        """Held while systems run. Another thread that holds it may read and write: nothing is computed meanwhile."""
        return self.engine.lock

    @property
    def stepping(self) -> bool:
        """Whether a :meth:`step` is under way, callbacks included."""
        return self.engine.stepping

    def step(self, count: int = 1) -> None:
        """Advance all environments by ``count`` steps. On CUDA the work is queued and this returns at once."""
        self.engine.step(count)

    def synchronize(self) -> None:
        """Wait until all queued steps have run."""
        self.engine.device.synchronize()

    def compute(self, *phases: str) -> None:
        """Run phases of the schedule on the current state, e.g. ``compute("dynamics")``, without stepping."""
        self.engine.compute(*phases)

    def time_systems(self, steps: int = 20) -> dict[str, float]:
        """Seconds that each system takes per substep; advances the simulation by about ``steps`` steps."""
        return self.engine.time_systems(steps)

    # -- what was written ------------------------------------------------------------------------------------

    @property
    def input_revision(self) -> int:
        """Grows whenever targets, gains or external wrenches are written."""
        return self.engine.input_revision

    @input_revision.setter
    def input_revision(self, revision: int) -> None:
        self.engine.input_revision = revision

    @property
    def state_revision(self) -> int:
        """Grows whenever state or parameters are written from outside of steps."""
        return self.engine.state_revision

    @state_revision.setter
    def state_revision(self, revision: int) -> None:
        self.engine.state_revision = revision

    def env_indices(self, env_ids: Any) -> np.ndarray:
        """Numbers of environments, (k,), from a number, a slice, a list or a mask, as NumPy takes an index; checked.

        Negative numbers count from the end; ``None`` is for all.

        Raises:
            ValueError: not whole numbers.
            IndexError: there are no such environments.
        """
        return self.engine.env_indices(env_ids)

    def touch_state(self) -> None:
        """Say that coordinates, velocities or parameters were written through arrays: poses are then recomputed."""
        self.engine.touch_state()

    def notice_changes(self) -> None:
        """Call this in an :meth:`after_step` callback that wrote state or inputs, in case more steps are to follow.

        What listens to the start of a :meth:`step`, such as a recorder, hears of them, and poses are computed anew.
        """
        self.engine.notice_changes()

    # -- between and within steps ----------------------------------------------------------------------------

    def before_step(self, callback: Callable[[Self], None]) -> Callable[[], None]:
        """Call ``callback(world)`` at the start of every :meth:`step`; returns a function that unregisters it."""
        self.engine.before.append(callback)
        return lambda: self.engine.before.remove(callback)

    def after_step(self, callback: Callable[[Self], None], every: int = 1) -> Callable[[], None]:
        """Call ``callback(world)`` after every ``every``-th step; returns a function that unregisters it."""
        positive_int("every", every)
        entry = (callback, every)
        self.engine.after.append(entry)
        return lambda: self.engine.after.remove(entry)

    def on_step(self, callback: Callable[[Self], None]) -> Callable[[], None]:
        """:meth:`after_step` with ``every=1``."""
        return self.after_step(callback)

    def add_probe(self, probe: Probe) -> Callable[[], None]:
        """Let a probe take samples within steps; returns a function that takes it away."""
        return self.engine.add_probe(probe)

    def sample(self, probe: Probe) -> None:
        """Let a probe take a sample of what is now."""
        self.engine.sample(probe)

    def __reduce__(self) -> Any:
        return self.engine.__reduce__()
