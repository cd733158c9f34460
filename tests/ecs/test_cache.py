"""The cache of kernels: whose folder is used, and what becomes of files that are damaged."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest

from phalanx.ecs.cache import files, folder
from phalanx.ecs.cache.folder import CacheWarning, cache_folder, folders
from phalanx.ecs.cache.kernels import kept

NOBODY = 65534


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A home, a temporary folder and a process that has told of nothing."""
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("PHALANX_CACHE_DIR", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr(files, "_told", False)
    folder._folders.cache_clear()
    yield
    folder._folders.cache_clear()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


# The folder.


def test_kernels_are_in_the_users_cache_folder(tmp_path: Path) -> None:
    assert cache_folder() == tmp_path / "home" / ".cache" / "phalanx" / "kernels"
    assert mode(cache_folder()) == 0o700


def test_the_xdg_variable_counts_if_it_is_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "phalanx" / "kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == tmp_path / "home" / ".cache" / "phalanx" / "kernels"


def test_a_chosen_folder_is_made_for_its_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path / "a" / "b"))
    assert cache_folder() == tmp_path / "a" / "b"
    assert mode(cache_folder()) == 0o700


@pytest.mark.parametrize("below", ["", "below"])
def test_a_chosen_folder_that_cannot_be_made(below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("mine")
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path / "file" / below))
    with pytest.raises(OSError, match=r"PHALANX_CACHE_DIR=.* cannot be used: Not a directory"):
        cache_folder()
    assert (tmp_path / "file").read_text() == "mine"


def open_to_all(path: Path) -> None:
    path.mkdir(parents=True)
    path.chmod(0o777)


def open_to_a_group(path: Path) -> None:
    path.mkdir(parents=True)
    path.chmod(0o770)


def a_link(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    (path.parent / "elsewhere").mkdir(mode=0o700)
    path.symlink_to(path.parent / "elsewhere")


def somebody_elses(path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a folder to another user")
    path.mkdir(parents=True, mode=0o700)
    os.chown(path, NOBODY, NOBODY)


PLANTED: list[tuple[Callable[[Path], None], str]] = [
    (open_to_all, r"others can write to it \(mode 0777\)"),
    (open_to_a_group, r"others can write to it \(mode 0770\)"),
    (a_link, "it is a link"),
    (somebody_elses, "it belongs to another user"),
]


@pytest.mark.parametrize("where", ["chosen", "home", "temporary"])
@pytest.mark.parametrize(("plant", "words"), PLANTED)
def test_what_others_may_have_put_there_is_not_used(
    plant: Callable[[Path], None], words: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "home" / ".cache" / "phalanx" / "kernels"
    if where == "chosen":
        place = tmp_path / "chosen"
        monkeypatch.setenv("PHALANX_CACHE_DIR", str(place))
    if where == "temporary":
        (tmp_path / "home" / ".cache").write_text("no folder, so nothing can be written below")
        place = tmp_path / "tmp" / f"phalanx-kernels-{os.getuid()}"
    plant(place)
    with pytest.warns(CacheWarning, match=words) as caught:
        used = cache_folder()
        assert cache_folder() == used
    assert len(caught) == 1
    assert used.parent == tmp_path / "tmp" and used != place
    assert mode(used) == 0o700 and used.stat().st_uid == os.getuid()
    assert list(used.iterdir()) == []


def test_without_a_home_the_folder_is_the_users_own_in_the_temporary_one(tmp_path: Path) -> None:
    (tmp_path / "home" / ".cache").write_text("")
    assert cache_folder() == tmp_path / "tmp" / f"phalanx-kernels-{os.getuid()}"
    assert mode(cache_folder()) == 0o700


def test_a_folder_that_others_may_only_read_is_made_private(tmp_path: Path) -> None:
    place = tmp_path / "home" / ".cache" / "phalanx" / "kernels"
    place.mkdir(parents=True)
    place.chmod(0o755)
    assert cache_folder() == place
    assert mode(place) == 0o700


def test_a_file_in_place_of_the_folder_goes(tmp_path: Path) -> None:
    place = tmp_path / "home" / ".cache" / "phalanx" / "kernels"
    place.parent.mkdir(parents=True)
    place.write_text("")
    assert cache_folder() == place and place.is_dir()


def test_a_chosen_folder_that_can_only_be_read_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = tmp_path / "image"
    image.mkdir(mode=0o755)
    (image / "found").write_text("there")
    monkeypatch.setattr(folder, "_writable", lambda path: path != image)  # permissions do not stop root
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(image))
    assert folders().shared == image
    assert folders().own == tmp_path / "home" / ".cache" / "phalanx" / "kernels"
    made = files.recalled_file("found", Path.read_text, lambda: "made", lambda file, text: file.write(text.encode()))
    assert made == "there"
    made = files.recalled_file("new", Path.read_text, lambda: "made", lambda file, text: file.write(text.encode()))
    assert made == "made" and (folders().own / "new").exists() and not (image / "new").exists()


# Files.


def test_files_are_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "tmp" / "a.npy"

    def fail(file: BinaryIO) -> None:
        file.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files.write(path, fail)
    assert list(path.parent.iterdir()) == []
    files.write(path, lambda file: file.write(b"whole"))
    with pytest.raises(KeyboardInterrupt):
        files.write(path, fail)
    assert [each.read_bytes() for each in path.parent.iterdir()] == [b"whole"]


DATA = bytes(range(256)) * 4


def damaged(sealed: bytes) -> Iterator[bytes]:
    yield b""
    for length in range(0, len(sealed), 37):
        yield sealed[:length]
    for place in range(0, len(sealed), 11):
        yield sealed[:place] + bytes([sealed[place] ^ 4]) + sealed[place + 1 :]
    yield sealed + b"more"
    yield b"\x80\x04K\x01."  # a pickle


def test_damaged_files_are_thrown_away_with_one_warning(tmp_path: Path) -> None:
    path = tmp_path / "kernel.nbc"
    files.put_sealed(path, DATA)
    assert files.unsealed(path) == DATA
    sealed = path.read_bytes()
    with pytest.warns(CacheWarning) as caught:
        for text in damaged(sealed):
            path.write_bytes(text)
            assert files.unsealed(path) is None, text[:40]
            assert not path.exists()
    assert len(caught) == 1


def test_a_folder_in_place_of_a_file_goes(tmp_path: Path) -> None:
    path = tmp_path / "kernel.nbc"
    (path / "deeper").mkdir(parents=True)
    with pytest.warns(CacheWarning, match=r"kernel\.nbc"):
        assert files.unsealed(path) is None
    (path / "deeper").mkdir(parents=True)
    files.put_sealed(path, DATA)
    assert files.unsealed(path) == DATA


def test_a_file_in_place_of_a_folder_goes() -> None:
    (cache_folder() / "recalled").write_text("")
    with pytest.warns(CacheWarning, match="recalled"):
        assert files.folder_of("recalled").is_dir()


@pytest.mark.parametrize("text", [b"", b"PK", b"\x93NUMPY"])
def test_damaged_arrays_are_made_again(text: bytes) -> None:
    made: list[int] = []

    def make() -> np.ndarray:
        made.append(1)
        return np.arange(5)

    def ask() -> np.ndarray:
        def read(path: Path) -> np.ndarray:
            with np.load(path) as file:
                return file["a"]

        return files.recalled_file("a.npz", read, make, lambda file, value: np.savez(file, a=value))

    assert ask().sum() == ask().sum() == 10 and len(made) == 1
    (cache_folder() / "a.npz").write_bytes(text)
    with pytest.warns(CacheWarning):
        assert ask().sum() == 10
    assert len(made) == 2 and ask().sum() == 10 and len(made) == 2


# Machine code.


def double(x: float) -> float:
    return 2.0 * x


def test_functions_of_the_package_are_kept() -> None:
    assert kept()(double)(3.0) == 6.0
    (path,) = cache_folder().glob("*double*.nbc")
    again = kept()(double)
    assert again(3.0) == 6.0 and again.stats.cache_hits == {(again.signatures[0]): 1}
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.warns(CacheWarning, match="double"):
        mended = kept()(double)
        assert mended(3.0) == 6.0 and not mended.stats.cache_hits
    assert kept()(double)(3.0) == 6.0
    assert kept("float64(float64)")(double)(4.0) == 8.0


def test_a_full_disk_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("phalanx.ecs.cache.kernels.put_sealed", full)
    with pytest.warns(CacheWarning, match="cannot be kept .* No space left"):
        assert kept()(double)(3.0) == 6.0


RUN = """
import hashlib, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from ecs.plants import TwigLoad, carry, climb, garden, grow, look, stretch
    store = garden([-1, 0, 1, 0, -1])
    store.program([grow, stretch, carry, look]).run(3)
print(hashlib.sha256(store[TwigLoad].all.tobytes()).hexdigest())
for each in caught:
    print(each.category.__name__)
"""


def run(cache: Path) -> list[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PHALANX_CACHE_DIR": str(cache)}
    environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run([sys.executable, "-c", RUN], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def swap(path: Path) -> None:
    other = next(each for each in sorted(path.parent.iterdir()) if each.suffix == path.suffix and each != path)
    path.write_bytes(other.read_bytes())


def test_what_is_damaged_is_compiled_again(tmp_path: Path) -> None:
    """Whatever is damaged in a cache, results are the same to the bit, nothing dies, and there is one warning."""
    cache = tmp_path / "cache"
    first = run(cache)
    assert len(first) == 1
    kinds = {path.suffix for path in cache.rglob("*") if path.is_file()}
    assert kinds == {".py", ".nbc", ".cpu", ".json"}
    sealed = sorted([*cache.rglob("*.nbc"), *cache.rglob("*.json")])
    for damage, chosen in zip((flip, cut, make_folder, swap, empty), (sealed[k::12] for k in range(5)), strict=True):
        assert chosen
        for path in chosen:
            damage(path)
    for path in sorted(cache.rglob("*.py"))[::3]:
        flip(path)
    assert run(cache) == [*first, "CacheWarning"]
    assert run(cache) == first, "it has been mended"


def test_no_kernel_is_kept_elsewhere(tmp_path: Path) -> None:
    """All honour the folder that was chosen, the recorder's own, too."""
    package = Path(folder.__file__).parents[2]
    assert not [path for path in package.rglob("*.py") if re.search(r"^[^:#`]*cache=True", path.read_text(), re.M)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_CACHE_DIR": str(tmp_path / "numba")}
    environment["PHALANX_CACHE_DIR"] = str(tmp_path / "cache")
    script = "import phalanx.models.meshes.tessellate, phalanx.ecs.cpu.program"
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)
    assert not (tmp_path / "numba").exists()
    assert len(list((tmp_path / "cache").glob("phalanx.*.nbc"))) == 2


def test_warnings_say_where_and_what_to_do(tmp_path: Path) -> None:
    place = tmp_path / "home" / ".cache" / "phalanx" / "kernels"
    open_to_all(place)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cache_folder()
    text = str(caught[0].message)
    assert str(place) in text and f"rm -r {place}" in text


def test_damage_is_found_without_being_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from phalanx.ecs.cache.checking import damaged

    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path / "cache"))
    folder = cache_folder()
    (folder / "recalled").mkdir()
    whole = [folder / "a.nbc", folder / "recalled" / "b.json", folder / "c.npy", folder / "d.npz", folder / "e.py"]
    for path in whole[:2]:
        files.put_sealed(path, b"{}" * 100)
    np.save(whole[2], np.zeros(100))
    np.savez(whole[3], a=np.zeros(100))
    whole[4].write_text("pass")
    assert damaged() == []
    for damage in (flip, cut, empty, make_folder):
        for path in whole[:2]:
            before = path.read_bytes()
            damage(path)
            assert damaged() == [path]
            if damage is make_folder:
                path.rmdir()
            path.write_bytes(before)
    for path in whole[2:4]:
        before = path.read_bytes()
        cut(path)
        assert damaged() == [path] and path.exists()
        path.write_bytes(before)
    assert damaged() == []


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: path.symlink_to(path.name + "x")], ids=["pipe", "dangling link"]
)
def test_what_is_no_file_is_not_waited_for(
    make: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe without a writer would be read for ever."""
    from phalanx.ecs.cache import modules
    from phalanx.ecs.cache.checking import damaged

    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path / "cache"))
    names = ("a.nbc", "b.npy", "_phalanx_c.py")
    for name in names:
        make(cache_folder() / name)
    assert sorted(path.name for path in damaged()) == sorted(names)
    with pytest.warns(CacheWarning, match=r"a\.nbc: it is no file"):
        assert files.unsealed(cache_folder() / "a.nbc") is None
    assert files.recalled_file("b.npy", np.load, lambda: np.ones(1), lambda file, value: np.save(file, value)) == 1.0
    assert modules.kept("_phalanx_c", "pass").path.read_text() == "pass"
    assert damaged() == [] and not (cache_folder() / "a.nbc").exists()
