"""What would be known about a deformable object."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.assets.deformable_object.not_simulated import missing, refuse

_OWNER = "DeformableObjectData"


class DeformableObjectData:
    """State of a deformable object, which is not simulated yet: every member raises ``NotImplementedError``.

    n is the number of instances, v of vertices, e of elements of the simulated mesh, c of the one that collides.
    """

    def update(self, dt: float) -> None:
        """Let values be read anew: there are none."""
        refuse(f"{_OWNER}.update")

    default_nodal_state_w: Any = missing(_OWNER, "default_nodal_state_w", "(n, v, 6) initial state of the nodes.")
    nodal_kinematic_target: Any = missing(
        _OWNER,
        "nodal_kinematic_target",
        "(n, v, 4) targets of the nodes; last 0 where they count, 1 where they do not.",
    )
    nodal_pos_w = missing(_OWNER, "nodal_pos_w", "(n, v, 3) positions of the nodes, m.")
    nodal_vel_w = missing(_OWNER, "nodal_vel_w", "(n, v, 3) velocities of the nodes, m/s.")
    nodal_state_w = missing(_OWNER, "nodal_state_w", "(n, v, 6) positions and velocities of the nodes.")
    sim_element_quat_w = missing(_OWNER, "sim_element_quat_w", "(n, e, 4) rotations of elements, w x y z.")
    collision_element_quat_w = missing(_OWNER, "collision_element_quat_w", "(n, c, 4) rotations of elements, w x y z.")
    sim_element_deform_gradient_w = missing(
        _OWNER, "sim_element_deform_gradient_w", "(n, e, 3, 3) deformation gradients of elements."
    )
    collision_element_deform_gradient_w = missing(
        _OWNER, "collision_element_deform_gradient_w", "(n, c, 3, 3) deformation gradients of elements."
    )
    sim_element_stress_w = missing(_OWNER, "sim_element_stress_w", "(n, e, 3, 3) Cauchy stresses of elements, Pa.")
    collision_element_stress_w = missing(
        _OWNER, "collision_element_stress_w", "(n, c, 3, 3) Cauchy stresses of elements, Pa."
    )
    root_pos_w = missing(_OWNER, "root_pos_w", "(n, 3) means of the nodes' positions, m.")
    root_vel_w = missing(_OWNER, "root_vel_w", "(n, 3) means of the nodes' velocities, m/s.")
