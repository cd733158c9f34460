"""Compile kernels in other processes, which fill the disk cache.

Compiling a whole step takes 20 s or more on one core, and Numba compiles one function at a time. So when several
kernels are missing from the cache, processes of this module compile them side by side; the caller then loads them. A
kernel whose process fails is simply compiled by the caller, who then shows the error.

On the CPU even a single kernel is compiled elsewhere. Where one has been compiled, what it calls may be contracted
(products and sums) otherwise than in the object that is cached, and stays in the process under the same names: only a
process that loads kernels and compiles none computes the same to the bit as every other.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from phalanx.ecs.codegen import Generated, Target

FEWEST = 4
"""Fewer missing kernels are not worth another process."""


_CORE_ALONE = """
import sys, types
package = types.ModuleType("phalanx")
package.__path__ = [sys.argv[1]]
sys.modules["phalanx"] = package
from phalanx.ecs.precompile import main
main(*sys.argv[2:])
"""
"""Text of a process of this module. It leaves out the package's own imports, a third of a second."""


def marker(generated: Generated, target: Target) -> Path:
    """Exists once the kernel has been compiled into the cache."""
    return generated.path.with_suffix(f".{target}")


def precompile(kernels: Sequence[Generated], target: Target, device: int = 0) -> None:
    """Make sure that kernels are in the disk cache, as far as more than one processor helps."""
    missing = [k for k in dict.fromkeys(kernels) if not marker(k, target).exists()]
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    workers = min(processors, 8, len(missing) // FEWEST)
    if target == "cpu" and missing:
        workers = max(workers, 1)
    elif workers < 2:
        return
    shares: list[list[Generated]] = [[] for _ in range(workers)]
    sizes = [0] * workers
    for kernel in sorted(missing, key=lambda k: -len(k.source)):  # longest first, to whoever has least
        least = sizes.index(min(sizes))
        shares[least].append(kernel)
        sizes[least] += len(kernel.source)
    command = [sys.executable, "-c", _CORE_ALONE, str(Path(__file__).resolve().parents[1]), target, str(device)]
    processes = [
        subprocess.Popen(
            [*command, *(str(k.path) for k in share)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for share in shares
    ]
    try:
        for process in processes:
            process.wait()
    except BaseException:
        for process in processes:
            process.kill()
        raise


def _compile(target: Target, path: Path) -> None:
    from phalanx.ecs import codegen

    generated = Generated(path, path.read_text(), path.stem)
    module = codegen.load(generated)  # compiles and caches a CPU kernel
    if target == "cuda":
        from phalanx.ecs import cuda

        getattr(module, generated.entry).compile(cuda.signature(generated.source))
    marker(generated, target).touch()


def main(target: Target, device: str, *paths: str) -> None:
    """Compile the modules at ``paths``, in a process of its own."""
    gc.disable()  # a short-lived process; collecting costs a fifth of its time
    if target == "cuda":
        from phalanx.ecs import cuda

        cuda.open_device(int(device))
    for path in paths:
        _compile(target, Path(path))
