"""What views of cloth, particles and deformable bodies have in common: attributes of the stage.

Prims are written and read as they are by PhysX; when a simulation begins to play, a warning says what is left out of
it. Views of what is simulated override :meth:`SoftPrims._simulate`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.backends import Backend, on_host, shaped
from phalanx.facade.isaaclab.sim.schemas.authoring import apply_schema
from phalanx.facade.isaacsim.core.api.materials.accessors import read, write
from phalanx.facade.once import tell_once
from phalanx.io.formats.usd.bindings import Prim

_ARRAYS = {"Bool": np.bool_, "Int": np.int32, "Float": np.float32}


class SoftPrims:
    """The part of a view that reads and writes attributes of PhysX, and says what is not simulated.

    Attributes:
        WHAT: what the prims are, for messages.
    """

    WHAT = "soft bodies"

    _prims: list[Prim]
    _prim_paths: list[str]
    _backend: Backend
    _physics_view: Any = None

    def _chosen(self, indices: Any) -> list[int]:
        raise NotImplementedError(f"{type(self).__name__} has no _chosen(); define it in the class")

    def _check_valid(self) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no _check_valid(); define it in the class")

    def is_physics_handle_valid(self) -> bool:
        """Whether the prims are simulated."""
        return self._physics_view is not None

    def _simulate(self) -> None:
        """A simulation plays: look up what of the prims is in it, which is nothing."""
        if simulation.stage_world() is not None:
            paths = ", ".join(self._prim_paths[:3])
            tell_once(f"{paths}: {self.WHAT} are not simulated yet; the stage keeps what it has", logging.WARNING)

    # -- attributes ------------------------------------------------------------------------------------------

    def _number(self, name: str, kind: str, default: Any, indices: Any, column: bool = False) -> Any:
        """(M,) of an attribute; with ``column`` (M, 1) while a simulation plays, as PhysX's views of particles."""
        self._check_valid()
        found = [read(self._prims[i], name, default) for i in self._chosen(indices)]
        array = np.array(found, _ARRAYS[kind])
        return self._backend.give(array.reshape(-1, 1) if column and simulation.stage_world() is not None else array)

    def _set_number(
        self, name: str, kind: str, schema: str, values: Any, indices: Any, least: float | None = None
    ) -> None:
        """Write an attribute, (M,), of a schema that the prims get."""
        self._check_valid()
        chosen = self._chosen(indices)
        given = shaped(name, on_host(values), (len(chosen),)).tolist()
        if least is not None and min(given, default=least) < least:
            raise ValueError(f"{name}: {min(given):g} must be at least {least:g}")
        for i, value in zip(chosen, given, strict=True):
            if schema:
                apply_schema(self._prims[i], schema)
            write(self._prims[i], name, kind, value)

    def _lists(self, name: str, indices: Any, width: int | None = None, dtype: Any = np.float32) -> Any:
        """(M, K) or (M, K, width) of an attribute that holds a list; shorter ones are filled up with zeros.

        Raises:
            ValueError: a prim has no such attribute.
        """
        self._check_valid()
        chosen = self._chosen(indices)
        rows = []
        for i in chosen:
            attribute = self._prims[i].GetAttribute(name)
            found = attribute.Get() if attribute else None
            if found is None:
                raise ValueError(f"<{self._prim_paths[i]}> has no {name}")
            rows.append(np.array(found, dtype).reshape(-1, width) if width else np.array(found, dtype).reshape(-1))
        most = max((len(row) for row in rows), default=0)
        result = np.zeros((len(rows), most, *([width] if width else [])), dtype)
        for n, row in enumerate(rows):
            result[n, : len(row)] = row
        return self._backend.give(result)

    def _set_lists(self, name: str, kind: str, schema: str, values: Any, indices: Any) -> None:
        """Write an attribute that holds a list, (M, K) or (M, K, width)."""
        self._check_valid()
        chosen = self._chosen(indices)
        given = on_host(values)
        if given.ndim > 2 and given.shape[:2] == (1, len(chosen)):  # what indexing by None makes of values of all
            given = given[0]
        if len(given) != len(chosen):
            raise ValueError(f"{name}: there are {len(given)} lists for {len(chosen)} prims")
        for row, i in zip(given, chosen, strict=True):
            if schema:
                apply_schema(self._prims[i], schema)
            write(self._prims[i], name, kind, [tuple(each) for each in row.tolist()] if row.ndim > 1 else row.tolist())

    def _points(self) -> int:
        """The most points that one of the prims has."""
        counts = [len(read(prim, "points", ()) or ()) for prim in self._prims]
        return max(counts, default=0)


def relation(prim: Prim, name: str, targets: Sequence[str]) -> None:
    """Let a relationship of a prim have targets."""
    found = prim.GetRelationship(name) or prim.CreateRelationship(name, custom=False)
    found.SetTargets(list(targets))


def target(prim: Prim, name: str) -> str | None:
    """The first target of a relationship; ``None`` if it has none."""
    found = prim.GetRelationship(name)
    targets = found.GetTargets() if found else []
    return str(targets[0]) if targets else None
