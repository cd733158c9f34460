"""Small stages for tests, and what UsdPhysics makes of them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from phalanx.io.formats.usd import Scene, read_stage
from phalanx.io.formats.usd.bindings import Usd, UsdPhysics

HEAD = '#usda 1.0\n(\n metersPerUnit = {metres}\n kilogramsPerUnit = {kilograms}\n upAxis = "{up}"\n)\n'
BALL = 'def Sphere "ball" ( prepend apiSchemas = ["PhysicsCollisionAPI"] ) {\n double radius = 0.1\n}\n'
"""Something that has mass."""

BODY = '( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] )'
ROOT = '( prepend apiSchemas = ["PhysicsArticulationRootAPI"] )'


def text(body: str, metres: float = 1.0, kilograms: float = 1.0, up: str = "Z") -> str:
    """A layer with the given prims; in one line, properties may be set apart by semicolons."""
    return HEAD.format(metres=metres, kilograms=kilograms, up=up) + body


def stage(body: str, metres: float = 1.0, kilograms: float = 1.0, up: str = "Z") -> Any:
    """An open stage."""
    made = Usd.Stage.CreateInMemory()
    made.GetRootLayer().ImportFromString(text(body, metres, kilograms, up))
    return made


def read(body: str, metres: float = 1.0, kilograms: float = 1.0, up: str = "Z", path: str = "/") -> Scene:
    """What we make of it."""
    return read_stage(stage(body, metres, kilograms, up), path)


def save(folder: Path, body: str, name: str = "model.usda") -> Path:
    """A file."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text(body))
    return file


def prim(kind: str, name: str, inside: str = "", schemas: str = "", place: tuple[float, ...] = ()) -> str:
    """A prim with applied schemas, named apart by blanks, and a translation."""
    applied = ", ".join(f'"{one}"' for one in schemas.split())
    meta = f" ( prepend apiSchemas = [{applied}] )" if applied else ""
    move = ""
    if place:
        move = f'double3 xformOp:translate = {tuple(place)}\nuniform token[] xformOpOrder = ["xformOp:translate"]\n'
    return f'def {kind} "{name}"{meta} {{\n{move}{inside}\n}}\n'


def body(name: str, inside: str = BALL, place: tuple[float, ...] = (0.0, 0.0, 0.0), schemas: str = "") -> str:
    """A rigid body."""
    return prim("Xform", name, inside, f"PhysicsRigidBodyAPI PhysicsMassAPI {schemas}", place)


def joint(kind: str, name: str, body0: str, body1: str, inside: str = "", schemas: str = "") -> str:
    """A joint between two paths, either of which may be empty."""
    ends = "".join(f"rel physics:body{n} = <{path}>\n" for n, path in enumerate((body0, body1)) if path)
    return prim(f"Physics{kind}", name, ends + inside, schemas)


def parsed(of: Any) -> dict[str, Any]:
    """By path what the parser of UsdPhysics finds on a stage."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        found = UsdPhysics.LoadUsdPhysicsFromRange(of, ["/"])
    return {str(path): one for paths, ones in found.values() for path, one in zip(paths, ones, strict=True)}
