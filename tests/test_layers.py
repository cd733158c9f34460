"""Imports of the package point one way, as the README says."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import phalanx

PACKAGE = Path(phalanx.__file__).parent
BELOW = {
    "ecs": {"ecs"},
    "components": {"ecs", "components"},
    "systems": {"ecs", "components", "systems"},
}
"""What each layer may import."""

OUTERMOST = {"facade", "commands", "bench"}
"""What nothing else needs."""

COMMANDS = {"cli.py", "warmup.py"}
"""Files at the top of the package that are commands, too."""


def imported(file: Path) -> Iterator[str]:
    """Modules of the package that a file imports anywhere in it, without the package's name."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}, line {node.lineno}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name.removeprefix("phalanx.") for name in names if name.startswith("phalanx."))


@pytest.mark.parametrize("layer", BELOW)
def test_lower_layers_know_nothing_of_higher_ones(layer: str) -> None:
    found = {(file.name, name) for file in (PACKAGE / layer).rglob("*.py") for name in imported(file)}
    assert found
    assert not {(file, name) for file, name in found if name.split(".")[0] not in BELOW[layer]}


def test_nothing_needs_the_outermost_layers() -> None:
    for file in PACKAGE.rglob("*.py"):
        path = file.relative_to(PACKAGE)
        if path.parts[0] not in OUTERMOST | COMMANDS:
            found = {name for name in imported(file) if name.split(".")[0] in OUTERMOST}
            assert not found, f"{path} imports {found}"
