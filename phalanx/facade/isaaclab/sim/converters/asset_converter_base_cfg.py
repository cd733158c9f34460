"""What all converters are told."""

from __future__ import annotations

from dataclasses import MISSING

from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class AssetConverterBaseCfg:
    """Which file to convert, and where to."""

    asset_path: str = MISSING  # pyright: ignore[reportAssignmentType]
    """The file to convert."""

    usd_dir: str | None = None
    """Folder that the USD file is put into. ``None``: a new one for every conversion, among the temporary files."""

    usd_file_name: str | None = None
    """Name of the USD file, to which ".usd" is added if it has no such ending. ``None``: that of the file."""

    force_usd_conversion: bool = False
    """Convert also where nothing has changed since the last conversion into the folder."""

    make_instanceable: bool = True
    """Whether what is drawn is instances, so that copies of the asset share it."""
