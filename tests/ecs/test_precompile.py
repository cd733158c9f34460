"""Processes that compile kernels for others."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from phalanx.ecs.ahead.precompile import _Compiler

MODULE = "from pathlib import Path\nPath(__file__).with_suffix('.ran').touch()\n{name} = None\n"
"""Says that it has run, as modules of kernels do when they are compiled."""


def test_what_another_process_compiles_is_waited_for(tmp_path: Path) -> None:
    """And not compiled once more: processes that begin together need the same kernels."""
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    for path in (one, two):
        path.write_text(MODULE.format(name=path.stem))
    compiler = _Compiler()
    kernels = [(path, path.with_suffix(".cpu")) for path in (one, two)]
    with one.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # as if it were compiled
        asked = Thread(target=compiler.compile, args=(kernels, 2), daemon=True)
        asked.start()
        end = time.monotonic() + 60.0
        while not two.with_suffix(".cpu").exists() and time.monotonic() < end:
            time.sleep(0.05)
        assert asked.is_alive() and not one.with_suffix(".ran").exists()
        one.with_suffix(".cpu").touch()
    asked.join(60.0)
    assert not asked.is_alive()
    compiler.close()
    assert not one.with_suffix(".ran").exists()
    assert two.with_suffix(".ran").exists() and two.with_suffix(".cpu").exists()


def test_requests_a_dead_process_never_read_do_not_keep_it_from_closing() -> None:
    compiler = _Compiler()
    compiler.start()
    process = compiler._process
    assert process is not None and process.stdin is not None
    process.kill()
    process.wait()
    process.stdin.write("what closing would still send\n")
    compiler.close()
    assert process.stdin.closed and process.stdout is not None and process.stdout.closed


@pytest.mark.slow
def test_processes_that_begin_together_compile_each_kernel_once(tmp_path: Path) -> None:
    """With an empty cache: nothing is written again after it was said to be done."""
    code = "import phalanx as px; world = px.World(2); world.add_robot('cartpole'); world.step(); print('done')"
    environment = {**os.environ, "PHALANX_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-c", code]
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [one.communicate(timeout=600)[0] for one in both] == ["done\n"] * 2
    markers = list((tmp_path / "cache").rglob("*.cpu"))
    assert markers
    for marker in markers:
        compiled = list(marker.parent.glob(f"{marker.stem}*.nb[ic]"))
        assert compiled, marker.stem
        assert max(file.stat().st_mtime_ns for file in compiled) <= marker.stat().st_mtime_ns
