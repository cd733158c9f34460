"""README and docs: what they show runs, what they name exists, what they link to is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import phalanx as px
from phalanx.commands.cli import COMMANDS, main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
PAGES = [path for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*.md"))]


def blocks(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def test_readme_is_short():
    assert len(README.splitlines()) <= 120


def test_quick_start_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (code,) = blocks(README)
    exec(compile(code, "README.md", "exec"), {})
    assert list(px.open_recording("run.zarr").robots) == ["robot"]
    printed = capsys.readouterr().out
    assert "FL_hip_joint" in printed and "0.2" in printed, "joints, and heights of robots that stand"


def test_commands_exist():
    named = set(re.findall(r"^ {4}phalanx ([a-z|]+(?:, [a-z]+)*)", README, flags=re.MULTILINE))
    words = {word for name in named for word in re.split(r"[|, ]+", name)}
    assert words and words <= set(COMMANDS), words - set(COMMANDS)
    assert set(COMMANDS) <= words, "README names each command"


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
