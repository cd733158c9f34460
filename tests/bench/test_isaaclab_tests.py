"""Results of some of a file's tests take the place of theirs alone."""

from __future__ import annotations

import copy

import pytest

pytest.importorskip("torch", reason="the script lets tests that name a GPU run on the CPU, through torch")
from benchmarks import isaaclab_tests

WHOLE = {
    "file": "isaaclab/test/test_one.py",
    "passed": 3,
    "failed": {"test_a": {"error": "1", "needs": "time"}, "test_b": {"error": "2", "needs": "time"}},
    "skipped": {"test_c": "slow"},
    "left_out": 4,
    "ended": True,
    "seconds": 9.0,
}


def _some(passed: list[str], failed: dict[str, dict[str, str]]) -> dict[str, object]:
    return {**WHOLE, "passed": len(passed), "names": passed, "failed": failed, "skipped": {}, "left_out": 0}


def test_other_tests_of_a_file_stay_as_they_were():
    before = copy.deepcopy(WHOLE)
    # a failed and passes, c was skipped and passes, d passed and fails, e passes again
    found = isaaclab_tests.merged(before, _some(["test_a", "test_c", "test_e"], {"test_d": {"error": "4"}}))
    assert found["passed"] == 4  # a, c, e, and the one of three that was not run again
    assert set(found["failed"]) == {"test_b", "test_d"}
    assert found["skipped"] == {} and found["left_out"] == 4 and found["seconds"] == 9.0
    assert before == WHOLE


@pytest.mark.parametrize("kept", [{"failed": {"(import)": {"error": "no"}}}, {"ended": False}])
def test_a_file_without_results_of_tests_has_those_of_some(kept):
    some = _some(["test_a"], {})
    assert isaaclab_tests.merged({**copy.deepcopy(WHOLE), **kept}, some) is some
