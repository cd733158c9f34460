"""Every shape on a slope of every sort: it holds, starts and slides as Coulomb's law says.

One environment for each coefficient and angle; in each a box, an upright cylinder, a capsule that points down the slope
and a hull lie beside each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contact.scenes import GRAVITY, about, floor_mesh, prism
from oracles import host

import phalanx as px
from phalanx import components as c

FRICTION = np.array([0.1, 0.3, 0.5, 0.8, 1.0])
CRITICAL = np.arctan(FRICTION)
SURFACES = ("plane", "box", "mesh")

SHAPES = {
    "box": px.Shape("box", (0.1, 0.1, 0.05)),
    "cylinder": px.Shape("cylinder", (0.1, 0.05)),
    "capsule": px.Shape("capsule", (0.05, 0.1), orientation=about((0.0, 1.0, 0.0), np.pi / 2)),
    "hull": px.Shape("mesh", vertices=prism(8, 0.1, 0.05)),
}
HALF_HEIGHT = 0.05


class Slopes:
    """Shapes on slopes: ``angle`` (n,), rad, and static and dynamic coefficients of friction, (n,) each."""

    def __init__(
        self, device: str, surface: str, angle: np.ndarray, friction: np.ndarray, dynamic: np.ndarray | None = None
    ) -> None:
        dynamic = friction if dynamic is None else dynamic
        self.world = world = px.World(len(angle), device)
        if surface == "plane":
            world.add_ground()
        elif surface == "box":
            slope = world.add_rigid_object(px.Shape("box", (15.0, 5.0, 0.5)), "slope", kind="static")
        else:
            slope = world.add_rigid_object(floor_mesh(30.0, 10.0, 1.0), "slope", kind="static")
        self.bodies = {
            name: world.add_rigid_object(shape, name, mass=1.0 + i) for i, (name, shape) in enumerate(SHAPES.items())
        }
        world.build()
        turn = np.array([about((0.0, 1.0, 0.0), a) for a in angle])
        zero = np.zeros_like(angle)
        self.normal = np.stack([np.sin(angle), zero, np.cos(angle)], axis=1)
        self.down = np.stack([np.cos(angle), zero, -np.sin(angle)], axis=1)
        coefficients: dict[str, Any] = {"static_friction": friction[:, None], "dynamic_friction": dynamic[:, None]}
        if surface == "plane":
            world[c.GroundPlane].normal = self.normal.T[None]
            world[c.GroundPlane].tangent = self.down.T[None]
            material = world[c.ShapeMaterial]
            for name, values in coefficients.items():
                both = np.array(np.broadcast_to(host(getattr(material, name)), (len(SHAPES) + 1, len(angle))))
                both[-1] = values[:, 0]  # the plane's own row is the last
                setattr(material, name, both)
        else:
            top = 0.5 if surface == "box" else 0.0
            slope.set_root_state(pose=np.hstack([-top * self.normal, turn]))
            slope.set_material(**coefficients)
        for i, body in enumerate(self.bodies.values()):
            place = HALF_HEIGHT * self.normal - 7.987 * self.down + [0.0, i - 1.47, 0.0]
            body.set_root_state(pose=np.hstack([place, turn]))
            body.set_material(**coefficients)

    def places(self) -> np.ndarray:
        """(shapes, n, 3)."""
        return np.array([host(body.root_pose)[:, :3] for body in self.bodies.values()])

    def speeds(self) -> np.ndarray:
        """(shapes, n): down the slope."""
        return np.array([(host(body.root_vel)[:, :3] * self.down).sum(axis=1) for body in self.bodies.values()])


@pytest.mark.parametrize("surface", SURFACES)
def test_shapes_slide_exactly_when_the_slope_beats_friction(surface: str, device: str) -> None:
    """Half a degree below the angle of friction they hold, half a degree above it they slide; g (sin - mu cos)."""
    margin = np.repeat(np.radians([-0.5, 0.5, 10.0]), len(FRICTION))
    angle, friction = np.tile(CRITICAL, 3) + margin, np.tile(FRICTION, 3)
    scene = Slopes(device, surface, angle, friction)
    held, slid = margin < 0, margin > 0
    start = scene.places()
    half = 100
    scene.world.step(half)
    middle = scene.speeds()
    forces = np.zeros((len(SHAPES), len(angle), 3))
    for _ in range(half):
        scene.world.step()
        forces += np.array([host(body.net_contact_force)[:, 0] for body in scene.bodies.values()]) / half
    moved = scene.places() - start
    along = (moved * scene.down).sum(axis=2)
    expected = GRAVITY * (np.sin(angle) - friction * np.cos(angle))
    time = half * scene.world.dt
    assert np.abs(along[:, held]).max() < 2e-3
    distance = 0.5 * expected[slid] * (2 * time) ** 2
    assert distance.min() > 0.03
    np.testing.assert_allclose(along[:, slid], np.broadcast_to(distance, along[:, slid].shape), rtol=0.1)
    acceleration = (scene.speeds() - middle)[:, slid] / time
    # Just above the angle the acceleration is a small difference: 1 % of it, or 3e-4 of gravity.
    np.testing.assert_allclose(
        acceleration, np.broadcast_to(expected[slid], acceleration.shape), rtol=0.01, atol=3e-4 * GRAVITY
    )
    assert np.abs(moved[..., 1]).max() < 2e-3  # straight down
    weights = GRAVITY * np.arange(1.0, 1.0 + len(SHAPES))[:, None]
    normal = (forces * scene.normal).sum(axis=2)
    np.testing.assert_allclose(normal, weights * np.cos(angle), rtol=5e-3)
    rub = -(forces * scene.down).sum(axis=2)
    carried = weights * np.where(held, np.sin(angle), friction * np.cos(angle))
    np.testing.assert_allclose(rub, carried, rtol=5e-3)


@pytest.mark.parametrize("surface", SURFACES)
def test_what_starts_goes_on_with_less_friction(surface: str, device: str) -> None:
    """It starts where tan(angle) is the static coefficient, and slides against the dynamic one, half as large."""
    margin = np.repeat(np.radians([-0.5, 0.5]), len(FRICTION))
    angle, static = np.tile(CRITICAL, 2) + margin, np.tile(FRICTION, 2)
    scene = Slopes(device, surface, angle, static, 0.5 * static)
    scene.world.step(50)
    held, slid = margin < 0, margin > 0
    assert np.abs(scene.speeds()[:, held]).max() < 0.01
    middle = scene.speeds()[:, slid]
    scene.world.step(50)
    assert np.abs(scene.speeds()[:, held]).max() < 0.01
    acceleration = (scene.speeds()[:, slid] - middle) / (50 * scene.world.dt)
    expected = (GRAVITY * (np.sin(angle) - 0.5 * static * np.cos(angle)))[slid]
    np.testing.assert_allclose(acceleration, np.broadcast_to(expected, acceleration.shape), rtol=0.01)
