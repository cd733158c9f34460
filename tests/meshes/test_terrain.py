"""Bumpy ground and stairs of triangles: what falls on them stays above them and comes to rest; a robot stands."""

from __future__ import annotations

import numpy as np
from oracles import host
from scipy.interpolate import RegularGridInterpolator
from scipy.spatial.transform import Rotation

import phalanx as px
from phalanx.components import HeightSampleValue, HullVertexPosition, MeshTriangleGeometry
from phalanx.models.meshes.height_fields import grid_triangles

ENVS = 6
SPACING = 0.1
STEPS, RISE, RUN = 6, 0.08, 0.25
_X = np.linspace(-2.0, 2.0, 41)
BUMPS = 0.06 * np.sin(3.1 * _X)[:, None] * np.cos(2.7 * _X) + np.random.default_rng(3).uniform(-0.01, 0.01, (41, 41))
_POINTS = np.random.default_rng(4).normal(size=(20, 3))
FALLERS = {
    "sphere": px.Shape("sphere", (0.08,)),
    "capsule": px.Shape("capsule", (0.06, 0.1)),
    "box": px.Shape("box", (0.1, 0.06, 0.05)),
    "cylinder": px.Shape("cylinder", (0.08, 0.06)),
    "cone": px.Shape("cone", (0.08, 0.08)),
    "hull": px.Shape("mesh", vertices=0.1 * _POINTS / np.linalg.norm(_POINTS, axis=1)[:, None]),
}
STEADY = ("box", "hull")
"""Those that cannot roll on."""


def bumps() -> px.Shape:
    """The bumpy ground as triangles."""
    vertices, faces = grid_triangles(BUMPS, (SPACING, SPACING))
    return px.Shape("mesh", vertices=vertices, faces=faces, approximation="triangle_mesh")


def stairs() -> px.Shape:
    """Steps up along x from x = 0, two triangles to a tread or riser, with wide landings."""
    vertices: list[tuple[float, float, float]] = []
    faces: list[tuple[int, int, int]] = []

    def quad(*corners: tuple[float, float, float]) -> None:
        b = len(vertices)
        vertices.extend(corners)
        faces.extend([(b, b + 1, b + 2), (b, b + 2, b + 3)])

    for k in range(STEPS):
        near = -30.0 if k == 0 else k * RUN
        far = k * RUN + 30.0 if k == STEPS - 1 else (k + 1) * RUN
        z = k * RISE
        quad((near, -20, z), (far, -20, z), (far, 20, z), (near, 20, z))
        if k < STEPS - 1:
            quad((far, -20, z), (far, -20, z + RISE), (far, 20, z + RISE), (far, 20, z))
    return px.Shape("mesh", vertices=np.array(vertices), faces=np.array(faces), approximation="triangle_mesh")


def bump_height(at: np.ndarray) -> np.ndarray:
    return RegularGridInterpolator((_X, _X), BUMPS)(at)


def stair_height(at: np.ndarray) -> np.ndarray:
    return RISE * np.clip(np.floor(at[:, 0] / RUN), 0, STEPS - 1)


def test_what_falls_on_terrain_comes_to_rest_on_it(device: str) -> None:
    """6 s at dt 1/120, float32; the three terrains are kept apart by collision groups."""
    world = px.World(num_envs=ENVS, device=device, dt=1 / 120)
    field = px.Shape("height_field", (SPACING, SPACING), heights=BUMPS)
    terrains = ((bumps(), bump_height), (field, bump_height), (stairs(), stair_height))
    for k, (shape, _) in enumerate(terrains):
        world.add_rigid_object(shape, f"terrain{k}", kind="static", collision_group=k, collision_mask=[10 + k])
    fallers = {
        (k, name): world.add_rigid_object(
            shape, f"{name}{k}", density=500.0, friction=0.9, angular_damping=0.5, position=(0, 0, 1),
            collision_group=10 + k, collision_mask=[k],
        )
        for k in range(len(terrains))
        for name, shape in FALLERS.items()
    }  # fmt: skip
    world.build()
    turns = Rotation.random(ENVS, np.random.default_rng(6)).as_quat()[:, [3, 0, 1, 2]]  # pyright: ignore
    for (k, _), faller in fallers.items():
        rng = np.random.default_rng(5)
        steps = np.column_stack([rng.uniform(-0.1, 1.5, ENVS), rng.uniform(-1, 1, ENVS), np.full(ENVS, 0.8)])
        ground = np.column_stack([rng.uniform(-0.8, 0.8, (ENVS, 2)), np.full(ENVS, 0.35)])
        faller.set_root_state(np.column_stack([steps if k == 2 else ground, turns]))
    world.step(720)
    for (k, name), faller in fallers.items():
        pose = host(faller.root_pose)
        above = pose[:, 2] - terrains[k][1](pose[:, :2])
        assert (above > 0.02).all(), (k, name, above)
        if name in STEADY:
            assert np.abs(host(faller.root_vel)[:, :3]).max() < 0.01, (k, name)
            force = host(faller.net_contact_force)[:, 0] / (9.81 * host(faller.mass)[:, None])
            np.testing.assert_allclose(force, np.broadcast_to([0, 0, 1], force.shape), atol=0.1)


def test_a_mesh_is_stored_once(device: str) -> None:
    """Not for each environment, nor for each object that has it."""
    world = px.World(num_envs=5, device=device)
    shape = bumps()
    for k in range(3):
        world.add_rigid_object(shape, f"ground{k}", kind="static", position=(10.0 * k, 0.0, 0.0))
    again = px.Shape("height_field", (SPACING, SPACING), heights=BUMPS.copy())
    for k in range(2):
        world.add_rigid_object(again, f"field{k}", kind="static", position=(10.0 * k, 0.0, 0.0))
    world.build()
    assert world[HullVertexPosition].position.shape == (BUMPS.size, 3, 1)
    assert world[MeshTriangleGeometry].normal.shape == (2 * 40 * 40, 3, 1)
    assert world[HeightSampleValue].height.shape == (BUMPS.size, 1)


def test_a_quadruped_stands_on_bumps(device: str) -> None:
    """2 s on bumps of 3 cm; the forces of the ground carry its weight, and no foot is below the ground."""
    world = px.World(num_envs=2, device=device, dt=1 / 240)
    vertices, faces = grid_triangles(0.3 * BUMPS, (SPACING, SPACING))
    ground = px.Shape("mesh", vertices=vertices, faces=faces, approximation="triangle_mesh")
    world.add_rigid_object(ground, "ground", kind="static")
    robot = world.add_robot("quadruped")
    robot.set_drive(stiffness=60.0, damping=2.0)
    pose = host(robot.root_pose)
    pose[:, :2] = [[0.05, 0.03], [0.4, -0.35]]
    pose[:, 2] += 0.03
    robot.set_root_state(pose)
    world.step(480)
    assert np.abs(host(robot.root_vel)).max() < 0.02
    assert (host(robot.root_pose)[:, 2] > 0.7 * pose[:, 2]).all()
    weight = 9.81 * sum(body.mass for body in robot.model.bodies)
    force = host(robot.net_contact_force).sum(axis=1)
    np.testing.assert_allclose(force, np.broadcast_to([0, 0, weight], force.shape), atol=0.02 * weight)
