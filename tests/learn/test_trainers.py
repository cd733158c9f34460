"""Training by skrl and Stable-Baselines3: wiring, checkpoints, mistakes, and that something is learnt.

Isaac Lab's own task is trained by each trainer in a process of its own.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'phalanx[torch]')")
pytest.importorskip("gymnasium", reason="gymnasium is not installed (pip install 'phalanx[learn]')")

from phalanx import learn  # noqa: E402
from phalanx.commands import cli, learning_tasks  # noqa: E402
from phalanx.commands.common import UserError  # noqa: E402
from phalanx.facade import wheel  # noqa: E402
from phalanx.learn import trainers  # noqa: E402
from phalanx.learn.ranks import Ranks  # noqa: E402
from phalanx.learn.recipes import Recipe, recipe  # noqa: E402
from phalanx.learn.trainer import CheckpointError, read_archive  # noqa: E402

ENDINGS = {"skrl": ".pt", "sb3": ".zip"}
SMALL = Recipe(16, 3, steps=8, hidden=(16, 16), normalise=True)


def _missing(name: str) -> bool:
    return importlib.util.find_spec(trainers.PACKAGES[name].module) is None


def _only_with(name: str) -> Any:
    found = trainers.PACKAGES[name]
    reason = f"{found.title} is not installed (pip install 'phalanx[{name}]')"
    return pytest.param(name, marks=pytest.mark.skipif(_missing(name), reason=reason))


OTHERS = [_only_with(name) for name in ENDINGS]


def _trainer(name: str, seed: int = 1, task: str = "cartpole", found: Recipe = SMALL) -> Any:
    env = learn.make(task, found.num_envs, seed=seed, infos=name == "sb3")
    return trainers.make(name, env, learning_tasks._settings(found, name), None, task, seed, Ranks())


class TestWiring:
    @pytest.mark.parametrize("name", OTHERS)
    def test_train_resume_and_play(self, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        options = ["--trainer", name, "--num-envs", "16", "--seed", "1", "--device", "cpu"]
        first, second = tmp_path / "first", tmp_path / "second"
        assert cli.main(["train", "cartpole", *options, "--iterations", "2", "--out", str(first)]) == 0
        kept = first / f"model_2{ENDINGS[name]}"
        assert trainers.wrote(kept) == name
        more = ["--iterations", "3", "--resume", str(kept), "--out", str(second)]
        assert cli.main(["train", "cartpole", *options, *more]) == 0
        curve = json.loads((second / "curve.json").read_text())
        assert [row["iteration"] for row in curve["curve"]] == [0, 1, 2]
        assert curve["curve"][-1]["steps"] == 3 * 16 * recipe("cartpole", "cpu").steps
        assert (curve["trainer"], curve["num_envs"]) == (name, 16)
        last = str(second / f"model_3{ENDINGS[name]}")
        assert cli.main(["play", "cartpole", last, "--num-envs", "4", "--seconds", "1", "--device", "cpu"]) == 0
        assert "4 environments, 60 steps (1 s)" in capsys.readouterr().out
        assert cli.main(["train", "cartpole", "--device", "cpu", "--resume", last]) == 2
        said = capsys.readouterr().err
        wrong = f"was written by {name}: go on with --trainer {name}."
        assert ("Training needs rsl_rl" if _missing("rsl_rl") else wrong) in said

    @pytest.mark.parametrize("name", OTHERS)
    def test_a_checkpoint_is_the_policy(self, name: str, tmp_path: Path) -> None:
        """Another trainer that loads it plays to the same bits, normalised observations included."""
        trained, fresh = _trainer(name), _trainer(name, seed=7)
        trained.learn(2)
        trained.save(tmp_path / "model")
        fresh.load(tmp_path / "model")
        assert (fresh.iteration, fresh.curve) == (trained.iteration, trained.curve)
        ends = []
        for one in (trained, fresh):
            env = one.native
            env.reset(seed=5)
            one.play(40)
            ends.append((env.observations["policy"].clone(), env.actions.clone()))
        for one, other in zip(*ends, strict=True):
            assert one.abs().max() > 0.0 and torch.equal(one, other)

    @pytest.mark.parametrize("name", OTHERS)
    def test_the_same_seed_gives_the_same_policy(self, name: str) -> None:
        ends = []
        for seed in (1, 1, 2):
            trainer = _trainer(name, seed)
            trainer.learn(2)
            ends.append(_policy(trainer))
        assert torch.equal(ends[0], ends[1])
        assert not torch.equal(ends[0], ends[2])

    @pytest.mark.parametrize("name", OTHERS)
    def test_files_that_do_not_fit(self, name: str, tmp_path: Path) -> None:
        path = tmp_path / "model"
        _trainer(name).save(path)
        with pytest.raises(CheckpointError, match="a checkpoint of cartpole, not of ant"):
            _trainer(name, task="ant").load(path)
        with pytest.raises(CheckpointError, match="does not fit the policy of cartpole"):
            _trainer(name, found=Recipe(16, 3, steps=8, hidden=(8, 8), normalise=True)).load(path)

    def test_episodes_end_as_stable_baselines3_wants_them(self) -> None:
        """Observations before the reset, whether time ran out, and the episode's return."""
        pytest.importorskip(
            "stable_baselines3", reason="Stable-Baselines3 is not installed (pip install 'phalanx[sb3]')"
        )
        trainer = _trainer("sb3")
        env = trainer._inner
        env.reset()
        longest = trainer.native.max_episode_length
        trainer.native.episode_length.fill_(longest - 2)
        for _ in range(2):
            observations, _, dones, infos = env.step(torch.zeros(16, 1).numpy())
        assert dones.all() and len(infos) == 16
        for one, info in enumerate(infos):
            assert info["TimeLimit.truncated"] and info["episode"]["l"] == longest
            assert info["episode"]["r"] == pytest.approx(float(trainer.native.episodes.last_return[one]))
            assert (info["terminal_observation"] != observations[one]).any()


def _policy(trainer: Any) -> Any:
    model = trainer.runner.agent.models["policy"] if trainer.trainer == "skrl" else trainer.model.policy
    return torch.cat([one.detach().flatten() for one in model.parameters()])


class TestMistakes:
    @pytest.mark.parametrize("name", ENDINGS)
    def test_a_trainer_that_is_missing(
        self, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        package, found = trainers.PACKAGES[name], importlib.util.find_spec
        monkeypatch.setattr(
            trainers.importlib.util, "find_spec", lambda one: None if one == package.module else found(one)
        )
        assert cli.main(["train", "cartpole", "--trainer", name, "--device", "cpu"]) == 2
        said = capsys.readouterr().err.strip()
        assert said.endswith(f"--trainer {name} needs {package.title}: pip install 'phalanx[{name}]'.")
        assert "\n" not in said

    def test_a_version_that_is_too_old(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(trainers.importlib.util, "find_spec", lambda one: one)
        monkeypatch.setattr(trainers.importlib.metadata, "version", lambda one: "1.4.2")
        with pytest.raises(ImportError, match=r"needs skrl 1\.4\.3 or later, and not 1\.4\.2: pip install"):
            trainers.check("skrl")
        for version in ("1.4.3", "1.10.0", "2.1.1+cpu", "2.2.0rc1"):
            monkeypatch.setattr(trainers.importlib.metadata, "version", lambda one, version=version: version)
            trainers.check("skrl")

    def test_a_task_without_a_recipe(self) -> None:
        registered = {"rsl_rl_cfg_entry_point": "a", "skrl_cfg_entry_point": "b", "rl_games_cfg_entry_point": "c"}
        assert learning_tasks._recipe_entry("Isaac-X-v0", registered, "skrl") == "skrl_cfg_entry_point"
        with pytest.raises(
            UserError, match="Isaac-X-v0 has no recipe for Stable-Baselines3; train it with --trainer rsl"
        ):
            learning_tasks._recipe_entry("Isaac-X-v0", registered, "sb3")
        with pytest.raises(UserError, match="no recipe for skrl; phalanx tasks lists the others"):
            learning_tasks._recipe_entry("Isaac-X-v0", {}, "skrl")

    def test_what_is_half_made_is_freed_without_a_word(self, capsys: pytest.CaptureFixture[str]) -> None:
        """A task whose robot's file is missing gives one sentence, and no traceback of its destructor."""
        freed, hook = [], sys.unraisablehook

        class Half:
            def __init__(self) -> None:
                raise FileNotFoundError("robot.usd")

            def __del__(self) -> None:
                freed.append(True)
                raise AttributeError("command_manager")

        try:
            Half()
        except FileNotFoundError as error:
            learning_tasks._forget_half_made(error)
        assert freed and capsys.readouterr().err == "" and sys.unraisablehook is hook

    @pytest.mark.parametrize("name", [_only_with("sb3")])
    def test_several_processes(self, name: str, capsys: pytest.CaptureFixture[str]) -> None:
        """Which Stable-Baselines3 has no distribution for."""
        assert cli.main(["train", "cartpole", "--trainer", name, "--ranks", "2", "--device", "cpu"]) == 2
        assert f"--trainer {name} trains in one process" in capsys.readouterr().err

    def test_files_that_are_no_checkpoints(self, tmp_path: Path) -> None:
        bad = tmp_path / "bad.pt"
        with pytest.raises(CheckpointError, match="there is no such file"):
            trainers.wrote(bad)
        bad.write_text("not a checkpoint")
        with pytest.raises(CheckpointError, match="is no checkpoint"):
            trainers.wrote(bad)
        torch.save({"something": 1}, bad)
        with pytest.raises(CheckpointError, match="is no checkpoint of a policy"):
            trainers.wrote(bad)

    def test_archives_that_are_damaged(self, tmp_path: Path) -> None:
        """As Stable-Baselines3 writes them: an entry that torch cannot read, and one whose bytes have changed."""
        bad = tmp_path / "bad.zip"
        whole = io.BytesIO()
        torch.save({"weight": torch.ones(3)}, whole)
        for content in (b"", b"not a dictionary", whole.getvalue()[:-40]):
            with zipfile.ZipFile(bad, "w") as archive:
                archive.writestr("policy.pth", whole.getvalue())
                archive.writestr("phalanx.infos", content)
            with pytest.raises(CheckpointError, match=r"bad\.zip is damaged in phalanx\.infos"):
                read_archive(bad, lambda name: True)
            found = read_archive(bad, "policy.pth".__eq__)
            assert list(found) == ["policy.pth"] and torch.equal(found["policy.pth"]["weight"], torch.ones(3))
        written = bytearray(bad.read_bytes())
        written[200] ^= 1
        bad.write_bytes(written)
        with pytest.raises(CheckpointError, match=r"is damaged in policy\.pth: BadZipFile"):
            read_archive(bad, lambda name: True)
        bad.write_bytes(written[:-10])
        with pytest.raises(CheckpointError, match="is no checkpoint: BadZipFile"):
            read_archive(bad, lambda name: True)

    @pytest.mark.parametrize("name", [_only_with("sb3")])
    def test_a_damaged_checkpoint_of_stable_baselines3(self, name: str, tmp_path: Path) -> None:
        path = tmp_path / "model.zip"
        trainer = _trainer(name)
        trainer.save(path)
        with zipfile.ZipFile(path) as archive:
            kept = {entry: archive.read(entry) for entry in archive.namelist()}
        for entry in ("policy.pth", "phalanx.infos"):
            with zipfile.ZipFile(path, "w") as archive:
                for each, content in kept.items():
                    archive.writestr(each, content[: len(content) // 2] if each == entry else content)
            with pytest.raises(CheckpointError, match=f"is damaged in {entry}"):
                trainer.load(path)


@pytest.mark.slow
class TestLearning:
    @pytest.mark.parametrize("name", OTHERS)
    def test_cartpole_is_learnt(self, name: str) -> None:
        """From falling to standing all of the five seconds, without noise."""
        found = recipe("cartpole", "cpu")
        trainer = _trainer(name, found=found)
        env = trainer.native
        before = trainer.play(env.max_episode_length).episodes
        assert before is not None and before[1] < 0.5 * env.max_episode_length, "untrained"
        trainer.learn(found.iterations, stagger=found.stagger)
        after = trainer.play(2 * env.max_episode_length).episodes
        assert after is not None and after[1] > 0.97 * env.max_episode_length

    @pytest.mark.parametrize("name", [_only_with("rsl_rl"), *OTHERS])
    def test_the_cartpole_of_isaac_lab_is_learnt(self, name: str, tmp_path: Path) -> None:
        """By its own settings: the mean return of the last rounds is well above that of the first."""
        if wheel.source() is None:
            pytest.skip("Isaac Lab's wheel is not installed: make isaaclab")
        from phalanx.assets.building import build
        from phalanx.assets.catalogue import chosen

        for one in chosen(["cartpole"]):
            build(one, tmp_path / "assets")
        options = ["--trainer", name, "--num-envs", "128", "--iterations", "60", "--device", "cpu", "--seed", "1"]
        command = [sys.executable, "-m", "phalanx", "train", "Isaac-Cartpole-v0", *options, "--out", str(tmp_path)]
        own = {**os.environ, "PHALANX_ASSET_ROOT": str(tmp_path / "assets")}
        done = subprocess.run(command, capture_output=True, text=True, env=own, timeout=900, check=False)
        assert done.returncode == 0, done.stderr
        returns = [
            row["reward"] for row in json.loads((tmp_path / "curve.json").read_text())["curve"] if "reward" in row
        ]
        first, last = sum(returns[:5]) / 5, sum(returns[-5:]) / 5
        assert first < 0.0 and last > 1.0, (first, last)
