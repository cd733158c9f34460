"""Stages for the tests of sensors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.assets import Articulation, ArticulationCfg, RigidObject, RigidObjectCfg
from phalanx.io.formats.usd import write_robot
from phalanx.io.formats.usd.bindings import Gf, UsdPhysics
from phalanx.models.robot_model import Body, Joint, RobotModel, Shape

G = 9.81


def environments(count: int) -> None:
    """Prims of environments, apart from each other."""
    for i in range(count):
        sim_utils.create_prim(f"/World/envs/env_{i}", "Xform", translation=(5.0 * i, -1.0, 0.0))


def box(name: str, at: tuple[float, float, float], size: float = 0.2, mass: float = 2.0, **more: Any) -> RigidObject:
    """Cubes that report contacts and are slowed down by nothing, with masses off their middles if asked for."""
    com = more.pop("com", None)

    def spawn(prim_path: str, spawner: Any, **place: Any) -> Any:
        made = sim_utils.spawn_cuboid(prim_path, spawner, **place)
        for prim in sim_utils.find_matching_prims(prim_path) if com else ():
            UsdPhysics.MassAPI(prim).CreateCenterOfMassAttr(Gf.Vec3f(*com))
            UsdPhysics.MassAPI(prim).CreateDiagonalInertiaAttr(Gf.Vec3f(0.01, 0.01, 0.01))
            UsdPhysics.MassAPI(prim).CreatePrincipalAxesAttr(Gf.Quatf(1.0))
        return made

    spawner = sim_utils.CuboidCfg(
        size=(size, size, size),
        rigid_props=sim_utils.RigidBodyPropertiesCfg(linear_damping=0.0, angular_damping=0.0),
        mass_props=sim_utils.MassPropertiesCfg(mass=mass),
        collision_props=sim_utils.CollisionPropertiesCfg(),
        activate_contact_sensors=more.pop("reports", True),
    )
    spawner.func = spawn
    start = RigidObjectCfg.InitialStateCfg(pos=at, **more)
    return RigidObject(RigidObjectCfg(prim_path=f"/World/envs/env_.*/{name}", spawn=spawner, init_state=start))


def ground() -> None:
    """A plane at z = 0."""
    cfg = sim_utils.GroundPlaneCfg()
    cfg.func("/World/ground", cfg)


ARM, BOB, ROD_INERTIA = 0.6, 1.5, 0.02
"""Of the pendulum: from its joint to its centre of mass, m; its mass, kg; its inertia about that, kg m^2."""


def pendulum(folder: Path) -> Articulation:
    """A pendulum about y on a post that stands still, and a second arm on it that has its own hinge about z."""
    inertia = np.diag([ROD_INERTIA] * 3)
    bodies = [
        Body("post", 1.0, (0.0, 0.0, 0.0), inertia),
        Body("arm", BOB, (0.0, 0.0, -ARM), inertia, [Shape("sphere", (0.05,), (0.0, 0.0, -ARM))]),
    ]
    model = RobotModel("pendulum", bodies, [Joint("hinge", "revolute", "post", "arm", axis=(0.0, 1.0, 0.0))])
    write_robot(model, folder / "pendulum.usd")
    spawn = sim_utils.UsdFileCfg(
        usd_path=str(folder / "pendulum.usd"),
        rigid_props=sim_utils.RigidBodyPropertiesCfg(linear_damping=0.0, angular_damping=0.0),
        articulation_props=sim_utils.ArticulationRootPropertiesCfg(fix_root_link=True),
        activate_contact_sensors=True,
    )
    start = ArticulationCfg.InitialStateCfg(pos=(0.0, 2.0, 3.0))
    return Articulation(
        ArticulationCfg(prim_path="/World/envs/env_.*/Pendulum", spawn=spawn, init_state=start, actuators={})
    )
