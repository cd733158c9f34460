"""Mutated files are loaded or refused, with their name. ``python -m tests.fuzz`` tries as many as you like."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz import mutated_files

CASES = {**dict.fromkeys(mutated_files.KINDS, 10), **dict.fromkeys(mutated_files.CALLS, 10), "setter": 20}
"""Of each kind."""

FOUND: list[tuple[str, int]] = [
    ("mjcf", 20872),
    ("setter", 10507),
    ("setter", 11308),
    ("setter", 20159),
    ("setter", 22163),
    ("setter", 24549),
    ("setter of joints and deformables", 10),
    ("flexcomp", 1316),
    ("flexcomp", 1710),
]
"""Cases that were faults once, by kind and number."""


def test_there_are_cases_of_all_kinds() -> None:
    assert CASES.keys() == set(mutated_files.ALL)
    assert sum(count for kind, count in CASES.items() if kind not in SLOW) >= 200


SLOW = ("recorded deformables",)
"""Kinds for which kernels are compiled that no other test needs."""


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=pytest.mark.slow if k in SLOW else ()) for k in mutated_files.ALL]
)
def test_mutations_are_survived(kind: str, tmp_path: Path) -> None:
    if kind in mutated_files.KINDS:
        good = tmp_path / "good"
        good.mkdir()
        assert mutated_files.load(mutated_files.KINDS[kind][0](good)) == "loaded"
    numbers = [*range(CASES[kind]), *(number for name, number in FOUND if name == kind)]
    verdicts = []
    for number in numbers:
        folder = tmp_path / str(number)
        folder.mkdir()
        verdicts.append(mutated_files.run(kind, number, folder))
        assert verdicts[-1] in ("loaded", "refused"), (kind, number, verdicts[-1])
    assert "refused" in verdicts, "mutations that change nothing test nothing"
