"""Files that were good and then mutated, each made from its number alone; loading one works or is a ``LoadError``."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import hostile_files as files
import numpy as np
from fuzz import setters, stored
from fuzz.mutations import mutate

import phalanx as px

FACES = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
CORNERS = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
HFIELD = '<asset><hfield name="h" file="h.png" size="1 1 1 1"/></asset>'


def _good_mjcf(folder: Path) -> Path:
    body = '<body name="a" pos="0 0 1"><joint name="j" type="hinge" axis="0 1 0" range="-1 1"/><geom size=".1 .2"'
    inner = ' type="capsule"/><site name="s"/></body><replicate count="3" offset="1 0 0"><geom size=".1"/></replicate>'
    rest = '<option timestep="0.002"/><actuator><position joint="j" kp="10"/></actuator>'
    return files.mjcf(folder, body + inner, rest)


def _good_png(folder: Path) -> Path:
    files.write(folder, "h.png", files.png(8, 8))
    return files.mjcf(folder, files.HFIELD, HFIELD)


def _good_usd(folder: Path) -> Path:
    ball = 'def Sphere "s" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {\ndouble radius = 0.1\n}\n'
    return files.usd(folder, f'def Xform "a0" {files.BODY} {{\nfloat physics:mass = 2\n{ball}}}\n')


def _good_world(folder: Path) -> Path:
    world = px.World(2)
    world.add_rigid_object(px.Shape("sphere", (0.1,)), "ball")
    world.save(folder / "a.npz")
    return folder / "a.npz"


STL = files.stl(
    [
        [[0, 0, 0], [0, 1, 0], [1, 0, 0]],
        [[0, 0, 0], [1, 0, 0], [0, 0, 1]],
        [[0, 0, 0], [0, 0, 1], [0, 1, 0]],
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    ]
)

KINDS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "urdf": (files.urdf, "robot.urdf"),
    "mjcf": (_good_mjcf, "model.xml"),
    "usd": (_good_usd, "scene.usda"),
    "stl": (lambda folder: files.mesh(folder, "x.stl", STL), "x.stl"),
    "obj": (lambda folder: files.mesh(folder, "x.obj", CORNERS + FACES), "x.obj"),
    "ply": (lambda folder: files.mesh(folder, "x.ply", files.ply(3, "3 0 1 2\n")), "x.ply"),
    "dae": (lambda folder: files.mesh(folder, "x.dae", files.dae()), "x.dae"),
    "glb": (lambda folder: files.mesh(folder, "x.glb", files.glb([{"mesh": 0}], [0])), "x.glb"),
    "png": (_good_png, "h.png"),
    "saved world": (_good_world, "a.npz"),
}
"""By name: what makes the good file in a folder, and the one that is mutated."""


CALLS: dict[str, Callable[[int, Path], str]] = {
    "recording": stored.recording,
    "kernel cache": stored.cache_files,
    "setter": lambda number, folder: setters.call(number),
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
    return load(kind, path)


def load(kind: str, path: Path) -> str:
    """What comes of a file: see :func:`run`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if kind == "saved world":
                px.World.load(path)
            else:
                files.load(path)
    except px.LoadError as error:
        return "refused" if str(path.parent) in str(error) else f"no file is named: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "loaded"
