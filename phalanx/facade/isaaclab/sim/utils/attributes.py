"""Giving attributes of prims values, with the types that USD wants."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.arrays import accept, api_of
from phalanx.facade.isaaclab.sim.utils.edits import PrimPath, current, prim_at
from phalanx.facade.isaaclab.utils.string import to_camel_case
from phalanx.io.formats.usd.bindings import Gf, Prim, Sdf, Stage, Tf

Numbers = Any
"""Numbers in a row: a sequence, an array or a tensor."""

_QUATERNIONS = {"quath": "Quath", "quatf": "Quatf", "quatd": "Quatd"}
"""Classes of ``Gf`` by the type of attribute."""


def safe_set_attribute_on_usd_schema(schema_api: Any, name: str, value: Any, camel_case: bool) -> None:
    """Set an attribute of a schema, which is created if need be; ``None`` sets nothing.

    Args:
        schema_api: a schema of a prim, such as ``UsdPhysics.MassAPI(prim)``.
        name: of the attribute.
        value: what to set.
        camel_case: whether the name is written with underscores, as ``rigid_body_enabled``, and must be turned into the
            schema's ``RigidBodyEnabled``.

    Raises:
        TypeError: the schema has no such attribute.
    """
    if value is None:
        return
    wanted = to_camel_case(name, to="CC") if camel_case else name
    create = getattr(schema_api, f"Create{wanted}Attr", None)
    if create is None:
        kind, path = type(schema_api).__name__, schema_api.GetPath()
        raise TypeError(f"Attribute '{wanted}' does not exist: {kind} at '{path}' has no Create{wanted}Attr()")
    set_value(create(), value)


def safe_set_attribute_on_usd_prim(prim: Prim, attr_name: str, value: Any, camel_case: bool) -> None:
    """Set an attribute of a prim, which is created if need be; ``None`` sets nothing.

    Args:
        prim: whose attribute.
        attr_name: its name.
        value: what to set. If there is no such attribute yet, its type follows from the value: bool, int, float, token
            for text, float2, float3 or float4 for as many numbers, an asset path for ``Sdf.AssetPath``.
        camel_case: whether the name is written with underscores, as ``physxRigidBody:sleep_threshold``, and must be
            turned into ``physxRigidBody:sleepThreshold``.

    Raises:
        NotImplementedError: there is no such attribute, and no type follows from the value.
        TypeError: the attribute is of another type than the value.
    """
    if value is None:
        return
    if camel_case:
        attr_name = ":".join(to_camel_case(part) if "_" in part else part for part in attr_name.split(":"))
    attribute = prim.GetAttribute(attr_name)
    if not attribute:
        kind = _type_of(plain(value))
        if kind is None:
            raise NotImplementedError(
                f"Cannot set attribute '{attr_name}' of '{prim.GetPath()}' to {value!r}: no type follows from "
                f"{type(value).__name__}; create it first: prim.CreateAttribute(name, type)"
            )
        attribute = prim.CreateAttribute(attr_name, kind, False)
    set_value(attribute, value)


def change_prim_property(
    prop_path: PrimPath,
    value: Any,
    stage: Stage | None = None,
    type_to_create_if_not_exist: Any = None,
    is_custom: bool = False,
) -> bool:
    """Set an attribute by its path, or clear it with ``None``.

    Args:
        prop_path: such as ``"/World/Light.inputs:intensity"``.
        value: what to set; ``None`` takes away what is written.
        stage: the current one by default.
        type_to_create_if_not_exist: an ``Sdf.ValueTypeName``, to create the attribute if need be.
        is_custom: whether it is then a custom one.

    Returns:
        Whether the attribute could be set: ``False`` if there is none and no type is given.

    Raises:
        ValueError: the path is none of an attribute, or there is no such prim.
        TypeError: the attribute is of another type than the value.
    """
    path = Sdf.Path(str(prop_path))
    if not path.IsPrimPropertyPath():
        raise ValueError(f"'{prop_path}' is no path of an attribute, such as '/World/Light.inputs:intensity'")
    try:
        prim = prim_at(path.GetPrimPath(), current(stage))
    except ValueError as error:
        raise ValueError(f"Prim does not exist: {error}") from None
    attribute = prim.GetAttribute(path.name)
    if not attribute:
        if type_to_create_if_not_exist is None:
            return False
        attribute = prim.CreateAttribute(path.name, type_to_create_if_not_exist, is_custom)
    if value is None:
        return bool(attribute.Clear())
    set_value(attribute, value)
    return True


def set_value(attribute: Any, value: Any) -> None:
    """Set an attribute to a value of Python or NumPy, or a tensor; quaternions are (w, x, y, z).

    Raises:
        TypeError: the attribute is of another type.
    """
    kind, value = str(attribute.GetTypeName()), plain(value)
    if isinstance(value, tuple | list):
        value = list(value) if kind.endswith("[]") else tuple(value)
        if kind in _QUATERNIONS and len(value) == 4:
            value = getattr(Gf, _QUATERNIONS[kind])(*map(float, value))
    elif kind in ("float", "double", "half") and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    try:
        done = attribute.Set(value)
    except Tf.ErrorException as error:
        raise TypeError(f"<{attribute.GetPath()}> is of type {kind} and cannot be {value!r}") from error
    if not done:
        raise TypeError(f"<{attribute.GetPath()}> of type {kind} could not be set to {value!r}")


def plain(value: Any) -> Any:
    """Arrays, tensors and NumPy's numbers as numbers and tuples; everything else as it is."""
    if api_of(value) is None:
        return value
    array = accept(value)

    def nested(value: Any) -> Any:
        return tuple(map(nested, value)) if isinstance(value, list) else value

    return nested(np.asarray(array).tolist())


def numbers(value: Any, count: int, name: str) -> tuple[float, ...]:
    """A sequence or array as floats.

    Raises:
        ValueError: there are not ``count`` of them, or one is not finite.
    """
    found = tuple(float(number) for number in np.asarray(accept(value), dtype=float).reshape(-1))
    if len(found) != count or not np.isfinite(found).all():
        raise ValueError(f"{name}={value!r}: must be {count} finite numbers")
    return found


def as_floats(value: Any) -> tuple[float, ...]:
    """A sequence or array, of any array library and on any device, as floats.

    Args:
        value: numbers, shape (n,); axes of length 1 around them are dropped.

    Raises:
        ValueError: it has more axes, or its elements are not single numbers.
    """
    try:
        found = np.asarray(accept(value), dtype=float)
    except ValueError as error:
        text = f"{value!r}: of elements that are arrays, only one element tensors can be converted to numbers"
        raise ValueError(text) from error
    found = found.squeeze() if found.ndim != 1 else found
    if found.ndim != 1:
        raise ValueError(f"Input value is not one dimensional: its shape is {found.shape}")
    return tuple(found.tolist())


def _type_of(value: Any) -> Any:
    types = Sdf.ValueTypeNames
    for python, kind in ((bool, types.Bool), (int, types.Int), (float, types.Float), (str, types.Token)):
        if isinstance(value, python):
            return kind
    if isinstance(value, Sdf.AssetPath):
        return types.Asset
    if isinstance(value, tuple | list) and all(isinstance(number, int | float) for number in value):
        return {2: types.Float2, 3: types.Float3, 4: types.Float4}.get(len(value))
    return None


__all__ = ["change_prim_property", "safe_set_attribute_on_usd_prim", "safe_set_attribute_on_usd_schema"]
