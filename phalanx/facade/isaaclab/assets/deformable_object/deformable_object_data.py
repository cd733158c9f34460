"""What is known about a deformable object."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.assets.lazy_data import LazyData, buffers
from phalanx.facade.namespaces import columns, common
from phalanx.facade.physx.soft_body_view import SoftBodyView


@buffers(
    "nodal_pos_w nodal_vel_w nodal_state_w sim_element_quat_w sim_element_deform_gradient_w sim_element_stress_w "
    "collision_element_quat_w collision_element_deform_gradient_w collision_element_stress_w"
)
class DeformableObjectData(LazyData):
    """State of a deformable object, in the simulation's world.

    n is the number of instances, v of vertices, e of elements of the simulated mesh, c of the one that collides.
    That is the simulated mesh where the prim has no collision mesh.

    Attributes:
        default_nodal_state_w: (n, v, 6) initial positions, m, and velocities, m/s, of the nodes.
        nodal_kinematic_target: (n, v, 4) targets of the nodes, m; last 0 where they count, 1 where they do not.
    """

    default_nodal_state_w: Any = None
    nodal_kinematic_target: Any = None

    def __init__(self, root_physx_view: SoftBodyView, device: str) -> None:
        super().__init__()
        self.device, self._view = device, root_physx_view

    @property
    def nodal_pos_w(self) -> Any:
        """(n, v, 3) positions of the nodes, m."""
        return self._now("positions", self._view.get_sim_nodal_positions)

    @property
    def nodal_vel_w(self) -> Any:
        """(n, v, 3) velocities of the nodes, m/s."""
        return self._now("velocities", self._view.get_sim_nodal_velocities)

    @property
    def nodal_state_w(self) -> Any:
        """(n, v, 6) positions and velocities of the nodes."""
        xp, positions, velocities = common(self.nodal_pos_w, self.nodal_vel_w)
        return self._now("state", lambda: xp.concatenate([positions, velocities], -1))

    @property
    def sim_element_quat_w(self) -> Any:
        """(n, e, 4) rotations of elements, w x y z."""
        return self._now("rotations", lambda: columns(self._view.get_sim_element_rotations(), (3, 0, 1, 2)))

    @property
    def collision_element_quat_w(self) -> Any:
        """(n, c, 4) rotations of elements, w x y z."""
        if self._view.collides_as_simulated:
            return self.sim_element_quat_w
        return self._now("touching rotations", lambda: columns(self._view.get_element_rotations(), (3, 0, 1, 2)))

    @property
    def sim_element_deform_gradient_w(self) -> Any:
        """(n, e, 3, 3) deformation gradients of elements."""
        return self._now("gradients", lambda: self._matrices(self._view.get_sim_element_deformation_gradients()))

    @property
    def collision_element_deform_gradient_w(self) -> Any:
        """(n, c, 3, 3) deformation gradients of elements."""
        if self._view.collides_as_simulated:
            return self.sim_element_deform_gradient_w
        view = self._view
        return self._now("touching gradients", lambda: self._matrices(view.get_element_deformation_gradients()))

    @property
    def sim_element_stress_w(self) -> Any:
        """(n, e, 3, 3) Cauchy stresses of elements, Pa."""
        return self._now("stresses", lambda: self._matrices(self._view.get_sim_element_stresses()))

    @property
    def collision_element_stress_w(self) -> Any:
        """(n, c, 3, 3) Cauchy stresses of elements, Pa."""
        if self._view.collides_as_simulated:
            return self.sim_element_stress_w
        return self._now("touching stresses", lambda: self._matrices(self._view.get_element_stresses()))

    @property
    def root_pos_w(self) -> Any:
        """(n, 3) means of the nodes' positions, m."""
        return self._now("root position", lambda: self.nodal_pos_w.mean(1))

    @property
    def root_vel_w(self) -> Any:
        """(n, 3) means of the nodes' velocities, m/s."""
        return self._now("root velocity", lambda: self.nodal_vel_w.mean(1))

    def _matrices(self, values: Any) -> Any:
        return values.reshape(self._view.count, -1, 3, 3)
