"""Materials of deformable bodies."""

from __future__ import annotations

from phalanx.facade.isaacsim.core.api.materials import deformable_attributes as soft
from phalanx.facade.isaacsim.core.api.materials.accessors import single
from phalanx.facade.isaacsim.core.api.materials.acting import DAMPING, acting
from phalanx.facade.isaacsim.core.api.materials.body_material import BodyMaterial
from phalanx.facade.isaacsim.core.api.materials.deformable_material_view import DeformableMaterialView


class DeformableMaterial(BodyMaterial):
    """A material of deformable bodies. What is set acts at once while a world plays.

    Args:
        prim_path: where it is; where there is a material already, only what is given changes.
        name: what it is called.
        dynamic_friction: coefficient of friction.
        youngs_modulus: Pa.
        poissons_ratio: below 0.5.
        elasticity_damping: how much elastic motion is damped, s.
        damping_scale: what that is scaled by, 0 to 1.

    Raises:
        ValueError: there is a prim of another type at the path.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "deformable_material",
        dynamic_friction: float | None = None,
        youngs_modulus: float | None = None,
        poissons_ratio: float | None = None,
        elasticity_damping: float | None = None,
        damping_scale: float | None = None,
    ) -> None:
        super().__init__(prim_path, name, soft.SCHEMA)
        given = {
            "dynamic_friction": dynamic_friction,
            "youngs_modululs": youngs_modulus,
            "poissons_ratio": poissons_ratio,
            "elasticity_damping": elasticity_damping,
            "damping_scale": damping_scale,
        }
        for key, value in given.items():
            if value is not None:
                getattr(self, f"set_{key}")(value)

    set_dynamic_friction, get_dynamic_friction = acting(single(*soft.DYNAMIC_FRICTION), "set_dynamic_friction")
    set_youngs_modululs, get_youngs_modululs = acting(single(*soft.YOUNGS_MODULUS), "set_youngs_modulus")
    set_poissons_ratio, get_poissons_ratio = acting(single(*soft.POISSONS_RATIO), "set_poissons_ratio")
    set_elasticity_damping, get_elasticity_damping = acting(single(*soft.ELASTICITY_DAMPING), DAMPING)
    set_damping_scale, get_damping_scale = acting(single(*soft.DAMPING_SCALE), DAMPING)


__all__ = ["DeformableMaterial", "DeformableMaterialView"]
