"""From meshes, as files and users give them, to what the engine collides."""

from __future__ import annotations

from phalanx.io.hulls import Hull, hull

__all__ = ["Hull", "hull"]
