"""The robots that ship with the package, and what their files cannot say: how they stand and how stiffly."""

from __future__ import annotations

import math
import os
import warnings
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from phalanx.io.formats.scene_file import SCENE_SUFFIXES, USD_SUFFIXES
from phalanx.io.reading.errors import LoadError
from phalanx.models.checks import REPAIRED, nearest
from phalanx.models.robot_model import RobotModel

FOLDER = Path(__file__).resolve().parents[2] / "robots"


@dataclass(frozen=True)
class RobotDefaults:
    """How a shipped robot is placed and driven unless told otherwise.

    ``base_height`` (m) is that of the root link's frame above the ground in the nominal pose: feet, or whatever is
    lowest, just touch it. ``joint_pos`` maps joint names to nominal positions (rad or m); joints not named are at 0.
    ``drives`` are (pattern of joint names, stiffness, damping); the first that matches counts.
    """

    description: str
    fixed_base: bool
    base_height: float
    joint_pos: dict[str, float] = field(default_factory=dict)
    drives: tuple[tuple[str, float, float], ...] = ()

    def pose(self, joint_names: list[str]) -> list[float]:
        """Nominal positions in the order of ``joint_names``."""
        return [self.joint_pos.get(name, 0.0) for name in joint_names]

    def gains(self, joint_names: list[str]) -> tuple[list[float], list[float]]:
        """Stiffness (N·m/rad, N/m) and damping (N·m·s/rad, N·s/m) in the order of ``joint_names``; 0 undriven."""
        chosen = [
            next((gain for pattern, *gain in self.drives if fnmatchcase(name, pattern)), [0.0, 0.0])
            for name in joint_names
        ]
        return [stiffness for stiffness, _ in chosen], [damping for _, damping in chosen]


def _both(**values: float) -> dict[str, float]:
    return {f"{side}_{name}": value for side in ("left", "right") for name, value in values.items()}


_SHIPPED = {
    "arm": RobotDefaults(
        "seven-joint arm with a two-finger gripper",
        fixed_base=True,
        base_height=0.0,
        joint_pos={
            "joint2": -math.pi / 4,
            "joint4": -3 * math.pi / 4,
            "joint6": math.pi / 2,
            "joint7": math.pi / 4,
            **_both(finger_joint=0.02),
        },
        drives=(("*finger*", 2000.0, 50.0), ("*", 400.0, 40.0)),
    ),
    "cartpole": RobotDefaults(
        "pole on a cart on a rail, upright at 0",
        fixed_base=True,
        base_height=1.2,  # a hanging pole stays clear of the ground
    ),
    "double_pendulum": RobotDefaults(
        "two hanging rods of 1 m and 1 kg",
        fixed_base=True,
        base_height=2.2,
        joint_pos={"shoulder": 1.0, "elbow": 0.5},
    ),
    "humanoid": RobotDefaults(
        "man-sized humanoid of 70 kg with 27 joints",
        fixed_base=False,
        base_height=0.02 + (0.422 + 0.434) * math.cos(0.2) + 0.07,
        joint_pos={
            **_both(hip_pitch_joint=-0.2, knee_joint=0.4, ankle_pitch_joint=-0.2, elbow_joint=-0.3),
        },
        drives=(
            ("*ankle*", 1200.0, 40.0),
            ("*hip*", 1500.0, 50.0),
            ("*knee*", 1500.0, 50.0),
            ("waist*", 1000.0, 40.0),
            ("*wrist*", 20.0, 1.0),
            ("*", 100.0, 5.0),
        ),
    ),
    "quadrotor": RobotDefaults(
        "palm-sized quadrotor of 27 g, four rotor frames",
        fixed_base=False,
        base_height=0.0145,
    ),
    "quadruped": RobotDefaults(
        "four-legged robot of 13 kg with 12 joints",
        fixed_base=False,
        base_height=(0.21 + 0.21) * math.cos(0.8) + 0.022,
        joint_pos={
            f"{leg}_{joint}_joint": value
            for leg in ("FL", "FR", "RL", "RR")
            for joint, value in (("hip", 0.0), ("thigh", 0.8), ("calf", -1.6))
        },
        drives=(("*", 100.0, 2.0),),
    ),
}


def names() -> list[str]:
    """Names of the shipped robots."""
    return list(_SHIPPED)


def path(name: str) -> Path:
    """The URDF file of a shipped robot; :class:`LoadError` for a name that is not shipped."""
    _known(name)
    return FOLDER / f"{name}.urdf"


def defaults(name: str) -> RobotDefaults:
    """Placement, pose and drives of a shipped robot; :class:`LoadError` for a name that is not shipped."""
    return _known(name)


def resolve(name_or_path: str | Path) -> Path:
    """The file behind the name of a shipped robot or the path of any other; :class:`LoadError` if there is none."""
    text = os.fspath(name_or_path)
    if text in _SHIPPED:
        return path(text)
    if os.path.isfile(text):
        return Path(text)
    if os.path.isdir(text):
        raise LoadError(f"{text}: this is a folder; give the robot file inside it.")
    if os.path.basename(text) != text or os.path.splitext(text)[1]:
        raise LoadError(f"{text}: no such file; check the path (the current folder is {os.getcwd()}).")
    _known(text)
    raise AssertionError("unreachable")


def _known(name: str) -> RobotDefaults:
    if name not in _SHIPPED:
        hint = nearest(name, _SHIPPED)
        raise LoadError(
            f'"{name}" is neither a file nor a shipped robot{hint} Shipped are {", ".join(_SHIPPED)}; '
            "any other robot is given by the path of its URDF, MJCF or USD file."
        )
    return _SHIPPED[name]


def load_robot(
    source: str | os.PathLike[str] | RobotModel, visuals: bool, warn: bool = False, fix_inertias: bool = False
) -> RobotModel:
    """The model of a URDF, MJCF or USD file or a shipped robot, or the one given; a shipped one says how it stands.

    With ``warn`` it warns of what an MJCF or USD file has that is not simulated. With ``fix_inertias`` inertias of a
    file that no body can have are replaced by the nearest that one can have, with a warning.

    Raises:
        LoadError: the file cannot be used.
    """
    if isinstance(source, RobotModel):
        return source
    name = os.fspath(source)
    found = resolve(name)
    kind = found.suffix.lower()
    if kind in SCENE_SUFFIXES:
        if kind in USD_SUFFIXES:
            from phalanx.io.formats.usd import load_robot as load_scene_robot
        else:
            from phalanx.io.formats.mjcf import load_robot as load_scene_robot

        model = load_scene_robot(found, visuals=visuals, fix_inertias=fix_inertias)
        if warn:
            from phalanx.io.formats.scene_file import warn_of

            warn_of(model.warnings, name)
        return model
    from phalanx.io.formats.urdf import load_urdf

    model = load_urdf(found, visuals=visuals, fix_inertias=fix_inertias)
    repaired = [text for text in model.warnings if REPAIRED in text]
    if warn and repaired:
        warnings.warn(f"{name}: inertias were replaced:\n" + "\n".join(repaired), stacklevel=3)
    if name in names():
        shipped = defaults(name)
        model.fixed_base, model.position = shipped.fixed_base, (0.0, 0.0, shipped.base_height)
        model.joint_pos = dict(shipped.joint_pos)
    return model
