"""What scripts import as ``pxr.PhysicsSchemaTools``, which usd-core does not have: what places physics on a stage."""

from __future__ import annotations

from typing import Any

from phalanx.io.formats.usd.bindings import Gf, Sdf, Stage, UsdGeom, UsdPhysics

_MASK = 0xFFFFFFFF
"""32 bits."""


def addGroundPlane(stage: Stage, planePath: str, axis: str, size: float, position: Any, color: Any) -> str:
    """A ground that nothing falls through, drawn as a square.

    Args:
        stage: that gets it.
        planePath: of the ground, an ``Xform`` with the square and the plane that collides below it. A number is added
            if the path is taken.
        axis: that it is square to, "X", "Y" or "Z".
        size: half the square's edge, in stage units; what collides has no end.
        position: of its middle.
        color: that it is drawn in.

    Returns:
        The path of the ground.

    Raises:
        ValueError: there is no such axis.
    """
    from phalanx.facade.omni.usd import get_stage_next_free_path

    axis = str(axis).upper()
    if axis not in ("X", "Y", "Z"):
        raise ValueError(f"axis={axis!r}; it must be 'X', 'Y' or 'Z'")
    path = Sdf.Path(get_stage_next_free_path(stage, str(planePath), False))
    ground = UsdGeom.Xform.Define(stage, path)
    ground.AddTranslateOp().Set(Gf.Vec3d(*(float(value) for value in position)))
    ground.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Quatd(1.0))
    ground.AddScaleOp().Set(Gf.Vec3f(1.0))
    half = float(size)
    mesh = UsdGeom.Mesh.Define(stage, path.AppendChild("CollisionMesh"))
    corners = [(-half, -half, 0.0), (half, -half, 0.0), (half, half, 0.0), (-half, half, 0.0)]
    turn = Gf.Rotation(Gf.Vec3d(0, 0, 1), Gf.Vec3d(*(float(axis == name) for name in "XYZ")))
    points = [Gf.Vec3f(turn.TransformDir(Gf.Vec3d(*corner))) for corner in corners]
    mesh.CreatePointsAttr(points)
    mesh.CreateFaceVertexCountsAttr([4])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2, 3])
    mesh.CreateNormalsAttr([Gf.Vec3f(turn.TransformDir(Gf.Vec3d(0, 0, 1)))] * 4)
    mesh.CreateExtentAttr(UsdGeom.PointBased.ComputeExtent(points))
    mesh.CreateDisplayColorAttr([Gf.Vec3f(*(float(value) for value in color))])
    plane = UsdGeom.Plane.Define(stage, path.AppendChild("CollisionPlane"))
    plane.CreateAxisAttr(axis)
    plane.CreatePurposeAttr(UsdGeom.Tokens.guide)
    UsdPhysics.CollisionAPI.Apply(plane.GetPrim())
    return str(path)


def encodeSdfPath(path: Any) -> tuple[int, int]:
    """Two whole numbers of 32 bits that stand for a path in this process: see :func:`decodeSdfPath`."""
    number = _number(Sdf.Path(str(path)))
    return number & _MASK, number >> 32


def decodeSdfPath(part0: int, part1: int) -> Sdf.Path:  # pyright: ignore[reportInvalidTypeForm]
    """The path that two numbers stand for; the empty path if they stand for none."""
    return _known.get(part0 | part1 << 32, Sdf.Path())


def sdfPathToInt(path: Any) -> int:
    """A whole number that stands for a path in this process: see :func:`intToSdfPath`."""
    return _number(Sdf.Path(str(path)))


def intToSdfPath(number: int) -> Sdf.Path:  # pyright: ignore[reportInvalidTypeForm]
    """The path that a number stands for; the empty path if it stands for none."""
    return _known.get(int(number), Sdf.Path())


def _number(path: Any) -> int:
    if path not in _numbers:
        _numbers[path] = len(_numbers) + 1
        _known[_numbers[path]] = path
    return _numbers[path]


_numbers: dict[Any, int] = {}
_known: dict[int, Any] = {}

__all__ = ["addGroundPlane", "decodeSdfPath", "encodeSdfPath", "intToSdfPath", "sdfPathToInt"]
