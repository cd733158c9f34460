"""Springs that drag bodies, and plots."""

import numpy as np
import pytest

import phalanx as px
from phalanx import components as c
from phalanx.viewer.plot_panel import Plot
from phalanx.viewer.pull import FREQUENCY, MOST, taken
from phalanx.world.snapshots import take_snapshot


@pytest.fixture(scope="module")
def world(device):
    world = px.World(num_envs=2, device=device, dt=0.002, gravity=(0.0, 0.0, 0.0))
    world.add_robot("double_pendulum")
    world.add_rigid_object(px.Shape("box", (0.1, 0.2, 0.3)), "box", mass=3.0)
    return world.build()


def host(value):
    return value.get() if hasattr(value, "get") else value


def body_of(world, name):
    names = [f"{actor.name}/{body}" for actor in world.actors.values() for body in actor.body_names]
    return next(i for i, full in enumerate(names) if full.startswith(name))


def start(world, point, env=1):
    world.reset()
    body = body_of(world, "box/")
    return taken(world, body, env, np.asarray(take_snapshot(world, [env]).poses[0, body], float), np.asarray(point))


def test_a_body_taken_at_its_centre_comes_as_a_damped_oscillator(world):
    pull = start(world, (0.0, 0.0, 0.0))
    pull.target = np.array([0.1, 0.0, 0.05])
    rate = 2 * np.pi * FREQUENCY
    for step in range(400):
        if step in (50, 150, 399):
            passed = rate * step * world.dt  # x = a (1 - (1 + w t) exp(-w t)), critical damping
            share = 1 - (1 + passed) * np.exp(-passed)
            place = host(world.objects["box"].root_pose)[1, :3]
            assert np.allclose(place, share * pull.target, atol=0.02 * 0.1), step
        pull.update()
        world.step()
    assert np.allclose(host(world.objects["box"].root_pose)[0, :3], 0.0)  # the other environment is left alone
    pull.release()


def test_a_corner_turns_the_body(world):
    pull = start(world, (0.1, 0.2, 0.3))
    pull.target = np.array([0.1, 0.2, 0.9])
    box = world.objects["box"]
    force = pull.update()
    external = world[c.ExternalWrench]
    row = len(world.robots["robot"].part.articulation.links)
    assert np.allclose(host(external.force)[row, :, 1], force, rtol=1e-5)
    assert np.allclose(host(external.torque)[row, :, 1], np.cross((0.1, 0.2, 0.3), force), rtol=1e-4, atol=1e-4)
    for _ in range(1500):
        pull.update()
        world.step()
    pose = np.asarray(host(box.root_pose)[1], float)
    from phalanx.maths.arrays import rotate

    assert np.allclose(pose[:3] + rotate(pose[3:], pull.local), pull.target, atol=0.02)
    pull.release()


def test_forces_are_bounded_and_put_back(world):
    world.reset()
    box = world.objects["box"]
    box.set_external_wrench(force=[1.0, 2.0, 3.0], torque=[0.1, 0.2, 0.3], env_ids=[1])
    body = body_of(world, "box/")
    pull = taken(world, body, 1, np.asarray(take_snapshot(world, [1]).poses[0, body], float), np.zeros(3))
    pull.target = np.array([1e6, 0.0, 0.0])
    assert np.linalg.norm(pull.update()) == pytest.approx(MOST * 9.81 * 3.0)
    pull.release()
    row = len(world.robots["robot"].part.articulation.links)
    assert np.allclose(host(world[c.ExternalWrench].force)[row, :, 1], (1.0, 2.0, 3.0))
    assert np.allclose(host(world[c.ExternalWrench].torque)[row, :, 1], (0.1, 0.2, 0.3))
    assert not host(world[c.ExternalWrench].force)[row, :, 0].any()


def test_dragging_by_the_viewer(world):
    pytest.importorskip("viser", reason="viser is not installed (pip install 'phalanx[viewer]')")
    from viewer_client import Client, until

    world.reset()
    body = body_of(world, "box/")
    with px.Viewer(world, port=0) as viewer, Client(viewer.server.get_port()):
        viewer.selection.mode, viewer.selection.count = "Grid", 2
        until(lambda: viewer.frames > 2)
        place = viewer.selection.offsets()[1].astype(float)
        nowhere = (float("nan"),) * 3  # what browsers say if nothing is there
        viewer._dragged("start", body, 1, nowhere, place)
        world.step(1)
        assert viewer._commands.empty() and viewer._pull is None
        viewer._dragged("start", body, 1, place, place)
        viewer._dragged("update", body, 1, place, place + (0.2, 0.0, 0.0))
        world.step(600)
        where = host(world.objects["box"].root_pose)[:, :3]
        assert np.allclose(where, [[0, 0, 0], [0.2, 0, 0]], atol=0.02)
        viewer._dragged("end", body, 1, place, place)
        world.step(1)
        until(lambda: not host(world[c.ExternalWrench].force).any())


def test_a_signal_is_chosen_and_drawn(world):
    pytest.importorskip("viser", reason="viser is not installed (pip install 'phalanx[viewer]')")
    from viewer_client import Client, until

    world.reset()
    with px.Viewer(world, port=0) as viewer, Client(viewer.server.get_port()) as client:
        heights = viewer.add_plot("Height", lambda: world.objects["box"].root_pose[:, 2])
        until(lambda: viewer.frames > 2)
        panel = viewer.plot_panel
        client.put(panel.signal, "robot/joint_pos (rad, m)")
        until(lambda: panel._chosen is not None)
        while panel._chosen is None or panel._chosen.data.shape[1] < 3 or heights.data.shape[1] < 3:
            world.step(5)
        chosen = panel._chosen
        until(lambda: chosen._handle is not None)
        assert chosen.data.shape[0] == 1 + world.robots["robot"].num_dof and heights.data.shape[0] == 2
        assert (np.diff(chosen.data[0]) > 0).all()
        client.put(panel.signal, "Nothing")
        until(lambda: panel._chosen is None)


class Gui:
    def __init__(self):
        self.made = []

    def add_uplot(self, data, series, **_):
        self.made.append(type("Handle", (), {"data": data, "series": series})())
        return self.made[-1]


def test_plots_take_points_of_an_environment():
    values, gui = np.zeros((2, 3)), Gui()
    plot = Plot(gui, "x", lambda: values, ("a", "b", "c"))
    assert plot.data.shape == (1, 0)
    plot.take(0.0, [1])
    plot.show()
    assert gui.made == []  # a curve has two points
    for k in range(1, 5):
        values[1] = k
        plot.take(0.1 * k, [1])
        plot.take(0.1 * k, [1])  # nothing was stepped: no second point
    plot.show()
    assert np.allclose(gui.made[0].data[0], np.arange(5) / 10) and np.allclose(gui.made[0].data[3], np.arange(5))
    assert [series["label"] for series in gui.made[0].series] == ["s", "a", "b", "c"]
    plot.take(0.5, [0])
    assert plot.data.shape == (4, 1)
    plot.take(0.6, [0])
    plot.take(0.1, [0])  # it was reset
    assert plot.data.shape == (4, 1)
    values[0] = np.inf
    plot.take(0.2, [0])
    assert np.isnan(plot.data[1:, 1]).all()
