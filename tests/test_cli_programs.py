"""The command line for programs and shells: JSON reports, completion in bash, and cameras of pictures."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from phalanx.commands.cli import COMMANDS, main
from phalanx.commands.completion import script


def test_info_as_json(capsys, tmp_path):
    assert main(["info", "cartpole", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["name"] == "cartpole" and found["num_dof"] == 2 and found["mass"] == pytest.approx(21.1)
    slider = next(joint for joint in found["joints"] if joint["type"] == "prismatic")
    assert slider["lower"] < 0 < slider["upper"] and {link["name"] for link in found["links"]} >= {slider["child"]}
    continuous = next(joint for joint in found["joints"] if joint["type"] != "prismatic" and joint["type"] != "fixed")
    assert continuous["lower"] is None, "JSON has no infinity"
    assert main(["info", "cartpole", "--json", str(tmp_path / "a.json")]) == 0
    assert "cartpole" in capsys.readouterr().out
    assert json.loads((tmp_path / "a.json").read_text()) == found
    assert main(["info", "cartpole", "--json", str(tmp_path / "a.txt")]) == 2


def test_run_and_replay_as_json(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = "run cartpole --num-envs 3 --steps 20 --device cpu --record a.zarr --json -"
    assert main(arguments.split()) == 0
    ran = json.loads(capsys.readouterr().out)
    assert (ran["num_envs"], ran["steps"], ran["device"], ran["dtype"]) == (3, 20, "cpu", "float32")
    assert ran["seconds"] == pytest.approx(20 * ran["dt"]) and ran["diverged"] == [] and ran["env_steps_per_second"] > 0
    assert ran["robots"][0]["height"]["mean"] == pytest.approx(1.2) and ran["recording"]["samples"] == 21
    assert main(["replay", "a.zarr", "--verify", "--json", "-"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["samples"] == 21 and shown["num_envs"] == 3 and shown["verified"]["ok"]
    assert shown["robots"][0]["joints"] == ["slider_to_cart", "cart_to_pole"] or len(shown["robots"][0]["joints"]) == 2
    assert "joint_pos" in shown["fields"]["robot"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_completion_in_bash(tmp_path: Path):
    (tmp_path / "complete.sh").write_text(script("bash", COMMANDS))
    (tmp_path / "mine.urdf").touch()

    def completed(*words: str) -> set[str]:
        lines = [
            "source complete.sh",
            f"COMP_WORDS=({' '.join(repr(word) for word in words)})",
            "COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))",
            'set -u; _phalanx; (( ${#COMPREPLY[@]} )) && printf "%s\\n" "${COMPREPLY[@]}"; true',
        ]
        done = subprocess.run(["bash", "--norc"], input="\n".join(lines), capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0 and not done.stderr, done.stderr
        return set(done.stdout.split())

    assert completed("phalanx", "") >= {*COMMANDS, "--version"}
    assert completed("phalanx", "re") == {"replay"}
    assert completed("phalanx", "run", "qua") == {"quadruped", "quadrotor"}
    assert completed("phalanx", "run", "quadruped", "--num") == {"--num-envs"}
    assert completed("phalanx", "run", "--device", "") == {"auto", "cpu", "cuda", "gpu"}
    assert completed("phalanx", "export", "a.zarr", "--to", "p") == {"parquet"}
    assert completed("phalanx", "tasks", "--tr") == {"--try"}
    assert completed("phalanx", "train", "quad") == {"quadruped-flat", "quadruped-rough"}
    assert completed("phalanx", "run", "mine") == set(), "files are bash's own to complete"
    assert completed("phalanx", "exec", "script.py", "--num") == set(), "these are the script's own"
    registered = subprocess.run(
        ["bash", "--norc", "-c", "source complete.sh; complete -p phalanx"],
        capture_output=True, text=True, cwd=tmp_path, check=True,
    )  # fmt: skip
    assert "-o default" in registered.stdout and "-F _phalanx phalanx" in registered.stdout


def test_every_option_of_every_command_is_completed(capsys):
    text = script("bash", COMMANDS)
    for command in ("run", "view", "replay", "bench"):
        assert main([command, "--help"]) == 0
        plain = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
        flags = set(re.findall(r"^[│ ]*(?:-h, )?(--[a-z][a-z-]*)", plain, flags=re.MULTILINE)) - {"--help"}
        case = text.split(f"    {command})\n")[1].split(";;")[0]
        assert len(flags) > 10 and flags == set(case.split('"')[1].split()), command


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--eye 1 1 1", "--eye needs --video or --picture."),
        ("--follow robot", "--follow needs --video or --picture."),
        ("--picture a.png --target 1 1 1", "--target needs --eye."),
        ("--picture a.png --env 4", "--env must be between 0 and 3, not 4."),
        ("--picture a.png --env all 1", "--env must be numbers of environments, or all."),
        ("--picture a.png --size 8 8", "--size must be from 16 to 8192 pixels, not 8 8."),
        ("--picture a.png --size 9x8", "--size must be from 16 to 8192 pixels, not 9 8."),
        ("--picture a.png --follow nobody", "--follow nobody: there is no body 'nobody'; there are "),
    ],
)
def test_mistakes_about_cameras(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert main(f"run cartpole --num-envs 4 --steps 1 --device cpu {arguments}".split()) == 2
    assert message in capsys.readouterr().err


def test_a_picture_shows_one_robot_large(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    common = [
        "run",
        "cartpole",
        "--num-envs",
        "9",
        "--steps",
        "1",
        "--device",
        "cpu",
        "--no-ground",
        "--size",
        "200x150",
        "--picture",
    ]
    assert main([*common, "one.png"]) == 0
    assert "picture      one.png (environment 0)" in capsys.readouterr().out
    assert main([*common, "all.png", "--env", "all"]) == 0
    assert main([*common, "near.png", "--eye", "-2", "0.1", "1.5", "--follow", "cart"]) == 0
    images = {name: np.asarray(Image.open(f"{name}.png"), int) for name in ("one", "all", "near")}
    assert all(image.shape == (150, 200, 3) for image in images.values())
    rows, columns = np.nonzero(_seen(images["one"]))
    assert max(np.ptp(columns) / 200, np.ptp(rows) / 150) > 0.8, "it fills the picture"
    assert np.abs(images["one"] - images["all"]).mean() > 2 and np.abs(images["one"] - images["near"]).mean() > 2


def _seen(image: np.ndarray) -> np.ndarray:
    """Pixels that are not the sky, which is the same along a row."""
    return np.abs(image - np.median(image, axis=1, keepdims=True)).max(axis=2) > 20


PLAIN = """
import sys
sys.modules |= dict.fromkeys(("pxr", "viser"))
from phalanx.commands.cli import main
for command in ("doctor", "assets list", "assets build franka", "assets fetch franka", "view cartpole"):
    print("==", main(command.split()), flush=True)
"""


def test_commands_without_what_is_optional(tmp_path: Path):
    """Each says what it needs in a sentence; `doctor` and lists need nothing."""
    (tmp_path / "Isaac").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", PLAIN],
        env={**os.environ, "PHALANX_ASSET_ROOT": str(tmp_path), "https_proxy": "http://127.0.0.1:9"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    codes = [int(line[3:]) for line in done.stdout.splitlines() if line.startswith("== ")]
    assert codes[0] in (0, 1) and codes[1] == 0 and codes[2:] == [2, 2, 2], done.stdout + done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("phalanx: ")]
    assert len(said) == 3 and "pip install 'phalanx[isaac]'" in said[0] and "phalanx[viewer]" in said[2]
