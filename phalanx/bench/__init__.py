"""Named benchmarks: how fast scenes step, on what, and against whom in the same run."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

import phalanx as px
from phalanx.bench import first_step as first_steps
from phalanx.bench.declare import Scene
from phalanx.bench.machine import machine
from phalanx.bench.measure import Run, measure, release, where_memory_goes, where_time_goes
from phalanx.bench.peers import PeerMissing, peer_for
from phalanx.bench.report import table
from phalanx.bench.scenes import DEFAULT, FAMILIES, SCENES
from phalanx.ecs.whole_files import write_text

__all__ = [
    "DEFAULT",
    "FAMILIES",
    "NAMES",
    "SCENES",
    "SCHEMA",
    "PeerMissing",
    "choose",
    "export",
    "listing",
    "machine",
    "run",
    "run_case",
    "table",
]

NAMES = (*SCENES, *FAMILIES)
SCHEMA = 2
"""Of the JSON files; 1 had neither phases nor more than one engine."""

MASS_TOLERANCE = 1e-6
"""Of the mass of everything, relative: what differs by more is not the same model."""


def choose(names: Sequence[str]) -> list[Scene]:
    """The scenes of these names and families, all that are run by default if there are none.

    Raises:
        ValueError: an unknown name.
    """
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        known = f"{', '.join(DEFAULT)}, and the families {', '.join(FAMILIES)}"
        raise ValueError(f"no benchmark named {', '.join(unknown)}; there are {known}")
    chosen = [scene for name in names or DEFAULT for scene in FAMILIES.get(name, (name,))]
    return [SCENES[name] for name in dict.fromkeys(chosen)]


def run(
    names: Sequence[str] = (),
    device: str = "auto",
    json_path: str | os.PathLike[str] | None = None,
    *,
    num_envs: Sequence[int] = (),
    steps: int | None = None,
    repeats: int = 3,
    dtype: str = "float32",
    peers: bool = False,
    recording: bool = False,
    first_step: bool = False,
) -> dict[str, Any]:
    """Run benchmarks, print a table, and return (and write) the results; those of finished cases if a later one fails.

    Args:
        names: of :data:`NAMES`; all but the families by default.
        device: ``"auto"``, ``"cpu"`` or ``"cuda:N"``.
        json_path: where to write the results, after each case.
        num_envs: environment counts instead of each scene's own.
        steps: instead of each scene's own number, rounded up to whole stretches of constant controls.
        repeats: runs of each case from its start; the median counts.
        dtype: ``"float32"`` or ``"float64"``.
        peers: also run the engine to compare with: MuJoCo's C engine on a CPU, MuJoCo Warp on a GPU.
        recording: also measure what it costs to record every step.
        first_step: also time the first step of new processes, with an empty and a warm cache of kernels.

    Raises:
        ValueError: an unknown benchmark, or a number that makes no sense.
        PeerMissing: the peer is not installed.
    """
    scenes = choose(names)
    for what, values in (("num_envs", num_envs), ("steps", [1 if steps is None else steps]), ("repeats", [repeats])):
        if any(isinstance(value, bool) or value < 1 for value in values):
            raise ValueError(f"{what} must be at least 1, not {min(values)}")
    actual = px.World(device=device).device
    peer = peer_for(actual) if peers else None
    results: dict[str, Any] = {
        "schema": SCHEMA,
        "machine": machine(),
        "device": actual,
        "dtype": dtype,
        "threads": px.num_threads() if actual == "cpu" else None,
        "cases": [],
        "first_steps": [],
    }
    counts = {scene.name: num_envs or (scene.cpu_envs if actual == "cpu" else scene.cuda_envs) for scene in scenes}
    jobs = [(scene, count) for scene in scenes for count in counts[scene.name]]
    bar = {"desc": "bench", "unit": "case", "delay": 2, "leave": False, "disable": not sys.stderr.isatty()}
    try:
        for scene, count in tqdm(jobs, **bar):
            results["cases"].append(
                run_case(
                    scene,
                    count,
                    actual,
                    steps=steps,
                    repeats=repeats,
                    dtype=dtype,
                    peer=peer and peer[1],
                    recording=recording,
                )
            )
            _write(results, json_path)
        for scene in scenes if first_step else ():
            results["first_steps"].append(first_steps.first_step(scene.name, actual))
            if peers and actual != "cpu":
                results["first_steps"].append(first_steps.first_step_of_warp(scene.name, actual))
    finally:  # what was measured before Ctrl-C, or before memory was too little, is not lost
        if results["cases"]:
            print(table(results))
            _write(results, json_path)
    return results


def run_case(
    scene: Scene,
    num_envs: int,
    device: str,
    *,
    steps: int | None = None,
    repeats: int = 3,
    dtype: str = "float32",
    peer: Any = None,
    recording: bool = False,
) -> dict[str, Any]:
    """One scene at one size, JSON-ready: ours, the peer's, where time and memory go, and how the engines differ."""
    frames = scene.frames(num_envs, device, steps)
    ours, setup = measure(scene, num_envs, device, dtype=dtype, frames=frames, repeats=repeats)
    spent, memory = where_time_goes(setup), where_memory_goes(setup)
    if recording:
        from phalanx.bench.recording import recording_cost

        recorded = recording_cost(setup, frames, repeats)
    else:
        recorded = None
    runs = []
    if peer is not None and not scene.is_deformable:  # whose deformable bodies are others
        runs.append(peer(setup, frames, repeats))
    del setup
    release()
    return {
        "scene": scene.name,
        "doc": scene.doc,
        "num_envs": num_envs,
        "device": device,
        "dtype": dtype,
        "dt": scene.dt,
        "steps": frames * scene.hold,
        "phalanx": ours.summary(),
        "peers": [each.summary() for each in runs],
        "differences": [difference for each in runs for difference in differences(ours, each)],
        "phase_seconds_per_step": spent["phases"],
        "system_seconds_per_step": spent["systems"],
        "memory": memory,
        "recording": recorded,
    }


def export(scenes: Sequence[Scene], folder: str | os.PathLike[str]) -> list[Path]:
    """Write scenes as MJCF files, for the tools of others; returns their paths.

    Raises:
        ValueError: a scene has deformable bodies, which are not written; then nothing is.
    """
    from phalanx.bench import mjcf
    from phalanx.bench.build import set_up

    for scene in scenes:
        if scene.is_deformable:
            raise ValueError(f"{scene.name} has deformable bodies, which are not written as MJCF")
    paths = []
    for scene in scenes:
        paths.append(Path(folder) / f"{scene.name}.xml")
        write_text(paths[-1], mjcf.write(set_up(scene, 1)) + "\n")
    return paths


def listing(scenes: Sequence[Scene]) -> str:
    """Names of scenes and what they are, a line each."""
    return "\n".join(
        f"{scene.name:<16}{scene.doc}{f' (of the family {scene.family})' if scene.family else ''}" for scene in scenes
    )


def differences(ours: Run, peer: Run) -> list[str]:
    """Where two engines did not step the same model, in words; contacts and heights are for the reader to judge."""
    found = []
    for what in ("dofs", "shapes"):
        a, b = getattr(ours, what), getattr(peer, what)
        if a != b:
            found.append(f"{what} differ: {a} here, {b} in {peer.engine}")
    if abs(ours.mass - peer.mass) > MASS_TOLERANCE * max(ours.mass, 1.0):
        found.append(f"masses differ: {ours.mass:.6g} kg here, {peer.mass:.6g} kg in {peer.engine}")
    return found


def _write(results: dict[str, Any], path: str | os.PathLike[str] | None) -> None:
    if path is not None:
        write_text(path, json.dumps(results, indent=1) + "\n")
