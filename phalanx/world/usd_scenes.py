"""The part of a world that takes in what USD files and stages hold."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from phalanx.io.formats.scene_file import warn_of
from phalanx.models.meshes.cloth_mesh import ClothMesh
from phalanx.models.meshes.point_set import PointSet
from phalanx.world.contents import Contents
from phalanx.world.scenes import AddedScene, Scenes, add_grounds

if TYPE_CHECKING:
    from phalanx.io.formats.usd import Scene


class UsdScenes(Scenes):
    """The part of a world that takes in what USD files and stages hold."""

    def add_usd(
        self,
        source: str | os.PathLike[str] | Any,
        prim: str = "/",
        *,
        prefix: str = "",
        asset_dirs: Iterable[str | os.PathLike[str]] = (),
        visuals: bool = False,
        fix_inertias: bool = False,
    ) -> AddedScene:
        """Add all that a USD file, or a prim of it, has below it to every environment.

        Bodies that joints connect become a robot if one of them, or what they are below, is an articulation root, else
        rigid objects, dynamic or kinematic, with joints between them. Colliders without a rigid body become static
        objects, planes grounds. Robots are called as the prim that all of their bodies are below, or as their root,
        others as their own prim; ``prims`` of what is returned has actor and body for each prim.

        Args:
            source: a .usd, .usda, .usdc or .usdz file, or an open ``pxr.Usd.Stage``.
            prim: the path of a prim; it and what is below it is added.
            prefix: put before the names of robots, objects and joints between them.
            asset_dirs: folders that what the file refers to may lie in, besides the file's own.
            visuals: also load shapes that are only to be looked at.
            fix_inertias: replace inertias that no body can have by the nearest that one can have, with a warning.

        Raises:
            ImportError: the package usd-core is not installed (extra ``isaac``).
            LoadError: the file cannot be used. What is not simulated is warned of and listed in ``warnings``.
            ValueError: a name is taken; nothing is added then.
        """
        self._not_built("add_usd")
        from phalanx.io.formats import usd
        from phalanx.io.formats.usd.source import open_stage

        stage, name = source, ""
        if isinstance(source, str | os.PathLike):
            name = os.fspath(source)
            folders = (asset_dirs,) if isinstance(asset_dirs, str | os.PathLike) else asset_dirs
            stage = open_stage(name, folders)
        scene = usd.read_stage(stage, prim, visuals=visuals, name=name, inertias="fix" if fix_inertias else "refuse")
        taken = [prefix + name for name in scene.actors if prefix + name in self.actors]
        taken += [prefix + one.name for one in scene.deformables if prefix + one.name in self.all_deformables]
        taken += [prefix + held.name for held in scene.held if prefix + held.name in self.joints]
        if taken:
            raise ValueError(f"add_usd: there is already something named {taken[0]!r}; pass another prefix=")
        made = add_scene(scene, self, prefix)
        warn_of(scene.warnings, scene.source)
        return made


def add_scene(scene: Scene, world: Contents, prefix: str = "") -> AddedScene:
    """Add all that was read of a stage to a world."""
    made = AddedScene(scene.name, world, options=scene.options, warnings=scene.warnings)
    made.keyframe_names = scene.keyframes
    add_grounds(world, scene.grounds)
    for actor in scene.actors.values():
        name, model = prefix + actor.name, actor.model
        if actor.kind == "robot":
            made.robots[name] = world.add_robot(model, name)
        else:
            made.objects[name] = world.add_rigid_object(
                model,
                name,
                kind=actor.kind,
                position=model.position or (0.0, 0.0, 0.0),
                orientation=model.orientation or (1.0, 0.0, 0.0, 0.0),
                locked_axes=actor.locked_axes,
            )
        made.prims |= {path: (name, body) for path, body in actor.bodies.items()}
    for soft in scene.deformables:
        name = prefix + soft.name
        place: dict[str, Any] = {"position": soft.position, "orientation": soft.orientation}
        if isinstance(soft.mesh, ClothMesh):
            made.cloths[name] = world.add_cloth(soft.mesh, name, **place, **soft.arguments)
        elif isinstance(soft.mesh, PointSet):
            made.particles[name] = world.add_particles(soft.mesh, name, **place, **soft.arguments)
        else:
            made.deformables[name] = world.add_soft_body(soft.mesh, name, **place, **soft.arguments)
        made.deformable_prims[soft.path] = name
    for (a, body_a), (b, body_b) in scene.separated:
        world.disable_collision((prefix + a, body_a), (prefix + b, body_b))
    for held in scene.held:
        a, b = held.a, held.b
        made.joints[prefix + held.name] = world.add_joint(
            held.kind,
            (prefix + a[0], a[1]),
            None if b is None else (prefix + b[0], b[1]),
            name=prefix + held.name,
            **held.arguments,
        )
    return made
