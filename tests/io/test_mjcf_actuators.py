"""Actuators, tendons and equality constraints of MJCF files are what MuJoCo makes of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from mjcf_files import BALL, save
from oracles.mjcf_oracle import MjcfOracle

from phalanx.io.formats.mjcf import load_robot, load_scene
from phalanx.io.formats.mjcf.scene import Scene


def load(folder: Path, body: str, rest: str = "") -> Scene:
    return load_scene(save(folder, body, rest))


def test_equality_of_joints_and_tendons(tmp_path: Path) -> None:
    scene = load(
        tmp_path,
        f"""<body name="a"><joint name="a" ref="10"/>{BALL}<body pos="1 0 0"><joint name="b"/>{BALL}
        <body pos="1 0 0"><joint name="c"/>{BALL}</body></body></body>""",
        """<tendon><fixed name="t"><joint joint="a" coef="2"/><joint joint="b" coef="-1"/></fixed>
        <fixed name="u" stiffness="3" springlength=".5" damping="2" range="-1 1"><joint joint="c" coef="4"/></fixed>
        </tendon>
        <equality><joint joint1="b" joint2="a" polycoef=".1 2"/><joint joint1="c" polycoef=".2"/>
        <tendon tendon1="t" polycoef=".3"/><tendon tendon1="t" tendon2="u" polycoef=".3 2"/></equality>""",
    )
    model = scene.trees["a"].model
    joints = {joint.name: joint for joint in model.joints}
    start = np.radians(10.0)
    mimic = joints["b"].mimic
    assert mimic is not None and mimic.joint == "a"
    np.testing.assert_allclose((mimic.multiplier, mimic.offset), (2.0, 0.1 - 2.0 * start))
    assert (joints["c"].lower, joints["c"].upper) == (0.2, 0.2)
    tied, both, spring = model.fixed_tendons
    assert tied.joints == {"a": 2.0, "b": -1.0} and tied.limit_stiffness == np.inf
    np.testing.assert_allclose((tied.lower, tied.upper), 2.0 * start + 0.3)
    assert both.joints == {"a": 2.0, "b": -1.0, "c": -8.0}
    np.testing.assert_allclose((both.lower, both.upper), 2.0 * start + 0.3)
    assert (spring.stiffness, spring.damping, spring.rest_length, spring.lower) == (3.0, 2.0, 0.5, -1.0)


def test_servos_by_damping_ratio_and_inherited_range(tmp_path: Path) -> None:
    file = save(
        tmp_path,
        """<body name="a"><joint name="a" axis="0 1 0" range="-90 30"/><geom size=".1" pos="1 0 0"/>
        <body pos="1 0 0"><joint name="b" axis="0 1 0" armature="2"/><geom size=".1" pos="1 0 0"/></body></body>""",
        """<actuator><position joint="a" kp="10" dampratio="1.5" gear="3"/><position joint="b" kp="10" dampratio=".5"/>
        <position name="c" joint="a" kp="7" inheritrange=".5"/></actuator>""",
    )
    oracle, model = MjcfOracle(file).model, load_robot(file).actuators
    for k, actuator in enumerate(model):
        np.testing.assert_allclose(actuator.bias, oracle.actuator_biasprm[k, :3], rtol=1e-9)
    np.testing.assert_allclose(model[2].control_range, oracle.actuator_ctrlrange[2])


def test_defaults_of_actuators_are_shared_by_their_shortcuts(tmp_path: Path) -> None:
    file = save(
        tmp_path,
        f'<body name="a"><joint name="a"/>{BALL}</body>',
        """<default><general ctrlrange="-1 1" biastype="affine" gainprm="5" biasprm="1 -2 -3"/>
        <default class="servo"><position kp="20" forcerange="-7 7"/></default>
        <default class="speed"><velocity kv="4"/></default></default>
        <actuator><general joint="a"/><position class="servo" joint="a" kv="2"/><velocity class="speed" joint="a"/>
        <motor class="servo" joint="a" gear="2"/>
        <velocity class="servo" joint="a"/><position class="speed" joint="a"/>
        <general class="servo" joint="a" gainprm="9" biasprm="0 -9 -1"/>
        <damper joint="a" kv="3" ctrlrange="0 1"/></actuator>""",
    )
    oracle, model = MjcfOracle(file).model, load_robot(file).actuators
    assert len(model) == oracle.nu == 8
    for k, actuator in enumerate(model):
        assert actuator.gain == oracle.actuator_gainprm[k, 0]
        assert actuator.velocity_gain == oracle.actuator_gainprm[k, 2]
        np.testing.assert_allclose(actuator.bias, oracle.actuator_biasprm[k, :3])
        np.testing.assert_allclose(actuator.control_range, oracle.actuator_ctrlrange[k])
        if oracle.actuator_forcelimited[k]:
            np.testing.assert_allclose(actuator.force_range, oracle.actuator_forcerange[k])
        else:
            assert actuator.force_range == (-np.inf, np.inf)


def test_controls_of_keyframes_pass_over_actuators_that_are_left_out(tmp_path: Path) -> None:
    scene = load(
        tmp_path,
        f'<body name="a"><joint name="a"/><site name="s"/>{BALL}</body>',
        """<tendon><spatial name="t"><site site="s"/><pulley divisor="2"/></spatial></tendon>
        <actuator><muscle joint="a"/><motor tendon="t"/><motor name="m" joint="a"/><motor site="s"/></actuator>
        <keyframe><key name="k" ctrl="1 2 3 4"/></keyframe>""",
    )
    assert scene.trees["a"].model.keyframes[0].controls == {"m": 3.0}
    assert any("its tendon is not simulated" in text for text in scene.warnings)


def test_flags_reach_tendons_and_controls(tmp_path: Path) -> None:
    scene = load(
        tmp_path,
        f'<body name="a"><joint name="a"/>{BALL}</body>',
        """<option><flag clampctrl="disable" spring="disable" limit="disable"/></option>
        <tendon><fixed name="t" stiffness="1" damping="2" range="-1 1"><joint joint="a" coef="1"/></fixed></tendon>
        <actuator><motor joint="a" ctrlrange="-1 1"/></actuator>""",
    )
    model = scene.trees["a"].model
    assert model.actuators[0].control_range == (-np.inf, np.inf)
    (tendon,) = model.fixed_tendons
    assert (tendon.stiffness, tendon.damping, tendon.limit_stiffness) == (0.0, 2.0, 0.0)
