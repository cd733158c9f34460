"""What scripts written for Isaac Sim's core pay for: views and ``World.step`` against the engine's own step.

    python -m phalanx assets build franka-sim jetbot --folder ASSETS
    python -m benchmarks.isaacsim_overhead record --assets ASSETS --targets targets.npz
    python -m benchmarks.isaacsim_overhead frankas --assets ASSETS --targets targets.npz --num-envs 1024 --device cuda:0
    python -m benchmarks.isaacsim_overhead step start cloner --assets ASSETS --json out.json

``record`` lets ``PickPlaceController`` move one Franka that takes a cube from one place to another, and keeps the
targets of its joints. ``frankas`` plays them in every copy that ``GridCloner`` made: each step sets targets through an
``ArticulationView``, steps, and reads joints, hands and cubes through views. The engine's rate is that of the same
world from the same state, with the same targets set by the engine's own handle, and nothing read. Where the cubes end
is kept, since an arm that misses its cube is quicker. ``step`` is ``world.step(render=False)`` of one arm against the
engine's step, ``start`` the time from ``World()`` to the end of the first step in a new process whose kernels are in
the cache, ``cloner`` the time from an empty stage to the end of ``world.reset()`` with 4,096 copies of a robot, and of
a step.

Both ways of stepping are measured in turns; figures are medians of rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.bench.machine import machine

PLACE = np.array([0.3, -0.3, 0.0515 / 2])
CUBE = np.array([0.3, 0.3, 0.3])
FRANKA = "Isaac/Robots/FrankaRobotics/FrankaPanda/franka.usd"
JETBOT = "Isaac/Robots/NVIDIA/Jetbot/jetbot.usd"
STEPS = 1500

Step = Callable[[int], None]


def record(path: Path) -> dict[str, Any]:
    """Targets of the joints, (steps, 9), and where the cube ended, as one controlled Franka had them."""
    from phalanx.facade.isaacsim.core.api import World
    from phalanx.facade.isaacsim.robot.manipulators.examples.franka.controllers import PickPlaceController
    from phalanx.facade.isaacsim.robot.manipulators.examples.franka.tasks import PickPlace

    world = World(stage_units_in_meters=1.0)
    world.add_task(PickPlace(name="task", cube_initial_position=CUBE, target_position=PLACE))
    world.reset()
    names = world.get_task("task").get_params()
    franka = world.scene.get_object(names["robot_name"]["value"])
    cube = names["cube_name"]["value"]
    controller = PickPlaceController("controller", gripper=franka.gripper, robot_articulation=franka)
    start = np.asarray(franka.get_joint_positions())
    row, rows = start.copy(), []
    for _ in range(STEPS):
        world.step(render=False)
        seen = world.get_observations()
        if controller.is_done():
            break
        action = controller.forward(
            picking_position=seen[cube]["position"],
            placing_position=seen[cube]["target_position"],
            current_joint_positions=seen[franka.name]["joint_positions"],
        )
        franka.apply_action(action)
        columns = range(9) if action.joint_indices is None else action.joint_indices
        for column, value in zip(columns, action.joint_positions, strict=True):
            if value is not None and np.isfinite(value):
                row[column] = value
        rows.append(row.copy())
    size = np.asarray(world.scene.get_object(cube).get_size(), float).tolist()
    kps, kds = franka.get_articulation_controller().get_gains()
    end = np.asarray(world.get_observations()[cube]["position"])
    np.savez(path, targets=np.array(rows, np.float32), start=start, kps=kps, kds=kds, end=end)
    World.clear_instance()
    return {"steps": len(rows), "cube_size": size, "off_by_m": float(np.linalg.norm((end - PLACE)[:2]))}


class Frankas:
    """Frankas and cubes, side by side in one world."""

    def __init__(self, assets: Path, targets: Path, num_envs: int, device: str) -> None:
        from phalanx.facade import simulation
        from phalanx.facade.isaacsim.core.api import World
        from phalanx.facade.isaacsim.core.api.objects import DynamicCuboid
        from phalanx.facade.isaacsim.core.cloner import GridCloner
        from phalanx.facade.isaacsim.core.utils.prims import define_prim
        from phalanx.facade.isaacsim.core.utils.stage import add_reference_to_stage
        from phalanx.facade.omni.isaac.core.articulations import ArticulationView
        from phalanx.facade.omni.isaac.core.prims import RigidPrimView

        begin = time.perf_counter()
        found = np.load(targets)
        self.script = World(stage_units_in_meters=1.0, backend="torch", device=device)
        self.script.scene.add_default_ground_plane()
        cloner = GridCloner(spacing=3.0)
        cloner.define_base_env("/World/envs")
        define_prim("/World/envs/env_0")
        franka = add_reference_to_stage(str(assets / FRANKA), "/World/envs/env_0/franka")
        if franka.GetVariantSets().HasVariantSet("Gripper"):
            franka.GetVariantSet("Gripper").SetVariantSelection("AlternateFinger")
        DynamicCuboid("/World/envs/env_0/cube", position=CUBE, scale=np.full(3, 0.0515), size=1.0)
        paths = cloner.generate_paths("/World/envs/env", num_envs)
        self.origins = np.asarray(cloner.clone("/World/envs/env_0", paths))
        cloner.filter_collisions("/physicsScene", "/World/groups", paths, ["/World/defaultGroundPlane"])
        self.arms = self.script.scene.add(ArticulationView("/World/envs/.*/franka", "arms"))
        self.hands = self.script.scene.add(RigidPrimView("/World/envs/.*/franka/panda_hand", "hands"))
        self.cubes = self.script.scene.add(RigidPrimView("/World/envs/.*/cube", "cubes"))
        self.script.reset()
        self.built = time.perf_counter() - begin
        import torch  # pyright: ignore[reportMissingImports]

        def rows(values: Any) -> Any:
            return torch.tensor(np.tile(values, (num_envs, 1)), dtype=torch.float32, device=device)

        self.arms.set_gains(kps=rows(found["kps"]), kds=rows(found["kds"]))
        self.arms.set_joint_positions(rows(found["start"]))
        self.arms.set_joint_position_targets(rows(found["start"]))
        self.targets = torch.tensor(found["targets"], device=device)
        self.num_envs, self.expected = num_envs, found["end"]
        stage_world = simulation.get().world
        assert stage_world is not None
        self.world = stage_world.world
        self.own = next(iter(self.world.robots.values()))
        self.state = self.world.state()

    def through_views(self, number: int) -> None:
        """A step as a script makes it."""
        self.arms.set_joint_position_targets(self.targets[number].expand(self.num_envs, -1))
        self.script.step(render=False)
        self.arms.get_joint_positions()
        self.arms.get_joint_velocities()
        self.hands.get_world_poses()
        self.cubes.get_world_poses()

    def by_the_engine(self, number: int) -> None:
        """A step by the engine's own handle."""
        self.own.set_targets(pos=self.targets[number])
        self.world.step()

    def play(self, step: Step) -> float:
        """Seconds of all steps, from the start on."""
        self.world.set_state(self.state)
        self.world.synchronize()
        begin = time.perf_counter()
        for number in range(len(self.targets)):
            step(number)
        self.world.synchronize()
        return time.perf_counter() - begin

    def ends(self) -> dict[str, Any]:
        """Where the cubes are: how far from the place where one arm put its own, and how far they spread, m."""
        found = np.asarray(self.cubes.get_world_poses()[0].cpu()) - self.origins
        off = np.linalg.norm(found - self.expected, axis=1)
        return {"largest_distance_m": float(off.max()), "placed": int((off < 0.01).sum())}

    def measure(self, rounds: int) -> dict[str, Any]:
        """Rates of both, in turns; the first round of each is not counted."""
        taken: dict[str, list[float]] = {"views": [], "engine": []}
        ends: dict[str, Any] = {}
        for _ in range(rounds + 1):
            taken["engine"].append(self.play(self.by_the_engine))
            ends["engine"] = self.ends()
            taken["views"].append(self.play(self.through_views))
            ends["views"] = self.ends()
        count = len(self.targets) * self.num_envs
        rates = {name: [count / each for each in values[1:]] for name, values in taken.items()}
        medians = {name: statistics.median(values) for name, values in rates.items()}
        return {
            "num_envs": self.num_envs,
            "steps": len(self.targets),
            "built_seconds": self.built,
            "env_steps_per_second": rates,
            "share_of_the_engines_rate": medians["views"] / medians["engine"],
            "cubes": ends,
        }


def one_arm() -> tuple[Any, Any]:
    """A world of Isaac Sim's core with one arm on its base, and the engine's world that it steps."""
    import phalanx
    from phalanx.facade import simulation
    from phalanx.facade.isaaclab.sim.converters import UrdfConverter, UrdfConverterCfg
    from phalanx.facade.isaacsim.core.api import World
    from phalanx.facade.isaacsim.core.prims import SingleArticulation
    from phalanx.facade.isaacsim.core.utils.stage import add_reference_to_stage

    gains = UrdfConverterCfg.JointDriveCfg.PDGainsCfg(stiffness=400.0, damping=40.0)
    cfg = UrdfConverterCfg(
        asset_path=str(Path(phalanx.__file__).parent / "robots" / "arm.urdf"),
        usd_dir=tempfile.mkdtemp(prefix="phalanx_robot_"),
        fix_base=True,
        joint_drive=UrdfConverterCfg.JointDriveCfg(gains=gains),
    )
    usd = UrdfConverter(cfg).usd_path
    script = World(stage_units_in_meters=1.0)
    script.scene.add_default_ground_plane()
    add_reference_to_stage(usd, "/World/arm")
    script.scene.add(SingleArticulation("/World/arm", "arm"))
    script.reset()
    stage_world = simulation.get().world
    assert stage_world is not None
    return script, stage_world.world


def overhead(rounds: int, count: int = 400) -> dict[str, Any]:
    """Processor seconds of a step of one arm, by the script's world and by the engine's."""
    script, world = one_arm()
    ways: dict[str, Callable[[], Any]] = {"script": lambda: script.step(render=False), "engine": world.step}
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for round_ in range(rounds + 1):
        for name, step in ways.items():
            begin = time.thread_time()
            for _ in range(count):
                step()
            if round_:
                taken[name].append((time.thread_time() - begin) / count)
    medians = {name: statistics.median(values) for name, values in taken.items()}
    return {"cpu_seconds_a_step": taken, "added_microseconds": (medians["script"] - medians["engine"]) * 1e6}


def first_step() -> dict[str, Any]:
    """Seconds from before the import of the facade, and from ``World()`` on, to the end of the first step.

    From ``World()`` on there are processor seconds of all threads, too, for machines that are busy.
    """
    begin = time.perf_counter()
    import phalanx.facade.isaacsim.core.api  # noqa: F401

    imported, used = time.perf_counter(), time.process_time()
    one_arm()[0].step(render=False)
    end, used = time.perf_counter(), time.process_time() - used
    return {"import": imported - begin, "world_to_first_step": end - imported, "world_to_first_step_cpu": used}


def started(rounds: int) -> dict[str, Any]:
    """The first step in new processes, after one that fills the cache and, as an installation does, keeps byte code."""
    command = [sys.executable, "-m", "benchmarks.isaacsim_overhead", "first"]
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory(prefix="phalanx-byte-code-") as folder:
        own["PYTHONPYCACHEPREFIX"] = folder
        said = [
            subprocess.run(command, check=True, capture_output=True, text=True, env=own).stdout.split("\n")[-2]
            for _ in range(rounds + 1)
        ]
    found = [json.loads(each) for each in said[1:]]
    names = ("world_to_first_step", "world_to_first_step_cpu")
    return {"runs": found, **{name: statistics.median(each[name] for each in found) for name in names}}


def cloned(assets: Path, num_envs: int, device: str) -> dict[str, Any]:
    """Seconds to have so many copies of a Jetbot and of a Franka stepping."""
    from phalanx.facade import stage
    from phalanx.facade.isaacsim.core.api import World
    from phalanx.facade.isaacsim.core.cloner import GridCloner
    from phalanx.facade.isaacsim.core.prims import Articulation
    from phalanx.facade.isaacsim.core.utils.prims import define_prim
    from phalanx.facade.isaacsim.core.utils.stage import add_reference_to_stage

    found: dict[str, Any] = {"num_envs": num_envs}
    for name, file in (("jetbot", JETBOT), ("franka", FRANKA)):
        for turn in ("first", "warm"):
            World.clear_instance()
            stage.new_stage()
            begin, used = time.perf_counter(), time.process_time()
            world = World(stage_units_in_meters=1.0, backend="torch", device=device)
            world.scene.add_default_ground_plane()
            cloner = GridCloner(spacing=3.0)
            cloner.define_base_env("/World/envs")
            define_prim("/World/envs/env_0")
            add_reference_to_stage(str(assets / file), "/World/envs/env_0/robot")
            paths = cloner.generate_paths("/World/envs/env", num_envs)
            cloner.clone("/World/envs/env_0", paths, position_offsets=np.tile([0.0, 0.0, 0.03], (num_envs, 1)))
            cloner.filter_collisions("/physicsScene", "/World/groups", paths, ["/World/defaultGroundPlane"])
            view = world.scene.add(Articulation("/World/envs/.*/robot", "robots"))
            world.reset()
            reset = time.perf_counter() - begin
            world.step(render=False)
            view.get_joint_positions()
            seconds = {"until_reset": reset, "until_stepped": time.perf_counter() - begin}
            seconds |= {"until_stepped_cpu": time.process_time() - used, "count": int(view.count)}
            found[name if turn == "warm" else f"{name}_first"] = seconds
            world.stop()
    return found


def main() -> None:
    """Measure, print, and write JSON if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("what", nargs="+", choices=("record", "frankas", "step", "start", "cloner", "first"))
    parser.add_argument("--assets", type=Path, help="folder of `phalanx assets build franka-sim jetbot`")
    parser.add_argument("--targets", type=Path, help="file of record's, for frankas")
    parser.add_argument("--num-envs", type=int, help="1,024 Frankas, 4,096 copies by default")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="where figures are written")
    options = parser.parse_args()
    if options.assets is not None:
        os.environ["PHALANX_ASSET_ROOT"] = str(options.assets)
    if options.what == ["first"]:
        print(json.dumps(first_step()))
        return
    found: dict[str, Any] = {"machine": machine(), "device": options.device}
    ways: dict[str, Callable[[], dict[str, Any]]] = {
        "record": lambda: record(options.targets),
        "frankas": lambda: Frankas(options.assets, options.targets, options.num_envs or 1024, options.device).measure(
            options.rounds
        ),
        "step": lambda: overhead(options.rounds),
        "start": lambda: started(options.rounds),
        "cloner": lambda: cloned(options.assets, options.num_envs or 4096, options.device),
    }
    for name in options.what:
        found[name] = ways[name]()
        print(name, json.dumps(found[name], indent=1), flush=True)
        if options.json:
            options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
