"""Deformable bodies of a stage: meshes with PhysX's schema, filled with tetrahedra; for cloth, see the next module."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.io.formats.usd.bindings import Prim, UsdPhysics, UsdShade
from phalanx.io.formats.usd.frames import Quaternion, Vector, inverse, orientation_of, position_of, rigid
from phalanx.io.formats.usd.meshes import triangles
from phalanx.io.formats.usd.shapes import color_of
from phalanx.io.formats.usd.values import Reading
from phalanx.models.meshes.cloth_mesh import ClothMesh
from phalanx.models.meshes.fill import fill_surface
from phalanx.models.meshes.point_set import PointSet
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.models.robot_model import Shape

SCHEMA = "PhysxDeformableBodyAPI"
MATERIAL = "PhysxDeformableBodyMaterialAPI"

RESOLUTION = 10
"""Cells along the longest side where a prim does not say."""

DAMPING = 0.005
"""1/s, of velocities, where a prim does not say."""

MOST_POISSON = 0.4999
"""Poisson's ratios of PhysX up to 0.5 are taken as this at most."""


@dataclass
class DeformableModel:
    """A deformable body, ready for a world.

    ``arguments`` are those of :meth:`phalanx.World.add_soft_body`, of ``add_cloth`` where the mesh is of triangles, or
    of ``add_particles`` where it is points. Of cloth and particles ``node_of`` has the node of each point of the prim,
    ``velocities`` (n, 3) those of nodes, m/s, if any.
    """

    name: str
    path: str
    mesh: TetMesh | ClothMesh | PointSet
    position: Vector
    orientation: Quaternion
    arguments: dict[str, Any]
    node_of: np.ndarray | None = None
    velocities: np.ndarray | None = None


def is_deformable(reading: Reading, prim: Prim) -> bool:
    """Whether a prim is a deformable body that is switched on."""
    return reading.has(prim, SCHEMA) and reading.flag(prim, "physxDeformable:deformableEnabled", True)


def read(reading: Reading, prim: Prim, name: str) -> DeformableModel:
    """A deformable body.

    Raises:
        LoadError: it is no mesh, or one that is not closed, or one of its values makes no sense.
    """
    if str(prim.GetTypeName()) not in ("Mesh", "TetMesh"):
        raise reading.error(
            prim, f"a deformable body must be a Mesh or a TetMesh, not a {prim.GetTypeName() or 'prim'}."
        )
    transform = reading.transform(prim)
    frame = rigid(transform)
    own = inverse(frame) @ transform
    mesh = _mesh(reading, prim, own)
    touching = _given(reading, prim, own, "collision")
    arguments: dict[str, Any] = {
        "damping": reading.number(prim, "physxDeformable:vertexVelocityDamping", DAMPING, least=0.0),
        "kinematic": reading.flag(prim, "physxDeformable:kinematicEnabled", False),
        "disable_gravity": reading.flag(prim, "physxDeformable:disableGravity", False),
        **_offsets(reading, prim),
        **_material(reading, prim),
    }
    if prim.HasAPI(UsdPhysics.MassAPI):
        mass = reading.number(prim, "physics:mass", 0.0, least=0.0) * reading.units.mass
        density = reading.number(prim, "physics:density", 0.0, least=0.0) * reading.units.density
        if mass or density:
            arguments.pop("density", None)
            arguments |= {"mass": mass} if mass else {"density": density}
    if str(prim.GetTypeName()) == "Mesh" and len(reading.numbers(prim, "faceVertexIndices")):
        vertices, faces = triangles(reading, prim, own)
        arguments["visual"] = Shape("mesh", vertices=vertices, faces=faces, color=color_of(reading, prim))
    if touching is not None and not _same(touching, mesh):
        arguments["collision"] = touching
    if reading.flag(prim, "physxDeformable:selfCollision", False):
        arguments["touches_cloth"] = True
    return DeformableModel(name, str(prim.GetPath()), mesh, position_of(frame), orientation_of(frame), arguments)


def _mesh(reading: Reading, prim: Prim, transform: np.ndarray) -> TetMesh:
    """Tetrahedra as the prim has them, or such as fill its surface."""
    path = reading.place(prim)
    if (given := _given(reading, prim, transform, "simulation")) is not None:
        return given
    if str(prim.GetTypeName()) == "TetMesh":
        points = reading.numbers(prim, "points").reshape(-1, 3)
        return TetMesh(points @ transform[:3, :3].T + transform[:3, 3], reading.numbers(prim, "tetVertexIndices"), path)
    vertices, faces = triangles(reading, prim, transform)
    return fill_surface(vertices, faces, resolution_of(reading, prim), path)


def resolution_of(reading: Reading, prim: Prim) -> int:
    """Cells along the longest side that a prim asks for."""
    return int(reading.number(prim, "physxDeformable:simulationHexahedralResolution", RESOLUTION, least=1.0))


def _given(reading: Reading, prim: Prim, transform: np.ndarray, what: str) -> TetMesh | None:
    """Tetrahedra of the mesh for ``what``, simulation or collision, that the schema has, if any."""
    nodes = reading.numbers(prim, f"physxDeformable:{what}RestPoints").reshape(-1, 3)
    tets = reading.numbers(prim, f"physxDeformable:{what}Indices")
    if not len(nodes) or not len(tets):
        return None
    if len(tets) % 4:
        raise reading.error(prim, f"physxDeformable:{what}Indices has {len(tets)} numbers, not 4 for each tetrahedron.")
    return TetMesh(nodes @ transform[:3, :3].T + transform[:3, 3], tets, reading.place(prim))


def _same(one: TetMesh, other: TetMesh) -> bool:
    return np.array_equal(one.nodes, other.nodes) and np.array_equal(one.tets, other.tets)


def material_of(prim: Prim) -> Prim | None:
    """The deformable material that is bound to a prim."""
    found = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")[0]
    if not found or MATERIAL not in found.GetPrim().GetPrimTypeInfo().GetAppliedAPISchemas():
        return None
    return found.GetPrim()


def _offsets(reading: Reading, prim: Prim) -> dict[str, Any]:
    found = {}
    for ours, theirs in (("contact_offset", "contactOffset"), ("rest_offset", "restOffset")):
        value = reading.number(prim, f"physxCollision:{theirs}", -math.inf, infinite=True)
        if math.isfinite(value):
            found[ours] = value * reading.units.length
    if found.get("rest_offset", 0.0) >= found.get("contact_offset", math.inf):
        raise reading.error(prim, "physxCollision:contactOffset must be above the rest offset.")
    return found


def _material(reading: Reading, prim: Prim) -> dict[str, Any]:
    """Elasticity, density and friction. PhysX's values of a material that does not say, and where none is bound."""
    material, prefix = material_of(prim), "physxDeformableBodyMaterial:"
    for target in prim.GetRelationship("material:binding:physics").GetTargets():
        bound = prim.GetStage().GetPrimAtPath(target)
        if not bound or not UsdShade.Material(bound):
            what = f"a {bound.GetTypeName() or 'prim'}" if bound else "not there"
            raise reading.error(prim, f"material:binding:physics names <{target}>, which is {what}; bind a Material.")
        if material is None:
            reading.notes.add(prim, f"its material <{target}> has no {MATERIAL}; default values are taken.")

    def number(name: str, default: float) -> float:
        return default if material is None else reading.number(material, prefix + name, default, least=0.0)

    pressure = reading.units.mass / reading.units.length
    young = number("youngsModulus", 5e7 / pressure) * pressure
    if young <= 0.0:
        raise reading.error(material, f"{prefix}youngsModulus = {young:g} must be above 0.")
    nu = number("poissonsRatio", 0.45)
    if nu > 0.5:
        raise reading.error(material, f"{prefix}poissonsRatio = {nu:g} must be at most 0.5.")
    friction = number("dynamicFriction", 0.25)
    scale = number("dampingScale", 1.0)
    if scale > 1.0:
        raise reading.error(material, f"{prefix}dampingScale = {scale:g} must be at most 1.")
    density = number("density", 0.0) * reading.units.density
    return {
        "youngs_modulus": young,
        "poissons_ratio": min(nu, MOST_POISSON),
        "elasticity_damping": scale * number("elasticityDamping", 0.005),
        "static_friction": friction,
        "dynamic_friction": friction,
        **({"density": density} if density else {}),
    }
