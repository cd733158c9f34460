"""What is known about the bodies of an asset: parts of their poses, velocities and accelerations, by name."""

from __future__ import annotations

from phalanx.facade.isaaclab.assets.lazy_data import part, same


class BodyParts:
    """Parts of ``body_link_pose_w``, ``body_com_vel_w`` and so on, and older names; n is the number of instances."""

    body_link_pos_w = part("body_link_pose_w", 0, 3, "(n, bodies, 3) position of the links.")
    body_link_quat_w = part("body_link_pose_w", 3, 7, "(n, bodies, 4) orientation of the links.")
    body_link_lin_vel_w = part("body_link_vel_w", 0, 3, "(n, bodies, 3) linear velocity of the links' origin.")
    body_link_ang_vel_w = part("body_link_vel_w", 3, 6, "(n, bodies, 3) angular velocity.")
    body_com_pos_w = part("body_com_pose_w", 0, 3, "(n, bodies, 3) position of the centres of mass.")
    body_com_quat_w = part("body_com_pose_w", 3, 7, "(n, bodies, 4) orientation of the principal axes.")
    body_com_lin_vel_w = part("body_com_vel_w", 0, 3, "(n, bodies, 3) linear velocity of the centres of mass.")
    body_com_ang_vel_w = part("body_com_vel_w", 3, 6, "(n, bodies, 3) angular velocity.")
    body_com_lin_acc_w = part("body_com_acc_w", 0, 3, "(n, bodies, 3) linear acceleration of the centres of mass.")
    body_com_ang_acc_w = part("body_com_acc_w", 3, 6, "(n, bodies, 3) angular acceleration.")
    body_com_pos_b = part("body_com_pose_b", 0, 3, "(n, bodies, 3) centres of mass in the links's frame.")
    body_com_quat_b = part("body_com_pose_b", 3, 7, "(n, bodies, 4) principal axes in the links's frame.")

    body_pose_w = same("body_link_pose_w")
    body_pos_w = same("body_link_pos_w")
    body_quat_w = same("body_link_quat_w")
    body_vel_w = same("body_com_vel_w")
    body_lin_vel_w = same("body_com_lin_vel_w")
    body_ang_vel_w = same("body_com_ang_vel_w")
    body_acc_w = same("body_com_acc_w")
    body_lin_acc_w = same("body_com_lin_acc_w")
    body_ang_acc_w = same("body_com_ang_acc_w")
    com_pos_b = same("body_com_pos_b")
    com_quat_b = same("body_com_quat_b")
