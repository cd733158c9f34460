"""Soft bodies and cloth beside their peers, in one process on one device.

    python benchmarks/soft_peers.py --device cuda:0 --json out.json

Cubes of 6 x 6 x 6 cells fall on the ground, a cloth of 902 nodes on a box, in many environments. Beside
Phalanx: Newton's vertex block descent (``pip install newton``), and MuJoCo Warp's flexes (``pip install mujoco-warp``),
as far as they are installed; else a sentence says how to. All step 1/100 s; Phalanx with its default small steps and
sweeps, Newton with ``--newton`` substeps and iterations. What is printed is environment-steps a second, the best of
``--repeats`` runs of ``--steps`` steps after one that is not timed, and the mean height at the end, by which it is seen
that the peers do the same. Steps of a peer on a GPU are captured as a CUDA graph once.
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
from __future__ import annotations

import argparse
import importlib.metadata
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import phalanx as px
from phalanx.bench.machine import machine

DT, CELLS, HALF, YOUNG, POISSON, DENSITY = 0.01, 6, 0.05, 1e5, 0.3, 1000.0
COLUMNS, ROWS, SPACING, THICKNESS, AREAL = 40, 21, 0.02, 2e-3, 0.6
"""Squares of the cloth, m, m, kg/m^2."""

Case = tuple[Callable[[], None], Callable[[], None], Callable[[], float]]
"""A step, what waits for the device, and the mean height, m."""


def ours(kind: str, envs: int, options: argparse.Namespace) -> Case:
    """Phalanx."""
    world = px.World(num_envs=envs, device=options.device, dt=DT)
    world.add_ground()
    if kind == "cubes":
        shape = px.Shape("box", (HALF, HALF, HALF))
        body = world.add_soft_body(
            shape,
            resolution=CELLS,
            youngs_modulus=YOUNG,
            poissons_ratio=POISSON,
            density=DENSITY,
            position=(0, 0, 2 * HALF),
        )
    else:
        world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", kind="static", position=(0, 0, 0.1))
        sheet = px.ClothMesh.grid(COLUMNS * SPACING, ROWS * SPACING, COLUMNS, ROWS)
        body = world.add_cloth(sheet, thickness=THICKNESS, density=AREAL / THICKNESS, position=(0, 0, 0.25))
    world.build()
    wait = world.engine.device.synchronize
    return world.step, wait, lambda: float(world.engine.device.to_host(body.node_pos)[..., 2].mean())


def newton_vbd(kind: str, envs: int, options: argparse.Namespace) -> Case:
    """Newton's solver by vertex block descent, as its own examples use it."""
    import newton
    import warp as wp

    substeps, iterations = options.newton
    one = newton.ModelBuilder()
    still = {"rot": wp.quat_identity(), "vel": wp.vec3(0.0, 0.0, 0.0)}
    if kind == "cubes":
        mu, lam = YOUNG / 2 / (1 + POISSON), YOUNG * POISSON / (1 + POISSON) / (1 - 2 * POISSON)
        cell = 2 * HALF / CELLS
        one.add_soft_grid(
            pos=wp.vec3(-HALF, -HALF, HALF),
            dim_x=CELLS,
            dim_y=CELLS,
            dim_z=CELLS,
            cell_x=cell,
            cell_y=cell,
            cell_z=cell,
            density=DENSITY,
            k_mu=mu,
            k_lambda=lam,
            k_damp=0.0,
            particle_radius=1e-3,
            **still,
        )
    else:
        one.add_shape_box(-1, xform=wp.transform(wp.vec3(0.0, 0.0, 0.1), wp.quat_identity()), hx=0.1, hy=0.1, hz=0.1)
        one.add_cloth_grid(
            pos=wp.vec3(-COLUMNS * SPACING / 2, -ROWS * SPACING / 2, 0.25),
            dim_x=COLUMNS,
            dim_y=ROWS,
            cell_x=SPACING,
            cell_y=SPACING,
            mass=AREAL * SPACING**2,
            tri_ke=2e3,
            tri_ka=2e3,
            tri_kd=0.0,
            edge_ke=1e-4,
            particle_radius=THICKNESS,
            **still,
        )
    whole = newton.ModelBuilder()
    for _ in range(envs):
        whole.add_world(one)
    whole.add_ground_plane()
    whole.color()
    model = whole.finalize(device=options.device)
    solver = newton.solvers.SolverVBD(model, iterations=iterations)
    control, states = model.control(), [model.state(), model.state()]
    pipeline = newton.CollisionPipeline(model)
    contacts = pipeline.contacts()

    def step() -> None:
        pipeline.collide(states[0], contacts)
        for _ in range(substeps):
            states[0].clear_forces()
            solver.step(states[0], states[1], control, contacts, DT / substeps)
            states.reverse()

    return _graph(wp, step, options.device), wp.synchronize, lambda: float(states[0].particle_q.numpy()[:, 2].mean())


def mujoco_flex(kind: str, envs: int, options: argparse.Namespace) -> Case:
    """MuJoCo Warp's flexes."""
    import mujoco
    import mujoco_warp
    import warp as wp

    if kind == "cubes":
        count, cell, dim, place, mass = f"{CELLS + 1} {CELLS + 1} {CELLS + 1}", 2 * HALF / CELLS, 3, 2 * HALF, 1.0
        box, elastic = "", f'young="{YOUNG}" poisson="{POISSON}"'
    else:
        count, cell, dim, place = f"{COLUMNS + 1} {ROWS + 1} 1", SPACING, 2, 0.25
        mass, elastic = (
            AREAL * COLUMNS * ROWS * SPACING**2,
            f'young="1e6" poisson="0.3" thickness="{THICKNESS}" elastic2d="both"',
        )
        box = '<geom type="box" size="0.1 0.1 0.1" pos="0 0 0.1"/>'
    spec = (
        f'<mujoco><option timestep="{DT}"/><worldbody><geom type="plane" size="5 5 1"/>{box}'
        f'<body name="place" pos="0 0 {place}"><flexcomp name="it" type="grid" dim="{dim}" mass="{mass}" '
        f'count="{count}" spacing="{cell} {cell} {cell}" radius="0.001"><elasticity {elastic}/>'
        '<contact selfcollide="none"/></flexcomp></body></worldbody></mujoco>'
    )
    compiled = mujoco.MjModel.from_xml_string(spec)
    data = mujoco.MjData(compiled)
    mujoco.mj_forward(compiled, data)
    wp.init()
    with wp.ScopedDevice(options.device):
        model = mujoco_warp.put_model(compiled)
        worlds = mujoco_warp.put_data(compiled, data, nworld=envs, nconmax=2000, njmax=8000)
        step = _graph(wp, lambda: mujoco_warp.step(model, worlds), options.device)
    return step, wp.synchronize, lambda: float(worlds.flexvert_xpos.numpy()[..., 2].mean())


def _graph(wp: Any, step: Callable[[], None], device: str) -> Callable[[], None]:
    if not device.startswith("cuda"):
        return step
    with wp.ScopedDevice(device):
        for _ in range(2):  # an even number, so that states are where they were
            step()
        with wp.ScopedCapture() as capture:
            for _ in range(2):
                step()
    return lambda: wp.capture_launch(capture.graph)


PEERS = {"phalanx": ours, "newton": newton_vbd, "mujoco-warp": mujoco_flex}
TWICE = ("newton", "mujoco-warp")
"""A graph of these has two steps."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--cubes", type=int, nargs="*", default=[32, 1024], help="environments of cubes")
    parser.add_argument("--cloth", type=int, nargs="*", default=[32], help="environments of cloth")
    parser.add_argument("--steps", type=int, default=100, help="an even number")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--newton", type=int, nargs=2, default=[8, 2], help="substeps and iterations")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found: list[dict[str, Any]] = []
    for kind, counts in (("cubes", options.cubes), ("cloth", options.cloth)):
        for envs in counts:
            for name, make in PEERS.items():
                found.append(
                    {"scene": kind, "num_envs": envs, "engine": name, **_measure(name, make, kind, envs, options)}
                )
                print(", ".join(f"{key} {value}" for key, value in found[-1].items()), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps({"machine": machine(), "device": options.device, "found": found}, indent=1))


def _measure(name: str, make: Callable[..., Case], kind: str, envs: int, options: argparse.Namespace) -> dict[str, Any]:
    try:
        version = importlib.metadata.version(name)
        step, wait, height = make(kind, envs, options)
    except (ImportError, importlib.metadata.PackageNotFoundError):
        return {"left_out": f"{name} is not installed; pip install {name} in this environment to compare with it"}
    except Exception as error:  # a peer of another version, or one that has no such scene: told, and the others go on
        if name == "phalanx":
            raise
        return {"left_out": f"{name} {version} could not make this scene: {type(error).__name__}: {str(error)[:200]}"}
    calls = options.steps // (2 if name in TWICE and options.device.startswith("cuda") else 1)
    best = np.inf
    for repeat in range(options.repeats + 1):
        wait()
        begin = time.perf_counter()
        for _ in range(calls):
            step()
        wait()
        best = min(best, time.perf_counter() - begin) if repeat else best
    return {
        "version": version,
        "env_steps_per_second": round(envs * options.steps / best, 1),
        "height": round(height(), 4),
    }


if __name__ == "__main__":
    main()
