"""Masses, inertias and gravity of the links of articulations."""

from __future__ import annotations

import logging
from typing import Any

from phalanx.facade.isaacsim.core.prims.articulation_access import ArticulationAccess

log = logging.getLogger("phalanx.facade")


class LinkProperties(ArticulationAccess):
    """The part of a view of articulations that knows what links weigh.

    ``body_indices`` are numbers of links, (K,), in any order; all by default. Lengths are in units of the stage. Before
    it is initialised, and while nothing is simulated, getters give ``None`` and setters do nothing, with a warning.
    """

    @property
    def _unit(self) -> float:
        raise NotImplementedError(f"{type(self).__name__} has no _unit; define it in the class")

    def _links(self, what: str, read: str, indices: Any, body_indices: Any, scale: float = 1.0) -> Any:
        view = self._simulated(what)
        if view is None:
            return None
        found = getattr(view, read)()
        place = self._grid(*self._rows_and_links(view, indices, body_indices))
        return self._backend.give(found[place] * scale if scale != 1.0 else found[place])

    def _rows_and_links(self, view: Any, indices: Any, body_indices: Any) -> tuple[Any, Any]:
        return self._backend.rows(indices, self.count), self._backend.rows(body_indices, view.max_links)

    def _set_links(
        self,
        what: str,
        read: str,
        write: str,
        values: Any,
        indices: Any,
        body_indices: Any,
        scale: float = 1.0,
        columns: slice | None = None,
    ) -> None:
        view = self._simulated(what)
        if view is None:
            return
        rows, links = self._rows_and_links(view, indices, body_indices)
        data = getattr(view, read)()
        part = data if columns is None else data[..., columns]
        place = self._grid(rows, links)
        given = self._given(what, values, part[place].shape)
        part[place] = given * scale if scale != 1.0 else given
        getattr(view, write)(data, rows)

    def get_body_masses(self, indices: Any = None, body_indices: Any = None, clone: bool = True) -> Any:
        """(M, K), kg."""
        return self._links("get_body_masses", "get_masses", indices, body_indices)

    def get_body_inv_masses(self, indices: Any = None, body_indices: Any = None, clone: bool = True) -> Any:
        """(M, K), 1/kg; 0 for links without mass."""
        return self._links("get_body_inv_masses", "get_inv_masses", indices, body_indices)

    def set_body_masses(self, values: Any, indices: Any = None, body_indices: Any = None) -> None:
        """Set masses, (M, K), kg; inertias stay."""
        self._set_links("set_body_masses", "get_masses", "set_masses", values, indices, body_indices)

    def get_body_coms(self, indices: Any = None, body_indices: Any = None, clone: bool = True) -> Any:
        """Centres of mass (M, K, 3) in the links' frames, and their axes (M, K, 4), (w, x, y, z)."""
        view = self._simulated("get_body_coms")
        if view is None:
            return None
        found = view.get_coms()[self._grid(*self._rows_and_links(view, indices, body_indices))]
        places = found[..., :3] / self._unit if self._unit != 1.0 else found[..., :3]
        return self._backend.give(places), self._backend.give(found[..., [6, 3, 4, 5]])

    def set_body_coms(
        self, positions: Any = None, orientations: Any = None, indices: Any = None, body_indices: Any = None
    ) -> None:
        """Set centres of mass in the links' frames, (M, K, 3); what is ``None`` stays.

        Raises:
            ValueError: axes (M, K, 4) are given that are not the links' own.
        """
        if positions is not None:
            self._set_links(
                "set_body_coms: positions",
                "get_coms",
                "set_coms",
                positions,
                indices,
                body_indices,
                self._unit,
                slice(0, 3),
            )
        if orientations is not None:
            view = self._simulated("set_body_coms: orientations")
            if view is not None:
                shape = view.get_coms()[self._grid(*self._rows_and_links(view, indices, body_indices))][..., 3:].shape
                turns = self._given("set_body_coms: orientations", orientations, shape)[..., [1, 2, 3, 0]]
                self._set_links(
                    "set_body_coms: orientations",
                    "get_coms",
                    "set_coms",
                    turns,
                    indices,
                    body_indices,
                    columns=slice(3, 7),
                )

    def get_body_inertias(self, indices: Any = None, body_indices: Any = None, clone: bool = True) -> Any:
        """(M, K, 9): about the centres of mass, in the links' axes, row by row."""
        return self._links("get_body_inertias", "get_inertias", indices, body_indices, self._unit**-2)

    def get_body_inv_inertias(self, indices: Any = None, body_indices: Any = None, clone: bool = True) -> Any:
        """(M, K, 9): inverses of the inertias."""
        return self._links("get_body_inv_inertias", "get_inv_inertias", indices, body_indices, self._unit**2)

    def set_body_inertias(self, values: Any, indices: Any = None, body_indices: Any = None) -> None:
        """Set inertias, (M, K, 9)."""
        scale = self._unit**2
        self._set_links("set_body_inertias", "get_inertias", "set_inertias", values, indices, body_indices, scale)

    def get_body_disable_gravity(self, indices: Any = None, body_indices: Any = None, clone: bool = True) -> Any:
        """(M, K), uint8: 1 where gravity does not act."""
        return self._links("get_body_disable_gravity", "get_disable_gravities", indices, body_indices)

    def set_body_disable_gravity(self, values: Any, indices: Any = None, body_indices: Any = None) -> None:
        """Let gravity act (0) or not (1), (M, K).

        Raises:
            ValueError: links that are fixed to each other have different flags.
        """
        read, write = "get_disable_gravities", "set_disable_gravities"
        self._set_links("set_body_disable_gravity", read, write, values, indices, body_indices)
