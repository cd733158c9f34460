"""The process that compiles kernels for the CPU, each in a copy of itself: see :mod:`phalanx.ecs.ahead.precompile`.

A copy starts from the same state whatever has been compiled before, so a kernel's machine code depends on nothing but
its text, and it need not import Numba and let it find its bearings, which takes 1.5 s.
"""

from __future__ import annotations

import fcntl
import gc
import json
import math
import os
import select
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np

from phalanx.ecs.ahead import numba_shortcuts
from phalanx.ecs.cache.modules import Generated, load
from phalanx.ecs.cpu import kernels as cpu

IDLE = 60.0
"""s: without a request for so long, the process ends."""


def main() -> None:
    """Serve requests, a line of JSON each: how many copies at a time, and pairs of a module's path and its marker's."""
    gc.disable()  # copies are short-lived; collecting costs a fifth of their time
    numba_shortcuts.take_all()
    _find_bearings()
    while select.select([sys.stdin], [], [], IDLE)[0]:
        line = sys.stdin.readline()
        if not line:
            return
        workers, kernels = json.loads(line)
        busy = 0
        for path, done in kernels:
            if busy == workers:
                os.wait()
                busy -= 1
            if os.fork() == 0:
                _compile_and_exit(Path(path), Path(done))
            busy += 1
        for _ in range(busy):
            os.wait()
        print("done", flush=True)


def _compile_and_exit(path: Path, done: Path) -> None:
    try:
        with path.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # until this process ends: others that need the kernel wait for it
            if not done.exists():
                generated = Generated(path, file.read(), path.stem)
                getattr(load(generated), generated.entry)  # compiled and cached as its module runs
                done.touch()
    finally:
        os._exit(0)  # who asked sees by the marker whether it went well


def _find_bearings() -> None:
    """Compile what kernels have in common: Numba reads its tables of types and operators at the first such function."""
    unsigned, real = np.uint64, np.float32

    @cpu.helper
    def norm(x: Any, y: Any) -> Any:
        return math.sqrt(x * x + y * y)

    @cpu.kernel
    def loops(_low: Any, _high: Any, rows: int, values: Any, places: Any) -> None:
        for row in range(rows):
            for _e in range(_low, _high):
                k = places[row, _e]
                low = min(0, min(k, k), min(row, row), min(k, row))
                places[row, _e] = max(0, max(k, 0), max(k, k), max(k, row), max(row, 0), max(row, 1), max(0, row)) + low
                if k >= 0:
                    x, y = values[k, 0, _e], values[k, 1, _e]
                    values[k, 1, _e] += norm(min(x, y), max(math.fabs(x), real(0.5)))

    def entry(low: int, high: int, table: Any) -> None:
        values = cpu.array(table[2], (1 << 40, 2, table[1]), real)
        places = cpu.array(table[3], (1 << 40, table[1]), np.int32)
        loops(unsigned(low), unsigned(high), table[0], values, places)

    numba.cfunc("void(int64, int64, CPointer(int64))", error_model="numpy")(entry)
