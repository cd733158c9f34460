"""Meshes with distance fields in saved worlds, recordings and pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import trimesh
from oracles import host

import phalanx as px
from phalanx.images.pictures.picture import Camera, render_world
from phalanx.io.recordings.replay import open_recording, verify


def test_a_ring_is_saved_recorded_and_drawn(tmp_path: Path, device: str) -> None:
    """Bit by bit the same after loading and in replay; the hole of the ring is seen."""
    ring = trimesh.creation.torus(0.1, 0.03, major_sections=32, minor_sections=16)
    world = px.World(num_envs=2, device=device, dt=1 / 240)
    world.add_ground()
    mesh = px.Shape("mesh", vertices=ring.vertices, faces=ring.faces, color=(1.0, 0.0, 0.0, 1.0))
    made = world.add_rigid_object(mesh, "ring", approximation=px.SdfOptions(resolution=40), position=(0, 0, 0.04))
    world.add_rigid_object(px.Shape("capsule", (0.05, 0.2)), "post", kind="static", position=(0, 0, 0.25))
    made.set_root_state(vel=[[1.0, 0, 0, 0, 0, 5.0], [0, 0, 1.0, 3.0, 0, 0]])
    with px.Recorder(world, tmp_path / "run.zarr"):
        world.step(20)
        world.save(tmp_path / "half")
        world.step(20)
    other = px.World.load(tmp_path / "half", device=device)
    other.step(20)
    np.testing.assert_array_equal(host(other.objects["ring"].root_pose), host(made.root_pose))
    assert verify(open_recording(tmp_path / "run.zarr"), device=device).ok
    above = Camera(eye=(0.0, 0.001, 0.8), target=(0.0, 0.0, 0.0))
    image = render_world(world, env_ids=[0], size=(120, 120), ground=None, camera=above).astype(int)
    red = image[..., 0] - image[..., 1:3].max(axis=-1) > 40
    rows, columns = np.nonzero(red)
    assert red.sum() > 200
    assert not red[int(rows.mean()), int(columns.mean())]
