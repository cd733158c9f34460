"""How many rays a second: ``python benchmarks/rays.py [--device cuda:0] [--json out.json]``.

On a CPU, one thread: a mesh of 131,072 triangles and one of 2 million, seen by a pinhole camera (neighbouring rays are
alike) and by random rays (they are not), with Embree beside it, ray by ray through the package ``embreex``, where that
is installed: the same rays, in turn, the best of several runs each. The same terrain as a height field.

On a GPU: a height scan of 4096 x 187 rays on 2 million triangles, as a mesh and as a height field, and depth images of
1024 x 64 x 64 pixels of the mesh of 131,072, with rays one by one and as a pattern, by CUDA events around 16 casts (the
median of 20; four sets of rays in turn, so that the cache does not hold them).
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import trimesh

from phalanx.bench.machine import machine
from phalanx.ecs.cpu.threads import set_num_threads
from phalanx.models.meshes.height_fields import grid_triangles
from phalanx.rays import RayHits, RayScene, field_geometry, mesh_geometry

CELL = 0.1


def torus() -> tuple[np.ndarray, np.ndarray]:
    """A rough torus of 131,072 triangles, 2.8 m across."""
    mesh = trimesh.creation.torus(1.0, 0.4, major_sections=256, minor_sections=256)
    vertices = np.array(mesh.vertices)
    waves = np.sin(9 * vertices[:, [0]]) * np.sin(11 * vertices[:, [1]]) * np.cos(13 * vertices[:, [2]])
    return (vertices * (1 + 0.05 * waves)).astype(np.float32), np.asarray(mesh.faces, np.int32)


def terrain(cells: int = 1000) -> np.ndarray:
    """Heights of rough hills."""
    x = np.arange(cells + 1) * CELL
    noise = np.random.default_rng(0).standard_normal((cells + 1, cells + 1))
    return 0.5 * np.sin(0.7 * x)[:, None] * np.cos(0.4 * x)[None] + 0.02 * noise


def looking(eye: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Rotations (n, 3, 3) of cameras: columns right, down, forward."""
    forward = target - eye
    forward /= np.linalg.norm(forward, axis=-1, keepdims=True)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right, axis=-1, keepdims=True)
    return np.stack([right, np.cross(forward, right), forward], axis=-1)


def quaternion(turn: np.ndarray) -> np.ndarray:
    """w, x, y, z (n, 4) of rotations (n, 3, 3)."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(turn).as_quat()[:, [3, 0, 1, 2]].astype(np.float32)


def pinhole(width: int, height: int, angle: float = 60.0) -> np.ndarray:
    """Unit directions (height * width, 3) of pixels, in the camera's frame."""
    focal = 0.5 * width / np.tan(np.radians(0.5 * angle))
    u, v = np.meshgrid(np.arange(width) + 0.5 - width / 2, np.arange(height) + 0.5 - height / 2)
    ways = np.stack([u / focal, v / focal, np.ones_like(u)], axis=-1).reshape(-1, 3)
    return (ways / np.linalg.norm(ways, axis=1, keepdims=True)).astype(np.float32)


def views(vertices: np.ndarray, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, 3) of cameras around a mesh and rotations towards it."""
    rng = np.random.default_rng(seed)
    middle, size = (vertices.min(axis=0) + vertices.max(axis=0)) / 2, np.ptp(vertices, axis=0).max()
    away = rng.standard_normal((count, 3)) * [1, 1, 0.5]
    eye = middle + away / np.linalg.norm(away, axis=1, keepdims=True) * rng.uniform(0.9, 1.3, (count, 1)) * size
    return eye.astype(np.float32), looking(eye, middle + rng.uniform(-0.1, 0.1, (count, 3)) * size)


def random_rays(vertices: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Origins on a sphere about a mesh, directions towards places in its bounds."""
    rng = np.random.default_rng(1)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    away = rng.standard_normal((count, 3))
    origins = (low + high) / 2 + away / np.linalg.norm(away, axis=1, keepdims=True) * np.linalg.norm(high - low)
    ways = rng.uniform(low, high, (count, 3)) - origins
    return origins.astype(np.float32), (ways / np.linalg.norm(ways, axis=1, keepdims=True)).astype(np.float32)


def best(*runs: Callable[[], Any], repeats: int = 7) -> list[float]:
    """Least seconds of the processor, for each of what is run in turn."""
    spent: list[list[float]] = [[] for _ in runs]
    for _ in range(repeats):
        for taken, run in zip(spent, runs, strict=True):
            start = time.process_time()
            run()
            taken.append(time.process_time() - start)
    return [min(taken) for taken in spent]


def embree(vertices: np.ndarray, faces: np.ndarray) -> Any:
    """Embree's scene of a mesh, or None where its binding is not installed."""
    if importlib.util.find_spec("embreex") is None:
        return None
    from embreex import mesh_construction, rtcore_scene  # pyright: ignore[reportMissingImports]

    scene: Any = rtcore_scene
    build: Any = mesh_construction
    made = scene.EmbreeScene()
    build.TriangleMesh(made, vertices, faces)
    return made


def on_cpu() -> dict[str, Any]:
    set_num_threads(1)
    heights = terrain()
    vertices, faces = grid_triangles(heights, (CELL, CELL))
    meshes = {"131k": torus(), "2M": (vertices.astype(np.float32), faces.astype(np.int32))}
    mesh_geometry(*torus())  # compiles
    found: dict[str, Any] = {}
    for name, (points, triangles) in meshes.items():
        start = time.perf_counter()
        geometry = mesh_geometry(points, triangles)
        found[f"build {name}"] = {"seconds": time.perf_counter() - start}
        scene = RayScene(1)
        scene.add(geometry)
        fields = [("mesh", scene)]
        if name == "2M":
            field = RayScene(1)
            field.add(field_geometry(heights, (CELL, CELL)))
            fields.append(("height field", field))
        peer = embree(points, triangles)
        eye, turn = views(points, 1)
        ways = (pinhole(512, 512) @ turn[0].T).astype(np.float32)
        for rays, (origins, directions) in {
            "camera": (np.broadcast_to(eye, ways.shape).copy(), ways),
            "random": random_rays(points, 200_000),
        }.items():
            for kind, each in fields:
                hits = each.hits(len(origins))
                run = lambda: each.cast(origins[None], directions[None], hits)  # noqa: B023, E731
                run()
                runs = [run]
                if peer is not None:
                    peer.run(origins[:1], directions[:1])
                    runs.append(lambda: peer.run(origins, directions))  # noqa: B023
                seconds = best(*runs)
                case: dict[str, Any] = {"rays_per_s": len(origins) / seconds[0]}
                case["hit"] = float(np.isfinite(hits.distance).mean())
                if peer is not None:
                    case["embree_rays_per_s"] = len(origins) / seconds[1]
                found[f"{kind} {name} {rays}"] = case
    return found


def by_events(scene: RayScene, casts: list[Callable[[], RayHits]], repeats: int = 20) -> dict[str, float]:
    """Seconds of a cast, of a row of them: the median, and the least."""
    cupy = scene.device.xp
    spent = []
    stream: Any = scene.device.stream
    with stream:
        for run in casts * 3:  # compiles, captures
            run()
        for _ in range(repeats):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record(stream)
            for run in casts * 4:
                run()
            end.record(stream)
            end.synchronize()
            spent.append(cupy.cuda.get_elapsed_time(begin, end) * 1e-3 / (4 * len(casts)))
    return {"seconds": statistics.median(spent), "least_seconds": min(spent)}


def on_gpu(device: str, environments: int) -> dict[str, Any]:
    heights = terrain()
    vertices, faces = grid_triangles(heights, (CELL, CELL))
    found: dict[str, Any] = {}
    grid = np.stack(np.meshgrid(np.linspace(-0.8, 0.8, 17), np.linspace(-0.5, 0.5, 11)), axis=-1).reshape(-1, 2)
    starts = np.concatenate([grid, np.full((len(grid), 1), 20.0)], axis=1).astype(np.float32)
    down = np.tile(np.array([0, 0, -1], np.float32), (len(grid), 1))
    for kind, geometry in (
        ("mesh", mesh_geometry(vertices, faces)),
        ("height field", field_geometry(heights, (CELL, CELL))),
    ):
        scene = RayScene(environments, device)
        scene.add(geometry)
        given, pattern = [], []
        for seed in range(4):
            rng = np.random.default_rng(seed)
            place = np.concatenate([rng.uniform(-48, 48, (environments, 2)), np.zeros((environments, 1))], axis=1)
            yaw = rng.uniform(0, 2 * np.pi, environments)
            turn = np.stack([np.cos(yaw / 2), 0 * yaw, 0 * yaw, np.sin(yaw / 2)], axis=1)
            c, s = np.cos(yaw)[:, None], np.sin(yaw)[:, None]
            x, y = c * grid[:, 0] - s * grid[:, 1], s * grid[:, 0] + c * grid[:, 1]
            origins = np.stack([x, y, np.full_like(x, 20.0)], axis=-1) + place[:, None]
            given.append(cast_of(scene, origins, np.broadcast_to(down, origins.shape)))
            pattern.append(pattern_of(scene, down, place, turn, starts, 0))
        measure(found, f"height scan, {kind}", scene, len(grid), given, pattern)
    points, triangles = torus()
    scene = RayScene(environments // 4, device)
    scene.add(mesh_geometry(points, triangles))
    ways = pinhole(64, 64)
    given, pattern = [], []
    for seed in range(4):
        eye, turn = views(points, scene.num_envs, seed)
        directions = np.einsum("eij,rj->eri", turn, ways)
        given.append(cast_of(scene, np.broadcast_to(eye[:, None], directions.shape), directions))
        pattern.append(pattern_of(scene, ways, eye, quaternion(turn), None, 64))
    measure(found, "depth 64 x 64, mesh", scene, len(ways), given, pattern)
    return found


def measure(found: dict[str, Any], name: str, scene: RayScene, rays: int, given: list[Any], pattern: list[Any]) -> None:
    for kind, casts in (("rays", given), ("pattern", pattern)):
        case: dict[str, Any] = dict(by_events(scene, casts))
        case["hit"] = float(np.isfinite(scene.device.to_host(casts[0]().distance)).mean())
        case["rays_per_s"] = scene.num_envs * rays / case["seconds"]
        found[f"{name}, {kind}"] = case


def cast_of(scene: RayScene, origins: np.ndarray, directions: np.ndarray) -> Callable[[], RayHits]:
    """A cast of given rays that writes distances and places, as a height scan needs."""
    hits = scene.hits(origins.shape[1], position=True)
    one, two = on_device(scene, origins, directions)
    return lambda: scene.cast(one, two, hits)


def pattern_of(
    scene: RayScene, ways: np.ndarray, place: np.ndarray, turn: np.ndarray, starts: np.ndarray | None, width: int
) -> Callable[[], RayHits]:
    """A cast of a pattern that writes distances."""
    hits = scene.hits(len(ways))
    one, two, three = on_device(scene, ways, place, turn)
    offsets = None if starts is None else on_device(scene, starts)[0]
    return lambda: scene.cast_pattern(one, two, three, hits, starts=offsets, width=width)


def on_device(scene: RayScene, *arrays: np.ndarray) -> list[Any]:
    with scene.device.active():
        return [scene.device.xp.asarray(np.ascontiguousarray(a, np.float32)) for a in arrays]


def tuned(threads: int, registers: int) -> None:
    """Other sizes of the GPU's blocks, or fewer registers a thread, than the package has."""
    from numba import cuda

    from phalanx.rays import cuda as backend

    backend.THREADS = threads or backend.THREADS  # compiled into kernels, so none that are kept will do
    if threads or registers:
        own = cuda.jit(max_registers=registers) if registers else cuda.jit()
        backend.kernel = lambda kind: own


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--device", default="cpu")
    options.add_argument("--num-envs", type=int, default=4096, help="of the height scan; cameras: a quarter")
    options.add_argument("--threads", type=int, default=0, help="in a block of a GPU; 0: as the package has it")
    options.add_argument("--registers", type=int, default=0, help="most a thread, on a GPU; 0: as the package has it")
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    if given.device == "cpu":
        found = on_cpu()
    else:
        tuned(given.threads, given.registers)
        found = on_gpu(given.device, given.num_envs)
    for name, case in found.items():
        rate = case.get("rays_per_s")
        peer = case.get("embree_rays_per_s")
        told = f"{rate / 1e6:10.2f} Mray/s" if rate else f"{case['seconds']:10.2f} s"
        print(f"{name:36} {told}" + (f"   Embree {peer / 1e6:.2f}" if peer else ""), flush=True)
    if given.json:
        options_ = {name: str(value) for name, value in vars(given).items()}
        given.json.write_text(json.dumps({"machine": machine(), "options": options_, "cases": found}, indent=1))


if __name__ == "__main__":
    main()
