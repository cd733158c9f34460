"""Shapes, meshes, lights and grounds: prims are made where there are none, and wrapped where there are."""

from __future__ import annotations

from .ground_plane import GroundPlane
from .lights import CylinderLight, DiskLight, DistantLight, DomeLight, Light, RectLight, SphereLight
from .mesh import Mesh
from .shapes import Capsule, Cone, Cube, Cylinder, Plane, Shape, Sphere

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
