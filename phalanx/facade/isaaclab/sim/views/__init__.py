"""What scripts import as ``isaaclab.sim.views``: prims of the stage, many at a time."""

from phalanx.facade.isaaclab.sim.views.xform_prim_view import XformPrimView

__all__ = ["XformPrimView"]
