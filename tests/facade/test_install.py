"""Scripts import the facade by the names that they know, in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import phalanx
from phalanx import facade
from phalanx.facade import unbuilt

ROOT = str(Path(phalanx.__file__).parents[1])


def run(program: str, cwd: Path | None = None) -> list[str]:
    """The lines that a program prints."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.append({ROOT!r})\n{program}"],
        capture_output=True, text=True, cwd=cwd, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_modules_are_the_same_under_all_their_names():
    lines = run("""
import phalanx.facade
phalanx.facade.install()
phalanx.facade.install()
import isaaclab.utils.math as m
import phalanx.facade.isaaclab.utils.math as real
print(m is real, m.__name__, m.__spec__.name)
import omni.isaac.lab.utils.math as old
print(old is real)
from isaaclab.utils import configclass, math
from isaaclab.utils.configclass import configclass as other
print(configclass is other, math is real)
import omni.isaac.lab.actuators, isaaclab.actuators.actuator_cfg, phalanx.facade.omni.isaac.lab.actuators as third
from isaaclab.actuators import DCMotorCfg
print(omni.isaac.lab.actuators is third, third.DCMotorCfg is DCMotorCfg, isaaclab.actuators is third)
import importlib, importlib.util
print(importlib.import_module("isaaclab.utils.string") is isaaclab.utils.string)
print(importlib.util.find_spec("isaaclab.utils.noise") is not None, sum("_Names" in str(f) for f in sys.meta_path))
import isaaclab
print(isaaclab.__path__ == importlib.reload(isaaclab).__path__)
""")
    assert lines == [
        "True phalanx.facade.isaaclab.utils.math phalanx.facade.isaaclab.utils.math",
        "True", "True True", "True True True", "True", "True 2", "True",
    ]  # fmt: skip


def test_importers_have_the_names_of_older_isaac_sims():
    pytest.importorskip("pxr", reason="usd-core is not installed (pip install usd-core)")
    lines = run("""
import phalanx.facade
phalanx.facade.install()
from omni.isaac.urdf import _urdf as first
from omni.importer.urdf import _urdf as second
import isaacsim.asset.importer.urdf._urdf as now, isaacsim.asset.importer.mjcf._mjcf as mjcf
from omni.importer.mjcf import _mjcf
print(first is second is now, _mjcf is mjcf)
""")
    assert lines == ["True True"]


def test_a_module_does_not_hide_a_function_of_its_name():
    """``isaaclab.utils.configclass`` is both."""
    lines = run("""
import phalanx.facade
phalanx.facade.install()
from isaaclab.utils.configclass import configclass as first
from isaaclab.utils import configclass as second
import isaaclab.utils.configclass
from omni.isaac.lab.utils.configclass import configclass as third
from omni.isaac.lab.utils import configclass as fourth
print(first is second is third is fourth, isaaclab.utils.configclass is first)
""")
    assert lines == ["True True"]


def test_wrench_composers_may_be_imported_first():
    program = """
import phalanx.facade
phalanx.facade.install()
from isaaclab.utils.wrench_composer import WrenchComposer
print(WrenchComposer.__name__)
"""
    assert run(program) == ["WrenchComposer"]


def test_the_old_name_needs_no_installation():
    lines = run("""
import phalanx.facade.omni.isaac.lab.actuators as old, phalanx.facade.isaaclab.actuators as new
print(old is new)
import phalanx.facade.omni.isaac.lab
print(phalanx.facade.omni.isaac.lab.actuators is new)
try:
    import isaaclab  # its wheel needs isaacsim
except ModuleNotFoundError as error:
    print(error.name in ("isaaclab", "isaacsim"))
""")
    assert lines == ["True", "True", "True"]


def test_what_is_not_there_yet_is_told():
    lines = run("""
import phalanx.facade
phalanx.facade.install()
for statement in (
    "import isaaclab.nothing", "from isaaclab.nothing.deeper import x", "import omni.isaac.lab.nothing",
    "import omni.nothing", "import carb_nothing", "from isaaclab.utils import nothing",
    "from isaacsim.sensors.rtx import LidarRtx", "import omni.graph.core as og", "import isaacsim.core.nothing",
):
    try:
        exec(statement)
    except ImportError as error:
        print(type(error).__name__, error.name, str(error).partition(": ")[2])
""")
    told = "Phalanx's facade has no 'phalanx.facade.{}' yet (docs/isaaclab.md lists what there is)"
    unknown = told.format("isaaclab.nothing")
    if find_spec("isaaclab") is None:  # then it may be one of the modules that come from Isaac Lab itself
        unknown = "it comes with Isaac Lab's wheel, which is not installed: pip install --no-deps isaaclab==2.3.2.post1"
    assert lines == [
        "ModuleNotFoundError isaaclab.nothing " + unknown,
        "ModuleNotFoundError isaaclab.nothing " + unknown,
        "ModuleNotFoundError omni.isaac.lab.nothing " + told.format("isaaclab.nothing"),
        "ModuleNotFoundError omni.nothing " + told.format("omni.nothing"),
        "ModuleNotFoundError carb_nothing ",
        "ImportError phalanx.facade.isaaclab.utils ",
        "ModuleNotFoundError isaacsim.sensors.rtx " + reason("isaacsim.sensors.rtx"),
        "ModuleNotFoundError omni.graph " + reason("omni.graph"),
        "ModuleNotFoundError isaacsim.core.nothing " + told.format("isaacsim.core.nothing").replace("lab.md", "sim.md"),
    ]


def reason(module: str) -> str:
    assert unbuilt.why_not(f"{module}.deeper") == unbuilt.why_not(module) == unbuilt.UNBUILT[module]
    return f"{unbuilt.UNBUILT[module]} (see docs/isaacsim.md)"


def test_what_is_said_not_to_be_there_is_not_there():
    for module in unbuilt.UNBUILT:
        path = Path(facade.__path__[0], *module.split("."))
        assert not path.exists() and not path.with_suffix(".py").exists(), f"{module}: take it out of unbuilt.py"


def test_packages_of_these_names_are_hidden_or_told(tmp_path):
    (tmp_path / "carb").mkdir()
    (tmp_path / "carb" / "__init__.py").write_text("print('the other one')")
    hidden = run("""
sys.path.insert(0, "")
import phalanx.facade
phalanx.facade.install()
try:
    import carb.nothing
except ModuleNotFoundError as error:
    print(error.name.partition(".")[0])
""", tmp_path)  # fmt: skip
    assert hidden == ["carb"]
    told = run("""
sys.path.insert(0, "")
import carb
import phalanx.facade
try:
    phalanx.facade.install()
except RuntimeError as error:
    print(error)
print(len([f for f in sys.meta_path if "_Names" in str(f)]))
""", tmp_path)  # fmt: skip
    assert told[0] == "the other one" and told[2] == "1"
    assert told[1].startswith("'carb' has already been imported, from ") and "before any import of it" in told[1]


def test_a_missing_package_within_a_module_is_told_as_itself():
    lines = run("""
import phalanx.facade, types
phalanx.facade.install()
sys.modules["phalanx.facade.isaaclab.utils.dict"] = None
try:
    import isaaclab.utils.math
except ModuleNotFoundError as error:
    print(error.name)
""")
    assert lines == ["phalanx.facade.isaaclab.utils.dict"]
