"""Writes attributes of physics: those of UsdPhysics as its schemas have them, those of PhysX by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phalanx.facade.isaaclab.utils.string import to_camel_case
from phalanx.io.formats.usd.bindings import Prim, Sdf

_INTEGERS = (
    "solverPositionIterationCount solverVelocityIterationCount hullVertexLimit maxConvexHulls voxelResolution "
    "sdfResolution sdfSubgridResolution simulationHexahedralResolution collisionSimplificationRemeshingResolution "
    "collisionSimplificationTargetTriangleCount"
)
_FLAGS = (
    "articulationEnabled enabledSelfCollisions disableGravity enableGyroscopicForces retainAccelerations "
    "tendonEnabled shrinkWrap improvePatchFriction deformableEnabled kinematicEnabled selfCollision "
    "collisionSimplification collisionSimplificationRemeshing collisionSimplificationForceConforming"
)
_TOKENS = "frictionCombineMode restitutionCombineMode sdfBitsPerSubgridPixel"

KINDS: dict[str, type] = {
    **dict.fromkeys(_INTEGERS.split(), int),
    **dict.fromkeys(_FLAGS.split(), bool),
    **dict.fromkeys(_TOKENS.split(), str),
}
"""What attributes of PhysX hold, by the last part of their name; all others hold single-precision numbers."""


def apply_schema(prim: Prim, name: str) -> None:
    """Apply a schema that usd-core may not have, by its name, once.

    Raises:
        RuntimeError: the stage does not let the prim be edited.
    """
    if name not in applied_schemas(prim) and not prim.AddAppliedSchema(name):
        raise RuntimeError(f"{name} cannot be applied to <{prim.GetPath()}>, which cannot be edited")


def applied_schemas(prim: Prim) -> list[str]:
    """Names of all schemas that are applied to a prim, be they installed or not."""
    return [str(name) for name in prim.GetPrimTypeInfo().GetAppliedAPISchemas()]


def instances(prim: Prim, schema: str) -> list[str]:
    """Names of the instances of a schema that prims can have several of."""
    parts = [name.partition(":") for name in applied_schemas(prim)]
    return [instance for name, _, instance in parts if name == schema]


def write(prim: Prim, name: str, value: Any) -> None:
    """Give an attribute a value, with the type that it has, or as PhysX declares it; ``None`` writes nothing.

    Raises:
        TypeError: the value is of another kind than the attribute.
    """
    if value is None:
        return
    types = Sdf.ValueTypeNames
    attribute = prim.GetAttribute(name)
    kind = KINDS.get(name.rpartition(":")[2], float)
    if attribute:
        known = {types.Bool: bool, types.Int: int, types.Float: float, types.Double: float, types.Token: str}
        kind = known.get(attribute.GetTypeName(), kind)
    if isinstance(value, str) != (kind is str) or (kind is int and float(value) != int(value)):
        raise TypeError(f"<{prim.GetPath()}>: {name} = {value!r}: must be of type {kind.__name__}")
    if not attribute:
        new = {bool: types.Bool, int: types.Int, float: types.Float, str: types.Token}[kind]
        attribute = prim.CreateAttribute(name, new, False)
    attribute.Set(kind(value))


def write_all(prim: Prim, space: str, values: Mapping[str, Any]) -> None:
    """Write values, named as in configurations, to attributes in a space of names: ``space:sleepThreshold``."""
    for name, value in values.items():
        write(prim, f"{space}:{to_camel_case(name)}", value)
