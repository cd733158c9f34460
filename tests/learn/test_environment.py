"""Environments: gymnasium's conventions, reads, resets, statistics, declarations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'phalanx[torch]')")
gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed (pip install 'phalanx[learn]')")

from phalanx import components as c  # noqa: E402
from phalanx import learn  # noqa: E402
from phalanx.learn.tasks.cartpole import Cartpole  # noqa: E402
from phalanx.maths.arrays import inverse, rotate  # noqa: E402

ENVS = 8


def _actions(env: learn.Environment, steps: int, scale: float = 1.0) -> Any:
    """(steps, num_envs, size): the same for an environment whatever their number."""
    rng = np.random.default_rng(3)
    all_of_them = rng.normal(size=(steps, ENVS, env.num_actions)) * scale
    return torch.tensor(all_of_them[:, : env.num_envs], dtype=torch.float32)


@pytest.fixture(scope="module")
def cartpole() -> Cartpole:
    return Cartpole(ENVS, seed=1)


class TestGymnasium:
    def test_it_is_a_vector_environment_that_resets_in_the_same_step(self, cartpole: Cartpole) -> None:
        assert isinstance(cartpole, gymnasium.vector.VectorEnv)
        assert cartpole.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP
        observations, infos = cartpole.reset(seed=4)
        assert infos == {}
        assert cartpole.observation_space.shape == (ENVS, 4) == tuple(observations.shape)
        assert cartpole.action_space.shape == (ENVS, 1)
        assert cartpole.single_observation_space.shape == (4,)

    def test_numpy_arrays_are_accepted_by_its_spaces(self) -> None:
        env = Cartpole(2, arrays="numpy")
        observations, _ = env.reset(seed=0)
        assert env.observation_space.contains(observations)
        found = env.step(env.action_space.sample())
        assert env.observation_space.contains(found[0])
        assert [one.dtype for one in found[1:4]] == [np.float32, bool, bool]

    def test_ends_of_episodes(self, cartpole: Cartpole) -> None:
        """Observations are of the new episode, final ones of the old, and statistics are the sums of what was given."""
        cartpole.reset(seed=4)
        returns, lengths = np.zeros(ENVS), np.zeros(ENVS, int)
        ended = 0
        for action in _actions(cartpole, 320, 0.5):
            observations, reward, terminated, truncated, infos = cartpole.step(action)
            returns += reward.numpy()
            lengths += 1
            done = (terminated | truncated).numpy()
            assert not (terminated & truncated).any()
            np.testing.assert_array_equal(infos["_final_obs"].numpy(), done)
            np.testing.assert_array_equal(infos["_episode"].numpy(), done)
            np.testing.assert_allclose(infos["episode"]["r"].numpy()[done], returns[done], rtol=1e-4, atol=1e-5)
            np.testing.assert_array_equal(infos["episode"]["l"].numpy()[done], lengths[done])
            final, now = infos["final_obs"].numpy(), observations.numpy()
            np.testing.assert_array_equal(final[~done], now[~done])
            lost = terminated.numpy()
            assert ((np.abs(final[lost, 0]) > 2.3) | (np.abs(final[lost, 1]) > np.pi / 2)).all()
            assert (lengths[truncated.numpy()] == cartpole.max_episode_length).all()
            assert (np.abs(now[done, 0]) <= 1.0).all() and (np.abs(now[done, 1]) <= 0.5).all()  # a new start
            assert (now[done, 2:] == 0).all()
            ended += done.sum()
            returns[done], lengths[done] = 0.0, 0
        assert ended > ENVS
        taken = cartpole.episodes.take()
        assert taken["count"] == ended
        assert cartpole.episodes.take() == {"count": 0.0}

    def test_the_time_limit_truncates(self, cartpole: Cartpole) -> None:
        cartpole.reset(seed=4)
        cartpole.episode_length.fill_(cartpole.max_episode_length - 1)
        _, _, terminated, truncated, _ = cartpole.step(torch.zeros(ENVS, 1))
        assert truncated.all() and not terminated.any()
        assert (cartpole.episode_length == 0).all()

    def test_seeds(self, cartpole: Cartpole) -> None:
        first, again, other = (cartpole.reset(seed=seed)[0] for seed in (7, 7, 8))
        assert torch.equal(first, again)
        assert not torch.equal(first, other)

    def test_wrong_shape_of_actions(self, cartpole: Cartpole) -> None:
        with pytest.raises(ValueError, match=r"\(8, 2\); they must have \(8, 1\)"):
            cartpole.step(torch.zeros(ENVS, 2))


class TestBits:
    @pytest.mark.parametrize(("task", "steps"), [("cartpole", 150), ("quadruped-flat", 60)])
    def test_an_environment_is_the_same_alone_as_among_others(self, task: str, steps: int) -> None:
        """Also while others are reset."""
        runs, rewards = {}, {}
        for count in (1, ENVS):
            env = learn.make(task, count, seed=2)
            env.reset()
            env.episode_length[0] = env.max_episode_length - 20  # it ends on the way, and so do others
            seen, paid, ended = [], [], 0
            for action in _actions(env, steps, 2.0):
                found = env.step(action)
                seen.append(found[0][0])
                paid.append(found[1][0])
                ended += int((found[2] | found[3]).sum())
            runs[count], rewards[count] = torch.stack(seen), torch.stack(paid)
            assert ended > 0
        assert torch.equal(runs[1], runs[ENVS])
        assert torch.equal(rewards[1], rewards[ENVS])

    def test_two_runs_are_the_same(self) -> None:
        ends = []
        for _ in range(2):
            env = learn.make("ant", ENVS, seed=5)
            env.reset()
            for action in _actions(env, 40):
                found = env.step(action)
            ends.append(found[0])
        assert torch.equal(*ends)

    def test_a_reset_of_some_is_the_world_s_own(self) -> None:
        """All state, warm starts of the solver too, against World.reset."""
        states = []
        for own in (True, False):
            env = learn.make("quadruped-flat", 4, seed=5)
            env.reset()
            for action in _actions(env, 30):
                env.advance(action)
            chosen = torch.tensor([False, True, False, True])
            env._terms = {**env._terms, "randomisation": []}
            if own:
                env._restart(chosen)
                env.world.touch_state()
            else:
                env.world.reset([1, 3])
            states.append(env.world.state())
        assert states[0].keys() == states[1].keys()
        for key, value in states[0].items():
            np.testing.assert_array_equal(value, states[1][key], err_msg=key)


class TestReads:
    def test_reads_are_of_the_root_s_axes(self) -> None:
        """Against rotations in NumPy of what the robot's handle gives."""
        env = learn.make("quadruped-flat", ENVS, seed=1)
        env.reset()
        for action in _actions(env, 25):
            env.advance(action)
        env.live.start(set())
        dog, robot = env.dog, env.robot  # type: ignore[attr-defined]
        pose, vel = robot.root_pose.astype(float), robot.root_vel.astype(float)
        back = inverse(pose[:, 3:])
        np.testing.assert_allclose(dog.root_lin_vel_b, rotate(back, vel[:, :3]), atol=1e-5)
        np.testing.assert_allclose(dog.root_ang_vel_b, rotate(back, vel[:, 3:]), atol=1e-5)
        np.testing.assert_allclose(dog.projected_gravity, rotate(back, [0.0, 0.0, -1.0]), atol=1e-6)
        for name in ("joint_pos", "joint_vel", "joint_acc", "applied_effort", "body_pose", "body_vel"):
            np.testing.assert_array_equal(getattr(dog, name), getattr(robot, name), err_msg=name)
        np.testing.assert_array_equal(dog.contact_force, robot.net_contact_force)
        assert np.abs(robot.net_contact_force).max() > 1.0

    def test_they_are_the_engine_s_memory(self, cartpole: Cartpole) -> None:
        cartpole.reset(seed=1)
        cartpole.cart.joint_pos[3, 0] = 0.25
        assert cartpole.robot.joint_pos[3, 0] == np.float32(0.25)

    def test_a_fixed_base_has_no_velocity(self, cartpole: Cartpole) -> None:
        with pytest.raises(ValueError, match="fixed base"):
            _ = cartpole.cart.root_vel


class TestTrouble:
    def test_an_environment_that_diverges_ends_its_episode_and_goes_on(self) -> None:
        env = Cartpole(3, seed=1)
        env.reset()
        env.world[c.DofState].velocity[0, 1] = np.nan
        with pytest.warns(UserWarning, match="diverged"):
            observations, reward, terminated, _, _ = env.step(torch.zeros(3, 1))
        assert terminated.tolist() == [False, True, False]
        assert torch.isfinite(observations).all() and torch.isfinite(reward).all()
        observations, _, terminated, _, _ = env.step(torch.zeros(3, 1))
        assert not terminated.any() and torch.isfinite(observations).all()

    def test_unknown_tasks(self) -> None:
        with pytest.raises(learn.UnknownTaskError, match="did you mean 'cartpole'"):
            learn.make("cart-pole")


class TestDeclarations:
    def test_a_subclass_overrides_drops_and_weighs(self) -> None:
        class Other(Cartpole):
            weights = {"alive": 3.0}  # noqa: RUF012
            tilt = None  # type: ignore[assignment]

            @learn.reward(weight=2.0)
            def cart_speed(self) -> Any:
                """Instead."""
                return torch.ones(self.num_envs)

        env = Other(2)
        assert env.episodes.names == ["alive", "lost", "cart_speed", "pole_speed"]
        env.reset(seed=0)
        env.cart.joint_pos.zero_()
        env.world.touch_state()
        _, reward, _, _, _ = env.step(torch.zeros(2, 1))
        np.testing.assert_allclose(reward, (3.0 + 2.0) * env.step_seconds, rtol=1e-5)

    def test_weights_of_unknown_rewards(self) -> None:
        class Other(Cartpole):
            weights = {"alve": 3.0}  # noqa: RUF012

        with pytest.raises(ValueError, match="no reward 'alve'; there are alive"):
            Other(1)

    def test_a_task_without_rewards(self) -> None:
        class Other(Cartpole):
            alive = lost = tilt = cart_speed = pole_speed = None  # type: ignore[assignment]

        with pytest.raises(ValueError, match="has no reward: mark a method"):
            Other(1)

    def test_noise_is_added_where_it_is_asked_for(self) -> None:
        class Other(Cartpole):
            @learn.observation(noise=0.5, scale=2.0)
            def joints(self) -> Any:
                """With noise."""
                return torch.zeros(self.num_envs, 4)

        noisy = Other(500).reset(seed=0)[0]
        assert 0.9 < noisy.abs().max() <= 1.0
        assert (Other(5, noise=False).reset(seed=0)[0] == 0).all()

    def test_a_tensor_that_is_replaced_is_refused(self) -> None:
        class Other(Cartpole):
            def prepare(self) -> None:
                super().prepare()
                self.sum = self.buffer()

            @learn.reward()
            def total(self) -> Any:
                """Assigns what it should write into."""
                self.sum = self.sum + 1.0
                return self.sum

        env = Other(2)
        with pytest.raises(RuntimeError, match=r"self\.sum was assigned a new tensor"):
            env.step(torch.zeros(2, 1))


@pytest.mark.gpu
class TestGraphs:
    @pytest.mark.parametrize("task", ["cartpole", "ant", "quadruped-flat"])
    def test_what_is_recorded_is_what_is_called(self, gpu: str, task: str) -> None:
        ends = []
        for graphs in (True, False):
            env = learn.make(task, 64, gpu, seed=3, graphs=graphs)
            env.reset()
            env.stagger()
            generator = torch.Generator(gpu).manual_seed(0)
            for _ in range(50):
                found = env.step(torch.randn(64, env.num_actions, device=gpu, generator=generator))
            ends.append(torch.cat((found[0], found[1][:, None], env.episode_length[:, None]), dim=1).cpu())
        assert torch.equal(*ends)

    def test_a_gpu_draws_what_a_cpu_draws(self, gpu: str) -> None:
        on_gpu, on_cpu = (learn.make("quadruped-flat", 64, device, seed=3) for device in (gpu, "cpu"))
        first, second = on_gpu.reset()[0].cpu(), on_cpu.reset()[0]
        np.testing.assert_allclose(first, second, atol=1e-5)
