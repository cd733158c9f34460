"""How USD files are put together: references, payloads, instances, variants, and folders that they must not leave."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from usd_files import BALL, body, joint, prim, save, stage, text

import phalanx as px
from phalanx.io.formats.usd import load_robot, load_scene, read_stage
from phalanx.io.formats.usd.bindings import Usd, UsdGeom
from phalanx.io.formats.usd.bodies import RigidBody
from phalanx.io.reading.errors import LoadError

PENDULUM = prim(
    "Xform",
    "pendulum",
    body("base")
    + body("rod", BALL, (0, 0, -1))
    + joint("RevoluteJoint", "hinge", "/pendulum/base", "/pendulum/rod", "point3f physics:localPos1 = (0, 0, 1)"),
    "PhysicsArticulationRootAPI",
)


def refer(name: str, file: str, how: str = "references", more: str = "", inside: str = "") -> str:
    return f'def Xform "{name}" ( {more}\n prepend {how} = @{file}@</pendulum> ) {{\n{inside}\n}}\n'


def test_references_payloads_and_sublayers_are_composed(tmp_path: Path) -> None:
    save(tmp_path, PENDULUM, "parts/pendulum.usda")
    move = 'double3 xformOp:translate = (5, 0, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]\n'
    heavier = 'over "rod" {\n float physics:mass = 3\n}\n'
    main = refer("one", "parts/pendulum.usda", inside=move + heavier) + refer("two", "./parts/pendulum.usda", "payload")
    scene = load_scene(save(tmp_path, main))
    assert list(scene.actors) == ["one", "two"] and scene.warnings == []
    one, two = (actor.model for actor in scene.actors.values())
    assert one.position == (5.0, 0.0, 0.0) and one.bodies[1].mass == 3.0 and two.bodies[1].mass != 3.0
    assert [joint.name for joint in two.joints] == ["hinge"]
    (tmp_path / "over.usda").write_text(
        text("").replace("(\n", '(\n subLayers = [@model.usda@]\n defaultPrim = "one"\n', 1)
    )
    again = load_scene(tmp_path / "over.usda")
    assert again.name == "one" and list(again.actors) == ["one", "two"]


def test_prims_of_a_file_may_refer_to_each_other(tmp_path: Path) -> None:
    looks = 'def Xform "shapes" ( instanceable = true\n prepend references = </_class_shapes> ) {\n}\n'
    shapes = 'class Xform "_class_shapes" {\n' + BALL + "}\n"
    scene = load_scene(save(tmp_path, shapes + body("a", looks) + body("b", looks, (1, 0, 0))))
    assert [len(actor.model.bodies[0].collisions) for actor in scene.actors.values()] == [1, 1]


def test_instances_are_read_like_what_they_are_instances_of(tmp_path: Path) -> None:
    save(tmp_path, prim("Xform", "pendulum", BALL + prim("Mesh", "m")), "shape.usda")
    looks = refer("shapes", "shape.usda", more="instanceable = true")
    bodies_ = body("a", looks) + body("b", looks, (1, 0, 0))
    scene = load_scene(save(tmp_path, bodies_))
    assert [len(actor.model.bodies[0].collisions) for actor in scene.actors.values()] == [1, 1]
    assert scene.actors["b"].model.bodies[0].collisions[0].name == "/b/shapes/ball"
    whole = save(tmp_path, PENDULUM, "pendulum.usda")
    scene = load_scene(
        save(tmp_path, "".join(refer(n, whole.name, more="instanceable = true") for n in ("x", "y")), "two.usda")
    )
    assert {name: len(actor.model.bodies) for name, actor in scene.actors.items()} == {"x": 2, "y": 2}
    assert scene.actors["y"].bodies == {"/y/base": "base", "/y/rod": "rod"}


def test_variants_and_inactive_prims_are_as_chosen(tmp_path: Path) -> None:
    chosen = (
        'def Xform "r" ( prepend variantSets = "size"\n variants = { string size = "big" } ) {\n'
        f'variantSet "size" = {{\n "big" {{\n{body("b", BALL.replace("0.1", "0.5"))} }}\n'
        f' "small" {{\n{body("b")} }}\n }}\n}}\n'
    )
    off = body("gone").replace("( prepend", "( active = false\n prepend")
    scene = load_scene(save(tmp_path, chosen + off))
    assert list(scene.actors) == ["b"]
    assert scene.actors["b"].model.bodies[0].collisions[0].size == (0.5,)


def test_parts_of_a_stage_can_be_read_on_their_own() -> None:
    made = stage(
        prim("Xform", "env_0", PENDULUM.replace("/pendulum", "/env_0/pendulum"))
        + prim("Xform", "env_1", PENDULUM.replace("/pendulum", "/env_1/pendulum"), place=(0, 9, 0))
    )
    scene = read_stage(made, "/env_1")
    (actor,) = scene.actors.values()
    assert (actor.name, actor.path, actor.model.position) == ("pendulum", "/env_1/pendulum", (0.0, 9.0, 0.0))
    with pytest.raises(LoadError, match="there is no prim </env_2>"):
        read_stage(made, "/env_2")
    # What users edit on the stage counts when it is read.
    UsdGeom.XformCommonAPI(made.GetPrimAtPath("/env_0/pendulum")).SetTranslate((0, 0, 7))
    assert read_stage(made, "/env_0").actors["pendulum"].model.position == (0.0, 0.0, 7.0)
    rod = read_stage(made, "/env_0/pendulum/rod")
    assert [actor.kind for actor in rod.actors.values()] == ["dynamic"] and rod.held == []


OUTSIDE = {
    "above": ("../pendulum.usda", "leads to .*outside the folders allowed"),
    "absolute": ("{top}/pendulum.usda", "leads to .*outside the folders allowed"),
    "by a link": ("link.usda", "leads to .*outside the folders allowed"),
    "in a package": ("link.usdz[pendulum.usda]", "leads to .*outside the folders allowed"),
    "missing": ("none.usda", "the file .*none.usda is missing"),
    "an address": ("https://example.com/a.usd", "is an address; download it"),
    "an expression": ('`"../" + "pendulum.usda"`', "is an expression; write the path"),
}


@pytest.mark.parametrize("how", ["references", "payload"])
@pytest.mark.parametrize("name", OUTSIDE)
def test_files_must_lie_where_the_user_said(name: str, how: str, tmp_path: Path) -> None:
    file, message = OUTSIDE[name]
    save(tmp_path, PENDULUM, "pendulum.usda")
    inner = tmp_path / "inner"
    inner.mkdir()
    for link in ("link.usda", "link.usdz"):
        (inner / link).symlink_to(tmp_path / "pendulum.usda")
    main = save(inner, refer("r", file.format(top=tmp_path), how))
    with pytest.raises(LoadError, match=message):
        load_scene(main)
    # By way of another file, and in a variant that is not chosen.
    save(inner, refer("pendulum", file.format(top=tmp_path), how), "middle.usda")
    variant = (
        'def Xform "r" ( prepend variantSets = "v"\n variants = { string v = "no" } ) {\n variantSet "v" = {\n'
        ' "no" {\n }\n "yes" ( prepend references = @middle.usda@ ) {\n }\n }\n}\n'
    )
    with pytest.raises(LoadError, match=message):
        load_scene(save(inner, variant, "variant.usda"))


def test_clips_of_values_are_refused(tmp_path: Path) -> None:
    clips = 'def Xform "a" ( clips = { dictionary default = { asset[] assetPaths = [@/etc/passwd@] } } ) {\n}\n'
    variant = f'def Xform "r" ( prepend variantSets = "v" ) {{\n variantSet "v" = {{\n "w" {{\n{clips} }}\n }}\n}}\n'
    for text_, path in ((clips, "/a"), (prim("Xform", "r", clips), "/r/a"), (variant, "/r{v=w}a")):
        with pytest.raises(LoadError, match=f"<{path}>: value clips are not read"):
            load_scene(save(tmp_path, text_))


def test_folders_can_be_allowed(tmp_path: Path) -> None:
    save(tmp_path, PENDULUM, "lib/pendulum.usda")
    main = save(tmp_path / "scene", refer("r", "../lib/pendulum.usda"))
    with pytest.raises(LoadError, match="add its folder to asset_dirs"):
        load_scene(main)
    assert list(load_scene(main, [tmp_path / "lib"]).actors) == ["r"]
    world = px.World()
    assert list(world.add_usd(main, asset_dirs=str(tmp_path / "lib")).robots) == ["r"]
    (tmp_path / "package.xml").write_text("<package><name>p</name></package>")
    assert load_robot(main).name == "r"


def test_packages_and_crates_are_read(tmp_path: Path) -> None:
    from phalanx.io.formats.usd.bindings import UsdUtils

    file = save(tmp_path, PENDULUM)
    crate = tmp_path / "model.usdc"
    Usd.Stage.Open(str(file)).Export(str(crate))
    package = tmp_path / "model.usdz"
    assert UsdUtils.CreateNewUsdzPackage(str(crate), str(package))
    expected = load_robot(file).to_dict()
    for one in (crate, package):
        model = load_robot(one)
        model.source = str(file)
        assert model.to_dict() == expected


BROKEN = {
    "text": ("#usda 1.0\ndef Xform {", "model.usda: this is not a readable USD file"),
    "nothing": ("", "model.usda: this is not a readable USD file"),
    "bytes": ("PXR-USDC\x00\x01", "model.usda: this is not a readable USD file"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_files_that_are_none_are_refused(name: str, tmp_path: Path) -> None:
    content, message = BROKEN[name]
    file = tmp_path / "model.usda"
    file.write_text(content)
    with pytest.raises(LoadError, match=message):
        load_scene(file)
    with pytest.raises(LoadError, match="no such file"):
        load_scene(tmp_path / "other.usd")


def test_what_could_not_be_composed_is_told(tmp_path: Path) -> None:
    save(tmp_path, BALL, "ball.usda")
    scene = load_scene(save(tmp_path, refer("r", "ball.usda") + body("b")))
    assert any("could not be composed" in one for one in scene.warnings)


def test_a_file_with_several_robots_is_a_scene(tmp_path: Path) -> None:
    file = save(tmp_path, PENDULUM + PENDULUM.replace("pendulum", "other"))
    with pytest.raises(LoadError, match=r"has 2 robots \(pendulum, other\) where one is needed"):
        px.World().add_robot(file)
    cube = save(tmp_path, body("cube", BALL, (0, 0, 2)), "cube.usda")
    world = px.World()
    thing = world.add_rigid_object(str(cube), "thing")
    assert thing.kind == "dynamic" and world._placements["thing"]["angular_damping"] == 0.05
    np.testing.assert_allclose(thing.part.articulation.links[0].mass, 1000 * 4 / 3 * np.pi * 1e-3)


def test_the_work_is_in_proportion_to_the_number_of_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    path = RigidBody.path.fget
    assert path is not None
    monkeypatch.setattr(RigidBody, "path", property(lambda one: asked.append(1) or path(one)))
    counts = []
    for amount in (20, 40):
        asked.clear()
        read_stage(stage("".join(body(f"b{n}", BALL, (n, 0, 0)) for n in range(amount))))
        counts.append(len(asked))
    assert counts[1] == 2 * counts[0]
