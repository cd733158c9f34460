"""Pushing all bodies of a view from arrays as users have them, in one program."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.components import ExternalWrench
from phalanx.ecs import Component, Field, Table, read, rows, spread, system, write
from phalanx.facade.arrays import accept
from phalanx.facade.physx import com_motion
from phalanx.facade.physx.com_motion import BodyPush, PushOptions
from phalanx.facade.physx.state_kernels import Item, RowStep
from phalanx.world.engine.launches import Environments, Kernels, Launch, constants, flat

Pushed = Table("pushed body", "a body of a view in all environments")
PushedLink = Table("pushed link", "a link that carries bodies of a view")
Bodies = Table("bodies", "bodies in a row of a view")


class PushedBody(Component, table=Pushed):
    """Where a body is."""

    body = Field(dtype="int32", doc="its row", constant=True)
    row = Field(dtype="int32", doc="of environment 0 among a view's rows", constant=True)
    index = Field(dtype="int32", doc="which body of the row", constant=True)


class Given(Component, table=Item):
    """What users want, three numbers a body."""

    force = Field(unit="N", doc="force", shared=True)
    torque = Field(unit="N m", doc="torque", shared=True)
    position = Field(unit="m", doc="where the force acts", shared=True)
    origin = Field(unit="m", doc="what positions are seen from, three numbers a row", shared=True)
    member = Field(dtype="int32", doc="bodies of links, one link's behind the other's", constant=True)


class LinkMembers(Component, table=PushedLink):
    """Which bodies a link carries."""

    link = Field(dtype="int32", doc="its row", constant=True)
    begin = Field(dtype="int32", doc="first of its members", constant=True)
    end = Field(dtype="int32", doc="one past the last", constant=True)


@system(phase="query_bodies")
def take_pushes(
    lanes,
    count=rows(Pushed),
    envs=rows(Environments),
    step=rows(RowStep),
    bodies=rows(Bodies),
    placed=read(PushOptions.placed),
    body=read(PushedBody.body),
    row=read(PushedBody.row),
    index=read(PushedBody.index),
    given_force=read(Given.force),
    given_torque=read(Given.torque),
    given_position=read(Given.position),
    origin=read(Given.origin),
    force=write(BodyPush.force),
    torque=write(BodyPush.torque),
    position=write(BodyPush.position),
):
    """Give bodies what users want."""
    for i in spread(count):
        b, first, own, counts = body[i, 0], row[i, 0], index[i, 0], placed[0, 0]
        for e in lanes:
            if e < envs:
                r = e * step + first
                at = (r * bodies + own) * 3
                for k in range(3):
                    force[b, k, e] = given_force[at + k, 0]
                    torque[b, k, e] = given_torque[at + k, 0]
                if counts == 1:
                    for k in range(3):
                        position[b, k, e] = given_position[at + k, 0] - origin[3 * r + k, 0]


@system(over=PushedLink, phase="query_bodies")
def sum_pushes(
    n,
    e,
    envs=rows(Environments),
    link=read(LinkMembers.link),
    begin=read(LinkMembers.begin),
    end=read(LinkMembers.end),
    member=read(Given.member),
    wrench=read(BodyPush.wrench),
    force=write(ExternalWrench.force),
    torque=write(ExternalWrench.torque),
):
    """Links get what their bodies do, added up in the bodies' order."""
    if e >= envs:
        return
    i = link[n, 0]
    fx, fy, fz, tx, ty, tz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(begin[n, 0], end[n, 0]):
        b = member[k, 0]
        fx, fy, fz = fx + wrench[b, 0, e], fy + wrench[b, 1, e], fz + wrench[b, 2, e]
        tx, ty, tz = tx + wrench[b, 3, e], ty + wrench[b, 4, e], tz + wrench[b, 5, e]
    force[i, 0, e], force[i, 1, e], force[i, 2, e] = fx, fy, fz
    torque[i, 0, e], torque[i, 1, e], torque[i, 2, e] = tx, ty, tz


class Pushes:
    """Pushes all bodies of a view as three arrays say, which users may write into.

    Args:
        view: a view whose rows are not listed.
        force, torque, position: users' arrays, (count, bodies, 3), contiguous, on the world's device; they are
            ``given``, too.
    """

    def __init__(self, view: Any, force: Any, torque: Any, position: Any) -> None:
        self._view, self.given = view, (force, torque, position)
        self._kernels: dict[tuple[bool, bool], Kernels] = {}

    def run(self, is_global: bool, placed: bool) -> None:
        """Compute what the engine's links get; see ``apply_forces_and_torques_at_position``."""
        chosen = bool(is_global), bool(placed)
        if chosen not in self._kernels:
            self._kernels[chosen] = self._make(*chosen)
        self._kernels[chosen].run()

    def _make(self, is_global: bool, placed: bool) -> Kernels:
        view, world, xp = self._view, self._view.world, self._view._xp
        com_motion.prepare(world)
        step, starts = view.placement
        bodies, links = view._body_rows, view._link_rows
        origins = np.zeros((view.count, 3))
        if is_global and view._origins is not None:
            origins = view._origins
        order = np.argsort(links.ravel(), kind="stable")
        different, begin, counts = np.unique(links.ravel()[order], return_index=True, return_counts=True)
        force, torque, position = (flat(accept(each, world.device)) for each in self.given)
        arrays = constants(
            world.engine,
            {
                PushedBody.body: bodies,
                PushedBody.row: np.repeat(starts, bodies.shape[1]),
                PushedBody.index: np.tile(np.arange(bodies.shape[1]), len(bodies)),
                LinkMembers.link: different,
                LinkMembers.begin: begin,
                LinkMembers.end: begin + counts,
                Given.member: bodies.ravel()[order],
                PushOptions.is_global: [int(is_global)],
                PushOptions.placed: [int(placed)],
            },
        )
        arrays |= {
            Given.force: force,
            Given.torque: torque,
            Given.position: position,
            Given.origin: flat(xp.asarray(origins, world.dtype)),
        }
        numbers = {RowStep: step, Bodies: bodies.shape[1], Pushed: bodies.size}
        launches = [
            Launch(take_pushes, bodies.size, arrays, numbers),
            Launch(com_motion.push_bodies, com_motion.body_count(world), arrays),
            Launch(sum_pushes, len(different), arrays),
        ]
        return Kernels(world.engine, launches)
