"""``phalanx exec --view`` and ``phalanx train --view``, as processes."""

from __future__ import annotations

import contextlib
import importlib.util
import signal
from pathlib import Path

import pytest

pytest.importorskip("viser", reason="viser is not installed (pip install 'phalanx[viewer]')")

from viewer.test_view_command import started
from viewer_client import Client, until

from phalanx.commands.cli import main
from phalanx.commands.common import UserError
from phalanx.commands.watching import Watch, split

SCRIPT = """\
import sys
from isaaclab.app import AppLauncher
AppLauncher(headless=True)
import isaaclab.sim as sim_utils
sim = sim_utils.SimulationContext(sim_utils.SimulationCfg(dt=0.01, device="cpu"))
for height in (1.0, 2.0):
    cube = sim_utils.CuboidCfg(
        size=(0.2, 0.2, 0.2),
        rigid_props=sim_utils.RigidBodyPropertiesCfg(),
        mass_props=sim_utils.MassPropertiesCfg(mass=1.0),
        collision_props=sim_utils.CollisionPropertiesCfg(),
    )
    cube.func(f"/World/cube_{height:.0f}", cube, translation=(0.0, 0.0, height))
    sim.reset()
    for _ in range(40):
        sim.step()
print("done", sys.argv[1:])
"""


def test_options_before_the_script_are_ours() -> None:
    assert split(["--view", "--port", "81", "a.py", "--port", "5"]) == (Watch("127.0.0.1", 81), ["a.py", "--port", "5"])
    assert split(["--host=0.0.0.0", "--view", "a.py"]) == (Watch("0.0.0.0", 8080), ["a.py"])
    assert split(["a.py", "--view"]) == (None, ["a.py", "--view"])
    for arguments in (["--headless", "a.py"], ["--port", "x", "a.py"], ["--view", "--port"]):
        with pytest.raises(UserError):
            split(arguments)


@pytest.mark.skipif(importlib.util.find_spec("pxr") is None, reason="usd-core is not installed")
def test_a_script_is_shown_in_all_its_worlds(tmp_path: Path) -> None:
    """It begins when someone looks, and is told what follows its name; the second reset makes another world."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    process, port = started("exec", "--view", "--port", "0", str(script), "--own", more=())
    assert process.poll() is None
    with Client(port) as client:
        until(lambda: client.received > 5_000)
        rest = process.communicate(timeout=120)[0]
    assert process.returncode == 0, rest
    assert "done ['--own']" in rest and rest.count("viewer  ") == 1, rest


@pytest.mark.slow
def test_training_goes_on_while_it_is_shown(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'phalanx[learn]')")
    pytest.importorskip("rsl_rl", reason="rsl-rl is not installed (pip install 'phalanx[learn]')")
    options = ("--num-envs", "8", "--iterations", "100000", "--device", "cpu", "--out", str(tmp_path / "out"))
    process, port = started("train", "cartpole", *options, "--view")
    try:
        with Client(port) as client:
            until(lambda: client.received > 20_000, 60)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    assert [*(tmp_path / "out").glob("model_*.pt")], "what was learnt is kept"


def test_one_process_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("torch", "rsl_rl", "tensordict", "git"):
        pytest.importorskip(name, reason=f"{name} is not installed (pip install 'phalanx[learn]')")
    assert main(["train", "cartpole", "--view", "--ranks", "2", "--device", "cpu"]) == 2
    assert "--view shows the training of one process" in capsys.readouterr().err
