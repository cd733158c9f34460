"""Setters of worlds and of what is in them, called with random arguments: they work, or refuse and change nothing."""

from __future__ import annotations

import inspect
import reprlib
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from fuzz.good_files import add_deformables
from small_robots import arm

import phalanx as px

ENVS = 3
REFUSALS = (ValueError, TypeError, IndexError, KeyError)
"""With a sentence; a KeyError is for names of bodies and joints."""


Made = tuple[px.World, dict[str, np.ndarray]]
"""A world, and the state that it began with."""


@cache
def _rigid() -> Made:
    world = px.World(ENVS)
    world.add_ground()
    world.add_robot(arm(), "arm", fixed_base=True)
    world.add_rigid_object(px.Shape("sphere", (0.1,)), "ball", position=(1.0, 0.0, 0.5))
    world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "lift", kind="kinematic", position=(2.0, 0.0, 0.5))
    world.add_rigid_objects(
        {"one": px.Shape("sphere", (0.1,)), "two": px.Shape("sphere", (0.1,))}, "pair", position=(0.0, 3.0, 1.0)
    )
    world.build()
    return world, world.state()


@cache
def _jointed() -> Made:
    """Deformable bodies of all kinds, what ties them, and joints between objects."""
    world = px.World(ENVS)
    world.add_rigid_object(px.Shape("sphere", (0.1,)), "a", position=(0.0, 0.0, 1.0))
    world.add_rigid_object(px.Shape("sphere", (0.1,)), "b", position=(0.3, 0.0, 1.0))
    for kind, name in (("spherical", "ball joint"), ("revolute", "hinge"), ("fixed", "weld")):
        world.add_joint(kind, "a", "b", name=name)
    world.add_joint("distance", "a", "b", name="string", max_distance=1.0)
    add_deformables(world)
    fluid = np.array([[6.0, 0.0, 1.0], [6.01, 0.0, 1.0]])
    world.add_particles(fluid, "fluid", fluid=True)
    world.build()
    return world, world.state()


WORLDS: dict[str, Callable[[], Made]] = {"setter": _rigid, "setter of joints and deformables": _jointed}
"""By kind of case."""

OTHERS = ("reset", "wake_up", "put_to_sleep", "attach", "release", "release_nodes")
"""Methods that set something, besides those whose names begin with ``set_``."""


def _setters(world: px.World) -> list[tuple[str, Callable[..., Any]]]:
    handles = [world, *world.actors.values(), *world.collections.values()]
    handles += [*world.all_deformables.values(), *world.attachments, *world.joints.values()]
    return [
        (f"{getattr(handle, 'name', type(handle).__name__)}.{name}", getattr(handle, name))
        for handle in handles
        for name in sorted(dir(type(handle)))
        if name.startswith("set_") or name in OTHERS
    ]


def _value(rng: np.random.Generator, name: str, of_nodes: bool = False) -> Any:
    """Something for an argument: often what it could be, now and then what nobody means.

    Args:
        name: of the argument.
        of_nodes: shapes are those of nodes of the world of deformable bodies, too.
    """
    odd: list[Any] = [
        None, True, -1, 0, 7, 1 << 40, 1e39, -1e39, float("nan"), float("inf"), 1e-320, "", "x", b"x", [], [[]], {},
        object(), [None], ["a", 1], 1 + 2j, np.zeros(0), np.zeros((0, 3)), np.array("x"), np.array([1, 2], object),
        np.zeros((2, 2, 2, 2)), range(3), {"joint": float("nan")}, np.datetime64("2026-01-01"), slice(5, 1), Ellipsis,
    ]  # fmt: skip
    if rng.random() < 0.4:
        return odd[rng.integers(len(odd))]
    if name.endswith("_ids"):
        choices: list[Any] = [None, [0], [0, 2], [ENVS], [-1], [0, 0], 1, [0.5], [True, False, True], slice(0, 2), []]
        return choices[rng.integers(len(choices))]
    if rng.random() < 0.3:
        return float(rng.normal())
    shapes = [(3,), (7,), (6,), (ENVS, 3), (ENVS, 7), (ENVS, 6), (ENVS,), (2, 3), (ENVS, 1, 3), (ENVS, 2, 7), (4,)]
    if of_nodes and rng.random() < 0.6:
        shapes = [(8, 3), (4, 3), (2, 3), (ENVS, 4, 3), (ENVS, 8), (ENVS, 4), (ENVS, 3, 3), (ENVS, 2), (ENVS, 1), (8,)]
    found = rng.normal(size=shapes[rng.integers(len(shapes))]).astype([np.float32, np.float64][rng.integers(2)])
    if rng.random() < 0.2:
        found.reshape(-1)[rng.integers(found.size)] = [np.nan, np.inf, 1e30, -0.0][rng.integers(4)]
    return found


def call(kind: str, number: int) -> str:
    """Call a setter of one of the :data:`WORLDS`; returns "loaded" where it worked, "refused", or what was wrong."""
    world, start = WORLDS[kind]()
    rng = np.random.default_rng([number, 3])
    setters = _setters(world)
    name, setter = setters[rng.integers(len(setters))]
    arguments = {}
    for key, parameter in inspect.signature(setter).parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if parameter.default is parameter.empty or rng.random() < 0.5:
            arguments[key] = _value(rng, key, of_nodes=kind != "setter")
    if name in ("world.set_state", "world.set_inputs"):
        arguments = {"state" if name.endswith("state") else "inputs": _edited(start, rng)}
    before = world.state()
    told = f"{name}({', '.join(f'{key}={reprlib.repr(value)}' for key, value in arguments.items())})"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            setter(**arguments)
    except REFUSALS as error:
        verdict = "refused" if " " in str(error) else f"{told}: no sentence: {error!r}"
    except Exception as error:
        verdict = f"{told}: {type(error).__name__}: {error}"
    else:
        verdict = "loaded"
    after = world.state()
    if verdict == "refused" and (changed := [key for key in before if before[key].tobytes() != after[key].tobytes()]):
        verdict = f"{told}: was refused and changed {changed}"
    if verdict == "loaded" and (lost := [k for k, v in after.items() if v.dtype.kind == "f" and np.isnan(v).any()]):
        verdict = f"{told}: took NaN into {lost}"
    if any(start[key].tobytes() != after[key].tobytes() for key in start):
        world.set_state(start)
    return verdict


def _edited(state: dict[str, np.ndarray], rng: np.random.Generator) -> dict[str, Any]:
    """A state with something else in it."""
    found: dict[str, Any] = dict(state)
    key = sorted(found)[rng.integers(len(found))]
    how = rng.integers(5)
    if how == 0:
        del found[key]
    elif how == 1:
        found[key] = found[key][..., :-1] if found[key].ndim else found[key]
    elif how == 2:
        found[key] = _value(rng, "value")
    elif how == 3:
        found["Nothing.of_the_kind"] = found[key]
    return found
