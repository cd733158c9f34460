"""Where a farm's dataset lies: a local folder, or a URL that fsspec knows (s3://, gs://, memory://).

A worker writes a shard into a folder with a name that nobody else has. What is there counts only once the coordinator
has written a commit, one small file, whole or not at all. What was not committed is removed when the farm ends or goes
on. ``farm.json`` says what the farm is.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.farm.errors import FarmError, StoreError
from phalanx.farm.spec import Spec

FORMAT = 1
"""Of everything that is written here."""

PROBE = "probe"


class FarmStore:
    """A dataset that a farm writes, or has written.

    Args:
        url: of its folder.
        options: for fsspec, such as an endpoint.
    """

    def __init__(self, url: str | os.PathLike[str], options: Mapping[str, Any] | None = None) -> None:
        from fsspec.core import url_to_fs

        self.url, self.options = str(url), dict(options or {})
        try:
            self._files, self._root = url_to_fs(self.url, **self.options)
        except (ImportError, ValueError) as error:
            raise StoreError(f"{self.url} cannot be opened: {error}") from None
        self.local = type(self._files).__name__ == "LocalFileSystem"

    def place(self, *names: str) -> str:
        """Path within the file system."""
        return "/".join((self._root.rstrip("/"), *names))

    # -- files -----------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _telling(self, what: str) -> Iterator[None]:
        try:
            yield
        except StoreError:
            raise
        except Exception as error:  # file systems of clouds raise errors of their own
            raise StoreError(f"{self.url}: {what}: {reason(error)}") from error

    def write(self, value: Any, *names: str) -> None:
        """Write a value as JSON; the file is there whole or not at all."""
        text = json.dumps(value, indent=1).encode()
        path = self.place(*names)
        with self._telling(f"{'/'.join(names)} cannot be written"):
            if self.local:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                unfinished = f"{path}.{secrets.token_hex(8)}.part"
                with open(unfinished, "xb") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(unfinished, path)
            else:
                self._files.pipe_file(path, text)

    def read(self, *names: str) -> Any:
        """What :meth:`write` has written; ``None`` if there is nothing."""
        with self._telling(f"{'/'.join(names)} cannot be read"):
            try:
                return json.loads(self._files.cat_file(self.place(*names)))
            except FileNotFoundError:
                return None
            except ValueError:
                raise StoreError(f"{self.url}: {'/'.join(names)} is damaged: it is no JSON.") from None

    def names(self, folder: str) -> list[str]:
        """What lies in a folder."""
        with self._telling(f"{folder} cannot be listed"):
            self._files.invalidate_cache()
            try:
                return sorted(path.rstrip("/").rpartition("/")[2] for path in self._files.ls(self.place(folder), False))
            except FileNotFoundError:
                return []

    def remove(self, *names: str) -> None:
        """Remove a folder or a file."""
        with self._telling(f"{'/'.join(names)} cannot be removed"), contextlib.suppress(FileNotFoundError):
            self._files.rm(self.place(*names), recursive=True)

    # -- a farm ----------------------------------------------------------------------------------------------

    def begin(self, spec: Spec, resume: bool, room: int = 0) -> dict[int, dict[str, Any]]:
        """See that a farm can be written here, and make it, or go on with it; returns what is committed.

        Args:
            spec: of the farm.
            resume: go on, if there is one.
            room: bytes that it may take.

        Raises:
            StoreError: something else is here, or nothing can be written.
        """
        found = self.read("farm.json")
        if found is None:
            if self.names(""):
                raise StoreError(f"{self.url}: there is something that is no farm; choose another place, or remove it.")
            self.probe(room)
            self.write({"phalanx_farm": FORMAT, "spec": spec.describe(), "digest": spec.digest}, "farm.json")
            return {}
        self.check(found)
        if not resume:
            raise StoreError(f"{self.url}: there is a farm already; go on with resume (--resume), or remove it.")
        if found["digest"] != spec.digest:
            changed = [name for name, value in spec.describe().items() if found["spec"].get(name) != value]
            raise StoreError(f"{self.url}: there is a farm of another spec; it differs in {', '.join(changed)}.")
        commits = self.commits(spec)
        self.probe(room * (spec.shards - len(commits)) // spec.shards)
        self.sweep(commits)
        return commits

    def check(self, found: Any) -> None:
        """Complain of another version."""
        if not isinstance(found, dict) or not isinstance(found.get("spec"), dict):
            raise StoreError(f"{self.url}: farm.json is none of ours.")
        if found.get("phalanx_farm") != FORMAT:
            said = found.get("phalanx_farm")
            raise StoreError(f"{self.url}: the farm has format {said}; this Phalanx reads and writes {FORMAT}.")

    def probe(self, room: int = 0) -> None:
        """See that files can be written, and that there is room, where that can be known."""
        name = f"{PROBE}-{secrets.token_hex(8)}"
        self.write({}, name)
        self.remove(name)
        if self.local:
            import shutil

            free = shutil.disk_usage(self._root).free
            if room > free:
                raise StoreError(
                    f"{self.url}: the dataset may take {room / 1e9:.3g} GB and {free / 1e9:.3g} GB are free; make "
                    "room, write fewer signals, or more rarely (every)."
                )

    def commit(self, spec: Spec, shard: int, result: Mapping[str, Any]) -> None:
        """Count a shard."""
        said = {"phalanx_farm": FORMAT, "shard": shard, "spec": spec.digest, **result}
        self.write(said, "commits", f"{shard:06d}.json")

    def commits(self, spec: Spec) -> dict[int, dict[str, Any]]:
        """By shard what was committed.

        Raises:
            StoreError: a commit is of another version or spec, or damaged.
        """
        whole = self.read("manifest.json")
        if isinstance(whole, dict):
            said = {f"{one.get('shard')}": one for one in whole.get("shards", [])}
        else:
            names = [name for name in self.names("commits") if name.endswith(".json")]
            said = {name: self.read("commits", name) for name in names}
        found = {}
        for name, one in said.items():
            if not isinstance(one, dict) or one.get("phalanx_farm") != FORMAT:
                version = one.get("phalanx_farm") if isinstance(one, dict) else None
                raise StoreError(
                    f"{self.url}: shard {name.partition('.')[0]} has format {version}; this Phalanx reads and writes "
                    f"{FORMAT}. Simulate it anew elsewhere, or read it with the version that wrote it."
                )
            if one.get("spec") != spec.digest:
                raise StoreError(f"{self.url}: shard {one.get('shard')} is of another spec than farm.json.")
            found[int(one["shard"])] = one
        return found

    def sweep(self, commits: Mapping[int, Mapping[str, Any]]) -> int:
        """Remove what was written and not committed; returns how many shards that were."""
        kept = {one["place"] for one in commits.values()}
        lost = [name for name in self.names("shards") if name not in kept]
        for name in lost:
            self.remove("shards", name)
        return len(lost)

    def end(self, spec: Spec, commits: Mapping[int, Mapping[str, Any]]) -> str:
        """Write the manifest, once all shards are committed; returns the dataset's digest."""
        self.sweep(commits)
        shards = [dict(commits[shard]) for shard in range(spec.shards)]
        digest = dataset_digest(shards)
        self.write({"phalanx_farm": FORMAT, "spec": spec.digest, "digest": digest, "shards": shards}, "manifest.json")
        return digest

    # -- shards ----------------------------------------------------------------------------------------------

    def write_shard(
        self, shard: int, arrays: Mapping[str, np.ndarray], attributes: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Write a shard; returns what a commit says of it.

        Raises:
            StoreError: it cannot be written, on a full disk, say.
        """
        import zarr

        place = f"{shard:06d}-{secrets.token_hex(8)}"
        said = {name: {"shape": list(a.shape), "dtype": a.dtype.str} for name, a in arrays.items()}
        with self._telling(f"shard {shard} cannot be written"):
            group = zarr.open_group(self.zarr("shards", place), mode="w-", attributes={"shard": shard, **attributes})
            for name, values in arrays.items():
                made = group.create_array(name, shape=values.shape, chunks=values.shape, dtype=values.dtype)
                made[...] = values
        return {"place": place, "arrays": said, "digest": arrays_digest(arrays)}

    def read_array(self, place: str, name: str) -> np.ndarray:
        """An array of a shard."""
        import zarr

        with self._telling(f"{name} of shard {place} cannot be read"):
            found: Any = zarr.open_array(self.zarr("shards", place, name), mode="r", zarr_format=3)
            return np.asarray(found[...])

    def zarr(self, *names: str) -> Any:
        """What zarr takes as a store."""
        if self.local:
            return self.place(*names)
        from zarr.storage import FsspecStore

        return FsspecStore.from_url(f"{self.url.rstrip('/')}/{'/'.join(names)}", storage_options=self.options or None)


def arrays_digest(arrays: Mapping[str, np.ndarray]) -> str:
    """Of names, types, shapes and values, not of how they are compressed."""
    found = hashlib.sha256()
    for name in sorted(arrays):
        values = np.ascontiguousarray(arrays[name])
        found.update(f"{name} {values.dtype.str} {values.shape};".encode())
        found.update(values.tobytes())
    return found.hexdigest()


def dataset_digest(shards: list[dict[str, Any]]) -> str:
    """Of all shards in their order."""
    return hashlib.sha256("".join(one["digest"] for one in shards).encode()).hexdigest()


def reason(error: BaseException) -> str:
    """What went wrong, and what to do, in a few words."""
    while error.__cause__ is not None and not isinstance(error, OSError):
        error = error.__cause__
    number = getattr(error, "errno", None)
    if number in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full; make room, then go on with --resume"
    if isinstance(error, PermissionError):
        return "no permission to write there"
    text = " ".join(str(error).split()) or type(error).__name__
    return text if isinstance(error, OSError) else f"{type(error).__name__}: {text}"


class Claim:
    """Holds a local farm as its only coordinator; it is let go when the process ends, however it does."""

    def __init__(self, store: FarmStore) -> None:
        from phalanx.io.recordings.folder import RecordingError, claim

        self._handle: int | None = None
        if store.local:
            folder = Path(store.place("")).resolve()
            try:
                self._handle = claim(folder)
            except RecordingError:
                raise FarmError(f"{store.url}: another coordinator is writing there; end it first.") from None

    def release(self) -> None:
        """Let others have it."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
