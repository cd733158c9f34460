"""How true motion is, at which step and at what cost, beside MuJoCo: ``phalanx bench --truth``."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from tqdm import tqdm

import phalanx as px
from phalanx.bench.machine import machine
from phalanx.bench.peers import peer_for
from phalanx.bench.truth import mujoco, ours
from phalanx.bench.truth.report import standing, table
from phalanx.bench.truth.scenes import RATES, SCENES, TruthScene
from phalanx.ecs.whole_files import write_text

__all__ = ["RATES", "SCENES", "SCHEMA", "choose", "run", "standing", "table"]

SCHEMA = 1
"""Of the JSON files, which have ``"benchmark": "truth"``."""

ENVIRONMENTS = 64
"""Of which the cost of each is measured."""

SHORT = 16_000
"""Steps a second where a scene's truth is what short steps give."""

DTYPES = ("float32", "float64")


def choose(names: Sequence[str]) -> list[TruthScene]:
    """The scenes of these names; all if there are none.

    Raises:
        ValueError: an unknown name.
    """
    unknown = [name for name in names if name not in SCENES]
    if unknown:
        raise ValueError(f"no scene of known motion named {', '.join(unknown)}; there are {', '.join(SCENES)}")
    return [SCENES[name] for name in names or SCENES]


def run(
    names: Sequence[str] = (),
    json_path: str | os.PathLike[str] | None = None,
    *,
    rates: Sequence[int] = RATES,
    envs: int = ENVIRONMENTS,
    short: int = SHORT,
) -> dict[str, Any]:
    """Run scenes at each rate here and in MuJoCo, print a table, and return (and write) the results.

    Args:
        names: of :data:`SCENES`; all by default.
        json_path: where to write the results, after each scene.
        rates: steps a second, multiples of 20.
        envs: environments that share the cost.
        short: steps a second where truth is what short steps give.

    Raises:
        ValueError: an unknown scene.
        PeerMissing: MuJoCo is not installed.
    """
    scenes = choose(names)
    peer_for("cpu")
    results: dict[str, Any] = {
        "schema": SCHEMA,
        "benchmark": "truth",
        "machine": machine(),
        "threads": px.num_threads(),
        "environments": envs,
        "short_steps": 1 / short,
        "scenes": [],
    }
    bar = {"desc": "truth", "unit": "scene", "delay": 2, "leave": False, "disable": not sys.stderr.isatty()}
    for scene in tqdm(scenes, **bar):
        results["scenes"].append(compare(scene, rates, envs, short))
        if json_path is not None:
            write_text(json_path, json.dumps(results, indent=1) + "\n")
    print(table(results))
    return results


def compare(scene: TruthScene, rates: Sequence[int], envs: int, short: int) -> dict[str, Any]:
    """One scene, JSON-ready: errors over time and cost of each engine at each rate."""
    known = scene.truth(scene.times) if scene.truth is not None else None
    theirs = mujoco.poses(scene, short, "RK4") if known is None else known
    mine = theirs if not scene.own else ours.poses(scene, short, "float64")
    runs = []
    for engine, poses, cost, kind in _engines():
        truth = mine if engine == "phalanx" else theirs
        for rate in rates:
            errors = scene.errors(poses(scene, rate, kind), truth)
            runs.append(
                {
                    "engine": engine,
                    "kind": kind,
                    "rate": rate,
                    "error": float(np.sqrt(np.mean(errors**2))),
                    "errors": errors.tolist(),
                    "cost": cost(scene, rate, kind, envs),
                }
            )
    return {
        "scene": scene.name,
        "doc": scene.scene.doc,
        "unit": scene.unit,
        "seconds": scene.seconds,
        "times": scene.times.tolist(),
        "truth": "formula"
        if known is not None
        else ("short steps of each engine" if scene.own else "short steps, RK4"),
        "runs": runs,
    }


def _engines() -> Iterator[tuple[str, Any, Any, str]]:
    for dtype in DTYPES:
        yield "phalanx", ours.poses, ours.cost, dtype
    for integrator in mujoco.INTEGRATORS:
        yield "mujoco", mujoco.poses, mujoco.cost, integrator
