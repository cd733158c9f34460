"""Where importers put robots: on the stage that is open, or in a file of their own."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable

from phalanx.facade import stage as stages
from phalanx.facade.omni.usd import get_stage_next_free_path
from phalanx.io.formats.usd.bindings import Gf, Sdf, Stage, Tf, Usd, UsdGeom, UsdPhysics
from phalanx.io.formats.usd.writer import Written, save_stage

logger = logging.getLogger("phalanx.facade")


def put(
    write: Callable[[Stage, str], Written],
    name: str,
    source: str,
    *,
    prim_path: str = "",
    dest_path: str = "",
    default_prim: bool = False,
    physics_scene: bool = False,
) -> tuple[Stage, Written]:
    """Have a robot written to a new file, or to the open stage if none is named.

    Args:
        write: writes the robot to a stage, at a path.
        name: of the robot.
        source: its file, for messages.
        prim_path: where it is on the stage; by default its name, below the stage's default prim if it has one. If
            something is there already, the path gets a number.
        dest_path: a USD file, which is replaced; the open stage is left as it is.
        default_prim: whether it becomes the stage's default prim; it always is in a file.
        physics_scene: whether a physics scene is made if the stage has none.

    Returns:
        The stage that the robot was written to, and where it is.

    Raises:
        ValueError: the open stage is not in metres, kilograms and z up.
        OSError: the file cannot be written.
    """
    stage = Usd.Stage.CreateInMemory() if dest_path else stages.get_stage()
    path = prim_path or f"/{Tf.MakeValidIdentifier(name or 'robot')}"
    if not dest_path:
        default = stage.GetDefaultPrim()
        if default and not prim_path:
            path = f"{default.GetPath()}{path}"
        path = get_stage_next_free_path(stage, path, False)
    written = write(stage, path)
    for note in written.notes:
        logger.warning("%s: %s", source, note)
    if default_prim or dest_path:
        stage.SetDefaultPrim(stage.GetPrimAtPath(written.path))
    if physics_scene and not any(prim.IsA(UsdPhysics.Scene) for prim in stage.Traverse()):
        scene = UsdPhysics.Scene.Define(stage, Sdf.Path("/physicsScene"))
        scene.CreateGravityDirectionAttr(Gf.Vec3f(0.0, 0.0, -1.0))
        scene.CreateGravityMagnitudeAttr(9.81 / UsdGeom.GetStageMetersPerUnit(stage))
    if dest_path:
        file = os.path.abspath(dest_path)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        save_stage(stage, file)
    return stage, written


def articulation_root(stage: Stage, path: str) -> str:
    """The prim at or below a path that is the root of an articulation; the path itself if none is."""
    for prim in Usd.PrimRange(stage.GetPrimAtPath(path)):
        if prim.HasAPI(UsdPhysics.ArticulationRootAPI):
            return str(prim.GetPath())
    return path


def check_metres(scale: float) -> None:
    """Refuse a scale of distances that is not 1.

    Raises:
        ValueError: it is another one.
    """
    if scale != 1.0:
        raise ValueError(
            f"import_config.distance_scale is {scale:g}; robots are written in metres, leave it at 1 and scale the "
            "stage that refers to them"
        )


__all__ = ["articulation_root", "check_metres", "put"]
