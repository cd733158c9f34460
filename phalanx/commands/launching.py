"""Starts several processes of one command on this machine, and ends all of them when one fails."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import IO

from phalanx.commands.common import UserError

LOOK = 0.05
"""s between looks at whether processes go on."""
LAST_WORDS = 3.0
"""s that processes get to end by themselves, once one has."""


def launch(count: int, module: str, arguments: Sequence[str]) -> int:
    """Run ``python -m module arguments`` as ranks 0 to count - 1, with the environment variables of torchrun; 0.

    The first one has this process's terminal. Of the others only the last message is shown, if they fail.

    Raises:
        UserError: one failed; all have been ended, and the message is what the first one to fail said.
    """
    from phalanx.ecs.cpu.threads import num_threads

    threads = str(max(1, num_threads() // count))
    shared = {
        "WORLD_SIZE": str(count),
        "LOCAL_WORLD_SIZE": str(count),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(_free_port()),
        "PHALANX_NUM_THREADS": threads,
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", threads),
    }
    command = [sys.executable, "-m", module, *arguments]
    ranks: list[subprocess.Popen[bytes]] = []
    before = signal.signal(signal.SIGTERM, _end)
    with contextlib.ExitStack() as files:
        said = [files.enter_context(tempfile.TemporaryFile()) for _ in range(count)]
        try:
            for rank in range(count):
                own = {**os.environ, **shared, "RANK": str(rank), "LOCAL_RANK": str(rank)}
                out, errors = (subprocess.DEVNULL, said[rank]) if rank else (None, None)
                ranks.append(subprocess.Popen(command, env=own, stdout=out, stderr=errors))
            return _watch(ranks, said)
        except KeyboardInterrupt:  # they have had the same signal from the terminal
            _wait(ranks, LAST_WORDS * 10)
            return 130
        finally:
            signal.signal(signal.SIGTERM, before)
            for process in ranks:
                process.kill()
                process.wait()


def gpus_here() -> int:
    """GPUs of this machine that the engine can use."""
    from phalanx.ecs.device import cuda_available

    if not cuda_available():
        return 0
    import cupy  # pyright: ignore[reportMissingImports]

    return cupy.cuda.runtime.getDeviceCount()


def _watch(ranks: Sequence[subprocess.Popen[bytes]], said: Sequence[IO[bytes]]) -> int:
    while True:
        ends = [process.poll() for process in ranks]
        failed = [rank for rank, code in enumerate(ends) if code not in (None, 0)]
        if failed:
            rank = failed[0]
            code = ends[rank]
            for process in ranks:
                process.terminate()
            _wait(ranks, LAST_WORDS)
            if rank == 0 and code is not None and code > 0:
                return code  # it has said itself what was wrong
            raise UserError(f"rank {rank} {_reason(code, said[rank])}; the others were ended.")
        if all(code == 0 for code in ends):
            return 0
        time.sleep(LOOK)


def _reason(code: int | None, said: IO[bytes]) -> str:
    if code is not None and code < 0:
        return f"was ended by signal {-code} ({signal.Signals(-code).name})"
    said.seek(0)
    lines = [line for line in said.read().decode(errors="replace").splitlines() if line.strip()]
    text = lines[-1].strip() if lines else "it said nothing"
    return f"failed: {text.removeprefix('phalanx: ').rstrip('.')}"


def _wait(ranks: Sequence[subprocess.Popen[bytes]], seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and any(process.poll() is None for process in ranks):
        time.sleep(LOOK)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def _end(*_: object) -> None:
    raise SystemExit(143)
