"""Runs Isaac Lab's tutorials and demos or Isaac Sim's examples, unmodified, and says what came of them as JSON.

Each has a process of its own.

``python benchmarks/isaaclab_scripts.py CHECKOUT/scripts/tutorials CHECKOUT/scripts/demos --json out.json``, where the
checkout is of Isaac Lab 2.3.2 and stand-ins of its robots are built (``phalanx assets build``). Scripts whose loop
never ends are told that the application was closed after ``--frames`` rounds; how often they asked is what the table
calls frames. Isaac Sim's are in ``source/standalone_examples`` of its repository, tag v5.1.0.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

MARK = "phalanx-script: "
CAMERAS = ("camera", "visualizer")
"""Words in scripts that need ``--enable_cameras``."""
FOLDERS = ("scripts", "standalone_examples")
"""Names of scripts begin below these."""


def main() -> int:
    """0 if all scripts ran."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--frames", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        return _alone(options.paths[0], options.frames)
    results = []
    for script in sorted(file for path in options.paths for file in ([path] if path.is_file() else path.rglob("*.py"))):
        results.append(_trial(script, options.frames, options.seconds))
        print(json.dumps(results[-1]), flush=True)
        if options.json is not None:
            options.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0 if all(one["ok"] for one in results) else 1


def _trial(script: Path, frames: int, seconds: float) -> dict[str, Any]:
    command = [sys.executable, __file__, str(script), "--alone", "--frames", str(frames)]
    first = max((script.parts.index(folder) + 1 for folder in FOLDERS if folder in script.parts), default=0)
    base, own = {"script": "/".join(script.parts[first:])}, {**os.environ, "PYTHONUNBUFFERED": "1"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False, env=own)
    except subprocess.TimeoutExpired:
        return {**base, "ok": False, "error": f"no end after {seconds:g} s"}
    for line in reversed(done.stdout.splitlines()):
        if line.startswith(MARK):
            return {**base, **json.loads(line.removeprefix(MARK))}
    said = ([line for line in done.stderr.splitlines() if line.strip()] or ["nothing was said"])[-1]
    return {**base, "ok": False, "error": f"ended with code {done.returncode}: {said}"}


def _alone(script: Path, frames: int) -> int:
    from phalanx import facade

    facade.install()
    import phalanx.commands.execute as module
    from phalanx.facade.isaacsim.simulation_app import SimulationApp

    asked, real = 0, SimulationApp.is_running

    def is_running(self: SimulationApp) -> bool:
        nonlocal asked
        asked += 1
        return asked <= frames and real(self)

    SimulationApp.is_running = is_running  # type: ignore[method-assign]
    text = script.read_text()
    arguments = ["--headless"] if "add_app_launcher_args" in text else []
    if arguments and any(word in text.lower() for word in CAMERAS):
        arguments.append("--enable_cameras")
    if '"--checkpoint"' in text and "required=True" in text:
        arguments += ["--checkpoint", _still_policy()]
    said: dict[str, Any] = {"ok": False, "error": ""}
    start = time.perf_counter()
    module._print = lambda error: said.update(error=f"{type(error).__name__}: {error}")  # type: ignore[assignment]
    try:
        code = module.execute(str(script), arguments)
    except SystemExit as error:
        code = error.code
        said["error"] = f"ended with code {code}"
    said |= {"ok": code in (0, None), "frames": min(asked, frames), "seconds": time.perf_counter() - start}
    if said["ok"]:
        said.pop("error", None)
    print(f"\n{MARK}{json.dumps(said)}", flush=True)
    os._exit(0)


def _still_policy() -> str:
    """A file with a policy of H1 for scripts that ask for one: it wants the default pose of its 19 joints."""
    import tempfile

    import torch

    class Still(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.zeros_like(x[:, :19])

    path = Path(tempfile.mkdtemp()) / "policy.pt"
    torch.jit.save(torch.jit.trace(Still(), torch.zeros(1, 256)), str(path))
    return str(path)


if __name__ == "__main__":
    sys.exit(main())
