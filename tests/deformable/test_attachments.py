"""Nodes that are tied to links and to the world: where they are held, what that takes, and what bodies get of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from deformable.scenes import cube, momentum, spread, world

import phalanx as px
from phalanx.io.recordings.replay import verify

ARM = """
<robot name="arm">
  <link name="base"><inertial><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="upper"><inertial><origin xyz="0 0 0"/><mass value="0.5"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="hook"><inertial><mass value="0.001"/>
    <inertia ixx="1e-6" iyy="1e-6" izz="1e-6" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="lift" type="prismatic"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1000" velocity="5"/></joint>
  <joint name="tip" type="fixed"><parent link="upper"/><child link="hook"/><origin xyz="0.1 0 0" rpy="0 0 1.5707963"/>
  </joint>
</robot>
"""
"""A slide that goes up and down, with a hook fixed to it."""


def hung(num_envs: int = 2, **settings: Any) -> px.World:
    """A soft cube that hangs from the world by its upper nodes, above a plate that hangs from its lower nodes."""
    made = world(num_envs=num_envs, **settings)
    body = cube(made, height=1.0, resolution=3, name="cube", youngs_modulus=5e4)
    made.add_rigid_object(
        px.Shape("box", (0.05, 0.05, 0.01)), "plate", mass=0.5, position=(0, 0, 0.97), collision_mask=[]
    )
    top, low = np.ptp(body.mesh.nodes, axis=0)[2] / 2 - 1e-9, -np.ptp(body.mesh.nodes, axis=0)[2] / 2 + 1e-9
    made.attach_nodes(body, body.mesh.nodes[:, 2] > top)
    made.attach_nodes(body, body.mesh.nodes[:, 2] < low, "plate")
    return made


def test_what_hangs_is_carried() -> None:
    """At rest tied nodes are at their anchors, and forces are the weights of all that hangs below."""
    made = hung(1)
    body, plate = made.deformables["cube"], made.objects["plate"]
    above, below = made.attachments
    made.step(1)
    body.set_node_state(vel=np.zeros(3))
    for _ in range(40):
        made.step(10)
        body.set_node_state(vel=0.5 * body.node_vel)  # so that it comes to rest soon
        plate.set_root_state(vel=0.5 * plate.root_vel)
    weight = 9.81 * float(body.node_mass.sum())
    np.testing.assert_allclose(body.node_pos[0, above.nodes], body.default_node_pos[above.nodes], atol=1e-6)
    np.testing.assert_allclose(above.force[0].sum(axis=0), (0, 0, weight + 0.5 * 9.81), atol=2e-3 * weight)
    np.testing.assert_allclose(below.force[0].sum(axis=0), (0, 0, -0.5 * 9.81), atol=2e-3 * weight)
    away = body.node_pos[0, below.nodes] - plate.root_pose[0, :3]
    first = body.default_node_pos[below.nodes] - (0, 0, 0.97)
    np.testing.assert_allclose(away, first, atol=1e-5)


def test_momentum_is_exchanged() -> None:
    """A soft bar tied to a ball at one end, both thrown and spinning: what one gains the other loses."""
    made = world(dt=0.005, gravity=(0, 0, 0))
    bar = made.add_soft_body(px.Shape("box", (0.03, 0.03, 0.1)), resolution=4, youngs_modulus=5e4)
    ball = made.add_rigid_object(
        px.Shape("sphere", (0.04,)), "ball", mass=0.7, position=(0, 0, 0.14), collision_mask=[]
    )
    made.attach_nodes(bar, bar.mesh.nodes[:, 2] > 0.0999, ball)
    made.build()
    bar.set_node_state(vel=np.cross((2.0, -3.0, 4.0), bar.default_node_pos))
    ball.set_root_state(vel=(0.5, 0.2, -0.3, 3.0, 1.0, -5.0))

    def total() -> tuple[np.ndarray, np.ndarray]:
        _, linear, angular = momentum(bar)
        vel, pos = ball.root_vel, ball.root_pose[:, :3]
        own = (ball.inertia @ vel[:, 3:, None])[..., 0]
        return linear + 0.7 * vel[:, :3], angular + np.cross(pos, 0.7 * vel[:, :3]) + own

    linear, angular = total()
    before = momentum(bar)[1]
    made.step(60)
    assert spread(momentum(bar)[1] - before) > 0.05
    later, turned = total()
    np.testing.assert_allclose(later, linear, atol=1e-12 * spread(linear))
    np.testing.assert_allclose(turned, angular, atol=5e-3 * spread(angular))
    gap = bar.node_pos[0, made.attachments[0].nodes] - ball.root_pose[0, :3]
    assert spread(np.linalg.norm(gap, axis=1) - np.linalg.norm(bar.default_node_pos[made.attachments[0].nodes]
                                                              - (0, 0, 0.14), axis=1)) < 2e-3  # fmt: skip


def test_a_robot_carries_by_a_frame_fixed_to_a_link(tmp_path: Path) -> None:
    """A cube hung on a hook by points in the hook's frame goes where the slide takes it, and can be let go."""
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    made = world(num_envs=2)
    arm = made.add_robot(path, "arm", fixed_base=True, position=(0, 0, 1.0))
    body = cube(made, half=0.03, resolution=2, position=(0.1, 0, 0.96))
    top = body.default_node_pos[:, 2] > 0.9899
    seen = body.default_node_pos[top] - (0.1, 0, 1.0)
    points = np.stack([seen[:, 1], -seen[:, 0], seen[:, 2]], axis=1)  # the hook is turned by 90 degrees about z
    tie = made.attach_nodes(body, top, "arm/hook", points=points)
    made.build()
    arm.set_drive([5000], [300])
    for n in range(100):
        arm.set_targets([0.2 * (n + 1) / 100])
        made.step()
    made.step(50)
    lift = arm.joint_pos[0, 0]
    assert 0.15 < lift < 0.2  # the drive gives way to the weight
    np.testing.assert_allclose(body.node_pos[:, top] - body.default_node_pos[top], [[[0, 0, lift]] * top.sum()] * 2,
                               atol=1e-4)  # fmt: skip
    tie.release([1])
    assert tie.attached.tolist() == [True, False]
    made.step(20)
    assert body.node_pos[1, :, 2].mean() < body.node_pos[0, :, 2].mean() - 0.1
    tie.attach([1])
    made.step(60)
    np.testing.assert_allclose(body.node_pos[1, top], body.node_pos[0, top], atol=1e-3)


def test_bits_reset_and_files(tmp_path: Path) -> None:
    """Alone or among others, saved and loaded, recorded and run again, with changes on the way."""
    made, alone = hung(3, dtype="float32"), hung(1, dtype="float32")
    body = made.deformables["cube"]
    made.build()
    with px.Recorder(made, tmp_path / "run.zarr", every=5):
        for n in range(20):
            if n == 8:
                made.attachments[1].release([1])
                made.reset([2])
            if n == 12:
                made.attachments[1].attach([1])
            made.step()
    alone.step(20)
    np.testing.assert_array_equal(body.node_pos[:1], alone.deformables["cube"].node_pos)
    np.testing.assert_array_equal(made.objects["plate"].root_pose[:1], alone.objects["plate"].root_pose)
    assert spread(body.node_pos[1] - body.node_pos[0]) > 1e-4
    assert verify(px.open_recording(tmp_path / "run.zarr")).ok
    made.save(tmp_path / "world.npz")
    other = px.World.load(tmp_path / "world.npz")
    for one in (made, other):
        one.step(10)
    np.testing.assert_array_equal(body.node_pos, other.deformables["cube"].node_pos)
    np.testing.assert_array_equal(made.attachments[0].force, other.attachments[0].force)


def test_what_cannot_be_attached() -> None:
    made = world()
    body = cube(made, resolution=1, name="cube")
    other = cube(world(), resolution=1, name="cube")
    wrong: tuple[tuple[tuple[Any, ...], str], ...] = (
        (("ball", [0]), "no deformable body 'ball'.*there are cube"),
        ((other, [0]), "no deformable body 'cube'"),
        ((body, [8]), r"nodes must lie in 0..7; got 8..8"),
        ((body, []), "at least one"),
        ((body, [0.5]), "numbers of nodes"),
        ((body, [1, 1]), "node 1 is in two attachments"),
        ((body, [0], "wall"), "no actor 'wall'"),
    )
    for arguments, message in wrong:
        given: Any = arguments
        with pytest.raises(ValueError, match=message):
            made.attach_nodes(*given)
    with pytest.raises(ValueError, match=r"points must be \(2, 3\)"):
        made.attach_nodes(body, [0, 1], points=np.zeros(3))
    made.attach_nodes(body, [0, 1])
    with pytest.raises(ValueError, match="node 1 is in two attachments"):
        made.attach_nodes(body, [1, 2])
    made.build()
    with pytest.raises(RuntimeError, match="must come before build"):
        made.attach_nodes(body, [3])
