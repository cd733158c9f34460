"""Prims of the current stage, by themselves or by their paths."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from phalanx.facade import stage as stages
from phalanx.facade.isaacsim.core.experimental.utils import foundation
from phalanx.io.formats.usd.bindings import Prim

Predicate = Callable[[Prim, str], bool]


def _prim(prim: str | Prim) -> Prim:
    return stages.get_stage().GetPrimAtPath(prim) if isinstance(prim, str) else prim


def get_prim_at_path(path: str) -> Prim:
    """The prim at a path, which is not valid if there is none."""
    return stages.get_stage().GetPrimAtPath(path)


def get_prim_path(prim: Prim) -> str:
    """The path of a prim."""
    return prim.GetPath().pathString


# -- variants --------------------------------------------------------------------------------------------------------


def set_prim_variants(prim: str | Prim, *, variants: Sequence[tuple[str, str]]) -> None:
    """Choose variants of a prim.

    Args:
        prim: itself or its path.
        variants: pairs of a set's name and a variant's; an empty one chooses none.

    Raises:
        ValueError: there is no such set, or no such variant in it.
    """
    sets = _prim(prim).GetVariantSets()
    for which, choice in variants:
        if which not in sets.GetNames():
            raise ValueError(f"variants: there is no set {which!r}; there are {list(sets.GetNames())}")
        known = sets.GetVariantSet(which)
        if choice and choice not in known.GetVariantNames():
            there = list(known.GetVariantNames())
            raise ValueError(f"variants: there is no variant {choice!r} in {which!r}; there are {there}")
        known.SetVariantSelection(choice)


def get_prim_variants(prim: str | Prim) -> list[tuple[str, str]]:
    """Pairs of a variant set's name and the variant that is chosen, in order of the names."""
    sets = _prim(prim).GetVariantSets()
    return [(name, sets.GetVariantSet(name).GetVariantSelection()) for name in sorted(sets.GetNames())]


def get_prim_variant_collection(prim: str | Prim) -> dict[str, list[str]]:
    """Variants that can be chosen, by the name of their set."""
    sets = _prim(prim).GetVariantSets()
    return {name: list(sets.GetVariantSet(name).GetVariantNames()) for name in sets.GetNames()}


# -- prims above and below -------------------------------------------------------------------------------------------


def _below(prim: Prim, include_self: bool, max_depth: int | None = None) -> Any:
    """A prim and what is below it, breadth first, with depths."""
    waiting = deque([(prim, 0)])
    while waiting:
        one, depth = waiting.popleft()
        if depth or include_self:
            yield one
        if max_depth is None or depth < max_depth:
            waiting.extend((child, depth + 1) for child in one.GetChildren())


def get_all_matching_child_prims(
    prim: str | Prim, *, predicate: Predicate, include_self: bool = False, max_depth: int | None = None
) -> list[Prim]:
    """Prims below one that a predicate of prim and path holds of, breadth first.

    Args:
        prim: itself or its path.
        predicate: what must hold.
        include_self: whether it may be among them.
        max_depth: how far below; 1 are its children. There is no limit by default.

    Raises:
        ValueError: the depth is negative.
    """
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"max_depth={max_depth} must not be negative")
    return [one for one in _below(_prim(prim), include_self, max_depth) if predicate(one, get_prim_path(one))]


def get_first_matching_child_prim(prim: str | Prim, *, predicate: Predicate, include_self: bool = False) -> Prim | None:
    """The first prim below one, breadth first, that a predicate of prim and path holds of; ``None`` without one."""
    return next((one for one in _below(_prim(prim), include_self) if predicate(one, get_prim_path(one))), None)


def get_first_matching_parent_prim(
    prim: str | Prim, *, predicate: Predicate, include_self: bool = False
) -> Prim | None:
    """The next prim above one that a predicate of prim and path holds of; ``None`` without one."""
    one = _prim(prim) if include_self else _prim(prim).GetParent()
    while one and get_prim_path(one) != "/":
        if predicate(one, get_prim_path(one)):
            return one
        one = one.GetParent()
    return None


# -- schemas and attributes ------------------------------------------------------------------------------------------

_TESTS = {"all": all, "any": any, "none": lambda flags: not any(flags)}


def has_api(prim: str | Prim, api: Any, *, test: str = "all") -> bool:
    """Whether API schemas are applied to a prim.

    Args:
        prim: itself or its path.
        api: a schema, by name or as its class, or several in a list.
        test: whether ``"all"``, ``"any"`` or ``"none"`` of them must be.

    Raises:
        ValueError: there is no such test.
    """
    if test not in _TESTS:
        raise ValueError(f"test={test!r} must be one of {', '.join(_TESTS)}")
    one = _prim(prim)
    applied = one.GetAppliedSchemas()
    wanted = api if isinstance(api, list | tuple) else [api]
    return bool(_TESTS[test]([each in applied if isinstance(each, str) else one.HasAPI(each) for each in wanted]))


def create_prim_attribute(prim: str | Prim, *, name: str, type_name: Any, exist_ok: bool = True) -> Any:
    """Create an attribute of a prim.

    Args:
        prim: itself or its path.
        name: of the attribute.
        type_name: its type, as :func:`.foundation.resolve_value_type_name` takes it.
        exist_ok: whether it may be there already.

    Raises:
        RuntimeError: it is there, and may not be.
        ValueError: it is there with another type.
    """
    one, kind = _prim(prim), foundation.resolve_value_type_name(type_name)
    if not one.HasAttribute(name):
        return one.CreateAttribute(name, kind, custom=True)
    if not exist_ok:
        raise RuntimeError(f"<{get_prim_path(one)}> has an attribute {name!r} already")
    found = one.GetAttribute(name)
    if found.GetTypeName() != kind:
        raise ValueError(f"the attribute {name!r} of <{get_prim_path(one)}> is a {found.GetTypeName()}, and no {kind}")
    return found
