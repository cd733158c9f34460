"""Isaac Lab's own tasks, unmodified, on stand-ins of its robots: each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from phalanx.commands import tasks
from phalanx.commands.common import UserError
from phalanx.facade import wheel

if wheel.source() is None:
    pytest.skip("Isaac Lab's wheel is not installed: make isaaclab", allow_module_level=True)
for package, extra in (("torch", "torch"), ("gymnasium", "isaaclab"), ("pxr", "isaac")):
    pytest.importorskip(package, reason=f"{package} is not installed: extra {extra}")

QUICK = {"Isaac-Cartpole-Direct-v0": "cartpole", "Isaac-Cartpole-v0": "cartpole"}
"""Tasks for every change, and the stand-in that each needs: a direct one and one of managers."""


@pytest.fixture(scope="module")
def assets(tmp_path_factory):
    """Stand-ins at the places where Isaac Lab looks."""
    from phalanx.assets.building import build
    from phalanx.assets.catalogue import chosen
    from phalanx.assets.descriptions import MissingPackageError

    root, made = tmp_path_factory.mktemp("assets"), set()

    def of(*names: str) -> str:
        for one in chosen(names):
            if one.name not in made:
                try:
                    build(one, root)
                except MissingPackageError as error:
                    pytest.skip(str(error))
                made.add(one.name)
        return str(root)

    return of


@pytest.mark.parametrize("task", QUICK)
def test_tasks_step(task, assets, monkeypatch):
    monkeypatch.setenv("PHALANX_ASSET_ROOT", assets(QUICK[task]))
    found = tasks.trial(task, num_envs=4, steps=20, device="cpu", seconds=300.0)
    assert found["ok"], found["error"]
    assert found["steps"] == 20 and found["observations"] == {"policy": [4, 4]}


@pytest.mark.parametrize(("given", "seed"), [((), 42), (("--seed", "3"), 3)])
def test_training_takes_the_seed_of_isaac_labs_settings(given, seed, assets, tmp_path):
    """As its own script does. With it a Franka learns to lift, with another one it did not."""
    pytest.importorskip("rsl_rl", reason="rsl-rl is not installed (pip install 'phalanx[learn]')")
    options = ["--num-envs", "8", "--iterations", "1", "--device", "cpu", "--out", str(tmp_path), *given]
    command = [sys.executable, "-m", "phalanx", "train", "Isaac-Cartpole-v0", *options]
    own = {**os.environ, "PHALANX_ASSET_ROOT": assets("cartpole")}
    done = subprocess.run(command, capture_output=True, text=True, env=own, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "curve.json").read_text())["seed"] == seed


@pytest.mark.slow
@pytest.mark.parametrize("task", tasks.SAMPLE)
def test_tasks_of_all_kinds_step_a_thousand_times(task, assets, monkeypatch, device):
    monkeypatch.setenv("PHALANX_ASSET_ROOT", assets())
    found = tasks.trial(task, num_envs=4, steps=1000, device=device, seconds=1800.0)
    assert found["ok"], found["error"]
    assert found["steps"] == 1000


def test_the_sample_has_tasks_that_there_are():
    names = dict(tasks.known())
    assert set(tasks.SAMPLE) <= set(names) and len(set(tasks.SAMPLE)) == 24
    assert {"direct", "manager"} == {names[name] for name in tasks.SAMPLE}


def test_mistakes_are_told_whole():
    """A task that is none, and of a file that is missing all that is to be done, however long its path is."""
    found = [("Isaac-Cartpole-v0", "manager"), ("Isaac-Ant-v0", "manager")]
    with pytest.raises(UserError, match='"Isaac-Cartpol-v0" is no task of Isaac Lab; did you mean "Isaac-Cartpole-v0"'):
        tasks._chosen(["Isaac-Cartpol-v0"], found)
    with pytest.raises(UserError, match='"xyz" is no task of Isaac Lab; phalanx tasks lists them'):
        tasks._chosen(["xyz"], found)
    error = (
        f"USD file not found at path: '{'long/' * 40}cartpole.usd':\n`phalanx assets build cartpole` makes a stand-in"
    )
    assert tasks.row({"task": "Isaac-Cartpole-v0", "ok": False, "error": error}).endswith("cartpole` makes a stand-in")


def test_an_environment_that_diverges_fails_the_trial():
    """What tasks read of a frozen environment is finite: a hand whose fingers overlapped once passed so."""
    from types import SimpleNamespace

    import phalanx
    from phalanx.commands import task_trial

    world = phalanx.World(num_envs=3, dt=0.01)
    robot = world.add_robot("cartpole")
    env = SimpleNamespace(sim=SimpleNamespace(stage_world=SimpleNamespace(world=world, is_empty=False)))
    assert task_trial._diverged(env) == ""
    robot.set_joint_state(vel=[[0.0, 0.0], [3e38, 0.0], [0.0, 0.0]])
    with pytest.warns(phalanx.SimulationWarning, match="1 of 3 environments diverged"):
        world.step()
    assert task_trial._diverged(env) == "environments [1] diverged"
