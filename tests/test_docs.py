"""README and docs: what they show runs, what they name exists, what they link to is there."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import xarray

import phalanx as px
from phalanx import components
from phalanx.commands.cli import COMMANDS, main
from phalanx.ecs import Component

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
PLACES = ("*.md", "docs/*.md", "docs/concepts/*.md", "docs/howto/*.md", "benchmarks/*.md")
PAGES = [path for place in PLACES for path in ROOT.glob(place)]


def blocks(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def test_readme_is_short():
    assert len(README.splitlines()) <= 120


def test_quick_start_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (code,) = blocks(README)
    names: dict[str, Any] = {"xarray": xarray}
    exec(compile(code, "README.md", "exec"), names)
    assert list(px.open_recording("run.zarr").robots) == ["robot"]
    shown = [eval(line, names) for line in re.findall(r"`((?:xarray|px)\.open\w+\([^`]*)`", README)]
    assert [set(each.dims) for each in shown] == [{"time", "env", "axis"}, {"time", "env", "joint"}]
    assert eval("robot.live.joint_pos", names).shape == (64, 12)
    printed = capsys.readouterr().out
    assert "FL_hip_joint" in printed and "0.2" in printed, "joints, and heights of robots that stand"


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "concepts").glob("*.md")), ids=lambda page: page.stem)
def test_concepts_run(page, tmp_path, monkeypatch):
    """What a page of concepts shows runs as one module, with the assertions in it; what it calls a file is one."""
    text = page.read_text()
    code = "\n".join(blocks(text))
    assert "assert " in code
    name = f"concept_{page.stem}"
    (tmp_path / f"{name}.py").write_text(code)
    spec = importlib.util.spec_from_file_location(name, tmp_path / f"{name}.py")
    assert spec is not None and spec.loader is not None
    monkeypatch.setitem(sys.modules, name, module := importlib.util.module_from_spec(spec))
    installed = list(sys.meta_path)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.meta_path[:] = installed  # the facade's names are there while its page runs
    places = [ROOT, *(ROOT / "phalanx" / inside for inside in ("", "systems", "facade", "systems/solver"))]
    for path in re.findall(r"`((?:\w+/)+(?:\w+\.py)?)`", text):
        if not path.startswith("isaaclab"):
            assert any((place / path).exists() for place in places), f"{page.name} names {path}, which is not there"


RUNS = {
    "info": ["info", "arm"],
    "run": ["run", "double_pendulum", "--num-envs", "2", "--steps", "20", "--device", "cpu", "--record", "run.zarr"],
    "replay": ["replay", "run.zarr", "--verify"],
    "export": ["export", "run.zarr", "--to", "csv"],
    "assets": ["assets", "list"],
    "doctor": ["doctor"],
    "bench": ["bench", "arm", "--num-envs", "2", "--steps", "4", "--repeats", "1", "--device", "cpu"],
    "warmup": ["warmup", "double_pendulum", "--num-envs", "2", "--device", "cpu"],
    "farm": ["farm", "spec.yaml", "--out", "data", "--engine", "processes", "--workers", "1", "--verify"],
    "completion": ["completion", "bash"],
}
"""Of each command that the README names, a run of seconds, in an order in which they find what they need."""

ELSEWHERE = {
    "exec": ("tests/facade/test_examples_isaaclab.py", 'run("articulation.py"'),
    "view": ("tests/viewer/test_view_command.py", 'started("view", "cartpole"'),
    "train": ("tests/learn/test_training.py", 'cli.main(["train", "cartpole"'),
    "play": ("tests/learn/test_training.py", 'cli.main(["play", "cartpole"'),
    "tasks": ("tests/facade/test_isaaclab_tasks.py", "tasks.trial("),
}
"""Of the others, the test that runs them, and what it calls."""


def test_every_command_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    named = set(re.findall(r"^ {4}phalanx ([a-z|]+(?:, [a-z]+)*)", README, flags=re.MULTILINE))
    words = {word for name in named for word in re.split(r"[|, ]+", name)}
    assert words == set(COMMANDS) == {*RUNS, *ELSEWHERE}
    monkeypatch.chdir(tmp_path)
    spec = "{robot: double_pendulum, policy: none, episodes: 2, episodes_per_shard: 2, steps: 4, signals: [joint_pos]}"
    (tmp_path / "spec.yaml").write_text(spec)
    for arguments in RUNS.values():
        assert main(arguments) == 0, (arguments, capsys.readouterr().err)
    for path, call in ELSEWHERE.values():
        assert call in (ROOT / path).read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_hold(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"


def test_version_and_front_door(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == f"phalanx {px.__version__}"
    assert set(dir(px)) == {*px.__all__, "__version__"}
    for name in px.__all__:
        assert getattr(px, name) is not None


def test_the_site_builds_without_a_warning_and_has_every_public_symbol(tmp_path):
    """mkdocs, with warnings as errors: pages that are not listed, links and anchors that lead nowhere."""
    missing = [name for name in ("mkdocs", "mkdocstrings", "material") if importlib.util.find_spec(name) is None]
    if missing and not os.environ.get("CI"):
        pytest.skip(f"{', '.join(missing)} not installed: pip install -e '.[docs]'")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stderr
    reference = (tmp_path / "site" / "reference.html").read_text()
    for name in (*px.__all__, "World.step", "Robot.set_drive", "Robot.joint_pos", "Robot.set_material"):
        assert reference.count(f'id="phalanx.{name}"') == 1, name
    assert "env_ids" in reference and "N·m/rad" in reference
    arrays = (tmp_path / "site" / "arrays.html").read_text()
    declared = [each for each in vars(components).values() if isinstance(each, type) and issubclass(each, Component)]
    declared.remove(Component)
    assert len(declared) > 100 and not [each for each in declared if f">{each.__name__}<" not in arrays]
    assert re.search(
        r"<code>velocity</code></td>\s*<td>\(rows, environments\)</td>\s*<td>real</td>\s*<td>state", arrays
    )
    friction = (tmp_path / "site" / "howto" / "friction.html").read_text()
    assert "set_stribeck" in friction, "the code itself is on the page"
