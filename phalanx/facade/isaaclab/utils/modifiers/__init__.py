"""Modifiers of observations: functions of data, and filters with a state for each environment."""

from phalanx.facade.isaaclab.utils.modifiers.modifier import DigitalFilter, Integrator, bias, clip, scale
from phalanx.facade.isaaclab.utils.modifiers.modifier_base import ModifierBase
from phalanx.facade.isaaclab.utils.modifiers.modifier_cfg import DigitalFilterCfg, IntegratorCfg, ModifierCfg

__all__ = [
    "DigitalFilter",
    "DigitalFilterCfg",
    "Integrator",
    "IntegratorCfg",
    "ModifierBase",
    "ModifierCfg",
    "bias",
    "clip",
    "scale",
]
