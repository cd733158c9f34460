"""What the facade does where packages that it can do without are not installed, in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import phalanx
from phalanx.facade import arrays

ROOT = str(Path(phalanx.__file__).parents[1])

BEGINNING = f"""
import importlib, pkgutil, sys
sys.path.append({ROOT!r})

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in MISSING:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

def import_all():
    import phalanx.facade
    names = [module.name for module in pkgutil.walk_packages(phalanx.facade.__path__, "phalanx.facade.")]
    for name in names:
        importlib.import_module(name)
    return names

sys.meta_path.insert(0, Missing())
"""


def run(program: str, *missing: str) -> list[str]:
    """The lines that a program prints in a process that cannot import some packages."""
    done = subprocess.run(
        [sys.executable, "-c", f"MISSING = {missing!r}\n{BEGINNING}\n{program}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_every_module_can_be_imported_without_usd_and_the_stage_says_what_to_install():
    lines = run(
        """
names = import_all()
print(len(names) > 150, {"phalanx.facade.isaaclab.assets", "phalanx.facade.isaaclab.sim"} <= set(names))

from phalanx.facade.isaaclab import sim
from phalanx.facade.isaacsim.core.utils import prims, stage, xforms
from phalanx.facade.omni import usd
uses = [
    stage.get_current_stage,
    stage.create_new_stage,
    lambda: stage.open_stage("robot.usd"),
    lambda: prims.create_prim("/World"),
    lambda: xforms.get_world_pose("/World"),
    lambda: usd.get_context().get_stage(),
    lambda: sim.utils.find_matching_prims("/World/.*"),
    sim.SimulationContext,
    lambda: sim.CuboidCfg(size=(1.0, 1.0, 1.0)).func("/World/Box", sim.CuboidCfg(size=(1.0, 1.0, 1.0))),
]
for use in uses:
    try:
        use()
    except ImportError as error:
        print("usd-core" in str(error) and "pip install 'phalanx[isaac]'" in str(error))
""",
        "pxr", "mujoco",
    )  # fmt: skip
    assert lines == ["True True"] + ["True"] * 9


def test_every_module_can_be_imported_where_there_is_little_more_than_numpy():
    """Names and signatures can be looked at anywhere; what computes, reads meshes or draws imports where it is used."""
    lines = run(
        """
from phalanx.facade import arrays
arrays.is_installed = lambda name: name not in MISSING
asked = {"isaaclab.assets", "isaaclab.sensors", "isaaclab.terrains"}
asked |= {"isaaclab_contrib.assets", "isaacsim.core.utils.prims"}
print({"phalanx.facade." + one for one in asked} - set(import_all()))
importlib.import_module("phalanx.facade.omni.isaac.lab.actuators")
print([name for name in MISSING if name in sys.modules])
""",
        "trimesh", "scipy", "pxr", "torch", "cupy", "mujoco", "numba", "llvmlite", "zarr", "PIL", "collada", "yaml",
    )  # fmt: skip
    assert lines == ["set()", "[]"]


def test_no_module_needs_torch():
    lines = run(
        """
names = import_all()
from phalanx.facade import arrays
from phalanx.facade.isaaclab.utils.array import TENSOR_TYPES, convert_to_torch
print(arrays.array_api(), "torch" in TENSOR_TYPES)
try:
    convert_to_torch([1.0])
except ImportError as error:
    print(error)
""".replace("names = ", "from phalanx.facade import arrays; arrays.is_installed = lambda name: name not in MISSING\n"),
        "torch", "cupy",
    )  # fmt: skip
    assert lines == ["numpy False", "convert_to_torch needs torch: pip install torch"]


def test_who_chooses_other_arrays_does_not_wait_for_torch():
    if not arrays.is_installed("torch"):
        pytest.skip("torch is not installed, so that nothing can import it")
    lines = run("""
from phalanx.facade import arrays
arrays.set_array_api("numpy")
import_all()
print("torch" in sys.modules)
from phalanx.facade.isaaclab.utils.array import TENSOR_TYPES, convert_to_torch
print("torch" in TENSOR_TYPES, type(convert_to_torch([1.0])).__name__)
from phalanx.facade.isaaclab.utils.dict import convert_dict_to_backend
import numpy
print(type(convert_dict_to_backend({"a": numpy.zeros(2)}, "torch")["a"]).__name__)
""")
    assert lines == ["False", "False Tensor", "Tensor"]
