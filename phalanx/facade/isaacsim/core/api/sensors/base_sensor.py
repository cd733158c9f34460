"""What sensors of scripts derive from."""

from __future__ import annotations

from phalanx.facade.isaacsim.core.prims.single_xform_prim import SingleXFormPrim


class BaseSensor(SingleXFormPrim):
    """A sensor: a prim that has a place, which scenes initialise and reset as sensors; see :class:`SingleXFormPrim`."""

    def __init__(
        self,
        prim_path: str,
        name: str = "base_sensor",
        position: object = None,
        translation: object = None,
        orientation: object = None,
        scale: object = None,
        visible: bool | None = None,
    ) -> None:
        super().__init__(prim_path, name, position, translation, orientation, scale, visible)

    def initialize(self, physics_sim_view: object = None) -> None:
        """Look up what is simulated of it."""
        super().initialize(physics_sim_view)

    def post_reset(self) -> None:
        """Go back to the default state."""
        super().post_reset()


__all__ = ["BaseSensor"]
