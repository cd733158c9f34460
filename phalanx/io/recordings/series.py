"""What was recorded of robots, rigid objects, collections and soft bodies, env-first, read when indexed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np
import zarr

from phalanx.io.reading.errors import LoadError
from phalanx.io.recordings.fields import FIELDS, KINDS
from phalanx.models.meshes.cloth_mesh import ClothMesh, mesh_from_dict
from phalanx.models.meshes.point_set import PointSet
from phalanx.models.meshes.rope_line import RopeLine
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.models.robot_model import RobotModel


class Series:
    """One recorded field of a robot, object, collection or soft body, (env, time, ...), read when indexed.

    Indices are NumPy's along each axis (whole numbers, slices, lists, masks), one an axis.
    """

    def __init__(self, array: zarr.Array[Any], samples: int, member: int | None = None):
        """``member``: which object of a collection; it is then as if that had been recorded by itself."""
        self._array = array
        self._samples = samples
        self._members = () if member is None else (slice(member, member + 1),)
        time, env, *rest = array.shape
        skip = 2 if member is None else 3
        self.shape: tuple[int, ...] = (env, min(time, samples), *rest[skip - 2 :])
        self.dtype: np.dtype[Any] = array.dtype
        names = cast(Any, array.metadata).dimension_names
        self.dims: tuple[str, ...] = (names[1], names[0], *names[skip:])
        self.attributes: dict[str, Any] = dict(array.attrs)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the values, which take less on the disk."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def units(self) -> str:
        """Units of the values."""
        return self.attributes.get("units", "")

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        sizes = ", ".join(f"{dim}: {size}" for dim, size in zip(self.dims, self.shape, strict=True))
        return f"<Series ({sizes}) {self.dtype} {self.units}>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self[...], dtype=dtype)

    def __getitem__(self, index: Any) -> np.ndarray:
        index = index if isinstance(index, tuple) else (index,)
        if (at := next((n for n, i in enumerate(index) if i is Ellipsis), None)) is not None:
            fill = (slice(None),) * (self.ndim - len(index) + 1)
            index = (*index[:at], *fill, *index[at + 1 :])
        if len(index) > self.ndim:
            raise IndexError(f"Too many indices: {len(index)} for the axes {self.dims}.")
        index = (*index, *(slice(None),) * (self.ndim - len(index)))
        env, drop_env = _positions(index[0], self.shape[0], "env")
        time, drop_time = _positions(index[1], self.shape[1], "time")
        try:
            values = np.asarray(self._array.oindex[(time, env, *self._members)])
        except Exception as error:
            raise LoadError(
                f"{self._array.store_path}: cannot be read ({error}). A file of the recording is damaged."
            ) from error
        values = values.swapaxes(0, 1)
        if self._members:
            values = values[:, :, 0]
        for axis in reversed(range(2, self.ndim)):
            values = values[(slice(None),) * axis + (index[axis],)]
        if drop_time:
            values = values[:, 0]
        return values[0] if drop_env else values


def _positions(index: Any, size: int, axis: str) -> tuple[slice | np.ndarray, bool]:
    """Index along one axis as a forward slice or positions, and whether the axis goes away."""
    if isinstance(index, int | np.integer) and not isinstance(index, bool | np.bool_):
        position = int(index) + (size if index < 0 else 0)
        if not 0 <= position < size:
            raise IndexError(f"Index {index} is out of bounds for the {axis} axis of size {size}.")
        return slice(position, position + 1), True
    if isinstance(index, slice) and (index.step is None or index.step > 0):
        start, stop, step = index.indices(size)
        return slice(start, max(start, stop), step), False
    return np.arange(size)[index], False


class ActorRecording(Mapping[str, Series]):
    """What was recorded of a robot or a rigid object: ``it["root_pose"]`` or ``it.root_pose`` is a :class:`Series`."""

    kind = "actor"

    def __init__(self, name: str, fields: dict[str, Series], names: Mapping[str, list[str]]):
        self.name = name
        self.joint_names: list[str] = names.get("joint", [])
        self.body_names: list[str] = names.get("body", [])
        self.names: dict[str, list[str]] = dict(names)
        """Names along its dimensions ``joint``, ``body`` and ``object``."""
        self._fields = fields

    def __getitem__(self, key: str) -> Series:
        if key not in self._fields:
            raise KeyError(f"{key!r} was not recorded of {self.name!r}; there are {', '.join(self._fields)}.")
        return self._fields[key]

    def __getattr__(self, key: str) -> Series:
        if not key.startswith("_") and key in FIELDS:
            try:
                return self[key]
            except KeyError as error:
                raise AttributeError(error.args[0]) from None
        raise AttributeError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {', '.join(self._fields)}>"

    def __len__(self) -> int:
        return len(self._fields)


class RobotRecording(ActorRecording):
    """What was recorded of one robot."""

    kind = "robot"

    def __init__(self, name: str, fields: dict[str, Series], names: Mapping[str, list[str]], model: RobotModel):
        super().__init__(name, fields, names)
        self.model = model


class ObjectRecording(RobotRecording):
    """What was recorded of one rigid object, by itself or in a collection."""

    kind = "object"


class CollectionRecording(ActorRecording):
    """What was recorded of a collection of rigid objects, (env, time, object, ...)."""

    kind = "collection"

    @property
    def object_names(self) -> list[str]:
        """Names of its objects, in order."""
        return self.names["object"]


class DeformableRecording(ActorRecording):
    """What was recorded of a soft body, (env, time, node, 3) and, of its origin, (env, time, 3)."""

    kind = "deformable"

    def __init__(self, name: str, fields: dict[str, Series], mesh: TetMesh | ClothMesh | RopeLine | PointSet):
        super().__init__(name, fields, {})
        self.mesh = mesh

    @property
    def node_pos(self) -> np.ndarray:
        """(env, time, node, 3): where nodes are in the world, m, read from disk as a whole."""
        return self["origin"][...][:, :, None] + self["node_offset"][...]


class ContactRecording(ActorRecording):
    """Contact points that were recorded: (env, time, contact, ...), of which ``contact_count`` are in use."""

    kind = "contact"

    @property
    def room(self) -> int:
        """Contacts of an environment that there was room for."""
        return next((series.shape[2] for series in self.values() if series.ndim > 2), 0)


def open_contacts(root: zarr.Group, header: dict[str, Any]) -> ContactRecording | None:
    """Contacts of a recording, if they were recorded."""
    for name, path in header.get("contacts", {}).items():
        group = cast(zarr.Group, root[path])
        keys = [key for key in header["fields"] if key in KINDS["contact"]]
        series = {key: Series(cast(Any, group[key]), header["complete_samples"]) for key in keys}
        return ContactRecording(name, series, {})
    return None


def open_actors(
    root: zarr.Group, header: dict[str, Any], description: dict[str, Any]
) -> tuple[
    dict[str, RobotRecording],
    dict[str, ObjectRecording],
    dict[str, CollectionRecording],
    dict[str, DeformableRecording],
]:
    """Robots, rigid objects (those of collections too), collections and soft bodies of a recording, by name."""
    models = {
        placed["name"]: RobotModel.from_dict(placed["model"])
        for key in ("robots", "objects")
        for placed in description.get(key, [])
    }
    samples = header["complete_samples"]

    def opened(kind: str, group: zarr.Group, member: int | None = None) -> dict[str, Series]:
        keys = [key for key in header["fields"] if key in KINDS[kind]]
        return {key: Series(cast(Any, group[key]), samples, member) for key in keys}

    def names(group: zarr.Group) -> dict[str, list[str]]:
        found = {dim: group.attrs.get(f"{dim}_names") for dim in ("joint", "body", "object")}
        return {dim: list(cast(Any, labels)) for dim, labels in found.items() if labels is not None}

    robots: dict[str, RobotRecording] = {}
    objects: dict[str, ObjectRecording] = {}
    collections: dict[str, CollectionRecording] = {}
    for name, path in header["robots"].items():
        group = cast(zarr.Group, root[path])
        robots[name] = RobotRecording(name, opened("robot", group), names(group), models[name])
    for name, path in header.get("objects", {}).items():
        group = cast(zarr.Group, root[path])
        objects[name] = ObjectRecording(name, opened("object", group), names(group), models[name])
    for name, path in header.get("collections", {}).items():
        group = cast(zarr.Group, root[path])
        collections[name] = CollectionRecording(name, opened("collection", group), names(group))
        for i, member in enumerate(collections[name].object_names):
            objects[member] = ObjectRecording(member, opened("collection", group, i), {}, models[member])
    meshes = {each["name"]: each["source"] for each in description.get("deformables", [])}
    deformables = {
        name: DeformableRecording(
            name, opened("deformable", cast(zarr.Group, root[path])), mesh_from_dict(meshes[name])
        )
        for name, path in header.get("deformables", {}).items()
    }
    return robots, objects, collections, deformables
