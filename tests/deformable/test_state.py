"""Bits of soft bodies: run to run, alone and among others, saved, reset, held by the user, of different materials."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from deformable.scenes import cube, momentum, spread, world

import phalanx as px
from phalanx.ecs.cpu import threads
from phalanx.io.recordings.replay import verify

ENVS = 5


def busy(num_envs: int = ENVS, name: str = "cube") -> px.World:
    """A cube that falls on the ground beside a rigid ball that falls on it; environments begin apart."""
    made = world(num_envs=num_envs, dtype="float32")
    made.add_ground()
    body = cube(made, half=0.04, height=0.01, resolution=3, name=name, youngs_modulus=3e4)
    ball = made.add_rigid_object(px.Shape("sphere", (0.03,)), "ball", mass=0.3, position=(0.01, 0, 0.14))
    made.build()
    apart = np.random.default_rng(3).normal(size=(100, 3))[:num_envs]
    body.set_node_state(vel=0.2 * apart[:, None])
    ball.set_root_state(vel=np.concatenate([0.1 * apart, apart], axis=1))
    return made


def everything(made: px.World, env: int) -> dict[str, bytes]:
    """All state of an environment."""
    return {
        key: value[..., env].tobytes()
        for key, value in made.state().items()
        if (value.ndim and value.shape[-1] == made.num_envs > 1) or (value.ndim and made.num_envs == 1)
    }


def test_it_is_the_same_again_and_alone() -> None:
    first, again, alone = busy(), busy(), busy(1)
    for made in (first, again, alone):
        made.step(60)
    assert spread(np.diff(first.deformables["cube"].node_pos, axis=0)) > 1e-4  # environments differ
    for env in range(ENVS):
        assert everything(first, env) == everything(again, env)
    pos = first.deformables["cube"].node_pos[:1]
    np.testing.assert_array_equal(pos, alone.deformables["cube"].node_pos)
    np.testing.assert_array_equal(first.objects["ball"].root_pose[:1], alone.objects["ball"].root_pose)


def test_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for count in (1, 2):
        px.set_num_threads(count)
        assert threads.num_threads() == count
        made = busy(40)
        made.step(20)
        found.append(made.deformables["cube"].node_pos)
    px.set_num_threads(None)
    np.testing.assert_array_equal(*found)


def test_saved_and_loaded_it_goes_on(tmp_path: Path) -> None:
    made = busy()
    made.step(25)
    path = tmp_path / "world.npz"
    made.save(path)
    other = px.World.load(path)
    for one in (made, other):
        one.step(25)
    assert list(other.deformables) == ["cube"]
    for env in range(ENVS):
        assert everything(made, env) == everything(other, env)


def test_recorded_it_runs_again_to_the_bit(tmp_path: Path) -> None:
    """With held nodes, a reset and another material on the way."""
    made = busy(3)
    body = made.deformables["cube"]
    fields = ("root_pose", "origin", "node_offset", "node_vel")
    seen = []
    with px.Recorder(made, tmp_path / "run.zarr", fields=fields, every=5):
        for n in range(20):
            if n == 4:
                body.set_node_targets(body.node_pos + (0, 0, 0.001), np.arange(body.num_nodes) < 2)
            if n == 9:
                body.release_nodes([0])
                made.reset([1])
            made.step()
            if n % 5 == 4:
                seen.append(body.node_pos)
    recording = px.open_recording(tmp_path / "run.zarr")
    known = recording.deformables["cube"]
    assert isinstance(known.mesh, px.TetMesh)
    np.testing.assert_array_equal(known.mesh.tets, body.mesh.tets)
    np.testing.assert_array_equal(known.node_pos[:, 1:], np.stack(seen, axis=1))
    assert known.node_vel.dims == ("env", "time", "node", "axis") and known.node_vel.units == "m/s"
    result = verify(recording)
    assert result.ok and result.values > 3 * 5 * 2 * known.node_vel.shape[2] * 3


def test_some_environments_are_reset() -> None:
    made, fresh = busy(), busy()
    body = made.deformables["cube"]
    body.set_node_targets(body.node_pos, np.arange(body.num_nodes) < 2)
    made.step(30)
    kept = body.node_pos
    made.reset([1, 3])
    np.testing.assert_allclose(body.node_pos[[1, 3]], np.stack([body.default_node_pos] * 2), atol=1e-7)
    np.testing.assert_array_equal(body.node_pos[[0, 2, 4]], kept[[0, 2, 4]])
    assert not body.held_nodes[[1, 3]].any() and body.held_nodes[0, :2].all()
    assert not body.node_vel[[1, 3]].any()
    made.reset()
    fresh.reset()
    for one in (made, fresh):
        one.step(20)
    np.testing.assert_array_equal(body.node_pos, fresh.deformables["cube"].node_pos)


def test_environments_have_materials_of_their_own() -> None:
    """Softer cubes sag more; and each is the same as alone."""
    made = world(num_envs=3, dtype="float32")
    made.add_ground()
    body = cube(made, resolution=3)
    made.build()
    body.set_elasticity(1e4, env_ids=[1])
    body.set_elasticity(3e5, 0.3, env_ids=[2])
    np.testing.assert_allclose(body.youngs_modulus, [1e5, 1e4, 3e5])
    np.testing.assert_allclose(body.poissons_ratio, [0.45, 0.45, 0.3])
    made.step(100)
    heights = body.node_pos[..., 2].max(axis=1)
    assert heights[2] > heights[0] > heights[1]


def test_held_nodes_go_where_they_are_told() -> None:
    """Within one step, in as many parts as it has; and stay. What is let go falls."""
    made = world(substeps=2)
    body = cube(made, height=0.5, resolution=3)
    made.build()
    top = body.default_node_pos[:, 2] > 0.6 - 1e-9
    target = body.default_node_pos + (0.0, 0.01, 0.0)
    body.set_node_targets(target, top)
    made.step()
    np.testing.assert_allclose(body.node_pos[0, top], target[top], atol=1e-12)
    np.testing.assert_allclose(body.node_vel[0, top], np.broadcast_to((0, 1.0, 0), (top.sum(), 3)), atol=1e-9)
    made.step(100)
    np.testing.assert_allclose(body.node_pos[0, top], target[top], atol=1e-12)
    assert spread(body.node_vel[0, top]) < 1e-9
    assert 0.5 - 0.1 < body.node_pos[0, :, 2].min() < 0.5
    np.testing.assert_array_equal(body.held_nodes[0], top)
    body.release_nodes()
    made.step(20)
    assert body.node_vel[0, :, 2].mean() == pytest.approx(-9.81 * 0.2, rel=0.05)


def test_what_is_not_finite_is_frozen_alone() -> None:
    made = busy()
    body = made.deformables["cube"]
    made.step(5)
    vel = body.node_vel
    vel[2, 0] = 1e30
    body.set_node_state(vel=vel)
    with pytest.warns(px.SimulationWarning, match="diverged"):
        made.step(5)
    assert made.diverged.tolist() == [2]
    assert np.isfinite(body.node_pos).all()
    held = body.node_pos[2]
    made.step(5)
    np.testing.assert_array_equal(body.node_pos[2], held)
    made.reset([2])
    made.step(5)
    assert not made.diverged.size
    assert body.node_vel[2, :, 2].mean() < 0


def test_far_from_the_origin_it_is_as_near() -> None:
    """A cube a kilometre away, in float32: it falls, lands and rests."""
    made = world(dtype="float32")
    made.add_ground()
    body = cube(made, half=0.03, resolution=3, position=(1000.0, -500.0, 0.05))
    made.step(150)
    assert spread(body.node_vel) < 1e-3
    assert abs(body.node_pos[0, :, 2].min()) < 1e-4


@pytest.mark.parametrize("substeps", [1, 4])
def test_worlds_without_anything_rigid(substeps: int) -> None:
    made = world(substeps=substeps)
    body = cube(made, height=1.0, resolution=2)
    made.step(10)
    assert momentum(body)[1][0, 2] / body.node_mass.sum() == pytest.approx(-0.981, rel=1e-9)
