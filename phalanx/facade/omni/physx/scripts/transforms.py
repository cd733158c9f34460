"""Places of prims as translation, orientation and scale, in that order."""

from __future__ import annotations

from typing import Any

from phalanx.io.formats.usd.bindings import Gf, UsdGeom

_SUFFIXES = {"Double": "d", "Float": "f", "Half": "h"}
"""Of vectors and quaternions, by precisions."""


def _put(xformable: Any, name: str, value: Any) -> Any:
    """Set the first operation of a kind, in the precision that it has, single if it is new."""
    xformable = UsdGeom.Xformable(xformable)
    operations = UsdGeom.XformOp
    kind = getattr(operations, f"Type{name}")
    found = next(
        (each for each in xformable.GetOrderedXformOps() if each.GetOpType() == kind and not each.IsInverseOp()), None
    )
    if found is None:
        there = xformable.GetPrim().GetAttribute(f"xformOp:{name.lower()}")
        held = str(there.GetTypeName()) if there else ""
        wide = "Double" if held in ("double3", "quatd") else "Half" if held in ("half3", "quath") else "Float"
        found = getattr(xformable, f"Add{name}Op")(getattr(operations, f"Precision{wide}"))
    suffix = next(
        end for wide, end in _SUFFIXES.items() if getattr(operations, f"Precision{wide}") == found.GetPrecision()
    )
    if name == "Orient":
        found.Set(getattr(Gf, f"Quat{suffix}")(value.GetReal(), *(float(each) for each in value.GetImaginary())))
    else:
        found.Set(getattr(Gf, f"Vec3{suffix}")(*(float(each) for each in value)))
    return found


def set_or_add_translate_op(xformable: Any, translate: Any) -> Any:
    """Set where a prim is in the frame of the one above, (3,), stage units; its operation, an ``UsdGeom.XformOp``."""
    return _put(xformable, "Translate", translate)


def set_or_add_orient_op(xformable: Any, orient: Any) -> Any:
    """Set how a prim is turned, a ``Gf.Quatf`` or ``Quatd``; its operation."""
    return _put(xformable, "Orient", orient)


def set_or_add_scale_op(xformable: Any, scale: Any) -> Any:
    """Set what a prim is scaled by, (3,); its operation."""
    return _put(xformable, "Scale", scale)


def set_or_add_scale_orient_translate(xformable: Any, scale: Any, orient: Any, translate: Any) -> list[Any]:
    """Set all three, as the only operations of a prim; the operations of translation, orientation and scale."""
    setup_transform_as_scale_orient_translate(xformable)
    found = [
        set_or_add_translate_op(xformable, translate),
        set_or_add_orient_op(xformable, orient),
        set_or_add_scale_op(xformable, scale),
    ]
    return found


def setup_transform_as_scale_orient_translate(xformable: Any) -> None:
    """Let a prim keep its place as translation, orientation and scale, without moving it.

    What else the place was made of, such as a shear, is lost.
    """
    xformable = UsdGeom.Xformable(xformable)
    place = Gf.Transform(xformable.GetLocalTransformation())
    xformable.ClearXformOpOrder()
    set_or_add_translate_op(xformable, place.GetTranslation())
    set_or_add_orient_op(xformable, place.GetRotation().GetQuat())
    set_or_add_scale_op(xformable, place.GetScale())


def copy_transform_as_scale_orient_translate(src: Any, dst: Any) -> None:
    """Let a prim have the place of another in the frame of the one above."""
    place = Gf.Transform(UsdGeom.Xformable(src).GetLocalTransformation())
    set_or_add_scale_orient_translate(dst, place.GetScale(), place.GetRotation().GetQuat(), place.GetTranslation())


__all__ = [
    "copy_transform_as_scale_orient_translate",
    "set_or_add_orient_op",
    "set_or_add_scale_op",
    "set_or_add_scale_orient_translate",
    "set_or_add_translate_op",
    "setup_transform_as_scale_orient_translate",
]
