"""What scripts import as ``isaacsim.core.api.physics_context``."""

from phalanx.facade.isaacsim.core.api.physics_context.physics_context import PhysicsContext

__all__ = ["PhysicsContext"]
