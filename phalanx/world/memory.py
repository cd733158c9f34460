"""How much memory a world may take, so that it is an error, with a remedy, before the system ends the process."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from phalanx import components as c
from phalanx.ecs import Device, Field, Store, Table
from phalanx.ecs.errors import CapacityError

SHARE = 0.5
"""Of the memory that is free, which a world may take at once."""

PAIR_BYTES = 48
"""What the search for pairs of shapes that may meet takes for each, while a world is built."""

LINK_BYTES = 256
"""What a link takes in an environment at least: pose, rotation, velocity, inertia, forces."""

SLOTS = {c.Candidate: (c.ManifoldPoint,), c.Contact: (c.ContactRow, c.IslandRowFour)}
"""Tables that grow with what meets, and those whose rows are theirs."""


def free_bytes(device: Device) -> int:
    """Memory that is free on a device: on a CPU for this process, whose control group may allow it less."""
    if device.is_cuda:
        with device.active():
            free, _ = device.xp.cuda.runtime.memGetInfo()
            return int(free) + int(device.xp.get_default_memory_pool().free_bytes())
    found = [1 << 62]
    for line in _read("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            found.append(int(line.split()[1]) * 1024)
    most, used = _read("/sys/fs/cgroup/memory.max").strip(), _read("/sys/fs/cgroup/memory.current").strip()
    if most.isdigit() and used.isdigit():
        cached = [
            line.split()[1] for line in _read("/sys/fs/cgroup/memory.stat").splitlines() if "inactive_file" in line
        ]
        found.append(int(most) - int(used) + (int(cached[0]) if cached else 0))
    return max(0, min(found))


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def slot_bytes(store: Store, table: Table, count: int) -> int:
    """Bytes that slots of a table, and the rows of theirs in other tables, take in all environments."""
    inner = [(one, store.rows(one) // max(store.rows(table), 1)) for one in SLOTS[table]]
    held = [(table, count), *((one, count * width) for one, width in inner)]
    return sum(store.row_bytes(one) * rows for one, rows in held)


def room_for(store: Store, table: Table, wanted: int, most: int | None) -> int:
    """How many slots of a table there can be: half as many again as wanted, or as wanted, or 0 if that is too much.

    Args:
        most: bytes for all slots of contacts and candidates; ``None``: a share of what is free.
    """
    others = sum(slot_bytes(store, one, store.rows(one)) for one in SLOTS if one is not table)
    now = slot_bytes(store, table, store.rows(table))
    allowed = now + SHARE * free_bytes(store.device) if most is None else most - others
    for count in (wanted + wanted // 2, wanted):
        if slot_bytes(store, table, count) <= allowed:
            return count
    return 0


def slots_within(
    store: Store, pairs: int, contacts: int, max_contacts: int | None, most: int | None
) -> tuple[int, int]:
    """How many slots for candidates and contacts a world has that keeps the nearest.

    Args:
        pairs, contacts: as many as there can be in an environment.
        max_contacts: so many of each; or, without it, as many as ``most`` bytes hold, as many of each as go.

    Raises:
        CapacityError: they take more than ``most``, or than is free.
    """
    allowed = free_bytes(store.device) if most is None else most

    def numbers(wanted: int) -> tuple[int, int]:
        return min(pairs, wanted), min(contacts, wanted)

    def fits(wanted: int) -> bool:
        taken = zip((c.Candidate, c.Contact), numbers(wanted), strict=True)
        return sum(slot_bytes(store, table, count) for table, count in taken) <= allowed

    low, high = 1, max(pairs, contacts, 1)
    if max_contacts is not None:
        low = high = max(max_contacts, 1)
    if not fits(low):
        bound = "are free" if most is None else "are max_memory"
        raise CapacityError(
            f"{low} slots for contacts in {store.num_envs} environments take more than the {allowed / 1e6:.1f} MB that "
            f"{bound}: make fewer environments, lower max_contacts, or raise max_memory"
        )
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    found = numbers(low)
    return (found[0], min(contacts, max_contacts)) if max_contacts is not None else found


def check_arrays(store: Store, fields: Iterable[Field], most: int | None) -> None:
    """Refuse to allocate fields that take more than the share of what is free.

    Raises:
        CapacityError: with the largest tables.
    """
    sizes: dict[str, int] = {}
    slots = 0
    of_slots = {table for first, more in SLOTS.items() for table in (first, *more)}
    for field in set(fields):
        size = store.bytes_of(field)
        sizes[field.table.name] = sizes.get(field.table.name, 0) + size
        slots += size if field.table in of_slots else 0
    total, free = sum(sizes.values()), free_bytes(store.device)
    largest = sorted(sizes, key=lambda name: -sizes[name])[:3]
    shown = ", ".join(f"{name} {sizes[name] / 1e9:.2f} GB" for name in largest)
    if total > free:
        raise CapacityError(
            f"this world takes {total / 1e9:.1f} GB in {store.num_envs} environments ({shown}), and "
            f"{free / 1e9:.1f} GB are free: make fewer environments, put less into each, or lower max_contacts"
        )
    if most is not None and slots > most:
        raise CapacityError(
            f"the slots of contacts that this world begins with take {slots / 1e6:.1f} MB in {store.num_envs} "
            f"environments, and max_memory={most / 1e6:.1f} MB: raise it, or lower max_contacts"
        )


def check_plan(device: Device, num_envs: int, links: int, shapes: int) -> None:
    """Refuse what cannot be built, before anything of it is.

    Args:
        links, shapes: in an environment; shapes that collide.

    Raises:
        CapacityError: the state of links, or the list of pairs of shapes, takes more than is free.
    """
    free, needed = free_bytes(device), num_envs * links * LINK_BYTES
    if needed > free:
        raise CapacityError(
            f"{links} links in {num_envs} environments take at least {needed / 1e9:.1f} GB, and {free / 1e9:.1f} GB "
            "are free: make fewer environments"
        )
    if not device.is_cuda and (needed := PAIR_BYTES * shapes * (shapes - 1) // 2) > SHARE * free:
        raise CapacityError(
            f"{shapes} collision shapes in an environment have {shapes * (shapes - 1) // 2:,} pairs, whose list takes "
            f"{needed / 1e9:.1f} GB, and {SHARE * free / 1e9:.1f} GB may be used: put fewer shapes into an environment"
        )


def too_many(what: str, store: Store, table: Table, dropped: np.ndarray, envs: str, most: int | None) -> CapacityError:
    """The error of slots that would take too much memory."""
    slots, missing = store.rows(table), int(dropped.max())
    needed = slot_bytes(store, table, slots + missing)
    allowed = f"max_memory={most / 1e6:.0f} MB" if most is not None else f"{SHARE:.0%} of the memory that is free may"
    rest = "" if most is not None else " be used"
    remedies = "move the shapes apart, make fewer environments, or raise max_memory of World"
    if table is c.Contact:
        remedies += "; max_contacts keeps so many in each environment, and warns of the others"
    remedies += '; when_full="nearest" keeps the nearest that fit'
    return CapacityError(
        f"{what}: there are {slots + missing} in one of environments {envs}, {slots} fit, and slots for all take "
        f"{needed / 1e6:.0f} MB in {store.num_envs} environments; {allowed}{rest}: {remedies}. reset(env_ids) of these "
        "environments goes on without them"
    )
