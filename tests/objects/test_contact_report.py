"""Contacts as arrays: their forces carry what rests on them."""

from __future__ import annotations

import numpy as np

import phalanx as px
from phalanx.world.handles.contact_report import contacts


def test_forces_of_a_resting_box_sum_to_its_weight() -> None:
    world = px.World(2, dt=1 / 240)
    world.add_ground()
    box = world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), mass=2.0, position=(0, 0, 0.1))
    world.step(240)
    found = contacts(world.engine)
    weight = 2.0 * 9.81
    assert (found["count"] == 4).all()
    assert np.allclose(found["normal_force"].sum(axis=1), weight, rtol=5e-3)
    assert np.allclose(found["force"].sum(axis=1), [0, 0, weight], atol=5e-3 * weight)
    assert np.allclose(box.net_contact_force[:, 0], found["force"].sum(axis=1), atol=1e-3)
    assert not found["force"][:, 4:].any()
