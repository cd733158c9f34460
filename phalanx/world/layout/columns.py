"""Columns of the engine's tables: collected row by row while a world is built, then written to the store at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.ecs import Field, Store
from phalanx.world.checking import too_large


class Columns:
    """For each field the values of its rows so far, the same in all environments."""

    def __init__(self) -> None:
        self._parts: dict[Field, list[Any]] = {}
        """Of each field runs of rows: lists of single rows, and arrays."""

    def add(self, values: dict[Any, Any]) -> None:
        """Append a row: a value of each field."""
        for field, value in values.items():
            parts = self._parts.setdefault(field, [])
            if not parts or not isinstance(parts[-1], list):
                parts.append([])
            parts[-1].append(value)

    def extend(self, values: dict[Any, Any]) -> None:
        """Append rows: arrays of values of each field."""
        for field, more in values.items():
            if len(more):
                self._parts.setdefault(field, []).append(np.asarray(more))

    def count(self, field: Field) -> int:
        """How many rows have been given a value of a field."""
        return sum(len(part) for part in self._parts.get(field, ()))

    def rows(self, field: Field) -> np.ndarray:
        """The values of a field so far."""
        return np.concatenate([np.asarray(part) for part in self._parts[field]])

    def write(self, store: Store) -> None:
        """Set the fields; their tables must have as many rows."""
        for field in self._parts:
            values = self.rows(field)
            if field.dtype == "int32":
                store.set(field, np.asarray(values, np.int32)[..., None])
                continue
            exact = np.asarray(values, float)
            if (large := too_large(exact, store.real)) is not None:
                raise ValueError(f"{field.key} ({field.doc}) is {large}")
            store.set(field, exact.astype(store.real)[..., None])
