"""Names of articulations that begin with an underscore in Isaac Sim, and that scripts read nevertheless."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaacsim.core.prims.articulation_access import ArticulationAccess
from phalanx.facade.isaacsim.core.prims.joint_prims import JointPrims


def _of_metatype(name: str, doc: str) -> property:
    def read(self: ArticulationAccess) -> Any:
        return None if self._metadata is None else getattr(self._metadata, name)

    return property(read, doc=f"{doc}; ``None`` before it is initialised.")


class ArticulationNames(ArticulationAccess):
    """What a view of articulations knows of links, joints and dofs, under the private names of Isaac Sim 5.1."""

    _joint_prims: JointPrims

    _num_dof = _of_metatype("dof_count", "Number of dofs")
    _num_bodies = _of_metatype("link_count", "Number of links")
    _num_joints = _of_metatype("joint_count", "Number of joints, fixed ones included")
    _body_names = _of_metatype("link_names", "Names of links")
    _dof_names = _of_metatype("dof_names", "Names of dofs")
    _joint_names = _of_metatype("joint_names", "Names of joints")
    _body_indices = _of_metatype("link_indices", "Numbers of links by name")
    _link_indices = _of_metatype("link_indices", "Numbers of links by name")
    _dof_indices = _of_metatype("dof_indices", "Numbers of dofs by name")
    _joint_indices = _of_metatype("joint_indices", "Numbers of joints by name")
    _joint_names_to_idx = _of_metatype("joint_indices", "Numbers of joints by name")
    _dof_types = _of_metatype("dof_types", "Whether dofs turn or slide")
    _joint_types = _of_metatype("joint_types", "Kinds of joints")

    @property
    def _is_initialized(self) -> bool:
        """Whether it was simulated once."""
        return self._metadata is not None

    @property
    def _dof_paths(self) -> list[list[str]] | None:
        """Paths of the joints of dofs for each articulation, (N, dofs); ``None`` before it is initialised."""
        if self._metadata is None:
            return None
        return [self._joint_prims.paths(row) for row in range(self.count)]
