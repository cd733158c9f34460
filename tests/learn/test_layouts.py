"""Environment k of N is the same to the bit however environments are split over worlds and processes."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'phalanx[torch]')")
pytest.importorskip("gymnasium", reason="gymnasium is not installed (pip install 'phalanx[learn]')")

from phalanx import components as c  # noqa: E402
from phalanx import learn  # noqa: E402

ENVS = 8
FIELDS = (c.Coordinate.value, c.DofState.velocity, c.DriveTarget.position, c.DriveTarget.effort)


def trajectories(task: str, first: int, count: int, steps: int, device: str = "cpu") -> list[str]:
    """For each environment a digest of all that it did: state, observations, rewards, ends of episodes."""
    env = learn.make(task, count, device, seed=2, first_env=first)
    env.reset()
    ends = torch.arange(first, first + count, device=env.device) * 3 + 4
    env.episode_length.copy_(env.max_episode_length - ends)  # episodes end on the way, at different times
    hashes = [sha256() for _ in range(count)]
    actions = np.random.default_rng(3).normal(size=(steps, ENVS, env.num_actions))[:, first : first + count]
    ended = 0
    for action in torch.tensor(actions, dtype=torch.float32, device=env.device):
        observations, reward, terminated, truncated, infos = env.step(action)
        final = infos["final_obs"]
        seen = [observations, reward, terminated, truncated, final, *(env.live.field(one) for one in FIELDS)]
        seen += [env.observations[name] for name in sorted(env.observations)]
        rows = [one.detach().cpu().numpy() for one in seen]
        for k, digest in enumerate(hashes):
            for row in rows:
                digest.update(np.ascontiguousarray(row[k]).tobytes())
        ended += int((terminated | truncated).sum())
    assert ended >= count
    return [digest.hexdigest() for digest in hashes]


@pytest.mark.parametrize(("task", "steps"), [("cartpole", 80), ("quadruped-rough", 40)])
def test_environments_split_over_two_worlds(task: str, steps: int, device: str) -> None:
    whole = trajectories(task, 0, ENVS, steps, device)
    assert len(set(whole)) == ENVS
    for sizes in ((4, 4), (1, 7)):
        assert [*trajectories(task, 0, sizes[0], steps, device), *trajectories(task, *sizes, steps, device)] == whole


def test_environments_split_over_two_processes(device: str) -> None:
    half = ENVS // 2
    code = f"""import sys; sys.path[:0] = {[str(Path(__file__).parent), *sys.path]}
from test_layouts import trajectories
print(*trajectories("cartpole", int(sys.argv[1]), {half}, 80, {device!r}))"""
    command = [sys.executable, "-c", code]
    ranks = [subprocess.Popen([*command, str(rank * half)], stdout=subprocess.PIPE, text=True) for rank in range(2)]
    found = [rank.communicate(timeout=300)[0].split() for rank in ranks]
    assert [*found[0], *found[1]] == trajectories("cartpole", 0, ENVS, 80, device)


@pytest.mark.parametrize("first", [-1, 1.5, True, "2"])
def test_the_first_environment_is_a_whole_number(first: Any) -> None:
    with pytest.raises(ValueError, match="first_env"):
        learn.make("cartpole", 2, first_env=first)
