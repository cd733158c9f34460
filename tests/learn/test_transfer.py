"""Tasks with MuJoCo's physics in place of ours: the same motion, weights that feet bear, resets."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'phalanx[torch]')")
pytest.importorskip("gymnasium", reason="gymnasium is not installed (pip install 'phalanx[learn]')")
pytest.importorskip("mujoco", reason="MuJoCo is not installed (pip install 'phalanx[test]')")

from benchmarks.transfer import in_mujoco_class  # noqa: E402
from phalanx import learn  # noqa: E402


def _both(task: str, count: int) -> tuple[Any, Any]:
    """The task in our engine and in MuJoCo, without noise, from the same random numbers."""
    made = [kind(count, seed=3, noise=False) for kind in (learn.task_class(task), in_mujoco_class(task))]
    for env in made:
        env.reset(seed=3)
    return made[0], made[1]


def test_the_cartpole_moves_alike() -> None:
    """Both engines take semi-implicit steps of 1/120 s, so that a second differs by rounding; rewards and ends, too."""
    ours, other = _both("cartpole", 8)
    assert torch.equal(ours.observations["policy"], other.observations["policy"])
    generator, ended = torch.Generator().manual_seed(0), 0
    for _ in range(60):
        actions = torch.rand(8, 1, generator=generator) * 2.0 - 1.0
        found = [env.step(actions) for env in (ours, other)]
        torch.testing.assert_close(found[0][0], found[1][0], rtol=2e-3, atol=2e-3)
        torch.testing.assert_close(found[0][1], found[1][1], rtol=2e-3, atol=2e-3)
        assert torch.equal(found[0][2], found[1][2])
        ended += int(found[0][2].sum())
    assert ended >= 4, "poles fell, and episodes began anew"
    assert other.physics.warnings() == 0


def test_the_quadruped_stands_on_its_feet() -> None:
    """With the drives at the nominal pose: feet bear the weight, and the stance is the same, as far as friction leaves
    it open: feet may push each other aside by what friction holds, and MuJoCo's contacts slip and give way by 2 mm.
    """
    ours, other = _both("quadruped-flat", 2)
    for env in (ours, other):
        for _ in range(75):
            env.step(torch.zeros(2, 12))
    weight = 9.81 * sum(link.mass for link in ours.robot.part.articulation.links)
    for env in (ours, other):
        feet = env.dog.contact_force[:, env.feet]
        torch.testing.assert_close(feet[..., 2].sum(dim=1), torch.full((2,), weight), rtol=0.02, atol=0.0)
        assert not env.dog.contact_force[:, env.thighs].any() and not env.dog.contact_force[:, env.trunk].any()
    torch.testing.assert_close(other.dog.root_pos[:, 2], ours.dog.root_pos[:, 2], rtol=0.0, atol=0.01)
    torch.testing.assert_close(other.dog.joint_pos, ours.dog.joint_pos, rtol=0.0, atol=0.06)
    drives = 50.0 * (other.dog.default_joint_pos - other.dog.joint_pos) - 1.2 * other.dog.joint_vel
    torch.testing.assert_close(other.dog.applied_effort, drives, rtol=0.0, atol=0.02)
    assert other.physics.warnings() == 0


def test_tasks_with_objects_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="cube-lift has more than one actor"):
        in_mujoco_class("cube-lift")(1)
