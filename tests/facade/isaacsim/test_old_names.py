"""Scripts with the names of before and of today reach the same code, and get the same bits."""

from __future__ import annotations

import importlib

import numpy as np
from facade.isaacsim.core_scenes import robot_file

from phalanx.facade import stage

OLD = """
from phalanx.facade.omni.isaac.core import World
from phalanx.facade.omni.isaac.core.articulations import Articulation, ArticulationView
from phalanx.facade.omni.isaac.core.objects import DynamicCuboid
from phalanx.facade.omni.isaac.core.prims import RigidPrimView
from phalanx.facade.omni.isaac.core.utils.stage import add_reference_to_stage
from phalanx.facade.omni.isaac.core.utils.types import ArticulationAction
"""
NEW = """
from phalanx.facade.isaacsim.core.api import World
from phalanx.facade.isaacsim.core.prims import SingleArticulation as Articulation, Articulation as ArticulationView
from phalanx.facade.isaacsim.core.api.objects import DynamicCuboid
from phalanx.facade.isaacsim.core.prims import RigidPrim as RigidPrimView
from phalanx.facade.isaacsim.core.utils.stage import add_reference_to_stage
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction
"""
SCRIPT = """
world = World(stage_units_in_meters=1.0)
world.scene.add_default_ground_plane()
add_reference_to_stage(FILE, "/World/arm")
arm = world.scene.add(Articulation("/World/arm", name="arm"))
arms = ArticulationView("/World/arm")
for i in range(4):
    world.scene.add(DynamicCuboid(f"/World/box_{i}", f"box_{i}", np.array([0.5, 0.02 * i, 0.2 + 0.3 * i]), size=0.2))
boxes = world.scene.add(RigidPrimView("/World/box_.*", "boxes"))
world.reset()
trail = []
for step in range(90):
    arm.apply_action(ArticulationAction(joint_positions=np.sin(0.05 * step) * np.full(arm.num_dof, 0.3)))
    world.step(render=step % 3 == 0)
    places = boxes.get_world_poses()[0]
    trail.append(np.concatenate([arms.get_joint_positions()[0], *places, boxes.get_velocities()[0]]))
trail = np.array(trail)
World.clear_instance()
"""


def run(imports: str) -> np.ndarray:
    stage.new_stage()
    names = {"np": np, "FILE": robot_file("arm", True)}
    exec(imports + SCRIPT, names)
    return names["trail"]


def test_a_script_gives_the_same_bits_by_both_names():
    old, new = run(OLD), run(NEW)
    assert old.shape == (90, 9 + 4 * 3 + 6) and np.ptp(old, axis=0).min() >= 0.0 and np.ptp(old[:, 0]) > 0.1
    np.testing.assert_array_equal(old, new)


def test_modules_by_their_old_names():
    import phalanx.facade.isaacsim.core.api.objects.cuboid as new

    old = importlib.import_module("phalanx.facade.omni.isaac.core.objects.cuboid")
    from phalanx.facade.isaacsim.core import prims
    from phalanx.facade.omni.isaac.core import articulations
    from phalanx.facade.omni.isaac.core import prims as old_prims
    from phalanx.facade.omni.isaac.core.prims import soft

    assert old is new
    assert old_prims.XFormPrimView is prims.XFormPrim and old_prims.XFormPrim is prims.SingleXFormPrim
    assert old_prims.ClothPrimView is soft.ClothPrimView is prims.ClothPrim
    assert articulations.ArticulationView is prims.Articulation
