"""Runs Isaac Sim's own tests of its core, unmodified, on the facade, and says what came of them as JSON.

``python benchmarks/isaacsim_tests.py CHECKOUT --json out.json`` takes the tests of a checkout of Isaac Sim 5.1
(``github.com/isaac-sim/IsaacSim``, tag ``v5.1.0``); ``--files`` chooses some, by expressions for their paths:
``--files experimental/prims``. Results of other files that are in ``out.json`` already stay. Each file has a process of
its own, a test has ``--test-seconds`` of CPU time. ``cuda`` is the CPU there (``--device cuda`` leaves it as it is).
They need the package ``warp-lang``, of a version before 1.10, as the tests have types of it by their older names.
Playing makes two steps before views are there, as in Isaac Sim 5.1 (the setting ``/phalanx/warmUp``).

Kit's runner of tests is not there: what tests derive from is made here, with the loop of :mod:`asyncio`. Failures are
sorted by what they need; see :data:`NEEDS`.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import importlib.metadata
import importlib.util
import inspect
import json
import os
import re
import signal
import sys
import tempfile
import time
import traceback
import types
import unittest
from pathlib import Path
from typing import Any

from phalanx import facade

MARK = "phalanx-test: "

NEEDS = {
    "NVIDIA's files": r"PHALANX_ASSET_ROOT|tests/data/\w+\.usd"
    r"|/Isaac/(IsaacLab|Robots|Props|Environments|People)/|no extension 'isaacsim",
    "a GPU": r"No CUDA GPUs|CUDA driver|NVIDIA driver|CUDA is not available|Invalid device identifier: cuda|CUDA_ERROR",
    "a package": r"No module named '(warp|scipy|torch|jax|pytest)",
    "Omniverse's window, renderer or Fabric": r"omni\.kit\.viewport|usdrt|fabric|viewport|omni\.ui|omni\.graph|render",
    "time": r"took longer than",
}
"""What failures need beside the facade, and what tells it in their text. The first counts; all others are ours."""

BY_CHOICE = {
    r"test_(angular|linear)_velocities_": "nothing: the root of a robot with a fixed base stands still by choice",
    r"test_inconsistent_result": "PhysX's solver, whose steps it counts",
    r"test_generalized_gravity": "NVIDIA's files",  # of the stand-in some joints bear nothing
    r"test_quat._cloner": "NVIDIA's files",  # the checkout has pointers to them alone
    r"test_rigid_prim_view_.pu": "nothing: bodies whose physics is switched off have no velocity by choice",
    r"test_deformable_prim_view": "PhysX's cooked meshes, which it writes on the stage",
    r"test_time_sample_range": "Isaac Sim's settings of its application",
    r"test_context_manager": "Omniverse's window, renderer or Fabric",
}
"""What failures need whose text does not tell it, by expressions for names of tests."""

LEFT_OUT = {"test_docstrings": "examples of docstrings, which are not ours"}
"""Files that say nothing of the facade."""

OURS = "Phalanx to be completed"


class AsyncTestCase(unittest.TestCase):
    """What tests derive from: ``setUp`` and ``tearDown`` may be coroutines, and are called by those that are."""

    async def setUp(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Nothing."""

    async def tearDown(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Nothing."""


def main() -> int:
    """0 if every file came to its end."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--files", nargs="*", default=[""], help="expressions, of which a path must have one")
    parser.add_argument("--select", default="", help="an expression that names of tests must have")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--test-seconds", type=int, default=60)
    options = parser.parse_args()
    facade.install()
    for module in ("isaacsim.core.api", "isaacsim.core.experimental.objects", "omni.kit.app", "omni.timeline"):
        importlib.import_module(module)
    root = options.checkout / "source" / "extensions"
    files = sorted(root.glob("isaacsim.core.*/**/tests/test_*.py"))
    if not files:
        print(f"there are no tests in {root}: give the folder of a checkout of Isaac Sim")
        return 2
    results: dict[str, Any] = {}
    if options.json is not None and options.json.is_file():
        results = {one["file"]: one for one in json.loads(options.json.read_text())}
    for file in files:
        name = file.relative_to(root).as_posix()
        if file.stem in LEFT_OUT or not any(re.search(pattern, name) for pattern in options.files):
            continue
        results[name] = one = _trial(file, name, options)
        print(f"{name}: {one['passed']} passed, {len(one['failed'])} failed, {one['seconds']} s", flush=True)
        for test, what in one["failed"].items():
            print(f"    {test} [{what['needs']}]: ...{what['error'][-240:]}", flush=True)
        if options.json is not None:
            options.json.write_text(json.dumps([results[key] for key in sorted(results)], indent=1) + "\n")
    passed, failed = (sum(len(one[key]) if key == "failed" else one[key] for one in results.values()) for key in KEYS)
    print(f"{passed} of {passed + failed} passed")
    return 0 if all(one["ended"] for one in results.values()) else 1


KEYS = ("passed", "failed")


def _trial(file: Path, name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run a file in a process that begins with what this one has imported."""
    start = time.perf_counter()
    with tempfile.NamedTemporaryFile("w+", prefix="phalanx-isaacsim-tests-") as said:
        child = os.fork()
        if child == 0:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            code = 0
            try:
                _alone(file, options)
            except BaseException:
                _say("(the file)", traceback.format_exc())
                code = 1
            sys.stdout.flush()
            os._exit(code)
        _, status = os.waitpid(child, 0)
        said.seek(0)
        lines = said.read().splitlines()
    reports = [json.loads(line.split(MARK, 1)[1]) for line in lines if MARK in line]
    failed = {one["test"]: {"needs": _needs(**one), "error": one["error"]} for one in reports if one["error"]}
    code = os.waitstatus_to_exitcode(status)
    if code and "(the file)" not in failed:
        failed["(the file)"] = {"needs": OURS, "error": f"ended with code {code}: {' '.join(lines[-3:])[-300:]}"}
    seconds = round(time.perf_counter() - start, 1)
    passed = sum(not one["error"] for one in reports)
    said = {"file": name, "passed": passed, "failed": failed, "ended": code >= 0, "seconds": seconds}
    return said | {"versions": _versions(options.checkout)}


def _versions(checkout: Path) -> dict[str, str]:
    """Of Isaac Sim, whose tests they are, and of what they run on."""
    from phalanx.facade.isaacsim.core.version import get_version

    file = checkout / "VERSION"
    found = {"isaacsim": file.read_text().strip() if file.is_file() else get_version()[0]}
    found["python"] = ".".join(map(str, sys.version_info[:3]))
    for package in ("numpy", "torch", "warp-lang", "usd-core", "numba"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def _needs(test: str, error: str) -> str:
    by_choice = next((what for pattern, what in BY_CHOICE.items() if re.search(pattern, test)), OURS)
    return next((what for what, pattern in NEEDS.items() if re.search(pattern, error)), by_choice)


def _say(test: str, error: str) -> None:
    text = " ".join(error.split())
    folder = str(Path(__file__).resolve().parents[1]) + "/"
    said = {"test": test, "error": text.replace(folder, "").replace(str(Path.home()), "~")[-600:]}
    print(f"\n{MARK}{json.dumps(said)}", flush=True)


def _alone(file: Path, options: argparse.Namespace) -> None:
    """Load a file as the module that it is in Isaac Sim, and run its tests."""
    test = types.ModuleType("omni.kit.test")
    test.AsyncTestCase = AsyncTestCase  # type: ignore[attr-defined]
    sys.modules["omni.kit.test"] = test
    import omni.kit.app  # pyright: ignore[reportMissingImports]
    import omni.physx  # pyright: ignore[reportMissingImports]
    import omni.timeline  # pyright: ignore[reportMissingImports]
    import omni.usd  # pyright: ignore[reportMissingImports]

    omni.kit.test = test
    from phalanx.facade.carb.settings import get_settings
    from phalanx.facade.simulation import WARM_UP

    get_settings().set(WARM_UP, True)
    sys.modules["usdrt"] = types.ModuleType("usdrt")  # some files import these for one test of many
    omni.physx.get_physxunittests_interface = lambda: None
    if options.device == "cpu":
        _on_cpu()
    for shared in ("isaacsim.core.api", "isaacsim.core.experimental.prims"):
        folder = options.checkout / "source" / "extensions" / shared / "python" / "tests"
        if folder.is_dir() and folder != file.parent:
            _package(shared, folder, options.device)
    extension = next(each.name for each in file.parents if each.name.startswith("isaacsim.core."))
    package = _package(extension, file.parent, options.device)
    module = _load(f"{package}.{file.stem}", file)
    signal.signal(
        signal.SIGPROF, lambda *_: (_ for _ in ()).throw(TimeoutError(f"took longer than {options.test_seconds} s"))
    )
    for kind in [
        each for each in vars(module).values() if inspect.isclass(each) and issubclass(each, unittest.TestCase)
    ]:
        for name in sorted(each for each in dir(kind) if each.startswith("test") and re.search(options.select, each)):
            if kind.__module__ == module.__name__:
                _run(kind, name, options.test_seconds)


def _run(kind: Any, name: str, seconds: int) -> None:
    signal.setitimer(signal.ITIMER_PROF, seconds)
    error = ""
    try:
        asyncio.run(_whole(kind(name), name))
    except unittest.SkipTest:
        return
    except Exception:
        error = traceback.format_exc()
    signal.setitimer(signal.ITIMER_PROF, 0)
    _say(f"{kind.__name__}.{name}", error)


async def _whole(case: Any, name: str) -> None:
    if getattr(getattr(type(case), name), "__unittest_skip__", False):
        raise unittest.SkipTest(name)
    await _if_wanted(case.setUp())
    try:
        await _if_wanted(getattr(case, name)())
    finally:
        await _if_wanted(case.tearDown())


async def _if_wanted(found: Any) -> None:
    if inspect.isawaitable(found):
        await found


def _package(extension: str, folder: Path, device: str) -> str:
    """The package of an extension's tests, with what they share."""
    name = f"{extension}.tests"
    package = types.ModuleType(name)
    package.__path__ = [str(folder)]
    sys.modules[name] = package
    if (folder / "common.py").is_file():
        common = _load(f"{name}.common", folder / "common.py")
        if device == "cpu" and hasattr(common, "parametrize"):
            common.parametrize.__kwdefaults__["devices"] = ["cpu"]
    return name


def _load(name: str, file: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _on_cpu() -> None:
    """Let ``cuda`` be the CPU for Warp, for arrays that are placed, and for what simulates."""
    from phalanx.facade.isaacsim.core.experimental.utils import ops, transform
    from phalanx.facade.isaacsim.core.simulation_manager import SimulationManager

    def named(device: Any) -> Any:
        return "cpu" if re.match(r"cuda(:\d+)?$", str(device)) and not isinstance(device, bytes) else device

    put, made = SimulationManager.set_physics_sim_device, ops.engine_array
    SimulationManager.set_physics_sim_device = lambda device, *rest: put(named(device), *rest)  # type: ignore[method-assign]
    ops.engine_array = transform.engine_array = lambda x, dtype=None, device=None: made(x, dtype, named(device))
    if importlib.util.find_spec("torch") is not None:
        from torch.overrides import TorchFunctionMode  # pyright: ignore[reportMissingImports]

        class OnCpu(TorchFunctionMode):
            def __torch_function__(self, func: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
                if getattr(func, "__name__", "") == "cuda":
                    return args[0]
                return func(*map(named, args), **{key: named(each) for key, each in (kwargs or {}).items()})

        OnCpu().__enter__()
    if importlib.util.find_spec("warp") is not None:
        import warp  # pyright: ignore[reportMissingImports]

        warp.init()
        # Warp moved its own modules below ``_src`` in 1.10.
        context: Any = importlib.import_module("warp._src.context" if hasattr(warp, "_src") else "warp.context")
        get, inner = warp.get_device, context.runtime.get_device
        warp.get_device = lambda ident=None: get(named(ident))
        context.runtime.get_device = lambda ident=None: inner(named(ident))


if __name__ == "__main__":
    sys.exit(main())
