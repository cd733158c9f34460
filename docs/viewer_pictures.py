"""Makes pictures of ``docs/viewer.md``, those that are named after scenes: what Chromium shows of the viewer.

    python docs/viewer_pictures.py [humanoids|cloth|recording|plots|phone ...]

Needs Playwright and a Chromium, which may draw without a GPU.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

import phalanx as px
from phalanx.io.formats import library
from phalanx.viewer.recorded import RecordingViewer

FLAGS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]
PICTURES = Path(__file__).parent / "pictures"
DESK, PHONE = {"width": 1100, "height": 620}, {"width": 390, "height": 844}


def humanoids() -> px.Viewer:
    """Nine humanoids, each pushed another way."""
    world = px.World(num_envs=9, dt=0.005)
    world.add_ground()
    robot = world.add_robot("humanoid", visuals=True)
    robot.set_drive(*library.defaults("humanoid").gains(robot.joint_names))
    angle = 2 * np.pi * np.arange(9) / 9
    robot.set_root_state(vel=np.stack([np.cos(angle), np.sin(angle), *np.zeros((4, 9))], axis=1))
    viewer = px.Viewer(world, port=0)
    viewer.selection.mode, viewer.selection.count = "Grid", 9
    viewer.shows_others()
    viewer.place_camera()
    world.step(120)
    return viewer


def cloth() -> px.Viewer:
    """A cloth that lies on a ball."""
    world = px.World(dt=1 / 60)
    world.add_ground()
    world.add_rigid_object(
        px.Shape("sphere", (0.1,), color=(0.8, 0.3, 0.2, 1.0)), "ball", kind="static", position=(0, 0, 0.2)
    )
    world.add_cloth(px.ClothMesh.grid(0.4, 0.4, 16, 16), "cloth", position=(0, 0, 0.32), thickness=2e-3)
    world.build()
    world.step(60)
    return px.Viewer(world, port=0)


def quadrupeds() -> px.Viewer:
    """Four quadrupeds that stand."""
    world = px.World(num_envs=4, dt=0.005)
    world.add_ground()
    robot = world.add_robot("quadruped", visuals=True)
    robot.set_drive(*library.defaults("quadruped").gains(robot.joint_names))
    viewer = px.Viewer(world, port=0)
    viewer.selection.mode, viewer.selection.count = "Grid", 4
    viewer.shows_others()
    viewer.place_camera()
    world.step(60)
    return viewer


def recording() -> RecordingViewer:
    """A quadruped that falls, half-way."""
    world = px.World(dt=0.005)
    world.add_ground()
    robot = world.add_robot("quadruped", visuals=True)
    robot.set_drive(*library.defaults("quadruped").gains(robot.joint_names))
    robot.set_root_state(pose=[0, 0, 0.7, 0.966, 0.259, 0, 0])
    path = Path(tempfile.mkdtemp()) / "run.zarr"
    with px.Recorder(world, path, every=2, contacts=True):
        world.step(300)
    viewer = RecordingViewer(px.open_recording(path), port=0, playing=False)
    viewer.seek(0.3)
    return viewer


def nothing(page: Any) -> None:
    """Leave the page as it opens."""


def plot(page: Any) -> None:
    """Show contact forces, and energy in the tab with plots."""
    page.get_by_role("tab", name="View", exact=True).click()
    page.get_by_role("checkbox", name="Contact forces").click()
    page.get_by_role("tab", name="Plots", exact=True).click()
    page.get_by_role("combobox", name="Signal", exact=True).click()
    page.get_by_role("option", name="energy (J)", exact=True).click()


SCENES: dict[str, tuple[Callable[[], Any], Callable[[Any], None], dict[str, int]]] = {
    "humanoids": (humanoids, nothing, DESK),
    "cloth": (cloth, nothing, DESK),
    "recording": (recording, nothing, DESK),
    "plots": (recording, plot, DESK),
    "phone": (quadrupeds, nothing, PHONE),
}


def main() -> None:
    """Open each scene in a browser of its size and keep what is seen."""
    chosen = sys.argv[1:] or list(SCENES)
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as made:
        browser = made.chromium.launch(executable_path=found, args=FLAGS)
        for name in chosen:
            make, prepare, size = SCENES[name]
            with make() as viewer:
                phone = size is PHONE
                page = browser.new_page(viewport=size, is_mobile=phone, has_touch=phone)  # type: ignore[arg-type]
                if isinstance(viewer, px.Viewer):
                    viewer.pace.pause()
                    threading.Thread(target=viewer.run, daemon=True).start()
                page.set_default_timeout(90_000)  # drawing takes its time
                page.goto(viewer.url)
                page.get_by_text("Phalanx").first.wait_for(timeout=60_000)
                page.wait_for_timeout(12_000)
                prepare(page)
                page.wait_for_timeout(4_000)
                for notice in page.locator(".mantine-Notification-closeButton").all():  # that drawing has no GPU
                    notice.evaluate("button => button.click()")
                page.wait_for_timeout(1000)
                picture = Image.open(io.BytesIO(page.screenshot(timeout=90_000)))
                picture.convert("RGB").save(PICTURES / f"viewer_{name}.webp", quality=85, method=6)
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
