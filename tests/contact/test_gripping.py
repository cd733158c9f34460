"""Two fingers lift, shake and hold things by friction alone, and drop what Coulomb's law says they cannot hold."""

from __future__ import annotations

import numpy as np
import pytest
from contact.grippers import PAD, gripper, mug
from contact.scenes import GRAVITY
from oracles import host

import phalanx as px

FRICTION = 0.5
THINGS = {  # shapes, half width between the fingers, half height
    "cube": (px.Shape("box", (0.025, 0.025, 0.025)), 0.025, 0.025),
    "can": (px.Shape("cylinder", (0.033, 0.06)), 0.033, 0.06),
    "mug": (mug(), 0.04, 0.045),
    "rod": (px.Shape("capsule", (0.025, 0.025), (0.0, 0.0, 0.0), (0.5**0.5, 0.0, 0.5**0.5, 0.0)), 0.025, 0.025),  # lies
    "long rod": (px.Shape("capsule", (0.025, 0.04), (0.0, 0.0, 0.0), (0.5**0.5, 0.0, 0.5**0.5, 0.0)), 0.025, 0.025),
}


class Grips:
    """A gripper above a table for each thing, fingers open; the table can be taken away."""

    def __init__(self, device: str, num_envs: int, effort: float) -> None:
        self.world = world = px.World(num_envs, device)
        self.table = world.add_rigid_object(
            px.Shape("box", (0.5, 2.5, 0.1), (0.0, 2.0, -0.1)), "table", kind="kinematic", friction=FRICTION
        )
        self.hands: list[px.Robot] = []
        self.things: list[px.RigidObject] = []
        for i, (name, (shapes, half_width, half_height)) in enumerate(THINGS.items()):
            hand = gripper(half_width + 0.01, effort)
            # The pads' lower edges stay clear of the table.
            place = (0.0, float(i), max(half_height, PAD[2] + 0.002))
            self.hands.append(world.add_robot(hand, f"{name}'s", True, place, friction=FRICTION))
            self.things.append(
                world.add_rigid_object(shapes, name, mass=0.1, position=(0.0, i, half_height), friction=FRICTION)
            )
        for hand in self.hands:
            hand.set_drive(stiffness=[2e4, 2e4, 2e3, 0.0], damping=[1e3, 1e3, 50.0, 0.0])

    def go(self, seconds: float, z: float = 0.0, x: float = 0.0, close: bool = True) -> None:
        """Step with targets of the lift and the slide."""
        for hand in self.hands:
            hand.set_targets(pos=[z, x, *(2 * [0.04 if close else 0.0])])
        self.world.step(round(seconds / self.world.dt))

    def hangs(self) -> np.ndarray:
        """(things, n, 3): place of each thing relative to its hand's lift and slide."""
        found = []
        for hand, thing in zip(self.hands, self.things, strict=True):
            joints = host(hand.joint_pos)
            found.append(host(thing.root_pose)[:, :3] - np.stack([joints[:, 1], 0 * joints[:, 0], joints[:, 0]], 1))
        return np.array(found)


def test_gripper_lifts_shakes_and_holds(device: str) -> None:
    """A cube, a can, a mug and two rods of 0.1 kg: lifted 0.2 m, shaken at 3 m/s² both ways, held 5 s.

    Nothing creeps: less than 0.3 mm while it is moved (measured: 0.035) and 0.1 mm in the 5 s after (0.0014); the mug,
    whose handle would turn it about the line between the pads, turns by less than 0.02 rad (0.004). The rods, which are
    longer than the pads, turned by 0.1 rad while the pads pressed them harder at one end than at the other.
    """
    grips = Grips(device, 2, effort=10.0)
    grips.go(0.3)
    start = grips.hangs()
    for k in range(50):  # smoothly
        grips.go(0.02, z=0.1 * (1 - np.cos(np.pi * (k + 1) / 50)))
    assert min(host(thing.root_pose)[:, 2].min() for thing in grips.things) > 0.2
    for k in range(100):
        wave = np.sin(2 * np.pi * 2.0 * 0.01 * (k + 1))
        grips.go(0.01, z=0.2 + 0.02 * wave, x=0.02 * wave)
    np.testing.assert_allclose(grips.hangs(), start, atol=3e-4)
    held = grips.hangs()
    grips.go(5.0, z=0.2)
    np.testing.assert_allclose(grips.hangs(), held, atol=1e-4)
    for hand, thing in zip(grips.hands, grips.things, strict=True):
        assert host(thing.root_pose)[:, 3].min() > np.cos(0.5 * 0.02)
        assert np.abs(host(thing.root_vel)).max() < 1e-3
        force = host(thing.net_contact_force)[:, 0]
        np.testing.assert_allclose(force, np.tile([0.0, 0.0, 0.1 * GRAVITY], (2, 1)), atol=5e-3 * GRAVITY * 0.1)
        np.testing.assert_allclose(host(hand.net_contact_force).sum(axis=1), -force, atol=1e-4)
        left, right = (host(hand.net_contact_force)[:, hand.body_index(side), 1] for side in ("left", "right"))
        np.testing.assert_allclose(left, 5.0, rtol=5e-3)
        np.testing.assert_allclose(right, -5.0, rtol=5e-3)


def test_gripper_drops_what_friction_cannot_carry(device: str) -> None:
    """It holds up to mu F: 3 % less stays when the table goes, 3 % more slides out at the rate that is left over."""
    effort = 4.0
    share = np.array([0.5, 0.9, 0.97, 1.03, 1.1, 1.5])
    grips = Grips(device, len(share), effort)
    most = FRICTION * effort / GRAVITY  # kg
    for thing in grips.things:
        thing.set_mass(most * share, scale_inertia=True)
    grips.go(0.5)
    start = grips.hangs()[..., 2]
    grips.table.set_root_state(pose=[0.0, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0])
    grips.go(0.3)
    fallen = start - grips.hangs()[..., 2]
    holds = share < 1
    assert np.abs(fallen[:, holds]).max() < 1e-3
    carried = share[3] * (1 - 2 * fallen[:, 3] / (GRAVITY * 0.3**2))  # of what friction can, while it slides
    np.testing.assert_allclose(carried, 1.0, atol=0.015)
    assert fallen[:, ~holds].min() > 0.01
    grips.go(0.7)
    later = start - grips.hangs()[..., 2]
    assert np.abs(later[:, holds]).max() < 3e-3
    assert later[:, ~holds].min() > 0.06


class Held:
    """A thing wider than the pads, without gravity, in ``n`` environments, between pads that press with 5 N each."""

    PRESS = 5.0
    HALF = 0.025

    def __init__(self, device: str, num_envs: int, shape: px.Shape) -> None:
        self.world = px.World(num_envs, device, gravity=(0.0, 0.0, 0.0))
        hand = self.world.add_robot(gripper(self.HALF + 0.01, 2.0 * self.PRESS), "hand", True, friction=FRICTION)
        self.thing = self.world.add_rigid_object(shape, "thing", mass=0.1, friction=FRICTION)
        hand.set_drive(stiffness=[2e4, 2e4, 2e3, 0.0], damping=[1e3, 1e3, 50.0, 0.0])
        hand.set_targets(pos=[0.0, 0.0, 0.04, 0.04])
        self.world.step(round(0.5 / self.world.dt))
        self.inertia = float(host(self.thing.inertia)[0, 1, 1])

    def push(self, force: np.ndarray, torque: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
        """How far it moves, m, and its spin about the axis between the pads, rad/s, (n,) each."""
        before = host(self.thing.root_pose)[:, :3]
        self.thing.set_external_wrench(force=force, torque=torque)
        self.world.step(round(seconds / self.world.dt))
        moved = np.linalg.norm(host(self.thing.root_pose)[:, :3] - before, axis=1)
        return moved, host(self.thing.root_vel)[:, 4]


def plate() -> px.Shape:
    return px.Shape("box", (0.05, Held.HALF, 0.05))


def test_gripper_holds_a_torque_about_its_axis_up_to_coulombs_bound(device: str) -> None:
    """The pads touch at their corners, each with a quarter of the load: they hold 2 mu F r, at the distance r of a
    corner from the middle. 3 % less turns it by less than 2 mrad; of more, what is left over turns it, within 1 %.
    """
    share = np.array([0.5, 0.9, 0.97, 1.03, 1.1, 1.5])
    held, seconds = Held(device, len(share), plate()), 0.1
    most = 2.0 * FRICTION * held.PRESS * np.hypot(PAD[0], PAD[2])
    torque = np.zeros((len(share), 3))
    torque[:, 1] = most * share
    moved, spin = held.push(np.zeros(3), torque, seconds)
    holds = share < 1.0
    assert np.abs(spin[holds]).max() < 1e-3
    quaternion = host(held.thing.root_pose)[holds, 3:]
    assert 2.0 * np.linalg.norm(quaternion[:, 1:], axis=1).max() < 2e-3
    np.testing.assert_allclose(share[~holds] - held.inertia * spin[~holds] / (seconds * most), 1.0, atol=0.01)
    assert moved.max() < 2e-4


def _most(force: tuple[float, float], torque: float) -> float:
    """By how much a force (x, z) and a torque about y may be multiplied until no friction at the corners holds them.

    Linear programming: each corner has a polygon of 64 sides in place of the circle, within 0.12 %.
    """
    optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed (pip install 'phalanx[test]')")
    corners = [(x, z) for x in (-PAD[0], PAD[0]) for z in (-PAD[2], PAD[2])]
    around = 2.0 * np.pi * np.arange(64) / 64
    side = np.stack((np.cos(around), np.sin(around)), axis=1)
    each = 2.0 * FRICTION * Held.PRESS / len(corners)  # of both pads
    equal = np.zeros((3, 9))
    for k, (x, z) in enumerate(corners):
        equal[0, 2 * k] = equal[1, 2 * k + 1] = 1.0
        equal[2, 2 * k : 2 * k + 2] = z, -x  # the y of r x f
    equal[:, 8] = *force, torque
    bounds = np.kron(np.eye(4), side)
    found = optimize.linprog(
        np.eye(9)[8] * -1.0,
        np.pad(bounds, ((0, 0), (0, 1))),
        np.full(len(bounds), each),
        equal,
        np.zeros(3),
        (None, None),
    )
    assert found.success
    return float(found.x[8])


@pytest.mark.parametrize(("force", "torque"), [((0.0, 1.0), 0.0), ((0.0, -1.0), 0.03), ((0.6, 0.8), -0.05)])
def test_gripper_holds_forces_with_torques_up_to_coulombs_bound(
    device: str, force: tuple[float, float], torque: float
) -> None:
    """A force on a lever, as a weight that is gripped off its middle has, takes friction of both kinds at once.

    Rigid bodies do not say how the corners share the load; here they share it evenly. The bound is met within 5 %
    (measured: slips begin between 0.965 and 1.0 of it). With the load where it helps most it would be 1.3 to 1.4 times
    as large.
    """
    share = np.array([0.9, 0.95, 1.05, 1.2])
    held, most = Held(device, len(share), plate()), _most(force, torque)
    moved, spin = held.push(
        most * share[:, None] * (force[0], 0.0, force[1]), most * share[:, None] * (0.0, torque, 0.0), 0.1
    )
    holds = share < 1.0
    assert moved[holds].max() < 3e-4 and np.abs(spin[holds]).max() < 0.01
    assert (np.maximum(moved, 0.1 * np.abs(spin) * PAD[2])[~holds] > 1e-3).all()


def test_a_ball_turns_freely_between_two_pads(device: str) -> None:
    """It touches at one point on either side, both on the axis: nothing holds a torque about that."""
    held, seconds = Held(device, 2, px.Shape("sphere", (Held.HALF,))), 0.2
    torque = np.array([[0.0, 1e-5, 0.0], [0.0, 1e-3, 0.0]])
    moved, spin = held.push(np.zeros(3), torque, seconds)
    np.testing.assert_allclose(spin, torque[:, 1] * seconds / held.inertia, rtol=0.01)
    assert moved.max() < 2e-4
