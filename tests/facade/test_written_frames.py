"""Every way to write a root's pose or velocity, and every value that is read of it, where the centre of mass is off.

What is expected comes from SciPy's rotations and the laws of rigid bodies alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import host
from scipy.spatial.transform import Rotation

from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.actuators import ImplicitActuatorCfg
from phalanx.facade.isaaclab.assets import Articulation, ArticulationCfg, RigidObject, RigidObjectCfg
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.io.formats.urdf import load_urdf
from phalanx.io.formats.usd import write_robot
from phalanx.io.formats.usd.bindings import Gf, UsdPhysics

COUNT = 4
COM = np.array([0.3, -0.2, 0.1])
AXES = Rotation.from_rotvec([0.4, -0.7, 0.2])
"""Of inertia, in the link's frame. A rigid object's centre of mass has them, a link's of an articulation does not."""
WRITERS = {
    "root_pose": ("link", None),
    "root_link_pose": ("link", None),
    "root_com_pose": ("com", None),
    "root_velocity": (None, "com"),
    "root_com_velocity": (None, "com"),
    "root_link_velocity": (None, "link"),
    "root_state": ("link", "com"),
    "root_com_state": ("com", "com"),
    "root_link_state": ("link", "link"),
}
"""Of which frame are the pose and the velocity that ``write_..._to_sim`` is given."""


@dataclass
class Bodies:
    """Rigid bodies: the link's place and orientation, the centre of mass's velocity, and where that is."""

    position: np.ndarray
    turn: Rotation
    velocity: np.ndarray
    spin: np.ndarray
    axes: Rotation

    @property
    def arm(self) -> np.ndarray:
        return self.turn.apply(COM)

    def written(self, some: list[int], frames: tuple[str | None, str | None], given: np.ndarray) -> Bodies:
        """After poses (n, 7) or velocities (n, 6), or both, of frames were written in some rows."""
        after = replace(self, position=self.position.copy(), velocity=self.velocity.copy(), spin=self.spin.copy())
        pose_of, velocity_of = frames
        if pose_of is not None:
            turn = turns(given[:, 3:7])
            turn = turn * self.axes.inv() if pose_of == "com" else turn
            whole = self.turn.as_quat()
            whole[some] = turn.as_quat()
            after.turn = Rotation.from_quat(whole)
            after.position[some] = given[:, :3] - (turn.apply(COM) if pose_of == "com" else 0.0)
        if velocity_of is not None:
            velocity, after.spin[some] = given[:, -6:-3], given[:, -3:]
            moved = np.cross(given[:, -3:], after.arm[some]) if velocity_of == "link" else 0.0
            after.velocity[some] = velocity + moved
        return after

    def values(self) -> dict[str, Any]:
        """What ``data`` should have by all its names, orientations as matrices."""
        of_link, link, com = self.turn.inv(), self.position, self.position + self.arm
        link_velocity = self.velocity - np.cross(self.spin, self.arm)
        link_turn, com_turn = self.turn.as_matrix(), (self.turn * self.axes).as_matrix()
        ahead = self.turn.apply([1.0, 0.0, 0.0])
        found: dict[str, Any] = {
            "projected_gravity_b": of_link.apply([0.0, 0.0, -1.0]),
            "heading_w": np.arctan2(ahead[:, 1], ahead[:, 0]),
        }
        velocities = {"": self.velocity, "com_": self.velocity, "link_": link_velocity}
        for frame, velocity in velocities.items():
            place, turn = (com, com_turn) if frame == "com_" else (link, link_turn)
            found |= {
                f"root_{frame}pos_w": place,
                f"root_{frame}quat_w": turn,
                f"root_{frame}lin_vel_w": velocity,
                f"root_{frame}ang_vel_w": self.spin,
                f"root_{frame}vel_w": np.hstack([velocity, self.spin]),
                f"root_{frame}lin_vel_b": of_link.apply(velocity),
                f"root_{frame}ang_vel_b": of_link.apply(self.spin),
                f"root_{frame}pose_w": (place, turn),
                f"root_{frame}state_w": (place, turn, np.hstack([velocity, self.spin])),
            }
        return found | {name.replace("root_", "body_", 1): one for name, one in found.items() if name.endswith("_w")}


def matrices(quaternions: np.ndarray) -> np.ndarray:
    return turns(quaternions).as_matrix()


def turns(quaternions: np.ndarray) -> Rotation:
    """Of [w x y z]."""
    return Rotation.from_quat(quaternions[:, [1, 2, 3, 0]])


def check(asset: Any, expected: dict[str, Any]) -> int:
    """All values that the asset has agree; how many those are."""
    checked = 0
    for name, wanted in expected.items():
        if name == "body_heading_w" or not hasattr(asset.data, name):
            continue
        found = host(getattr(asset.data, name))
        found = found[:, 0] if name.startswith("body_") else found
        if isinstance(wanted, tuple):
            parts = [found[:, :3], matrices(found[:, 3:7]), found[:, 7:]]
        elif "quat" in name:
            parts, wanted = [matrices(found)], (wanted,)
        elif name == "heading_w":
            parts, wanted = [np.exp(1j * found)], (np.exp(1j * wanted),)
        else:
            parts, wanted = [found], (wanted,)
        for part, each in zip(parts, wanted, strict=False):
            np.testing.assert_allclose(part, each, atol=2e-5, err_msg=name)
        checked += 1
    return checked


def box() -> RigidObject:
    def spawn(prim_path: str, spawner: Any, **place: Any) -> Any:
        made = sim_utils.spawn_cuboid(prim_path, spawner, **place)
        x, y, z, w = (float(number) for number in AXES.as_quat())
        for prim in sim_utils.find_matching_prims(prim_path):
            UsdPhysics.MassAPI(prim).CreateCenterOfMassAttr(Gf.Vec3f(*COM.tolist()))
            UsdPhysics.MassAPI(prim).CreateDiagonalInertiaAttr(Gf.Vec3f(0.01, 0.03, 0.035))
            UsdPhysics.MassAPI(prim).CreatePrincipalAxesAttr(Gf.Quatf(w, x, y, z))
        return made

    spawner = sim_utils.CuboidCfg(
        size=(0.4, 0.2, 0.1),
        rigid_props=sim_utils.RigidBodyPropertiesCfg(),
        mass_props=sim_utils.MassPropertiesCfg(mass=2.0),
    )
    spawner.func = spawn
    return RigidObject(RigidObjectCfg(prim_path="/World/envs/env_.*/box", spawn=spawner))


def pendulum(folder: Path) -> Articulation:
    """A free root with one link on a joint."""
    x, y, z = AXES.as_euler("xyz")
    place = f'<origin xyz="{" ".join(map(str, COM))}" rpy="{x} {y} {z}"/>'
    inertia = '<mass value="2"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.035"/>'
    links = "".join(f'<link name="{name}"><inertial>{place}{inertia}</inertial></link>' for name in ("root", "rod"))
    ends = '<parent link="root"/><child link="rod"/><origin xyz="0 0.5 0"/><axis xyz="0 1 0"/>'
    limit = '<limit lower="-3" upper="3" effort="10" velocity="10"/>'
    joint = f'<joint name="hinge" type="revolute">{ends}{limit}</joint>'
    (folder / "pendulum.urdf").write_text(f'<robot name="pendulum">{links}{joint}</robot>')
    write_robot(load_urdf(folder / "pendulum.urdf", visuals=False), folder / "pendulum.usd")
    motor = ImplicitActuatorCfg(joint_names_expr=[".*"], stiffness=0.0, damping=0.0)
    spawner = sim_utils.UsdFileCfg(usd_path=str(folder / "pendulum.usd"))
    return Articulation(
        ArticulationCfg(prim_path="/World/envs/env_.*/pendulum", spawn=spawner, actuators={"hinge": motor})
    )


@pytest.fixture(params=["rigid object", "articulation"])
def scene(request: pytest.FixtureRequest, device: str, api: str, tmp_path: Path) -> Iterator[tuple[Any, Rotation]]:
    stage.new_stage()
    sim = SimulationContext(SimulationCfg(device=device, dt=0.01))
    for i in range(COUNT):
        sim_utils.create_prim(f"/World/envs/env_{i}", "Xform", translation=(3.0 * i, -1.0, 0.0))
    is_robot = request.param == "articulation"
    asset = pendulum(tmp_path) if is_robot else box()
    sim.reset()
    yield asset, Rotation.identity() if is_robot else AXES
    SimulationContext.clear_instance()
    physics_events.clear()


def test_what_is_written_in_one_frame_is_read_in_all_others(scene: Any) -> None:
    asset, axes = scene
    rng = np.random.default_rng(3)

    def drawn(rows: int, frames: tuple[str | None, str | None]) -> np.ndarray:
        pose = [rng.uniform(-2, 2, (rows, 3)), Rotation.random(rows, rng).as_quat()[:, [3, 0, 1, 2]]]
        parts = (pose if frames[0] else []) + ([rng.uniform(-3, 3, (rows, 6))] if frames[1] else [])
        return np.hstack(parts)

    start = drawn(COUNT, ("link", "com"))
    nothing = np.zeros((COUNT, 3))
    bodies = Bodies(nothing, Rotation.identity(COUNT), nothing, nothing, axes)
    bodies = bodies.written([*range(COUNT)], ("link", "com"), start)
    asset.write_root_state_to_sim(start)
    for name, frames in WRITERS.items():
        for some in (None, [2, 0], [1]):
            rows = [*range(COUNT)] if some is None else some
            given = drawn(len(rows), frames)
            bodies = bodies.written(rows, frames, given)
            getattr(asset, f"write_{name}_to_sim")(given, some)
            for _ in range(2):  # at once, and as the simulation has it
                assert check(asset, bodies.values()) > 40, name
                asset.update(0.01)
