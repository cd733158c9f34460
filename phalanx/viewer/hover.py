"""Names of bodies under the pointer.

viser says where a pointer was pressed, not where it is, and how wide the scene is, not the window. A short script in
the page therefore writes the window's width, and the pointer's place while that moves over the scene, into a text field
that nobody sees, ten times a second at most. The ray is followed here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.maths.arrays import rotate

if TYPE_CHECKING:
    from phalanx.viewer.scene import Scene
    from phalanx.viewer.selection import Selection

MARK = "phalanx-pointer"
"""What the text of the field begins with."""

SCRIPT = """
const find = () => [...document.querySelectorAll("input")].find((each) => each.value.startsWith("MARK"));
let place = "", told = null, timer = 0;
const hide = () => {
  const field = find();
  if (field && told === null) later("");
  const row = field && field.closest(".mantine-Flex-root");
  if (row && row.parentElement.style.display !== "none") row.parentElement.style.display = "none";
};
const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
const tell = () => {
  timer = 0;
  const field = find();
  const text = "MARK " + innerWidth + place;
  if (!field || text === told) return;
  told = text;
  set.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
};
const later = (next) => {
  place = next;
  if (!timer) timer = setTimeout(tell, 100);
};
document.addEventListener("pointermove", (event) => {
  const box = event.target.tagName === "CANVAS" && !event.buttons && event.target.getBoundingClientRect();
  if (!box) return later("");
  const share = (at, start, size) => ((at - start) / size).toFixed(4);
  later(" " + share(event.clientX, box.left, box.width) + " " + share(event.clientY, box.top, box.height));
}, true);
document.addEventListener("pointerleave", () => later(""), true);
addEventListener("resize", () => later(place));
new MutationObserver(hide).observe(document.body, { childList: true, subtree: true });
hide();
""".replace("MARK", MARK)


class Hover:
    """Shows each client the name of what its pointer is over.

    Args:
        scene: what browsers show.
        selection: the environments that are seen.
        resized: called with a client once it has told another width of its window.

    Attributes:
        on: whether names are shown.
        widths: of the windows of clients that have told them, pixels, by their numbers.
    """

    def __init__(self, scene: Scene, selection: Selection, resized: Callable[[Any], None]) -> None:
        self.on = True
        self.widths: dict[int, int] = {}
        self._resized = resized
        self._scene, self._selection = scene, selection
        self._lock = threading.Lock()
        self._labels: dict[int, Any] = {}
        self._places: dict[int, tuple[Any, float, float]] = {}

    def come(self, client: Any) -> None:
        """Let a client that has come tell how wide its window is, and where its pointer is."""
        from viser import _messages

        field = client.gui.add_text("", MARK, order=1e9)
        field.on_update(lambda event: event.client and self._moved(client, field.value))
        # viser sends plotly's source in this way, and has no public name for it.
        client.gui._websock_interface.queue_message(_messages.RunJavascriptMessage(source=SCRIPT))

    def go(self, client: Any) -> None:
        """Forget a client that has gone."""
        self.widths.pop(client.client_id, None)
        self._places.pop(client.client_id, None)
        self._labels.pop(client.client_id, None)

    def renew(self) -> None:
        """Look again at what is under pointers that rest, since bodies move."""
        for client, x, y in [*self._places.values()]:
            self._name(client, self.named(client.camera, x, y))

    def hide(self) -> None:
        """Take all names away."""
        self._places.clear()
        for label in [*self._labels.values()]:
            label.visible = False

    def named(self, camera: Any, x: float, y: float) -> tuple[str, np.ndarray] | None:
        """Name of what is seen at a place of the picture, and where it is hit, (3,), m, in the scene.

        Args:
            camera: of a client of viser.
            x, y: from its left and upper edge, shares of its width and height.
        """
        high = np.tan(0.5 * camera.fov)
        wide = high * camera.image_width / max(camera.image_height, 1)
        way = rotate(np.asarray(camera.wxyz, float), np.array([(2.0 * x - 1.0) * wide, (2.0 * y - 1.0) * high, 1.0]))
        start = np.asarray(camera.position, float)
        found = self._scene.first(start, way)
        if found is None:
            return None
        length, name, place = found
        envs = self._selection.envs()
        if len(envs) > 1 and place < len(envs):
            name += f" in environment {int(envs[place])}"
        return name, start + length * way

    def _moved(self, client: Any, text: str) -> None:
        width, *place = text.removeprefix(MARK).split() or [""]
        if width.isdecimal() and len(width) < 6 and self.widths.get(client.client_id) != int(width):
            self.widths[client.client_id] = int(width)
            self._resized(client)
        try:  # what a page sends need not be what the script writes
            x, y = (min(max(float(each), 0.0), 1.0) for each in place)
        except ValueError:
            self._places.pop(client.client_id, None)
            return self._name(client, None)
        if self.on:
            self._places[client.client_id] = client, x, y
            self._name(client, self.named(client.camera, x, y))

    def _name(self, client: Any, found: tuple[str, np.ndarray] | None) -> None:
        with self._lock, client.atomic():
            label = self._labels.get(client.client_id)
            if found is None:
                if label is not None and label.visible:
                    label.visible = False
                return
            name, point = found
            if label is None:
                label = client.scene.add_label("/pointed_at", name, position=point, anchor="bottom-left")
                self._labels[client.client_id] = label
            if label.text != name:
                label.text = name
            label.position = point
            label.visible = True
