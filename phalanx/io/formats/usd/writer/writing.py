"""What all parts of the writer share: the stage, names of prims, attributes of schemas that are not installed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phalanx.io.formats.usd.bindings import Gf, Prim, Sdf, Stage, Tf, UsdGeom


@dataclass
class Written:
    """Where a robot was written.

    ``path`` is that of its prim, ``bodies`` and ``joints`` those of its bodies and joints by their names in the model;
    ``notes`` say what USD cannot say, one sentence each.
    """

    path: str
    bodies: dict[str, str] = field(default_factory=dict)
    joints: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass
class Writing:
    """A stage that is being written, metres, kilograms, z up."""

    stage: Stage
    done: Written
    _taken: dict[str, set[str]] = field(default_factory=dict)

    def note(self, text: str) -> None:
        """Tell of what is not written, or not as it is; once."""
        if text not in self.done.notes:
            self.done.notes.append(text)

    def free(self, parent: str, name: str) -> str:
        """A path below another one for something of that name: valid, and not handed out before."""
        wanted = str(Tf.MakeValidIdentifier(name or "unnamed"))
        taken = self._taken.setdefault(parent, set())
        found, number = wanted, 1
        while found in taken or self.stage.GetPrimAtPath(f"{parent}/{found}"):
            found, number = f"{wanted}_{number}", number + 1
        taken.add(found)
        return f"{parent}/{found}"

    def physx(self, prim: Prim, schema: str, instance: str, values: dict[str, Any]) -> None:
        """Apply a schema of PhysX, which need not be installed, and set attributes of it; ``None`` is not set.

        Args:
            schema: such as "PhysxJointAPI".
            instance: of the schema, or empty.
            values: by the attributes' names without ``physxJoint:`` and the instance.
        """
        given = {name: value for name, value in values.items() if value is not None}
        if not given:
            return
        prim.AddAppliedSchema(f"{schema}:{instance}" if instance else schema)
        space = schema[0].lower() + schema.removesuffix("API")[1:]
        prefix = f"{SPACES.get(space, space)}:{instance}:" if instance else f"{SPACES.get(space, space)}:"
        for name, value in given.items():
            set_attribute(prim, prefix + name, value)


SPACES = {
    "physxTendonAxisRoot": "physxTendon",
    "physxTendonAxis": "physxTendon",
    "physxTendonAttachmentRoot": "physxTendon",
    "physxTendonAttachmentLeaf": "physxTendon",
    "physxTendonAttachment": "physxTendon",
}
"""Spaces of names of attributes that are not as their schemas are called."""


def set_attribute(prim: Prim, name: str, value: Any) -> None:
    """Set an attribute that no installed schema knows, of the type that the value has."""
    types = Sdf.ValueTypeNames
    if isinstance(value, bool):
        kind = types.Bool
    elif isinstance(value, int):
        kind = types.Int
    elif isinstance(value, float):
        kind = types.Float
    elif isinstance(value, str):
        kind = types.Token
    elif isinstance(value, list):
        kind = types.FloatArray
    else:
        kind, value = types.Point3f, Gf.Vec3f(*(float(v) for v in value))
    prim.CreateAttribute(name, kind, False).Set(value)


def place(
    prim: Prim, position: Iterable[float], orientation: Iterable[float], scale: Iterable[float] | None = None
) -> None:
    """Put a prim somewhere in its parent: translation, rotation (w, x, y, z), and scale if it has one."""
    xform = UsdGeom.Xformable(prim)
    xform.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(*(float(v) for v in position)))
    xform.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Quatd(*_unit(orientation)))
    if scale is not None:
        xform.AddScaleOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(*(float(v) for v in scale)))


def quaternion(orientation: Iterable[float]) -> Any:
    """(w, x, y, z) in single precision, as joints and masses have it."""
    return Gf.Quatf(*_unit(orientation))


def point(values: Iterable[float]) -> Any:
    """Three numbers in single precision."""
    return Gf.Vec3f(*(float(v) for v in values))


def _unit(orientation: Iterable[float]) -> list[float]:
    found = np.array(list(orientation), float)
    return (found / np.linalg.norm(found)).tolist()
