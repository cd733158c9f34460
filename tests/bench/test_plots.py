"""The script that draws how speed scales: what it reads, and that it draws."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from phalanx import bench

FOLDER = Path(bench.__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def plots() -> ModuleType:
    spec = importlib.util.spec_from_file_location("benchmark_plots", FOLDER / "plots.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["benchmark_plots"] = module  # dataclasses look for it there
    spec.loader.exec_module(module)
    return module


def results(*cases: tuple[str, int, float, int, float]) -> dict[str, Any]:
    """Results of scenes: name, environments, rate, dofs, contacts; the peer half as fast."""

    def run(engine: str, count: int, rate: float, dofs: int, contacts: float) -> dict[str, Any]:
        return {
            "engine": engine, "num_envs": count, "env_steps_per_second": rate, "dofs": dofs,
            "contacts_per_env": contacts,
        }  # fmt: skip

    return {
        "schema": bench.SCHEMA,
        "machine": {"processors": 2, "processor": "abacus"},
        "cases": [
            {
                "scene": name,
                "device": "cpu",
                "phalanx": run("phalanx", count, rate, dofs, contacts),
                "peers": [run("peer", count, 0.5 * rate, dofs, contacts)],
            }
            for name, count, rate, dofs, contacts in cases
        ],
    }


def test_later_files_replace_lines_of_earlier_ones(plots, tmp_path):
    both = results(("arm", 1, 10.0, 9, 0.0), ("arm", 64, 90.0, 9, 0.0), ("leg", 64, 7.0, 9, 0.0))
    (tmp_path / "1.json").write_text(json.dumps(both))
    (tmp_path / "2.json").write_text(json.dumps(results(("arm", 64, 100.0, 9, 0.0))))
    old = {
        "machine": {"processors": 2, "processor": "abacus"},
        "cases": [{"name": "arm", "device": "cpu", "num_envs": 7, "env_steps_per_second": 1.0, "peers": {}}],
    }
    (tmp_path / "0.json").write_text(json.dumps(old))
    assert [p.rate for p in plots.newest([tmp_path / "0.json"])] == [1.0]
    found = plots.newest(tmp_path.glob("*.json"))
    assert {(p.scene, p.engine, p.num_envs): p.rate for p in found} == {
        ("arm", "phalanx", 64): 100.0, ("arm", "peer", 64): 50.0, ("leg", "phalanx", 64): 7.0, ("leg", "peer", 64): 3.5,
    }  # fmt: skip
    assert {p.machine for p in found} == {"2 cores of abacus"}


def test_families_have_axes_of_their_own(plots):
    chain = plots.Point("m", "chain_8", "phalanx", 256, 1.0, 8, 0.0)
    assert plots.family(chain)[0] == "dofs" and plots.line_of(chain) == ("chains, 256 environments", "phalanx")
    for name in (name for family in ("spheres", "boxes_apart", "stacks") for name in bench.FAMILIES[family]):
        assert plots.family(plots.Point("m", name, "phalanx", 64, 1.0, 48, 8.0))[0] == "contacts"
    assert plots.family(plots.Point("m", "three_humanoids", "phalanx", 64, 1.0, 81, 8.0)) == ("", "")


def test_what_a_contact_costs(plots, tmp_path):
    """3 µs a step and environment and 0.2 µs for each contact, but for one body alone, which is left out."""
    rates = {n: 1.0 / (3e-6 + 0.2e-6 * 4 * n) for n in (2, 4, 8)} | {1: 1e9}
    cases = [(f"boxes_apart_{n}", 64, rate, 6 * n, 4.0 * n) for n, rate in rates.items()]
    (tmp_path / "boxes.json").write_text(json.dumps(results(*cases)))
    points = [p for p in plots.read(tmp_path / "boxes.json") if p.engine == "phalanx"]
    without, each, power = plots.fit([p for p in points if p.dofs > 6])
    assert (without, each) == (pytest.approx(3e-6), pytest.approx(0.2e-6)) and 0 < power < 1
    pytest.importorskip("matplotlib", reason="matplotlib (extra dev) is not installed")
    said = plots.draw_costs(points, tmp_path / "a.svg")
    assert said[0].startswith("2 cores of abacus, 64: boxes apart: 200 ns a contact, power 0.") and len(said) == 1
    plots.draw_costs(points, tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert plots.draw_costs([], tmp_path / "c.svg") == [] and not (tmp_path / "c.svg").exists()


def test_files_of_contact_cost_can_be_read(plots):
    """Their own fits, which are per step of all environments, come out again."""
    path = FOLDER / "results" / "2026-11-21-contact-cost-h100.json"
    kept, points = json.loads(path.read_text()), plots.read(path)
    for called, line in kept["fits"].items():
        cases = [p for p in points if plots.family(p) == ("contacts", called) and p.dofs > 6]
        without, each, power = plots.fit(cases)
        assert len(cases) == 6 and each * 4096 == pytest.approx(line["seconds_per_contact"])
        assert without * 4096 == pytest.approx(line["seconds_without"]) and power == pytest.approx(line["exponent"])


def test_committed_results_can_be_drawn(plots, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib (extra dev) is not installed")
    from PIL import Image

    found = plots.newest((FOLDER / "results").glob("*.json"))
    (tmp_path / "chains.json").write_text(
        json.dumps(results(*((f"chain_{n}", 256, 1e6 / n, n, 0.0) for n in (2, 4, 8))))
    )
    found += plots.read(tmp_path / "chains.json")
    for axis in ("environments", "dofs", "contacts"):
        target = tmp_path / f"{axis}.png"
        assert plots.draw(found, axis, target)
        with Image.open(target) as picture:
            assert picture.width > 400 and len(set(picture.convert("L").resize((64, 64)).tobytes())) > 10
    assert len(plots.draw_costs(found, tmp_path / "cost.svg")) >= 3
    assert not plots.draw([], "dofs", tmp_path / "none.png") and not (tmp_path / "none.png").exists()


def test_scenes_of_one_size_are_left_out_and_captions_name_the_hardware(plots, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="matplotlib (extra dev) is not installed")
    (tmp_path / "2026-01-02-x.json").write_text(
        json.dumps(results(("arm", 1, 10.0, 9, 0.0), ("arm", 64, 90.0, 9, 0.0), ("leg", 64, 7.0, 9, 0.0)))
    )
    points, captions, drawn = plots.read(tmp_path / "2026-01-02-x.json"), [], []
    caption, guide = plots._caption, plots._guide
    monkeypatch.setattr(plots, "_caption", lambda used: captions.append(caption(used)) or captions[-1])
    monkeypatch.setattr(
        plots, "_guide", lambda p, power: drawn.extend(line.get_label() for line in p.lines) or guide(p, power)
    )
    assert plots.draw(points, "environments", tmp_path / "x.svg")
    assert drawn == ["arm", "arm, peer"]
    assert captions == ["2 cores of abacus, measured 2026-01-02: Phalanx, peer."]
    lone = [p for p in points if p.scene == "leg"]
    assert not plots.draw(lone, "environments", tmp_path / "y.svg")
