"""Copies of prims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade import clones
from phalanx.facade import stage as stages
from phalanx.facade.backends import on_host
from phalanx.facade.isaaclab.sim.utils.edits import copy_prim
from phalanx.facade.isaaclab.sim.utils.transforms import standardize_xform_ops
from phalanx.facade.once import tell_once
from phalanx.io.formats.usd.bindings import Gf, Sdf, Stage, Usd, UsdGeom

_TRANSLATE, _ORIENT, _SCALE = "xformOp:translate", "xformOp:orient", "xformOp:scale"


class Cloner:
    """Makes copies of a prim.

    Where the copies do not meet, or collisions between them are filtered, a simulation has them side by side as
    environments of one world, thousands of them as quickly as one. They then do not collide with each other.

    Args:
        stage: the current one by default.
    """

    def __init__(self, stage: Stage | None = None) -> None:
        self._stage: Stage = stages.get_stage() if stage is None else stage
        self._base_env_path: str | None = None
        self._root_path: str | None = None

    def define_base_env(self, base_env_path: str) -> None:
        """Make a scope for the copies."""
        UsdGeom.Scope.Define(self._stage, base_env_path)
        self._base_env_path = base_env_path

    def generate_paths(self, root_path: str, num_paths: int) -> list[str]:
        """Paths ``<root_path>_0``, ``<root_path>_1`` and so on."""
        self._root_path = f"{root_path}_"
        return [f"{root_path}_{i}" for i in range(num_paths)]

    def clone(
        self,
        source_prim_path: str,
        prim_paths: Sequence[str],
        positions: Any = None,
        orientations: Any = None,
        replicate_physics: bool = False,
        base_env_path: str | None = None,
        root_path: str | None = None,
        copy_from_source: bool = False,
        unregister_physics_replication: bool = False,
        enable_env_ids: bool = False,
        clone_in_fabric: bool = False,
    ) -> None:
        """Make copies of a prim.

        Args:
            source_prim_path: of the prim.
            prim_paths: of the copies; the prim itself may be among them, and is moved then.
            positions: of the copies in the frame of the prim above, (n, 3), in units of the stage; by default where the
                prim itself is.
            orientations: (n, 4), (w, x, y, z); by default as the prim itself.
            replicate_physics: no meaning: copies are simulated side by side wherever they can be.
            base_env_path, root_path: no meaning without ``replicate_physics``; with it, they or
                :meth:`define_base_env` and :meth:`generate_paths` are needed.
            copy_from_source: whether copies are prims of their own; else they inherit from the prim, and follow it.
            unregister_physics_replication: no meaning.
            enable_env_ids: whether copies do not collide with each other.
            clone_in_fabric: no meaning: there is no Fabric; copies are on the stage.

        Raises:
            ValueError: there is no such prim, there are more or fewer places than paths, or a path is missing for
                ``replicate_physics``.
        """
        source = self._stage.GetPrimAtPath(source_prim_path)
        if not source:
            raise ValueError(f"Source prim does not exist: {source_prim_path}")
        count = len(prim_paths)
        for name, values in (("positions", positions), ("orientations", orientations)):
            if values is not None and len(values) != count:
                raise ValueError(f"Dimension mismatch between {name} and prim_paths: {len(values)} for {count}")
        if replicate_physics:
            for name, given, kept in (
                ("base_env_path", base_env_path, self._base_env_path),
                ("root_path", root_path, self._root_path),
            ):
                if given is None and kept is None:
                    raise ValueError(f"{name} needs to be specified")
        standardize_xform_ops(source)
        place = np.array(source.GetAttribute(_TRANSLATE).Get(), float)
        turn = source.GetAttribute(_ORIENT).Get()
        turned = np.array([turn.GetReal(), *turn.GetImaginary()], float)
        places = np.tile(place, (count, 1)) if positions is None else on_host(positions, float).reshape(count, 3)
        turns = np.tile(turned, (count, 1)) if orientations is None else on_host(orientations, float).reshape(count, 4)
        others = [i for i, path in enumerate(prim_paths) if path != source_prim_path]
        if copy_from_source:
            copy_prim(self._stage, source_prim_path, [prim_paths[i] for i in others])
        self._place(source, prim_paths, places.tolist(), turns.tolist(), copy_from_source)
        if others:
            copies = [source_prim_path, *(prim_paths[i] for i in others)]
            clones.remember(self._stage, copies)
            if enable_env_ids:
                clones.keep_apart(self._stage, copies)

    def _place(self, source: Any, paths: Sequence[str], places: list[Any], turns: list[Any], are_there: bool) -> None:
        layer = self._stage.GetRootLayer()
        origin, kind, scale = str(source.GetPath()), source.GetTypeName(), source.GetAttribute(_SCALE).Get()
        order = ["xformOp:translate", "xformOp:orient", "xformOp:scale"]
        precise = source.GetAttribute(_ORIENT).GetTypeName() == Sdf.ValueTypeNames.Quatd
        quaternion, quaternions = (
            (Gf.Quatd, Sdf.ValueTypeNames.Quatd) if precise else (Gf.Quatf, Sdf.ValueTypeNames.Quatf)
        )
        with Sdf.ChangeBlock():
            for path, (x, y, z), turn in zip(paths, places, turns, strict=True):
                spec = layer.GetPrimAtPath(path)
                put = _set if spec is not None else _add
                if spec is None:
                    spec = Sdf.CreatePrimInLayer(layer, path)
                    _define_above(spec)
                if path != origin and not are_there:
                    spec.specifier, spec.typeName = Sdf.SpecifierDef, kind
                    spec.inheritPathList.prependedItems = [Sdf.Path(origin)]
                put(spec, _TRANSLATE, Sdf.ValueTypeNames.Double3, Gf.Vec3d(x, y, z))
                put(spec, _ORIENT, quaternions, quaternion(*turn))
                if path != origin:
                    put(spec, _SCALE, Sdf.ValueTypeNames.Double3, Gf.Vec3d(scale))
                    put(spec, "xformOpOrder", Sdf.ValueTypeNames.TokenArray, order)

    def replicate_physics(
        self,
        source_prim_path: str,
        prim_paths: Sequence[str],
        base_env_path: str | None,
        root_path: str | None,
        enable_env_ids: bool = False,
        clone_in_fabric: bool = False,
    ) -> None:
        """Nothing but what ``enable_env_ids`` says: copies are simulated side by side wherever they can be.

        Raises:
            ValueError: a path is missing.
        """
        if base_env_path is None and self._base_env_path is None:
            raise ValueError("base_env_path needs to be specified")
        if root_path is None and self._root_path is None:
            raise ValueError("root_path needs to be specified")
        if enable_env_ids:
            clones.keep_apart(self._stage, [source_prim_path, *prim_paths])

    def disable_change_listener(self) -> None:
        """Nothing: nobody follows changes of the stage while it is not simulated."""

    enable_change_listener = disable_change_listener

    def filter_collisions(
        self,
        physicsscene_path: str,
        collision_root_path: str,
        prim_paths: Sequence[str],
        global_paths: Sequence[str] = (),
    ) -> None:
        """Let what is below each of some prims collide with nothing but itself, and with what is global.

        The stage gets a collision group for each, and one for what is global.

        Args:
            physicsscene_path: of the physics scene, whose groups then say who collides, rather than who does not.
            collision_root_path: where the groups are made.
            prim_paths: of the prims.
            global_paths: of what collides with all of them, such as the ground.

        Raises:
            ValueError: there is no physics scene at the path.
        """
        scene = self._stage.GetPrimAtPath(physicsscene_path)
        if not scene:
            raise ValueError(f"there is no physics scene at {physicsscene_path}")
        layer = self._stage.GetRootLayer()
        scene.CreateAttribute("physxScene:invertCollisionGroupFilter", Sdf.ValueTypeNames.Bool).Set(True)
        with Usd.EditContext(self._stage, Usd.EditTarget(layer)):
            UsdGeom.Scope.Define(self._stage, collision_root_path)
        everywhere = f"{collision_root_path}/global_group" if len(global_paths) else ""
        groups = [f"{collision_root_path}/group{i}" for i in range(len(prim_paths))]
        with Sdf.ChangeBlock():
            if everywhere:
                _group(layer, everywhere, global_paths, [everywhere, *groups])
            for group, path in zip(groups, prim_paths, strict=True):
                _group(layer, group, [path], [group, *([everywhere] if everywhere else [])])
        clones.keep_apart(self._stage, prim_paths)
        if not everywhere:
            tell_once("filter_collisions: copies collide with what is outside of them, as the ground, in any case")


def _set(spec: Any, name: str, kind: Any, value: Any) -> None:
    found = spec.properties.get(name)
    if found is None:
        _add(spec, name, kind, value)
    else:
        found.default = value


def _add(spec: Any, name: str, kind: Any, value: Any) -> None:
    Sdf.AttributeSpec(spec, name, kind).default = value


def _define_above(spec: Any) -> None:
    """Let prims that were made above another one be there."""
    above = spec.nameParent
    while above is not None and above.path != Sdf.Path.absoluteRootPath:
        if above.specifier == Sdf.SpecifierOver and not above.typeName and not above.hasReferences:
            above.specifier, above.typeName = Sdf.SpecifierDef, "Xform"
        above = above.nameParent


def _group(layer: Any, path: str, members: Sequence[str], collides: Sequence[str]) -> None:
    """A collision group of some prims, which names the groups that it collides with."""
    root, _, name = path.rpartition("/")
    old = layer.GetPrimAtPath(path)
    if old is not None:
        del old.nameParent.nameChildren[name]
    spec = Sdf.PrimSpec(layer.GetPrimAtPath(root), name, Sdf.SpecifierDef, "PhysicsCollisionGroup")
    spec.SetInfo("apiSchemas", Sdf.TokenListOp.Create(["CollectionAPI:colliders"]))
    rule = Sdf.AttributeSpec(
        spec, "collection:colliders:expansionRule", Sdf.ValueTypeNames.Token, Sdf.VariabilityUniform
    )
    rule.default = "expandPrims"
    for relation, targets in (("collection:colliders:includes", members), ("physics:filteredGroups", collides)):
        found = Sdf.RelationshipSpec(spec, relation, False)
        found.targetPathList.appendedItems = [Sdf.Path(target) for target in targets]


__all__ = ["Cloner"]
