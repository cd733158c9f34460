"""Worlds as data: descriptions that make the same world again, and files with the exact state."""

from __future__ import annotations

import contextlib
import copy
import errno
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from phalanx import components as c
from phalanx.ecs.errors import CapacityError, DeviceError
from phalanx.ecs.whole_files import replacing
from phalanx.io.reading.digests import digest_of_arrays
from phalanx.io.reading.errors import LoadError
from phalanx.models.robot_model import RobotModel
from phalanx.world import memory
from phalanx.world.contents import Contents
from phalanx.world.deformables import adding
from phalanx.world.layout.fill import grow_slots

W = TypeVar("W", bound=Contents)

FORMAT = 3
"""Version of saved worlds and descriptions."""

MOST_ARRAYS = 4096
"""In a file."""

STATE_ROLES = ("state", "input", "parameter")
"""Roles of the fields that continue a simulation."""


def describe(world: Contents) -> dict[str, Any]:
    """See :meth:`phalanx.World.describe`."""
    names = list(world.actors)
    return {
        "format": FORMAT,
        "num_envs": world.num_envs,
        "device": world.device,
        "dtype": world.dtype,
        "dt": world.dt,
        "gravity": list(world.gravity),
        "substeps": world.substeps,
        **world._settings,
        "grounds": [
            {
                "height": g.height,
                "normal": list(g.normal),
                "material": g.material.to_dict(),
                "collision_group": g.group,
                "collision_mask": g.mask,
                "contact_type": g.contact_type,
                "contact_affinity": g.contact_affinity,
            }
            for g in world._grounds
        ],
        "robots": [_placed(world, name) for name in world.robots],
        "objects": [_placed(world, name) for name in world.objects],
        "order": list(world.actors),
        "collections": {name: list(made.object_names) for name, made in world.collections.items()},
        "disabled_collisions": [[names[a], names[b]] for a, b in sorted(world._disabled)],
        "separated_bodies": [[list(a), list(b)] for a, b in world._separated],
        "deformables": adding.describe(world.all_deformables),
        "attachments": adding.describe_attachments(world.attachments),
        "joints": [joint.plan.to_dict() for joint in world.joints.values()],
        "features": sorted(world.engine.features),
        "systems": [system.name for system in world._extra_systems],
    }


def _placed(world: Contents, name: str) -> dict[str, Any]:
    """How an actor was added."""
    how = dict(world._placements[name])
    model = how.pop("model")
    return {"name": name, **copy.deepcopy(how), "model": model.to_dict()}


def from_description(
    kind: Callable[..., W], description: dict[str, Any], num_envs: int | None = None, device: str | None = None
) -> W:
    """See :meth:`phalanx.World.from_description`."""
    d = dict(description)
    if d.pop("format", None) != FORMAT:
        raise LoadError(f"this description has another format than {FORMAT}; use the version of Phalanx that wrote it")
    grounds, order = d.pop("grounds"), d.pop("order")
    robots, objects = ({each["name"]: each for each in d.pop(key)} for key in ("robots", "objects"))
    collections, disabled = d.pop("collections"), d.pop("disabled_collisions")
    joints, separated = d.pop("joints", []), d.pop("separated_bodies", [])
    soft, attachments = d.pop("deformables", []), d.pop("attachments", [])
    d.pop("systems", None)
    if num_envs is not None:
        d["num_envs"] = num_envs
    d["device"] = device or ("auto" if d["device"].startswith("cuda") else d["device"])
    features = d.pop("features")
    world = kind(**d)
    world.engine.features.update(features)
    for ground in grounds:
        world.add_ground(**ground)
    for name in order:
        placed = dict(robots[name] if name in robots else objects[name])
        pose, model = placed.pop("pose"), RobotModel.from_dict(placed.pop("model"))
        add = world.add_robot if name in robots else world.add_rigid_object
        add(model, position=pose[:3], orientation=pose[3:], **placed)
    adding.restore(world, soft, attachments)
    for name, members in collections.items():
        world._collect(name, members)
    for a, b in separated:
        world.disable_collision(tuple(a), tuple(b))
    for pair in disabled:
        world.disable_collision(*pair)
    for joint in joints:
        world.add_joint(**joint)
    return world


def save(world: Contents, path: str | os.PathLike[str]) -> None:
    """See :meth:`phalanx.World.save`."""
    target = Path(path)
    if not target.parent.is_dir() or target.is_dir():
        raise OSError(f"{target}: cannot save a world here; give the name of a file in a folder that exists")
    state = world.state()
    size, free = sum(values.nbytes for values in state.values()), shutil.disk_usage(target.parent).free
    if size > free:
        raise OSError(
            errno.ENOSPC,
            f"saving this world takes {size / 1e6:.1f} MB, and {free / 1e6:.1f} MB are free; make room, or choose "
            "another disk",
            os.fspath(target),
        )
    state["world"] = np.array(json.dumps(describe(world)))
    state["digest"] = np.array(digest_of_arrays(state))
    with replacing(target) as made, open(made, "wb") as file:
        np.savez(file, **state)  # type: ignore[arg-type]


def fit_slots(world: Contents, state: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The state with as many contact slots as the world has, which gets more if the state needs them.

    Slots grow while a world runs, so a state may come from a time when there were fewer, or from another world that
    needed more. Those behind ``ContactCount`` are not in use.
    """
    store = world.engine.store
    fields = {f.key: f for f in store.fields(STATE_ROLES) if f.table is c.Contact}
    rows = {state[key].shape[0] for key in fields if key in state and state[key].ndim > 0}
    if len(rows) != 1 or (wanted := rows.pop()) == store.rows(c.Contact):
        return state
    if wanted > store.rows(c.Contact):
        if not memory.room_for(store, c.Contact, wanted, world._settings["max_memory"]):
            raise CapacityError(
                f"this state has {wanted} slots for contacts, which take more memory than there may be; raise "
                "max_memory of World, or make fewer environments"
            )
        grow_slots(store, c.Contact, wanted)
        return state
    missing = store.rows(c.Contact) - wanted
    padded = {key: np.pad(state[key], [(0, missing)] + [(0, 0)] * (state[key].ndim - 1)) for key in fields}
    return {**state, **padded}


def load(
    kind: Callable[..., W],
    path: str | os.PathLike[str],
    device: str | None = None,
    prepare: Callable[[W], object] | None = None,
) -> W:
    """See :meth:`phalanx.World.load`."""
    source = Path(path)
    if not source.is_file():
        raise LoadError(f"{source}: no such file")
    if not zipfile.is_zipfile(source):
        raise LoadError(f"{source}: not a saved world, or not all of one; it must come from World.save()")
    with _of_a_saved_world(source):
        state = _arrays(source)
        signed = state.pop("digest", None)
        if signed is not None and str(signed[()]) != digest_of_arrays(state):
            raise LoadError(f"{source}: it was changed after it was saved; a world can only be loaded as it was")
        description = json.loads(str(state.pop("world")[()]))
        envs = description["num_envs"]
        if not any(values.ndim and values.shape[-1] == envs for values in state.values()):
            raise LoadError(f"{source}: it has no state of the {envs!r:.30} environments that it describes")
        world = from_description(kind, description, device=device)
    if prepare is not None:
        prepare(world)
    known = {system.name for system in world._extra_systems}
    missing = [name for name in description["systems"] if name not in known]
    if missing:
        raise LoadError(
            f"{source}: the saved world has systems of its own ({', '.join(missing)}); pass prepare=, "
            "a function that adds them to the world that it is given"
        )
    with _of_a_saved_world(source):
        world.build()
        lost = {field.key for field in world.engine.store.fields(STATE_ROLES)} - state.keys()
        if lost:
            raise LoadError(f"{source}: the saved world lacks {', '.join(sorted(lost))}; did another version save it?")
        world.set_state(state)
    return world


def _arrays(source: Path) -> dict[str, np.ndarray]:
    """What a file holds, by name; what would unpack to more than the file has is not read."""
    with zipfile.ZipFile(source) as file:
        packed = [each.filename for each in file.infolist() if each.compress_type != zipfile.ZIP_STORED]
        if packed or sum(each.file_size for each in file.infolist()) > os.path.getsize(source):
            raise ValueError("its arrays are packed")
        if len(file.infolist()) > MOST_ARRAYS:
            raise ValueError(f"it has {len(file.infolist())} arrays; a world has at most {MOST_ARRAYS}")
    with np.load(source, allow_pickle=False) as data:
        return {key: data[key] for key in data.files}


@contextlib.contextmanager
def _of_a_saved_world(source: Path) -> Iterator[None]:
    """Turn whatever a file that is damaged, or something else, leads to into an error about it."""
    try:
        yield
    except (CapacityError, DeviceError, ImportError):
        raise
    except Exception as error:
        if isinstance(error, LoadError) and str(error).startswith(f"{source}: "):
            raise
        raise LoadError(f"{source}: not a saved world ({error}); it must come from World.save()") from error
