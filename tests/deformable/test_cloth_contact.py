"""Cloth that touches cloth: nothing passes through anything, piles come down, and bits are the same alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import trimesh
from deformable.scenes import crossings, momentum, spread, world
from deformable.test_rope_contact import overhand_knot

import phalanx as px


def pile(num_envs: int, layers: int, side: int) -> px.World:
    """Sheets above each other, each turned against the one below, that fall on the ground."""
    made = world(num_envs=num_envs, dt=1 / 60)
    made.add_ground(friction=0.5)
    for n in range(layers):
        made.add_cloth(
            px.ClothMesh.grid(0.3, 0.3, side, side), f"sheet {n}", position=(0, 0, 0.05 + 0.02 * n), friction=0.4,
            orientation=(np.cos(0.3 * n), 0, 0, np.sin(0.3 * n)), thickness=2e-3, bending_stiffness=1e-5,
            touches_cloth=True,
        )  # fmt: skip
    made.build()
    return made


def test_crossings_are_seen() -> None:
    """Two sheets across each other."""
    made = world()
    mesh = px.ClothMesh.grid(1, 1, 1, 1)
    one = made.add_cloth(mesh, "one")
    two = made.add_cloth(mesh, "two", orientation=(0.7, 0.7, 0, 0), position=(0, 0.1, 0.2))
    made.build()
    assert crossings([one, two]) > 0 and crossings([one]) == crossings([two]) == 0


def test_a_pile_comes_to_rest_and_nothing_crosses() -> None:
    """Sheets lie on each other, at nearly their thickness; they hardly jump; and bits are the same alone."""
    made, alone = pile(2, 3, 4), pile(1, 3, 4)
    sheets = list(made.cloths.values())
    sheets[1].set_node_state(vel=np.array([[[0.0, 0, 0]], [[0.2, 0, 0]]]))
    jumps = 0.0
    for n in range(6):
        made.step(6)
        assert crossings(sheets) == crossings(sheets, 1) == 0
        jumps = max(jumps, float(sheets[0].node_pos[:, :, 2].mean(axis=1).max()) if n > 0 else 0.0)
    assert jumps < 4e-3  # the first has landed after 6 steps, the last after 10
    alone.step(36)
    for name, sheet in alone.cloths.items():
        np.testing.assert_array_equal(sheet.node_pos[0], made.cloths[name].node_pos[0])
    assert spread(sheets[1].node_pos[0] - sheets[1].node_pos[1]) > 1e-3
    heights = np.array([sheet.node_pos[:, :, 2].mean(axis=1) for sheet in sheets])
    np.testing.assert_allclose(heights[0], 1e-3, atol=2e-5)  # half of the thickness
    np.testing.assert_allclose(np.diff(heights, axis=0), 1.85e-3, atol=1.5e-4)
    assert max(spread(sheet.node_vel) for sheet in sheets) < 0.02


@pytest.mark.slow
def test_ten_sheets_do_not_cross() -> None:
    made = pile(1, 10, 6)
    for _ in range(10):
        made.step(15)
        assert crossings(made.cloths.values()) == 0
    sheets = list(made.cloths.values())
    heights = np.array([sheet.node_pos[0, :, 2].mean() for sheet in sheets])
    assert heights[0] == pytest.approx(1e-3, abs=1e-4) and np.diff(heights).min() > 1e-3
    assert max(spread(sheet.node_vel) for sheet in sheets) < 0.05


RADIUS, SIDE, CELLS, HEIGHT = 0.1, 0.5, 20, 0.48


@dataclass
class Draped:
    """What happened to a sheet on a ball that spins, in each of several environments."""

    crossed: dict[int, int]
    """The step after which each first crossed itself, of those that did."""
    fastest: np.ndarray
    """(steps, environments) m/s: of any node."""
    speeds: np.ndarray
    """(steps, environments) m/s: root mean square of all nodes."""
    given: np.ndarray
    """(steps, environments) m/s: what the fall so far, and the surface of the ball, may give them."""
    nodes: np.ndarray
    """(environments, nodes, 3) m: at the end, from the centre of the ball."""
    nearest: float
    """m: of any node to the centre of the ball, at any time."""
    mesh: px.ClothMesh


def drape(spins: np.ndarray, steps: int, side: float = SIDE, seed: int = 0, thickness: float = 2e-3) -> Draped:
    """Let sheets fall on balls that spin, rad/s, steps of 1/60 s in float32.

    The first lies straight above its ball, which turns about the vertical axis. Others are turned, their centres lie up
    to 50 mm off, and every other ball turns about an axis of its own.
    """
    count, generator = len(spins), np.random.default_rng(seed)
    made = world(num_envs=count, dt=1 / 60, dtype="float32")
    made.add_ground(friction=0.5)
    centre = np.array((0, 0, 0.35))
    ball = made.add_rigid_object(
        px.Shape("sphere", (RADIUS,)), "ball", kind="kinematic", position=tuple(centre), friction=0.6
    )
    mesh = px.ClothMesh.grid(side, side, CELLS, CELLS)
    sheet = made.add_cloth(
        mesh, "sheet", position=(0, 0, HEIGHT), thickness=thickness, bending_stiffness=1e-5, friction=0.6,
        touches_cloth=True,
    )  # fmt: skip
    made.build()
    turn, off = generator.uniform(-0.6, 0.6, count), generator.uniform(-0.05, 0.05, (count, 2))
    axes = generator.normal(size=(count, 3))
    turn[0], off[0], axes[::2] = 0.0, 0.0, (0, 0, 1)
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    x, y, z = np.moveaxis(sheet.node_pos.astype(float), -1, 0)
    cos, sin = np.cos(turn)[:, None], np.sin(turn)[:, None]
    sheet.set_node_state(np.stack([cos * x - sin * y + off[:, :1], sin * x + cos * y + off[:, 1:], z], axis=-1))
    found = Draped(
        {}, np.zeros((steps, count)), np.zeros((steps, count)), np.zeros((steps, count)), np.zeros(0), np.inf, mesh
    )
    for n in range(steps):
        angle = spins[:, None] * (n + 1) * made.dt / 2
        pose = np.concatenate([np.tile(centre, (count, 1)), np.cos(angle), axes * np.sin(angle)], axis=1)
        ball.set_kinematic_target(pose)
        made.step()
        found.nodes = sheet.node_pos.astype(float) - centre
        speeds = np.linalg.norm(sheet.node_vel, axis=-1)
        found.fastest[n], found.speeds[n] = speeds.max(axis=1), np.sqrt((speeds**2).mean(axis=1))
        fall = np.maximum(HEIGHT - centre[2] - found.nodes[..., 2].mean(axis=1), 0.0)
        found.given[n] = np.sqrt(2 * 9.81 * fall) + np.abs(spins) * RADIUS
        found.nearest = min(found.nearest, float(np.linalg.norm(found.nodes, axis=-1).min()))
        for env in range(count) if n % 8 == 7 or n == steps - 1 else ():
            if env not in found.crossed and crossings([sheet], env):
                found.crossed[env] = n + 1
    return found


@pytest.fixture(scope="module")
def draped() -> Draped:
    return drape(np.array([3.0, 6.0, -6.0, -9.0]), 64)


def test_a_sheet_that_winds_around_a_ball_does_not_cross_itself(draped: Draped) -> None:
    """Contacts that gave way let distances shrink, small step after small step, until they were lost in rounding."""
    assert draped.crossed == {}


def test_a_sheet_that_touches_itself_on_a_ball_that_spins_gains_no_speed(draped: Draped) -> None:
    """With momentum restored from the ball's pushes it went on to 17 and 31 m/s. Some slide off, and fall."""
    assert draped.fastest.max() < 6.0  # loose corners fly
    assert (draped.speeds < draped.given).all()


def test_a_sheet_stays_outside_a_ball_that_spins(draped: Draped) -> None:
    """Triangles reach into the ball by their sagitta at most, as nodes are what is tested."""
    assert draped.nearest > RADIUS - 5e-3
    for nodes in draped.nodes:
        surface = trimesh.Trimesh(nodes, draped.mesh.triangles, process=False)
        _, nearest, _ = trimesh.proximity.closest_point_naive(surface, [(0, 0, 0)])
        assert nearest[0] > RADIUS - 2.0 * (SIDE / CELLS) ** 2 / (8.0 * RADIUS) - 1e-3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("side", "thickness", "seed"), [(0.4, 2e-3, 1), (0.5, 2e-3, 2), (0.5, 2e-4, 3), (0.6, 2e-3, 4)]
)
def test_sheets_on_balls_that_spin_do_not_cross(side: float, thickness: float, seed: int) -> None:
    """Of other sizes, thin ones, and at random spins, for two seconds."""
    spins = np.random.default_rng(seed).uniform(-12.0, 12.0, 8)
    assert drape(spins, 120, side, seed, thickness).crossed == {}


def turned(quaternions: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points (n, 3), turned in each environment."""
    w, v = quaternions[:, :1, None], np.broadcast_to(quaternions[:, None, 1:], (len(quaternions), *points.shape))
    across = 2 * np.cross(v, points)
    return points + w * across + np.cross(v, across)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "thickness", "bending", "seed"),
    [("ground", 5e-4, 1e-6, 1), ("post", 2e-3, 1e-5, 2), ("stairs", 2e-3, 1e-6, 3), ("air", 2e-3, 1e-5, 4)],
)
def test_sheets_that_fall_at_random_do_not_cross(where: str, thickness: float, bending: float, seed: int) -> None:
    """On the ground, a post or stairs, turned and turning; in the air two meet at 2 to 8 m/s."""
    envs, generator = 3, np.random.default_rng(seed)
    made = world(num_envs=envs, dt=1 / 60, dtype="float32", gravity=(0, 0, 0 if where == "air" else -9.81))
    if where != "air":
        made.add_ground(friction=0.5)
    if where == "post":
        shape = px.Shape("capsule", (0.03, 0.15))
        made.add_rigid_object(shape, "post", kind="static", position=(0, 0, 0.15), friction=0.5)
    for n in range(3 if where == "stairs" else 0):
        shape, place = px.Shape("box", (0.3, 0.06, 0.04 * (n + 1))), (0, 0.12 * (n - 1), 0.04 * (n + 1))
        made.add_rigid_object(shape, f"step {n}", kind="static", position=place, friction=0.5)
    mesh = px.ClothMesh.grid(0.4, 0.4, 14, 14)
    sheets = [
        made.add_cloth(
            mesh, f"sheet {n}", thickness=thickness, bending_stiffness=bending, friction=0.5, touches_cloth=True
        )
        for n in range(2 if where == "air" else 1)
    ]
    made.build()
    for n, sheet in enumerate(sheets):
        turns = generator.normal(size=(envs, 4))
        turns /= np.linalg.norm(turns, axis=1)[:, None]
        pos = turned(turns, mesh.nodes - mesh.nodes.mean(axis=0))
        spins = generator.normal(size=(envs, 1, 3)) * 4
        vel = np.cross(spins, pos) + 0.5 * generator.normal(size=(envs, 1, 3))
        if where == "air":
            pos[..., 0] += 0.64 * n - 0.32
            vel[..., 0] += (1 - 2 * n) * generator.uniform(1, 4, (envs, 1))
        else:
            pos[..., 2] += (0.05 if where == "ground" else 0.35) - pos[..., 2].min(axis=1)[:, None]
        sheet.set_node_state(pos, vel)
    for _ in range(5 if where == "air" else 9):
        assert [crossings(sheets, env) for env in range(envs)] == [0] * envs
        made.step(10)
    assert [crossings(sheets, env) for env in range(envs)] == [0] * envs
    met = [np.ptp(sheet.node_pos[..., 2], axis=1).max() < 0.38 for sheet in sheets]
    assert where == "air" or all(met), "they have fallen down"


@pytest.mark.slow
def test_a_strip_in_a_knot_does_not_cross() -> None:
    """An overhand knot of a strip of 20 mm, whose ends are pulled along its tails."""
    made = world(dt=1 / 60, dtype="float32", gravity=(0, 0, 0))
    length, steps = 0.012, 90
    line = overhand_knot(0.14, 0.4, length)
    count = len(line)
    mesh = px.ClothMesh.grid(length * (count - 1), 0.02, count - 1, 2)
    strip = made.add_cloth(
        mesh, thickness=2e-3, bending_stiffness=1e-5, friction=0.5, damping=1.0, touches_cloth=True
    )  # fmt: skip
    made.build()
    along = np.gradient(line, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    across = [np.array([0.0, 0.0, 1.0])]
    for way in along:  # carried along the line without a twist
        side = across[-1] - (across[-1] @ way) * way
        across.append(side / np.linalg.norm(side))
    column = np.rint((mesh.nodes[:, 0] - mesh.nodes[:, 0].min()) / length).astype(int)
    begin = line[column] + (mesh.nodes[:, 1] - mesh.nodes[:, 1].mean())[:, None] * np.array(across[1:])[column]
    strip.set_node_state(begin)
    held = np.isin(column, [0, count - 1])
    pull = np.where((column == 0)[:, None], -along[0], along[-1]) * held[:, None]
    slack = length * (count - 1) - np.linalg.norm(line[-1] - line[0])
    assert crossings([strip]) == 0
    for n in range(steps):
        strip.set_node_targets(begin + 0.4 * slack * min(1.0, 1.3 * (n + 1) / steps) * pull, held)
        made.step()
        if n % 15 == 14:
            assert crossings([strip]) == 0
    ends = [strip.node_pos[0][column == end].mean(axis=0) for end in (0, count - 1)]
    assert np.linalg.norm(ends[1] - ends[0]) < 0.97 * length * (count - 1), "it is still tied"


def test_sheets_that_meet_in_flight_keep_their_momentum() -> None:
    """One hits the other, askew, as both fall; no more than rounding is lost, and friction takes both along."""
    made = world(dt=1 / 60)
    low, top = (
        made.add_cloth(
            px.ClothMesh.grid(0.3, 0.3, 4, 4), name, thickness=4e-3, friction=0.4, touches_cloth=True, **placed,
        )
        for name, placed in {
            "low": {},
            "top": {"position": (0.03, 0.02, 0.03), "orientation": (np.cos(0.2), 0, 0, np.sin(0.2))},
        }.items()
    )  # fmt: skip
    made.build()
    top.set_node_state(vel=np.array([0.5, 0.2, -1.0]))

    def total() -> tuple[np.ndarray, np.ndarray]:
        """Momentum, and angular momentum about the common centre of mass."""
        whole, first, linear, angular = 0.0, np.zeros(3), np.zeros(3), np.zeros(3)
        for sheet in (low, top):
            mass = float(sheet.node_mass.sum())
            centre, one, turning = momentum(sheet)
            whole, first, linear, angular = (
                whole + mass,
                first + mass * centre[0],
                linear + one[0],
                angular + turning[0],
            )
        return linear, angular - np.cross(first / whole, linear)

    linear, angular = total()
    mass = float(low.node_mass.sum() + top.node_mass.sum())
    for n in range(4):
        made.step(5)
        assert crossings([low, top]) == 0
        later, turned = total()
        fallen = np.array([0, 0, -9.81]) * mass * (n + 1) * 5 / 60
        np.testing.assert_allclose(later - fallen, linear, atol=1e-9 * spread(linear))
        np.testing.assert_allclose(turned, angular, atol=1e-6 * spread(angular))
    speeds = [momentum(sheet)[1][0] / float(sheet.node_mass.sum()) for sheet in (low, top)]
    assert spread(speeds[1] - speeds[0]) < 0.1


def test_a_sheet_that_is_folded_keeps_its_momentum() -> None:
    """One half falls on the other without gravity; contact with itself adds nothing, and halves stay apart."""
    made = world(dt=1 / 60, gravity=(0, 0, 0))
    mesh = px.ClothMesh.grid(0.3, 0.1, 9, 3)
    sheet = made.add_cloth(mesh, thickness=3e-3, bending_stiffness=1e-6, touches_cloth=True)
    made.build()
    x, y, _ = mesh.nodes.T
    over = np.clip((x + 0.025) / 0.05, 0, 1)  # a half circle in the middle
    turn = np.pi * over
    bent = np.stack([np.where(over < 1, x, 0), y, np.zeros_like(x)], axis=1)
    radius = 0.05 / np.pi
    bent[:, 0] = np.where(over > 0, -0.025 + radius * np.sin(turn) - np.maximum(x - 0.025, 0), x)
    bent[:, 2] = radius * (1 - np.cos(turn))
    vel = np.where((over == 1)[:, None], (0, 0, -0.5), (0, 0, 0.0))
    sheet.set_node_state(bent, vel)
    centre, linear, angular = momentum(sheet)
    spin = angular - np.cross(centre, linear)
    for _ in range(4):
        made.step(6)
        assert crossings([sheet]) == 0
    centre, later, turned = momentum(sheet)
    np.testing.assert_allclose(later, linear, atol=1e-9 * spread(linear))
    np.testing.assert_allclose(turned - np.cross(centre, later), spin, atol=1e-6 * spread(spin))


def test_it_must_not_be_too_thick() -> None:
    with pytest.raises(ValueError, match=r"would rest on itself at 0\.05 m, and its smallest triangle is"):
        world().add_cloth(px.ClothMesh.grid(1, 1, 20, 20), thickness=0.05, touches_cloth=True)
