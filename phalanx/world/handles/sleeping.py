"""Sleep of actors by hand: who sleeps, waking, and putting to sleep; see :mod:`phalanx.systems.sleep.decide`."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.world.engine.engine import Engine
from phalanx.world.engine.optional_systems import SLEEP, need
from phalanx.world.engine.rows import read_rows, write_rows
from phalanx.world.layout.fill import Rows


def is_sleeping(engine: Engine, rows: Rows) -> Any:
    """(n,) of booleans: whether an actor slept in the last step."""
    if SLEEP not in engine.features:
        return engine.device.xp.zeros(engine.num_envs, bool)
    return read_rows(engine, c.TreeSleep.asleep, _tree(rows))[:, 0] == 1


def put_to_sleep(engine: Engine, rows: Rows, env_ids: Any) -> None:
    """Take an actor's velocity away, and let it sleep under what acts on it now."""
    need(engine, SLEEP)
    envs = set_sleep(engine, rows, 1, env_ids)
    write_rows(engine, c.DofState.velocity, rows.dofs, np.zeros((1, 1)), envs)
    xp = engine.device.xp
    everywhere = slice(None) if envs is None else xp.asarray(envs)
    load = [read_rows(engine, field, rows.links) for field in (c.ExternalWrench.force, c.ExternalWrench.torque)]
    load.append(read_rows(engine, c.LinkDynamics.gravity_scale, rows.links)[..., None])
    requests = (
        c.DriveTarget.position,
        c.DriveTarget.velocity,
        c.DriveTarget.effort,
        c.Drive.stiffness,
        c.Drive.damping,
    )
    request = [read_rows(engine, field, rows.dofs) for field in requests]
    for field, place, value in (  # what it finds from now on is what it sleeps under
        (c.TreeSleep.gravity, _tree(rows), read_rows(engine, c.Settings.gravity, slice(0, 1))),
        (c.SeenCoordinate.value, rows.coords, read_rows(engine, c.Coordinate.value, rows.coords)),
        (c.SeenLink.load, rows.links, xp.concatenate(load, axis=2)),
        (c.SeenDof.request, rows.dofs, xp.stack(request, axis=2)),
    ):
        write_rows(engine, field, place, value[everywhere], envs)


def set_sleep(engine: Engine, rows: Rows, asleep: int, env_ids: Any) -> np.ndarray | None:
    """Say whether an actor sleeps; returns the environments, ``None`` for all."""
    envs = None if env_ids is None else engine.env_indices(env_ids)
    write_rows(engine, c.TreeSleep.asleep, _tree(rows), np.full((1, 1), asleep), envs)
    write_rows(engine, c.TreeSleep.quiet, _tree(rows), np.zeros((1, 1)), envs)
    engine.touch_state()
    return envs


def _tree(rows: Rows) -> slice:
    return slice(rows.tree, rows.tree + 1)
