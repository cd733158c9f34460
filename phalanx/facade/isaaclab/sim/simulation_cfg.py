"""Configuration of a simulation, with all fields that scripts set.

What the engine takes over: the device, the time step and its share of rendered ones, gravity, the material of what has
none, and of :class:`PhysxCfg` the solver, the bounds on iterations and the bounce threshold. The others size buffers
that grow by themselves here, or choose among methods where the engine has one.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

from phalanx.ecs.device import cuda_available
from phalanx.facade.isaaclab.utils.configclass import configclass


def _default_material() -> Any:
    from phalanx.facade.isaaclab.sim.spawners.materials import RigidBodyMaterialCfg

    return RigidBodyMaterialCfg()


def _default_device() -> str:
    return "cuda:0" if cuda_available() else "cpu"


@configclass
class PhysxCfg:
    """Settings of the solver."""

    solver_type: Literal[0, 1] = 1
    """0: projected Gauss-Seidel; 1: temporal Gauss-Seidel."""
    min_position_iteration_count: int = 1
    """Fewest position iterations, whatever actors ask for; 1 to 255."""
    max_position_iteration_count: int = 255
    """Most position iterations; 1 to 255."""
    min_velocity_iteration_count: int = 0
    """Fewest velocity iterations; 0 to 255."""
    max_velocity_iteration_count: int = 255
    """Most velocity iterations; 0 to 255."""
    enable_ccd: bool = False
    """Nothing fast passes through thin walls here, with it or without."""
    enable_stabilization: bool = False
    """Additional damping where bodies hardly move; not for actors, which have thresholds of their own."""
    enable_enhanced_determinism: bool = False
    """Results are the same from run to run, with it or without."""
    bounce_threshold_velocity: float = 0.5
    """Impacts slower than this do not bounce, m/s."""
    enable_external_forces_every_iteration: bool = False
    """No effect: external forces act in each substep, with it or without."""
    friction_offset_threshold: float = 0.04
    """No effect: friction acts where bodies touch."""
    friction_correlation_distance: float = 0.025
    """No effect: points of contact share no friction."""
    solve_articulation_contact_last: bool = False
    """No effect: contacts are solved after joints."""
    gpu_max_rigid_contact_count: int = 2**23
    """No effect: room for contacts grows."""
    gpu_max_rigid_patch_count: int = 5 * 2**15
    """No effect, like all that follow."""
    gpu_found_lost_pairs_capacity: int = 2**21
    gpu_found_lost_aggregate_pairs_capacity: int = 2**25
    gpu_total_aggregate_pairs_capacity: int = 2**21
    gpu_collision_stack_size: int = 2**26
    gpu_heap_capacity: int = 2**26
    gpu_temp_buffer_capacity: int = 2**24
    gpu_max_num_partitions: int = 8
    gpu_max_soft_body_contacts: int = 2**20
    gpu_max_particle_contacts: int = 2**20


@configclass
class RenderCfg:
    """Settings of a renderer, which there is none of: they are kept and have no effect."""

    enable_translucency: bool | None = None
    enable_reflections: bool | None = None
    enable_global_illumination: bool | None = None
    antialiasing_mode: Literal["Off", "FXAA", "DLSS", "TAA", "DLAA"] | None = None
    enable_dlssg: bool | None = None
    enable_dl_denoiser: bool | None = None
    dlss_mode: Literal[0, 1, 2, 3] | None = None
    enable_direct_lighting: bool | None = None
    samples_per_pixel: int | None = None
    enable_shadows: bool | None = None
    enable_ambient_occlusion: bool | None = None
    dome_light_upper_lower_strategy: Literal[0, 3, 4] | None = None
    carb_settings: dict[str, Any] | None = None
    rendering_mode: Literal["performance", "balanced", "quality"] | None = None


@configclass
class SimulationCfg:
    """Settings of a simulation."""

    physics_prim_path: str = "/physicsScene"
    """Where the prim of the physics scene is made."""
    device: str = field(default_factory=_default_device)
    """``"cpu"``, ``"cuda"`` or ``"cuda:N"``; by default ``"cuda:0"``, without a GPU ``"cpu"``, since Isaac Lab's
    environments make tensors there themselves. Where a GPU is asked for and there is none, it runs on the CPU, and says
    so."""
    dt: float = 1.0 / 60.0
    """Length of a step of physics, s."""
    render_interval: int = 1
    """Steps of physics per rendered one."""
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    """m/s^2, world frame."""
    enable_scene_query_support: bool = False
    """No effect: rays and overlaps can always be asked for."""
    use_fabric: bool = True
    """No effect: poses are read from the simulation, and not written to the stage."""
    disable_contact_processing: bool = False
    """No effect: contacts are reported where they are asked for."""
    physx: PhysxCfg = field(default_factory=PhysxCfg)
    """Settings of the solver."""
    physics_material: Any = field(default_factory=_default_material)
    """The material of colliders that none is bound to, a ``RigidBodyMaterialCfg``."""
    render: RenderCfg = field(default_factory=RenderCfg)
    """Kept; nothing is rendered."""
    create_stage_in_memory: bool = False
    """Whether a new stage is simulated, which is the current one only where ``use_stage`` says so; else the current
    one is."""
    logging_level: Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"] = "WARNING"
    """Kept; set the level of the logger ``phalanx.facade`` by the module ``logging``."""
    save_logs_to_file: bool = True
    """Kept, like the next."""
    log_dir: str | None = None
