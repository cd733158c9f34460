"""Commands that make, change and remove prims, and those of users."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from phalanx.facade import stage
from phalanx.facade.isaacsim.core.prims import SingleXFormPrim
from phalanx.facade.omni.kit import commands
from phalanx.facade.omni.kit.commands import execute
from phalanx.io.formats.usd.bindings import Gf, Sdf, UsdGeom


def prim(path: str) -> Any:
    return stage.get_stage().GetPrimAtPath(path)


def volume(mesh: Any) -> float:
    """Enclosed by triangles that are counter-clockwise from outside."""
    points = np.array(mesh.GetPointsAttr().Get())
    a, b, c = points[np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)].transpose(1, 0, 2)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


@pytest.mark.parametrize(
    ("kind", "exact"),
    [
        ("Cube", 8.0),
        ("Sphere", 4 / 3 * np.pi),
        ("Cylinder", 2 * np.pi),
        ("Cone", 2 / 3 * np.pi),
        ("Torus", 2 * np.pi**2 * 0.75 / 16),
        ("Plane", 0.0),
        ("Disk", 0.0),
    ],
)
def test_meshes(kind, exact):
    _, path = execute("CreateMeshPrimWithDefaultXform", prim_type=kind, half_scale=1.0)
    assert path == f"/{kind}"
    mesh = UsdGeom.Mesh(prim(path))
    low, high = np.array(mesh.GetExtentAttr().Get())
    np.testing.assert_allclose([low[:2], high[:2]], [[-1, -1], [1, 1]], atol=1e-6)
    assert volume(mesh) == pytest.approx(exact, rel=0.04, abs=1e-9)
    assert execute("CreateMeshPrimWithDefaultXformCommand", prim_type=kind)[1] == f"/{kind}_01"


def test_prims_are_made_changed_moved_copied_and_removed():
    execute("CreatePrim", prim_type="Sphere", prim_path="/World/ball", attributes={"radius": 0.25})
    execute("CreatePrimWithDefaultXform", prim_type="Xform", prim_path="/World/ball")
    assert prim("/World/ball").GetAttribute("radius").Get() == 0.25 and prim("/World/ball_01").IsA(UsdGeom.Xform)
    execute("ChangeProperty", prop_path=Sdf.Path("/World/ball.radius"), value=2.0, prev=None)
    assert prim("/World/ball").GetAttribute("radius").Get() == 2.0
    with pytest.raises(ValueError, match="there is no attribute /World/ball"):
        execute("ChangeProperty", prop_path="/World/ball.size", value=2.0, prev=None)
    turn = Gf.Rotation(Gf.Vec3d(0, 0, 1), 90.0)
    place = Gf.Matrix4d().SetScale(2.0) * Gf.Matrix4d(turn, Gf.Vec3d(1, 2, 3))
    execute("TransformPrim", path="/World/ball", new_transform_matrix=place)
    found = UsdGeom.Xformable(prim("/World/ball")).GetLocalTransformation()
    np.testing.assert_allclose(np.array(found), np.array(place), atol=1e-12)
    assert execute("CopyPrim", path_from="/World/ball", path_to="/World/twin")[1] == "/World/twin"
    for wrong in ({"paths": None}, {"paths": 3}, {"stage": "x", "paths": ["/World/ball"]}, {"path": "/World/ball"}):
        with pytest.raises(TypeError, match=r"execute\('DeletePrims'\): an argument does not fit .*; it takes paths"):
            execute("DeletePrims", **wrong)
    execute("MovePrimCommand", path_from="/World/twin", path_to="/World/moved")
    assert not prim("/World/twin") and prim("/World/moved").GetAttribute("radius").Get() == 2.0
    execute("DeletePrims", paths=["/World/moved", "/World/ball_01"])
    assert not prim("/World/moved") and not prim("/World/ball_01") and prim("/World/ball")


def test_isaac_sims_own(tmp_path):
    file = tmp_path / "thing.usda"
    made = Sdf.Layer.CreateNew(str(file))
    made.ImportFromString('#usda 1.0\n(defaultPrim = "thing")\ndef Cube "thing" {}\n')
    made.Save()
    half = np.sqrt(0.5)
    execute("IsaacSimSpawnPrim", usd_path=str(file), prim_path="/t", translation=(1, 2, 3), rotation=(0, 0, half, half))
    position, orientation = SingleXFormPrim("/t").get_world_pose()
    np.testing.assert_allclose(position, [1, 2, 3], atol=1e-6)
    np.testing.assert_allclose(orientation, [half, 0, 0, half], atol=1e-6)
    execute("IsaacSimTeleportPrim", prim_path="/t", translation=(0, 0, 1))
    execute("IsaacSimScalePrim", prim_path="/t", scale=(1.5, 2.0, 3.0))
    thing = SingleXFormPrim("/t", reset_xform_properties=False)
    np.testing.assert_allclose(thing.get_world_pose()[0], [0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(thing.get_local_scale(), [1.5, 2, 3], atol=1e-6)
    execute("IsaacSimDestroyPrim", prim_path="/t")
    assert not prim("/t")


class DoubleItCommand(commands.Command):
    def __init__(self, value: float) -> None:
        self._value = value

    def do(self) -> float:
        return 2 * self._value


def test_commands_of_users():
    message = r"'DoubleIt'.*there is no such command here; there are AddRigidBodyMaterial, .*ChangeProp"
    with pytest.raises(NotImplementedError, match=message):
        execute("DoubleIt", value=2)
    commands.register_all_commands_in_module(__name__)
    assert execute("DoubleIt", value=2) == execute("DoubleItCommand", value=2) == (True, 4)
    commands.unregister(DoubleItCommand)
    with pytest.raises(NotImplementedError):
        execute("DoubleIt", value=2)
