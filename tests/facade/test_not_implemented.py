"""What raises NotImplementedError is listed in the docs, and says what to do; all else that does is for subclasses."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
LISTED = runpy.run_path(str(DOCS / "not_implemented.py"))
PRIMITIVES = "ecs/declare.py"
"""Where what back ends have under the same names is declared."""


def test_lists_are_up_to_date():
    for page in LISTED["AREAS"]:
        assert LISTED["listing"](page) in (DOCS / page).read_text(encoding="utf-8"), (
            "run python docs/not_implemented.py"
        )


def test_what_is_given_is_for_subclasses_or_kernels():
    given = [each for each in LISTED["raised"]() if each.is_given]
    assert len(given) > 20, "the search finds them"
    for each in given:
        where = each.path.relative_to(LISTED["PACKAGE"]).as_posix()
        assert each.is_hook, f"{where}:{each.line}: say what is missing, and what to use instead"
        in_class = len(each.scopes) > 1 and isinstance(each.scopes[-2], ast.ClassDef)
        assert in_class or where == PRIMITIVES, f"{where}:{each.line}: say what is missing"


def test_what_speaks_is_on_a_page():
    areas = [folder for folders in LISTED["AREAS"].values() for folder in folders]
    for each in LISTED["raised"]():
        where = each.path.relative_to(LISTED["PACKAGE"]).as_posix()
        assert each.message, f"{where}:{each.line}: say what is missing, and what to use instead"
        if not each.is_given and where != "ecs/recorded/program.py":  # that runs only as it was recorded
            assert any(where.startswith(f"{area}/") for area in areas), f"{where}: add its folder to AREAS"
