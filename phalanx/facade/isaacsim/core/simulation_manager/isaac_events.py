"""What happens to the simulation, by the names under which ``carb.eventdispatcher`` tells it."""

from enum import Enum


class IsaacEvents(Enum):
    """What callbacks can be registered for."""

    PHYSICS_WARMUP = "isaac.physics_warmup"
    """The stage has become a world."""
    SIMULATION_VIEW_CREATED = "isaac.simulation_view_created"
    """Tensor views can be made."""
    PHYSICS_READY = "isaac.physics_ready"
    """The simulation plays."""
    POST_RESET = "isaac.post_reset"
    """A world was reset: what has a default state may go back to it."""
    PRIM_DELETION = "isaac.prim_deletion"
    """A prim was deleted; callbacks get its path."""
    PRE_PHYSICS_STEP = "isaac.pre_physics_step"
    """Before a step; callbacks get its length, s."""
    POST_PHYSICS_STEP = "isaac.post_physics_step"
    """After a step; callbacks get its length, s."""
    TIMELINE_STOP = "isaac.timeline_stop"
    """The timeline was stopped."""


__all__ = ["IsaacEvents"]
