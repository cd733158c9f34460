"""Bodies behind the rows of a view: where they are and move, what they weigh, what pushes them.

The engine moves links, to which several bodies may be fixed; views know bodies. Velocities and accelerations of views
are those of each body's own centre of mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.components.shape import ABSENT, OUT
from phalanx.facade.physx.com_motion import BodyComMotion
from phalanx.facade.physx.common import FROM_XYZW, TO_XYZW, View, compute, reads_host, writes
from phalanx.facade.physx.principal_axes import principal_axes, turned_inertia
from phalanx.facade.physx.root_writer import RootWriter
from phalanx.maths.arrays import rotate
from phalanx.world.handles.actor import Actor
from phalanx.world.handles.rigid_object import LEAST

Column = Sequence[tuple[Actor, int]]
"""Bodies of a row of a view: (actor, position among its bodies)."""


class BodyView(View):
    """A view whose rows stand for one body each, or for the same number of bodies."""

    _columns: list[list[tuple[Actor, int]]]

    @property
    def has_roots(self) -> bool:
        """Whether the first body of each row is the root of an actor."""
        return all(column[0][1] == 0 for column in self._columns)

    # -- rows of the engine's tables ---------------------------------------------------------------------------

    @property
    def _width(self) -> int:
        """Bodies in a row."""
        return len(self._columns[0])

    @cached_property
    def _body_rows(self) -> np.ndarray:
        return np.array([[a._bound.bodies.start + b for a, b in column] for column in self._columns])

    @cached_property
    def _link_rows(self) -> np.ndarray:
        links = [[a.part.articulation.frames[b].link for a, b in column] for column in self._columns]
        return np.array(links) + np.array([[a._bound.links.start for a, _ in column] for column in self._columns])

    @cached_property
    def _alone(self) -> np.ndarray:
        """Whether each body has its link to itself."""
        found = []
        for column in self._columns:
            carried = [[frame.link for frame in a.part.articulation.frames] for a, _ in column]
            found.append([links.count(links[b]) == 1 for links, (_, b) in zip(carried, column, strict=True)])
        return np.array(found)

    @cached_property
    def _coord_rows(self) -> np.ndarray:
        """(columns, 7): coordinates of the roots, where each column's first body is one."""
        first = np.array([column[0][0]._bound.coords.start for column in self._columns])
        return first[:, None] + np.arange(7)

    @cached_property
    def _free(self) -> np.ndarray:
        """Of each column whether its actor's root has dofs."""
        return np.array([not column[0][0].fixed_base for column in self._columns])

    @cached_property
    def _root_dofs(self) -> np.ndarray:
        """(columns, 6): dofs of the roots; some others where they have none."""
        first = np.array([column[0][0]._bound.dofs.start for column in self._columns])
        return np.where(self._free, first, 0)[:, None] + np.arange(6)

    # -- motion ----------------------------------------------------------------------------------------------

    def _body_poses(self) -> Any:
        """(count, width, 7), engine's order and environments."""
        compute(self.world, "query_bodies")
        return self._read(c.BodyState.pose, self._body_rows)

    def _transforms(self) -> Any:
        """(count, width, 7): poses in the world of all environments, quaternions x y z w."""
        compute(self.world, "query_bodies")
        return self._with_origins(self._read(c.BodyState.pose, self._body_rows, TO_XYZW))

    def _root_transforms(self) -> Any:
        """(count, 7): the same of roots."""
        return self._with_origins(self._read(c.Coordinate.value, self._coord_rows[:, TO_XYZW]))

    def _coms_in_links(self) -> Any:
        """(count, width, 3): the bodies' own centres of mass in the frames of their links."""
        found = self._read(c.LinkInertia.com, self._link_rows)
        if self._alone.all():
            return found
        return self._where(self._alone, found, self._read(c.BodyInertia.com, self._body_rows))

    def _where(self, mask: np.ndarray, yes: Any, no: Any) -> Any:
        """Choose by column and body, for arrays (count, width, item)."""
        xp = self._xp
        if (mask == mask[:1]).all():
            return xp.where(self._brought(mask[0])[None, :, None], yes, no)
        return xp.where(self._brought(mask)[self._column][..., None], yes, no)

    def _com_velocities(self) -> Any:
        """(count, width, 6): [linear, angular] velocity of the bodies' centres of mass."""
        compute(self.world, "com_velocities")
        return self._read(BodyComMotion.velocity, self._body_rows)

    def _com_accelerations(self) -> Any:
        """(count, width, 6): [linear, angular] acceleration of the bodies' centres of mass over the last substep."""
        compute(self.world, "com_accelerations")
        return self._read(BodyComMotion.acceleration, self._body_rows)

    # -- roots -----------------------------------------------------------------------------------------------

    def _root_poses(self) -> Any:
        """(count, 7), engine's order and environments, of columns whose first body is a root."""
        return self._read(c.Coordinate.value, self._coord_rows)

    def _root_com_arms(self) -> Any:
        """(count, 3): from the root's origin to its own centre of mass, world axes."""
        com = self._read(c.LinkInertia.com, self._link_rows[:, :1])
        if not self._alone[:, 0].all():
            com = self._where(self._alone[:, :1], com, self._read(c.BodyInertia.com, self._body_rows[:, :1]))
        return rotate(self._root_poses()[:, 3:], com[:, 0], self._xp)

    def _root_com_velocities(self) -> Any:
        """(count, 6): [linear, angular] velocity of the roots' centres of mass."""
        xp = self._xp
        if not self._free.any():
            return xp.zeros((self.count, 6), self.world.dtype)
        found = self._read(c.DofState.velocity, self._root_dofs)
        found[:, :3] += xp.cross(found[:, 3:], self._root_com_arms())
        return found if self._free.all() else found * self._brought(self._free, found.dtype)[self._column][:, None]

    @cached_property
    def _root_writer(self) -> RootWriter:
        return RootWriter(self)

    def _set_root_poses(self, what: str, data: Any, indices: Any) -> None:
        """Centres of mass keep their velocity; the engine would keep that of the roots' origins."""
        indices = self._indices(indices)
        values = self._take(what, data, (7,), indices)
        used = values[slice(None) if indices is None else indices]
        if isinstance(used, np.ndarray) and not used[..., 3:].any(axis=-1).all():
            raise ValueError(f"{what} have a quaternion of zero length")
        self._root_writer.write("pose", values, indices)
        self.world.engine.touch(c.Coordinate.value)

    def _set_root_com_velocities(self, what: str, data: Any, indices: Any) -> None:
        """Roots that cannot move keep standing still."""
        indices = self._indices(indices)
        self._root_writer.write("velocity", self._take(what, data, (6,), indices), indices)
        self.world.engine.touch(c.DofState.velocity)

    # -- mass ------------------------------------------------------------------------------------------------

    @cached_property
    def _members(self) -> list[tuple[Actor, list[int], list[int], list[int]]]:
        """For each actor its columns, the places in them, and its bodies there."""
        found: dict[Actor, tuple[list[int], list[int], list[int]]] = {}
        for i, column in enumerate(self._columns):
            for j, (actor, body) in enumerate(column):
                lists = found.setdefault(actor, ([], [], []))
                for each, value in zip(lists, (i, j, body), strict=True):
                    each.append(value)
        return [(actor, *lists) for actor, lists in found.items()]

    def _of_bodies(self, name: str) -> Any:
        """(count, width, ...) of a property that actors have by body."""
        xp, block = self._xp, None
        for actor, columns, places, bodies in self._members:
            values = getattr(actor, name)
            if block is None:
                shape = (values.shape[0], len(self._columns), self._width, *values.shape[2:])
                block = xp.zeros(shape, values.dtype)
            block[:, columns, places] = values[:, bodies]
        return self._rows.gather(block, xp)

    def _set_of_bodies(self, indices: Any, **given: Any) -> None:
        """Set mass properties: keywords of :meth:`Actor.set_body_mass_properties`, (count, width, ...) each."""
        chosen, xp = self._host_rows(indices), self._xp
        for actor, columns, places, bodies in self._members:
            changed, mine = {}, np.isin(self._rows.column[chosen], columns)
            rows = chosen[mine]
            if not len(rows):
                continue
            envs = np.unique(self._rows.env[rows])
            for name, values in given.items():
                now = getattr(actor, f"body_{name}").astype(self.world.dtype)
                for column, place, body in zip(columns, places, bodies, strict=True):
                    these = rows[self._rows.column[rows] == column]
                    now[xp.asarray(self._rows.env[these]), body] = values[xp.asarray(these), place]
                changed[name] = now[xp.asarray(envs)]
            actor.set_body_mass_properties(**changed, env_ids=envs)

    def _masses(self) -> Any:
        return self._of_bodies("body_mass")

    def _set_masses(self, data: Any, indices: Any) -> None:
        indices = self._indices(indices)
        self._set_of_bodies(indices, mass=self._take("masses", data, (self._width,), indices, least=0.0))

    def _inertias(self) -> Any:
        """(count, width, 9)."""
        found = self._of_bodies("body_inertia")
        return found.reshape(*found.shape[:2], 9)

    def _inverse_inertias(self) -> Any:
        """(count, width, 9); zero where there is no inertia."""
        found = self._of_bodies("body_inertia")
        xp, eye = self._xp, self._xp.eye(3, dtype=found.dtype)
        empty = (xp.trace(found, axis1=-2, axis2=-1) <= 0)[..., None, None]
        inverse = xp.where(empty, 0.0, xp.linalg.inv(xp.where(empty, eye, found)))
        return inverse.reshape(*found.shape[:2], 9)

    def _set_inertias(self, data: Any, indices: Any) -> None:
        indices = self._indices(indices)
        values = self._take("inertias", data, (self._width, 3, 3), indices)
        values = 0.5 * (values + self._xp.swapaxes(values, -1, -2))
        moments = np.linalg.eigvalsh(self._host(values)[self._host_rows(indices)].astype(float))
        if (bad := moments[..., 0] < -1e-6 * np.abs(moments).max(axis=-1, initial=0.0)).any():
            figures = ", ".join(f"{moment:.3g}" for moment in moments[bad][0])
            raise ValueError(
                f"inertias: principal moments {figures} kg·m² are no body's: none may be below 0; give (count, 9) "
                "numbers, the rows of each body's symmetric matrix"
            )
        self._set_of_bodies(indices, inertia=values)

    def _coms(self, principal: bool) -> Any:
        """(count, width, 7): centres of mass and their frames' axes, x y z w, in the bodies' frames."""
        com = self._of_bodies("body_com")
        axes = self._xp.zeros((*com.shape[:2], 4), com.dtype)
        axes[..., 3] = 1.0
        if principal:
            axes = self._xp.asarray(principal_axes(self._host(self._of_bodies("body_inertia"))), com.dtype)[
                ..., [1, 2, 3, 0]
            ]
        return self._xp.concatenate((com, axes), axis=-1)

    def _set_coms(self, data: Any, indices: Any, principal: bool) -> None:
        indices = self._indices(indices)
        values = self._take("centres of mass", data, (self._width, 7), indices)
        chosen = self._host_rows(indices)
        wanted = self._host(values)[chosen][..., FROM_XYZW][..., 3:].astype(float)
        if not wanted.any(axis=-1).all():
            raise ValueError("centres of mass have a quaternion of zero length")
        wanted /= np.linalg.norm(wanted, axis=-1, keepdims=True)
        changes = {"com": values[..., :3]}
        if not principal:
            if np.abs(np.abs(wanted[..., 0]) - 1.0).max(initial=0.0) > 1e-5:
                raise ValueError(
                    "centres of mass of articulations' links have the links' axes: their quaternions must be "
                    "(0, 0, 0, 1); turn inertias with set_inertias()"
                )
        else:
            inertia = self._host(self._of_bodies("body_inertia"))
            turned = turned_inertia(inertia[chosen], wanted)
            if turned is not None:
                inertia[chosen] = turned
                changes["inertia"] = self._xp.asarray(inertia)
        self._set_of_bodies(indices, **changes)

    def _host(self, array: Any) -> np.ndarray:
        return array if isinstance(array, np.ndarray) else array.get()

    @reads_host
    def get_disable_gravities(self) -> Any:
        """(count, bodies), uint8: 1 where gravity does not act."""
        return (self._read(c.LinkDynamics.gravity_scale, self._link_rows) == 0).astype("uint8")

    def _set_gravity(self, data: Any, indices: Any) -> None:
        """Switch gravity off, (count, width); bodies of one link only together."""
        indices = self._indices(indices)
        values = self._take("gravity flags", data, (self._width,), indices)
        firsts = np.array([np.flatnonzero(links == link)[0] for links in self._link_rows[:1] for link in links])
        if not bool((values == values[:, self._xp.asarray(firsts)]).all()):
            raise ValueError("gravity acts on links as wholes: bodies that are fixed to each other need the same flag")
        first = np.unique(firsts)
        scale = (values[:, self._xp.asarray(first)] == 0).astype(self.world.dtype)
        self._write(c.LinkDynamics.gravity_scale, self._link_rows[:, first], scale, indices)

    # -- shapes ----------------------------------------------------------------------------------------------

    @cached_property
    def _shapes(self) -> list[list[tuple[Actor, int]]]:
        """Of each column the collision shapes of its bodies, in the order of bodies."""
        found = []
        for column in self._columns:
            shapes = []
            for actor, body in column:
                owners = [shape.body for shape in actor.part.articulation.collisions]
                shapes += [(actor, s) for s, owner in enumerate(owners) if owner == body]
            found.append(shapes)
        return found

    @property
    def max_shapes(self) -> int:
        """Most collision shapes of a row."""
        return max(map(len, self._shapes))

    @cached_property
    def _shape_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """(columns, max_shapes): rows of shapes, some row where there are fewer; and where there are some."""
        rows = np.zeros((len(self._columns), self.max_shapes), np.int64)
        there = np.zeros(rows.shape, bool)
        for i, shapes in enumerate(self._shapes):
            for j, (actor, shape) in enumerate(shapes):
                rows[i, j], there[i, j] = actor._bound.shapes[shape], True
        return rows, there

    def _of_shapes(self, field: Any) -> Any:
        """(count, max_shapes); 0 where a row has fewer shapes."""
        rows, there = self._shape_rows
        if not rows.size:
            return self._xp.zeros((self.count, 0), self.world.dtype)
        found = self._read(field, rows)
        return found if there.all() else found * self._brought(there, found.dtype)[self._column]

    def _set_of_shapes(self, field: Any, values: Any, indices: Any) -> None:
        rows, there = self._shape_rows
        if there.all():
            self._write(field, rows, values, indices)
            return
        chosen = self._host_rows(indices)
        for column in range(len(self._columns)):  # they have different numbers of shapes
            have = int(there[column].sum())
            mine = chosen[self._rows.column[chosen] == column]
            if have and len(mine):
                table = np.repeat(rows[column : column + 1, :have], len(self._columns), axis=0)
                self._write(field, table, values[:, :have], self._xp.asarray(mine))

    @reads_host
    def get_material_properties(self) -> Any:
        """(count, max_shapes, 3): static friction, dynamic friction and restitution."""
        material = c.ShapeMaterial
        fields = (material.static_friction, material.dynamic_friction, material.restitution)
        return self._xp.stack([self._of_shapes(field) for field in fields], axis=-1)

    @reads_host
    def get_contact_offsets(self) -> Any:
        """(count, max_shapes), m; 0 of shapes that a row's environment lacks."""
        found = self._of_shapes(c.ShapeGeometry.contact_offset)
        found = self._xp.where(found < 1.5 * ABSENT, found / OUT, found)
        return self._xp.where(found > 0.5 * ABSENT, found, 0.0)

    @reads_host
    def get_rest_offsets(self) -> Any:
        """(count, max_shapes), m."""
        return self._of_shapes(c.ShapeGeometry.rest_offset)

    def _set_materials(self, data: Any, indices: Any) -> None:
        indices = self._indices(indices)
        values = self._take("material properties", data, (self.max_shapes, 3), indices, least=0.0)
        used = values if indices is None else values[indices]
        if isinstance(used, np.ndarray) and (used[..., 2] > 1).any():
            raise ValueError(f"restitution must lie in 0..1, or contacts would make energy; got {used[..., 2].max()}")
        material = c.ShapeMaterial
        for k, field in enumerate((material.static_friction, material.dynamic_friction, material.restitution)):
            self._set_of_shapes(field, values[..., k], indices)

    def _set_offsets(self, what: str, field: Any, data: Any, indices: Any, least: float | None) -> None:
        indices = self._indices(indices)
        values = self._take(what, data, (self.max_shapes,), indices, least=least)
        if field is c.ShapeGeometry.contact_offset:  # what an environment's kind lacks stays absent
            now, xp = self._of_shapes(field), self._xp
            values = xp.where(now < 1.5 * ABSENT, xp.maximum(values, LEAST) * OUT, values)  # out of the simulation
            values = xp.where(xp.abs(now - ABSENT) < 1.0, now, values)
        self._set_of_shapes(field, values, indices)

    @writes
    def set_material_properties(self, data: Any, indices: Any = None) -> None:
        """Set static friction, dynamic friction and restitution, (count, max_shapes, 3), in the order of bodies."""
        self._set_materials(data, indices)

    @writes
    def set_contact_offsets(self, data: Any, indices: Any = None) -> None:
        """Set how far off contacts begin, (count, max_shapes), m."""
        self._set_offsets("contact offsets", c.ShapeGeometry.contact_offset, data, indices, 0.0)

    @writes
    def set_rest_offsets(self, data: Any, indices: Any = None) -> None:
        """Set how far off surfaces rest, (count, max_shapes), m."""
        self._set_offsets("rest offsets", c.ShapeGeometry.rest_offset, data, indices, None)
