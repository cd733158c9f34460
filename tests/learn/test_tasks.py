"""Tasks: that their worlds and rewards are what they say."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'phalanx[torch]')")
pytest.importorskip("gymnasium", reason="gymnasium is not installed (pip install 'phalanx[learn]')")

from phalanx import learn  # noqa: E402
from phalanx.learn.tasks.quadruped import COMMANDS  # noqa: E402
from phalanx.learn.terrain import SPACING, Terrain  # noqa: E402
from phalanx.models.meshes.height_fields import grid_triangles  # noqa: E402


def _made(task: str, num_envs: int = 6) -> Any:
    env = learn.make(task, num_envs, seed=1, noise=False)
    env.reset()
    return cast("Any", env)


class TestTerrain:
    def test_heights_are_those_of_the_triangles(self) -> None:
        terrain = Terrain(3, seed=4, device="cpu")
        rng = np.random.default_rng(0)
        vertices, faces = grid_triangles(terrain.heights, (SPACING, SPACING))
        chosen = faces[rng.integers(0, len(faces), 500)]
        weights = rng.dirichlet(np.ones(3), 500)
        points = (vertices[chosen] * weights[..., None]).sum(axis=1)
        found = terrain.height(torch.tensor(points[:, :2], dtype=torch.float32))
        # places are float32: up to 2e-6 m off, on steps as steep as 1.2 in 1
        np.testing.assert_allclose(found, points[:, 2], atol=2e-5)

    def test_it_gets_harder_and_is_level_where_robots_start(self) -> None:
        terrain = Terrain(4, seed=4, device="cpu")
        size = round(8.0 / SPACING)
        tiles = terrain.heights[40:-41, 40:-41].reshape(4, size, terrain.columns, size)
        spread = tiles.transpose(0, 2, 1, 3).reshape(4, terrain.columns, -1).std(axis=-1)
        assert (np.diff(spread, axis=0) > 0).all()
        around = terrain.middles[..., None, :2] + torch.tensor([[0.4, 0.4], [-0.4, 0.4], [0.0, -0.4]])
        level = terrain.height(around) - terrain.middles[..., 2:]
        assert level.abs().max() < 0.02


class TestQuadruped:
    def test_commands_are_in_their_ranges_and_change(self) -> None:
        env = _made("quadruped-flat", 400)
        first = env.command.clone()
        low, high = torch.tensor(COMMANDS).T
        assert ((first >= low) & (first <= high)).all()
        still = (first == 0).all(dim=1).float().mean()
        assert 0.04 < still < 0.18  # a tenth, within four standard errors
        env.new_command(torch.arange(400) < 100)
        assert torch.equal(env.command[100:], first[100:])

    def test_it_stands_and_standing_is_worth_more_than_falling(self) -> None:
        env = _made("quadruped-flat", 8)
        env.command.zero_()
        for _ in range(50):
            _, reward, terminated, _, _ = env.step(torch.zeros(8, 12))
            assert not terminated.any()
        assert (env.dog.root_pos[:, 2] > 0.28).all()
        assert (reward / env.step_seconds > 1.5).all()  # of 2.25 at most

    def test_a_trunk_on_the_ground_ends_the_episode(self) -> None:
        env = _made("quadruped-flat", 4)
        env.dog.root_pose[1, 2:] = torch.tensor([0.058, 0.0, 1.0, 0.0, 0.0])  # on its back
        touched = []
        env.turned_over = lambda: touched.append(env.trunk_touches()) or touched[-1]  # this one alone is to decide
        env.world.touch_state()
        for _ in range(5):
            _, _, terminated, _, _ = env.step(torch.zeros(4, 12))
            assert terminated.tolist() == touched[-1].tolist()
            assert not terminated[[0, 2, 3]].any()
            if terminated[1]:
                break
        assert terminated[1]


@pytest.mark.slow
class TestRough:
    def test_it_stands_on_its_ground(self) -> None:
        env = _made("quadruped-rough", 24)
        ground = env.terrain.height(env.dog.root_pos[:, :2])
        height = env.dog.root_pos[:, 2] - ground
        assert ((height > 0.29) & (height < 0.34)).all()
        for _ in range(25):
            observations, _, terminated, _, _ = env.step(torch.zeros(24, 12))
            assert torch.isfinite(observations).all()
            assert not terminated.any()
        height = env.dog.root_pos[:, 2] - env.terrain.height(env.dog.root_pos[:, :2])
        assert ((height > 0.25) & (height < 0.34)).all()  # neither through it nor above it

    def test_who_comes_far_goes_up_and_who_stays_goes_down(self) -> None:
        env = _made("quadruped-rough", 6)
        env.level.fill_(2)
        env.command[:, 0], env.walked[:] = 1.0, torch.tensor([0.0, 5.0, 0.0, 5.0, 0.0, 0.0])
        env.start(torch.tensor([True, True, False, False, False, False]))
        assert env.level.tolist() == [1, 3, 2, 2, 2, 2]


class TestArms:
    def test_the_tool_s_distance_is_the_robot_s(self) -> None:
        env = _made("arm-reach")
        for _ in range(5):
            env.step(torch.randn(6, 7))
        env.live.start(set())
        tool = env.robot.body_pose[:, env.robot.body_index("tool"), :3]
        np.testing.assert_allclose(env.distance(), np.linalg.norm(tool - env.goal.numpy(), axis=1), atol=1e-6)
        goal = env.goal.clone()
        env.new_goal(torch.tensor([True] + 5 * [False]))
        assert not torch.equal(env.goal[0], goal[0])
        assert torch.equal(env.goal[1:], goal[1:])

    @pytest.mark.slow
    def test_a_cube_lies_until_it_is_lifted(self) -> None:
        env = _made("cube-lift")
        for _ in range(20):
            observations, *_ = env.step(torch.zeros(6, 8))
            assert torch.isfinite(observations).all()
        assert not env.lifted().any()
        np.testing.assert_allclose(env.cube.root_pos[:, 2], 0.025, atol=2e-3)
        env.cube.root_pos[2, 2] = 0.2
        assert env.lifted().tolist() == [False, False, True, False, False, False]
        paid = [one(env) for one in (type(env).lifts, type(env).carries, type(env).arrives)]
        assert all(one[2] > 0 and (one[:2] == 0).all() for one in paid[:2])
