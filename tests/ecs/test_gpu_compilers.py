"""Who compiles kernels for GPUs, with processes that only pretend to: how work is shared out, and what ends when."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from phalanx.ecs.ahead import precompile
from phalanx.ecs.cache.modules import Generated, kept

PRETEND = """
import pathlib, sys, time
for line in sys.stdin:
    path = pathlib.Path(line.strip())
    if "ends" in path.name:
        sys.exit(1)
    time.sleep(60 if "hangs" in path.name else 0.02)
    if "wrong" not in path.name:
        path.with_suffix(".cuda").touch()
    print("done", flush=True)
"""


@pytest.fixture(autouse=True)
def pretending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(precompile, "num_processors", lambda: 4)
    monkeypatch.setattr(precompile, "_command", lambda *_: [sys.executable, "-c", PRETEND])


def kernels(count: int, odd: str = "") -> Iterator[Generated]:
    """Modules, each longer than the one before; the last but two is ``odd``."""
    for n in range(count):
        yield kept(f"{odd}{n}" if odd and n == count - 3 else f"kernel_{n:02}", "#" * n)


def test_all_are_compiled(tmp_path: Path) -> None:
    precompile.precompile(kernels(20), "cuda")
    assert len(list(tmp_path.glob("*.cuda"))) == 20


def test_a_few_are_left_to_the_caller(tmp_path: Path) -> None:
    precompile.precompile(kernels(2 * precompile.FEWEST - 1), "cuda")
    assert not list(tmp_path.glob("*.cuda"))


@pytest.mark.parametrize("odd", ["ends", "wrong"])
def test_others_go_on(odd: str, tmp_path: Path) -> None:
    precompile.precompile(kernels(20, odd), "cuda")
    missing = {p.stem for p in tmp_path.glob("*.py")} - {p.stem for p in tmp_path.glob("*.cuda")}
    assert missing == {f"{odd}17"}


def test_the_longest_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []
    compilers = precompile._GpuCompilers

    def serve(paths: list[Path]) -> None:
        given.extend(path.stem for path in paths)

    monkeypatch.setattr(compilers, "compile", lambda self, paths: serve(paths))
    precompile.precompile(kernels(20), "cuda")
    assert given == [f"kernel_{n:02}" for n in range(19, -1, -1)]


@pytest.mark.parametrize(("free", "processes"), [(1.5, 0), (2.5, 2), (100.0, 4)])
def test_a_small_gpu_is_opened_by_few(free: float, processes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = [0]
    start = precompile._GpuCompilers.start

    def started(self: precompile._GpuCompilers, count: int) -> None:
        start(self, count)
        begun.append(len(self._processes))

    monkeypatch.setattr(precompile._GpuCompilers, "start", started)
    precompile.precompile(kernels(20), "cuda", free_bytes=int(free * precompile.GPU_BYTES))
    assert max(begun) == processes


def test_an_interrupt_ends_them(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[precompile._GpuCompilers] = []
    start = precompile._GpuCompilers.start

    def started(self: precompile._GpuCompilers, count: int) -> None:
        begun.append(self)
        start(self, count)

    monkeypatch.setattr(precompile._GpuCompilers, "start", started)
    interrupted = threading.Event()

    def interrupt() -> None:
        time.sleep(0.5)
        interrupted.set()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        precompile.precompile(kernels(20, "hangs"), "cuda")
    assert interrupted.is_set() and time.perf_counter() - begin < 30.0
    assert all(process.poll() is not None for process in begun[0]._processes)
