"""Kernels about single bodies, run when asked for: how their centres of mass move, and what pushes make of links."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from phalanx.components import (
    Body,
    BodyFrame,
    BodyInertia,
    BodyState,
    DofMotion,
    DofReaction,
    LinkInertia,
    LinkPose,
    LinkTopology,
)
from phalanx.components.world import World as WorldTable
from phalanx.ecs import Component, Field, read, system, write
from phalanx.maths.kernels import cross, rotate
from phalanx.world.world import World


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


class PushOptions(Component, table=WorldTable):
    """What :class:`BodyPush` is given in."""

    is_global = Field(dtype="int32", doc="1: world axes; 0: each body's own frame", shared=True)
    placed = Field(dtype="int32", doc="1: forces act at ``position``; 0: at bodies' own centres of mass", shared=True)


class BodyPush(Component, table=Body):
    """A user's push on a body, and what its link gets of it."""

    force = Field(3, unit="N", doc="force")
    torque = Field(3, unit="N m", doc="torque")
    position = Field(3, unit="m", doc="where the force acts, from the origin of the environment or of the body")
    wrench = Field(6, unit="N, N m", doc="force, torque about the link's centre of mass; world axes")


@system(over=Body, phase="query_bodies")
def push_bodies(
    b,
    e,
    is_global=read(PushOptions.is_global),
    placed=read(PushOptions.placed),
    link=read(BodyFrame.link),
    alone=read(BodyComMotion.alone),
    place=read(BodyFrame.position),
    link_com=read(LinkInertia.com),
    own_com=read(BodyInertia.com),
    orientation=read(LinkPose.orientation),
    pose=read(BodyState.pose),
    force=read(BodyPush.force),
    torque=read(BodyPush.torque),
    position=read(BodyPush.position),
    wrench=write(BodyPush.wrench),
):
    """Turn pushes to world axes, and move them to the links' centres of mass."""
    i = link[b, e]
    fx, fy, fz = force[b, 0, e], force[b, 1, e], force[b, 2, e]
    tx, ty, tz = torque[b, 0, e], torque[b, 1, e], torque[b, 2, e]
    w, x, y, z = pose[b, 3, e], pose[b, 4, e], pose[b, 5, e], pose[b, 6, e]
    px, py, pz = position[b, 0, e] - pose[b, 0, e], position[b, 1, e] - pose[b, 1, e], position[b, 2, e] - pose[b, 2, e]
    if is_global[0, e] == 0:
        fx, fy, fz = rotate(w, x, y, z, fx, fy, fz)
        tx, ty, tz = rotate(w, x, y, z, tx, ty, tz)
        px, py, pz = rotate(w, x, y, z, position[b, 0, e], position[b, 1, e], position[b, 2, e])
    # from there, or from the body's own centre of mass, to the link's, link axes
    cx, cy, cz = link_com[i, 0, e], link_com[i, 1, e], link_com[i, 2, e]
    ax, ay, az = place[b, 0, e], place[b, 1, e], place[b, 2, e]
    if placed[0, e] == 0:
        px, py, pz = 0.0, 0.0, 0.0
        ax, ay, az = own_com[b, 0, e], own_com[b, 1, e], own_com[b, 2, e]
        if alone[b, e] == 1:
            ax, ay, az = cx, cy, cz
    w, x, y, z = orientation[i, 0, e], orientation[i, 1, e], orientation[i, 2, e], orientation[i, 3, e]
    ax, ay, az = rotate(w, x, y, z, ax - cx, ay - cy, az - cz)
    ax, ay, az = cross(px + ax, py + ay, pz + az, fx, fy, fz)
    wrench[b, 0, e], wrench[b, 1, e], wrench[b, 2, e] = fx, fy, fz
    wrench[b, 3, e], wrench[b, 4, e], wrench[b, 5, e] = tx + ax, ty + ay, tz + az


SYSTEMS = {system.name: system for system in (com_velocities, com_accelerations, push_bodies)}

_programs: WeakKeyDictionary[World, dict[str, tuple[int, Any]]] = WeakKeyDictionary()


def prepare(world: World) -> None:
    """Let kernels know which bodies have their link to themselves; once."""
    if world not in _programs:
        _programs[world] = {}
        alone: list[int] = []
        for actor in world.actors.values():
            links = [frame.link for frame in actor.part.articulation.frames]
            alone += [int(links.count(link) == 1) for link in links]
        world.engine.store.set(BodyComMotion.alone, np.array(alone, np.int32)[:, None])


def body_count(world: World) -> int:
    """Bodies of all actors."""
    return world.engine.store.rows(Body)


def run(world: World, name: str) -> None:
    """Run one of the kernels on the current state."""
    prepare(world)
    store, mine = world.engine.store, _programs[world]
    if name == "com_accelerations":
        world.compute("query_joints")
    elif name == "push_bodies":
        world.compute("query_bodies")
    else:
        world.engine.refresh()
    if name not in mine or mine[name][0] != store.version:
        mine[name] = (store.version, store.program([SYSTEMS[name]]))
    with store.active():
        mine[name][1].run(1)
