"""Shapes, meshes, lights and grounds: prims are made where there are none, and wrapped where there are."""

from __future__ import annotations

from phalanx.facade.isaacsim.core.experimental.objects.ground_plane import GroundPlane
from phalanx.facade.isaacsim.core.experimental.objects.lights import (
    CylinderLight,
    DiskLight,
    DistantLight,
    DomeLight,
    Light,
    RectLight,
    SphereLight,
)
from phalanx.facade.isaacsim.core.experimental.objects.mesh import Mesh
from phalanx.facade.isaacsim.core.experimental.objects.shapes import Capsule, Cone, Cube, Cylinder, Plane, Shape, Sphere

__all__ = [
    "Capsule",
    "Cone",
    "Cube",
    "Cylinder",
    "CylinderLight",
    "DiskLight",
    "DistantLight",
    "DomeLight",
    "GroundPlane",
    "Light",
    "Mesh",
    "Plane",
    "RectLight",
    "Shape",
    "Sphere",
    "SphereLight",
]
