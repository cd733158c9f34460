"""What modifiers do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any

from phalanx.facade.isaaclab.utils.configclass import configclass
from phalanx.facade.isaaclab.utils.modifiers import modifier


@configclass
class ModifierCfg:
    """A function of data, or a class of such functions with a state."""

    func: Callable[..., Any] = MISSING  # pyright: ignore[reportAssignmentType]
    """``func(data, **params)`` gives modified data of the same shape."""

    params: dict[str, Any] = {}  # noqa: RUF012
    """Arguments of the function."""


@configclass
class DigitalFilterCfg(ModifierCfg):
    """See :class:`~phalanx.facade.isaaclab.utils.modifiers.DigitalFilter`."""

    func: type[modifier.DigitalFilter] = modifier.DigitalFilter

    A: list[float] = MISSING  # pyright: ignore[reportAssignmentType]
    """Coefficients of earlier outputs, the latest first."""

    B: list[float] = MISSING  # pyright: ignore[reportAssignmentType]
    """Coefficients of the input and earlier inputs, the latest first."""


@configclass
class IntegratorCfg(ModifierCfg):
    """See :class:`~phalanx.facade.isaaclab.utils.modifiers.Integrator`."""

    func: type[modifier.Integrator] = modifier.Integrator

    dt: float = MISSING  # pyright: ignore[reportAssignmentType]
    """Time between two calls, s."""
