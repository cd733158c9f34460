"""How fast a scene steps here, where the time and the memory go, and what the scene looked like meanwhile."""

from __future__ import annotations

import gc
import sys
import time
import warnings
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

import phalanx as px
from phalanx import components as c
from phalanx.bench.build import Setup, set_up
from phalanx.bench.declare import Scene
from phalanx.systems import STEP

NEAR = 1e-3
"""m: contacts with no more between the surfaces count as touching; soft contacts overlap by as much under load."""


@dataclass
class Run:
    """One engine on one scene. Every engine fills in the same, so that they can be laid side by side.

    ``seconds`` has a row for each repetition and a column for each stretch of ``hold`` steps. ``contacts`` are all that
    the engine solved for, ``touching`` those with at most 1 mm between the surfaces; means over the environments at the
    ends of the stretches, as ``heights`` (m) are. ``shapes`` counts those that can collide, grounds included.
    """

    engine: str
    version: str
    device: str
    num_envs: int
    hold: int
    dofs: int = 0
    shapes: int = 0
    mass: float = 0.0
    seconds: list[list[float]] = field(default_factory=list)
    contacts: list[float] = field(default_factory=list)
    touching: list[float] = field(default_factory=list)
    heights: list[float] = field(default_factory=list)
    bytes_per_env: float | None = None
    build_seconds: float = 0.0
    first_step_seconds: float = 0.0
    threads: int | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Environment-steps a second: of the median repetition."""
        totals = [sum(row) for row in self.seconds]
        return self.num_envs * self.hold * len(self.seconds[0]) / float(np.median(totals))

    def summary(self) -> dict[str, Any]:
        """JSON-ready."""
        totals = np.array([sum(row) for row in self.seconds])
        found = asdict(self)
        for name in ("seconds", "contacts", "touching", "heights"):
            del found[name]
        return found | {
            "steps": self.hold * len(self.seconds[0]),
            "repeats": len(self.seconds),
            "env_steps_per_second": self.rate,
            "spread": float(np.ptp(totals) / np.median(totals)),
            "contacts_per_env": _mean(self.contacts),
            "contacts_at_end": _last(self.contacts),
            "touching_per_env": _mean(self.touching),
            "touching_at_end": _last(self.touching),
            "height": _mean(self.heights),
            "height_at_end": _last(self.heights),
        }


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _last(values: list[float]) -> float | None:
    return values[-1] if values else None


def measure(
    scene: Scene, num_envs: int, device: str = "cpu", *, dtype: str = "float32", frames: int, repeats: int = 3
) -> tuple[Run, Setup]:
    """Step a scene from its start through ``frames`` stretches, ``repeats`` times; only stepping is timed.

    The setup comes back too, for whoever wants to look into the world.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", px.SimulationWarning)
        setup, run = _prepare(scene, num_envs, device, dtype)
        _repeat(setup, run, frames, repeats)
    run.bytes_per_env = setup.world.engine.store.nbytes() / num_envs  # contact slots may have grown
    run.notes += dict.fromkeys(str(each.message) for each in caught)
    return run, setup


def _prepare(scene: Scene, num_envs: int, device: str, dtype: str) -> tuple[Setup, Run]:
    """Build the world and make its first step, which compiles."""
    begin = time.perf_counter()
    setup = set_up(scene, num_envs, device, dtype)
    world = setup.world
    built = time.perf_counter()
    world.step()
    world.synchronize()
    first = time.perf_counter()
    run = Run(
        "phalanx",
        px.__version__,
        world.device,
        num_envs,
        scene.hold,
        dofs=sum(actor.num_velocities for actor in world.actors.values()),
        shapes=sum(actor.num_shapes for actor in world.actors.values()) + int(scene.ground),
        mass=float(sum(_mass(actor) for actor in world.actors.values())),
        build_seconds=built - begin,
        first_step_seconds=first - built,
        threads=px.num_threads() if world.device == "cpu" else None,
    )
    return setup, run


def _repeat(setup: Setup, run: Run, frames: int, repeats: int) -> None:
    world = setup.world
    for repeat in range(repeats):
        world.reset()
        row = []
        for frame in range(frames):
            row.append(stretch(setup, frame))
            if repeat == 0:
                _look(setup, run)
        run.seconds.append(row)
    world.check()


def stretch(setup: Setup, frame: int) -> float:
    """Make the steps of one stretch of constant controls; seconds, without those that setting the controls takes."""
    setup.apply(setup.controls(frame))
    setup.world.synchronize()
    begin = time.perf_counter()
    setup.world.step(setup.scene.hold)
    setup.world.synchronize()
    return time.perf_counter() - begin


def _look(setup: Setup, run: Run) -> None:
    world = setup.world
    run.heights.append(float(setup.heights().mean()))
    try:
        rows = world.engine.store.rows(c.Contact)
    except KeyError:
        rows = 0
    if rows == 0:
        run.contacts.append(0.0)
        run.touching.append(0.0)
        return
    host = world.engine.device.to_host
    count = host(world[c.ContactCount].current)[0]
    separation = host(world[c.ContactPoint].separation)
    used = np.arange(rows)[:, None] < count
    run.contacts.append(float(count.mean()))
    run.touching.append(float((used & (separation <= NEAR)).sum(axis=0).mean()))


def _mass(actor: Any) -> float:
    return sum(link.mass for link in actor.part.articulation.links)


def where_time_goes(setup: Setup, steps: int = 10) -> dict[str, dict[str, float]]:
    """Seconds per step of each phase and of each system; on a GPU by events around each, on a CPU on one thread."""
    world = setup.world
    systems = world.time_systems(steps)
    engine = world.engine  # on a GPU some kernels stand for others, under names of their own
    run = engine.store.kernels(engine.sequence(STEP))
    phase_of = {system.name: system.phase for system, _shared in run}
    phases: dict[str, float] = {}
    for name, seconds in systems.items():
        phases[phase_of[name]] = phases.get(phase_of[name], 0.0) + seconds
    return {"phases": phases, "systems": systems}


def where_memory_goes(setup: Setup, count: int = 12) -> dict[str, Any]:
    """Bytes of all arrays, what they are per environment, and the components and fields with most of them."""
    world = setup.world
    sizes = world.engine.store.sizes()
    by_component: dict[str, int] = {}
    for key, size in sizes.items():
        name = key.partition(".")[0]
        by_component[name] = by_component.get(name, 0) + size
    largest, fields = (sorted(held.items(), key=lambda item: -item[1])[:count] for held in (by_component, sizes))
    found: dict[str, Any] = {
        "bytes": world.engine.store.nbytes(),
        "bytes_per_env": world.engine.store.nbytes() / world.num_envs,
        "largest_components_bytes_per_env": {name: size / world.num_envs for name, size in largest},
        "largest_fields_bytes_per_env": {name: size / world.num_envs for name, size in fields},
    }
    if world.engine.device.is_cuda:
        import cupy  # pyright: ignore[reportMissingImports]

        free, total = cupy.cuda.runtime.memGetInfo()
        found["device_bytes_in_use"] = int(total - free)
        found["pool_bytes"] = int(cupy.get_default_memory_pool().total_bytes())
    return found


def release() -> None:
    """Give back what a world that is no longer referred to held, before a peer is measured."""
    gc.collect()
    if "cupy" in sys.modules:
        sys.modules["cupy"].get_default_memory_pool().free_all_blocks()
