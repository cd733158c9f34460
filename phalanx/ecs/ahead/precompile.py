"""Compile the kernels that are missing from the disk cache in other processes, which fill it; the caller loads them.

Compiling a whole step takes 20 s or more on one core, and Numba compiles one function at a time: processes compile side
by side. A kernel whose process fails is simply compiled by the caller, who then shows the error.

On the CPU each kernel is compiled in a process of its own, even a single one: what a process has compiled before shows
in how Numba and LLVM contract products and sums of the next kernel, so kernels compiled together would depend in their
last bits on which others were missing. Such processes are copies of one that has imported Numba and compiled a first
function (:mod:`phalanx.ecs.ahead.compiler`), which takes longer than most kernels do. What another process compiles is
waited for.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import gc
import json
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from phalanx.ecs.cache.modules import CORE, Generated, Target, load
from phalanx.ecs.cpu.threads import num_processors

if TYPE_CHECKING:
    import subprocess

FEWEST = 4
"""Fewer missing kernels are not worth another process that opens a GPU."""

MOST = 16
"""Most processes side by side."""

GPU_BYTES = 1 << 30
"""Free memory of a GPU for each process that opens it, which takes a third of that on an H100."""

_CORE_ALONE = """
import sys, types
package = types.ModuleType("phalanx")
package.__path__ = [sys.argv[1]]
sys.modules["phalanx"] = package
from {module} import main
main(*sys.argv[2:])
"""
"""Text of a process of the core. It leaves out the package's own imports, a third of a second."""


def marker(generated: Generated, target: Target) -> Path:
    """Exists once the kernel has been compiled into the cache."""
    return generated.path.with_suffix(f".{target}")


def precompile(kernels: Iterable[Generated], target: Target, device: int = 0, free_bytes: int = 1 << 40) -> None:
    """Make sure that kernels are in the disk cache: all of them on a CPU, on a GPU as far as more processors help.

    Processes that compile get ready while the texts of further kernels are still being made.

    Args:
        kernels: their modules.
        target: back end.
        device: which GPU.
        free_bytes: of its memory.
    """
    found: dict[Generated, None] = {}
    helpers: _GpuCompilers | None = None
    workers = min(num_processors(), MOST, free_bytes // GPU_BYTES)
    try:
        for kernel in kernels:
            if kernel not in found and not marker(kernel, target).exists():
                found[kernel] = None
                if target == "cpu" and len(found) == 1:
                    _compiler.start()
                if target == "cuda" and len(found) >= 2 * FEWEST and workers >= 2:
                    helpers = helpers or _GpuCompilers(device)
                    helpers.start(min(workers, len(found) // FEWEST))
        missing = sorted(found, key=lambda k: -len(k.source))  # the longest first
        if target == "cpu" and missing:
            _compiler.compile([(k.path, marker(k, target)) for k in missing], workers)
        elif helpers is not None:
            helpers.compile([k.path for k in missing])
    finally:
        if helpers is not None:
            helpers.close()


def _command(module: str, *arguments: object) -> list[str]:
    return [
        sys.executable,
        "-c",
        _CORE_ALONE.format(module=f"{__package__}.{module}"),
        str(CORE.parent),
        *(str(a) for a in arguments),
    ]


class _Compiler:
    """The process that kernels for the CPU are compiled by copies of: started when needed, ends by itself."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._owner = 0

    def compile(self, kernels: Sequence[tuple[Path, Path]], workers: int) -> None:
        """Compile modules and touch their markers, ``workers`` at a time."""
        request = json.dumps([workers, [[str(path), str(done)] for path, done in kernels]])
        with self._lock:
            if not self._ask(request):
                self._ask(request)  # it had just ended, after a minute without work

    def start(self) -> None:
        """Have the process get ready, if there is none."""
        with self._lock:
            if not self._runs():
                self._begin()

    def close(self) -> None:
        """End the process and its copies."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():  # it is the parent's whose copy this process is
            return
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):  # what was not sent yet ends with the process
                    pipe.close()
        process.wait()

    def _runs(self) -> bool:
        return self._process is not None and self._owner == os.getpid() and self._process.poll() is None

    def _begin(self) -> subprocess.Popen[str]:
        import subprocess

        self.close()
        self._owner = os.getpid()
        self._process = subprocess.Popen(
            _command("compiler"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": "0"},  # names of functions show the order of sets
            start_new_session=True,  # one group with its copies, which Ctrl-C reaches through close() alone
        )
        return self._process

    def _ask(self, request: str) -> bool:
        process = self._process
        if process is None or not self._runs():
            process = self._begin()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(request + "\n")
            process.stdin.flush()
            return bool(process.stdout.readline())
        except BrokenPipeError:
            return False
        except BaseException:
            self.close()
            raise


_compiler = _Compiler()
atexit.register(_compiler.close)


class _GpuCompilers:
    """Processes that each compile a kernel for a GPU at a time."""

    def __init__(self, device: int) -> None:
        self._device = device
        self._processes: list[subprocess.Popen[str]] = []

    def start(self, count: int) -> None:
        """Have so many; they import Numba, and wait."""
        import subprocess

        while len(self._processes) < count:
            self._processes.append(
                subprocess.Popen(
                    _command("precompile", self._device),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                )
            )

    def compile(self, paths: Sequence[Path]) -> None:
        """Compile modules in this order; whoever is done takes the next one."""
        from concurrent.futures import ThreadPoolExecutor

        waiting = deque(paths)
        with ThreadPoolExecutor(len(self._processes)) as pool:
            try:
                for done in [pool.submit(self._serve, process, waiting) for process in self._processes]:
                    done.result()
            except BaseException:
                self.kill()  # which ends the threads, too
                raise

    @staticmethod
    def _serve(process: subprocess.Popen[str], waiting: deque[Path]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            while waiting:
                process.stdin.write(f"{waiting.popleft()}\n")
                process.stdin.flush()
                if not process.stdout.readline():
                    return  # it has ended; the caller compiles what is missing
        except (IndexError, BrokenPipeError):  # another one took the last kernel, or the process has ended
            return

    def kill(self) -> None:
        """End all of them at once."""
        for process in self._processes:
            process.kill()

    def close(self) -> None:
        """Let them end, which have nothing to do any more."""
        for process in self._processes:
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
        for process in self._processes:
            process.wait()
            assert process.stdout is not None
            process.stdout.close()


def main(device: str) -> None:
    """Compile modules for a GPU, in a process of its own: their paths come a line each, and an answer goes back."""
    gc.disable()  # a short-lived process; collecting costs a fifth of its time
    from phalanx.ecs.ahead import numba_shortcuts
    from phalanx.ecs.cuda import kernels as cuda
    from phalanx.ecs.cuda import start as cuda_start

    cuda_start.import_without_blas()
    numba_shortcuts.take_all(numba_shortcuts.CUDA)
    for number, line in enumerate(sys.stdin):
        if number == 0:
            cuda.cuda.select_device(int(device))
        path = Path(line.removesuffix("\n"))
        generated = Generated(path, path.read_text(), path.stem)
        try:
            with path.open() as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # another process that needs the kernel waits for it
                if not marker(generated, "cuda").exists():
                    getattr(load(generated), generated.entry).compile(cuda.signature(generated.source))
                    marker(generated, "cuda").touch()
            print("done", flush=True)
        except Exception as error:  # the caller compiles it again, and shows what is wrong
            print(type(error).__name__, flush=True)
