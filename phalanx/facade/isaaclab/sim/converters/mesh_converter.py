"""Assets from mesh files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from phalanx.facade.isaaclab.sim import schemas
from phalanx.facade.isaaclab.sim.converters.asset_converter_base import AssetConverterBase, logger
from phalanx.facade.isaaclab.sim.converters.mesh_converter_cfg import MeshConverterCfg
from phalanx.io.formats.usd.bindings import Gf, Sdf, Stage, Tf, Usd, UsdGeom, UsdPhysics
from phalanx.io.formats.usd.shapes import APPROXIMATIONS
from phalanx.io.formats.usd.writer import save_stage
from phalanx.io.formats.usd.writer.shapes import write_triangles
from phalanx.models.meshes.mesh_files import load_mesh


class MeshConverter(AssetConverterBase):
    """Writes a mesh file (STL, OBJ, COLLADA, PLY, GLB) as USD: an Xform, the asset, with ``geometry/mesh`` below.

    Mass and rigid body are said of the asset, colliders of the mesh. Parts of a scene are joined; materials and colours
    are not taken over.
    """

    cfg: MeshConverterCfg

    def _convert_asset(self, cfg: MeshConverterCfg) -> None:
        vertices, faces = load_mesh(cfg.asset_path)
        given = Path(cfg.asset_path).stem
        name = str(Tf.MakeValidIdentifier(given))
        if name != given:
            logger.warning("'%s' is no name that USD allows; the asset is called '%s'", given, name)
        home, stage = f"/{name}", _stage(f"/{name}")
        geometry = UsdGeom.Xform.Define(stage, f"{home}/geometry")
        mesh = UsdGeom.Mesh.Define(stage, f"{home}/geometry/mesh")
        write_triangles(mesh, vertices, faces)
        self._collide(stage, str(mesh.GetPath()), cfg)
        precision = UsdGeom.XformOp.PrecisionDouble
        geometry.AddTranslateOp(precision).Set(Gf.Vec3d(*map(float, cfg.translation)))
        geometry.AddOrientOp(precision).Set(Gf.Quatd(*map(float, cfg.rotation)).GetNormalized())
        geometry.AddScaleOp(precision).Set(Gf.Vec3d(*map(float, cfg.scale)))
        shared = os.path.join(self.usd_dir, self.usd_instanceable_meshes_path)
        if cfg.make_instanceable:
            os.makedirs(os.path.dirname(shared), exist_ok=True)
            save_stage(stage, shared)
            stage.RemovePrim(geometry.GetPath())
            UsdGeom.Xform.Define(stage, f"{home}/geometry").GetPrim().SetInstanceable(True)
        if cfg.mass_props is not None:
            schemas.define_mass_properties(home, cfg.mass_props, stage)
        if cfg.rigid_props is not None:
            schemas.define_rigid_body_properties(home, cfg.rigid_props, stage)
        save_stage(stage, self.usd_path)
        if cfg.make_instanceable:
            # Only in the file: what is relative to it cannot be found from a stage in memory.
            layer = Sdf.Layer.FindOrOpen(self.usd_path)
            name = Path(self.usd_instanceable_meshes_path).as_posix()
            reference = Sdf.Reference(f"./{name}", Sdf.Path(f"{home}/geometry"))
            layer.GetPrimAtPath(f"{home}/geometry").referenceList.Prepend(reference)
            layer.Save()

    def _collide(self, stage: Stage, path: str, cfg: MeshConverterCfg) -> None:
        if cfg.collision_props is None:
            return
        schemas.define_collision_properties(path, cfg.collision_props, stage)
        if cfg.mesh_collision_props is not None:
            schemas.define_mesh_collision_properties(path, cfg.mesh_collision_props, stage)
            return
        if cfg.collision_approximation not in APPROXIMATIONS:
            raise ValueError(
                f"collision_approximation={cfg.collision_approximation!r} is unknown; use one of "
                f"{', '.join(APPROXIMATIONS)}"
            )
        api = UsdPhysics.MeshCollisionAPI.Apply(stage.GetPrimAtPath(path))
        api.CreateApproximationAttr(cfg.collision_approximation)


def _stage(home: str) -> Any:
    """A new stage in metres, kilograms and z up, with an Xform that is its default prim."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdPhysics.SetStageKilogramsPerUnit(stage, 1.0)
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, home).GetPrim())
    return stage
