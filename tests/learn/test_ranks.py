"""Training by several processes: the same as in one, and one failure ends all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'phalanx[torch]')")
pytest.importorskip("rsl_rl", reason="rsl-rl is not installed (pip install 'phalanx[learn]')")

from phalanx.commands import cli, launching  # noqa: E402
from phalanx.commands.common import UserError  # noqa: E402
from phalanx.learn.ranks import RankError, Ranks  # noqa: E402
from phalanx.learn.rollouts import _share_normalisation  # noqa: E402

SUMMED = ("reward", "length", "value_function", "surrogate", "entropy", "deviation", "learning_rate")


def _curve(folder: Path, *options: str) -> list[dict[str, Any]]:
    arguments = ["--seed", "3", "--device", "cpu", "--out", str(folder), *options]
    assert cli.main(["train", "cartpole", *arguments]) == 0
    return json.loads((folder / "curve.json").read_text())["curve"]


class TestTraining:
    def test_two_ranks_learn_what_one_process_learns(self, tmp_path: Path) -> None:
        """Rounding in sums over samples and gradients is all that differs; it grows from round to round."""
        alone = _curve(tmp_path / "one", "--num-envs", "64", "--iterations", "3")
        ranks = _curve(tmp_path / "two", "--num-envs", "32", "--iterations", "3", "--ranks", "2")
        assert [row["steps"] for row in ranks] == [row["steps"] for row in alone]
        for one, two, limit in zip(alone, ranks, (1e-6, 1e-5, 1e-4), strict=True):
            for name in SUMMED:
                assert two[name] == pytest.approx(one[name], rel=limit, abs=limit), name
        first = [torch.load(tmp_path / run / "model_3.pt")["model_state_dict"] for run in ("one", "two")]
        for name, values in first[0].items():
            np.testing.assert_allclose(values, first[1][name], atol=1e-3)
        assert not (tmp_path / "two" / "model_3.part").exists()

    @pytest.mark.slow
    def test_torchrun_and_resume(self, tmp_path: Path) -> None:
        """One run of four rounds by ``phalanx train`` and two by torchrun of two each write the same rows."""
        run = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "-m"]
        options = ["phalanx.train", "cartpole", "--num-envs", "16", "--device", "cpu", "--seed", "3"]
        half, rest = tmp_path / "half", tmp_path / "rest"
        subprocess.run([*run, *options, "--iterations", "2", "--out", str(half)], check=True, timeout=300)
        more = ["--iterations", "4", "--resume", str(half / "model_2.pt"), "--out", str(rest)]
        subprocess.run([*run, *options, *more], check=True, timeout=300)
        found = json.loads((rest / "curve.json").read_text())
        assert [row["iteration"] for row in found["curve"]] == [0, 1, 2, 3]
        assert [row["steps"] for row in found["curve"]] == [512, 1024, 1536, 2048]
        assert found["ranks"] == 2

    @pytest.mark.slow
    def test_a_rank_that_is_killed_ends_the_others(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        """With the message of the one that failed, and a checkpoint if there was one."""
        (tmp_path / "fails.py").write_text(
            "import os, signal, sys\n"
            "from phalanx.learn import environment\n"
            "step, count = environment.Environment.advance, [0]\n"
            "def advance(self, actions):\n"
            "    count[0] += 1\n"
            "    if os.environ['RANK'] == '1' and count[0] == 20: raise OSError('the disk is on fire')\n"
            "    step(self, actions)\n"
            "environment.Environment.advance = advance\n"
            "from phalanx.commands.cli import main\n"
            "sys.exit(main(['train', *sys.argv[1:]]))\n"
        )
        path = os.pathsep.join((str(tmp_path), *sys.path))
        arguments = ["cartpole", "--num-envs", "16", "--device", "cpu", "--out", str(tmp_path / "run")]
        with (
            pytest.MonkeyPatch.context() as patch,
            pytest.raises(UserError, match="rank 1 failed: the disk is on fire"),
        ):
            patch.setenv("PYTHONPATH", path)
            launching.launch(2, "fails", arguments)
        assert "Traceback" not in capfd.readouterr().err


class TestSkrl:
    PROGRAM = """
import os, sys, torch
from phalanx.learn.skrl_trainer import SkrlTrainer
finish = SkrlTrainer.finish
def kept(self):
    modules = self.runner.agent.checkpoint_modules
    found = {name: one.state_dict() for name, one in modules.items() if name != "optimizer"}
    torch.save(found | {"seen": self.native.observations["policy"]}, f"{sys.argv[-1]}-{os.environ['RANK']}.pt")
    finish(self)
SkrlTrainer.finish = kept
from phalanx.commands.cli import main
sys.exit(main(["train", "cartpole", *sys.argv[1:-1]]))
"""

    def test_ranks_learn_one_policy(self, tmp_path: Path) -> None:
        """By skrl's own distribution, from different samples; the curve counts the samples of both."""
        pytest.importorskip("skrl", reason="skrl is not installed (pip install 'phalanx[skrl]')")
        (tmp_path / "skrl_rank.py").write_text(self.PROGRAM)
        options = ["--trainer", "skrl", "--num-envs", "16", "--seed", "3", "--device", "cpu", "--iterations", "2"]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), *sys.path)))
            run, end = str(tmp_path / "run"), str(tmp_path / "end")
            assert launching.launch(2, "skrl_rank", [*options, "--out", run, end]) == 0
        first, second = (torch.load(tmp_path / f"end-{rank}.pt") for rank in range(2))
        assert not torch.equal(first.pop("seen"), second.pop("seen"))
        assert first.keys() == second.keys() >= {"policy", "value"}
        for name, module in first.items():
            for key, values in module.items():
                assert torch.equal(torch.as_tensor(values), torch.as_tensor(second[name][key])), (name, key)
        found = json.loads((tmp_path / "run" / "curve.json").read_text())
        assert (found["ranks"], found["trainer"]) == (2, "skrl")
        assert [row["steps"] for row in found["curve"]] == [2 * 16 * 16, 2 * 2 * 16 * 16]
        assert (tmp_path / "run" / "model_2.pt").exists()

    def test_statistics_are_pooled(self) -> None:
        """Means and variances of all samples come out, as the ranks' own would be with all samples."""
        trainer = pytest.importorskip("phalanx.learn.skrl_trainer", reason="skrl is not installed")
        samples = torch.tensor(np.random.default_rng(0).normal(5.0, (0.1, 1.0, 30.0), (2, 500, 3)))
        modules = [
            SimpleNamespace(running_mean=one.mean(dim=0), running_variance=one.var(dim=0, correction=0))
            for one in samples
        ]
        own = [{name: value.clone() for name, value in vars(one).items()} for one in modules]

        class Both(Ranks):
            """Rank 0, with what rank 1 would have sent."""

            def mean(self, values: Any) -> Any:
                other = (
                    own[1]["running_mean"] if len(calls) else own[1]["running_variance"] + own[1]["running_mean"] ** 2
                )
                calls.append(0)
                return values.add_(other).div_(2)

        calls: list[int] = []
        agent = SimpleNamespace(checkpoint_modules={"scaler": modules[0], "policy": object()})
        found = SimpleNamespace(ranks=Both(0, 0, 2, 2), runner=SimpleNamespace(agent=agent))
        trainer.SkrlTrainer._agree(found)
        whole = samples.reshape(-1, 3)
        torch.testing.assert_close(modules[0].running_mean, whole.mean(dim=0), rtol=1e-12, atol=0.0)
        torch.testing.assert_close(modules[0].running_variance, whole.var(dim=0, correction=0), rtol=1e-9, atol=0.0)


class TestMeans:
    @staticmethod
    def _normalisers(count: int, batches: Any) -> list[Any]:
        """What so many ranks, as threads, make of their shares of batches."""
        from rsl_rl.networks import EmpiricalNormalization  # pyright: ignore[reportMissingImports]

        barrier, parts = threading.Barrier(count), {}

        class Thread(Ranks):
            def mean(self, values: Any) -> Any:
                parts[self.rank] = values
                barrier.wait()
                found = sum(parts[rank] for rank in range(count)) / count
                barrier.wait()
                return found

        found = [EmpiricalNormalization(batches.shape[-1]).train() for _ in range(count)]
        share = batches.shape[1] // count

        def learn(rank: int) -> None:
            if count > 1:
                _share_normalisation(found[rank], Thread(rank, rank, count, count))
            for batch in batches:
                found[rank].update(batch[rank * share : (rank + 1) * share])

        threads = [threading.Thread(target=learn, args=(rank,)) for rank in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found

    def test_observations_are_scaled_by_those_of_all_ranks(self) -> None:
        batches = torch.tensor(np.random.default_rng(0).normal(5.0, (0.1, 1.0, 30.0), (7, 12, 3)), dtype=torch.float32)
        alone, *_ = self._normalisers(1, batches)
        ranks = self._normalisers(3, batches)
        for one in ranks:
            assert one.count == alone.count
            np.testing.assert_allclose(one.mean, alone.mean, rtol=1e-6)
            np.testing.assert_allclose(one.std, alone.std, rtol=1e-4)
            assert torch.equal(one.std, ranks[0].std)


class TestWhoIsWho:
    def test_one_process_is_rank_0_of_1(self) -> None:
        assert Ranks.of({}) == Ranks(0, 0, 1, 1)

    def test_as_torchrun_says(self) -> None:
        said = {"RANK": "5", "LOCAL_RANK": "1", "WORLD_SIZE": "8", "LOCAL_WORLD_SIZE": "4"}
        assert Ranks.of(said) == Ranks(5, 1, 8, 4)
        assert not Ranks.of(said).first

    @pytest.mark.parametrize("said", [{"RANK": "2"}, {"RANK": "-1"}, {"LOCAL_RANK": "x"}, {"LOCAL_WORLD_SIZE": "9"}])
    def test_what_cannot_be(self, said: dict[str, str]) -> None:
        with pytest.raises(RankError, match=next(iter(said))):
            Ranks.of({"WORLD_SIZE": "2", **said})

    @pytest.mark.parametrize(
        ("local", "asked", "gpus", "device", "backend"),
        [
            (1, "auto", 2, "cuda:1", "nccl"),
            (1, "cuda", 2, "cuda:1", "nccl"),
            (1, "auto", 0, "cpu", "gloo"),
            (1, "cpu", 2, "cpu", "gloo"),
            (1, "auto", 1, "cuda:0", "gloo"),  # both share one, which NCCL refuses
            (0, "auto", 1, "cuda:0", "gloo"),
            (1, "cuda:0", 2, "cuda:0", "gloo"),
        ],
    )
    def test_devices(self, local: int, asked: str, gpus: int, device: str, backend: str) -> None:
        ranks = Ranks(local, local, 2, 2)
        assert ranks.device(asked, gpus) == device
        assert ranks.backend(device, gpus) == backend


class TestLaunching:
    @staticmethod
    def _launch(folder: Path, text: str, count: int = 3) -> int:
        (folder / "a_rank.py").write_text("import os, signal, sys, time\nrank = int(os.environ['RANK'])\n" + text)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYTHONPATH", os.pathsep.join((str(folder), *sys.path)))
            return launching.launch(count, "a_rank", ["x"])

    def test_all_run_and_the_first_one_speaks(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        text = (
            "print(rank, os.environ['WORLD_SIZE'], sys.argv[1:], flush=True)\n"
            f"open({str(tmp_path)!r} + f'/{{rank}}', 'w').close()"
        )
        assert self._launch(tmp_path, text) == 0
        assert capfd.readouterr().out == "0 3 ['x']\n"
        assert all((tmp_path / str(rank)).exists() for rank in range(3))

    @pytest.mark.parametrize(
        ("end", "message"),
        [
            ("print('phalanx: no luck.', file=sys.stderr); sys.exit(2)", "rank 2 failed: no luck; the others"),
            ("raise ValueError('bad')", "rank 2 failed: ValueError: bad; the others"),
            ("os.kill(os.getpid(), signal.SIGKILL)", r"rank 2 was ended by signal 9 \(SIGKILL\)"),
        ],
    )
    def test_one_that_fails_ends_the_others(self, tmp_path: Path, end: str, message: str) -> None:
        text = f"print(os.getpid(), file=open({str(tmp_path)!r} + f'/{{rank}}', 'w'), flush=True)\n"
        text += "while len(os.listdir(os.path.dirname(__file__))) < 4: time.sleep(0.01)\n"
        text += f"if rank == 2:\n    {end}\ntime.sleep(600)\n"
        with pytest.raises(UserError, match=message):
            self._launch(tmp_path, text)
        for rank in range(3):
            with pytest.raises(ProcessLookupError):
                os.kill(int((tmp_path / str(rank)).read_text()), 0)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--gpus", "0"], "--gpus 0: this machine has"),
            (["--gpus", "1000"], "--gpus 1000: this machine has"),
            (["--ranks", "0"], "--ranks 0: must be at least 1"),
            (["--ranks", "2", "--gpus", "2"], "give one of them"),
            (["--gpus", "2", "--device", "cpu"], "leave --device away"),
            (["--ranks", "2", "--device", "cpu", "--resume", "none.pt"], "none.pt: there is no such checkpoint"),
        ],
    )
    def test_mistakes_are_found_before_anything_starts(
        self, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert cli.main(["train", "cartpole", *options]) == 2
        said = capsys.readouterr().err
        assert message in said and said.count("\n") == 1
