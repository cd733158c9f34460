"""What scripts import as ``isaacsim.core.api.objects``: shapes that are seen, that collide, that move; and grounds."""

from phalanx.facade.isaacsim.core.api.objects.capsule import DynamicCapsule, FixedCapsule, VisualCapsule
from phalanx.facade.isaacsim.core.api.objects.cone import DynamicCone, FixedCone, VisualCone
from phalanx.facade.isaacsim.core.api.objects.cuboid import DynamicCuboid, FixedCuboid, VisualCuboid
from phalanx.facade.isaacsim.core.api.objects.cylinder import DynamicCylinder, FixedCylinder, VisualCylinder
from phalanx.facade.isaacsim.core.api.objects.ground_plane import GroundPlane
from phalanx.facade.isaacsim.core.api.objects.sphere import DynamicSphere, FixedSphere, VisualSphere

__all__ = [
    "DynamicCapsule",
    "DynamicCone",
    "DynamicCuboid",
    "DynamicCylinder",
    "DynamicSphere",
    "FixedCapsule",
    "FixedCone",
    "FixedCuboid",
    "FixedCylinder",
    "FixedSphere",
    "GroundPlane",
    "VisualCapsule",
    "VisualCone",
    "VisualCuboid",
    "VisualCylinder",
    "VisualSphere",
]
