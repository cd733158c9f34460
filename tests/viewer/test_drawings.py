"""What is drawn beside bodies, and pictures of cameras, as browsers get them."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px

pytest.importorskip("viser", reason="viser is not installed (pip install 'phalanx[viewer]')")

from oracles import host
from viewer_client import Client, until

from phalanx.images.pictures.false_colors import depth_image
from phalanx.images.world_camera import WorldCamera
from phalanx.viewer.display import _weight
from phalanx.viewer.drawings import Lines, Points


@pytest.fixture(scope="module")
def world(device: str) -> px.World:
    """A box that floats 1 m up in each of three environments."""
    made = px.World(num_envs=3, device=device)
    made.add_ground()
    made.add_rigid_object(px.Shape("box", (0.2, 0.2, 0.2)), "box", mass=1.0, position=(0, 0, 1))
    made.build()
    box = made.objects["box"]
    box.set_gravity(False)
    return made


@pytest.fixture
def viewer(world: px.World):
    world.reset()
    with px.Viewer(world, port=0) as made:
        yield made


def nodes(viewer: px.Viewer, name: str) -> list:
    found = [each._handle for each in viewer.drawings._nodes.get(name, [])]
    return [] if None in found else found  # None: about to be made by another thread


def test_points_and_lines_of_the_environments_that_are_seen(viewer: px.Viewer, world: px.World) -> None:
    places = np.arange(3 * 4 * 3, dtype=float).reshape(3, 4, 3)
    places[1, 2] = np.nan
    viewer.add_points("Hits", lambda: places, size=0.03)
    viewer.add_lines("Rays", lambda: np.stack([places, places + 1.0], axis=2), (1, 2, 3))
    with Client(viewer.server.get_port()) as client:
        until(lambda: nodes(viewer, "Hits") and nodes(viewer, "Rays"))
        np.testing.assert_allclose(nodes(viewer, "Hits")[0].points, places[0])
        client.put(viewer.run_panel.envs.mode, "Grid")
        until(lambda: [len(node.points) for node in nodes(viewer, "Hits")] == [11])  # one is not finite
        wanted = (places + viewer.selection.offsets()[:, None]).reshape(-1, 3)
        wanted = wanted[np.isfinite(wanted).all(axis=1)]
        np.testing.assert_allclose(nodes(viewer, "Hits")[0].points, wanted, atol=1e-5)
        until(lambda: [len(node.points) for node in nodes(viewer, "Rays")] == [11])
        assert nodes(viewer, "Rays")[0].points.shape == (11, 2, 3)
        box = viewer.view_panel.drawings["Hits"]
        client.put(box, False)
        until(lambda: not nodes(viewer, "Hits"))
        assert nodes(viewer, "Rays")


def test_drawings_change_their_number_and_kind(viewer: px.Viewer) -> None:
    drawn: list = [Points(np.zeros((2, 3)), np.array([1, 2, 3]))]
    viewer.add_drawing("Any", lambda envs, offsets: list(drawn))
    with Client(viewer.server.get_port()):
        until(lambda: len(nodes(viewer, "Any")) == 1)
        drawn.append(Lines(np.ones((3, 2, 3)), np.array([9, 9, 9])))
        until(lambda: len(nodes(viewer, "Any")) == 2 and len(nodes(viewer, "Any")[1].points) == 3)
        drawn[0] = Lines(np.zeros((1, 2, 3)), np.array([9, 9, 9]))
        until(lambda: nodes(viewer, "Any")[0].points.shape == (1, 2, 3))
        drawn.clear()
        until(lambda: not nodes(viewer, "Any"))


def test_what_cannot_be_drawn_is_told(viewer: px.Viewer) -> None:
    viewer.add_points("Wrong", lambda: np.zeros((3, 3)))
    message = r"has the shape \(3, 3\); \(num_envs, n, \(3,\)\) is needed"
    with pytest.warns(UserWarning, match=message), Client(viewer.server.get_port()):
        frames = viewer.frames
        until(lambda: viewer.frames > frames + 2)


def test_a_camera_of_the_viewer(viewer: px.Viewer, world: px.World) -> None:
    """Its picture is that of a camera that the program has; depth of the box's top is exact, and follows the slider."""
    other = WorldCamera(world, 48, 64, ("rgb", "depth"), eye=(0, 0, 3), target=(0, 0, 0))
    box = world.objects["box"]
    box.set_root_state(pose=[0, 0, 1.5, 1, 0, 0, 0], env_ids=[2])
    viewer.add_camera("Above", eye=(0, 0, 3), target=(0, 0, 0), height=48, width=64)
    with Client(viewer.server.get_port()) as client:
        panel = viewer.camera_panel
        until(lambda: panel._image is not None)
        assert panel.camera.value == "Above" and panel.kind.options == ("rgb", "depth", "normals", "segmentation")
        for env, height in ((0, 1.2), (2, 1.7)):
            client.put(viewer.run_panel.envs.env, env)
            wanted = host(other.capture()["depth"])[env]
            assert wanted[24, 32] == pytest.approx(3.0 - height, abs=1e-4)
            client.put(panel.kind, "rgb")
            rgb = host(other.output["rgb"])[env]
            until(lambda rgb=rgb: np.array_equal(panel._image.image, rgb))
            client.put(panel.kind, "depth")
            until(lambda wanted=wanted: np.array_equal(panel._image.image, depth_image(wanted)))
        client.put(panel.kind, "segmentation")
        until(lambda: len(np.unique(panel._image.image.reshape(-1, 3), axis=0)) == 2)  # the box and the ground
        handle, pose = panel._frustums["Above"]
        np.testing.assert_allclose(handle.position, (0, 0, 3), atol=1e-6)
        assert pose.fov == pytest.approx(np.deg2rad(60.0)) and pose.aspect == pytest.approx(64 / 48)
        client.put(panel.frustums, False)
        until(lambda: not panel._frustums)
        client.put(panel.camera, "None")
        until(lambda: panel._image is None)


def test_a_camera_of_the_program_shows_what_it_saw_last(viewer: px.Viewer, world: px.World) -> None:
    """The viewer does not draw with it: its pictures stay what the program has taken."""
    camera = WorldCamera(world, 24, 32, ("depth",), body="box/box", eye=(0, 0, 1), target=(0, 0, 0))
    camera.capture()
    before = host(camera.output["depth"]).copy()
    viewer.add_camera("Own", camera)
    with Client(viewer.server.get_port()) as client:
        until(lambda: viewer.camera_panel._image is not None)
        world.objects["box"].set_root_state(pose=[0, 0, 4, 1, 0, 0, 0])
        world.step()
        client.put(viewer.run_panel.envs.env, 1)
        until(lambda: np.array_equal(viewer.camera_panel._image.image, depth_image(before[1])))
        np.testing.assert_array_equal(host(camera.output["depth"]), before)
        until(lambda: "Own" in viewer.camera_panel._frustums)


def test_a_camera_made_in_the_browser(viewer: px.Viewer, world: px.World) -> None:
    """It is where the browser's is, and stays so on the body that carries it."""
    with Client(viewer.server.get_port()) as client:
        client.put(viewer.camera_panel.carrier, "box/box")
        until(lambda: viewer.camera_panel.carrier.value == "box/box")
        client.press(viewer.camera_panel.new)
        until(lambda: "Camera 1" in viewer.camera_panel._frustums)
        np.testing.assert_allclose(viewer.camera_panel._frustums["Camera 1"][0].position, (3, 0, 1), atol=1e-5)
        world.objects["box"].set_root_state(pose=[0, 0, 2, 1, 0, 0, 0])
        until(lambda: np.allclose(viewer.camera_panel._frustums["Camera 1"][0].position, (3, 0, 2), atol=1e-5))


def test_arrows_of_forces_are_as_long_as_what_moves_is_heavy() -> None:
    """An arm on a fixed base presses with its weight, too; what cannot move does not count."""
    made = px.World()
    made.add_rigid_object(px.Shape("box", (1, 1, 1)), "wall", kind="static")
    assert _weight(made) == 10.0
    box = made.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", mass=0.5)
    assert not box.fixed_base and _weight(made) == pytest.approx(0.5 * 9.81)
    arm = made.add_robot("arm")
    mass = sum(body.mass for body in arm.model.bodies)
    assert arm.fixed_base and mass > 1 and _weight(made) == pytest.approx((0.5 + mass) * 9.81)
