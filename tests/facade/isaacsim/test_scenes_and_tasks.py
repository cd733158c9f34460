"""Scenes, tasks and data loggers of a world."""

from __future__ import annotations

import json

import numpy as np
import pytest
from facade.isaacsim.core_scenes import add_robots, xforms

from phalanx.facade.isaacsim.core.api.objects import DynamicCuboid, VisualCuboid
from phalanx.facade.isaacsim.core.api.robots import Robot, RobotView
from phalanx.facade.isaacsim.core.api.tasks import BaseTask, FollowTarget
from phalanx.facade.isaacsim.core.prims import Articulation, RigidPrim, SingleArticulation, SingleXFormPrim


def test_objects_by_their_names(world):
    box = world.scene.add(DynamicCuboid("/World/box", "box"))
    view = world.scene.add(RigidPrim("/World/box", "view"))
    assert world.scene.get_object("box") is box and world.scene.get_object("view") is view
    assert world.scene.object_exists("box") and world.scene.get_object("other") is None
    with pytest.raises(ValueError, match="not unique"):
        world.scene.add(SingleXFormPrim("/World/other", "box"))
    with pytest.raises(TypeError, match="str: object type"):
        world.scene.add("box")


def test_objects_come_and_go_between_resets(world, caplog):
    world.scene.add(DynamicCuboid("/World/a", "a", position=np.array([0, 0, 1.0]), size=0.1))
    world.reset()
    late = world.scene.add(DynamicCuboid("/World/b", "b", position=np.array([1, 0, 1.0]), size=0.1))
    world.reset()
    world.step(render=False)
    assert late.get_linear_velocity()[2] < 0.0
    world.scene.remove_object("a")
    assert not world.stage.GetPrimAtPath("/World/a")
    world.reset()
    world.step(render=False)
    world.scene.remove_object("b", registry_only=True)
    assert world.stage.GetPrimAtPath("/World/b") and not world.scene.object_exists("b")
    world.scene.remove_object("nothing")
    assert "no object nothing" in caplog.text
    world.scene.add(VisualCuboid("/World/c", "c"))
    world.scene.clear()
    assert not world.stage.GetPrimAtPath("/World/c")


def test_robots_that_references_brought_go_with_their_views(world):
    add_robots("arm", 2)
    add_robots("arm", 1, pattern="/World/Cell/Arm_{}")
    add_robots("arm", 1, pattern="/World/Kept_{}")
    xforms("/World/Cell/Table")
    view = world.scene.add(Articulation("/World/Robot_.*", "view"))
    assert view.prim_paths[0] != "/World/Robot_0"  # the root is inside the reference
    world.scene.add(RobotView("/World/Robot_.*", "again"))
    world.scene.add(SingleArticulation("/World/Cell", "one"))
    world.scene.add(Articulation(Articulation("/World/Kept_0").prim_paths[0], "root"))
    world.scene.clear()
    left = {str(prim.GetPath()) for prim in world.stage.Traverse()}
    assert {"/World/Cell/Table", "/World/Kept_0"} <= left
    assert not {"/World/Robot_0", "/World/Robot_1", "/World/Cell/Arm_0"} & left


def test_a_prim_that_is_deleted_is_forgotten(world):
    world.scene.add(DynamicCuboid("/World/a", "a"))
    world.stage.RemovePrim("/World/a")
    world.reset()
    assert not world.scene.object_exists("a")


def test_boxes(world):
    world.scene.add(VisualCuboid("/World/a", "a", position=np.array([1.0, 2.0, 3.0]), size=2.0))
    with pytest.raises(RuntimeError, match="enable_bounding_boxes_computations"):
        world.scene.compute_object_AABB("a")
    world.scene.enable_bounding_boxes_computations()
    np.testing.assert_allclose(world.scene.compute_object_AABB("a"), [[0, 1, 2], [2, 3, 4]])


class Drop(BaseTask):
    def __init__(self, name: str, log: list, offset=None) -> None:
        super().__init__(name, offset)
        self.log = log

    def set_up_scene(self, scene) -> None:
        super().set_up_scene(scene)
        self.box = scene.add(DynamicCuboid(f"/World/{self.name}", self.name, position=np.array([0, 0, 1.0]), size=0.1))
        self._task_objects[self.box.name] = self.box
        self._move_task_objects_to_their_frame()
        self.log.append((self.name, "set up"))

    def get_observations(self) -> dict:
        return {self.name: float(self.box.get_world_pose()[0][2])}

    def calculate_metrics(self) -> dict:
        return {"height": self.get_observations()[self.name]}

    def is_done(self) -> bool:
        return self.get_observations()[self.name] < 0.99

    def pre_step(self, time_step_index: int, simulation_time: float) -> None:
        self.log.append((self.name, time_step_index, simulation_time))

    def cleanup(self) -> None:
        self.log.append((self.name, "clean up"))

    def post_reset(self) -> None:
        self.log.append((self.name, "post reset"))


def test_tasks_hear_of_everything_in_order(world):
    log: list = []
    world.add_task(Drop("one", log))
    world.add_task(Drop("two", log, offset=np.array([2.0, 0.0, 0.0])))
    with pytest.raises(ValueError, match="unique"):
        world.add_task(Drop("one", log))
    world.reset()
    assert log == [
        *[(name, what) for what in ("set up", "clean up", "post reset") for name in ("one", "two")],
    ]
    np.testing.assert_allclose(world.get_task("two").box.get_world_pose()[0], [2, 0, 1], atol=1e-6)
    log.clear()
    world.step(render=False)
    assert log == [("one", 0, 0.0), ("two", 0, 0.0)]
    assert set(world.get_observations()) == {"one", "two"} and set(world.get_observations("two")) == {"two"}
    assert not world.is_done()
    for _ in range(10):
        world.step(render=False)
    assert world.is_done() and world.is_done("one") and world.calculate_metrics("one")["height"] < 0.99
    log.clear()
    world.reset()
    assert log == [(name, what) for what in ("clean up", "post reset") for name in ("one", "two")]
    np.testing.assert_allclose(world.get_task("two").box.get_world_pose()[0], [2, 0, 1], atol=1e-6)
    with pytest.raises(ValueError, match="there are one, two"):
        world.get_task("three")


def test_following_a_target(world):
    class Follow(FollowTarget):
        def set_robot(self) -> Robot:
            add_robots("arm", 1)
            robot = Robot("/World/Robot_0", "arm")
            robot.end_effector = SingleXFormPrim("/World/Robot_0/left_finger", "tip")  # pyright: ignore
            return robot

    task = Follow("follow", target_position=np.array([0.3, 0.1, 0.5]), offset=np.array([0.0, 1.0, 0.0]))
    world.add_task(task)
    world.reset()
    found = task.get_observations()
    np.testing.assert_allclose(found[task.get_params()["target_name"]["value"]]["position"], [0.3, 1.1, 0.5], atol=1e-6)
    assert found["arm"]["joint_positions"].shape == (9,)
    assert not task.target_reached()
    tip = np.array(task._robot.end_effector.get_world_pose()[0])
    task.set_params(target_position=tip)
    assert task.target_reached()


def test_data_loggers(world, tmp_path):
    box = world.scene.add(DynamicCuboid("/World/box", "box", position=np.array([0, 0, 1.0]), size=0.1))
    logger = world.get_data_logger()
    logger.start()
    world.reset()
    with pytest.raises(RuntimeError, match="data logging function"):
        world.step(render=False)
    logger.add_data_frame_logging_func(
        lambda tasks, scene: {"z": float(scene.get_object("box").get_world_pose()[0][2]), "tasks": len(tasks)}
    )
    for _ in range(5):
        world.step(render=False)
    logger.pause()
    world.step(render=False)
    assert logger.get_num_of_data_frames() == 5 and not logger.is_started()
    file = tmp_path / "log.json"
    logger.save(str(file))
    written = json.loads(file.read_text())
    assert len(written["Isaac Sim Data"]) == 5
    before = logger.get_data_frame(4)
    logger.reset()
    assert logger.get_num_of_data_frames() == 0
    logger.load(str(file))
    after = logger.get_data_frame(4)
    assert after.current_time == before.current_time and after.data == before.data
    assert after.data["z"] == pytest.approx(1.0 - 9.81 / 3600 * sum(range(1, 7)), rel=1e-4)
    assert box.is_valid()
