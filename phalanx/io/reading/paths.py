"""Finds the files that a robot file refers to, and only inside folders that its user named.

Allowed are: the robot file's own folder; the package around it (the nearest parent folder with a
``package.xml``, a parent folder that bears the package's name, or, for a file in a folder called
``urdf``, that folder's parent); the folders in ``package_dirs``; and those in ``ROS_PACKAGE_PATH``.
Symbolic links are followed before the check, so a link cannot lead out either.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

from phalanx.io.reading.errors import LoadError
from phalanx.io.reading.xmltree import Element, parse_xml


class FileFinder:
    """Resolves the file names in one robot file."""

    def __init__(self, robot_file: str | Path, package_dirs: Iterable[str | Path] = ()) -> None:
        if isinstance(package_dirs, str | Path):
            package_dirs = (package_dirs,)
        self.folder = _real(robot_file).parent
        self.named = [_real(os.path.expanduser(folder)) for folder in package_dirs]
        ros = os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)
        self.named += [_real(folder) for folder in ros if folder]
        package = next((p for p in (self.folder, *self.folder.parents) if (p / "package.xml").is_file()), None)
        if package is None and self.folder.name == "urdf":
            package = self.folder.parent
        self.allowed = [self.folder, *([package] if package else []), *self.named]

    def resolve(self, name: str, element: Element) -> Path:
        """The existing, allowed file behind ``name``: a relative or absolute path, ``package://`` or ``file://``.

        Raises :class:`~phalanx.io.reading.errors.LoadError` about ``element`` otherwise.
        """
        scheme, found, rest = name.partition("://")
        if not found:
            candidates, allowed = [self.folder / name, *(root / name for root in self.named)], self.allowed
        elif scheme == "file":
            candidates, allowed = [Path(unquote(rest))], self.allowed
        elif scheme == "package":
            candidates, allowed = self._package(rest.lstrip("/"), name, element)
        else:
            raise element.error(f'"{name}" is neither a path nor a package:// address; download it and give its path.')
        real = [_real(candidate) for candidate in candidates]
        inside = [path for path in real if any(path.is_relative_to(root) for root in allowed)]
        for path in inside:
            if os.path.isfile(path):
                return path
        if not inside:
            raise element.error(
                f'"{name}" leads to {real[0]}, outside the folders allowed for this file ({_list(allowed)}); '
                "move it there or add its folder to package_dirs."
            )
        raise element.error(f'the file "{name}" is missing; looked for {_list(inside)}.')

    def _package(self, address: str, name: str, element: Element) -> tuple[list[Path], list[Path]]:
        """Candidates for ``package://address`` and the folders they must stay in."""
        package, _, rest = address.partition("/")
        if package in ("", ".", ".."):
            raise element.error(f'"{name}" names no package; write package://PACKAGE/path/in/it.')
        around = [p for p in (self.folder, *self.folder.parents) if p.name == package or _package_name(p) == package]
        candidates = [root / rest for root in around]
        for root in self.named:
            candidates += [root / package / rest, root / rest]
        if not candidates:
            raise element.error(
                f'the package "{package}" of "{name}" is not around this file; '
                f'give the folder that contains "{package}" in package_dirs or ROS_PACKAGE_PATH.'
            )
        return candidates, [*around, *self.allowed]


def _real(path: str | Path) -> Path:
    return Path(os.path.realpath(path))


def _list(paths: Iterable[Path]) -> str:
    return ", ".join(dict.fromkeys(str(path) for path in paths))


def _package_name(folder: Path) -> str:
    """The name that a ROS package manifest in ``folder`` declares, or nothing."""
    manifest = folder / "package.xml"
    if not manifest.is_file():
        return ""
    try:
        name = parse_xml(manifest).find("name")
    except LoadError:  # somebody else's broken manifest names no package
        return ""
    return name.text.strip() if name else ""
