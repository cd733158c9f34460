"""What a worker does: simulate a shard's episodes, and write what they did.

All that is random is drawn by Philox (Salmon et al., 2011), keyed by the seed and the episode's number, with a counter
for each use and time. So episode k is the same to the bit in whatever shard, on whatever worker it is simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.farm.errors import FarmError
from phalanx.farm.spec import RANDOMISED, Spec, code
from phalanx.farm.store import FarmStore


class Draws:
    """Random numbers of episodes.

    Args:
        seed: of the farm.
        episodes: their numbers.
    """

    def __init__(self, seed: int, episodes: range) -> None:
        self._seed, self._episodes = seed, episodes

    def uniform(self, use: int, time: int, size: int) -> np.ndarray:
        """(episodes, size), float64, at least 0 and below 1.

        Args:
            use: number of what they are for.
            time: step of the episode.
            size: how many.
        """
        found = np.empty((len(self._episodes), size))
        for row, episode in enumerate(self._episodes):
            counter = np.array([0, 0, time, use], dtype=np.uint64)  # the lower words count the numbers drawn
            bits = np.random.Philox(key=np.array([self._seed, episode], dtype=np.uint64), counter=counter)
            found[row] = np.random.Generator(bits).random(size)
        return found


class Simulation:
    """Simulates shards of a spec; the world is built once for each size of shard.

    Args:
        spec: what is simulated.
        device: ``"cpu"``, ``"cuda:N"`` or ``"auto"``.
    """

    def __init__(self, spec: Spec, device: str = "auto") -> None:
        self._spec, self._device = spec, device
        self._worlds: dict[int, tuple[Any, Any, np.ndarray, np.ndarray]] = {}
        self._policy = code(spec.policy) if ":" in spec.policy else None

    def run(self, shard: int) -> dict[str, np.ndarray]:
        """By name what is written: signals (episodes, samples, ...), and what was drawn, (episodes, dofs)."""
        return self.simulate(self._spec.episodes_of(shard), self._spec.steps)

    def simulate(self, episodes: range, steps: int) -> dict[str, np.ndarray]:
        """Simulate episodes for so many steps."""
        spec = self._spec
        world, robot, stiffness, damping = self._world(len(episodes))
        draws = Draws(spec.seed, episodes)
        world.reset()
        found = self._randomise(robot, draws, stiffness, damping)
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
        robot = next(iter(self._worlds.values()))[1]
        return {"joints": list(robot.joint_names), "bodies": list(robot.body_names)}

    def _world(self, count: int) -> tuple[Any, Any, np.ndarray, np.ndarray]:
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
            self._worlds[count] = world, robot, *self._gains(robot)
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

    def _randomise(self, robot: Any, draws: Draws, stiffness: np.ndarray, damping: np.ndarray) -> dict[str, np.ndarray]:
        found = {}
        for use, name in enumerate(RANDOMISED):
            if name in self._spec.randomise:
                low, high = self._spec.randomise[name]
                found[f"random_{name}"] = low + (high - low) * draws.uniform(use, 0, robot.num_dof)
        if "random_joint_pos" in found:
            lower, upper = robot.joint_limits
            robot.set_joint_state(pos=np.clip(robot.default_joint_pos + found["random_joint_pos"], lower, upper))
        if "random_joint_vel" in found:
            robot.set_joint_state(vel=found["random_joint_vel"])
        robot.set_drive(
            stiffness=stiffness * found.get("random_stiffness", 1.0), damping=damping * found.get("random_damping", 1.0)
        )
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
            robot.set_targets(pos=low + (high - low) * draws.uniform(len(RANDOMISED), step, robot.num_dof))

        return random


def _host(value: Any) -> np.ndarray:
    return np.array(value.get() if hasattr(value, "get") else value)


def shards(spec: Mapping[str, Any], url: str, options: Mapping[str, Any], device: str) -> Callable[[int], Any]:
    """The work of a farm, as :mod:`phalanx.farm.worker` calls it: writes shards, returns what a commit says of them."""
    found = Spec.of(spec)
    simulation, store = Simulation(found, device), FarmStore(url, options)

    def work(shard: int) -> dict[str, Any]:
        arrays = simulation.run(shard)
        episodes = found.episodes_of(shard)
        return store.write_shard(shard, arrays, {"first_episode": episodes.start, **simulation.names()})

    return work


def check(spec: Spec, device: str) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
    """See that a spec can be simulated, with one episode of one step; by name shape and type of what an episode writes.

    Raises:
        FarmError: it cannot.
    """
    from phalanx.ecs.errors import CapacityError, DeviceError
    from phalanx.io.reading.errors import LoadError

    try:
        arrays = Simulation(spec, device).simulate(range(1), spec.every)
    except (LoadError, DeviceError, CapacityError, OSError, ValueError, TypeError, AttributeError) as error:
        raise FarmError(f"the spec cannot be simulated: {' '.join(str(error).split())}") from error
    count = len(spec.samples)
    return {
        name: ((count, *a.shape[2:]) if name in spec.signals else a.shape[1:], a.dtype) for name, a in arrays.items()
    }
