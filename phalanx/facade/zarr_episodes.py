"""Datasets of episodes in Zarr for Isaac Lab's recorder manager: what its HDF5 files hold, in a folder of arrays.

    from phalanx.facade.zarr_episodes import ZarrDatasetFileHandler

    env_cfg.recorders.dataset_file_handler_class_type = ZarrDatasetFileHandler

Groups and attributes are those of Isaac Lab's HDF5 files: ``data/demo_N`` with an array for each thing recorded. An
episode is in the folder whole or not at all, so that a run which is killed leaves all episodes before readable.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from phalanx.ecs.whole_files import new_folder

if TYPE_CHECKING:
    from isaaclab.utils.datasets import EpisodeData  # pyright: ignore[reportMissingImports]

MARK = "phalanx_episodes"
"""Attribute of a folder that this module wrote."""

CHUNK_BYTES = 8 << 20
"""Of an array's chunk, about: whole samples of at most so many bytes, one at least."""


class ZarrDatasetFileHandler:
    """Writes and reads episodes as Isaac Lab 2.3.2's ``HDF5DatasetFileHandler`` does, in Zarr 3.

    For ``RecorderManagerBaseCfg.dataset_file_handler_class_type``, which makes one of it without arguments, and for
    scripts that read datasets. Methods and their errors are those of ``HDF5DatasetFileHandler``.
    """

    def __init__(self) -> None:
        self._path: Path | None = None
        self._data: Any = None
        self._demo_count = 0
        self._env_args: dict[str, Any] = {}

    def open(self, file_path: str, mode: Literal["r", "r+", "a"] = "r") -> None:
        """Open a dataset that is there.

        Args:
            file_path: of the folder.
            mode: ``"r"`` to read; ``"r+"`` or ``"a"`` also to add episodes, after those that there are.

        Raises:
            RuntimeError: this handler has a dataset open.
            FileNotFoundError: there is no dataset of episodes.
        """
        self._check_free()
        path = Path(file_path)
        if not _is_ours(path):
            raise FileNotFoundError(f"{path}: there is no dataset of episodes in Zarr.")
        import zarr

        try:  # arrays of Zarr v2 may ask for codecs that run what they read
            data = zarr.open_group(str(path), mode="r" if mode == "r" else "r+", zarr_format=3)["data"]
        except (KeyError, ValueError, TypeError) as error:
            raise FileNotFoundError(f"{path}: its group data is missing or damaged ({error}).") from error
        self._data = data
        self._path = path
        self._demo_count = len(self.get_episode_names())
        self._env_args = json.loads(self._data.attrs.get("env_args", "{}"))

    def create(self, file_path: str, env_name: str | None = None) -> None:
        """Begin a dataset, in place of one that an earlier call began there.

        Args:
            file_path: of the folder; ``.zarr`` is added where it lacks that.
            env_name: of the environment.

        Raises:
            RuntimeError: this handler has a dataset open.
            FileExistsError: something else is there.
        """
        import zarr

        self._check_free()
        path = Path(file_path if str(file_path).endswith(".zarr") else f"{file_path}.zarr")
        if os.path.lexists(path):
            if not _is_ours(path):
                raise FileExistsError(f"{path}: it exists and is no dataset of episodes. Choose another name.")
            shutil.rmtree(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mkdir(path)  # fails where somebody else was faster
        root = zarr.create_group(store=str(path), zarr_format=3, attributes={MARK: {"format": 1}})
        self._data = root.create_group("data", attributes={"total": 0})
        self._path = path
        self._demo_count = 0
        self._env_args = {}
        self.add_env_args({"env_name": env_name if env_name is not None else "", "type": 2})  # 2: Gym, in robomimic

    def __del__(self) -> None:
        self.close()

    def add_env_args(self, env_args: Mapping[str, Any]) -> None:
        """Add arguments of the environment, which JSON can hold, to the attribute ``env_args``."""
        data = self._opened()
        self._env_args.update(env_args)
        data.attrs["env_args"] = json.dumps(self._env_args)

    def set_env_name(self, env_name: str) -> None:
        """Name the environment."""
        self.add_env_args({"env_name": env_name})

    def get_env_name(self) -> str | None:
        """Name of the environment, ``None`` without one."""
        return json.loads(self._opened().attrs["env_args"]).get("env_name")

    def get_episode_names(self) -> list[str]:
        """Names of the episodes, ``demo_2`` before ``demo_10``."""
        return sorted(self._opened().group_keys(), key=lambda name: (len(name), name))

    def get_num_episodes(self) -> int:
        """Number of episodes that were there or got a number of their own, as :attr:`demo_count`."""
        return self._demo_count

    @property
    def demo_count(self) -> int:
        """Episodes so far, but for those written under a number that was given."""
        return self._demo_count

    def load_episode(self, episode_name: str, device: str = "cpu") -> EpisodeData | None:
        """An episode as tensors on a device, ``None`` if there is none of the name."""
        import torch
        from isaaclab.utils.datasets import EpisodeData  # pyright: ignore[reportMissingImports]

        data = self._opened()
        if episode_name not in data:
            return None
        group = data[episode_name]

        def loaded(group: Any) -> dict[str, Any]:
            found: dict[str, Any] = {name: loaded(each) for name, each in group.groups()}
            found.update((name, torch.tensor(each[...], device=device)) for name, each in group.arrays())
            return found

        episode = EpisodeData()
        episode.data = loaded(group)
        if "seed" in group.attrs:
            episode.seed = group.attrs["seed"]
        if "success" in group.attrs:
            episode.success = group.attrs["success"]
        episode.env_id = self.get_env_name()
        return episode

    def write_episode(self, episode: EpisodeData, demo_id: int | None = None) -> None:
        """Add an episode, but for an empty one.

        Args:
            episode: dictionaries of tensors, whose first dimension is time.
            demo_id: its number; by default the next.

        Raises:
            ValueError: there is one of that number.
        """
        import zarr

        data, path = self._opened(), self._path
        assert path is not None
        if episode.is_empty():
            return
        name = f"demo_{self._demo_count if demo_id is None else demo_id}"
        if name in data:
            raise ValueError(f"Episode group '{name}' already exists in the dataset {path}")
        actions = episode.data.get("actions")
        about: dict[str, Any] = {"num_samples": 0 if actions is None else len(actions)}
        if episode.seed is not None:
            about["seed"] = int(episode.seed)
        if episode.success is not None:
            about["success"] = bool(episode.success)
        part = new_folder(path)
        try:
            _write(zarr.create_group(store=str(part), zarr_format=3, attributes=about), episode.data)
            os.rename(part, path / "data" / name)
        finally:
            shutil.rmtree(part, ignore_errors=True)
        data.attrs["total"] = data.attrs["total"] + about["num_samples"]
        if demo_id is None:
            self._demo_count += 1

    def flush(self) -> None:
        """Do nothing: what was written is on disk already."""
        self._opened()

    def close(self) -> None:
        """Let go of the dataset; the handler can open another one."""
        self._data = self._path = None

    def _opened(self) -> Any:
        if self._data is None:
            raise RuntimeError("Zarr dataset is not initialized: call create or open first")
        return self._data

    def _check_free(self) -> None:
        if self._data is not None:
            raise RuntimeError(f"Zarr dataset {self._path} is already in use: close it first")


def _write(group: Any, values: Mapping[str, Any]) -> None:
    """Tensors as arrays, dictionaries as groups."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            _write(group.create_group(key), value)
            continue
        host = value.detach().cpu().numpy()
        if host.ndim:
            steps = max(1, min(len(host), CHUNK_BYTES // max(1, host[:1].nbytes)))
            layout = {
                "chunks": (steps, *(max(1, n) for n in host.shape[1:])),
                "dimension_names": ["step", *(f"{key}_{i}" for i in range(1, host.ndim))],
            }
        else:
            layout = {}
        group.create_array(key, shape=host.shape, dtype=host.dtype, **layout)[...] = host


def _is_ours(path: Path) -> bool:
    attributes = None
    if not path.is_symlink():
        with contextlib.suppress(OSError, ValueError, AttributeError):
            attributes = json.loads((path / "zarr.json").read_text(encoding="utf-8")).get("attributes")
    return isinstance(attributes, dict) and MARK in attributes
