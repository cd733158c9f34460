"""The description of a robot shows its tree, its numbers and its oddities within 100 columns."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from phalanx.io.formats import library
from phalanx.io.formats.urdf import load_urdf
from phalanx.models.info import WIDTH, describe
from phalanx.models.robot_model import Body, Joint, Mimic, RobotModel, Shape


def small_robot() -> RobotModel:
    bodies = [
        Body("base", 2.0, collisions=[Shape("box", (0.1, 0.2, 0.3)), Shape("sphere", (0.5,))]),
        Body("arm", 1.5, collisions=[Shape("cylinder", (0.1, 0.5))], visuals=[Shape("sphere", (1.0,))]),
        Body("tip"),
        Body("slide", 0.25),
    ]
    joints = [
        Joint(
            "shoulder",
            "revolute",
            "base",
            "arm",
            axis=(0, -1, 0),
            lower=-1.0,
            upper=2.0,
            effort_limit=30.0,
            damping=0.5,
        ),
        Joint("weld", "fixed", "arm", "tip"),
        Joint(
            "rail",
            "prismatic",
            "base",
            "slide",
            axis=(0.6, 0.8, 0.0),
            velocity_limit=2.0,
            effort_limit=5.0,
            friction=0.1,
            mimic=Mimic("shoulder", 2.0, -1.0),
        ),
    ]
    return RobotModel("small", bodies, joints, "small.urdf", ["something is odd."])


def test_whole_text_of_a_small_robot() -> None:
    assert describe(small_robot()) == "\n".join(
        [
            "small  (small.urdf)",
            "",
            "base  2 kg, box 0.2 x 0.4 x 0.6 m, sphere of radius 0.5 m",
            "├─ arm  1.5 kg, cylinder of radius 0.1 m, length 1 m",
            "│  │  shoulder: revolute about -y, -1 to 2 rad, max 30 N·m, damping 0.5",
            "│  └─ tip  fixed, massless",
            "└─ slide  0.25 kg",
            "      rail: prismatic along (0.6, 0.8, 0), unlimited, max 5 N and 2 m/s, friction 0.1, follows 2 x",
            "      shoulder - 1",
            "",
            "mass     3.75 kg",
            "dofs     2 of the joints, 1 of them following others; 6 more with a free base",
            "bodies   4 links in 3 rigid bodies (1 fixed joint)",
            "shapes   3 for collision, 1 visual",
            "",
            "1 warning:",
            "  - something is odd.",
        ]
    )


@pytest.mark.parametrize("name", library.names())
def test_shipped_robots_fit_the_terminal(name: str) -> None:
    model = load_urdf(library.path(name))
    text = describe(model)
    assert max(map(len, text.splitlines()[1:])) <= WIDTH
    for body in model.bodies:
        assert f"{body.name}  " in text
    for joint in model.joints:
        assert (f"{joint.name}: " in text) == (joint.type != "fixed")
    assert "warning" not in text


@pytest.mark.parametrize("name", ["anymal_c", "talos", "tiago_dual"])
def test_real_robots_fit_the_terminal_and_show_warnings(robot_path: Callable[[str], Path], name: str) -> None:
    model = load_urdf(robot_path(name), visuals=False)
    text = describe(model)
    assert max(map(len, text.splitlines()[1:])) <= WIDTH
    assert f"{len(model.warnings)} warnings:" in text
    flat = " ".join(text.split())
    for warning in model.warnings:
        assert warning.split()[-1] in flat


@pytest.mark.parametrize(
    ("joint", "words"),
    [
        (Joint("j", "continuous", "a", "b", axis=(0, 0, 1)), "j: continuous about z"),
        (Joint("j", "spherical", "a", "b"), "j: spherical"),
        (Joint("j", "free", "a", "b"), "j: free"),
        (Joint("j", "planar", "a", "b", axis=(0, 0, -1)), "j: planar normal to -z"),
        (Joint("j", "revolute", "a", "b", upper=1.0, armature=0.1), "j: revolute about x, -inf to 1 rad, armature 0.1"),
        (Joint("j", "revolute", "a", "b", velocity_limit=3.0), "j: revolute about x, unlimited, max 3 rad/s"),
    ],
)
def test_joint_in_words(joint: Joint, words: str) -> None:
    lines = describe(RobotModel("r", [Body("a", 1.0), Body("b", 1.0)], [joint])).splitlines()
    assert lines[0] == "r"
    assert lines[4].strip() == words


def test_dofs_of_joints_with_several() -> None:
    kinds = ["fixed", "revolute", "planar", "spherical", "free"]
    bodies = [Body("a", 1.0), *(Body(kind, 1.0) for kind in kinds)]
    joints = [Joint(f"j{kind}", kind, "a", kind) for kind in kinds]
    assert "dofs     13 of the joints" in describe(RobotModel("r", bodies, joints))


def test_a_very_deep_tree_is_drawn_without_end_of_indentation() -> None:
    count = 3000
    bodies = [Body(f"link{i}", 1.0) for i in range(count)]
    joints = [Joint(f"joint{i}", "continuous", f"link{i}", f"link{i + 1}", upper=math.inf) for i in range(count - 1)]
    text = describe(RobotModel("snake", bodies, joints))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert f"link{count - 1}  1 kg" in text


def test_one_link_alone() -> None:
    text = describe(RobotModel("stone", [Body("stone", 3.0)], []))
    assert text.splitlines()[2] == "stone  3 kg"
    assert "bodies   1 link in 1 rigid body\n" in text
