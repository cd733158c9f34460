"""Ctrl-C at any moment of a command is one line, also while it is importing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import phalanx as px
from phalanx.world.engine.interrupt import no_interrupt

INTERRUPT = """
import os, signal, sys

class Finder:
    count = 0

    def find_spec(self, name, path=None, target=None):
        if "phalanx._ctrl_c" in sys.modules:
            Finder.count += 1
            if Finder.count == int(os.environ["INTERRUPT_AT_IMPORT"]):
                os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
"""
"""Ctrl-C when so many modules were imported after the first one of the package."""


@pytest.mark.parametrize("number", [1, 3, 40, 200, 350])
def test_ctrl_c_while_importing(number: int, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPT)
    root = str(Path(px.__file__).resolve().parents[1])
    done = subprocess.run(
        [sys.executable, "-m", "phalanx", "info", "cartpole"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{root}", "INTERRUPT_AT_IMPORT": str(number)},
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\nphalanx: Interrupted.\n")


def test_other_errors_are_printed_as_ever() -> None:
    root = str(Path(px.__file__).resolve().parents[1])
    code = "import sys; sys.argv[0] = 'phalanx'; import phalanx; print('said', end=''); 1 / 0"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": root}
    )
    assert (done.returncode, done.stdout) == (1, "said")
    assert done.stderr.startswith("Traceback") and "ZeroDivisionError" in done.stderr


def test_what_must_not_be_interrupted_ends_first():
    """Ctrl-C within the block is raised at its end; what was there before holds again, and errors of the block pass."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    done = []
    try:
        with pytest.raises(KeyboardInterrupt), no_interrupt():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)  # Python hands signals to their handlers between instructions
            done.append(True)
        assert done and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        with pytest.raises(ZeroDivisionError), no_interrupt():
            _ = 1 / 0
        with no_interrupt(), no_interrupt():
            pass
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        elsewhere = threading.Thread(target=lambda: no_interrupt().__enter__())
        elsewhere.start()
        elsewhere.join()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
