"""``phalanx play --view``: checkpoints that are exchanged while a policy is played."""

from __future__ import annotations

import contextlib
import shutil
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

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

from phalanx.commands.steering import Steering
from phalanx.learn.commands import columns, commands_of
from phalanx.learn.trainer import CheckpointError

torch = pytest.importorskip("torch")


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


def test_a_task_is_steered_by_sliders(viewer: px.Viewer) -> None:
    asked = torch.zeros(3, 2)
    steering = Steering(viewer, columns(asked, ("Ahead (m/s)", "Height (m)"), ((-1.0, 1.0), (0.2, 0.4))))
    assert [(one.label, one.min, one.max, one.value) for one in steering.sliders] == [
        ("Ahead (m/s)", -1.0, 1.0, 0.0),
        ("Height (m)", 0.2, 0.4, 0.2),
    ]
    steering.sliders[0].value = 0.7
    steering.after_step()
    assert not asked.any()  # until the box is ticked, the task draws
    steering.own.value = True
    steering.after_step()
    torch.testing.assert_close(asked, torch.tensor([[0.7, 0.2]] * 3))
    Steering(viewer, []).after_step()


def test_velocities_of_isaac_lab_are_commands_and_stay_as_they_are_set() -> None:
    many = torch.ones(2, dtype=torch.bool)
    ranges = SimpleNamespace(lin_vel_x=(-1, 2), lin_vel_y=(-0.5, 0.5), ang_vel_z=(-3, 3), heading=None)
    term = SimpleNamespace(
        vel_command_b=torch.zeros(2, 3), cfg=SimpleNamespace(ranges=ranges), is_heading_env=many, is_standing_env=many
    )
    other = SimpleNamespace(cfg=SimpleNamespace(ranges=None))
    terms = {"base_velocity": term, "pose": other}
    manager = SimpleNamespace(active_terms=[*terms], get_term=terms.get)
    found = commands_of(SimpleNamespace(unwrapped=SimpleNamespace(command_manager=manager)))
    assert [(one.label, one.low, one.high) for one in found] == [
        ("base_velocity: ahead (m/s)", -1.0, 2.0),
        ("base_velocity: left (m/s)", -0.5, 0.5),
        ("base_velocity: turn (rad/s)", -3.0, 3.0),
    ]
    found[2].set(1.5)
    torch.testing.assert_close(term.vel_command_b, torch.tensor([[0.0, 0.0, 1.5]] * 2))
    assert not many.any()
    assert commands_of(SimpleNamespace()) == []
