"""Physical properties of an actor that users may change between steps, for all environments or each by itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.models.actor_spec import STATIC
from phalanx.models.surface import COMBINE_MODES
from phalanx.world import checking
from phalanx.world.engine.optional_systems import SOFT_CONTACTS, TORSION, need
from phalanx.world.handle import on_device
from phalanx.world.handles.body_masses import BodyMasses

Modes = str | Sequence[str]
"""How coefficients are combined: ``"average"``, ``"min"``, ``"multiply"`` or ``"max"``; one, or one an environment."""


class Properties(BodyMasses):
    """The part of an actor that knows surfaces, offsets, damping, caps on speed, and gravity.

    Values broadcast to the shapes that methods name. Environments may differ; from then on the world keeps a value for
    each, and the kernels that read it are compiled once more.
    """

    num_bodies: int
    num_shapes: int
    shape_bodies: list[str]

    @abstractmethod
    def body_index(self, name: str) -> int:
        """Position of a body."""

    # -- surfaces --------------------------------------------------------------------------------------------

    @property
    @on_device
    def material(self) -> Any:
        """(n, num_shapes, 3): static friction, dynamic friction and restitution of each collision shape."""
        rows = np.array(self._bound.shapes, np.int64)
        coefficients = (c.ShapeMaterial.static_friction, c.ShapeMaterial.dynamic_friction, c.ShapeMaterial.restitution)
        return self._xp.stack([self._read(field, rows) for field in coefficients], axis=2)

    @property
    @on_device
    def torsional_patch_radius(self) -> Any:
        """(n, num_shapes), m: see :class:`phalanx.Material`."""
        return self._read(c.ShapeMaterial.torsional_patch_radius, np.array(self._bound.shapes, np.int64))

    @property
    @on_device
    def min_torsional_patch_radius(self) -> Any:
        """(n, num_shapes), m: see :class:`phalanx.Material`."""
        return self._read(c.ShapeMaterial.min_torsional_patch_radius, np.array(self._bound.shapes, np.int64))

    @property
    @on_device
    def contact_stiffness(self) -> Any:
        """(n, num_shapes), N/m: see :class:`phalanx.Material`."""
        return self._read(c.ShapeMaterial.contact_stiffness, np.array(self._bound.shapes, np.int64))

    @property
    @on_device
    def contact_damping(self) -> Any:
        """(n, num_shapes), N s/m: see :class:`phalanx.Material`."""
        return self._read(c.ShapeMaterial.contact_damping, np.array(self._bound.shapes, np.int64))

    @on_device
    def set_material(
        self,
        static_friction: Any = None,
        dynamic_friction: Any = None,
        restitution: Any = None,
        env_ids: Any = None,
        body_names: Sequence[str] | None = None,
        *,
        shape_ids: Sequence[int] | None = None,
        friction_combine: Modes | None = None,
        restitution_combine: Modes | None = None,
        torsional_patch_radius: Any = None,
        min_torsional_patch_radius: Any = None,
        contact_stiffness: Any = None,
        contact_damping: Any = None,
    ) -> None:
        """Set coefficients of the actor's collision shapes, (n, num_shapes), or (n, k) of the chosen ones.

        Args:
            static_friction, dynamic_friction, restitution: not negative; restitution at most 1.
            env_ids: some environments.
            body_names: only the shapes of these bodies.
            shape_ids: only these shapes, from 0 to :attr:`num_shapes`, in this order.
            friction_combine, restitution_combine: how the coefficients of two surfaces become one, see
                :class:`phalanx.Material`; of two different modes the one later in its list holds.
            torsional_patch_radius, min_torsional_patch_radius: m, see :class:`phalanx.Material`.
            contact_stiffness, contact_damping: N/m, N s/m, of contacts that give way, see :class:`phalanx.Material`.
        """
        rows = self._shape_rows(body_names, shape_ids)
        checked = [
            (field, self._input(what, value, len(rows), env_ids, negative=False))
            for what, field, value in (
                ("static friction", c.ShapeMaterial.static_friction, static_friction),
                ("dynamic friction", c.ShapeMaterial.dynamic_friction, dynamic_friction),
                ("restitution", c.ShapeMaterial.restitution, restitution),
                ("torsional patch radius", c.ShapeMaterial.torsional_patch_radius, torsional_patch_radius),
                (
                    "least torsional patch radius",
                    c.ShapeMaterial.min_torsional_patch_radius,
                    min_torsional_patch_radius,
                ),
                ("contact stiffness", c.ShapeMaterial.contact_stiffness, contact_stiffness),
                ("contact damping", c.ShapeMaterial.contact_damping, contact_damping),
            )
            if value is not None
        ]
        checked += [
            (field, self._modes(what, value, env_ids))
            for what, field, value in (
                ("friction_combine", c.ShapeMaterial.friction_mode, friction_combine),
                ("restitution_combine", c.ShapeMaterial.restitution_mode, restitution_combine),
            )
            if value is not None
        ]
        bounce, holds, slides = map(self._from_host, (restitution, static_friction, dynamic_friction))
        if bounce is not None and (bounce > 1).any():
            raise ValueError(f"{self}: restitution must lie in 0..1, or contacts would make energy; got {bounce.max()}")
        if holds is not None and slides is not None and (slides > holds).any():
            raise ValueError(f"{self}: dynamic friction must not be above static friction")
        if torsional_patch_radius is not None or min_torsional_patch_radius is not None:
            need(self.engine, TORSION)
        if contact_stiffness is not None:
            need(self.engine, SOFT_CONTACTS)
        for field, (values, envs) in checked:
            wide = self._xp.broadcast_to(self._xp.asarray(values), (values.shape[0], len(rows)))
            self._write(field, rows, wide, envs)
        self.engine.touch_state()

    def _shape_rows(self, body_names: Sequence[str] | None, shape_ids: Sequence[int] | None) -> np.ndarray:
        """Rows of the shapes of some bodies, or of some shapes; all by default."""
        rows = np.array(self._bound.shapes, np.int64)
        if shape_ids is not None:
            if body_names is not None:
                raise ValueError(f"{self}: give body_names or shape_ids, not both")
            ids = np.atleast_1d(np.asarray(shape_ids))
            if ids.dtype.kind not in "iu" or ids.ndim != 1 or len(np.unique(ids)) != len(ids):
                raise ValueError(f"{self}: shape_ids={shape_ids!r} must be different whole numbers")
            if len(ids) and (ids.min() < 0 or ids.max() >= len(rows)):
                raise IndexError(f"{self}: shape_ids={shape_ids!r} must lie in 0..{len(rows) - 1}")
            return rows[ids]
        if body_names is None:
            return rows
        bodies = set(map(self.body_index, body_names))
        return rows[np.array([shape.body in bodies for shape in self.part.articulation.collisions], bool)]

    def _modes(self, what: str, value: Modes, env_ids: Any) -> tuple[np.ndarray, np.ndarray | None]:
        """Codes of combine modes, (n, 1) or (1, 1)."""
        envs = None if env_ids is None else self.engine.env_indices(env_ids)
        names = [value] if isinstance(value, str) else list(value)
        wrong = [name for name in names if name not in COMBINE_MODES]
        if wrong:
            raise ValueError(f"{self}: {what}={wrong[0]!r} must be one of {', '.join(COMBINE_MODES)}")
        count = self.engine.num_envs if envs is None else len(envs)
        if len(names) not in (1, count):
            raise ValueError(f"{self}: {what} has {len(names)} modes; it must have one, or one for each of {count}")
        return np.array([COMBINE_MODES[name] for name in names], np.int32)[:, None], envs

    @property
    @on_device
    def contact_offset(self) -> Any:
        """(n, num_shapes), m: contacts exist where surfaces are closer than the sum of two shapes'."""
        return self._read(c.ShapeGeometry.contact_offset, np.array(self._bound.shapes, np.int64))

    @property
    @on_device
    def rest_offset(self) -> Any:
        """(n, num_shapes), m: surfaces come to rest at the sum of two shapes'."""
        return self._read(c.ShapeGeometry.rest_offset, np.array(self._bound.shapes, np.int64))

    @on_device
    def set_offsets(
        self,
        contact_offset: Any = None,
        rest_offset: Any = None,
        env_ids: Any = None,
        *,
        shape_ids: Sequence[int] | None = None,
    ) -> None:
        """Set how far off contacts begin and surfaces rest, (n, num_shapes) or (n, k), m; rest below contact."""
        rows = self._shape_rows(None, shape_ids)
        fields = (c.ShapeGeometry.contact_offset, c.ShapeGeometry.rest_offset)
        checked = [
            None if value is None else self._input(what, value, len(rows), env_ids, negative=may)
            for what, value, may in (("contact offset", contact_offset, False), ("rest offset", rest_offset, True))
        ]
        if not self.engine.device.is_cuda:
            envs = slice(None) if env_ids is None else self.engine.env_indices(env_ids)
            contact, rest = (
                self._read(field, rows)[envs] if found is None else found[0]
                for field, found in zip(fields, checked, strict=True)
            )
            if (rest >= contact).any():
                raise ValueError(f"{self}: rest offsets must be less than contact offsets")
        for field, found in zip(fields, checked, strict=True):
            if found is not None:
                self._write(field, rows, *found)
        self.engine.touch_state()

    # -- mass ------------------------------------------------------------------------------------------------

    @property
    def link_names(self) -> list[str]:
        """The bodies that joints carry, each with what is fixed to it."""
        frames, links = self.part.articulation.frames, self.part.articulation.links
        return [next(frame.name for frame in frames if frame.link == i) for i in range(len(links))]

    @property
    @on_device
    def link_mass(self) -> Any:
        """(n, num_links), kg: in the order of :attr:`link_names`, bodies that are fixed to a link included."""
        return self._read(c.LinkInertia.mass, self._bound.links)

    @on_device
    def set_link_mass(
        self, mass: Any, env_ids: Any = None, link_names: Sequence[str] | None = None, *, scale_inertia: bool = True
    ) -> None:
        """Set masses of links, (n, num_links) or (n, k) of those named, kg; inertias change in proportion, or stay.

        The bodies of a link keep their shares of its mass.
        """
        checking.boolean("scale_inertia", scale_inertia)
        names = self.link_names
        chosen = names if link_names is None else list(link_names)
        unknown = [name for name in chosen if name not in names]
        if unknown or len(set(chosen)) < len(chosen):
            raise ValueError(f"{self}: link_names={chosen!r} must be different ones of {', '.join(names)}")
        values, envs = self._input("link mass", mass, len(chosen), env_ids)
        self._above_zero("link mass", mass)
        numbers = [names.index(name) for name in chosen]
        links = self._bound.links.start + np.array(numbers, np.int64)
        pick = slice(None) if envs is None else self._xp.asarray(envs)
        ratio = values / self._read(c.LinkInertia.mass, links)[pick]
        carried = [frame.link for frame in self.part.articulation.frames]
        rows = self._bound.bodies.start + np.flatnonzero(np.isin(carried, numbers))
        columns = self._xp.asarray([numbers.index(link) for link in carried if link in numbers])
        shares = ratio[:, columns]
        body_mass = self._read(c.BodyInertia.mass, rows)[pick] * shares
        inertia = self._read(c.LinkInertia.inertia, links)[pick] * ratio[..., None]
        body_inertia = self._read(c.BodyInertia.inertia, rows)[pick] * shares[..., None]
        self._write(c.LinkInertia.mass, links, values, envs)
        self._write(c.BodyInertia.mass, rows, body_mass, envs)
        if scale_inertia:
            self._write(c.LinkInertia.inertia, links, inertia, envs)
            self._write(c.BodyInertia.inertia, rows, body_inertia, envs)
        self.engine.touch_state()

    # -- motion ----------------------------------------------------------------------------------------------

    @on_device
    def set_damping(self, linear: Any = None, angular: Any = None, env_ids: Any = None) -> None:
        """Set the damping of all of its links, (n,), 1/s: a step keeps 1 / (1 + damping dt) of a velocity."""
        given = [
            (what, field, value)
            for what, field, value in (
                ("linear damping", c.LinkDynamics.linear_damping, linear),
                ("angular damping", c.LinkDynamics.angular_damping, angular),
            )
            if value is not None
        ]
        for what, _, value in given:  # all is checked before anything is written
            self._input(what, value, (), env_ids, negative=False)
        for what, field, value in given:
            self._set_links(what, field, value, env_ids)

    @on_device
    def set_gravity(self, enabled: Any, env_ids: Any = None) -> None:
        """Switch gravity on or off, (n,) of booleans."""
        on = self.engine.device.accept(enabled)
        if on.dtype.kind != "b":
            raise TypeError(f"{self}: set_gravity() takes True or False, or an array of them, not {enabled!r}")
        self._set_links("gravity", c.LinkDynamics.gravity_scale, on, env_ids)

    def _set_links(self, what: str, field: Any, value: Any, env_ids: Any) -> None:
        values, envs = self._input(what, value, (), env_ids, negative=False)
        links = self._bound.links
        shape = (values.shape[0], links.stop - links.start)
        self._write(field, links, self._xp.broadcast_to(self._xp.asarray(values)[:, None], shape), envs)
        self.engine.touch_state()

    @on_device
    def set_max_velocity(self, linear: Any = None, angular: Any = None, env_ids: Any = None) -> None:
        """Set caps on the speed of the root's centre of mass (m/s) and its rotation (rad/s), (n,); inf for none."""
        if self.part.kind == STATIC or self.part.articulation.fixed_base:
            raise ValueError(f"{self} cannot move: set_max_velocity() has no use for it")
        row = slice(self._bound.tree, self._bound.tree + 1)
        checked = []
        for what, field, value in (
            ("cap on the linear velocity", c.TreeLimits.linear_velocity, linear),
            ("cap on the angular velocity", c.TreeLimits.angular_velocity, angular),
        ):
            if value is None:
                continue
            values, envs = self._input(what, value, (), env_ids, finite=False, negative=False)
            self._above_zero(what, value)
            checked.append((field, values[:, None], envs))
        for field, values, envs in checked:
            self._write(field, row, values, envs)
        self.engine.touch_state()

    @property
    @on_device
    def max_depenetration_velocity(self) -> Any:
        """(n,), m/s: how fast contacts may push it out of what it penetrates; NaN for a fixed base without joints."""
        dofs = self._bound.dofs
        if dofs.start == dofs.stop:
            return self._xp.full(self.engine.num_envs, self._xp.nan, self.engine.dtype)
        own = self._read(c.DofModel.max_depenetration_velocity, slice(dofs.start, dofs.start + 1))[:, 0]
        world = self._read(c.Settings.max_depenetration_velocity, slice(0, 1))[:, 0]
        return self._xp.where(own < 0, world, own)

    @on_device
    def set_max_depenetration_velocity(self, velocity: Any, env_ids: Any = None) -> None:
        """Set how fast contacts may push it out of what it penetrates, (n,), m/s, above 0.

        Of two actors the smaller cap holds for both; grounds and what cannot move have none.
        """
        dofs = self._bound.dofs
        if dofs.start == dofs.stop:
            raise ValueError(f"{self} cannot move: set_max_depenetration_velocity() has no use for it")
        what = "cap on the depenetration velocity"
        values, envs = self._input(what, velocity, (), env_ids, negative=False)
        self._above_zero(what, velocity)
        wide = self._xp.broadcast_to(self._xp.asarray(values)[:, None], (values.shape[0], dofs.stop - dofs.start))
        self._write(c.DofModel.max_depenetration_velocity, dofs, wide, envs)
        self.engine.touch_state()
