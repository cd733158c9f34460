"""What assets and sensors have in common that can show what they know when something is rendered."""

from __future__ import annotations

import weakref
from typing import Any

from phalanx.facade.isaaclab.sim.simulation_context import SimulationContext


class DebugVis:
    """Something that can show what it knows, by markers of its own.

    Classes that can override :meth:`_set_debug_vis_impl`, which makes markers and shows or hides them, and
    :meth:`_debug_vis_callback`, which puts them where they belong and is called at each render while it is initialised.
    The simulation does not keep it alive.
    """

    _is_initialized = False
    _is_visualizing = False

    @property
    def has_debug_vis_implementation(self) -> bool:
        """Whether there is anything that :meth:`set_debug_vis` can show."""
        return type(self)._set_debug_vis_impl is not DebugVis._set_debug_vis_impl

    def set_debug_vis(self, debug_vis: bool) -> bool:
        """Show what it knows, or no longer.

        Returns:
            Whether that can be done.
        """
        if not self.has_debug_vis_implementation:
            return False
        self._set_debug_vis_impl(debug_vis)
        self._is_visualizing = debug_vis
        self._watch(debug_vis)
        return True

    def _no_longer_shown(self) -> None:
        """For ``__del__``: it is asked for no more."""
        if self._is_visualizing:
            self._watch(False)

    def _set_debug_vis_impl(self, debug_vis: bool) -> None:
        """Make markers and show them, or hide them."""
        raise NotImplementedError(f"{type(self).__name__} has nothing that it could show")

    def _debug_vis_callback(self, event: Any) -> None:
        """Put markers where they belong; ``event`` is the time between rendered steps, s."""
        raise NotImplementedError(f"{type(self).__name__} has nothing that it could show")

    def _watch(self, wanted: bool) -> None:
        """Have markers put in place at each render, or no longer."""
        simulation, name = SimulationContext.instance(), f"debug vis {id(self)}"
        if simulation is None:
            return
        if simulation.render_callback_exists(name):
            simulation.remove_render_callback(name)
        if wanted:
            own = weakref.ref(self)

            def show(event: Any) -> None:
                it = own()
                if it is not None and it._is_initialized:
                    it._debug_vis_callback(event)

            simulation.add_render_callback(name, show)
