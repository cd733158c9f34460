"""A heap of mixed shapes in a bin: forces add up, and it is the same every time, in any company."""

from __future__ import annotations

from typing import Any

import numpy as np
from contact.scenes import GRAVITY, about, floor_mesh, prism
from oracles import host

import phalanx as px

SIZE = 0.08
SHAPES = {
    "box": px.Shape("box", (SIZE, 0.8 * SIZE, 0.6 * SIZE)),
    "ball": px.Shape("sphere", (SIZE,)),
    "capsule": px.Shape("capsule", (0.6 * SIZE, SIZE)),
    "can": px.Shape("cylinder", (0.8 * SIZE, SIZE)),
    "cone": px.Shape("cone", (SIZE, SIZE)),
    "prism": px.Shape("mesh", vertices=prism(6, SIZE, 0.7 * SIZE)),
    "plate": px.Shape("box", (1.2 * SIZE, 1.2 * SIZE, 0.25 * SIZE)),
    "wedge": px.Shape("mesh", vertices=prism(3, SIZE, SIZE)),
}
WALLS = {"east": (1.0, 0.0), "west": (-1.0, 0.0), "north": (0.0, 1.0), "south": (0.0, -1.0)}
INSIDE = 0.3
"""m, half the width of the bin."""


class Heap:
    """Shapes above a bin of four boxes, on a floor of triangles."""

    def __init__(self, device: str, num_envs: int, robot: bool = False, **settings: Any) -> None:
        self.world = world = px.World(num_envs, device, **settings)
        self.statics = [world.add_rigid_object(floor_mesh(4.0, 4.0, 0.25), "floor", kind="static")]
        for name, (x, y) in WALLS.items():
            half = (0.05 if x else INSIDE + 0.1, 0.05 if y else INSIDE + 0.1, 0.8)
            away = INSIDE + 0.05
            self.statics.append(
                world.add_rigid_object(
                    px.Shape("box", half), name, kind="static", position=(x * away, y * away, 0.8), friction=0.3
                )
            )
        self.bodies = [
            world.add_rigid_object(
                shape,
                name,
                mass=0.5 + 0.25 * i,
                position=(0.15 * (i % 3) - 0.15, 0.11 * (i % 2) - 0.05, 0.15 + 0.17 * i),
                orientation=about((1.0, i, 0.5), 0.3 * i),
                restitution=0.1 * i,
                angular_damping=2.0,
            )
            for i, (name, shape) in enumerate(SHAPES.items())
        ]
        self.robot = world.add_robot("quadruped", position=(1.2, 0.0, 0.5), self_collision=True) if robot else None

    def shake(self, who: np.ndarray) -> None:
        """Velocities at random, those of environment e a function of ``who[e]`` alone."""
        streams = [np.random.default_rng(int(w)) for w in who]
        for body in self.bodies:
            body.set_root_state(vel=np.array([stream.normal(size=6) for stream in streams]))

    def state(self, envs: Any = slice(None)) -> np.ndarray:
        """(n, numbers): poses, velocities and forces, to the bit."""
        actors = [*self.bodies, *([self.robot] if self.robot else [])]
        parts = [host(q).reshape(self.world.num_envs, -1) for a in actors for q in (a.root_pose, a.root_vel)]
        parts += [host(a.net_contact_force).reshape(self.world.num_envs, -1) for a in (*actors, *self.statics)]
        return np.hstack(parts)[envs]


def test_forces_of_a_heap_add_up(device: str) -> None:
    """Walls and floor carry the weight, to 0.5 %; forces of each pair are equal and opposite; each body's balance."""
    heap = Heap(device, 3)
    names = list(SHAPES)
    view = heap.world.contact_view(names, [*names, "floor", *WALLS])
    heap.shake(np.arange(3))
    heap.world.step(1000)
    steps = 200
    total = np.zeros((3, 3))
    fixed = np.zeros((3, 3))
    for _ in range(steps):
        heap.world.step()
        total += sum(host(body.net_contact_force)[:, 0] for body in heap.bodies) / steps
        fixed += sum(host(body.net_contact_force)[:, 0] for body in heap.statics) / steps
    mass = np.array([host(body.mass)[0] for body in heap.bodies])
    weight = mass.sum() * GRAVITY
    np.testing.assert_allclose(total, np.tile([0.0, 0.0, weight], (3, 1)), atol=5e-3 * weight)
    np.testing.assert_allclose(fixed, -total, atol=1e-4 * weight)
    matrix = host(view.force_matrix())
    actors = [name.split("/")[0] for name in view.filter_names]
    assert [name.split("/")[0] for name in view.body_names] == names
    among = matrix[:, :, [actors.index(name) for name in names]]
    assert np.abs(among).max() > 0.05 * weight  # they lie on each other
    np.testing.assert_allclose(among, -among.transpose(0, 2, 1, 3), atol=1e-5 * weight)
    np.testing.assert_allclose(matrix.sum(axis=2), host(view.net_force()), atol=1e-4 * weight)
    np.testing.assert_allclose(
        host(view.net_force()), np.array([host(b.net_contact_force)[:, 0] for b in heap.bodies]).swapaxes(0, 1),
        atol=1e-4 * weight,
    )  # fmt: skip


def test_busy_scene_is_bitwise_the_same_in_any_company(device: str) -> None:
    """Twice, and in 3 environments as in 50: bodies of all kinds, triangles, walls, and a robot."""
    results = []
    for who in (np.arange(3), np.arange(3), np.r_[np.arange(3), 100:147]):
        heap = Heap(device, len(who), robot=True)
        heap.shake(who)
        heap.world.step(150)
        assert not len(heap.world.diverged)
        results.append(heap.state(slice(0, 3)))
    assert np.abs(results[0]).max() > 5.0
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])
