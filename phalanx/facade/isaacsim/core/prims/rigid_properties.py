"""Masses, gravity and sleep of the bodies of a view."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from phalanx.facade.backends import Backend, on_host, shaped
from phalanx.facade.isaacsim.core.api.materials.accessors import read, write
from phalanx.facade.isaacsim.core.utils.physics import set_rigid_body_enabled
from phalanx.facade.physx.rigid_body_view import RigidBodyView
from phalanx.io.formats.usd.bindings import Prim as UsdPrim
from phalanx.io.formats.usd.bindings import UsdPhysics

log = logging.getLogger("phalanx.facade")

_SLEEP, _GRAVITY = "physxRigidBody:sleepThreshold", "physxRigidBody:disableGravity"
_SLEEP_DEFAULT = 5e-5


class RigidProperties:
    """The part of a view of rigid bodies that knows what they weigh and whether they move.

    Without a simulation, what the stage says is read and written where there is an attribute for it; for the rest there
    is a warning, and ``None``.
    """

    _physics_view: RigidBodyView | None
    _backend: Backend
    _prims: list[UsdPrim]
    _prim_paths: list[str]
    _name: str
    count: Any

    def _chosen(self, indices: Any) -> list[int]:
        raise NotImplementedError(f"{type(self).__name__} has no _chosen(); define it in the class")

    def _check_valid(self) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no _check_valid(); define it in the class")

    def _rows_of(self, found: Any, indices: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no _rows_of(); define it in the class")

    @property
    def _unit(self) -> float:
        raise NotImplementedError(f"{type(self).__name__} has no _unit; define it in the class")

    # -- mass ------------------------------------------------------------------------------------------------

    def get_masses(self, indices: Any = None, clone: bool = True) -> Any:
        """(M,), kg; 0 for bodies of a stage that is not simulated and does not say."""
        self._check_valid()
        if self._physics_view is not None:
            return self._backend.give(self._rows_of(self._physics_view.get_masses(), indices)[:, 0])
        found = [read(self._prims[i], "physics:mass", 0.0) for i in self._chosen(indices)]
        return self._backend.give(np.array(found, float))

    def set_masses(self, masses: Any, indices: Any = None) -> None:
        """Set masses, (M,), kg; inertias of bodies that are simulated stay."""
        self._check_valid()
        if self._physics_view is not None:
            self._set("masses", masses, (1,), indices, self._physics_view.get_masses, self._physics_view.set_masses)
            return
        for prim, mass in self._each("masses", masses, indices):
            _massive(prim).CreateMassAttr().Set(mass)

    def get_inv_masses(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, 1), 1/kg: with an axis more than masses have."""
        found = self._simulated("get_inv_masses")
        return None if found is None else self._backend.give(self._rows_of(found.get_inv_masses(), indices))

    def get_inertias(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, 9): about the centres of mass, in the bodies' own axes, row by row, in kg and units of the stage."""
        return self._inertias("get_inertias", indices, self._unit**-2)

    def get_inv_inertias(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, 9): inverses of the inertias."""
        return self._inertias("get_inv_inertias", indices, self._unit**2)

    def _inertias(self, what: str, indices: Any, scale: float) -> Any:
        found = self._simulated(what)
        if found is None:
            return None
        values = self._rows_of(getattr(found, what)(), indices)
        return self._backend.give(values * scale if scale != 1.0 else values)

    def set_inertias(self, values: Any, indices: Any = None) -> None:
        """Set inertias, (M, 9)."""
        found = self._simulated("set_inertias")
        if found is not None:
            self._set("inertias", values, (9,), indices, found.get_inertias, found.set_inertias, self._unit**2)

    def get_coms(self, indices: Any = None, clone: bool = True) -> Any:
        """Centres of mass (M, 1, 3) in the bodies' frames, and their axes (M, 1, 4), (w, x, y, z)."""
        found = self._simulated("get_coms")
        if found is None:
            return None
        values = self._rows_of(found.get_coms(), indices)[:, None]
        places = values[..., :3] / self._unit if self._unit != 1.0 else values[..., :3]
        return self._backend.give(places), self._backend.give(values[..., [6, 3, 4, 5]])

    def set_coms(self, positions: Any = None, orientations: Any = None, indices: Any = None) -> None:
        """Set centres of mass, (M, 1, 3), and their axes, (M, 1, 4); what is ``None`` stays."""
        found = self._simulated("set_coms")
        if found is None:
            return
        rows = self._backend.rows(indices, self.count)
        count, some = self.count if rows is None else len(rows), slice(None) if rows is None else rows
        data = found.get_coms()
        if positions is not None:
            data[some, :3] = shaped("positions", self._backend.take(positions), (count, 3)) * self._unit
        if orientations is not None:
            turns = shaped("orientations", self._backend.take(orientations), (count, 4))
            data[some, 3:] = turns[:, [1, 2, 3, 0]]
        found.set_coms(data, rows)

    def get_densities(self, indices: Any = None) -> Any:
        """(M,), kg/m^3, as the stage says; 0 where it does not."""
        self._check_valid()
        found = [read(self._prims[i], "physics:density", 0.0) for i in self._chosen(indices)]
        return self._backend.give(np.array(found, float))

    def set_densities(self, densities: Any, indices: Any = None) -> None:
        """Set densities on the stage, (M,), from the next reset on; a mass that is not 0 takes precedence."""
        self._check_valid()
        for prim, density in self._each("densities", densities, indices):
            _massive(prim).CreateDensityAttr().Set(density)

    # -- sleep, gravity, bodies that do not move ---------------------------------------------------------------

    def get_sleep_thresholds(self, indices: Any = None) -> Any:
        """(M,): kinetic energies per mass, below which bodies may go to sleep."""
        self._check_valid()
        found = [read(self._prims[i], _SLEEP, _SLEEP_DEFAULT) for i in self._chosen(indices)]
        return self._backend.give(np.array(found, float))

    def set_sleep_thresholds(self, thresholds: Any, indices: Any = None) -> None:
        """Set kinetic energies per mass, below which bodies may go to sleep, (M,); from the next reset on."""
        self._check_valid()
        for prim, threshold in self._each("sleep thresholds", thresholds, indices):
            write(prim, _SLEEP, "Float", threshold)

    def enable_gravities(self, indices: Any = None) -> None:
        """Let gravity act on bodies, at once."""
        self._gravity(False, indices)

    def disable_gravities(self, indices: Any = None) -> None:
        """Let gravity not act on bodies, at once."""
        self._gravity(True, indices)

    def _gravity(self, off: bool, indices: Any) -> None:
        self._check_valid()
        if self._physics_view is not None:
            rows = self._backend.rows(indices, self.count)
            data = self._backend.xp.full((self.count, 1), float(off), "float32")
            self._physics_view.set_disable_gravities(data, rows)
            return
        for i in self._chosen(indices):
            write(self._prims[i], _GRAVITY, "Bool", off)

    def enable_rigid_body_physics(self, indices: Any = None) -> None:
        """Let bodies take part in the simulation again; see :meth:`disable_rigid_body_physics`."""
        self._physics(True, indices)

    def disable_rigid_body_physics(self, indices: Any = None) -> None:
        """Take bodies out of the simulation at once: they stand still, and nothing rigid touches them.

        Without a simulation they are parts of the ground from the next reset on. So are bodies that cannot be taken out
        of one, links of robots and what was disabled when it began, and a warning says so.
        """
        self._physics(False, indices)

    def _physics(self, enabled: bool, indices: Any) -> None:
        self._check_valid()
        chosen, view = self._chosen(indices), self._physics_view
        now = [] if view is None else [i for i in chosen if view.can_be_disabled(i)]
        if view is not None and now:
            data = self._backend.xp.full((self.count, 1), float(not enabled), "float32")
            view.set_disable_simulations(data, self._backend.rows(now, self.count))
        later = [i for i in chosen if i not in set(now)]
        for i in later:
            set_rigid_body_enabled(enabled, self._prim_paths[i])
        if view is not None and later:
            what = "take part in the simulation" if enabled else "stand still"
            log.warning("%s: %s %s from the next reset on", self._name, self._prim_paths[later[0]], what)

    # -- help ------------------------------------------------------------------------------------------------

    def _simulated(self, what: str) -> RigidBodyView | None:
        self._check_valid()
        if self._physics_view is None:
            log.warning("%s: there is no simulation of %s yet", what, self._name)
        return self._physics_view

    def _each(self, what: str, values: Any, indices: Any) -> list[tuple[UsdPrim, float]]:
        chosen = self._chosen(indices)
        given = shaped(what, on_host(values, float), (len(chosen),)).tolist()
        return [(self._prims[i], value) for i, value in zip(chosen, given, strict=True)]

    def _set(
        self, what: str, values: Any, shape: tuple[int, ...], indices: Any, get: Any, put: Any, scale: float = 1.0
    ) -> None:
        """Write some rows of a property of the tensor view."""
        rows = self._backend.rows(indices, self.count)
        count = self.count if rows is None else len(rows)
        given = shaped(what, self._backend.take(values), (count, *shape))
        data = get()
        data[slice(None) if rows is None else rows] = given * scale if scale != 1.0 else given
        put(data, rows)


def _massive(prim: UsdPrim) -> Any:
    api = UsdPhysics.MassAPI
    return api(prim) if prim.HasAPI(api) else api.Apply(prim)
