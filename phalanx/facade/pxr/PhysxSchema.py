"""What scripts import as ``pxr.PhysxSchema``: PhysX's schemas, which usd-core does not have, by their names.

Attributes are read and written by their names, ``physxRigidBody:sleepThreshold`` for ``GetSleepThresholdAttr``. One
that was never written is an invalid attribute, without a default value. ``Usd.Prim.HasAPI``, ``ApplyAPI``,
``CanApplyAPI`` and ``RemoveAPI`` take these schemas, too, from the import of this module on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, ClassVar

from phalanx.facade.isaaclab.sim.schemas.authoring import KINDS, applied_schemas, apply_schema, instances
from phalanx.io.formats.usd.bindings import Gf, Prim, Sdf, Stage, Usd

_GPU = (
    "MaxRigidContactCount MaxRigidPatchCount FoundLostPairsCapacity FoundLostAggregatePairsCapacity "
    "TotalAggregatePairsCapacity CollisionStackSize HeapCapacity TempBufferCapacity MaxNumPartitions "
    "MaxSoftBodyContacts MaxParticleContacts"
)
UNSIGNED = frozenset({"timeStepsPerSecond"}).union(f"gpu{name}" for name in _GPU.split())
"""Attributes that hold unsigned whole numbers."""


class _Schema:
    """A schema that is applied to prims."""

    NAME: ClassVar[str] = ""
    SPACE: ClassVar[str] = ""

    def __init__(self, prim: Any = None) -> None:
        self._prim: Prim = prim.GetPrim() if hasattr(prim, "GetPrim") else prim

    @classmethod
    def Apply(cls, prim: Prim) -> _Schema:
        """Apply it to a prim, once; RuntimeError if the prim cannot be edited."""
        apply_schema(prim, cls.NAME)
        return cls(prim)

    @classmethod
    def Get(cls, stage: Stage, path: Any) -> _Schema:
        """That of the prim at a path."""
        return cls(stage.GetPrimAtPath(path))

    @classmethod
    def CanApply(cls, prim: Prim) -> bool:
        """Whether it can be applied to a prim."""
        return bool(prim)

    def GetPrim(self) -> Prim:
        """The prim."""
        return self._prim

    def GetPath(self) -> Any:
        """The prim's path."""
        return self._prim.GetPath()

    def _space(self) -> str:
        return self.SPACE

    def __bool__(self) -> bool:
        return bool(self._prim) and self.NAME in applied_schemas(self._prim)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """``Get<Name>Attr()``, ``Create<Name>Attr(value)``, and ``...Rel``."""
        for verb, kind, function in (
            ("Get", "Attr", self._get),
            ("Create", "Attr", self._create),
            ("Get", "Rel", self._relation),
            ("Create", "Rel", self._relation),
        ):
            if name.startswith(verb) and name.endswith(kind) and len(name) > len(verb) + len(kind):
                middle = name[len(verb) : -len(kind)]
                full = f"{self._space()}:{middle[0].lower()}{middle[1:]}"
                return lambda *arguments, _f=function, _n=full, **named: _f(_n, *arguments, **named)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def _get(self, name: str) -> Any:
        return self._prim.GetAttribute(name)

    def _relation(self, name: str) -> Any:
        return self._prim.CreateRelationship(name, False)

    def _create(self, name: str, defaultValue: Any = None, writeSparsely: bool = False) -> Any:
        """The attribute, made with the type that PhysX declares, or that of the value, and set to it."""
        found = self._prim.GetAttribute(name)
        if not found:
            found = self._prim.CreateAttribute(name, _type(name.rpartition(":")[2], defaultValue), False)
        if defaultValue is not None:
            found.Set(defaultValue)
        return found


class MultipleSchema(_Schema):
    """A schema of which a prim can have several, each with a name: an axis, a tendon."""

    def __init__(self, prim: Any = None, instance: str = "") -> None:
        super().__init__(prim)
        self._instance = instance

    @classmethod
    def Apply(cls, prim: Prim, instance: str) -> MultipleSchema:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Apply it to a prim under a name, once."""
        apply_schema(prim, f"{cls.NAME}:{instance}")
        return cls(prim, instance)

    @classmethod
    def GetAll(cls, prim: Prim) -> list[MultipleSchema]:
        """All that a prim has."""
        return [cls(prim, name) for name in instances(prim, cls.NAME)]

    def GetName(self) -> str:
        """The name under which it is applied."""
        return self._instance

    def _space(self) -> str:
        return f"{self.SPACE}:{self._instance}"

    def __bool__(self) -> bool:
        return bool(self._prim) and f"{self.NAME}:{self._instance}" in applied_schemas(self._prim)


def _type(name: str, value: Any) -> Any:
    """The type of an attribute: as PhysX declares it, else by the value; single precision if nothing is known."""
    types = Sdf.ValueTypeNames
    if name in UNSIGNED:
        return types.UInt
    if name in KINDS:
        return {bool: types.Bool, int: types.Int, str: types.Token}[KINDS[name]]
    for kind, found in ((bool, types.Bool), (int, types.Int), (str, types.Token), (Gf.Vec3f, types.Vector3f)):
        if isinstance(value, kind):
            return found
    return types.Float


_SINGLE = {
    "PhysxSceneAPI": "physxScene",
    "PhysxRigidBodyAPI": "physxRigidBody",
    "PhysxArticulationAPI": "physxArticulation",
    "PhysxCollisionAPI": "physxCollision",
    "PhysxMaterialAPI": "physxMaterial",
    "PhysxJointAPI": "physxJoint",
    "PhysxContactReportAPI": "physxContactReport",
    "PhysxConvexHullCollisionAPI": "physxConvexHullCollision",
    "PhysxConvexDecompositionCollisionAPI": "physxConvexDecompositionCollision",
    "PhysxTriangleMeshCollisionAPI": "physxTriangleMeshCollision",
    "PhysxTriangleMeshSimplificationCollisionAPI": "physxTriangleMeshSimplificationCollision",
    "PhysxSDFMeshCollisionAPI": "physxSDFMeshCollision",
    "PhysxDeformableAPI": "physxDeformable",
    "PhysxDeformableBodyAPI": "physxDeformable",
    "PhysxDeformableBodyMaterialAPI": "physxDeformableBodyMaterial",
}
_MULTIPLE = {
    "PhysxLimitAPI": "physxLimit",
    "PhysxMimicJointAPI": "physxMimicJoint",
    "PhysxTendonAxisAPI": "physxTendon",
    "PhysxTendonAxisRootAPI": "physxTendon",
    "PhysxTendonAttachmentAPI": "physxTendon",
    "PhysxTendonAttachmentRootAPI": "physxTendon",
    "PhysxTendonAttachmentLeafAPI": "physxTendon",
    "JointStateAPI": "state",
}


class _Tokens:
    """Values of attributes, by their names."""

    sdf = "sdf"
    average, min, multiply, max = "average", "min", "multiply", "max"


Tokens = _Tokens()

for _base, _table in ((_Schema, _SINGLE), (MultipleSchema, _MULTIPLE)):
    for _name, _space in _table.items():
        globals()[_name] = type(_name, (_base,), {"NAME": _name, "SPACE": _space, "__doc__": f"The schema {_name}."})


def _has(prim: Prim, schema: type[_Schema], instance: str = "") -> bool:
    if issubclass(schema, MultipleSchema) and not instance:
        return bool(instances(prim, schema.NAME))
    return _full(schema, instance) in applied_schemas(prim)


def _full(schema: type[_Schema], instance: str) -> str:
    return f"{schema.NAME}:{instance}" if instance else schema.NAME


def _apply(prim: Prim, schema: type[_Schema], instance: str = "") -> bool:
    return bool(prim.AddAppliedSchema(_full(schema, instance)))


def _can_apply(prim: Prim, schema: type[_Schema], instance: str = "") -> bool:
    return bool(prim) and issubclass(schema, MultipleSchema) == bool(instance)


def _remove(prim: Prim, schema: type[_Schema], instance: str = "") -> bool:
    return bool(prim.RemoveAppliedSchema(_full(schema, instance)))


def _also(name: str, function: Callable[..., bool]) -> None:
    """Let a method of prims take schemas of this module, which usd-core cannot know; others go on as they did."""
    before = getattr(Usd.Prim, name)
    if getattr(before, "_of_physx", False):
        return

    def method(prim: Prim, schema: Any, *rest: Any, **named: Any) -> Any:
        ours = isinstance(schema, type) and issubclass(schema, _Schema)
        return (function if ours else before)(prim, schema, *rest, **named)

    method._of_physx = True  # pyright: ignore[reportFunctionMemberAccess]
    method.__name__, method.__doc__ = name, before.__doc__
    setattr(Usd.Prim, name, method)


with contextlib.suppress(ImportError):  # without USD there is nothing to extend; names can still be looked at
    for _name, _method in (("HasAPI", _has), ("ApplyAPI", _apply), ("CanApplyAPI", _can_apply), ("RemoveAPI", _remove)):
        _also(_name, _method)

__all__ = ["Tokens", *_SINGLE, *_MULTIPLE]  # pyright: ignore[reportUnsupportedDunderAll]
