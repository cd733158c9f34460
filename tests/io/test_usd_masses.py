"""Masses of bodies, whatever they and their colliders say, are those that UsdPhysics computes."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from usd_files import stage

from phalanx.io.formats.usd import read_stage
from phalanx.io.formats.usd.bindings import Gf, UsdGeom, UsdPhysics
from phalanx.maths.arrays import matrix
from phalanx.models.meshes import mass_properties
from phalanx.models.robot_model import Shape

numbers = st.floats(-2.0, 2.0).map(lambda x: round(x, 2))
positive = st.floats(0.5, 4.0).map(lambda x: round(x, 2))
vectors = st.tuples(numbers, numbers, numbers)
turns = st.tuples(numbers, numbers, numbers, numbers).filter(lambda q: np.linalg.norm(q) > 0.1)


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), strategy)


said = st.fixed_dictionaries(
    {
        "mass": maybe(positive),
        "density": maybe(positive),
        "com": maybe(vectors),
        "inertia": maybe(st.tuples(*[st.floats(1.0, 1.9)] * 3)),
        "axes": turns,
    }
)
collider = st.fixed_dictionaries(
    {"kind": st.sampled_from(["Cube", "Sphere"]), "size": positive, "place": vectors, "turn": turns, "said": said}
)


def tell(prim: Any, what: dict[str, Any]) -> None:
    mass = UsdPhysics.MassAPI.Apply(prim)
    if what["mass"] is not None:
        mass.CreateMassAttr(what["mass"])
    if what["density"] is not None:
        mass.CreateDensityAttr(what["density"])
    if what.get("com") is not None:
        mass.CreateCenterOfMassAttr(Gf.Vec3f(*what["com"]))
    if what.get("inertia") is not None:
        mass.CreateDiagonalInertiaAttr(Gf.Vec3f(*what["inertia"]))
        mass.CreatePrincipalAxesAttr(Gf.Quatf(*what["axes"]).GetNormalized())


@given(said, st.lists(collider, min_size=1, max_size=3), positive)
@settings(max_examples=150, deadline=None)
def test_masses_are_those_of_usdphysics(body: dict[str, Any], colliders: list[dict[str, Any]], scale: float) -> None:
    made = stage("")
    top = UsdGeom.Xform.Define(made, "/b")
    top.AddTranslateOp().Set(Gf.Vec3d(1, 2, 3))
    top.AddScaleOp().Set(Gf.Vec3f(scale, scale, scale))
    api = UsdPhysics.RigidBodyAPI.Apply(top.GetPrim())
    tell(top.GetPrim(), body)
    solids = {}
    scale = float(np.float32(scale))
    for n, one in enumerate(colliders):
        shape = getattr(UsdGeom, one["kind"]).Define(made, f"/b/c{n}")
        shape.AddTranslateOp().Set(Gf.Vec3d(*one["place"]))
        turn = Gf.Quatf(*one["turn"]).GetNormalized()
        shape.AddOrientOp().Set(turn)
        if one["kind"] == "Cube":
            shape.CreateSizeAttr(one["size"])
            solid = Shape("box", (0.5 * scale * one["size"],) * 3)
        else:
            shape.CreateRadiusAttr(one["size"])
            solid = Shape("sphere", (scale * one["size"],))
        UsdPhysics.CollisionAPI.Apply(shape.GetPrim())
        tell(shape.GetPrim(), one["said"])
        solids[f"/b/c{n}"] = (solid, [scale * x for x in one["place"]], turn)

    def information(prim: Any) -> Any:
        solid, place, turn = solids[str(prim.GetPath())]
        found = mass_properties.of([solid], 1.0)
        told = UsdPhysics.RigidBodyAPI.MassInformation()
        told.volume = found.mass
        told.inertia = Gf.Matrix3f(*found.inertia.reshape(-1).tolist())
        told.centerOfMass, told.localPos, told.localRot = Gf.Vec3f(0.0), Gf.Vec3f(*place), turn
        return told

    mass, moments, com, axes = api.ComputeMassProperties(information)
    turned = matrix([axes.GetReal(), *axes.GetImaginary()])
    found = read_stage(made).actors["b"].model.bodies[0]
    np.testing.assert_allclose(found.mass, mass, rtol=1e-5)
    np.testing.assert_allclose(found.com, com, atol=1e-5)
    theirs = turned @ np.diag(moments) @ turned.T
    np.testing.assert_allclose(found.inertia, theirs, atol=1e-4 * max(moments))
