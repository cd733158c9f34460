"""Markers that sensors are shown by."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

_MODULE = "phalanx.facade.isaaclab.markers"


def can_be_shown() -> bool:
    """Whether there are markers at all."""
    return importlib.util.find_spec(_MODULE) is not None


def marker_cfg(name: str, prim_path: str) -> Any:
    """A copy of a configuration in ``isaaclab.markers.config``, at another place; ``None`` if there are no markers."""
    if not can_be_shown():
        return None
    return getattr(importlib.import_module(f"{_MODULE}.config"), name).replace(prim_path=prim_path)


def make_markers(cfg: Any) -> Any:
    """The markers of a configuration."""
    return importlib.import_module(_MODULE).VisualizationMarkers(cfg)


class ShownByMarkers:
    """What sensors inherit that are shown by one sort of markers, ``cfg.visualizer_cfg``."""

    cfg: Any
    _visualizer: Any = None

    @property
    def has_debug_vis_implementation(self) -> bool:
        """Whether there are markers to show what is measured by."""
        return can_be_shown()

    def _set_debug_vis_impl(self, debug_vis: bool) -> None:
        if self._visualizer is None and debug_vis:
            self._visualizer = make_markers(self.cfg.visualizer_cfg)
        if self._visualizer is not None:
            self._visualizer.set_visibility(debug_vis)

    def _debug_vis_callback(self, event: Any) -> None:
        self._visualizer.visualize(**self._marked())

    def _marked(self) -> dict[str, Any]:
        """Where markers are to be: arguments of ``VisualizationMarkers.visualize``."""
        raise NotImplementedError(f"{type(self).__name__}._marked")
