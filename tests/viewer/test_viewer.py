"""The viewer's behaviour with clients that are no browsers: who is served, what buttons do, what it leaves alone."""

import http.client
import math
import socket
import threading
import time

import numpy as np
import pytest

import phalanx as px

pytest.importorskip("viser", reason="viser is not installed (pip install 'phalanx[viewer]')")

from viewer_client import Client, until

from phalanx.maths.arrays import unit
from phalanx.viewer.gate import ViewerError
from phalanx.viewer.hover import MARK


def quadrupeds(device, num_envs=4):
    world = px.World(num_envs=num_envs, device=device)
    world.add_ground()
    robot = world.add_robot("quadruped", name="quadruped")
    robot.set_drive(stiffness=40.0, damping=1.0)
    return world.build()


class Loop:
    """Steps a world in a thread of its own, as a user's loop does."""

    def __init__(self, world, count=1):
        self.world, self.count, self.made = world, count, 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        while not self._stop.is_set():
            self.world.step(self.count)
            self.made += self.count

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join(timeout=30)
        assert not self._thread.is_alive()


def rest(world):
    """Wait until no step is made for 0.3 s, however long the last one takes; returns how many were made."""
    held = -1
    end = time.monotonic() + 60.0
    while world.step_count != held:
        assert time.monotonic() < end, "it goes on"
        held = world.step_count
        time.sleep(0.3)
    return held


@pytest.fixture(scope="module")
def world(device):
    return quadrupeds(device)


@pytest.fixture
def viewer(world):
    world.reset()
    with px.Viewer(world, port=0) as made:
        yield made
    assert world.engine.after == []


def test_nothing_is_done_while_nobody_looks(viewer, world):
    with Loop(world) as loop:
        until(lambda: loop.made > 50)
        assert viewer.frames == 0 and world.engine.after == [] and not viewer.watched
        with Client(viewer.server.get_port()) as client:
            until(lambda: viewer.frames > 3)
            assert viewer.watched and len(world.engine.after) == 1
            assert client.received > 1000
        until(lambda: not viewer.watched)
        until(lambda: world.engine.after == [])
        frames = viewer.frames
        made = loop.made
        until(lambda: loop.made > made + 50)
        assert viewer.frames <= frames + 1


def test_who_looks_changes_no_bit(device):
    plain, seen = quadrupeds(device), quadrupeds(device)
    with px.Viewer(seen, port=0) as viewer, Client(viewer.server.get_port()):
        until(lambda: viewer.watched)
        viewer.scene.shown = {"points", "forces", "frames"}
        frames = viewer.frames
        while viewer.frames < frames + 5:
            seen.step(7)
            plain.step(7)
    for key, value in plain.state().items():
        assert np.array_equal(value, seen.state()[key], equal_nan=True), key


def test_pause_step_and_play(viewer, world):
    with Loop(world, count=3), Client(viewer.server.get_port()) as client:
        until(lambda: viewer.frames > 2)
        client.press(viewer.run_panel.pace.play)
        until(lambda: not viewer.pace.playing and viewer.run_panel.pace.play.label == "Play")
        held = rest(world)
        for k in range(1, 4):
            client.press(viewer.run_panel.pace.step)
            until(lambda k=k: world.step_count == held + k)
        time.sleep(0.1)
        assert world.step_count == held + 3
        client.press(viewer.run_panel.pace.play)
        until(lambda: world.step_count > held + 50)


def test_who_leaves_a_paused_world_lets_it_go_on(viewer, world):
    with Loop(world):
        client = Client(viewer.server.get_port())
        until(lambda: viewer.frames > 2)
        viewer.pace.pause()
        time.sleep(0.2)
        held = world.step_count
        client.die()
        until(lambda: world.step_count > held + 20)


def test_speed_holds_the_loop_back(viewer, world):
    with Loop(world), Client(viewer.server.get_port()) as client:
        until(lambda: viewer.frames > 2)
        client.put(viewer.run_panel.pace.speed, "1/2")
        until(lambda: viewer.pace.speed == 0.5)
        time.sleep(0.3)
        start, steps = time.perf_counter(), world.step_count
        until(lambda: (world.step_count - steps) * world.dt > 0.4)
        assert (world.step_count - steps) * world.dt <= 0.5 * (time.perf_counter() - start) + 0.15
        client.put(viewer.run_panel.pace.change, "Faster")
        until(lambda: viewer.pace.speed == 1.0)
        until(lambda: viewer.run_panel.pace.speed.value == "1")


def test_reset_of_the_environments_that_are_seen(viewer, world):
    robot = world.robots["quadruped"]
    with Client(viewer.server.get_port()) as client:
        moved = robot.default_root_pose + np.array([0, 0, 5.0, 0, 0, 0, 0])
        robot.set_root_state(pose=moved)
        client.put(viewer.run_panel.envs.env, 2)
        until(lambda: viewer.selection.env == 2)
        client.put(viewer.run_panel.which, "Shown")
        client.press(viewer.run_panel.reset)
        until(lambda: robot.root_pose[2, 2] < 4.0)
        assert [bool(z > 4.0) for z in robot.root_pose[:, 2]] == [True, True, False, True]


def test_sliders_set_targets_and_positions(viewer, world):
    robot, panel = world.robots["quadruped"], viewer.joint_panel
    with Client(viewer.server.get_port()) as client:
        client.put(viewer.run_panel.envs.env, 1)
        client.put(panel.mode, "Set targets")
        until(lambda: panel.sliders and not panel.sliders[0].disabled)
        client.put(panel.sliders[4], 1.25)
        until(lambda: math.isclose(robot.joint_pos_target[1, 4], 1.25, abs_tol=1e-6))
        assert not np.isclose(robot.joint_pos_target[[0, 2, 3], 4], 1.25).any()
        client.put(panel.mode, "Set positions")
        until(lambda: viewer.selection.env == 1)
        sliders = panel.sliders
        until(lambda: panel.sliders is not sliders or panel.sliders[4].value != 1.25)
        client.put(panel.sliders[5], 0.5)
        until(lambda: math.isclose(robot.joint_pos[1, 5], 0.5, abs_tol=1e-6))
        client.put(panel.mode, "Show positions")
        until(lambda: panel.sliders[0].disabled and abs(panel.sliders[5].value - 0.5) < 0.02)


def test_recordings_of_what_is_steered_replay_to_the_bit(device, tmp_path):
    world = quadrupeds(device)
    robot = world.robots["quadruped"]
    from phalanx.io.recordings.replay import verify

    path = tmp_path / "run.zarr"
    with px.Viewer(world, port=0) as viewer, px.Recorder(world, path), Client(viewer.server.get_port()):
        until(lambda: viewer.watched)
        for k in range(6):
            viewer.do(lambda _, k=k: robot.set_targets(pos=robot.default_joint_pos + 0.05 * k, env_ids=[k % 4]))
            viewer.do(lambda world, k=k: world.reset([k % 4]) if k == 4 else None)
            frames = viewer.frames
            while viewer.frames < frames + 2:  # commands come within these steps, not only between calls
                world.step(20)
    result = verify(px.open_recording(path))
    assert result, str(result)


def test_shown_environments(viewer, world):
    with Client(viewer.server.get_port()) as client:
        client.put(viewer.run_panel.envs.mode, "Grid")
        client.put(viewer.run_panel.envs.count, 4)
        until(lambda: viewer.selection.envs().tolist() == [0, 1, 2, 3])
        instances = viewer.scene._handles
        until(lambda: viewer.scene._count == 4 and len(viewer.scene._handles) == len(viewer.scene._batches))
        assert viewer.scene._handles is not instances
        for batch, handle in zip(viewer.scene._batches, viewer.scene._handles, strict=True):
            assert handle.batched_positions.shape == (4 * len(batch.bodies), 3)
        client.put(viewer.run_panel.envs.mode, "Some")
        client.put(viewer.run_panel.envs.some, "3, 1")
        until(lambda: viewer.selection.envs().tolist() == [3, 1])
        client.put(viewer.run_panel.envs.some, "3, 99")  # is told, and changes nothing
        time.sleep(0.2)
        assert viewer.selection.envs().tolist() == [3, 1]
        envs = viewer.run_panel.envs
        assert envs.some.value == "3, 99", "what is being typed stays"
        viewer.selection.some, viewer.selection.spacing = (2, 0), 3.5  # by a program
        until(lambda: envs.some.value == "2, 0" and envs.spacing.value == 3.5)
        viewer.selection.mode, viewer.selection.env = "One", 1
        until(lambda: (envs.mode.value, envs.env.value, envs.some.visible) == ("One", 1, False))


def test_own_widgets_are_called_between_steps(viewer, world):
    seen = []
    slider = viewer.add_slider(
        "Wind", 0.0, 10.0, 1.0, lambda value: seen.append((value, world.lock, threading.get_ident()))
    )
    button = viewer.add_button("Kick", lambda: seen.append("kick"))
    with Loop(world) as loop, Client(viewer.server.get_port()) as client:
        until(lambda: viewer.frames > 2)
        client.put(slider, 7.5)
        until(lambda: len(seen) == 1)
        assert seen[0][0] == 7.5 and seen[0][2] == loop._thread.ident
        client.press(button)
        until(lambda: seen[-1] == "kick")
    with pytest.raises(ValueError, match="low=3"):
        viewer.add_slider("x", 3.0, 2.0)


def test_commands_that_fail_are_told_and_nothing_stops(viewer, world):
    told = pytest.warns(UserWarning, match="IndexError: env_ids must lie")
    with told, Loop(world), Client(viewer.server.get_port()):
        until(lambda: viewer.frames > 2)
        viewer.do(lambda world: world.reset([99]))
        frames = viewer.frames
        until(lambda: viewer.frames > frames + 3)


def test_ten_clients_and_one_that_dies(viewer, world):
    with Loop(world):
        clients = [Client(viewer.server.get_port()) for _ in range(10)]
        until(lambda: len(viewer.server.get_clients()) == 10)
        clients[0].die()
        before = [client.received for client in clients]
        until(lambda: all(client.received > b for client, b in zip(clients[1:], before[1:], strict=True)))
        for client in clients[1:]:
            client.close()
        until(lambda: not viewer.watched)


def test_run_steps_by_itself(world):
    world.reset()
    with px.Viewer(world, port=0, playing=False) as viewer:
        start = world.step_count
        timer = threading.Timer(0.3, lambda: viewer.pace.step(5))
        timer.start()
        assert viewer.run(steps=5) == 5 and world.step_count == start + 5
        viewer.pace.play()
        called = []
        assert viewer.run(steps=20, control=lambda world: called.append(world.step_count)) == 20
        assert called == list(range(start + 5, start + 25))


def test_port_taken(world):
    with px.Viewer(world, port=0) as first:
        port = first.server.get_port()
        with pytest.raises(ViewerError, match=f"port {port} .* taken"):
            px.Viewer(world, port=port)


def test_a_closed_viewer_frees_its_port(world):
    viewer = px.Viewer(world, port=0)
    port = viewer.server.get_port()
    viewer.close()
    viewer.close()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=2).close()


def test_localhost_only_and_a_token_elsewhere(world):
    with pytest.raises(ViewerError, match="token"):
        px.Viewer(world, port=0, token="secret")
    with px.Viewer(world, "0.0.0.0", 0) as viewer:
        port, token = viewer._server.port, viewer._server.token
        assert token and token in viewer.url
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/")
        assert connection.getresponse().status == 403
        with pytest.raises(Exception, match="403"):
            Client(port)
        with Client(port, cookie=f"phalanx_viewer_{port}={token}"):
            until(lambda: viewer.watched)
            until(lambda: viewer.frames > 1)


def on_the_window(camera, points):
    """(n, 2): where points are seen, from -1 at the left and at the lower edge to 1."""
    ahead = unit(camera.look_at - camera.position)
    right = unit(np.cross(ahead, (0.0, 0.0, 1.0)))
    away = points - camera.position
    seen = np.stack([away @ right, away @ np.cross(right, ahead)], axis=1) / (away @ ahead)[:, None]
    return seen / math.tan(0.5 * camera.fov) / (camera.aspect, 1.0)


@pytest.mark.parametrize(
    "window, width, height, lowest",
    [(1600, 1280, 720, -1.0), (720, 400, 480, -1.0), (720, 400, 1100, -1.0), (390, 390, 844, 0.2)],
)
def test_what_is_looked_at_is_not_below_the_panel_of_a_phone(viewer, window, width, height, lowest):
    """Viser's panel covers the lower 60 % there: all of the robot is above it, and each view keeps it there.

    In other windows, narrow ones, too, the panel is beside the scene, and the robot in the middle of that.
    """
    start, fov = viewer.server.initial_camera.position, math.radians(75)
    with Client(viewer.server.get_port(), looks=False) as client:
        client.look(start, (width, height), fov)
        until(lambda: viewer.watched)
        (one,) = viewer.server.get_clients().values()
        camera = one.camera
        until(lambda: one.client_id in viewer._fitted)
        placed = camera.position
        fields = one.gui._gui_input_handle_from_uuid.values()
        client.put(next(each for each in fields if each.value.startswith(MARK)), f"{MARK} {window}")
        until(lambda: viewer.hover.widths.get(one.client_id) == window)
        if window == width:  # the panel is below, which was not known before
            until(lambda: not np.allclose(viewer._fitted[one.client_id], placed))  # written last
        ways = np.concatenate([np.eye(3), -np.eye(3)])
        for view in viewer.views():
            if view != "Corner":  # where it begins
                viewer.view_panel.look(view, next(iter(viewer.server.get_clients().values())))
            seen = on_the_window(camera, viewer.center + 0.8 * viewer.radius * ways)
            assert np.abs(seen).max() < 1.0 and seen[:, 1].min() > lowest, view
            assert camera.position[2] > 0.0, "it is above the ground"


def test_a_camera_that_was_moved_stays_where_it_is(viewer):
    with Client(viewer.server.get_port(), looks=False) as client:
        client.look((3.0, 1.0, 1.0), (390, 844))
        until(lambda: viewer.watched)
        camera = next(iter(viewer.server.get_clients().values())).camera
        assert np.allclose(camera.position, (3.0, 1.0, 1.0))


def test_follow_moves_the_scene_and_not_the_camera(viewer, world):
    with pytest.raises(ValueError, match="no body 'nobody'"):
        viewer.follow("nobody")
    with Client(viewer.server.get_port()):
        until(lambda: viewer.frames > 1)
        viewer.follow("quadruped/base")
        robot = world.robots["quadruped"]
        robot.set_root_state(pose=robot.default_root_pose + np.array([3.0, -2.0, 0, 0, 0, 0, 0]))
        until(lambda: np.allclose(viewer.scene._root.position[:2], viewer.center[:2] - (3.0, -2.0), atol=1e-3))
        viewer.follow(None)
        until(lambda: np.allclose(viewer.scene._root.position, 0.0))


@pytest.mark.parametrize("fps", [0.0, -1.0, 1000.0])
def test_frame_rates_that_cannot_be(world, fps):
    with pytest.raises(ValueError, match="fps"):
        px.Viewer(world, port=0, fps=fps)
