"""A fast top on a spherical joint precesses instead of falling, and nods if it is let go.

Expected: Lagrange's steady rate, a root of (A + m l^2) cos(tilt) W^2 - C w W + m g l = 0; let go, the path of its axis
by Euler's equations.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from gallery import Comparison, picture_argument
from scipy.integrate import solve_ivp

import phalanx as px
from phalanx.maths.arrays import about, from_rotation_vector, matrix, rotation_vector
from phalanx.models.robot_model import Body, Joint, RobotModel

MASS, ARM, ACROSS, ALONG, GRAVITY = 1.0, 0.1, 0.006, 0.00981, 9.81  # kg, m, kg m^2 about the centre of mass
SPIN, TILT, RATE, SECONDS = 60.0, np.deg2rad(30.0), 1000, 3.0
PIVOTED = np.array([ACROSS + MASS * ARM**2, ACROSS + MASS * ARM**2, ALONG])


def model() -> RobotModel:
    inertia = np.diag([ACROSS, ACROSS, ALONG])
    return RobotModel(
        "top",
        [Body("stand", 1.0), Body("top", MASS, (0.0, 0.0, ARM), inertia)],
        [Joint("pivot", "spherical", "stand", "top")],
    )


def path(turn: np.ndarray, spin: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Where the axis points, (times, 3), by Euler's equations."""

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        q, w = y[:4], y[4:]
        torque = np.cross([0.0, 0.0, ARM], matrix(q / np.linalg.norm(q)).T @ [0.0, 0.0, -MASS * GRAVITY])
        turns = 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
        return np.concatenate([turns, (torque + np.cross(PIVOTED * w, w)) / PIVOTED])

    start = np.concatenate([turn, matrix(turn).T @ spin])
    found = solve_ivp(rate, (0, times[-1]), start, "DOP853", times, rtol=1e-9, atol=1e-10).y[:4].T
    return matrix(found / np.linalg.norm(found, axis=1, keepdims=True))[:, :, 2]


def main() -> None:
    picture = picture_argument(__doc__)
    turn = about((0.0, 1.0, 0.0), TILT)
    axis = matrix(turn)[:, 2]
    steady = np.roots([PIVOTED[0] * np.cos(TILT), -ALONG * SPIN, MASS * GRAVITY * ARM]).real.min()
    rates = np.array([[0.0, 0.0, steady], [0.0, 0.0, 0.0]])  # one precesses from the start, one is let go
    spins = rates + axis * (SPIN - rates @ axis)[:, None]
    world = px.World(2, dt=1 / RATE)
    robot = world.add_robot(model(), fixed_base=True)
    world.build()
    robot.set_drive(stiffness=0.0, damping=0.0)
    robot.set_joint_state(pos=rotation_vector(turn)[None], vel=spins)
    axes = [np.tile(axis, (2, 1))]
    for _ in range(round(SECONDS * RATE)):
        world.step()
        axes.append(matrix(from_rotation_vector(robot.joint_pos.astype(float)))[:, :, 2])
    seen, times = np.array(axes), np.arange(len(axes)) / RATE
    expected = path(turn, spins[1], times)

    angles = np.unwrap(np.arctan2(seen[:, :, 1], seen[:, :, 0]), axis=0)
    tilts = np.rad2deg(np.arccos(seen[:, :, 2]))
    rows = Comparison()
    rows.row("steady precession", (angles[-1, 0] - angles[0, 0]) / SECONDS, steady, "rad/s", 0.01 * steady)
    rows.row("tilt of it, at most", tilts[:, 0].max(), 30.0, "degrees", 0.1)
    rows.row("let go, it nods down to", tilts[:, 1].max(), np.rad2deg(np.arccos(expected[:, 2])).max(), "degrees", 0.05)
    whole = np.unwrap(np.arctan2(expected[:, 1], expected[:, 0]))
    rows.row("and precesses by", angles[-1, 1] - angles[0, 1], whole[-1] - whole[0], "rad", 0.01 * whole[-1])
    if picture is not None:
        draw(seen, expected, picture)
    rows.end()


def draw(seen: np.ndarray, expected: np.ndarray, picture: Path) -> None:
    """The paths of both axes from above."""
    from matplotlib import pyplot as plt

    figure, panel = plt.subplots(figsize=(6.4, 6.0))
    panel.plot(seen[:, 1, 0], seen[:, 1, 1], color="#e8833a", linewidth=3, label="let go, seen")
    panel.plot(expected[:, 0], expected[:, 1], "k--", linewidth=1, label="by Euler's equations")
    panel.plot(seen[:, 0, 0], seen[:, 0, 1], color="#5c8fb0", linewidth=2, label="steady")
    panel.set(aspect="equal", title=f"Where the axis of a top points, from above ({SPIN:g} rad/s, {SECONDS:g} s)")
    panel.legend(loc="center")
    figure.tight_layout()
    figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main()
