"""Training: that something is learnt, checkpoints, curves, and the two commands."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'phalanx[torch]')")
pytest.importorskip("gymnasium", reason="gymnasium is not installed (pip install 'phalanx[learn]')")

import phalanx as px  # noqa: E402
from phalanx import learn  # noqa: E402
from phalanx.commands import cli, learning_tasks, train  # noqa: E402
from phalanx.learn import trainer as training  # noqa: E402
from phalanx.learn.recipes import RECIPES, Recipe, recipe  # noqa: E402
from phalanx.learn.trainer import CheckpointError, Sums, Trainer  # noqa: E402

pytest.importorskip("rsl_rl", reason="rsl-rl is not installed (pip install 'phalanx[learn]')")

SMALL = Recipe(64, 3, steps=8, hidden=(32, 32))


def _trainer(folder: Path | None = None, seed: int = 1, task: str = "cartpole") -> Trainer:
    env = learn.make(task, SMALL.num_envs, seed=seed, infos=False)
    return Trainer(env, SMALL.settings(), folder, task, seed)


def _weights(trainer: Trainer) -> Any:
    return torch.cat([one.detach().flatten() for one in trainer.runner.alg.policy.parameters()])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Trainer]:
    """A short run of the command, and where it lies."""
    folder = tmp_path_factory.mktemp("runs") / "cartpole"
    options = ["--num-envs", "64", "--iterations", "3", "--seed", "1", "--device", "cpu", "--out", str(folder)]
    assert cli.main(["train", "cartpole", *options]) == 0
    return folder, _trainer()


def _begin(policy: Any, env: Any) -> None:
    """The same weights, and the same random numbers from here on."""
    torch.manual_seed(9)
    for name, values in policy.named_parameters():
        values.data.copy_(torch.ones_like(values) if name == "std" else 0.1 * torch.randn_like(values))
    env.env.reset(seed=3)
    env.env.stagger()
    torch.manual_seed(5)


class TestLearning:
    def test_environments_of_others_are_learnt_as_by_rsl_rls_own_runner(self, tmp_path: Path) -> None:
        """To the bit, three rounds with ends of episodes by time, as it is for Isaac Lab's tasks."""
        from rsl_rl.runners import OnPolicyRunner

        found = []
        for whose in ("ours", "theirs"):
            env = training.ForTrainer(learn.make("cartpole", 16, seed=1, infos=False))
            settings = SMALL.settings() | {"obs_groups": {"policy": ["policy"], "critic": ["policy"]}}
            if whose == "ours":
                trainer = Trainer(env, settings, None, "cartpole", 1)
                _begin(trainer.runner.alg.policy, env)
                trainer.learn(3)
                found.append(_weights(trainer))
            else:
                runner = OnPolicyRunner(env, settings, log_dir=str(tmp_path), device="cpu")
                _begin(runner.alg.policy, env)
                runner.learn(3)
                found.append(torch.cat([one.detach().flatten() for one in runner.alg.policy.parameters()]))
        assert torch.equal(*found)

    def test_cartpole_is_learnt(self) -> None:
        """From falling to standing all of the five seconds, without noise."""
        found = recipe("cartpole", "cpu")
        trainer = Trainer(learn.make("cartpole", 256, seed=1, infos=False), found.settings(), None, "cartpole", 1)
        env = trainer.env
        assert self._length(trainer) < 0.5 * env.max_episode_length, "untrained"
        trainer.learn(40, stagger=found.stagger, enough=lambda row: row.get("reward", 0.0) > 4.8)
        assert self._length(trainer) > 0.97 * env.max_episode_length

    @staticmethod
    def _length(trainer: Trainer) -> float:
        """Mean length of the episodes that end within the longest one's time, without noise."""
        env, policy = trainer.env, trainer.policy()
        env.env.reset(seed=99)
        sums = Sums(env.num_envs, "cpu")
        with torch.inference_mode():
            observations = env.get_observations()
            for _ in range(env.max_episode_length):
                observations, rewards, dones, _ = env.step(policy(observations))
                sums.add(rewards, dones)
        ended = sums.take()
        assert ended is not None
        return ended[1]

    def test_the_same_seed_gives_the_same_policy(self) -> None:
        ends = []
        for seed in (1, 1, 2):
            trainer = _trainer(seed=seed)
            trainer.learn(2)
            ends.append(_weights(trainer))
        assert torch.equal(ends[0], ends[1])
        assert not torch.equal(ends[0], ends[2])

    def test_sums_of_episodes(self) -> None:
        sums = Sums(2, "cpu")
        assert sums.take() is None
        for reward, done in (((1.0, 2.0), (0, 0)), ((3.0, 4.0), (1, 0)), ((5.0, 6.0), (1, 1))):
            sums.add(torch.tensor(reward), torch.tensor(done))
        assert sums.take() == ((4.0 + 5.0 + 12.0) / 3, (2 + 1 + 3) / 3)

    def test_all_tasks_have_recipes(self) -> None:
        assert RECIPES.keys() == learn.TASKS.keys()
        assert all(found.keys() == {"cpu", "cuda"} for found in RECIPES.values())


class TestCheckpoints:
    def test_a_checkpoint_has_policy_optimiser_and_curve(self, run: tuple[Path, Trainer]) -> None:
        folder, trainer = run
        trainer.load(folder / "model_3.pt")
        assert trainer.iteration == 3
        curve = json.loads((folder / "curve.json").read_text())
        assert trainer.curve == curve["curve"]
        assert [row["iteration"] for row in curve["curve"]] == [0, 1, 2]
        assert curve["curve"][-1]["steps"] == 3 * 64 * recipe("cartpole", "cpu").steps
        assert (curve["task"], curve["num_envs"], curve["device"], curve["seed"]) == ("cartpole", 64, "cpu", 1)

    def test_resume_goes_on(self, run: tuple[Path, Trainer], tmp_path: Path) -> None:
        folder, _ = run
        more = ["--iterations", "5", "--num-envs", "64", "--device", "cpu", "--out", str(tmp_path)]
        assert cli.main(["train", "cartpole", "--resume", str(folder / "model_3.pt"), *more]) == 0
        curve = json.loads((tmp_path / "curve.json").read_text())["curve"]
        assert [row["iteration"] for row in curve] == [0, 1, 2, 3, 4]
        assert (tmp_path / "model_5.pt").is_file()

    def test_one_of_another_task(self, run: tuple[Path, Trainer]) -> None:
        with pytest.raises(CheckpointError, match="a checkpoint of cartpole, not of ant"):
            _trainer(task="ant").load(run[0] / "model_3.pt")

    def test_files_that_are_none(self, tmp_path: Path) -> None:
        bad = tmp_path / "bad.pt"
        bad.write_text("not a checkpoint")
        with pytest.raises(CheckpointError, match="is no checkpoint"):
            training.read_checkpoint(bad)
        torch.save({"something": 1}, bad)
        with pytest.raises(CheckpointError, match="is no checkpoint of a policy"):
            training.read_checkpoint(bad)
        with pytest.raises(CheckpointError, match="there is no such file"):
            training.read_checkpoint(tmp_path / "none.pt")


class TestCommands:
    def test_play_says_how_it_does(self, run: tuple[Path, Trainer], capsys: pytest.CaptureFixture[str]) -> None:
        options = ["--num-envs", "8", "--seconds", "2", "--device", "cpu"]
        assert cli.main(["play", "cartpole", str(run[0] / "model_3.pt"), *options]) == 0
        said = capsys.readouterr().out
        assert "8 environments, 120 steps (2 s)" in said
        assert "episodes that ended: mean reward" in said

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["train", "cart-pole"], "did you mean 'cartpole'?"),
            (["train", "cartpole", "--resume", "nowhere.pt"], "nowhere.pt: there is no such checkpoint"),
            (["play", "cartpole", "nowhere.pt"], "nowhere.pt: there is no such file"),
            (["train", "cartpole", "--device", "cuda:9"], "this PyTorch finds no GPU"),
        ],
    )
    def test_mistakes_are_said_in_one_sentence(
        self, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        if "cuda:9" in arguments and torch.cuda.is_available():
            pytest.skip("this PyTorch finds a GPU")
        arguments = arguments if "--device" in arguments else [*arguments, "--device", "cpu"]
        assert cli.main(arguments) == 2
        said = capsys.readouterr().err.strip()
        assert message in said
        assert said.count("\n") == 0

    def test_what_is_not_installed_is_named(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        found = training.importlib.util.find_spec
        monkeypatch.setattr(
            training.importlib.util, "find_spec", lambda name: None if name == "rsl_rl" else found(name)
        )
        assert cli.main(["train", "cartpole", "--device", "cpu"]) == 2
        assert "Training needs rsl_rl: pip install 'phalanx[learn]'" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("settings", "seed"),
        [({"seed": 42}, 42), (SimpleNamespace(seed=7), 7), ({"seed": -1}, 0), ({}, 0), (SimpleNamespace(seed=None), 0)],
    )
    def test_seeds_of_settings(self, settings: Any, seed: int) -> None:
        assert learning_tasks.seed_of(settings) == seed

    def test_isaac_lab_without_its_wheel(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        from phalanx.facade import wheel

        monkeypatch.setattr(wheel, "source", lambda: None)
        assert cli.main(["train", "Isaac-Cartpole-v0", "--device", "cpu"]) == 2
        assert wheel.REMEDY in capsys.readouterr().err

    def test_a_film_while_it_trains(self, tmp_path: Path) -> None:
        pytest.importorskip("av", reason="PyAV is not installed (pip install 'phalanx[video]')")
        from phalanx.learn.filming import Film

        env = learn.make("cartpole", 2, seed=1)
        env.reset()
        film = Film(env.world, env.step_seconds)
        for _ in range(8):
            env.step(torch.zeros(2, 1))
            film.after_step()
        assert film.seconds == pytest.approx(4 / 30)
        film.write(tmp_path / "film.gif")
        assert (tmp_path / "film.gif").stat().st_size > 1000

    def test_a_film_of_robots_far_apart_follows_one(self, tmp_path: Path) -> None:
        """As on terrains side by side: all of them together would be dots."""
        image = pytest.importorskip("PIL.Image", reason="pillow is not installed (pip install 'phalanx[video]')")
        from phalanx.learn.filming import Film

        world = px.World(2)
        robot = world.add_robot("cartpole", fixed_base=True)
        shares = []
        for apart in (0.0, 40.0):
            pose = np.asarray(robot.root_pose).copy()
            pose[1, 0] = apart
            robot.set_root_state(pose=pose)
            film = Film(world, 0.04)
            film.after_step()
            film.write(tmp_path / "film.gif")
            with image.open(tmp_path / "film.gif") as picture:
                grey = np.asarray(picture.convert("L"), float)
            shares.append(float((grey < 120.0).mean()))
        assert shares[1] > 0.3 * shares[0] > 0.003

    def test_a_film_ends_with_training(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Training that ends within the first seconds leaves a film of them; one that had no time for a frame none."""
        written: list[tuple[str, float]] = []

        def write(film: Any, path: Path) -> None:
            written.append((path.stem, film.seconds))

        monkeypatch.setattr("phalanx.learn.filming.Film.write", write)
        env = learn.make("cartpole", 2, seed=1)
        env.reset()
        made = SimpleNamespace(world=env.world, step_seconds=env.step_seconds)
        films = train._Films(cast("Any", made), SimpleNamespace(iteration=3, save_interval=50), tmp_path)
        films.end()
        for steps in (1, 8):
            films._next = 3
            for _ in range(steps):
                env.step(torch.zeros(2, 1))
                films.after_step()
            films.end()
        assert written == [("video_3", pytest.approx(4 / 30))]
        films.end()
        assert len(written) == 1
