"""What the checks of a step cost: a world steps with and without them in one process, in turns.

    python benchmarks/guards.py humanoid:16 quadruped:32 cartpole:1 --seconds 10 --json out.json

Without: contacts may not stop a block where they have no room (nothing is looked up between systems), no second
thread is looked for, and Ctrl-C may come at any moment. All else, kernels and memory too, is the same, which is what
two checkouts in two processes do not give (``pairs.py``). Each turn is 50 steps from the scene's start, by 50 calls
of ``step()`` or by one. Processor time of one thread; the median of the ratios of turns side by side, and 95 % of the
medians of resampled ones.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["PHALANX_NUM_THREADS"] = "1"

import numpy as np

from phalanx.bench.build import set_up
from phalanx.bench.machine import machine
from phalanx.bench.scenes import SCENES
from phalanx.ecs.cpu.program import Program
from phalanx.world.engine import engine as engines

STEPS = 50


@contextlib.contextmanager
def without_checks(world: Any) -> Iterator[None]:
    """Steps of a world that look for nothing."""
    guard, interrupt, go_on = world.engine._one_thread, engines.no_interrupt, Program._go_on

    def unflagged(self: Program, retries: np.ndarray, flags: np.ndarray) -> None:
        go_on(self, np.full_like(retries, -1), flags[:0])

    world.engine._one_thread = contextlib.nullcontext()
    engines.no_interrupt = contextlib.nullcontext  # type: ignore[assignment]
    Program._go_on = unflagged  # type: ignore[method-assign]
    try:
        yield
    finally:
        world.engine._one_thread, engines.no_interrupt = guard, interrupt  # type: ignore[assignment]
        Program._go_on = go_on  # type: ignore[method-assign]


def turn(world: Any, calls: int) -> float:
    """Seconds of a turn."""
    world.reset()
    begin = time.process_time()
    for _ in range(calls):
        world.step(STEPS // calls)
    return time.process_time() - begin


def measure(case: str, seconds: float) -> dict[str, Any]:
    """Ratios of a scene, and microseconds that a call of ``step()`` has more."""
    name, _, count = case.partition(":")
    world = set_up(SCENES[name], int(count), "cpu", "float32").world
    found: dict[str, Any] = {}
    rng = np.random.default_rng(0)
    for calls in (STEPS, 1):
        for _ in range(3):
            turn(world, calls)
        checked, plain = [], []
        end = time.monotonic() + seconds / 2
        while time.monotonic() < end or len(plain) < 20:
            for first in (True, False) if len(plain) % 2 else (False, True):
                if first:
                    checked.append(turn(world, calls))
                else:
                    with without_checks(world):
                        plain.append(turn(world, calls))
        ratios = np.array(checked) / np.array(plain)
        medians = np.median(rng.choice(ratios, (2000, len(ratios))), axis=1)
        found["one call a step" if calls == STEPS else "one call for all steps"] = {
            "ratio": float(np.median(ratios)),
            "interval": np.quantile(medians, [0.025, 0.975]).tolist(),
            "turns": len(ratios),
            "microseconds_a_step": [float(np.median(each)) / STEPS * 1e6 for each in (plain, checked)],
        }
    return found


def main() -> None:
    """Measure, print, and write JSON if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("cases", nargs="+", help="scene:environments")
    parser.add_argument("--seconds", type=float, default=10.0, help="of turns, for each case")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found: dict[str, Any] = {"machine": machine()}
    for case in options.cases:
        found[case] = measure(case, options.seconds)
        print(case, json.dumps(found[case]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
