"""Prints what the layout of the package is like, in figures, for one or more checkouts side by side.

    git worktree add build/before d96782f
    python docs/architecture_figures.py build/before .

Circles, arrows and private names are found by ``tests/layers.py`` of this checkout. An import of or by a file that is
in none of today's rooms counts as one against their order.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
EARLY = ("isaaclab", "isaaclab_contrib", "physx", "visible")
"""Folders of the facade that imitate Isaac Lab; others follow Isaac Sim and Omniverse, or are shared by all."""

BASES = """
import importlib, phalanx
for module in ("phalanx.world.handles.robot", "phalanx.robot"):
    try:
        robot = importlib.import_module(module).Robot
        break
    except ModuleNotFoundError:
        continue
for each in (robot, phalanx.World):
    print(len(each.__bases__), len(each.__mro__) - 2)
"""


def layers(package: Path) -> ModuleType:
    """The module that knows the rooms, told of a package."""
    spec = importlib.util.spec_from_file_location("layers", ROOT / "tests" / "layers.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    setattr(made, "PACKAGE", package)  # noqa: B010
    return made


def lines(folder: Path) -> int:
    """Lines of all its Python files."""
    return sum(len(path.read_text().splitlines()) for path in folder.rglob("*.py"))


def text_lines(folder: Path) -> tuple[int, int]:
    """Lines of docstrings and of strings that stand alone, and empty lines."""
    texts = blank = 0
    for path in folder.rglob("*.py"):
        text = path.read_text()
        blank += sum(not line.strip() for line in text.splitlines())
        for node in ast.walk(ast.parse(text)):
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                texts += (node.end_lineno or node.lineno) - node.lineno + 1
    return texts, blank


def uses(package: Path, pattern: str) -> int:
    """How often a pattern occurs outside of ``world/``."""
    found = (path for path in package.rglob("*.py") if path.relative_to(package).parts[0] != "world")
    return sum(len(re.findall(pattern, path.read_text())) for path in found)


def figures(tree: Path, first: Path) -> Iterator[tuple[str, int]]:
    """Name and value of each figure of a checkout, beside the first of them."""
    package = tree / "phalanx"
    rooms = layers(package)
    circular = set(rooms._within_circles(rooms.imports()))
    outside = {pair for pair in circular if not all(file.startswith("facade/") for file in pair)}
    yield "Python files", len(list(package.rglob("*.py")))
    yield "lines", lines(package)
    yield "loose modules in phalanx/", len(rooms.loose())
    yield "imports that are part of a circle of files", len(circular)
    yield "the same, not within the facade", len(outside)
    yield "files in circles, not within the facade", len({file for pair in outside for file in pair})
    yield "imports against the order of rooms", len(rooms.upward())
    yield "uses of world._device and world._store outside of world/", uses(package, r"\bworld\._(?:device|store)\b")
    yield "uses of any private name of a world outside of world/", uses(package, r"\b(?:world|engine)\._[a-z]\w*")
    yield (
        "casts to World",
        uses(package, r'cast\("World"')
        + sum(path.read_text().count('cast("World"') for path in (package / "world").rglob("*.py")),
    )
    python = "import sys; sys.path.insert(0, sys.argv[1])" + BASES
    done = subprocess.run([sys.executable, "-c", python, str(tree)], capture_output=True, text=True, check=True)
    numbers = [int(word) for word in done.stdout.split()]
    names = ("direct bases of Robot", "bases of Robot in all", "direct bases of World", "bases of World in all")
    yield from zip(names, numbers, strict=True)
    facade = package / "facade"
    texts, blank = text_lines(facade)
    yield "lines of the facade", lines(facade)
    yield "of them docstrings", texts
    yield "of them empty", blank
    known = {path.relative_to(first) for path in (first / "phalanx" / "facade").rglob("*.py")}
    both = [tree / path for path in known if (tree / path).exists()]
    yield "of them in files that the first checkout has, too", sum(len(p.read_text().splitlines()) for p in both)
    yield "lines of what imitates Isaac Lab", sum(lines(facade / name) for name in EARLY)
    yield "lines of isaacsim, omni, carb and pxr", sum(lines(facade / n) for n in ("isaacsim", "omni", "carb", "pxr"))
    yield (
        "public modules of the facade",
        sum(
            not any(part.startswith("_") and part != "__init__.py" for part in path.relative_to(facade).parts)
            for name in ("isaaclab", "isaacsim", "omni", "carb", "pxr")
            for path in (facade / name).rglob("*.py")
        ),
    )


def main(trees: list[str]) -> None:
    """Print a table with a column for each checkout."""
    trees = trees or [str(ROOT)]
    folders = [Path(tree).resolve() for tree in trees]
    columns = [list(figures(folder, folders[0])) for folder in folders]
    print("| | " + " | ".join(trees) + " |")
    print("|---" * (1 + len(columns)) + "|")
    for rows in zip(*columns, strict=True):
        print(f"| {rows[0][0]} | " + " | ".join(f"{value:,}" for _, value in rows) + " |")


if __name__ == "__main__":
    main(sys.argv[1:])
