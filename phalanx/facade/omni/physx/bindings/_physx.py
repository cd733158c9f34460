"""What scripts import from ``omni.physx.bindings._physx``: kinds of events and results."""

from phalanx.facade.omni.physx.contact_reports import ContactData, ContactEventHeader, ContactEventType
from phalanx.facade.omni.physx.scene_query import OverlapHit, RaycastHit, SweepHit

__all__ = ["ContactData", "ContactEventHeader", "ContactEventType", "OverlapHit", "RaycastHit", "SweepHit"]
