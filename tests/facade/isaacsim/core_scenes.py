"""Scenes and helpers that the tests of Isaac Sim's core share."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

import phalanx
from phalanx.facade import stage
from phalanx.facade.arrays import to_warp
from phalanx.facade.isaaclab.sim.converters import UrdfConverter, UrdfConverterCfg
from phalanx.facade.isaacsim.core.prims import SingleXFormPrim
from phalanx.facade.isaacsim.core.utils.stage import add_reference_to_stage
from phalanx.io.formats.usd.bindings import Gf, UsdGeom, UsdPhysics


def kind(array: Any) -> str:
    """The package that an array is of."""
    return type(array).__module__.partition(".")[0]


def host(array: Any) -> np.ndarray:
    """An array of any package as NumPy's."""
    found: Any = array.cpu() if hasattr(array, "cpu") else array
    return np.asarray(found.get() if hasattr(found, "__cuda_array_interface__") else found)


def like(backend: str, value: Any, dtype: str = "float32") -> Any:
    """An array of a backend."""
    array = np.asarray(value, dtype)
    if backend == "numpy":
        return array
    if backend == "warp":
        return to_warp(array)
    import torch

    return torch.from_numpy(array)


def kind_of_pose(backend: str) -> str:
    """The package of poses and local scales of one prim: Isaac Sim makes Warp's NumPy's."""
    return "numpy" if backend == "warp" else backend


def xforms(*paths: str) -> None:
    """Prims with a place and nothing else."""
    for path in paths:
        UsdGeom.Xform.Define(stage.get_stage(), path)


def boxes(count: int, pattern: str = "/World/Box_{}", size: float = 0.2, spread: float = 1.0) -> None:
    """Dynamic boxes side by side, 1 m high, 2 kg each."""
    for i in range(count):
        cube = UsdGeom.Cube.Define(stage.get_stage(), pattern.format(i))
        cube.CreateSizeAttr(size)
        cube.AddTranslateOp().Set(Gf.Vec3d(spread * i, 0.0, 1.0))
        UsdPhysics.RigidBodyAPI.Apply(cube.GetPrim())
        UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
        UsdPhysics.MassAPI.Apply(cube.GetPrim()).CreateMassAttr(2.0)


@cache
def robot_file(name: str, fixed: bool, stiffness: float = 400.0, damping: float = 40.0) -> str:
    """A USD file of one of the package's robots."""
    gains = UrdfConverterCfg.JointDriveCfg.PDGainsCfg(stiffness=stiffness, damping=damping)
    cfg = UrdfConverterCfg(
        asset_path=str(Path(phalanx.__file__).parent / "robots" / f"{name}.urdf"),
        usd_dir=mkdtemp(prefix="phalanx_robot_"),
        fix_base=fixed,
        joint_drive=UrdfConverterCfg.JointDriveCfg(gains=gains),
    )
    return str(UrdfConverter(cfg).usd_path)


def add_robots(name: str, count: int, fixed: bool = True, pattern: str = "/World/Robot_{}", **gains: float) -> None:
    """Copies of a robot on the stage, 5 m apart: they are in one environment, and would push each other."""
    for i in range(count):
        prim = add_reference_to_stage(robot_file(name, fixed, **gains), pattern.format(i))
        SingleXFormPrim(str(prim.GetPath()), position=np.array([0.0, 5.0 * i, 0.0]))
