"""What a stage's physics scene asks of the engine: step, gravity, solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phalanx.io.formats.usd.bindings import Prim, Sdf, Stage, UsdPhysics
from phalanx.io.formats.usd.frames import Units
from phalanx.io.formats.usd.notes import Notes
from phalanx.io.formats.usd.options import Options, of_scene
from phalanx.io.formats.usd.values import Reading

RATE = "physxScene:timeStepsPerSecond"
HERTZ = 60
"""Steps per second where the scene does not say, as in PhysX."""

SOLVERS = {"TGS": "tgs", "PGS": "pgs"}
"""Values of ``physxScene:solverType``, and the engine's solvers."""

BOUNCE = 0.2
"""m/s: PhysX's bounce threshold where the scene does not say."""


def find(stage: Stage) -> Prim | None:
    """The first physics scene of a stage; types are compared since that is quick in stages of many prims."""
    for prim in stage.Traverse():
        if prim.GetTypeName() == "PhysicsScene":
            return prim
    return None


@dataclass
class SceneSettings:
    """Settings of a physics scene in SI units.

    Attributes:
        rate: steps per second; 0: none.
        gravity: m/s^2.
        solver: ``"tgs"`` or ``"pgs"``.
        bounce_threshold: impacts that are slower do not bounce, m/s.
    """

    rate: float = HERTZ
    gravity: tuple[float, float, float] = Options().gravity
    solver: str = "tgs"
    bounce_threshold: float = BOUNCE

    @classmethod
    def of(cls, scene: Prim | None) -> SceneSettings:
        """Those of a prim; the defaults if there is none.

        Raises:
            LoadError: an attribute has a value that it cannot have.
        """
        if scene is None or not scene:
            return cls()
        stage = scene.GetStage()
        layer = stage.GetRootLayer()
        reading = Reading(stage, Units.of(stage), Notes(layer.realPath or layer.identifier))
        rate = reading.number(scene, RATE, HERTZ, least=0.0)
        solver = reading.token(scene, "physxScene:solverType", "TGS", tuple(SOLVERS))
        bounce = reading.number(scene, "physxScene:bounceThreshold", BOUNCE / reading.units.length, least=0.0)
        gravity = of_scene(reading, scene).gravity
        return cls(rate, gravity, SOLVERS[solver], bounce * reading.units.length)

    def for_world(self) -> dict[str, Any]:
        """Arguments of :class:`phalanx.World`; a scene without steps gets 60 per second, and is not stepped."""
        return {
            "dt": 1.0 / (self.rate or HERTZ),
            "gravity": self.gravity,
            "solver": self.solver,
            "bounce_threshold": self.bounce_threshold,
        }


def is_scene(stage: Stage, path: Any) -> bool:
    """Whether a path is that of a physics scene."""
    prim = stage.GetPrimAtPath(path)
    return bool(prim) and prim.GetTypeName() == "PhysicsScene"


def define(stage: Stage, path: str) -> Prim:
    """A new physics scene with PhysX's attributes for it."""
    scene = UsdPhysics.Scene.Define(stage, Sdf.Path(path)).GetPrim()
    scene.AddAppliedSchema("PhysxSceneAPI")
    return scene


def attribute(scene: Prim, name: str, kind: Any) -> Any:
    """One of the attributes of a scene, created if need be; usd-core has no schema of PhysX's."""
    found = scene.GetAttribute(name)
    return found if found else scene.CreateAttribute(name, kind)
