"""Deformable bodies, which are not simulated yet."""

from __future__ import annotations

from typing import NoReturn

from phalanx.facade.isaaclab.sim.schemas.schemas_cfg import DeformableBodyPropertiesCfg
from phalanx.io.formats.usd.bindings import Stage


def define_deformable_body_properties(
    prim_path: str, cfg: DeformableBodyPropertiesCfg, stage: Stage | None = None
) -> NoReturn:
    """Not there yet.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(
        f"define_deformable_body_properties('{prim_path}'): deformable bodies are not simulated yet; "
        "use rigid_props and collision_props instead of deformable_props"
    )


def modify_deformable_body_properties(
    prim_path: str, cfg: DeformableBodyPropertiesCfg, stage: Stage | None = None
) -> NoReturn:
    """Not there yet.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(
        f"modify_deformable_body_properties('{prim_path}'): deformable bodies are not simulated yet; "
        "remove deformable_props"
    )


__all__ = ["define_deformable_body_properties", "modify_deformable_body_properties"]
