"""Loops over lanes become one for each way of a branch on what lanes have in common, and compute the same."""

from __future__ import annotations

import ast
import textwrap

import numpy as np
import pytest

from phalanx.ecs import Component, Field, Table, read, system, update, write
from phalanx.ecs.device import Device
from phalanx.ecs.source.functions import LANE_LOOP
from phalanx.ecs.store import Store
from phalanx.ecs.text import codegen
from phalanx.ecs.text.unswitch import FEWEST, unswitched

Kite = Table("kite", "kites on lines")


class Line(Component, table=Kite):
    """What a kite hangs on."""

    kind = Field(dtype="int32", doc="0, 1 or 2", constant=True)
    wind = Field(3, doc="wind", unit="m/s")
    pull = Field(3, doc="pull", unit="N")
    slack = Field(doc="how far it hangs", unit="m")


@system(over=Kite, phase="sense")
def fly(i, e, kind=read(Line.kind), wind=read(Line.wind), pull=update(Line.pull), slack=write(Line.slack)):
    """Long ways, which end in different places."""
    x, y, z = wind[i, 0, e], wind[i, 1, e], wind[i, 2, e]
    k = kind[i, e]
    share = 0.5 if k == 2 else 0.25
    if k == 0:
        x = x * y
        y = y * z
        z = z * x
        x = x + y + z
    else:
        x = x - y
        y = y - z
        if y < 0.0:
            slack[i, e] = -1.0
            return
        z = z - x
    pull[i, 0, e], pull[i, 1, e], pull[i, 2, e] = share * x, share * y, share * z
    slack[i, e] = x + e


def flown(kind: np.ndarray, wind: np.ndarray, pull: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same in Python, number by number."""
    pull, slack = pull.copy(), np.zeros(wind[:, 0].shape)
    for i, e in np.ndindex(slack.shape):
        x, y, z = wind[i, :, e]
        share = 0.5 if kind[i] == 2 else 0.25
        if kind[i] == 0:
            x, y = x * y, y * z
            z = z * x
            x = x + y + z
        else:
            x, y = x - y, y - z
            if y < 0.0:
                slack[i, e] = -1.0
                continue
            z = z - x
        pull[i, :, e] = share * x, share * y, share * z
        slack[i, e] = x + e
    return pull, slack


def test_the_same_is_computed() -> None:
    random = np.random.default_rng(3)
    rows, envs = 5, 21
    store = Store(envs, Device("cpu"), "float64")
    store.set_rows(Kite, rows)
    kind, wind, pull = (
        np.array([0, 1, 2, 0, 2]),
        random.normal(size=(rows, 3, envs)),
        random.normal(size=(rows, 3, envs)),
    )
    store.set(Line.kind, kind[:, None])
    store.set(Line.wind, wind)
    store.set(Line.pull, pull)
    source = codegen.generate(fly, frozenset({"kind"}), "float64", "cpu").source
    assert source.count(LANE_LOOP) == 2
    store.program([fly]).run()
    expected = flown(kind, wind, pull)
    np.testing.assert_allclose(np.asarray(store[Line].pull)[..., :envs], expected[0], rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(np.asarray(store[Line].slack)[..., :envs], expected[1], rtol=1e-14, atol=1e-14)


LONG = "\n".join(f"    out[n, {i}, _e] = x" for i in range(FEWEST))


def loops(body: str) -> str:
    statements = ast.parse(textwrap.dedent(body).replace("LONG", LONG.strip())).body
    loop = ast.parse(f"for _e in {LANE_LOOP}: pass").body[0]
    assert isinstance(loop, ast.For)
    return "\n".join(map(ast.unparse, unswitched(statements, loop)))


def test_what_a_test_needs_comes_first() -> None:
    text = loops("s = shape[n, 0]\nx = place[n, _e]\nk = kind[s, 0] + 1\nif k > 1:\n    LONG\nout[n, 0, _e] = x")
    lines = text.splitlines()
    assert lines[:3] == ["s = shape[n, 0]", "k = kind[s, 0] + 1", "if k > 1:"]
    assert text.count(LANE_LOOP) == text.count("x = place[n, _e]") == 2 and text.count("= x") == FEWEST + 2


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("x = place[n, _e]\nif x > 1:\n    LONG", id="lanes differ"),
        pytest.param("x = place[n, _e]\nk = x\nif k > 1:\n    LONG", id="lanes differ by a name"),
        pytest.param("k = 0\nif place[n, _e] > 0:\n    k = 1\nif k > 0:\n    LONG", id="lanes differ by a way"),
        pytest.param("x = place[n, _e]\nif kind[n, 0] > 1:\n    x = 1", id="short"),
        pytest.param("k = kind[n, 0]\nkind[n, 0] = 1\nif k > 0:\n    LONG", id="what it reads is written"),
        pytest.param("if kind[n, 0] > 0:\n    LONG\nkind[n, 0] = 1", id="what it reads is written later"),
        pytest.param("k = kind[n, 0]\nk = k + 1\nif k > 0:\n    LONG", id="set twice"),
        pytest.param("k = kind[n, 0]\nk += 1\nif k > 0:\n    LONG", id="changed"),
        pytest.param("if kind[n, 0] > 0:\n    k = 1\nelse:\n    k = 2\nif k > 1:\n    LONG", id="set in a way"),
    ],
)
def test_one_loop_stays_one(body: str) -> None:
    assert loops(body).count(LANE_LOOP) == 1
