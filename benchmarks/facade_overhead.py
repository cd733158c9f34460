"""What scripts written for Isaac Lab pay for: a control step of the facade against the engine's own step, in one run.

    python benchmarks/facade_overhead.py --num-envs 4096 --steps 1000 --device cuda:0 --api torch --json out.json

Quadrupeds on a ground, DC motors in all joints, which hold a pose. A control step is
``set_joint_position_target``, ``scene.write_data_to_sim``, ``sim.step``, ``scene.update``, and reading joints and root
as locomotion tasks do. The engine's own step is that of the same world with its own explicit drives, which have the
same gains, and nothing else. Both begin at the same state, in turns; figures are medians of rounds, and nothing waits
for the GPU within one.

Before that, how long the scene takes to build, from ``InteractiveScene(...)`` to the end of ``sim.reset()``, and the
memory of the process on the host at most until then. Kernels that are not in the cache yet are compiled meanwhile: what
counts is a second run.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.bench.machine import machine
from phalanx.facade import array_api, set_array_api, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.actuators import DCMotorCfg
from phalanx.facade.isaaclab.assets import ArticulationCfg, AssetBaseCfg
from phalanx.facade.isaaclab.scene import InteractiveScene, InteractiveSceneCfg
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.facade.isaaclab.utils import configclass
from phalanx.io.formats import library
from phalanx.io.formats.usd import write_robot

DT = 0.005
STIFFNESS, DAMPING, EFFORT, SPEED = 80.0, 2.0, 30.0, 30.0
POSE = {".*_hip_joint": 0.0, ".*_thigh_joint": 0.7, ".*_calf_joint": -1.4}
READ = ("joint_pos", "joint_vel", "root_pos_w", "root_lin_vel_b", "root_ang_vel_b", "projected_gravity_b")


@configclass
class SceneCfg(InteractiveSceneCfg):
    """Quadrupeds on a ground."""

    ground: AssetBaseCfg = AssetBaseCfg(prim_path="/World/ground", spawn=sim_utils.GroundPlaneCfg())
    robot: ArticulationCfg = ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/robot",
        init_state=ArticulationCfg.InitialStateCfg(joint_pos=POSE),
        actuators={
            "legs": DCMotorCfg(
                joint_names_expr=[".*"],
                stiffness=STIFFNESS,
                damping=DAMPING,
                effort_limit=EFFORT,
                saturation_effort=40.0,
                velocity_limit=SPEED,
            )
        },
    )


class Bench:
    """A scene, and ways to step it.

    Args:
        num_envs: environments.
        device: ``"cpu"`` or ``"cuda:N"``.
        folder: where the robot's file is put.
    """

    def __init__(self, num_envs: int, device: str, folder: str) -> None:
        path = Path(folder) / "quadruped.usd"
        write_robot(library.load_robot("quadruped", visuals=False, warn=False), path)
        stage.new_stage()
        self.sim = SimulationContext(SimulationCfg(device=device, dt=DT))
        cfg = SceneCfg(num_envs=num_envs, env_spacing=3.0)  # pyright: ignore[reportCallIssue]
        cfg.robot.spawn = sim_utils.UsdFileCfg(usd_path=str(path))
        begin = time.perf_counter()
        self.scene = InteractiveScene(cfg)
        self.sim.reset()
        self.built = {
            "build": time.perf_counter() - begin,
            "build_peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        }
        self.robot = self.scene["robot"]
        self.world = self.sim.stage_world.world
        self.own = next(iter(self.world.robots.values()))
        self.target = self.robot.data.default_joint_pos
        self.robot.write_joint_state_to_sim(self.target, self.robot.data.default_joint_vel)
        for _ in range(20):
            self.control_step(0)
        self.start = self.world.state()

    def control_step(self, number: int) -> None:
        """One step as a script makes it."""
        self.robot.set_joint_position_target(self.target)
        self.scene.write_data_to_sim()
        self.sim.step(render=False)
        self.scene.update(DT)
        data = self.robot.data
        for name in READ:
            getattr(data, name)

    def engine_step(self, number: int) -> None:
        """One step of the engine alone."""
        self.world.step()

    def restart(self, own_drives: bool) -> None:
        """Go back to the state of the start; joints have the engine's own explicit drives, or the actuators."""
        self.world.set_state(self.start)
        self.scene.update(0.0)
        if own_drives:
            self.own.set_drive(stiffness=STIFFNESS, damping=DAMPING, effort_limit=EFFORT, explicit=True)
            self.own.set_targets(pos=joint_pose(self.own), vel=0.0, effort=0.0)

    def wait(self) -> None:
        """Until the device has done all."""
        if self.world.engine.device.is_cuda:
            self.world.engine.device.xp.cuda.Device().synchronize()

    def round(self, step: Callable[[int], None], count: int) -> tuple[float, float]:
        """Seconds a step from the start's state on, and those of them until it was queued."""
        self.restart(step == self.engine_step)
        step(0)
        self.wait()
        begin = time.perf_counter()
        for k in range(count):
            step(k)
        queued = time.perf_counter()
        self.wait()
        return (time.perf_counter() - begin) / count, (queued - begin) / count

    def activities(self, step: Callable[[int], None], count: int = 10) -> float | None:
        """Kernels and copies on the GPU a step, by torch's profiler; ``None`` without."""
        if not self.world.engine.device.is_cuda:
            return None
        try:
            import torch  # pyright: ignore[reportMissingImports]
            from torch.profiler import ProfilerActivity, profile  # pyright: ignore[reportMissingImports]
        except ImportError:
            return None
        with profile(activities=[ProfilerActivity.CUDA]) as found:
            for k in range(count):
                step(k)
            self.wait()
        kind = torch.autograd.DeviceType.CUDA  # pyright: ignore[reportPrivateImportUsage]
        return sum(one.device_type == kind for one in found.events() or []) / count


def joint_pose(own: Any) -> list[float]:
    """The pose that is held, joint by joint."""
    ends = {"hip": 0.0, "thigh": 0.7, "calf": -1.4}
    return [next(value for key, value in ends.items() if key in name) for name in own.joint_names]


def parts(bench: Bench, count: int) -> dict[str, float]:
    """Median seconds of each part of a control step, where each waits for the device."""
    spent: dict[str, list[float]] = {"set": [], "write": [], "step": [], "update": [], "read": []}
    data = bench.robot.data
    for _ in range(count):
        for name, part in (
            ("set", lambda: bench.robot.set_joint_position_target(bench.target)),
            ("write", bench.scene.write_data_to_sim),
            ("step", lambda: bench.sim.step(render=False)),
            ("update", lambda: bench.scene.update(DT)),
            ("read", lambda: [getattr(data, each) for each in READ]),
        ):
            begin = time.perf_counter()
            part()
            bench.wait()
            spent[name].append(time.perf_counter() - begin)
    return {name: statistics.median(values) for name, values in spent.items()}


def once(bench: Bench, call: Callable[[], Any], count: int = 5) -> float:
    """Median seconds of a call that waits for the device, in a new state each time."""
    taken = []
    for _ in range(count):
        bench.world.step()
        bench.wait()
        begin = time.perf_counter()
        call()
        bench.wait()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def measure(bench: Bench, steps: int, rounds: int) -> dict[str, Any]:
    """All figures, in seconds a step."""
    each = max(1, steps // rounds)
    facade, engine = [], []
    for _ in range(rounds):
        engine.append(bench.round(bench.engine_step, each))
        facade.append(bench.round(bench.control_step, each))
    height = float(np.median(bench.world.engine.device.to_host(bench.own.root_pose)[:, 2]))
    view = bench.robot.root_physx_view
    found: dict[str, Any] = {
        **bench.built,
        "engine_step": statistics.median(total for total, _ in engine),
        "control_step": statistics.median(total for total, _ in facade),
        "engine_step_queued": statistics.median(queued for _, queued in engine),
        "control_step_queued": statistics.median(queued for _, queued in facade),
        "rounds": {"engine": [total for total, _ in engine], "facade": [total for total, _ in facade]},
        "parts_waiting": parts(bench, min(each, 100)),
        "jacobians": once(bench, view.get_jacobians),
        "mass_matrices": once(bench, view.get_generalized_mass_matrices),
        "gravity_forces": once(bench, view.get_gravity_compensation_forces),
        "coriolis_forces": once(bench, view.get_coriolis_and_centrifugal_compensation_forces),
        "median_height": height,
    }
    found["overhead"] = found["control_step"] / found["engine_step"] - 1.0
    own, all_ = bench.activities(bench.engine_step), bench.activities(bench.control_step)
    if own is not None and all_ is not None:
        found["gpu_activities"] = {"engine_step": own, "control_step": all_}
    return found


def main() -> None:
    """Measure, print, and write JSON if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--num-envs", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=1000, help="control steps in all rounds together")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--api", choices=("torch", "numpy", "cupy"), help="arrays; by default torch if it is installed")
    parser.add_argument("--json", type=Path, help="where figures are written")
    options = parser.parse_args()
    set_array_api(options.api)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.num_envs, options.device, folder)
        found = measure(bench, options.steps, options.rounds)
        SimulationContext.clear_instance()
    api = array_api(options.device)
    found = {"num_envs": options.num_envs, "device": options.device, "api": api, "machine": machine(), **found}
    print(f"scene built in {found['build']:.1f} s, {found['build_peak_bytes'] / 1e9:.2f} GB at most")
    for name in ("engine_step", "control_step"):
        queued = found[f"{name}_queued"] * 1e3
        print(f"{name:14} {found[name] * 1e3:9.3f} ms, queued in {queued:.3f} ms")
    print(
        f"overhead       {found['overhead'] * 100:9.1f} %   ({api}, {options.device}, {options.num_envs} environments)"
    )
    waiting = ", ".join(f"{name} {value * 1e6:.0f}" for name, value in found["parts_waiting"].items())
    print(f"parts, each waited for, µs: {waiting}")
    for name in ("jacobians", "mass_matrices", "gravity_forces", "coriolis_forces"):
        print(f"{name:15} {found[name] * 1e3:8.3f} ms")
    if "gpu_activities" in found:
        print("kernels and copies a step:", ", ".join(f"{k} {v:.1f}" for k, v in found["gpu_activities"].items()))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
