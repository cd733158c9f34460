"""The views behind the wrappers: they hand out the engine's arrays, and go back to no default states by themselves."""

from __future__ import annotations

from typing import Any

from phalanx.facade import simulation
from phalanx.facade.backends import Backend, EngineArrays
from phalanx.facade.isaacsim.core import prims
from phalanx.facade.physx.articulation_view import ArticulationView
from phalanx.facade.physx.rigid_body_view import RigidBodyView


class _Engine:
    """What differs from the views that scripts make."""

    def _arrays(self) -> Backend:
        return EngineArrays(simulation.arrays().device)

    @property
    def arrays(self) -> Backend:
        """Whose arrays it takes and hands out."""
        return self._backend  # type: ignore[attr-defined]

    def _on_post_reset(self, event: Any) -> None:
        """Nothing: scripts reset to default states by themselves."""


class Prims(_Engine, prims.Prim):
    """Prims of any type."""


class _Placed(_Engine):
    """What those have in common that have a place."""

    def standardize(self) -> None:
        """Let prims keep their places as translation, orientation and scale; they stay where they are."""
        self._standardize()  # type: ignore[attr-defined]


class Places(_Placed, prims.XFormPrim):
    """Prims that have a place."""


class Geometries(_Placed, prims.GeometryPrim):
    """Prims that can collide."""


class Bodies(_Placed, prims.RigidPrim):
    """Rigid bodies."""

    @property
    def simulated(self) -> RigidBodyView | None:
        """The tensor view; ``None`` while nothing is simulated."""
        return self._physics_view


class Robots(_Placed, prims.Articulation):
    """Articulations."""

    @property
    def simulated(self) -> ArticulationView | None:
        """The tensor view; ``None`` while nothing is simulated."""
        return self._physics_view

    def tops(self) -> list[str]:
        """For each row the path of the prim that was asked for, below which all joints are."""
        return self._top_paths()

    def read(self, name: str, rows: Any, columns: Any, width: int) -> Any:
        """(M, K, ...) of what the tensor view has by row and column, of which there are ``width``."""
        found = getattr(self._physics_view, f"get_{name}")()
        return found[self._grid(self.arrays.rows(rows, self.count), self.arrays.rows(columns, width))]

    def write(self, name: str, values: Any, rows: Any, columns: Any, width: int, last: int | None = None) -> None:
        """Set (M, K, ...) of what the tensor view has by row and column; ``last`` is one of the last axis."""
        view, chosen = self._physics_view, self.arrays.rows(rows, self.count)
        data = getattr(view, f"get_{name}")()
        place = self._grid(chosen, self.arrays.rows(columns, width))
        data[place if last is None else (*place, last)] = values
        getattr(view, f"set_{name}")(data, chosen)
