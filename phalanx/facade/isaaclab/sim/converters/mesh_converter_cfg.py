"""How a mesh file is converted."""

from __future__ import annotations

from phalanx.facade.isaaclab.sim.converters.asset_converter_base_cfg import AssetConverterBaseCfg
from phalanx.facade.isaaclab.sim.schemas import schemas_cfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class MeshConverterCfg(AssetConverterBaseCfg):
    """A mesh file, and what its physics is."""

    mass_props: schemas_cfg.MassPropertiesCfg | None = None
    """Its mass; ``None``: nothing is said."""

    rigid_props: schemas_cfg.RigidBodyPropertiesCfg | None = None
    """``None``: it is no rigid body."""

    collision_props: schemas_cfg.CollisionPropertiesCfg | None = None
    """``None``: it does not collide."""

    mesh_collision_props: schemas_cfg.MeshCollisionPropertiesCfg | None = None
    """What stands for it in collisions; ``None``: ``collision_approximation`` says that."""

    collision_approximation: str = "convexDecomposition"
    """The same in one of UsdPhysics's words, as older scripts have it: "convexDecomposition", "convexHull",
    "boundingCube", "boundingSphere", "meshSimplification", or "none", its triangles."""

    translation: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Of the mesh in its asset, m."""

    rotation: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    """The same, a quaternion (w, x, y, z)."""

    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """The same, along the mesh's own axes."""
