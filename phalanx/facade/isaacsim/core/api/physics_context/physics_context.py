"""The physics scene of the stage: solver, gravity, steps."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import numpy as np

from phalanx.facade import scene_settings, simulation
from phalanx.facade import stage as stages
from phalanx.facade.backends import on_host
from phalanx.facade.carb.settings import get_settings
from phalanx.facade.isaacsim.core.api.physics_context.gpu_buffers import GpuBuffers
from phalanx.facade.isaacsim.core.prims.visual_bindings import bind
from phalanx.facade.isaacsim.core.simulation_manager.scene_attributes import DEFAULTS, read, write
from phalanx.facade.isaacsim.core.simulation_manager.simulation_manager import SimulationManager
from phalanx.facade.once import tell_once
from phalanx.io.formats.usd.bindings import Gf, Prim, Sdf, UsdGeom, UsdPhysics, UsdShade
from phalanx.world import settings

log = logging.getLogger("phalanx.facade")

GRAVITY = -9.81
"""m/s^2, along the stage's axis upwards."""

BROADPHASES = ("GPU", "MBP", "SAP")

PARAMETERS = {
    "use_gpu_pipeline": None,
    "worker_thread_count": None,
    "use_fabric": None,
    "enable_solver_residuals": None,
    "enable_scene_query_support": "set_enable_scene_query_support",
    "gpu_max_rigid_contact_count": "set_gpu_max_rigid_contact_count",
    "gpu_max_rigid_patch_count": "set_gpu_max_rigid_patch_count",
    "gpu_found_lost_pairs_capacity": "set_gpu_found_lost_pairs_capacity",
    "gpu_found_lost_aggregate_pairs_capacity": "set_gpu_found_lost_aggregate_pairs_capacity",
    "gpu_total_aggregate_pairs_capacity": "set_gpu_total_aggregate_pairs_capacity",
    "gpu_max_soft_body_contacts": "set_gpu_max_soft_body_contacts",
    "gpu_max_particle_contacts": "set_gpu_max_particle_contacts",
    "gpu_heap_capacity": "set_gpu_heap_capacity",
    "gpu_temp_buffer_capacity": "set_gpu_temp_buffer_capacity",
    "gpu_max_num_partitions": "set_gpu_max_num_partitions",
    "gpu_collision_stack_size": "set_gpu_collision_stack_size",
    "enable_stabilization": "enable_stablization",
    "bounce_threshold_velocity": "set_bounce_threshold",
    "friction_offset_threshold": "set_friction_offset_threshold",
    "friction_correlation_distance": "set_friction_correlation_distance",
    "solver_type": "_set_solver",
    "gravity": "_set_gravity_vector",
}
"""Keys of ``sim_params``, and the methods that take their values."""


class PhysicsContext(GpuBuffers):
    """The physics scene of the stage, which is made if there is none.

    What is set acts on a simulation that runs where it can: gravity, the step, the bounce threshold; the solver counts
    from the next reset on. What PhysX has and the engine has not is kept, and told.

    Args:
        physics_dt: length of a step, s; it wins over what else says it.
        prim_path: of the scene, if there is none on the stage yet.
        sim_params: settings by name; then there are no defaults.
        set_defaults: gravity 9.81 m/s^2, TGS, 60 steps a second.
        backend: no meaning: that of the simulation counts.
        device: where to simulate; as it is by default.

    Raises:
        ValueError: the path does not begin with a slash, there is another prim at it, or a setting is impossible.
    """

    def __init__(
        self,
        physics_dt: float | None = None,
        prim_path: str = "/physicsScene",
        sim_params: Mapping[str, Any] | None = None,
        set_defaults: bool = True,
        backend: str = "numpy",
        device: str | None = None,
    ) -> None:
        if not Sdf.Path(prim_path).IsAbsolutePath():
            raise ValueError(f"Input prim path is not absolute: {prim_path}; it must begin with '/'")
        stage = stages.get_stage()
        scene = scene_settings.find(stage)
        if scene is None:
            if stage.GetPrimAtPath(prim_path):
                raise ValueError(f"A non physics scene prim already exists at: {prim_path}")
            scene = scene_settings.define(stage, prim_path)
        else:
            scene.AddAppliedSchema("PhysxSceneAPI")
        self._stage, self._prim_path = stage, str(scene.GetPath())
        self._physics_scene = UsdPhysics.Scene(scene)
        SimulationManager.set_default_physics_scene(self._prim_path)
        if device is not None:
            SimulationManager.set_physics_sim_device(device)
        on_gpu = self.device != "cpu"
        self.set_broadphase_type("GPU" if on_gpu else "MBP")
        self.enable_gpu_dynamics(on_gpu)
        if sim_params is None and set_defaults:
            self.set_gravity(GRAVITY / UsdGeom.GetStageMetersPerUnit(stage))
            self.enable_stablization(False)
            self.enable_ccd(not on_gpu)
            self.set_solver_type("TGS")
            self.set_physics_dt(1.0 / 60.0)
        if sim_params is not None:
            self._take(sim_params)
        if physics_dt is not None:
            self.set_physics_dt(physics_dt)

    def _take(self, sim_params: Mapping[str, Any]) -> None:
        for key, value in sim_params.items():
            method = PARAMETERS.get(key)
            if method is not None:
                getattr(self, method)(value)
        if "dt" in sim_params:
            self.set_physics_dt(sim_params["dt"], sim_params.get("substeps") or 1)
            self._stage.SetTimeCodesPerSecond(1.0 / sim_params["dt"])
        if "default_physics_material" in sim_params:
            given = sim_params["default_physics_material"]
            material = UsdShade.Material.Define(self._stage, f"{self._prim_path}/defaultMaterial")
            felt = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
            felt.CreateStaticFrictionAttr().Set(float(given["static_friction"]))
            felt.CreateDynamicFrictionAttr().Set(float(given["dynamic_friction"]))
            felt.CreateRestitutionAttr().Set(float(given["restitution"]))
            bind(self._scene(), material, True, "physics")

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def prim_path(self) -> str:
        """Of the physics scene."""
        return self._prim_path

    @property
    def device(self) -> str:
        """``"cpu"`` or ``"cuda:N"``."""
        return SimulationManager.get_physics_sim_device()

    @property
    def use_gpu_pipeline(self) -> bool:
        """Whether the simulation runs on a GPU."""
        return self.device != "cpu"

    @property
    def use_gpu_sim(self) -> bool:
        """Whether the simulation runs on a GPU."""
        return self.device != "cpu"

    @property
    def use_fabric(self) -> bool:
        """What was set; there is no Fabric."""
        return SimulationManager.is_fabric_enabled()

    @property
    def _physx_scene_api(self) -> Any:
        """The scene as PhysX's schema has it, ``PhysxSchema.PhysxSceneAPI``."""
        from phalanx.facade.pxr import PhysxSchema

        return PhysxSchema.PhysxSceneAPI(self._scene())  # pyright: ignore[reportAttributeAccessIssue]

    def get_current_physics_scene_prim(self) -> Prim | None:
        """The first physics scene of the stage; ``None`` if there is none."""
        return scene_settings.find(stages.get_stage())

    def warm_start(self) -> None:
        """Make a world of the stage, if there is none."""
        SimulationManager.initialize_physics()

    def _scene(self) -> Prim:
        prim = self._stage.GetPrimAtPath(self._prim_path)
        if not prim:
            raise RuntimeError(
                "The Physics Context's physics scene path is invalid, you need to reinit Physics Context"
            )
        return prim

    def _read(self, name: str) -> Any:
        return read(self._scene(), name)

    def _write(self, name: str, value: Any) -> None:
        write(self._scene(), name, value)

    def _step(self, current_time: float = 0.0, update_fabric: bool = False) -> None:
        """A step of physics."""
        simulation.get().step()

    # -- steps -----------------------------------------------------------------------------------------------

    def set_physics_dt(self, dt: float = 1.0 / 60.0, substeps: int = 1) -> None:
        """Let steps be so long, s; 0: there are none. The scene keeps a whole number of steps per second.

        Args:
            dt: length of a step.
            substeps: steps in a rendered frame, which is kept as a setting.

        Raises:
            ValueError: it is negative, or above 1.
            RuntimeError: the physics scene was deleted.
        """
        self._scene()
        SimulationManager.set_physics_dt(dt, self._prim_path)
        rate = self._read("timeStepsPerSecond")
        get_settings().set("/persistent/simulation/minFrameRate", int(rate / max(int(substeps or 1), 1)))

    def get_physics_dt(self) -> float:
        """Length of a step, s."""
        self._scene()
        return SimulationManager.get_physics_dt(self._prim_path)

    # -- gravity ---------------------------------------------------------------------------------------------

    def set_gravity(self, value: float) -> None:
        """Set gravity along the stage's axis upwards, in units of the stage per s^2; negative: downwards.

        Raises:
            ValueError: it is not finite, or no number of float32.
        """
        scene = self._scene()
        size = settings.length("float32", "gravity", abs(value))
        up = Gf.Vec3f(0.0, 1.0, 0.0) if UsdGeom.GetStageUpAxis(self._stage) == UsdGeom.Tokens.y else Gf.Vec3f(0, 0, 1)
        physics = UsdPhysics.Scene(scene)
        physics.CreateGravityDirectionAttr().Set(up if value > 0.0 else -up)
        physics.CreateGravityMagnitudeAttr().Set(size)
        simulation.get().read_scene()

    def get_gravity(self) -> tuple[list[float], float]:
        """Direction of gravity, three numbers, and its magnitude in units of the stage per s^2."""
        physics = UsdPhysics.Scene(self._scene())
        magnitude = float(physics.GetGravityMagnitudeAttr().Get())
        return list(physics.GetGravityDirectionAttr().Get()), magnitude

    def _set_gravity_vector(self, value: Any) -> None:
        """Set gravity as a vector, in units of the stage per s^2."""
        vector = on_host(value, float).reshape(3)
        size = settings.length("float32", "gravity", float(np.linalg.norm(vector)))
        physics = UsdPhysics.Scene(self._scene())
        if size:
            physics.CreateGravityDirectionAttr().Set(Gf.Vec3f(*(vector / size).tolist()))
        physics.CreateGravityMagnitudeAttr().Set(size)
        simulation.get().read_scene()

    # -- solver ----------------------------------------------------------------------------------------------

    def set_solver_type(self, solver_type: str) -> None:
        """Solve by ``"TGS"`` or ``"PGS"`` from the next reset on; ValueError for any other."""
        self._scene()
        SimulationManager.set_solver_type(solver_type, self._prim_path)

    def get_solver_type(self) -> str:
        """``"TGS"`` or ``"PGS"``."""
        return self._read("solverType")

    def _set_solver(self, value: Any) -> None:
        self.set_solver_type(value if isinstance(value, str) else "PGS" if value == 0 else "TGS")

    def set_bounce_threshold(self, value: float) -> None:
        """Let slower impacts not bounce, in units of the stage per second; at once.

        Raises:
            ValueError: it is negative, not finite, or no number of float32.
        """
        self._write("bounceThreshold", settings.length("float32", "bounce_threshold", value))

    def get_bounce_threshold(self) -> float:
        """Below which speed impacts do not bounce."""
        return self._read("bounceThreshold")

    def set_friction_offset_threshold(self, value: float) -> None:
        """Keep from which distance on contacts rub; the engine's rub from their contact offset on."""
        self._keep("friction offset threshold", "frictionOffsetThreshold", float(value))

    def get_friction_offset_threshold(self) -> float:
        """What was set."""
        return self._read("frictionOffsetThreshold")

    def set_friction_correlation_distance(self, value: float) -> None:
        """Keep from which distance on contacts rub together; the engine's contacts rub each by itself."""
        self._keep("friction correlation distance", "frictionCorrelationDistance", float(value))

    def get_friction_correlation_distance(self) -> float:
        """What was set."""
        return self._read("frictionCorrelationDistance")

    def _keep(self, what: str, name: str, value: Any) -> None:
        if value != DEFAULTS[name][1]:
            tell_once(f"PhysicsContext: the {what} is kept, and has no effect on the engine", logging.WARNING)
        self._write(name, value)

    def enable_ccd(self, flag: bool) -> None:
        """Keep whether fast bodies are kept from tunnelling; the engine always keeps them from it."""
        self._scene()
        SimulationManager.enable_ccd(flag, self._prim_path)

    def is_ccd_enabled(self) -> bool:
        """What was set."""
        return self._read("enableCCD")

    def enable_stablization(self, flag: bool) -> None:
        """Keep what is set; bodies have stabilization thresholds of their own."""
        self._write("enableStabilization", bool(flag))

    def is_stablization_enabled(self) -> bool:
        """What was set."""
        return self._read("enableStabilization")

    def enable_gpu_dynamics(self, flag: bool) -> None:
        """Keep what is set; the device decides where the engine computes."""
        self._scene()
        SimulationManager.enable_gpu_dynamics(flag, self._prim_path)

    def is_gpu_dynamics_enabled(self) -> bool:
        """What was set."""
        return self._read("enableGPUDynamics")

    def enable_fabric(self, enable: bool) -> None:
        """Keep what is set; there is no Fabric."""
        SimulationManager.enable_fabric(enable)

    def enable_residual_reporting(self, flag: bool) -> None:
        """Keep what is set; the engine reports no residuals."""
        self._keep("reporting of residuals", "enableResidualReporting", bool(flag))

    def set_broadphase_type(self, broadcast_type: str) -> None:
        """Keep ``"GPU"``, ``"MBP"`` or ``"SAP"``; the engine has one way of its own. ValueError for any other."""
        if broadcast_type not in BROADPHASES:
            raise ValueError(f"broadphase type {broadcast_type!r} must be one of {', '.join(BROADPHASES)}")
        self._write("broadphaseType", broadcast_type)

    def get_broadphase_type(self) -> str:
        """What was set."""
        return self._read("broadphaseType")

    def set_enable_scene_query_support(self, enable_scene_query_support: bool) -> None:
        """Keep what is set; rays can always be cast."""
        self._write("enableSceneQuerySupport", bool(enable_scene_query_support))

    def get_enable_scene_query_support(self) -> bool:
        """What was set."""
        return self._read("enableSceneQuerySupport")

    def set_invert_collision_group_filter(self, invert_collision_group_filter: bool) -> None:
        """Let groups collide only with those that they name, rather than with all others; from the next reset on."""
        self._write("invertCollisionGroupFilter", bool(invert_collision_group_filter))

    def get_invert_collision_group_filter(self) -> bool:
        """Whether groups collide only with those that they name."""
        return self._read("invertCollisionGroupFilter")

    def set_solve_articulation_contact_last(self, solve_articulation_contact_last: bool) -> None:
        """Keep what is set, without effect: contacts, joints and limits are solved together."""
        self._write("solveArticulationContactLast", bool(solve_articulation_contact_last))

    def get_solve_articulation_contact_last(self) -> bool:
        """What was set."""
        return self._read("solveArticulationContactLast")

    # -- what the stage gets -----------------------------------------------------------------------------------

    def set_physx_update_transformations_settings(
        self,
        update_to_fast_cache: bool | None = None,
        update_to_usd: bool | None = None,
        update_velocities_to_usd: bool | None = None,
        output_velocities_local_space: bool | None = None,
    ) -> None:
        """Keep what is to be written to the stage while it plays; with ``update_to_usd``, poses are at each frame."""
        given = (update_to_fast_cache, update_to_usd, update_velocities_to_usd, output_velocities_local_space)
        for name, value in zip(_UPDATES, given, strict=True):
            if value is not None:
                get_settings().set(name, bool(value))

    def get_physx_update_transformations_settings(self) -> tuple[bool, bool, bool, bool]:
        """What was set: fast cache, poses, velocities, whether velocities are in the bodies' own axes."""
        fast, poses, velocities, local = (get_settings().get_as_bool(name) for name in _UPDATES)
        return fast, poses, velocities, local


_UPDATES = (
    "/physics/updateToFastCache",
    "/physics/updateToUsd",
    "/physics/updateVelocitiesToUsd",
    "/physics/outputVelocitiesLocalSpace",
)

__all__ = ["PhysicsContext"]
