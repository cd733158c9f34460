"""A farm's dataset, opened lazily as one, and checked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.farm.errors import FarmError, StoreError
from phalanx.farm.spec import Spec
from phalanx.farm.store import FarmStore, arrays_digest, dataset_digest

if TYPE_CHECKING:
    import xarray


def open_dataset(
    url: str | os.PathLike[str], *, options: Mapping[str, Any] | None = None, partial: bool = False
) -> xarray.Dataset:
    """The dataset as one ``xarray.Dataset`` of Dask arrays, a chunk for each shard, which is read when it is asked for.

    Dimensions are ``episode``, ``time`` (s), and a signal's own, such as ``joint_pos_2``. Attributes are the spec and
    the digest.

    Args:
        url: of the dataset.
        options: for fsspec.
        partial: also if shards are missing, which are left out then.

    Raises:
        FarmError: there is none, it is not complete, or what reads it is not installed.
    """
    try:
        import dask.array
        import xarray
        from dask.base import tokenize
        from dask.highlevelgraph import HighLevelGraph
    except ImportError:
        raise FarmError("Reading farms needs xarray and dask: pip install 'phalanx[farm]'") from None
    store, spec, commits, digest = _opened(url, options, partial)
    order = sorted(commits)
    if not order:
        raise FarmError(f"{url}: no shard has been committed yet")
    variables = {}
    rows = tuple(len(spec.episodes_of(shard)) for shard in order)
    for name, said in commits[order[0]]["arrays"].items():
        inner, dtype = tuple(said["shape"][1:]), np.dtype(said["dtype"])
        label = f"{name}-{tokenize(str(url), digest, order)}"
        graph: Any = {
            (label, n, *(0 for _ in inner)): (store.read_array, commits[shard]["place"], name)
            for n, shard in enumerate(order)
        }
        whole = HighLevelGraph.from_collections(label, graph)
        make: Any = dask.array.Array
        values = make(whole, label, (rows, *((n,) for n in inner)), dtype)
        dims = ["episode", "time"] if name in spec.signals else ["episode"]
        dims += [f"{name}_{n}" for n in range(len(dims), values.ndim)]
        variables[name] = (dims, values)
    episodes = np.concatenate([np.array(spec.episodes_of(shard)) for shard in order])
    dt = float(commits[order[0]].get("step_seconds", spec.world.get("dt", 0.005)))
    coordinates = {"episode": episodes, "time": np.array(spec.samples) * dt}
    return xarray.Dataset(variables, coordinates, {"spec": spec.describe(), "digest": digest})


def verify(url: str | os.PathLike[str], *, options: Mapping[str, Any] | None = None) -> str:
    """Read everything, and compare it with what was committed; returns the dataset's digest.

    Raises:
        FarmError: it is not complete, or a shard was changed or damaged; the message names it.
    """
    store, _, commits, digest = _opened(url, options, partial=False)
    for shard, one in sorted(commits.items()):
        arrays = {name: store.read_array(one["place"], name) for name in one["arrays"]}
        if arrays_digest(arrays) != one["digest"]:
            raise StoreError(
                f"{url}: shard {shard} ({one['place']}) is not what was written: it was changed or damaged"
            )
    if dataset_digest([commits[shard] for shard in sorted(commits)]) != digest:
        raise StoreError(f"{url}: the manifest is not what was written")
    return digest


def _opened(url: Any, options: Any, partial: bool) -> tuple[FarmStore, Spec, dict[int, dict[str, Any]], str]:
    store = FarmStore(url, options)
    found = store.read("farm.json")
    if found is None:
        raise StoreError(f"{url}: there is no farm")
    store.check(found)
    spec = Spec.of(found["spec"])
    manifest = store.read("manifest.json")
    if manifest is None and not partial:
        done = len(store.commits(spec))
        raise FarmError(
            f"{url}: {done} of {spec.shards} shards are done; go on with --resume, or open with partial=True"
        )
    return store, spec, store.commits(spec), manifest["digest"] if manifest else ""
