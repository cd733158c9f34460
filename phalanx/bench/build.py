"""From a scene to a world, and to the controls that every engine is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.bench.declare import Drives, Scene
from phalanx.models.meshes.cloth_mesh import ClothMesh
from phalanx.models.meshes.point_set import PointSet
from phalanx.models.meshes.rope_line import RopeLine
from phalanx.world.world import World


@dataclass(frozen=True)
class Actuator:
    """One column of the controls: a position target, or a torque, of one joint of one robot."""

    robot: str
    joint: int
    is_torque: bool
    middle: float
    swing: float
    speed: float = 0.0


@dataclass
class Setup:
    """A scene, its world, and what every engine is asked to do in it."""

    scene: Scene
    world: World
    drives: dict[str, Drives]
    actuators: list[Actuator]

    @property
    def num_envs(self) -> int:
        """Environments."""
        return self.world.num_envs

    def controls(self, frame: int) -> np.ndarray:
        """(num_envs, actuators) for the steps of one stretch; the first environments get the same however many."""
        swing = np.array([actuator.swing for actuator in self.actuators], np.float32)
        middle = np.array([actuator.middle for actuator in self.actuators], np.float32)
        speed = np.array([actuator.speed for actuator in self.actuators], np.float32)
        middle = middle + speed * np.float32(frame * self.scene.hold * self.scene.dt)
        rng = np.random.default_rng([7, frame])
        noise = rng.uniform(-1.0, 1.0, (self.num_envs, len(self.actuators))).astype(np.float32)
        return middle + swing * noise

    def apply(self, controls: np.ndarray) -> None:
        """Give the world's robots their targets."""
        for name, robot in self.world.robots.items():
            chosen = [(n, a) for n, a in enumerate(self.actuators) if a.robot == name]
            targets: dict[str, Any] = {}
            for key, is_torque in (("pos", False), ("effort", True)):
                columns = [n for n, a in chosen if a.is_torque == is_torque]
                if columns:
                    start = np.zeros(robot.num_dof) if is_torque else robot.default_joint_pos
                    values = np.broadcast_to(start.astype(np.float32), (self.num_envs, robot.num_dof)).copy()
                    values[:, [self.actuators[n].joint for n in columns]] = controls[:, columns]
                    targets[key] = values
            if targets:
                robot.set_targets(**targets)

    def heights(self) -> np.ndarray:
        """(num_envs,): mean height of the watched bodies, m."""
        found = []
        poses = {
            name: self.world.engine.device.to_host(self.world.actors[name].body_pose)
            for name in {body.split("/")[0] for body in self.scene.watch if "/" in body}
        }
        for body in self.scene.watch:
            if "/" not in body:
                nodes = self.world.engine.device.to_host(self.world.all_deformables[body].node_pos)
                found.append(nodes[..., 2].mean(axis=1))
                continue
            actor, _, name = body.partition("/")
            found.append(poses[actor][:, self.world.actors[actor].body_index(name), 2])
        return np.mean(found, axis=0) if found else np.zeros(self.num_envs)


def set_up(scene: Scene, num_envs: int, device: str = "cpu", dtype: str = "float32") -> Setup:
    """Build the world of a scene (nothing is compiled yet) with its drives."""
    world = World(
        num_envs=num_envs,
        device=device,
        dtype=dtype,
        dt=scene.dt,
        gravity=scene.gravity,
        position_iterations=scene.position_iterations,
        contact_offset=scene.contact_offset,
        max_contacts=scene.max_contacts,
    )
    if scene.ground:
        world.add_ground(friction=scene.ground_friction, friction_combine="max")
    for item in scene.robots:
        world.add_robot(
            item.source if isinstance(item.source, str) else item.source(),
            item.name,
            item.fixed_base,
            item.position,
            item.orientation,
            joint_pos=item.joint_pos,
            self_collision=item.self_collision,
            friction=item.friction,
        )
    for thing in scene.objects:
        world.add_rigid_object(
            thing.shape,
            thing.name,
            kind=thing.kind,
            mass=thing.mass,
            position=thing.position,
            orientation=thing.orientation,
            friction=thing.friction,
        )
    for soft in scene.soft:
        world.add_soft_body(
            soft.shape,
            soft.name,
            resolution=soft.resolution,
            youngs_modulus=soft.youngs_modulus,
            mass=soft.mass,
            position=soft.position,
            friction=soft.friction,
        )
    for sheet in scene.cloth:
        world.add_cloth(
            ClothMesh.grid(*sheet.size, *sheet.squares),
            sheet.name,
            thickness=sheet.thickness,
            bending_stiffness=sheet.bending_stiffness,
            touches_cloth=sheet.touches_cloth,
            position=sheet.position,
            friction=sheet.friction,
        )
    for rope in scene.ropes:
        world.add_rope(
            RopeLine.straight(rope.length, rope.segments),
            rope.name,
            radius=rope.radius,
            position=rope.position,
            friction=rope.friction,
        )
    for bits in scene.particles:
        world.add_particles(
            PointSet.grid(bits.counts, 2.02 * bits.radius, jitter=0.05 * bits.radius),
            bits.name,
            radius=bits.radius,
            fluid=bits.fluid,
            viscosity=bits.viscosity,
            rolling_friction=bits.rolling_friction,
            position=bits.position,
            friction=bits.friction,
        )
    world.build()
    drives: dict[str, Drives] = {}
    actuators: list[Actuator] = []
    for item in scene.robots:
        robot = world.robots[item.name]
        drive = drives[item.name] = item.drives(robot.joint_names)
        robot.set_drive(drive.stiffness, drive.damping)
        for joint in range(robot.num_dof):
            middle = float(robot.default_joint_pos[joint])
            if drive.stiffness[joint] > 0 or drive.damping[joint] > 0:
                swing = item.jitter if drive.stiffness[joint] > 0 else 0.0
                actuators.append(Actuator(item.name, joint, False, middle, swing, float(drive.travel[joint])))
            if drive.gears[joint] > 0 or drive.torques[joint] != 0:
                swing = item.noise * float(drive.gears[joint])
                actuators.append(Actuator(item.name, joint, True, float(drive.torques[joint]), swing))
    return Setup(scene, world, drives, actuators)
