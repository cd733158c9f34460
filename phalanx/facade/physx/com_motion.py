"""Kernels: how the centre of mass of each single body moves, computed when asked for."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from phalanx.components import (
    Body,
    BodyFrame,
    BodyInertia,
    DofMotion,
    DofReaction,
    LinkInertia,
    LinkPose,
    LinkTopology,
)
from phalanx.ecs import Component, Field, read, system, write
from phalanx.systems.math3d import cross, rotate
from phalanx.world import World


class BodyComMotion(Component, table=Body):
    """Motion of a body's own centre of mass; computed when asked for."""

    alone = Field(dtype="int32", doc="1 if nothing else is fixed to the body's link, nor it to another", constant=True)
    velocity = Field(6, unit="m/s, rad/s", doc="(linear, angular) velocity, world axes")
    acceleration = Field(
        6, unit="m/s^2, rad/s^2", doc="(linear, angular) acceleration over the last substep, world axes"
    )


@system(over=Body, phase="query_bodies")
def com_velocities(
    b,
    e,
    link=read(BodyFrame.link),
    alone=read(BodyComMotion.alone),
    last_dof=read(LinkTopology.last_dof),
    link_com=read(LinkInertia.com),
    own_com=read(BodyInertia.com),
    orientation=read(LinkPose.orientation),
    motion=read(DofMotion.velocity),
    velocity=write(BodyComMotion.velocity),
):
    """v + w x r of the body's link, r from the link's origin to the body's own centre of mass."""
    i = link[b, e]
    d = last_dof[i, e]
    k = max(d, 0)
    moves = 1.0 if d >= 0 else 0.0
    x, y, z = own_com[b, 0, e], own_com[b, 1, e], own_com[b, 2, e]
    if alone[b, e] == 1:
        x, y, z = link_com[i, 0, e], link_com[i, 1, e], link_com[i, 2, e]
    x, y, z = rotate(orientation[i, 0, e], orientation[i, 1, e], orientation[i, 2, e], orientation[i, 3, e], x, y, z)
    wx, wy, wz = moves * motion[k, 0, e], moves * motion[k, 1, e], moves * motion[k, 2, e]
    x, y, z = cross(wx, wy, wz, x, y, z)
    velocity[b, 0, e] = moves * motion[k, 3, e] + x
    velocity[b, 1, e] = moves * motion[k, 4, e] + y
    velocity[b, 2, e] = moves * motion[k, 5, e] + z
    velocity[b, 3, e], velocity[b, 4, e], velocity[b, 5, e] = wx, wy, wz


@system(over=Body, phase="query_joints")
def com_accelerations(
    b,
    e,
    link=read(BodyFrame.link),
    alone=read(BodyComMotion.alone),
    last_dof=read(LinkTopology.last_dof),
    link_com=read(LinkInertia.com),
    own_com=read(BodyInertia.com),
    orientation=read(LinkPose.orientation),
    motion=read(DofMotion.velocity),
    change=read(DofReaction.acceleration),
    acceleration=write(BodyComMotion.acceleration),
):
    """a + alpha x r + w x (w x r), r as in :func:`com_velocities`."""
    i = link[b, e]
    d = last_dof[i, e]
    k = max(d, 0)
    moves = 1.0 if d >= 0 else 0.0
    x, y, z = own_com[b, 0, e], own_com[b, 1, e], own_com[b, 2, e]
    if alone[b, e] == 1:
        x, y, z = link_com[i, 0, e], link_com[i, 1, e], link_com[i, 2, e]
    x, y, z = rotate(orientation[i, 0, e], orientation[i, 1, e], orientation[i, 2, e], orientation[i, 3, e], x, y, z)
    wx, wy, wz = moves * motion[k, 0, e], moves * motion[k, 1, e], moves * motion[k, 2, e]
    bx, by, bz = moves * change[k, 0, e], moves * change[k, 1, e], moves * change[k, 2, e]
    tx, ty, tz = cross(bx, by, bz, x, y, z)
    x, y, z = cross(wx, wy, wz, x, y, z)
    x, y, z = cross(wx, wy, wz, x, y, z)
    acceleration[b, 0, e] = moves * change[k, 3, e] + (tx + x)
    acceleration[b, 1, e] = moves * change[k, 4, e] + (ty + y)
    acceleration[b, 2, e] = moves * change[k, 5, e] + (tz + z)
    acceleration[b, 3, e], acceleration[b, 4, e], acceleration[b, 5, e] = bx, by, bz


SYSTEMS = {"com_velocities": com_velocities, "com_accelerations": com_accelerations}

_programs: WeakKeyDictionary[World, dict[str, tuple[int, Any]]] = WeakKeyDictionary()


def run(world: World, name: str) -> None:
    """Run one of the kernels on the current state."""
    store, mine = world._store, _programs.get(world)
    if mine is None:
        mine = _programs[world] = {}
        alone: list[int] = []
        for actor in world.actors.values():
            links = [frame.link for frame in actor.part.articulation.frames]
            alone += [int(links.count(link) == 1) for link in links]
        store.set(BodyComMotion.alone, np.array(alone, np.int32)[:, None])
    if name == "com_accelerations":
        world.compute("query_joints")
    else:
        world._refresh()
    if name not in mine or mine[name][0] != store.version:
        mine[name] = (store.version, store.program([SYSTEMS[name]]))
    with store.active():
        mine[name][1].run(1)
