"""Wrenches on an asset's bodies that several callers add up, permanent ones and such that act in one step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from phalanx.facade.isaaclab.assets.wrench import ExternalWrench
from phalanx.facade.namespaces import array, common

if TYPE_CHECKING:
    from phalanx.facade.isaaclab.utils.wrench_composer import WrenchComposer


def _composer(asset: Any) -> WrenchComposer:
    from phalanx.facade.isaaclab.utils.wrench_composer import WrenchComposer  # which needs this package

    return WrenchComposer(asset)


class ComposedWrenches:
    """The part of an asset that pushes its bodies.

    What :meth:`set_external_force_and_torque` is given is one wrench for each body. It becomes the permanent composer's
    as soon as somebody asks for that, and both are the same from then on.
    """

    _wrench: ExternalWrench
    _permanent: WrenchComposer | None = None
    _instantaneous: WrenchComposer | None = None

    @property
    def permanent_wrench_composer(self) -> WrenchComposer:
        """Adds up wrenches that act in every step until they are changed; they count at ``write_data_to_sim``."""
        self._check_initialized()  # pyright: ignore[reportAttributeAccessIssue]
        if self._permanent is None:
            self._permanent, old = _composer(self), self._wrench
            if old.active:
                position = old.position if old.placed else None
                self._permanent.set_forces_and_torques(old.force, old.torque, position, is_global=old.is_global)
                old.clear()
                old.active = False
        return self._permanent

    @property
    def instantaneous_wrench_composer(self) -> WrenchComposer:
        """Adds up wrenches that act, besides the permanent ones, in the next step only."""
        self._check_initialized()  # pyright: ignore[reportAttributeAccessIssue]
        if self._instantaneous is None:
            self._instantaneous = _composer(self)
        return self._instantaneous

    @property
    def _permanent_wrench_composer(self) -> WrenchComposer:
        """The same by Isaac Lab's name inside."""
        return self.permanent_wrench_composer

    @property
    def _instantaneous_wrench_composer(self) -> WrenchComposer:
        """The same by Isaac Lab's name inside."""
        return self.instantaneous_wrench_composer

    def _start_wrenches(self, wrench: ExternalWrench) -> None:
        """Push nothing; the bodies are known."""
        self._wrench, self._permanent, self._instantaneous = wrench, None, None

    def _set_wrench(
        self, forces: Any, torques: Any, positions: Any, body_ids: Any, env_ids: Any, is_global: bool, who: str
    ) -> None:
        if self._permanent is None:
            self._wrench.set(forces, torques, positions, body_ids, env_ids, is_global, who)
        elif not _size(forces) and not _size(torques):
            self._permanent.reset()
        else:
            self._permanent.set_forces_and_torques(forces, torques, positions, body_ids, env_ids, is_global)

    def _reset_wrenches(self, env_ids: Any, body_ids: Any = None) -> None:
        """Push some bodies of some instances, or all, no more."""
        self._wrench.clear(env_ids, body_ids)
        for composer in (self._permanent, self._instantaneous):
            if composer is not None:
                composer.reset(env_ids, body_ids)

    def _write_wrenches(self) -> None:
        """Let all wrenches act in the next step; those of one step are then gone."""
        once = self._instantaneous is not None and self._instantaneous.active
        permanent = self.permanent_wrench_composer if once else self._permanent  # takes over what was set otherwise
        if permanent is None or not (permanent.active or once):
            self._wrench.write()
            return
        if not permanent.pushes and not (once and self._instantaneous is not None and self._instantaneous.pushes):
            if once and self._instantaneous is not None:
                self._instantaneous.reset()
            return
        force, torque = permanent.composed()
        if once:
            assert self._instantaneous is not None
            _, force, torque, more, moment = common(force, torque, *self._instantaneous.composed())
            force, torque = force + more, torque + moment
            self._instantaneous.reset()
        self._wrench.push(force, torque)


def _size(value: Any) -> int:
    return 0 if value is None else math.prod(tuple(array(value).shape))
