"""The command that makes surface grippers."""

from __future__ import annotations

from phalanx.facade import stage as stages
from phalanx.facade.omni.usd import get_stage_next_free_path
from phalanx.facade.usd.schema.isaac.robot_schema import CreateSurfaceGripper
from phalanx.io.formats.usd.bindings import Prim


def create_surface_gripper(prim_path: str = "") -> Prim:
    """The command ``CreateSurfaceGripper``: a surface gripper without attachment points, at a path that is free.

    Args:
        prim_path: of the prim below which it is called ``SurfaceGripper``; the stage's default prim if it is empty.
    """
    stage = stages.get_stage()
    parent = prim_path or str(stage.GetDefaultPrim().GetPath() if stage.GetDefaultPrim() else "/")
    path = get_stage_next_free_path(stage, f"{parent.rstrip('/')}/SurfaceGripper", False)
    return CreateSurfaceGripper(stage, path)


COMMANDS = {"CreateSurfaceGripper": create_surface_gripper}
"""Functions by the names of commands."""

__all__ = ["COMMANDS", "create_surface_gripper"]
