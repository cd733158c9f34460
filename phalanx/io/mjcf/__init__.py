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

from phalanx.io.mjcf.scene import Ground, Scene
from phalanx.io.mjcf.scene import load as load_scene
from phalanx.io.model import LoadError, RobotModel


def load_robot(path: str | Path, asset_dirs: Iterable[str | Path] = (), visuals: bool = True) -> RobotModel:
    """The one robot of a file. Grounds and other things that the file has in the world are left out, with a warning.

    Raises:
        LoadError: the file cannot be used, or has not exactly one body in the world that has joints.
    """
    scene = load_scene(path, asset_dirs, visuals)
    robots = [tree for tree in scene.trees.values() if tree.kind in ("robot", "dynamic")]
    if len(robots) != 1:
        names = ", ".join(tree.name for tree in robots[:6]) or "none"
        raise LoadError(
            f"{path}: the file has {len(robots)} robots ({names}) where one is needed; load it as a scene, by "
            "world.add_mjcf()."
        )
    model = robots[0].model
    model.warnings = list(scene.warnings)
    left = [tree.name for tree in scene.trees.values() if tree is not robots[0]]
    left += ["its grounds"] if scene.grounds else []
    if left or scene.held or scene.separated:
        what = (
            ", ".join([*left, *(f'the constraint "{one.name}"' for one in scene.held)]) or "contacts that are excluded"
        )
        model.warnings.append(f"{path}: only the robot is loaded, without {what}; world.add_mjcf() loads all.")
    return model


__all__ = ["Ground", "Scene", "load_robot", "load_scene"]
