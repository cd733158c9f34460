"""Views of articulations."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.backends import on_host, shaped
from phalanx.facade.expressions import matching_paths
from phalanx.facade.isaacsim.core.prims.articulation_dynamics import ArticulationDynamics
from phalanx.facade.isaacsim.core.prims.articulation_names import ArticulationNames
from phalanx.facade.isaacsim.core.prims.articulation_settings import ArticulationSettings
from phalanx.facade.isaacsim.core.prims.joint_drives import JointDrives
from phalanx.facade.isaacsim.core.prims.joint_prims import JointPrims
from phalanx.facade.isaacsim.core.prims.joint_states import JointStates
from phalanx.facade.isaacsim.core.prims.link_properties import LinkProperties
from phalanx.facade.isaacsim.core.prims.xform_prim import Poses, XFormPrim
from phalanx.facade.isaacsim.core.utils.prims import get_articulation_root_api_prim_path
from phalanx.facade.isaacsim.core.utils.types import JointsState, XFormPrimViewState
from phalanx.facade.once import tell_once
from phalanx.facade.physx.articulation_view import ArticulationView
from phalanx.facade.physx.metatype import ArticulationMetatype
from phalanx.io.formats.usd.bindings import Prim, UsdGeom

log = logging.getLogger("phalanx.facade")


class Articulation(
    XFormPrim, JointStates, JointDrives, LinkProperties, ArticulationDynamics, ArticulationSettings, ArticulationNames
):
    """Articulations with the same links and joints.

    A path whose prim is no root of an articulation stands for the root below it. Poses and velocities are those of the
    root links. See :class:`XFormPrim` for arrays, indices and places, :class:`JointStates` for joints.

    Args:
        prim_paths_expr: an expression for paths, or several in a list.
        name: for scenes and messages.
        positions, translations, orientations, scales, visibilities, reset_xform_properties: see :class:`XFormPrim`.
        enable_dof_force_sensors: no meaning: forces of joints are always measured.
        enable_residual_reports: whether the stage asks for residuals of the solver.

    Raises:
        ValueError: no prim matches, an array has another shape, or, once it is simulated, a prim is no articulation.
    """

    _physics_view: ArticulationView | None = None
    _metadata: ArticulationMetatype | None = None
    _default_joints_state: JointsState | None = None

    def __init__(
        self,
        prim_paths_expr: str | Sequence[str],
        name: str = "articulation_prim_view",
        positions: Any = None,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        visibilities: Any = None,
        reset_xform_properties: bool = True,
        enable_dof_force_sensors: bool = False,
        enable_residual_reports: bool = False,
    ) -> None:
        asked = [prim_paths_expr] if isinstance(prim_paths_expr, str) else list(prim_paths_expr)
        super().__init__(
            [get_articulation_root_api_prim_path(each) for each in asked],
            name,
            positions,
            translations,
            orientations,
            scales,
            visibilities,
            reset_xform_properties,
        )
        self._tops = asked
        self._default_state = XFormPrimViewState(None, None)
        self._enable_residual_reports = enable_residual_reports
        if enable_residual_reports:
            for prim in self._prims:
                prim.AddAppliedSchema("PhysxResidualReportingAPI")
        if simulation.stage_world() is not None:
            Articulation._on_physics_ready(self, None)

    def _prims_with_place(self) -> list[Any]:
        """The prims: roots, or what is above them where a joint to the world is the root."""
        return [_with_place(prim) for prim in self._prims]

    # -- what they are ---------------------------------------------------------------------------------------

    @property
    def initialized(self) -> bool:
        """Whether names and numbers of links and joints are known: since it was first simulated."""
        return self._metadata is not None

    @property
    def num_dof(self) -> int | None:
        """Degrees of freedom of an articulation; ``None`` before it is initialised, as for the others."""
        return None if self._metadata is None else self._metadata.dof_count

    @property
    def num_bodies(self) -> int | None:
        """Links of an articulation."""
        return None if self._metadata is None else self._metadata.link_count

    @property
    def num_joints(self) -> int | None:
        """Joints of an articulation, fixed ones included."""
        return None if self._metadata is None else self._metadata.joint_count

    @property
    def num_shapes(self) -> int | None:
        """Collision shapes of an articulation."""
        return self._num_shapes

    @property
    def num_fixed_tendons(self) -> int | None:
        """Fixed tendons of an articulation."""
        return self._num_fixed_tendons

    _num_shapes: int | None = None
    _num_fixed_tendons: int | None = None

    @property
    def body_names(self) -> list[str] | None:
        """Names of links."""
        return None if self._metadata is None else list(self._metadata.link_names)

    @property
    def dof_names(self) -> list[str] | None:
        """Names of degrees of freedom."""
        return None if self._metadata is None else list(self._metadata.dof_names)

    @property
    def joint_names(self) -> list[str] | None:
        """Names of joints, fixed ones included."""
        return None if self._metadata is None else list(self._metadata.joint_names)

    def get_articulation_body_count(self) -> int | None:
        """Links of an articulation."""
        return self.num_bodies

    def get_body_index(self, body_name: str) -> int | None:
        """The number of a link by its name.

        Raises:
            KeyError: there is none of the name.
        """
        found = self._known("get_body_index")
        return None if found is None else found.link_indices[body_name]

    def get_link_index(self, link_name: str) -> int | None:
        """See :meth:`get_body_index`."""
        return self.get_body_index(link_name)

    def get_dof_index(self, dof_name: str) -> int | None:
        """The number of a degree of freedom by its name.

        Raises:
            KeyError: there is none of the name.
        """
        found = self._known("get_dof_index")
        return None if found is None else found.dof_indices[dof_name]

    def get_joint_index(self, joint_name: str) -> int | None:
        """The number of a joint by its name.

        Raises:
            KeyError: there is none of the name.
        """
        found = self._known("get_joint_index")
        return None if found is None else found.joint_indices[joint_name]

    # -- what happens ----------------------------------------------------------------------------------------

    def is_physics_handle_valid(self) -> bool:
        """Whether a simulation runs that it knows of."""
        return self._physics_view is not None

    def _on_stop(self) -> None:
        self._physics_view = None

    def _on_physics_ready(self, event: Any) -> None:
        super()._on_physics_ready(event)
        simulation.get().take_edits()  # robots that scripts have made since
        world = simulation.stage_world()
        if world is None or self._physics_view is not None:
            return
        robots = []
        for path in self._prim_paths:
            names, env = world.actors_at(path)
            mine = [name for name in names if name in world.world.robots]
            if len(mine) != 1:
                found = f"{len(mine)} articulations" if mine else "no articulation"
                raise ValueError(f"{self._name}: there is {found} at or below <{path}> in the simulation that runs")
            robots.append((mine[0], env or 0))
        view = ArticulationView(world.world, robots, self._prim_paths, origins=world.origins)
        view.raw = True
        self._physics_view = view
        if self._metadata is None:
            self._metadata = view.shared_metatype
            self._num_shapes, self._num_fixed_tendons = view.max_shapes, view.max_fixed_tendons
            self._joint_prims = JointPrims(self._stage, self._top_paths(), view.shared_metatype)
            self._keep_defaults(view)

    def _top_paths(self) -> list[str]:
        """For each row the path of the prim that was asked for, below which all joints are."""
        tops = [path for each in self._tops for path in matching_paths(self._stage, each)]
        return tops if len(tops) == self.count else self._prim_paths

    def _keep_defaults(self, view: ArticulationView) -> None:
        self._default_kps, self._default_kds = view.get_dof_stiffnesses(), view.get_dof_dampings()
        places, turns = self.get_world_poses()
        old = self._default_state or XFormPrimViewState(None, None)
        self._default_state = XFormPrimViewState(
            places if old.positions is None else old.positions, turns if old.orientations is None else old.orientations
        )
        state = self._default_joints_state or JointsState(None, None, None)
        first = (
            view.get_dof_position_targets(),
            view.get_dof_velocity_targets(),
            self._backend.xp.zeros((self.count, view.max_dofs), "float32"),
        )
        for field, value in zip(("positions", "velocities", "efforts"), first, strict=True):
            if getattr(state, field) is None:
                setattr(state, field, self._backend.give(value))
        self._default_joints_state = state

    def _on_post_reset(self, event: Any) -> None:
        view, state = self._physics_view, self._default_joints_state
        if view is None or state is None or not self.is_valid():
            return
        super()._on_post_reset(event)
        self.set_joint_positions(state.positions)
        self.set_joint_velocities(state.velocities)
        self.set_joint_efforts(state.efforts)
        view.set_dof_stiffnesses(self._default_kps)
        view.set_dof_dampings(self._default_kds)

    # -- poses -----------------------------------------------------------------------------------------------

    def get_world_poses(self, indices: Any = None, clone: bool = True, usd: bool = True) -> Poses:
        """Positions (M, 3) and orientations (M, 4) of root links in the world; without a simulation, of the prims."""
        view = self._physics_view
        if view is None:
            return super().get_world_poses(indices)
        self._check_valid()
        return self._poses_of(view.get_root_transforms(), indices)

    def set_world_poses(
        self, positions: Any = None, orientations: Any = None, indices: Any = None, usd: bool = True
    ) -> None:
        """Put root links somewhere in the world, at once, and all links with them; what is ``None`` stays."""
        view = self._physics_view
        if view is None:
            super().set_world_poses(positions, orientations, indices)
            return
        self._check_valid()
        view.set_root_transforms(*self._with_poses(view.get_root_transforms(), positions, orientations, indices))

    def get_local_poses(self, indices: Any = None) -> Poses:
        """Translations (M, 3) and orientations (M, 4) of root links in the frames of the prims above the view's."""
        if self._physics_view is None:
            return super().get_local_poses(indices)
        return self._below_parents(self._chosen(indices), *self.get_world_poses(indices))

    def _is_moved_by_physics(self, chosen: Sequence[int]) -> bool:
        return self._physics_view is not None

    # -- velocities ------------------------------------------------------------------------------------------

    def get_velocities(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, 6): linear and angular velocities of root links' centres of mass, in the world's axes."""
        view = self._simulated("get_velocities")
        if view is None:
            return None
        found = self._rows_of(view.get_root_velocities(), indices)
        if (unit := self._unit) != 1.0:
            found[:, :3] /= unit
        return self._backend.give(found)

    def get_linear_velocities(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, 3): linear velocities of root links' centres of mass."""
        found = self.get_velocities(indices)
        return None if found is None else found[:, :3]

    def get_angular_velocities(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, 3): angular velocities of root links."""
        found = self.get_velocities(indices)
        return None if found is None else found[:, 3:]

    def set_velocities(self, velocities: Any = None, indices: Any = None) -> None:
        """Set linear and angular velocities of root links, (M, 6); joints keep theirs. Fixed bases stand still."""
        self._set_velocities("velocities", velocities, slice(0, 6), indices)

    def set_linear_velocities(self, velocities: Any = None, indices: Any = None) -> None:
        """Set linear velocities of root links, (M, 3)."""
        self._set_velocities("linear velocities", velocities, slice(0, 3), indices)

    def set_angular_velocities(self, velocities: Any = None, indices: Any = None) -> None:
        """Set angular velocities of root links, (M, 3)."""
        self._set_velocities("angular velocities", velocities, slice(3, 6), indices)

    def _set_velocities(self, what: str, velocities: Any, columns: slice, indices: Any) -> None:
        if velocities is None:
            return
        view = self._simulated(f"set_{what.replace(' ', '_')}")
        if view is None:
            return
        rows = self._backend.rows(indices, self.count)
        shape = (self.count if rows is None else len(rows), columns.stop - columns.start)
        values = shaped(what, self._backend.take(velocities), shape)
        if columns.start == 0 and (unit := self._unit) != 1.0:
            values = values.copy()
            values[:, :3] *= unit
        data = view.get_root_velocities()
        data[slice(None) if rows is None else rows, columns] = values
        view.set_root_velocities(data, rows)

    # -- default state ---------------------------------------------------------------------------------------

    def set_default_state(self, positions: Any = None, orientations: Any = None, indices: Any = None) -> None:
        """Set where :meth:`post_reset` puts root links, (M, 3) and (M, 4); what is ``None`` stays."""
        state = self._default_state or XFormPrimViewState(None, None)
        if indices is None and (state.positions is None or state.orientations is None):
            # those of root links are not known yet: what is not given now is read when it is first simulated
            for name, values, width in (("positions", positions, 3), ("orientations", orientations, 4)):
                if values is not None:
                    given = shaped(name, on_host(values, np.float32), (self.count, width))
                    setattr(state, name, self._backend.give(given))
            self._default_state = state
            return
        if state.positions is None or state.orientations is None:
            self._default_state = XFormPrimViewState(*self.get_world_poses())
        super().set_default_state(positions, orientations, indices)

    def get_joints_default_state(self) -> JointsState | None:
        """What :meth:`post_reset` puts joints to; ``None`` before it is initialised, if nothing was set."""
        return self._default_joints_state

    def set_joints_default_state(self, positions: Any = None, velocities: Any = None, efforts: Any = None) -> None:
        """Set what :meth:`post_reset` puts joints to, (N, dofs) each; what is ``None`` stays."""
        state = self._default_joints_state or JointsState(None, None, None)
        for name, value in (("positions", positions), ("velocities", velocities), ("efforts", efforts)):
            if value is None:
                continue
            if self._metadata is not None:
                shape = (self.count, self._metadata.dof_count)
                value = self._backend.give(
                    self._backend.take(np.broadcast_to(on_host(value, np.float32), shape).copy())
                )
            setattr(state, name, value)
        self._default_joints_state = state

    # -- residuals -------------------------------------------------------------------------------------------

    def get_position_residuals(self, indices: Any = None, report_max: bool = True) -> Any:
        """What the solver of positions left, (M,): not measured by the engine, so that it is ``None``.

        Raises:
            RuntimeError: ``enable_residual_reports`` was not given.
        """
        return self._residuals("get_position_residuals")

    def get_velocity_residuals(self, indices: Any = None, report_max: bool = True) -> Any:
        """What the solver of velocities left, (M,): not measured by the engine, so that it is ``None``.

        Raises:
            RuntimeError: ``enable_residual_reports`` was not given.
        """
        return self._residuals("get_velocity_residuals")

    def _residuals(self, what: str) -> None:
        if not self._enable_residual_reports:
            raise RuntimeError(f"{what}: make the view with enable_residual_reports=True")
        tell_once(f"{what}: the engine does not measure residuals of its solver; None is returned", logging.WARNING)


def _with_place(prim: Prim) -> Prim:
    while not prim.IsA(UsdGeom.Xformable) and prim.GetParent() and not prim.GetParent().IsPseudoRoot():
        prim = prim.GetParent()
    return prim


__all__ = ["Articulation"]
