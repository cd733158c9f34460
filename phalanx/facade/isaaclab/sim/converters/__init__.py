"""Makes USD files of files of other formats: robots from URDF and MJCF, meshes."""

from phalanx.facade.isaaclab.sim.converters.asset_converter_base import AssetConverterBase
from phalanx.facade.isaaclab.sim.converters.asset_converter_base_cfg import AssetConverterBaseCfg
from phalanx.facade.isaaclab.sim.converters.mesh_converter import MeshConverter
from phalanx.facade.isaaclab.sim.converters.mesh_converter_cfg import MeshConverterCfg
from phalanx.facade.isaaclab.sim.converters.mjcf_converter import MjcfConverter
from phalanx.facade.isaaclab.sim.converters.mjcf_converter_cfg import MjcfConverterCfg
from phalanx.facade.isaaclab.sim.converters.urdf_converter import UrdfConverter
from phalanx.facade.isaaclab.sim.converters.urdf_converter_cfg import UrdfConverterCfg

__all__ = [
    "AssetConverterBase",
    "AssetConverterBaseCfg",
    "MeshConverter",
    "MeshConverterCfg",
    "MjcfConverter",
    "MjcfConverterCfg",
    "UrdfConverter",
    "UrdfConverterCfg",
]
