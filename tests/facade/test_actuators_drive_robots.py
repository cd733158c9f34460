"""Actuator models in a loop with the engine: as good as the engine's own explicit drives."""

from __future__ import annotations

from typing import Any

import numpy as np
from facade.compare import get

import phalanx as px
from phalanx.facade import arrays
from phalanx.facade.isaaclab.actuators import IdealPDActuatorCfg
from phalanx.facade.isaaclab.utils import ArticulationActions
from phalanx.facade.namespaces import array

STEPS = 100


def world(device: str) -> tuple[px.World, Any]:
    """Three double pendulums that begin at different angles."""
    made = px.World(num_envs=3, device=device, dt=0.002)
    robot = made.add_robot("double_pendulum")
    robot.set_joint_state([[0.3, -0.2], [1.0, 0.5], [-2.0, 0.1]])
    return made, robot


def test_ideal_actuators_do_what_explicit_drives_do(api, device):
    target = np.array([[0.5, -0.5]] * 3, "float32")
    reference, own = world(device)
    own.set_drive(stiffness=20.0, damping=0.5, effort_limit=3.0, explicit=True)
    own.set_targets(pos=target, vel=0 * target)
    driven, robot = world(device)
    robot.set_drive(stiffness=0.0, damping=0.0)
    cfg = IdealPDActuatorCfg(joint_names_expr=[".*"], stiffness=20.0, damping=0.5, effort_limit=3.0)
    model = cfg.class_type(cfg, robot.joint_names, slice(None), 3, device)
    saturated = 0
    for _ in range(STEPS):
        reference.step()
        action = ArticulationActions(array(target, device), array(0 * target, device))
        model.compute(action, arrays.hand_out(robot.joint_pos), arrays.hand_out(robot.joint_vel))
        robot.set_targets(effort=arrays.accept(action.joint_efforts, device))
        driven.step()
        saturated += int((np.abs(get(model.computed_effort)) > 3.0).sum())
    assert 0 < saturated < 6 * STEPS
    assert np.abs(get(own.joint_pos) - get(robot.joint_pos)).max() < 1e-4
    assert np.abs(get(own.joint_vel)).max() > 0.1
