"""Wrappers of articulations."""

from __future__ import annotations

from typing import Any

from phalanx.facade.backends import to_warp
from phalanx.facade.isaacsim.core.experimental.prims import views
from phalanx.facade.isaacsim.core.experimental.prims.articulation_links import ArticulationLinks
from phalanx.facade.isaacsim.core.experimental.prims.prim import require
from phalanx.facade.isaacsim.core.experimental.prims.stage_joints import StageJoints
from phalanx.facade.isaacsim.core.experimental.prims.xform_prim import XformPrim
from phalanx.facade.isaacsim.core.experimental.utils.ops import engine_array
from phalanx.facade.omni.physics.tensors import DofType, JointType

VELOCITIES = ("linear_velocities", "angular_velocities")
DOFS = ("dof_positions", "dof_velocities", "dof_efforts")


class Articulation(ArticulationLinks):
    """Articulations with the same links and joints.

    A path whose prim is no root of an articulation stands for the root below it. Poses and velocities are those of
    root links. Names and numbers of links, joints and dofs are known at once; what is simulated is known while a
    simulation runs, and until then what the stage says.

    Args:
        paths, resolve_paths, positions, translations, orientations, scales, reset_xform_op_properties: see
            :class:`XformPrim`.
        enable_residual_reports: whether the stage asks for residuals of the solver.

    Raises:
        ValueError: there is no articulation, or several, at or below a prim.
    """

    def __init__(
        self,
        paths: str | list[str],
        *,
        resolve_paths: bool = True,
        positions: Any = None,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        reset_xform_op_properties: bool = False,
        enable_residual_reports: bool = False,
    ) -> None:
        self._enable_residual_reports = enable_residual_reports
        super().__init__(
            paths,
            resolve_paths=resolve_paths,
            positions=positions,
            translations=translations,
            orientations=orientations,
            scales=scales,
            reset_xform_op_properties=reset_xform_op_properties,
        )
        self._joints = StageJoints(self._view._stage, self._view.tops())

    def _make_view(self, paths: list[str]) -> Any:
        return views.Robots(paths, reset_xform_properties=False, enable_residual_reports=self._enable_residual_reports)

    # -- what they are ---------------------------------------------------------------------------------------

    @property
    def dof_names(self) -> list[str]:
        """Names of degrees of freedom."""
        return list(self._joints.metatype.dof_names)

    @property
    def dof_paths(self) -> list[list[str]]:
        """Of each articulation, paths of the joints of dofs."""
        return self._joints.dof_paths()

    @property
    def dof_types(self) -> list[DofType]:
        """Whether dofs turn or slide."""
        return list(self._joints.metatype.dof_types)

    @property
    def num_joints(self) -> int:
        """Joints of an articulation, fixed ones included."""
        return self._joints.metatype.joint_count

    @property
    def joint_names(self) -> list[str]:
        """Names of joints, fixed ones included."""
        return list(self._joints.metatype.joint_names)

    @property
    def joint_paths(self) -> list[list[str]]:
        """Of each articulation, paths of joints."""
        return self._joints.joint_paths()

    @property
    def joint_types(self) -> list[JointType]:
        """Kinds of joints."""
        return list(self._joints.metatype.joint_types)

    @property
    def link_names(self) -> list[str]:
        """Names of links."""
        return list(self._joints.metatype.link_names)

    @property
    def link_paths(self) -> list[list[str]]:
        """Of each articulation, paths of links."""
        return self._joints.link_paths()

    @property
    def num_shapes(self) -> int:
        """Collision shapes of an articulation; 0 before it is simulated."""
        return self._view.num_shapes or 0

    def is_physics_tensor_entity_valid(self) -> bool:
        """Whether a simulation runs that has these articulations."""
        return self._view.simulated is not None

    def is_physics_tensor_entity_initialized(self) -> bool:
        """Whether they have been simulated."""
        return self._view.initialized

    def get_link_indices(self, names: str | list[str]) -> Any:
        """Numbers of links by their names, (K,), int32.

        Raises:
            KeyError: there is none of a name.
        """
        return self._numbers("link", self._joints.metatype.link_indices, names)

    def get_joint_indices(self, names: str | list[str]) -> Any:
        """Numbers of joints by their names, (K,), int32.

        Raises:
            KeyError: there is none of a name.
        """
        return self._numbers("joint", self._joints.metatype.joint_indices, names)

    def get_dof_indices(self, names: str | list[str]) -> Any:
        """Numbers of degrees of freedom by their names, (K,), int32.

        Raises:
            KeyError: there is none of a name.
        """
        return self._numbers("dof", self._joints.metatype.dof_indices, names)

    def _numbers(self, what: str, known: dict[str, int], names: str | list[str]) -> Any:
        wanted = [names] if isinstance(names, str) else list(names)
        for name in wanted:
            if name not in known:
                raise KeyError(f"there is no {what} {name!r}; there are {', '.join(known)}")
        return to_warp(engine_array([known[name] for name in wanted], "int32", self._device))

    # -- velocities ------------------------------------------------------------------------------------------

    def get_velocities(self, *, indices: Any = None) -> tuple[Any, Any]:
        """Linear and angular velocities of root links' centres of mass, (M, 3) each."""
        self._check_simulated()
        found = self._view.get_velocities(indices)
        return self._given(found[:, :3]), self._given(found[:, 3:])

    def set_velocities(
        self, linear_velocities: Any = None, angular_velocities: Any = None, *, indices: Any = None
    ) -> None:
        """Set linear and angular velocities of root links, (M, 3) each; what is ``None`` stays."""
        given = linear_velocities is not None or angular_velocities is not None
        require(given, "linear_velocities and angular_velocities are both None")
        self._check_simulated()
        count = self._size(indices)
        if linear_velocities is not None:
            self._view.set_linear_velocities(self._taken(linear_velocities, count, 3), indices)
        if angular_velocities is not None:
            self._view.set_angular_velocities(self._taken(angular_velocities, count, 3), indices)

    def get_solver_residual_reports(self, *, indices: Any = None, report_maximum: bool = True) -> tuple[Any, Any]:
        """Residuals of positions and of velocities: not measured.

        Raises:
            AssertionError: ``enable_residual_reports`` was not asked for.
            NotImplementedError: it was.
        """
        require(self._enable_residual_reports, "make it with enable_residual_reports=True to read residuals")
        self._check_valid()
        raise NotImplementedError("get_solver_residual_reports: the engine does not measure residuals of its solver")

    # -- default state ---------------------------------------------------------------------------------------

    def get_default_state(self, *, indices: Any = None, dof_indices: Any = None) -> tuple[Any, ...]:
        """What was set as default: positions and orientations, velocities, positions, velocities, efforts of dofs.

        ``None`` for what never was.
        """
        places = super().get_default_state(indices=indices)
        motion = (self._kept(name, indices) for name in VELOCITIES)
        return *places, *motion, *(self._kept(name, indices, dof_indices) for name in DOFS)

    def set_default_state(
        self,
        positions: Any = None,
        orientations: Any = None,
        linear_velocities: Any = None,
        angular_velocities: Any = None,
        dof_positions: Any = None,
        dof_velocities: Any = None,
        dof_efforts: Any = None,
        *,
        indices: Any = None,
        dof_indices: Any = None,
    ) -> None:
        """Set what :meth:`reset_to_default_state` goes back to; what is ``None`` stays, what never was set is 0.

        Args:
            positions, orientations: of root links in the world, (M, 3) and (M, 4).
            linear_velocities, angular_velocities: of root links, (M, 3) each.
            dof_positions, dof_velocities, dof_efforts: (M, K) each.
            indices, dof_indices: which.
        """
        self._check_valid()
        if positions is not None or orientations is not None:
            XformPrim.set_default_state(self, positions, orientations, indices=indices)
        for name, values in zip(VELOCITIES, (linear_velocities, angular_velocities), strict=True):
            self._keep(name, values, indices, None, 3)
        for name, values in zip(DOFS, (dof_positions, dof_velocities, dof_efforts), strict=True):
            self._keep(name, values, indices, dof_indices, self.num_dofs)

    def reset_to_default_state(self, *, warn_on_non_default_state: bool = False) -> None:
        """Put articulations where they are by default, targets of dofs included; what was never set stays."""
        self._check_valid()
        warn = warn_on_non_default_state
        self._restore(warn, self.set_world_poses, "positions", "orientations")
        self._restore(warn, self.set_velocities, *VELOCITIES)
        self._restore(warn, self.set_dof_positions, "dof_positions")
        self._restore(warn, self.set_dof_velocities, "dof_velocities")
        self._restore(warn, self.set_dof_efforts, "dof_efforts")
