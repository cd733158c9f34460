"""The viewer in a real browser: Chromium, which draws without a GPU here.

Skipped where Playwright or Chromium is missing: ``pip install playwright``, and Debian's package ``chromium`` or
``playwright install chromium``.
"""

import io
import shutil
import threading

import numpy as np
import pytest
from PIL import Image
from viewer_client import until

import phalanx as px

pytest.importorskip("viser", reason="viser is not installed (pip install 'phalanx[viewer]')")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = pytest.mark.slow

FLAGS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]


@pytest.fixture(scope="module")
def browser():
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with playwright.sync_playwright() as made:
        try:
            running = made.chromium.launch(executable_path=found, args=FLAGS)
        except playwright.Error as error:
            pytest.skip(f"there is no Chromium that starts: {str(error).splitlines()[0]}")
        yield running
        running.close()


@pytest.fixture(scope="module")
def viewer():
    """A quadruped that swings its legs, stepped by a thread of its own."""
    world = px.World(num_envs=4)
    world.add_ground()
    robot = world.add_robot("quadruped", name="quadruped")
    robot.set_drive(stiffness=60.0, damping=2.0)

    def control(_):
        robot.set_targets(pos=robot.default_joint_pos + 0.3 * np.sin(8.0 * world.time))

    with px.Viewer(world, port=0, speed=1.0) as made:
        thread = threading.Thread(target=lambda: made.run(control=control), daemon=True)
        thread.start()
        yield made
    thread.join(timeout=30)


@pytest.fixture(scope="module")
def page(browser, viewer):
    made = browser.new_page(viewport={"width": 720, "height": 480})
    made.set_default_timeout(60_000)
    errors = []
    made.on("pageerror", lambda error: errors.append(error))
    made.goto(viewer.url)
    made.get_by_role("button", name="Pause").wait_for()
    until(lambda: viewer.frames > 5, 60)
    yield made
    made.close()
    assert errors == []


def seen(page):
    """Pixels of the scene, without panels and notices."""
    page.wait_for_timeout(300)
    data = page.screenshot(timeout=90_000, clip={"x": 0, "y": 200, "width": 400, "height": 250})
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)


def differs(before, after):
    """Share of pixels that are clearly others."""
    return float((np.abs(before - after).max(axis=-1) > 12).mean())


def tab(page, name):
    page.get_by_role("tab", name=name).click()


def choose(page, label, option):
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def test_the_robot_is_seen_and_moves_until_it_is_paused(page, viewer):
    tab(page, "Run")
    first = seen(page)
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 200  # it is no blank page
    until(lambda: differs(first, seen(page)) > 0.002, 60)
    page.get_by_role("button", name="Pause").click()
    until(lambda: not viewer.pace.playing)
    page.get_by_role("button", name="Play").wait_for()
    page.wait_for_timeout(1000)
    still = seen(page)
    page.wait_for_timeout(700)
    assert differs(still, seen(page)) < 1e-4
    step = viewer.world.step_count
    page.get_by_role("button", name="Step", exact=True).click()
    until(lambda: viewer.world.step_count == step + 1)


def test_speed_and_pace(page, viewer):
    tab(page, "Run")
    choose(page, "Speed", "1/4")
    until(lambda: viewer.pace.speed == 0.25)
    page.get_by_role("button", name="Slower").click()
    until(lambda: viewer.pace.speed == 0.125)
    page.get_by_role("button", name="Faster").click()
    until(lambda: viewer.pace.speed == 0.25)
    choose(page, "Speed", "1")
    until(lambda: viewer.pace.speed == 1.0)


def test_environments_and_reset(page, viewer):
    tab(page, "Run")
    one = seen(page)
    choose(page, "Environments", "Grid")
    until(lambda: len(viewer.selection.envs()) == 4)
    until(lambda: differs(one, seen(page)) > 0.002, 60)
    choose(page, "Environments", "One")
    until(lambda: viewer.selection.mode == "One")
    page.get_by_role("button", name="Reset").click()
    robot = viewer.world.robots["quadruped"]
    until(lambda: np.allclose(robot.root_pose[:, :2], robot.default_root_pose[:2], atol=0.02))


def test_what_is_shown(page, viewer):
    tab(page, "View")
    viewer.pace.pause()
    for label, name in (
        ("Frames", "frames"),
        ("Contact points", "points"),
        ("Contact normals", "normals"),
        ("Contact forces", "forces"),
    ):
        before = seen(page)
        page.get_by_role("checkbox", name=label).click()
        until(lambda name=name: name in viewer.scene.shown)
        if name == "frames":
            until(lambda before=before: differs(before, seen(page)) > 1e-4, 60)
        page.get_by_role("checkbox", name=label).click()
        until(lambda name=name: name not in viewer.scene.shown)
    before = seen(page)
    page.get_by_role("checkbox", name="Ground").click()
    until(lambda: differs(before, seen(page)) > 0.2, 60)
    page.get_by_role("checkbox", name="Ground").click()
    choose(page, "Geometry", "Collision")
    until(lambda: viewer.scene.geometry == "collision")
    choose(page, "Geometry", "Visual")
    until(lambda: viewer.scene.geometry == "visual")
    before = seen(page)
    page.get_by_role("button", name="Top", exact=True).click()
    until(lambda: differs(before, seen(page)) > 0.05, 60)
    page.get_by_role("button", name="Corner", exact=True).click()
    viewer.pace.play()


def test_follow_keeps_a_body_in_the_middle(page, viewer):
    tab(page, "View")
    choose(page, "Follow", "quadruped/base")
    until(lambda: viewer._followed is not None)
    viewer.do(lambda world: world.robots["quadruped"].set_root_state(pose=[5.0, 3.0, 0.4, 1, 0, 0, 0]))
    until(lambda: viewer.scene._root.position[0] < -4.0)
    # The robot, on a light ground; lights become as strong as they are meant to be within some frames of the page.
    until(lambda: (seen(page).min(axis=-1) < 130)[20:160, 100:300].mean() > 0.01)
    choose(page, "Follow", "Nothing")
    until(lambda: viewer._followed is None)


def test_a_phone_sees_it_too(browser, viewer):
    page = browser.new_page(viewport={"width": 390, "height": 760}, has_touch=True, is_mobile=True)
    page.goto(viewer.url)
    page.get_by_text("Phalanx").first.wait_for(timeout=60_000)
    page.wait_for_timeout(2000)
    picture = np.asarray(Image.open(io.BytesIO(page.screenshot(timeout=90_000))).convert("RGB"))
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 100
    page.close()
