"""Trains and plays a task by Isaac Lab's own scripts, unmodified, with each trainer that is installed; prints JSON.

``python benchmarks/isaaclab_trainers.py CHECKOUT/scripts/reinforcement_learning --json out.json``, where the checkout
is of Isaac Lab 2.3.2 and a stand-in of the cartpole is built (``phalanx assets build cartpole``). ``train.py`` makes a
few rounds, ``play.py`` plays its checkpoint and films it. Beside the trainers, films need ``moviepy``, and the policy
that rsl-rl's ``play.py`` exports needs ``onnx`` and ``onnxscript``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = {"rsl_rl": "rsl-rl-lib", "skrl": "skrl", "sb3": "stable-baselines3", "rl_games": "rl-games"}
"""Folders of scripts, and the trainers' packages."""
CHECKPOINTS = (".pt", ".pth", ".zip")
FRAMES = 20
"""Length of the film."""


def main() -> int:
    """0 if all scripts ran."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("scripts", type=Path)
    parser.add_argument("--task", default="Isaac-Cartpole-v0")
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=400.0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = []
    for name, package in PACKAGES.items():
        try:
            version = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
        with tempfile.TemporaryDirectory() as folder:
            results += [{"trainer": f"{package} {version}", **one} for one in _tried(name, options, Path(folder))]
        for one in results[-2:]:
            print(json.dumps(one), flush=True)
    if options.json is not None:
        settings = {"task": options.task, "num_envs": options.num_envs, "rounds": options.rounds}
        options.json.write_text(json.dumps({**settings, "scripts": results}, indent=1) + "\n")
    return 0 if results and all(one["ok"] for one in results) else 1


def _tried(name: str, options: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    """What came of both scripts of a trainer, one after the other in a folder."""
    common = ["--task", options.task, "--headless", "--device", "cpu"]
    train = [*common, "--num_envs", str(options.num_envs), "--max_iterations", str(options.rounds)]
    play = [*common, "--num_envs", "4", "--video", "--video_length", str(FRAMES)]
    if name == "rl_games":  # its recipe names a GPU, has a batch for 4,096, and keeps a best policy once episodes end
        cpu = ["agent.params.config.device=cpu", "agent.params.config.device_name=cpu"]
        train += [*cpu, f"agent.params.config.minibatch_size={16 * options.num_envs}"]
        play += [*cpu, "--use_last_checkpoint"]
    results = []
    for script, arguments, made in (("train.py", train, CHECKPOINTS), ("play.py", play, (".mp4",))):
        path = options.scripts / name / script
        one = _ran([sys.executable, "-m", "phalanx", "exec", str(path), *arguments], folder, options.seconds)
        if one["ok"] and not any(file.suffix in made for file in folder.rglob("*")):
            one |= {"ok": False, "error": f"wrote no file that ends in {' or '.join(made)}"}
        results.append({"script": f"{name}/{script}", **one})
    return results


def _ran(command: list[str], folder: Path, seconds: float) -> dict[str, Any]:
    start = time.perf_counter()
    environ = {**os.environ, "PYTHONUNBUFFERED": "1"}
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False, env=environ
        )
    except subprocess.TimeoutExpired:
        return {"ok": False, "error": f"no end after {seconds:g} s"}
    took = time.perf_counter() - start
    if done.returncode == 0:
        return {"ok": True, "seconds": round(took, 1)}
    errors = [line for line in done.stderr.splitlines() if "Error" in line and not line.startswith(" ")]
    return {"ok": False, "seconds": round(took, 1), "error": (errors or [f"code {done.returncode}"])[-1]}


if __name__ == "__main__":
    sys.exit(main())
