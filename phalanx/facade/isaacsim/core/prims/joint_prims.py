"""The prims of articulations' joints, and what they say of drives."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.isaaclab.sim.schemas.authoring import apply_schema
from phalanx.facade.isaacsim.core.api.materials.accessors import read, write
from phalanx.facade.physx.common import DofType
from phalanx.facade.physx.metatype import ArticulationMetatype
from phalanx.io.formats.usd.bindings import Prim, Stage, Usd, UsdPhysics

log = logging.getLogger("phalanx.facade")

PER_DEGREE = math.pi / 180.0


class JointPrims:
    """Joints of articulations on a stage, by row and dof.

    Args:
        stage: of the prims.
        tops: for each row the path of the prim that all of the articulation is below.
        metatype: names and order of dofs.
    """

    def __init__(self, stage: Stage, tops: Sequence[str], metatype: ArticulationMetatype) -> None:
        self._stage, self._tops, self._names = stage, list(tops), list(metatype.dof_names)
        self._kinds = ["angular" if each == DofType.Rotation else "linear" for each in metatype.dof_types]
        self._found: dict[int, dict[str, Prim]] = {}

    def prim(self, row: int, dof: int) -> Prim | None:
        """The joint of a dof; ``None`` if it has none of its own."""
        if row not in self._found:
            below = Usd.PrimRange(self._stage.GetPrimAtPath(self._tops[row]), Usd.TraverseInstanceProxies())
            joints: dict[str, Prim] = {}
            for prim in below:
                if prim.IsA(UsdPhysics.Joint):
                    joints.setdefault(prim.GetName(), prim)
            self._found[row] = joints
        return self._found[row].get(self._names[dof])

    def paths(self, row: int) -> list[str]:
        """Paths of the joints of dofs; empty where there is none."""
        found = [self.prim(row, dof) for dof in range(len(self._names))]
        return ["" if prim is None else str(prim.GetPath()) for prim in found]

    def _drive(self, row: int, dof: int, make: bool) -> Any:
        prim = self.prim(row, dof)
        if prim is None:
            return None
        kind = self._kinds[dof]
        if not prim.HasAPI(UsdPhysics.DriveAPI, kind):
            return UsdPhysics.DriveAPI.Apply(prim, kind) if make else None
        return UsdPhysics.DriveAPI(prim, kind)

    def write_gains(self, name: str, rows: Sequence[int], dofs: Sequence[int], values: np.ndarray) -> None:
        """Write gains, given per rad: (rows, dofs) of ``stiffness`` or ``damping``."""
        scales = [PER_DEGREE if self._kinds[dof] == "angular" else 1.0 for dof in dofs]
        self._each(name, rows, dofs, values * scales)

    def read_gains(self, name: str, rows: Sequence[int], dofs: Sequence[int]) -> np.ndarray:
        """(rows, dofs): gains per rad; 0 where there is no drive."""
        found = np.zeros((len(rows), len(dofs)))
        for i, row in enumerate(rows):
            for j, dof in enumerate(dofs):
                drive = self._drive(row, dof, False)
                if drive is not None:
                    value = getattr(drive, f"Get{name.capitalize()}Attr")().Get() or 0.0
                    found[i, j] = value / (PER_DEGREE if self._kinds[dof] == "angular" else 1.0)
        return found

    def write_drive(self, name: str, rows: Sequence[int], dofs: Sequence[int], values: np.ndarray) -> None:
        """Write an attribute of drives as it is: (rows, dofs)."""
        self._each(name, rows, dofs, values)

    def _each(self, name: str, rows: Sequence[int], dofs: Sequence[int], values: np.ndarray) -> None:
        for i, row in enumerate(rows):
            for j, dof in enumerate(dofs):
                drive = self._drive(row, dof, True)
                if drive is None:
                    log.warning("%s has no joint %r on the stage", self._tops[row], self._names[dof])
                else:
                    getattr(drive, f"Create{name[0].upper()}{name[1:]}Attr")().Set(float(values[i, j]))

    def read_max_forces(self, rows: Sequence[int], dofs: Sequence[int]) -> np.ndarray:
        """(rows, dofs): the greatest efforts of drives; infinite where there is no drive, or nothing is said."""
        found = np.full((len(rows), len(dofs)), np.inf)
        for i, row in enumerate(rows):
            for j, dof in enumerate(dofs):
                drive = self._drive(row, dof, False)
                value = None if drive is None else drive.GetMaxForceAttr().Get()
                if value is not None:
                    found[i, j] = value
        return found

    def write_joint(self, name: str, rows: Sequence[int], dofs: Sequence[int], values: np.ndarray) -> None:
        """Write an attribute of PhysxJointAPI, (rows, dofs), such as ``armature``."""
        for i, row in enumerate(rows):
            for j, dof in enumerate(dofs):
                prim = self.prim(row, dof)
                if prim is None:
                    log.warning("%s has no joint %r on the stage", self._tops[row], self._names[dof])
                else:
                    apply_schema(prim, "PhysxJointAPI")
                    write(prim, f"physxJoint:{name}", "Float", values[i, j])

    def read_joint(self, name: str, rows: Sequence[int], dofs: Sequence[int]) -> np.ndarray:
        """(rows, dofs): an attribute of PhysxJointAPI; 0 where it is not written."""
        found = np.zeros((len(rows), len(dofs)))
        for i, row in enumerate(rows):
            for j, dof in enumerate(dofs):
                prim = self.prim(row, dof)
                if prim is not None:
                    found[i, j] = read(prim, f"physxJoint:{name}", 0.0)
        return found

    def write_types(self, mode: str, rows: Sequence[int], dofs: Sequence[int]) -> None:
        """Let drives give forces or accelerations."""
        for row in rows:
            for dof in dofs:
                drive = self._drive(row, dof, True)
                if drive is not None:
                    drive.CreateTypeAttr().Set(mode)

    def read_types(self, rows: Sequence[int], dofs: Sequence[int]) -> list[list[str]]:
        """Whether drives give forces or accelerations; of joints without a drive, accelerations."""
        found = []
        for row in rows:
            drives = [self._drive(row, dof, False) for dof in dofs]
            found.append(["acceleration" if drive is None else str(drive.GetTypeAttr().Get()) for drive in drives])
        return found
