"""What kernels are made of: the text that is generated, its types, and when it is generated anew."""

from __future__ import annotations

import importlib.util
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
import pytest
from ecs.ptx import float64_instructions
from numba.core import compiler, typed_passes
from numba.core.lowering import Lower
from numba.core.registry import cpu_target
from numba.core.types.functions import BaseFunction

from phalanx.components.island import FEW_DOFS, MOST_DOFS
from phalanx.ecs import (
    Component,
    DeclarationError,
    Field,
    System,
    Table,
    function,
    local,
    read,
    rows,
    system,
    update,
    write,
)
from phalanx.ecs.ahead import numba_shortcuts
from phalanx.ecs.cache import modules
from phalanx.ecs.cpu import numba_compilers as lanes
from phalanx.ecs.text import codegen
from phalanx.ecs.text.team_language import team_eight_sums, team_row, team_system
from phalanx.systems import deformable, systems
from phalanx.systems.collision.mesh_contact.convex_height_field_teams import spread_convex_with_height_field
from phalanx.systems.collision.mesh_contact.convex_mesh_teams import share_convex_with_mesh
from phalanx.systems.collision.near_miss_teams import drop_what_is_passed
from phalanx.systems.collision.near_pair_teams import list_near_pairs
from phalanx.systems.collision.seams import without_chains
from phalanx.systems.deformable.cloth_clusters import partners_of_groups
from phalanx.systems.deformable.cloth_near import near_cloth
from phalanx.systems.deformable.cloth_teams import step_cloth, sweep_cloth
from phalanx.systems.deformable.cloth_touch import touch_cloth, touch_forces
from phalanx.systems.deformable.grains import relax_pairs
from phalanx.systems.deformable.modes import sum_groups
from phalanx.systems.deformable.particle_cells import sort_keys
from phalanx.systems.deformable.particle_near import find_pairs
from phalanx.systems.queries import PROBES, RAYS
from phalanx.systems.reports.contact_views import contact_views, contact_views_of_nodes
from phalanx.systems.reports.sampling import SAMPLERS, next_sample
from phalanx.systems.solver.islands import stand_ins as island_solver

Lamp = Table("lamp", "lamps on a string")
SAMPLING = [*{id(s.system.function): s.system for s in SAMPLERS.values()}.values(), next_sample]
HALF = 0.5
THREE = 3


class Light(Component, table=Lamp):
    """What a lamp does."""

    level = Field(doc="brightness")
    tint = Field(3, doc="colour")
    decay = Field(doc="share lost", shared=True)
    socket = Field(dtype="int32", doc="where it hangs", constant=True)


@function
def dimmed(level: float, decay: float) -> float:
    """Half of what the decay leaves."""
    return HALF * level * (1.0 - decay)


@system(over=Lamp, phase="sense")
def dim(
    i,
    e,
    count=rows(Lamp),
    decay=read(Light.decay),
    socket=read(Light.socket),
    tint=write(Light.tint),
    level=update(Light.level),
):
    """Dim the lamps."""
    level[i, e] = dimmed(level[i, e], decay[i, e])
    if socket[i, e] > THREE or i == count - 1:
        return
    for k in range(3):
        tint[i, k, e] = 0.25 * level[i, e]


@system(phase="sense")
def dim_lanes(lanes, count=rows(Lamp), decay=read(Light.decay), level=update(Light.level)):
    for i in range(count):
        for e in lanes:
            level[i, e] = dimmed(level[i, e], decay[i, e])


SHARED = frozenset({"decay", "socket"})


@pytest.fixture(autouse=True)
def fresh_cache(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kernel cache for the test alone, except for the engine's own kernels, which other tests need too."""
    folder = tmp_path / "kernels"
    if "made" not in request.fixturenames:
        monkeypatch.setenv("PHALANX_CACHE_DIR", str(folder))
    return folder


@pytest.fixture(scope="module", autouse=True)
def quick_types() -> Iterator[None]:
    """Numba finds types as it does in the process that compiles kernels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseFunction, "get_call_type", BaseFunction.get_call_type)  # what is put back
        numba_shortcuts.remember_types()
        yield


def namespace(generated: modules.Generated) -> dict[str, Any]:
    loaded: Any = modules.load(generated)
    return loaded if isinstance(loaded, dict) else vars(loaded)


def test_shared_fields_are_read_at_environment_zero() -> None:
    source = codegen.generate(dim, SHARED, "float32", "cpu").source
    assert "decay[i, 0]" in source and "socket[i, 0]" in source
    assert re.search(r"level\[i, _?e\]", source) and re.search(r"tint\[i, k, _?e\]", source)
    wide = codegen.generate(dim, frozenset({"socket"}), "float32", "cpu").source
    assert re.search(r"decay\[i, _?e\]", wide) and "decay[i, 0]" not in wide and "socket[i, 0]" in wide


def test_fields_are_flat_on_the_gpu() -> None:
    source = codegen.generate(dim, SHARED, "float32", "cuda").source
    assert "decay[unsigned(i)]" in source and "socket[unsigned(i)]" in source
    assert "level[_place(i, _stride, _e)]" in source and "tint[_place(i * 3 + k, _stride, _e)]" in source
    assert re.search(r"while _at\d < _end\d:\n +k = _at\d", source), "loops are while loops"
    wide = codegen.generate(dim, frozenset({"socket"}), "float32", "cuda").source
    assert "decay[_place(i, _stride, _e)]" in wide


@pytest.mark.parametrize("real", ["float32", "float64"])
def test_literals_and_constants_get_the_worlds_type(real: str) -> None:
    source = codegen.generate(dim, SHARED, real, "cpu").source
    assert f"real = np.{real}" in source
    assert "HALF = real(0.5)" in source and "THREE = 3" in source
    assert "real(0.25)" in source and "real(1.0)" in source
    for line in source.splitlines():
        if any(number in line for number in ("0.25", "1.0", "0.5")):
            assert "real(" in line, f"a bare float64 literal: {line}"


def test_infinite_constants(tmp_path: Path) -> None:
    module = written(tmp_path, LAMPS.replace("FACTOR = 0.5", "FACTOR = float('inf')"))
    generated = codegen.generate(module.blink, frozenset(), "float32", "cpu")
    assert namespace(generated)["FACTOR"] == np.float32("inf")


def test_the_module_stands_alone() -> None:
    """It can be read and run without the files that it was made from."""
    source = codegen.generate(dim, SHARED, "float32", "cpu").source
    assert source.startswith("# Generated by phalanx.ecs.text.codegen; do not edit.")
    assert "def dimmed(level, decay)" in source and '"""' not in source
    imports = [line for line in source.splitlines() if "import" in line]
    assert imports[:2] == ["import math", "import numpy as np"]
    assert len(imports) == 3 and imports[2].startswith("from phalanx.ecs.cpu.kernels import ")


def test_early_return_of_a_row_is_a_continue() -> None:
    source = codegen.generate(dim, SHARED, "float32", "cpu").source
    assert "continue" in source and "return\n" not in source.split("@kernel")[1].split("@entry")[0]


# float32 worlds compute in float32.


class _Typed(Lower):
    """Makes no code: what a helper returns is known by then."""

    def lower(self) -> None:
        self.call_helper = None


def float64_values(made: System, shared: frozenset[str], real: str = "float32") -> dict[str, str]:
    """Variables and intermediate values (``$...``) of a generated loop that Numba types as float64, by name."""
    generated = codegen.generate(made, shared, real, "cpu")
    module = ModuleType(f"typed_{generated.entry}")
    sys.modules[module.__name__] = module
    text = generated.source.replace("@entry\n", "")  # which would be compiled, and left in the cache by this process
    exec(compile(text, str(generated.path), "exec"), vars(module))
    loops = vars(module)[f"{generated.entry}_loops"]
    number = numba.from_dtype(np.dtype(real))
    bounds = loops.py_func.__code__.co_argcount - len(made.arguments)
    signature: list[Any] = [numba.int64] * bounds
    for access in made.arguments.values():
        if access.mode == "rows":
            signature.append(numba.int64)
        else:
            dtype = number if access.target.dtype == "real" else numba.int32
            signature.append(numba.types.Array(dtype, 2 + len(access.target.shape), "C"))
    typing: Any = cpu_target.typing_context
    context = cpu_target.target_context
    typing.refresh()  # as Numba does before it compiles; this may be the first
    frontend = compiler.run_frontend(loops.py_func)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lanes._PartLowering, "lowering_class", _Typed)
        types = typed_passes.type_inference_stage(typing, context, frontend, tuple(signature), numba.types.void)[0]
    return {name: str(kind) for name, kind in types.items() if "float64" in str(kind)}


def test_float64_arithmetic_would_be_found(tmp_path: Path) -> None:
    """A division of two integers is float64 in any world; so the tests below can fail."""
    module = written(tmp_path, LAMPS.replace("level[i, e] = ", "level[i, e] = i / 2 * "))
    assert float64_values(module.blink, frozenset())
    assert " double" in llvm(module.blink, frozenset())


def test_own_system_has_no_float64_arithmetic() -> None:
    text = llvm(dim, SHARED)
    assert "fmul" in text or "float" in text
    assert " double" not in text
    assert " double" in llvm(dim, SHARED, "float64")


def llvm(made: System, shared: frozenset[str], real: str = "float32") -> str:
    """LLVM of a system's native function, all inlined."""
    generated = codegen.generate(made, shared, real, "cpu")
    return namespace(generated)[generated.entry].inspect_llvm()


LONG_TO_TYPE = {
    *(f"collide_{kind}_with_{other}" for kind in ("convex", "round") for other in ("mesh", "height_field", "sdf")),
    *("collide_sdf_with_mesh", "collide_sdf_with_height_field", "collide_two_sdf", "find_walls_in_the_way"),
}
"""Systems of surfaces: each takes Numba seconds, and most of what they call others here call, too."""


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(s, id=s.name, marks=[pytest.mark.slow] * (s.name in LONG_TO_TYPE))
        for s in systems(keep_nearest=True)
    ],
)
def test_engine_system_has_no_float64_arithmetic(made: System) -> None:
    shared = frozenset(name for name, access in made.field_arguments.items() if access.target.shared)
    found = float64_values(made, shared)
    named = [name for name in sorted(found) if not name.startswith("$")]
    assert not found, f"{made.name} computes in float64 in a float32 world: {', '.join(named or found)}"


# When is a kernel generated anew?

LAMPS = textwrap.dedent("""
    from phalanx.ecs import Component, Field, Table, function, system, update

    Bulb = Table("bulb")
    FACTOR = 0.5


    class Glow(Component, table=Bulb):
        level = Field(doc="brightness")


    @function
    def inner(x):
        return FACTOR * x


    @function
    def outer(x):
        return inner(x)


    @system(over=Bulb, phase="sense")
    def blink(i, e, level=update(Glow.level)):
        level[i, e] = outer(level[i, e])
""")


def written(folder: Path, source: str) -> ModuleType:
    """Import a module of this source from its own folder."""
    number = len(list(folder.glob("lamps*")))
    path = folder / f"lamps{number}" / "lamps.py"
    path.parent.mkdir()
    path.write_text(source)
    Component.registry.pop("Glow", None)
    spec = importlib.util.spec_from_file_location("lamps", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fingerprint(module: ModuleType, real: str = "float32") -> Path:
    return codegen.generate(module.blink, frozenset(), real, "cpu").path


def test_same_source_same_file(tmp_path: Path, fresh_cache: Path) -> None:
    first = fingerprint(written(tmp_path, LAMPS))
    stamp = first.stat().st_mtime_ns
    second = fingerprint(written(tmp_path, LAMPS))
    assert first == second and second.stat().st_mtime_ns == stamp, "it was written again"
    assert [p.name for p in fresh_cache.iterdir() if p.is_file()] == [first.name], "nothing else is left behind"
    assert [p.name[:5] for p in (fresh_cache / "recalled").iterdir()] == ["text_"], "nor there"
    assert first.read_text() == codegen.generate(written(tmp_path, LAMPS).blink, frozenset(), "float32", "cpu").source


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return FACTOR * x", "return FACTOR * x + 1.0"),
        ("return inner(x)", "return inner(inner(x))"),
        ("FACTOR = 0.5", "FACTOR = 0.25"),
        ("outer(level[i, e])", "inner(level[i, e])"),
        ('@system(over=Bulb, phase="sense")', '@system(over=Bulb, phase="sense", order="reverse")'),
    ],
    ids=["helper of a helper", "helper", "constant", "system", "order"],
)
def test_any_edit_is_a_new_kernel(old: str, new: str, tmp_path: Path) -> None:
    assert old in LAMPS
    assert fingerprint(written(tmp_path, LAMPS)) != fingerprint(written(tmp_path, LAMPS.replace(old, new)))


def test_a_module_may_have_its_own_for_what_is_built_in(tmp_path: Path) -> None:
    """Kernels took Python's, which computes something else, for a helper or constant of that name."""
    module = written(tmp_path, LAMPS.replace("inner", "pow").replace("FACTOR", "sum"))
    source = codegen.generate(module.blink, frozenset(), "float32", "cpu").source
    assert "def pow(x):" in source and "sum = real(0.5)" in source


def test_comments_are_no_edit(tmp_path: Path) -> None:
    commented = LAMPS.replace("return inner(x)", "# as it was\n    return inner(x)")
    assert fingerprint(written(tmp_path, LAMPS)) == fingerprint(written(tmp_path, commented))


def test_each_type_and_target_has_its_kernel(tmp_path: Path) -> None:
    module = written(tmp_path, LAMPS)
    targets: tuple[modules.Target, ...] = ("cpu", "cuda")
    kinds: list[tuple[str, modules.Target]] = [(real, target) for real in ("float32", "float64") for target in targets]
    assert len({codegen.generate(module.blink, frozenset(), real, target).path for real, target in kinds}) == 4


# CUDA without a GPU.


TEAMS = [
    *island_solver.prepare(lambda table: MOST_DOFS),
    *island_solver.prepare(lambda table: FEW_DOFS)[1:],
    *island_solver.instead(lambda table: MOST_DOFS, 5, 4, True),
    *island_solver.instead(lambda table: FEW_DOFS, 5, 4, True),
    *island_solver.SUBSTITUTE.replaced.values(),
    list_near_pairs,
    drop_what_is_passed,
    spread_convex_with_height_field,
    share_convex_with_mesh,
    sweep_cloth,
    step_cloth,
]


IN_ROWS = [made.in_rows for made in (touch_cloth, near_cloth, partners_of_groups, find_pairs, sort_keys, relax_pairs)]


def test_threads_share_out_rows_where_that_is_of_use() -> None:
    """Of systems whose rows may run in parallel, and which do not share them out anyway."""
    assert all(made.in_step for made in IN_ROWS)
    text = codegen.generate(IN_ROWS[0], SHARED, "float32", "cuda").source
    assert "cuda.threadIdx.y" in text
    assert "cuda.threadIdx.y" not in codegen.generate(touch_cloth, SHARED, "float32", "cuda").source
    for made in (sum_groups, sweep_cloth, dim_lanes):
        assert made.in_rows is made
    part = touch_forces.portion(3, 5).in_rows
    assert part.count == 5 and part.in_step and part.whole is touch_forces.in_rows


@pytest.mark.parametrize(
    "made",
    [
        *systems(keep_nearest=True),
        *deformable.systems(),
        *IN_ROWS,
        *TEAMS,
        without_chains(),
        *RAYS,
        *PROBES[-1:],
        *SAMPLING,
        contact_views,
        contact_views_of_nodes,
        dim,
        dim_lanes,
    ],
    ids=lambda made: made.name,
)
def test_compiles_to_ptx_without_float64(made: System, ptx: ModuleType) -> None:
    """Every system, for compute capability 9.0."""
    shared = frozenset(name for name, access in made.field_arguments.items() if access.target.shared)
    text = ptx.compile_ptx(made, shared, "float32", (9, 0))
    assert ".target sm_90" in text and ".entry" in text
    found = float64_instructions(text)
    assert not found, f"{made.name} computes in float64: {found[:3]}"


def test_registers_are_limited_on_gpus_alone() -> None:
    """And two limits are two kernels, though all else is the same."""
    few, fewer = (replace(dim, registers=n) for n in (64, 48))
    text, other = (codegen.generate(made, SHARED, "float32", "cuda") for made in (few, fewer))
    assert "@kernel_of(64)\n" in text.source and ", kernel_of\n" in text.source
    assert "@kernel_of(48)\n" in other.source and text.entry != other.entry
    assert "kernel_of" not in codegen.generate(dim, SHARED, "float32", "cuda").source
    assert (
        codegen.generate(few, SHARED, "float32", "cpu").source == codegen.generate(dim, SHARED, "float32", "cpu").source
    )


@pytest.mark.parametrize(("over", "registers"), [(Lamp, 16), (Lamp, 256), (None, 64)])
def test_limits_of_registers_are_checked(over: Table | None, registers: int) -> None:
    def each(n: Any, e: Any, level: Any = read(Light.level)) -> None: ...

    def lanes(lanes: Any, level: Any = read(Light.level)) -> None: ...

    with pytest.raises(DeclarationError, match=f"32 to 255, not {registers}"):
        system(over=over, phase="sense", registers=registers)(lanes if over is None else each)


@team_system(phase="sense", each=Lamp, size=8)
def eight_sums(lanes, level=read(Light.level), found=write(Light.level)):
    for e in lanes:
        x = level[team_row(), e]
        found[team_row(), e] = team_eight_sums(8, x, x + 1.0, x * x, x + 2.0, x * 3.0, x - 1.0, x - 2.0, x * 4.0)


def test_teams_shuffle_in_one_place(ptx: ModuleType) -> None:
    """Of eight sums each shuffle is there once: none on either side of a branch, where threads wait for each other."""
    made = eight_sums
    shared = frozenset(name for name, access in made.field_arguments.items() if access.target.shared)
    assert ptx.compile_ptx(made, shared, "float32", (9, 0)).count("shfl.sync") == 7


def test_float64_worlds_compute_in_float64(ptx: ModuleType) -> None:
    assert float64_instructions(ptx.compile_ptx(dim, SHARED, "float64", (9, 0)))


@pytest.mark.parametrize("made", [dim, dim_lanes], ids=lambda made: made.name)
def test_only_what_the_kernel_does_not_write_is_loaded_as_constant(made: System, ptx: ModuleType) -> None:
    """``ld.global.nc`` may miss what the kernel itself has stored: the updated level must not be loaded by it."""
    text = ptx.compile_ptx(made, SHARED, "float32", (9, 0))
    stored = set(re.findall(r"st\.global\.\w+\s+\[([^]]+)\]", text))
    constant = set(re.findall(r"ld\.global\.nc\.\w+\s+\S+, \[([^]]+)\]", text))
    plain = set(re.findall(r"ld\.global\.\w+\s+\S+, \[([^]]+)\]", text)) - constant
    assert constant and plain and plain <= stored
    assert not stored & constant


@system(over=Lamp, phase="sense")
def flicker(i, e, socket=read(Light.socket), level=update(Light.level)):
    seen = local(64)
    seen[socket[i, e]] = level[i, e]
    level[i, e] = seen[63 - socket[i, e]]


def test_scratch_is_not_filled(ptx: ModuleType) -> None:
    """The level is stored to it, no zeros before, which compilers take for bits."""
    text = ptx.compile_ptx(flicker, SHARED, "float32", (9, 0))
    assert len(re.findall(r"__local_depot\d+\[256\]", text)) == 1
    assert set(re.findall(r"st\.local\.(\w+)", text)) == {"f32"}


def test_texts_are_kept_as_long_as_what_they_were_made_from_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = written(tmp_path, LAMPS)
    first = codegen.generate(module.blink, frozenset(), "float32", "cpu")
    assert codegen.generate(module.blink, frozenset(), "float32", "cpu").source is first.source
    first.path.unlink()
    assert codegen.generate(module.blink, frozenset(), "float32", "cpu").path.exists()
    monkeypatch.setattr(module, "FACTOR", 0.125)
    assert "0.125" in codegen.generate(module.blink, frozenset(), "float32", "cpu").source
    monkeypatch.undo()
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path / "other"))
    again = codegen.generate(module.blink, frozenset(), "float32", "cpu")
    assert again.source == first.source and again.path.parent == tmp_path / "other"
