"""Commands that import URDF files."""

from __future__ import annotations

import os

from phalanx.facade.isaacsim.asset.importer.urdf._urdf import ImportConfig, acquire_urdf_interface
from phalanx.facade.isaacsim.asset.importer.urdf.robot import UrdfRobot


def parse_file(urdf_path: str = "", import_config: ImportConfig | None = None) -> UrdfRobot:
    """The command ``URDFParseFile``: see :meth:`._urdf.Urdf.parse_urdf`."""
    return acquire_urdf_interface().parse_urdf(*os.path.split(urdf_path), import_config)


def parse_text(urdf_string: str = "", import_config: ImportConfig | None = None) -> UrdfRobot:
    """The command ``URDFParseText``: see :meth:`._urdf.Urdf.parse_string_urdf`."""
    return acquire_urdf_interface().parse_string_urdf(urdf_string, import_config)


def import_robot(
    urdf_path: str = "",
    urdf_robot: UrdfRobot | None = None,
    import_config: ImportConfig | None = None,
    dest_path: str = "",
    get_articulation_root: bool = False,
) -> str:
    """The command ``URDFImportRobot``: see :meth:`._urdf.Urdf.import_robot`. Returns the robot's path."""
    return acquire_urdf_interface().import_robot(
        *os.path.split(urdf_path), urdf_robot, import_config, dest_path, get_articulation_root
    )


def parse_and_import(
    urdf_path: str = "",
    import_config: ImportConfig | None = None,
    dest_path: str = "",
    get_articulation_root: bool = False,
) -> str:
    """The command ``URDFParseAndImportFile``: see :meth:`._urdf.Urdf.import_robot`. Returns the robot's path."""
    return import_robot(urdf_path, None, import_config, dest_path, get_articulation_root)


COMMANDS = {
    "URDFCreateImportConfig": ImportConfig,
    "URDFParseFile": parse_file,
    "URDFParseText": parse_text,
    "URDFImportRobot": import_robot,
    "URDFParseAndImportFile": parse_and_import,
}
"""Functions by the names of commands."""

__all__ = ["COMMANDS", "import_robot", "parse_and_import", "parse_file", "parse_text"]
