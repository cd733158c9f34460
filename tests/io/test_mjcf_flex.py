"""MJCF's flexcomp becomes soft bodies, cloth and ropes, with MuJoCo's points."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco as _mujoco
import numpy as np
import pytest
from oracles import host

import phalanx as px

mj: Any = _mujoco  # whose types are not declared

SCENE = """
<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="stand" pos="0 0 1" quat="0.9 0.1 0.2 0.3">
      <geom type="sphere" size="0.01"/>
      <flexcomp name="cloth" type="grid" dim="2" count="4 3 1" spacing="0.1 0.2 0.1" mass="0.2" radius="0.004"
          pos="0.5 0 0.1" euler="10 20 30">
        <elasticity young="3e4" poisson="0.2" thickness="2e-3" elastic2d="both"/>
        <contact selfcollide="none" friction="0.3"/>
        <pin id="0" gridrange="2 1 3 2"/>
      </flexcomp>
    </body>
    <flexcomp name="jelly" type="grid" dim="3" count="3 2 4" spacing="0.05 0.06 0.07" mass="0.5" pos="0 1 0.5">
      <elasticity young="5e4" poisson="0.3"/>
      <contact selfcollide="none"/>
      <pin grid="0 0 0 2 1 3"/>
    </flexcomp>
    <flexcomp name="string" type="grid" dim="1" count="6 1 1" spacing="0.05 1 1" mass="0.05" radius="0.01" pos="0 -1 1">
      <pin range="0 1"/>
    </flexcomp>
    <flexcomp name="pair" type="direct" dim="3" mass="0.1" pos="2 0 1" scale="0.1 0.1 0.1"
        point="0 0 0  1 0 0  0 1 0  0 0 1  1 1 1" element="0 1 2 3  1 2 3 4">
      <elasticity young="1e5"/>
      <contact selfcollide="none"/>
    </flexcomp>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> tuple[px.World, Any, Any]:
    """The world, what was added, and MuJoCo's model."""
    path = tmp_path_factory.mktemp("flex") / "scene.xml"
    path.write_text(SCENE)
    made = px.World()
    added = made.add_mjcf(path)
    return made, added, mj.MjModel.from_xml_path(str(path))


def test_points_are_where_mujoco_has_them(read: tuple[px.World, Any, Any]) -> None:
    made, added, model = read
    assert list(added.deformables) == ["jelly", "pair"] and list(added.cloths) == ["cloth"]
    assert list(added.ropes) == ["string"]
    data = mj.MjData(model)
    mj.mj_forward(model, data)
    for number in range(model.nflex):
        name = mj.mj_id2name(model, mj.mjtObj.mjOBJ_FLEX, number)
        first, count = model.flex_vertadr[number], model.flex_vertnum[number]
        theirs = data.flexvert_xpos[first : first + count]
        np.testing.assert_allclose(made.all_deformables[name].default_node_pos, theirs, atol=1e-6)


def test_what_is_pinned(read: tuple[px.World, Any, Any]) -> None:
    """As many points as MuJoCo gives no body of their own, and each where it is; those of bodies are tied to them."""
    made, _, model = read
    tied = {one.body_name: one for one in made.attachments}
    for number in range(model.nflex):
        name = mj.mj_id2name(model, mj.mjtObj.mjOBJ_FLEX, number)
        first, count = model.flex_vertadr[number], model.flex_vertnum[number]
        bodies = model.flex_vertbodyid[first : first + count]
        fixed = np.flatnonzero(model.body_dofnum[bodies] == 0)
        assert np.array_equal(tied[name].nodes if name in tied else [], fixed), name
    assert tied["cloth"].to == ("stand", "stand") and tied["jelly"].to is None


def test_masses_and_materials(read: tuple[px.World, Any, Any]) -> None:
    made, _, _ = read
    for name, mass in (("cloth", 0.2), ("jelly", 0.5), ("string", 0.05), ("pair", 0.1)):
        assert host(made.all_deformables[name].node_mass).sum() == pytest.approx(mass, rel=1e-5)
    cloth, jelly = made.cloths["cloth"].part, made.deformables["jelly"].part
    assert (cloth.youngs_modulus, cloth.thickness, cloth.rest_offset) == (3e4, 2e-3, 0.004)
    assert cloth.bending_stiffness == pytest.approx(3e4 * 8e-9 / 12 / (1 - 0.04))
    assert (jelly.youngs_modulus, jelly.poissons_ratio) == (5e4, 0.3) and not jelly.touches_cloth
    assert made.ropes["string"].part.radius == 0.01


@pytest.mark.parametrize(
    ("flex", "message"),
    [
        ('<flexcomp type="grid"/>', "a flexcomp must have a name"),
        ('<flexcomp name="a" dim="2" count="3 3 2"/>', "a grid of 2 dimensions has 2 points or more"),
        ('<flexcomp name="a" rigid="true"/>', "rigid flexes are not simulated"),
        ('<flexcomp name="a" dim="4"/>', "it must be 1, 2 or 3"),
        ('<flexcomp name="a" dim="2" count="3 3 1"><pin id="9"/></flexcomp>', "there is no such point"),
        ('<flexcomp name="a" dim="2" count="3 3 1"><pine id="9"/></flexcomp>', "unknown"),
        (
            '<flexcomp name="a" type="direct" dim="3" point="0 0 0 1 0 0 0 1 0 1 1 0" element="0 1 2 3"/>',
            r"bad\.xml:1.*tetrahedron 0.*is flat",
        ),
        (
            '<flexcomp name="a" type="direct" dim="2" point="0 0 0 1 0 0 0 1 0 0 0 1 0 0 -1" '
            'element="0 1 2 0 1 3 0 1 4"/>',
            "share the edge",
        ),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, flex: str, message: str) -> None:
    (tmp_path / "bad.xml").write_text(f"<mujoco><worldbody>{flex}</worldbody></mujoco>")
    with pytest.raises(px.LoadError, match=message):
        px.World().add_mjcf(tmp_path / "bad.xml")
