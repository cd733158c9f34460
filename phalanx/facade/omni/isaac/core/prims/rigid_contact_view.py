"""The older place of ``isaacsim.core.api.sensors.RigidContactView``."""

from phalanx.facade.isaacsim.core.api.sensors.rigid_contact_view import RigidContactView

__all__ = ["RigidContactView"]
