"""How stepping and training scale over several processes, each with a GPU of its own, or sharing processors.

    python -m benchmarks.ranks --json out.json                            # 1, 2, 4, ... GPUs, as many as there are
    python -m benchmarks.ranks quadruped-flat --ranks 1 2 8 --weak 4096 8192 --strong 32768 --cold --json out.json
    python -m benchmarks.ranks cartpole --device cpu --ranks 1 2 --weak 256 --strong 512 --json out.json

For each task, number of ranks and environments: environment steps per second of stepping alone (random actions) and of
training; seconds per round that a rank simulates, learns and waits in collectives; memory; time to the first step (with
``--cold`` in a process before, with an empty kernel cache). ``digest`` is of what every environment did with given
actions: runs of equally many environments must agree in it, however many ranks they are split over. Weak scaling has so
many environments on each rank, strong scaling so many in all.

    python -m benchmarks.ranks cartpole --device cpu --threads 1 --ranks 1 2 4 --weak 256 --together 5 --json out.json

``--together`` compares numbers of ranks without starting them anew, which is what a machine wants whose clocks go up
and down: as many ranks as the largest number wants step in turns, first one of them alone while the others wait, then
two at the same time, and so on, and all of this so many times. The median of rates counts, and so does the median of
each turn's own ratios. A virtual machine's processors may be lent to others meanwhile, which the system counts as
stolen time: ``calm_ratios`` is of the turns in which it is at most 1 % of the turn, if there are five.
``control_ratios`` is of a plain loop of Python between them, which shares nothing: what the machine itself gives.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

CALM = 0.01
"""Most seconds of processors lent to others, of a turn's own, for its ratio to count among the calm ones."""
CHECKED = 40
"""Steps whose digest is taken."""
LETTERS = 8
"""Random actions that take turns while stepping is timed."""


def main() -> int:
    """Run all cases, each as ranks of its own; print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", default=["quadruped-flat", "quadruped-rough"], metavar="TASK")
    parser.add_argument("--ranks", type=int, nargs="+", help="by default powers of two up to the number of GPUs")
    parser.add_argument("--weak", type=int, nargs="*", default=[4096, 8192], help="environments on each rank")
    parser.add_argument("--strong", type=int, nargs="*", default=[32768], help="environments in all")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--steps", type=int, default=200, help="that are timed")
    parser.add_argument("--rounds", type=int, default=20, help="of training that are timed")
    parser.add_argument("--cold", action="store_true", help="also start with an empty kernel cache")
    parser.add_argument("--threads", type=int, help="of each rank; by default they share what there is")
    parser.add_argument("--together", type=int, default=0, metavar="TURNS", help="compare within one start")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    from phalanx.bench.machine import machine

    counts = options.ranks or _counts(options.device)
    results: dict[str, Any] = {"machine": machine(), "cases": []}
    for task in options.tasks:
        if options.together:
            for envs in options.weak:
                asked = {"task": task, "envs": envs, "device": options.device, "steps": options.steps, "rounds": 0}
                case = _run(
                    max(counts), asked | {"turns": options.together, "counts": counts}, _threads(options, max(counts))
                )
                results["cases"].append({"kind": "together"} | case)
                for count, rate, ratio, control in zip(
                    counts, case["rates"], case["ratios"], case["control_ratios"], strict=True
                ):
                    told = f"{ratio:.2f}, a plain loop {control:.2f}"
                    print(f"{task:16s} {count:3d} x {envs:6d}, stepping {rate:10.4g}/s ({told})", flush=True)
                if case["calm_ratios"] is not None:
                    shown = ", ".join(f"{ratio:.2f}" for ratio in case["calm_ratios"])
                    print(f"{'':16s} in the {case['calm_turns']} turns without stolen time: {shown}", flush=True)
                if options.json is not None:
                    options.json.write_text(json.dumps(results, indent=1))
            continue
        sizes = [("weak", each, count) for each in options.weak for count in counts]
        sizes += [("strong", whole // count, count) for whole in options.strong for count in counts]
        for n, (kind, envs, count) in enumerate(sizes):
            asked = {"task": task, "envs": envs, "device": options.device, "steps": options.steps}
            asked["rounds"] = options.rounds
            case = {"kind": kind, "ranks": count}
            if options.cold and n == len(counts) - 1:
                with tempfile.TemporaryDirectory() as cache:
                    cold = _run(count, asked | {"steps": 1, "rounds": 0}, {"PHALANX_CACHE_DIR": cache})
                case["cold_first_step_seconds"] = cold["first_step_seconds"]
            case |= _run(count, asked, _threads(options, count))
            results["cases"].append(case)
            _say(case, results["cases"])
            if options.json is not None:
                options.json.write_text(json.dumps(results, indent=1))
    return _compare(results["cases"])


def _threads(options: argparse.Namespace, count: int) -> dict[str, str]:
    """Environment variables by which each of so many ranks has the threads that were asked for."""
    if options.threads is None:
        return {}
    return {"PHALANX_NUM_THREADS": str(options.threads * count), "OMP_NUM_THREADS": str(options.threads)}


def _counts(device: str) -> list[int]:
    import torch

    most = torch.cuda.device_count() if device == "auto" else 0
    most = most or len(os.sched_getaffinity(0))
    return [1 << n for n in range(most.bit_length())]


def _run(count: int, asked: dict[str, Any], environment: dict[str, str]) -> dict[str, Any]:
    """A case, by ranks that are processes of their own; figures of rank 0."""
    from phalanx.commands.common import UserError
    from phalanx.commands.launching import launch

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figures.json"
        before = {name: os.environ.get(name) for name in environment}
        os.environ.update(environment)
        try:
            code = launch(count, "benchmarks.ranks", ["--rank", json.dumps(asked | {"out": str(path)})])
        except UserError as error:
            sys.exit(f"{asked['task']}, {count} ranks: {error}")
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})
        if code:
            sys.exit(code)
        return json.loads(path.read_text())


def _say(case: dict[str, Any], cases: list[dict[str, Any]]) -> None:
    same = ("kind", "task", "envs") if case["kind"] == "weak" else ("kind", "task", "envs_in_all")
    first = next(one for one in cases if all(one[name] == case[name] for name in same))
    parts = [f"{case['task']:16s} {case['kind']:6s} {case['ranks']} x {case['envs']:6d}"]
    for name in ("stepping", "training"):
        rate = case.get(f"{name}_steps_per_second")
        if rate:
            parts.append(f"{name} {rate:10.4g}/s ({rate / first[f'{name}_steps_per_second']:.2f})")
    if "round_seconds" in case:
        each = case["round_seconds"]
        parts.append(" ".join(f"{name} {1e3 * value:.1f}" for name, value in each.items()) + " ms")
    parts.append(f"first step {case['first_step_seconds']:.1f} s")
    print(", ".join(parts), flush=True)


def _compare(cases: list[dict[str, Any]]) -> int:
    """Whether runs of equally many environments did the same; 1 if not."""
    found: dict[tuple[str, int], set[str]] = {}
    for case in cases:
        found.setdefault((case["task"], case["envs_in_all"]), set()).add(case["digest"])
    differ = [key for key, digests in found.items() if len(digests) > 1]
    for task, envs in differ:
        print(f"{task}: {envs} environments differ between numbers of ranks")
    return 1 if differ else 0


# -- a rank ------------------------------------------------------------------------------------------------------


def rank(asked: dict[str, Any]) -> None:
    """What one process does."""
    began = time.perf_counter()
    import torch

    from phalanx import learn
    from phalanx.learn.ranks import Ranks

    own = Ranks.of()
    device = own.device(asked["device"], torch.cuda.device_count())
    own.join(device)
    envs = asked["envs"]
    env = learn.make(asked["task"], envs, device, seed=1, infos=False, first_env=own.rank * envs)
    env.reset()
    actions = [_actions(env, n) for n in range(LETTERS)]
    env.advance(actions[0])
    _wait(device)
    first = own.sum(torch.tensor([time.perf_counter() - began], dtype=torch.float64, device=device))
    env.reset()
    digest = _digest(own, env, actions)
    found: dict[str, Any] = {
        "task": asked["task"],
        "envs": envs,
        "envs_in_all": envs * own.count,
        "device": device.partition(":")[0],
        "backend": own.backend(device, torch.cuda.device_count()) if own.count > 1 else None,
        "first_step_seconds": float(first) / own.count,
        "digest": digest,
    }
    if "turns" in asked:
        found |= _turns(own, device, env, actions, asked)
        if own.first:
            Path(asked["out"]).write_text(json.dumps(found))
        return own.leave()
    seconds = _timed(own, device, lambda: [env.advance(actions[n % LETTERS]) for n in range(asked["steps"])])
    found["stepping_steps_per_second"] = envs * own.count * asked["steps"] / seconds
    if asked["rounds"]:
        found |= _training(own, env, asked)
    found["memory_bytes"] = _memory(device)
    if own.first:
        Path(asked["out"]).write_text(json.dumps(found))
    return own.leave()


def _turns(own: Any, device: str, env: Any, actions: list[Any], asked: dict[str, Any]) -> dict[str, Any]:
    """Rates of the first so many ranks, while the others wait; each turn's by the slowest of them."""
    import torch

    def step() -> None:
        for number in range(asked["steps"]):
            env.advance(actions[number % LETTERS])
        _wait(device)

    work = (step, _arithmetic)
    seconds = torch.zeros((2, asked["turns"], len(asked["counts"]), own.count), dtype=torch.float64, device=device)
    stolen = torch.zeros(seconds.shape[1:3], dtype=torch.float64)
    for turn in range(asked["turns"]):
        for n, count in enumerate(asked["counts"]):
            for kind, function in enumerate(work):
                own.sum(torch.zeros(1, device=device))
                _wait(device)
                before = _stolen()
                if own.rank < count:
                    start = time.perf_counter()
                    function()
                    seconds[kind, turn, n, own.rank] = time.perf_counter() - start
                own.sum(torch.zeros(1, device=device))
                if function is step:
                    stolen[turn, n] = _stolen() - before
    slowest, control = own.sum(seconds).max(dim=3).values.cpu()
    control = torch.tensor(asked["counts"]) * control[:, :1] / control
    rates = env.num_envs * asked["steps"] * torch.tensor(asked["counts"]) / slowest
    ratios = rates / rates[:, :1]
    calm = ratios[(stolen / slowest).max(dim=1).values <= CALM]
    return {
        "counts": asked["counts"],
        "rates": rates.median(dim=0).values.tolist(),
        "ratios": ratios.median(dim=0).values.tolist(),
        "control_ratios": control.median(dim=0).values.tolist(),
        "calm_turns": len(calm),
        "calm_ratios": calm.median(dim=0).values.tolist() if len(calm) >= 5 else None,
        "turns": rates.tolist(),
        "stolen_seconds": stolen.tolist(),
    }


def _arithmetic() -> None:
    """What no process can slow another by on a machine that has a processor for each."""
    total = 0
    for number in range(1_000_000):
        total += number * number & 7


def _stolen() -> float:
    """Seconds of processor time that this machine's host has given to others since the start, of all processors."""
    stat = Path("/proc/stat")
    if not stat.exists():
        return 0.0
    return int(stat.read_text().split(maxsplit=9)[8]) / os.sysconf("SC_CLK_TCK")


def _actions(env: Any, number: int) -> Any:
    from phalanx.learn.random import Random

    random = Random(env.num_envs, 1000 + number, env.device, env.first_env)
    random.start(0)
    return random.normal(0.0, 1.0, env.num_actions)


def _wait(device: str) -> None:
    import torch

    if device != "cpu":
        torch.cuda.synchronize(device)


def _timed(own: Any, device: str, work: Any) -> float:
    """Seconds until all ranks have done it, from when all begin."""
    import torch

    own.sum(torch.zeros(1, device=device))
    _wait(device)
    start = time.perf_counter()
    work()
    _wait(device)
    own.sum(torch.zeros(1, device=device))
    _wait(device)
    return time.perf_counter() - start


def _digest(own: Any, env: Any, actions: list[Any]) -> str:
    """Of observations and rewards of every environment of all ranks, in their order."""
    import torch

    hashes = [hashlib.sha256() for _ in range(env.num_envs)]
    for n in range(CHECKED):
        env.advance(actions[n % LETTERS])
        rows = torch.cat((env.observations["policy"], env.reward[:, None]), dim=1).cpu().numpy()
        for digest, row in zip(hashes, rows, strict=True):
            digest.update(row.tobytes())
    words = b"".join(digest.digest()[:8] for digest in hashes)
    mine = torch.frombuffer(bytearray(words), dtype=torch.int64).to(env.device)
    if own.count > 1:
        found = [torch.empty_like(mine) for _ in range(own.count)]
        torch.distributed.all_gather(found, mine)
        mine = torch.cat(found)
    return hashlib.sha256(mine.cpu().numpy().tobytes()).hexdigest()


def _training(own: Any, env: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """Rates and parts of a round, after one that is not timed.

    The time of gradients is taken in further rounds, in which the device is waited for before and after them.
    """
    from phalanx.learn.recipes import recipe
    from phalanx.learn.trainer import Trainer

    device = str(env.device)
    trainer = Trainer(env, recipe(asked["task"], device).settings(), None, asked["task"], 0, own)
    trainer.learn(1)
    algorithm, sent = trainer.runner.alg, [0.0]
    reduce = algorithm.reduce_parameters

    def timed() -> None:
        _wait(device)
        start = time.perf_counter()
        reduce()
        _wait(device)
        sent[0] += time.perf_counter() - start

    rounds, per_round = asked["rounds"], trainer.runner.num_steps_per_env * env.num_envs * own.count
    seconds = _timed(own, device, lambda: trainer.learn(rounds))
    rows = trainer.curve[-rounds:]
    whole = sum(per_round / row["steps_per_second"] for row in rows) / rounds
    simulated = sum(per_round / row["stepping_steps_per_second"] for row in rows) / rounds
    algorithm.reduce_parameters = timed
    trainer.learn(3)
    return {
        "parameters": trainer.parameters,
        "training_steps_per_second": per_round * rounds / seconds,
        "round_seconds": {"simulates": simulated, "learns": whole - simulated, "gradients": sent[0] / 3},
    }


def _memory(device: str) -> int:
    """Bytes that this process, or its GPU, has in use."""
    import torch

    if device == "cpu":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    free, total = torch.cuda.mem_get_info(device)
    return total - free


if __name__ == "__main__":
    if sys.argv[1:2] == ["--rank"]:
        rank(json.loads(sys.argv[2]))
    else:
        sys.exit(main())
