"""Names of what the pointer is over: rays against what was shown, and what clients send and are sent."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import phalanx as px
from phalanx.maths.arrays import rotate

pytest.importorskip("viser", reason="viser is not installed (pip install 'phalanx[viewer]')")

from viewer_client import Client, until

from phalanx.viewer.hits import MeshTargets, meets
from phalanx.viewer.hover import MARK
from phalanx.viewer.meshes import Batch


@pytest.fixture(scope="module")
def viewer() -> Iterator[px.Viewer]:
    """Two environments: a box of 0.4 m about (0, 0, 1), and one of 0.2 m behind it as seen from +x."""
    world = px.World(num_envs=2)
    world.add_rigid_object(px.Shape("box", (0.2, 0.2, 0.2)), "front", position=(0.0, 0.0, 1.0), disable_gravity=True)
    world.add_rigid_object(
        px.Shape("box", (0.1, 0.1, 0.1)), "behind", position=(-1.0, 0.35, 1.15), disable_gravity=True
    )
    with px.Viewer(world, port=0) as made:
        yield made


def field_of(viewer: px.Viewer) -> Any:
    """The text field of the client that came last."""
    (client,) = viewer.server.get_clients().values()
    return next(each for each in client.gui._gui_input_handle_from_uuid.values() if each.value.startswith(MARK))


def label_of(viewer: px.Viewer) -> tuple[str, bool]:
    (label,) = viewer.hover._labels.values() or [SimpleNamespace(text="", visible=False)]
    return label.text, label.visible


def test_rays_meet_boxes_where_formulas_say() -> None:
    """Boxes of any place, turn and size against the slab formula of one box, rays of all ways."""
    rng = np.random.default_rng(1)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32)
    faces = [
        [0, 1, 3],
        [0, 3, 2],
        [4, 6, 7],
        [4, 7, 5],
        [0, 4, 5],
        [0, 5, 1],
        [2, 3, 7],
        [2, 7, 6],
        [0, 2, 6],
        [0, 6, 4],
    ]
    faces += [[1, 5, 7], [1, 7, 3]]
    hits = 0
    for _ in range(60):
        size, place, turn = rng.uniform(0.2, 1.0, 3), rng.normal(size=3), rng.normal(size=4)
        turn /= np.linalg.norm(turn)
        one = np.array([[0, 0, 0, 1, 0, 0, 0]], np.float32)
        batch = Batch(
            corners, np.array(faces, np.uint32), 1.0, np.array([0]), one, size[None], np.zeros((1, 3), np.uint8)
        )
        origin = 4.0 * rng.normal(size=3)
        way = place + rng.normal(size=3) * 0.7 - origin
        found = MeshTargets([batch]).first(np.array([[[*place, *turn]]]), origin, way)
        back = turn * [1, -1, -1, -1]
        start, along = rotate(back, origin - place), rotate(back, way)
        enter = np.minimum((-size - start) / along, (size - start) / along).max()
        leave = np.maximum((-size - start) / along, (size - start) / along).min()
        inside = enter < 0.0
        if leave < max(enter, 0.0):
            assert found is None
        else:
            assert found is not None and found[0] == pytest.approx(leave if inside else enter, abs=1e-5)
            hits += 1
    assert 20 < hits < 60


def test_degenerate_triangles_and_poses_are_missed() -> None:
    point = np.zeros((2, 3, 3))
    assert meets(point, np.array([0.0, 0, -1]), np.array([0.0, 0, 1])) == np.inf
    assert meets(point, np.full(3, np.nan), np.array([0.0, 0, 1])) == np.inf


def test_the_pointer_names_what_is_in_front(viewer: px.Viewer) -> None:
    """The client of the tests looks along +z from (3, 0, 1), turned here to look along -x with +y to the right."""
    turn = np.array([0.5, -0.5, -0.5, 0.5])
    assert np.allclose(rotate(turn, np.array([0.0, 0, 1])), [-1, 0, 0], atol=1e-9)
    right, down = rotate(turn, np.array([1.0, 0, 0])), rotate(turn, np.array([0.0, 1, 0]))
    camera = SimpleNamespace(wxyz=turn, position=np.array([3.0, 0, 1]), fov=1.0, image_width=640, image_height=480)
    viewer.scene.show(viewer_snapshot(viewer, [0]), viewer.selection.offsets())
    assert viewer.hover.named(camera, 0.5, 0.5) is not None
    for target, name in (
        ((0.2, 0.1, 1.1), "front/front"),
        ((0.2, -0.19, 0.81), "front/front"),
        ((-0.9, 0.44, 1.24), "behind/behind"),
        ((-0.9, 0.5, 1.3), None),
    ):
        way = np.array(target) - camera.position
        ahead = -way[0]
        x = 0.5 + 0.5 * (way @ right) / ahead / (np.tan(0.5) * 640 / 480)
        y = 0.5 + 0.5 * (way @ down) / ahead / np.tan(0.5)
        found = viewer.hover.named(camera, x, y)
        assert (None if found is None else found[0]) == name
        if found is not None:
            assert np.allclose(found[1], target, atol=1e-5)


def viewer_snapshot(viewer: px.Viewer, envs: list[int]) -> Any:
    from phalanx.world.snapshots import take_snapshot

    return take_snapshot(viewer.world, envs)


def test_names_come_and_go_with_the_pointer(viewer: px.Viewer) -> None:
    """From below the client looks up at boxes that are put above it; what it sends can be anything."""
    world = viewer.world
    world.objects["front"].set_root_state(pose=[3.0, 0.0, 3.0, 1, 0, 0, 0])
    with Client(viewer.server.get_port()) as client:
        until(lambda: viewer.scene.body_poses.size and viewer.scene.body_poses[0, 0, 2] == 3.0)
        until(lambda: viewer.server.get_clients())
        field = field_of(viewer)
        client.put(field, f"{MARK} 640 0.5 0.5")
        until(lambda: label_of(viewer) == ("front/front", True))
        for text in ("640 nan 0.5", "640 1e999 -1e999", "9" * 5000, "x a b", "-1 0 0 0", "1", "\u00b2", "x" * 100_000):
            client.put(field, f"{MARK} {text}")
            until(lambda: not label_of(viewer)[1])
            client.put(field, f"{MARK} 640 0.5 0.5")
            until(lambda: label_of(viewer)[1])
        world.objects["front"].set_root_state(pose=[9.0, 0.0, 3.0, 1, 0, 0, 0])  # the pointer rests
        until(lambda: not label_of(viewer)[1])
        world.objects["front"].set_root_state(pose=[3.0, 0.0, 3.0, 1, 0, 0, 0])
        until(lambda: label_of(viewer)[1])
        client.put(viewer.view_panel.names, False)
        until(lambda: not label_of(viewer)[1])
        client.put(field, f"{MARK} 640 0.51 0.5")
        client.put(viewer.view_panel.names, True)
        client.put(field, f"{MARK} 640 0.5 0.5")
        until(lambda: label_of(viewer)[1])
    until(lambda: not viewer.hover._labels and not viewer.hover._places)
