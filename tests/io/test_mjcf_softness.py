"""``solref`` and ``solimp``: what is soft in MuJoCo rests as deep, comes back or bounces alike here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx.io.formats.mjcf import load_scene, softness

mj: Any = mujoco  # its type information does not cover what it binds
RADIUS, GRAVITY = 0.1, 9.81
SOFT = {"damped": ".02 1", "softer": ".1 1", "slow": ".05 2", "direct": "-2000 -100"}
LIVELY = {"springy": ".05 .2", "less": ".02 .5", "direct": "-2000 -10"}


def ball(reference: str, geom: str = "", plane: str = "", options: str = "") -> str:
    """A ball of 2 kg on a plane, with one solref by default."""
    default = f'<default><geom solref="{reference}" condim="1"/></default>' if reference else ""
    return f"""<mujoco>{options}{default}<worldbody>
    <geom type="plane" size="1 1 1" {plane}/>
    <body name="ball" pos="0 0 {RADIUS}"><freejoint/><geom size="{RADIUS}" mass="2" {geom}/></body>
    </worldbody></mujoco>"""


def arm(reference: str, impedance: str = "") -> str:
    """A rod that falls onto the limit of its hinge."""
    return f"""<mujoco><worldbody><body name="arm" pos="0 0 1">
    <joint name="hinge" axis="0 1 0" range="-30 30" solreflimit="{reference}" {impedance}/>
    <geom type="capsule" size=".02" fromto="0 0 0 .4 0 0" mass="1"/></body></worldbody></mujoco>"""


def both(
    text: str, path: Path, device: str, steps: int, rate: int, speed: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """First coordinate of height or angle and its velocity, (steps, 2), in MuJoCo and here."""
    file = path / "scene.xml"
    file.write_text(text)
    model = mj.MjModel.from_xml_string(text)
    model.opt.timestep = 1 / rate
    data = mj.MjData(model)
    world = px.World(1, device=device, dtype="float64", dt=1 / rate)
    world.add_mjcf(file)
    world.build()
    moves: Any = world.actors["ball" if "ball" in text else "arm"]
    at = 2 if "ball" in text else 0
    if speed:
        data.qvel[at] = speed
        moves.set_root_state(vel=[[0.0, 0.0, speed, 0.0, 0.0, 0.0]])
    theirs, ours = np.zeros((steps, 2)), np.zeros((steps, 2))
    for i in range(steps):
        mj.mj_step(model, data)
        world.step()
        theirs[i] = data.qpos[at], data.qvel[at]
        if at == 2:
            ours[i] = host(moves.root_pose)[0, 2], host(moves.root_vel)[0, 2]
        else:
            ours[i] = host(moves.joint_pos)[0, 0], host(moves.joint_vel)[0, 0]
    return theirs, ours


@pytest.mark.parametrize("rate", [200, 1000])
@pytest.mark.parametrize("reference", SOFT.values(), ids=SOFT)
def test_what_is_damped_rests_as_deep(reference: str, rate: int, tmp_path: Path, device: str) -> None:
    theirs, ours = both(ball(reference), tmp_path, device, 3 * rate, rate)
    assert RADIUS - ours[-1, 0] == pytest.approx(RADIUS - theirs[-1, 0], rel=1e-3)
    assert abs(ours[-1, 1]) < 1e-4


@pytest.mark.parametrize("reference", [SOFT["damped"], SOFT["softer"]])
def test_what_is_damped_comes_back_with_its_time_constant(reference: str, tmp_path: Path, device: str) -> None:
    """Thrown down, it comes up to where it rests as exp(-t / timeconst); blows stop it 4 to 8 times as soon."""
    time = float(reference.split()[0])
    theirs, ours = both(ball(reference), tmp_path, device, 500, 1000, speed=-1.0)
    begin = int(ours[:, 0].argmin()) + 2
    left = ours[-1, 0] - ours[begin : begin + int(1000 * time), 0]
    rate = np.polyfit(np.arange(len(left)) / 1000, np.log(left), 1)[0]
    assert -1.0 / rate == pytest.approx(time, rel=0.15)
    depths = [RADIUS - each[:, 0].min() for each in (theirs, ours)]
    assert 4.0 < depths[0] / depths[1] < 8.0
    assert ours[:, 1].max() < theirs[:, 1].max() < 0.15


@pytest.mark.parametrize("reference", LIVELY.values(), ids=LIVELY)
def test_what_is_lively_bounces_as_there(reference: str, tmp_path: Path, device: str) -> None:
    """Speed after a blow of 1 m/s to 15 % and depth to 25 %, at 1/4000 s; at rest it lies 1 / (1 - d) times deeper."""
    theirs, ours = both(ball(reference), tmp_path, device, 400, 4000, speed=-1.0)
    assert ours[:, 1].max() == pytest.approx(theirs[:, 1].max(), rel=0.15)
    assert RADIUS - ours[:, 0].min() == pytest.approx(RADIUS - theirs[:, 0].min(), rel=0.25)
    theirs, ours = both(ball(reference), tmp_path, device, 4000, 1000)
    assert 8.0 < (RADIUS - ours[-1, 0]) / (RADIUS - theirs[-1, 0]) < 20.0


@pytest.mark.parametrize(
    ("reference", "impedance", "exact"),
    [(".02 1", "", 0.1), (".1 1", "", 1e-3), ("-2000 -100", "", 0.1), (".02 1", 'solimplimit="0 .99 .01"', 0.15)],
)
def test_limits_hold_as_there(reference: str, impedance: str, exact: float, tmp_path: Path, device: str) -> None:
    """How far beyond its limit a rod comes to rest. Its impedance is that under its weight when it is horizontal."""
    theirs, ours = both(arm(reference, impedance), tmp_path, device, 3000, 1000)
    beyond = [each[-1, 0] - np.radians(30.0) for each in (theirs, ours)]
    assert beyond[0] > 5e-4
    assert beyond[1] == pytest.approx(beyond[0], rel=exact)


def test_lively_limits_bounce(tmp_path: Path, device: str) -> None:
    theirs, ours = both(arm(".05 .2"), tmp_path, device, 1000, 4000)
    most = [each[:, 0].max() - np.radians(30.0) for each in (theirs, ours)]
    assert most[1] == pytest.approx(most[0], rel=0.1)


@pytest.mark.parametrize(
    ("geom", "plane", "options"),
    [
        ('solref=".1 1"', "", ""),
        ("", 'solref=".1 1"', ""),
        ('solref=".1 1" solmix="3"', 'solref=".04 1"', ""),
        ('solref=".1 1"', 'solref=".04 1" priority="1"', ""),
        ('solref="-500 -60"', 'solref="-400 -80"', ""),
        ('solref=".1 1" solimp=".8 .9 .01"', 'solref=".1 1" solimp=".6 .7 .01"', ""),
        ('solref=".001 1"', 'solref=".001 1"', '<option timestep=".01"/>'),
    ],
    ids=["mean with the default", "of the plane", "weights", "priority", "direct", "impedance", "refsafe"],
)
def test_mixtures(geom: str, plane: str, options: str, tmp_path: Path) -> None:
    """Priority, solmix and forms, by the depth at which MuJoCo's ball comes to rest."""
    text = ball("", geom + ' condim="1"', plane, options)
    file = tmp_path / "scene.xml"
    file.write_text(text)
    model = mj.MjModel.from_xml_string(text)
    data = mj.MjData(model)
    for _ in range(round(4.0 / model.opt.timestep)):
        mj.mj_step(model, data)
    (shape,) = load_scene(file).trees["ball"].model.bodies[0].collisions
    material: Any = shape.material
    assert 2.0 * GRAVITY / material["contact_stiffness"] == pytest.approx(RADIUS - data.qpos[2], rel=2e-3)


def test_files_without_stay_rigid(tmp_path: Path) -> None:
    """And so do geoms whose impedance alone is given, which is told."""
    file = tmp_path / "scene.xml"
    for geom in ("", 'solimp=".8 .9 .01"', 'solmix="2"'):
        file.write_text(ball("", geom))
        scene = load_scene(file)
        (shape,) = scene.trees["ball"].model.bodies[0].collisions
        assert "contact_stiffness" not in (shape.material or {})
        assert [text for text in scene.warnings if geom and geom.split("=")[0] in text] or not geom


def test_impedance_is_that_of_mujoco(tmp_path: Path) -> None:
    """Along the curve, against what MuJoCo gives to a ball at so many depths."""
    text = ball(".02 1", 'solimp=".3 .9 .01 .3 3"', 'solimp=".3 .9 .01 .3 3"')
    model = mj.MjModel.from_xml_string(text)
    data = mj.MjData(model)
    for depth in np.linspace(1e-4, 0.015, 25):
        data.qpos[2] = RADIUS - depth
        mj.mj_forward(model, data)
        expected = data.efc_KBIP[0, 2]
        assert softness.impedance((0.3, 0.9, 0.01, 0.3, 3.0), float(depth)) == pytest.approx(expected, rel=1e-9)


def tower(geom: str, pair: str = "", masses: tuple[float, float] = (2.0, 5.0)) -> str:
    """A ball on a ball, both on slides; the lower one is held by a spring."""
    return f"""<mujoco><default><geom condim="1" size="{RADIUS}"/></default><worldbody>
    <body name="low" pos="0 0 .1"><joint name="a" type="slide" axis="0 0 1" stiffness="20000" damping="400"/>
    <geom name="one" mass="{masses[0]}" {geom}/></body>
    <body name="top" pos="0 0 .3"><joint name="b" type="slide" axis="0 0 1"/>
    <geom name="other" mass="{masses[1]}" {geom}/></body></worldbody>{pair}</mujoco>"""


@pytest.mark.parametrize("masses", [(2.0, 5.0), (5.0, 2.0), (20.0, 1.0)])
@pytest.mark.parametrize(
    ("geom", "pair"),
    [
        ('solref=".1 1"', ""),
        ('solref="-100 -20"', ""),
        ('contype="0" conaffinity="0"', '<pair geom1="one" geom2="other" solref=".1 1"/>'),
        ('solref=".02 1" contype="0" conaffinity="0"', '<pair geom1="one" geom2="other" solref=".1 1"/>'),
    ],
    ids=["both", "direct", "pair", "pair against its geoms"],
)
def test_two_that_move_rest_as_deep(
    geom: str, pair: str, masses: tuple[float, float], tmp_path: Path, device: str
) -> None:
    """What of a ball's way into one that moves, too, is the same: springs stand for the reduced mass."""
    text = tower(geom, f"<contact>{pair}</contact>" if pair else "", masses)
    (file := tmp_path / "scene.xml").write_text(text)
    model = mj.MjModel.from_xml_string(text)
    model.opt.timestep = 1 / 500
    data = mj.MjData(model)
    world = px.World(1, device=device, dtype="float64", dt=1 / 500)
    world.add_mjcf(file)
    world.build()
    for _ in range(1500):
        mj.mj_step(model, data)
    world.step(1500)
    low, top = (host(world.actors[name].joint_pos)[0, 0] for name in ("low", "top"))  # pyright: ignore[reportAttributeAccessIssue]
    assert data.qpos[0] - data.qpos[1] > 1.5e-3  # deeper than where the impedance stays the same
    assert low - top == pytest.approx(data.qpos[0] - data.qpos[1], rel=2e-3)


def test_pairs_with_what_cannot_move_come_first(tmp_path: Path) -> None:
    """A geom that meets several has one spring: that of the pair with the world, and is told so."""
    text = ball("", 'name="ball" solref=".02 1"', 'name="floor"').replace(
        "</worldbody>", '</worldbody><contact><pair geom1="ball" geom2="floor" solref=".1 1"/></contact>'
    )
    (file := tmp_path / "scene.xml").write_text(text)
    scene = load_scene(file)
    (shape,) = scene.trees["ball"].model.bodies[0].collisions
    material: Any = shape.material
    expected, _ = softness.spring(softness.Softness((0.1, 1.0)), 2.0, GRAVITY)
    assert material["contact_stiffness"] == pytest.approx(expected, rel=1e-6)
    assert any("differ in solref" in text for text in scene.warnings)
