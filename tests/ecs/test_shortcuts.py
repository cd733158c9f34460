"""Shortcuts in Numba change how long it takes, not what it makes: machine code and lists of variables."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core import ir

from phalanx.ecs import System
from phalanx.ecs.ahead import numba_shortcuts
from phalanx.ecs.text import codegen
from phalanx.systems import systems

_MAKE = """
import sys
from pathlib import Path
from phalanx.ecs.ahead import numba_shortcuts
from phalanx.ecs.cache.modules import Generated, load
if sys.argv[1] == "short":
    numba_shortcuts.take_all()
for path in map(Path, sys.argv[2:]):
    generated = Generated(path, path.read_text(), path.stem)
    print(getattr(load(generated), generated.entry)._library.get_asm_str())
"""

NAMES = ["collide_capsules", "point_distances", "update_coordinates"]


def shared(made: System) -> frozenset[str]:
    """Arguments that all environments have in common."""
    return frozenset(name for name, a in made.field_arguments.items() if a.target.constant)


def test_machine_code_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path))
    found = [s for s in systems() if s.name in NAMES]
    assert len(found) == len(NAMES)
    written = [codegen.generate(s, shared(s), "float32", "cpu").path for s in found]
    texts = []
    for how in ("long", "short"):
        (tmp_path / how).mkdir()  # machine code is kept beside the texts
        paths = [shutil.copy(path, tmp_path / how) for path in written]
        done = subprocess.run([sys.executable, "-c", _MAKE, how, *paths], capture_output=True, text=True, check=True)
        texts.append(re.sub(r"B\d+v\d+|v\d+B\d+|_Z[\w.$]+", "", done.stdout))
    assert len(texts[0].splitlines()) > 3000
    assert texts[0] == texts[1]


def test_lists_of_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    where = ir.Loc("text.py", 1)
    scope = ir.Scope(None, where)
    a, b, c = (ir.Var(scope, name, where) for name in "abc")
    call = ir.Expr.call(a, [b, c], (("key", a),), where, vararg=b)
    statements = [
        ir.Assign(ir.Const(1, where), a, where),
        ir.Assign(call, b, where),
        ir.Assign(ir.Expr.phi(where), c, where),
        ir.SetItem(a, b, c, where),
        ir.StaticSetItem(a, (0, 1), b, c, where),
        ir.Branch(a, 1, 2, where),
        ir.Print([a, b], c, where),
        ir.Assign(ir.Expr.build_map([(a, b)], 1, {}, {}, where), c, where),
    ]
    before = [s.list_vars() for s in statements]
    monkeypatch.setattr(ir.Inst, "_rec_list_vars", ir.Inst._rec_list_vars)  # what is put back
    numba_shortcuts.list_variables_by_type()
    after = [s.list_vars() for s in statements]
    assert [[v.name for v in vs] for vs in before] == [[v.name for v in vs] for vs in after]
    assert sum(map(len, before)) == 21, "phi, constants and numbers hold none"


_MAKE_PTX = """
import importlib, sys
from pathlib import Path
from types import SimpleNamespace
from numba import cuda
from phalanx.ecs.ahead import numba_shortcuts
from phalanx.ecs.cuda.kernels import signature
from phalanx.ecs.cuda.start import import_without_blas
from phalanx.ecs.cache.modules import Generated, load
if sys.argv[1] == "short":
    import_without_blas()
    assert "scipy.linalg" not in sys.modules
    numba_shortcuts.take_all(numba_shortcuts.CUDA)
device = SimpleNamespace(compute_capability=(9, 0))  # PTX needs no GPU
importlib.import_module("numba.cuda.dispatcher").get_current_device = lambda: device
for path in map(Path, sys.argv[2:]):
    generated = Generated(path, path.read_text(), path.stem)
    kernel = getattr(load(generated), generated.entry).py_func
    print(cuda.compile_ptx(kernel, signature(generated.source), cc=(9, 0))[0])
"""


def test_ptx_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed (pip install 'phalanx[cuda12]')")
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path))
    paths = [str(codegen.generate(s, shared(s), "float32", "cuda").path) for s in systems() if s.name in NAMES]
    texts = []
    for how in ("long", "short"):
        done = subprocess.run(
            [sys.executable, "-c", _MAKE_PTX, how, *paths], capture_output=True, text=True, check=True
        )
        lines = done.stdout.splitlines()
        texts.append([line for line in lines if not line.startswith(".common")])  # which come in any order
    assert len(texts[0]) > 2000
    assert texts[0] == texts[1]
