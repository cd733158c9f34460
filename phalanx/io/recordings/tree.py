"""A recording as a tree of xarray: robots, objects, contacts and sensors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from phalanx.io.reading.errors import LoadError
from phalanx.io.recordings.subjects import FOLDERS
from phalanx.io.recordings.zarr_metadata import check_metadata, read_document


def open_tree(path: Path, header: dict[str, Any], samples: int) -> Any:
    """An ``xarray.DataTree`` of a recording, read from disk when it is looked at, cut to complete samples.

    ``/`` has ``time`` (s), ``step`` and ``env``, and where everything was; ``/robots/NAME``, ``/objects/NAME`` (rigid
    objects, collections and soft bodies) what was recorded of each, (time, env, ...) with names of joints, bodies and
    objects as coordinates and units as attributes; ``/contacts`` contact points, if they were recorded;
    ``/sensors/KIND/BODY`` the readings that ``phalanx replay --sensor`` put beside the recording, if there are any.

    Args:
        path: of the recording.
        header: what it says of itself.
        samples: complete ones.

    Raises:
        ImportError: xarray is missing.
    """
    try:
        import xarray as xr
    except ImportError as error:
        raise ImportError(
            "a recording as a tree needs xarray, which the extra xarray brings: pip install 'phalanx[xarray]'"
        ) from error

    def dataset(group: str) -> Any:
        return xr.open_zarr(path, group=group or None, zarr_format=3, consolidated=True).isel(time=slice(samples))

    folders = {
        folder: "robots" if kind == "robot" else "objects" for kind, folder in FOLDERS.items() if kind != "contact"
    }
    groups = {
        f"/{folders[folder]}/{name.replace('/', '|')}": dataset(group)
        for folder in folders
        for name, group in header.get(folder, {}).items()
    }
    for group in header.get(FOLDERS["contact"], {}).values():
        groups["/contacts"] = dataset(group)
    first = next(iter(groups.values()))
    try:
        root = dataset("")
        root = root if "time" in root.coords else first[["time", "step", "env"]]  # older recordings have none
    except (KeyError, ValueError):
        root = first[["time", "step", "env"]]
    root.attrs = {
        "title": f"Phalanx recording of {', '.join(name for folder in folders for name in header.get(folder, {}))}",
        **{key: header[key] for key in ("created", "phalanx", "dt", "every", "num_envs")},
    }
    return xr.DataTree.from_dict({"/": root, **groups, **_sensors(xr, path, root)})


def _sensors(xr: Any, path: Path, root: Any) -> dict[str, Any]:
    """Readings beside a recording, by their place in the tree; NaN in environments that were not asked for."""
    beside = path.parent / f"{path.stem}.sensors.zarr"
    if not beside.is_dir():
        return {}
    check_metadata(
        beside, read_document(beside), nested=True
    )  # before Zarr looks: it may come from the recording's stranger
    try:
        tree = xr.open_datatree(beside, engine="zarr", chunks=None, consolidated=True, zarr_format=3)
    except Exception as error:
        raise LoadError(f"{beside}: cannot be read ({type(error).__name__}: {error}).") from error
    return {f"/sensors{node.path}": node.to_dataset().reindex(env=root.env) for node in tree.leaves if node.has_data}
