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

CODE = re.compile(r"^<!-- code: (\S+) -->$", re.MULTILINE)
"""A line of a page that stands for a program of the repository, which the page links to besides."""

LINK = re.compile(r"(\]\()([^)#\s]+)(#[^)\s]*)?(\))")


def on_files(files: Files, config: Any) -> Files:
    """Add the texts above, and all that pages link to outside of the folder."""
    texts = {page: (ROOT / source).read_text() for source, page in PAGES.items()}
    for page, text in texts.items():
        files.append(File.generated(config, page, content=text))
    wanted: set[str] = set()
    for file in files.documentation_pages():
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
