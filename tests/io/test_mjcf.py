"""What small MJCF files say, feature by feature, is what MuJoCo reads in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mjcf_files import BALL, save
from oracles.mjcf_compare import check_file
from oracles.mjcf_oracle import MjcfOracle, matrix

from phalanx.io.formats.mjcf import load_robot, load_scene
from phalanx.io.formats.mjcf.scene import Scene
from phalanx.io.reading.errors import LoadError
from phalanx.models.info import describe
from phalanx.models.robot_model import RobotModel

TETRAHEDRON = "0 0 0  1 0 0  0 1 0  0 0 1"


def load(folder: Path, body: str, rest: str = "") -> Scene:
    return load_scene(save(folder, body, rest))


WORLDS = {
    "poses": (
        """<body pos="1 2 3" euler="10 20 30"><freejoint/><geom size=".1 .2 .3" type="box" axisangle="1 2 3 40"/>
        <body xyaxes="1 1 0 -1 1 .5"><geom size=".1" pos="0 0 1"/></body>
        <body zaxis="1 2 -3"><joint axis="1 1 0"/><geom type="cylinder" size=".1 .2" zaxis="0 0 -1"/></body>
        <body quat="1 2 3 4"><joint type="slide"/><geom type="capsule" size=".1 .2" pos=".1 .2 .3"/></body></body>""",
        "",
    ),
    "radians and fixed axes": (
        f'<body euler="1 .5 .2"><joint range="-1 2" ref=".3"/>{BALL}</body>',
        '<compiler angle="radian" eulerseq="ZYx"/>',
    ),
    "from to": (
        """<body><freejoint/><geom type="capsule" fromto="0 0 0 1 2 3" size=".1"/>
        <geom type="box" fromto="1 0 0 0 0 1" size=".1"/><geom type="cylinder" fromto="0 0 1 0 0 0" size=".2"/>
        <geom type="ellipsoid" fromto="0 0 0 0 0 1" size=".2"/></body>""",
        "",
    ),
    "sizes and densities": (
        """<body><freejoint/><geom size=".1" mass="2"/><geom type="capsule" size=".1 .3" density="500" pos="1 0 0"/>
        <geom type="ellipsoid" size=".1 .2 .3" pos="0 1 0"/><geom type="box" size=".1 .2 .3" mass="0"/></body>""",
        "",
    ),
    "inertial": (
        """<body><freejoint/><inertial pos=".1 .2 .3" quat="1 1 0 0" mass="3" diaginertia="1 2 2.5"/>
        <geom size=".1"/></body><body pos="2 0 0"><joint/><inertial pos="0 0 0" mass="1"
        fullinertia="2 3 4 .1 .2 .3"/></body>""",
        "",
    ),
    "inertia from geoms": (
        """<body><freejoint/><inertial pos="1 0 0" mass="3" diaginertia="1 1 1"/><geom size=".1"/>
        <geom size=".2" group="4" pos="1 0 0"/></body>""",
        '<compiler inertiafromgeom="true" inertiagrouprange="0 3"/>',
    ),
    "bounds and balance": (
        '<body><freejoint/><inertial pos="0 0 0" mass=".01" diaginertia="1 2 9"/></body>',
        '<compiler boundmass="1" boundinertia="1.5" balanceinertia="true"/>',
    ),
    "total mass": (
        f"<body><freejoint/>{BALL}<body pos='1 0 0'><joint/>{BALL}</body></body>",
        '<compiler settotalmass="5"/>',
    ),
    "joints": (
        f"""<body><joint name="x" type="slide" axis="1 0 0" range="-1 1" limited="true"/>
        <joint name="y" type="slide" axis="0 2 0" ref=".5" springref=".2" stiffness="3" pos="1 2 3"/>
        <joint name="turn" axis="1 2 3" pos=".1 .2 .3" ref="30" springref="10" stiffness="2" range="-90 45"
        damping=".5" armature=".1" frictionloss=".2"/>{BALL}
        <body pos="1 0 0"><joint type="ball" pos="0 0 .1" damping=".3"/>{BALL}</body></body>""",
        "",
    ),
    "limits by hand": (
        f"""<body><joint range="-90 45" limited="false"/>{BALL}
        <body><joint range="-9 9" limited="true"/>{BALL}</body></body>""",
        '<compiler autolimits="false"/>',
    ),
    "springs by time": (
        f"""<body><joint springdamper=".1 1.5" axis="0 1 0"/><geom size=".1" pos="1 0 0"/>
        <body pos="1 0 0"><joint springdamper=".2 .5" armature=".1" axis="1 1 0"/><geom size=".1" pos="1 0 0"/>
        <body pos=".1 0 0"><joint type="slide" springdamper=".2 .5"/>{BALL}</body></body></body>""",
        "",
    ),
    "classes": (
        """<body childclass="leg"><freejoint/><geom/><geom class="foot"/><geom class="main" size=".3"/>
        <body pos="1 0 0"><joint/><geom friction=".2"/><body childclass="foot" pos="0 1 0"><joint/><geom/></body></body>
        <frame childclass="foot" pos="0 0 1"><geom size=".05"/></frame></body>""",
        """<default><geom contype="2" friction=".7 .1 .2"/><default class="leg"><geom type="capsule" size=".1 .2"/>
        <joint damping="2" range="-45 45"/><default class="foot"><geom type="sphere" rgba="1 0 0 1" size=".2"/>
        <joint damping="3"/></default></default></default>""",
    ),
    "frames": (
        f"""<frame pos="1 0 0" euler="0 0 90"><body pos="0 1 0"><freejoint/>{BALL}</body>
        <geom size=".2" pos="0 0 1"/></frame><body><frame euler="90 0 0" pos="0 0 1">
        <joint axis="0 1 0" pos=".1 0 0"/><geom size=".1 .2" type="capsule"/><body pos="0 0 1"><joint/>{BALL}</body>
        </frame></body>""",
        "",
    ),
    "copies": (
        f"""<replicate count="11" offset=".5 0 .1" euler="0 0 20" sep="-"><body name="b" pos="1 0 0">
        <freejoint/><geom name="g" size=".1"/></body></replicate>
        <body><joint/><replicate count="2" sep="_" offset="0 1 0">{BALL}</replicate></body>""",
        "",
    ),
    "meshes": (
        """<body><freejoint/><geom type="mesh" mesh="a" pos="1 0 0" euler="10 20 30"/></body>
        <body pos="5 0 0"><freejoint/><geom type="mesh" mesh="b"/></body><geom type="mesh" mesh="c"/>""",
        f"""<asset><mesh name="a" vertex="{TETRAHEDRON}" scale="1 2 3"/>
        <mesh name="b" vertex="{TETRAHEDRON}" face="0 2 1  0 1 3  0 3 2  1 2 3" refpos=".1 .2 .3" refquat="1 1 0 0"/>
        <mesh name="c" vertex="{TETRAHEDRON}" scale="-1 1 1" inertia="exact"/></asset>""",
    ),
    "height field": (
        '<geom type="hfield" hfield="h" pos="1 0 0" euler="0 0 30"/>',
        '<asset><hfield name="h" nrow="2" ncol="3" size="1 2 .5 .1" elevation="0 1 2  3 5 4"/></asset>',
    ),
    "planes": (
        """<geom type="plane" size="1 1 1"/><geom type="plane" size="1 1 1" pos="0 0 -1" euler="30 0 0"/>
        <geom type="plane" size="1 1 1" pos="3 0 1" zaxis="-1 0 0"/>
        <body pos="0 0 -3" euler="0 10 0"><geom type="plane" size="1 1 1"/></body>
        <geom type="plane" size="1 1 1" contype="0" conaffinity="0"/>""",
        "",
    ),
    "bits, margins and friction": (
        """<body><freejoint/><geom size=".1" contype="6" conaffinity="5" margin=".02" gap=".01"/>
        <geom size=".1" contype="0" conaffinity="0"/><geom size=".1" contype="0" friction=".3" condim="1"/>
        <geom size=".1" condim="4" friction=".5 .2"/></body>""",
        "",
    ),
    "mocap and things that stand": (
        f'<body mocap="true" pos="0 0 1">{BALL}</body><body pos="1 0 0">{BALL}<body pos="0 1 0">{BALL}</body></body>',
        "",
    ),
    "options": (BALL, '<option timestep=".01" gravity="1 2 3"/><option integrator="RK4"/>'),
    "contact off": (f"<body><freejoint/>{BALL}</body>", '<option><flag contact="disable"/></option>'),
}


@pytest.mark.parametrize("name", WORLDS)
def test_small_files(name: str, tmp_path: Path) -> None:
    file = save(tmp_path, *WORLDS[name])
    check_file(MjcfOracle(file), load_scene(file))


def test_flags_switch_limits_and_springs_off(tmp_path: Path) -> None:
    joint = f'<body><joint name="a" range="-1 1" stiffness="2" damping="3" frictionloss="4"/>{BALL}</body>'
    off = '<option gravity="0 0 -1"><flag passive="disable" constraint="disable" gravity="disable"/></option>'
    scene = load(tmp_path, joint, off)
    (found,) = (joint for tree in scene.trees.values() for joint in tree.model.joints)
    assert (found.stiffness, found.damping, found.friction) == (0.0, 0.0, 0.0)
    assert (found.lower, found.upper) == (-np.inf, np.inf)
    assert scene.options.gravity == (0.0, 0.0, 0.0)


def test_files_that_include_and_attach_others(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "classes.xml").write_text('<mujoco><default><geom size=".2"/></default></mujoco>')
    (tmp_path / "leg.xml").write_text(
        """<mujoco><compiler angle="radian"/><default><geom size=".1"/></default>
        <worldbody><body name="leg"><joint name="hip" range="-1 1"/><geom name="shin"/>
          <body name="foot" pos="0 0 -1"><joint name="ankle"/><geom/></body></body>
          <body name="other" pos="9 9 9"><joint name="elbow"/><geom/></body></worldbody>
        <contact><exclude body1="leg" body2="foot"/></contact>
        <actuator><motor name="push" joint="hip" gear="3"/><motor name="pull" joint="elbow"/></actuator></mujoco>"""
    )
    file = save(
        tmp_path,
        """<body name="trunk" pos="0 0 2"><freejoint/><geom/>
        <frame pos="1 0 0" euler="0 0 90"><attach model="leg" body="leg" prefix="l_"/></frame>
        <replicate count="2" sep="-" offset="0 1 0"><attach model="leg" body="leg" prefix="r_"/></replicate></body>""",
        '<include file="parts/classes.xml"/><asset><model name="leg" file="leg.xml"/></asset>',
    )
    oracle, scene = MjcfOracle(file), load_scene(file)
    check_file(oracle, scene)
    model = scene.trees["trunk"].model
    assert [actuator.name for actuator in model.actuators] == oracle.actuator_names
    assert model.disabled_pairs == [("l_leg", "l_foot"), ("r_leg-0", "r_foot-0"), ("r_leg-1", "r_foot-1")]


def test_what_refers_to_copies_is_copied(tmp_path: Path) -> None:
    file = save(
        tmp_path,
        f"""<body name="t" pos="9 0 0"><joint name="k"/>{BALL}</body><replicate count="2" sep="-"><body name="a">
        <joint name="j"/>{BALL}<body name="b"><joint name="h"/>{BALL}</body></body></replicate>""",
        """<tendon><fixed name="f"><joint joint="j" coef="1"/><joint joint="h" coef="2"/></fixed></tendon>
        <actuator><motor name="n" joint="k"/><position name="p" tendon="f"/><motor name="m" joint="h-1"/></actuator>
        <contact><exclude body1="a" body2="b"/><exclude body1="t" body2="b"/></contact>
        <equality><joint joint1="h" joint2="j"/></equality>
        <keyframe><key name="q" qpos="1 2 3 4 5" ctrl="6 7 8 9"/></keyframe>""",
    )
    oracle, scene = MjcfOracle(file), load_scene(file)
    check_file(oracle, scene)
    models = [tree.model for tree in scene.trees.values()]
    assert sorted(a.name for model in models for a in model.actuators) == sorted(oracle.actuator_names)
    assert [model.disabled_pairs for model in models] == [[], [("a-0", "b-0")], [("a-1", "b-1")]]
    assert scene.separated == [(("t", "t"), ("a-0", "b-0")), (("t", "t"), ("a-1", "b-1"))]
    assert len(oracle.model.exclude_signature) == 4
    mimics = [joint.mimic for joint in models[2].joints]
    assert [mimic.joint for mimic in mimics if mimic is not None] == ["j-1"]
    frames = [model.keyframes[0] for model in models]
    assert [frame.joint_pos for frame in frames] == [{"k": 1.0}, {"j-0": 2.0, "h-0": 3.0}, {"j-1": 4.0, "h-1": 5.0}]
    controls = dict(zip(oracle.actuator_names, [6.0, 7.0, 8.0, 9.0], strict=True))
    assert {name: value for frame in frames for name, value in frame.controls.items()} == controls


def test_assets_are_found_where_the_compiler_says(tmp_path: Path) -> None:
    import trimesh

    (tmp_path / "assets").mkdir()
    trimesh.creation.box((1.0, 2.0, 3.0)).export(tmp_path / "assets" / "brick.stl")
    for compiler, name in (('meshdir="assets"', "brick.stl"), ('assetdir="assets" strippath="true"', "x/y/brick.stl")):
        file = save(
            tmp_path,
            '<body><freejoint/><geom type="mesh" mesh="brick"/></body>',
            f'<compiler {compiler}/><asset><mesh file="{name}" scale=".1 .1 .1"/></asset>',
        )
        check_file(MjcfOracle(file), load_scene(file))


def test_pictures_and_binary_height_fields(tmp_path: Path) -> None:
    from PIL import Image

    rng = np.random.default_rng(3)
    Image.fromarray(rng.integers(0, 255, (4, 5), np.uint8)).save(tmp_path / "hills.png")
    grid = rng.random((3, 4)).astype("<f4")
    (tmp_path / "hills.bin").write_bytes(np.array([3, 4], "<i4").tobytes() + grid.tobytes())
    for name in ("hills.png", "hills.bin"):
        file = save(
            tmp_path,
            '<geom type="hfield" hfield="hills"/>',
            f'<asset><hfield name="hills" file="{name}" size="1 2 .5 .1"/></asset>',
        )
        check_file(MjcfOracle(file), load_scene(file))


def test_legacy_meshes(tmp_path: Path) -> None:
    points = np.array([float(word) for word in TETRAHEDRON.split()], "<f4")
    faces = np.array([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3], "<i4")
    (tmp_path / "a.msh").write_bytes(np.array([4, 0, 0, 4], "<i4").tobytes() + points.tobytes() + faces.tobytes())
    scene = load(
        tmp_path, '<body><freejoint/><geom type="mesh" mesh="a"/></body>', '<asset><mesh file="a.msh"/></asset>'
    )
    (body,) = scene.trees["body_1"].model.bodies
    np.testing.assert_allclose(body.mass, 1000.0 / 6.0)
    np.testing.assert_allclose(body.com, 0.25 * np.ones(3))


@pytest.mark.parametrize("kind", ["sphere", "capsule", "cylinder", "ellipsoid", "box"])
def test_primitives_fitted_to_meshes(kind: str, tmp_path: Path) -> None:
    file = save(
        tmp_path,
        f"""<body pos="1 2 3" euler="10 20 30"><freejoint/><geom type="{kind}" mesh="a" pos=".1 .2 .3" euler="30 0 10"
        fitscale="1.2"/></body>""",
        '<asset><mesh name="a" vertex="0 0 0  1 0 0  0 2 0  0 0 3"/></asset>',
    )
    oracle = MjcfOracle(file).model
    (body,) = load_scene(file).trees["body_1"].model.bodies
    (shape,) = body.collisions
    sizes = shape.size if kind != "ellipsoid" else np.asarray(shape.vertices).max(axis=0)
    np.testing.assert_allclose(sizes, oracle.geom_size[0, : len(sizes)], rtol=1e-6)
    np.testing.assert_allclose(shape.position, oracle.geom_pos[0], atol=1e-6)
    between = matrix(oracle.geom_quat[0]).T @ matrix(np.array(shape.orientation))
    np.testing.assert_allclose(np.abs(between), np.eye(3), atol=1e-5)  # axes may point the other way
    np.testing.assert_allclose(body.mass, oracle.body_mass[1], rtol=1e-6)


def test_meshes_without_volume_need_not_weigh(tmp_path: Path) -> None:
    scene = load(
        tmp_path,
        """<body name="a"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        <geom type="mesh" mesh="flat" contype="0" conaffinity="0"/><geom size=".1"/></body>""",
        '<asset><mesh name="flat" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"/></asset>',
    )
    (body,) = scene.trees["a"].model.bodies
    assert body.mass == 1.0 and len(body.collisions) == 1 and len(body.visuals) == 2


def test_models_survive_being_written(tmp_path: Path) -> None:
    model = load_robot(
        save(
            tmp_path,
            f"""<body name="a" pos="1 2 3"><joint name="a" ref="5" pos="1 0 0"/><joint name="b"/>{BALL}
            <body name="c" gravcomp=".25"><joint name="c"/>{BALL}</body></body>""",
            """<actuator><position joint="a" forcerange="-2 2"/></actuator>
            <contact><exclude body1="a" body2="c"/></contact>
            <keyframe><key name="k" qpos="1 2 3" ctrl="4"/></keyframe>""",
        )
    )
    assert [body.gravity_scale for body in model.bodies if body.name in ("a", "c")] == [1.0, 0.75]
    again = RobotModel.from_dict(model.to_dict())
    assert again.to_dict() == model.to_dict()
    assert again.keyframes == model.keyframes and again.actuators == model.actuators
    assert again.disabled_pairs == [("a", "c")] and again.joint_pos == model.joint_pos and again.fixed_base is True


def test_descriptions_know_hidden_bodies_springs_and_actuators(tmp_path: Path) -> None:
    text = describe(
        load_robot(
            save(
                tmp_path,
                f'<body name="a"><joint name="a"/><joint name="b" stiffness="3"/>{BALL}</body>',
                '<actuator><motor joint="a"/></actuator><keyframe><key name="k"/></keyframe>',
            )
        )
    )
    assert "a:a  between two joints" in text and "spring 3" in text
    assert "bodies   2 links in 2 rigid bodies" in text
    assert "drives   1 actuator" in text and "states   k" in text


def test_one_robot_is_one_robot(tmp_path: Path) -> None:
    robot = f'<body name="a"><freejoint/>{BALL}</body>'
    model = load_robot(save(tmp_path, '<geom type="plane" size="1 1 1"/>' + robot))
    assert model.root == "a" and "its grounds" in model.warnings[-1]
    with pytest.raises(LoadError, match=r"has 2 robots \(a, b\).*add_mjcf"):
        load_robot(save(tmp_path, robot + robot.replace('"a"', '"b"')))
    with pytest.raises(LoadError, match="has 0 robots"):
        load_robot(save(tmp_path, BALL))
