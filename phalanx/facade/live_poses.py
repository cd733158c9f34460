"""Where prims are while bodies carry them, without anything being written to the stage.

The stage keeps what it had when the simulation began to play. A prim that is a rigid body, or lies below one, is where
that body has taken it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.physx.rigid_body_view import RigidBodyView
from phalanx.facade.stage_world import StageWorld
from phalanx.io.formats.usd.bindings import Usd, UsdGeom
from phalanx.maths.arrays import from_matrix, matrix
from phalanx.models.actor_spec import STATIC


class Carriers:
    """The bodies of a world that carry prims.

    Args:
        world: of the stage.
        paths: of the prims.

    Attributes:
        bodies: paths of the bodies, each once.
        body: for each prim the number of its body, -1 for none.
        view: of the bodies; ``None`` if there are none.
        own: whether each prim is a body itself.
    """

    def __init__(self, world: StageWorld, paths: Sequence[str]) -> None:
        self.world = world
        numbers: dict[str, int] = {}
        self.body = np.full(len(paths), -1)
        self._paths = list(paths)
        for i, path in enumerate(paths):
            found = carrier(world, path)
            if found is not None:
                self.body[i] = numbers.setdefault(found, len(numbers))
        self.bodies = list(numbers)
        self.own = np.array([b >= 0 and self.bodies[b] == path for b, path in zip(self.body, paths, strict=True)], bool)
        self.view: RigidBodyView | None = None
        if self.bodies:
            places = [world.place(path) for path in self.bodies]
            rows = [((place.actor, place.body), place.env or 0) for place in places]
            self.view = RigidBodyView(world.world, rows, self.bodies, world.origins)
            self.view.raw = True

    def body_matrices(self) -> np.ndarray:
        """(bodies, 4, 4): from the bodies' frames to the world, m."""
        assert self.view is not None
        pose = self.view.get_transforms()
        pose = (pose if isinstance(pose, np.ndarray) else pose.get()).astype(float)
        found = np.tile(np.eye(4), (len(pose), 1, 1))
        found[:, :3, :3] = matrix(pose[:, [6, 3, 4, 5]])
        found[:, :3, 3] = pose[:, :3]
        return found


def carrier(world: StageWorld, path: str) -> str | None:
    """The path of the body that a prim is, or lies below; ``None`` if nothing that can move carries it."""
    while path.count("/") >= 1 and len(path) > 1:
        if world.has_body(path):
            place = world.place(path)
            actor = world.world.actors[place.actor]
            return None if actor.part.kind == STATIC else path
        path = path.rpartition("/")[0]
    return None


def transforms(prims: Sequence[Any], carriers: Carriers | None) -> np.ndarray:
    """(n, 4, 4): from prims' frames to the world, scale and all, in units of the stage; matrices turn columns.

    Args:
        prims: of one stage.
        carriers: of these prims; ``None`` where nothing moves.
    """
    cache = UsdGeom.XformCache(Usd.TimeCode.Default())
    found = np.array([cache.GetLocalToWorldTransform(prim) for prim in prims], float).reshape(-1, 4, 4)
    found = found.swapaxes(1, 2)
    if carriers is None or carriers.view is None:
        return found
    stage = prims[0].GetStage()
    unit = UsdGeom.GetStageMetersPerUnit(stage)
    now = carriers.body_matrices()
    now[:, :3, 3] /= unit
    then = np.array([cache.GetLocalToWorldTransform(stage.GetPrimAtPath(path)) for path in carriers.bodies], float)
    then = rigid(then.reshape(-1, 4, 4).swapaxes(1, 2))
    moved = now @ np.linalg.inv(then)
    some = carriers.body >= 0
    found[some] = moved[carriers.body[some]] @ found[some]
    return found


def rigid(matrices: np.ndarray) -> np.ndarray:
    """(n, 4, 4) without scale and shear; mirrored ones have all three axes flipped, as USD has it."""
    found = matrices.copy()
    turn = found[:, :3, :3]
    u, _, v = np.linalg.svd(turn)
    turn = u @ v
    turn *= np.sign(np.linalg.det(turn))[:, None, None]
    found[:, :3, :3] = turn
    return found


def poses(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions (n, 3) and quaternions (w, x, y, z), (n, 4), of transforms (n, 4, 4).

    Of the two quaternions of a rotation it is the one whose largest component is positive, as in USD and Isaac Sim.
    """
    if not len(matrices):
        return np.zeros((0, 3)), np.zeros((0, 4))
    turns = from_matrix(rigid(matrices)[:, :3, :3])
    largest = np.take_along_axis(turns, np.abs(turns).argmax(axis=1)[:, None], axis=1)
    return matrices[:, :3, 3].copy(), np.where(largest < 0.0, -turns, turns)


def of(paths: Sequence[str]) -> Carriers | None:
    """The carriers of prims in the world that is simulated now, if there is one and it has any."""
    world = simulation.stage_world()
    if world is None or world.is_empty:
        return None
    found = Carriers(world, paths)
    return found if found.bodies else None
