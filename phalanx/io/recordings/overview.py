"""What the root of a recording shows: where everything was. So ``xarray.open_zarr("run.zarr")`` is of use by itself.

All that was recorded is in the groups; :meth:`phalanx.io.recordings.replay.Recording.to_xarray` has them as a tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from phalanx.io.recordings.fields import AXIS
from phalanx.io.recordings.store import GrowingStore
from phalanx.io.recordings.subjects import Subject

PLACES = {"robot": "root_pose", "object": "root_pose", "collection": "root_pose", "deformable": "origin"}
"""The field of each kind whose first three numbers are where it is."""


def positions(subjects: Sequence[Subject]) -> dict[str, Subject]:
    """Names of the arrays at the root, and what each is the position of; of what records where it is."""
    found: dict[str, Subject] = {}
    for subject in subjects:
        if PLACES.get(subject.kind) in subject.fields:
            found.setdefault(f"{subject.name.replace('/', '|')}_position", subject)
    return found


def declare(store: GrowingStore, subjects: Sequence[Subject], num_envs: int, dtype: str, chunk: int) -> None:
    """Make the arrays of the root: time, step and environment, and positions."""
    store.add_series("time", (), np.float64, ("time",), {"long_name": "simulated time", "units": "s"}, shard_rows=chunk)
    store.add_series("step", (), np.int64, ("time",), {"long_name": "steps made"}, shard_rows=chunk)
    store.add_constant("env", np.arange(num_envs), ("env",), {"long_name": "environment"})
    store.attributes["coordinates"] = "step"
    found = positions(subjects)
    if found:
        store.add_constant("axis", np.array(AXIS, dtype=str), ("axis",))
    for name, subject in found.items():
        members = subject.names().get("object", ())
        dim = name.replace("_position", "_object")
        if members:
            store.add_constant(dim, np.array(members, dtype=str), (dim,))
        store.add_series(
            name,
            (num_envs, *([len(members)] if members else []), 3),
            dtype,
            ("time", "env", *([dim] if members else []), "axis"),
            {"units": "m", "long_name": f"position of {subject.name}", "group": subject.group},
            shard_rows=chunk,
        )


def rows(subjects: Sequence[Subject], columns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Rows of the root's positions, of what was recorded in the groups."""
    return {
        name: np.ascontiguousarray(columns[f"{subject.group}/{PLACES[subject.kind]}"][..., :3])
        for name, subject in positions(subjects).items()
    }
