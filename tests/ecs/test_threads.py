"""The threads that share work on the CPU."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from phalanx.ecs.cpu.threads import at_once

FORK = """
import os, sys
from phalanx.ecs.cpu.threads import at_once

def work(place, given):
    given[place] = os.getpid()

at_once(work, [(n, {}) for n in range(2)])
child = os.fork()
if not child:
    found = {}
    at_once(work, [(n, found) for n in range(2)])
    os._exit(found != dict.fromkeys(range(2), os.getpid()))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_shares_run_at_the_same_time() -> None:
    """Each waits for all others; the last is this thread's."""
    barrier, found = threading.Barrier(3), {}

    def work(place: int) -> None:
        barrier.wait(60.0)
        found[place] = threading.current_thread()

    at_once(work, [(0,), (1,), (2,)])
    assert len(set(found.values())) == 3 and found[2] is threading.current_thread()


@pytest.mark.parametrize("wrong", [0, 1])
def test_errors_of_any_share_are_raised(wrong: int) -> None:
    ended = []

    def work(place: int) -> None:
        if place == wrong:
            raise ValueError(f"share {place}")
        ended.append(place)

    with pytest.raises(ValueError, match=f"share {wrong}"):
        at_once(work, [(0,), (1,)])
    assert ended == [1 - wrong]


def test_who_is_interrupted_while_waiting_goes_on_when_all_have_ended() -> None:
    """What still ran wrote to arrays that were gone."""
    ended, before = [], signal.signal(signal.SIGINT, signal.default_int_handler)

    def work(place: int) -> None:
        for _ in range(2 if place == 0 else 0):
            time.sleep(0.2)  # until the other waits
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            time.sleep(0.2)
        ended.append(place)

    try:
        with pytest.raises(KeyboardInterrupt):
            at_once(work, [(0,), (1,)])
        assert ended == [1, 0]
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no copies of processes here")
def test_copies_of_a_process_have_threads_of_their_own() -> None:
    """A copy has none of its parent's threads: it waited for them for ever."""
    command = [sys.executable, "-W", "ignore", "-c", FORK]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run(command, env=environment, timeout=60.0).returncode == 0
