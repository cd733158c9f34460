"""Poses and scales of prims, and the operations that prims keep them in. Quaternions are (w, x, y, z)."""

from __future__ import annotations

import logging
from typing import Any

from phalanx.facade.isaaclab.sim.utils.attributes import Numbers, numbers
from phalanx.io.formats.usd.bindings import Gf, Prim, Sdf, Usd, UsdGeom

logger = logging.getLogger("phalanx.facade")

ORDER = ["xformOp:translate", "xformOp:orient", "xformOp:scale"]
"""Names of the operations that :func:`standardize_xform_ops` leaves."""

UNITS = "xformOp:scale:unitsResolve"
"""By what Omniverse scales files in other units than the stage's."""

Position = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


def standardize_xform_ops(
    prim: Prim,
    translation: Numbers | None = None,
    orientation: Numbers | None = None,
    scale: Numbers | None = None,
) -> bool:
    """Let a prim keep its place as translation, orientation and scale, in this order, instead of in other operations.

    Args:
        prim: of any type that has a place.
        translation: in the parent's frame; what it is now by default. In units of the stage.
        orientation: quaternion in the parent's frame; what it is now by default.
        scale: along the prim's own axes; what it is now by default, times the scale ``xformOp:scale:unitsResolve``
            if the prim has that attribute and its list of operations does not (in the list it counts already).

    Returns:
        Whether it could be done: ``False`` for prims that have no place, such as materials.

    Raises:
        ValueError: the prim is not valid, or values have the wrong number of elements or no length.
    """
    _check_valid(prim)
    if not prim.IsA(UsdGeom.Xformable):
        text = "%s of type %r is not an Xformable, and has no place: its operations cannot be written"
        logger.error(text, prim.GetPath(), prim.GetTypeName())
        return False
    xformable = UsdGeom.Xformable(prim)
    matrix = Gf.Matrix4d(xformable.GetLocalTransformation())
    factors = _factors(matrix)
    position = factors[0] if translation is None else Gf.Vec3d(*numbers(translation, 3, "translation"))
    rotation = factors[1] if orientation is None else _unit(orientation)
    if scale is None and UNITS not in list(prim.GetAttribute("xformOpOrder").Get() or []):
        factors = (*factors[:2], Gf.CompMult(factors[2], _unapplied_units(prim)))
    sizes = factors[2] if scale is None else Gf.Vec3d(*numbers(scale, 3, "scale"))
    resets = xformable.GetResetXformStack()
    for name in list(prim.GetAuthoredPropertyNames()):
        if name.startswith("xformOp:") and name not in ORDER:
            prim.RemoveProperty(name)
    types = Sdf.ValueTypeNames
    kinds = (types.Double3, types.Quatd, types.Double3)
    for name, kind, value in zip(ORDER, kinds, (position, rotation, sizes), strict=True):
        attribute = prim.GetAttribute(name)
        _set(attribute if attribute else prim.CreateAttribute(name, kind, False), value)
    order = prim.CreateAttribute("xformOpOrder", types.TokenArray, False, Sdf.VariabilityUniform)
    order.Set((["!resetXformStack!"] if resets else []) + ORDER)
    return True


def validate_standard_xform_ops(prim: Prim) -> bool:
    """Whether a prim keeps its place as translation, orientation and scale, in this order; what is no prim does not."""
    if not prim or not prim.IsValid() or not prim.IsA(UsdGeom.Xformable):
        return False
    return [str(op.GetOpName()) for op in UsdGeom.Xformable(prim).GetOrderedXformOps()] == ORDER


def resolve_prim_pose(prim: Prim, ref_prim: Prim | None = None) -> tuple[Position, Quaternion]:
    """Where a prim is.

    Args:
        prim: of which to tell. Scale, its own and that of prims above, is in the position and not in the orientation.
        ref_prim: in whose frame (without its scale); in the world's by default.

    Returns:
        Position in units of the stage, and quaternion (w, x, y, z), w not negative.

    Raises:
        ValueError: a prim is not valid.
    """
    _check_valid(prim)
    pose = _world(prim).RemoveScaleShear()
    if ref_prim is not None:
        _check_valid(ref_prim)
        pose = pose * _world(ref_prim).RemoveScaleShear().GetInverse()
    return _tuples(pose.ExtractTranslation(), pose.ExtractRotationQuat())


def resolve_prim_scale(prim: Prim) -> Position:
    """By what a prim is scaled along its own axes, with the scale of the prims above it.

    Raises:
        ValueError: the prim is not valid.
    """
    _check_valid(prim)
    matrix = _world(prim)
    return tuple(Gf.Vec3d(*matrix.GetRow3(axis)).GetLength() for axis in range(3))  # pyright: ignore[reportReturnType]


def convert_world_pose_to_local(
    position: Numbers, orientation: Numbers | None, ref_prim: Prim
) -> tuple[Position, Quaternion | None]:
    """A pose in the world as the translation and orientation of a child of a prim.

    Args:
        position: in the world.
        orientation: quaternion in the world; ``None`` if there is none.
        ref_prim: the prim above. Its scale is taken into account.

    Returns:
        Position and quaternion in the frame of the prim above; ``None`` for the latter if none was given.

    Raises:
        ValueError: the prim is not valid, or values have the wrong number of elements or no length.
    """
    _check_valid(ref_prim)
    parent, place = _world(ref_prim), Gf.Vec3d(*numbers(position, 3, "position"))
    local = parent.GetInverse().Transform(place)
    if orientation is None:
        return (local[0], local[1], local[2]), None
    if ref_prim.IsPseudoRoot():  # nothing is rounded where there is nothing to do
        w, x, y, z = numbers(orientation, 4, "orientation")
        return (place[0], place[1], place[2]), (w, x, y, z)
    turn = parent.RemoveScaleShear().ExtractRotationQuat().GetInverse() * _unit(orientation)
    return _tuples(local, turn)


def _check_valid(prim: Prim) -> None:
    if not prim or not prim.IsValid():
        raise ValueError("Prim is not valid: it was removed, or there was none at its path")


def _world(prim: Prim) -> Any:
    """From the prim's frame to the world's, rows being the prim's axes."""
    return UsdGeom.XformCache(Usd.TimeCode.Default()).GetLocalToWorldTransform(prim)


def _unapplied_units(prim: Prim) -> Any:
    found = prim.GetAttribute(UNITS).Get() if prim.HasAttribute("xformOp:scale") else None
    return Gf.Vec3d(1.0) if found is None else Gf.Vec3d(found)


def _factors(matrix: Any) -> tuple[Any, Any, Any]:
    """Translation, unit quaternion and scale of a transformation; of what mirrors, all three axes are flipped."""
    scale = Gf.Vec3d(*(Gf.Vec3d(*matrix.GetRow3(axis)).GetLength() for axis in range(3)))
    if matrix.GetDeterminant3() < 0.0:
        scale = -scale
    return matrix.ExtractTranslation(), matrix.RemoveScaleShear().ExtractRotationQuat(), scale


def _unit(orientation: Numbers) -> Any:
    w, x, y, z = numbers(orientation, 4, "orientation")
    quaternion = Gf.Quatd(w, x, y, z)
    if quaternion.GetLength() < 1e-6:
        raise ValueError(f"orientation={orientation!r}: must be a quaternion (w, x, y, z) of length 1")
    return quaternion.GetNormalized()


def _set(attribute: Any, value: Any) -> None:
    """Set an operation in the precision that it already has."""
    single = {"quatf": Gf.Quatf, "quath": Gf.Quath, "float3": Gf.Vec3f, "half3": Gf.Vec3h}
    kind = single.get(str(attribute.GetTypeName()))
    attribute.Set(value if kind is None else kind(value))


def _tuples(position: Any, rotation: Any) -> tuple[Position, Quaternion]:
    return (position[0], position[1], position[2]), wxyz(rotation)


def wxyz(rotation: Any) -> Quaternion:
    """A ``Gf`` quaternion as numbers; of the two that are the same rotation, the one whose w is not negative."""
    sign = -1.0 if rotation.GetReal() < 0.0 else 1.0
    x, y, z = rotation.GetImaginary()
    return (sign * rotation.GetReal(), sign * x, sign * y, sign * z)


__all__ = [
    "convert_world_pose_to_local",
    "resolve_prim_pose",
    "resolve_prim_scale",
    "standardize_xform_ops",
    "validate_standard_xform_ops",
]
