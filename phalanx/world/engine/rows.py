"""Rows of the engine's tables in and out, environment-first: the one way that handles and tensor views take."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.ecs import Field
from phalanx.world.engine.engine import Engine

RowIndex = slice | np.ndarray
"""Rows of a table."""


def view_rows(engine: Engine, field: Field, rows: RowIndex) -> Any:
    """Some rows of a field, (num_envs, rows, *item): the engine's own memory where rows are a slice.

    A field that environments share is repeated, without a copy.
    """
    xp, n = engine.device.xp, engine.num_envs
    # padded: rows apart by a power of two are slow to turn
    found = engine.store.array(field)[rows if isinstance(rows, slice) else xp.asarray(rows)]
    found = _environment_first(found[..., :n])
    return found if found.shape[0] == n else xp.broadcast_to(found, (n, *found.shape[1:]))


def read_rows(engine: Engine, field: Field, rows: RowIndex) -> Any:
    """A copy of some rows of a field, (num_envs, rows, *item)."""
    with engine.store.active():
        return engine.device.xp.array(view_rows(engine, field, rows), order="C")


def write_rows(
    engine: Engine,
    field: Field,
    rows: RowIndex,
    values: Any,
    envs: np.ndarray | None = None,
    *,
    wait: bool = False,
) -> None:
    """Write the same rows of some environments; nothing else is read or written.

    Environments that share a field go on sharing it while they get the same. Once they differ, it is widened, and
    kernels that read it are compiled for that when the world steps next.

    Args:
        engine: whose tables they are. It is not told: call :meth:`Engine.touch`.
        field: what is written.
        rows: of its table.
        values: (k, rows, *item), or what broadcasts to it.
        envs: numbers of k environments; ``None`` for all.
        wait: whether numbers on a GPU are waited for, to see if they are the same for all.
    """
    store, xp = engine.store, engine.device.xp
    if envs is not None and not len(envs):
        return
    with store.active():
        if engine.num_envs > 1 and store.is_shared(field):
            if _for_all(values, envs, engine.num_envs, wait):
                values, envs = values[:1], None
            else:
                store.widen(field)
        target = store.view(field)
        columns = _environment_last(xp.asarray(values, target.dtype))
        where = rows if isinstance(rows, slice) else xp.asarray(rows)
        if envs is None:
            target[where] = columns
        elif isinstance(where, slice):
            target[where][..., xp.asarray(envs)] = columns
        else:
            target[xp.ix_(where, *map(xp.arange, field.shape), xp.asarray(envs))] = columns


def write_listed(engine: Engine, field: Field, rows: Any, envs: Any, values: Any) -> None:
    """Write rows that differ from environment to environment.

    Args:
        engine: whose tables they are. It is not told: call :meth:`Engine.touch`.
        field: what is written; environments no longer share it.
        rows: (k, m), of its table, on the device.
        envs: (k,), on the device; the environment of each line of rows.
        values: (k, m, *item), an item of at most one axis.
    """
    store, xp = engine.store, engine.device.xp
    if engine.num_envs > 1 and store.is_shared(field):
        store.widen(field)
    target = store.view(field)
    if values.ndim == 2:
        target[rows, envs[:, None]] = values
    else:
        target[rows[:, :, None], xp.arange(values.shape[2])[None, None], envs[:, None, None]] = values


def _environment_first(array: Any) -> Any:
    """What ``moveaxis(array, -1, 0)`` gives; that takes half the time of a read on the CPU."""
    return array.T if array.ndim == 2 else array.transpose(array.ndim - 1, *range(array.ndim - 1))


def _environment_last(array: Any) -> Any:
    return array.T if array.ndim == 2 else array.transpose(*range(1, array.ndim), 0)


def _for_all(values: Any, envs: np.ndarray | None, num_envs: int, wait: bool) -> bool:
    """Whether values are for all environments, and the same for each."""
    if envs is not None and (len(envs) < num_envs or len(np.unique(envs)) < num_envs):
        return False
    if values.shape[0] == 1 or values.strides[0] == 0:  # one for all, repeated without a copy
        return True
    return (wait or isinstance(values, np.ndarray)) and bool((values == values[:1]).all())
