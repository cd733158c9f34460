"""Kernels whose results are new arrays each time, laid out as users have them; several in one program and one copy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from phalanx.ecs import Field
from phalanx.world.engine.engine import Engine
from phalanx.world.engine.launches import Kernels, Launch, flat, side_by_side

LARGE = 1 << 20
"""Numbers that are worth binding kernels anew."""


@dataclass(frozen=True)
class Reading:
    """A launch that reads the simulation's state.

    Args:
        launch: a system over rows and what it runs on, but for its results.
        results: of each name the field that the system writes, and the shape of the array.
    """

    launch: Launch
    results: Mapping[str, tuple[Field, tuple[int, ...]]]


class Place(NamedTuple):
    """Where an array is in one with all of them: its first number, the one after its last, and how it lies there."""

    start: int
    end: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class Results:
    """What a reading found: arrays by name, which are parts of one, made when they are asked for."""

    __slots__ = ("_places", "_whole")

    def __init__(self, whole: Any, places: Mapping[str, Place]) -> None:
        self._whole, self._places = whole, places

    def get(self, name: str, columns: tuple[int, int] | None = None) -> Any:
        """An array, or of one (rows, width) some columns: the first, and the one after the last."""
        start, end, shape, strides = self._places[name]
        whole = self._whole
        if hasattr(whole, "as_strided"):  # torch's: one operation rather than three
            if columns is not None:
                start, shape = start + columns[0], (shape[0], columns[1] - columns[0])
            return whole.as_strided(shape, strides, start)
        found = whole[start:end].reshape(shape)
        return found if columns is None else found[:, slice(*columns)]


class Reader:
    """Readings in one program.

    Args:
        engine: whose arrays they read.
        readings: what is read, each by kernels of its own.
    """

    def __init__(self, engine: Engine, *readings: Reading) -> None:
        self._engine, self._readings = engine, readings
        self._places: list[dict[str, Place]] = []
        end = 0
        for reading in readings:
            place = {}
            for name, (_, shape) in reading.results.items():
                start, end = end, end + int(np.prod(shape))
                strides = tuple(int(np.prod(shape[k + 1 :])) for k in range(len(shape)))
                place[name] = Place(start, end, shape, strides)
            self._places.append(place)
        self._size, self._kernels = end, None
        self._whole: Any = None

    def read(self) -> list[Results]:
        """What there is now, of each reading, as arrays of the world's device, which is active."""
        self._run()
        small = self._engine.device.is_cuda or self._size < LARGE
        whole = self._whole.copy() if small else self._give_away()
        return [Results(whole, place) for place in self._places]

    def _run(self) -> None:
        """Let kernels write into the array that is theirs, whose address is in a graph on a GPU."""
        if self._kernels is None:
            self._whole, self._kernels = self._bound()
        self._kernels.run()

    def _bound(self) -> tuple[Any, Kernels]:
        """A new array for all results, and the kernels that write it."""
        whole = self._engine.device.xp.zeros(self._size, self._engine.dtype)
        launches = []
        for reading, places in zip(self._readings, self._places, strict=True):
            arrays = dict(reading.launch.arrays)
            for name, (one, _) in reading.results.items():
                arrays[one] = flat(whole[places[name].start : places[name].end])
            launches.append(replace(reading.launch, arrays=arrays))
        return whole, Kernels(self._engine, side_by_side(launches))

    def _give_away(self) -> Any:
        """The kernels' own array, on the CPU: where it is large, binding them to another one costs less than a copy."""
        found, self._whole, self._kernels = self._whole, None, None
        return found
