"""A rigid object in a world: one body that moves freely, as the user says, or not at all."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.components.shape import ABSENT, OUT
from phalanx.maths.arrays import rotate
from phalanx.models.actor_spec import DYNAMIC, KINEMATIC, STATIC
from phalanx.world import checking
from phalanx.world.checking import shorten
from phalanx.world.handle import on_device
from phalanx.world.handles.actor import Actor
from phalanx.world.handles.body_masses import FULL, PACKED
from phalanx.world.handles.declared import Owners, assign

HELD = 1e12
"""kg, kg·m^2: rotor inertia of the dofs of an object that is taken out of the simulation: no force moves it."""
LEAST = 2.0**-19
"""m: contact offsets of less come back as this one; so that all are below :data:`~phalanx.components.shape.ABSENT`."""


class RigidObject(Actor):
    """One rigid object in every environment; made by :meth:`phalanx.World.add_rigid_object`.

    Arrays are environment-first, on the world's device (NumPy or CuPy), and yours: they do not change when the world
    steps. Poses and velocities ending in ``root`` are those of the body's own frame, whose origin need not be its
    centre of mass; what says ``com`` is of the centre of mass.
    """

    KIND = "rigid object"

    _kinematic: int | None = None

    @property
    def kind(self) -> str:
        """``"dynamic"``, ``"kinematic"`` or ``"static"``."""
        return self.part.kind

    def __repr__(self) -> str:
        kinds = [shape.kind for body in self.model.bodies for shape in body.collisions]
        shapes = shorten(kinds, 4) or "no shapes"
        return f"<RigidObject {self.name!r} in {self.engine.num_envs} environments: {self.kind}, {shapes}>"

    def bind_target(self, row: int) -> None:
        """Called by the world with the row of its targets, if it is kinematic, once its tables are filled."""
        self._kinematic = row

    def write_defaults(self, envs: np.ndarray | None) -> None:
        """Default pose, at rest, of environments (n,) by their indices; called by the world's reset."""
        super().write_defaults(envs)
        if self.kind == KINEMATIC:
            self._forget_target(envs)

    # -- motion ----------------------------------------------------------------------------------------------

    @on_device
    def set_root_state(self, pose: Any = None, vel: Any = None, env_ids: Any = None) -> None:
        """Set the body's pose [x y z qw qx qy qz] and velocity [lin, ang], (n, 7) and (n, 6), world frame.

        Quaternions are normalised. A static object takes a pose, but no velocity. A kinematic object keeps the velocity
        until told otherwise, and forgets its target.
        """
        super().set_root_state(pose, vel, env_ids)
        if self.kind == KINEMATIC:
            self._forget_target(None if env_ids is None else self.engine.env_indices(env_ids))

    @on_device
    def set_kinematic_target(self, pose: Any, env_ids: Any = None) -> None:
        """Move to a pose [x y z qw qx qy qz], (n, 7), m, in the next step, whatever is in the way; then stand still.

        What it meets is pushed, and friction takes along what lies on it. Give a target before every step to move on.
        """
        self._only(KINEMATIC, "set_kinematic_target")
        values, envs = self._pose("kinematic target", pose, env_ids)
        rows = self._kinematic_rows
        self._write(c.KinematicTarget.pose, rows, values[:, None], envs)
        number = self._read(c.KinematicTarget.number, rows)
        number = (number if envs is None else number[self._xp.asarray(envs)]) + 1
        self._write(c.KinematicTarget.number, rows, number, envs)
        self.engine.touch_inputs()

    @property
    def _kinematic_rows(self) -> slice:
        assert self._kinematic is not None
        return slice(self._kinematic, self._kinematic + 1)

    def _forget_target(self, envs: np.ndarray | None) -> None:
        rows = self._kinematic_rows
        number = self._read(c.KinematicTarget.number, rows)
        served = number if envs is None else number[self._xp.asarray(envs)]
        self._write(c.KinematicState.served, rows, served, envs)
        self._write(c.KinematicState.left, rows, self._xp.zeros_like(served), envs)

    @property
    @on_device
    def com_pose(self) -> Any:
        """(n, 7): [x y z qw qx qy qz], the centre of mass in the world; orientation that of the body's frame."""
        pose = self.root_pose
        pose[:, :3] += self._com_arm(pose)
        return pose

    @property
    @on_device
    def com_vel(self) -> Any:
        """(n, 6): [linear, angular] velocity of the centre of mass, world."""
        vel = self.root_vel
        vel[:, :3] += self._xp.cross(vel[:, 3:], self._com_arm(self.root_pose))
        return vel

    @on_device
    def set_com_vel(self, vel: Any, env_ids: Any = None) -> None:
        """Set the velocity [lin, ang] of the centre of mass, (n, 6), m/s, rad/s, world, in its present pose.

        Raises:
            ValueError: the object is static, or the shape is wrong.
        """
        if self.kind == STATIC:
            raise ValueError(f"{self} is static: it cannot be given a velocity")
        values, envs = self._input("velocity of the centre of mass", vel, 6, env_ids)
        arm = self._com_arm(self.root_pose)
        arm = arm if envs is None else arm[self._xp.asarray(envs)]
        values = self._xp.array(values, dtype=arm.dtype)
        values[:, :3] -= self._xp.cross(values[:, 3:], arm)
        self.set_root_state(vel=values, env_ids=env_ids)

    def _com_arm(self, pose: Any) -> Any:
        """(n, 3): from the body's origin to its centre of mass, world axes."""
        return rotate(pose[:, 3:], self.com, self._xp)

    # -- taking part in the simulation -----------------------------------------------------------------------

    @property
    @on_device
    def disabled(self) -> Any:
        """(n,) booleans: whether it is out of the simulation, see :meth:`set_disabled`."""
        return self._read(c.DofModel.armature, self._root_dofs)[:, 0] >= 0.5 * HELD

    @on_device
    def set_disabled(self, disabled: Any, env_ids: Any = None) -> None:
        """Take it out of the simulation, or back into it, (n,) booleans, at once.

        Out of it, it loses its velocity and stays where it is, or is put: no force moves it, and nothing rigid touches
        it; meanwhile its contact offsets are far below zero. Cameras see it. What slept on it wakes. In again, it is at
        rest. Environments may differ; kernels are compiled once more for that.

        Raises:
            ValueError: the object is static or kinematic, or the shape is wrong.
        """
        self._only(DYNAMIC, "set_disabled")
        given, envs = self._input("disabled", disabled, (), env_ids)
        xp, all_envs = self._xp, slice(None) if envs is None else self._xp.asarray(envs)
        out = given != 0
        changes = out != self.disabled[all_envs]
        self.wake_up(env_ids)  # and, with it, what rests on it
        dofs, shapes = self._root_dofs, slice(self._bound.shapes.start, self._bound.shapes.stop)
        offsets = self._read(c.ShapeGeometry.contact_offset, shapes)[all_envs]
        has = xp.abs(offsets - ABSENT) > 1.0  # else it is of another kind of environment
        moved = xp.where(out[:, None], xp.maximum(offsets, LEAST) * OUT, offsets / OUT)
        self._write(c.ShapeGeometry.contact_offset, shapes, xp.where(changes[:, None] & has, moved, offsets), envs)
        self._write(c.DofModel.armature, dofs, xp.broadcast_to(xp.where(out, HELD, 0.0)[:, None], (len(out), 6)), envs)
        self.set_root_state(vel=xp.where((changes & out)[:, None], 0.0, self.root_vel[all_envs]), env_ids=env_ids)
        self.engine.touch_state()

    @property
    def _root_dofs(self) -> slice:
        return slice(self._bound.dofs.start, self._bound.dofs.start + 6)

    # -- mass ------------------------------------------------------------------------------------------------

    _of_body = Owners("", lambda it: it._links)

    mass = _of_body(c.LinkInertia.mass)
    """(n,), kg: 0 for a static object that was given none."""

    com = _of_body(c.LinkInertia.com, what="centre of mass")
    """(n, 3), m: centre of mass in the body's frame."""

    @property
    @on_device
    def inertia(self) -> Any:
        """(n, 3, 3): inertia about the centre of mass in the body's axes, kg·m^2."""
        return self._read(c.LinkInertia.inertia, self._links)[:, 0][:, FULL].reshape(-1, 3, 3)

    @on_device
    def set_mass(self, mass: Any, env_ids: Any = None, *, scale_inertia: bool = False) -> None:
        """Set the mass, (n,), kg; the inertia stays as it is, or with ``scale_inertia`` changes in proportion.

        Environments may differ; from then on the world keeps a value for each, and kernels are compiled once more.
        """
        self._only_with_mass("set_mass")
        checking.boolean("scale_inertia", scale_inertia)
        values, envs = self._input("mass", mass, (), env_ids)
        self._above_zero("mass", mass)
        if scale_inertia:
            chosen = slice(None) if envs is None else self._xp.asarray(envs)
            ratio = values / self.mass[chosen]
            inertia = self._read(c.LinkInertia.inertia, self._links)[chosen] * ratio[:, None, None]
            self._write(c.LinkInertia.inertia, self._links, inertia, envs)
        self._write(c.LinkInertia.mass, self._links, values[:, None], envs)
        self.engine.touch_state()

    def set_com(self, com: Any, env_ids: Any = None) -> None:
        """Set the centre of mass in the body's frame, (n, 3), m. The body's frame keeps its velocity."""
        self._only_with_mass("set_com")
        assign(self, {"com": com}, env_ids)

    @on_device
    def set_inertia(self, inertia: Any, env_ids: Any = None) -> None:
        """Set the inertia about the centre of mass, (n, 3, 3), in the body's axes, kg·m^2.

        It must be symmetric and positive, and no principal moment may be more than the sum of the others.
        """
        self._only_with_mass("set_inertia")
        values, envs = self._input("inertia", inertia, (3, 3), env_ids)
        if isinstance(values, np.ndarray):
            self._check_inertia(values)
        packed = values.reshape(values.shape[0], 9)[:, PACKED]
        self._write(c.LinkInertia.inertia, self._links, packed[:, None], envs)
        self.engine.touch_state()

    def _check_inertia(self, values: np.ndarray) -> None:
        largest = np.abs(values).max(initial=0.0)
        if not np.allclose(values, values.transpose(0, 2, 1), rtol=0, atol=1e-6 * largest):
            raise ValueError(f"{self}: inertia must be symmetric")
        moments = np.linalg.eigvalsh(values.astype(float))
        if (moments <= 0).any() or (moments[:, 2] > (moments[:, 0] + moments[:, 1]) * (1 + 1e-6)).any():
            worst = moments[np.argmin(np.minimum(moments[:, 0], moments[:, 0] + moments[:, 1] - moments[:, 2]))]
            raise ValueError(
                f"{self}: inertia with the principal moments {', '.join(f'{m:.4g}' for m in worst)} is no body's: they "
                "must be positive, and none more than the sum of the others"
            )

    @property
    def _links(self) -> slice:
        return slice(self._bound.links.start, self._bound.links.start + 1)

    def _only(self, kind: str, what: str) -> None:
        if self.kind != kind:
            raise ValueError(f"{self} is {self.kind}: {what}() needs kind={kind!r}")

    def _only_with_mass(self, what: str) -> None:
        if self.kind == STATIC:
            raise ValueError(f"{self} is static: {what}() has no use for it")
