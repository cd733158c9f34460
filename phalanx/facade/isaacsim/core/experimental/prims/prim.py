"""What all wrappers of prims have in common."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade import stage as stages
from phalanx.facade.backends import on_host, to_warp
from phalanx.facade.expressions import matching_paths
from phalanx.facade.isaacsim.core.api.materials.accessors import read, write
from phalanx.facade.isaacsim.core.experimental.prims import views
from phalanx.facade.isaacsim.core.experimental.utils import backend as backends
from phalanx.facade.isaacsim.core.experimental.utils.ops import broadcast_engine, engine_array
from phalanx.io.formats.usd.bindings import Gf, Sdf
from phalanx.io.formats.usd.bindings import Prim as UsdPrim

log = logging.getLogger("phalanx.facade")

NOT_VALID = "some of the prims were deleted from the stage, or another stage was opened"
NOT_SIMULATED = "nothing is simulated: let the timeline play first"


class Prim:
    """Prims of the current stage.

    Args:
        paths: a path or several, which may be expressions such as ``"/World/envs/env_.*/robot"``.
        resolve_paths: whether they may be expressions; else they are taken as they are.

    Raises:
        AssertionError: there is no prim at a path.
        ValueError: an expression matches none, or some paths have prims and others none.
    """

    _view: Any

    def __init__(self, paths: str | list[str], *, resolve_paths: bool = True) -> None:
        given = [paths] if isinstance(paths, str) else list(paths)
        if resolve_paths:
            _, missing = self.resolve_paths(given)
            require(not missing, f"there are no prims at {', '.join(missing)}")
        self._view = self._make_view(given)

    def _make_view(self, paths: list[str]) -> Any:
        """The view behind it; for those who derive from it."""
        return views.Prims(paths)

    def __del__(self) -> None:
        if hasattr(self, "_view"):
            self._view._remove_callbacks()

    def __len__(self) -> int:
        """Number of prims."""
        return self._view.count

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} prims: {', '.join(self.paths[:3])}{', ...' * (len(self) > 3)}>"

    @property
    def paths(self) -> list[str]:
        """Paths of the prims."""
        return self._view.prim_paths

    @property
    def prims(self) -> list[UsdPrim]:
        """The prims."""
        return self._view.prims

    @property
    def valid(self) -> bool:
        """Whether all prims are still there, on the current stage."""
        stage = self._view._stage
        return bool(stage is stages.process_stage() or stages.is_in_memory()) and self._view.is_valid()

    @staticmethod
    def ensure_api(prims: Sequence[UsdPrim], api: type, *args: Any, **kwargs: Any) -> list[Any]:
        """An API schema of each of some prims, which is applied if need be; arguments are the schema's, as names."""
        made: Any = api
        return [
            made(prim, *args, **kwargs) if prim.HasAPI(api, *args, **kwargs) else made.Apply(prim, *args, **kwargs)
            for prim in prims
        ]

    @staticmethod
    def resolve_paths(paths: str | list[str], raise_on_mixed_paths: bool = True) -> tuple[list[str], list[str]]:
        """Paths of prims that some paths and expressions stand for, and paths at which there is none yet.

        Args:
            paths: a path or expression, or several.
            raise_on_mixed_paths: whether all must stand for prims, or none.

        Raises:
            ValueError: there are both, or an expression stands for none.
        """
        stage = stages.get_stage()
        given = [paths] if isinstance(paths, str) else list(paths)
        existing: list[str] = []
        missing: list[str] = []
        wrong: list[str] = []
        for path in given:
            found = matching_paths(stage, path) if path.startswith("/") else []
            if found:
                existing += found
            elif Sdf.Path.IsValidPathString(path):
                missing.append(path)
            else:
                wrong.append(path)
        if raise_on_mixed_paths:
            if wrong:
                raise ValueError(f"paths: no prim matches {', '.join(wrong)}")
            if existing and missing:
                raise ValueError(f"paths: there are no prims at {', '.join(missing)}, and others at {existing[0]}")
        return existing, missing

    # -- for those who derive from it ------------------------------------------------------------------------

    def _check_valid(self) -> None:
        require(self.valid, f"{self!r}: {NOT_VALID}")

    def _check_backend(self, *supported: str) -> None:
        """Look at what the thread has chosen to read and write by.

        Raises:
            RuntimeError: it is not supported, or nothing is simulated, and the thread wants to hear of it.
        """
        chosen = backends.get_current_backend(supported)
        if chosen == "tensor" and backends.is_backend_set() and self._view.simulated is None:
            if backends.should_raise_on_fallback():
                raise RuntimeError(f"{self!r}: {NOT_SIMULATED}")
            log.warning("%r: %s; taking what the stage says", self, NOT_SIMULATED)

    @property
    def _device(self) -> str:
        return self._view.arrays.device

    def _size(self, indices: Any) -> int:
        """How many prims are chosen."""
        rows = self._view.arrays.rows(indices, len(self))
        return len(self) if rows is None else len(rows)

    def _chosen(self, indices: Any) -> list[int]:
        return self._view.arrays.host(indices, len(self)).tolist()

    def _taken(self, values: Any, *shape: int, dtype: str = "float32") -> Any:
        """Values as an array of the engine in a shape. A list with one number for each prim need not be a column."""
        array = engine_array(values, dtype, self._device)
        if array.size == int(np.prod(shape)):
            return array.reshape(shape)
        return broadcast_engine(array, shape)

    def _on_host(self, values: Any, *shape: int) -> np.ndarray:
        """The same on the host, with the numbers' own type."""
        array = on_host(values)
        if array.size == int(np.prod(shape)):
            return array.reshape(shape)
        try:
            return np.broadcast_to(array, shape)
        except ValueError:
            raise ValueError(f"{type(self).__name__}: values of shape {array.shape} do not fit; give {shape}") from None

    def _given(self, array: Any, *shape: int) -> Any:
        """An array of the engine, or of NumPy, as Warp's on the device."""
        array = self._view.arrays.give(array)
        return to_warp(array.reshape(shape) if shape else array)

    # -- attributes of prims on the stage, (M, width) each -----------------------------------------------------

    def _set_attribute(self, name: str, kind: str, values: Any, indices: Any, width: int = 1) -> None:
        self._check_valid()
        chosen = self._chosen(indices)
        rows = self._on_host(values, len(chosen), width).tolist()
        vector = {2: Gf.Vec2f, 3: Gf.Vec3f}.get(width)
        for i, row in zip(chosen, rows, strict=True):
            write(self.prims[i], name, kind, row[0] if vector is None else vector(*row))

    def _get_attribute(self, name: str, default: Any, indices: Any, width: int = 1) -> Any:
        self._check_valid()
        kind = bool if isinstance(default, bool) else np.int32 if isinstance(default, int) else np.float32
        found = [read(self.prims[i], name, default) for i in self._chosen(indices)]
        return self._given(np.array(found, kind).reshape(-1, width))

    def _set_words(self, name: str, kind: str, words: Any, indices: Any, known: Sequence[str] = ()) -> None:
        self._check_valid()
        chosen = self._chosen(indices)
        given = [words] if isinstance(words, str) else list(words)
        for word in given:
            require(not known or word in known, f"{word!r} must be one of {', '.join(known)}")
        require(len(given) in (1, len(chosen)), f"there are {len(given)} words for {len(chosen)} prims")
        for n, i in enumerate(chosen):
            write(self.prims[i], name, kind, given[0 if len(given) == 1 else n])

    def _get_words(self, name: str, default: str, indices: Any) -> list[str]:
        self._check_valid()
        return [str(read(self.prims[i], name, default)) for i in self._chosen(indices)]


def require(condition: bool, message: str) -> None:
    """Raise what Isaac Sim's wrappers raise, whatever Python's ``-O`` says.

    Raises:
        AssertionError: the condition does not hold.
    """
    if not condition:
        raise AssertionError(message)
