"""What the prims of an articulation say of its links and joints, before anything is simulated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.facade.isaaclab.sim.schemas.authoring import apply_schema
from phalanx.facade.isaacsim.core.api.materials.accessors import read, write
from phalanx.facade.isaacsim.core.prims.joint_prims import JointPrims
from phalanx.facade.physx.common import DofType
from phalanx.facade.physx.metatype import ArticulationMetatype
from phalanx.io.formats.usd import read_stage
from phalanx.io.formats.usd.bindings import Prim, Stage, Usd, UsdPhysics
from phalanx.world.usd_scenes import add_scene
from phalanx.world.world import World

DEGREES = 180.0 / math.pi


@dataclass(frozen=True)
class Field:
    """A number of a joint on the stage.

    Attributes:
        name: of the attribute; ``{kind}`` is ``angular`` or ``linear``.
        default: where nothing is written.
        power: angular joints have it times degrees per rad to this power.
        schema: that has the attribute; ``{kind}`` as above.
    """

    name: str
    default: float = 0.0
    power: int = 0
    schema: str = ""


_DRIVE = "PhysicsDriveAPI:{kind}"
_AXIS = "PhysxJointAxisAPI:{kind}"
_ENVELOPE = "PhysxDrivePerformanceEnvelopeAPI:{kind}"

FIELDS = {
    "lower": Field("physics:lowerLimit", -math.inf, 1),
    "upper": Field("physics:upperLimit", math.inf, 1),
    "stiffnesses": Field("drive:{kind}:physics:stiffness", 0.0, -1, _DRIVE),
    "dampings": Field("drive:{kind}:physics:damping", 0.0, -1, _DRIVE),
    "position_targets": Field("drive:{kind}:physics:targetPosition", 0.0, 1, _DRIVE),
    "velocity_targets": Field("drive:{kind}:physics:targetVelocity", 0.0, 1, _DRIVE),
    "max_forces": Field("drive:{kind}:physics:maxForce", math.inf, 0, _DRIVE),
    "max_velocities": Field("physxJoint:maxJointVelocity", 1e6, 1, "PhysxJointAPI"),
    "armatures": Field("physxJoint:armature", 0.0, 0, "PhysxJointAPI"),
    "static_frictions": Field("physxJointAxis:{kind}:staticFrictionEffort", 0.0, 0, _AXIS),
    "dynamic_frictions": Field("physxJointAxis:{kind}:dynamicFrictionEffort", 0.0, 0, _AXIS),
    "viscous_frictions": Field("physxJointAxis:{kind}:viscousFrictionCoefficient", 0.0, -1, _AXIS),
    "gradients": Field("physxDrivePerformanceEnvelope:{kind}:speedEffortGradient", 0.0, 1, _ENVELOPE),
    "velocities": Field("physxDrivePerformanceEnvelope:{kind}:maxActuatorVelocity", 0.0, 1, _ENVELOPE),
    "resistances": Field("physxDrivePerformanceEnvelope:{kind}:velocityDependentResistance", 0.0, -1, _ENVELOPE),
}


class StageJoints:
    """Joints of articulations on a stage, by row and dof.

    Args:
        stage: of the prims.
        tops: for each row the path of the prim that all of the articulation is below.

    Attributes:
        metatype: names and order of links, joints and dofs.
    """

    def __init__(self, stage: Stage, tops: Sequence[str]) -> None:
        self._stage, self._tops = stage, list(tops)
        self.metatype = _metatype(stage, self._tops[0])
        self._joints = JointPrims(stage, tops, self.metatype)
        self._kinds = ["angular" if each == DofType.Rotation else "linear" for each in self.metatype.dof_types]

    # -- where they are --------------------------------------------------------------------------------------

    def dof_paths(self) -> list[list[str]]:
        """Of each row, paths of the joints of dofs."""
        return [self._joints.paths(row) for row in range(len(self._tops))]

    def link_paths(self) -> list[list[str]]:
        """Of each row, paths of links; empty where there is none of the name."""
        return [self._named(top, self.metatype.link_names, _is_body) for top in self._tops]

    def joint_paths(self) -> list[list[str]]:
        """Of each row, paths of joints, fixed ones included; empty where there is none of the name."""
        return [self._named(top, self.metatype.joint_names, _is_joint) for top in self._tops]

    def _named(self, top: str, names: Sequence[str], fits: Any) -> list[str]:
        below = Usd.PrimRange(self._stage.GetPrimAtPath(top), Usd.TraverseInstanceProxies())
        found: dict[str, str] = {}
        for prim in below:
            if fits(prim):
                found.setdefault(prim.GetName(), prim.GetPath().pathString)
        return [found.get(name, "") for name in names]

    # -- what they say ---------------------------------------------------------------------------------------

    def read(self, field: str, rows: Sequence[int], dofs: Sequence[int]) -> np.ndarray:
        """(rows, dofs) of one of :data:`FIELDS`, in rad; what has no joint of its own has the default."""
        one = FIELDS[field]
        found = np.full((len(rows), len(dofs)), one.default)
        for i, row in enumerate(rows):
            for j, dof in enumerate(dofs):
                prim, kind = self._joints.prim(row, dof), self._kinds[dof]
                if prim is not None:
                    scale = DEGREES**one.power if kind == "angular" else 1.0
                    found[i, j] = read(prim, one.name.format(kind=kind), one.default) / scale
        return found

    def write(self, field: str, rows: Sequence[int], dofs: Sequence[int], values: np.ndarray) -> None:
        """Write (rows, dofs) of one of :data:`FIELDS`, in rad."""
        one = FIELDS[field]
        for i, row in enumerate(rows):
            for j, dof in enumerate(dofs):
                prim, kind = self._joint(row, dof), self._kinds[dof]
                if one.schema:
                    apply_schema(prim, one.schema.format(kind=kind))
                scale = DEGREES**one.power if kind == "angular" else 1.0
                write(prim, one.name.format(kind=kind), "Float", values[i, j] * scale)

    def read_types(self, rows: Sequence[int], dofs: Sequence[int]) -> list[list[str]]:
        """Whether drives give forces or accelerations."""
        return self._joints.read_types(rows, dofs)

    def write_type(self, row: int, dof: int, word: str) -> None:
        """Let a drive give forces or accelerations."""
        self._joints.write_types(word, [row], [dof])

    def _joint(self, row: int, dof: int) -> Prim:
        """The joint of a dof.

        Raises:
            ValueError: there is none on the stage.
        """
        prim = self._joints.prim(row, dof)
        if prim is None:
            raise ValueError(f"{self._tops[row]}: no joint on the stage moves {self.metatype.dof_names[dof]!r} alone")
        return prim


def _is_body(prim: Prim) -> bool:
    return prim.HasAPI(UsdPhysics.RigidBodyAPI)


def _is_joint(prim: Prim) -> bool:
    return prim.IsA(UsdPhysics.Joint)


def _metatype(stage: Stage, top: str) -> ArticulationMetatype:
    """Names and order of links, joints and dofs of the articulation at or below a prim.

    They are those that a simulation would have: what is below the prim is read as for one, by itself.

    Raises:
        ValueError: there is not one articulation.
        LoadError: it cannot be simulated.
    """
    alone = Usd.Stage.OpenMasked(stage.GetRootLayer(), stage.GetSessionLayer(), Usd.StagePopulationMask([top]))
    world = World(num_envs=1, device="cpu")
    add_scene(read_stage(alone, inertias="keep"), world)
    robots = list(world.robots.values())
    if len(robots) != 1:
        raise ValueError(f"there {'are several articulations' if robots else 'is no articulation'} at or below <{top}>")
    return ArticulationMetatype(robots[0])
