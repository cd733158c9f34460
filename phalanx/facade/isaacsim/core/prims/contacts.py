"""Contacts of the prims of a view."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaacsim.core.api.sensors.rigid_contact_view import RigidContactView

log = logging.getLogger("phalanx.facade")


class Contacts:
    """The part of a view that tells what its prims touch.

    Attributes:
        _contact_view: what reads contacts; ``None`` if they are not tracked.
    """

    _contact_view: RigidContactView | None = None
    _contact_filter_prim_paths_expr: Sequence[Any] = ()

    def _check_valid(self) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no _check_valid(); define it in the class")

    def _track(
        self, expressions: Any, name: str, wanted: bool, filters: Sequence[Any] | None, prepare: bool, most: int
    ) -> None:
        """Begin to track contacts, if that is wanted or there are filters."""
        self._contact_filter_prim_paths_expr = list(filters or [])
        if wanted or self._contact_filter_prim_paths_expr:
            self._contact_view = RigidContactView(
                expressions, self._contact_filter_prim_paths_expr, f"{name}_contact", prepare, True, most
            )

    def get_net_contact_forces(self, indices: Any = None, clone: bool = True, dt: float = 1.0) -> Any:
        """(M, 3): sums of the normal forces on prims, in the world's axes: impulses, N s, or forces, N, with ``dt``.

        ``None``, with a warning, unless the view was made with ``track_contact_forces``, or while nothing is simulated.
        """
        return self._contact("get_net_contact_forces", False, indices, clone, dt)

    def get_contact_force_matrix(self, indices: Any = None, clone: bool = True, dt: float = 1.0) -> Any:
        """(M, filters, 3): the same of each filter on prims; ``None``, with a warning, without filters."""
        return self._contact("get_contact_force_matrix", True, indices, clone, dt)

    def get_contact_force_data(self, indices: Any = None, clone: bool = True, dt: float = 1.0) -> Any:
        """Contacts one by one, see :meth:`RigidContactView.get_contact_force_data`; ``None`` without filters."""
        return self._contact("get_contact_force_data", True, indices, clone, dt)

    def get_friction_data(self, indices: Any = None, clone: bool = True, dt: float = 1.0) -> Any:
        """Friction one by one, see :meth:`RigidContactView.get_friction_data`; ``None`` without filters."""
        return self._contact("get_friction_data", True, indices, clone, dt)

    def _contact(self, what: str, by_filter: bool, indices: Any, clone: bool, dt: float) -> Any:
        self._check_valid()
        if self._contact_view is None:
            log.warning("%s: contacts are not tracked; make the view with track_contact_forces=True", what)
            return None
        if by_filter and not self._contact_filter_prim_paths_expr:
            log.warning("%s: there are no filters; make the view with contact_filter_prim_paths_expr", what)
            return None
        return getattr(self._contact_view, what)(indices, clone, dt)
