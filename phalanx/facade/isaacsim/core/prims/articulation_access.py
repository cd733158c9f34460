"""How views of articulations read and write some rows and some joints of what tensor views have."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.backends import Backend, shaped
from phalanx.facade.physx.articulation_view import ArticulationView
from phalanx.facade.physx.metatype import ArticulationMetatype

log = logging.getLogger("phalanx.facade")


class ArticulationAccess:
    """What the parts of a view of articulations share.

    Attributes:
        _physics_view: the tensor view; ``None`` while nothing is simulated.
        _metadata: names and order of links and dofs; ``None`` before the first simulation.
    """

    _physics_view: ArticulationView | None
    _metadata: ArticulationMetatype | None
    _backend: Backend
    _name: str
    count: Any

    def _check_valid(self) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no _check_valid(); define it in the class")

    def _simulated(self, what: str) -> ArticulationView | None:
        """The tensor view; ``None``, with a warning, before it is initialised or while nothing is simulated."""
        self._check_valid()
        if self._metadata is None:
            log.warning("%s: Articulation needs to be initialized: %r", what, self._name)
            return None
        if self._physics_view is None:
            log.warning("%s: there is no simulation of %r: it was stopped", what, self._name)
        return self._physics_view

    def _known(self, what: str) -> ArticulationMetatype | None:
        if self._metadata is None:
            log.warning("%s: Articulation needs to be initialized: %r", what, self._name)
        return self._metadata

    def _columns(self, joint_indices: Any, joint_names: Sequence[str] | None) -> Any:
        """Numbers of dofs on the device; ``None`` for all.

        Raises:
            ValueError: both are given.
            KeyError: there is no joint of a name.
        """
        assert self._metadata is not None
        if joint_names is not None:
            if joint_indices is not None:
                raise ValueError("joint_names and joint_indices can not be given both")
            known = self._metadata.dof_indices
            wrong = [name for name in joint_names if name not in known]
            if wrong:
                raise KeyError(f"there is no joint {wrong[0]!r} that moves; there are {', '.join(known)}")
            joint_indices = [known[name] for name in joint_names]
        return self._backend.rows(joint_indices, self._metadata.dof_count)

    def _grid(self, rows: Any, columns: Any) -> Any:
        """An index of a block: some rows and some columns."""
        if rows is None:
            return (slice(None), slice(None) if columns is None else columns)
        return (rows, slice(None)) if columns is None else (rows[:, None], columns)

    def _read(self, what: str, read: str, indices: Any, joint_indices: Any, joint_names: Any = None) -> Any:
        """(M, K, ...) of what a tensor view has by row and dof, as the backend's array; ``None`` if there is none."""
        view = self._simulated(what)
        if view is None:
            return None
        columns = self._columns(joint_indices, joint_names)
        rows = self._backend.rows(indices, self.count)
        found = getattr(view, read)()
        return self._backend.give(found if rows is None and columns is None else found[self._grid(rows, columns)])

    def _write(
        self,
        what: str,
        read: str,
        write: str,
        values: Any,
        indices: Any,
        joint_indices: Any,
        joint_names: Any = None,
        keep: bool = False,
    ) -> tuple[Any, Any] | None:
        """Write values (M, K) of some rows and dofs; the data of all, and the rows, ``None`` if nothing is simulated.

        Args:
            keep: values that are no numbers stay what they are.
        """
        view = self._simulated(what)
        if view is None:
            return None
        columns = self._columns(joint_indices, joint_names)
        rows = self._backend.rows(indices, self.count)
        data = getattr(view, read)()
        place = self._grid(rows, columns)
        given = self._given(what, values, data[place].shape)
        if keep:
            xp = self._backend.xp
            given = xp.where(xp.isnan(given), data[place], given)
        data[place] = given
        getattr(view, write)(data, rows)
        return data, rows

    def _given(self, what: str, values: Any, shape: Sequence[int]) -> Any:
        """Values in a shape; one for each column is for all rows."""
        array = self._backend.take(values)
        if array.size != int(np.prod(shape)) and array.size == int(np.prod(shape[1:])) and array.ndim < len(shape):
            return array.reshape((1, *shape[1:]))
        return shaped(what, array, shape)
