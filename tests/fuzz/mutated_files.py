"""Files that were good and then mutated, each made from its number alone; loading one works or is a ``LoadError``.

Specs of farms and of sweeps are a ``FarmError``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import hostile_files as files
import numpy as np
from fuzz import setters, stored
from fuzz.good_files import GOOD
from fuzz.mutations import mutate

import phalanx as px
from phalanx.farm import FarmError, Spec, Sweep

KINDS = GOOD

CALLS: dict[str, Callable[[int, Path], str]] = {
    "recording": stored.recording,
    "recorded deformables": stored.recorded_deformables,
    "kernel cache": stored.cache_files,
    **{kind: lambda number, folder, kind=kind: setters.call(kind, number) for kind in setters.WORLDS},
}
"""Kinds that are no file that is loaded, by name: what tries a case in a folder."""

ALL = (*KINDS, *CALLS)


def run(kind: str, number: int, folder: Path) -> str:
    """Try a case; returns "loaded", "refused", or what was wrong."""
    if kind in CALLS:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return CALLS[kind](number, folder)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    make, name = KINDS[kind]
    path = make(folder)
    rng = np.random.default_rng([number, sum(kind.encode())])
    target = folder / name
    target.write_bytes(mutate(target.read_bytes(), rng))
    return load(path)


def load(path: Path) -> str:
    """What comes of a file: see :func:`run`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _load(path)
    except (px.LoadError, FarmError) as error:
        if isinstance(error, FarmError) is not (path.suffix == ".yaml"):
            return f"{type(error).__name__}: {error}"
        return "refused" if str(path.parent) in str(error) else f"no file is named: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "loaded"


def _load(path: Path) -> None:
    if path.suffix == ".npz":
        px.World.load(path)
    elif path.suffix in (".msh", ".vtk"):
        px.World().add_soft_body(path)
    elif path.suffix == ".yaml":
        (Sweep if path.stem == "sweep" else Spec).read(path)
    else:
        files.load(path)
