"""The facade's modules under the names that scripts import: the very same module objects, found on import."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

ROOTS = ("isaaclab", "isaaclab_contrib", "isaacsim", "omni", "carb")
"""Packages whose names :func:`install` serves."""

SAME = {
    "omni.isaac.lab": "isaaclab",
    "omni.isaac.lab_contrib": "isaaclab_contrib",
    "omni.isaac.core.utils": "isaacsim.core.utils",
}
"""Packages that older scripts know by another name."""

_HERE = "phalanx.facade"


def _real_name(name: str) -> str:
    """The module that a name without the facade's prefix stands for: ``"phalanx.facade.isaaclab.utils"``."""
    for old, new in SAME.items():
        if name == old or name.startswith(f"{old}."):
            name = new + name[len(old) :]
    return f"{_HERE}.{name}"


class _Same(Loader):
    """Loads a module by another one's name."""

    def __init__(self, real: str) -> None:
        self._real = real

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module itself."""
        module = importlib.import_module(self._real)
        # The import system is about to give it this loader's spec.
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own spec back; it has been executed."""
        module.__spec__ = self._spec


class _Names(MetaPathFinder):
    """Finds modules below some names; what of them is not there is told."""

    def __init__(self, prefix: str, roots: Sequence[str]) -> None:
        self._prefix, self._roots = prefix, tuple(roots)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module that stands for another; ``None`` for names that are none of these.

        Raises:
            ModuleNotFoundError: the name is one of these, and there is no such module.
        """
        if not fullname.startswith(self._prefix):
            return None
        name = fullname[len(self._prefix) :]
        if not any(name == root or name.startswith(f"{root}.") for root in self._roots):
            return None
        real = _real_name(name)
        found = self._find(real) if real != fullname else None
        if found is None:
            raise ModuleNotFoundError(
                f"No module named {fullname!r}: Phalanx's facade has no {real!r} yet "
                "(docs/decisions/0019-facade.md lists what there is)",
                name=fullname,
            )
        is_package = found.submodule_search_locations is not None
        return ModuleSpec(fullname, _Same(real), origin=found.origin, is_package=is_package)

    @staticmethod
    def _find(real: str) -> ModuleSpec | None:
        try:
            return importlib.util.find_spec(real)
        except ModuleNotFoundError as error:
            if error.name is not None and (real == error.name or real.startswith(f"{error.name}.")):
                return None
            raise  # something that the module imports is missing


def serve_old_names() -> None:
    """Let ``phalanx.facade.omni.isaac.lab`` be ``phalanx.facade.isaaclab``, and so on."""
    _put_first(_Names(f"{_HERE}.", tuple(SAME)))


def install() -> None:
    """Let scripts import the facade by the names that they know: ``import isaaclab.utils.math``.

    Afterwards ``isaaclab``, ``isaaclab_contrib``, ``isaacsim``, ``omni`` and ``carb`` are the facade's in this process,
    and ``omni.isaac.lab`` is ``isaaclab``: modules under all their names are the same objects. Installed packages of
    these names are hidden. What does not exist yet is told by ``ModuleNotFoundError``. Once is enough, twice does no
    harm.

    Raises:
        RuntimeError: another package of one of these names has already been imported.
    """
    for root in ROOTS:
        module = sys.modules.get(root)
        if module is not None and module.__name__ != f"{_HERE}.{root}":
            where = getattr(module, "__file__", None) or "a namespace package"
            raise RuntimeError(
                f"{root!r} has already been imported, from {where}: "
                "call phalanx.facade.install() before any import of it"
            )
    _put_first(_Names("", ROOTS))


def _put_first(finder: _Names) -> None:
    """Ask a finder before all others, once."""
    if not any(isinstance(f, _Names) and f.__dict__ == finder.__dict__ for f in sys.meta_path):
        sys.meta_path.insert(0, finder)
