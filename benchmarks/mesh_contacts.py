"""What contacts of convex shapes with a mesh cost on a GPU: a thread for each pair, and a warp for 32 pairs.

    python benchmarks/mesh_contacts.py --num-envs 4096 --device cuda:0 --json out.json

Steps one of Isaac Lab's tasks on rough ground with random actions, then its world alone, in which the last torques stay
and robots fall. In both states, ``walking`` and ``falling``, it times the two systems side by side, which write the
same fields, and compares what they write. Figures of each state:

* ``alone_us``, ``shared_us``: a run of ``collide_convex_with_mesh`` and of ``share_convex_with_mesh`` (median, events);
  with ``--registers`` also ``shared_N_us`` for other limits than the 128 that teams have;
* ``pairs`` of convex shapes with meshes in an environment, ``near`` of these near a triangle, ``triangles`` near,
  ``nodes`` of the tree looked at; and the most of one pair: means over some environments, counted in Python;
* ``same``: share of pairs for which both found as many points; ``differ_...`` and ``equal_...``: largest difference of
  what is found there, and share without any; ``points`` in an environment;
* ``env_step_ms``, ``world_step_ms`` with what stands in, and the largest ``systems_us`` of a step of the world.

On a CPU only the first system is timed.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.bench.machine import machine
from phalanx.components.pair import CandidateCount, CandidatePair, Manifold, ManifoldPointState
from phalanx.components.shape import MESH, ShapeTopology, is_convex, is_round
from phalanx.ecs.declare import System, renamed
from phalanx.systems.collision.mesh_contact import convex_mesh
from phalanx.systems.collision.mesh_contact.convex_mesh_teams import share_convex_with_mesh
from phalanx.systems.collision.mesh_contact.tree import STACK, next_leaf

_WHOLE = convex_mesh.collide_convex_with_mesh
ALONE = replace(_WHOLE, function=renamed(_WHOLE.function, "alone_convex_with_mesh"))
"""By this name nothing stands in for it."""

FOUND = (Manifold.count, Manifold.clearance, ManifoldPointState.position, ManifoldPointState.separation)


def main() -> None:
    """Measure, print, and write a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="Isaac-Velocity-Rough-Anymal-C-v0")
    parser.add_argument("--num-envs", type=int, default=4096)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--counted", type=int, default=16, help="environments that are counted")
    parser.add_argument("--registers", type=int, nargs="*", default=[], help="other limits for the shared one")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found: dict[str, Any] = {"machine": machine(), "task": options.task, "num_envs": options.num_envs}
    env = made(options.task, options.num_envs, options.device)
    world = env.sim.stage_world.world
    step(env, 10)
    start = time.perf_counter()
    step(env, options.steps)
    took = (time.perf_counter() - start) / options.steps
    found["walking"] = {"env_step_ms": took * 1e3, **measured(world, options)}
    start = time.perf_counter()
    world.step(options.steps)
    float(np.sum(host(world, Manifold.count)))
    took = (time.perf_counter() - start) / options.steps
    found["falling"] = {"world_step_ms": took * 1e3, **measured(world, options)}
    spent = sorted(world.time_systems(20).items(), key=lambda one: -one[1])
    found["systems_us"] = {name: round(seconds * 1e6, 1) for name, seconds in spent[:12]}
    env.close()
    print(json.dumps(found, indent=1), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


def made(task: str, num_envs: int, device: str) -> Any:
    """The task's environment, after a reset."""
    from phalanx import facade

    facade.install()
    import gymnasium as gym
    from isaaclab.app import AppLauncher  # pyright: ignore[reportMissingImports]

    AppLauncher(headless=True, device=device)
    import isaaclab_tasks  # noqa: F401 # pyright: ignore[reportMissingImports]
    from isaaclab_tasks.utils import parse_env_cfg  # pyright: ignore[reportMissingImports]

    cfg = parse_env_cfg(task, device=device, num_envs=num_envs)
    cfg.seed = 0
    env = gym.make(task, cfg=cfg).unwrapped
    env.reset()
    return env


def step(env: Any, steps: int) -> None:
    """Random actions of 0.5, and wait."""
    import torch

    with torch.inference_mode():
        for _ in range(steps):
            actions = torch.rand((env.num_envs, env.single_action_space.shape[-1]), device=env.device) - 0.5
            reward = env.step(actions)[1]
        float(reward.sum())


def host(world: Any, field: Any) -> np.ndarray:
    """A field's numbers."""
    store = world.engine.store
    return np.array(store.device.to_host(store.array(field)))


def measured(world: Any, options: argparse.Namespace) -> dict[str, Any]:
    """Both systems on the world as it is, and what there is to look at."""
    store = world.engine.store
    systems = {"alone_us": ALONE}
    if options.device != "cpu":
        systems |= {f"shared_{count}_us": limited(count) for count in options.registers}
        systems["shared_us"] = share_convex_with_mesh
        store.precompile(list(systems.values()))
    times: dict[str, Any] = {}
    results = []
    for name, system in systems.items():
        with store.active():
            (times[name],) = store.program([system]).time(20).values()
        times[name] = round(times[name] * 1e6, 1)
        results.append([host(world, field) for field in FOUND])
    if len(results) > 1:
        times |= compared(results[0], results[-1], pairs_of(world))
    return {**times, **counts(world, min(options.counted, options.num_envs))}


def pairs_of(world: Any) -> np.ndarray:
    """Whether a candidate is a pair of a convex shape with a mesh, (candidates, environments)."""
    kind = host(world, ShapeTopology.kind)
    a, b, used = (host(world, field) for field in (CandidatePair.a, CandidatePair.b, CandidateCount.current))
    convex = np.array([[is_convex(k) and not is_round(k) for k in row] for row in kind.tolist()])
    e = np.arange(a.shape[-1])[None] if kind.shape[-1] > 1 else 0
    shapes = kind.shape[0]
    a, b = a.clip(0, shapes - 1), b.clip(0, shapes - 1)
    return (np.arange(a.shape[0])[:, None] < used) & (kind[b, e] == MESH) & convex[a, e]


def compared(one: list[np.ndarray], other: list[np.ndarray], pairs: np.ndarray) -> dict[str, float]:
    """How far what two systems found differs, for pairs."""
    alike = (one[0] == other[0]) & pairs
    wide = one[2].shape[0] // one[0].shape[0]
    taken = np.arange(wide)[None, :, None] < np.where(alike, one[0], 0)[:, None, :]
    taken = taken.reshape(-1, one[0].shape[-1])
    found = {"same": float(alike.sum() / max(pairs.sum(), 1)), "points": float(taken.sum() / taken.shape[-1])}
    for field, a, b in zip(FOUND[2:], one[2:], other[2:], strict=True):
        apart = np.abs(a - b).reshape(taken.shape[0], -1, taken.shape[1]).max(axis=1)[taken]
        found[f"differ_{field.name}"] = float(apart.max(initial=0.0))
        found[f"equal_{field.name}"] = float((apart == 0.0).mean()) if apart.size else 1.0
    return found


@cache
def limited(registers: int) -> System:
    """The shared system with another limit of registers than teams have."""
    function = renamed(share_convex_with_mesh.function, f"share_convex_with_mesh_{registers}")
    return replace(share_convex_with_mesh, function=function, registers=registers)


class Numbers:
    """A field as systems index it: what all environments share has one of them."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __getitem__(self, index: tuple[int, ...]) -> Any:
        return self.array[(*index[:-1], 0) if self.array.shape[-1] == 1 else index].item()


def counts(world: Any, envs: int) -> dict[str, Any]:
    """What the systems look at, per environment, and the most of a pair."""
    given: dict[str, Any] = {
        name: Numbers(host(world, access.target)) for name, access in ALONE.arguments.items() if access.mode == "read"
    }
    seen: list[tuple[int, int]] = []
    for e in range(envs):
        for n in range(given["used"][0, e]):
            a, b = given["pair_a"][n, e], given["pair_b"][n, e]
            kind = given["kind"][a, e]
            if given["kind"][b, e] == MESH and is_convex(kind) and not is_round(kind):
                seen.append(looked_at(given, n, e, a, b))
    nodes, near = (np.array([one[k] for one in seen] or [0]) for k in range(2))
    return {
        "pairs": len(seen) / envs,
        "near": float((near > 0).sum()) / envs,
        "triangles": float(near.sum()) / envs,
        "nodes": float(nodes.sum()) / envs,
        "most": {"triangles": int(near.max()), "nodes": int(nodes.max())},
        "near_triangles_of_pairs": {str(k): int((near == k).sum()) for k in np.unique(near)},
    }


class Looked(Numbers):
    """Lower corners of nodes, of which each node's first number is read once."""

    nodes = 0

    def __getitem__(self, index: tuple[int, ...]) -> Any:
        self.nodes += index[1] == 0
        return super().__getitem__(index)


def looked_at(given: dict[str, Any], n: int, e: int, a: int, b: int) -> tuple[int, int]:
    """How many nodes are looked at for a pair, and how many triangles are near."""
    rotation = [given["rotation"][s, i, e] for s in (a, b) for i in range(9)]
    moved = [*rotation, *(given["between"][n, i, e] for i in range(3))]
    turn, box = [0.0] * 9, [0.0] * 6
    convex_mesh.turn_to_shape(moved, turn)
    low, high = ([given[k][a, i, e] for i in range(3)] for k in ("low", "high"))
    half = [0.5 * (h - one) for one, h in zip(low, high, strict=True)]
    middle = [0.5 * (h + one) for one, h in zip(low, high, strict=True)]
    reach = given["reach"][n, e]
    convex_mesh.shape_box(turn, half, middle, reach, box)
    c = convex_mesh.in_mesh(moved, *(-x for x in moved[18:21]))
    pending = [given["root"][b, e]] + [0] * (STACK - 1)
    lows = Looked(given["node_lows"].array)
    top, near = 1, 0
    while top > 0:
        top, first, leaves = next_leaf(
            lows, given["node_highs"], given["node_firsts"], given["node_counts"], pending, top,
            *(c[i] + box[i] for i in range(3)), *box[3:],
        )  # fmt: skip
        near += sum(
            convex_mesh.is_near(
                given["vertices"], given["corner_vertices"], given["face_normals"], t, given["double_sided"][b, e],
                *c, half, middle, turn, reach, False,
            )
            for t in range(first, first + leaves)
        )  # fmt: skip
    return lows.nodes, near


if __name__ == "__main__":
    main()
