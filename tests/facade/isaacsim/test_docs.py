"""The tables of docs/isaacsim.md are what is there."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent.parent.parent / "docs"


def test_tables_are_up_to_date():
    written = runpy.run_path(str(DOCS / "isaacsim_tables.py"))
    assert written["tables"]() in (DOCS / "isaacsim.md").read_text(), "run python docs/isaacsim_tables.py"
