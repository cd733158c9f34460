"""Reads USD into models of robots and objects: UsdPhysics, and the attributes of PhysX by their names.

:func:`load_scene` reads a file, :func:`read_stage` what a ``pxr.Usd.Stage`` has below a prim, :func:`load_robot` a file
with one robot. All read prims as they are composed, with references, payloads, instances and variants.
:func:`write_robot` writes a model as USD, see :mod:`phalanx.io.formats.usd.writer`.

* Bodies that joints connect are a robot if an articulation root is among them or above them; others are rigid objects.
  Colliders without a rigid body are static objects, planes grounds. Joints that are in no tree hold bodies together.
* Numbers become SI: metersPerUnit, kilogramsPerUnit and degrees are taken into account, and y up becomes z up.
* Scale is in shapes and frames; the frame of a body has none.
* Where nothing is said, it is as in PhysX: friction 0.5 without a material, angular damping 0.05, inertia of bodies
  without colliders. Bodies sleep, and solvers iterate more, only where the stage says so.
* What would change the motion and is not simulated is in the warnings, by file and prim.

The package usd-core must be installed: extra ``isaac``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from phalanx.io.formats.scene_file import one_robot
from phalanx.io.formats.usd.models import ActorModel
from phalanx.io.formats.usd.options import Options
from phalanx.io.formats.usd.scene import Held, Scene, read_stage
from phalanx.io.formats.usd.scene import load as load_scene
from phalanx.io.formats.usd.writer import Written, write_robot
from phalanx.models.robot_model import RobotModel


def load_robot(
    path: str | os.PathLike[str],
    asset_dirs: Iterable[str | os.PathLike[str]] = (),
    visuals: bool = True,
    *,
    fix_inertias: bool = False,
) -> RobotModel:
    """The one robot of a file, or its one dynamic body if it has no robot. Everything else is left out, with a warning.

    Where some robots have joints that move, those that have none do not count.

    Raises:
        LoadError: the file cannot be used, or has not exactly one.
    """
    scene = load_scene(path, asset_dirs, visuals, fix_inertias=fix_inertias)
    moving = [one for one in scene.robots if any(joint.type != "fixed" for joint in one.model.joints)] or scene.robots
    moving = moving or [actor for actor in scene.actors.values() if actor.kind == "dynamic"]
    robots = {actor.name: actor.model for actor in moving}
    contents = [*scene.actors, *(["its grounds"] if scene.grounds else [])]
    contents += [f'the joint "{held.name}"' for held in scene.held]
    return one_robot(path, robots, contents, scene.warnings, "world.add_usd()")


__all__ = [
    "ActorModel",
    "Held",
    "Options",
    "Scene",
    "Written",
    "load_robot",
    "load_scene",
    "read_stage",
    "write_robot",
]
