"""Recordings as datasets: episodes, windows, and files that are read back by the packages that own the formats.

Packages that are missing skip their test with the reason.
"""

import csv
import json

import numpy as np
import pytest

import phalanx as px
import phalanx.facade
from phalanx.commands.cli import main
from phalanx.images.world_camera import WorldCamera
from phalanx.io.exports.cameras import View
from phalanx.io.exports.export import FORMATS, ExportError, export
from phalanx.io.recordings.episodes import Episodes, flat, signals


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """Three environments, 40 steps; the second is reset after 15, all after 30. Targets differ in each step."""
    path = tmp_path_factory.mktemp("exports") / "run.zarr"
    world = px.World(num_envs=3, dt=0.01)
    robot = world.add_robot("double_pendulum")
    world.add_rigid_object(px.Shape("sphere", (0.1,)), "ball", position=(1.0, 0.0, 2.0))
    robot.set_drive(stiffness=20.0, damping=2.0)
    rng = np.random.default_rng(0)
    with px.Recorder(world, path):
        for step in range(40):
            if step == 15:
                world.reset([1])
            if step == 30:
                world.reset()
            robot.set_targets(pos=rng.uniform(-1, 1, (3, robot.num_dof)))
            world.step()
    return px.open_recording(path)


def test_episodes_end_at_resets_of_their_environment(recording):
    spans = [(span.env, span.start, span.stop) for span in Episodes(recording).spans]
    # sample k + 1 is that of step k; the one before a reset is the last of its episode
    assert spans == [(0, 0, 31), (0, 31, 41), (1, 0, 16), (1, 16, 31), (1, 31, 41), (2, 0, 31), (2, 31, 41)]


def test_actions_are_what_was_told_after_an_observation(recording):
    episode = Episodes(recording)[2]
    targets, positions = recording.robots["robot"]["joint_pos_target"], recording.robots["robot"]["joint_pos"]
    assert episode.steps == 15
    assert np.array_equal(episode.actions["robot/joint_pos_target"], targets[1, 1:16])
    assert np.array_equal(episode.observations["robot/joint_pos"], positions[1, :16])
    # the same targets again give the same positions: an independent check of the order
    world = recording.world()
    robot = world.robots["robot"]
    for k in range(15):
        assert np.array_equal(robot.joint_pos[1], episode.observations["robot/joint_pos"][k])
        robot.set_targets(pos=episode.actions["robot/joint_pos_target"][k], env_ids=[1])
        world.step()
    assert np.array_equal(robot.joint_pos[1], episode.observations["robot/joint_pos"][15])


def test_setting_targets_or_gains_is_no_reset(tmp_path):
    world = px.World(num_envs=2)
    robot = world.add_robot("double_pendulum")
    with px.Recorder(world, tmp_path / "run.zarr"):
        world.step(5)
        robot.set_drive(stiffness=3.0, damping=0.1)
        world.step(5)
        world.touch_state()  # a state that is set, but is the same
        world.step(5)
    assert [(s.env, s.start, s.stop) for s in Episodes(px.open_recording(tmp_path / "run.zarr")).spans] == [
        (0, 0, 16),
        (1, 0, 16),
    ]


def test_signals_name_their_columns(recording):
    known = signals(recording)
    assert known["robot/joint_pos"].columns == tuple(recording.robots["robot"].joint_names)
    assert known["ball/root_pose"].columns == ("x", "y", "z", "qw", "qx", "qy", "qz")
    assert len(known["robot/net_contact_force"].columns) == 3 * len(recording.robots["robot"].body_names)


def test_windows_for_torch_never_reach_over_a_reset(recording):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    dataset = recording.to_torch_dataset(window=6, stride=2, observations=["robot/joint_pos", "robot/joint_vel"])
    lengths = [30, 9, 15, 14, 9, 30, 9]
    assert len(dataset) == sum(len(range(0, n - 5, 2)) for n in lengths)
    robot = recording.robots["robot"]
    everything = np.concatenate([robot["joint_pos"][...], robot["joint_vel"][...]], axis=2)
    episodes = Episodes(recording)
    for item in (dataset[i] for i in range(len(dataset))):
        span = episodes.spans[item["episode"]]
        start = span.start + item["start"]
        assert start + 6 < span.stop and item["env"] == span.env
        assert np.array_equal(item["observation"].numpy(), everything[span.env, start : start + 6])
        assert np.array_equal(item["next_observation"].numpy(), everything[span.env, start + 1 : start + 7])
        assert np.array_equal(item["action"].numpy(), robot["joint_pos_target"][span.env, start + 1 : start + 7])
    batch = next(iter(torch.utils.data.DataLoader(dataset, batch_size=4)))
    assert batch["observation"].shape == (4, 6, 2 * len(robot.joint_names))
    assert len(dataset.observation_names) == 2 * len(robot.joint_names)
    assert len(recording.to_torch_dataset(window=1000)) == 0
    with pytest.raises(ValueError, match="window=0"):
        recording.to_torch_dataset(window=0)


def expected(recording):
    """(observations, actions) of each episode, side by side."""
    return [(flat(each.observations), flat(each.actions)) for each in Episodes(recording)]


def test_csv_has_every_bit(recording, tmp_path):
    export(recording, "csv", tmp_path / "a.csv")
    with (tmp_path / "a.csv").open() as file:
        head, *rows = csv.reader(file)
    assert head[:4] == ["episode", "env", "step", "time"] and head[4].startswith("observation.robot/joint_pos.")
    values = np.array(rows, float)
    for number, (seen, done) in enumerate(expected(recording)):
        mine = values[values[:, 0] == number]
        assert np.array_equal(mine[:, 4 : 4 + seen.shape[1]].astype(np.float32), seen[:-1])
        assert np.array_equal(mine[:, 4 + seen.shape[1] :].astype(np.float32), done)


def test_parquet_has_every_bit(recording, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    export(recording, "parquet", tmp_path / "a.parquet")
    table = parquet.read_table(tmp_path / "a.parquet")
    assert parquet.ParquetFile(tmp_path / "a.parquet").num_row_groups == 7
    values = np.stack([table.column(name).to_numpy() for name in table.column_names], axis=1)
    width = expected(recording)[0][0].shape[1]
    for number, (seen, done) in enumerate(expected(recording)):
        mine = values[values[:, 0] == number]
        assert np.array_equal(mine[:, 4 : 4 + width].astype(np.float32), seen[:-1])
        assert np.array_equal(mine[:, 4 + width :].astype(np.float32), done)
    assert table.column(4).type == "float"


def test_hdf5_is_as_isaac_lab_has_it(recording, tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    export(recording, "hdf5", tmp_path / "a.hdf5")
    episodes = Episodes(recording)
    with h5py.File(tmp_path / "a.hdf5") as file:
        assert file["data"].attrs["total"] == episodes.steps and len(file["data"]) == len(episodes)
        assert json.loads(file["data"].attrs["env_args"])["env_name"] == "run"
        for number, episode in enumerate(episodes):
            group = file[f"data/demo_{number}"]
            position, pose = episode.observations["robot/joint_pos"], episode.observations["ball/root_pose"]
            assert group.attrs["num_samples"] == episode.steps == len(group["actions"])
            assert np.array_equal(group["actions"], episode.actions["robot/joint_pos_target"])
            assert np.array_equal(group["obs/robot/joint_pos"], position[:-1])
            assert np.array_equal(group["initial_state/articulation/robot/joint_position"], position[:1])
            assert np.array_equal(group["states/articulation/robot/joint_position"], position[1:])
            assert np.array_equal(group["states/rigid_object/ball/root_pose"], pose[1:])


def test_hdf5_is_read_by_isaac_lab(recording, tmp_path):
    pytest.importorskip("h5py", reason="h5py is not installed")
    phalanx.facade.install()
    handlers = pytest.importorskip(
        "isaaclab.utils.datasets", reason="Isaac Lab's wheel is not installed", exc_type=ImportError
    )
    export(recording, "hdf5", tmp_path / "a.hdf5")
    handler = handlers.HDF5DatasetFileHandler()
    handler.open(str(tmp_path / "a.hdf5"))
    assert handler.get_num_episodes() == 7
    loaded = handler.load_episode("demo_2", "cpu")
    episode = Episodes(recording)[2]
    assert np.array_equal(loaded.data["actions"].numpy(), episode.actions["robot/joint_pos_target"])
    handler.close()


def test_robomimic_reads_it(recording, tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    export(recording, "robomimic", tmp_path / "a.hdf5")
    with h5py.File(tmp_path / "a.hdf5") as file:
        masks = [name.decode() for part in ("train", "valid") for name in file[f"mask/{part}"][...]]
        assert sorted(masks) == sorted(file["data"])
        for number, (seen, done) in enumerate(expected(recording)):
            group = file[f"data/demo_{number}"]
            assert np.array_equal(group["states"], seen[:-1]) and np.array_equal(group["actions"], done)
            assert np.array_equal(group["next_obs/robot_joint_pos"][:-1], group["obs/robot_joint_pos"][1:])
            assert group["dones"][-1] == 1 and not group["dones"][:-1].any() and not group["rewards"][...].any()
    dataset = pytest.importorskip("robomimic.utils.dataset", reason="robomimic is not installed", exc_type=ImportError)
    from robomimic.utils import obs_utils

    obs_utils.initialize_obs_utils_with_obs_specs({"obs": {"low_dim": ["robot_joint_pos"]}})
    sequences = dataset.SequenceDataset(
        str(tmp_path / "a.hdf5"), obs_keys=["robot_joint_pos"], dataset_keys=["actions", "rewards"], seq_length=4
    )
    assert len(sequences) == Episodes(recording).steps
    first = Episodes(recording)[0]
    assert np.array_equal(sequences[0]["obs"]["robot_joint_pos"], first.observations["robot/joint_pos"][:4])
    assert np.array_equal(sequences[0]["actions"], first.actions["robot/joint_pos_target"][:4])


def test_minari_reads_it(recording, tmp_path, monkeypatch):
    minari = pytest.importorskip("minari", reason="minari is not installed", exc_type=ImportError)
    path, _ = export(recording, "minari", tmp_path / "pendulums")
    assert path == tmp_path / "pendulums-v0"
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    dataset = minari.load_dataset("pendulums-v0")
    assert dataset.total_episodes == 7 and dataset.total_steps == Episodes(recording).steps
    for episode, (seen, done) in zip(dataset.iterate_episodes(), expected(recording), strict=True):
        assert np.array_equal(episode.observations, seen) and np.array_equal(episode.actions, done)
        assert episode.truncations[-1] and not episode.truncations[:-1].any() and not episode.terminations.any()


def test_lerobot_is_laid_out_as_version_3_says(recording, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    export(recording, "lerobot", tmp_path / "set")
    info = json.loads((tmp_path / "set/meta/info.json").read_text())
    assert info["codebase_version"] == "v3.0" and info["fps"] == 100 and info["total_episodes"] == 7
    table = parquet.read_table(tmp_path / "set" / info["data_path"].format(chunk_index=0, file_index=0))
    seen, done = (np.concatenate(parts) for parts in zip(*((s[:-1], a) for s, a in expected(recording)), strict=True))
    assert np.array_equal(np.array(table.column("observation.state").to_pylist(), np.float32), seen)
    assert np.array_equal(np.array(table.column("action").to_pylist(), np.float32), done)
    assert table.column("index").to_pylist() == list(range(info["total_frames"])) == list(range(len(seen)))
    rows = parquet.read_table(tmp_path / "set/meta/episodes/chunk-000/file-000.parquet").to_pylist()
    assert [row["length"] for row in rows] == [30, 9, 15, 14, 9, 30, 9]
    assert [row["dataset_from_index"] for row in rows[1:]] == [row["dataset_to_index"] for row in rows[:-1]]
    stats = json.loads((tmp_path / "set/meta/stats.json").read_text())
    for key, values in (("observation.state", seen), ("action", done)):
        exact = values.astype(float)
        for name in ("mean", "std", "min", "max"):
            assert np.allclose(stats[key][name], getattr(exact, name)(axis=0), atol=1e-12), (key, name)
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    tasks = pandas.read_parquet(tmp_path / "set/meta/tasks.parquet")
    assert tasks.columns.tolist() == ["task_index"] and tasks.index.tolist() == ["Motion recorded by Phalanx"]
    with pytest.raises(FileExistsError, match="is there already"):
        export(recording, "lerobot", tmp_path / "set")


CAMERAS = {
    "front": View(eye=(0.0, 2.5, 1.0), target=(0.0, 0.0, 1.0), width=64, height=48),
    "hand": View(body="robot/lower", eye=(0.0, 1.2, -0.2), target=(0.0, 0.0, 0.3), width=32, height=32),
}


@pytest.fixture(scope="module")
def filmed(recording, tmp_path_factory):
    """A dataset with two cameras, and pictures of the recorded states by cameras of a world that is put into each."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    pytest.importorskip("av", reason="av is not installed (pip install 'phalanx[video]')")
    path = tmp_path_factory.mktemp("filmed") / "set"
    export(recording, "lerobot", path, cameras=CAMERAS)
    world = recording.world("cpu")
    cameras = {
        name: WorldCamera(world, v.height, v.width, body=v.body, eye=v.eye, target=v.target, angle=v.angle)
        for name, v in CAMERAS.items()
    }
    shots = {name: [] for name in CAMERAS}
    for sample in range(recording.num_samples):
        world.robots["robot"].set_joint_state(recording.robots["robot"]["joint_pos"][:, sample])
        world.objects["ball"].set_root_state(recording.objects["ball"]["root_pose"][:, sample])
        for name, camera in cameras.items():
            shots[name].append(camera.capture()["rgb"][..., :3].copy())
    spans = Episodes(recording).spans
    return path, {
        name: np.concatenate([np.array(shot)[span.start : span.stop - 1, span.env] for span in spans])
        for name, shot in shots.items()
    }


def noise(found, expected):
    """dB of the peak signal to noise ratio."""
    return -10.0 * np.log10(np.mean((found.astype(float) - expected) ** 2) / 255.0**2)


def test_videos_of_cameras_are_what_was_drawn(recording, filmed):
    """Frame by frame, where the episodes' rows say that they are."""
    parquet, av = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("av")
    path, seen = filmed
    info = json.loads((path / "meta/info.json").read_text())
    rows = parquet.read_table(path / "meta/episodes/chunk-000/file-000.parquet").to_pylist()
    stats = json.loads((path / "meta/stats.json").read_text())
    for name, view in CAMERAS.items():
        key = f"observation.images.{name}"
        assert info["features"][key]["dtype"] == "video"
        assert info["features"][key]["shape"] == [view.height, view.width, 3]
        with av.open(str(path / info["video_path"].format(video_key=key, chunk_index=0, file_index=0))) as file:
            frames = [(float(frame.pts * frame.time_base), frame.to_ndarray(format="rgb24")) for frame in file.decode()]
        assert len(frames) == info["total_frames"] == len(seen[name])
        assert np.allclose([time for time, _ in frames], np.arange(len(frames)) / 100.0, atol=1e-4)
        assert noise(np.array([frame for _, frame in frames]), seen[name]) > 32.0
        assert np.ptp(seen[name], axis=0).max() > 50  # something moves
        for row in rows:
            ends = [row[f"videos/{key}/{end}_timestamp"] for end in ("from", "to")]
            assert np.allclose(ends, [row["dataset_from_index"] / 100.0, row["dataset_to_index"] / 100.0])
        mean = seen[name].reshape(-1, 3).mean(axis=0) / 255.0
        assert np.allclose(np.ravel(stats[key]["mean"]), mean, atol=1e-6) and np.shape(stats[key]["mean"]) == (3, 1, 1)


def test_cameras_that_cannot_be(recording, tmp_path):
    with pytest.raises(ExportError, match="cameras are for lerobot"):
        export(recording, "csv", tmp_path / "a.csv", cameras=CAMERAS)
    pytest.importorskip("av", reason="PyAV is not installed")
    with pytest.raises(ValueError, match="no body 'robot/foot'"):
        export(recording, "lerobot", tmp_path / "a", cameras={"a": View(body="robot/foot")})
    with pytest.raises(ValueError, match="a name of at most 100 letters"):
        export(recording, "lerobot", tmp_path / "a", cameras={"a/b": View()})
    for each in ({"a": None}, [1], "front", {"a": 3}):
        with pytest.raises(TypeError, match="must be a dictionary of views"):
            export(recording, "lerobot", tmp_path / "a", cameras=each)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="at most 100 letters, digits"):
        export(recording, "lerobot", tmp_path / "a", cameras={"a" * 200: View()})
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(FileExistsError, match="link: is there already"):
        export(recording, "lerobot", tmp_path / "link")
    (tmp_path / "link").unlink()
    with pytest.raises(ValueError, match="both must be even"):
        View(width=33)
    assert View.parse("front body=robot/lower eye=1,2,3 size=64,48 angle=70") == (
        "front",
        View("robot/lower", (1.0, 2.0, 3.0), angle=70.0, width=64, height=48),
    )
    with pytest.raises(ValueError, match="'eye=1,2' is not understood"):
        View.parse("front eye=1,2")
    assert list(tmp_path.iterdir()) == []


def test_lerobot_reads_videos(filmed):
    module = pytest.importorskip(
        "lerobot.datasets.lerobot_dataset", reason="lerobot is not installed", exc_type=ImportError
    )
    path, seen = filmed
    dataset = module.LeRobotDataset("phalanx/set", root=path)
    for index in (0, 29, 30, 60, len(dataset) - 1):
        item = dataset[index]
        for name, pictures in seen.items():
            found = 255.0 * item[f"observation.images.{name}"].numpy().transpose(1, 2, 0)
            assert noise(found, pictures[index]) > 30.0, (index, name)


def test_lerobot_reads_it(recording, tmp_path):
    module = pytest.importorskip(
        "lerobot.datasets.lerobot_dataset", reason="lerobot is not installed", exc_type=ImportError
    )
    export(recording, "lerobot", tmp_path / "set")
    dataset = module.LeRobotDataset("phalanx/set", root=tmp_path / "set")
    assert dataset.num_episodes == 7 and len(dataset) == Episodes(recording).steps
    seen, done = (np.concatenate(parts) for parts in zip(*((s[:-1], a) for s, a in expected(recording)), strict=True))
    for index in (0, 29, 30, 60, len(dataset) - 1):
        item = dataset[index]
        assert np.array_equal(item["observation.state"].numpy(), seen[index])
        assert np.array_equal(item["action"].numpy(), done[index])


@pytest.mark.parametrize("to", FORMATS)
def test_the_command_writes_every_format(recording, tmp_path, to, capsys):
    for name in FORMATS[to].needs:
        pytest.importorskip(name, reason=f"{name} is not installed", exc_type=ImportError)
    out = tmp_path / f"out{FORMATS[to].suffix}"
    assert main(["export", str(recording.path), "--to", to, "--out", str(out), "--env", "1"]) == 0
    said = capsys.readouterr().out
    assert "3 episodes, 38 steps at 100 Hz" in said
    assert len(list(tmp_path.iterdir())) == 1


def test_mistakes_are_told(recording, tmp_path, capsys):
    with pytest.raises(ExportError, match="there are csv, parquet"):
        export(recording, "xml")
    with pytest.raises(ExportError, match=r"must end in \.csv"):
        export(recording, "csv", tmp_path / "a.txt")
    with pytest.raises(ExportError, match="there is no folder"):
        export(recording, "csv", tmp_path / "none" / "a.csv")
    with pytest.raises(ValueError, match="no signal 'robot/joint_po'"):
        export(recording, "csv", tmp_path / "a.csv", observations=["robot/joint_po"])
    with pytest.raises(IndexError, match=r"env_ids must lie in 0..2"):
        export(recording, "csv", tmp_path / "a.csv", env_ids=[3])
    assert main(["export", str(tmp_path / "no.zarr"), "--to", "csv"]) == 2
    assert "there is no such folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
