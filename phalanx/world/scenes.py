"""The part of a world that takes in grounds, and whole files of robots, objects and grounds."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.io.formats.scene_file import Ground as FileGround
from phalanx.io.formats.scene_file import warn_of
from phalanx.io.reading.errors import LoadError
from phalanx.models.actuators import Keyframe
from phalanx.models.meshes.cloth_mesh import ClothMesh
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.world.contents import Contents
from phalanx.world.deformables.cloth import Cloth
from phalanx.world.deformables.particles import Particles
from phalanx.world.deformables.rope import Rope
from phalanx.world.deformables.soft_body import SoftBody
from phalanx.world.handles.loop_joint import LoopJoint
from phalanx.world.handles.rigid_object import RigidObject
from phalanx.world.handles.robot import Robot
from phalanx.world.jointed import UNIT, ZERO

if TYPE_CHECKING:
    from phalanx.io.formats.mjcf.flex import FlexModel
    from phalanx.io.formats.mjcf.scene import Scene

STRAIGHT = 1e-9
"""Components of the normals of grounds below this are rounding."""


@dataclass
class AddedScene:
    """What :meth:`phalanx.World.add_mjcf` or ``add_usd`` put into a world, by the names that it has there.

    ``options`` are the file's suggestions of a timestep and gravity, which the world does not follow by itself;
    ``warnings`` say what of the file is odd or not simulated. ``prims`` has (actor, body) for each rigid body of USD,
    by the path of its prim.
    """

    name: str
    world: Contents
    options: Any
    robots: dict[str, Robot] = field(default_factory=dict)
    objects: dict[str, RigidObject] = field(default_factory=dict)
    joints: dict[str, LoopJoint] = field(default_factory=dict)
    deformables: dict[str, SoftBody] = field(default_factory=dict)
    cloths: dict[str, Cloth] = field(default_factory=dict)
    ropes: dict[str, Rope] = field(default_factory=dict)
    particles: dict[str, Particles] = field(default_factory=dict)
    keyframe_names: list[str] = field(default_factory=list)
    prims: dict[str, tuple[str, str]] = field(default_factory=dict)
    deformable_prims: dict[str, str] = field(default_factory=dict)
    """Names of soft bodies, cloth and particles by the paths of their prims."""
    warnings: list[str] = field(default_factory=list)

    def set_keyframe(self, name: str, env_ids: Any = None) -> None:
        """Put all robots and objects of the file into the state that one of its keyframes describes."""
        if name not in self.keyframe_names:
            known = ", ".join(self.keyframe_names) or "none"
            raise KeyError(f"scene {self.name!r} has no keyframe {name!r}; it has {known}")
        for robot in self.robots.values():
            robot.set_keyframe(name, env_ids)
        for thing in self.objects.values():
            frame = next((one for one in thing.model.keyframes if one.name == name), None)
            if frame is not None and not thing.fixed_base:
                velocity = np.array(frame.root_vel or (0.0,) * 6)
                thing.set_root_state(np.array(frame.root_pose or thing.default_root_pose), velocity, env_ids)

    def __repr__(self) -> str:
        return f"<Scene {self.name!r}: robots {list(self.robots)}, objects {list(self.objects)}>"


class Scenes(Contents):
    """The part of a world that takes in what MJCF files hold."""

    def add_mjcf(
        self,
        path: str | os.PathLike[str],
        *,
        prefix: str = "",
        keyframe: str | None = None,
        asset_dirs: Iterable[str | os.PathLike[str]] = (),
        visuals: bool = False,
        fix_inertias: bool = False,
    ) -> AddedScene:
        """Add all that an MJCF file has in its world to every environment.

        Each body that hangs in the world becomes a robot, with all that hangs on it, if it has other joints than a free
        one; else a rigid object: dynamic with a free joint, kinematic if it is a mocap body, or static. Planes become
        grounds, other geoms of the world the static object "world". Names are those of the bodies.

        Args:
            path: the file.
            prefix: put before the names of robots, objects and joints between them.
            keyframe: the one whose poses and joint positions are those that everything starts in and is reset to; what
                the file shows, by default. (:meth:`AddedScene.set_keyframe` also sets velocities and controls.)
            asset_dirs: folders that meshes and included files may lie in, besides the file's own.
            visuals: also load shapes that are only to be looked at.
            fix_inertias: replace inertias that no body can have by the nearest that one can have, with a warning.

        Raises:
            LoadError: the file cannot be used. What is not simulated is warned of and listed in ``warnings``.
            ValueError: a name is taken, or the keyframe is not known; nothing is added then.
        """
        from phalanx.io.formats.mjcf import load_scene

        self._not_built("add_mjcf")
        folders = [os.fspath(folder) for folder in asset_dirs]
        scene = load_scene(Path(path), folders, visuals, fix_inertias=fix_inertias)
        if scene.options.moves_otherwise(self.gravity):
            x, y, z = scene.options.gravity
            here = ", ".join(f"{g:g}" for g in self.gravity)
            scene.warnings.append(
                f"{path}: its gravity, ({x:g}, {y:g}, {z:g}), is not that of the world, ({here}), which holds; pass it "
                "to World(gravity=)."
            )
        made = add_scene(self, scene, prefix, keyframe)
        warn_of(scene.warnings, os.fspath(path))
        return made


def add_scene(world: Contents, scene: Scene, prefix: str = "", keyframe: str | None = None) -> AddedScene:
    """Add all that a scene that was read has; see :meth:`phalanx.World.add_mjcf`."""
    made = AddedScene(scene.name, world, options=scene.options, warnings=scene.warnings)
    made.keyframe_names = scene.keyframes
    if keyframe is not None and keyframe not in made.keyframe_names:
        known = ", ".join(made.keyframe_names) or "none"
        raise ValueError(f"add_mjcf: {scene.source} has no keyframe {keyframe!r}; it has {known}")
    taken = [name for name in scene.trees if prefix + name in world.actors]
    taken += [flex.name for flex in scene.flexes if prefix + flex.name in world.all_deformables]
    taken += [held.name for held in scene.held if prefix + held.name in world.joints]
    if taken:
        raise ValueError(f"add_mjcf: there is already something named {prefix + taken[0]!r}; pass another prefix=")
    add_grounds(world, scene.grounds)
    for tree in scene.trees.values():
        name, model = prefix + tree.name, tree.model
        frame = next((one for one in model.keyframes if one.name == keyframe), Keyframe(""))
        pose = frame.root_pose or (*(model.position or ZERO), *(model.orientation or UNIT))
        if tree.kind == "robot":
            start = {**model.joint_pos, **frame.joint_pos}
            made.robots[name] = world.add_robot(model, name, None, pose[:3], pose[3:], joint_pos=start)
        else:
            made.objects[name] = world.add_rigid_object(
                model, name, kind=tree.kind, position=pose[:3], orientation=pose[3:]
            )
    for (a, body_a), (b, body_b) in scene.separated:
        world.disable_collision((prefix + a, body_a), (prefix + b, body_b))
    _hold(scene, made, prefix)
    _add_flexes(scene, made, prefix)
    return made


def _add_flexes(scene: Scene, made: AddedScene, prefix: str) -> None:
    """Soft bodies, cloth and ropes, tied to the bodies that have them by what is pinned."""
    for flex in scene.flexes:
        name, world = prefix + flex.name, made.world
        try:
            _add_flex(flex, made, name)
        except LoadError:
            raise
        except ValueError as error:  # masses, moduli and distances that bodies cannot have
            raise LoadError(f"{flex.where}: {error}") from None
        if len(flex.pins):
            owner = scene.owner(flex.node)
            world.attach_nodes(name, flex.pins, (prefix + owner, flex.node.name) if owner else None)


def _add_flex(flex: FlexModel, made: AddedScene, name: str) -> None:
    world, place = made.world, {"position": flex.position, "orientation": flex.orientation}
    given: dict[str, Any] = {**place, **flex.arguments}
    if isinstance(flex.mesh, TetMesh):
        made.deformables[name] = world.add_soft_body(flex.mesh, name, **given)
    elif isinstance(flex.mesh, ClothMesh):
        made.cloths[name] = world.add_cloth(flex.mesh, name, **given)
    else:
        made.ropes[name] = world.add_rope(flex.mesh, name, **given)


def add_grounds(world: Contents, grounds: Iterable[FileGround]) -> None:
    """Add the planes that a file has."""
    for ground in grounds:
        normal = [0.0 if abs(n) < STRAIGHT else n for n in ground.normal]
        height = ground.distance / normal[2] if normal[2] else ground.distance
        world.add_ground(
            height,
            normal,
            material=ground.material,
            contact_type=ground.contact_type,
            contact_affinity=ground.contact_affinity,
        )


def _hold(scene: Scene, made: AddedScene, prefix: str) -> None:
    """Joints between bodies that the file holds together."""
    for held in scene.held:
        ends = [(held.a, held.pose_a), (held.b, held.pose_b)]
        if not scene.owner(held.a):
            ends.reverse()
        (a, pose_a), (b, pose_b) = ends
        name = prefix + held.name
        bounds = (
            {} if held.distances is None else dict(zip(("min_distance", "max_distance"), held.distances, strict=True))
        )
        made.joints[name] = made.world.add_joint(
            held.kind,
            (prefix + scene.owner(a), a.name),
            (prefix + scene.owner(b), b.name) if scene.owner(b) else None,
            name=name,
            position_a=pose_a[0].tolist(),
            orientation_a=pose_a[1].tolist(),
            position_b=pose_b[0].tolist(),
            orientation_b=pose_b[1].tolist(),
            collide=True,
            **bounds,
        )
