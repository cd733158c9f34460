"""What tendons and spherical joints of a robot must be, before there is a world."""

from __future__ import annotations

import numpy as np

from phalanx.components.link import SPHERICAL
from phalanx.models.articulation import NUM_DOFS, Articulation
from phalanx.models.robot_model import Joint, RobotModel
from phalanx.models.tendons import check


def check_tendons(who: str, model: RobotModel, links: Articulation) -> None:
    """Refuse tendons and limits of spherical joints that do not fit a robot.

    Args:
        who: the robot, for messages.
        model: has the tendons.
        links: its flattened tree.
    """
    single = {
        name: NUM_DOFS[links.links[i].joint_type] == 1 for name, i in zip(links.dof_names, links.dof_links, strict=True)
    }
    for link in links.links:
        if link.joint is not None and link.joint_type == SPHERICAL:
            _check_spherical(who, link.joint)
    check(who, [*model.fixed_tendons, *model.spatial_tendons], single, [frame.name for frame in links.frames])


def _check_spherical(who: str, joint: Joint) -> None:
    if not joint.swing_limit > 0 or np.pi < joint.swing_limit < np.inf:
        raise ValueError(f"{who}: joint {joint.name!r}: swing_limit={joint.swing_limit}: must be above 0, at most pi")
    finite = [angle for angle in (joint.lower, joint.upper) if np.isfinite(angle)]
    if joint.lower > joint.upper or any(abs(angle) > np.pi for angle in finite):
        raise ValueError(
            f"{who}: joint {joint.name!r}: twist limits {joint.lower} to {joint.upper} must be in order, from -pi to pi"
        )
    if joint.limit_stiffness or joint.limit_damping or joint.limit_restitution:
        raise ValueError(
            f"{who}: joint {joint.name!r}: limits of spherical joints are hard and do not throw back; leave "
            "limit_stiffness, limit_damping and limit_restitution at 0"
        )
