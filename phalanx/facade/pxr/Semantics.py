"""What scripts import as ``Semantics`` or ``pxr.Semantics``: the older schema of labels, which usd-core lacks."""

from __future__ import annotations

from typing import Any

from phalanx.facade.pxr.PhysxSchema import MultipleSchema
from phalanx.io.formats.usd.bindings import Sdf, Usd

KINDS = ("semanticType", "semanticData")
"""What a label is made of: its kind, such as ``"class"``, and its text."""


class SemanticsAPI(MultipleSchema):
    """A label of a prim, of which a prim can have several, each under a name: ``semantic:<name>:params:...``."""

    NAME, SPACE = "SemanticsAPI", "semantic"

    @classmethod
    def Get(cls, prim: Any, name: Any) -> SemanticsAPI:
        """That of a prim under a name; or that of a stage at the path of one of its attributes."""
        if not isinstance(prim, Usd.Stage):
            return cls(prim, str(name))
        path = Sdf.Path(str(name))
        instance = path.name.split(":")[1] if cls.IsSemanticsAPIPath(path) else ""
        return cls(prim.GetPrimAtPath(path.GetPrimPath()), instance)

    @staticmethod
    def IsSemanticsAPIPath(path: Any) -> bool:
        """Whether a path is that of an attribute of such a label."""
        parts = Sdf.Path(str(path)).name.split(":")
        return Sdf.Path(str(path)).IsPropertyPath() and parts[0] == "semantic" and parts[-1] in KINDS

    def _space(self) -> str:
        return f"{super()._space()}:params"

    def _create(self, name: str, defaultValue: Any = None, writeSparsely: bool = False) -> Any:
        found = self._prim.CreateAttribute(name, Sdf.ValueTypeNames.String, False)
        if defaultValue is not None:
            found.Set(str(defaultValue))
        return found


__all__ = ["SemanticsAPI"]
