"""The rooms of the package, which files import which, and what of that goes against the order of the rooms.

``python tests/layers.py`` prints how many arrows, circles and reaches are still allowed; ``--prune`` takes those out of
``layers_allowed.py`` that the code no longer has. Nothing ever puts one in.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "phalanx"
ALLOWED = Path(__file__).with_name("layers_allowed.py")

ROOMS = (
    "_ctrl_c",
    "_version",
    "ecs",
    "maths",
    "components",
    "io/__init__",
    "io/reading",
    "models",
    "systems",
    "io/formats",
    "rays",
    "world",
    "sensors",
    "images",
    "io/recordings",
    "io/exports",
    "viewer",
    "__init__",  # what users import: the package itself
    "assets",  # files of robots
    "learn",
    "facade",
    "bench",
    "farm",
    "commands",
    "train",  # what torchrun starts
    "__main__",
)
"""From the bottom to the top: a file imports its own room, or rooms that come before it in this list."""

LOOSE = {"__init__.py", "__main__.py", "_ctrl_c.py", "_version.py", "train.py"}
"""The only files that lie in the package's folder itself."""

OF_WORLD = re.compile(r"\b_?(?:world|engine)\s*\.\s*_[a-z]")
"""What a file has that uses a private name of a world."""

Graph = dict[str, set[str]]
"""For each file, by its path in the package without ``.py``, the files that it imports."""


@cache
def imports() -> Graph:
    """Which file imports which; imports within functions and for type checkers count."""
    files = {_name(path): path for path in PACKAGE.rglob("*.py")}
    return {name: {other for other in _imported(path, files) if other != name} for name, path in files.items()}


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Statements of a tree, at any depth; what they consist of is not looked at."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, part, ()):
            yield inner
            yield from _statements(inner)


def _name(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").as_posix()


def _imported(path: Path, files: Mapping[str, Path]) -> Iterator[str]:
    def found(module: str) -> str | None:
        own = "/".join(module.split(".")[1:])
        return (
            own if own in files else f"{own}/__init__".lstrip("/") if f"{own}/__init__".lstrip("/") in files else None
        )

    for node in _statements(_tree(path)):
        if isinstance(node, ast.Import):
            names = [(alias.name, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}, line {node.lineno}: relative import"
            names = [(f"{node.module}.{alias.name}", str(node.module)) for alias in node.names]
        else:
            continue
        for full, module in names:
            if module.split(".")[0] == "phalanx":
                target = found(full) or found(module)
                if target is not None:
                    yield target


def room(file: str) -> str | None:
    """The room that a file is in."""
    inside = [name for name in ROOMS if file == name or file.startswith(f"{name}/")]
    return max(inside, key=len, default=None)


def upward() -> set[str]:
    """Imports of a room that comes later, ``file -> file``."""
    found = set()
    for file, others in imports().items():
        for other in others:
            own, theirs = room(file), room(other)
            if own is None or theirs is None or ROOMS.index(theirs) > ROOMS.index(own):
                found.add(f"{file} -> {other}")
    return found


def circular() -> set[str]:
    """Imports that are part of a circle of files, or of a circle of folders or files side by side in one folder."""
    graph = imports()
    found = {f"{a} -> {b}" for a, b in _within_circles(graph)}
    folders = {"/".join(file.split("/")[:depth]) for file in graph for depth in range(1, file.count("/") + 1)}
    for folder in folders:
        if folder.split("/")[0] == "facade" or folder == "io":
            continue  # its folders are as other packages have them; rooms of io/ stand on different floors
        inside: dict[str, set[str]] = {}
        behind: dict[tuple[str, str], set[str]] = {}
        for file, others in graph.items():
            for other in others:
                if file.startswith(f"{folder}/") and other.startswith(f"{folder}/"):
                    pair = tuple(path.removeprefix(f"{folder}/").split("/")[0] for path in (file, other))
                    if pair[0] != pair[1]:
                        inside.setdefault(pair[0], set()).add(pair[1])
                        behind.setdefault((pair[0], pair[1]), set()).add(f"{file} -> {other}")
        for pair in _within_circles(inside):
            found |= behind[pair]
    return found


def _within_circles(graph: Mapping[str, Iterable[str]]) -> Iterator[tuple[str, str]]:
    """Arrows between nodes that can reach each other."""
    circle = {node: number for number, nodes in enumerate(_components(graph)) for node in nodes}
    for node, others in graph.items():
        for other in others:
            if circle[node] == circle[other]:
                yield node, other


def _components(graph: Mapping[str, Iterable[str]]) -> Iterator[list[str]]:
    """Strongly connected components (Tarjan, SIAM J. Comput. 1, 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    held: set[str] = set()
    work: list[tuple[str, Iterator[str]]] = []

    def enter(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        held.add(node)
        work.append((node, iter(graph.get(node, ()))))

    for root in graph:
        if root in index:
            continue
        enter(root)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in index:
                    enter(other)
                    break
                if other in held:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    found = []
                    while not found or found[-1] != node:
                        found.append(stack.pop())
                        held.discard(found[-1])
                    yield found


def reaches() -> set[str]:
    """Private names of a world that files outside of its room use, ``file: world._name``."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        file = _name(path)
        if room(file) == "world" or not OF_WORLD.search(path.read_text()):
            continue
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
                owner = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
                if owner.lstrip("_") in ("world", "engine"):
                    found.add(f"{file}: {owner.lstrip('_')}.{node.attr}")
    return found


def loose() -> set[str]:
    """Files in the package's own folder that belong into a room."""
    return {path.name for path in PACKAGE.glob("*.py")} - LOOSE


QUESTIONS = {"UPWARD": upward, "CIRCULAR": circular, "REACHES": reaches, "LOOSE": loose}


def allowed() -> dict[str, set[str]]:
    """What ``layers_allowed.py`` still allows, by question."""
    names: dict[str, set[str]] = {}
    for node in ast.parse(ALLOWED.read_text()).body:
        if isinstance(node, ast.Assign):
            names[ast.unparse(node.targets[0])] = set(ast.literal_eval(node.value))
    return names


def write(found: Mapping[str, Iterable[str]]) -> None:
    """Write ``layers_allowed.py``."""
    lines = ["# ruff: noqa: E501"]
    lines += [
        '"""What still goes against the order of the rooms, see ``layers.py``. These lists only ever shrink."""\n'
    ]
    for name, entries in found.items():
        lines += [f"\n{name} = [", *(f'    "{entry}",' for entry in sorted(entries)), "]"]
    ALLOWED.write_text("\n".join(lines).replace(" = [\n]", " = []") + "\n")


if __name__ == "__main__":
    permitted = allowed()
    if "--prune" in sys.argv:
        permitted = {name: permitted[name] & question() for name, question in QUESTIONS.items()}
        write(permitted)
    for name, question in QUESTIONS.items():
        print(f"{name.lower():9} {len(question()):4} found, {len(permitted[name]):4} allowed")
