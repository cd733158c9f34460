"""What the articulations of a view have in common: names and order of links, joints and dofs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from phalanx.components.link import PRISMATIC, REVOLUTE, SPHERICAL
from phalanx.facade.physx.common import DofType, JointType
from phalanx.models.articulation import NUM_DOFS
from phalanx.world.handles.robot import Robot

_JOINTS = {
    "fixed": JointType.Fixed,
    "revolute": JointType.Revolute,
    "continuous": JointType.Revolute,
    "prismatic": JointType.Prismatic,
    "spherical": JointType.Spherical,
}


class ArticulationMetatype:
    """Links, joints and dofs of an articulation.

    Links are its bodies, breadth-first from the root, children in file order, bodies that are fixed to another one
    included. The joint of a link carries it, so there is one less, in the same order; dofs are in the order of joints
    that move.
    """

    def __init__(self, robot: Robot) -> None:
        articulation = robot.part.articulation
        joints = {joint.child: joint for joint in robot.model.joints}
        self.fixed_base: bool = robot.fixed_base
        self.link_names: list[str] = list(robot.body_names)
        self.dof_names: list[str] = _numbered(robot.joint_names)
        self.link_parents: list[int] = [frame.parent for frame in articulation.frames]
        self.joint_names: list[str] = []
        self.joint_types: list[JointType] = []
        self.joint_dof_counts: list[int] = []
        self.joint_dof_offsets: list[int] = []
        first = 0
        for body, frame in enumerate(articulation.frames[1:], start=1):
            chain = []
            above = articulation.frames[frame.parent].link
            link = frame.link
            while link != above:  # planar joints and joints in a row have links of their own between bodies
                chain.append(link)
                link = articulation.links[link].parent
            count = sum(NUM_DOFS[articulation.links[each].joint_type] for each in chain)
            joint = articulation.links[chain[-1]].joint if chain else joints.get(self.link_names[body])
            kinds = [joint.type] if len(chain) <= 1 and joint is not None else []
            self.joint_names.append(joint.name if joint is not None else self.link_names[body])
            self.joint_types.append(_JOINTS.get(kinds[0], JointType.Invalid) if kinds else JointType.Invalid)
            self.joint_dof_counts.append(count)
            self.joint_dof_offsets.append(first)
            first += count
        self.dof_types: list[DofType] = _dof_types(robot)
        self.link_indices = {name: i for i, name in enumerate(self.link_names)}
        self.joint_indices = {name: i for i, name in enumerate(self.joint_names)}
        self.dof_indices = {name: i for i, name in enumerate(self.dof_names)}

    @property
    def link_count(self) -> int:
        """Number of links."""
        return len(self.link_names)

    @property
    def joint_count(self) -> int:
        """Number of joints between links, fixed ones included."""
        return len(self.joint_names)

    @property
    def dof_count(self) -> int:
        """Number of degrees of freedom, those of a free root left out."""
        return len(self.dof_names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArticulationMetatype) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        base = "fixed" if self.fixed_base else "floating"
        return f"<ArticulationMetatype: {self.link_count} links, {self.dof_count} dofs, {base} base>"


_AXIS = re.compile(r"(.+):(trans[XYZ]|rot[XYZ]|r[xyz]|[xyz]|turn)")


def _numbered(names: Sequence[str]) -> list[str]:
    """Names of dofs as PhysX has them: where a joint has several, with numbers, ``"thigh:0"``, ``"thigh:1"``."""
    found, counts = [], Counter[str]()
    for name in names:
        match = _AXIS.fullmatch(name)
        found.append(name if match is None else f"{match[1]}:{counts[match[1]]}")
        if match is not None:
            counts[match[1]] += 1
    return found


def _dof_types(robot: Robot) -> list[DofType]:
    found = []
    seen: dict[int, int] = {}
    for link in robot.part.articulation.dof_links:
        kind = robot.part.articulation.links[link].joint_type
        place = seen.get(link, 0)
        seen[link] = place + 1
        turns = kind in (REVOLUTE, SPHERICAL) or (kind != PRISMATIC and place >= 3)
        found.append(DofType.Rotation if turns else DofType.Translation)
    return found
