"""Cameras whose pictures are made together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaaclab.sensors.camera.camera import Camera


class TiledInfo(list):
    """What else there is to know about pictures, of each camera; a name gives the first one's, as others have it."""

    def __getitem__(self, key: Any) -> Any:
        """That of a camera by its number, or what the first one has by name."""
        return super().__getitem__(0)[key] if isinstance(key, str) else super().__getitem__(key)


class TiledCamera(Camera):
    """Cameras whose pictures are made together, as those of :class:`Camera` are here, too: the two are the same.

    Args:
        cfg: a ``TiledCameraCfg``.

    Raises:
        RuntimeError: no prim matches the path, or its last part is an expression.
        ValueError: a type of picture is none that it makes, or the picture has no pixels.
    """

    def __init__(self, cfg: Any) -> None:
        super().__init__(cfg)

    def _infos(self, infos: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return TiledInfo(infos)

    def _render_products(self, paths: Sequence[str]) -> list[str]:
        return super()._render_products(paths[:1])
