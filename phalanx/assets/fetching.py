"""Fetches NVIDIA's own files, where a user asks for it: by https, with all that they refer to, cached and checked.

Files are kept below the folder of assets, in the same subfolders as on the server. What was cut short goes on where it
stopped. What the server says of a file's contents, its length and, where that is one, the MD5 sum in its ETag, is
checked; SHA-256 sums of what came are kept in ``fetched.json``, so that a file that has changed since is told.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from phalanx.assets.building import is_stand_in
from phalanx.assets.places import folder
from phalanx.ecs.whole_files import write_text

SERVER = "https://omniverse-content-production.s3-us-west-2.amazonaws.com/Assets/Isaac/5.1"
"""Where Isaac Sim 5.1 has its files."""

SERVER_VARIABLE = "PHALANX_ASSET_SERVER"
"""The environment variable that names another server, with the same folders."""

SUMS = "fetched.json"
LAYERS = (".usd", ".usda", ".usdc")
BLOCK = 1 << 18
TIMEOUT = 30.0

Progress = Callable[[str, int, int], None]
"""Is told a file's name, the bytes of it that are there, and how many it has (0 if nobody knows)."""


class FetchError(RuntimeError):
    """A file could not be fetched; the message is one sentence with the remedy."""


@dataclass
class Fetched:
    """What one call fetched.

    Attributes:
        files: those that are there now, by their names below the folder.
        size: bytes that came over the network.
        missing: files that others refer to, and that the server does not have.
    """

    files: list[str] = field(default_factory=list)
    size: int = 0
    missing: list[str] = field(default_factory=list)


def fetch(name: str, root: Path | None = None, progress: Progress | None = None) -> Fetched:
    """Fetch a file and all that it refers to.

    Args:
        name: of the file, below the folder of assets and on the server alike.
        root: the folder of assets; :func:`folder` by default.
        progress: is told how it goes.

    Raises:
        FetchError: the server cannot be reached, has no such file, or what came is not what it says.
        OSError: a file cannot be written.
    """
    root = folder() if root is None else root
    found, waiting, seen = Fetched(), [name], {name}
    while waiting:
        one = waiting.pop(0)
        try:
            found.size += _file(one, root, progress)
        except FileNotFoundError:
            if one == name:
                raise FetchError(f"{_address(one)}: the server has no such file") from None
            found.missing.append(one)
            continue
        found.files.append(one)
        for other in _references(root / one, one):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return found


def _address(name: str) -> str:
    server = os.environ.get(SERVER_VARIABLE, SERVER).rstrip("/")
    return f"{server}/{urllib.parse.quote(name)}"


def _file(name: str, root: Path, progress: Progress | None) -> int:
    """Bytes that came; 0 if the file is there already."""
    path = root / name
    if path.is_file() and not is_stand_in(path):
        if (known := _sums(root).get(name)) is not None and known != _sha256(path):
            raise FetchError(f"{path} is not what was fetched: it has changed since; delete it, and fetch it again")
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    came = _download(name, part, progress)
    part.replace(path)
    path.with_name(f"{path.name}.stand-in").unlink(missing_ok=True)
    _note(root, name, _sha256(path))
    return came


def _download(name: str, part: Path, progress: Progress | None) -> int:
    have = part.lstat().st_size if os.path.lexists(part) else 0
    request = urllib.request.Request(_address(name), headers={"User-Agent": "phalanx"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    with _opened(request, name) as answer:
        if have and answer.status != 206:  # it begins anew
            have = 0
        total = int(answer.headers.get("Content-Length") or 0) + have
        tag, came = answer.headers.get("ETag", ""), 0
        with _part(part, bool(have)) as file:
            while block := answer.read(BLOCK):
                file.write(block)
                came += len(block)
                if progress is not None:
                    progress(name, have + came, total)
    size = part.stat().st_size
    if total and size != total:
        raise FetchError(f"{_address(name)}: the connection ended after {size} of {total} bytes; fetch it again")
    if (match := re.fullmatch(r'"([0-9a-f]{32})"', tag)) and _md5(part) != match[1]:
        part.unlink()
        raise FetchError(f"{_address(name)}: what came is not what the server says (MD5 sum); fetch it again")
    return came


def _part(path: Path, go_on: bool) -> BinaryIO:
    """What came of a file. Its name is always the same, so that it can be gone on with: it may be no link."""
    how = os.O_APPEND if go_on else os.O_TRUNC
    try:
        handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | how, 0o666)
    except OSError as error:
        if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
            raise FetchError(f"{path}: this is a link or no file; remove it, and fetch it again") from None
        raise error
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1 or status.st_uid != os.getuid():
        os.close(handle)
        raise FetchError(f"{path}: this is no file of yours alone; remove it, and fetch it again")
    return os.fdopen(handle, "ab" if go_on else "wb")


@contextlib.contextmanager
def _opened(request: urllib.request.Request, name: str) -> Iterator[Any]:
    scheme = urllib.parse.urlsplit(request.full_url).scheme
    if scheme not in ("https", "http"):
        raise FetchError(f"{request.full_url}: only servers by http(s) can be asked; mend {SERVER_VARIABLE}")
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            yield answer
    except urllib.error.HTTPError as error:
        if error.code in (403, 404):  # storage that lists nothing says 403 of what is not there
            raise FileNotFoundError(name) from None
        raise FetchError(f"{request.full_url}: the server answers {error.code} {error.reason}") from None
    except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
        server, reason = urllib.parse.urlsplit(request.full_url).netloc, getattr(error, "reason", error)
        raise FetchError(
            f"the server {server} cannot be reached ({reason}): go online, copy the files by hand, or use stand-ins "
            "(phalanx assets build)"
        ) from None


def _references(path: Path, name: str) -> list[str]:
    """Names of the files that a layer refers to, by paths relative to it; what is elsewhere is left out."""
    if path.suffix.lower() not in LAYERS:
        return []
    from phalanx.io.formats.usd.bindings import UsdUtils

    sublayers, references, payloads = UsdUtils.ExtractExternalReferences(str(path))
    found = []
    for other in (*sublayers, *references, *payloads):
        if "://" in other or other.startswith("/") or (other.endswith(".mdl") and "/" not in other):
            continue  # elsewhere, or materials that come with Omniverse
        joined = os.path.normpath(os.path.join(os.path.dirname(name), other.split("[")[0]))
        if not joined.startswith(".."):
            found.append(joined)
    return found


def _sums(root: Path) -> dict[str, str]:
    try:
        return json.loads((root / SUMS).read_text())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise FetchError(f"{root / SUMS} is damaged ({error}); delete it") from None


def _note(root: Path, name: str, digest: str) -> None:
    sums = {**_sums(root), name: digest}
    write_text(root / SUMS, json.dumps(sums, indent=1, sort_keys=True))


def _sha256(path: Path) -> str:
    return _digest(path, hashlib.sha256())


def _md5(path: Path) -> str:
    return _digest(path, hashlib.md5(usedforsecurity=False))


def _digest(path: Path, digest: Any) -> str:
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()
