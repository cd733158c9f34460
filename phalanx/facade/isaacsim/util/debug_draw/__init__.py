"""Lines and points to be looked at. They are kept and can be counted; no picture shows them."""

from phalanx.facade.isaacsim.util.debug_draw._debug_draw import (
    DebugDraw,
    acquire_debug_draw_interface,
    release_debug_draw_interface,
)

__all__ = ["DebugDraw", "acquire_debug_draw_interface", "release_debug_draw_interface"]
