"""The facade's modules under the names that scripts import: the very same module objects, found on import."""

from __future__ import annotations

import builtins
import importlib
import importlib.util
import sys
from collections.abc import Iterable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from phalanx.facade import unbuilt, wheel

ROOTS = ("isaaclab", "isaaclab_contrib", "isaacsim", "omni", "carb", "usd")
"""Packages of the facade whose names :func:`install` serves."""

BESIDE = ("pxr.PhysicsSchemaTools", "pxr.PhysxSchema", "pxr.Semantics")
"""Modules of the facade in packages that are others' own."""

_API = (
    "controllers",
    "loggers",
    "materials",
    "objects",
    "physics_context",
    "robots",
    "scenes",
    "simulation_context",
    "tasks",
    "world",
)

_ROBOTS = (
    "agility", "allegro", "ant", "anymal", "cart_double_pendulum", "cartpole", "cassie", "fourier", "franka",
    "humanoid", "humanoid_28", "kinova", "quadcopter", "ridgeback_franka", "sawyer", "shadow_hand", "spot", "unitree",
    "universal_robots",
)  # fmt: skip

SAME = {
    "omni.isaac.lab": "isaaclab",
    "omni.isaac.lab_assets": "isaaclab_assets",
    **{f"omni.isaac.lab_assets.{name}": f"isaaclab_assets.robots.{name}" for name in _ROBOTS},
    "omni.isaac.lab_contrib": "isaaclab_contrib",
    "omni.isaac.lab_tasks.utils.wrappers": "isaaclab_rl",  # Isaac Lab 1, and 2.0
    "isaaclab_tasks.utils.wrappers": "isaaclab_rl",
    "omni.isaac.lab_tasks": "isaaclab_tasks",
    "isaaclab.utils.pretrained_checkpoint": "isaaclab_rl.utils.pretrained_checkpoint",  # Isaac Lab up to 2.3.0
    "omni.isaac.lab.utils.pretrained_checkpoint": "isaaclab_rl.utils.pretrained_checkpoint",
    "omni.isaac.cloner": "isaacsim.core.cloner",
    "omni.isaac.wheeled_robots": "isaacsim.robot.wheeled_robots",
    "omni.isaac.manipulators": "isaacsim.robot.manipulators",
    "omni.isaac.range_sensor": "isaacsim.sensors.physx",
    "omni.isaac.franka": "isaacsim.robot.manipulators.examples.franka",
    "omni.isaac.universal_robots": "isaacsim.robot.manipulators.examples.universal_robots",
    "omni.isaac.motion_generation": "isaacsim.robot_motion.motion_generation",
    **{f"omni.isaac.core.{name}": f"isaacsim.core.api.{name}" for name in _API},
    "omni.isaac.core.utils": "isaacsim.core.utils",
    "omni.isaac.kit": "isaacsim.simulation_app",
    "omni.isaac.version": "isaacsim.core.version",
    "omni.isaac.urdf": "isaacsim.asset.importer.urdf",
    "omni.isaac.mjcf": "isaacsim.asset.importer.mjcf",
    "omni.importer": "isaacsim.asset.importer",
    "Semantics": "pxr.Semantics",
}
"""Packages and modules that older scripts know by another name; of two that fit, the longer one counts."""

OURS = tuple(
    f"isaaclab.{name}" for name in ("actuators", "app", "assets", "markers", "scene", "sensors", "sim", "terrains")
) + ("isaaclab_contrib.actuators", "isaaclab_contrib.assets")
"""Packages that are the facade's alone: Isaac Lab's own modules of these need Omniverse."""

FLAGS = {"ISAAC_LAUNCHED_FROM_TERMINAL": False, "ISAACLAB_CALLBACK_EXCEPTION": None}
"""What Isaac Lab's launcher puts among Python's built-in names, and its environments look for there."""

_HERE = "phalanx.facade"


def _within(name: str, packages: Iterable[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def _present_name(name: str) -> str:
    """The name of today for a name without the facade's prefix: ``isaaclab.utils`` for ``omni.isaac.lab.utils``."""
    old = max((old for old in SAME if _within(name, [old])), key=len, default=None)
    return name if old is None else SAME[old] + name[len(old) :]


class _Same(Loader):
    """Loads a module by another one's name."""

    def __init__(self, real: str) -> None:
        self._real = real

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module itself."""
        module = importlib.import_module(self._real)
        # The import system is about to give it this loader's spec.
        self._spec = module.__spec__
        # It would also put a module that is imported later by this name over a function of the same name in the
        # package: isaaclab.utils.configclass. What the package has imported is known by both names from now on.
        for name, below in list(sys.modules.items()):
            if name.startswith(f"{self._real}."):
                sys.modules.setdefault(spec.name + name[len(self._real) :], below)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own spec back; it has been executed."""
        module.__spec__ = self._spec


class _Names(MetaPathFinder):
    """Finds modules below some names; what of them is not there is told."""

    def __init__(self, prefix: str, roots: Iterable[str]) -> None:
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
        if not _within(name, self._roots):
            return None
        name = _present_name(name)
        real = f"{_HERE}.{name}"
        found = self._find(real) if real != fullname and _within(name, (*ROOTS, *BESIDE)) else None
        if found is None and not _within(name, OURS):
            real, found = name, wheel.find(name)
            if real == fullname and found is not None:
                return found
        if found is None:
            raise ModuleNotFoundError(f"No module named {fullname!r}: {_why_not(name)}", name=fullname)
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


def _why_not(name: str) -> str:
    """What to say of a module that is nowhere."""
    if why := unbuilt.why_not(name):
        return f"{why} (see docs/isaacsim.md)"
    page = "isaacsim.md" if _within(name, ("isaacsim",)) else "isaaclab.md"
    known = f"Phalanx's facade has no '{_HERE}.{name}' yet (docs/{page} lists what there is)"
    if not _within(name, wheel.PACKAGES) or _within(name, OURS):
        return known
    return wheel.missing(name) if wheel.source() is None or not _within(name, ROOTS) else known


def serve_old_names() -> None:
    """Let ``phalanx.facade.omni.isaac.lab`` be ``phalanx.facade.isaaclab``, and so on."""
    _put_first(_Names(f"{_HERE}.", tuple(SAME)))


def install() -> None:
    """Let scripts import the facade by the names that they know: ``import isaaclab.utils.math``.

    Afterwards ``isaaclab``, ``isaaclab_contrib``, ``isaacsim``, ``omni`` and ``carb`` are the facade's in this process,
    and ``omni.isaac.lab`` is ``isaaclab``: modules under all their names are the same objects. Other installed packages
    of these names are hidden, but what the facade leaves to Isaac Lab's own files, environments, managers and tasks
    among them, comes from its wheel if that is installed (:mod:`phalanx.facade.wheel`). What does not exist is told by
    ``ModuleNotFoundError``. Once is enough, twice does no harm.

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
    _put_first(_Names("", dict.fromkeys((*ROOTS, *BESIDE, *wheel.PACKAGES, "Semantics"))))
    for name, value in FLAGS.items():
        if not hasattr(builtins, name):
            setattr(builtins, name, value)


def _put_first(finder: _Names) -> None:
    """Ask a finder before all others, once."""
    if not any(isinstance(f, _Names) and f.__dict__ == finder.__dict__ for f in sys.meta_path):
        sys.meta_path.insert(0, finder)
