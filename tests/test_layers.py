"""Files import their own room or one below it, and nothing goes in circles: see :mod:`layers`."""

from __future__ import annotations

import layers
import pytest

REMEDY = {
    "UPWARD": "these imports go against the order of rooms in tests/layers.py; move what is shared into the lower "
    "room, or pass it in from above",
    "CIRCULAR": "these imports close a circle (those for type checkers count); move what both need into a third file",
    "REACHES": "these files use private names of a world; use what it has in public, or add that",
    "LOOSE": "these files lie in the package's own folder; put each into a room of tests/layers.py",
}


@pytest.mark.parametrize("question", layers.QUESTIONS)
def test_nothing_new_goes_against_the_order_of_rooms(question: str) -> None:
    new = layers.QUESTIONS[question]() - layers.allowed()[question]
    assert not new, f"{REMEDY[question]}:\n" + "\n".join(sorted(new))


@pytest.mark.parametrize("question", layers.QUESTIONS)
def test_what_is_allowed_only_shrinks(question: str) -> None:
    gone = layers.allowed()[question] - layers.QUESTIONS[question]()
    assert not gone, "well done; take these out with `python tests/layers.py --prune`:\n" + "\n".join(sorted(gone))


def test_every_file_is_in_a_room() -> None:
    """Files that lie loose are known; all others are found by their folder."""
    assert not {file for file in layers.imports() if layers.room(file) is None}


def test_circles_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = {
        "models/a": {"models/b/one"},
        "models/b/one": set(),
        "models/b/two": {"models/a"},  # no circle of files, but one of what lies in models/
        "ecs/a": {"ecs/b", "models/a"},
        "ecs/b": {"ecs/a"},
        "bench/a": {"bench/b", "models/b/one"},
        "bench/b": set(),
    }
    monkeypatch.setattr(layers, "imports", lambda: graph)
    assert layers.circular() == {
        "models/a -> models/b/one",
        "models/b/two -> models/a",
        "ecs/a -> ecs/b",
        "ecs/b -> ecs/a",
    }
    assert layers.upward() == {"ecs/a -> models/a"}
