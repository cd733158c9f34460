"""What training and farms cost on more machines than were measured: a model, its inputs, and what it predicts.

    python -m benchmarks.scale_model                     # from what was measured on one H200
    python -m benchmarks.scale_model --ranks out.json    # with points of python -m benchmarks.ranks, which correct it

Prints the tables of docs/scale.md. Inputs called measured come from benchmarks/results or from
docs/scale.md, the others are assumptions, which a run on several GPUs has to correct.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import dataclass, replace
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results" / "learning" / "2026-11-23-overhead-h200.json"
TASK, ENVS, STEPS, UPDATES, PARAMETERS = "quadruped-flat", 4096, 24, 20, 80_281


def largest_of(count: int) -> float:
    """Mean of the largest of so many normal numbers."""
    if count == 1:
        return 0.0
    step, total = 1e-3, 0.0
    for n in range(-8000, 8001):
        x = n * step
        below = 0.5 * math.erfc(-x / math.sqrt(2.0))
        total += x * count * math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi) * below ** (count - 1) * step
    return total


@dataclass(frozen=True)
class Training:
    """A round of one rank, s, and what ranks send.

    Attributes:
        simulate, learn: of one rank alone (measured).
        jitter: standard deviation of a rank's round (measured).
        local, network: s of a small collective for each doubling of ranks, within a machine and between machines.
        bandwidth: bytes/s of a machine's network for one rank.
        per_node: ranks of a machine.
    """

    simulate: float
    learn: float
    jitter: float
    local: float = 12e-6
    network: float = 15e-6
    bandwidth: float = 40e9
    per_node: int = 8

    def parts(self, ranks: int) -> dict[str, float]:
        """Seconds of a round by cause, for weak scaling."""
        nodes = -(-ranks // self.per_node)
        hops = math.log2(min(ranks, self.per_node)) * self.local + math.log2(nodes) * self.network
        calls = 3 * UPDATES + 4  # gradients, KL and learning rate of each update; advantages, losses, episodes
        size = 4 * PARAMETERS
        sent = 2 * size * (ranks - 1) / ranks / self.bandwidth * UPDATES if nodes > 1 else 0.0
        waits = self.jitter * largest_of(ranks)
        return {
            "simulates": self.simulate,
            "learns": self.learn,
            "waits": waits,
            "latency": calls * hops,
            "sends": sent,
        }

    def rate(self, ranks: int) -> float:
        """Environment steps per second of all ranks."""
        return ranks * ENVS * STEPS / sum(self.parts(ranks).values())


@dataclass(frozen=True)
class Farm:
    """Workers that write shards.

    Attributes:
        steps_per_second: of one worker (measured on one H200, physics and task).
        sample_bytes: of an environment's sample.
        every: steps between samples.
        shard_seconds: that a worker simulates before it writes.
        compression: share of bytes that is left (measured: random joint angles hardly compress).
        worker_bytes_per_second: that one process compresses and writes (measured).
        store_bytes_per_second: of the store, in all.
        commit_seconds: of a commit, one after the other.
        mtbf, restart: s between failures of a worker, and until it is back.
    """

    steps_per_second: float
    sample_bytes: float = 4.0 * 24
    every: int = 10
    shard_seconds: float = 60.0
    compression: float = 0.92
    worker_bytes_per_second: float = 110e6
    store_bytes_per_second: float = 20e9
    commit_seconds: float = 0.05
    mtbf: float = 3600.0
    restart: float = 120.0

    def limits(self, workers: int) -> dict[str, float]:
        """Environment steps per second that each part could do, if it were the only one."""
        step_bytes = self.sample_bytes / self.every * self.compression
        cycle = self.shard_seconds * (1.0 + self.steps_per_second * step_bytes / self.worker_bytes_per_second)
        each = (self.mtbf + self.restart) * math.expm1(cycle / self.mtbf)
        return {
            "workers": workers * self.steps_per_second * self.shard_seconds / each,
            "store": self.store_bytes_per_second / step_bytes,
            "commits": self.steps_per_second * self.shard_seconds / self.commit_seconds,
        }


def measured() -> Training:
    """From the curve of one H200."""
    curve = json.loads(RESULTS.read_text())[TASK]["curve"][10:]
    samples = ENVS * STEPS
    whole = [samples / row["steps_per_second"] for row in curve]
    simulated = sorted(samples / row["stepping_steps_per_second"] for row in curve)[len(curve) // 2]
    middle = sorted(whole)[len(whole) // 2]
    spread = sorted(abs(one - middle) for one in whole)[len(whole) // 2] * 1.4826  # of a normal distribution
    return Training(simulated, middle - simulated, spread)


def corrected(model: Training, path: Path) -> Training:
    """With the latency that measured runs of several ranks on one machine have."""
    cases = [one for one in json.loads(path.read_text())["cases"] if one["kind"] == "weak" and one["task"] == TASK]
    cases = [one for one in cases if one["envs"] == ENVS]
    alone = next(one for one in cases if one["ranks"] == 1)["round_seconds"]
    model = replace(model, simulate=alone["simulates"], learn=alone["learns"])
    found = []
    for one in cases:
        if one["ranks"] > 1:
            rest = sum(one["round_seconds"][name] - alone[name] for name in ("simulates", "learns"))
            rest -= model.parts(one["ranks"])["waits"]
            found.append(rest / (3 * UPDATES + 4) / math.log2(one["ranks"]))
    return replace(model, local=sum(found) / len(found)) if found else model


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=Path, help="figures of python -m benchmarks.ranks")
    options = parser.parse_args()
    model = measured() if options.ranks is None else corrected(measured(), options.ranks)
    milliseconds = [1e3 * one for one in (model.simulate, model.learn, model.jitter)]
    print("simulates {:.1f} ms, learns {:.1f} ms, jitter {:.2f} ms\n".format(*milliseconds))
    print("| GPUs | M steps/s | of linear | waits | latency | sends |\n|---|---|---|---|---|---|")
    for ranks in (1, 2, 4, 8, 64, 512, 1000):
        parts = model.parts(ranks)
        added = {name: parts[name] for name in ("waits", "latency", "sends")}
        rate = model.rate(ranks)
        text = " | ".join(f"{1e3 * value:.2f} ms" for value in added.values())
        share = 100 * rate / ranks / model.rate(1)
        print(f"| {ranks} | {rate / 1e6:.3g} | {share:.0f} % | {text} |")
    speed = json.loads(RESULTS.read_text())[TASK]["speed"]["steps_per_second"]
    print("\n| workers | shard | M steps/s | of linear | first bottleneck |\n|---|---|---|---|---|")
    for workers in (8, 512, 1000):
        for seconds in (10.0, 60.0, 600.0):
            limits = Farm(speed, shard_seconds=seconds).limits(workers)
            first = min(limits, key=lambda name: limits[name])
            share = 100 * limits[first] / (workers * speed)
            print(f"| {workers} | {seconds:g} s | {limits[first] / 1e6:.3g} | {share:.0f} % | {first} |")


if __name__ == "__main__":
    main()
