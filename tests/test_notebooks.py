"""The notebooks run from the first cell to the last, as Jupyter would run them, and what they say holds."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

NOTEBOOKS = Path(__file__).resolve().parent.parent / "examples" / "notebooks"


def run(name: str) -> tuple[dict[str, Any], list[Any]]:
    """Names after the last cell, and what Jupyter would show below each code cell that ends with an expression."""
    document = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))
    assert document["nbformat"] == 4
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for number, cell in enumerate(document["cells"]):
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [] and cell["execution_count"] is None, "outputs are not committed"
        tree = ast.parse("".join(cell["source"]), f"{name}.ipynb, cell {number}")
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"{name}.ipynb, cell {number}", "exec"), names)
        if isinstance(last, ast.Expr):
            shown.append(eval(compile(ast.Expression(last.value), f"{name}.ipynb, cell {number}", "eval"), names))
    return names, shown


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_first_steps() -> None:
    names, shown = run("first_steps")
    assert "quadruped" in repr(shown[0])
    pushed, others = names["away"][::2], names["away"][1::2]
    assert pushed.mean() > 2.0 * others.mean() and names["heights"].shape == (16,)
    picture = np.asarray(next(each for each in shown if hasattr(each, "getpixel")))
    assert picture.shape == (320, 480, 3) and len(np.unique(picture.reshape(-1, 3), axis=0)) > 200


def test_analyse_a_recording() -> None:
    names, shown = run("analyse_a_recording")
    assert shown[-1] is True, "the recording starts where it says"
    assert names["before"].shape == (8, 6, 7) and names["before"].max() < 0.2 < names["speed"].max()
