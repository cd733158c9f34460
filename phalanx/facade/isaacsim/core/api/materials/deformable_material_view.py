"""Materials of deformable bodies, many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaacsim.core.api.materials import deformable_attributes as soft
from phalanx.facade.isaacsim.core.api.materials.accessors import several
from phalanx.facade.isaacsim.core.api.materials.acting import DAMPING, acting_all
from phalanx.facade.isaacsim.core.api.materials.body_material import BodyMaterialView


def _numbers(attribute: tuple[str, str, float]) -> tuple[Any, Any]:
    return several(*attribute, column=True)


class DeformableMaterialView(BodyMaterialView):
    """Materials of deformable bodies whose paths an expression matches.

    Args:
        prim_paths_expr: an expression for paths, or several in a list.
        name: for scenes and messages.
        others: (N,) each; those that are not ``None`` are set. See :class:`DeformableMaterial` for what they mean.

    Raises:
        ValueError: no prim matches.
    """

    def __init__(
        self,
        prim_paths_expr: str | Sequence[str],
        name: str = "deformable_material_view",
        dynamic_frictions: Any = None,
        youngs_moduli: Any = None,
        poissons_ratios: Any = None,
        elasticity_dampings: Any = None,
        damping_scales: Any = None,
    ) -> None:
        super().__init__(
            prim_paths_expr,
            name,
            soft.SCHEMA,
            dynamic_frictions=dynamic_frictions,
            youngs_moduli=youngs_moduli,
            poissons_ratios=poissons_ratios,
            elasticity_dampings=elasticity_dampings,
            damping_scales=damping_scales,
        )

    set_dynamic_frictions, get_dynamic_frictions = acting_all(_numbers(soft.DYNAMIC_FRICTION), "set_dynamic_friction")
    set_youngs_moduli, get_youngs_moduli = acting_all(_numbers(soft.YOUNGS_MODULUS), "set_youngs_modulus")
    set_poissons_ratios, get_poissons_ratios = acting_all(_numbers(soft.POISSONS_RATIO), "set_poissons_ratio")
    set_elasticity_dampings, get_elasticity_dampings = acting_all(_numbers(soft.ELASTICITY_DAMPING), DAMPING)
    set_damping_scales, get_damping_scales = acting_all(_numbers(soft.DAMPING_SCALE), DAMPING)


__all__ = ["DeformableMaterialView"]
