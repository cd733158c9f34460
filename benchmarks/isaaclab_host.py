"""What a control step of one of Isaac Lab's tasks costs on the host, by whose code it is.

    python benchmarks/isaaclab_host.py Isaac-Velocity-Flat-Anymal-C-v0 Isaac-Cartpole-v0 --json out.json
    PYTHONPATH=../before python benchmarks/isaaclab_host.py ... --json before.json   # another checkout

With few environments on a CPU arrays are so small that what is left is what a GPU would wait for: Python, and calls
of array libraries. All times are CPU time of the process, so that what else the machine does counts little. Each task
runs in a process of its own; actions are the same each time. A task's figures are

* ``trajectory``: a hash of all observations and rewards of the first steps. Two checkouts that compute the same have
  the same one;
* ``plain_ms``: a control step as it is, without any clock in it; ``reset_ms``: a reset of half of the environments;
* ``calls_ms``: parts of a step, each with one clock around it: ``scene.write_data_to_sim``, ``sim.step`` without the
  engine's step, ``engine.step``, ``scene.update``;
* ``profile_step_ms``, ``profile_reset_ms``: by cProfile, which costs time itself, whose code it is: time in functions
  of a file, and in builtins (torch's and NumPy's operations among them) that they call;
* ``calls_step``, ``calls_reset``: functions called;
* ``launched_step``, ``launched_reset``: ``operations`` of torch, which compute or copy (views do not count), each of
  which is at least one launch on a GPU, and ``waits``, those of them that would wait for one; ``programs`` of the
  facade's kernels, each one graph on a GPU. NumPy's operations, which are CuPy's there, are not counted.
"""

from __future__ import annotations

import argparse
import cProfile
import hashlib
import json
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from phalanx.bench.machine import machine

MARK = "measured: "

VIEWS = frozenset(
    re.findall(
        r"\w+",
        "alias as_strided detach expand flatten lift_fresh permute reshape select slice split squeeze t transpose "
        "unbind unsqueeze view _unsafe_view _reshape_alias",
    )
)
"""Operations of torch that give another view of what there is."""

WAITS = ("item", "_local_scalar_dense", "nonzero", "is_nonzero", "equal", "masked_select", "unique")
"""Operations of torch after which the host knows numbers of the device."""


def owner(file: str) -> str:
    """Whose code a file is."""
    for part, name in (("/phalanx/facade/", "facade"), ("/phalanx/", "engine"), ("/isaaclab/", "isaaclab")):
        if part in file:
            return name
    return "torch" if "/torch/" in file else "other"


def by_owner(profile: cProfile.Profile) -> dict[str, float]:
    """Seconds by whose code it is; builtins count for those who call them."""
    import pstats

    found: Counter[str] = Counter()
    for (file, _, _), (_, _, own, _, callers) in pstats.Stats(profile).stats.items():  # pyright: ignore
        if file != "~":
            found[owner(file)] += own
            continue
        for (caller, _, _), (_, _, spent, _) in callers.items():
            found["other" if caller == "~" else owner(caller)] += spent
    return dict(found)


class Clock:
    """CPU time of calls, those within them apart."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)
        self._open: list[str] = []

    def around(self, owner: Any, method: str, name: str) -> None:
        """Let a method's calls be timed from now on."""
        call = getattr(owner, method)

        def run(*args: Any, **kwargs: Any) -> Any:
            begin = time.process_time()
            self._open.append(name)
            try:
                return call(*args, **kwargs)
            finally:
                self._open.pop()
                taken = time.process_time() - begin
                self.spent[name] += taken
                if self._open:
                    self.spent[self._open[-1]] -= taken

        setattr(owner, method, run)


def counted(step: Callable[[int], None], count: int) -> dict[str, float]:
    """Operations of torch and programs of the engine a step."""
    from torch.utils._python_dispatch import TorchDispatchMode

    from phalanx.world.engine.launches import Kernels

    found: Counter[str] = Counter()

    class Count(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name, kwargs = func.overloadpacket.__name__, kwargs or {}
            result = func(*args, **kwargs)
            same = name in ("to", "_to_copy", "contiguous") and result is args[0]
            if name not in VIEWS and not same:
                found["operations"] += 1
            if name in WAITS:
                found["waits"] += 1
            return result

    run = Kernels.run

    def run_and_count(self: Any) -> None:
        found["programs"] += 1
        run(self)

    Kernels.run = run_and_count
    try:
        with Count():
            for k in range(count):
                step(k)
    finally:
        Kernels.run = run
    return {name: found[name] / count for name in ("operations", "waits", "programs")}


def measure(task: str, num_envs: int, steps: int) -> dict[str, Any]:
    """All figures of a task, in this process."""
    from phalanx import facade

    facade.install()
    import gymnasium as gym
    import torch
    from isaaclab.app import AppLauncher  # pyright: ignore[reportMissingImports]

    torch.set_num_threads(1)
    AppLauncher(headless=True, device="cpu")
    import isaaclab_tasks  # noqa: F401 # pyright: ignore[reportMissingImports]
    from isaaclab_tasks.utils import parse_env_cfg  # pyright: ignore[reportMissingImports]

    cfg = parse_env_cfg(task, device="cpu", num_envs=num_envs)
    cfg.seed = 0
    env: Any = gym.make(task, cfg=cfg).unwrapped
    env.reset()
    random = torch.Generator().manual_seed(1)
    shape = (num_envs, env.single_action_space.shape[0])
    actions = [torch.rand(shape, generator=random) * 2.0 - 1.0 for _ in range(64)]
    hashed = hashlib.sha256()

    def step(k: int) -> Any:
        return env.step(actions[k % len(actions)])

    def reset(k: int) -> None:
        env._reset_idx(torch.arange(k % 2, num_envs, 2))

    with torch.inference_mode():
        for k in range(steps):
            observations, reward, *_ = step(k)
            for each in (observations["policy"], reward):
                hashed.update(each.contiguous().numpy().tobytes())
        for k in range(20):
            reset(k)
            step(k)
        found: dict[str, Any] = {"trajectory": hashed.hexdigest(), "steps": steps, "num_envs": num_envs}
        found["plain_ms"] = seconds(step, steps) * 1e3
        found["reset_ms"] = seconds(reset, steps) * 1e3
        for name, call in (("step", step), ("reset", reset)):
            profile = cProfile.Profile(time.process_time)
            profile.enable()
            for k in range(steps):
                call(k)
            profile.disable()
            found[f"profile_{name}_ms"] = {name: 1e3 * s / steps for name, s in by_owner(profile).items()}
            found[f"calls_{name}"] = sum(entry.callcount for entry in profile.getstats()) / steps
            found[f"launched_{name}"] = counted(call, 20)
        clock = Clock()
        clock.around(env.scene, "write_data_to_sim", "scene.write_data_to_sim")
        clock.around(env.scene, "update", "scene.update")
        clock.around(env.sim, "step", "sim.step")
        clock.around(env.sim.stage_world.world, "step", "engine.step")
        for k in range(steps):
            step(k)
        found["calls_ms"] = {name: 1e3 * spent / steps for name, spent in clock.spent.items()}
    env.close()
    return found


def seconds(call: Callable[[int], Any], count: int) -> float:
    """CPU time of a call, the least of three rounds."""
    taken = []
    for _ in range(3):
        begin = time.process_time()
        for k in range(count):
            call(k)
        taken.append((time.process_time() - begin) / count)
    return min(taken)


def main() -> None:
    """Measure tasks one after the other, print, and write JSON if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("tasks", nargs="+")
    parser.add_argument("--num-envs", type=int, default=4)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        print(MARK + json.dumps(measure(options.tasks[0], options.num_envs, options.steps)), flush=True)
        return
    found: dict[str, Any] = {"machine": machine(), "tasks": {}}
    for task in options.tasks:
        size = ["--num-envs", str(options.num_envs), "--steps", str(options.steps)]
        done = subprocess.run(
            [sys.executable, __file__, task, "--here", *size], stdout=subprocess.PIPE, text=True, check=True
        )
        line = next(line for line in done.stdout.splitlines() if line.startswith(MARK))
        found["tasks"][task] = json.loads(line.removeprefix(MARK))
        print(task, json.dumps(found["tasks"][task], indent=1), flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
