"""Buffers of which users set parts: rows are instances, columns joints or tendons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.arrays import api_of, is_cpu
from phalanx.facade.namespaces import array, device_of, rows, table, zeros


def count(ids: Any, whole: int) -> int:
    """How many of ``whole`` things are chosen."""
    return len(range(whole)[ids]) if isinstance(ids, slice) else len(ids)


def block(device: str, *ids: Any) -> Any:
    """The index of some rows of a buffer on a device, or of some columns of some rows, (rows, columns, ...).

    Args:
        device: where the buffer is.
        ids: which rows, and which columns; ``None``: all.
    """
    chosen = [_there(rows(each), device) for each in ids]
    if len(chosen) == 2 and not any(isinstance(each, slice) for each in chosen):
        chosen[0] = array(chosen[0], device, "int64").reshape(-1, 1)
    return tuple(chosen)


def _there(ids: Any, device: str) -> Any:
    """Indices on a device: torch takes none from a GPU on the CPU, and copies lists to a GPU each time."""
    if isinstance(ids, list) and ids and device != "cpu" and all(type(one) is int for one in ids):
        return table(tuple(ids), zeros((), device), "int64")
    return ids if api_of(ids) is None or device_of(ids) == device else array(ids, device, "int64")


def _run(ids: Any) -> Any:
    """Consecutive numbers in a list as a slice, which needs no indices."""
    found = rows(ids)
    if not isinstance(found, list) or not found or any(type(one) is not int for one in found) or found[0] < 0:
        return ids
    run = range(found[0], found[0] + len(found))
    return slice(run.start, run.stop) if found == [*run] else ids


def refuse_outside(who: str, what: str, ids: Any, whole: int) -> None:
    """Raise IndexError if one of some things is none of ``whole`` things; nothing waits for numbers on a GPU."""
    if ids is None or isinstance(ids, slice) or not len(ids):
        return
    ids = rows(ids)
    if api_of(ids) is None:
        low, high = int(min(ids)), int(max(ids))
    elif is_cpu(device_of(ids)):
        low, high = int(ids.min()), int(ids.max())
    else:
        return
    if low < 0 or high >= whole:
        raise IndexError(f"{who}: there is no {what} {low if low < 0 else high} of {whole}")


def set_part(who: str, what: str, buffer: Any, value: Any, env_ids: Any, column_ids: Any) -> None:
    """Write some columns of some rows of a buffer (n, columns, ...).

    Args:
        who, what: for messages.
        buffer: what is written to.
        value: (chosen rows, chosen columns, ...), or what can be broadcast to that.
        env_ids, column_ids: which; ``None``: all.

    Raises:
        ValueError: the value has another shape.
        IndexError: there is no such row or column.
    """
    if _is_all(env_ids) and _is_all(column_ids) and _alike(buffer, value):
        buffer[...] = value
        return
    refuse_outside(who, "row", env_ids, int(buffer.shape[0]))
    refuse_outside(who, "column", column_ids, int(buffer.shape[1]))
    device = device_of(buffer)
    wanted = (count(rows(env_ids), buffer.shape[0]), count(rows(column_ids), buffer.shape[1]), *buffer.shape[2:])
    value = array(value, device, str(buffer.dtype).rpartition(".")[2])
    if not fits(value, wanted):
        raise ValueError(
            f"{who}: {what} has shape {tuple(value.shape)}; it must be {tuple(int(n) for n in wanted)}, "
            "or broadcast to that"
        )
    buffer[block(device, _run(env_ids), _run(column_ids))] = value


def fits(value: Any, wanted: Sequence[int]) -> bool:
    """Whether an array can be broadcast to a shape."""
    shape = tuple(int(n) for n in value.shape)
    return len(shape) <= len(wanted) and all(
        n in (1, m) for n, m in zip(reversed(shape), reversed(wanted), strict=False)
    )


def _is_all(ids: Any) -> bool:
    """Whether everything is chosen."""
    return ids is None or (isinstance(ids, slice) and ids == slice(None))


def _alike(a: Any, b: Any) -> bool:
    """Whether two arrays are of the same API, device, type and shape."""
    return type(a) is type(b) and a.shape == b.shape and a.dtype == b.dtype and a.device == b.device
