"""Commands that import MJCF files."""

from __future__ import annotations

from phalanx.facade.isaacsim.asset.importer.mjcf._mjcf import ImportConfig, acquire_mjcf_interface


def create_asset(
    mjcf_path: str = "", import_config: ImportConfig | None = None, prim_path: str = "", dest_path: str = ""
) -> str:
    """The command ``MJCFCreateAsset``: see :meth:`._mjcf.Mjcf.create_asset_mjcf`. Returns the robot's path."""
    return acquire_mjcf_interface().create_asset_mjcf(mjcf_path, prim_path, import_config, dest_path)


COMMANDS = {"MJCFCreateImportConfig": ImportConfig, "MJCFCreateAsset": create_asset}
"""Functions by the names of commands."""

__all__ = ["COMMANDS", "create_asset"]
