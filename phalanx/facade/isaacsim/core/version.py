"""What scripts import as ``isaacsim.core.version``: the version of Isaac Sim whose behaviour the facade has."""

from __future__ import annotations

from dataclasses import dataclass

VERSION = "5.1.0"


@dataclass
class Version:
    """The parts of a version ``core-pretag.prebuild+buildtag``, each as text; empty where there is none."""

    core: str = ""
    prerelease: str = ""
    major: str = ""
    minor: str = ""
    patch: str = ""
    pretag: str = ""
    prebuild: str = ""
    buildtag: str = ""


def parse_version(full_version: str) -> Version:
    """The parts of a version.

    Raises:
        ValueError: it is not of the form ``1.2.3``, ``1.2.3-rc.4`` or ``1.2.3-rc.4+tag``.
    """
    rest, _, buildtag = full_version.partition("+")
    core, _, prerelease = rest.partition("-")
    major, _, others = core.partition(".")
    minor, _, patch = others.partition(".")
    if not patch:
        raise ValueError(f"version {full_version!r} must begin with three numbers, such as 5.1.0")
    pretag, _, prebuild = prerelease.partition(".")
    return Version(core, prerelease, major, minor, patch, pretag, prebuild, buildtag)


def get_version() -> tuple[str, str, str, str, str, str, str, str]:
    """The parts of :data:`VERSION` in the order of :class:`Version`."""
    found = parse_version(VERSION)
    return (
        found.core,
        found.prerelease,
        found.major,
        found.minor,
        found.patch,
        found.pretag,
        found.prebuild,
        found.buildtag,
    )


__all__ = ["Version", "get_version", "parse_version"]
