"""Sensors that are shown by markers."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.markers import VisualizationMarkers
from phalanx.facade.isaaclab.sim.debug_vis import DebugVis


class ShownByMarkers(DebugVis):
    """What sensors inherit that are shown by one set of markers, ``cfg.visualizer_cfg``."""

    cfg: Any
    _visualizer: VisualizationMarkers | None = None

    def _set_debug_vis_impl(self, debug_vis: bool) -> None:
        if self._visualizer is None and debug_vis:
            self._visualizer = VisualizationMarkers(self.cfg.visualizer_cfg)
        if self._visualizer is not None:
            self._visualizer.set_visibility(debug_vis)

    def _debug_vis_callback(self, event: Any) -> None:
        if self._visualizer is not None:
            self._visualizer.visualize(**self._marked())

    def _marked(self) -> dict[str, Any]:
        """Where markers are to be: arguments of ``VisualizationMarkers.visualize``."""
        raise NotImplementedError(f"{type(self).__name__}._marked")
