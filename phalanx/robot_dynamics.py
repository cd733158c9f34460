"""Joint-space quantities of a robot: mass matrix, bias and gravity efforts, Jacobians."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.actor import Actor
from phalanx.handle import on_device


class RobotDynamics(Actor):
    """An actor's equations of motion, M a + b = tau + J^T f."""

    @on_device
    def mass_matrix(self) -> Any:
        """(n, nv, nv): joint-space inertia with armature, nv = 6 + num_dof, or num_dof for a fixed base."""
        self.world.compute("dynamics")
        world = self.world
        xp = world._device.xp
        mine, rows, columns = self._mass_entries
        with world._store.active():
            values = world[c.MassMatrix].value[mine].T
            found = xp.zeros((world.num_envs, self.num_velocities, self.num_velocities), world.dtype)
            found[:, rows, columns] = values
            found[:, columns, rows] = values
        return found

    @on_device
    def bias_force(self) -> Any:
        """(n, nv): Coriolis, centrifugal and gravity efforts b in M a + b = tau; external wrenches are left out."""
        self.world.compute("dynamics", "query_gravity")
        return self._read(c.DofForce.bias, self._bound.dofs) + self._read(c.DofForce.gravity, self._bound.dofs)

    @on_device
    def gravity_force(self) -> Any:
        """(n, nv): the efforts that hold the robot still against gravity."""
        self.world.compute("query_gravity")
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
        self.world.compute("query_joints")
        return self._read(c.BodyReaction.wrench, self._bound.bodies)

    @on_device
    def jacobian(self) -> Any:
        """(n, num_bodies, 6, nv): [linear, angular] velocity of each body's frame per generalised velocity, world."""
        world, dofs = self.world, self._bound.dofs
        world.compute("query_bodies")
        xp = world._device.xp
        mask, turns, link = self._moves
        with world._store.active():
            axis = xp.moveaxis(world[c.DofMotion].axis[dofs], -1, 0)[:, None]  # (n, 1, nv, 3)
            offset = xp.moveaxis(world[c.LinkPose].offset, -1, 0)
            body = xp.moveaxis(world[c.BodyState].pose[self._bound.bodies, :3], -1, 0)
            root = world[c.Coordinate].value[self._root_coords][:3].T
            arm = (body - root[:, None])[:, :, None] - offset[:, None, link]  # (n, bodies, nv, 3)
            turning = turns[:, None]
            linear = xp.where(turning, xp.cross(xp.broadcast_to(axis, arm.shape), arm), axis)
            angular = xp.broadcast_to(xp.where(turning, axis, xp.zeros_like(axis)), arm.shape)
            both = xp.concatenate((linear, angular), axis=3) * mask[None, :, :, None]
            found = xp.ascontiguousarray(xp.moveaxis(both, 3, 2))
        return found

    # -- what does not change: on the device, once -----------------------------------------------------------

    @cached_property
    def _mass_entries(self) -> tuple[Any, Any, Any]:
        """The robot's entries of the mass matrix, and their rows and columns."""
        world, dofs, xp = self.world, self._bound.dofs, self._xp
        row = world._device.to_host(world[c.MassTopology].row)[:, 0]
        column = world._device.to_host(world[c.MassTopology].column)[:, 0]
        mine = np.flatnonzero((row >= dofs.start) & (row < dofs.stop))
        return xp.asarray(mine), xp.asarray(row[mine] - dofs.start), xp.asarray(column[mine] - dofs.start)

    @cached_property
    def _moves(self) -> tuple[Any, Any, Any]:
        """Which dofs move each body, (num_bodies, nv), 1 or 0; which of them are rotations; and their links."""
        world, dofs, xp = self.world, self._bound.dofs, self._xp
        frames = self.part.articulation.frames
        first = self._bound.links.start
        last_dof = world._device.to_host(world[c.LinkTopology].last_dof)[:, 0]
        relations = world._device.to_host(world[c.DofTopology].relations)[:, 0]
        moves = world._device.to_host(world[c.DofRelation].moves)[:, 0]
        mask = np.zeros((len(frames), self.num_velocities))
        for b, frame in enumerate(frames):
            d = last_dof[first + frame.link]
            if d >= 0:
                mask[b] = moves[relations[d] + dofs.start : relations[d] + dofs.stop]
        turns = world._device.to_host(world[c.DofTopology].angular)[dofs, 0] == 1
        link = world._device.to_host(world[c.DofTopology].link)[dofs, 0]
        return xp.asarray(mask, world.dtype), xp.asarray(turns), xp.asarray(link)
