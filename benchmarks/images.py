"""How many images a second: ``python benchmarks/images.py [--device cuda:0] [--json out.json]``.

A quadruped of 22 shapes with joints at random on a ground of squares, seen by a camera that looks at it from a random
side: 4096 environments of 64 x 64 pixels on a GPU, 64 on a CPU with one thread (or more, ``--threads``). In colours
with and without shadows, in depth, and with everything at once; with shapes as primitives, and as meshes of 2,600
triangles each. And depth images of a mesh of 131,072 triangles, 1024 times (on a CPU 16 times) 64 x 64.

On a GPU the time is that of CUDA events around 8 captures in a row, the median of 10 rows; cameras are four sets in
turn. What is asked for with ``--registers`` (at most, of a thread) is measured too, so that one run says which is best:
``--registers 64 80 96 128 168``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import trimesh

from phalanx.bench.machine import machine
from phalanx.ecs.cpu.threads import num_threads, set_num_threads
from phalanx.images import Light, Look, Texture
from phalanx.images.image_kernels import draw_pixels
from phalanx.images.sensor import ImageSensor
from phalanx.maths.arrays import from_matrix
from phalanx.rays import RayScene, mesh_geometry, primitive_geometry

RAYS: Any = importlib.import_module("rays")
"""``benchmarks/rays.py``, beside this file."""

SIZE = 64
EVERYTHING = ("rgb", "distance_to_camera", "depth", "normals", "motion_vectors", "ids")

TRUNK = [
    ("box", (0.19, 0.07, 0.06), (0, 0, 0)),
    ("box", (0.05, 0.05, 0.04), (0.23, 0, 0.02)),
    ("cylinder", (0.035, 0.03), (0.28, 0, 0.03)),
    ("box", (0.1, 0.04, 0.02), (0, 0, 0.08)),
    ("sphere", (0.03,), (0.05, 0, 0.11)),
    ("box", (0.03, 0.06, 0.03), (-0.21, 0, 0)),
]
"""Kind, size, place in the trunk's frame: of the trunk; each leg has four more."""


def turns_about(axis: int, angle: np.ndarray) -> np.ndarray:
    """Rotations (n, 3, 3) about y (1) or x (0)."""
    c, s, o, z = np.cos(angle), np.sin(angle), np.ones_like(angle), np.zeros_like(angle)
    rows = [[o, z, z], [z, c, -s], [z, s, c]] if axis == 0 else [[c, z, s], [z, o, z], [-s, z, c]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def shapes() -> list[tuple[str, tuple[float, ...], int, tuple[float, float, float]]]:
    """Kind, size, body and place in its frame; bodies: the trunk, then hip, thigh and calf of each leg."""
    found = [(kind, size, 0, place) for kind, size, place in TRUNK]
    for leg in range(4):
        found.append(("cylinder", (0.045, 0.03), 1 + 3 * leg, (0, 0, 0)))
        found.append(("box", (0.02, 0.015, 0.1), 2 + 3 * leg, (0, 0, -0.1)))
        found.append(("capsule", (0.012, 0.09), 3 + 3 * leg, (0, 0, -0.1)))
        found.append(("sphere", (0.022,), 3 + 3 * leg, (0, 0, -0.2)))
    return found


def robots(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Poses (count, 13, 3) and (count, 13, 4) of quadrupeds near the ground, at random."""
    rng = np.random.default_rng(seed)
    trunk = turns_about(0, rng.normal(0, 0.15, count)) @ turns_about(1, rng.normal(0, 0.15, count))
    place = np.concatenate([rng.uniform(-0.2, 0.2, (count, 2)), rng.uniform(0.27, 0.33, (count, 1))], axis=1)
    places, rotations = [place], [trunk]
    for leg in range(4):
        front, left = 1 if leg < 2 else -1, 1 if leg % 2 else -1
        hip = place + (trunk @ [0.19 * front, 0.05 * left, 0.0])
        one = trunk @ turns_about(0, rng.normal(0, 0.2, count))
        two = one @ turns_about(1, rng.normal(0.8, 0.2, count))
        three = two @ turns_about(1, rng.normal(-1.5, 0.2, count))
        thigh = hip + (one @ [0.0, 0.08 * left, 0.0])
        places += [hip, thigh, thigh + (two @ [0.0, 0.0, -0.2])]
        rotations += [one @ turns_about(0, np.full(count, np.pi / 2)), two, three]
    return np.stack(places, axis=1), from_matrix(np.stack(rotations, axis=1))


def cameras(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Places and orientations of cameras around robots, 0.9 to 1.5 m away."""
    rng = np.random.default_rng(seed)
    way = rng.uniform(0, 2 * np.pi, count)
    away = rng.uniform(0.9, 1.5, count)
    eye = np.stack([away * np.cos(way), away * np.sin(way), rng.uniform(0.3, 0.9, count)], axis=1)
    forward = rng.uniform([-0.1, -0.1, 0.2], [0.1, 0.1, 0.3], (count, 3)) - eye
    forward /= np.linalg.norm(forward, axis=1, keepdims=True)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right, axis=1, keepdims=True)
    return eye, from_matrix(np.stack([right, np.cross(forward, right), forward], axis=-1))


def as_mesh(kind: str, size: tuple[float, ...]) -> Any:
    """A mesh of a primitive, of 2,600 triangles or so."""
    make = trimesh.creation
    if kind == "box":
        return make.box(2 * np.array(size)).subdivide().subdivide().subdivide().subdivide()
    if kind == "cylinder":
        return make.cylinder(size[0], 2 * size[1], sections=40).subdivide().subdivide()
    if kind == "capsule":
        return make.capsule(2 * size[1], size[0], count=[36, 36])
    return make.icosphere(4, size[0])


def quadruped(count: int, device: str, meshes: bool) -> tuple[RayScene, dict[int, Look]]:
    """The scene, placed, and its looks."""
    scene = RayScene(count, device)
    ground = scene.add(primitive_geometry("plane"))
    looks = {ground: Look((1, 1, 1), roughness=1.0, texture=Texture.checkerboard(side=0.25))}
    made: dict[Any, Any] = {}
    for k, (kind, size, body, place) in enumerate(shapes()):
        if (kind, size) not in made:
            solid = as_mesh(kind, size) if meshes else None
            made[kind, size] = (
                primitive_geometry(kind, size) if solid is None else mesh_geometry(solid.vertices, solid.faces)
            )
        number = scene.add(made[kind, size], body=body, position=place, object=1 + body)
        looks[number] = Look([(0.08, 0.09, 0.1), (0.6, 0.62, 0.65), (0.75, 0.3, 0.05)][k % 3], roughness=0.4)
    scene.place(*on_device(scene, *robots(count)))
    return scene, looks


def on_device(scene: RayScene, *arrays: Any) -> list[Any]:
    with scene.device.active():
        return [scene.device.xp.asarray(np.ascontiguousarray(a, np.float32)) for a in arrays]


def seconds_of(scene: RayScene, runs: list[Callable[[], Any]], repeats: int = 10) -> float:
    """Of one of them, in the median of rows; of the processor where there is one thread, else of the clock."""
    if not scene.device.is_cuda:
        clock = time.process_time if num_threads() == 1 else time.perf_counter
        spent = []
        for run in runs * 3:
            start = clock()
            run()
            spent.append(clock() - start)
        return statistics.median(spent[1:])
    cupy = scene.device.xp
    stream: Any = scene.device.stream
    spent = []
    with stream:
        for run in runs * 3:  # compiles, captures
            run()
        for _ in range(repeats):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record(stream)
            for run in runs * 2:
                run()
            end.record(stream)
            end.synchronize()
            spent.append(cupy.cuda.get_elapsed_time(begin, end) * 1e-3 / (2 * len(runs)))
    return statistics.median(spent)


def variants(scene: RayScene, sensor: ImageSensor, given: argparse.Namespace) -> list[tuple[str, Callable[[], None]]]:
    """What sets the kernel to each number of registers; on a CPU, and first, the package's own."""
    found: list[tuple[str, Callable[[], None]]] = [("", lambda: None)]
    if not scene.device.is_cuda:
        return found
    from numba import cuda

    kernel = scene._kernels[draw_pixels, sensor._constants(scene.packed())]
    own = kernel.compiled

    def use(compiled: Any) -> None:
        kernel.compiled = compiled
        kernel.graphs.clear()

    for registers in given.registers:
        compiled = cuda.jit(max_registers=registers)(kernel.compiled.py_func)
        found.append((f"{registers} registers", lambda c=compiled: use(c)))
    found[0] = ("", lambda: use(own))
    return found


def measure(name: str, sensor: ImageSensor, views_: list[Any], given: argparse.Namespace, told: dict[str, Any]) -> None:
    """All variants of one sensor's captures."""
    scene = sensor.scene
    runs = [lambda p=p, o=o: sensor.capture(p, o) for p, o in views_]
    runs[0]()
    choices = variants(scene, sensor, given)
    for label, use in choices:
        use()
        seconds = seconds_of(scene, runs)
        images = scene.num_envs / seconds
        full = f"{name}, {label}" if label else name
        told[full] = {"seconds": seconds, "images_per_s": images, "pixels_per_s": images * SIZE * SIZE}
        print(f"{full:64} {images:12.0f} images/s {images * SIZE**2 / 1e6:10.2f} Mpixel/s", flush=True)
    choices[0][1]()  # the package's own, for what comes next


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--device", default="cpu")
    options.add_argument(
        "--num-envs", type=int, default=0, help="4096 on a GPU, 64 on a CPU; a quarter for depth alone"
    )
    options.add_argument("--registers", type=int, nargs="*", default=[], help="most a thread, on a GPU")
    options.add_argument("--threads", type=int, default=1, help="on a CPU")
    options.add_argument("--only", default="", help="cases that have this in their name")
    options.add_argument(
        "--picture", type=Path, help="write the first images of each case that has colours to PNGs there"
    )
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    set_num_threads(given.threads)
    count = given.num_envs or (64 if given.device == "cpu" else 4096)
    told: dict[str, Any] = {}
    cases = [("rgb, no shadows", ("rgb",), 0), ("rgb", ("rgb",), 1), ("depth", ("depth",), 0), ("all", EVERYTHING, 1)]
    for meshes in (False, True):
        kind = "meshes" if meshes else "primitives"
        if given.only and not any(given.only in f"quadruped of {kind}: {case[0]}" for case in cases):
            continue
        scene, looks = quadruped(count, given.device, meshes)
        places = [on_device(scene, *cameras(count, seed)) for seed in range(4)]
        for case, types, shadows in cases:
            name = f"quadruped of {kind}: {case}"
            if given.only not in name:
                continue
            lights = [Light.distant((-0.4, 0.3, -1), (1, 0.95, 0.9), 0.7), Light.dome((0.9, 0.95, 1), 0.4)]
            sensor = ImageSensor(scene, SIZE, SIZE, types, looks=looks, lights=lights, shadows=shadows)
            measure(name, sensor, places, given, told)
            if given.picture and "rgb" in types:
                from PIL import Image

                tiles = scene.device.to_host(sensor.output["rgb"])[:32].reshape(4, 8, SIZE, SIZE, 3)
                Image.fromarray(tiles.swapaxes(1, 2).reshape(4 * SIZE, 8 * SIZE, 3)).save(
                    given.picture / f"{name.replace(': ', '_').replace(', ', '_').replace(' ', '_')}.png"
                )
    if given.only in "torus: depth":
        points, triangles = RAYS.torus()
        scene = RayScene(max(count // 4, 1), given.device)
        scene.add(mesh_geometry(points, triangles))
        eyes = [RAYS.views(points, scene.num_envs, seed) for seed in range(4)]
        places = [on_device(scene, eye, RAYS.quaternion(turn)) for eye, turn in eyes]
        sensor = ImageSensor(scene, SIZE, SIZE, ("depth",))
        sensor.set_pinhole(0.5 * SIZE / np.tan(np.radians(30)))
        measure("torus: depth", sensor, places, given, told)
    if given.json:
        options_ = {name: str(value) for name, value in vars(given).items()}
        given.json.write_text(json.dumps({"machine": machine(), "options": options_, "cases": told}, indent=1))


if __name__ == "__main__":
    main()
