"""A gripper takes a soft cube, lifts it, holds it and lets it go."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from deformable.scenes import cube, spread, world

import phalanx as px
from phalanx.models.meshes.tet_shapes import tet_shape

GRIPPER = """
<robot name="gripper">
  <link name="rail"><inertial><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="palm"><inertial><mass value="0.5"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  {fingers}
  <joint name="lift" type="prismatic"><parent link="rail"/><child link="palm"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.5" effort="200" velocity="2"/></joint>
</robot>
"""
FINGER = """
  <link name="{name}"><inertial><mass value="0.05"/>
    <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.01 0.03 0.08"/></geometry></collision></link>
  <joint name="{name}" type="prismatic"><parent link="palm"/><child link="{name}"/>
    <origin xyz="{x} 0 0"/><axis xyz="{way} 0 0"/>
    <limit lower="0" upper="0.05" effort="20" velocity="1"/></joint>
"""


@pytest.fixture
def gripper(tmp_path: Path) -> Path:
    """Two fingers that close along x, on a palm that goes up and down."""
    fingers = FINGER.format(name="left", x=-0.05, way=1) + FINGER.format(name="right", x=0.05, way=-1)
    path = tmp_path / "gripper.urdf"
    path.write_text(GRIPPER.format(fingers=fingers))
    return path


@pytest.mark.parametrize(("young", "resolution"), [(2e4, 5), (5e5, 5), (5e4, 2)])
def test_it_lifts_and_holds(gripper: Path, young: float, resolution: int) -> None:
    """Also a cube of few tetrahedra that carry a collision mesh of more triangles."""
    made = world(dtype="float32")
    made.add_ground()
    fine = tet_shape(px.Shape("box", (0.03, 0.03, 0.03)), 6) if resolution < 5 else None
    body = cube(made, half=0.03, resolution=resolution, youngs_modulus=young, friction=0.8, collision=fine)
    hand = made.add_robot(gripper, "hand", fixed_base=True, position=(0, 0, 0.05), friction=0.8)
    made.build()
    hand.set_drive([2000, 300, 300], [100, 20, 20])

    def drive(lift: float, close: float, seconds: float) -> None:
        start = hand.joint_pos[0, 0]
        count = round(seconds / made.dt)
        for n in range(count):
            hand.set_targets([start + (lift - start) * (n + 1) / count, close, close])
            made.step()

    drive(0.0, 0.03, 0.3)
    drive(0.15, 0.03, 0.5)
    made.step(100)
    held = body.node_pos[0].mean(axis=0) - (0, 0, hand.joint_pos[0, 0])
    assert held[2] == pytest.approx(0.03, abs=2e-3)
    made.step(100)
    later = body.node_pos[0].mean(axis=0) - (0, 0, hand.joint_pos[0, 0])
    np.testing.assert_allclose(later, held, atol=2e-5)  # it does not creep
    assert spread(body.node_vel) < 2e-3
    # the lift carries palm, fingers and cube; what the cube does to each finger is no force of the finger's joint
    carried = hand.incoming_joint_wrench[0, hand.body_names.index("palm"), 2]
    assert carried == pytest.approx(9.81 * (0.6 + float(body.node_mass[0].sum())), rel=0.01)
    pressed = [hand.net_contact_force[0, hand.body_names.index(side), 0] for side in ("left", "right")]
    assert pressed[0] == pytest.approx(-pressed[1], rel=0.02) and pressed[0] < -1.0
    drive(0.15, 0.0, 0.5)
    assert body.node_pos[0, :, 2].min() < 1e-3
