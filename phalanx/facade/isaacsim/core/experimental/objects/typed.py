"""What shapes and lights have in common: prims of one type, which are made where there are none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from phalanx.facade import stage as stages
from phalanx.facade.isaacsim.core.experimental.prims import XformPrim
from phalanx.facade.isaacsim.core.experimental.prims.prim import require
from phalanx.facade.isaacsim.core.experimental.utils.ops import place
from phalanx.io.formats.usd.bindings import Prim, UsdGeom


class Typed(XformPrim):
    """Prims of one type.

    Args:
        paths: a path or several, or expressions for paths of prims that are there.
        placed: arguments of :class:`XformPrim` for their places.

    Raises:
        AssertionError: a prim is of another type.
        ValueError: some paths have prims and others none, or an expression matches none.
    """

    schema: ClassVar[str] = ""
    """The name of the type; empty of classes that only others derive from."""

    family: ClassVar[Any] = UsdGeom
    """The module of ``pxr`` that has it."""

    _made: list[Any]

    def __init__(self, paths: str | list[str], **placed: Any) -> None:
        existing, missing = XformPrim.resolve_paths(paths)
        schema, stage = self._type(), stages.get_stage()
        for path in missing:
            self._make(stage, path)
        for path in existing:
            prim = stage.GetPrimAtPath(path)
            require(prim.IsA(schema), f"the prim at {path} is a {prim.GetTypeName()}, and no {self.schema}")
        super().__init__(existing or missing, resolve_paths=False, **placed)
        self._made = [schema(prim) for prim in self.prims]

    def _make(self, stage: Any, path: str) -> None:
        """Make a prim; for those who derive from it."""
        self._type().Define(stage, path)

    @classmethod
    def _type(cls) -> Any:
        return getattr(cls.family, cls.schema)

    @classmethod
    def _are(cls, paths: str | Prim | Sequence[str | Prim]) -> Any:
        """(N,), bool: whether prims, or those at paths, are of the type."""
        given = paths if isinstance(paths, list | tuple) else [paths]
        stage: Any = stages.get_stage()
        prims: list[Any] = [stage.GetPrimAtPath(each) if isinstance(each, str) else each for each in given]
        return place([bool(prim and prim.IsA(cls._type())) for prim in prims], dtype=bool, device="cpu")


def instances(classes: Sequence[Any], paths: str | Prim | Sequence[str | Prim]) -> list[Any]:
    """A wrapper of each of some prims by the first class that knows it; ``None`` where none does."""
    found = []
    for each in paths if isinstance(paths, list | tuple) else [paths]:
        prim: Any = stages.get_stage().GetPrimAtPath(each) if isinstance(each, str) else each
        fitting = next((one for one in classes if prim and prim.IsA(one._type())), None)
        found.append(None if fitting is None else fitting(prim.GetPath().pathString))
    return found
