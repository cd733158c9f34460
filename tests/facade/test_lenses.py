"""Lenses: directions of pixels against projections written down once more, forward; cameras that have them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from facade.camera_scenes import at, ball, basics, camera, looking
from facade.sensor_scenes import environments
from oracles import host

from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.sensors.camera import lenses
from phalanx.facade.isaaclab.sensors.camera.optics import LENSES, lens_rays
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.io.formats.usd.bindings import Sdf, Usd, UsdGeom

KANNALA_BRANDT = (-0.012, 0.003, -0.0011, 0.0001)
RADIAL = (0.02, -0.012, 0.004, -0.0008, 0.00007, 0.000002)
TANGENTIAL, PRISM = (0.0011, -0.0007), (0.0009, -0.0002, -0.0006, 0.0001)


def project(way: np.ndarray, kind: str, k: Any = (), p: Any = (0.0, 0.0), s: Any = (0.0,) * 4) -> tuple[float, float]:
    """Where a direction is in the picture, in focal lengths from the optical centre: the models as published."""
    x, y, z = way
    angle, phi = math.atan2(math.hypot(x, y), z), math.atan2(y, x)
    if kind == "equisolid":
        r = 2.0 * math.sin(angle / 2.0)
    elif kind == "orthographic":
        r = math.sin(angle)
    else:
        r = angle * (1.0 + sum(c * angle ** (2 * i + 2) for i, c in enumerate(k)))
    a, b = r * math.cos(phi), r * math.sin(phi)
    rr = a * a + b * b
    twice = 2.0 * (a * p[0] + b * p[1])
    return (
        a + twice * a + rr * p[0] + s[0] * rr + s[1] * rr * rr,
        b + twice * b + rr * p[1] + s[2] * rr + s[3] * rr * rr,
    )


def places(reach: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    x, y = rng.uniform(-reach, reach, (2, 400))
    x[0] = y[0] = y[1] = 0.0
    return x, y


@pytest.mark.parametrize(
    ("radius", "kind", "k", "reach"),
    [
        (lenses.equidistant, "equidistant", (), 1.5),
        (lenses.equisolid, "equisolid", (), 1.2),
        (lenses.orthographic, "orthographic", (), 0.7),
        (lenses.odd_polynomial(KANNALA_BRANDT), "kannala-brandt", KANNALA_BRANDT, 1.2),
        (lenses.odd_polynomial((0.0, 0.00245, 0.0, 0.0)), "kannala-brandt", (0.0, 0.00245, 0.0, 0.0), 1.8),
    ],
    ids=["equidistant", "equisolid", "orthographic", "kannala-brandt", "defaults"],
)
def test_round_trip_of_round_lenses(radius: Any, kind: str, k: Any, reach: float) -> None:
    """From pixels to directions and back."""
    x, y = places(reach)
    widest = 0.5 * np.pi if kind == "orthographic" else np.pi
    ways = lenses.fisheye(x, y, radius, widest)
    np.testing.assert_allclose(np.linalg.norm(ways, axis=-1), 1.0, atol=1e-12)
    back = np.array([project(way, kind, k) for way in ways])
    np.testing.assert_allclose(back, np.stack([x, y], -1), atol=1e-9)
    np.testing.assert_allclose(ways[0], [0, 0, 1], atol=1e-12)


def test_round_trip_with_tangential_and_prism_distortion() -> None:
    """Also of what is more than 90 degrees off the axis; without them it is the same as without the model."""
    x, y = places(1.5)
    ways = lenses.prism_fisheye(x, y, RADIAL, TANGENTIAL, PRISM, np.pi)
    back = np.array([project(way, "", RADIAL, TANGENTIAL, PRISM) for way in ways])
    np.testing.assert_allclose(back, np.stack([x, y], -1), atol=1e-9)
    assert (ways[:, 2] < 0.0).any()
    plain = lenses.prism_fisheye(x, y, KANNALA_BRANDT, (0.0, 0.0), (0.0,) * 4, np.pi)
    np.testing.assert_allclose(plain, lenses.fisheye(x, y, lenses.odd_polynomial(KANNALA_BRANDT), np.pi), atol=1e-12)
    assert np.abs(plain - ways).max() > 1e-3


def test_what_is_beyond_the_field_of_view_is_not_seen() -> None:
    x, y = places(1.5)
    ways = lenses.fisheye(x, y, lenses.equidistant, 1.0)
    np.testing.assert_array_equal((ways != 0.0).any(axis=-1), np.hypot(x, y) <= 1.0)


def test_coefficients_that_fold_the_picture() -> None:
    """They are refused where the picture is concerned, with what would help; else they do not matter."""
    x, y = places(1.0)
    folding = lenses.odd_polynomial((-0.3, 0.0, 0.0, 0.0))  # grows up to 1 / sqrt(0.9), and a distance of 0.703
    with pytest.raises(ValueError, match=r"stops growing 60\.\d degrees off the axis.*at most 12\d\.\d degrees"):
        lenses.fisheye(x, y, folding, np.pi)
    assert np.isfinite(lenses.fisheye(x, y, folding, 1.0)).all()
    assert np.isfinite(lenses.fisheye(0.4 * x, 0.4 * y, folding, np.pi)).all()
    with pytest.raises(ValueError, match=r"tangential coefficients \(0.9, 0.0\).* fold the picture: \d+ pixels"):
        lenses.prism_fisheye(x, y, (0.0,) * 6, (0.9, 0.0), (0.0,) * 4, np.pi)


def test_omnidirectional_stereo_is_of_two_circles() -> None:
    """Rays of an eye touch a circle, each where its direction is a tangent; the eyes are on two sides of it."""
    ways = lenses.spherical(16, 32).reshape(16, 32, 3)
    left, right = (lenses.stereo_origins(16, 32, offset).reshape(16, 32, 3) for offset in (-0.032, 0.032))
    np.testing.assert_allclose((ways * right).sum(axis=-1), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(right, axis=-1), 0.032, atol=1e-12)
    np.testing.assert_allclose(left, -right, atol=1e-12)
    middle = 0.5 * (right[8, 15] + right[8, 16])
    np.testing.assert_allclose(middle, [0.032, 0, 0], atol=1e-3)  # looking ahead, the right eye is to the right


def prim(kind: str, **attributes: float) -> Any:
    """A camera on a stage of its own, of a picture of 40 x 30 pixels whose focal length is 20."""
    made = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(made, 1.0)
    lens = UsdGeom.Camera.Define(made, "/Lens")
    lens.GetFocalLengthAttr().Set(10.0)
    lens.GetHorizontalApertureAttr().Set(20.0)
    lens.GetVerticalApertureAttr().Set(15.0)
    found = lens.GetPrim()
    found.CreateAttribute("cameraProjectionType", Sdf.ValueTypeNames.Token).Set(kind)
    nominal = {"fthetaWidth": 80.0, "fthetaHeight": 60.0, "fthetaCx": 41.0, "fthetaCy": 29.0}
    for name, value in {**nominal, **attributes}.items():
        found.CreateAttribute(name, Sdf.ValueTypeNames.Float).Set(value)
    return made, found


@pytest.mark.parametrize("kind", ["fisheyeKannalaBrandtK3", "fisheyeRadTanThinPrism"])
def test_attributes_of_prims(kind: str) -> None:
    """Focal lengths and apertures as pinholes have them, the centre in pixels of the nominal picture."""
    k = KANNALA_BRANDT if "Kannala" in kind else RADIAL
    attributes = {f"fthetaPoly{letter}": value for letter, value in zip("ABCDEF", k, strict=False)}
    distortion: dict[str, Any] = {}
    if "Prism" in kind:
        attributes |= dict(zip(("p0", "p1", "s0", "s1", "s2", "s3"), (*TANGENTIAL, *PRISM), strict=True))
        distortion = {"p": TANGENTIAL, "s": PRISM}
    _stage, lens = prim(kind, **attributes)
    rays = lens_rays(lens, 30, 40, False)
    assert rays is not None and rays[1] is None
    ways = rays[0].reshape(30, 40, 3)
    for v, u in ((0, 0), (14, 20), (7, 33), (29, 39)):
        x, y = project(ways[v, u].astype(float), kind, k, **distortion)
        np.testing.assert_allclose([20.0 * x + 20.5, 20.0 * y + 14.5], [u + 0.5, v + 0.5], atol=1e-4)


@pytest.mark.parametrize(
    ("kind", "attributes", "message"),
    [
        ("fisheyeKannalaBrandtK3", {"fthetaPolyA": math.nan}, "fthetaPolyA=nan must be finite"),
        ("fisheyeRadTanThinPrism", {"s2": math.inf}, "s2=inf must be finite"),
        ("fisheyeKannalaBrandtK3", {"fthetaMaxFov": 0.0}, "fthetaMaxFov=0 must be positive"),
        ("fisheyePolynomial", {"fthetaWidth": -1.0}, "fthetaWidth=-1 must be positive"),
        ("fisheyeKannalaBrandtK3", {"fthetaPolyA": -0.5}, "stops growing .* within the picture"),
        ("fisheyeRadTanThinPrism", {"p0": 3.0}, "fold the picture"),
        (
            "omniDirectionalStereo",
            {"interpupillaryDistance": -0.1, "isLeftEye": 1.0},
            "must be finite, and not below 0",
        ),
    ],
)
def test_bad_numbers(kind: str, attributes: dict[str, float], message: str) -> None:
    _stage, lens = prim(kind, **attributes)
    with pytest.raises(ValueError, match=f"</Lens>.*{message}"):
        lens_rays(lens, 30, 40, False)


def test_unknown_projections() -> None:
    _stage, lens = prim("generalizedProjection")
    with pytest.raises(NotImplementedError, match="'generalizedProjection' is not built; there are pinhole, orthogr"):
        lens_rays(lens, 30, 40, False)
    assert len(set(LENSES)) == 10


@pytest.fixture
def sim(device: str, api: str) -> Iterator[SimulationContext]:
    stage.new_stage()
    yield SimulationContext(SimulationCfg(device=device, dt=0.01, gravity=(0.0, 0.0, 0.0)))
    SimulationContext.clear_instance()
    physics_events.clear()


def test_cameras(sim: SimulationContext) -> None:
    """In a ball of 5 m, whose wall says where each pixel looks: all projections of the configuration, and parallel."""
    environments(1)
    basics()
    ball("/World/room", (0.0, 0.0, 2.0), 5.0)
    eye, size = at((0.0, 0.0, 2.0), looking([1.0, 0.0, 0.0])), {"width": 40, "height": 30}
    types = ["normals", "distance_to_camera", "distance_to_image_plane"]
    made: dict[str, Any] = {}
    for kind in ("fisheyeKannalaBrandtK3", "fisheyeRadTanThinPrism", "omniDirectionalStereo"):
        lens = sim_utils.FisheyeCameraCfg(projection_type=kind)  # pyright: ignore[reportArgumentType]
        made[kind] = camera(f"/World/{kind}", offset=eye, spawn=lens, data_types=types, **size)
    left = stage.get_stage().GetPrimAtPath("/World/omniDirectionalStereo")
    left.CreateAttribute("isLeftEye", Sdf.ValueTypeNames.Bool).Set(True)
    left.CreateAttribute("interpupillaryDistance", Sdf.ValueTypeNames.Float).Set(1.0)
    made["flat"] = camera("/World/flat", offset=eye, spawn=sim_utils.PinholeCameraCfg(), data_types=types, **size)
    flat = UsdGeom.Camera.Get(stage.get_stage(), "/World/flat")
    flat.CreateProjectionAttr("orthographic")
    sim.reset()
    forward, right, down = np.array([1.0, 0, 0]), np.array([0, -1.0, 0]), np.array([0, 0, -1.0])
    for kind, one in made.items():
        wall = host(one.data.output["normals"])[0]
        rays = lens_rays(stage.get_stage().GetPrimAtPath(f"/World/{kind}"), 30, 40, False)
        assert rays is not None
        ways, starts = (np.zeros((1200, 3)) if a is None else a.astype(float) for a in rays)
        ways, starts = (a.reshape(30, 40, 3) @ np.stack([right, down, forward]) for a in (ways, starts))
        along = (ways * starts).sum(axis=-1)
        t = np.sqrt(along**2 + 25.0 - (starts**2).sum(axis=-1)) - along
        place = starts + t[..., None] * ways
        seen = (place[..., 2] + 2.0 > 0.05) & (ways != 0.0).any(axis=-1)  # above the ground
        assert seen.sum() > 300
        np.testing.assert_allclose(wall[seen], place[seen] / 5.0, atol=2e-4)
        np.testing.assert_allclose(host(one.data.output["distance_to_camera"])[0, ..., 0][seen], t[seen], atol=1e-4)
        plane = host(one.data.output["distance_to_image_plane"])[0, ..., 0]
        np.testing.assert_allclose(plane[seen], (t * (ways @ forward))[seen], atol=2e-4)
