"""Mutated recordings and kernel caches: what was stored is found as it was, or made anew, or it is told."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from fuzz.good_files import add_deformables
from fuzz.mutations import mutate

import phalanx as px
from phalanx.ecs.cache import answers, kernels, modules
from phalanx.ecs.cache.folder import _folders
from phalanx.io.recordings.replay import Recording, open_recording, verify

SOURCE = "def __ENTRY__(x):\n    return 3 * x + 1\n"
ANSWER = {"order": [3, 1, 2], "names": ["hinge", "slide"]}


@cache
def _recorded() -> Path:
    """A recording of two environments, with events of inputs and of a state."""
    path = Path(tempfile.mkdtemp(prefix="phalanx-fuzz-recorded-")) / "a.zarr"
    world = px.World(2, dt=0.01)
    robot = world.add_robot("cartpole")
    with px.Recorder(world, path, chunk_steps=4):
        for number in range(3):
            robot.set_targets(effort=float(number))
            world.step(3)
        robot.set_joint_state(pos=0.1)
        world.step()
    return path


@cache
def _recorded_deformables() -> Path:
    """A soft body, a cloth, a rope and grains."""
    path = Path(tempfile.mkdtemp(prefix="phalanx-fuzz-recorded-")) / "a.zarr"
    world = px.World(2, dt=0.01)
    add_deformables(world)
    with px.Recorder(world, path, chunk_steps=4):
        world.step()
    return path


@cache
def _expected(made: Callable[[], Path]) -> dict[str, np.ndarray]:
    return _values(open_recording(made()))


def _values(recording: Recording) -> dict[str, np.ndarray]:
    """All samples, and what the host did."""
    found = {
        f"{actor.name} {key}": np.asarray(series) for _, actor in recording.recorded for key, series in actor.items()
    }
    found["step"] = recording.step
    return found


def recording(number: int, folder: Path) -> str:
    """Mutate one file of a recording: it is the same, or refused, or the verdict says what differs."""
    return _mutated(_recorded, number, folder)


def recorded_deformables(number: int, folder: Path) -> str:
    """As :func:`recording`, of deformable bodies."""
    return _mutated(_recorded_deformables, number, folder)


def _mutated(made: Callable[[], Path], number: int, folder: Path) -> str:
    path = Path(shutil.copytree(made(), folder / "a.zarr"))
    rng = np.random.default_rng([number, 1])
    files = sorted(file for file in path.rglob("*") if file.is_file())
    first = rng.random() < 0.4
    target = path / "zarr.json" if first else files[rng.integers(len(files))]
    good = target.read_bytes()
    how = rng.integers(12)
    if how == 0:
        target.unlink()
    elif how == 1:
        target.write_bytes(files[rng.integers(len(files))].read_bytes())
    elif how == 2:
        target.unlink()
        target.mkdir()
    else:
        target.write_bytes(mutate(good, rng))
    if target.is_file() and target.read_bytes() == good:
        return "loaded"
    return _load_recording(path, _expected(made))


def _load_recording(path: Path, good: dict[str, np.ndarray]) -> str:
    """Verdict on a recording that may be damaged, and should hold what the good one holds."""
    try:
        opened = open_recording(path)
        values = _values(opened)
        kinds = [(event.kind, event.step, event.sample) for event in opened.events()]
        count = opened.num_samples
        differ = [key for key, value in values.items() if not _begins(good.get(key), value, count, key == "step")]
        if (differ or opened.edited) and not verify(opened):
            return "refused"
    except px.LoadError as error:
        return "refused" if str(path) in str(error) else f"no file is named: {error}"
    return f"{differ} differ, and nothing says so ({len(kinds)} events)" if differ else "loaded"


def _begins(expected: np.ndarray | None, value: np.ndarray, count: int, steps: bool) -> bool:
    """Whether values are the first samples of what they should be."""
    if expected is None:
        return False
    part = expected[:count] if steps else expected[:, :count]
    return part.shape == value.shape and part.tobytes() == value.tobytes()


def _triple(x: float) -> float:
    return 3.0 * x + 1.0


def cache_files(number: int, folder: Path) -> str:
    """Mutate one file of a cache of kernels: what is asked of it is right, and the cache is whole afterwards."""
    place = folder / "kernels"
    place.mkdir(mode=0o700)
    with _cache_in(place):
        first = _use()
        files = sorted(file for file in place.rglob("*") if file.is_file())
        whole = {file: file.read_bytes() for file in files}
        rng = np.random.default_rng([number, 2])
        target = files[rng.integers(len(files))]
        how = rng.integers(8)
        if how == 0:
            target.unlink()
        elif how == 1:
            target.write_bytes(whole[files[rng.integers(len(files))]])
        elif how == 2:
            target.unlink()
            target.mkdir()
            (target / "x").write_bytes(b"x")
        else:
            target.write_bytes(mutate(whole[target], rng))
        changed = not target.is_file() or target.read_bytes() != whole[target]
        if _use() != first:
            return "something else came of it"
        if not target.is_file() or (target.suffix != ".nbc" and target.read_bytes() != whole[target]):
            return f"{target.name} was not made anew"
        if _use() != first:
            return "something else came of what was made anew"
    return "refused" if changed else "loaded"


class _cache_in:
    """All caches in a folder."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __enter__(self) -> None:
        import os

        self.before = os.environ.get("PHALANX_CACHE_DIR")
        os.environ["PHALANX_CACHE_DIR"] = str(self.place)
        _folders.cache_clear()

    def __exit__(self, *_: object) -> None:
        import os

        if self.before is None:
            del os.environ["PHALANX_CACHE_DIR"]
        else:
            os.environ["PHALANX_CACHE_DIR"] = self.before
        _folders.cache_clear()


def _use() -> list[object]:
    """What comes of machine code, of a generated module, and of an answer, as in a new process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = kernels.kept("float64(float64)")(_triple)
        entry, text = modules.fingerprinted("fuzz", SOURCE, ())
        made = modules.kept(entry, text)
        name = {}
        exec(compile(made.path.read_text(), str(made.path), "exec"), name)
        return [compiled(2.0), name[entry](2), answers.recalled("fuzz", ["x"], lambda: ANSWER)]
