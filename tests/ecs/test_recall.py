"""What earlier processes have worked out is used again, and never where it would be made otherwise now."""

from __future__ import annotations

import importlib.util
import itertools
import linecache
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from ecs.plants import Garden, Twig, TwigLoad, TwigShape, carry, climb, garden, grow, look, straightener, stretch

import phalanx as px
from phalanx.ecs import System, read, rows, spread, system, update
from phalanx.ecs.cache import answers, identity, modules
from phalanx.ecs.cache import files as cached
from phalanx.ecs.cache.folder import CacheWarning
from phalanx.ecs.recorded.grouping import Straightener
from phalanx.ecs.recorded.recorder import Recorder, _Known
from phalanx.ecs.sequences import fusion
from phalanx.ecs.sequences.fusion import fused
from phalanx.ecs.text import codegen
from phalanx.ecs.text.addresses import flat_arguments
from phalanx.ecs.text.teams import is_team
from phalanx.systems import STEP, systems

WATCHES = """
from phalanx.ecs import Component, Field, Table, function, read, system, update, write

Watch = Table("{table}", "watches")
RATE = 2.0


class Hands(Component, table=Watch):
    angle = Field(doc="of the hand", role="state")
    wound = Field({shape}, doc="how far")


def once(x):
    return x


@function
def slower(x):
    return {slower}


@function
def turned(x):
    return slower(x) + RATE


@system(over=Watch, phase="sense"{order})
def tick(i, e, wound=read(Hands.wound), angle={access}(Hands.angle)):
    angle[i, e] = turned(wound[i, {item}e])
"""

PLAIN = {
    "table": "watch",
    "shape": "()",
    "slower": "0.5 * x",
    "order": "",
    "access": "update",
    "item": "",
}

OTHERS = [
    {"slower": "0.25 * x"},
    {"slower": "x * 0.5"},
    {"table": "clock"},
    {"shape": "2", "item": "1, "},
    {"order": ', order="reverse"'},
    {"access": "write"},
]

_number = itertools.count()


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of its own, and a process that has made nothing yet."""
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path / "cache"))
    forget(monkeypatch)


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a new process does not know."""
    monkeypatch.setattr(codegen, "_texts", {})
    for remembered in (flat_arguments, fusion.joined, fusion._join):
        remembered.cache_clear()


def never(*_: Any) -> Any:
    raise AssertionError("this is known already")


def watches(folder: Path, **changes: str) -> ModuleType:
    """A module of a user's, from a file; each time another module."""
    path = folder / f"watches_{next(_number)}.py"
    path.write_text(WATCHES.format(**{**PLAIN, **changes}))
    return loaded(path)


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("watches", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text_of(system: System, **how: Any) -> str:
    how = {"shared": frozenset(), "dtype": "float32", "target": "cuda", **how}
    return codegen.generate(system, **how).source


def test_a_text_is_made_once_for_all_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = watches(tmp_path)
    first = text_of(module.tick)
    forget(monkeypatch)
    monkeypatch.setattr(codegen, "_write", never)
    assert text_of(module.tick) == first
    again = loaded(Path(module.__file__ or ""))
    assert again.tick is not module.tick and text_of(again.tick) == first


@pytest.mark.parametrize("changes", OTHERS, ids=lambda c: " ".join(c.values()))
def test_what_is_declared_otherwise_is_not_recalled(tmp_path: Path, changes: dict[str, str]) -> None:
    before = watches(tmp_path)
    first, what, path = text_of(before.tick), identity.of_system(before.tick), Path(before.__file__ or "")
    path.write_text(WATCHES.format(**{**PLAIN, **changes}))
    module = loaded(path)  # again, as notebooks do
    assert identity.of_system(module.tick) != what
    assert text_of(module.tick) == codegen._write(module.tick, frozenset(), "float32", "cuda")[0]
    assert (text_of(module.tick) == first) == (not {"table", "access"}.isdisjoint(changes)), "which kernels do not show"


@pytest.mark.parametrize("how", [{"shared": frozenset({"wound"})}, {"dtype": "float64"}, {"target": "cpu"}], ids=str)
def test_what_a_text_is_for(tmp_path: Path, how: dict[str, Any]) -> None:
    module = watches(tmp_path)
    assert text_of(module.tick) != text_of(module.tick, **how)


def test_constants_that_are_set_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a notebook, say, or by a program: the file is the same."""
    module = watches(tmp_path)
    first = text_of(module.tick)
    monkeypatch.setattr(module, "RATE", 3.0)
    forget(monkeypatch)
    assert "RATE = real(3.0)" in text_of(module.tick)
    monkeypatch.setattr(module, "RATE", 2.0)
    forget(monkeypatch)
    assert text_of(module.tick) == first


def test_cells_of_a_notebook_have_no_file() -> None:
    texts = []
    for slower in ("0.5 * x", "0.25 * x", "0.5 * x"):
        source, name = WATCHES.format(**{**PLAIN, "slower": slower}), f"<cell {next(_number)}>"
        linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
        module = ModuleType("watches")
        exec(compile(source, name, "exec"), vars(module))
        texts.append(text_of(module.tick))
    assert texts[0] == texts[2] != texts[1]


def test_what_cannot_be_compiled_is_refused_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = watches(tmp_path, slower="once(x)")
    for _ in range(2):
        with pytest.raises(TypeError, match="once is a function; kernels may use"):
            text_of(module.tick)
        forget(monkeypatch)


def test_a_file_that_ends_too_early_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = watches(tmp_path)
    first = text_of(module.tick)
    files = sorted((tmp_path / "cache" / "recalled").iterdir())
    for file in files:
        file.write_text(file.read_text()[: file.stat().st_size // 2])
    forget(monkeypatch)
    monkeypatch.setattr(cached, "_told", False)
    with pytest.warns(CacheWarning, match="its checksum does not fit"):
        assert text_of(module.tick) == first
    assert [file.name for file in files] == sorted(p.name for p in (tmp_path / "cache" / "recalled").iterdir())
    forget(monkeypatch)
    monkeypatch.setattr(codegen, "_write", never)
    assert text_of(module.tick) == first


def test_nothing_is_left_of_what_could_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space left"):
        answers.recalled("count", ["what"], lambda: 1)
    assert list((tmp_path / "cache" / "recalled").iterdir()) == []


def test_every_file_of_the_core_is_part_of_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files in its folders, too: else kernels of a compiler that has been changed would be served."""
    core = tmp_path / "core"
    shutil.copytree(modules.CORE, core, ignore=shutil.ignore_patterns("__pycache__"))
    (core / "deeper" / "still").mkdir(parents=True)
    (core / "deeper" / "still" / "one.py").write_text("A = 1\n")
    monkeypatch.setattr(answers, "CORE", core)
    files = sorted(core.rglob("*.py"))
    before = answers._compiler.__wrapped__()
    for file in files:
        text = file.read_text()
        file.write_text(text + "# changed\n")
        assert answers._compiler.__wrapped__() != before, file
        file.write_text(text)
    assert answers._compiler.__wrapped__() == before


def test_another_compiler_knows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def make() -> list[int]:
        made.append(1)
        return made

    for compiler, count in (("one", 1), ("one", 1), ("other", 2), ("one", 2)):
        monkeypatch.setattr(answers, "_compiler", lambda compiler=compiler: compiler)
        assert answers.recalled("count", ["what"], make) is not None
        assert len(made) == count


_PRINT = """
from phalanx.ecs.cache import identity
from phalanx.systems import systems
print(*(identity.of_system(s) for s in systems()))
"""


def test_systems_are_the_same_in_all_processes_and_no_two_are() -> None:
    found = []
    for seed in "12":
        done = subprocess.run(
            [sys.executable, "-c", _PRINT], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        )
        found.append(done.stdout.split())
    assert found[0] == found[1] == [identity.of_system(s) for s in systems()]
    assert len(set(found[0])) == len(found[0])


def programs(below: list[int], order: list[System], **how: Any) -> list[tuple[str, str]]:
    """What systems become with twigs, and the texts of programs."""
    store = garden(below, **how)
    made = straightener(store)
    texts = []
    for group, found in made.groups(order):
        text = "" if found is None else found.program.text(found, store._shared(found), store.real)
        texts.append((" ".join(s.name for s in group), text))
    return texts


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Names of systems that are recorded."""
    names: list[str] = []
    record = Recorder.system

    def note(self: Recorder, system: System, *more: Any) -> None:
        names.append(system.name)
        record(self, system, *more)

    monkeypatch.setattr(Recorder, "system", note)
    yield names


ORDER = [grow, carry, look, climb, grow]


def test_programs_are_recorded_once_for_all_processes(recorded: list[str]) -> None:
    first = programs([-1, 0, 0, 1], ORDER)
    assert sum(text != "" for _, text in first) == 2 and "climb" in recorded
    recorded.clear()
    assert programs([-1, 0, 0, 1], ORDER) == first
    assert recorded == []


def test_a_step_of_a_robot_is_recorded_once(recorded: list[str]) -> None:
    world = px.World(num_envs=2, device="cpu", substeps=2)
    world.add_ground()
    world.add_robot("quadruped")
    world.build()
    step, found, counts = world.engine.store._wanted(world.engine.sequence(STEP)), [], []
    for _ in range(2):
        made = straightener(world.engine.store)
        made.decide(step)
        programs = [one for one in made.each(step) if one.program is not None]
        shared = [world.engine.store._shared(one) for one in programs]
        texts = [one.program.text(one, names, "float32") for one, names in zip(programs, shared, strict=True)]
        found.append(([one.name for one in programs], texts))
        counts.append(len(recorded))
    assert found[0] == found[1] and len(found[0][0]) > 5
    assert counts[0] == counts[1] > 50


@pytest.mark.parametrize(
    ("below", "how"),
    [([-1, 0, 1, 1], {}), ([-1, 0, 0], {}), ([-1, 0, 0, 1], {"dtype": "float64"}), ([-1, 0, 0, 1], {"num_envs": 2000})],
    ids=["topology", "rows", "float type", "stride"],
)
def test_programs_of_other_worlds_are_others(recorded: list[str], below: list[int], how: dict[str, Any]) -> None:
    first = programs([-1, 0, 0, 1], ORDER)
    recorded.clear()
    assert programs(below, ORDER, **how) != first
    assert recorded != []


def test_topology_that_is_set_back_is_known(recorded: list[str]) -> None:
    """Setting it forgets what has been recorded, which is found on the disk by what it is set to."""
    store = garden([-1, 0, 0])
    made = straightener(store)
    names = [s.name for s in made.each([grow, carry])]
    store[TwigShape].below = [[-1], [0], [1]]
    made.forget()
    recorded.clear()
    assert [s.name for s in made.each([grow, carry])] == names and recorded == ["grow", "carry"]
    store[TwigShape].below = [[-1], [0], [0]]
    made.forget()
    recorded.clear()
    assert [s.name for s in made.each([grow, carry])] == names and recorded == []
    made.forget(Garden)
    assert [s.name for s in made.each([grow, carry])] == names and recorded == []


def test_company_that_decided_is_part_of_what_is_known(recorded: list[str]) -> None:
    """The same system, after another decision."""
    found = []
    for _ in range(2):
        made = straightener(garden([-1, 0, 0]))
        names = []
        for company in (grow, climb, grow):
            made.decide([company, stretch])
            names += [s.name for s in made.each([stretch])]
        found.append(names)
        last, recorded[:] = list(recorded), []
    assert found == [["stretch_straight", "stretch", "stretch_straight"]] * 2
    assert last == []


@system(phase="sense")
def rise(lanes, count=rows(Twig), own=read(TwigLoad.own), height=update(TwigLoad.height)):
    for i in spread(count):
        for e in lanes:
            height[i, e] += own[i, 0, e]


@system(phase="sense", after="rise")
def bow(lanes, count=rows(Twig), height=update(TwigLoad.height)):
    for i in spread(count):
        for e in lanes:
            height[i, e] *= 0.5


def test_joined_systems_are_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = [(s, frozenset[str]()) for s in (rise, bow, rise, bow)]
    first = fused(kernels)[0][0]
    text = text_of(first)
    assert is_team(first)
    forget(monkeypatch)
    monkeypatch.setattr(fusion, "_text", never)
    monkeypatch.setattr(codegen, "_write", never)
    again = fused(kernels)[0][0]
    assert again is not first and text_of(again) == text
    assert list(again.arguments.items()) == list(first.arguments.items())
    assert is_team(again) and flat_arguments(again) == flat_arguments(first)


def test_nothing_is_looked_at_beyond_what_cannot_be_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small step of cloth has hundreds of portions: to look at all from each on took minutes."""
    looked: list[int] = []
    found = Straightener._recalled

    def note(self: Straightener, run: tuple[System, ...]) -> Any:
        looked.append(len(run))
        return found(self, run)

    monkeypatch.setattr(Straightener, "_recalled", note)
    part = replace(climb, whole=climb, count=1)
    without = straightener(garden([-1, 0, 0, 1])).groups([grow, carry, look])
    many = straightener(garden([-1, 0, 0, 1])).groups([grow, carry, look, *[part] * 50] * 4)
    assert looked and max(looked) == 3
    assert [([s.name for s in group], made is None) for group, made in many] == [
        *(([s.name for s in group], made is None) for group, made in without),
        *[(["climb"], True)] * 50,
    ] * 4


def test_sequences_that_begin_alike_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small steps repeat their systems eight times, and each of them is where something may begin."""
    looked: list[str] = []
    found = Straightener._recalled

    def note(self: Straightener, run: tuple[System, ...]) -> Any:
        looked.append(run[0].name)
        return found(self, run)

    monkeypatch.setattr(Straightener, "_recalled", note)
    steps = [grow, carry, look, climb, stretch] * 8
    many = straightener(garden([-1, 0, 0, 1])).groups(steps)
    assert len(looked) <= 10, "from systems of the first and of the last small step on"
    monkeypatch.setattr(Straightener, "_known", lambda self, run: None)
    each = straightener(garden([-1, 0, 0, 1])).groups(steps)
    assert [(list(g), made and made.name) for g, made in many] == [(list(g), made and made.name) for g, made in each]
    assert len(looked) > 20


def test_large_tables_are_not_gone_through_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """What does nothing for most rows has few operations however many rows there are: a million grains took minutes."""
    asked: list[int] = []
    monkeypatch.setattr(_Known, "__getitem__", lambda _, index: asked.append(index[0]) or -1)

    @system(over=Twig, phase="sense")
    def lean(i, e, below=read(TwigShape.below), height=update(TwigLoad.height)):
        if below[i, e] >= 0:
            height[i, e] = 0.0

    assert straightener(garden([-1] * 5000)).groups([lean, carry])[0] == ([lean], None)
    assert len(asked) < 5000
