"""Sliders of gains, gravity and materials, what models have that is not seen, trouble, time and energy."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import numpy as np
import pytest

import phalanx as px

pytest.importorskip("viser", reason="viser is not installed (pip install 'phalanx[viewer]')")

from oracles import host
from viewer_client import Client, until

from phalanx import components as c
from phalanx.viewer.details import AXES, COMS, INERTIAS, KINDS, LIMITS, TRAILS, Details
from phalanx.viewer.drawings import Copies, Lines, Points
from phalanx.viewer.energies import energy
from phalanx.viewer.health_panel import FINE, flame
from phalanx.viewer.plot_panel import EACH
from phalanx.world.snapshots import take_snapshot


@pytest.fixture(scope="module")
def world(device: str) -> px.World:
    made = px.World(num_envs=4, device=device)
    made.add_ground()
    robot = made.add_robot("quadruped", name="quadruped")
    robot.set_drive(stiffness=40.0, damping=1.0)
    return made.build()


@pytest.fixture
def viewer(world: px.World) -> Iterator[px.Viewer]:
    world.reset()
    with px.Viewer(world, port=0) as made:
        yield made


def test_gains_of_the_environments_that_are_seen(viewer: px.Viewer, world: px.World) -> None:
    robot, panel = world.robots["quadruped"], viewer.tune_panel
    assert panel.stiffness.value == pytest.approx(40.0) and panel.stiffness.max == pytest.approx(120.0)
    with Client(viewer.server.get_port()) as client:
        client.put(viewer.run_panel.envs.env, 2)
        client.put(panel.joint, robot.joint_names[3])
        until(lambda: panel.joint.value == robot.joint_names[3])
        client.put(panel.stiffness, 75.0)
        until(lambda: math.isclose(robot.joint_stiffness[2, 3], 75.0, abs_tol=1e-4))
        others = host(robot.joint_stiffness).copy()
        others[2, 3] = 40.0
        np.testing.assert_allclose(others, 40.0)
        client.put(panel.joint, "All")
        client.put(panel.damping, 3.0)
        until(lambda: np.allclose(host(robot.joint_damping)[2], 3.0))
        np.testing.assert_allclose(host(robot.joint_damping)[[0, 1, 3]], 1.0)
    robot.set_drive(stiffness=40.0, damping=1.0)


class Eager:
    """A dropdown whose last entry is chosen as soon as it is offered, as a fast client's message may do."""

    def __init__(self, value: str) -> None:
        self.value, self.visible = value, True

    @property
    def options(self) -> tuple[str, ...]:
        """What can be chosen."""
        return self._options

    @options.setter
    def options(self, options: tuple[str, ...]) -> None:
        self._options, self.value = options, options[-1]


def test_what_is_chosen_at_once_is_kept(viewer: px.Viewer, world: px.World) -> None:
    joints, curves = viewer.tune_panel, viewer.plot_panel
    joints.joint, curves.curve = Eager("All"), Eager(EACH)
    joints._offer_joints()
    assert joints.joint.value == world.robots["quadruped"].joint_names[-1]
    curves.signal.value = "quadruped/root_pose"
    curves._choose()
    assert curves.curve.value == "qz"


def test_gravity(viewer: px.Viewer, world: px.World) -> None:
    panel = viewer.tune_panel
    assert panel.gravity.value == pytest.approx(-9.81)
    with Client(viewer.server.get_port()) as client:
        client.put(panel.gravity, 2.5)
        until(lambda: np.isclose(host(world[c.Settings].gravity)[0, 2, 0], 2.5))
        world.reset()
        world.step(20)
        rise = host(world.robots["quadruped"].root_vel)[:, 2]
        np.testing.assert_allclose(rise, 2.5 * 20 * world.dt, rtol=0.05)  # legs move a little
        client.put(panel.gravity, -9.81)
        until(lambda: np.isclose(host(world[c.Settings].gravity)[0, 2, 0], -9.81))


def test_materials(viewer: px.Viewer, world: px.World) -> None:
    robot, panel = world.robots["quadruped"], viewer.tune_panel
    before = host(robot.material).copy()
    assert panel.friction.value == pytest.approx(float(before[0, 0, 0]))
    with Client(viewer.server.get_port()) as client:
        client.put(viewer.run_panel.envs.env, 1)
        client.put(panel.friction, 0.11)
        client.put(panel.restitution, 0.6)
        until(lambda: np.allclose(host(robot.material)[1, :, 2], 0.6))
        np.testing.assert_allclose(host(robot.material)[1], np.tile([0.11, 0.11, 0.6], (robot.num_shapes, 1)))
        np.testing.assert_array_equal(host(robot.material)[[0, 2, 3]], before[[0, 2, 3]])
    robot.set_material(*before[0].T[:, None].repeat(4, axis=1))


def test_details_are_drawn_when_asked_for(viewer: px.Viewer) -> None:
    with Client(viewer.server.get_port()) as client:
        until(lambda: viewer.frames > 2)
        for kind in KINDS:
            assert not viewer.drawings._nodes.get(kind)
            client.put(viewer.view_panel.drawings[kind], True)
        until(lambda: all(viewer.drawings._nodes.get(kind) for kind in KINDS if kind != TRAILS))
        viewer.world.step(3)
        until(lambda: viewer.frames > 5)
        viewer.world.step(3)
        until(lambda: viewer.drawings._nodes.get(TRAILS))
        client.put(viewer.view_panel.drawings[AXES], False)
        until(lambda: not viewer.drawings._nodes.get(AXES))


def test_centres_of_mass_and_inertias(device: str) -> None:
    """A box of even density is its own inertia box, however it lies; its centre of mass may be set aside."""
    half = np.array([0.3, 0.2, 0.1])
    made = px.World(num_envs=2, device=device)
    made.add_rigid_object(px.Shape("box", tuple(half)), "box", mass=2.0)
    made.build()
    turn = np.array([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])  # x becomes y
    made.objects["box"].set_root_state(pose=[1.0, 2.0, 3.0, *turn], env_ids=[1])
    details, envs, offsets = Details(made, 0.1), np.array([1]), np.array([[10.0, 0.0, 0.0]])
    details.snapshot = take_snapshot(made, envs)
    (boxes,) = details.read(INERTIAS, envs, offsets)
    assert isinstance(boxes, Copies)
    np.testing.assert_allclose(boxes.positions, [[11.0, 2.0, 3.0]], atol=1e-6)
    np.testing.assert_allclose(sorted(boxes.scales[0]), sorted(2 * half), rtol=1e-5)
    from phalanx.maths.arrays import rotate

    corners = np.abs(rotate(boxes.orientations[0], np.diag(boxes.scales[0]))).sum(axis=0)
    np.testing.assert_allclose(corners, [0.4, 0.6, 0.2], rtol=1e-4)
    made.objects["box"].set_body_mass_properties(com=np.array([[[0.1, 0.0, 0.0]]] * 2))
    (dots,) = details.read(COMS, envs, offsets)
    assert isinstance(dots, Points)
    np.testing.assert_allclose(dots.places, [[11.0, 2.1, 3.0]], atol=1e-6)


def test_joint_axes_and_limits(world: px.World) -> None:
    """Axes go through the child's origin; the pointer of where a joint is lies on its arc, by the angle from an end."""
    world.reset()
    robot = world.robots["quadruped"]
    details, envs, offsets = Details(world, 0.1), np.array([0]), np.zeros((1, 3))
    details.snapshot = take_snapshot(world, envs)
    (axes,) = details.read(AXES, envs, offsets)
    assert isinstance(axes, Lines) and len(axes.ends) == robot.num_dof
    poses = {name: host(robot.body_pose)[0, row] for row, name in enumerate(robot.body_names)}
    moving = [joint for joint in robot.model.joints if joint.type != "fixed"]
    for joint, ends in zip(moving, axes.ends, strict=True):
        np.testing.assert_allclose(ends.mean(axis=0), poses[joint.child][:3], atol=1e-5)
    arcs, now = details.read(LIMITS, envs, offsets)
    assert isinstance(arcs, Lines) and isinstance(now, Lines) and len(now.ends) == robot.num_dof
    position = host(robot.joint_pos)[0]
    arc = arcs.ends.reshape(robot.num_dof, 24, 2, 3)
    for k, joint in enumerate(moving):
        start, middle = arc[k, 0, 0] - now.ends[k, 0], now.ends[k, 1] - now.ends[k, 0]
        angle = np.arccos(np.clip(start @ middle / 0.01, -1, 1))
        index = [*robot.joint_names].index(joint.name)
        turned = (position[index] - joint.lower) % (2 * np.pi)
        assert angle == pytest.approx(min(turned, 2 * np.pi - turned), abs=2e-3)


def test_trails_go_through_where_it_was(world: px.World) -> None:
    world.reset()
    details, envs, offsets = Details(world, 0.1), np.array([3]), np.zeros((1, 3))
    robot, ways = world.robots["quadruped"], []
    for k in range(4):
        robot.set_root_state(pose=[0.1 * k, 0, 1, 1, 0, 0, 0])
        details.snapshot = take_snapshot(world, envs)
        ways = details.read(TRAILS, envs, offsets)
    (way,) = ways
    assert isinstance(way, Lines)
    np.testing.assert_allclose(way.ends[-3:, :, 0], [[0, 0.1], [0.1, 0.2], [0.2, 0.3]], atol=1e-6)
    robot.set_root_state(pose=[5, 0, 1, 1, 0, 0, 0])  # too far to have gone there
    details.snapshot = take_snapshot(world, envs)
    assert not details.read(TRAILS, envs, offsets)


def test_energy_of_a_box_that_flies(device: str) -> None:
    """1/2 m v^2 + 1/2 w I w and m g h; the sum stays while it falls."""
    made = px.World(num_envs=2, dt=1e-3, device=device, dtype="float64")
    made.add_rigid_object(px.Shape("box", (0.3, 0.2, 0.1)), "box", mass=2.0)
    made.build()
    spin = np.array([1.0, 2.0, -1.5])
    made.objects["box"].set_root_state(pose=[0, 0, 3, 1, 0, 0, 0], vel=[1.0, 0.0, 2.0, *spin], env_ids=[1])
    inertia = 2.0 / 12.0 * np.array([0.4**2 + 0.2**2, 0.6**2 + 0.2**2, 0.6**2 + 0.4**2])
    start = energy(made)
    kinetic, potential = 5.0 + 0.5 * float(inertia @ spin**2), 2 * 9.81 * 3
    np.testing.assert_allclose(start[1], np.array([kinetic, potential, kinetic + potential]), rtol=1e-6)
    made.step(300)
    assert energy(made)[1, 2] == pytest.approx(start[1, 2], rel=2e-3) and energy(made)[1, 0] != start[1, 0]


def test_environments_in_trouble_have_a_button(viewer: px.Viewer, world: px.World) -> None:
    panel = viewer.health_panel
    with Client(viewer.server.get_port()) as client:
        until(lambda: viewer.frames > 2)
        assert panel.table.content == FINE
        world.robots["quadruped"].set_joint_state(vel=np.full((1, 12), 1e30), env_ids=[2])
        with pytest.warns(px.SimulationWarning, match="diverged"):
            for _ in range(400):
                world.step()
                world.check()
                if len(world.diverged):
                    break
        until(lambda: "| 2 | diverged" in panel.table.content and panel._go is not None)
        client.put(panel._go, "2")
        until(lambda: viewer.selection.envs().tolist() == [2] and viewer.run_panel.envs.env.value == 2)
        world.reset()
        until(lambda: panel.table.content == FINE and panel._go is None)


def test_time_of_systems(viewer: px.Viewer, world: px.World) -> None:
    panel = viewer.health_panel
    with Client(viewer.server.get_port()) as client:
        client.put(panel.systems, True)
        until(lambda: panel.systems.value)

        def shown() -> bool:
            world.step(2)
            return "ms a step" in panel.bars.content

        until(shown)
        widths = [float(w) for w in re.findall(r"width:([\d.]+)%;background", panel.bars.content)]
        assert sum(widths) == pytest.approx(100.0, abs=0.5) and len(widths) > 10
    plain = quick = [{"name": "a", "cat": "system", "dur": 3000.0}, {"name": "b", "cat": "system", "dur": 1000.0}]
    assert "2.000 ms a step" in flame(plain, 2) and "width:75.00%" in flame(quick, 2) and not flame([], 1)


def test_curves_of_several_environments(viewer: px.Viewer, world: px.World) -> None:
    panel, robot = viewer.plot_panel, world.robots["quadruped"]
    with Client(viewer.server.get_port()) as client:
        client.put(viewer.run_panel.envs.mode, "Grid")
        client.put(panel.signal, "quadruped/root_pose")
        until(
            lambda: panel._chosen is not None and panel.curve.options == (EACH, "x", "y", "z", "qw", "qx", "qy", "qz")
        )
        client.put(panel.curve, "z")
        poses = np.array([[0, 0, 1 + k, 1, 0, 0, 0] for k in range(4)], float)

        def drawn() -> bool:
            robot.set_root_state(pose=poses, vel=np.zeros((4, 6)))  # however long it takes, nothing falls far
            world.step(2)
            return panel._chosen is not None and panel._chosen.data.shape[0] == 5 and panel._chosen.data.shape[1] > 2

        until(drawn)
        assert panel._chosen is not None
        np.testing.assert_allclose(panel._chosen.data[1:, -1], [1, 2, 3, 4], atol=0.05)
        client.put(panel.signal, "energy (J)")
        until(lambda: panel._chosen is not None and panel._chosen.label == "energy (J)")
