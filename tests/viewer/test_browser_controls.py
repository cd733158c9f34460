"""Sliders, cameras and recordings in a real browser; see ``test_browser.py``."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from viewer.browsers import chromium, differs, pixels, press, tab
from viewer_client import until

import phalanx as px
from phalanx import components as c

pytest.importorskip("viser", reason="viser is not installed (pip install 'phalanx[viewer]')")

pytestmark = pytest.mark.slow

SCENE = {"x": 0, "y": 200, "width": 400, "height": 250}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from chromium()


@pytest.fixture(scope="module")
def viewer() -> Iterator[px.Viewer]:
    """A quadruped with a camera on it, stepped by a thread of its own."""
    world = px.World(num_envs=4)
    world.add_ground()
    robot = world.add_robot("quadruped", name="quadruped")
    robot.set_drive(stiffness=60.0, damping=2.0)
    with px.Viewer(world, port=0, speed=1.0) as made:
        made.add_camera("Front", eye=(1.5, 1.5, 1.0), target=(0.0, 0.0, 0.2), height=48, width=64)
        made.add_slider("Own slider", 0.0, 1.0, 0.5)
        thread = threading.Thread(target=made.run, daemon=True)
        thread.start()
        yield made
    thread.join(timeout=30)


@pytest.fixture(scope="module")
def page(browser: Any, viewer: px.Viewer) -> Iterator[Any]:
    made = browser.new_page(viewport={"width": 720, "height": 480})
    made.set_default_timeout(60_000)
    errors: list[Any] = []
    made.on("pageerror", lambda error: errors.append(error))
    made.goto(viewer.url)
    made.get_by_role("button", name="Pause").wait_for()
    until(lambda: viewer.frames > 5, 60)
    yield made
    made.close()
    assert errors == []


def test_every_control_is_there_by_its_label(page: Any, viewer: px.Viewer) -> None:
    told = ""
    for name in page.get_by_role("tab").all_inner_texts():
        tab(page, name)
        page.wait_for_timeout(300)
        told += page.locator("body").inner_text()
    handles = viewer.server.gui._gui_input_handle_from_uuid.values()
    labels = {each.label for each in handles if each.visible and getattr(each, "label", "")}
    assert len(labels) > 35 and {"Stiffness", "Friction", "Frustums", "Own slider"} <= labels
    assert not [label for label in labels if label not in told]


def test_the_name_of_what_the_pointer_is_over(page: Any, viewer: px.Viewer) -> None:
    """The text field in which the page tells where the pointer is is not seen."""
    viewer.pace.pause()
    tab(page, "Run")
    labels = viewer.hover._labels
    for x in range(120, 340, 10):
        page.mouse.move(x, 300)
        page.wait_for_timeout(200)
        if any(label.visible for label in labels.values()):
            break
    (label,) = labels.values()
    assert label.text.startswith("quadruped/")
    fields = page.locator("input").evaluate_all(
        "all => all.filter(each => each.value.startsWith('phalanx-pointer')).map(each => each.getClientRects().length)"
    )
    assert fields == [0]
    page.mouse.move(200, 5)
    until(lambda: not label.visible)
    viewer.pace.play()


def test_sliders_of_joints_targets_and_positions(page: Any, viewer: px.Viewer) -> None:
    robot = viewer.world.robots["quadruped"]
    tab(page, "Joints")
    name = robot.joint_names[4]
    for mode, read in (("Set targets", "joint_pos_target"), ("Set positions", "joint_pos")):
        page.get_by_role("combobox", name="Sliders", exact=True).click()
        page.get_by_role("option", name=mode, exact=True).click()
        until(lambda: not viewer.joint_panel.sliders[4].disabled)
        viewer.pace.pause()
        page.wait_for_timeout(500)
        press(page, name, "Home")
        low = float(robot.joint_limits[0][4])
        until(lambda read=read, low=low: abs(float(getattr(robot, read)[0, 4]) - low) < 1e-3)
        viewer.pace.play()
    page.get_by_role("combobox", name="Sliders", exact=True).click()
    page.get_by_role("option", name="Show positions", exact=True).click()


def test_sliders_of_gains_gravity_and_material(page: Any, viewer: px.Viewer) -> None:
    world = viewer.world
    robot = world.robots["quadruped"]
    tab(page, "Tune")
    press(page, "Stiffness", "End")
    until(lambda: np.allclose(robot.joint_stiffness[0], viewer.tune_panel.stiffness.max))
    press(page, "Damping", "Home")
    until(lambda: np.allclose(robot.joint_damping[0], 0.0))
    assert np.allclose(robot.joint_stiffness[1], 60.0)
    press(page, "Friction", "End")
    until(lambda: np.allclose(robot.material[0, :, :2], 2.0))
    press(page, "Restitution", "ArrowRight")
    until(lambda: np.allclose(robot.material[0, :, 2], 0.01))
    press(page, "Gravity", "End")
    until(lambda: np.isclose(world[c.Settings].gravity[0, 2, 0], 10.0))
    start = float(robot.root_pose[0, 2])
    until(lambda: float(robot.root_pose[0, 2]) > start + 0.05, 60)  # it falls upwards
    viewer.do(lambda world: setattr(world[c.Settings], "gravity", np.array([0, 0, -9.81])[None, :, None]))
    robot.set_drive(stiffness=60.0, damping=2.0)
    viewer.do(lambda world: world.reset())


def test_pictures_of_cameras(page: Any, viewer: px.Viewer) -> None:
    tab(page, "Cameras")
    until(lambda: viewer.camera_panel._image is not None)
    sizes = "[...document.images].map(image => image.naturalWidth)"
    until(lambda: 64 in page.evaluate(sizes), 60)
    page.get_by_role("combobox", name="Picture", exact=True).click()
    page.get_by_role("option", name="depth", exact=True).click()
    until(lambda: viewer.camera_panel.kind.value == "depth", 60)
    page.get_by_role("button", name="New camera here").click()
    until(lambda: "Camera 2" in viewer.camera_panel.names, 60)


def test_details_change_the_picture(page: Any, viewer: px.Viewer) -> None:
    tab(page, "View")
    viewer.pace.pause()
    page.wait_for_timeout(1000)
    for label in ("Inertia boxes", "Joint axes", "Joint limits", "Centres of mass"):
        before = pixels(page, **SCENE)
        page.get_by_role("checkbox", name=label).click()
        until(lambda before=before: differs(before, pixels(page, **SCENE)) > 2e-4, 60)
        page.get_by_role("checkbox", name=label).click()
    viewer.pace.play()


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> px.Recording:
    """A quadruped that falls from 0.8 m and lands."""
    path = tmp_path_factory.mktemp("shown") / "run.zarr"
    world = px.World(num_envs=4)
    world.add_ground()
    robot = world.add_robot("quadruped", name="quadruped")
    robot.set_drive(stiffness=60.0, damping=2.0)
    robot.set_root_state(pose=[0, 0, 0.8, 1, 0, 0, 0])
    with px.Recorder(world, path, contacts=True):
        world.step(120)
    return px.open_recording(path)


def test_scrubbing_a_recording(browser: Any, recording: px.Recording) -> None:
    from phalanx.viewer.recorded import RecordingViewer

    with RecordingViewer(recording, port=0, playing=False) as viewer:
        page = browser.new_page(viewport={"width": 720, "height": 480})
        page.set_default_timeout(60_000)
        page.goto(viewer.url)
        page.get_by_role("button", name="Play").wait_for()
        until(lambda: viewer.frames > 2, 60)
        page.wait_for_timeout(1500)
        start = pixels(page, **SCENE)
        press(page, "Time (s)", "End")
        until(lambda: viewer.now == pytest.approx(viewer.end, abs=2 * viewer.bar.step), 60)
        until(lambda: differs(start, pixels(page, **SCENE)) > 0.002, 60)
        end = pixels(page, **SCENE)
        page.get_by_role("button", name="Step back").click()
        until(lambda: viewer.now == pytest.approx(float(recording.time[-2]), abs=1e-6))
        press(page, "Time (s)", "Home")
        until(lambda: viewer.now == pytest.approx(viewer.start, abs=2 * viewer.bar.step), 60)
        until(lambda: differs(end, pixels(page, **SCENE)) > 0.002, 60)
        page.close()


def test_a_page_opens_without_a_network(browser: Any, recording: px.Recording, tmp_path: Path) -> None:
    """On a desk and on a phone: nothing is asked for, nothing fails, and what is recorded moves."""
    from phalanx.viewer.recorded import export_html

    export_html(recording, tmp_path / "run.html", [0], fps=30.0)
    sizes: list[dict[str, Any]] = [
        {"viewport": {"width": 720, "height": 480}},
        {"viewport": {"width": 390, "height": 760}, "is_mobile": True, "has_touch": True},
    ]
    for size in sizes:
        context = browser.new_context(offline=True, **size)
        page = context.new_page()
        page.set_default_timeout(90_000)
        failed: list[Any] = []
        asked: list[str] = []
        page.on("pageerror", lambda error, failed=failed: failed.append(error))
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto(f"file://{tmp_path}/run.html")
        until(lambda page=page: len(np.unique(pixels(page).reshape(-1, 3), axis=0)) > 200, 90)
        start = pixels(page)
        until(lambda page=page, start=start: differs(start, pixels(page)) > 0.002, 90)
        assert not failed and not [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]
        context.close()


def reds(page: Any) -> int:
    """Pixels as red as the arrows of forces, below the browser's notice and above the bar."""
    seen = pixels(page, x=0, y=160, width=720, height=270)
    return int(((seen[..., 0] > 120) & (seen[..., 0] > 2 * seen[..., 1]) & (seen[..., 0] > 2 * seen[..., 2])).sum())


def test_contacts_in_a_page(browser: Any, recording: px.Recording, tmp_path: Path) -> None:
    """Forces are drawn once it has landed, also when the bar goes back and forth; the tree of the scene opens."""
    from phalanx.viewer.recorded import export_html

    export_html(recording, tmp_path / "run.html", [0], fps=30.0)
    page = browser.new_page(viewport={"width": 720, "height": 480})
    page.set_default_timeout(90_000)
    page.goto(f"file://{tmp_path}/run.html")
    field = page.locator("input").first
    field.wait_for()
    for _ in range(2):
        field.fill("0.1")
        until(lambda: reds(page) == 0, 90)  # it falls
        field.fill("0.9")
        until(lambda: reds(page) > 30, 90)
    page.get_by_label("Show scene tree").click()
    page.locator('[data-scene-node="/world"]').wait_for()
    page.close()
