"""The objects that a world knows by name, initialises and resets."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from phalanx.facade import stage as stages
from phalanx.facade.asset_root import local_path
from phalanx.facade.isaaclab.sim.utils.edits import is_ancestral, remove_prims
from phalanx.facade.isaacsim.core.api.materials import (
    DeformableMaterial,
    DeformableMaterialView,
    ParticleMaterial,
    ParticleMaterialView,
)
from phalanx.facade.isaacsim.core.api.objects.ground_plane import SIZE, GroundPlane, make
from phalanx.facade.isaacsim.core.api.objects.shape import exists, new_physics_material
from phalanx.facade.isaacsim.core.api.robots import Robot, RobotView
from phalanx.facade.isaacsim.core.api.scenes.scene_registry import KINDS, SceneRegistry
from phalanx.facade.isaacsim.core.api.sensors.base_sensor import BaseSensor
from phalanx.facade.isaacsim.core.api.sensors.rigid_contact_view import RigidContactView
from phalanx.facade.isaacsim.core.prims import (
    Articulation,
    ClothPrim,
    DeformablePrim,
    GeometryPrim,
    ParticleSystem,
    RigidPrim,
    SingleArticulation,
    SingleClothPrim,
    SingleDeformablePrim,
    SingleGeometryPrim,
    SingleParticleSystem,
    SingleRigidPrim,
    SingleXFormPrim,
    XFormPrim,
)
from phalanx.facade.isaacsim.core.utils.bounds import compute_aabb, create_bbox_cache
from phalanx.facade.isaacsim.core.utils.stage import add_reference_to_stage
from phalanx.facade.once import tell_once
from phalanx.io.formats.usd.bindings import Stage, UsdGeom

log = logging.getLogger("phalanx.facade")

GROUND = "/Isaac/Environments/Grid/default_environment.usd"
"""Of Isaac Sim's assets: the ground that is asked for by default."""

_ORDER: tuple[tuple[type, str], ...] = (
    (SingleRigidPrim, "rigid_object"),
    (RigidPrim, "rigid_prim_view"),
    (RigidContactView, "rigid_contact_view"),
    (SingleGeometryPrim, "geometry_object"),
    (GroundPlane, "geometry_object"),
    (GeometryPrim, "geometry_prim_view"),
    (Robot, "robot"),
    (RobotView, "robot_view"),
    (SingleArticulation, "articulated_system"),
    (Articulation, "articulated_view"),
    (BaseSensor, "sensor"),
    (SingleClothPrim, "cloth"),
    (ClothPrim, "cloth_view"),
    (SingleParticleSystem, "particle_system"),
    (ParticleSystem, "particle_system_view"),
    (ParticleMaterial, "particle_material"),
    (ParticleMaterialView, "particle_material_view"),
    (SingleDeformablePrim, "deformable"),
    (DeformablePrim, "deformable_view"),
    (DeformableMaterial, "deformable_material"),
    (DeformableMaterialView, "deformable_material_view"),
    (SingleXFormPrim, "xform"),
    (XFormPrim, "xform_view"),
)
"""Classes as they are asked for, the more special ones first, and the methods ``add_...`` of the registry."""

_RESET = (
    "geometry_objects",
    "rigid_objects",
    "rigid_contact_views",
    "geometry_prim_views",
    "articulated_systems",
    "robots",
    "sensors",
    "xforms",
    "robot_views",
    "cloth_prims",
    "particle_systems",
    "particle_materials",
    "cloth_prim_views",
    "particle_system_views",
    "particle_material_views",
    "deformable_prims",
    "deformable_prim_views",
    "deformable_materials",
    "deformable_material_views",
    "rigid_prim_views",
    "articulated_views",
    "xform_prim_views",
)
"""Kinds in the order in which they are reset."""


class Scene:
    """Objects by their names, which a world initialises when it is reset, and puts back into their default states."""

    def __init__(self) -> None:
        self._scene_registry = SceneRegistry()
        self._bbox_cache: Any = None

    @property
    def stage(self) -> Stage:
        """The current stage."""
        return stages.get_stage()

    # -- adding ----------------------------------------------------------------------------------------------

    def add(self, obj: Any) -> Any:
        """Add an object, and hand it back.

        Raises:
            ValueError: its name is taken.
            TypeError: it is of no class that scenes know.
        """
        kind = next((kind for cls, kind in _ORDER if isinstance(obj, cls)), None)
        if kind is None:
            raise TypeError(f"{type(obj).__name__}: object type is not supported yet by scenes")
        if self._scene_registry.name_exists(obj.name):
            raise ValueError(f"Cannot add the object {obj.name} to the scene since its name is not unique")
        getattr(self._scene_registry, f"add_{kind}")(obj.name, obj)
        return obj

    def add_ground_plane(
        self,
        size: float | None = None,
        z_position: float = 0,
        name: str = "ground_plane",
        prim_path: str = "/World/groundPlane",
        static_friction: float = 0.5,
        dynamic_friction: float = 0.5,
        restitution: float = 0.8,
        color: Any = None,
    ) -> GroundPlane:
        """Add a ground; one of the name that there is already stays as it is.

        Args:
            size: edge of what is seen of it; 50 m by default.
            z_position: its height.
            name: of the ground in the scene.
            prim_path: where it is made.
            static_friction, dynamic_friction, restitution: how it is felt.
            color: red, green and blue, (3,); grey by default.
        """
        if self.object_exists(name):
            log.info("ground floor already created with name %s", name)
            return self.get_object(name)
        material = new_physics_material(
            static_friction=static_friction, dynamic_friction=dynamic_friction, restitution=restitution
        )
        plane = GroundPlane(prim_path, name, size, z_position, color=color, physics_material=material)
        return self.add(plane)

    def add_default_ground_plane(
        self,
        z_position: float = 0,
        name: str = "default_ground_plane",
        prim_path: str = "/World/defaultGroundPlane",
        static_friction: float = 0.5,
        dynamic_friction: float = 0.5,
        restitution: float = 0.8,
    ) -> GroundPlane:
        """Add the ground of Isaac Sim's assets, or where they are not at hand a plain one in its place.

        Args:
            z_position: its height.
            name: of the ground in the scene; one that there is already stays as it is.
            prim_path: where it is made.
            static_friction, dynamic_friction, restitution: how it is felt.
        """
        if self.object_exists(name):
            log.info("ground floor already created with name %s", name)
            return self.get_object(name)
        if not exists(prim_path):
            _default_ground(prim_path)
        material = new_physics_material(
            static_friction=static_friction, dynamic_friction=dynamic_friction, restitution=restitution
        )
        return self.add(GroundPlane(prim_path, name, z_position=z_position, physics_material=material))

    # -- what there is ---------------------------------------------------------------------------------------

    def get_object(self, name: str) -> Any:
        """What has a name; ``None`` if nothing has."""
        return self._scene_registry.get_object(name)

    def object_exists(self, name: str) -> bool:
        """Whether there is something of a name."""
        return self._scene_registry.name_exists(name)

    # -- removing --------------------------------------------------------------------------------------------

    def remove_object(self, name: str, registry_only: bool = False) -> None:
        """Forget an object, and delete its prims.

        Prims that references bring cannot be deleted by themselves: the one above is, as long as it has no other child;
        otherwise they stay. Of an articulation whose root is inside a reference all goes that the reference brought, if
        it is not above the path by which the articulation was asked for.

        Args:
            name: of the object; of one that is not there nothing happens, with an error in the log.
            registry_only: leave its prims.

        Raises:
            ValueError: with ``registry_only``, there is nothing of the name.
        """
        found = self.get_object(name)
        if not registry_only:
            prims = found.prims if hasattr(found, "prims") else [found.prim] if hasattr(found, "prim") else None
            if prims is None:
                log.error("there is no object %s with a prim that could be removed", name)
                return
            view = found._articulation_view if isinstance(found, SingleArticulation) else found
            tops = view._top_paths() if isinstance(view, Articulation) else [None] * len(prims)
            for prim, top in zip(list(prims), tops, strict=True):
                _delete(prim, top)
        self._scene_registry.remove_object(name)

    def clear(self, registry_only: bool = False) -> None:
        """Forget all objects, and delete their prims unless ``registry_only``."""
        for kind in KINDS:
            for name in list(getattr(self._scene_registry, kind)):
                if self.object_exists(name):
                    self.remove_object(name, registry_only)

    # -- what happens ----------------------------------------------------------------------------------------

    def post_reset(self) -> None:
        """Put all objects back into their default states; those whose prims are gone are forgotten."""
        for kind in _RESET:
            known = getattr(self._scene_registry, kind)
            for name in list(known):
                if known[name].is_valid():
                    known[name].post_reset()
                else:
                    self._scene_registry.remove_object(name)
        if self._bbox_cache is not None:
            self._bbox_cache.Clear()

    def _finalize(self, physics_sim_view: Any = None) -> None:
        """Let objects look up what is simulated of them."""
        for kind in _RESET:
            known = getattr(self._scene_registry, kind)
            for value in list(known.values()):
                if value.is_valid():
                    value.initialize(physics_sim_view)

    # -- boxes -----------------------------------------------------------------------------------------------

    def enable_bounding_boxes_computations(self) -> None:
        """Let :meth:`compute_object_AABB` compute boxes."""
        self._bbox_cache = create_bbox_cache(use_extents_hint=False)

    def disable_bounding_boxes_computations(self) -> None:
        """Compute boxes no more."""
        self._bbox_cache = None

    def compute_object_AABB(self, name: str) -> np.ndarray:
        """The box around an object along the world's axes, (2, 3): least and greatest corner, in units of the stage.

        What is only there for orientation (purposes guide and proxy) does not count. Boxes are those of the stage: what
        moves while it is simulated is where it was when that began.

        Raises:
            RuntimeError: :meth:`enable_bounding_boxes_computations` was not called.
            ValueError: there is no such object, or it is a view.
        """
        if self._bbox_cache is None:
            raise RuntimeError("call scene.enable_bounding_boxes_computations() before boxes are asked for")
        found = self.get_object(name)
        if not hasattr(found, "prim"):
            raise ValueError(f"{name!r} is no single object of the scene: only those have boxes")
        box = compute_aabb(self._bbox_cache, found.prim.GetPath().pathString, include_children=True)
        return np.asarray(box).reshape(2, 3)


def _default_ground(prim_path: str) -> None:
    from phalanx.facade.isaacsim.core.utils.nucleus import get_assets_root_path

    root = get_assets_root_path()
    file = None if root is None else local_path(root + GROUND)
    try:
        if file is not None:
            add_reference_to_stage(file, prim_path)
            return
    except FileNotFoundError:
        pass
    tell_once(f"add_default_ground_plane: {GROUND} is not at hand, a plain ground stands for it")
    stage = stages.get_stage()
    if stage.GetPrimAtPath(prim_path):
        remove_prims(stage, [prim_path])
    make(prim_path, SIZE / UsdGeom.GetStageMetersPerUnit(stage), "GroundPlane/CollisionPlane")


def _delete(prim: Any, top: str | None) -> None:
    """Delete a prim, or the nearest one above it that can be deleted and has no other child.

    Args:
        prim: to delete.
        top: at and below this path other children do not matter.
    """
    if not prim:
        return
    while is_ancestral(prim):
        above = prim.GetParent()
        inside = top is not None and f"{above.GetPath()}/".startswith(f"{top}/")
        if above.IsPseudoRoot() or (len(above.GetChildren()) > 1 and not inside):
            return
        prim = above
    if not prim.IsPseudoRoot():
        remove_prims(prim.GetStage(), [prim.GetPath()])


__all__ = ["Scene"]
