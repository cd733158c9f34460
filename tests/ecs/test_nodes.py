"""Walks over syntax trees meet the same nodes in the same order as Python's own."""

from __future__ import annotations

import ast
from pathlib import Path

import phalanx
from phalanx.ecs.source.walk import walk

FILES = sorted(Path(phalanx.__file__).parent.joinpath("ecs").rglob("*.py"))


def test_the_same_nodes_in_the_same_order() -> None:
    trees = [ast.parse(path.read_text()) for path in FILES]
    assert len(trees) > 30
    for tree in trees:
        assert list(map(id, walk(tree))) == list(map(id, ast.walk(tree)))


def test_nodes_that_lack_parts() -> None:
    """Made by hand, as rewritten statements are: no context, no places."""
    made = ast.Assign([ast.Name("x")], ast.Call(ast.Name("f"), [ast.Constant(1)], []))
    assert list(map(id, walk(made))) == list(map(id, ast.walk(made)))
