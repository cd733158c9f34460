"""What a change costs: two checkouts step the same scenes in turns, and their processor time is compared.

    git worktree add /tmp/before COMMIT^ && git worktree add /tmp/after COMMIT
    python benchmarks/pairs.py /tmp/before /tmp/after --cases humanoid:64 quadruped:64 --seconds 20 --json out.json

Each checkout has a process that builds the scene and steps it, on one thread and, if ``--core`` says so, on one core,
the same for both. They take turns (before, after, after, before, ...), each turn a repetition of some stretches of the
scene from its start, some tens of milliseconds long. What else the machine does slows both alike. Where the memory of a
process lies makes some percent of difference for as long as it runs, so that pairs of new processes are started
``--restarts`` times. The ratio is the median of theirs, each of which is that of turns side by side; its interval has
95 % of the medians of resampled ones. One checkout against itself shows what is left of noise. ``same_bits`` says
whether both moved the same. The time of the package's import and of the first world in new processes, kernels in the
cache, is compared in the same way (``--imports``).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any

import numpy as np

START = {
    "import": "import phalanx",
    "world": (
        "import phalanx as px; w = px.World(1); "
        "w.add_rigid_object(px.Shape('sphere', (0.1,)), 'ball', mass=1.0); w.build()"
    ),
}


def child(case: str, frames: int) -> None:
    """Serve repetitions: one for each line that comes, answered by processor seconds and a digest of where all is."""
    from phalanx.bench.build import set_up
    from phalanx.bench.measure import stretch
    from phalanx.bench.scenes import SCENES

    name, _, count = case.partition(":")
    setup = set_up(SCENES[name], int(count), "cpu", "float32")
    world = setup.world
    for line in sys.stdin:
        del line
        world.reset()
        begin = time.process_time()
        for frame in range(frames):
            stretch(setup, frame)
        spent = time.process_time() - begin
        found = hashlib.sha256()
        for actor in world.actors.values():
            found.update(np.ascontiguousarray(actor.root_pose).tobytes())
        print(json.dumps([spent, found.hexdigest()[:16]]), flush=True)


class Checkout:
    """A process of one checkout."""

    def __init__(self, root: Path, case: str, frames: int, core: int | None) -> None:
        command = [sys.executable, __file__, "--child", case, "--frames", str(frames)]
        process = subprocess.Popen(
            command, env=environment(root), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root
        )
        assert process.stdin is not None and process.stdout is not None
        self.process = process
        self.orders: IO[str] = process.stdin
        self.answers: IO[str] = process.stdout
        if core is not None:
            os.sched_setaffinity(process.pid, {core})

    def turn(self) -> tuple[float, str]:
        """A repetition: seconds and digest."""
        print(file=self.orders, flush=True)
        answer = self.answers.readline()
        if not answer:
            raise RuntimeError(f"the process ended with code {self.process.wait()}")
        seconds, digest = json.loads(answer)
        return seconds, digest

    def close(self) -> None:
        """End it."""
        self.orders.close()
        self.process.wait()


def environment(root: Path) -> dict[str, str]:
    """Variables of a process that imports a checkout; others of PYTHONPATH, such as a folder of packages, stay."""
    path = [str(root), *(each for each in os.environ.get("PYTHONPATH", "").split(":")[0:] if each)]
    return {**os.environ, "PYTHONPATH": ":".join(path), "PHALANX_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def compare(before: list[float], after: list[float]) -> dict[str, Any]:
    """Ratio of turns side by side, and where it is with 95 % certainty by resampling."""
    ratios = np.array(after) / np.array(before)
    rng = np.random.default_rng(0)
    medians = np.median(rng.choice(ratios, (2000, len(ratios))), axis=1)
    return {
        "ratio": float(np.median(ratios)),
        "interval": np.quantile(medians, [0.025, 0.975]).tolist(),
        "ratio_of_least": min(after) / min(before),
        "turns": len(ratios),
        "median_seconds": [float(np.median(before)), float(np.median(after))],
    }


def steps(
    roots: tuple[Path, Path], case: str, frames: int, seconds: float, core: int | None, restarts: int
) -> dict[str, Any]:
    """Both step a scene in turns for so long, in pairs of new processes."""
    found = [_pair(roots, case, frames, seconds / restarts, core, number % 2 == 1) for number in range(restarts)]
    ratios = np.array([each["ratio"] for each in found])
    rng = np.random.default_rng(0)
    medians = np.median(rng.choice(ratios, (2000, len(ratios))), axis=1)
    return {
        "ratio": float(np.median(ratios)),
        "interval": np.quantile(medians, [0.025, 0.975]).tolist(),
        "same_bits": all(each["same_bits"] for each in found),
        "pairs": found,
    }


def _pair(
    roots: tuple[Path, Path], case: str, frames: int, seconds: float, core: int | None, later_first: bool
) -> dict[str, Any]:
    order = (1, 0) if later_first else (0, 1)
    started = {which: Checkout(roots[which], case, frames, core) for which in order}
    pair = [started[0], started[1]]
    try:
        for one in pair:  # what is compiled and touched first
            one.turn()
            one.turn()
        taken: tuple[list[float], list[float]] = ([], [])
        digests: set[str] = set()
        end = time.monotonic() + seconds
        while time.monotonic() < end or len(taken[0]) < 10:
            for which in (0, 1) if len(taken[0]) % 2 == 0 else (1, 0):
                spent, digest = pair[which].turn()
                taken[which].append(spent)
                digests.add(digest)
    finally:
        for one in pair:
            one.close()
    return {**compare(*taken), "same_bits": len(digests) == 1}


def imports(roots: tuple[Path, Path], runs: int) -> dict[str, Any]:
    """Processor seconds of new processes, in turns; compiled Python files are there, as in an installed package."""
    found: dict[str, Any] = {}
    code = "import resource; {}; r = resource.getrusage(resource.RUSAGE_SELF); print(r.ru_utime + r.ru_stime)"
    for name, start in START.items():
        taken: tuple[list[float], list[float]] = ([], [])
        for turn in range(runs + 1):
            for which in (0, 1) if turn % 2 == 0 else (1, 0):
                command = [sys.executable, "-c", code.format(start)]
                done = subprocess.run(
                    command, env=environment(roots[which]), capture_output=True, text=True, check=True
                )
                if turn:
                    taken[which].append(float(done.stdout.split()[-1]))
        found[name] = {**compare(*taken), "least_seconds": [min(taken[0]), min(taken[1])]}
        found[name]["more_milliseconds"] = float(np.median(np.array(taken[1]) - np.array(taken[0]))) * 1e3
    return found


def main() -> None:
    """Compare, print, and write JSON if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("roots", nargs="*", type=Path, help="the checkout before, and the one after")
    parser.add_argument("--cases", nargs="*", default=[], help="scene:environments, as phalanx bench names them")
    parser.add_argument("--frames", type=int, default=4, help="stretches of a turn")
    parser.add_argument("--seconds", type=float, default=10.0, help="of turns, for each case")
    parser.add_argument("--restarts", type=int, default=6, help="pairs of processes for each case")
    parser.add_argument("--core", type=int, help="which core both run on")
    parser.add_argument("--imports", type=int, default=0, help="new processes of each that import the package")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.frames)
        return
    before, after = (root.resolve() for root in options.roots)
    found: dict[str, Any] = {"before": before.name, "after": after.name, "load_average": os.getloadavg()[0]}
    for case in options.cases:
        found[case] = steps((before, after), case, options.frames, options.seconds, options.core, options.restarts)
        print(case, json.dumps(found[case]), flush=True)
    if options.imports:
        found["imports"] = imports((before, after), options.imports)
        print("imports", json.dumps(found["imports"]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
