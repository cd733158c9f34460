"""Copies of what a world is now, for some of its environments, on the host: what viewers show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx import components as c
from phalanx.components.link import FREE
from phalanx.maths.arrays import product, rotate

if TYPE_CHECKING:
    from phalanx.world.deformables.body import DeformableBody
    from phalanx.world.world import World


FEW = 16
"""Poses of fewer than one in so many environments are found on the host."""


@dataclass(frozen=True)
class Contacts:
    """Contact points of the last substep, those of an environment behind each other; m, N, in world axes.

    Attributes:
        envs: (m,): which of the environments that were asked for.
        points: (m, 3): midway between the surfaces, where they met when the last substep began.
        normals: (m, 3): unit vectors from body b to body a.
        forces: (m, 3): on body a, normal part and friction.
        separations: (m,): distances of the surfaces, negative when they overlap.
    """

    envs: np.ndarray
    points: np.ndarray
    normals: np.ndarray
    forces: np.ndarray
    separations: np.ndarray


@dataclass(frozen=True)
class Snapshot:
    """Where everything was after a step.

    Attributes:
        step: steps made.
        time: simulated seconds.
        envs: (k,): numbers of the environments.
        poses: (k, bodies, 7) float32: [x y z qw qx qy qz] of all bodies of the world, actor after actor.
        contacts: where they were asked for.
        nodes: of each deformable body, as :func:`deformables_of` has them: (k, nodes, 3) float32, m.
    """

    step: int
    time: float
    envs: np.ndarray
    poses: np.ndarray
    contacts: Contacts | None = None
    nodes: tuple[np.ndarray, ...] = ()


def deformables_of(world: World) -> dict[str, DeformableBody]:
    """Soft bodies, cloths and ropes of a world by name, in the order in which snapshots have their nodes."""
    return {**world.all_deformables}


def node_positions(world: World, envs: np.ndarray) -> tuple[np.ndarray, ...]:
    """Of each deformable body where its nodes are, (k, nodes, 3) float32, m, on the host."""
    bodies = deformables_of(world).values()
    if not bodies:
        return ()
    places, origins = _columns(world, c.NodeState.position, envs), _columns(world, c.DeformableMotion.origin, envs)
    found = [places[body.rows.nodes] + origins[body.rows.body] for body in bodies]
    return tuple(np.ascontiguousarray(each.transpose(2, 0, 1), np.float32) for each in found)


def take_snapshot(world: World, envs: Any, contacts: bool = False) -> Snapshot:
    """Copy poses, and contacts if they are asked for, of some environments of a world.

    Args:
        world: is built if it is not yet.
        envs: numbers of environments.
        contacts: whether contact points are copied, too.
    """
    chosen = world.env_indices(envs)
    with world.lock:
        poses = _body_poses(world, chosen).transpose(2, 0, 1)
        found = contacts_now(world, chosen) if contacts else None
        nodes = node_positions(world, chosen)
        return Snapshot(world.step_count, world.time, chosen, np.ascontiguousarray(poses, np.float32), found, nodes)


def _body_poses(world: World, envs: np.ndarray) -> np.ndarray:
    """(bodies, 7, k): of some environments.

    Of few among many on the CPU they are found here: the system ``body_states`` would do so for all environments.
    """
    if world.engine.device.is_cuda or FEW * len(envs) > world.num_envs:
        world.compute("query_bodies")
        return _columns(world, c.BodyState.pose, envs)
    world.engine.refresh()
    link = _columns(world, c.BodyFrame.link, envs)
    column = np.arange(len(envs))
    root = _columns(world, c.LinkTopology.root, envs)[link, column]
    coord = _columns(world, c.LinkTopology.coord, envs)[root, column]
    q, offset = _columns(world, c.Coordinate.value, envs), _columns(world, c.LinkPose.offset, envs)
    turn = np.moveaxis(_columns(world, c.LinkPose.orientation, envs), 1, -1)[link, column]
    place = np.moveaxis(_columns(world, c.BodyFrame.position, envs), 1, -1)
    own = np.moveaxis(_columns(world, c.BodyFrame.orientation, envs), 1, -1)
    at = np.stack([q[coord + k, column] for k in range(3)], axis=-1)
    at = at + np.moveaxis(offset, 1, -1)[link, column] + rotate(turn, place)
    return np.moveaxis(np.concatenate([at, product(turn, own)], axis=-1), -1, 1)


def contacts_now(world: World, envs: np.ndarray) -> Contacts:
    """Contact points of the last substep; those of worlds in which nothing can touch are none."""
    slots = world.engine.store.rows(c.Contact)
    count = _columns(world, c.ContactCount.current, envs)[0] if slots else np.zeros(len(envs), np.int32)
    used = int(count.max(initial=0))
    if not used:
        none = np.zeros((0, 3))
        return Contacts(np.zeros(0, np.int64), none, none, none, np.zeros(0))
    column, slot = np.nonzero(np.arange(used) < count[:, None])

    def of_contacts(field: Any) -> np.ndarray:
        values = np.moveaxis(_columns(world, field, envs, used), -1, 0)
        return values[column, slot]

    def of_rows(field: Any, rows: np.ndarray) -> np.ndarray:
        values = np.moveaxis(_columns(world, field, envs), -1, 0)
        return values[column, rows]

    # Arms are from where the root of the body's tree was when the last substep began.
    link = of_rows(c.ShapeTopology.link, of_contacts(c.ContactPoint.a))
    root = of_rows(c.LinkTopology.root, link)
    at, first = of_rows(c.LinkTopology.coord, root), of_rows(c.LinkTopology.first_dof, root)
    gone = (of_rows(c.LinkTopology.joint_type, root) == FREE) & (
        _columns(world, c.Status.diverged, envs)[0, column] == 0
    )
    points = np.stack([of_rows(c.Coordinate.value, at + k) for k in range(3)], axis=-1).astype(float)
    moved = np.stack([of_rows(c.DofSolve.displacement, np.where(gone, first + k, 0)) for k in range(3)], axis=-1)
    points += of_contacts(c.ContactPoint.arm_a) - np.where(gone[:, None], moved, 0.0)
    normal, tangent = of_contacts(c.ContactPoint.normal), of_contacts(c.ContactPoint.tangent)
    axes = np.stack([normal, tangent, np.cross(normal, tangent)], axis=1).astype(float)
    impulses = of_contacts(c.ContactImpulse.value).astype(float)
    forces = np.einsum("mij,mi->mj", axes, impulses) * (world.substeps / world.dt)
    return Contacts(column, points, axes[:, 0], forces, of_contacts(c.ContactPoint.separation).astype(float))


def _columns(world: World, field: Any, envs: np.ndarray, rows: int | None = None) -> np.ndarray:
    """(rows, *item, k) on the host: a field of some environments, of its first rows."""
    with world.engine.store.active():
        view = world.engine.store.view(field)[slice(rows)]
        if view.shape[-1] == 1 and world.num_envs > 1:  # one value for all environments
            return np.repeat(world.engine.device.to_host(view), len(envs), axis=-1)
        return world.engine.device.to_host(view[..., world.engine.device.xp.asarray(envs)])
