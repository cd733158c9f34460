"""Joint-space quantities of a robot: mass matrix, bias and gravity efforts, Jacobians."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.world.engine.readers import Reader
from phalanx.world.handle import on_device
from phalanx.world.handles.actor import Actor
from phalanx.world.handles.jacobians import jacobian_reader


class RobotDynamics(Actor):
    """An actor's equations of motion, M a + b = tau + J^T f."""

    @on_device
    def mass_matrix(self) -> Any:
        """(n, nv, nv): joint-space inertia with armature, nv = 6 + num_dof, or num_dof for a fixed base."""
        self.engine.compute("dynamics")
        engine = self.engine
        xp = engine.device.xp
        mine, rows, columns = self._mass_entries
        with engine.store.active():
            values = engine.store[c.MassMatrix].value[mine].T
            found = xp.zeros((engine.num_envs, self.num_velocities, self.num_velocities), engine.dtype)
            found[:, rows, columns] = values
            found[:, columns, rows] = values
        return found

    @on_device
    def bias_force(self) -> Any:
        """(n, nv): Coriolis, centrifugal and gravity efforts b in M a + b = tau; external wrenches are left out."""
        self.engine.compute("dynamics", "query_gravity")
        return self._read(c.DofForce.bias, self._bound.dofs) + self._read(c.DofForce.gravity, self._bound.dofs)

    @on_device
    def gravity_force(self) -> Any:
        """(n, nv): the efforts that hold the robot still against gravity."""
        self.engine.compute("query_gravity")
        return self._read(c.DofForce.gravity, self._bound.dofs)

    @property
    @on_device
    def incoming_joint_wrench(self) -> Any:
        """(n, num_bodies, 6): [force, torque] that each body's joint transmits to it from its parent, N and N·m.

        In the body's own frame, the torque about that frame's origin, where the joint is in most files. It holds
        drives, friction and limits of the joint as well as what its bearings take, over the last substep. That of the
        root is what holds a fixed base to the world, and zero for a free one. A body fixed to another is told apart
        from it, too; external wrenches act on the body that carries its link.
        """
        self.engine.compute("query_joints")
        return self._read(c.BodyReaction.wrench, self._bound.bodies)

    @on_device
    def jacobian(self) -> Any:
        """(n, num_bodies, 6, nv): [linear, angular] velocity of each body's frame per generalised velocity, world."""
        self.engine.compute("query_bodies")
        if not self.num_velocities:
            return self._xp.zeros((self.engine.num_envs, self.num_bodies, 6, 0), self.engine.dtype)
        return self._jacobians.read()[0].get("jacobian")

    # -- what does not change: on the device, once -----------------------------------------------------------

    @cached_property
    def _mass_entries(self) -> tuple[Any, Any, Any]:
        """The robot's entries of the mass matrix, and their rows and columns."""
        engine, dofs, xp = self.engine, self._bound.dofs, self._xp
        row = engine.device.to_host(engine.store[c.MassTopology].row)[:, 0]
        column = engine.device.to_host(engine.store[c.MassTopology].column)[:, 0]
        mine = np.flatnonzero((row >= dofs.start) & (row < dofs.stop))
        return xp.asarray(mine), xp.asarray(row[mine] - dofs.start), xp.asarray(column[mine] - dofs.start)

    @cached_property
    def _jacobians(self) -> Reader:
        return jacobian_reader(self)
