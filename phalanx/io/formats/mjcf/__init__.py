"""Reads MJCF files, the format of MuJoCo, into models of robots and objects.

:func:`load_scene` reads a whole file: each body that hangs in the world becomes a robot (with all that hangs on it) if
it has joints besides a free one, and a rigid object if not; planes become grounds, other geoms of the world one static
object. :func:`load_robot` reads a file with one robot.

Names, masses, inertias, joints, coordinates and actuators are those of the format: body frames are where the file has
them, a joint's position is ``ref`` where the file draws it, units are SI. What is settled otherwise:

* Contacts and limits are rigid; friction has one coefficient and, with condim 1, none. The greater one of two holds.
* A robot whose first joint is not a free one hangs on a fixed root body "world".
* Bodies with several joints have a hidden body between each two, which users do not see.
* Meshes collide as their convex hulls, ellipsoids as the hull of points on them.
* Actuators become drives and feed-forward efforts, see :meth:`phalanx.Robot.set_controls`.
* What would change the motion and is not simulated is in the warnings, by file and line. What is for pictures,
  sensors and solvers' settings is ignored.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from phalanx.io.formats.mjcf.scene import Scene
from phalanx.io.formats.mjcf.scene import load as load_scene
from phalanx.io.formats.scene_file import Ground, one_robot
from phalanx.models.robot_model import RobotModel


def load_robot(
    path: str | Path, asset_dirs: Iterable[str | Path] = (), visuals: bool = True, *, fix_inertias: bool = False
) -> RobotModel:
    """The one robot of a file. Grounds and other things that the file has in the world are left out, with a warning.

    Raises:
        LoadError: the file cannot be used, or has not exactly one body in the world that has joints.
    """
    scene = load_scene(path, asset_dirs, visuals, fix_inertias=fix_inertias)
    robots = {name: tree.model for name, tree in scene.trees.items() if tree.kind in ("robot", "dynamic")}
    contents = [*scene.trees, *(["its grounds"] if scene.grounds else [])]
    contents += [f'the constraint "{held.name}"' for held in scene.held]
    if scene.separated:
        contents.append("contacts that are excluded")
    return one_robot(path, robots, contents, scene.warnings, "world.add_mjcf()")


__all__ = ["Ground", "Scene", "load_robot", "load_scene"]
