"""What a worker does: simulate a shard's episodes, and write what they did.

All that is random is drawn by the seed and the episode's number (:mod:`phalanx.farm.draws`). So episode k is
the same to the bit in whatever shard, on whatever worker it is simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx import components as c
from phalanx.farm.draws import TARGETS, USES, Draws
from phalanx.farm.errors import FarmError
from phalanx.farm.spec import Spec, code
from phalanx.farm.store import FarmStore

if TYPE_CHECKING:
    from phalanx.farm.task_work import TaskSimulation


@dataclass(frozen=True)
class _Built:
    """A world, and what of its robot is randomised, as it was built: (1, ...) or (episodes, ...) each."""

    world: Any
    robot: Any
    stiffness: np.ndarray
    damping: np.ndarray
    bodies: tuple[np.ndarray, ...]
    friction: tuple[np.ndarray, ...]


class Simulation:
    """Simulates shards of a spec; the world is built once for each size of shard.

    Args:
        spec: what is simulated.
        device: ``"cpu"``, ``"cuda:N"`` or ``"auto"``.
    """

    def __init__(self, spec: Spec, device: str = "auto") -> None:
        self._spec, self._device = spec, device
        self._worlds: dict[int, _Built] = {}
        self._policy = code(spec.policy) if ":" in spec.policy else None
        self.attributes: dict[str, Any] = {}
        """Nothing more than the spec says."""

    def run(self, shard: int) -> dict[str, np.ndarray]:
        """By name what is written: signals (episodes, samples, ...), and what was drawn, (episodes, dofs or bodies)."""
        return self.simulate(self._spec.episodes_of(shard), self._spec.steps)

    def simulate(self, episodes: range, steps: int) -> dict[str, np.ndarray]:
        """Simulate episodes for so many steps."""
        spec = self._spec
        built = self._world(len(episodes))
        world, robot = built.world, built.robot
        draws = Draws(spec.seed, episodes)
        world.reset()
        found = self._randomise(built, draws)
        samples: dict[str, list[np.ndarray]] = {name: [] for name in spec.signals}
        act = self._acting(robot, draws, episodes)
        done = 0
        while done < steps:
            if done % spec.policy_every == 0:
                act(done)
            ahead = min(spec.policy_every - done % spec.policy_every, spec.every - done % spec.every, steps - done)
            world.step(ahead)
            done += ahead
            if done % spec.every == 0:
                for name, kept in samples.items():
                    kept.append(_host(getattr(robot, name)))
        world.check()
        found["diverged"] = np.isin(np.arange(len(episodes)), world.diverged)
        return found | {name: np.stack(kept, axis=1) for name, kept in samples.items()}

    def names(self) -> dict[str, list[str]]:
        """Names of joints and bodies, once a world has been built."""
        robot = next(iter(self._worlds.values())).robot
        return {"joints": list(robot.joint_names), "bodies": list(robot.body_names)}

    def _world(self, count: int) -> _Built:
        if count not in self._worlds:
            from phalanx.world.world import World

            self._worlds.clear()  # the last shard may be smaller; two worlds may not fit
            spec = self._spec
            world = World(count, self._device, **spec.world)
            if spec.build:
                robot = code(spec.build)(world)
            else:
                if spec.ground:
                    world.add_ground()
                robot = world.add_robot(spec.robot, fixed_base=spec.fixed_base)
            world.build()
            bodies = (robot.body_mass, robot.body_inertia) if "mass" in spec.randomise else ()
            surfaces = (robot._static_friction, robot._dynamic_friction) if "friction" in spec.randomise else ()
            self._worlds[count] = _Built(
                world, robot, *self._gains(robot), tuple(map(_host, bodies)), tuple(map(_host, surfaces))
            )
        return self._worlds[count]

    def _gains(self, robot: Any) -> tuple[np.ndarray, np.ndarray]:
        """Stiffness and damping of the drives, (1, dofs) or (episodes, dofs)."""
        spec, shape = self._spec, (1, robot.num_dof)
        found = [_host(robot._read(one, robot._joints)) for one in (c.Drive.stiffness, c.Drive.damping)]
        for n, said in enumerate((spec.stiffness, spec.damping)):
            if said is not None:
                found[n] = np.full(shape, float(said))
        if spec.policy in ("hold", "random") and not found[0].any():
            raise FarmError(f"policy {spec.policy}: the drives of {robot} have no gains; say stiffness and damping")
        return found[0], found[1]

    def _randomise(self, built: _Built, draws: Draws) -> dict[str, np.ndarray]:
        robot = built.robot
        sizes = {"friction": 1, "mass": robot.num_bodies}
        found = {}
        for name, (low, high) in self._spec.randomise.items():
            drawn = draws.uniform(USES[name], 0, sizes.get(name, robot.num_dof))
            found[f"random_{name}"] = low + (high - low) * drawn
        if "random_joint_pos" in found:
            lower, upper = robot.joint_limits
            robot.set_joint_state(pos=np.clip(robot.default_joint_pos + found["random_joint_pos"], lower, upper))
        if "random_joint_vel" in found:
            robot.set_joint_state(vel=found["random_joint_vel"])
        robot.set_drive(
            stiffness=built.stiffness * found.get("random_stiffness", 1.0),
            damping=built.damping * found.get("random_damping", 1.0),
        )
        if "random_friction" in found:
            static, dynamic = (one * found["random_friction"] for one in built.friction)
            robot.set_material(static, dynamic)
        if "random_mass" in found:  # from what the robot was built with: rounding must not add up from shard to shard
            mass, inertia = built.bodies
            factors = found["random_mass"]
            robot.set_body_mass_properties(mass=mass * factors, inertia=inertia * factors[..., None, None])
        return found

    def _acting(self, robot: Any, draws: Draws, episodes: range) -> Callable[[int], None]:
        spec = self._spec
        start = np.broadcast_to(robot.default_joint_pos, (len(episodes), robot.num_dof))
        if self._policy is not None:
            policy, dt, numbers = self._policy, robot.world.dt, np.array(episodes)
            return lambda step: policy(robot, step * dt, numbers)
        if spec.policy == "none":
            robot.set_drive(stiffness=0.0, damping=0.0)
        if spec.policy != "random":
            return lambda step: robot.set_targets(pos=start) if step == 0 else None
        lower, upper = robot.joint_limits
        low, high = np.maximum(lower, start - spec.swing), np.minimum(upper, start + spec.swing)

        def random(step: int) -> None:
            robot.set_targets(pos=low + (high - low) * draws.uniform(TARGETS, step, robot.num_dof))

        return random


def _host(value: Any) -> np.ndarray:
    return np.array(value.get() if hasattr(value, "get") else value)


def simulation_of(spec: Spec, device: str) -> Simulation | TaskSimulation:
    """What simulates a spec: a world with a robot, or a task."""
    if spec.task:
        from phalanx.farm.task_work import TaskSimulation

        return TaskSimulation(spec, device)
    return Simulation(spec, device)


def shards(spec: Mapping[str, Any], url: str, options: Mapping[str, Any], device: str) -> Callable[[int], Any]:
    """The work of a farm, as :mod:`phalanx.farm.worker` calls it: writes shards, returns what a commit says of them."""
    found = Spec.of(spec)
    simulation, store = simulation_of(found, device), FarmStore(url, options)

    def work(shard: int) -> dict[str, Any]:
        arrays = simulation.run(shard)
        episodes = found.episodes_of(shard)
        said = store.write_shard(shard, arrays, {"first_episode": episodes.start, **simulation.names()})
        return said | simulation.attributes

    return work


def check(spec: Spec, device: str) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
    """See that a spec can be simulated, with one episode of one step; by name shape and type of what an episode writes.

    Raises:
        FarmError: it cannot.
    """
    from phalanx.ecs.errors import CapacityError, DeviceError
    from phalanx.io.reading.errors import LoadError

    try:
        arrays = simulation_of(spec, device).simulate(range(1), spec.every)
    except (LoadError, DeviceError, CapacityError, OSError, ValueError, TypeError, AttributeError) as error:
        raise FarmError(f"the spec cannot be simulated: {' '.join(str(error).split())}") from error
    count = len(spec.samples)
    return {
        name: ((count, *a.shape[2:]) if name in spec.signals else a.shape[1:], a.dtype) for name, a in arrays.items()
    }
