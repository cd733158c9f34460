"""Recordings in the viewer: what is shown when, the bar, loops, pages that need no program."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phalanx as px
from phalanx import components as c

pytest.importorskip("viser", reason="viser is not installed (pip install 'phalanx[viewer]')")

from viewer_client import Client, until

from phalanx.io.recordings.playback import Playback
from phalanx.viewer.energies import energy
from phalanx.viewer.plot_panel import bridged
from phalanx.viewer.recorded import RecordedPoses, RecordingViewer, export_html
from phalanx.viewer.recorded_plots import POINTS, RecordedSignal, curves, marked

ENERGIES = []
"""Of each sample of the recording (3 environments, 3), J, while it was made."""


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    path = tmp_path_factory.mktemp("recorded") / "run.zarr"
    world = px.World(num_envs=3)
    world.add_ground()
    robot = world.add_robot("double_pendulum")
    world.add_rigid_object(px.Shape("sphere", (0.1,)), "ball", position=(1.0, 0.0, 2.0))
    ball = world.objects["ball"]
    ball.set_mass([1.0, 2.0, 3.0])
    ENERGIES.clear()
    with px.Recorder(world, path, every=2, contacts=True):
        ENERGIES.append(energy(world))
        for sample in range(100):
            if sample == 50:
                robot.set_joint_state(robot.default_joint_pos + np.array([[0.5], [1.0], [1.5]]))  # a jump
            if sample == 80:
                world[c.Settings].gravity = np.array([[[0.0], [0.0], [-5.0]]])
            world.step(2)
            ENERGIES.append(energy(world))
    return px.open_recording(path)


@pytest.fixture(scope="module")
def shared(recording):
    with RecordingViewer(recording, port=0, playing=False) as viewer:
        yield viewer


@pytest.fixture
def viewer(shared):
    shared.pace.pause()
    shared.between, shared.loop = (shared.start, shared.end), True
    shared.selection.mode, shared.selection.env = "One", 0
    shared.seek(0.0)
    return shared


@settings(max_examples=25)
@given(st.floats(-0.1, 1.2), st.lists(st.integers(0, 2), min_size=1, max_size=3, unique=True))
def test_poses_are_those_of_playbacks(recording, when, envs):
    poses = test_poses_are_those_of_playbacks.__dict__.setdefault("poses", RecordedPoses(recording))
    playbacks = test_poses_are_those_of_playbacks.__dict__.setdefault("playbacks", {})
    playback = playbacks.setdefault(tuple(envs), None) or Playback(recording, envs)
    playbacks[tuple(envs)] = playback
    expected = playback.poses_at(np.array([when]))[0]
    found = poses.at(when, np.array(envs))
    assert np.allclose(found.poses, expected, atol=1e-6)
    assert found.envs.tolist() == envs


def test_a_state_that_was_set_is_not_blended(recording):
    poses = RecordedPoses(recording)
    jump, _ = sorted(poses._jumps - {0})  # and then gravity was changed
    between = 0.5 * (poses.time[jump - 1] + poses.time[jump]) + 1e-4
    sample = poses.at(float(poses.time[jump]), np.array([1])).poses
    assert np.allclose(poses.at(between, np.array([1])).poses, sample, atol=1e-6)


@given(st.floats(0.0, 1.0), st.floats(0.0, 5.0))
def test_loops_stay_within_the_part(viewer_of_times, now, seconds):
    viewer = viewer_of_times
    viewer.between, viewer.loop = (0.25, 0.75), True
    later = viewer.after(now, seconds)
    assert 0.25 <= later <= 0.75
    viewer.loop = False
    assert viewer.after(now, seconds) <= max(0.75, now)


@pytest.fixture(scope="module")
def viewer_of_times():
    made = object.__new__(RecordingViewer)
    made.between, made.loop = (0.0, 1.0), True
    return made


def test_it_plays_at_its_speed(viewer):
    with Client(viewer.server.get_port()) as client:
        until(lambda: viewer.frames > 1)
        client.put(viewer.pace_widgets.speed, "1/4")
        until(lambda: viewer.pace.speed == 0.25)
        start, at = time.perf_counter(), viewer.now
        client.press(viewer.pace_widgets.play)
        until(lambda: viewer.now > at + 0.1)
        passed = time.perf_counter() - start
        assert viewer.now - at <= 0.25 * passed + 0.05
        client.press(viewer.pace_widgets.play)
        until(lambda: not viewer.pace.playing)


def test_the_bar_seeks_and_steps_are_samples(viewer):
    with Client(viewer.server.get_port()) as client:
        client.put(viewer.bar, 0.5)
        until(lambda: viewer.now == pytest.approx(0.5))
        expected = viewer.poses.at(0.5, np.array([0])).poses
        until(lambda: viewer.scene._last is not None and np.array_equal(viewer.scene._last[0], expected))
        client.press(viewer.pace_widgets.step)
        until(lambda: viewer.now == pytest.approx(0.51))
        client.press(viewer.back)
        client.press(viewer.back)
        until(lambda: viewer.now == pytest.approx(0.49))
        client.put(viewer.envs.env, 2)
        until(
            lambda: (
                viewer.scene._last is not None
                and np.array_equal(viewer.scene._last[0], viewer.poses.at(viewer.now, np.array([2])).poses)
            )
        )


def test_details_joints_and_cameras_of_recordings(recording, viewer):
    """Details stand where bodies were, sliders show recorded positions, and a camera sees the ball at its height."""
    viewer.add_camera("Above", eye=(1, 0, 5), target=(1, 0, 0), height=25, width=33)
    viewer.add_points("Mine", lambda: np.tile([0.0, 0.0, viewer.now], (3, 1, 1)))
    names, depths = viewer.body_names, []
    feed = viewer.camera_panel._feeds["Above"]
    picture = feed.picture

    def seen(kind, env):
        shown = picture(kind, env)
        depths.append((env, viewer.sample, float(feed._feed._camera.output["distance_to_image_plane"][0, 12, 16])))
        return shown

    feed.picture = seen
    with Client(viewer.server.get_port()) as client:
        for box in ("Centres of mass", "Joint axes"):
            client.put(viewer.view_panel.drawings[box], True)
        for env, when in ((0, 0.2), (2, 0.8)):
            client.put(viewer.envs.env, env)
            client.put(viewer.bar, when)
            until(lambda when=when: viewer.now == pytest.approx(when))
            sample = viewer.sample
            until(lambda now=(env, sample): any(each[:2] == now for each in depths))
            height = float(recording.objects["ball"]["root_pose"][env, sample, 2])
            assert depths[-1][2] == pytest.approx(5.0 - height - 0.1, abs=2e-3)
            joints = recording.robots["robot"]["joint_pos"][env, sample]
            sliders = viewer.joint_panel.sliders
            until(lambda joints=joints, sliders=sliders: np.allclose([s.value for s in sliders], joints, atol=0.02))
            ball = viewer.scene.body_poses[0, names.index("ball/ball")]
            nodes = viewer.drawings._nodes
            until(lambda nodes=nodes: nodes.get("Centres of mass") and nodes.get("Joint axes") and nodes.get("Mine"))
            points = nodes["Centres of mass"][0]._handle
            until(lambda points=points, ball=ball: np.isclose(points.points, ball[:3], atol=1e-5).all(axis=1).any())
            assert not viewer.joint_panel.mode.visible
        assert {env for env, *_ in depths} == {0, 2}
        client.press(viewer.camera_panel.new)
        until(lambda: "Camera 2" in viewer.camera_panel._frustums)
        client.put(viewer.camera_panel.camera, "None")
        until(lambda: viewer.camera_panel._image is None)


def test_plots_of_recorded_signals(recording, viewer):
    """Curves are what was recorded, of the part that is played, with a line at what is shown; energy is that of the
    world with its masses and gravity at the time.
    """
    panel, robot, energies = viewer.plot_panel, recording.robots["robot"], np.stack(ENERGIES)

    def drawn(expected, first=0.0):
        data = panel.data
        return (
            panel.handle is not None
            and data is not None
            and data.shape == (1 + len(expected), expected.shape[1])
            and np.allclose(data[1:], expected, rtol=1e-4, atol=1e-3)
            and data[0, 0] == pytest.approx(first)
        )

    def line_at():
        if panel.handle is None:
            return None
        times, *_, line = panel.handle.data
        return times[int(np.argmax(line))]

    with Client(viewer.server.get_port()) as client:
        client.put(panel.signal, "robot/joint_pos (rad)")
        until(lambda: drawn(np.asarray(robot["joint_pos"][0].T)))
        client.put(viewer.bar, 0.5)
        until(lambda: line_at() == pytest.approx(0.5))
        viewer.selection.mode, viewer.selection.some = "Some", (2, 0)
        client.put(panel.curve, robot.joint_names[1])
        until(lambda: drawn(np.asarray(robot["joint_pos"][[2, 0], :, 1])))
        client.put(viewer.part, (0.25, 0.5))
        until(lambda: drawn(np.asarray(robot["joint_pos"][[2, 0], 25:51, 1]), first=0.25))
        viewer.between = (viewer.start, viewer.end)
        client.put(panel.signal, "energy (J)")
        for env in (2, 1):
            viewer.selection.some = (env,)
            until(lambda env=env: drawn(energies[:, env].T))
        client.put(panel.signal, "contacts")
        until(lambda: drawn(np.asarray(recording.contacts["contact_count"][[1]])))
        client.put(panel.signal, "Nothing")
        until(lambda: panel.handle is None)


def test_recorded_contacts_are_drawn(recording, viewer):
    """Arrows stand on the ball's lowest point and carry its weight, as the recording has them."""
    view, kept = viewer.view_panel, recording.contacts
    last = int(np.flatnonzero(kept["contact_count"][0])[-1])
    used = int(kept["contact_count"][0, last])
    points, forces = (kept[key][0, last, :used] for key in ("contact_point", "contact_force"))
    assert np.allclose(points[:, :2], recording.objects["ball"]["root_pose"][0, last, :2], atol=1e-3)

    def ends(name):
        arrows = viewer.scene._arrows.get(name)
        return None if arrows is None else np.asarray(arrows.points)

    def stand():
        dots, arrows = ends("points"), ends("forces")
        return (
            (ends("normals") is not None and dots is not None and arrows is not None)
            and dots.shape == arrows.shape == (used, 2, 3)
            and np.allclose(dots[:, 0], points, atol=1e-6)
            and np.allclose(arrows[:, 1], points + 0.01 * forces, atol=1e-4)
        )

    with Client(viewer.server.get_port()) as client:
        for box in (view.points, view.normals, view.forces):
            assert box.visible
            client.put(box, True)
        client.put(view.force_scale, 10.0)
        viewer.seek(float(viewer.poses.time[last]))
        until(stand)
        viewer.seek(0.1)  # it falls
        until(lambda: not viewer.scene._arrows)
        for box in (view.points, view.normals, view.forces):
            client.put(box, False)
        until(lambda: not viewer.scene.shown)


def test_widgets_say_what_a_program_chose(viewer):
    viewer.selection.mode, viewer.selection.some = "Some", (2, 0)
    with Client(viewer.server.get_port()):
        until(
            lambda: viewer.envs.mode.value == "Some" and viewer.envs.some.value == "2, 0" and viewer.envs.some.visible
        )


def test_long_signals_keep_their_extremes():
    time_, values = np.arange(100_000) * 0.01, np.zeros((100_000, 1))
    values[12_345], values[77_777] = 5.0, -3.0
    reads = []

    def read(env, numbers):
        reads.append(len(numbers))
        return values[numbers.start : numbers.stop : numbers.step]

    data = curves(RecordedSignal(("a",), read), time_, (0.0, 1e9), [0])
    assert data.shape == (2, POINTS) and data[1].max() == 5.0 and data[1].min() == -3.0
    assert abs(data[0, data[1].argmax()] - 123.45) < 4.0 and (np.diff(data[0]) >= 0.0).all()
    assert sum(reads) == 100_000 and max(reads) < 20_000
    data[1, 100:200] = np.nan
    line = marked(data, 123.0)
    assert line.shape == (3, POINTS + 3) and np.isfinite(line).all() and (np.diff(line[0]) >= 0.0).all()
    high = np.flatnonzero(line[2] > -3.0)
    assert line[0][high].tolist() == [123.0] and line[2][high].tolist() == [5.0]
    assert np.array_equal(bridged(np.arange(4.0), np.array([[1.0, np.nan, 3.0, np.inf]])), [[1.0, 2.0, 3.0, 3.0]])


def test_it_ends_or_begins_again(viewer):
    with Client(viewer.server.get_port()) as client:
        client.put(viewer.again, False)
        until(lambda: not viewer.loop)
        viewer.seek(viewer.end - 0.05)
        viewer.pace.play()
        until(lambda: viewer.now == viewer.end)
        time.sleep(0.2)
        assert viewer.now == viewer.end
        client.put(viewer.again, True)
        until(lambda: viewer.now < viewer.end)


def test_pages_hold_everything(recording, tmp_path):
    frames = []
    count = export_html(recording, tmp_path / "run.html", [0, 2], fps=20.0, progress=frames.append)
    assert count == len(frames) == 21
    page = (tmp_path / "run.html").read_text()
    assert "__VISER_EMBED_DATA__" in page and page.rstrip().endswith("</html>")
    assert 'src="http' not in page and 'href="http' not in page
    export_html(recording, tmp_path / "run.viser", [1], fps=5.0)
    assert (tmp_path / "run.viser").stat().st_size > 1000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.html", "run.viser"]


def played(path):
    """What a page does with nodes below the contacts: (time, path, its points or None) in turn, and what is hidden."""
    import msgspec
    import zstandard

    data = zstandard.ZstdDecompressor().decompress(path.read_bytes()[8:])
    length = int.from_bytes(data[:8], "little")
    head, at, buffers = msgspec.msgpack.decode(data[8 : 8 + length]), 8 + length, []
    for size in head["binaryBufferLengths"]:
        at += -at % 8
        buffers.append(data[at : at + size])
        at += size
    changes, hidden = [], set()
    for when, message in head["messages"]:
        name = message.get("name", "")
        if not name.startswith("/world/contacts/"):
            continue
        points = {**message.get("props", {}), **message.get("updates", {})}.get("points")
        if points is not None:
            values = np.frombuffer(buffers[points["__binary_index"]], points["dtype"])
            changes.append((when, name, values.reshape(-1, *((3,) if "points" in name else (2, 3)))))
        elif message["type"] == "RemoveSceneNodeMessage":
            changes.append((when, name, None))
        elif message["type"] == "SetSceneNodeVisibilityMessage":
            (hidden.discard if message["visible"] else hidden.add)(name)
    return changes, hidden


def test_pages_hold_contacts(recording, tmp_path):
    """Frame by frame points, normals and forces are those of the nearest sample; normals are hidden at first."""
    fps = 50.0  # two samples a frame
    frames = export_html(recording, tmp_path / "run.viser", [0], fps=fps)
    changes, hidden = played(tmp_path / "run.viser")
    assert hidden == {"/world/contacts/normals"}
    kept, now, seen = recording.contacts, {}, 0
    for frame in range(frames):
        for when, name, points in changes:
            if (frame - 0.5) / fps < when <= (frame + 0.5) / fps or (frame == 0 and when == 0.0):
                now[name] = points
        sample = int(np.abs(recording.time[:] - recording.time[0] - frame / fps).argmin())
        used = int(kept["contact_count"][0, sample])
        points, normals, forces = (kept[f"contact_{key}"][0, sample, :used] for key in ("point", "normal", "force"))
        pushing = (forces != 0.0).any(axis=1)
        none = np.zeros((0, 2, 3))
        shown = {}
        for kind, count in (("points", used), ("normals", used), ("forces", int(pushing.sum()))):
            found = now.get(f"/world/contacts/{kind}/now")
            shown[kind] = none if found is None else found
            assert len(shown[kind]) == count, (frame, kind)
        if used:
            np.testing.assert_allclose(shown["points"], points, atol=1e-5)
            ways = shown["normals"][:, 1] - shown["normals"][:, 0]
            np.testing.assert_allclose(ways / np.linalg.norm(ways, axis=1)[:, None], normals, atol=1e-4)
        if pushing.any():
            arrows = shown["forces"][:, 1] - shown["forces"][:, 0]
            scale = np.linalg.norm(arrows) / np.linalg.norm(forces[pushing])
            np.testing.assert_allclose(arrows, scale * forces[pushing], atol=1e-4)
            seen += 1
    assert seen > 5


@pytest.mark.parametrize(
    ("name", "envs", "message"), [("a.txt", [0], "must end in"), ("a.html", [3], "in 0..2"), ("a.html", [], "no env")]
)
def test_pages_that_cannot_be(recording, tmp_path, name, envs, message):
    with pytest.raises((ValueError, IndexError), match=message):
        export_html(recording, tmp_path / name, envs)
    assert list(tmp_path.iterdir()) == []
