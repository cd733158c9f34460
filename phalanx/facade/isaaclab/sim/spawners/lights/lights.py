"""Puts lights on the stage."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from phalanx.facade.isaaclab.sim.spawners.geometry import Pose, refuse_existing
from phalanx.facade.isaaclab.sim.spawners.spawner_cfg import SpawnerCfg
from phalanx.facade.isaaclab.sim.utils import clone, create_prim, safe_set_attribute_on_usd_prim
from phalanx.facade.isaaclab.utils.string import to_camel_case
from phalanx.io.formats.usd.bindings import Prim

if TYPE_CHECKING:
    from phalanx.facade.isaaclab.sim.spawners.lights import lights_cfg

NAMES = {
    "texture_file": "inputs:texture:file",
    "texture_format": "inputs:texture:format",
    "treat_as_line": "treatAsLine",
    "treat_as_point": "treatAsPoint",
    "visible_in_primary_ray": "visibleInPrimaryRay",
}
"""Attributes that are not called as their field is, after ``inputs:``."""


@clone
def spawn_light(
    prim_path: str, cfg: lights_cfg.LightCfg, translation: Pose = None, orientation: Pose = None, **kwargs: Any
) -> Prim:
    """Put a light on the stage.

    Args:
        prim_path: where; the parent may be a regular expression, and then each parent that matches gets one.
        cfg: which.
        translation: (x, y, z) in the parent's frame, m; (0, 0, 0) by default.
        orientation: quaternion (w, x, y, z) in the parent's frame; (1, 0, 0, 0) by default.
        kwargs: what :func:`clone` takes.

    Returns:
        The prim, or the first of them.

    Raises:
        ValueError: there is a prim at the path already.
    """
    refuse_existing(prim_path)
    prim = create_prim(prim_path, cfg.prim_type, translation=translation, orientation=orientation)
    common = {field.name for field in dataclasses.fields(SpawnerCfg)} | {"prim_type"}
    for name, value in vars(cfg).items():
        if name not in common and value is not None:
            attribute = NAMES.get(name, f"inputs:{to_camel_case(name)}")
            safe_set_attribute_on_usd_prim(prim, attribute, value, camel_case=False)
            if name.startswith("treat_as_"):  # Isaac Lab's name; UsdLux's has no "inputs:"
                safe_set_attribute_on_usd_prim(prim, f"inputs:{attribute}", value, camel_case=False)
    return prim
