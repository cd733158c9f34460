"""What passes an edge is not touched by it: no change at all, whatever the step, and what does not pass is stopped."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import host

import phalanx as px

SPEEDS = np.array([2.0, 5.0, 10.0, 2.0, 10.0, 30.0])
GAPS = np.array([0.002, 0.003, 0.005, 0.005, 0.002, 0.02])
FLYERS = {
    "foot": (px.Shape("box", (0.01, 0.01, 0.01)), 0.01),
    "ball": (px.Shape("sphere", (0.02,)), 0.02),
    "capsule": (px.Shape("capsule", (0.01, 0.02)), 0.03),
    "cylinder": (px.Shape("cylinder", (0.02, 0.02)), 0.02),
}
"""And how far they reach below their origins, m."""
CORNERS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (-5.0, 5.0) for z in (-0.1, 0.0)])
SIDES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip
BLOCKS = {
    "box": (px.Shape("box", (0.5, 5.0, 0.05)), (0.5, 0.0, -0.05)),
    "hull": (px.Shape("mesh", vertices=CORNERS), (0.0, 0.0, 0.0)),
    "mesh": (px.Shape("mesh", vertices=CORNERS, faces=SIDES, approximation="triangle_mesh"), (0.0, 0.0, 0.0)),
}
"""A block from x = 0 to 1 m whose top is at z = 0, and where it is placed."""


def fly(device: str, dt: float, block: str, heights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bodies fly at a block's edge, their lowest points at (n,) heights above its top.

    Returns:
        (bodies, n, 6) velocities half a second later, m/s and rad/s, and (bodies, n) the heights then.
    """
    world = px.World(len(heights), device, dt=dt, gravity=(0.0, 0.0, 0.0))
    world.add_rigid_object(BLOCKS[block][0], "block", kind="static", position=BLOCKS[block][1])
    bodies = [world.add_rigid_object(shape, name, mass=0.1) for name, (shape, _) in FLYERS.items()]
    for i, (body, (_, below)) in enumerate(zip(bodies, FLYERS.values(), strict=True)):
        pose = np.zeros((len(heights), 7))
        pose[:, :4] = np.column_stack(
            [np.full((len(heights), 2), [-0.3, i - 1.5]), heights + below, np.ones(len(heights))]
        )
        velocity = np.zeros((len(heights), 6))
        velocity[:, 0] = SPEEDS
        body.set_root_state(pose=pose, vel=velocity)
    for _ in range(round(0.5 / dt)):
        world.step()
    above = [host(b.root_pose)[:, 2] - below for b, (_, below) in zip(bodies, FLYERS.values(), strict=True)]
    return np.array([host(body.root_vel) for body in bodies]), np.array(above)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("dt", [1 / 60, 1 / 200, 1 / 1000])
def test_what_passes_above_an_edge_flies_on(block: str, dt: float, device: str) -> None:
    """2 to 5 mm above it at 2 to 10 m/s, and 20 mm at 30 m/s: velocities and heights stay what they are, to the bit."""
    velocity, height = fly(device, dt, block, GAPS)
    straight = np.zeros_like(velocity)
    straight[..., 0] = SPEEDS
    np.testing.assert_array_equal(velocity, straight)
    np.testing.assert_allclose(height, np.broadcast_to(GAPS, height.shape), atol=1e-7)


@pytest.mark.parametrize("block", BLOCKS)
def test_what_strikes_the_side_is_stopped(block: str, device: str) -> None:
    """The same flights 5 cm lower: none goes on."""
    velocity, _ = fly(device, 1 / 60, block, GAPS - 0.05)
    assert np.abs(velocity[..., 0]).max() < 0.6 * SPEEDS.min()
