"""Whatever values are written on a stage, it is read, or refused by an error that names file and prim."""

from __future__ import annotations

import math
import re
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from usd_files import BALL, body, joint, prim, stage

import phalanx as px
from phalanx.io.formats.usd.bindings import Gf, Tf
from phalanx.io.reading.errors import LoadError

HINGE = """point3f physics:localPos0 = (1, 0, 0)
float physics:lowerLimit = -20
float physics:upperLimit = 20
float drive:angular:physics:stiffness = 1
float drive:angular:physics:maxForce = 5
float physxJoint:armature = 0.1
float physxLimit:angular:stiffness = 0
"""
TEXT = prim(
    "Xform",
    "r",
    body(
        "a",
        "float physics:mass = 1\nfloat3 physics:diagonalInertia = (1, 1, 1)\npoint3f physics:centerOfMass = (0, 0, 0)\n"
        "quatf physics:principalAxes = (1, 0, 0, 0)\nfloat physxRigidBody:linearDamping = 0\n" + BALL,
    )
    + body("b", prim("Capsule", "c", "float physics:density = 5", "PhysicsCollisionAPI PhysicsMassAPI"), (1, 0, 0))
    + body("c", BALL, (2, 0, 0))
    + joint("RevoluteJoint", "j", "/r/a", "/r/b", HINGE, "PhysicsDriveAPI:angular PhysxLimitAPI:angular")
    + joint("SphericalJoint", "k", "/r/b", "/r/c", "point3f physics:localPos0 = (1, 0, 0)"),
    "PhysicsArticulationRootAPI",
) + (
    body("x", BALL, (5, 0, 0))
    + joint("DistanceJoint", "rope", "/r/a", "/x", "float physics:maxDistance = 9")
    + prim("Mesh", "m", "point3f[] points = [(0,0,0),(1,0,0),(0,1,0)]\nint[] faceVertexCounts = [3]\n"
           "int[] faceVertexIndices = [0, 1, 2]", "PhysicsCollisionAPI PhysicsMeshCollisionAPI")
    + prim("PhysicsScene", "s")
)  # fmt: skip
SAMPLE = stage(TEXT)
NAMES = [
    (str(one.GetPath()), attribute.GetName())
    for one in SAMPLE.Traverse()
    for attribute in one.GetAttributes()
    if attribute.GetNamespace() != "primvars"
]
numbers = st.sampled_from([0.0, -1.0, 1.0, 3.5, 1e-30, 1e30, math.nan, math.inf, -math.inf])
VALUES: dict[str, Any] = {
    **dict.fromkeys(("float", "double"), numbers),
    **dict.fromkeys(("float3", "point3f", "vector3f", "double3"), st.tuples(numbers, numbers, numbers)),
    "quatf": st.tuples(numbers, numbers, numbers, numbers).map(lambda v: Gf.Quatf(*v)),
    "bool": st.booleans(),
    "token": st.sampled_from(["X", "Z", "none", "convexHull", "no such word", ""]),
    "int[]": st.lists(st.sampled_from([0, 1, 2, 3, -1, 100]), max_size=6),
}


@given(st.data())
@settings(max_examples=120, deadline=None)
def test_any_values_are_read_or_refused(data: st.DataObject) -> None:
    made = stage(TEXT)
    for path, name in data.draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3)):
        attribute = made.GetPrimAtPath(path).GetAttribute(name)
        strategy = VALUES.get(str(attribute.GetTypeName()))
        if strategy is not None:
            attribute.Set(data.draw(strategy, label=f"{path}.{name}"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            px.World(dtype="float64").add_usd(made)
        except LoadError as error:
            assert re.match(r"anon:.*(: </|: mesh '/)", str(error))


def test_wrong_types_are_refused_by_usd_itself() -> None:
    with pytest.raises(Tf.ErrorException):
        SAMPLE.GetPrimAtPath("/r/a").GetAttribute("physics:mass").Set("heavy")
