"""Which loops over lanes are vectorised whatever LLVM estimates, and that they are."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core import types

from phalanx.ecs import Component, Field, Table, read, system, update
from phalanx.ecs.cache import modules
from phalanx.ecs.text import codegen
from phalanx.ecs.text.vectorise import is_dense

Bead = Table("bead", "beads on strings")


class Thread(Component, table=Bead):
    """Where a bead hangs."""

    before = Field(dtype="int32", doc="the bead before it, -1: none", constant=True)
    kind = Field(dtype="int32", doc="0, 1 or 2", constant=True)
    place = Field(3, doc="place")
    pull = Field(3, doc="pull")


@system(over=Bead, order="forward", phase="sense")
def hang(i, e, before=read(Thread.before), kind=read(Thread.kind), pull=read(Thread.pull), place=update(Thread.place)):
    """Several branches on what all lanes have in common, which LLVM alone takes for masks."""
    x, y, z = pull[i, 0, e], pull[i, 1, e], pull[i, 2, e]
    if kind[i, e] == 1:
        x, y, z = y * z, z * x, x * y
    elif kind[i, e] == 2:
        x, y, z = x + y, y + z, z + x
    p = before[i, e]
    if p >= 0:
        x, y, z = x + place[p, 0, e], y + place[p, 1, e], z + place[p, 2, e]
    place[i, 0, e], place[i, 1, e], place[i, 2, e] = x, y, z


def dense(tmp_path: Path, body: str) -> bool:
    """Whether the loop over lanes with this body is."""
    head = "def loops(_low, _high, _rows, value, place, shared):\n    for i in range(_rows):\n"
    text = head + " " * 8 + "for _e in range(_low, _high):\n" + textwrap.indent(textwrap.dedent(body), " " * 12)
    path = tmp_path / f"loops_{abs(hash(text))}.py"
    path.write_text(text)
    return is_dense(str(path), 3)


@pytest.mark.parametrize(
    "body",
    [
        "value[i, _e] += value[shared[i, 0], _e]",
        "x = value[i, _e]\nx = 2 * x\nvalue[i, _e] = x if x > 0 else -x",
        "if shared[i, 0] >= 0:\n    value[shared[i, 0], _e] = 1",
        "for k in range(3):\n    value[k, _e] = place[k, _e]",
        "e = signed(_e)\nvalue[i, _e] = norm(value[i, _e], place[i, _e], e)",
    ],
)
def test_loops_that_load_lane_beside_lane(body: str, tmp_path: Path) -> None:
    assert dense(tmp_path, body)


@pytest.mark.parametrize(
    "body",
    [
        "value[place[i, _e], _e] = 0",
        "k = place[i, _e]\nvalue[i, _e] = shared[k + 1, 0]",
        "k = 0\nif value[i, _e] > 0:\n    k = 1\nvalue[k, _e] = 1",
        "k = 0\nfor n in range(2):\n    if value[n, _e] > 0:\n        k = n\nvalue[k, _e] = 1",
        "value[i, _e] = looked_up(shared, i)",
    ],
    ids=["load", "of what all share", "by a branch", "by a branch within a loop", "by a helper"],
)
def test_loops_that_load_at_addresses_of_each_lane_are_left_to_llvm(body: str, tmp_path: Path) -> None:
    assert not dense(tmp_path, body)


@pytest.mark.parametrize(
    "body",
    [
        "most = max(most, value[i, _e])",
        "most += value[i, _e]",
        "if value[i, _e] > 0:\n    last = 1\nelse:\n    last = last",
        "for k in range(_rows):\n    value[k, _e] = 0",
        "if value[i, _e] > 0:\n    last = 1\nvalue[i, _e] = last",
        "k = i\nwhile k > 0:\n    k -= 1\n    value[k, _e] = 0",
    ],
)
def test_loops_that_hand_on_or_contain_loops_are_left_to_llvm(body: str, tmp_path: Path) -> None:
    assert not dense(tmp_path, body)


def test_branches_on_what_lanes_share_leave_a_loop_vectorised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but vectors is computed with in its machine code, in steps of at least four numbers."""
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path))
    generated = codegen.generate(hang, frozenset({"before", "kind"}), "float32", "cpu")
    loaded: Any = vars(modules.load(generated))
    word = types.int64
    entry: Any = numba.cfunc(types.void(word, word, types.CPointer(word)))(loaded[generated.entry].__wrapped__)
    text = entry._library.get_llvm_str()
    assert re.search(r"fmul (contract |nsz )*<(4|8|16) x float>", text)
    assert re.search(r"fadd (contract |nsz )*<(4|8|16) x float>", text)
