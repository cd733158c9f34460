"""Environments that differ are stepped side by side, and each moves as it does alone."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
from oracles import host
from usd_files import body, joint, prim, stage

from phalanx.facade import kinds
from phalanx.facade.stage_world import MANY, StageWorld
from phalanx.io.formats.usd.bindings import UsdGeom

GROUND = prim("Plane", "ground", 'uniform token axis = "Z"', "PhysicsCollisionAPI")
SHELF = prim("Cube", "shelf", "double size = 0.4", "PhysicsCollisionAPI", (2.4, 0.0, 0.2))
ENVS = "/World/env_.*/thing"

BOX = prim("Cube", "geom", "double size = 0.2", "PhysicsCollisionAPI")
LARGE = prim("Cube", "geom", "double size = 0.3", "PhysicsCollisionAPI")
BALL = prim("Sphere", "geom", "double radius = 0.12", "PhysicsCollisionAPI")
CONE = prim("Cone", "geom", "double radius = 0.1\n double height = 0.3", "PhysicsCollisionAPI")
PAIR = BOX + prim("Sphere", "knob", "double radius = 0.05", "PhysicsCollisionAPI", (0.0, 0.0, 0.12))


def thing(shapes: str, mass: float, place: tuple[float, float, float] = (0.4, 0.0, 0.6)) -> str:
    other = body("other", BALL + "float physics:mass = 0.5", (0.45, 0.02, 1.2))
    return body("thing", f"{shapes}float physics:mass = {mass}", place) + other


KINDS = [thing(BOX, 1.0), thing(BALL, 2.0), thing(LARGE, 1.0), thing(PAIR, 3.0, (0.4, 0.1, 0.7)), thing(CONE, 0.7)]


def spread(inside: list[str], numbers: list[int]) -> Any:
    """A stage with environments at places of their own."""
    envs = "".join(
        prim("Xform", f"env_{i}", text, place=(2.0 * i, 0.0, 0.0)) for i, text in zip(numbers, inside, strict=True)
    )
    return stage(prim("Xform", "World", envs + GROUND + SHELF))


def poses(world: StageWorld, steps: int) -> np.ndarray:
    """(steps, num_envs, 2, 7) of both objects."""
    found = []
    for _ in range(steps):
        world.step()
        found.append(np.stack([host(world.world.objects[name].root_pose) for name in ("thing", "other")], axis=1))
    return np.array(found)


@pytest.fixture(scope="module")
def together(device: str) -> StageWorld:
    order = [0, 1, 2, 3, 4, 1, 0]
    return StageWorld(spread([KINDS[k] for k in order], list(range(7))), [ENVS], device=device)


@pytest.mark.slow
def test_each_moves_as_it_does_alone(together: StageWorld, device: str) -> None:
    assert len(together.env_paths) == 7 and together.world.num_envs == 7
    together.reset()
    found = poses(together, 120)
    for env, kind in enumerate([0, 1, 2, 3, 4, 1, 0]):
        alone = StageWorld(spread([KINDS[kind]], [env]), [ENVS], device=device)
        wanted = poses(alone, 120)[:, 0]
        wanted[..., 0] -= 2.0 * env  # alone it is seen from the stage's origin
        np.testing.assert_allclose(found[:, env], wanted, atol=2e-4, err_msg=f"environment {env}, kind {kind}")


def test_reset_puts_each_where_its_kind_begins(together: StageWorld) -> None:
    poses(together, 5)
    together.reset([3, 4])
    at = host(together.world.objects["thing"].root_pose)[:, :3]
    np.testing.assert_allclose(at[3:5], [[0.4, 0.1, 0.7], [0.4, 0.0, 0.6]], atol=1e-6)
    assert np.abs(at[0, 2] - 0.6) > 1e-4


def test_views_have_the_masses_of_each(together: StageWorld) -> None:
    view = together.view.create_rigid_body_view("/World/env_*/thing")
    np.testing.assert_allclose(host(view.get_masses())[:, 0], [1.0, 2.0, 1.0, 3.0, 0.7, 2.0, 1.0], rtol=1e-6)
    place = together.place("/World/env_5/thing")
    assert (place.actor, place.env) == ("thing", 5)


def test_absent_shapes_stay_absent_when_offsets_are_set(together: StageWorld) -> None:
    view = together.view.create_rigid_body_view("/World/env_*/thing")
    before = host(view.get_contact_offsets())
    view.set_contact_offsets(np.full_like(before, 0.03))
    after = host(view.get_contact_offsets())
    assert np.array_equal(after == 0.0, before == 0.0) and np.allclose(after[after > 0.0], 0.03)
    assert [int((row > 0.0).sum()) for row in after] == [1, 1, 1, 2, 1, 1, 1]
    view.set_contact_offsets(before)


def arm(length: float, mass: float, limit: float) -> str:
    """A pendulum, whose link has one shape or two."""
    knob = prim("Sphere", "knob", "double radius = 0.04", "PhysicsCollisionAPI") if mass > 1.0 else ""
    base = body("base", BOX + "float physics:mass = 1.0", (0.0, 0.0, 1.0))
    link = body("link", BOX + knob + f"float physics:mass = {mass}", (length, 0.0, 1.0))
    fixed = joint("FixedJoint", "root", "", "THING/base", "point3f physics:localPos0 = (0.0, 0.0, 1.0)")
    hinge = joint(
        "RevoluteJoint", "hinge", "THING/base", "THING/link",
        f"point3f physics:localPos1 = ({-length}, 0.0, 0.0)\n"
        f'uniform token physics:axis = "Y"\n'
        f"float physics:lowerLimit = {-limit}\n float physics:upperLimit = {limit}\n",
    )  # fmt: skip
    return prim("Xform", "thing", base + link + fixed + hinge, "PhysicsArticulationRootAPI")


def arms(lengths: list[float], masses: list[float], limits: list[float], numbers: list[int]) -> Any:
    each = zip(lengths, masses, limits, numbers, strict=True)
    return spread([arm(a, m, b).replace("THING", f"/World/env_{i}/thing") for a, m, b, i in each], numbers)


def test_robots_may_differ_in_masses_frames_and_limits(device: str) -> None:
    lengths, masses, limits = [0.5, 0.8, 0.5], [1.0, 2.0, 1.0], [170.0, 40.0, 170.0]
    made = arms(lengths, masses, limits, [0, 1, 2])
    for i in range(3):  # the base hangs where its environment is
        root = made.GetPrimAtPath(f"/World/env_{i}/thing/root")
        root.GetAttribute("physics:localPos0").Set((2.0 * i, 0.0, 1.0))
    world = StageWorld(made, [ENVS], device=device)
    assert world.world.num_envs == 3
    angles = []
    for _ in range(150):
        world.step()
        angles.append(host(world.world.robots["thing"].joint_pos)[:, 0])
    found = np.array(angles)
    assert np.array_equal(found[:, 0], found[:, 2]), "environments of one kind differ"
    assert np.abs(found[:, 1]).max() <= np.radians(41.0) < np.abs(found[:, 0]).max()


def test_other_bodies_make_one_environment_and_the_log_says_why(device: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "phalanx.facade"):
        world = StageWorld(spread([KINDS[0], KINDS[0] + body("more", BALL)], [0, 1]), [ENVS], device=device)
    assert world.world.num_envs == 1 and "other bodies: /more" in caplog.text
    assert caplog.records[-1].levelno == logging.INFO


def test_robots_with_other_joints_have_no_view_in_common() -> None:
    """Isaac Lab asks for the same links and joints, too; the error names the prims and what differs."""
    more = joint("RevoluteJoint", "wrist", "THING/link", "THING/hand", 'uniform token physics:axis = "X"')
    hand = body("hand", BOX + "float physics:mass = 1.0", (1.0, 0.0, 1.0))
    plain = arm(0.5, 1.0, 170.0)
    inside = [plain, plain.rstrip().removesuffix("}") + hand + more + "}"]
    made = spread([text.replace("THING", f"/World/env_{i}/thing") for i, text in enumerate(inside)], [0, 1])
    world = StageWorld(made, ["/World/env_.*/thing"])
    with pytest.raises(
        ValueError, match=r"<\S+env_0/thing\S*> and <\S+env_1/thing\S*> differ in their links .*hand.*path"
    ):
        world.view.create_articulation_view("/World/env_*/thing")


def test_many_environments_that_become_one_are_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    """Such a world steps slowly, which nobody should have to find out by waiting."""
    inside = [KINDS[0]] * (MANY - 1) + [KINDS[0] + body("more", BALL)]
    world = StageWorld(spread(inside, list(range(MANY))), [ENVS])
    assert world.world.num_envs == 1
    told = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert len(told) == 1 and f"and {MANY} of them step slowly" in told[0] and "other bodies: /more" in told[0]


def test_kinds_are_grouped_by_content() -> None:
    made = spread([KINDS[k] for k in (0, 1, 0, 2, 1)], list(range(5)))
    UsdGeom.Imageable(made.GetPrimAtPath("/World/env_4/thing")).GetPrim().SetCustomDataByKey("note", "mine")
    found = kinds.group(made, [f"/World/env_{i}" for i in range(5)])
    assert found.of.tolist() == [0, 1, 0, 2, 3]
    assert found.roots == [f"/World/env_{i}" for i in (0, 1, 3, 4)]


def test_colours_make_no_kinds_and_are_seen(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is only seen is not read and compared for each environment, which takes a world of one environment each."""
    colour = "color3f[] primvars:displayColor = [(0.{}, 0.5, 0.5)]"
    shader = 'def Shader "paint" {{\n color3f inputs:diffuseColor = (0.{}, 0.5, 0.5)\n }}\n'
    inside = [
        thing(f"{shape}".replace("double ", f"{colour.format(i)}\n double ", 1), 1.0) + shader.format(i)
        for i, shape in enumerate((BOX, BALL, BOX, BOX, BALL))
    ]
    made = spread(inside, list(range(5)))
    alone: list[Any] = []
    build = kinds._alone
    monkeypatch.setattr(kinds, "_alone", lambda *given: alone.append(given) or build(*given))
    world = StageWorld(made, [ENVS], device=device)
    assert world.world.num_envs == 5 and world.kinds is not None
    assert world.kinds.of.tolist() == [0, 1, 0, 0, 1] and len(alone) == 2
    assert list(world.samples) == [f"/World/env_{i}" for i in range(5)]
    assert [mask.tolist().index(True) for mask in world.samples.values()] == list(range(5))
    alike = kinds.group(made, ["/World/env_0", "/World/env_2", "/World/env_3"])
    assert alike.roots == ["/World/env_0"] and len(alike.looks) == 3
