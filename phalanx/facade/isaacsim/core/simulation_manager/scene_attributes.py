"""Attributes of physics scenes that the simulation manager and physics contexts read and write."""

from __future__ import annotations

from typing import Any, ClassVar

from phalanx.facade import scene_settings, simulation
from phalanx.facade import stage as stages
from phalanx.facade.once import tell_once
from phalanx.io.formats.usd.bindings import Prim, Sdf

DEFAULTS: dict[str, tuple[str, Any]] = {
    "timeStepsPerSecond": ("UInt", 60),
    "broadphaseType": ("Token", "GPU"),
    "enableCCD": ("Bool", False),
    "enableGPUDynamics": ("Bool", True),
    "enableStabilization": ("Bool", False),
    "enableSceneQuerySupport": ("Bool", False),
    "solverType": ("Token", "TGS"),
    "bounceThreshold": ("Float", scene_settings.BOUNCE),
    "frictionOffsetThreshold": ("Float", 0.04),
    "frictionCorrelationDistance": ("Float", 0.025),
    "invertCollisionGroupFilter": ("Bool", False),
    "enableResidualReporting": ("Bool", False),
    "solveArticulationContactLast": ("Bool", False),
    "gpuMaxRigidContactCount": ("UInt", 524288),
    "gpuMaxRigidPatchCount": ("UInt", 81920),
    "gpuFoundLostPairsCapacity": ("UInt", 262144),
    "gpuFoundLostAggregatePairsCapacity": ("UInt", 1024),
    "gpuTotalAggregatePairsCapacity": ("UInt", 1024),
    "gpuMaxSoftBodyContacts": ("UInt", 1048576),
    "gpuMaxParticleContacts": ("UInt", 1048576),
    "gpuHeapCapacity": ("UInt", 67108864),
    "gpuTempBufferCapacity": ("UInt", 16777216),
    "gpuMaxNumPartitions": ("UInt", 8),
    "gpuCollisionStackSize": ("UInt", 67108864),
}
"""Names without ``physxScene:``, their types, and what PhysX takes where nothing is written."""


class Scenes:
    """Physics scenes of the current stage, by their paths."""

    default: ClassVar[str] = ""

    @classmethod
    def paths(cls) -> list[str]:
        """Of all that there are."""
        stage = stages.process_stage()
        if stage is None:
            return []
        return [str(prim.GetPath()) for prim in stage.Traverse() if prim.GetTypeName() == "PhysicsScene"]

    @classmethod
    def prim(cls, path: str | None = None) -> Prim | None:
        """The one at a path, or the one that counts.

        Raises:
            ValueError: there is none at the path.
        """
        if path is None:
            return simulation.get().scene()
        stage = stages.get_stage()
        if not scene_settings.is_scene(stage, path):
            raise ValueError(f"there is no physics scene at {path!r}")
        return stage.GetPrimAtPath(path)


def read(scene: Prim, name: str) -> Any:
    """An attribute, or what PhysX takes where nothing is written."""
    attribute = scene.GetAttribute(f"physxScene:{name}")
    found = attribute.Get() if attribute else None
    return DEFAULTS[name][1] if found is None else found


def write(scene: Prim, name: str, value: Any) -> None:
    """Set an attribute, and let a running simulation have what it can use."""
    kind = getattr(Sdf.ValueTypeNames, DEFAULTS[name][0])
    scene_settings.attribute(scene, f"physxScene:{name}", kind).Set(value)
    if name.startswith("gpu"):
        tell_once("sizes of PhysX's GPU buffers have no effect: the engine's buffers grow by themselves")
    if name in ("timeStepsPerSecond", "solverType", "bounceThreshold"):
        simulation.get().read_scene()
