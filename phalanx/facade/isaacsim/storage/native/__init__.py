"""What scripts import as ``isaacsim.storage.native``: folders and files of assets."""

from phalanx.facade.isaacsim.core.utils.nucleus import (
    find_nucleus_server,
    get_assets_root_path,
    get_assets_root_path_async,
    get_full_asset_path,
    get_full_asset_path_async,
    get_isaac_asset_root_path,
    get_nvidia_asset_root_path,
    get_server_path,
    get_server_path_async,
    get_url_root,
)

__all__ = [
    "find_nucleus_server",
    "get_assets_root_path",
    "get_assets_root_path_async",
    "get_full_asset_path",
    "get_full_asset_path_async",
    "get_isaac_asset_root_path",
    "get_nvidia_asset_root_path",
    "get_server_path",
    "get_server_path_async",
    "get_url_root",
]
