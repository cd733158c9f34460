"""Names of types of attributes in USD."""

from __future__ import annotations

from typing import Any

from phalanx.io.formats.usd.bindings import Sdf


def _known() -> dict[str, Any]:
    names = Sdf.ValueTypeNames
    found = {name: getattr(names, name) for name in dir(names) if not name.startswith("_") and name != "Find"}
    return {name: kind for name, kind in found.items() if isinstance(kind, Sdf.ValueTypeName)}


def get_value_type_names(*, format: Any = str) -> list[Any]:
    """All types of attributes, as names such as ``"Float3"``, or as ``Sdf.ValueTypeNames``.

    Raises:
        ValueError: another format is asked for.
    """
    if format is str:
        return sorted(_known())
    if format is Sdf.ValueTypeNames or format is Sdf.ValueTypeName:
        return [kind for _, kind in sorted(_known().items())]
    raise ValueError(f"format={format!r} must be str or pxr.Sdf.ValueTypeNames; there is no usdrt")


def resolve_value_type_name(type_name: Any, *, backend: str | None = None) -> Any:
    """A type of attributes by its name (``"Float3"`` or ``"float3"``), or itself.

    Raises:
        ValueError: there is none of the name.
    """
    if isinstance(type_name, Sdf.ValueTypeName):
        return type_name
    known = _known()
    found = known.get(str(type_name))
    if found is None:
        found = next((kind for kind in known.values() if str(kind) == type_name), None)
    if found is None:
        raise ValueError(f"{type_name!r} is no type of attributes; there are {', '.join(sorted(known))}")
    return found


def value_type_name_to_str(type_name: Any) -> str:
    """The name of a type of attributes, such as ``"Float3"``.

    Raises:
        ValueError: it is none.
    """
    wanted = resolve_value_type_name(type_name)
    exact = [name for name, kind in _known().items() if kind == wanted]
    return exact[0]
