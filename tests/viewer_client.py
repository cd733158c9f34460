"""A client of the viewer without a browser: it speaks viser's protocol as far as tests need."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until something holds; fail if it does not in time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "this did not happen in time"
        time.sleep(0.01)


class Client:
    """Connects, says where its camera is, and counts what it is sent.

    Args:
        port: of the viewer.
        cookie: that a browser would send.
        looks: whether it says where its camera is, as browsers do once they have loaded.
    """

    def __init__(self, port: int, cookie: str = "", looks: bool = True) -> None:
        import viser
        from websockets.sync.client import connect

        self.received = 0
        self._socket = connect(
            f"ws://127.0.0.1:{port}",
            subprotocols=[f"viser-v{viser.__version__}"],  # type: ignore[list-item]
            additional_headers={"Cookie": cookie} if cookie else None,
            max_size=None,
            compression=None,
        )
        threading.Thread(target=self._read, daemon=True).start()
        if looks:
            self.look()

    def look(
        self, position: Sequence[float] = (3.0, 0.0, 1.0), size: tuple[int, int] = (640, 480), fov: float = 1.0
    ) -> None:
        """Say where the camera is, m, and how wide and high the window is, pixels."""
        self.send(
            "ViewerCameraMessage",
            wxyz=(1.0, 0.0, 0.0, 0.0),
            position=tuple(map(float, position)),
            fov=fov,
            near=0.01,
            far=100.0,
            image_height=size[1],
            image_width=size[0],
            look_at=(0.0, 0.0, 0.0),
            up_direction=(0.0, 0.0, 1.0),
        )

    def send(self, kind: str, **fields: Any) -> None:
        """Send a message."""
        import msgspec

        self._socket.send(msgspec.msgpack.encode({"type": kind, **fields}))

    def put(self, widget: Any, value: Any) -> None:
        """Change a widget as a user does."""
        self.send("GuiUpdateMessage", uuid=widget._impl.uuid, updates={"value": value})

    def press(self, button: Any) -> None:
        """Click on a button."""
        self.put(button, True)

    def close(self) -> None:
        """Go, as browsers do."""
        self._socket.close()

    def die(self) -> None:
        """Go without a word."""
        self._socket.socket.close()

    def _read(self) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            for message in self._socket:
                self.received += len(message)
        except (ConnectionClosed, OSError):
            return

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
