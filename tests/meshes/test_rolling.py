"""Over a flat floor of triangles wheels, balls, boxes and capsules go as over a plane: no seam throws them up."""

from __future__ import annotations

import numpy as np
from oracles import host
from scipy.spatial.transform import Rotation

import phalanx as px
from phalanx.models.meshes.height_fields import grid_triangles

CELLS, SPACING = 40, 0.1
YAWS = np.radians([0.0, 13.0, 30.0, 45.0, 71.0, 90.0])
"""Along the cells, along their diagonals, and between; every 0.1 m an edge is crossed, or followed all the way."""
HALF = float(np.sqrt(0.5))
MOVERS = {
    # shape, height of its centre, orientation, friction, whether it rolls
    "sphere": (px.Shape("sphere", (0.1,)), 0.1, (1, 0, 0, 0), 0.8, True),
    "wheel": (px.Shape("cylinder", (0.12, 0.03)), 0.12, (HALF, HALF, 0, 0), 0.8, True),
    "box": (px.Shape("box", (0.1, 0.06, 0.05)), 0.05, (1, 0, 0, 0), 0.05, False),
    "capsule": (px.Shape("capsule", (0.06, 0.1)), 0.06, (HALF, 0, HALF, 0), 0.05, False),
}
FLOORS = ("mesh", "height_field", "plane")


def test_seams_do_not_throw_up_what_rolls_and_slides(device: str) -> None:
    """1 s at 1 m/s, float32, one environment for each direction; collision groups keep the three floors apart."""
    world = px.World(num_envs=len(YAWS), device=device, dt=1 / 240)
    vertices, faces = grid_triangles(np.zeros((CELLS + 1, CELLS + 1)), (SPACING, SPACING))
    floors = {
        "mesh": px.Shape("mesh", vertices=vertices, faces=faces, approximation="triangle_mesh"),
        "height_field": px.Shape("height_field", (SPACING, SPACING), heights=np.zeros((CELLS + 1, CELLS + 1))),
    }
    for group, (name, shape) in enumerate(floors.items()):
        world.add_rigid_object(shape, name, kind="static", collision_group=group, collision_mask=[10 + group])
    world.add_ground(collision_group=2, collision_mask=[12])
    movers = {
        (floor, name): world.add_rigid_object(
            shape, f"{name} on {floor}", density=500.0, position=(0, 0, height), orientation=turn,
            friction=friction, friction_combine="min", collision_group=10 + group, collision_mask=[group],
        )
        for group, floor in enumerate(FLOORS)
        for name, (shape, height, turn, friction, _) in MOVERS.items()
    }  # fmt: skip
    world.build()
    along = np.column_stack([np.cos(YAWS), np.sin(YAWS), np.zeros(len(YAWS))])
    for (_, name), mover in movers.items():
        _, height, turn, _, rolls = MOVERS[name]
        w, x, y, z = turn
        yawed = Rotation.from_euler("z", YAWS[:, None]) * Rotation.from_quat([x, y, z, w])
        pose = np.column_stack([-0.9 * along, yawed.as_quat()[:, [3, 0, 1, 2]]])
        pose[:, 2] = height
        spin = np.cross([0, 0, 1], along) / height if rolls else np.zeros_like(along)
        mover.set_root_state(pose, np.column_stack([along, spin]))
    places: dict[tuple[str, str], list[np.ndarray]] = {key: [] for key in movers}
    fastest = dict.fromkeys(movers, 0.0)
    for step in range(240):
        world.step()
        for key, mover in movers.items():
            places[key].append(host(mover.root_pose)[:, :3])
            if step >= 24:  # they settle on planes, too
                fastest[key] = max(fastest[key], float(np.abs(host(mover.root_vel)[:, 2]).max()))
    for (floor, name), path in places.items():
        gone = np.linalg.norm(path[-1] - path[0], axis=1)
        assert (gone > (0.99 if MOVERS[name][4] else 0.74)).all(), (floor, name)
        assert fastest[floor, name] < 1e-4, (floor, name)
        np.testing.assert_allclose(path, places["plane", name], atol=5e-5, err_msg=f"{name} on {floor}")
