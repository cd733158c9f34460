"""Surfaces of an actor's shapes: which shapes a user means, and writes of coefficients and offsets."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from phalanx.models.surface import COMBINE_MODES
from phalanx.world.handle import Handle
from phalanx.world.handles.declared import check, commit

Modes = str | Sequence[str]
"""How coefficients are combined: ``"average"``, ``"min"``, ``"multiply"`` or ``"max"``; one, or one an environment."""


def columns_of_shapes(
    actor: Handle, carriers: Sequence[int], bodies: Collection[int] | None, shape_ids: Sequence[int] | None
) -> np.ndarray | None:
    """Numbers of the shapes of some bodies, or of some shapes; ``None``: all.

    Args:
        actor: whose shapes they are, for messages.
        carriers: of each shape the number of its body.
        bodies, shape_ids: those that are chosen.
    """
    if shape_ids is not None:
        if bodies is not None:
            raise ValueError(f"{actor}: give body_names or shape_ids, not both")
        ids = np.atleast_1d(np.asarray(shape_ids))
        if ids.dtype.kind not in "iu" or ids.ndim != 1 or len(np.unique(ids)) != len(ids):
            raise ValueError(f"{actor}: shape_ids={shape_ids!r} must be different whole numbers")
        if len(ids) and (ids.min() < 0 or ids.max() >= len(carriers)):
            raise IndexError(f"{actor}: shape_ids={shape_ids!r} must lie in 0..{len(carriers) - 1}")
        return ids
    if bodies is None:
        return None
    return np.array([column for column, body in enumerate(carriers) if body in bodies], np.int64)


def codes_of_modes(actor: Handle, what: str, value: Modes, env_ids: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Codes of combine modes, (n, 1) or (1, 1), and the environments that they are for."""
    envs = None if env_ids is None else actor.engine.env_indices(env_ids)
    names = [value] if isinstance(value, str) else list(value)
    wrong = [name for name in names if name not in COMBINE_MODES]
    if wrong:
        raise ValueError(f"{actor}: {what}={wrong[0]!r} must be one of {', '.join(COMBINE_MODES)}")
    count = actor.engine.num_envs if envs is None else len(envs)
    if len(names) not in (1, count):
        raise ValueError(f"{actor}: {what} has {len(names)} modes; it must have one, or one for each of {count}")
    return np.array([COMBINE_MODES[name] for name in names], np.int32)[:, None], envs


def set_material(
    actor: Any,
    given: Mapping[str, Any],
    modes: Mapping[str, Modes | None],
    env_ids: Any,
    chosen: np.ndarray | None,
) -> None:
    """Write coefficients of shapes by the names of properties, and how they combine; all are checked before.

    Args:
        actor: whose shapes they are.
        given: coefficients; those that are ``None`` stay.
        modes: by argument; those that are ``None`` stay.
        env_ids: some environments.
        chosen: columns of some shapes.
    """
    checked = check(actor, given, env_ids, chosen)
    for what, value in modes.items():
        if value is not None:
            name = f"_{what.removesuffix('_combine')}_mode"
            checked[name] = codes_of_modes(actor, what, value, env_ids)  # one column for all shapes
    names = ("_restitution", "_static_friction", "_dynamic_friction")
    bounce, holds, slides = (actor._from_host(given[name]) for name in names)
    if bounce is not None and (bounce > 1).any():
        raise ValueError(f"{actor}: restitution must lie in 0..1, or contacts would make energy; got {bounce.max()}")
    if holds is not None and slides is not None and (slides > holds).any():
        raise ValueError(f"{actor}: dynamic friction must not be above static friction")
    commit(actor, checked, env_ids, chosen)


def set_offsets(actor: Any, given: Mapping[str, Any], env_ids: Any, chosen: np.ndarray | None) -> None:
    """Write contact and rest offsets of shapes by the names of properties; on a CPU, rest must be below contact."""
    checked = check(actor, given, env_ids, chosen)
    if not actor.engine.device.is_cuda:
        envs = slice(None) if env_ids is None else actor.engine.env_indices(env_ids)
        columns = slice(None) if chosen is None else chosen
        contact, rest = (
            checked[name][0] if name in checked else getattr(actor, name)[envs][:, columns]
            for name in ("contact_offset", "rest_offset")
        )
        if (rest >= contact).any():
            raise ValueError(f"{actor}: rest offsets must be less than contact offsets")
    commit(actor, checked, env_ids, chosen)
