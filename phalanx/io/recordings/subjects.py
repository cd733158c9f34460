"""What of a world is recorded: robots, rigid objects, collections, soft bodies, each in a group of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.io.recordings.fields import COMPONENTS, FIELDS, KINDS, dimensions, field_attributes
from phalanx.io.recordings.folder import RecordingError
from phalanx.io.recordings.samples import Source
from phalanx.io.recordings.store import GrowingStore

if TYPE_CHECKING:
    from phalanx.world.world import World

FOLDERS = {
    "robot": "robots",
    "object": "objects",
    "collection": "collections",
    "deformable": "deformables",
    "contact": "contacts",
}
"""Folder of each kind."""


def handles(world: World, kind: str) -> dict[str, Any]:
    """What a world has of a kind, by name: soft bodies, cloth and ropes are deformable."""
    return {**world.all_deformables} if kind == "deformable" else getattr(world, FOLDERS[kind])


ALL_CONTACTS = "world"
"""Name under which contacts are recorded: those of all that touches."""


@dataclass(frozen=True)
class ContactRoom:
    """Contacts as what is recorded: so many of each environment, at most."""

    room: int


@dataclass(frozen=True)
class Subject:
    """Something that is recorded."""

    kind: str
    """``"robot"``, ``"object"``, ``"collection"``, ``"deformable"`` or ``"contact"``."""
    name: str
    group: str
    handle: Any
    """The robot, object, collection or soft body; of contacts a :class:`ContactRoom`."""
    fields: tuple[str, ...]

    def names(self) -> dict[str, list[str]]:
        """Names along its dimensions."""
        if self.kind == "collection":
            return {"object": list(self.handle.object_names)}
        if self.kind in ("deformable", "contact"):
            return {}
        bodies = {"body": list(self.handle.body_names)}
        return {"joint": list(self.handle.joint_names), **bodies} if self.kind == "robot" else bodies

    def declare(
        self, store: GrowingStore, num_envs: int, dtype: str, sources: Mapping[str, Source], chunk: int
    ) -> None:
        """Make its group: coordinates, and an array for each field that grows along time."""
        names, group = self.names(), self.group
        joints = names.get("joint", [])
        listed = {f"{dim}_names": labels for dim, labels in names.items()}
        store.add_group(group, {self.kind: self.name, **listed, "coordinates": "step"})
        for key, kind, text in (("time", np.float64, "simulated time"), ("step", np.int64, "steps made")):
            about = {"long_name": text, **({"units": "s"} if key == "time" else {})}
            store.add_series(f"{group}/{key}", (), kind, ("time",), about, shard_rows=chunk)
        store.add_constant(f"{group}/env", np.arange(num_envs), ("env",), {"long_name": "environment"})
        dims = {dim for key in self.fields for dim in dimensions(self.kind, key)}
        labels = {**names, **COMPONENTS}
        for dim in sorted(dims & labels.keys()):  # nodes and contacts have numbers, no names
            store.add_constant(f"{group}/{dim}", np.array(labels[dim], dtype=str), (dim,))
        for key in self.fields:
            store.add_series(
                f"{group}/{key}",
                (num_envs, *sources[f"{group}/{key}"].item),
                dtype,
                ("time", "env", *dimensions(self.kind, key)),
                field_attributes(FIELDS[key], joints, self.handle.model if joints else None),
                shard_rows=chunk,
            )


def subjects(world: World, fields: Sequence[str], contacts: int = 0) -> list[Subject]:
    """Everything in a world that has some of the fields; objects of a collection are recorded with it.

    Args:
        world: whose.
        fields: by name.
        contacts: points of an environment that there is room for.

    Raises:
        RecordingError: there is nothing to record, or two names make the same folder.
    """
    in_collections = {name for collection in world.collections.values() for name in collection.object_names}
    there: list[tuple[str, str, Any]] = [("robot", name, robot) for name, robot in world.robots.items()]
    there += [("object", name, each) for name, each in world.objects.items() if name not in in_collections]
    there += [("collection", name, each) for name, each in world.collections.items()]
    there += [("deformable", name, each) for name, each in handles(world, "deformable").items()]
    there += [("contact", ALL_CONTACTS, ContactRoom(contacts))] if contacts and there else []
    if not there:
        raise RecordingError("Recorder: the world has no robot, no rigid object and no soft body to record.")
    found = []
    for kind, name, handle in there:
        group = f"{FOLDERS[kind]}/{name.replace('/', '|')}"  # a name with a slash must not become two folders
        own = tuple(key for key in fields if key in KINDS[kind])
        if own:
            found.append(Subject(kind, name, group, handle, own))
    if not found:
        raise RecordingError(
            f"Recorder: nothing in the world has {', '.join(fields)}; rigid objects have {', '.join(KINDS['object'])}, "
            f"soft bodies {', '.join(KINDS['deformable'])}."
        )
    groups = [subject.group for subject in found]
    odd = [subject.name for subject in found if subject.name in ("", ".", "..")]
    if odd or len(set(groups)) < len(groups):
        raise RecordingError(f"Recorder: names that cannot be told apart as folders: {', '.join(groups)}.")
    return found
