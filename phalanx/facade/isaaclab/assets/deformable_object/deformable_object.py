"""Deformable objects, which are not simulated yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaaclab.assets.asset_base import AssetBase
from phalanx.facade.isaaclab.assets.deformable_object.deformable_object_data import DeformableObjectData
from phalanx.facade.isaaclab.assets.deformable_object.not_simulated import missing, refuse

_OWNER = "DeformableObject"


class DeformableObject(AssetBase):
    """A soft body of nodes and elements. These are not simulated yet: none can be made.

    Args:
        cfg: a ``DeformableObjectCfg``.

    Raises:
        NotImplementedError: always, and nothing is put on the stage; so does every member.
    """

    cfg: Any

    def __init__(self, cfg: Any) -> None:
        refuse(f"{_OWNER} {cfg.prim_path!r}")

    @property
    def data(self) -> DeformableObjectData:
        """What would be known about it."""
        refuse(f"{_OWNER}.data")

    num_instances: Any = missing(_OWNER, "num_instances", "How many there are, in all environments together.")
    num_bodies = missing(_OWNER, "num_bodies", "Bodies in an instance.")
    root_physx_view = missing(_OWNER, "root_physx_view", "The tensor view of the bodies.")
    material_physx_view = missing(_OWNER, "material_physx_view", "The tensor view of their materials.")
    max_sim_elements_per_body = missing(_OWNER, "max_sim_elements_per_body", "Elements of the simulated mesh.")
    max_collision_elements_per_body = missing(
        _OWNER, "max_collision_elements_per_body", "Elements of the mesh that collides."
    )
    max_sim_vertices_per_body = missing(_OWNER, "max_sim_vertices_per_body", "Vertices of the simulated mesh.")
    max_collision_vertices_per_body = missing(
        _OWNER, "max_collision_vertices_per_body", "Vertices of the mesh that collides."
    )

    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Reset buffers of some instances, or all."""
        refuse(f"{_OWNER}.reset")

    def write_data_to_sim(self) -> None:
        """Hand what was set to the simulation."""
        refuse(f"{_OWNER}.write_data_to_sim")

    def update(self, dt: float) -> None:
        """Let ``data`` be read anew."""
        refuse(f"{_OWNER}.update")

    def write_nodal_state_to_sim(self, nodal_state: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set positions and velocities of nodes, (n, vertices, 6)."""
        refuse(f"{_OWNER}.write_nodal_state_to_sim")

    def write_nodal_pos_to_sim(self, nodal_pos: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set positions of nodes, (n, vertices, 3)."""
        refuse(f"{_OWNER}.write_nodal_pos_to_sim")

    def write_nodal_velocity_to_sim(self, nodal_vel: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set velocities of nodes, (n, vertices, 3)."""
        refuse(f"{_OWNER}.write_nodal_velocity_to_sim")

    def write_nodal_kinematic_target_to_sim(self, targets: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set targets of nodes, (n, vertices, 4)."""
        refuse(f"{_OWNER}.write_nodal_kinematic_target_to_sim")

    def transform_nodal_pos(self, nodal_pos: Any, pos: Any = None, quat: Any = None) -> Any:
        """Positions of nodes turned and moved, (n, vertices, 3)."""
        refuse(f"{_OWNER}.transform_nodal_pos")

    def _initialize_impl(self) -> None:
        refuse(_OWNER)
