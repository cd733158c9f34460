"""``phalanx view`` and ``phalanx run --view``, as processes."""

import os
import re
import signal
import socket
import subprocess
import sys

import pytest

import phalanx as px

pytest.importorskip("viser", reason="viser is not installed (pip install 'phalanx[viewer]')")

from viewer_client import Client, until

from phalanx.commands.cli import main


def started(*arguments, more=("--port", "0")):
    """A process that shows something, and the port that it names."""
    command = [sys.executable, "-m", "phalanx", *arguments, *more]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if match := re.search(r"http://localhost:(\d+)", line):
            return process, int(match[1])
    raise AssertionError(said)


def test_a_robot_is_shown_until_ctrl_c():
    process, port = started("view", "cartpole", "--num-envs", "3", "--controller", "sine", "--device", "cpu")
    with Client(port) as client:
        until(lambda: client.received > 20_000)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 0


def test_a_run_begins_when_someone_looks():
    process, port = started("run", "cartpole", "--num-envs", "2", "--steps", "60", "--view", "--device", "cpu")
    assert process.poll() is None
    with Client(port) as client:
        until(lambda: client.received > 0)
        rest = process.communicate(timeout=120)[0]
    assert process.returncode == 0 and "60 steps" in rest


def test_mistakes_are_one_line(tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        for arguments, message in (
            (("cartpole", "--port", str(port), "--device", "cpu"), f"port {port} of 127.0.0.1 is taken"),
            (("nothing.zarr",), "there is no such folder"),
            (("cartpole", "--export", str(tmp_path / "a.html")), "--export is for recordings"),
            (("cartpole", "--env", "4", "--port", "0", "--device", "cpu"), "--env must be between 0 and 0"),
        ):
            assert main(["view", *arguments]) == 2
            said = capsys.readouterr().err
            assert message in said and said.count("\n") == 1, said


def test_a_recording_becomes_a_page(tmp_path, capsys):
    world = px.World()
    world.add_robot("cartpole")
    with px.Recorder(world, tmp_path / "run.zarr"):
        world.step(20)
    assert main(["view", str(tmp_path / "run.zarr"), "--export", str(tmp_path / "run.html")]) == 0
    said = capsys.readouterr().out
    assert "page " in said and "no contacts recorded; plots are not in pages: phalanx view" in said
    assert (tmp_path / "run.html").stat().st_size > 100_000
