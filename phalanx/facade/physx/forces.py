"""Forces and torques that push the bodies of a view for one step."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.facade.physx import com_motion
from phalanx.facade.physx.bodies import BodyView
from phalanx.facade.physx.com_motion import BodyPush, PushOptions
from phalanx.facade.physx.common import compute, writes
from phalanx.facade.physx.push_kernels import Pushes
from phalanx.facade.shared_device import in_order


class PushedBodies(BodyView):
    """A view that pushes its bodies."""

    _clear_after: Any = None

    @writes
    def apply_forces_and_torques_at_position(
        self, force_data: Any, torque_data: Any, position_data: Any, indices: Any = None, is_global: bool = True
    ) -> None:
        """Push bodies during the next step, then no more; of two calls before it the last one holds for a link.

        Args:
            force_data: (count, bodies, 3), N; ``None`` or empty for none.
            torque_data: (count, bodies, 3), N·m; ``None`` or empty for none.
            position_data: (count, bodies, 3), m: where forces act; ``None`` or empty: at the bodies' centres of mass.
            indices: rows; the forces of the others stay what they are.
            is_global: everything is in world axes, positions from the world's origin; else in the bodies' own frames.
        """
        indices, xp = self._indices(indices), self._xp
        shape = (self._width, 3)
        force, torque, position = (
            None if data is None or not np.prod(np.shape(data)) else self._take(what, data, shape, indices)
            for what, data in (("forces", force_data), ("torques", torque_data), ("positions", position_data))
        )
        if position is not None and is_global and self._origins is not None:
            position = position - self._offsets(position)[:, None]
        store, push = self.world.engine.store, BodyPush
        for field, value in ((push.force, force), (push.torque, torque), (push.position, position)):
            if value is not None:
                self._put(field, self._body_rows, value, indices)
            elif field is not push.position:
                self._put(field, self._body_rows, xp.zeros((self.count, *shape), self.world.dtype), indices)
        store.set(PushOptions.is_global, [[int(is_global)]])
        store.set(PushOptions.placed, [[int(position is not None)]])
        com_motion.run(self.world, "push_bodies")
        if indices is None and self._rows.order != "listed" and (self._sums is None or self._width > 1):
            self._push_all()
        else:
            wrench = self._read(push.wrench, self._body_rows)
            self._push(c.ExternalWrench.force, wrench[..., :3], indices)
            self._push(c.ExternalWrench.torque, wrench[..., 3:], indices)
        self._clear_later()

    def pushes(self, force: Any, torque: Any, position: Any) -> Pushes | None:
        """Kernels that push all bodies as arrays (count, bodies, 3) of users say; none if rows are listed."""
        return None if self.placement is None else Pushes(self, force, torque, position)

    def push(self, pushes: Pushes, is_global: bool, placed: bool, new: bool) -> None:
        """The same as :meth:`apply_forces_and_torques_at_position` for all rows, from arrays that kernels know.

        Args:
            pushes: what :meth:`pushes` gave.
            is_global: as there.
            placed: whether positions count.
            new: whether numbers are others than last time, so that they are looked at.
        """
        self.world.build()
        with in_order(self.world):
            for what, data in zip(("forces", "torques", "positions"), pushes.given[: 2 + placed], strict=False):
                if new:
                    self._take(what, data, (self._width, 3))
            compute(self.world, "query_bodies")
            pushes.run(is_global, placed)
        self.world.engine.touch_inputs()
        self._clear_later()

    def _clear_later(self) -> None:
        if self._clear_after is None:
            self._clear_after = self.world.after_step(self._clear)

    @writes
    def apply_forces(self, force_data: Any, indices: Any = None, is_global: bool = True) -> None:
        """Push bodies at their centres of mass during the next step, (count, bodies, 3), N."""
        self.apply_forces_and_torques_at_position(force_data, None, None, indices, is_global)

    # -- links that several bodies share -----------------------------------------------------------------------

    @cached_property
    def _sums(self) -> tuple[np.ndarray, list[np.ndarray]] | None:
        """Rows of the different links, and layers of bodies to add up for each, -1: no more; none if bodies' links
        differ. Of a view with one body in a row over all columns, else within a row.
        """
        by_row = self._width > 1
        links = self._link_rows[0] if by_row else self._link_rows[:, 0]
        different = np.unique(links)
        if len(different) == len(links):
            return None
        members = [np.flatnonzero(links == link).tolist() for link in different]
        layers = [
            np.array([each[n] if n < len(each) else -1 for each in members]) for n in range(max(map(len, members)))
        ]
        if by_row:
            firsts = np.array([each[0] for each in members])
            return self._link_rows[:, firsts], layers
        return different, layers

    def _add_up(self, values: Any, layers: list[np.ndarray]) -> Any:
        """(rows, links, 3) from (rows, bodies, 3), in the order of bodies."""
        found = values[:, self._brought(layers[0])]
        for layer in layers[1:]:
            there = self._brought(layer >= 0, values.dtype)[:, None]
            found = found + values[:, self._brought(np.maximum(layer, 0))] * there
        return found

    def _push_all(self) -> None:
        """Give links what the kernel found for all rows, without turning tables."""
        store = self.world.engine.store
        wrench = store.view(BodyPush.wrench)
        rows, layers = self._sums or (self._link_rows, [np.arange(self._width)])
        found = wrench[self._run(self._body_rows[:, layers[0]])]
        for layer in layers[1:]:
            there = self._brought(np.tile(layer >= 0, len(self._columns)), found.dtype)[:, None, None]
            found = found + wrench[self._run(self._body_rows[:, np.maximum(layer, 0)])] * there
        for field, part in ((c.ExternalWrench.force, found[:, :3]), (c.ExternalWrench.torque, found[:, 3:])):
            store.view(field)[self._run(rows)] = part
        self.world.engine.touch_inputs()

    def _push(self, field: Any, values: Any, indices: Any) -> None:
        if self._sums is None:
            self._write(field, self._link_rows, values, indices)
            return
        rows, layers = self._sums
        if self._width > 1:
            self._write(field, rows, self._add_up(values, layers), indices)
            return
        # Bodies in different rows share a link: sums are over what this call gives, links that it does not name stay.
        xp, world, some = self._xp, self.world, slice(None) if indices is None else indices
        dense = xp.zeros((world.num_envs, len(self._columns), 3), world.dtype)
        named = xp.zeros((world.num_envs, len(self._columns), 1), world.dtype)
        dense[self._env[some], self._column[some]] = values[some, 0]
        named[self._env[some], self._column[some]] = 1.0
        target = world.engine.store.view(field)
        where = self._brought(rows)
        old = xp.moveaxis(target[where], -1, 0)
        new = xp.where(self._add_up(named, layers) > 0, self._add_up(dense, layers), old)
        target[where] = xp.moveaxis(new, 0, -1)
        self.world.engine.touch(field)

    def _clear(self, world: Any) -> None:
        """Take all forces off again, after the step."""
        unregister, self._clear_after = self._clear_after, None
        unregister()
        with world.engine.store.active():
            for field in c.ExternalWrench.fields():
                target = world.engine.store.view(field)
                if self._rows.order == "listed":
                    table = self._brought(self._link_rows)[self._column]
                    target[table, :, self._env[:, None]] = 0.0
                else:
                    target[self._run(self._link_rows)] = 0.0
        world.engine.touch_inputs()
