"""``phalanx play --view``: checkpoints that are exchanged while a policy is played."""

from __future__ import annotations

import contextlib
import shutil
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import phalanx as px
from phalanx.commands import checkpoints
from phalanx.commands.checkpoints import Checkpoints, chosen
from phalanx.commands.cli import main
from phalanx.commands.common import UserError

pytest.importorskip("viser", reason="viser is not installed (pip install 'phalanx[viewer]')")
pytest.importorskip("torch", reason="torch is not installed (pip install 'phalanx[learn]')")

from viewer.test_view_command import started
from viewer_client import Client, until

from phalanx.learn.trainer import CheckpointError


@pytest.fixture
def viewer() -> Iterator[px.Viewer]:
    world = px.World()
    world.add_robot("double_pendulum")
    with px.Viewer(world, port=0) as made:
        yield made


def test_the_newest_of_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no checkpoint"):
        chosen(tmp_path)
    for name in ("model_9.pt", "model_10.pt", "model_2.zip", "best.pt", "model_11.part"):
        (tmp_path / name).touch()
    assert chosen(tmp_path).name == "model_10.pt" and chosen(tmp_path / "best.pt").name == "best.pt"


def test_they_are_exchanged_by_hand_and_by_themselves(
    viewer: px.Viewer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "EVERY", 0.05)
    for number in (1, 2):
        (tmp_path / f"model_{number}.pt").touch()
    loaded: list[str] = []
    tried: list[str] = []

    def load(path: Path) -> None:
        tried.append(path.name)
        if path.name == "model_4.pt":
            raise CheckpointError("it is of another task.")
        loaded.append(path.name)

    with Client(viewer.server.get_port()) as client:
        choice = Checkpoints(viewer, tmp_path / "model_2.pt", load, newest=True)
        done = threading.Event()

        def play() -> None:
            while not done.is_set():
                viewer.world.step()
                choice.after_step()

        thread = threading.Thread(target=play, daemon=True)
        thread.start()
        (tmp_path / "model_3.pt").touch()
        until(lambda: loaded == ["model_3.pt"] and choice.choice.value == "model_3.pt")
        client.put(choice.choice, "model_1.pt")
        until(lambda: loaded == ["model_3.pt", "model_1.pt"])
        assert not choice.newest.value
        with pytest.warns(UserWarning, match="model_4.pt was not loaded: it is of another task"):
            (tmp_path / "model_4.pt").touch()
            until(lambda: "model_4.pt" in choice.choice.options)
            assert loaded[-1] == "model_1.pt"  # the box is not ticked
            client.put(choice.newest, True)
            until(lambda: tried[-1] == "model_4.pt" and not choice.newest.value)
            until(lambda: choice.choice.value == "model_1.pt")
        done.set()
        thread.join(timeout=20)
    assert loaded == ["model_3.pt", "model_1.pt"]


@pytest.mark.slow
def test_a_policy_is_exchanged_while_it_is_played(tmp_path: Path) -> None:
    pytest.importorskip("rsl_rl", reason="rsl-rl is not installed (pip install 'phalanx[learn]')")
    options = ["--num-envs", "64", "--device", "cpu", "--out", str(tmp_path)]
    assert main(["train", "cartpole", "--iterations", "2", *options]) == 0
    process, port = started("play", "cartpole", str(tmp_path), "--num-envs", "4", "--device", "cpu", "--view")
    try:
        with Client(port) as client:
            until(lambda: client.received > 20_000, 60)
            shutil.copy(tmp_path / "model_2.pt", tmp_path / "model_7.pt")
            assert process.stdout is not None
            line = process.stdout.readline()
            while "checkpoint" not in line:
                assert line, "it has ended"
                line = process.stdout.readline()
            assert line.strip().endswith("model_7.pt")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
