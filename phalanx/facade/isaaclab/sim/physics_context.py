"""The physics scene of a ``SimulationContext``, as Isaac Sim's core asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.io.formats.usd.bindings import Gf, Prim, UsdGeom, UsdPhysics


class PhysicsContext:
    """What ``SimulationContext.get_physics_context`` hands out: gravity, the step and the solver.

    Other settings are those of ``SimulationCfg`` and ``PhysxCfg``, which are given before the simulation is made.

    Args:
        sim: the simulation whose scene it is, a ``SimulationContext``.
    """

    def __init__(self, sim: Any) -> None:
        self._sim = sim

    @property
    def prim_path(self) -> str:
        """Of the physics scene."""
        return str(self._sim.cfg.physics_prim_path)

    def get_current_physics_scene_prim(self) -> Prim:
        """The prim of the physics scene."""
        return self._sim.stage.GetPrimAtPath(self.prim_path)

    def get_physics_dt(self) -> float:
        """Length of a step, s."""
        return self._sim.get_physics_dt()

    def get_solver_type(self) -> str:
        """``"PGS"`` or ``"TGS"``."""
        return ("PGS", "TGS")[self._sim.cfg.physx.solver_type]

    def get_bounce_threshold(self) -> float:
        """The speed below which nothing bounces, m/s."""
        return self._sim.cfg.physx.bounce_threshold_velocity

    def get_gravity(self) -> tuple[list[float], float]:
        """Direction of gravity, three numbers, and its magnitude, m/s^2."""
        scene = UsdPhysics.Scene(self.get_current_physics_scene_prim())
        return list(scene.GetGravityDirectionAttr().Get()), float(scene.GetGravityMagnitudeAttr().Get())

    def set_gravity(self, value: float) -> None:
        """Set gravity along the stage's axis upwards, m/s^2; negative: downwards. It acts at once, and after resets."""
        y_up = UsdGeom.GetStageUpAxis(self._sim.stage) == UsdGeom.Tokens.y
        vector: Sequence[float] = (0.0, float(value), 0.0) if y_up else (0.0, 0.0, float(value))
        sign = 1.0 if value > 0.0 else -1.0
        scene = UsdPhysics.Scene(self.get_current_physics_scene_prim())
        scene.CreateGravityDirectionAttr().Set(Gf.Vec3f(0.0, sign, 0.0) if y_up else Gf.Vec3f(0.0, 0.0, sign))
        scene.CreateGravityMagnitudeAttr().Set(abs(float(value)))
        self._sim.cfg.gravity = (vector[0], vector[1], vector[2])
        if (view := self._sim.physics_sim_view) is not None:
            view.set_gravity(vector)


__all__ = ["PhysicsContext"]
