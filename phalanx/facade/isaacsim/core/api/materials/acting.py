"""Setters of materials of deformable bodies that act on what is simulated, too."""

from __future__ import annotations

from collections.abc import Iterable
from functools import wraps
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.materials import deformable_attributes as soft
from phalanx.facade.isaacsim.core.api.materials.accessors import read
from phalanx.facade.stage import get_stage
from phalanx.io.formats.usd.deformables import MOST_POISSON

DAMPING = "set_damping"

LIMITS = {"set_poissons_ratio": (0.0, MOST_POISSON), "set_youngs_modulus": (1e-6, np.inf)}
"""What the engine takes values as at least and at most."""


def act(paths: Iterable[str], values: Iterable[float], method: str) -> None:
    """Set a number of the materials at some paths in the simulation, if one plays that has bodies with them.

    Args:
        method: of :class:`phalanx.facade.physx.soft_body_view.SoftBodyMaterialView`.
    """
    world = simulation.stage_world()
    if world is None:
        return
    low, high = LIMITS.get(method, (0.0, np.inf))
    for path, value in zip(paths, values, strict=True):
        if world.find_soft(path, True):
            view = world.view.create_soft_body_material_view(path)
            if method == DAMPING:  # of two attributes, whichever of them has changed; the view has read its scale
                name, _, default = soft.ELASTICITY_DAMPING
                value = float(read(get_stage().GetPrimAtPath(path), name, default))
            getattr(view, method)(np.full(view.count, min(max(float(value), low), high)), None)


def acting(pair: tuple[Any, Any], method: str) -> tuple[Any, Any]:
    """The methods of :func:`~.accessors.single`, of which the one that sets acts on what is simulated."""
    setter, getter = pair

    @wraps(setter)
    def set_and_act(self: Any, value: Any) -> None:
        setter(self, value)
        act([self.prim_path], [value], method)

    return set_and_act, getter


def acting_all(pair: tuple[Any, Any], method: str) -> tuple[Any, Any]:
    """The same of :func:`~.accessors.several`."""
    setter, getter = pair

    @wraps(setter)
    def set_and_act(self: Any, values: Any, indices: Any = None) -> None:
        setter(self, values, indices)
        chosen = [str(self.prims[i].GetPath()) for i in self._chosen(indices)]
        act(chosen, on_host(values, float).reshape(-1).tolist(), method)

    return set_and_act, getter
