"""Environments to learn in: a task's declarations, run over all environments of a world at once, on its device."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal

import gymnasium
import numpy as np
import torch

from phalanx import components as c
from phalanx.learn import declare
from phalanx.learn.commands import Command
from phalanx.learn.episodes import Episodes
from phalanx.learn.graphs import Graph, Tensors
from phalanx.learn.live import Live, ObjectState, RobotState
from phalanx.learn.random import Random
from phalanx.learn.rows import row_sum
from phalanx.world.handles.rigid_object import RigidObject
from phalanx.world.handles.robot import Robot
from phalanx.world.world import World

GRAPHS = "PHALANX_LEARN_GRAPHS"
"""The environment variable that, set to 0, keeps environments from recording CUDA graphs."""


class Environment(gymnasium.vector.VectorEnv):
    """A task in many environments.

    A subclass says what is in the world (:meth:`setup`) and marks methods as actions, observations, rewards,
    terminations and randomisations (:mod:`phalanx.learn.declare`). They work on torch tensors of all environments, on
    the world's device and in its own memory. A step is: actions; ``decimation`` steps of the world; terminations and
    rewards; reset of the environments whose episode has ended, within the same step; observations.

    On a GPU what is between the world's steps is recorded in three CUDA graphs and nothing waits for the device. So
    methods must write into tensors that they keep (:meth:`buffer`), and must not look at values in Python.

    Args:
        num_envs: how many environments.
        device: ``"cpu"``, ``"cuda:N"`` or ``"auto"``.
        seed: of everything random, until :meth:`reset` is given another one.
        first_env: number of the first environment among all of several processes or worlds. Random numbers depend on
            it: environment 5 of ten is the same as environment 0 of five with ``first_env=5``, to the bit.
        noise: whether observations have the noise that the task declares.
        infos: whether :meth:`step` returns observations of the ends of episodes, and their sums of rewards and lengths;
            those cost time.
        graphs: whether CUDA graphs are recorded; by default on a GPU, unless :data:`GRAPHS` says no.
        arrays: ``"torch"``, on the world's device, or ``"numpy"``, which copies on a GPU.
    """

    dt: ClassVar[float] = 0.005
    """Length of the world's step, s."""
    decimation: ClassVar[int] = 1
    """Steps of the world in one of the environment."""
    episode_seconds: ClassVar[float] = 10.0
    """Longest episode."""
    weights: ClassVar[Mapping[str, float]] = {}
    """Weights of rewards, by name, other than declared."""
    world_options: ClassVar[Mapping[str, Any]] = {}
    """More arguments of :class:`phalanx.World`."""

    metadata: dict[str, Any] = {"autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        device: str = "cpu",
        seed: int = 0,
        *,
        first_env: int = 0,
        noise: bool = True,
        infos: bool = True,
        graphs: bool | None = None,
        arrays: Literal["torch", "numpy"] = "torch",
    ) -> None:
        if arrays not in ("torch", "numpy"):
            raise ValueError(f'arrays {arrays!r}: must be "torch" or "numpy"')
        if isinstance(first_env, bool) or not isinstance(first_env, int) or first_env < 0:
            raise ValueError(f"first_env {first_env!r}: must be a whole number, at least 0")
        self.num_envs, self.noise, self._infos, self._arrays = num_envs, noise, infos, arrays
        self.first_env = first_env
        self.world = World(num_envs, device, dt=self.dt, **self.world_options)
        self.setup(self.world)
        if self.world.all_deformables:
            raise ValueError(
                f"{type(self).__name__}: soft bodies cannot be reset one environment at a time yet, nor can cloth "
                "and ropes"
            )
        self.world.build()
        self.live = Live(self.world)
        self.device = self.live.device
        self.random = Random(num_envs, seed, self.device, first_env)
        self.envs = torch.arange(first_env, first_env + num_envs, device=self.device)
        """(num_envs,): numbers of the environments among all of several processes."""
        self.max_episode_length = max(1, round(self.episode_seconds / self.step_seconds))
        self._declare()
        self._allocate()
        self.prepare()
        self._forgotten = self.world.forgotten_fields()
        self._defaults = {one: self.live.field(one).clone() for one in (c.Coordinate.value, *c.DriveTarget.fields())}
        wanted = os.environ.get(GRAPHS, "1") != "0" if graphs is None else graphs
        recorded = wanted and self.device.type == "cuda"
        self._recorded, self._gathered = recorded, False
        self._begin_step, self._end_step, self._see = (
            Graph(self._checked(run), recorded) for run in (self._act, self._judge, self._observe)
        )
        self._needs: dict[str, set[str]] = {"judge": set(), "observe": set()}
        self._is_reset = False
        self._spaces()

    # -- what a task says ------------------------------------------------------------------------------------

    @abstractmethod
    def setup(self, world: World) -> None:
        """Add robots, objects and ground to the world."""

    def prepare(self) -> None:
        """Make buffers, and states of what is in the world, once it is built; tasks need not have it."""

    def commands(self) -> list[Command]:
        """Numbers that the task draws and that people may want to say themselves; tasks need not have any."""
        return []

    def robot_state(self, robot: Robot) -> RobotState:
        """Reads of a robot, and its targets; in :meth:`prepare`."""
        return RobotState(self.live, robot)

    def object_state(self, found: RigidObject) -> ObjectState:
        """Reads of a rigid object; in :meth:`prepare`."""
        return ObjectState(self.live, found)

    def buffer(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """Zeros (num_envs, *shape) on the device, for a task to keep and to write into."""
        return torch.zeros((self.num_envs, *shape), dtype=dtype, device=self.device)

    def tensor(self, values: Any) -> torch.Tensor:
        """Numbers on the device."""
        return torch.tensor(values, dtype=torch.float32, device=self.device)

    @property
    def step_seconds(self) -> float:
        """Seconds of a step of the environment."""
        return self.dt * self.decimation

    # -- set-up ----------------------------------------------------------------------------------------------

    def _declare(self) -> None:
        kinds = {kind: declare.terms(type(self), kind) for kind in declare.KINDS}
        self._terms = kinds
        unknown = set(self.weights) - {one.name for one in kinds["reward"]}
        if unknown:
            known = ", ".join(one.name for one in kinds["reward"])
            raise ValueError(f"{type(self).__name__}.weights: there is no reward {min(unknown)!r}; there are {known}")
        self.num_actions = sum(one.size for one in kinds["action"])
        for kind in ("action", "observation", "reward"):
            if not kinds[kind]:
                raise ValueError(f"{type(self).__name__} has no {kind}: mark a method with @learn.{kind}")
        weights = [self.weights.get(one.name, one.weight) for one in kinds["reward"]]
        self._weights = self.tensor(weights) * self.step_seconds

    def _allocate(self) -> None:
        self.actions = self.buffer(self.num_actions)
        """(num_envs, num_actions): of this step."""
        self.last_actions = self.buffer(self.num_actions)
        """(num_envs, num_actions): of the step before; 0 at the begin of an episode."""
        self.reward = self.buffer()
        self.terminated = self.buffer(dtype=torch.bool)
        self.truncated = self.buffer(dtype=torch.bool)
        self.done = self.buffer(dtype=torch.bool)
        self.episode_length = self.buffer(dtype=torch.int64)
        """(num_envs,): steps since the episode began."""
        self.episodes = Episodes([one.name for one in self._terms["reward"]], self.num_envs, self.device)
        self.observations: dict[str, torch.Tensor] = {}
        """By group what was observed last; written into by each step."""
        self.final_observations: dict[str, torch.Tensor] = {}

    def _spaces(self) -> None:
        self.live.start(set())
        self._observe()
        width = self.observations["policy"].shape[1]
        bound = gymnasium.spaces.Box(-np.inf, np.inf, (width,), np.float32)
        self.single_observation_space = bound
        self.single_action_space = gymnasium.spaces.Box(-np.inf, np.inf, (self.num_actions,), np.float32)
        batch = gymnasium.vector.utils.batch_space
        self.observation_space = batch(self.single_observation_space, self.num_envs)
        self.action_space = batch(self.single_action_space, self.num_envs)

    def _checked(self, function: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            tensors = Tensors(self)
            function()
            tensors.check()

        return run

    # -- gymnasium -------------------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in all environments; returns observations (num_envs, size) and nothing else.

        Args:
            seed: begin with these random numbers.
            options: there are none.
        """
        if seed is not None:
            self.random.seed(seed)
        with torch.no_grad(), self.live.streams():
            self.live.has_moved()
            self.episodes.clear()
            self.live.start(set())
            self._restart(torch.ones_like(self.done), always=True)
            self.world.touch_state()
            self.live.start(set())
            self._observe()
        self._is_reset = True
        return self._given(self.observations["policy"]), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Step all environments.

        Args:
            actions: (num_envs, num_actions).

        Returns:
            Observations (num_envs, size), after resets; rewards, terminated, truncated (num_envs,) of what was before
            them; infos: ``final_obs`` with ``_final_obs``, and ``episode`` (``r``, ``l``) with ``_episode``, as
            gymnasium has them.
        """
        self.advance(self._taken(actions))
        found = [self._given(one) for one in (self.reward, self.terminated, self.truncated)]
        infos: dict[str, Any] = {}
        if self._infos:
            done = self._given(self.done)
            infos["final_obs"], infos["_final_obs"] = self._given(self.final_observations["policy"]), done
            ends = {"r": self.episodes.last_return, "l": self.episodes.last_length}
            infos["episode"] = {name: self._given(value) for name, value in ends.items()}
            infos["_episode"] = done
        return self._given(self.observations["policy"]), found[0], found[1], found[2], infos

    def advance(self, actions: torch.Tensor) -> None:
        """Step, and leave what comes of it in :attr:`observations`, :attr:`reward`, :attr:`done` and so on."""
        if not self._is_reset:
            self.reset()
        with torch.no_grad(), self.live.streams():
            if self.live.has_moved():
                for graph in (self._begin_step, self._end_step, self._see):
                    graph.forget()
            self.last_actions.copy_(self.actions)
            self.actions.copy_(actions)
            self._begin_step()
            self.simulate()
            self._compute(self._needs["judge"])
            self.live.start(self._needs["judge"])
            self._changed = False
            self._end_step()
            fresh = self._needs["judge"]
            if self.device.type == "cuda" or self._changed:
                self.world.touch_state()
                fresh = set()
            self._compute(self._needs["observe"] - fresh)
            self.live.start(self._needs["observe"] | fresh)
            self._see()
            if self._recorded and not self._gathered:
                self.random.gather()  # all that a step draws has been drawn once
                self._gathered = True

    def stagger(self) -> None:
        """Let episodes end at different times from now on, as if they had begun at different times."""
        where = self.random.uniform(0.0, float(self.max_episode_length), 1)[:, 0]
        self.episode_length.copy_(where.to(torch.int64))

    def close_extras(self, **kwargs: Any) -> None:
        """There is nothing to close."""

    # -- physics -----------------------------------------------------------------------------------------------

    def simulate(self) -> None:
        """Let the time of one step pass, with the targets that actions have written."""
        self.world.engine.touch_inputs()
        self.world.step(self.decimation)

    def restore(self, chosen: torch.Tensor) -> None:
        """Put environments back as they were built, before randomisations; ``chosen`` is (num_envs,) of bool."""
        for field in self._forgotten:
            values = self.live.field(field)
            values.masked_fill_(chosen.view(-1, *(1,) * (values.dim() - 1)), 0)
        for field, default in self._defaults.items():
            values = self.live.field(field)
            values.copy_(torch.where(chosen[:, None], default, values))

    # -- the parts of a step -----------------------------------------------------------------------------------

    def _act(self) -> None:
        self.random.advance()
        self.live.changed()
        start = 0
        for place, term in enumerate(self._terms["action"]):
            self.random.start(place)
            getattr(self, term.name)(self.actions[:, start : start + term.size])
            start += term.size

    def _judge(self) -> None:
        self.episode_length += 1
        diverged = self.live.field(c.Status.diverged)[:, 0] > 0
        self.terminated.copy_(diverged)
        for term in self._terms["termination"]:
            self.terminated |= getattr(self, term.name)()
        self.truncated.copy_((self.episode_length >= self.max_episode_length) & ~self.terminated)
        self.done.copy_(self.terminated | self.truncated)
        values = torch.stack([getattr(self, term.name)().to(torch.float32) for term in self._terms["reward"]], dim=1)
        values = (values * self._weights).masked_fill(diverged[:, None], 0.0)  # what diverged is not a number
        self.reward.copy_(row_sum(values))
        self.episodes.add(values, self.episode_length, self.done)
        if self._infos:
            self._fill(self.final_observations)
        self._restart(self.done)
        self._needs["judge"] = self._needs["judge"] | self.live.asked

    def _restart(self, chosen: torch.Tensor, always: bool = False) -> None:
        """Begin episodes in chosen environments, and do in the others what is due."""
        looks = self.device.type == "cpu"  # where nothing needs to wait for it
        if always or not looks or bool(chosen.any()):
            self._changed = True
            wide = chosen[:, None]
            self.restore(chosen)
            self.episode_length.masked_fill_(chosen, 0)
            for buffer in (self.actions, self.last_actions):
                buffer.masked_fill_(wide, 0.0)
        self.live.changed()
        for place, term in enumerate(self._terms["randomisation"]):
            due = chosen if term.at_reset else torch.zeros_like(chosen)
            if term.every > 0.0:
                steps = max(1, round(term.every / self.step_seconds))
                due = due | ((self.episode_length % steps == 0) & (self.episode_length > 0))
            if not looks or bool(due.any()):
                self._changed = True
                self.random.start(64 + place)
                getattr(self, term.name)(due)
                self.live.changed()

    def _observe(self) -> None:
        self.random.start(128)
        self._fill(self.observations)
        if hasattr(self, "_needs"):
            self._needs["observe"] = self._needs["observe"] | self.live.asked

    def _fill(self, groups: dict[str, torch.Tensor]) -> None:
        parts: dict[str, list[torch.Tensor]] = {}
        for term in self._terms["observation"]:
            values = getattr(self, term.name)()
            if self.noise and term.noise > 0.0:
                values = values + self.random.uniform(-term.noise, term.noise, values.shape[1])
            parts.setdefault(term.group, []).append(values * term.scale if term.scale != 1.0 else values)
        for group, some in parts.items():
            if group not in groups:
                with torch.inference_mode(False):
                    groups[group] = self.buffer(sum(one.shape[1] for one in some))
            groups[group].copy_(torch.cat(some, dim=1))

    def _compute(self, phases: set[str]) -> None:
        for phase in sorted(phases):
            self.world.compute(phase)

    # -- arrays of users -----------------------------------------------------------------------------------------

    def _given(self, tensor: torch.Tensor) -> Any:
        return tensor.clone() if self._arrays == "torch" else tensor.cpu().numpy().copy()

    def _taken(self, actions: Any) -> torch.Tensor:
        found = torch.as_tensor(actions, dtype=torch.float32, device=self.device)
        if found.shape != (self.num_envs, self.num_actions):
            wanted = (self.num_envs, self.num_actions)
            raise ValueError(f"{type(self).__name__}: actions have shape {tuple(found.shape)}; they must have {wanted}")
        return found
