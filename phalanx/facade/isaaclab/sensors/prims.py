"""Which prims the instances of a sensor have to do with, and the rigid bodies that they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.physx.rigid_body_view import RigidBodyView
from phalanx.facade.stage_world import Place, StageWorld
from phalanx.io.formats.usd.bindings import UsdPhysics

_PLAIN = re.compile(r"\w*")


class NotAlike(ValueError):
    """Instances of a sensor have different prims."""


def of_instances(who: str, prim_path: str, parents: Sequence[str], expression: str) -> list[list[str]]:
    """Of each instance of a sensor the prims that an expression stands for.

    Those that begin as the sensor's own path does, up to the last expression that both share, belong to one another:
    of ``/World/envs/env_.*/Robot/base``, ``/World/envs/env_.*/Cube`` is each environment's own. Other prims belong to
    all instances; if they are as many as the instances, or a multiple, each has its own, in order.

    Args:
        who: for messages.
        prim_path: the sensor's own expression.
        parents: the prim above the sensor's, of each instance.
        expression: for the prims.

    Returns:
        Paths for each instance, equally many; none if there are none.

    Raises:
        NotAlike: instances have different numbers of them.
    """
    found = utils.find_matching_prim_paths(expression)
    depth = shared_depth(prim_path, expression)
    if len(parents) == 1 or not found:
        return [found] * len(parents)
    if depth:
        known: dict[str, list[str]] = {}
        for path in found:
            known.setdefault(_head(path, depth), []).append(path)
        lists = [known.get(_head(parent, depth), []) for parent in parents]
        if len({len(each) for each in lists}) > 1:
            raise NotAlike(
                f"{who}: {expression!r} must stand for as many prims in each environment; it stands for "
                f"{', '.join(map(str, sorted({len(each) for each in lists})))}"
            )
        return lists
    if len(found) % len(parents) == 0:
        each = len(found) // len(parents)
        return [found[i * each : (i + 1) * each] for i in range(len(parents))]
    return [found] * len(parents)


def shared_depth(prim_path: str, expression: str) -> int:
    """How many segments the prims above both have in common, if one of them is an expression; else 0."""
    last = 0
    for i, (mine, other) in enumerate(zip(prim_path.split("/")[:-1], expression.split("/"), strict=False)):
        if mine != other:
            break
        last = i + 1 if is_expression(mine) else last
    return last


def _head(path: str, depth: int) -> str:
    return "/".join(path.split("/")[:depth])


def is_expression(text: str) -> bool:
    """Whether a part of a path is more than a name."""
    return not _PLAIN.fullmatch(text)


def fill_in(cfg: Any, env_regex_ns: str) -> None:
    """Put the expression for a scene's environments into all paths of a sensor's configuration."""
    cfg.prim_path = cfg.prim_path.format(ENV_REGEX_NS=env_regex_ns)
    for name in ("filter_prim_paths_expr", "mesh_prim_paths"):
        if isinstance(paths := getattr(cfg, name, None), list):
            setattr(cfg, name, [p.format(ENV_REGEX_NS=env_regex_ns) if isinstance(p, str) else p for p in paths])
    for frame in getattr(cfg, "target_frames", ()):
        frame.prim_path = frame.prim_path.format(ENV_REGEX_NS=env_regex_ns)
    for target in getattr(cfg, "mesh_prim_paths", ()):
        if hasattr(target, "prim_expr"):
            target.prim_expr = target.prim_expr.format(ENV_REGEX_NS=env_regex_ns)


def is_rigid_body(path: str) -> bool:
    """Whether a prim is a rigid body."""
    return utils.get_current_stage().GetPrimAtPath(path).HasAPI(UsdPhysics.RigidBodyAPI)


def place_of(who: str, stage_world: StageWorld, path: str) -> Place:
    """Where a prim's body is.

    Raises:
        RuntimeError: it is no body that is simulated.
    """
    try:
        return stage_world.place(path)
    except KeyError:
        raise RuntimeError(f"{who}: <{path}> is no rigid body that is simulated") from None


def places_below(who: str, stage_world: StageWorld, parents: Sequence[str], names: Sequence[str]) -> list[Place]:
    """Where bodies with some names below each of some prims are, prim by prim; looked up once for all copies of a prim.

    Raises:
        RuntimeError: one is no body that is simulated.
    """
    known: dict[str, list[Place]] = {}
    found: list[Place] = []
    for parent in parents:
        first, env = stage_world.prototype(parent)
        if env is None or first not in known:
            own = [place_of(who, stage_world, f"{parent}/{name}") for name in names]
            if env is not None:
                known[first] = own
        else:
            own = [Place(one.actor, one.body, env) for one in known[first]]
        found += own
    return found


def rigid_body_view(
    who: str, stage_world: StageWorld, paths: Sequence[str], per_instance: int, places: Sequence[Place] | None = None
) -> RigidBodyView:
    """A tensor view of bodies; those that are in all environments are in that of the instance's others.

    Args:
        who: for messages.
        stage_world: where the bodies are.
        paths: of the bodies, instance by instance.
        per_instance: how many each instance has.
        places: where they are; looked up by default.
    """
    places = [place_of(who, stage_world, path) for path in paths] if places is None else places
    members: list[Any] = []
    for start in range(0, len(places), per_instance):
        own = places[start : start + per_instance]
        env = next((one.env for one in own if one.env is not None), 0)
        members += [((one.actor, one.body), env if one.env is None else one.env) for one in own]
    return RigidBodyView(stage_world.world, members, list(paths), stage_world.origins)


def shared_rigid_body_view(
    who: str, stage_world: StageWorld, paths: Sequence[Sequence[str]]
) -> tuple[RigidBodyView, np.ndarray]:
    """A tensor view of bodies, each once, although instances may share some, or have one several times.

    Args:
        who: for messages.
        stage_world: where the bodies are.
        paths: of the bodies of each instance, equally many.

    Returns:
        The view, and (instances, bodies) the row of each, int64.
    """
    rows: dict[tuple[tuple[str, str], int], int] = {}
    names: list[str] = []
    table = np.empty((len(paths), len(paths[0])), np.int64)
    for i, own in enumerate(paths):
        places = [place_of(who, stage_world, path) for path in own]
        spare = i if len(paths) == len(stage_world.origins) else 0
        env = next((one.env for one in places if one.env is not None), spare)
        for j, one in enumerate(places):
            key = (one.actor, one.body), env if one.env is None else one.env
            if key not in rows:
                rows[key] = len(rows)
                names.append(own[j])
            table[i, j] = rows[key]
    return RigidBodyView(stage_world.world, list(rows), names, stage_world.origins), table
