"""Isaac Lab's own packages: where they are installed, and which of their modules serve beside the facade's.

The facade has what the engine does: assets, actuators, sensors, simulation, scenes, terrains, markers. Environments,
managers, controllers, devices, tasks and wrappers for trainers are Isaac Lab's own files, unmodified. They come with
its wheel, whose packages lie in ``isaaclab/source/*``, where Python does not find them by itself; or with a checkout of
its repository, which the environment variable ``ISAACLAB_PATH`` names.
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import logging
import os
import re
import sys
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType

from phalanx.ecs.device import cuda_available
from phalanx.facade.once import tell_once

VERSION = "2.3.2"
"""The version of Isaac Lab whose behaviour the facade has."""

REQUIREMENT = "isaaclab==2.3.2.post1"
"""What to give pip."""

REMEDY = f"pip install --no-deps {REQUIREMENT}"
"""How to get it: the wheel has 3 MB; what it asks for besides would replace other packages by older ones."""

WARP = "pip install warp-lang"
"""What brings the package that some of its modules import and the facade does without."""

VARIABLE = "ISAACLAB_PATH"
"""The environment variable that names a checkout instead."""

RUNNERS = "isaaclab_rl.rsl_rl.rl_cfg"
"""The module with configurations of rsl-rl's runners, whose device is ``"cuda:0"``: without a GPU ``"cpu"``."""

PACKAGES = ("isaaclab", "isaaclab_tasks", "isaaclab_rl", "isaaclab_assets", "isaaclab_contrib", "isaaclab_mimic")
"""The packages that it holds."""


@dataclass(frozen=True)
class Source:
    """An installed Isaac Lab.

    Attributes:
        folder: ``source`` of the wheel or the checkout; package ``p`` lies in ``folder/p/p``.
        version: such as ``"2.3.2.post1"``; of a checkout the text of its file ``VERSION``.
    """

    folder: Path
    version: str

    @property
    def is_spoken(self) -> bool:
        """Whether it is of the version that the facade has the behaviour of."""
        return re.match(re.escape(VERSION) + r"(\.post\d+|\.rc\d+|rc\d+)?$", self.version) is not None

    def package(self, name: str) -> Path:
        """The folder of a package, with its ``__init__.py``."""
        return self.folder / name / name


def source() -> Source | None:
    """The installed Isaac Lab, ``None`` if there is none: what ``ISAACLAB_PATH`` names, else the wheel."""
    return _source(os.environ.get(VARIABLE), tuple(sys.path))


@functools.lru_cache(maxsize=4)
def _source(checkout: str | None, paths: tuple[str, ...]) -> Source | None:
    if checkout:
        folder, said = Path(checkout) / "source", Path(checkout) / "VERSION"
        if (folder / "isaaclab" / "isaaclab").is_dir():
            return Source(folder.resolve(), said.read_text().strip() if said.is_file() else "unknown")
        text = (
            f"{VARIABLE}={checkout!r} names no checkout of Isaac Lab, with source/isaaclab below it: it has no effect"
        )
        tell_once(text, logging.WARNING)
    for path in paths:
        folder = Path(path or ".") / "isaaclab" / "source"
        if (folder / "isaaclab" / "isaaclab" / "__init__.py").is_file():
            found = next(iter(importlib.metadata.distributions(name="isaaclab", path=[path or "."])), None)
            return Source(folder.resolve(), "unknown" if found is None else found.version)
    return None


def find(name: str) -> ModuleSpec | None:
    """The spec of one of its modules by its full name, ``"isaaclab.envs.mdp"``; ``None`` if it has none.

    The module is executed under this name; what it imports goes through the facade.
    """
    root, _, rest = name.partition(".")
    found = source() if root in PACKAGES else None
    if found is None:
        return None
    tell_of_another_version()
    if not rest:
        return _package_spec(name, found.package(root))
    *parents, last = rest.split(".")
    spec = PathFinder.find_spec(name, [str(found.package(root).joinpath(*parents))]) if last else None
    if spec is not None and isinstance(spec.loader, SourceFileLoader):
        spec.loader = _Loader(spec.loader.name, spec.loader.path)
    return spec


def tell_of_another_version() -> None:
    """Warn once if the installed Isaac Lab is not of the version that the facade has the behaviour of."""
    found = source()
    if found is not None and not found.is_spoken:
        tell_once(
            f"Isaac Lab {found.version} in {found.folder} is not {VERSION}, whose behaviour Phalanx has: {REMEDY}",
            logging.WARNING,
        )


class _Loader(SourceFileLoader):
    """Loads a module of the wheel into a package that may be the facade's, and so has another name.

    Python finds a module that is still being imported, ``import isaaclab.envs.mdp as mdp`` within ``isaaclab.envs``, as
    an attribute of the package above, or by that package's own name; so the attribute is there from the beginning.

    ``isaaclab.managers`` and ``isaaclab.envs`` import each other, which works only from ``isaaclab.envs`` on: so that
    one is imported first, and brings the other.
    """

    def exec_module(self, module: ModuleType) -> None:
        """Run it."""
        if module.__name__ == "isaaclab.managers" and "isaaclab.envs" not in sys.modules:
            del sys.modules[module.__name__]
            importlib.import_module("isaaclab.envs")  # what it puts into sys.modules is what the import gives
            return
        above, _, own = module.__name__.rpartition(".")
        parent = sys.modules.get(above)
        if parent is not None:
            setattr(parent, own, module)
        try:
            super().exec_module(module)
            if module.__name__ == RUNNERS and not cuda_available():
                # Isaac Lab's scripts take --device for the environment only, and learn on what this says
                module.RslRlBaseRunnerCfg.__dataclass_fields__["device"].default = "cpu"
        except ModuleNotFoundError as error:
            if error.name != "warp" or WARP in str(error):
                raise
            text = f"No module named 'warp', which {module.__name__} of Isaac Lab imports: {WARP} brings it"
            raise ModuleNotFoundError(text, name="warp") from error


def _package_spec(name: str, folder: Path) -> ModuleSpec | None:
    file = folder / "__init__.py"
    if not file.is_file():
        return None
    return importlib.util.spec_from_file_location(name, file, submodule_search_locations=[str(folder)])


def missing(name: str) -> str:
    """One sentence on why a module of these packages is not there, and what to do."""
    found = source()
    if found is None:
        return f"it comes with Isaac Lab's wheel, which is not installed: {REMEDY}"
    return f"Isaac Lab {found.version} in {found.folder} has no such module"


__all__ = [
    "PACKAGES",
    "REMEDY",
    "REQUIREMENT",
    "VARIABLE",
    "VERSION",
    "Source",
    "find",
    "missing",
    "source",
    "tell_of_another_version",
]
