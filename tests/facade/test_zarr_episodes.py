"""Isaac Lab's own recorder manager with our Zarr files: what they hold is what its HDF5 files hold, to the bit."""

from __future__ import annotations

import subprocess
import sys
import types
from typing import Any

import numpy as np
import pytest

import phalanx.facade
from phalanx.facade import wheel
from phalanx.facade.zarr_episodes import ZarrDatasetFileHandler

torch = pytest.importorskip("torch", reason="torch is not installed: extra torch")
zarr = pytest.importorskip("zarr")
if wheel.source() is None:
    pytest.skip("Isaac Lab's wheel is not installed: make isaaclab", allow_module_level=True)
for package in ("h5py", "prettytable", "pxr"):
    pytest.importorskip(package, reason=f"{package} is not installed: extra isaaclab")

ENVS = 3


@pytest.fixture(scope="module")
def lab():
    """Isaac Lab's managers and datasets."""
    phalanx.facade.install()
    import isaaclab.managers as managers  # pyright: ignore[reportMissingImports]
    import isaaclab.utils.datasets as datasets  # pyright: ignore[reportMissingImports]

    return types.SimpleNamespace(managers=managers, datasets=datasets)


def recorder(lab, kind, folder, mode="EXPORT_ALL", success=False):
    """A recorder manager of an environment whose terms give numbers of several types, from the same seed each time."""
    rng = np.random.default_rng(4)
    done = torch.tensor([success, not success, success])
    terms = types.SimpleNamespace(active_terms=["success"], get_term=lambda name: done)
    sim = types.SimpleNamespace(dt=0.01, render_interval=1, is_playing=lambda: True)
    cfg = types.SimpleNamespace(
        sim=sim, decimation=2, scene=types.SimpleNamespace(num_envs=ENVS), env_name="made up", isaac=None
    )
    env = types.SimpleNamespace(num_envs=ENVS, device="cpu", sim=sim, cfg=cfg, termination_manager=terms)

    class Term(lab.managers.RecorderTerm):
        def record_pre_step(self):
            return "actions", torch.from_numpy(rng.normal(size=(ENVS, 4)).astype(np.float32))

        def record_post_step(self):
            image = torch.from_numpy(rng.integers(0, 256, (ENVS, 5, 6, 3), np.uint8))
            wide = torch.from_numpy(rng.normal(size=(ENVS, 2)))
            return "obs", {"camera": image, "policy": {"joint_pos": wide}, "touch": wide[:, 0] > 0.0}

        def record_post_reset(self, env_ids):
            count = ENVS if env_ids is None else len(env_ids)
            return "initial_state/root_pose", torch.from_numpy(rng.normal(size=(count, 1, 7)).astype(np.float32))

    settings = lab.managers.RecorderManagerBaseCfg()
    settings.dataset_file_handler_class_type = kind
    settings.dataset_export_dir_path = str(folder)
    settings.dataset_export_mode = lab.managers.DatasetExportMode[mode]
    settings.term = lab.managers.RecorderTermCfg(class_type=Term)
    return lab.managers.RecorderManager(settings, env)


def run(manager):
    """Episodes of 5, 5 and 5 steps, then of 3 and 4, and what is left at the end."""
    manager.record_post_reset(None)
    for step in range(12):
        manager.record_pre_step()
        manager.record_post_step()
        ended = {4: [0, 1, 2], 7: [1], 8: [2]}.get(step)
        if ended:
            manager.record_pre_reset(ended)
            manager.record_post_reset(ended)
    manager.export_episodes(demo_ids=[20, 21, 22])
    manager.close()


def read(handler, path):
    """Everything a handler says of a dataset."""
    handler.open(str(path))
    episodes: dict[str, Any] = {name: handler.load_episode(name, "cpu") for name in handler.get_episode_names()}
    said = (handler.get_env_name(), handler.get_num_episodes())
    assert handler.load_episode("demo_7", "cpu") is None
    handler.close()
    return episodes, said


def leaves(data, name=""):
    for key, value in data.items():
        yield from leaves(value, f"{name}/{key}") if isinstance(value, dict) else [(f"{name}/{key}", value)]


def test_zarr_holds_what_hdf5_holds(lab, tmp_path):
    h5py = pytest.importorskip("h5py")
    for kind in (lab.datasets.HDF5DatasetFileHandler, ZarrDatasetFileHandler):
        run(recorder(lab, kind, tmp_path))
    hdf5, said = read(lab.datasets.HDF5DatasetFileHandler(), tmp_path / "dataset.hdf5")
    ours, ours_said = read(ZarrDatasetFileHandler(), tmp_path / "dataset.zarr")
    assert said == ours_said == ("made up", 8)
    assert list(ours) == ["demo_0", "demo_1", "demo_2", "demo_3", "demo_4", "demo_20", "demo_21", "demo_22"]
    assert sorted(ours) == sorted(hdf5)
    for name, episode in ours.items():
        assert episode.success == hdf5[name].success and episode.env_id == hdf5[name].env_id
        mine, theirs = dict(leaves(episode.data)), dict(leaves(hdf5[name].data))
        assert sorted(mine) == sorted(theirs)
        assert {"/actions", "/obs/camera", "/obs/policy/joint_pos", "/obs/touch"} <= set(mine)
        for key, value in mine.items():
            assert value.dtype == theirs[key].dtype and torch.equal(value, theirs[key]), (name, key)
    assert [len(ours[f"demo_{i}"].data["actions"]) for i in (0, 3, 4, 20, 21, 22)] == [5, 3, 4, 7, 4, 3]
    with h5py.File(tmp_path / "dataset.hdf5") as file:
        root = zarr.open_group(str(tmp_path / "dataset.zarr"), mode="r")
        assert dict(file["data"].attrs) == dict(root["data"].attrs)
        for name in ours:
            assert dict(file[f"data/{name}"].attrs) == dict(root[f"data/{name}"].attrs)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["dataset.hdf5", "dataset.zarr"]


def test_successes_and_failures_go_into_two_folders(lab, tmp_path):
    run(recorder(lab, ZarrDatasetFileHandler, tmp_path, "EXPORT_SUCCEEDED_FAILED_IN_SEPARATE_FILES", success=True))
    good, _ = read(ZarrDatasetFileHandler(), tmp_path / "dataset.zarr")
    bad, _ = read(ZarrDatasetFileHandler(), tmp_path / "dataset_failed.zarr")
    assert good and all(episode.success for episode in good.values())
    assert bad and not any(episode.success for episode in bad.values())


def test_episodes_are_added_and_a_broken_one_leaves_nothing(lab, tmp_path):
    episode = lab.datasets.EpisodeData()
    episode.data = {"actions": torch.arange(6.0).reshape(3, 2), "none": torch.zeros(0, 4), "one": torch.tensor(2.5)}
    episode.seed = 11
    handler = ZarrDatasetFileHandler()
    handler.create(str(tmp_path / "new" / "set"))
    handler.write_episode(episode)
    handler.write_episode(lab.datasets.EpisodeData())  # empty: not written, as in HDF5
    handler.close()
    handler = ZarrDatasetFileHandler()
    handler.open(str(tmp_path / "new" / "set.zarr"), "a")
    handler.write_episode(episode)
    with pytest.raises(ValueError, match="'demo_1' already exists"):
        handler.write_episode(episode, 1)
    broken = lab.datasets.EpisodeData()
    broken.data = {"actions": torch.zeros(2, 1), "wrong": "text"}
    with pytest.raises(AttributeError):
        handler.write_episode(broken)
    assert handler.get_episode_names() == ["demo_0", "demo_1"] and handler.get_num_episodes() == 2
    for name in ("demo_0", "demo_1"):
        loaded = handler.load_episode(name)
        assert loaded is not None and loaded.seed == 11 and loaded.success is None
        for key, value in episode.data.items():
            assert torch.equal(loaded.data[key], value)
    assert [each.name for each in (tmp_path / "new").iterdir()] == ["set.zarr"]


def test_mistakes_are_told(tmp_path):
    handler = ZarrDatasetFileHandler()
    with pytest.raises(RuntimeError, match="call create or open first"):
        handler.get_episode_names()
    with pytest.raises(FileNotFoundError, match="no dataset of episodes"):
        handler.open(str(tmp_path / "none.zarr"))
    (tmp_path / "mine.zarr").mkdir()
    with pytest.raises(FileExistsError, match="is no dataset of episodes"):
        handler.create(str(tmp_path / "mine"))
    handler.create(str(tmp_path / "a"))
    with pytest.raises(RuntimeError, match="already in use"):
        handler.open(str(tmp_path / "a.zarr"))
    handler.close()
    handler.create(str(tmp_path / "a.zarr"))  # begins anew, as HDF5 files do
    assert handler.get_num_episodes() == 0
    handler.close()
    (tmp_path / "a.zarr" / "data" / "zarr.json").unlink()
    (tmp_path / "a.zarr" / "data" / ".zgroup").write_text('{"zarr_format": 2}')
    with pytest.raises(FileNotFoundError, match="group data is missing or damaged"):
        ZarrDatasetFileHandler().open(str(tmp_path / "a.zarr"))


SCRIPT = """
import argparse, sys
from isaaclab.app import AppLauncher
app = AppLauncher(headless=True, device="cpu").app
import gymnasium, torch
import isaaclab_tasks
import omni.usd
from isaaclab.envs.mdp.recorders import ActionStateRecorderManagerCfg
from isaaclab.utils.datasets import HDF5DatasetFileHandler
from isaaclab_tasks.utils import parse_env_cfg
from phalanx.facade.zarr_episodes import ZarrDatasetFileHandler
for kind in (ZarrDatasetFileHandler, HDF5DatasetFileHandler):
    omni.usd.get_context().new_stage()
    cfg = parse_env_cfg("Isaac-Cartpole-v0", device="cpu", num_envs=2)
    cfg.seed, cfg.episode_length_s = 5, 0.2
    cfg.recorders = ActionStateRecorderManagerCfg()
    cfg.recorders.dataset_file_handler_class_type = kind
    cfg.recorders.dataset_export_dir_path = sys.argv[1]
    env = gymnasium.make("Isaac-Cartpole-v0", cfg=cfg)
    env.reset()
    for step in range(26):
        env.step(torch.full((2, 1), 0.1 * step))
    env.close()
app.close()
"""


@pytest.mark.slow
def test_a_task_of_isaac_lab_records_in_zarr(lab, tmp_path, monkeypatch):
    pytest.importorskip("gymnasium", reason="gymnasium is not installed: extra isaaclab")
    from phalanx.assets.building import build
    from phalanx.assets.catalogue import chosen

    for one in chosen(["cartpole"]):
        build(one, tmp_path / "assets")
    monkeypatch.setenv("PHALANX_ASSET_ROOT", str(tmp_path / "assets"))
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "-m", "phalanx", "exec", str(tmp_path / "script.py"), str(tmp_path / "sets")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    hdf5, _ = read(lab.datasets.HDF5DatasetFileHandler(), tmp_path / "sets/dataset.hdf5")
    ours, _ = read(ZarrDatasetFileHandler(), tmp_path / "sets/dataset.zarr")
    assert sorted(ours) == sorted(hdf5) and len(ours) >= 4
    for name, episode in ours.items():
        mine, theirs = dict(leaves(episode.data)), dict(leaves(hdf5[name].data))
        assert sorted(mine) == sorted(theirs)
        assert "/states/articulation/robot/joint_position" in mine
        assert all(torch.equal(value, theirs[key]) for key, value in mine.items())
