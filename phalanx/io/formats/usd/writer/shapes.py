"""Shapes as geometry, with what collides and what is looked at apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.io.formats.usd.bindings import Prim, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade, Vt
from phalanx.io.formats.usd.shapes import APPROXIMATIONS
from phalanx.io.formats.usd.writer.writing import Writing, place
from phalanx.models.meshes.height_fields import grid_triangles
from phalanx.models.primitives import BLOCK, PRIMITIVES, TURNED
from phalanx.models.robot_model import Body, Shape
from phalanx.models.surface import Material

TYPES = {kind: each.names.usd[0] for kind, each in PRIMITIVES.items() if each.names.usd}

TOKENS = {ours: theirs for theirs, ours in reversed(APPROXIMATIONS.items())}
"""What stands for a mesh, in the words of UsdPhysics; of several the first."""


class Shapes:
    """Writes the shapes of a robot's bodies; ``written`` are those that collide, by path."""

    def __init__(self, writing: Writing, prototypes: str, surface: dict[str, Any] | None) -> None:
        """Args:
        prototypes: path of the class that visual shapes of each body are kept in, to be instanced; or empty.
        surface: fields of the material of colliders that have none of their own; ``None``: they get none.
        """
        self._writing, self._prototypes, self._surface = writing, prototypes, surface
        self._materials: dict[str, Any] = {}
        self._home = ""
        self.written: dict[str, Shape] = {}

    def write(self, path: str, body: Body) -> None:
        """The shapes of a body below its prim."""
        stage = self._writing.stage
        if body.visuals:
            looks = here = self._writing.free(path, "visuals")
            if self._prototypes:
                here = self._writing.free(self._prototypes, path.rpartition("/")[2])
            UsdGeom.Xform.Define(stage, here)
            for shape in body.visuals:
                self._geometry(here, shape)
            if here != looks:
                instance = UsdGeom.Xform.Define(stage, looks).GetPrim()
                instance.GetReferences().AddInternalReference(Sdf.Path(here))
                instance.SetInstanceable(True)
        if body.collisions:
            scope = self._writing.free(path, "collisions")
            group = UsdGeom.Xform.Define(stage, scope)
            if body.visuals:
                group.CreatePurposeAttr(UsdGeom.Tokens.guide)
            for shape in body.collisions:
                prim = self._geometry(scope, shape)
                if prim is not None:
                    self._collider(prim, shape)

    def _geometry(self, parent: str, shape: Shape) -> Prim | None:
        path = self._writing.free(parent, shape.name.rpartition("/")[2] or shape.kind)
        if shape.kind in ("mesh", "height_field"):
            prim = self._mesh(path, shape)
        elif shape.kind in TYPES:
            prim = self._primitive(path, shape)
        else:
            self._writing.note(f'shape "{shape.name}": a {shape.kind} on a body of a robot is not written.')
            return None
        if prim is not None and shape.color is not None:
            r, g, b, alpha = shape.color
            gprim = UsdGeom.Gprim(prim)
            gprim.CreateDisplayColorAttr([(r, g, b)])
            if alpha != 1.0:
                gprim.CreateDisplayOpacityAttr([alpha])
        return prim

    def _primitive(self, path: str, shape: Shape) -> Prim:
        geometry = getattr(UsdGeom, TYPES[shape.kind]).Define(self._writing.stage, path)
        scale = None
        dimensions = PRIMITIVES[shape.kind].dimensions
        if dimensions == BLOCK:
            geometry.CreateSizeAttr(1.0)
            scale = [2.0 * half for half in shape.size]
        else:
            geometry.CreateRadiusAttr(float(shape.size[0]))
            if dimensions == TURNED:
                geometry.CreateHeightAttr(2.0 * shape.size[1])
                geometry.CreateAxisAttr(UsdGeom.Tokens.z)
        place(geometry.GetPrim(), shape.position, shape.orientation, scale)
        extent = UsdGeom.Boundable.ComputeExtentFromPlugins(geometry, Usd.TimeCode.Default())
        geometry.CreateExtentAttr(extent)
        return geometry.GetPrim()

    def _mesh(self, path: str, shape: Shape) -> Prim | None:
        if shape.kind == "height_field":
            assert shape.heights is not None, "a height field has heights"
            vertices, faces = grid_triangles(shape.heights, shape.size)
        else:
            vertices, faces = shape.vertices, shape.faces
        if vertices is None or faces is None or not len(faces):
            self._writing.note(f'shape "{shape.name}": a mesh without triangles is not written.')
            return None
        mesh = UsdGeom.Mesh.Define(self._writing.stage, path)
        write_triangles(mesh, vertices, faces)
        place(mesh.GetPrim(), shape.position, shape.orientation)
        return mesh.GetPrim()

    def _collider(self, prim: Prim, shape: Shape) -> None:
        self.written[str(prim.GetPath())] = shape
        api = UsdPhysics.CollisionAPI.Apply(prim)
        if not shape.contact_type and not shape.contact_affinity:
            api.CreateCollisionEnabledAttr(False)
        if shape.kind in ("mesh", "height_field"):
            kind = "triangle_mesh" if shape.kind == "height_field" or shape.approximation == "none" else None
            UsdPhysics.MeshCollisionAPI.Apply(prim).CreateApproximationAttr(TOKENS[kind or shape.approximation])
            if shape.approximation == "sdf" and shape.sdf is not None:
                values = {"sdfResolution": int(shape.sdf.resolution), "sdfMargin": float(shape.sdf.margin)}
                self._writing.physx(prim, "PhysxSDFMeshCollisionAPI", "", values)
            if shape.double_sided:
                UsdGeom.Gprim(prim).CreateDoubleSidedAttr(True)
        material = shape.material or {}
        values = {
            "contactOffset": shape.contact_offset,
            "restOffset": shape.rest_offset,
            "torsionalPatchRadius": material.get("torsional_patch_radius"),
            "minTorsionalPatchRadius": material.get("min_torsional_patch_radius"),
        }
        given = {name: float(value) for name, value in values.items() if value is not None}
        self._writing.physx(prim, "PhysxCollisionAPI", "", given)
        if shape.material is not None or self._surface is not None:
            surface = {**(self._surface or {}), **material}
            binding = UsdShade.MaterialBindingAPI.Apply(prim)
            binding.Bind(self._material(surface), UsdShade.Tokens.weakerThanDescendants, "physics")

    def _material(self, fields: dict[str, Any]) -> Any:
        """A physics material with fields of :class:`phalanx.Material`; equal ones are one."""
        made = Material(**{name: value for name, value in fields.items() if "radius" not in name})
        if repr(made) not in self._materials:
            if not self._home:
                self._home = self._writing.free(self._writing.done.path, "physics_materials")
                UsdGeom.Scope.Define(self._writing.stage, self._home)
            path = self._writing.free(self._home, f"material_{len(self._materials)}")
            material = UsdShade.Material.Define(self._writing.stage, path)
            api = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
            api.CreateStaticFrictionAttr(made.static_friction)
            api.CreateDynamicFrictionAttr(made.dynamic_friction)
            api.CreateRestitutionAttr(made.restitution)
            modes: dict[str, Any] = {
                "frictionCombineMode": made.friction_combine,
                "restitutionCombineMode": made.restitution_combine,
            }
            if made.contact_stiffness > 0.0:
                modes |= {
                    "compliantContactStiffness": made.contact_stiffness,
                    "compliantContactDamping": made.contact_damping,
                }
                if made.contact_combine == "series":
                    self._writing.note("springs of contacts one behind the other cannot be said; they are combined.")
            self._writing.physx(material.GetPrim(), "PhysxMaterialAPI", "", modes)
            self._materials[repr(made)] = material
        return self._materials[repr(made)]


def write_triangles(mesh: Any, vertices: np.ndarray, faces: np.ndarray) -> None:
    """Fill a ``UsdGeom.Mesh`` with vertices (n, 3) and triangles (m, 3), counter-clockwise seen from outside."""
    points = np.ascontiguousarray(vertices, np.float32)
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points))
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(faces), 3, np.int32)))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(np.ascontiguousarray(faces, np.int32).reshape(-1)))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateExtentAttr(UsdGeom.PointBased.ComputeExtent(mesh.GetPointsAttr().Get()))
