"""A weight hangs on a rope that is laid over a drum, with another weight at its other end: friction holds it, or not.

Prints for each environment how the weights are to each other and by how much the heavier one has sunk, beside what
Euler and Eytelwein say of it: it slides where they are as 1 to more than ``exp(mu pi)``. ``--picture`` draws all of
them (needs matplotlib).
"""

from __future__ import annotations

import argparse

import numpy as np

import phalanx as px

RADIUS, DRUM = 5e-3, 0.1
LIGHT = 0.5
FRICTION = 0.3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=150, help="steps of 1/200 s")
    parser.add_argument("--picture", help="a file to draw the environments to")
    args = parser.parse_args()
    ratios = np.array([1.5, 2.0, 3.5, 4.5])
    world = px.World(num_envs=len(ratios), dt=1 / 200, device="cpu")
    world.add_rigid_object(
        px.Shape("cylinder", (DRUM, 0.1)),
        "drum",
        kind="static",
        orientation=(0.70710678, 0.70710678, 0, 0),
        friction=FRICTION,
    )
    bow = DRUM + RADIUS
    angle, down = np.linspace(np.pi, 0, 25), np.linspace(-0.4, 0, 31)[:-1]
    over = np.stack([bow * np.cos(angle), 0 * angle, bow * np.sin(angle)], axis=1)
    left, right = (np.stack([0 * down + side * bow, 0 * down, down], axis=1) for side in (-1, 1))
    rope = world.add_rope(
        np.concatenate([left, over, right[::-1]]),
        "rope",
        radius=RADIUS,
        youngs_modulus=1e8,
        bending_stiffness=1e-4,
        collision_mask=[0],  # not with the weights that it is tied to
        friction=FRICTION,
    )
    ball = px.Shape("sphere", (0.03,))
    light = world.add_rigid_object(ball, "light", collision_group=1, mass=LIGHT, position=(-bow, 0, -0.43))
    heavy = world.add_rigid_object(ball, "heavy", collision_group=1, mass=LIGHT, position=(bow, 0, -0.43))
    world.attach_nodes(rope, [0], "light", points=[(0, 0, 0.03)])
    world.attach_nodes(rope, [rope.num_nodes - 1], "heavy", points=[(0, 0, 0.03)])
    world.build()
    heavy.set_mass(LIGHT * ratios)
    start = heavy.root_pose[:, 2]
    world.step(args.steps)
    sunk = start - heavy.root_pose[:, 2]
    limit = np.exp(FRICTION * np.pi)
    print(f"friction {FRICTION}: it holds up to {limit:.2f} times the weight")
    for ratio, way in zip(ratios, sunk, strict=True):
        print(f"{ratio:4.1f} times: sunk by {1000 * way:6.1f} mm, {'slides' if ratio > limit else 'holds'} in theory")
    if args.picture:
        draw(rope.node_pos, light.root_pose, heavy.root_pose, ratios, args.picture)


def draw(nodes: np.ndarray, light: np.ndarray, heavy: np.ndarray, ratios: np.ndarray, path: str) -> None:
    """All environments from the side."""
    import matplotlib.pyplot as plt
    from matplotlib.patches import Circle

    figure, panes = plt.subplots(1, len(ratios), figsize=(10, 5), sharey=True)
    for env, pane in enumerate(panes):
        pane.add_patch(Circle((0, 0), DRUM, color="tab:gray"))
        for pose, color in ((light, "tab:blue"), (heavy, "tab:red")):
            pane.add_patch(Circle((pose[env, 0], pose[env, 2]), 0.03, color=color))
        pane.plot(nodes[env, :, 0], nodes[env, :, 2], color="tab:brown", linewidth=3)
        pane.set(aspect="equal", xlim=(-0.2, 0.2), ylim=(-0.9, 0.15), title=f"1 : {ratios[env]:g}", xlabel="x, m")
    panes[0].set_ylabel("z, m")
    figure.tight_layout()
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    main()
