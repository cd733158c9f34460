"""Mutated files are loaded or refused, with their name. ``python tests/fuzz/long_run.py`` tries as many as you like."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("mutated_files", Path(__file__).with_name("mutated_files.py"))
assert _spec is not None and _spec.loader is not None
mutated_files = importlib.util.module_from_spec(_spec)
sys.modules["mutated_files"] = mutated_files
_spec.loader.exec_module(mutated_files)

CASES = 20
"""Of each kind: 200 in all."""

FOUND: list[tuple[str, int]] = []
"""Cases that were faults once, by kind and number."""


@pytest.mark.parametrize("kind", mutated_files.KINDS)
def test_mutated_files_are_loaded_or_refused(kind: str, tmp_path: Path) -> None:
    good = tmp_path / "good"
    good.mkdir()
    assert mutated_files.load(kind, mutated_files.KINDS[kind][0](good)) == "loaded"
    numbers = [*range(CASES), *(number for name, number in FOUND if name == kind)]
    verdicts = []
    for number in numbers:
        folder = tmp_path / str(number)
        folder.mkdir()
        verdicts.append(mutated_files.run(kind, number, folder))
        assert verdicts[-1] in ("loaded", "refused"), (kind, number, verdicts[-1])
    assert "refused" in verdicts, "mutations that change nothing test nothing"
