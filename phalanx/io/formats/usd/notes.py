"""Collects what is odd or not simulated on a stage, so that a thousand prims of one sort make one sentence."""

from __future__ import annotations

from dataclasses import dataclass, field

from phalanx.io.formats.usd.bindings import Prim


@dataclass
class Notes:
    """Warnings in the order in which they came up; ``file`` is what they name."""

    file: str
    _texts: dict[str, list[str]] = field(default_factory=dict)

    def add(self, prim: Prim, text: str) -> None:
        """Say something about a prim."""
        paths = self._texts.setdefault(text, [])
        path = str(prim.GetPath())
        if path not in paths:
            paths.append(path)

    def attribute(self, prim: Prim, name: str) -> None:
        """An attribute is not simulated."""
        self.add(prim, f'"{name}" is not simulated.')

    def sentences(self) -> list[str]:
        """All warnings, one sentence each, with the first prim that it holds for."""
        return [
            f"{self.file}: <{paths[0]}>: {text}" + (f" (And so for {len(paths) - 1} more.)" if len(paths) > 1 else "")
            for text, paths in self._texts.items()
        ]
