"""A tab with the picture of a camera, and frustums where cameras are."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.maths.arrays import inverse, product, rotate
from phalanx.viewer.cameras import CameraPose, Feed
from phalanx.viewer.scene import ROOT
from phalanx.viewer.shots import Shots

if TYPE_CHECKING:
    from phalanx.viewer.steered import Steered
    from phalanx.world.world import World

EVERY = 0.1
"""s of real time between two pictures, at least."""

SHARE, SLOWEST = 0.1, 1.0
"""Share of the time that drawing them takes at most, unless they would be farther apart than so many s."""

NONE = "None"
COLOR = (240, 140, 0)
SIZE = (240, 320)
"""Height and width, pixels, of cameras that are made in the browser."""


class CameraPanel:
    """Pictures of one camera at a time, of the first environment that is seen.

    Args:
        viewer: that it is part of.
        tabs: of its panel.
    """

    def __init__(self, viewer: Steered, tabs: Any) -> None:
        self._viewer, gui = viewer, viewer.server.gui
        self._feeds: dict[str, Feed] = {}
        self._due = 0.0
        self._picture: np.ndarray | None = None
        self._poses: dict[str, CameraPose] = {}
        self._frustums: dict[str, tuple[Any, CameraPose]] = {}
        self._image: Any = None
        self._tab = tabs.add_tab("Cameras")
        with self._tab:
            self.camera = gui.add_dropdown("Camera", (NONE,), initial_value=NONE)
            self.kind = gui.add_dropdown("Picture", ("rgb",), initial_value="rgb", visible=False)
            self.frustums = gui.add_checkbox("Frustums", True)
            self.carrier = gui.add_dropdown("Carried by", ("Nothing", *viewer.body_names), initial_value="Nothing")
            self.new = gui.add_button("New camera here")
            self.shots = Shots(viewer)
        self.camera.on_update(lambda event: event.client and self._choose())
        self.new.on_click(lambda event: self._add_here(event.client))

    @property
    def names(self) -> list[str]:
        """Of all cameras."""
        return [*self._feeds]

    def add(self, name: str, feed: Feed) -> None:
        """Offer a camera, and show it if it is the first; one of a name that there is already replaces it."""
        self._feeds[name] = feed
        first = self.camera.value == NONE
        self.camera.options = (NONE, *self._feeds)
        if first:
            self.camera.value = name
        self._choose()

    def remove(self, name: str) -> None:
        """Offer it no longer."""
        self._feeds.pop(name, None)
        if self.camera.value == name:
            self.camera.value = NONE
        self.camera.options = (NONE, *self._feeds)
        self._choose()

    def take(self, env: int, obey: Callable[[Callable[[World], object]], object]) -> None:
        """Ask for pictures, now and then; called where the world may be read. ``obey`` tells of what fails."""
        now = time.perf_counter()
        if now < self._due:
            return
        feeds, chosen, kind = dict(self._feeds), self.camera.value, self.kind.value
        poses: dict[str, CameraPose] = {}

        def look(_: World) -> None:
            feed = feeds.get(chosen)
            if feed is not None and kind in feed.kinds:
                self._picture = np.ascontiguousarray(feed.picture(kind, env))
            for name, each in feeds.items() if self.frustums.value else ():
                pose = each.pose(env)
                if pose is not None:
                    poses[name] = pose

        obey(look)
        self._poses = poses
        used = time.perf_counter() - now
        self._due = now + max(EVERY, min(used / SHARE, SLOWEST))

    def show(self, offset: np.ndarray) -> None:
        """Send what was taken; the environment is moved by (3,), m."""
        picture, self._picture = self._picture, None
        if self.camera.value == NONE:
            picture = None
            if self._image is not None:
                self._image.remove()
                self._image = None
        if picture is not None:
            if self._image is None:
                with self._tab:
                    self._image = self._viewer.server.gui.add_image(picture, format="jpeg", jpeg_quality=80)
            else:
                self._image.image = picture
        self._show_frustums(offset)

    def _show_frustums(self, offset: np.ndarray) -> None:
        poses = self._poses
        for name in [*self._frustums]:
            if name not in poses or not _alike(self._frustums[name][1], poses[name]):
                self._frustums.pop(name)[0].remove()
        for name, pose in poses.items():
            place = pose.position + offset
            if name not in self._frustums:
                scale = 1.5 * self._viewer.scene.frame_size
                handle = self._viewer.server.scene.add_camera_frustum(
                    f"{ROOT}/cameras/{name}",
                    pose.fov,
                    pose.aspect,
                    scale=scale,
                    thickness=0.03 * scale,
                    color=COLOR,
                    wxyz=pose.orientation,
                    position=place,
                    cast_shadow=False,
                )
                self._frustums[name] = handle, pose
            handle = self._frustums[name][0]
            if not np.array_equal(handle.position, place):
                handle.position = place
            if not np.array_equal(handle.wxyz, pose.orientation):
                handle.wxyz = pose.orientation

    def _choose(self) -> None:
        feed = self._feeds.get(self.camera.value)
        self.kind.visible = feed is not None
        if feed is not None:
            kinds = tuple(feed.kinds)
            if self.kind.options != kinds:
                keep = self.kind.value if self.kind.value in kinds else kinds[0]
                self.kind.options = kinds
                self.kind.value = keep
        self._due = 0.0

    def _add_here(self, client: Any) -> None:
        """A camera where the browser's is, which stands still or moves with a body."""
        viewer = self._viewer
        place = np.array(client.camera.position, float) - viewer.scene.origin - viewer.selection.offsets()[0]
        turn, fov, carrier = np.array(client.camera.wxyz, float), float(client.camera.fov), self.carrier.value
        number = 1 + len(self._feeds)
        while f"Camera {number}" in self._feeds:
            number += 1

        def make(_: World) -> None:
            body, position, orientation = None, place, turn
            if carrier != "Nothing":
                body = carrier
                pose = viewer.body_pose(body)
                back = inverse(pose[3:])
                position, orientation = rotate(back, place - pose[:3]), product(back, turn)
            feed = viewer.new_camera(*SIZE, body=body, angle=float(np.rad2deg(fov)))
            feed.put(position, orientation)
            self.add(f"Camera {number}", feed)
            self.camera.value = f"Camera {number}"
            self._choose()

        viewer.do(make)


def _alike(a: CameraPose, b: CameraPose) -> bool:
    return bool(np.isclose(a.fov, b.fov) and np.isclose(a.aspect, b.aspect))
