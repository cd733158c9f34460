"""The tables of docs/isaaclab.md are what was measured."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"


def test_tables_are_up_to_date():
    written = runpy.run_path(str(DOCS / "isaaclab_tables.py"))
    assert written["tables"]() in (DOCS / "isaaclab.md").read_text(), "run python docs/isaaclab_tables.py"
