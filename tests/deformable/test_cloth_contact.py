"""Cloth that touches cloth: nothing passes through anything, piles come down, and bits are the same alone."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from deformable.scenes import crossings, momentum, spread, world

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


@pytest.mark.parametrize("spin", [3.0, 6.0])
def test_a_sheet_that_touches_itself_on_a_ball_that_spins_gains_no_speed(spin: float) -> None:
    """It fell and turns at 2 m/s at most; with momentum restored from the ball's pushes it went on to 17 and 31 m/s.

    Triangles reach into the ball by their sagitta at most, as nodes are what is tested.
    """
    radius, side, cells = 0.1, 0.4, 20
    made = world(dt=1 / 60)
    made.add_ground(friction=0.5)
    ball = made.add_rigid_object(
        px.Shape("sphere", (radius,)), "ball", kind="kinematic", position=(0, 0, 0.35), friction=0.6
    )
    mesh = px.ClothMesh.grid(side, side, cells, cells)
    sheet = made.add_cloth(
        mesh, "sheet", position=(0, 0, 0.48), thickness=2e-3, bending_stiffness=1e-5, friction=0.6, touches_cloth=True
    )
    made.build()
    for n in range(120):
        angle = spin * (n + 1) * made.dt
        ball.set_kinematic_target((0, 0, 0.35, np.cos(angle / 2), 0, 0, np.sin(angle / 2)))
        made.step()
        assert spread(sheet.node_vel) < 4.0
        off = made.actors["ball"].root_pose[0, :3]
        nodes = np.linalg.norm(sheet.node_pos[0] - off, axis=1)
        assert nodes.min() > radius - 5e-3
    surface = trimesh.Trimesh(sheet.node_pos[0], mesh.triangles, process=False)
    _, nearest, _ = trimesh.proximity.closest_point_naive(surface, [(0, 0, 0.35)])
    assert nearest[0] > radius - 2.0 * (side / cells) ** 2 / (8.0 * radius) - 1e-3


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
