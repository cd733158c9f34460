"""Runs Isaac Lab's own tests, unmodified, on the facade, and says what came of them as JSON.

``python benchmarks/isaaclab_tests.py --json out.json`` takes the tests of the installed wheel of Isaac Lab 2.3.2, which
holds them; paths choose some: ``python benchmarks/isaaclab_tests.py isaaclab/test/utils``.
Results of other files that are in ``out.json`` already stay, and so do those of a file's other tests where ``--select``
(pytest's ``-k``) takes some. Each file is copied with its folder to a temporary place and has a process of its own,
which begins with ``isaaclab.sim`` imported. A GPU that tests name is the CPU there (``--device cuda`` leaves it as it
is), and those that are then the same as another are left out. A test has ``--test-seconds`` of CPU time. Stand-ins of
the robots must be built (``phalanx assets build``).

Failures are sorted by what they need; see :data:`NEEDS`.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode

from phalanx import facade
from phalanx.facade import wheel

MARK = "phalanx-test: "

NEEDS = {
    "NVIDIA's files": r"PHALANX_ASSET_ROOT|Assets/Isaac/|/Isaac/(IsaacLab|Robots|Props|Environments)/|"
    r"/data/urdf/robots|no extension 'isaacsim\.asset|nvidia\.srl",
    "a GPU": r"No CUDA GPUs|Found no NVIDIA driver|not compiled with CUDA|CUDA is not available|no CUDA-capable device|"
    r"CudaSupportError|CUDA_ERROR|device '?cuda|expected cuda:0, got cpu",
    "a package": r"No module named '(warp|gym|pink|qpsolvers|curobo|rl_games|pinocchio|dex_retargeting|isaacteleop|"
    r"onnx|"
    r"flaky|robomimic|tensordict|moviepy|PIL|cv2|ray|h5py|transformers|einops|ipywidgets|scipy|matplotlib|osqp|daqp|tensorboard|flatdict|IPython)|"
    r"warp-lang|fixture 'mocker'|' term_1 ' is not in list|expected value must support abs|"
    r"does not have the attribute '\w*DexRetargeting'",
    "Omniverse's window or renderer": r"omni\.kit\.(xr|viewport|widget|window)|isaacsim\.(xr|gui)|OpenXR|'usdrt'|"
    r"/World/defaultDomeLight|rendering_modes/",
    "time": r"took longer than|\(test_robot_load_performance\.py",
}
"""What failures need beside the facade, and what tells it in their text. The first counts; all others are ours."""

CHOSEN = {
    "test_write_object_state": "names rows that are not there (here an IndexError), or writes to some rows and expects "
    "all to have changed: PhysX's arrays are views of its memory, ours copies",
    "test_write_object_state_functions_data_consistency": "as the one before",
    "test_sphere_contact_time": "expects friction at a ball that was put down and rests; it has none",
    "test_rigid_body_with_restitution": "expects that rounding never leaves a box at rest a speed upwards; "
    "it has 4e-10 m/s",
    "test_set_thrust_target_broadcasting_unit": "calls a method of `Multirotor` with an object that is none",
    "test_set_thrust_target_env_slice_unit": "calls a method of `Multirotor` with an object that is none",
    "test_set_thrust_target_broadcasting_integration": "sets targets before the simulation plays, when nobody knows "
    "the rotors yet: a RuntimeError says to call `sim.reset()`",
    "test_global_forces_at_global_position": "expects the torque of 2.3.2, an offset in the world's axes times a "
    "force in the link's, which is right only for links that are not turned",
    **dict.fromkeys(
        (f"test_livestream_launch_with_{one}" for one in ("argparser", "env_vars", "kwargs")),
        "expects the setting of Omniverse's live stream; nothing streams: `--view` has a viewer in the browser",
    ),
    "test_frame_offset_multi_tiled_camera": "expects that pictures in which ten shapes turn black differ by 0.02 in "
    "the mean; they do by 0.0025, since shapes that have fallen far below the lamps are dark here",
    "test_camera_init_intrinsic_matrix": "its camera lies in the ground's plane, so that hits depend on the last "
    "bit of 0 m",
}
"""Tests of behaviour that differs on purpose, without their parameters, and why."""

OF_FILES = {
    "test_loading_gains_from_usd",
    "test_body_root_state",
    "test_body_incoming_joint_wrench_b_single_joint",
    "test_get_all_matching_child_prims",
    "test_get_first_matching_child_prim",
    "test_sensor_cam_size_false",
    "test_sensor_cam_type_false",
    "test_usd",
}
"""Tests that compare with numbers and prims of NVIDIA's files; stand-ins have others."""

OURS, BY_CHOICE = "Phalanx to be completed", "nothing: it differs by choice"


def main() -> int:
    """0 if every file came to its end."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("paths", nargs="*", help="files and folders below Isaac Lab's source folder; all if none")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--test-seconds", type=int, default=120)
    parser.add_argument("--file-seconds", type=float, default=900.0)
    parser.add_argument("--select", help="pytest's -k")
    options = parser.parse_args()
    found = wheel.source()
    if found is None:
        print(f"Isaac Lab's wheel holds its tests: {wheel.REMEDY}")
        return 2
    facade.install()
    importlib.import_module("isaaclab.utils.math")
    # Tests of retargeters put a mock in the place of isaaclab.sim, and then need this module below it.
    importlib.import_module("isaaclab.sim.utils.stage")
    results: dict[str, Any] = {}
    if options.json is not None and options.json.is_file():
        results = {one["file"]: _sorted(one) for one in json.loads(options.json.read_text())}
    for file in _files(found.folder, options.paths):
        name = file.relative_to(found.folder).as_posix()
        one = _sorted(_trial(found.folder, file, options))
        if options.select and name in results:
            one = merged(results[name], one)
        del one["names"]
        results[name] = one
        print(f"{name}: {one['passed']} passed, {len(one['failed'])} failed, {len(one['skipped'])} skipped", flush=True)
        for test, what in one["failed"].items():
            print(f"    {test} [{what['needs']}]: {what['error'][:200]}", flush=True)
        if options.json is not None:
            text = json.dumps([results[key] for key in sorted(results)], indent=1)
            options.json.write_text(text + "\n")
    return 0 if all(one["ended"] for one in results.values()) else 1


def _files(root: Path, paths: list[str]) -> list[Path]:
    chosen = [root / path for path in paths] or sorted(root.glob("*/test"))
    found = (file for path in chosen for file in ([path] if path.is_file() else sorted(path.rglob("test_*.py"))))
    return list(dict.fromkeys(found))


def _trial(root: Path, file: Path, options: argparse.Namespace) -> dict[str, Any]:
    package = file.relative_to(root).parts[0]
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="phalanx-isaaclab-tests-") as place:
        # tests read files beside them and import each other, so the whole folder of the package goes along
        copy = Path(place) / package / "test"
        shutil.copytree(root / package / "test", copy, ignore=shutil.ignore_patterns("__pycache__"))
        target = Path(place) / file.relative_to(root)
        with (Path(place) / "said").open("w+") as said:
            code = _forked(target, said.fileno(), options)
            said.seek(0)
            lines = said.read().splitlines()
    ended = code is not None
    reports = [json.loads(line.split(MARK, 1)[1]) for line in lines if MARK in line]
    one: dict[str, Any] = {
        "file": file.relative_to(root).as_posix(),
        "passed": 0,
        "failed": {},
        "skipped": {},
        "left_out": sum(report["outcome"] == "left out" for report in reports),
        "ended": ended,
        "seconds": round(time.perf_counter() - start, 1),
    }
    for report in reports:
        if report["outcome"] == "skipped":
            one["skipped"][report["test"]] = report["error"]
        if report["outcome"] == "failed":
            one["failed"][report["test"]] = {"error": report["error"]}
    if not ended:
        one["failed"]["(the file)"] = {"error": f"took longer than {options.file_seconds:g} s"}
    elif code not in (0, 1) and not one["failed"] and not one["left_out"]:
        last = " ".join([line for line in lines if line.strip()][-3:])
        one["failed"]["(the file)"] = {"error": f"ended with code {code}: {last[-300:]}"}
    names = {report["test"] for report in reports if report["outcome"] == "passed"} - one["failed"].keys()
    one.update(passed=len(names), names=sorted(names))
    return one


def merged(before: dict[str, Any], some: dict[str, Any]) -> dict[str, Any]:
    """A whole file's result with that of some of its tests in its place.

    Args:
        before: the result that is there, of all tests of the file.
        some: that of some tests, with the ``names`` of those that passed.

    A file that could not be imported, or did not end, before has no results of tests: then it is ``some``.
    """
    if not before["ended"] or before["failed"].keys() & {"(import)", "(the file)"} or not some["ended"]:
        return some
    again = {*some["names"], *some["failed"], *some["skipped"]}
    had_passed = again - before["failed"].keys() - before["skipped"].keys()
    whole = {**before, "names": some["names"], "passed": before["passed"] - len(had_passed) + len(some["names"])}
    for kind in ("failed", "skipped"):
        whole[kind] = {test: what for test, what in before[kind].items() if test not in again} | some[kind]
    return whole


def _sorted(result: dict[str, Any]) -> dict[str, Any]:
    """A file's result with what each failure needs, and without this machine's folders."""
    for test, what in result["failed"].items():
        said = what["error"].replace(str(Path.home()), "~").replace(str(Path(__file__).resolve().parents[1]) + "/", "")
        error = re.sub(r"/tmp/phalanx-isaaclab-tests-\w+/|(?<=')/[^']*/site-packages/", "", said)
        error = re.sub(r"<(module '[\w.]+') from '[^']*'>", r"<\1>", error)
        result["failed"][test] = {"needs": needs(test, error), "error": error[:300]}
        if (why := CHOSEN.get(_name(test))) is not None:
            result["failed"][test]["why"] = why
    return result


def needs(test: str, error: str) -> str:
    """What a failure of a test with this text needs."""
    if _name(test) in CHOSEN:
        return BY_CHOICE
    if _name(test) in OF_FILES:
        return "NVIDIA's files"
    return next((what for what, pattern in NEEDS.items() if re.search(pattern, error)), OURS)


def _name(test: str) -> str:
    """A test's name without its class and parameters."""
    return test.partition("[")[0].split("::")[-1]


class _CpuForGpu(TorchFunctionMode):
    """Torch's functions take the CPU where they are given a GPU."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*map(_on_cpu, args), **{name: _on_cpu(value) for name, value in (kwargs or {}).items()})


def _on_cpu(value: Any) -> Any:
    """What names a GPU names the CPU; all else as it is."""
    if isinstance(value, str):
        return "cpu" if re.fullmatch(r"cuda(:\d+)?", value) else value
    return torch.device("cpu") if isinstance(value, torch.device) and value.type == "cuda" else value


class _Watcher:
    """A plugin of pytest: lets tests run on the CPU, stops those that take too long, and says what came."""

    def __init__(self, device: str, seconds: int) -> None:
        self.device, self.seconds = device, seconds

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        if self.device != "cpu":
            return
        items.sort(key=_names_gpu)  # stable; what names the CPU itself is what runs
        seen, again = set(), []
        for item in items:
            if hasattr(item, "callspec"):
                parameters = item.callspec.params
                parameters.update({name: _on_cpu(value) for name, value in parameters.items()})
                key = (item.parent.nodeid, item.originalname, repr(sorted(parameters.items(), key=lambda one: one[0])))
                again += [item] if key in seen else []
                seen.add(key)
        config.hook.pytest_deselected(items=again)
        items[:] = [item for item in items if item not in again]
        for item in again:
            self._say(item.name, "left out", "")

    def pytest_runtest_setup(self, item: Any) -> None:
        signal.signal(signal.SIGPROF, self._late)
        signal.setitimer(signal.ITIMER_PROF, self.seconds)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "teardown":
            signal.setitimer(signal.ITIMER_PROF, 0)
        name = report.nodeid.split("::", 1)[-1]
        if report.failed:
            self._say(name, "failed", _crash(report))
        elif report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else getattr(report, "wasxfail", "")
            self._say(name, "skipped", str(reason))
        elif report.when == "call":
            self._say(name, "passed", "")

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self._say("(import)", "failed", _crash(report))
        elif report.skipped:
            self._say("(import)", "skipped", str(report.longrepr[2]))

    def _late(self, number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"the test took longer than {self.seconds} s of CPU time")

    def _say(self, test: str, outcome: str, error: str) -> None:
        said = json.dumps({"test": test, "outcome": outcome, "error": " ".join(error.split())[:1000]})
        print(f"\n{MARK}{said}", file=sys.__stderr__, flush=True)


def _names_gpu(item: Any) -> bool:
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return any(_on_cpu(value) is not value for value in parameters)


def _crash(report: Any) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        return f"{crash.message} ({Path(crash.path).name}:{crash.lineno})"
    lines = [line[2:] for line in str(report.longrepr).splitlines() if line.startswith("E ")]
    return " ".join(lines[-4:] or str(report.longrepr).splitlines()[-4:])


def _forked(file: Path, said: int, options: argparse.Namespace) -> int | None:
    """Run a file in a process that begins with what this one has imported; its code, or None if it was stopped."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(said, 1)
        os.dup2(said, 2)
        os.chdir(file.parent)
        try:
            code = _alone(file, options)
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", flush=True)
            code = 9
        sys.stdout.flush()
        os._exit(code)
    end = time.monotonic() + options.file_seconds
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.1)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _alone(file: Path, options: argparse.Namespace) -> int:
    arguments = [str(file), "-q", "-p", "no:cacheprovider", "--tb=short", "-s", "--import-mode=importlib"]
    arguments += [f"--rootdir={file.parent}", f"--confcutdir={file.parent}", "-o", "addopts="]
    arguments += ["-k", options.select] if options.select else []
    sys.path.insert(0, str(file.parent))
    sys.argv = [str(file)]
    with _CpuForGpu() if options.device == "cpu" else contextlib.nullcontext():
        return int(pytest.main(arguments, plugins=[_Watcher(options.device, options.test_seconds)]))


if __name__ == "__main__":
    sys.exit(main())
