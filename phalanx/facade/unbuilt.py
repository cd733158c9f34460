"""What of Isaac Sim and Omniverse is not here, by name: why, and what to do instead."""

from __future__ import annotations

UNBUILT = {
    "isaacsim.sensors.rtx": "RTX lidars and radars need NVIDIA's renderer and models; use "
    "isaacsim.sensors.physx.RotatingLidarPhysX or isaaclab.sensors.RayCaster",
    "isaacsim.cortex": "Cortex's decision networks are not made; step controllers in a loop of the script",
    "isaacsim.robot_motion.lula": "Lula is closed; isaacsim.robot_motion.motion_generation has inverse kinematics",
    "isaacsim.asset.exporter": "URDF is read, and not written",
    "isaacsim.gui": "there is no window",
    "isaacsim.ros1": "there is no bridge to ROS",
    "isaacsim.ros2": "there is no bridge to ROS",
    "isaacsim.replicator": "nothing randomises or draws by itself here; set poses and colours in the script, and "
    "write pictures by omni.replicator.core.BasicWriter",
    "isaacsim.xr": "there are no headsets",
    "omni.graph": "OmniGraph is not made; call functions from World.add_physics_callback and add_render_callback",
    "omni.isaac.dynamic_control": "dynamic control is gone from Isaac Sim 5, too; use isaacsim.core.prims.Articulation",
    "omni.ui.scene": "there is no window",
    "omni.ui.workspace": "there is no window",
    "omni.kit.viewport.menubar": "there is no window; use isaacsim.sensors.camera.Camera",
    "omni.kit.viewport.window": "there is no window; use isaacsim.sensors.camera.Camera",
    "omni.kit.viewport_legacy": "there is no window; use isaacsim.sensors.camera.Camera",
    "omni.syntheticdata": "there is no renderer; use isaacsim.sensors.camera.Camera",
}
"""Modules and why they are not there; of what is below them, too."""

_SOFT = "deformables of PhysX's beta schemas are not read; use isaacsim.core.prims.DeformablePrim or ClothPrim"

CLASSES = {
    "isaacsim.core.experimental.prims": {"DeformablePrim": _SOFT},
    "isaacsim.core.experimental.materials": {"SurfaceDeformableMaterial": _SOFT, "VolumeDeformableMaterial": _SOFT},
    "omni.ui": {
        "**": "windows, frames, stacks, labels, buttons and fields keep what they are told, and nothing is drawn"
    },
    "omni.replicator.core": {
        "WriterRegistry": "nothing draws by itself; make a BasicWriter and call its write() with what cameras give",
        "orchestrator": "nothing draws by itself; step the world and read cameras",
        "trigger": "nothing happens by itself; change the stage in the script's loop",
        "randomizer": "nothing happens by itself; draw numbers by rng.ReplicatorRNG and set them",
        "distribution": "nothing happens by itself; draw numbers by rng.ReplicatorRNG",
        "modify": "nothing happens by itself; functional.modify sets attributes at once",
        "get": "nothing happens by itself; functional.get finds prims at once",
    },
    "omni.replicator.core.create": {
        "**": "only cameras and their render products are made; define other prims by pxr.UsdGeom, pxr.UsdLux or "
        "isaacsim.core.api.objects",
    },
}
"""Names in packages that are there."""


def why_not(module: str) -> str:
    """Why a module is not there; empty if nothing is known of it."""
    for name, why in UNBUILT.items():
        if module == name or module.startswith((f"{name}.", f"{name}_")):
            return why
    return ""


def refuse(package: str, name: str) -> AttributeError:
    """The error for a name that a package does not have.

    Args:
        package: as scripts know it.
        name: what was asked of it.
    """
    known = CLASSES.get(package, {})
    why = "" if name.startswith("_") else known.get(name) or known.get("**", "")
    return AttributeError(f"{package} has no {name!r} here" + (f": {why}" if why else " (see docs/isaacsim.md)"))
