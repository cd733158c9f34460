"""Makes pages of this folder a site: the README becomes its front page, and links out of this folder are followed.

mkdocs calls the functions that begin with ``on_``, see ``mkdocs.yml``. Pages link to other files of the repository as
they do on any host of it, ``../examples/lidar.py``, say. A site has only what is in its folder; so these files are
brought in: texts as pages, programs as they are, folders as lists of what is in them.
"""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"

PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "benchmarks/README.md": "benchmarks.md",
}
"""Texts outside of the folder, and what they are in the site."""

ARRAYS = "arrays.md"
"""The page of what systems read and write; made here from the declarations."""

CODE = re.compile(r"^<!-- code: (\S+) -->$", re.MULTILINE)
"""A line of a page that stands for a program of the repository, which the page links to besides."""

ARRAYS_TEXT = """# Arrays of systems

What systems read and write, see `phalanx/components/`. An array has an item of the shape below for each row of
its table in each environment; environments are the last axis, so neighbours in memory. A system over a table
gets a row and an environment and writes `field[row, environment]`, for vectors `field[row, 0, environment]` to
`field[row, 2, environment]`. `world.live(field)` and `world[Component].field` are these arrays.

`real` is the world's `dtype`. State continues a simulation and is saved; inputs are what users set between
steps, saved and recorded; parameters are the model, saved; what is derived is computed anew. Shared: one value
for all environments (the last axis is 1) until one is given its own; constant: for ever. Private: it means
something only while a system goes through one environment.

Vectors are in world axes. Velocities, forces and inertias of a link or dof are about the origin of its own
link. Positions in a tree are offsets from its root link, others are relative to the environment's origin.
"""

LINK = re.compile(r"(\]\()([^)#\s]+)(#[^)\s]*)?(\))")


def on_files(files: Files, config: Any) -> Files:
    """Add the texts above, and all that pages link to outside of the folder."""
    texts = {page: (ROOT / source).read_text() for source, page in PAGES.items()}
    for page, text in texts.items():
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, ARRAYS, content=_arrays()))
    wanted: set[str] = set()
    for file in files.documentation_pages():
        if file.src_uri == ARRAYS:
            continue
        text = texts.get(file.src_uri) or (DOCS / file.src_uri).read_text()
        wanted |= {target for target in _targets(text, file.src_uri) if not _in_site(target)}
    for target in sorted(wanted):
        if (ROOT / target).is_dir():
            files.append(File.generated(config, f"files/{target}.md", content=_listing(target)))
        else:
            files.append(File.generated(config, f"files/{target}", abs_src_path=str(ROOT / target)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Let links point to where files are in the site, and show programs that pages name."""
    here = page.file.src_uri
    if here == "reference.md":
        markdown += _rest(markdown)

    def moved(match: re.Match[str]) -> str:
        before, target, anchor, after = match.groups()
        found = _resolved(target, here)
        if found is None:
            return match[0]
        place = os.path.relpath(_place(found), PurePosixPath(here).parent)
        return f"{before}{place}{anchor or ''}{after}"

    return CODE.sub(lambda match: f"```python\n{(ROOT / match[1]).read_text()}```", LINK.sub(moved, markdown))


def _rest(reference: str) -> str:
    """Entries of public symbols that the reference does not have in one of its chapters."""
    listed = set(re.findall(r"^::: phalanx\.(\w+)$", reference, re.MULTILINE))
    tree = ast.parse((ROOT / "phalanx" / "__init__.py").read_text())
    (names,) = (ast.literal_eval(s.value) for s in tree.body if isinstance(s, ast.Assign) and _is_all(s))
    missing = [name for name in names if name not in listed]
    return "\n## More\n\n" + "\n\n".join(f"::: phalanx.{name}" for name in missing) + "\n" if missing else ""


def _arrays() -> str:
    """Every array of the engine, by tables, with shape, type, role, unit and meaning."""
    from phalanx import components
    from phalanx.ecs import Component

    tables: dict[str, list[type[Component]]] = {}
    for thing in vars(components).values():
        if isinstance(thing, type) and issubclass(thing, Component) and thing is not Component:
            tables.setdefault(thing.table.name, []).append(thing)
    lines = [ARRAYS_TEXT]
    for table, found in sorted(tables.items()):
        lines.append(f"\n## {table[:1].upper()}{table[1:]}\n\nRows: {_cell(found[0].table.doc)}.\n")
        for component in found:
            about = _cell((component.__doc__ or "").strip().splitlines()[0])
            lines += [f"\n### {component.__name__}\n\n{about}\n", "| field | shape | type | role | unit | what |"]
            lines.append("|---|---|---|---|---|---|")
            for field in component.fields():
                shape = ", ".join(["1" if field.private else "rows", *map(str, field.shape), "environments"])
                role = f"{field.role}, {'constant' if field.constant else 'shared'}" if field.shared else field.role
                role = "private" if field.private else role
                cells = (f"`{field.name}`", f"({shape})", field.dtype, role, field.unit, field.doc)
                lines.append(f"| {' | '.join(map(_cell, cells))} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """A text as a table's cell shows it."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def _is_all(statement: ast.Assign) -> bool:
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in statement.targets)


def _targets(text: str, here: str) -> set[str]:
    """Files of the repository that a page links to."""
    found = {_resolved(match[2], here) for match in LINK.finditer(text)}
    return {target for target in found if target is not None}


def _resolved(target: str, here: str) -> str | None:
    """The path in the repository that a link of a page means; ``None`` if it means none."""
    if re.match(r"[a-z]+:", target):
        return None
    source = next((source for source, page in PAGES.items() if page == here), f"docs/{here}")
    found = (ROOT / source).parent.joinpath(target).resolve()
    return found.relative_to(ROOT).as_posix() if found.is_relative_to(ROOT) and found.exists() else None


def _in_site(target: str) -> bool:
    return target in PAGES or (target.startswith("docs/") and not target.endswith(".py") and (ROOT / target).is_file())


def _place(target: str) -> str:
    """Where a file of the repository is in the site."""
    if target in PAGES:
        return PAGES[target]
    if _in_site(target):
        return target.removeprefix("docs/")
    return f"files/{target}.md" if (ROOT / target).is_dir() else f"files/{target}"


def _listing(folder: str) -> str:
    """A page that lists the files of a folder."""
    names = sorted(p.name for p in (ROOT / folder).iterdir() if p.suffix in (".py", ".md", ".json", ".urdf"))
    return f"# {folder}\n\n" + "\n".join(f"- `{name}`" for name in names) + "\n"
