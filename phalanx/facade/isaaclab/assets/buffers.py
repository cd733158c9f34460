"""Buffers of which users set parts: rows are instances, columns joints or tendons."""

from __future__ import annotations

from typing import Any

from phalanx.facade.namespaces import array, rows


def count(ids: Any, whole: int) -> int:
    """How many of ``whole`` things are chosen."""
    return len(range(whole)[ids]) if isinstance(ids, slice) else len(ids)


def set_part(who: str, what: str, buffer: Any, value: Any, env_ids: Any, column_ids: Any) -> None:
    """Write some columns of some rows of a buffer (n, columns, ...).

    Args:
        who, what: for messages.
        buffer: what is written to.
        value: (chosen rows, chosen columns, ...), or with 1 where it is the same for all, or a number.
        env_ids, column_ids: which; ``None``: all.

    Raises:
        ValueError: the value has another shape.
        IndexError: there is no such row or column.
    """
    envs, columns = rows(env_ids), rows(column_ids)
    wanted = (count(envs, buffer.shape[0]), count(columns, buffer.shape[1]), *buffer.shape[2:])
    value = array(value, _device(buffer), _dtype(buffer))
    shape = tuple(int(n) for n in value.shape)
    fits = len(shape) == len(wanted) and all(n in (1, m) for n, m in zip(shape, wanted, strict=True))
    if shape and not fits:
        raise ValueError(f"{who}: {what} has shape {shape}; it must be {tuple(int(n) for n in wanted)}")
    if not isinstance(envs, slice) and not isinstance(columns, slice):
        envs = array(envs, _device(buffer), "int64").reshape(-1, 1)
    buffer[envs, columns] = value


def _device(buffer: Any) -> str:
    from phalanx.facade.namespaces import device_of

    return device_of(buffer)


def _dtype(buffer: Any) -> str:
    return str(buffer.dtype).rpartition(".")[2]
