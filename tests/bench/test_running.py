"""Benchmarks run, agree with MuJoCo on what they simulate, say what they measured, and fail in one line."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mujoco
import numba
import numpy as np
import pytest
from numba.core.runtime import _nrt_python as numba_runtime  # pyright: ignore[reportAttributeAccessIssue]
from numba.core.runtime import rtsys  # pyright: ignore[reportPrivateImportUsage]

import phalanx as px
from phalanx import bench
from phalanx import components as c
from phalanx.bench import SCENES, first_step, mujoco_peer
from phalanx.bench.build import set_up
from phalanx.bench.measure import Run, measure, where_memory_goes, where_time_goes
from phalanx.bench.peers import PeerMissing, peer_for
from phalanx.bench.warming import warm_up, worlds_for
from phalanx.commands.bench import BenchOptions
from phalanx.commands.bench import bench as bench_command
from phalanx.commands.common import UserError
from phalanx.systems import STEP

mj: Any = mujoco
GIGABYTE = 1e9
CALLS = 250
"""More than the allocations of Numba's runtime that calls of batches make, fewer than steps between looks."""

LITTLE = 4096
"""Bytes that a look at a flag of 64 environments may take on the device."""


@pytest.fixture(scope="module")
def humanoid(device: str) -> dict[str, Any]:
    """400 steps of 16 humanoids, here and in MuJoCo: they crouch, fall, and lie."""
    case = bench.run_case(SCENES["humanoid"], 16, device, steps=400, repeats=1, peer=mujoco_peer.measure)
    assert len(case["peers"]) == 1
    return case


def test_engines_step_the_same_model(humanoid):
    ours, theirs = humanoid["phalanx"], humanoid["peers"][0]
    assert humanoid["differences"] == []
    assert (ours["dofs"], ours["shapes"]) == (theirs["dofs"], theirs["shapes"]) == (27, 20)
    assert ours["steps"] == theirs["steps"] == 400
    assert ours["engine"] == "phalanx" and theirs["engine"] == "mujoco.rollout"
    assert theirs["version"] == mj.__version__


def test_engines_see_the_same_fall(humanoid):
    """Nobody wins by simulating less: heights to 2 cm, load-bearing contacts to a fifth."""
    ours, theirs = humanoid["phalanx"], humanoid["peers"][0]
    assert ours["height"] == pytest.approx(theirs["height"], abs=0.01)
    assert ours["height_at_end"] == pytest.approx(theirs["height_at_end"], abs=0.02)
    assert 0.3 < ours["height_at_end"] < 0.5
    assert theirs["touching_per_env"] > 8
    assert ours["touching_per_env"] == pytest.approx(theirs["touching_per_env"], rel=0.2)
    assert ours["contacts_per_env"] >= ours["touching_per_env"]
    assert theirs["touching_per_env"] < ours["contacts_per_env"] < 2 * theirs["contacts_per_env"]


def test_a_gripper_lifts_the_cube_in_both(device):
    case = bench.run_case(SCENES["gripper"], 4, device, steps=500, repeats=1, peer=mujoco_peer.measure)
    ours, theirs = case["phalanx"], case["peers"][0]
    lifted = 0.04 * 450 * 0.005  # m: the target of the last stretch; the drive is 0.1 s behind
    assert ours["height_at_end"] == pytest.approx(0.03 + lifted - 0.04 * 0.1, abs=0.003)
    assert theirs["height_at_end"] == pytest.approx(ours["height_at_end"], abs=0.01)  # MuJoCo's contacts creep
    assert ours["touching_per_env"] == pytest.approx(theirs["touching_per_env"], rel=0.2)


def test_figures_are_complete_and_survive_json(humanoid, tmp_path):
    again = json.loads(json.dumps(humanoid))
    assert again == humanoid
    assert set(humanoid) == {
        "scene", "doc", "num_envs", "device", "dtype", "dt", "steps", "phalanx", "peers", "differences",
        "phase_seconds_per_step", "system_seconds_per_step", "memory", "recording",
    }  # fmt: skip
    for run in (humanoid["phalanx"], *humanoid["peers"]):
        assert run["env_steps_per_second"] > 0 and run["spread"] >= 0 and run["repeats"] == 1
        assert run["first_step_seconds"] > 0 and run["build_seconds"] > 0
    phases, systems = humanoid["phase_seconds_per_step"], humanoid["system_seconds_per_step"]
    assert {"collide", "rows", "sweep", "dynamics"} <= set(phases)
    assert "integrate" in phases or humanoid["device"] != "cpu"  # there it is part of a kernel of another phase
    assert sum(phases.values()) == pytest.approx(sum(systems.values()))
    assert all(seconds > 0 for seconds in systems.values())
    memory = humanoid["memory"]
    assert memory["bytes_per_env"] * 16 == pytest.approx(memory["bytes"])
    assert 0 < sum(memory["largest_components_bytes_per_env"].values()) <= memory["bytes_per_env"]


def test_run_writes_what_it_prints(tmp_path, device, capsys):
    path = tmp_path / "out.json"
    results = bench.run(["cartpole"], device, path, num_envs=(3, 64), steps=100, repeats=2, recording=True)
    assert json.loads(path.read_text()) == results
    assert results["schema"] == bench.SCHEMA and results["device"].startswith(device[:4])
    assert {"phalanx", "numba", "numpy", "processor", "processors", "system"} <= set(results["machine"])
    assert [case["num_envs"] for case in results["cases"]] == [3, 64]
    for case in results["cases"]:
        assert case["peers"] == [] and case["phalanx"]["repeats"] == 2 and case["steps"] == 100
        assert case["phalanx"]["contacts_per_env"] == 0
        assert case["recording"]["steps"] == 100 and case["recording"]["bytes_on_disk"] > 1000
        assert case["recording"]["seconds_with"] == pytest.approx(
            case["recording"]["seconds_without"] * (1 + case["recording"]["slowdown"])
        )
        joints = 3 * case["num_envs"] * 2 * 4  # position, velocity and target of two joints in float32
        assert case["recording"]["bytes_of_values"] >= 102 * joints
        assert case["recording"]["slowdown_of_least"] > -1 and case["recording"]["cpu_slowdown"] > -1
        assert case["phalanx"]["height_at_end"] == pytest.approx(1.2)
    printed = capsys.readouterr().out
    rate = results["cases"][1]["phalanx"]["env_steps_per_second"]
    assert f"{rate:,.0f}" in printed and "cartpole" in printed and "Where the time of a step goes" in printed
    assert "Recording every step takes longer by" in printed


def test_cases_before_an_interrupt_are_printed_and_kept(humanoid, tmp_path, capsys, monkeypatch):
    def case(scene: Any, count: int, *_: Any, **__: Any) -> dict[str, Any]:
        if count == 16:
            return humanoid
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "run_case", case)
    with pytest.raises(KeyboardInterrupt):
        bench.run(["humanoid"], "cpu", tmp_path / "a.json", num_envs=(16, 64, 256))
    assert json.loads((tmp_path / "a.json").read_text())["cases"] == [humanoid]
    printed = capsys.readouterr().out
    assert f"{humanoid['phalanx']['env_steps_per_second']:,.0f}" in printed
    with pytest.raises(KeyboardInterrupt):
        bench.run(["humanoid"], "cpu", tmp_path / "b.json", num_envs=(64,))
    assert not (tmp_path / "b.json").exists() and capsys.readouterr().out == ""


@pytest.mark.slow
def test_first_steps_of_new_processes(tmp_path, device, capsys, monkeypatch):
    """With the tests' own cache, which is warm: that the folder is empty at first is shown below."""
    monkeypatch.setattr(first_step, "CACHES", ())
    path = tmp_path / "out.json"
    bench_command(
        BenchOptions(["cartpole"], device=device, json=path, num_envs=(2,), steps=50, repeats=1, first_step=True)
    )
    (found,) = json.loads(path.read_text())["first_steps"]
    assert (found["scene"], found["engine"]) == ("cartpole", "phalanx") and found["device"].startswith(device[:4])
    assert found["cold_seconds"] > 0.1 and found["warm_seconds"] > 0.1  # imports alone take longer
    printed = capsys.readouterr().out.partition("Seconds to the end of the first step")[2]
    assert f"empty cache {found['cold_seconds']:6.1f}, warm cache {found['warm_seconds']:5.1f}" in printed


def test_first_steps_are_taken_with_an_empty_and_then_a_filled_cache(monkeypatch):
    """By a program that keeps a file in its cache and tells how many it has found there."""
    monkeypatch.setattr(
        first_step,
        "_OURS",
        "import os, pathlib, sys\n"
        "here, other = (pathlib.Path(os.environ[name]) for name in ('PHALANX_CACHE_DIR', 'NUMBA_CACHE_DIR'))\n"
        "print(sys.argv, len(list(here.iterdir())) + 10 * (here != other))\n"
        "(here / 'kernel').touch()",
    )
    found = first_step.first_step("cartpole", "cpu")
    assert (found["cold_seconds"], found["warm_seconds"]) == (0.0, 1.0)
    monkeypatch.setattr(first_step, "_OURS", "raise ValueError('out of ink')")
    with pytest.raises(RuntimeError, match="the first step could not be timed: ValueError: out of ink"):
        first_step.first_step("cartpole", "cpu")


def test_peers_are_printed_side_by_side(humanoid):
    results = {"machine": bench.machine(), "device": "cpu", "dtype": "float32", "threads": 2, "cases": [humanoid]}
    ours, theirs = humanoid["phalanx"], humanoid["peers"][0]
    lines = bench.table(results).splitlines()
    row = next(line for line in lines if "mujoco.rollout" in line)
    assert f"{ours['env_steps_per_second'] / theirs['env_steps_per_second']:.2f}" in row
    assert f"{theirs['touching_per_env']:.1f}" in row and f"{theirs['height']:.3f}" in row
    assert f"{theirs['height_at_end']:.3f}" in row
    lost = {**theirs, "notes": ["2 of 16 environments diverged"]}
    told = bench.table({**results, "cases": [{**humanoid, "peers": [lost]}]})
    assert "humanoid, 16, mujoco.rollout: 2 of 16 environments diverged" in told
    told = bench.table({**results, "cases": [{**humanoid, "differences": ["dofs differ: 27 here, 6 in x"]}]})
    assert "humanoid, 16: dofs differ: 27 here, 6 in x" in told


def test_what_is_not_the_same_model_is_said():
    ours = Run("phalanx", "0", "cpu", 1, 50, dofs=27, shapes=20, mass=40.0)
    other = Run("other", "0", "cpu", 1, 50, dofs=21, shapes=20, mass=41.0)
    assert bench.differences(ours, ours) == []
    assert bench.differences(ours, other) == [
        "dofs differ: 27 here, 21 in other", "masses differ: 40 kg here, 41 kg in other",
    ]  # fmt: skip


def test_contacts_that_do_not_fit_are_noted(device):
    run, _ = measure(replace(SCENES["humanoid"], max_contacts=3), 2, device, frames=1, repeats=1)
    assert any("contacts did not fit into 3 slots" in note for note in run.notes), run.notes


def test_environments_that_diverge_are_noted_of_mujoco_too():
    """A force so large that MuJoCo refuses it; of three environments, and for one stretch only, in one."""
    scene = replace(SCENES["cartpole"], hold=10)
    setup = set_up(scene, 4)
    calm = mujoco_peer.measure(setup, 3, 2)
    assert calm.notes == []
    given = setup.controls

    def wild(frame: int) -> np.ndarray:
        found = given(frame)
        found[0 if frame == 1 else slice(2, 4)] = 1e14
        return found

    setup.controls = wild
    run = mujoco_peer.measure(setup, 3, 2)
    assert run.notes == ["3 of 4 environments diverged, were reset and made fewer steps"]
    assert json.loads(json.dumps(run.summary()))["notes"] == run.notes


def test_humanoids_fit_into_a_gigabyte_by_the_thousand(device):
    """After they have fallen, with whatever room for contacts that took; by arithmetic from a small world."""
    setup = set_up(SCENES["humanoid"], 64, device)
    store = setup.world.engine.store
    assert (
        store.sizes(64) == store.sizes()
        and store.sizes(512) == set_up(SCENES["humanoid"], 512, device).world.engine.store.sizes()
    )
    setup.world.step(200)
    for field in (*c.IslandContact.fields(), *c.IslandDof.fields()):
        if field.name != "wide":
            store.array(field)  # what a GPU has besides
    assert store.nbytes(8192) < GIGABYTE
    memory = where_memory_goes(setup)
    assert store.nbytes(8192) < 8192 * memory["bytes_per_env"]
    assert memory["bytes"] == store.nbytes() == sum(store.sizes().values())
    largest = memory["largest_fields_bytes_per_env"]
    assert list(largest.values()) == sorted(largest.values(), reverse=True) and next(iter(largest)) in store.sizes()


@contextlib.contextmanager
def no_arrays(world: px.World) -> Iterator[None]:
    """Fail if an array is made or memory is taken within the block, on the host or on the device."""
    store = world.engine.store
    world.synchronize()
    sizes, version, pool = store.sizes(), store.version, pool_bytes(world.device)
    arrays = {key: id(value) for key, value in store._arrays.items()}
    numba_runtime.memsys_enable_stats()
    native = rtsys.get_allocation_stats()
    with forbidden_on_gpu(world.device):
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            yield
            world.synchronize()
            after, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak - before < 100_000 and after - before < 20_000  # Python's own small change; the state is 5 MB
    made = rtsys.get_allocation_stats()
    assert made.alloc - made.free == native.alloc - native.free
    assert (
        made.alloc - native.alloc < CALLS
    )  # each call of a batch wraps its arguments; a kernel's would be by the step
    assert pool_bytes(world.device) == pool
    assert store.sizes() == sizes and store.version == version
    assert {key: id(value) for key, value in store._arrays.items()} == arrays


@contextlib.contextmanager
def forbidden_on_gpu(device: str) -> Iterator[None]:
    """Raise an error at the first allocation of an array of CuPy's; what looks at flags and counts takes little."""
    if device == "cpu":
        yield
        return
    import cupy  # pyright: ignore[reportMissingImports]

    def refuse(size: int) -> Any:
        if size > LITTLE:
            raise AssertionError(f"{size} bytes are allocated on the device")
        return pool.malloc(size)

    pool = cupy.get_default_memory_pool()
    cupy.cuda.set_allocator(refuse)
    try:
        yield
    finally:
        cupy.cuda.set_allocator(pool.malloc)


def pool_bytes(device: str) -> int:
    if device == "cpu":
        return 0
    import cupy  # pyright: ignore[reportMissingImports]

    return int(cupy.get_default_memory_pool().total_bytes())


@pytest.mark.parametrize("name", ["humanoid", "gripper"])
def test_stepping_allocates_nothing(device, name):
    """After the first steps, with contacts of robots with themselves and of robots with objects."""
    world = set_up(SCENES[name], 64, device).world
    world.step(305)
    with no_arrays(world):
        world.step(300)
        for _ in range(5):
            world.step()


def test_what_allocates_is_noticed(device):
    world = set_up(SCENES["cartpole"], 64, device).world
    world.step(5)
    make = numba.njit("float64[:](int64)")(lambda n: np.zeros(n))
    make(1)
    with pytest.raises(AssertionError), no_arrays(world):
        for _ in range(CALLS):
            make(1)
    with pytest.raises(AssertionError), no_arrays(world):
        world.engine.device.xp.zeros(100_000)
    with pytest.raises(AssertionError), no_arrays(world):
        world.engine.store.widen(c.Settings.gravity)


def test_fields_are_looked_at_without_a_copy(device):
    """``world[Component].field`` is the memory itself, and so costs nothing however large it is."""
    world = set_up(SCENES["humanoid"], 64, device).world
    world.step(2)
    with no_arrays(world):
        views = [world[c.Coordinate].value, world[c.ContactPoint].normal, world[c.DofState].velocity]
        world.step(2)
        again = [world[c.Coordinate].value, world[c.ContactPoint].normal, world[c.DofState].velocity]
    for old, new in zip(views, again, strict=True):
        assert address(old) == address(new) and old.shape == new.shape


def address(array: Any) -> int:
    return array.ctypes.data if isinstance(array, np.ndarray) else array.data.ptr


def test_recording_takes_its_memory_at_the_start(device, tmp_path):
    """Chunk after chunk fills the same memory; only the encoders, which are other threads, make small pieces."""
    world = set_up(SCENES["humanoid"], 64, device).world
    world.step(300)
    with px.Recorder(world, tmp_path / "run.zarr", chunk_steps=20) as recorder:
        world.step(100)
        tape = {key: address(array) for key, array in recorder._tape.arrays.items()}
        pool = pool_bytes(device)
        world.step(200)
        assert {key: address(array) for key, array in recorder._tape.arrays.items()} == tape
        assert pool_bytes(device) == pool


def test_missing_peers_are_named_with_the_remedy(monkeypatch, tmp_path):
    real = importlib.util.find_spec
    hidden = {"mujoco", "mujoco_warp", "warp"}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in hidden else real(name))
    with pytest.raises(PeerMissing, match=r"needs mujoco.rollout here, and mujoco is not installed: pip install"):
        peer_for("cpu")
    with pytest.raises(PeerMissing, match=r"mujoco and warp and mujoco_warp is not installed: pip install 'muj"):
        peer_for("cuda:0")
    with pytest.raises(UserError, match="--peers needs mujoco"):
        bench_command(BenchOptions(["arm"], device="cpu", peers=True, json=tmp_path / "a.json"))
    assert not (tmp_path / "a.json").exists()


def test_bad_numbers_are_refused():
    with pytest.raises(ValueError, match="repeats must be at least 1, not 0"):
        bench.run(["arm"], "cpu", repeats=0)
    with pytest.raises(ValueError, match="num_envs must be at least 1, not 0"):
        bench.run(["arm"], "cpu", num_envs=(4, 0))


def test_scenes_can_be_had_as_mjcf(tmp_path):
    bench_command(BenchOptions(["humanoid", "panda"], export=tmp_path))
    humanoid = mj.MjModel.from_xml_path(str(tmp_path / "humanoid.xml"))
    assert (humanoid.nv, humanoid.ngeom, humanoid.nu, humanoid.nkey) == (27, 20, 21, 1)
    assert mj.MjModel.from_xml_path(str(tmp_path / "panda.xml")).neq == 1


@pytest.mark.skipif(importlib.util.find_spec("mujoco_warp") is None, reason="MuJoCo Warp is not installed")
def test_mujoco_warp_steps_the_same_scene(device):
    """On Warp's own CPU device, where there is no GPU: slow, but the same program."""
    from phalanx.bench import warp_peer

    _, setup = measure(SCENES["humanoid"], 2, device, frames=2, repeats=1)
    theirs = warp_peer.measure(setup, 2, 1).summary()
    reference = mujoco_peer.measure(setup, 2, 1).summary()
    assert (theirs["dofs"], theirs["shapes"]) == (27, 20) and theirs["notes"] == []
    assert theirs["height_at_end"] == pytest.approx(reference["height_at_end"], abs=0.01)
    assert theirs["contacts_per_env"] == pytest.approx(reference["contacts_per_env"], abs=1.5)


def test_room_for_mujoco_warp_is_found_by_trying():
    from phalanx.bench import warp_peer

    setup = set_up(SCENES["gripper"], 1)
    compiled, data = mujoco_peer.model(setup)
    contacts, rows = warp_peer.rooms(setup, compiled, data, frames=4)
    assert 12 <= contacts < 60 and 48 <= rows < 200
    np.testing.assert_array_equal(data.qpos, compiled.key_qpos[0])  # back at the start
    assert warp_peer.rooms(set_up(SCENES["humanoid"], 1), compiled, data, 1) == (24, 64)


@pytest.mark.skipif(importlib.util.find_spec("mujoco_warp") is None, reason="MuJoCo Warp is not installed")
def test_mujoco_warp_begins_anew_where_room_is_too_small(device, monkeypatch):
    """There is room for the four contacts of the start, but not for all pairs that may touch."""
    from phalanx.bench import warp_peer

    cramped = replace(SCENES["quadruped"], mujoco=replace(SCENES["quadruped"].mujoco, nconmax=4, njmax=28))
    run = warp_peer.measure(set_up(cramped, 2, device), 2, 2)
    reference = warp_peer.measure(set_up(SCENES["quadruped"], 2, device), 2, 1)
    assert run.notes == [] and len(run.seconds) == 2 and len(run.seconds[0]) == len(run.heights) == 2
    assert run.contacts == reference.contacts == [4.0, 4.0]
    assert run.heights == pytest.approx(reference.heights, abs=1e-4)
    monkeypatch.setattr(warp_peer, "TRIES", 1)
    run = warp_peer.measure(set_up(cramped, 2, device), 2, 1)
    assert run.notes == ["room for 4 contacts and 28 rows an environment was not enough"]


def test_room_grows_where_it_was_too_small():
    from phalanx.bench import warp_peer

    assert warp_peer._larger((10, 40), set()) == (10, 40)
    assert warp_peer._larger((10, 40), {"BROADPHASE", "ITERATIONS"}) == (20, 40)
    assert warp_peer._larger((10, 40), {"NEFC", "NARROWPHASE"}) == (20, 80)


def test_what_went_wrong_in_mujoco_warp_is_noted():
    from phalanx.bench import warp_peer

    run = Run("mujoco_warp", "0", "cuda:0", 4, 50)
    qpos = SimpleNamespace(numpy=lambda: np.array([[0.0, 1.0], [np.nan, 0.0], [0.0, 0.0], [0.0, np.inf]]))
    stage: Any = SimpleNamespace(flags=lambda: {"NEFC": 3, "ITERATIONS": 2}, state=SimpleNamespace(qpos=qpos))
    warp_peer._warn(run, stage, (10, 40))
    assert run.notes == [
        "room for 10 contacts and 40 rows an environment was not enough",
        "ITERATIONS (what MuJoCo Warp calls it) in 2 of 4 environments",
        "2 of 4 environments diverged",
    ]


def test_where_time_goes_has_every_system_that_ran(device):
    setup = set_up(SCENES["quadruped"], 2, device)
    spent = where_time_goes(setup, 2)
    assert set(spent["phases"]) <= set(setup.world.schedule.phases)
    ran = {system.name for system, _shared in setup.world.engine.store.kernels(setup.world.engine.sequence(STEP))}
    assert ran == set(spent["systems"])
    if device == "cpu":  # on a GPU some stand for others, under names of their own
        assert {"drive_joints", "mass_matrix"} <= ran


def test_where_time_goes_knows_systems_that_were_joined(monkeypatch):
    """On a GPU repeated systems run as one, under another name; here the CPU is made to do the same."""
    setup = set_up(SCENES["cartpole"], 2, "cpu")
    monkeypatch.setattr(setup.world.engine.device, "teams_at_once", 2, raising=False)
    spent = where_time_goes(setup, 1)
    assert any("_and_" in name for name in spent["systems"])
    assert sum(spent["phases"].values()) == pytest.approx(sum(spent["systems"].values()))


def test_warmed_kernels_are_there(device):
    first = warm_up(worlds_for(["cartpole"], device))
    again = warm_up(worlds_for(["cartpole"], device))
    assert again.compiled == 0 and again.kernels == first.kernels > 30
    scene, robot = worlds_for(["cartpole"], device)
    assert set(scene.robots) == {"cartpole"} and set(robot.robots) == {"robot"} and scene.num_envs == 2
    assert warm_up([]).kernels == 0


def test_worlds_that_are_warmed_together_must_be_alike():
    worlds = worlds_for(["cartpole"]) + worlds_for(["cartpole"], dtype="float64")
    with pytest.raises(ValueError, match="on one device and of one dtype"):
        warm_up(worlds)


def test_python_m_benchmarks_keeps_its_figures():
    path = Path(bench.__file__).resolve().parents[2] / "benchmarks/__main__.py"
    spec = importlib.util.spec_from_file_location("benchmarks_main", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.arguments(["humanoid", "--device", "cuda:0", "--peers"])
    assert made[:5] == ["bench", "humanoid", "--device", "cuda:0", "--peers"]
    assert made[5] == "--json" and made[6].endswith("-cuda0.json") and "benchmarks/results" in made[6]
    assert module.arguments(["--json", "a.json"]) == ["bench", "--json", "a.json"]
