"""Ropes: their shapes, frequencies against analytic ones, momentum, stiffness, links, bits, bad input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from deformable.scenes import momentum, spread, world
from scipy.integrate import solve_bvp
from scipy.optimize import brentq

import phalanx as px
from phalanx.io.recordings.replay import verify

RADIUS = 5e-3
AREA = np.pi * RADIUS**2
LINE_WEIGHT = 1000 * AREA * 9.81
"""N/m, of a rope of this radius and 1000 kg/m^3."""


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function is 0."""
    found: Any = brentq(function, low, high)
    return found


def crossings(times: np.ndarray, values: np.ndarray) -> np.ndarray:
    """When values change sign, by linear interpolation."""
    at = np.flatnonzero(values[:-1] * values[1:] < 0)
    return times[at] - values[at] * (times[at + 1] - times[at]) / (values[at + 1] - values[at])


@pytest.fixture(scope="module")
def hall() -> px.World:
    """Ropes beside each other, that touch nothing, come to rest; two stiffnesses of the rod."""
    made = world(num_envs=2)
    free: dict[str, Any] = {"collision_mask": [], "damping": 4.0}
    made.add_rope(px.RopeLine.straight(1.0, 50), "line", bending_stiffness=0.0, **free)
    rod = made.add_rope(px.RopeLine.straight(1.0, 40), "rod", youngs_modulus=1e8, **free)
    made.attach_nodes(rod, [0, 1])
    hung = made.add_rope(np.linspace((0, 0, 0), (0, 0, -2.0), 21), "hung", youngs_modulus=1e6, **free)
    made.attach_nodes(hung, [0])
    made.build()
    rod.set_bending_stiffness([0.05, 5.0])
    line = made.ropes["line"]
    ends = np.isin(np.arange(51), [0, 50])
    for n in range(300):
        near = line.default_node_pos.copy()
        near[ends, 0] *= 1 - 0.2 * min((n + 1) / 50, 1)
        line.set_node_targets(near, ends)
        made.step()
    return made


def test_a_rope_that_hangs_by_its_ends_is_a_catenary(hall: px.World) -> None:
    scale = root(lambda a: 2 * a * np.sinh(0.4 / a) - 1.0, 0.01, 10)
    x, _, z = hall.ropes["line"].node_pos[0].T
    np.testing.assert_allclose(-z.min(), scale * (np.cosh(0.4 / scale) - 1), rtol=2e-3)
    np.testing.assert_allclose(z, scale * (np.cosh(x / scale) - np.cosh(0.4 / scale)), atol=1e-3)


def test_a_rod_that_is_held_at_one_end_is_an_elastica(hall: px.World) -> None:
    """Two nodes are tied: the slope is nothing in the middle between them, and there the length begins."""
    rod = hall.ropes["rod"]
    length = 1.0 - 0.5 / 40
    for env, stiffness in enumerate((0.05, 5.0)):
        found = solve_bvp(
            lambda s, y, b=stiffness: np.array([y[1], -LINE_WEIGHT * (length - s) * np.cos(y[0]) / b, np.sin(y[0])]),
            lambda a, b: np.array([a[0], b[1], a[2]]),
            np.linspace(0, length, 50),
            np.zeros((3, 50)),
        )
        assert rod.node_pos[env, -1, 2] == pytest.approx(-found.y[2, -1], rel=5e-3)
    assert rod.node_pos[1, -1, 2] == pytest.approx(-LINE_WEIGHT * length**4 / (8 * 5.0), rel=5e-3)  # Euler, Bernoulli


def test_a_rope_that_hangs_stretches_by_its_weight(hall: px.World) -> None:
    hung = hall.ropes["hung"]
    below = LINE_WEIGHT * (2.0 - (np.arange(20) + 0.5) * 0.1)
    np.testing.assert_allclose(hung.tension[0], below, rtol=2e-3)
    assert hung.segment_length[0].sum() - 2.0 == pytest.approx(LINE_WEIGHT * 2.0**2 / (2 * 1e6 * AREA), rel=2e-3)


def test_a_string_and_a_bar_swing_at_their_frequencies() -> None:
    """The first mode of a taut string, ``sqrt(T / m) / 2 L``, and of a bar held at one end, ``sqrt(E / rho) / 4 L``."""
    made = world(dt=1e-3, gravity=(0.0, 0.0, 0.0))
    line = px.RopeLine.straight(1.0, 30)
    string = made.add_rope(line, "string", youngs_modulus=1e7, bending_stiffness=0.0, collision_mask=[])
    bar = made.add_rope(line, "bar", youngs_modulus=1e5, bending_stiffness=0.0, collision_mask=[])
    made.build()
    x = line.nodes[:, 0]
    taut = line.nodes * (1.05, 1, 1)
    string.set_node_state(taut, np.stack([0 * x, 0.05 * np.cos(np.pi * x), 0 * x], axis=1))
    string.set_node_targets(taut, np.abs(x) > 0.4999)
    bar.set_node_state(vel=np.stack([0.1 * np.sin(np.pi * (x + 0.5) / 2), 0 * x, 0 * x], axis=1))
    bar.set_node_targets(line.nodes, x < -0.4999)
    seen = []
    for _ in range(500):
        made.step()
        seen.append((made.time, string.node_pos[0, 15, 1], bar.node_pos[0, -1, 0] - 0.5))
    times, across, along = np.array(seen).T
    tension = 1e7 * AREA * 0.05
    expected = np.sqrt(tension / (1000 * AREA / 1.05)) / (2 * 1.05)
    assert 0.5 / np.diff(crossings(times, across)).mean() == pytest.approx(expected, rel=0.01)
    half = np.diff(crossings(times, along))
    assert len(half) >= 1 and 0.5 / half.mean() == pytest.approx(np.sqrt(1e5 / 1000) / 4, rel=0.03)


def test_in_free_flight_momentum_is_kept() -> None:
    """A rope that spins, flies and whips, solved once in a small step."""
    made = world(dt=0.005, deformable_sweeps=1)
    turn = np.linspace(0, 4, 15)
    rope = made.add_rope(np.stack([0.1 * np.cos(turn), 0.1 * np.sin(turn), 0.03 * turn], 1), position=(1.0, 2.0, 3.0))
    made.build()
    arm = rope.default_node_pos - rope.default_node_pos.mean(axis=0)
    vel = np.cross((3.0, -5.0, 4.0), arm) + (1.0, 0.5, 2.0) + 0.2 * np.random.default_rng(0).normal(size=arm.shape)
    rope.set_node_state(vel=vel)
    place, linear, angular = momentum(rope)
    spin = angular - np.cross(place, linear)
    made.step(60)
    now, later, turned = momentum(rope)
    weight = rope.node_mass.sum() * 9.81 * made.time
    np.testing.assert_allclose(later, linear - (0, 0, weight), rtol=1e-10)
    np.testing.assert_allclose(turned - np.cross(now, later), spin, atol=1e-8 * spread(spin))
    assert np.abs(rope.segment_length / rope.line.lengths - 1).max() < 0.05


def test_a_rope_that_slides_over_a_cylinder_needs_the_force_of_eytelwein() -> None:
    """Pulled at one end over half of a turn.

    Of a rope of the weight w per length over a radius R, ``T' = mu (T + w R sin a) + w R cos a`` along the angle a.
    """
    made = world(num_envs=2)
    drum = px.Shape("cylinder", (0.1, 0.2))
    on_its_side = (0.70710678, 0.70710678, 0, 0)
    made.add_rigid_object(drum, kind="static", orientation=on_its_side, friction=0.0, friction_combine="max")
    bow = 0.1 + RADIUS
    angle, fall = np.linspace(np.pi, 0, 25), np.linspace(-0.4, 0, 31)[:-1]
    over = np.stack([bow * np.cos(angle), 0 * angle, bow * np.sin(angle)], axis=1)
    left, right = (np.stack([0 * fall + side * bow, 0 * fall, fall], axis=1) for side in (-1, 1))
    rope = made.add_rope(np.concatenate([left, over, right[::-1]]), bending_stiffness=0.0)
    made.build()
    rope.set_friction([0.2, 0.4])
    last = np.arange(rope.num_nodes) == rope.num_nodes - 1
    before, behind = [], []
    for n in range(60):
        target = rope.default_node_pos.copy()
        target[-1, 2] -= 0.05 * (n + 1) * made.dt
        rope.set_node_targets(target, last)
        made.step()
        if n >= 30:
            x, _, z = np.moveaxis((rope.node_pos[:, 1:] + rope.node_pos[:, :-1]) / 2, 2, 0)
            at_cylinder = rope.tension - LINE_WEIGHT * z  # what the tension would be beside its axis
            before.append([at_cylinder[env, np.flatnonzero((x[env] < 0) & (z[env] < -0.01))[-1]] for env in range(2)])
            behind.append([at_cylinder[env, np.flatnonzero((x[env] > 0) & (z[env] < -0.01))[0]] for env in range(2)])
    for env, friction in enumerate((0.2, 0.4)):
        part = 2 * friction * LINE_WEIGHT * bow / (1 + friction**2)
        expected = (np.mean(before, axis=0)[env] + part) * np.exp(friction * np.pi) + part
        assert np.mean(behind, axis=0)[env] == pytest.approx(expected, rel=0.03)


def test_stiffness_over_decades_stays() -> None:
    """Bent rods fall on the ground at steps of 1/60 s, stretch and bending from little to more than can be solved."""
    made = world(num_envs=10, dt=1 / 60, dtype="float32")
    made.add_ground(friction=0.5)
    turn = np.linspace(0, 1, 33)
    bow = np.stack([np.cos(turn), np.sin(turn), 0.1 + 0.3 * turn], axis=1)
    rope = made.add_rope(bow, "bow", youngs_modulus=1e6, damping=0.5)
    made.build()
    rope.set_youngs_modulus(10.0 ** np.arange(3, 13))
    rope.set_bending_stiffness([0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 1e2, 1e6])
    made.step(240)
    assert not made.diverged.size
    assert spread(rope.node_vel) < 0.05
    heights = rope.node_pos[..., 2]
    assert heights.min() > RADIUS - 2e-3
    assert (np.abs(rope.segment_length[3:].sum(axis=1) / rope.line.length - 1) < 0.01).all()
    ends = np.linalg.norm(rope.node_pos[:, -1] - rope.node_pos[:, 0], axis=1)
    assert ends[-1] == pytest.approx(rope.line.length, rel=1e-3)


def test_it_carries_a_load_that_hangs_and_swings() -> None:
    """A mass on a light rope: its weight is the tension; let go aside, it swings as a pendulum."""
    made = world(num_envs=2, dt=0.005)
    ball = made.add_rigid_object(
        px.Shape("sphere", (0.05,)), "ball", mass=5.0, position=(0, 0, -1.0), collision_mask=[]
    )
    rope = made.add_rope(np.linspace((0, 0, 0), (0, 0, -1.0), 21), youngs_modulus=1e9, density=200, collision_mask=[])
    made.attach_nodes(rope, [0])
    made.attach_nodes(rope, [20], "ball", points=[(0, 0, 0)])
    made.build()
    rope.set_bending_stiffness(0.0)
    vel = np.zeros((2, 6))
    vel[1, 0] = 0.2
    ball.set_root_state(vel=vel)
    seen = []
    for _ in range(460):
        made.step()
        seen.append((made.time, float(ball.root_pose[1, 0])))
    times, x = np.array(seen).T
    assert np.diff(crossings(times, x))[0] * 2 == pytest.approx(2 * np.pi / np.sqrt(9.81), rel=0.01)
    assert rope.tension[0, 10] == pytest.approx(5.0 * 9.81 + LINE_WEIGHT * 0.2 * 0.5, rel=0.01)
    assert ball.root_pose[0, 2] == pytest.approx(-1.0, abs=1e-3)


@pytest.mark.parametrize("dt", [1 / 60, 1 / 500])
def test_a_light_ball_on_a_stiff_rope_is_carried_around(dt: float) -> None:
    """On its circle, evenly taut, and without gain of speed; implicit steps take some away."""
    made = world(dt=dt, gravity=(0.0, 0.0, 0.0))
    ball = made.add_rigid_object(px.Shape("sphere", (0.05,)), "ball", mass=0.1, position=(0.5, 0, 0), collision_mask=[])
    rope = made.add_rope(np.linspace((0, 0, 0), (0.5, 0, 0), 21), youngs_modulus=1e9, density=200, collision_mask=[])
    made.attach_nodes(rope, [0])
    made.attach_nodes(rope, [20], "ball", points=[(0, 0, 0)])
    made.build()
    x = rope.line.nodes[:, 0]
    rope.set_node_state(vel=np.stack([0 * x, 4.0 * x, 0 * x], axis=1))
    ball.set_root_state(vel=(0, 2.0, 0, 0, 0, 4.0))
    made.step(round(0.4 / dt))
    taut = []
    for _ in range(round(0.4 / dt)):
        made.step()
        taut.append(rope.tension[0].mean())
        assert np.linalg.norm(ball.root_pose[0, :3]) == pytest.approx(0.5, rel=2e-3)
    assert 1.7 < np.linalg.norm(ball.root_vel[0, :3]) < 2.0
    assert min(taut) > 0 and np.std(taut) < 0.2 * np.mean(taut)


def busy(num_envs: int) -> px.World:
    """A rope tied to the world by an end and to a ball by the other, above a box that lies on the ground."""
    made = world(num_envs=num_envs, dtype="float32")
    made.add_ground()
    rope = made.add_rope(
        np.linspace((0, 0, 0.2), (0.3, 0, 0.2), 13), "rope", twisting_stiffness=1e-3, touches_cloth=True
    )
    made.add_rigid_object(px.Shape("box", (0.05, 0.05, 0.05)), "box", mass=0.3, position=(0.15, 0, 0.05))
    made.add_rigid_object(px.Shape("sphere", (0.03,)), "ball", mass=0.2, position=(0.33, 0, 0.2))
    made.attach_nodes(rope, [0])
    made.attach_nodes(rope, [12], "ball")
    made.build()
    rope.set_node_state(vel=0.3 * np.random.default_rng(3).normal(size=(100, 1, 3))[:num_envs])
    rope.set_segment_spin(5 * np.random.default_rng(4).normal(size=(100, 12))[:num_envs])
    return made


def found(made: px.World, env: int) -> bytes:
    """Where everything is in an environment."""
    handles = [made.objects[name].root_pose[env].tobytes() for name in ("ball", "box")]
    return b"".join([made.ropes["rope"].node_pos[env].tobytes(), *handles])


def test_bits_threads_reset_and_files(tmp_path: Path) -> None:
    """Alone and among others, with one thread and two; saved, loaded, recorded and run again, reset in part."""
    alone = busy(1)
    alone.step(40)
    seen = []
    for count in (1, 2):
        px.set_num_threads(count)
        made = busy(40)
        made.step(40)
        seen.append([found(made, env) for env in range(40)])
    px.set_num_threads(None)
    assert seen[0] == seen[1]
    assert seen[0][0] == found(alone, 0) and len(set(seen[0])) == 40
    made = busy(3)
    with px.Recorder(made, tmp_path / "run.zarr", every=5):
        for n in range(20):
            if n == 7:
                made.reset([1])
                made.ropes["rope"].set_bending_stiffness([0.0, 1e-2, 1e-3])
            made.step()
    recording = px.open_recording(tmp_path / "run.zarr")
    np.testing.assert_array_equal(recording.deformables["rope"].node_pos[:, -1], made.ropes["rope"].node_pos)
    assert verify(recording).ok
    made.save(tmp_path / "world.npz")
    other = px.World.load(tmp_path / "world.npz")
    for one in (made, other):
        one.step(10)
    assert [found(made, env) for env in range(3)] == [found(other, env) for env in range(3)]
    made.reset([0, 2])
    rope = made.ropes["rope"]
    np.testing.assert_allclose(rope.node_pos[[0, 2]], np.stack([rope.default_node_pos] * 2), atol=1e-7)
    assert found(made, 1) == found(other, 1)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        (np.zeros((1, 3)), "there are 1 nodes; a rope needs at least two"),
        (np.zeros((4, 2)), r"nodes of a rope are \(n, 3\), not \(4, 2\)"),
        ([[0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 0, 0]], "nodes 1 and 2 are in one place"),
        ([[0, 0, 0], [np.nan, 0, 0]], "node 1 has a coordinate that is not finite"),
    ],
)
def test_lines_that_are_none(nodes: Any, message: str) -> None:
    with pytest.raises(px.LoadError, match=message):
        world().add_rope(nodes, "r")
    with pytest.raises(ValueError, match="0 segments"):
        px.RopeLine.straight(1.0, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"radius": 0.0}, "rope 'r': radius=0.0: must be"),
        ({"youngs_modulus": 0.0}, "youngs_modulus"),
        ({"bending_stiffness": -1.0}, "bending_stiffness"),
        ({"mass": 1.0, "density": 2.0}, "mass or density, not both"),
        ({"damping": -1.0}, "damping"),
        ({"density": float("nan")}, "density"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        world().add_rope(px.RopeLine.straight(1, 1), "r", **options)
