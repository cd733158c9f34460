"""What a stage becomes: environments side by side where that is the same, else one with everything."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
from oracles import host
from usd_files import body, joint, prim, stage

from phalanx.facade import environments
from phalanx.facade.stage_world import StageWorld, read_visuals
from phalanx.images.pictures.picture import WorldPainter
from phalanx.io.formats.usd.bindings import Sdf, UsdGeom

BOX = prim("Cube", "geom", "double size = 0.2", "PhysicsCollisionAPI")
CUP = body("cup", BOX, (0.1, 0.0, 0.3)) + body("lid", BOX, (0.1, 0.5, 0.2))
GROUND = prim("Plane", "ground", 'uniform token axis = "Z"', "PhysicsCollisionAPI")
TABLE = prim("Cube", "table", "double size = 0.4", "PhysicsCollisionAPI", (2.1, 0.0, 0.2))
ENVS = "/World/env_.*/cup"


def spread(inside: list[str], outside: str = GROUND, apart: tuple[float, float, float] = (2.0, 0.0, 0.0)) -> Any:
    """A stage with environments in a row."""
    envs = "".join(prim("Xform", f"env_{i}", text, place=tuple(i * x for x in apart)) for i, text in enumerate(inside))
    return stage(prim("Xform", "World", envs + outside))


def refer(to: Any, name: str, place: tuple[float, float, float]) -> None:
    """Add an environment whose children refer to those of the first."""
    layer = to.GetRootLayer()
    copy = Sdf.CreatePrimInLayer(layer, f"/World/{name}")
    copy.specifier, copy.typeName = Sdf.SpecifierDef, "Xform"
    to.GetPrimAtPath(copy.path).CreateAttribute("xformOp:translate", Sdf.ValueTypeNames.Double3).Set(place)
    to.GetPrimAtPath(copy.path).CreateAttribute("xformOpOrder", Sdf.ValueTypeNames.TokenArray).Set(
        ["xformOp:translate"]
    )
    for child in layer.GetPrimAtPath("/World/env_0").nameChildren:
        made = Sdf.CreatePrimInLayer(layer, f"/World/{name}/{child.name}")
        made.specifier, made.typeName = Sdf.SpecifierDef, "Xform"
        made.referenceList.prependedItems = [Sdf.Reference("", child.path)]


def heights(of: StageWorld, path: str) -> float:
    place = of.place(path)
    return float(host(of.world.actors[place.actor].root_pose)[place.env or 0, 2])


def test_copies_are_environments(device: str) -> None:
    made = spread([CUP] * 3)
    refer(made, "env_3", (0.0, 5.0, 0.0))
    found = StageWorld(made, [ENVS, "/World/env_.*/lid"], device=device)
    assert found.env_paths == [f"/World/env_{i}" for i in range(4)]
    np.testing.assert_allclose(found.origins, [[0, 0, 0], [2, 0, 0], [4, 0, 0], [0, 5, 0]])
    assert found.world.num_envs == 4 and set(found.world.objects) == {"cup", "lid"}
    cup = found.place("/World/env_2/cup")
    assert (cup.actor, cup.env) == ("cup", 2) and found.actors_at("/World/env_3/lid") == (["lid"], 3)
    assert found.actors_at("/World/env_1") == (["cup", "lid"], 1)
    np.testing.assert_allclose(host(found.world.objects["lid"].root_pose)[:, :3], [[0.1, 0.5, 0.2]] * 4, atol=1e-6)
    with pytest.raises(KeyError, match=r"/World/env_1/spoon> is neither"):
        found.place("/World/env_1/spoon")


def test_what_is_hidden_in_some_copies_makes_them_no_others() -> None:
    """Whether they are written out, refer to the first environment's, or inherit from it; whole, or in part."""
    made = spread([CUP] * 2)
    refer(made, "env_2", (0.0, 5.0, 0.0))
    refer(made, "env_3", (2.0, 5.0, 0.0))
    lid = made.GetRootLayer().GetPrimAtPath("/World/env_3/lid")
    lid.referenceList.ClearEdits()
    lid.inheritPathList.prependedItems = ["/World/env_0/lid"]
    for path in ("env_1/cup", "env_2/cup", "env_3/cup/geom", "env_3/lid"):
        UsdGeom.Imageable(made.GetPrimAtPath(f"/World/{path}")).MakeInvisible()
    assert environments.find(made, [ENVS]) == ([f"/World/env_{i}" for i in range(4)], "")
    made.GetPrimAtPath("/World/env_3/cup/geom").GetAttribute("size").Set(0.3)
    paths, why = environments.find(made, [ENVS])
    assert not paths and "</World/env_0> and </World/env_3> differ" in why


def test_what_stands_around_is_where_the_stage_has_it(device: str) -> None:
    """A table stands below the cup of the second environment, and still does after a reset."""
    found = StageWorld(spread([CUP] * 3, GROUND + TABLE), [ENVS], device=device)
    assert found.place("/World/table").env is None
    for _ in range(2):
        table = host(found.world.objects["table"].root_pose)
        np.testing.assert_allclose(table[:, :3], [[2.1, 0, 0.2], [0.1, 0, 0.2], [-1.9, 0, 0.2]], atol=1e-6)
        found.world.step(200)
        falls = [heights(found, f"/World/env_{i}/cup") for i in range(3)]
        np.testing.assert_allclose(falls, [0.1, 0.5, 0.1], atol=2e-3)
        found.reset([1, 2])


def test_one_environment_with_everything_moves_as_many_do(device: str) -> None:
    many = StageWorld(spread([CUP] * 2, GROUND + TABLE), [ENVS], device=device)
    one = StageWorld(spread([CUP] * 2, GROUND + TABLE), device=device)
    assert one.env_paths == [] and one.world.num_envs == 1 and len(one.world.objects) == 5
    for world in (many.world, one.world):
        world.step(200)
    for path in (f"/World/env_{i}/{name}" for i in range(2) for name in ("cup", "lid")):
        assert abs(heights(many, path) - heights(one, path)) < 1e-4
        assert one.place(path).env == 0


def test_first_environment_away_from_the_origin(device: str) -> None:
    """Robots, and joints to the world within their trees and outside, are seen from the environment's origin."""
    arm = prim("Xform", "robot", body("arm", BOX, (0.0, -0.5, 1.0)), "PhysicsArticulationRootAPI")
    pin = "point3f physics:localPos0 = ({x}, {y}, 1.0)\npoint3f physics:localPos1 = (0, -0.2, 0)\n"
    pin += 'uniform token physics:axis = "X"'
    arm += joint("RevoluteJoint", "hinge", "", "/World/env_0/robot/arm", pin.format(x=7.0, y=2.3))
    held = joint("FixedJoint", "weld", "", "/World/env_0/cup", "point3f physics:localPos0 = (7.1, 3, 0.3)")
    made = stage(prim("Xform", "World", prim("Xform", "env_0", CUP + arm + held, place=(7.0, 3.0, 0.0))))
    refer(made, "env_1", (-1.0, 0.0, 0.0))
    found = StageWorld(made, [ENVS], device=device)
    arm_1 = found.place("/World/env_1/robot/arm")
    assert found.world.num_envs == 2 and arm_1.env == 1
    np.testing.assert_allclose(
        host(found.world.robots[arm_1.actor].body_pose)[:, -1, :3], [[0, -0.5, 1]] * 2, atol=1e-6
    )
    found.world.step(100)
    np.testing.assert_allclose(host(found.world.objects["cup"].root_pose)[:, :3], [[0.1, 0, 0.3]] * 2, atol=1e-4)


HELD = CUP + joint("FixedJoint", "weld", "", "/World/env_0/cup", "point3f physics:localPos0 = (0.1, 0, 0.3)")


@pytest.mark.parametrize(
    ("inside", "outside", "apart", "why"),
    [
        ([HELD, HELD.replace("0.2", "0.3", 1)], GROUND, (2, 0, 0), "or joints between robots and objects"),
        ([CUP, CUP + body("spoon")], GROUND, (2, 0, 0), "have other children: spoon"),
        ([CUP] * 2, GROUND + body("ball", place=(9, 0, 2)), (2, 0, 0), "</World/ball> moves, and stands outside"),
        ([CUP] * 2, GROUND, (2, 0, 1), "the ground </World/ground> is at other heights"),
    ],
    ids=["joints", "children", "moves", "slope"],
)
def test_why_a_stage_is_one_environment(
    inside: list[str], outside: str, apart: tuple[float, float, float], why: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "phalanx.facade"):
        found = StageWorld(spread(inside, outside, apart), [ENVS])
    assert found.env_paths == [] and found.world.num_envs == 1
    assert why in caplog.text


def test_turned_environments_and_several_sorts_of_them() -> None:
    made = spread([CUP] * 2)
    made.GetPrimAtPath("/World/env_1").CreateAttribute("xformOp:rotateZ", Sdf.ValueTypeNames.Double).Set(90.0)
    made.GetPrimAtPath("/World/env_1").GetAttribute("xformOpOrder").Set(["xformOp:translate", "xformOp:rotateZ"])
    assert environments.find(made, [ENVS]) == ([], "</World/env_1> is turned or scaled")
    made = stage(prim("Xform", "World", "".join(prim("Xform", name, CUP) for name in ("a1", "a2", "b1", "b2"))))
    paths, why = environments.find(made, ["/World/a./cup", "/World/b./cup"])
    assert not paths and why == "assets have copies below different prims: /World/a. and /World/b."
    assert environments.find(made, ["/World/a1/cup", "/World/a1/.*", "/World/c.*/cup"]) == ([], "")


def test_connections_of_attributes_count() -> None:
    """To its own counterpart an attribute may be connected; to another prim's, or not at all, is a difference."""
    made = spread([CUP, CUP])
    size = [made.GetPrimAtPath(f"/World/env_{i}/cup/geom").GetAttribute("size") for i in range(2)]
    size[0].AddConnection("/World/env_0/lid/geom.size")
    told = "</World/env_0> and </World/env_1> differ: size of /World/env_1/cup/geom"
    assert environments.find(made, [ENVS]) == ([], told)
    size[1].AddConnection("/World/env_0/lid/geom.size")
    assert environments.find(made, [ENVS]) == ([], told)
    size[1].SetConnections(["/World/env_1/lid/geom.size"])
    size[0].SetConnections(["/World/env_0/lid/geom.size"])
    assert environments.find(made, [ENVS]) == (["/World/env_0", "/World/env_1"], "")


def test_shapes_that_are_only_seen_are_read_for_films(device: str) -> None:
    """Robots whose shapes touch nothing, such as Isaac Lab's cart and pole, could not be filmed; they move alike."""
    heavy = (
        prim("Cube", "look", "double size = 0.2")
        + "float physics:mass = 1\n float3 physics:diagonalInertia = (1, 1, 1)"
    )
    made = spread([body("cup", heavy, (0.0, 0.0, 2.0))] * 2)
    plain = StageWorld(made, [ENVS], device=device)
    read_visuals()
    try:
        shown = StageWorld(made, [ENVS], device=device)
    finally:
        read_visuals(False)
    with pytest.raises(ValueError, match="nothing in the world has a shape to show"):
        WorldPainter(plain.world, size=(32, 24))
    picture = WorldPainter(shown.world, size=(32, 24), passes=1).draw()
    assert picture.shape == (24, 32, 3) and len(np.unique(picture)) > 2
    for _ in range(3):
        plain.step()
        shown.step()
    assert heights(shown, "/World/env_1/cup") == heights(plain, "/World/env_1/cup") < 2.0
