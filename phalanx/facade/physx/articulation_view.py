"""Tensor view of articulations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.facade.physx.articulation_tendons import ArticulationTendons
from phalanx.facade.physx.common import Rows, compute, find_actor, reads, reads_host, writes
from phalanx.facade.physx.dynamics_kernels import Dynamics
from phalanx.facade.physx.metatype import ArticulationMetatype
from phalanx.maths.arrays import inverse, rotate
from phalanx.world.handles.robot import Robot
from phalanx.world.world import World


class ArticulationView(ArticulationTendons):
    """Articulations with the same links and joints; a robot in an environment each row.

    Links and dofs are in the engine's order, breadth-first from the root, which is also that of PhysX. Transforms are
    [x y z qx qy qz qw] of links' frames, velocities and accelerations [linear, angular] of their centres of mass, all
    in the world. Generalised velocities are those of the root's centre of mass, [linear, angular], world axes, then of
    dofs; of a fixed base, of dofs only.

    Args:
        world: the engine's world.
        robots: a robot, in every environment: rows are environments; or (robot, environments) in the order of rows,
            where environments are a number, a list, or ``None`` for all.
        prim_paths: of each row; made up from names by default.
        link_paths: of each link of each row, or what finds them when they are asked for; by default the prim's with the
            link's name.
        dof_paths: of each dof of each row; by default the prim's with the dof's name.
        origins: (num_envs, 3), m: where the environments' origins are in the world; zero by default.

    Raises:
        ValueError: the robots are not alike.
    """

    def __init__(
        self,
        world: World,
        robots: Robot | str | Iterable[tuple[Robot | str, Any]],
        prim_paths: Sequence[str] | None = None,
        link_paths: Sequence[Sequence[str]] | Callable[[], Iterable[Sequence[str]]] | None = None,
        dof_paths: Sequence[Sequence[str]] | None = None,
        origins: Any = None,
    ) -> None:
        listed: list[tuple[Any, Any]] = [(robots, None)] if isinstance(robots, Robot | str) else list(robots)
        rows = Rows([(find_actor(world, robot, Robot), envs) for robot, envs in listed], world.num_envs)
        super().__init__(world, rows, origins)
        self._robots: list[Robot] = rows.keys
        self._columns = [[(robot, b) for b in range(robot.num_bodies)] for robot in self._robots]
        self.shared_metatype = ArticulationMetatype(self._robots[0])
        for robot in self._robots[1:]:
            tendons = (robot.num_fixed_tendons, robot.num_spatial_tendons, robot.num_shapes)
            first = self._robots[0]
            if ArticulationMetatype(robot) != self.shared_metatype or tendons != (
                first.num_fixed_tendons,
                first.num_spatial_tendons,
                first.num_shapes,
            ):
                two = [_path_of(one, rows, prim_paths) for one in (first, robot)]
                raise ValueError(
                    f"{two[0]} and {two[1]} differ in their {_what_differs(first, robot)}: robots of one view or asset "
                    "have the same links, joints, shapes and tendons; give each kind an asset with a path of its own"
                )
        for what, paths in (("prim_paths", prim_paths), ("link_paths", link_paths), ("dof_paths", dof_paths)):
            if paths is not None and not callable(paths) and len(paths) != self.count:
                raise ValueError(f"there are {len(paths)} {what} for {self.count} rows")
        self._paths = None if prim_paths is None else list(prim_paths)
        self._find_link_paths = link_paths if callable(link_paths) else None
        self._link_paths: list[list[str]] | None = None
        if link_paths is not None and not callable(link_paths):
            self._link_paths = [list(paths) for paths in link_paths]
        self._dof_paths = None if dof_paths is None else [list(paths) for paths in dof_paths]

    def __repr__(self) -> str:
        return f"<ArticulationView of {self.count}: {self.shared_metatype!r}>"

    # -- what they are ---------------------------------------------------------------------------------------

    @property
    def is_homogeneous(self) -> bool:
        """Whether all rows have the same links and joints; they have."""
        return True

    def get_metatype(self, index: int) -> ArticulationMetatype:
        """Names and order of links, joints and dofs of a row."""
        if not 0 <= index < self.count:
            raise IndexError(f"rows are 0..{self.count - 1}; got {index}")
        return self.shared_metatype

    @property
    def max_links(self) -> int:
        """Links of a row."""
        return self.shared_metatype.link_count

    @property
    def prim_paths(self) -> list[str]:
        """Path of each row's prim."""
        if self._paths is None:
            pairs = zip(self._rows.env.tolist(), self._rows.column.tolist(), strict=True)
            self._paths = [f"/World/envs/env_{env}/{self._robots[column].name}" for env, column in pairs]
        return list(self._paths)

    @property
    def link_paths(self) -> list[list[str]]:
        """Paths of each row's links."""
        if self._link_paths is None and self._find_link_paths is not None:
            self._link_paths = [list(paths) for paths in self._find_link_paths()]
        if self._link_paths is None:
            self._link_paths = [[f"{p}/{name}" for name in self.shared_metatype.link_names] for p in self.prim_paths]
        return self._link_paths

    @property
    def dof_paths(self) -> list[list[str]]:
        """Paths of each row's dofs."""
        if self._dof_paths is None:
            self._dof_paths = [[f"{p}/{name}" for name in self.shared_metatype.dof_names] for p in self.prim_paths]
        return self._dof_paths

    @property
    def jacobian_shape(self) -> tuple[int, int]:
        """Rows and columns of a Jacobian, 6 rows for each link."""
        meta = self.shared_metatype
        return 6 * (meta.link_count - meta.fixed_base), self._num_velocities

    @property
    def generalized_mass_matrix_shape(self) -> tuple[int, int]:
        """Rows and columns of a mass matrix."""
        return self._num_velocities, self._num_velocities

    @property
    def _num_velocities(self) -> int:
        return self.max_dofs if self.shared_metatype.fixed_base else self.max_dofs + 6

    # -- roots and links -------------------------------------------------------------------------------------

    @reads
    def get_root_transforms(self) -> Any:
        """(count, 7): poses of the root links' frames."""
        return self._root_transforms()

    @reads
    def get_root_velocities(self) -> Any:
        """(count, 6): velocities of the root links' centres of mass; zero for fixed bases."""
        return self._root_com_velocities()

    @writes
    def set_root_transforms(self, data: Any, indices: Any = None) -> None:
        """Set poses of the root links' frames, (count, 7), fixed bases included."""
        self._set_root_poses("root transforms", data, indices)

    @writes
    def set_root_velocities(self, data: Any, indices: Any = None) -> None:
        """Set velocities of the root links' centres of mass, (count, 6), in present poses; fixed bases stand still."""
        self._set_root_com_velocities("root velocities", data, indices)

    @reads
    def get_link_transforms(self) -> Any:
        """(count, max_links, 7): poses of links' frames."""
        return self._transforms()

    @reads
    def get_link_velocities(self) -> Any:
        """(count, max_links, 6): velocities of links' centres of mass."""
        return self._com_velocities()

    @reads
    def get_link_poses(self) -> Any:
        """(count, max_links, 7): poses of links' frames with quaternions w x y z, as the engine has them."""
        return self._with_origins(self._body_poses())

    @reads
    def get_link_frame_velocities(self) -> Any:
        """(count, max_links, 6): [linear, angular] velocities of the origins of links' frames."""
        compute(self.world, "query_bodies")
        return self._read(c.BodyState.velocity, self._body_rows)

    @reads
    def get_link_accelerations(self) -> Any:
        """(count, max_links, 6): accelerations of links' centres of mass over the last substep."""
        return self._com_accelerations()

    @reads
    def get_link_incoming_joint_force(self) -> Any:
        """(count, max_links, 6): [force, torque] that each link's joint transmits to it from its parent.

        In the joint's frame on the link, the torque about that frame's origin, over the last substep. The root's is
        what holds a fixed base, zero for a floating one.
        """
        compute(self.world, "query_joints")
        found = self._read(c.BodyReaction.wrench, self._body_rows)
        if self._joint_frames is None:
            return found
        place, turn = (self._place(name, a.astype(found.dtype)) for name, a in self._joint_frames.items())
        force, torque = found[..., :3], found[..., 3:] - self._xp.cross(place, found[..., :3])
        return self._xp.concatenate((rotate(turn, force, self._xp), rotate(turn, torque, self._xp)), axis=-1)

    @cached_property
    def _joint_frames(self) -> dict[str, np.ndarray] | None:
        """Where joints are in their links and how to turn to their axes; none if they are the links' frames."""
        joints = {joint.child: joint for joint in self._robots[0].model.joints}
        place, turn = np.zeros((self.max_links, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (self.max_links, 1))
        for i, name in enumerate(self.shared_metatype.link_names):
            if name in joints:
                place[i] = joints[name].child_position
                turn[i] = inverse(joints[name].child_orientation)
        if not place.any() and (np.abs(turn[:, 0]) == 1.0).all():
            return None
        return {"joint places": place, "joint turns": turn}

    # -- dynamics --------------------------------------------------------------------------------------------

    @cached_property
    def _dynamics(self) -> Dynamics:
        return Dynamics(self)

    def _listed(self, found: Any) -> Any:
        """Rows of the view from all that there are."""
        if self.placement is not None:
            return found
        return found[self._env * len(self._robots) + self._column]

    @reads
    def get_jacobians(self) -> Any:
        """(count, links, 6, velocities): [linear, angular] velocity of links' centres of mass per generalised velocity.

        A fixed base has no rows for its root: (count, max_links - 1, 6, max_dofs); a floating one has them, and columns
        of its root's velocity: (count, max_links, 6, max_dofs + 6).
        """
        compute(self.world, "query_bodies")
        return self._listed(self._dynamics.jacobians())

    @reads
    def get_generalized_mass_matrices(self) -> Any:
        """(count, velocities, velocities), armature included."""
        compute(self.world, "dynamics")
        return self._listed(self._dynamics.mass_matrices())

    @reads
    def get_gravity_compensation_forces(self) -> Any:
        """(count, velocities): efforts that hold articulations still against gravity."""
        compute(self.world, "query_gravity")
        return self._listed(self._dynamics.gravity_forces())

    @reads
    def get_coriolis_and_centrifugal_compensation_forces(self) -> Any:
        """(count, velocities): efforts that make up for Coriolis and centrifugal forces: b of M a + b = tau."""
        compute(self.world, "dynamics")
        return self._listed(self._dynamics.coriolis_forces())

    # -- mass ------------------------------------------------------------------------------------------------

    @reads_host
    def get_masses(self) -> Any:
        """(count, max_links), kg: of each link alone."""
        return self._masses()

    @reads_host
    def get_inv_masses(self) -> Any:
        """(count, max_links), 1/kg; 0 for links without mass."""
        masses = self._masses()
        return self._xp.where(masses > 0, 1.0 / self._xp.where(masses > 0, masses, 1.0), 0.0)

    @reads
    def com_poses(self) -> Any:
        """What :meth:`get_coms` returns, on the world's device."""
        return self._coms(principal=False)

    @reads_host
    def get_coms(self) -> Any:
        """(count, max_links, 7): centres of mass in the links' frames, with the links' own axes, (0, 0, 0, 1)."""
        return self._coms(principal=False)

    @reads_host
    def get_inertias(self) -> Any:
        """(count, max_links, 9), kg·m^2: of each link alone about its centre of mass, in its axes, row by row."""
        return self._inertias()

    @reads_host
    def get_inv_inertias(self) -> Any:
        """(count, max_links, 9): inverses of the inertias; zero for links without."""
        return self._inverse_inertias()

    @writes
    def set_masses(self, data: Any, indices: Any = None) -> None:
        """Set masses of links, (count, max_links), kg; inertias stay."""
        self._set_masses(data, indices)

    @writes
    def set_coms(self, data: Any, indices: Any = None) -> None:
        """Set centres of mass in the links' frames, (count, max_links, 7); quaternions must be (0, 0, 0, 1)."""
        self._set_coms(data, indices, principal=False)

    @writes
    def set_inertias(self, data: Any, indices: Any = None) -> None:
        """Set inertias about the links' centres of mass in the links' axes, (count, max_links, 9), kg·m^2."""
        self._set_inertias(data, indices)

    @writes
    def set_disable_gravities(self, data: Any, indices: Any = None) -> None:
        """Switch gravity off (1) or on (0), (count, max_links); for links fixed to each other only together."""
        self._set_gravity(data, indices)


def _path_of(robot: Robot, rows: Rows, prim_paths: Sequence[str] | None) -> str:
    """The prim of a robot in its first row if that is known, else its name."""
    if prim_paths is None or len(prim_paths) != rows.count:
        return str(robot)
    return f"<{prim_paths[int(np.argmax(rows.column == rows.keys.index(robot)))]}>"


def _what_differs(first: Robot, second: Robot) -> str:
    """The first thing in which two robots differ, with the first names that only one of them has."""
    a, b = ArticulationMetatype(first), ArticulationMetatype(second)
    for what in ("link_names", "joint_names", "dof_names"):
        mine, theirs = getattr(a, what), getattr(b, what)
        if mine != theirs:
            odd = [name for name in (*mine, *theirs) if (name in mine) != (name in theirs)]
            said = f"only one has {', '.join(odd[:3])}{', ...' if len(odd) > 3 else ''}" if odd else "other order"
            return f"{what.partition('_')[0]}s ({len(mine)} and {len(theirs)}; {said})"
    if a != b:
        return "joints (types, parents or base)"
    return "shapes" if first.num_shapes != second.num_shapes else "tendons"
