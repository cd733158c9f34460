"""Puts cameras on the stage."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from phalanx.facade.isaaclab.sim.spawners.geometry import Pose, refuse_existing
from phalanx.facade.isaaclab.sim.spawners.spawner_cfg import SpawnerCfg
from phalanx.facade.isaaclab.sim.utils import clone, create_prim, safe_set_attribute_on_usd_prim
from phalanx.facade.isaaclab.utils.string import to_camel_case
from phalanx.io.formats.usd.bindings import Prim, Sdf

if TYPE_CHECKING:
    from phalanx.facade.isaaclab.sim.spawners.sensors import sensors_cfg

NAMES = {
    "projection_type": "cameraProjectionType",
    "lock_camera": "omni:kit:cameraLock",
    "fisheye_nominal_width": "fthetaWidth",
    "fisheye_nominal_height": "fthetaHeight",
    "fisheye_optical_centre_x": "fthetaCx",
    "fisheye_optical_centre_y": "fthetaCy",
    "fisheye_max_fov": "fthetaMaxFov",
    **{f"fisheye_polynomial_{letter}": f"fthetaPoly{letter.upper()}" for letter in "abcdef"},
}
"""Attributes of Omniverse; the others are those of ``UsdGeom.Camera`` and are called as their field is."""


def __getattr__(name: str) -> Any:
    """``CUSTOM_PINHOLE_CAMERA_ATTRIBUTES`` and ``CUSTOM_FISHEYE_CAMERA_ATTRIBUTES``: by fields, the names and types of
    attributes that ``UsdGeom.Camera`` has not. They need usd-core, which the module does not.
    """
    kinds = {"CUSTOM_PINHOLE_CAMERA_ATTRIBUTES": (), "CUSTOM_FISHEYE_CAMERA_ATTRIBUTES": ("fisheye",)}
    if name not in kinds:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = {"projection_type": (NAMES["projection_type"], Sdf.ValueTypeNames.Token)}
    floats = (field for field in NAMES if field.startswith(kinds[name]))
    return found | {field: (NAMES[field], Sdf.ValueTypeNames.Float) for field in floats}


@clone
def spawn_camera(
    prim_path: str,
    cfg: sensors_cfg.PinholeCameraCfg | sensors_cfg.FisheyeCameraCfg,
    translation: Pose = None,
    orientation: Pose = None,
    **kwargs: Any,
) -> Prim:
    """Put a ``UsdGeom.Camera`` on the stage. It looks along its -z axis, y is up, as USD has it.

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
    prim = create_prim(prim_path, "Camera", translation=translation, orientation=orientation)
    common = {field.name for field in dataclasses.fields(SpawnerCfg)}
    for name, value in vars(cfg).items():
        if name not in common and value is not None:
            value = float(value) if name.startswith("fisheye") else value
            safe_set_attribute_on_usd_prim(prim, NAMES.get(name, to_camel_case(name)), value, camel_case=False)
    return prim
