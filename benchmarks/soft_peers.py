"""Soft bodies, cloth and grains beside their peers, in one run on one device.

    python benchmarks/soft_peers.py --device cuda:0 --json out.json

Cubes of 6 x 6 x 6 cells fall on the ground, grippers close on a soft cube of 1,080 tetrahedra and lift it, a cloth of
902 nodes falls on a box, in many environments; one cloth of 250,000 nodes falls on a box and touches itself, and one
block of a million grains stands. Beside Phalanx: Newton's vertex block descent (cubes and cloths; its position-based
particles for grains; ``pip install newton``), and MuJoCo Warp's flexes (cubes and the small cloth; ``pip install
mujoco-warp``), as far as they are installed; else a sentence says how to. All step 1/100 s; Phalanx with its default
small steps and sweeps, Newton with ``--newton`` substeps and iterations. What is printed is environment-steps a
second, the best of ``--repeats`` runs of ``--steps`` steps after one that is not timed, and the mean height at the
end, by which it is seen that the peers do the same. A run ends early when ``--seconds`` are over, and no scene is
begun after ``--budget`` seconds. Each scene of a peer has a process of its own, so that one that fails does not fail
those after it. Steps of a peer on a GPU are captured as a CUDA graph once; where that is refused, they are queued one
by one, which is told. The file of ``--json`` is written after each scene. ``--small`` tries it all on a CPU in small.

A control step of Isaac Lab's soft lift with a Franka is two of these steps; half of what the lifts make compares.
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
from __future__ import annotations

import argparse
import gc
import importlib.metadata
import json
import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import phalanx as px
from phalanx.bench.build import set_up
from phalanx.bench.machine import machine
from phalanx.bench.scenes import SCENES

GRAIN = 5e-3
"""Radius of grains, m."""

DT, CELLS, HALF, YOUNG, POISSON, DENSITY = 0.01, 6, 0.05, 1e5, 0.3, 1000.0
COLUMNS, ROWS, SPACING, THICKNESS, AREAL = 40, 21, 0.02, 2e-3, 0.6
"""Squares of the cloth, m, m, kg/m^2."""

Case = tuple[Callable[[], None], Callable[[], None], Callable[[], float]]
"""A step, what waits for the device, and the mean height, m."""


def ours(kind: str, envs: int, options: argparse.Namespace) -> Case:
    """Phalanx."""
    if kind == "lift":
        setup = set_up(replace(SCENES["soft_lift"], dt=DT), envs, options.device)
        turn = iter(range(1 << 30))

        def control() -> None:
            frame = next(turn)
            if frame % 10 == 0:
                setup.apply(setup.controls(frame // 10))
            setup.world.step()

        wait = setup.world.engine.device.synchronize
        return control, wait, lambda: float(setup.heights().mean())
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
    elif kind == "grains":
        lattice = px.PointSet.grid((options.grains,) * 3, 2.02 * GRAIN, jitter=0.05 * GRAIN)
        height = 1.01 * GRAIN * options.grains + 0.1 * GRAIN
        body = world.add_particles(lattice, radius=GRAIN, rolling_friction=0.1, position=(0, 0, height))
    elif kind == "large cloth":
        world.add_rigid_object(px.Shape("box", (0.5, 0.5, 0.5)), "box", kind="static", position=(0, 0, 0.5))
        squares, side = options.squares, options.squares * 0.004
        sheet = px.ClothMesh.grid(side, side, squares, squares)
        body = world.add_cloth(sheet, thickness=1e-3, touches_cloth=True, position=(0, 0, 1.01))
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
    elif kind == "grains":
        n = options.grains
        one.add_particle_grid(
            pos=wp.vec3(-1.01 * GRAIN * n, -1.01 * GRAIN * n, GRAIN),
            dim_x=n,
            dim_y=n,
            dim_z=n,
            cell_x=2.02 * GRAIN,
            cell_y=2.02 * GRAIN,
            cell_z=2.02 * GRAIN,
            mass=1500 * 4 / 3 * np.pi * GRAIN**3,
            jitter=0.05 * GRAIN,
            radius_mean=GRAIN,
            **still,
        )
    elif kind == "large cloth":
        n = options.squares
        one.add_shape_box(-1, xform=wp.transform(wp.vec3(0.0, 0.0, 0.5), wp.quat_identity()), hx=0.5, hy=0.5, hz=0.5)
        one.add_cloth_grid(
            pos=wp.vec3(-0.002 * n, -0.002 * n, 1.01),
            dim_x=n,
            dim_y=n,
            cell_x=0.004,
            cell_y=0.004,
            mass=0.3 * 0.004**2,
            tri_ke=1e3,
            tri_ka=1e3,
            tri_kd=0.0,
            edge_ke=1e-4,
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
    if kind != "grains":
        whole.color()
    model = whole.finalize(device=options.device)
    if kind == "grains":
        solver = newton.solvers.SolverXPBD(model, iterations=iterations)
    elif kind == "large cloth":
        solver = newton.solvers.SolverVBD(
            model,
            iterations=iterations,
            particle_enable_self_contact=True,
            particle_self_contact_margin=1e-3,
            particle_self_contact_gap=5e-4,
        )
    else:
        solver = newton.solvers.SolverVBD(model, iterations=iterations)
    control, states = model.control(), [model.state(), model.state()]
    pipeline = newton.CollisionPipeline(model)
    contacts = pipeline.contacts()

    def step() -> None:
        pipeline.collide(states[0], contacts)
        for _ in range(substeps):
            states[0].clear_forces()
            if kind == "grains":
                model.particle_grid.build(states[0].particle_q, 2.4 * GRAIN)
            solver.step(states[0], states[1], control, contacts, DT / substeps)
            states.reverse()

    return _graph(wp, step, options), wp.synchronize, lambda: float(states[0].particle_q.numpy()[:, 2].mean())


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
        step = _graph(wp, lambda: mujoco_warp.step(model, worlds), options)
    return step, wp.synchronize, lambda: float(worlds.flexvert_xpos.numpy()[..., 2].mean())


def _graph(wp: Any, step: Callable[[], None], options: argparse.Namespace) -> Callable[[], None]:
    if not options.graphs:
        return lambda: (step(), step())[0]
    with wp.ScopedDevice(options.device):
        for _ in range(2):  # an even number, so that states are where they were
            step()
        with wp.ScopedCapture() as capture:
            for _ in range(2):
                step()
    return lambda: wp.capture_launch(capture.graph)


PEERS = {"phalanx": ours, "newton": newton_vbd, "mujoco-warp": mujoco_flex}
LACKS = {
    "lift": {"newton": "its example of a gripper is a task of its own", "mujoco-warp": "a gripper is not made here"},
    "large cloth": {"mujoco-warp": "flexes of this size are not made here"},
    "grains": {"mujoco-warp": "it has no grains"},
}
TWICE = ("newton", "mujoco-warp")
"""A call of these makes two steps."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--cubes", type=int, nargs="*", default=[1024, 8192], help="environments of cubes")
    parser.add_argument("--lift", type=int, nargs="*", default=[1024, 8192], help="environments of grippers")
    parser.add_argument("--cloth", type=int, nargs="*", default=[32], help="environments of cloth")
    parser.add_argument("--steps", type=int, default=100, help="an even number")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--newton", type=int, nargs=2, default=[8, 2], help="substeps and iterations")
    parser.add_argument("--squares", type=int, default=499, help="of the large cloth along a side; 0: none")
    parser.add_argument("--grains", type=int, default=100, help="along each side of the block; 0: none")
    parser.add_argument("--seconds", type=float, default=5.0, help="most of a run")
    parser.add_argument("--engines", nargs="*", choices=PEERS, default=list(PEERS), help="which engines")
    parser.add_argument("--budget", type=float, default=330.0, help="seconds after which no scene is begun")
    parser.add_argument(
        "--small", action="store_true", help="two environments, a small cloth and few grains, two steps"
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.small:
        options.cubes = options.lift = options.cloth = [2]
        options.squares, options.grains, options.steps, options.repeats = 20, 6, 2, 1
    started = time.perf_counter()
    found: list[dict[str, Any]] = []
    scenes = [("lift", n) for n in options.lift] + [("cloth", n) for n in options.cloth]
    scenes += [("large cloth", 1)] * (options.squares > 0) + [("grains", 1)] * (options.grains > 0)
    scenes += [("cubes", n) for n in options.cubes]
    # all of Phalanx first: kernels of peers take minutes to compile
    for name in options.engines:
        for kind, envs in scenes:
            if time.perf_counter() - started > options.budget:
                told: dict[str, Any] = {"left_out": f"{options.budget:g} s were over"}
            elif reason := LACKS.get(kind, {}).get(name):
                told = {"left_out": reason}
            elif name == "phalanx":
                told = _measure(name, kind, envs, options)
            else:
                told = _measure_apart(name, kind, envs, options)
            took = round(time.perf_counter() - started, 1)
            found.append({"scene": kind, "num_envs": envs, "engine": name, **told, "seconds_since_start": took})
            print(", ".join(f"{key} {value}" for key, value in found[-1].items()), flush=True)
            if options.json is not None:
                made = {"machine": machine(), "device": options.device, "found": found}
                options.json.write_text(json.dumps(made, indent=1))
            gc.collect()


def _measure_apart(name: str, kind: str, envs: int, options: argparse.Namespace) -> dict[str, Any]:
    """A peer, in a process of its own; once more without a graph where that is refused."""
    for graphs in (True, False) if options.device.startswith("cuda") else (False,):
        options.graphs = graphs
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            told = pool.submit(_measure, name, kind, envs, options).result()
        if "raph" not in told.get("left_out", ""):
            return told if graphs == options.device.startswith("cuda") else {**told, "graph": "refused by the driver"}
    return told


def _measure(name: str, kind: str, envs: int, options: argparse.Namespace) -> dict[str, Any]:
    try:
        version = px.__version__ if name == "phalanx" else importlib.metadata.version(name)
        step, wait, height = PEERS[name](kind, envs, options)
    except (ImportError, importlib.metadata.PackageNotFoundError):
        return {"left_out": f"{name} is not installed; pip install {name} in this environment to compare with it"}
    except Exception as error:  # a peer of another version, or one that has no such scene: told, and the others go on
        if name == "phalanx":
            raise
        return {"left_out": f"{name} {version} could not make this scene: {type(error).__name__}: {str(error)[:200]}"}
    twice = 2 if name in TWICE else 1
    best, longest = 0.0, 0
    try:
        for repeat in range(options.repeats + 1):
            wait()
            begin, done = time.perf_counter(), 0
            while done < options.steps and (done == 0 or time.perf_counter() - begin < options.seconds):
                for _ in range(min(10, options.steps - done) // twice):
                    step()
                done += min(10, options.steps - done)
                wait()
            took = time.perf_counter() - begin
            best, longest = (max(best, done / took), max(longest, done)) if repeat else (best, longest)
    except Exception as error:  # as above: a scene that is too large for one engine
        return {"left_out": f"{name} {version} stopped: {type(error).__name__}: {str(error)[:200]}"}
    return {
        "version": version,
        "env_steps_per_second": round(envs * best, 1),
        "milliseconds_per_step": round(1e3 / best, 3),
        "steps_of_a_run": longest,
        "height": round(height(), 4),
    }


if __name__ == "__main__":
    main()
