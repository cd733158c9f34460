"""What specs randomise of a robot, and tasks as what a farm simulates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fsspec", reason="fsspec is not installed (pip install 'phalanx[farm]')")

from phalanx import farm
from phalanx.farm import FarmError, Spec
from phalanx.farm.draws import USES, Draws
from phalanx.farm.store import FarmStore
from phalanx.farm.work import Simulation, shards, simulation_of

DROP: dict[str, Any] = {
    "build": "test_specs_of_worlds:drop",
    "episodes": 7,
    "episodes_per_shard": 7,
    "steps": 60,
    "every": 20,
    "policy": "none",
    "randomise": {"mass": (0.5, 2.0), "friction": (0.2, 1.5)},
    "signals": ("joint_pos", "root_pose", "root_vel", "net_contact_force"),
}
CARTPOLE: dict[str, Any] = {
    "task": "cartpole",
    "episodes": 9,
    "episodes_per_shard": 9,
    "steps": 60,
    "every": 5,
    "policy": "random",
    "seed": 3,
}


def drop(world: Any) -> Any:
    """A leg that lands on the ground."""
    world.add_ground()
    return world.add_robot("double_pendulum", fixed_base=False, position=(0.0, 0.0, 0.6))


@pytest.fixture(scope="module", autouse=True)
def _importable() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        yield


class TestRandomised:
    def test_masses_and_friction_are_those_that_were_drawn(self) -> None:
        """Inertias go with the masses, and a second shard starts from what the robot was built with."""
        spec = Spec.of(DROP)
        simulation = Simulation(spec, "cpu")
        for shard in (0, 0):
            found = simulation.run(shard)
            robot = simulation._world(7).robot
            plain = Simulation(Spec.of({**DROP, "randomise": {}}), "cpu")._world(7).robot
            factors = found["random_mass"]
            assert factors.shape == (7, robot.num_bodies) and found["random_friction"].shape == (7, 1)
            assert factors.min() >= 0.5 and factors.max() < 2.0 and len(np.unique(factors)) == factors.size
            np.testing.assert_allclose(robot.body_mass, plain.body_mass * factors, rtol=1e-6)
            inertia = plain.body_inertia * factors[..., None, None]
            np.testing.assert_allclose(robot.body_inertia, inertia, rtol=1e-5, atol=1e-9)
            np.testing.assert_allclose(robot._static_friction, plain._static_friction * found["random_friction"], 1e-6)
            np.testing.assert_allclose(
                robot._dynamic_friction, plain._dynamic_friction * found["random_friction"], 1e-6
            )
        wanted = 0.5 + 1.5 * Draws(0, range(7)).uniform(USES["mass"], 0, robot.num_bodies)
        np.testing.assert_array_equal(found["random_mass"], wanted)

    def test_an_episode_is_the_same_in_any_shard(self) -> None:
        whole = Simulation(Spec.of(DROP), "cpu").run(0)
        parts = Simulation(Spec.of({**DROP, "episodes_per_shard": 3}), "cpu")
        made = {shard: parts.run(shard) for shard in (2, 0, 1)}
        for name, values in whole.items():
            assert np.array_equal(np.concatenate([made[n][name] for n in range(3)]), values), name
        assert len(np.unique(whole["joint_pos"][:, -1, 0])) == 7


class TestTasks:
    @pytest.fixture(autouse=True)
    def _torch(self) -> None:
        pytest.importorskip("torch", reason="torch is not installed (pip install 'phalanx[torch]')")
        pytest.importorskip("gymnasium", reason="gymnasium is not installed (pip install 'phalanx[learn]')")

    def test_episodes_are_those_of_the_task(self) -> None:
        """Against the environment, stepped by hand until each episode ends."""
        import torch

        from phalanx import learn

        spec = Spec.of({**CARTPOLE, "every": 1})
        found = simulation_of(spec, "cpu").run(0)
        actions = 2.0 * Draws(3, range(9)).uniform(7, 0, 60) - 1.0
        env = learn.make("cartpole", 9, seed=3)
        seen, _ = env.reset()
        ended = np.zeros(9, bool)
        length, total = np.zeros(9, int), np.zeros(9)
        for step in range(60):
            action = torch.tensor(actions[:, step : step + 1], dtype=torch.float32)
            after, reward, terminated, truncated, _ = env.step(action)
            for name, values in (("observation", seen), ("action", action), ("reward", reward)):
                np.testing.assert_array_equal(found[name][~ended, step], values.numpy()[~ended], err_msg=name)
                assert np.isnan(found[name][ended, step]).all()
            length[~ended] += 1
            total[~ended] += reward.numpy()[~ended].astype(float)
            assert (found["terminated"][~ended & terminated.numpy()]).all()
            ended |= (terminated | truncated).numpy()
            seen = after
        assert 0 < ended.sum() < 9, "some fall and some go on"
        np.testing.assert_array_equal(found["length"], length)
        np.testing.assert_allclose(found["total_reward"], total, rtol=1e-12)

    def test_an_episode_is_the_same_in_any_shard(self) -> None:
        whole = simulation_of(Spec.of(CARTPOLE), "cpu").run(0)
        parts = simulation_of(Spec.of({**CARTPOLE, "episodes_per_shard": 4}), "cpu")
        made = {shard: parts.run(shard) for shard in (2, 0, 1)}
        for name, values in whole.items():
            assert np.concatenate([made[n][name] for n in range(3)]).tobytes() == values.tobytes(), name

    def test_a_dataset(self, tmp_path: Path) -> None:
        pytest.importorskip("dask", reason="dask is not installed (pip install 'phalanx[farm]')")
        spec = Spec.of({**CARTPOLE, "episodes_per_shard": 5})
        assert spec.signals == ("observation", "action", "reward") and Spec.of(spec.describe()) == spec
        store = FarmStore(tmp_path / "farm")
        store.begin(spec, resume=False)
        work = shards(spec.describe(), store.url, {}, "cpu")
        for shard in range(2):
            store.commit(spec, shard, work(shard))
        store.end(spec, store.commits(spec))
        data = farm.open_dataset(store.url)
        assert dict(data.observation.sizes) == {"episode": 9, "time": 12, "observation_2": 4}
        np.testing.assert_allclose(data.time[:2], [5 / 60, 10 / 60])
        known = np.isfinite(data.reward.compute()).sum("time")
        np.testing.assert_array_equal(known, data.length.compute() // 5)
        farm.verify(store.url)

    @pytest.mark.parametrize(
        ("more", "message"),
        [
            ({"task": "cartpol"}, "'cartpol' is no task; did you mean 'cartpole'"),
            ({"policy": "none.pt"}, "policy: none.pt: there is no such file"),
            ({"policy": "test_specs_of_worlds:two"}, r"returned actions \(1, 2\); they must be \(1, 1\)"),
        ],
    )
    def test_what_cannot_be_simulated(self, more: dict[str, Any], message: str, tmp_path: Path) -> None:
        with pytest.raises(FarmError, match=message):
            farm.run(Spec.of({**CARTPOLE, **more}), tmp_path / "farm", engine="processes")
        assert not (tmp_path / "farm" / "farm.json").exists()

    def test_a_trained_policy(self, tmp_path: Path) -> None:
        """Its actions are those of the checkpoint, without noise."""
        pytest.importorskip("rsl_rl", reason="rsl-rl is not installed (pip install 'phalanx[learn]')")
        import torch

        from phalanx import learn
        from phalanx.learn.recipes import recipe
        from phalanx.learn.trainer import Trainer

        trainer = Trainer(learn.make("cartpole", 16, seed=1), recipe("cartpole", "cpu").settings(), None, "cartpole")
        trainer.learn(1)
        trainer.save(tmp_path / "model_1.pt")
        spec = Spec.of({**CARTPOLE, "policy": str(tmp_path / "model_1.pt"), "steps": 10, "every": 1})
        found = simulation_of(spec, "cpu").run(0)
        policy = trainer.runner.alg.policy.eval()
        with torch.inference_mode():
            for step in range(10):
                seen = torch.tensor(found["observation"][:, step])
                expected = policy.act_inference({"policy": seen}).numpy()
                np.testing.assert_allclose(found["action"][:, step], expected, rtol=1e-5, atol=1e-6)


def two(env: Any, time: float, episodes: np.ndarray) -> Any:
    """Two actions, where the task has one."""
    return np.zeros((len(episodes), 2))
