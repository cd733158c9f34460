"""Where the URDF files of real robots are: the data of the package ``example-robot-data``, by short name.

The package's Python module is missing from some of its releases, so the folder is found beside the installed
packages and not by importing it.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import sysconfig
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path

import pytest

URDF_FILES = {
    "a1": "a1_description/urdf/a1.urdf",
    "alexander": "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf",
    "allegro": "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "allegro_left": "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "anymal_b": "anymal_b_simple_description/robots/anymal.urdf",
    "anymal_c": "anymal_c_simple_description/urdf/anymal.urdf",
    "anymal_kinova": "anymal_b_simple_description/robots/anymal-kinova.urdf",
    "b1": "b1_description/urdf/b1.urdf",
    "b1_z1": "b1_description/urdf/b1-z1.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "bolt": "bolt_description/robots/bolt.urdf",
    "borinot": "borinot_description/urdf/borinot_flying_arm_2.urdf",
    "centauro": "centauro_description/urdf/centauro.urdf",
    "double_pendulum": "double_pendulum_description/urdf/double_pendulum.urdf",
    "double_pendulum_continuous": "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "finger_edu": "finger_edu_description/robots/finger_edu.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "g1_hands": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "go1": "go1_description/urdf/go1.urdf",
    "go2": "go2_description/urdf/go2.urdf",
    "hector": "hector_description/robots/quadrotor_base.urdf",
    "human": "human_description/robots/human.urdf",
    "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
    "icub": "icub_description/robots/icub.urdf",
    "iris": "iris_description/robots/iris.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "laikago": "laikago_description/urdf/laikago.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
    "romeo": "romeo_description/urdf/romeo.urdf",
    "simple_humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "so100": "so_arm_description/urdf/so100.urdf",
    "so101": "so_arm_description/urdf/so101.urdf",
    "solo": "solo_description/robots/solo.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "talos_reduced": "talos_data/robots/talos_reduced.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "tiago_dual": "tiago_description/robots/tiago_dual.urdf",
    "tiago_pro": "tiago_pro_description/robots/tiago_pro.urdf",
    "ur3": "ur_description/urdf/ur3_robot.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "ur5_gripper": "ur_description/urdf/ur5_gripper.urdf",
    "ur10": "ur_description/urdf/ur10_robot.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
    "z1": "z1_description/urdf/z1.urdf",
}


@cache
def robots_folder() -> Path:
    """Folder ``…/example-robot-data/robots`` of the installed package.

    Without it the test, or the module, that asks is skipped and says why; in CI that is a FileNotFoundError.
    """
    inside = Path("cmeel.prefix/share/example-robot-data/robots")
    candidates = [Path(sysconfig.get_path(key)) / inside for key in ("purelib", "platlib")]
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):  # reported below, unless found otherwise
        candidates.append(Path(str(importlib.metadata.distribution("example-robot-data").locate_file(inside))))
    for folder in candidates:
        if folder.is_dir():
            return folder
    tried = ", ".join(map(str, candidates))
    why = f"robots of example-robot-data not found (tried {tried}); pip install example-robot-data"
    if os.environ.get("CI"):
        raise FileNotFoundError(why)
    pytest.skip(why, allow_module_level=True)


def robot_path(name: str) -> Path:
    """Path of a real robot's URDF by short name (``"go2"``) or by its path inside the robots folder."""
    path = robots_folder() / URDF_FILES.get(name, name)
    if not path.is_file():
        raise FileNotFoundError(f"no robot {name!r} at {path}; known names: {', '.join(sorted(URDF_FILES))}")
    return path


def bare_copy(urdf: Path, folder: Path) -> Path:
    """Copy of a URDF in ``folder`` with nothing but the tree and its inertias.

    Geometry, limits, damping, friction and mimic are gone, so that a step is pure rigid-body dynamics.
    """
    tree = ElementTree.parse(urdf)
    for link in tree.getroot().findall("link"):
        for element in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(element)
    for joint in tree.getroot().findall("joint"):
        for tag in ("limit", "dynamics", "mimic", "safety_controller", "calibration"):
            for element in joint.findall(tag):
                joint.remove(element)
        if joint.get("type") in ("revolute", "prismatic"):
            ElementTree.SubElement(joint, "limit", lower="-1e6", upper="1e6", effort="1e9", velocity="1e9")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / urdf.name
    tree.write(path)
    return path
